// stria/optim: optimisers with PyTorch's names and formulas. A step is one call of a row (sgd, adam ..) for all parameters of a group; the
// schedulers are in schedulers.ts, clipping in clipping.ts.
import { refuse } from './abi.js';
import { isRealFloat, iterated, print, tensorArgument } from './arguments.js';
import { isTensor } from './base.js';
import { known } from './facts.js';
import { partsOf } from './functions.js';
import { noGrad, setGrad, stateOf, withGrads } from './gradients.js';
import { isArray, markHandled } from './intrinsics.js';
import { membersOf } from './members.js';
import { end, outside, scope, thenOf } from './memory.js';
import { adagrad, adam, adamw, fullLike, rmsprop, sgd } from './ops.gen.js';
import { atMost, flagOf, namesOf, readOptions, unreadable, type OptionNames } from './options.js';
import { recorder, refuseState } from './recording.js';
import { aCount, aFlag, aNumber, atLeast0, held, holdAll, twoShares, type Rule } from './rules.js';
import { loadSafetensors, saveSafetensors } from './safetensors.js';
import { converted } from './special.js';
import { functionNumbers, functionRows } from './tables.gen.js';
import type { Tensor } from './tensor.js';

export { clipGradNorm, clipGradValue, type ClipGradNormOptions } from './clipping.js';
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

/** Several parameters. A tensor, whose parts can be iterated, is none. */
export type ParamList = Iterable<Tensor> & { dispose?: never };
/** Parameters with options of their own; those that are not given are the optimiser's. */
export type ParamGroupOptions<O> = O & { params: ParamList };
/** What optimisers are made for: parameters, or groups of them. */
export type Params<O> = ParamList | Iterable<ParamGroupOptions<O>>;
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

/** What distinguishes an optimiser. @internal */
export interface Kind<O extends OptimizerOptions> {
  readonly op: string;
  /** What each option must be, and what it is where it is not given. */
  readonly options: { readonly [K in keyof Required<O>]: readonly [rule: Rule, usual: Required<O>[K]] };
  /** What else options must be. */
  check?(options: Required<O>): void;
  /** Names of the tensors that are kept for each parameter, with the options that want them. */
  readonly kept: Readonly<Record<string, (group: Required<O>) => boolean>>;
  /** What their elements begin with. Default: 0. */
  begin?(group: Required<O>): number;
  /** The row that a step calls. */
  readonly row: number;
  /** Step number `step` of these parameters; isFirst: something is kept for the first time. */
  update(
    group: ParamGroup<O>,
    params: Tensor[],
    grads: Tensor[],
    step: number,
    kept: Kept,
    isFirst: boolean,
  ): void;
}
type Kept = (name: string) => Tensor[];

const always = (): boolean => true;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !isTensor(value) && !isArray(value);

// Whether it is a group, with options of its own.
const isGroup = (value: unknown): boolean => isRecord(value) && 'params' in value;

// Options whose lists are no one else's.
const withOwnLists = <T extends object>(options: T): T =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, isArray(value) ? [...value] : value]),
  ) as T;

// Options that a replay reads by itself.
const TURNING: ReadonlySet<string> = new Set(['params', 'lr', 'initialLr', 'momentum', 'betas']);

/** In the metadata of a file: what is no tensor. */
const METADATA = 'optimizer';

/** The base of all optimisers. */
export abstract class Optimizer<O extends OptimizerOptions = OptimizerOptions> {
  readonly paramGroups: ParamGroup<O>[] = [];
  readonly state = new Map<Tensor, ParamState>();
  readonly defaults: Required<O>;
  readonly #kind: Kind<O>;
  readonly #names: OptionNames<O>;
  readonly #rules: Readonly<Record<string, Rule>>;

