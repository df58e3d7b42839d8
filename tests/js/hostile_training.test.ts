// Sequences of calls about gradients that nobody should make: tensors that have ended, hooks and functions that throw, dispose of what they
// are called for or walk themselves, values changed in place between a call and its walk, second walks, states of others and damaged ones. Each
// gives a value or a StriaError that names its op; tensors come back. STRIA_SEED and STRIA_CALLS choose another run.
import test from 'node:test';
import assert from 'node:assert/strict';
import { types } from 'node:util';
import * as stria from 'stria';
import { memory, scope, StriaError, type Tensor } from 'stria';
import * as nn from 'stria/nn';
import * as optim from 'stria/optim';
import { marker, randomFrom, Values } from './hostile_values.js';
import { collect, load } from './support.js';

await load();

const SEED = Number(process.env.STRIA_SEED ?? 20_261_124);
const CALLS = Number(process.env.STRIA_CALLS ?? 30_000);
const BATCH = 40;

const values = new Values(randomFrom(SEED));
const { pool } = values;
type Any = never;

const float = (): Tensor => {
  if (pool.length < 3 || values.chance(0.2)) {
    const shape = values.pick([[], [1], [2], [3], [2, 3], [3, 2], [0], [3, 3]]);
    const dtype = values.pick(['float32', 'float32', 'float64', 'float16', 'complex64', 'int32'] as const);
    const x = stria.randn(shape).to(dtype);
    if (dtype !== 'int32') x.requiresGrad = values.chance(0.8);
    pool.push(x);
  }
  return values.pick(pool);
};
const keep = (x: unknown): unknown => {
  if (x instanceof stria.Tensor && pool.length < 60) pool.push(x);
  return x;
};
const odd = (): Any => (values.chance(0.5) ? float() : values.value()) as Any;
const maybe = (): Any => (values.chance(0.7) ? float() : odd()) as Any;
/** For .grad, a tensor that nothing else has: two that are each other's gradient keep each other. */
const apart = (): Any => {
  const x: unknown = maybe();
  return (pool.includes(x as Tensor) ? (x as Tensor).detach().clone() : x) as Any;
};
const tensors = (): Any =>
  (values.chance(0.8) ? Array.from({ length: values.below(4) }, float) : odd()) as Any;
const rates = (given: object): Any => (values.chance(0.8) ? given : odd()) as Any;
const number = (): Any =>
  (values.chance(0.7) ? values.pick([0, 1e-3, 0.5, 1, 2, NaN, Infinity, -1, -0.5, 1e308]) : odd()) as Any;

/** What a hook, or a function that is called back, does before it answers. */
function mischief(): void {
  const kind = values.below(14);
  if (kind === 0) throw marker;
  if (kind === 1) values.strike();
  if (kind === 2) pool.slice().forEach((x) => values.chance(0.5) && x.dispose());
  if (kind === 3) float().add_(1 as Any);
  if (kind === 4) float().sum().backward();
  if (kind === 5) float().backward(maybe(), { retainGraph: values.chance(0.5) });
  if (kind === 6) float().registerHook(hook);
  if (kind === 7) float().grad = apart();
  if (kind === 8) pool.length = 0;
}
function hook(gradient: Tensor): Tensor | null {
  mischief();
  const kind = values.below(8);
  if (kind === 0) gradient.dispose();
  if (kind === 1) return gradient;
  if (kind === 2) return odd();
  if (kind === 3) return gradient.mul(2 as Any);
  if (kind === 4) gradient.mul_(2 as Any);
  if (kind === 5) keep(gradient);
  return null;
}
const binary = ['add', 'sub', 'mul', 'div', 'pow', 'matmul', 'maximum'] as const;
const unary = [
  'exp',
  'tanh',
  'sqrt',
  'sin',
  'sum',
  'neg',
  'sigmoid',
  'abs',
  'cumsum',
  'softmax',
  'relu',
] as const;
const inPlace = ['add_', 'mul_', 'sub_', 'div_'] as const;

