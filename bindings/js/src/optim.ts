// stria/optim: optimisers with PyTorch's names and formulas. A step is one call of a row (sgd, adam ..) for all parameters of a group; the
// schedulers are in schedulers.ts.
import { refuse } from './abi.js';
import { print, tensorArgument } from './arguments.js';
import { isTensor } from './base.js';
import { isArray } from './intrinsics.js';
import { outside } from './memory.js';
import { adagrad, adam, adamw, clipGradsWithNorm, clipGradValue as clipValue } from './ops.gen.js';
import { rmsprop, sgd, totalNorm, zerosLike } from './ops.gen.js';
import { flagOf, namesOf, readOptions, refuseMore, type OptionNames } from './options.js';
import type { Tensor } from './tensor.js';

export {
  CosineAnnealingLR,
  ExponentialLR,
  LambdaLR,
  LinearLR,
  LRScheduler,
  MultiStepLR,
  OneCycleLR,
  ReduceLROnPlateau,
  StepLR,
  type OneCycleOptions,
  type PlateauOptions,
} from './schedulers.js';

/** Tensors of one call; a list of a call has a few hundred places. */
const AT_ONCE = 400;

// ---------------------------------------------------------------- parameters and what is kept for them

/** What every optimiser takes. */
export interface OptimizerOptions {
  /** Learning rate. */
  lr?: number;
  /** Every parameter decays by this: it is added to the gradient as weightDecay times the parameter; of AdamW by lr times this, apart. Default: 0, of AdamW 0.01. */
  weightDecay?: number;
  /** Whether the objective grows: gradients count with the other sign. Default: false. */
  maximize?: boolean;
}

/** Parameters with options of their own; those that are not given are the optimiser's. */
export type ParamGroupOptions<O> = O & { params: Iterable<Tensor> };
/** Parameters with all their options, which may be changed between steps. */
export type ParamGroup<O> = Required<O> & { params: Tensor[]; initialLr?: number };

/** What is kept for a parameter: the number of its steps, and tensors by their names. */
export interface ParamState {
  step: number;
  readonly tensors: Record<string, Tensor>;
}

/** What stateDict gives: tensors are those of the optimiser; parameters are numbered through all groups. */
export interface OptimizerStateDict {
  state: Record<number, { step: number } & Record<string, Tensor | number>>;
  paramGroups: ({ params: number[] } & Record<string, unknown>)[];
}

type Rule = 'number >= 0' | 'flag' | 'number' | 'betas';

const isShare = (x: unknown): boolean => typeof x === 'number' && x >= 0 && x < 1;

function checkOption(op: string, name: string, rule: Rule, value: unknown): void {
  const isRight =
    rule === 'flag'
      ? typeof value === 'boolean'
      : rule === 'betas'
        ? isArray(value) && value.length === 2 && value.every(isShare)
        : typeof value === 'number' && !Number.isNaN(value) && (rule === 'number' || value >= 0);
  const expected = {
    'number >= 0': 'a number >= 0',
    number: 'a number',
    flag: 'true or false',
    betas: 'two numbers in [0, 1)',
  };
  if (!isRight) refuse('ERR_ARGUMENT', op, name, expected[rule], print(value));
}

const isFloat = (dtype: string): boolean => /^b?float/.test(dtype);

// A group as options, or undefined: tensors are no groups.
const isGroup = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !isTensor(value) && 'params' in value;

/** The base of all optimisers. */
export abstract class Optimizer<O extends OptimizerOptions = OptimizerOptions> {
  readonly paramGroups: ParamGroup<O>[] = [];
  readonly state = new Map<Tensor, ParamState>();
  readonly defaults: Required<O>;
  readonly #op: string;
  readonly #rules: Readonly<Record<string, Rule>>;
  readonly #names: OptionNames<O>;