  /** @internal */
  constructor(kind: Kind<O>, params: Params<O>, options: O | undefined) {
    const all = Object.entries<readonly [Rule, unknown]>(kind.options);
    this.#kind = kind;
    this.#names = namesOf<O>(Object.fromEntries(all.map(([name]) => [name, name])) as never);
    this.#rules = Object.fromEntries(all.map(([name, [rule]]) => [name, rule]));
    const usual = Object.fromEntries(all.map(([name, [, value]]) => [name, value])) as Required<O>;
    this.defaults = this.#read(kind.op, options, usual);
    const list = iterated(kind.op, 'params', params);
    if (list.length === 0) refuse('ERR_ARGUMENT', kind.op, 'params', 'parameters', 'none');
    if (list.every(isGroup)) for (const group of list) this.addParamGroup(group as ParamGroupOptions<O>);
    else this.addParamGroup({ params: list } as unknown as ParamGroupOptions<O>);
  }

  // Options with others in place of what is not given.
  #read(op: string, options: unknown, usual: Required<O>): Required<O> {
    const read = { ...usual, ...readOptions(op, options as O | undefined, this.#names) };
    // only sgd has no usual one
    if (Number.isNaN(read.lr)) refuse('ERR_ARGUMENT', op, 'lr', 'given, as a number >= 0', 'NaN');
    holdAll(op, this.#rules, read);
    this.#kind.check?.(read);
    return withOwnLists(read);
  }

  /**
   * Adds parameters with options of their own. Each parameter is in one group, and a leaf: what is computed from
   * others learns by these.
   */
  addParamGroup(group: ParamGroupOptions<O>): void {
    const { op } = this.#kind;
    const { params: given, ...own } = group;
    const options = this.#read(op, own, this.defaults);
    const params = iterated(op, 'params', given).map((x, k) => tensorArgument(op, `params[${k}]`, x));
    const others = new Set(this.#params());
    params.forEach((x, k) => {
      const name = `params[${k}]`;
      if (others.has(x)) refuse('ERR_ARGUMENT', op, name, 'in one group, once', 'given twice');
      const { dtype } = known(x, op, name);
      if (!isRealFloat(dtype)) refuse('ERR_DTYPE', op, name, 'a float', dtype);
      if (!stateOf(op, x, name).isLeaf)
        refuse(
          'ERR_ARGUMENT',
          op,
          name,
          'a leaf (x.detach(), or new Parameter(x))',
          'a result that has a history',
        );
      others.add(x);
    });
    this.paramGroups.push({ ...options, params } as ParamGroup<O>);
  }

  // Parameters of all groups, in the order in which errors and states number them.
  #params(): Tensor[] {
    return this.paramGroups.flatMap(({ params }) => params);
  }

  /** Gradients go: they are null afterwards, or with `{ setToNone: false }` zeros. */
  zeroGrad(options?: { setToNone?: boolean }): void {
    atMost('zeroGrad', 1, arguments);
    const { setToNone = true } = readOptions('zeroGrad', options, zeroNames);
    const isGone = flagOf('zeroGrad', 'setToNone', setToNone);
    const params = this.#params();
    recorder?.watch(() => this.#params());
    const nameOf = (k: number): string => `params[${k}]`;
    if (isGone) params.forEach((x, k) => setGrad(x, null, 'zeroGrad', nameOf(k)));
    else
      withGrads('zeroGrad', params, nameOf, (grads) =>
        grads.forEach((x, k) => {
          if (x?.requiresGrad)
            setGrad(params[k]!, x.detach().fill_(0), 'zeroGrad', nameOf(k)); // its history ends
          else x?.fill_(0);
        }),
      );
  }

  /**
   * Changes every parameter that has a gradient. `closure` computes the loss, and gradients, first; its result is
   * returned, and no promise.
   */
  step<R = undefined>(closure?: R extends PromiseLike<unknown> ? never : () => R): R {
    const { op } = this.#kind;
    if (closure !== undefined && typeof closure !== 'function')
      refuse('ERR_ARGUMENT', op, 'closure', 'a function', print(closure));
    const loss = (closure as (() => R) | undefined)?.();
    if (typeof thenOf(loss) === 'function') {
      markHandled(loss);
      refuse(
        'ERR_ARGUMENT',
        op,
        'closure',
        'done when it returns (await the loss before step())',
        'a promise',
      );
    }
    for (const group of this.paramGroups)
      for (const name of Object.keys(this.#rules))
        if (Number.isNaN((group as Record<string, unknown>)[name]))
          refuse('ERR_ARGUMENT', op, name, 'a number', 'NaN');
    let first = 0;
    for (const group of this.paramGroups) {
      this.#stepOf(group, first);
      first += group.params.length;
    }
    recorder?.watch(() => this.#look());
    return loss as R;
  }

  // Of a group, whose first parameter has that number.
  #stepOf(group: ParamGroup<O>, first: number): void {
    withGrads(
      this.#kind.op,
      group.params,
      (k) => `params[${first + k}]`,
      (grads) => this.#update(group, grads),
    );
  }

  #update(group: ParamGroup<O>, gradients: readonly (Tensor | null)[]): void {
    // those that had no gradient once are behind the others; negative where something is kept for the first time
    const bySteps = new Map<number, [Tensor, Tensor][]>();
    group.params.forEach((x, k) => {
      const gradient = gradients[k]!;
      if (gradient === null) return;
      const at = this.#begin(x, group);
      const pairs = bySteps.get(at);
      if (pairs === undefined) bySteps.set(at, [[x, gradient]]);
      else pairs.push([x, gradient]);
    });
    for (const [at, pairs] of bySteps)
      for (const part of partsOf(pairs)) {
        const before = at < 0 ? ~at : at;
        const states = part.map(([x]) => this.state.get(x)!);
        const kept: Kept = (name) => states.map(({ tensors }) => tensors[name]!);
        const [params, grads] = [part.map(([x]) => x), part.map(([, gradient]) => gradient)];
        this.#kind.update(group, params, grads, before + 1, kept, at < 0);
        for (const state of states) state.step = before + 1;
        if (recorder !== undefined) this.#recordTurn(group, states, ~at);
      }
  }

  // Replays of the update that was recorded last go on in the steps of these states, with the rate and the momentum that the group has then,
  // which schedulers change. What is kept begins after `begin` steps; below 0: it was there.
  #recordTurn(group: ParamGroup<O>, states: readonly ParamState[], begin: number): void {
    const first = states[0]!;
    const count = (by: number) => () => {
      for (const state of states) state.step += by;
    };
    const changing = group as { momentum?: number; betas?: readonly number[] };
    const option = <K extends keyof typeof changing>(name: K): NonNullable<(typeof changing)[K]> =>
      held(this.#kind.op, name, this.#rules[name]!, changing[name])!;
    const numbers: Record<string, () => number> = {
      lr: () => held<unknown>(this.#kind.op, 'lr', aNumber, group.lr) as number,
      momentum: () => option('momentum'),
      beta1: () => option('betas')[0]!,
      beta2: () => option('betas')[1]!,
      step: () => first.step,
      isFirstStep: () => (first.step === begin + 1 ? 1 : 0),
    };
    const { attributes } = functionRows[this.#kind.row]!;
    const own = attributes.flatMap(({ name }) => (name in numbers ? [[name, numbers[name]!] as const] : []));
    recorder!.turn({
      row: this.#kind.row,
      advance: count(1),
      back: count(-1),
      numbers: Object.fromEntries(own),
    });
    recorder!.watch(() => states.map(({ step }) => step - first.step));
  }

  // What a step looks at beside the numbers of #recordTurn.
  #look(): unknown[] {
    return this.paramGroups.flatMap((group) => [
      ...Object.entries(group).flatMap(([name, value]) => (TURNING.has(name) ? [] : [value].flat())),
      ...this.#keptFor(group),
      ...group.params.flatMap((x) => {
        const state = this.state.get(x);
        return [x, state, ...Object.values(state?.tensors ?? {})];
      }),
    ]);
  }

  // Names of what is kept for the parameters of a group.
  #keptFor(group: Required<O>): string[] {
    return Object.entries(this.#kind.kept).flatMap(([name, isKept]) => (isKept(group) ? name : []));
  }

  // Steps so far, as ~steps where tensors begin, which no scope around the step ends.
  #begin(x: Tensor, group: ParamGroup<O>): number {
    let state = this.state.get(x);
    if (state === undefined) this.state.set(x, (state = { step: 0, tensors: {} }));
    const { step, tensors } = state;
    const names = this.#keptFor(group).filter((name) => !(name in tensors));
    const begin = this.#kind.begin?.(group) ?? 0;
    for (const name of names) tensors[name] = outside(() => noGrad(() => fullLike(x, begin)));
    return step === 0 || names.length > 0 ? ~step : step;
  }

  // ---------------------------------------------------------------- state

  /** What step() goes on from: the state of each parameter by its number, and the options of the groups. Tensors are not copied. */
  stateDict(): OptimizerStateDict {
    const numbers = new Map(this.#params().map((x, k) => [x, k]));
    const state: OptimizerStateDict['state'] = {};
    for (const [x, { step, tensors }] of this.state) state[numbers.get(x)!] = { ...tensors, step };
    const paramGroups = this.paramGroups.map((group) => ({
      ...withOwnLists(group),
      params: group.params.map((x) => numbers.get(x)!),
    }));
    return { state, paramGroups };
  }

  /**
   * Goes on from what stateDict gave, of an optimiser of this kind with groups of the same sizes. All of it is looked
   * at before anything is changed. Tensors are copied.
   */
  loadStateDict(dict: OptimizerStateDict): void {
    this.#load(`${this.#kind.op}.loadStateDict`, dict);
  }

  #load(op: string, dict: OptimizerStateDict): void {
    refuseState(op);
    const copies: Tensor[] = [];
    let read;
    try {
      read = this.#readDict(op, dict, copies);
    } catch (cause) {
      copies.forEach(end);
      throw unreadable(op, cause, 'dict');
    }
    this.state.clear();
    for (const [x, one] of read.states) this.state.set(x, one);
    read.groups.forEach((group, k) => Object.assign(this.paramGroups[k]!, group));
  }

  // What it says, checked; `copies` gets its tensors.
  #readDict(
    op: string,
    dict: OptimizerStateDict,
    copies: Tensor[],
  ): { groups: ParamGroup<O>[]; states: (readonly [Tensor, ParamState])[] } {
    const { state, paramGroups } = dict ?? {};
    if (!isArray(paramGroups) || typeof state !== 'object' || state === null)
      refuse('ERR_ARGUMENT', op, 'dict', 'what stateDict() gives', print(dict));
    if (paramGroups.length !== this.paramGroups.length)
      refuse('ERR_ARGUMENT', op, 'paramGroups', `${this.paramGroups.length} groups`, `${paramGroups.length}`);
    const places = new Map<string, [Tensor, ParamGroup<O>]>(); // by the numbers that the state has
    const groups = paramGroups.map((given, k) => this.#groupFrom(op, given, k, places));
    const states = membersOf(op, 'state', state).map(([number, one]) => {
      const [x, group] =
        places.get(number) ??
        refuse('ERR_ARGUMENT', op, `state[${number}]`, 'of a parameter in paramGroups', `number ${number}`);
      return [x, this.#stateFrom(op, `state[${number}]`, one, x, group, copies)] as const;
    });
    return { groups, states };
  }

  // Options of group k, checked; its parameters go into `places`.
  #groupFrom(
    op: string,
    given: unknown,
    k: number,
    places: Map<string, [Tensor, ParamGroup<O>]>,
  ): ParamGroup<O> {
    const { params: own } = this.paramGroups[k]!;
    if (!isRecord(given)) refuse('ERR_ARGUMENT', op, `paramGroups[${k}]`, 'a group', print(given));
    const { params, initialLr, ...options } = given;
    if (!isArray(params) || params.length !== own.length) {
      const got = isArray(params) ? `${params.length}` : print(params);
      refuse('ERR_ARGUMENT', op, `paramGroups[${k}].params`, `${own.length} parameters`, got);
    }
    if (initialLr !== undefined) held(op, `paramGroups[${k}].initialLr`, aNumber, initialLr);
    const group = { ...this.#read(op, options, this.defaults), params: own } as ParamGroup<O>;
    if (initialLr !== undefined) group.initialLr = initialLr as number;
    params.forEach((number, i) => {
      held(op, `paramGroups[${k}].params[${i}]`, aCount, number);
      if (places.has(String(number)))
        refuse(
          'ERR_ARGUMENT',
          op,
          `paramGroups[${k}].params[${i}]`,
          'a number of its own',
          `${number} again`,
        );
      places.set(String(number), [own[i]!, group]);
    });
    return group;
  }

  // The state of a parameter, with copies of its tensors: those that the options want, and others that this optimiser
  // may keep.
  #stateFrom(
    op: string,
    at: string,
    given: unknown,
    x: Tensor,
    group: ParamGroup<O>,
    copies: Tensor[],
  ): ParamState {
    if (!isRecord(given)) refuse('ERR_ARGUMENT', op, at, 'the state of a parameter', print(given));
    const { step, ...tensors } = given;
    const { shape, dtype, device } = known(x, op);
    held(op, `${at}.step`, aCount, step);
    for (const name of this.#keptFor(group))
      if (!(name in tensors)) refuse('ERR_ARGUMENT', op, `${at}.${name}`, 'a tensor', 'nothing');
    for (const [name, value] of Object.entries(tensors)) {
      const argument = `${at}.${name}`;
      if (!Object.hasOwn(this.#kind.kept, name))
        refuse('ERR_ARGUMENT', op, argument, `one of ${Object.keys(this.#kind.kept).join(', ')}`, name);
      const facts = known(tensorArgument(op, argument, value), op, argument);
      if (`${facts.shape}` !== `${shape}`)
        refuse('ERR_SHAPE', op, argument, `[${shape}]`, `[${facts.shape}]`);
      if (!isRealFloat(facts.dtype)) refuse('ERR_DTYPE', op, argument, 'a float', facts.dtype);
      if ((facts.device === 'meta') !== (device === 'meta'))
        refuse('ERR_DEVICE', op, argument, `on ${device}`, facts.device);
    }
    // whatever device they were saved from
    const own = Object.entries(tensors).map(([name, value]) => {
      const copy = outside(() => noGrad(() => converted(value, { dtype, device })));
      copies.push(copy);
      return [name, copy];
    });
    return { step: step as number, tensors: Object.fromEntries(own) as Record<string, Tensor> };
  }

  /** The bytes of a safetensors file of the state, with texts as metadata. */
  save(metadata?: Readonly<Record<string, string>> | ReadonlyMap<string, string>): Uint8Array<ArrayBuffer> {
    const op = `${this.#kind.op}.save`;
    const given = membersOf(op, 'metadata', metadata ?? {});
    if (given.some(([name]) => name === METADATA))
      refuse('ERR_ARGUMENT', op, 'metadata', `without the name '${METADATA}'`, 'one that has it');
    for (const group of this.paramGroups) holdAll(op, this.#rules, group);
    const { state, paramGroups } = this.stateDict();
    const steps = Object.fromEntries(Object.entries(state).map(([number, { step }]) => [number, step]));
    const tensors = Object.entries(state).flatMap(([number, { step: _, ...own }]) =>
      Object.entries(own).map(([name, x]) => [`${number}.${name}`, x as Tensor] as const),
    );
    const own = JSON.stringify({ kind: this.#kind.op, steps, paramGroups }, toJson);
    return saveSafetensors(new Map(tensors), new Map([...(given as [string, string][]), [METADATA, own]]));
  }

  /** The same as loadStateDict from the bytes that save() gave; returns the metadata that save() was given. */
  load(bytes: ArrayBuffer | ArrayBufferView): Record<string, string> {
    const op = `${this.#kind.op}.load`;
    return scope(() => {
      const { tensors, metadata } = loadSafetensors(bytes);
      const { [METADATA]: text, ...others } = metadata;
      const { kind, steps, paramGroups } = recordOf(op, text);
      if (kind !== this.#kind.op)
        refuse('ERR_FORMAT', op, 'bytes', `the state of ${this.#kind.op}`, print(kind));
      const state: Record<string, Record<string, unknown>> = Object.create(null) as never;
      for (const [number, step] of Object.entries(steps)) state[number] = { step };
      for (const [name, x] of Object.entries(tensors)) {
        const [number, own = ''] = name.split(/\.(.*)/s) as [string, string?];
        (state[number] ??= {})[own] = x;
      }
      this.#load(op, { state, paramGroups } as never);
      return others;
    });
  }
}

// In JSON numbers that are not finite are texts; no option is a text.
const notFinite = new Map([Infinity, -Infinity, NaN].map((x) => [String(x), x]));
const toJson = (_: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
const fromJson = (_: string, value: unknown): unknown => notFinite.get(value as string) ?? value;

// What save() has written beside the tensors.
function recordOf(
  op: string,
  text: string | undefined,
): { kind: unknown; steps: object; paramGroups: unknown } {
  try {
    const { kind, steps, paramGroups } = JSON.parse(text!, fromJson) as Record<string, unknown>;
    if (typeof steps === 'object' && steps !== null) return { kind, steps, paramGroups };
  } catch {
    // refused below
  }
  return refuse('ERR_FORMAT', op, 'bytes', 'a file that save() of an optimiser has written', 'another one');
}

const zeroNames = namesOf<{ setToNone?: boolean }>({ setToNone: 'setToNone' });

// ---------------------------------------------------------------- optimisers

// Options of all of them.
const shared = (lr: number, weightDecay = 0) =>
  ({ lr: [atLeast0, lr], weightDecay: [atLeast0, weightDecay], maximize: [aFlag, false] }) as const;

export interface SGDOptions extends OptimizerOptions {
  /** Share of the last change that goes on. Default: 0. */
  momentum?: number;
  /** Share of the gradient that the momentum leaves out. Default: 0. */
  dampening?: number;
  /** Nesterov's momentum; dampening is 0 then. Default: false. */
  nesterov?: boolean;
}

const sgdKind: Kind<SGDOptions> = {
  op: 'SGD',
  row: functionNumbers.sgd,
  options: {
    ...shared(NaN), // must be given
    momentum: [atLeast0, 0],
    dampening: [aNumber, 0],
    nesterov: [aFlag, false],
  },
  check({ nesterov, momentum, dampening }) {
    if (!nesterov || (momentum !== 0 && dampening === 0)) return;
    const got = `${momentum} and ${dampening}`;
    refuse('ERR_ARGUMENT', 'SGD', 'nesterov', 'with a momentum, and no dampening', got);
  },
  kept: { momentumBuffer: ({ momentum }) => momentum !== 0 },
  update(
    { lr, momentum, dampening, weightDecay, nesterov, maximize },
    params,
    grads,
    _step,
    kept,
    isFirstStep,
  ) {
    const options = { weightDecay, maximize };
    if (momentum === 0) return sgd(params, grads, lr, options);
    const momenta = kept('momentumBuffer');
    sgd(params, grads, lr, { ...options, momenta, momentum, dampening, nesterov, isFirstStep });
  },
};

/** Stochastic gradient descent, with momentum if wanted. `lr` must be given. */
export class SGD extends Optimizer<SGDOptions> {
  constructor(params: Params<SGDOptions>, options: SGDOptions & { lr: number }) {
    atMost('SGD', 2, arguments);
    super(sgdKind, params, options);
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

const adamKind = (op: 'Adam' | 'AdamW', row: typeof adam, weightDecay: number): Kind<AdamOptions> => ({
  op,
  row: op === 'Adam' ? functionNumbers.adam : functionNumbers.adamw,
  options: {
    ...shared(1e-3, weightDecay),
    betas: [twoShares, [0.9, 0.999]],
    eps: [atLeast0, 1e-8],
    amsgrad: [aFlag, false],
  },
  kept: { expAvg: always, expAvgSq: always, maxExpAvgSq: ({ amsgrad }) => amsgrad },
  update({ lr, betas, eps, weightDecay: decay, amsgrad, maximize }, params, grads, step, kept) {
    const [beta1, beta2] = betas;
    const maxExpAvgSqs = amsgrad ? kept('maxExpAvgSq') : undefined;
    const options = { beta1, beta2, eps, weightDecay: decay, maximize, maxExpAvgSqs };
    row(params, grads, kept('expAvg'), kept('expAvgSq'), step, lr, options);
  },
});
const adamOnly = adamKind('Adam', adam, 0);
const adamWithDecay = adamKind('AdamW', adamw, 0.01);

/** Adam; with `amsgrad` its variant of that name. */
export class Adam extends Optimizer<AdamOptions> {
  constructor(params: Params<AdamOptions>, options?: AdamOptions) {
    atMost('Adam', 2, arguments);
    super(adamOnly, params, options);
  }
}

/** Adam with weights that decay by themselves. */
export class AdamW extends Optimizer<AdamOptions> {
  constructor(params: Params<AdamOptions>, options?: AdamOptions) {
    atMost('AdamW', 2, arguments);
    super(adamWithDecay, params, options);
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

const rmspropKind: Kind<RMSpropOptions> = {
  op: 'RMSprop',
  row: functionNumbers.rmsprop,
  options: {
    ...shared(0.01),
    alpha: [atLeast0, 0.99],
    eps: [atLeast0, 1e-8],
    momentum: [atLeast0, 0],
    centered: [aFlag, false],
  },
  kept: {
    squareAvg: always,
    momentumBuffer: ({ momentum }) => momentum !== 0,
    gradAvg: ({ centered }) => centered,
  },
  update({ lr, alpha, eps, weightDecay, momentum, centered, maximize }, params, grads, _step, kept) {
    const momenta = momentum === 0 ? undefined : kept('momentumBuffer');
    const gradAvgs = centered ? kept('gradAvg') : undefined;
    const options = { alpha, eps, weightDecay, momentum, maximize, momenta, gradAvgs };
    rmsprop(params, grads, kept('squareAvg'), lr, options);
  },
};

/** RMSprop: divides by the root of a running mean of squares. */
export class RMSprop extends Optimizer<RMSpropOptions> {
  constructor(params: Params<RMSpropOptions>, options?: RMSpropOptions) {
    atMost('RMSprop', 2, arguments);
    super(rmspropKind, params, options);
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

const adagradKind: Kind<AdagradOptions> = {
  op: 'Adagrad',
  row: functionNumbers.adagrad,
  options: {
    ...shared(0.01),
    lrDecay: [atLeast0, 0],
    initialAccumulatorValue: [atLeast0, 0],
    eps: [atLeast0, 1e-10],
  },
  kept: { sum: always },
  begin: ({ initialAccumulatorValue }) => initialAccumulatorValue,
  update({ lr, lrDecay, weightDecay, eps, maximize }, params, grads, step, kept) {
    adagrad(params, grads, kept('sum'), step, lr, { lrDecay, weightDecay, eps, maximize });
  },
};

/** Adagrad: divides by the root of the sum of squares. */
export class Adagrad extends Optimizer<AdagradOptions> {
  constructor(params: Params<AdagradOptions>, options?: AdagradOptions) {
    atMost('Adagrad', 2, arguments);
    super(adagradKind, params, options);
  }
}