function computed(x: Tensor): Tensor {
  const kind = values.below(8);
  if (kind < 3) return (x[values.pick(binary)] as (y: Tensor) => Tensor).call(x, maybe());
  if (kind < 6)
    return (x[values.pick(unary)] as (d?: number) => Tensor).call(
      x,
      ...((values.chance(0.5) ? [0] : []) as []),
    );
  if (kind === 6) return x.view(-1);
  return x.select(0, 0);
}
function body(...args: unknown[]): unknown {
  mischief();
  let x = pool.includes(args[0] as Tensor) ? (args[0] as Tensor) : float();
  for (let k = values.below(4); k >= 0; k--) x = computed(x);
  const kind = values.below(10);
  if (kind === 0) return odd();
  if (kind === 1) return [x, x];
  if (kind === 2) return args[0];
  return kind < 7 ? x.sum() : x;
}
const flags = (): Any =>
  (values.chance(0.9)
    ? {
        retainGraph: values.chance(0.5),
        createGraph: values.chance(0.4),
        ...(values.chance(0.3) && { inputs: tensors() }),
      }
    : odd()) as Any;

function module(): nn.Module & { forward(x: Tensor): Tensor } {
  const kind = values.below(6);
  if (kind === 0) return new nn.Linear(3, 2);
  if (kind === 1) return new nn.LayerNorm([3]);
  if (kind === 2) return new nn.Sequential(new nn.Linear(3, 3), new nn.ReLU(), new nn.Dropout(0.5));
  if (kind === 3) return new nn.RMSNorm([3]);
  if (kind === 4) return new nn.Linear(number(), number());
  return new nn.Embedding(3, 2);
}
const optimisers = [optim.SGD, optim.Adam, optim.AdamW, optim.RMSprop, optim.Adagrad];
const schedules: ((o: Any) => { step(x: Any): void })[] = [
  (o) => new optim.StepLR(o, number(), number()),
  (o) => new optim.ExponentialLR(o, number()),
  (o) => new optim.CosineAnnealingLR(o, number(), number()),
  (o) => new optim.LinearLR(o, number()),
  (o) => new optim.LambdaLR(o, (() => (mischief(), number())) as Any),
  (o) => new optim.MultiStepLR(o, values.value() as Any, number()),
  (o) => new optim.OneCycleLR(o, values.value() as Any),
  (o) => new optim.ReduceLROnPlateau(o, values.value() as Any),
];

let model: ReturnType<typeof module> | undefined;
let learner: optim.Optimizer | undefined;
let schedule: { step(x: Any): void } | undefined;

function mangled(dict: Record<string, unknown>): Any {
  const names = Object.keys(dict);
  const name = values.chance(0.9) && names.length > 0 ? values.pick(names) : '__proto__';
  const kind = values.below(6);
  if (kind === 0) delete dict[name];
  if (kind === 1) dict[name] = maybe();
  if (kind === 2) dict[name] = values.value();
  if (kind === 3) dict[`${name}.x`] = float();
  if (kind === 4 && dict[name] instanceof stria.Tensor) dict[name].dispose();
  return dict as Any;
}
function damaged(file: Uint8Array): Uint8Array {
  const bytes = file.slice(0, values.chance(0.2) ? values.below(file.length) : file.length);
  for (let k = values.below(4); k > 0 && bytes.length > 0; k--)
    bytes[values.below(bytes.length)] = values.below(256);
  return bytes;
}

const summed = (x: Tensor): Tensor => (values.chance(0.5) ? x.sum() : (body(x) as Tensor));

