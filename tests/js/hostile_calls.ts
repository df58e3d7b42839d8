// Every export and every method of Tensor, called with anything at all: each call gives a value or a StriaError that says what
// was called and which argument is at fault (or passes on what the caller's own object threw); memory stays bounded and comes
// back.
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import * as stria from 'stria';
import { memory, scope, StriaError, type DeviceName } from 'stria';
import { marker, randomFrom, Values } from './hostile_values.js';
import { collect } from './support.js';

const BATCH = 50;
const LIMIT = 1 << 20;

// Of the CPU, and of the device where there is one.
function limit(device: DeviceName | undefined, bytes: number): void {
  stria.setMemoryLimit(bytes);
  if (device !== undefined) stria.setMemoryLimit(bytes, device);
}

// ---------------------------------------------------------------- what is called

type Call = (values: Values) => unknown;

interface Target {
  name: string;
  call: Call;
}

function args(values: Values, isMethod: boolean): unknown[] {
  const list = Array.from({ length: values.below(isMethod ? 4 : 5) }, () => values.value());
  if (!isMethod && list.length > 0 && values.chance(0.5)) list[0] = values.tensor();
  return list;
}

function exported(): Target[] {
  const targets: Target[] = [];
  for (const [name, value] of Object.entries(stria)) {
    if (typeof value !== 'function' || /^[A-Z]/.test(name)) continue;
    const run = value as (...list: unknown[]) => unknown;
    targets.push({
      name,
      call: (values) => {
        const list = args(values, false);
        if (name === 'inspect' && values.chance(0.7))
          list.unshift(values.pick(['add', 'neg', 'where', 'sum']));
        const result = run(...list);
        if (name === 'setMemoryLimit') limit(values.device, LIMIT);
        if (name === 'setThreads') stria.setThreads(1);
        if (name === 'kernel') (result as (...list: unknown[]) => unknown)(...args(values, true));
        return result;
      },
    });
  }
  return targets;
}

// Methods and getters of the class, also those with symbols for names.
function methods(): Target[] {
  const found = new Map<PropertyKey, PropertyDescriptor>();
  for (
    let of = stria.Tensor.prototype as object;
    of !== Object.prototype;
    of = Object.getPrototypeOf(of) as object
  )
    for (const key of Reflect.ownKeys(of))
      if (key !== 'constructor' && !found.has(key)) found.set(key, Object.getOwnPropertyDescriptor(of, key)!);
  return [...found].map(([key, { get, value }]) => ({
    name: `Tensor.${String(key)}`,
    call: (values) => {
      const self = values.chance(0.9) ? values.tensor() : values.value();
      if (self === null || self === undefined) return self;
      if (get) return Reflect.apply(get, self, []) as unknown;
      return Reflect.apply(value as () => unknown, self, args(values, true)) as unknown;
    },
  }));
}

// ---------------------------------------------------------------- what may come of it

const internal = ['ERR_INTERNAL', 'ERR_UNSUPPORTED', 'ERR_IO'];

// A device lacks rows, and may not be there.
function wrongOf(error: unknown, hasDevice: boolean): string | undefined {
  if (error === marker) return undefined;
  if (!(error instanceof StriaError)) return 'no StriaError';
  if (internal.includes(error.code) && !(hasDevice && error.code === 'ERR_UNSUPPORTED')) return error.code;
  if (error.op === '') return 'no op';
  if (!error.message.startsWith(`${error.op}: `) || error.message.length < error.op.length + 8)
    return 'message';
  if (error.code === 'ERR_ARGUMENT' && error.argument === '') return 'no argument';
  return undefined;
}

interface Failure {
  name: string;
  call: number;
  wrong: string;
  error: unknown;
}

function report(failures: readonly Failure[]): string {
  const kinds = new Map<string, Failure[]>();
  for (const failure of failures) {
    const text = failure.error instanceof Error ? failure.error.message : inspect(failure.error);
    const key = `${failure.name}: ${failure.wrong}: ${text.slice(0, 150)}`;
    kinds.set(key, [...(kinds.get(key) ?? []), failure]);
  }
  return [...kinds]
    .slice(0, 40)
    .map(
      ([key, list]) =>
        `${list.length} x ${key}\n    ${String((list[0]!.error as Error)?.stack).slice(0, 900)}`,
    )
    .join('\n');
}

/** So many calls from a seed; with a device, half of the tensors are there. */
export async function hostileCalls(calls: number, seed: number, device?: DeviceName): Promise<void> {
  const targets = [...exported(), ...methods()];
  assert.ok(targets.length > 300, `${targets.length} targets`);
  const values = new Values(randomFrom(seed), device);
  const before = memory();
  const heap = process.memoryUsage().rss;
  const failures: Failure[] = [];
  const refused = new Map<string, number>();
  const note = (name: string, call: number, error: unknown): void => {
    const wrong = wrongOf(error, device !== undefined);
    if (wrong !== undefined) failures.push({ name, call, wrong, error });
    else if (error instanceof StriaError) refused.set(error.code, (refused.get(error.code) ?? 0) + 1);
  };

  limit(device, LIMIT);
  for (let begin = 0; begin < calls; begin += BATCH) {
    const waiting: Promise<unknown>[] = [];
    scope(() => {
      for (let k = begin; k < begin + BATCH; k++) {
        const { name, call } = values.pick(targets);
        try {
          const result = call(values);
          if (result instanceof Promise) waiting.push(result.catch((error: unknown) => note(name, k, error)));
        } catch (error) {
          note(name, k, error);
        }
      }
    });
    await Promise.all(waiting);
    values.pool.length = 0; // only now: a `then` that a promise asks for may make tensors
    if (waiting.length > 0) await collect(before.liveTensors); // what callbacks made once their scope was over
    const now = memory();
    if (now.liveTensors !== before.liveTensors || now.liveStorages > before.liveStorages + BATCH)
      assert.fail(
        `calls ${begin} to ${begin + BATCH} left ${now.liveTensors} tensors, ${now.liveStorages} storages`,
      );
    assert.ok(now.liveBytes <= LIMIT + before.liveBytes, `${now.liveBytes} bytes live`);
  }
  limit(device, 0);
  await new Promise((resolve) => setImmediate(resolve));

  assert.equal(failures.length, 0, `${failures.length} calls\n${report(failures)}`);
  for (const code of [
    'ERR_ARGUMENT',
    'ERR_SHAPE',
    'ERR_AXIS',
    'ERR_DTYPE',
    'ERR_DISPOSED',
    ...(calls < 33_000 ? [] : ['ERR_MEMORY']), // a few calls of ten thousand ask for too much, or none
    'ERR_OVERLAP',
    ...(device === undefined ? [] : ['ERR_DEVICE']),
  ])
    assert.ok((refused.get(code) ?? 0) > calls / 33_000, `${code} came up: ${inspect(refused)}`);
  assert.equal(memory().liveTensors, before.liveTensors);
  assert.equal(memory().liveStorages, before.liveStorages);
  assert.ok(process.memoryUsage().rss < heap + (1 << 30), 'the process grew');
  scope(() => assert.deepEqual(stria.tensor([1, 2]).add(1).toArray(), [2, 3]));
}