  /** @internal */
  constructor(
    op: string,
    params: Iterable<Tensor> | Iterable<ParamGroupOptions<O>>,
    options: O | undefined,
    usual: Required<O>,
    rules: Readonly<Record<keyof Required<O>, Rule>>,
  ) {
    this.#op = op;
    this.#rules = rules;
    this.#names = namesOf<O>(Object.fromEntries(Object.keys(rules).map((name) => [name, name])) as never);
    this.defaults = { ...usual, ...readOptions(op, options, this.#names) };
    this.#check(this.defaults);
    const all = this.#list('params', params);
    if (all.length === 0) refuse('ERR_ARGUMENT', op, 'params', 'parameters', 'none');
    if (all.every(isGroup)) for (const group of all) this.addParamGroup(group as ParamGroupOptions<O>);
    else this.addParamGroup({ params: all } as unknown as ParamGroupOptions<O>);
  }

  #list(argument: string, list: unknown): unknown[] {
    const isIterable =
      typeof list === 'object' &&
      list !== null &&
      typeof (list as Iterable<unknown>)[Symbol.iterator] === 'function';
    if (!isIterable || isTensor(list))
      refuse('ERR_ARGUMENT', this.#op, argument, 'a list of tensors', print(list));
    return [...(list as Iterable<unknown>)];
  }

  #check(options: Required<O>): void {
    for (const [name, rule] of Object.entries(this.#rules))
      checkOption(this.#op, name, rule, (options as Record<string, unknown>)[name]);
    this.check(options);
  }

  /** What else options must be. @internal */
  protected check(_options: Required<O>): void {}

  /** Adds parameters with options of their own. Each parameter is in one group. */
  addParamGroup(group: ParamGroupOptions<O>): void {
    const { params: given, ...own } = group;
    const options = { ...this.defaults, ...readOptions(this.#op, own as never as O, this.#names) };
    this.#check(options);
    const params = this.#list('params', given).map((x, k) => tensorArgument(this.#op, `params[${k}]`, x));
    const known = new Set(this.paramGroups.flatMap(({ params: other }) => other));
    params.forEach((x, k) => {
      if (known.has(x)) refuse('ERR_ARGUMENT', this.#op, `params[${k}]`, 'in one group, once', 'given twice');
      if (!isFloat(x.dtype)) refuse('ERR_DTYPE', this.#op, `params[${k}]`, 'a float', x.dtype);
      known.add(x);
    });
    this.paramGroups.push({ ...options, params } as ParamGroup<O>);
  }

  /** Gradients go: they are null afterwards, or with `{ setToNone: false }` zeros. */
  zeroGrad(options?: { setToNone?: boolean }): void {
    if (arguments.length > 1) refuseMore('zeroGrad', 1, arguments);
    const { setToNone = true } = readOptions('zeroGrad', options, zeroNames);
    const isGone = flagOf('zeroGrad', 'setToNone', setToNone);
    for (const { params } of this.paramGroups)
      for (const x of params) {
        if (isGone) x.grad = null;
        else x.grad?.fill_(0);
      }
  }

  /** Changes every parameter that has a gradient. `closure` computes the loss, and gradients, first; its result is returned. */
  step<R = undefined>(closure?: () => R): R {
    if (closure !== undefined && typeof closure !== 'function')
      refuse('ERR_ARGUMENT', this.#op, 'closure', 'a function', print(closure));
    const loss = closure?.();
    for (const group of this.paramGroups) {
      const bySteps = new Map<number, Tensor[]>(); // those that had no gradient once are behind the others
      for (const x of group.params) {
        if (!x.grad) continue;
        const at = this.#stateOf(x, group).step;
        const list = bySteps.get(at);
        if (list === undefined) bySteps.set(at, [x]);
        else list.push(x);
      }
      for (const [before, params] of bySteps)
        for (let from = 0; from < params.length; from += AT_ONCE) {
          const part = params.slice(from, from + AT_ONCE);
          const states = part.map((x) => this.state.get(x)!);
          const kept = (name: string): Tensor[] => states.map(({ tensors }) => tensors[name]!);
          this.update(
            group,
            part,
            part.map((x) => x.grad!),
            before + 1,
            kept,
          );
          for (const state of states) state.step = before + 1;
        }
    }
    return loss as R;
  }

  // Of a parameter that is new, zeros, which no scope around the step ends.
  #stateOf(x: Tensor, group: ParamGroup<O>): ParamState {
    let state = this.state.get(x);
    if (state === undefined) this.state.set(x, (state = { step: 0, tensors: {} }));
    for (const name of this.kept(group)) state.tensors[name] ??= this.begin(x, group, name);
    return state;
  }

  /** What a state begins with. @internal */
  protected begin(x: Tensor, _group: ParamGroup<O>, _name: string): Tensor {
    return outside(() => zerosLike(x.detach()));
  }

  /** Names of what is kept for each parameter. @internal */
  protected abstract kept(group: ParamGroup<O>): readonly string[];

  /** Step number `step` of these parameters. @internal */
  protected abstract update(
    group: ParamGroup<O>,
    params: Tensor[],
    grads: Tensor[],
    step: number,
    kept: (name: string) => Tensor[],
  ): void;

  /** What step() goes on from: the state of each parameter by its number, and the options of the groups. Tensors are not copied. */
  stateDict(): OptimizerStateDict {
    const numbers = new Map(this.paramGroups.flatMap(({ params }) => params).map((x, k) => [x, k]));
    const state: OptimizerStateDict['state'] = {};
    for (const [x, { step, tensors }] of this.state) state[numbers.get(x)!] = { ...tensors, step };
    const paramGroups = this.paramGroups.map((group) => ({
      ...group,
      params: group.params.map((x) => numbers.get(x)!),
    }));
    return { state, paramGroups };
  }

  /** Goes on from what stateDict gave, of an optimiser with groups of the same sizes. Tensors are copied. */
  loadStateDict(dict: OptimizerStateDict): void {
    const op = `${this.#op}.loadStateDict`;
    const { state, paramGroups } = dict ?? {};
    if (!isArray(paramGroups) || typeof state !== 'object' || state === null)
      refuse('ERR_ARGUMENT', op, 'dict', 'what stateDict() gives', print(dict));
    if (paramGroups.length !== this.paramGroups.length)
      refuse('ERR_ARGUMENT', op, 'paramGroups', `${this.paramGroups.length} groups`, `${paramGroups.length}`);
    const found = paramGroups.map((group, k) => {
      const { params: own } = this.paramGroups[k]!;
      const { params, ...options } = group;
      if (params?.length !== own.length)
        refuse(
          'ERR_ARGUMENT',
          op,
          `paramGroups[${k}].params`,
          `${own.length} parameters`,
          `${params?.length}`,
        );
      const { initialLr, ...others } = options as Record<string, unknown>;
      const read = { ...this.defaults, ...readOptions(op, others as never as O, this.#names) };
      this.#check(read);
      return { ...read, ...(initialLr === undefined ? {} : { initialLr }), params: own } as ParamGroup<O>;
    });
    const all = this.paramGroups.flatMap(({ params }) => params);
    const states = Object.entries(state).map(([number, { step, ...tensors }]) => {
      const x = all[Number(number)];
      if (x === undefined)
        refuse('ERR_ARGUMENT', op, `state[${number}]`, `a parameter below ${all.length}`, number);
      if (!Number.isSafeInteger(step) || step < 0)
        refuse('ERR_ARGUMENT', op, `state[${number}].step`, 'a whole number', print(step));
      for (const [name, value] of Object.entries(tensors)) {
        const { shape } = tensorArgument(op, `state[${number}].${name}`, value);
        if (`${shape}` !== `${x.shape}`)
          refuse('ERR_SHAPE', op, `state[${number}].${name}`, `[${x.shape}]`, `[${shape}]`);
      }
      return [x, step, tensors as Record<string, Tensor>] as const;
    });
    this.state.clear();
    for (const [x, step, tensors] of states) {
      const copies = Object.entries(tensors).map(([name, value]) => [
        name,
        outside(() => value.detach().to(x.dtype)),
      ]);
      this.state.set(x, { step, tensors: Object.fromEntries(copies) as Record<string, Tensor> });
    }
    found.forEach((group, k) => Object.assign(this.paramGroups[k]!, group));
  }
}

const zeroNames = namesOf<{ setToNone?: boolean }>({ setToNone: 'setToNone' });
const shared = { lr: 'number >= 0', weightDecay: 'number >= 0', maximize: 'flag' } as const;

// ---------------------------------------------------------------- optimisers

export interface SGDOptions extends OptimizerOptions {
  /** Share of the last change that goes on. Default: 0. */
  momentum?: number;
  /** Share of the gradient that the momentum leaves out. Default: 0. */
  dampening?: number;
  /** Nesterov's momentum; dampening is 0 then. Default: false. */
  nesterov?: boolean;
}

/** Stochastic gradient descent, with momentum if wanted. `lr` must be given. */
export class SGD extends Optimizer<SGDOptions> {
  constructor(params: Iterable<Tensor> | Iterable<ParamGroupOptions<SGDOptions>>, options: SGDOptions) {
    const usual = { lr: NaN, momentum: 0, dampening: 0, weightDecay: 0, nesterov: false, maximize: false };
    const rules = { ...shared, momentum: 'number >= 0', dampening: 'number', nesterov: 'flag' } as const;
    super('SGD', params, options, usual, rules);
  }

  /** @internal */
  protected override check({ nesterov, momentum, dampening }: Required<SGDOptions>): void {
    if (nesterov && (momentum === 0 || dampening !== 0))
      refuse(
        'ERR_ARGUMENT',
        'SGD',
        'nesterov',
        'with a momentum, and no dampening',
        `${momentum} and ${dampening}`,
      );
  }

  /** @internal */
  protected kept({ momentum }: ParamGroup<SGDOptions>): readonly string[] {
    return momentum === 0 ? [] : ['momentumBuffer'];
  }

  /** @internal */
  protected update(
    { lr, momentum, dampening, weightDecay, nesterov, maximize }: ParamGroup<SGDOptions>,
    params: Tensor[],
    grads: Tensor[],
    step: number,
    kept: (name: string) => Tensor[],
  ): void {
    const options = { weightDecay, maximize };
    if (momentum === 0) return sgd(params, grads, lr, options);
    const momenta = kept('momentumBuffer');
    sgd(params, grads, lr, { ...options, momenta, momentum, dampening, nesterov, isFirstStep: step === 1 });
  }
}

export interface AdamOptions extends OptimizerOptions {
  /** Shares of the running means of gradients and of their squares that stay. Default: [0.9, 0.999]. */
  betas?: readonly [number, number];
  /** Added to the root. Default: 1e-8. */
  eps?: number;
  /** Divide by the largest mean of squares so far. Default: false. */
  amsgrad?: boolean;
}

abstract class AdamBase extends Optimizer<AdamOptions> {
  readonly #row: typeof adam;

  /** @internal */
  constructor(
    op: string,
    row: typeof adam,
    weightDecay: number,
    params: Iterable<Tensor> | Iterable<ParamGroupOptions<AdamOptions>>,
    options: AdamOptions | undefined,
  ) {
    const usual = {
      lr: 1e-3,
      betas: [0.9, 0.999] as const,
      eps: 1e-8,
      weightDecay,
      amsgrad: false,
      maximize: false,
    };
    super(op, params, options, usual, { ...shared, betas: 'betas', eps: 'number >= 0', amsgrad: 'flag' });
    this.#row = row;
  }

  /** @internal */
  protected kept({ amsgrad }: ParamGroup<AdamOptions>): readonly string[] {
    return amsgrad ? ['expAvg', 'expAvgSq', 'maxExpAvgSq'] : ['expAvg', 'expAvgSq'];
  }

  /** @internal */
  protected update(
    { lr, betas, eps, weightDecay, amsgrad, maximize }: ParamGroup<AdamOptions>,
    params: Tensor[],
    grads: Tensor[],
    step: number,
    kept: (name: string) => Tensor[],
  ): void {
    const maxExpAvgSqs = amsgrad ? kept('maxExpAvgSq') : undefined;
    const [beta1, beta2] = betas;
    const options = { beta1, beta2, eps, weightDecay, maximize, maxExpAvgSqs };
    this.#row(params, grads, kept('expAvg'), kept('expAvgSq'), step, lr, options);
  }
}

/** Adam; with `amsgrad` its variant of that name. */
export class Adam extends AdamBase {
  constructor(params: Iterable<Tensor> | Iterable<ParamGroupOptions<AdamOptions>>, options?: AdamOptions) {
    super('Adam', adam, 0, params, options);
  }
}

/** Adam with weights that decay by themselves. */
export class AdamW extends AdamBase {
  constructor(params: Iterable<Tensor> | Iterable<ParamGroupOptions<AdamOptions>>, options?: AdamOptions) {
    super('AdamW', adamw, 0.01, params, options);
  }
}

export interface RMSpropOptions extends OptimizerOptions {
  /** Share of the running mean of squares that stays. Default: 0.99. */
  alpha?: number;
  /** Added to the root. Default: 1e-8. */
  eps?: number;
  /** Share of the last change that goes on. Default: 0. */
  momentum?: number;
  /** Divide by the root of the variance of the gradient. Default: false. */
  centered?: boolean;
}

/** RMSprop. */
export class RMSprop extends Optimizer<RMSpropOptions> {
  constructor(
    params: Iterable<Tensor> | Iterable<ParamGroupOptions<RMSpropOptions>>,
    options?: RMSpropOptions,
  ) {
    const usual = {
      lr: 0.01,
      alpha: 0.99,
      eps: 1e-8,
      weightDecay: 0,
      momentum: 0,
      centered: false,
      maximize: false,
    };
    const atLeast0 = 'number >= 0';
    super('RMSprop', params, options, usual, {
      ...shared,
      alpha: atLeast0,
      eps: atLeast0,
      momentum: atLeast0,
      centered: 'flag',
    });
  }

  /** @internal */
  protected kept({ momentum, centered }: ParamGroup<RMSpropOptions>): readonly string[] {
    return ['squareAvg', ...(momentum === 0 ? [] : ['momentumBuffer']), ...(centered ? ['gradAvg'] : [])];
  }

  /** @internal */
  protected update(
    { lr, alpha, eps, weightDecay, momentum, centered, maximize }: ParamGroup<RMSpropOptions>,
    params: Tensor[],
    grads: Tensor[],
    _step: number,
    kept: (name: string) => Tensor[],
  ): void {
    const momenta = momentum === 0 ? undefined : kept('momentumBuffer');
    const gradAvgs = centered ? kept('gradAvg') : undefined;
    const options = { alpha, eps, weightDecay, momentum, maximize, momenta, gradAvgs };
    rmsprop(params, grads, kept('squareAvg'), lr, options);
  }
}

export interface AdagradOptions extends OptimizerOptions {
  /** lr is divided by 1 + lrDecay times the steps so far. Default: 0. */
  lrDecay?: number;
  /** What sums of squares begin with. Default: 0. */
  initialAccumulatorValue?: number;
  /** Added to the root. Default: 1e-10. */
  eps?: number;
}

/** Adagrad. */
export class Adagrad extends Optimizer<AdagradOptions> {
  constructor(
    params: Iterable<Tensor> | Iterable<ParamGroupOptions<AdagradOptions>>,
    options?: AdagradOptions,
  ) {
    const usual = {
      lr: 0.01,
      lrDecay: 0,
      weightDecay: 0,
      initialAccumulatorValue: 0,
      eps: 1e-10,
      maximize: false,
    };
    const atLeast0 = 'number >= 0';
    super('Adagrad', params, options, usual, {
      ...shared,
      lrDecay: atLeast0,
      initialAccumulatorValue: atLeast0,
      eps: atLeast0,
    });
  }

  /** @internal */
  protected override begin(x: Tensor, { initialAccumulatorValue }: ParamGroup<AdagradOptions>): Tensor {
    return outside(() => zerosLike(x.detach()).fill_(initialAccumulatorValue));
  }

  /** @internal */
  protected kept(): readonly string[] {
    return ['sum'];
  }

  /** @internal */
  protected update(
    { lr, lrDecay, weightDecay, eps, maximize }: ParamGroup<AdagradOptions>,
    params: Tensor[],
    grads: Tensor[],
    step: number,
    kept: (name: string) => Tensor[],
  ): void {
    adagrad(params, grads, kept('sum'), step, lr, { lrDecay, weightDecay, eps, maximize });
  }
}

// ---------------------------------------------------------------- clipping

/** Of clipGradNorm. */
export interface ClipGradNormOptions {
  /** Order of the norm, above 0; Infinity: the largest. Default: 2. */
  normType?: number;
  /** Refuse a norm that is infinite or NaN, before anything is changed. Default: false. */
  errorIfNonfinite?: boolean;
}

const clipNames = namesOf<ClipGradNormOptions>({
  normType: 'normType',
  errorIfNonfinite: 'errorIfNonfinite',
});

function gradsOf(op: string, params: Tensor | Iterable<Tensor>): Tensor[] {
  const isOne = isTensor(params);
  if (
    !isOne &&
    typeof (params as { [Symbol.iterator]?: unknown } | null | undefined)?.[Symbol.iterator] !== 'function'
  )
    refuse('ERR_ARGUMENT', op, 'params', 'a list of tensors', print(params));
  const list = isOne ? [params] : [...(params as Iterable<Tensor>)];
  return list.flatMap((x, k) => tensorArgument(op, `params[${k}]`, x).grad ?? []);
}

const parts = <T>(list: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(list.length / AT_ONCE) }, (_, k) =>
    list.slice(k * AT_ONCE, (k + 1) * AT_ONCE),
  );

/** Scales gradients so that the norm of all of them together is at most `maxNorm`; returns the norm that they had, a 0-dim tensor. */
export function clipGradNorm(
  params: Tensor | Iterable<Tensor>,
  maxNorm: number,
  options?: ClipGradNormOptions,
): Tensor {
  const op = 'clipGradNorm';
  if (arguments.length > 3) refuseMore(op, 3, arguments);
  checkOption(op, 'maxNorm', 'number >= 0', maxNorm);
  const { normType = 2, errorIfNonfinite = false } = readOptions(op, options, clipNames);
  if (!(typeof normType === 'number' && normType > 0))
    refuse('ERR_ARGUMENT', op, 'normType', 'a number above 0', print(normType));
  const isStrict = flagOf(op, 'errorIfNonfinite', errorIfNonfinite);
  const grads = gradsOf(op, params).map((x) => x.detach());
  const norms = parts(grads).map((part) => totalNorm(part, normType));
  const norm = norms.length === 1 ? norms[0]! : totalNorm(norms, normType);
  if (isStrict && !Number.isFinite(norm.item() as number))
    refuse('ERR_ARGUMENT', op, 'params', 'a finite norm of gradients', String(norm.item()));
  for (const part of parts(grads)) clipGradsWithNorm(norm, part, maxNorm);
  return norm;
}

/** Brings every element of the gradients into [-clipValue, clipValue]. */
export function clipGradValue(params: Tensor | Iterable<Tensor>, clipValue_: number): void {
  const op = 'clipGradValue';
  if (arguments.length > 2) refuseMore(op, 2, arguments);
  checkOption(op, 'clipValue', 'number >= 0', clipValue_);
  for (const part of parts(gradsOf(op, params))) clipValue(part, clipValue_);
}