const actions: Record<string, () => unknown> = {
  compute: () => computed(float()),
  computeMore: () => computed(computed(float())),
  inPlace: () => (float()[values.pick(inPlace)] as (y: Tensor) => Tensor)(maybe()),
  viewInPlace: () => (float().view(-1)[values.pick(inPlace)] as (y: Tensor) => Tensor)(number()),
  copy: () => float().copy_(maybe()),
  backward: () => computed(float()).backward(maybe(), flags()),
  sumBackward: () => float().sum().backward(undefined, flags()),
  again: () => {
    const y = computed(float()).sum();
    y.backward({ createGraph: values.chance(0.5) });
    y.backward();
  },
  changed: () => {
    const x = float();
    const v = x.mul(1 as Any).view(-1);
    const y = values.chance(0.5) ? v.exp().mul(v) : v.exp();
    mischief();
    v.mul_(2 as Any);
    const [g] = stria.grad(y.sum() as Any, [x] as Any, { createGraph: true } as Any) as unknown as Tensor[];
    g!.add_(1 as Any);
    return stria.grad(g!.sum() as Any, x as Any, flags()) as unknown;
  },
  gradOf: () => {
    const x = float();
    return values.chance(0.3)
      ? stria.grad(tensors(), tensors(), flags())
      : stria.grad(computed(x).sum(), x, flags());
  },
  gradFn: () => stria.grad(summed)(maybe()),
  valueAndGrad: () =>
    (
      stria.valueAndGrad(summed, ...((values.chance(0.7) ? [] : [odd()]) as [])) as unknown as (
        ...x: unknown[]
      ) => unknown
    )(maybe(), odd()),
  vjp: () => {
    const [y, pull] = stria.vjp(summed, ...([float(), maybe()].slice(values.below(2)) as [Tensor]));
    return pull(values.chance(0.5) ? stria.ones(y.shape) : maybe());
  },
  jvp: () => {
    const x = float();
    return values.chance(0.3)
      ? stria.jvp(body as Any, tensors(), tensors())
      : stria.jvp(summed, [x], [values.chance(0.5) ? x.clone() : maybe()]);
  },
  checkpoint: () => keep((stria.checkpoint as (...x: unknown[]) => unknown)(body, maybe(), odd())),
  noGrad: () => stria.noGrad(body as Any) as unknown,
  enableGrad: () => stria.enableGrad(body as Any) as unknown,
  async: () =>
    stria.noGrad(async () => {
      await null;
      mischief();
      return float();
    }),
  hook: () => {
    const handle = float().registerHook(values.chance(0.95) ? hook : odd());
    if (values.chance(0.3)) handle.remove();
  },
  retainGrad: () => float().retainGrad(),
  detach: () => keep(values.chance(0.5) ? float().detach() : float().detach_()),
  requires: () => (float().requiresGrad = values.chance(0.9) ? values.chance(0.7) : odd()),
  gradSet: () => (float().grad = values.chance(0.9) ? apart() : null),
  gradGet: () => keep(float().grad),
  dispose: () => float().dispose(),
  clipNorm: () => optim.clipGradNorm(tensors(), number(), odd()),
  clipValue: () => optim.clipGradValue(tensors(), number()),
  newModule: () => (model = module()),
  forward: () => keep(model?.forward(maybe())),
  learn: () =>
    model
      ?.forward(stria.randn([2, 3]))
      .sum()
      .backward(),
  moduleState: () => model?.loadStateDict(mangled({ ...model.stateDict() })),
  moduleFile: () => model?.load(damaged(model.save())),
  moduleTo: () => model?.to(odd()),
  moduleEnds: () => values.chance(0.3) && values.pick(model?.parameters() ?? pool)?.dispose(),
  newOptimiser: () => {
    const Kind = values.pick(optimisers) as unknown as new (
      params: unknown,
      options: unknown,
    ) => optim.Optimizer;
    const options = values.chance(0.6)
      ? { lr: number(), ...(values.chance(0.2) && { weightDecay: number() }) }
      : undefined;
    learner = new Kind(values.chance(0.6) ? model?.parameters() : tensors(), options);
  },
  step: () => learner?.step(values.chance(0.8) ? undefined : (body as Any)),
  zeroGrad: () => learner?.zeroGrad(values.chance(0.7) ? undefined : odd()),
  optimiserState: () =>
    learner?.loadStateDict(mangled({ ...learner.stateDict() } as Record<string, unknown>)),
  optimiserStates: () => {
    const dict = learner?.stateDict();
    if (dict) learner!.loadStateDict({ ...dict, state: mangled({ ...(dict.state as object) }) });
  },
  optimiserFile: () => learner?.load(damaged(learner.save())),
  group: () => learner?.addParamGroup({ params: tensors(), lr: number() } as Any),
  rate: () => learner && (learner.paramGroups[0]!.lr = number()),
  newSchedule: () => learner && (schedule = values.pick(schedules)(learner as Any)),
  scheduled: () => schedule?.step((values.chance(0.5) ? undefined : odd()) as Any),
  sgdRow: () => {
    const x = float().detach();
    const own = (): Any => (values.chance(0.8) ? [x.clone()] : tensors()) as Any;
    stria.sgd(own(), own(), rates({ lr: number() }));
  },
  adamRow: () => {
    const x = float().detach();
    const own = (): Any => (values.chance(0.8) ? [x.clone()] : tensors()) as Any;
    stria.adam(own(), own(), own(), own(), rates({ step: 1, lr: number() }));
  },
};

function wrongOf(error: unknown): string | undefined {
  if (error === marker) return undefined;
  if (!(error instanceof StriaError)) return 'no StriaError';
  if (error.code === 'ERR_INTERNAL') return error.code;
  return error.op === '' || !error.message.startsWith(`${error.op}: `) ? 'no op' : undefined;
}

test(`${CALLS} hostile calls about gradients and training, seed ${SEED}`, async () => {
  const before = memory();
  const names = Object.keys(actions);
  const wrong = new Map<string, number>();
  const made = new Map<string, [values: number, errors: number]>(names.map((name) => [name, [0, 0]]));
  const refused = new Map<string, number>();
  const note = (name: string, error: unknown): void => {
    const what = wrongOf(error);
    if (error instanceof StriaError) refused.set(error.code, (refused.get(error.code) ?? 0) + 1);
    if (what === undefined) return;
    const key = `${name}: ${what}: ${String((error as Error)?.stack ?? error).slice(0, 600)}`;
    wrong.set(key, (wrong.get(key) ?? 0) + 1);
  };
  for (let begin = 0; begin < CALLS; begin += BATCH) {
    const waiting: Promise<unknown>[] = [];
    scope(() => {
      for (let k = 0; k < BATCH; k++) {
        const name = values.pick(names);
        try {
          const result = actions[name]!();
          made.get(name)![0]++;
          if (types.isPromise(result))
            waiting.push(
              result.then(
                () => undefined,
                (error: unknown) => note(name, error),
              ),
            );
        } catch (error) {
          made.get(name)![1]++;
          note(name, error);
        }
      }
    });
    await Promise.all(waiting);
    pool.length = 0;
    model = learner = schedule = undefined;
    assert.ok(stria.isGradEnabled(), `batch ${begin}: the mode is what it was`);
    if (begin % 2000 === 0) {
      await collect(before.liveTensors);
      assert.equal(memory().liveTensors, before.liveTensors, `batch ${begin} left tensors`);
    }
  }
  await collect(before.liveTensors);
  assert.deepEqual([...wrong].slice(0, 20), []);
  assert.equal(memory().liveTensors, before.liveTensors);
  const never = [...made].filter(([, [taken]]) => taken === 0).map(([name]) => name);
  assert.deepEqual(never, [], 'actions that never succeed');
  for (const code of ['ERR_ARGUMENT', 'ERR_SHAPE', 'ERR_DTYPE', 'ERR_DISPOSED'])
    assert.ok((refused.get(code) ?? 0) > CALLS / 2000, `${code}: ${JSON.stringify([...refused])}`);
});
