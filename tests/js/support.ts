// What the tests share: the backend under test, and arrays compared as values.
import { after } from 'node:test';
import assert from 'node:assert/strict';
import {
  dtypes,
  init,
  memory,
  StriaError,
  type DType,
  type Info,
  type InitOptions,
  type Tensor,
} from 'stria';

/** Options for init from the name of a backend as scripts/test.mjs gives it. */
export function optionsFor(name: string): InitOptions {
  return name === 'native' ? { backend: 'native' } : { backend: 'wasm', variant: name as 'simd' };
}

export const backendName = process.env.STRIA_TEST_BACKEND ?? 'native';

/** The addon is under AddressSanitizer (toolchains/addon_asan.sh), where the library keeps no memory for reuse. */
export const isSanitized = process.env.STRIA_TEST_SANITIZED === '1';

/** Loads the backend under test. */
export function load(): Promise<Info> {
  return init(optionsFor(backendName));
}

/** Whether an error is one of the library with this code, such words, and that argument if one is given: for assert.throws. */
export const refused = (code: string, words: RegExp, argument?: string) => (error: unknown) =>
  error instanceof StriaError &&
  error.code === code &&
  words.test(error.message) &&
  (argument === undefined || error.argument === argument);

const task = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

/** Runs the garbage collector until there are as few live tensors, or for a while. */
export async function collect(wanted: number): Promise<void> {
  for (let k = 0; k < 50 && memory().liveTensors > wanted; k++) {
    await task();
    (globalThis as { gc?: () => void }).gc!();
  }
}

/** The file ends with as many tensors as it had at first; `collected`: once the collector has run. */
export function checkLeaksAtEnd(collected = false): void {
  const before = memory().liveTensors;
  after(async () => {
    if (collected) await collect(before);
    assert.equal(memory().liveTensors, before, 'tensors leaked');
  });
}

export const bits: Partial<Record<DType, number>> = Object.fromEntries(
  dtypes.filter((row) => 'UI'.includes(row.category)).map((row) => [row.name, 8 * row.size]),
);

/** All elements in row-major order. */
export function flat(x: Tensor): unknown[] {
  const nested = x.toArray();
  return Array.isArray(nested) ? nested.flat(Infinity) : [nested];
}

/** Row-major numbering of a shape. */
export function* positions(shape: readonly number[]): Generator<number[]> {
  if (shape.length === 0) return yield [];
  for (let k = 0; k < shape[0]; k++) for (const rest of positions(shape.slice(1))) yield [k, ...rest];
}

/** Element of a nested array. */
export function pick(nested: unknown, position: readonly number[]): unknown {
  return position.reduce<unknown>((level, k) => (level as unknown[])[k], nested);
}

/** Numbers between two floats of a precision, at most. */
export function ulpDistance(a: number, b: number, precision: 'float32' | 'float64'): number {
  if (Object.is(a, b) || a === b || (Number.isNaN(a) && Number.isNaN(b))) return 0;
  if (!Number.isFinite(a) || !Number.isFinite(b)) return Infinity;
  const ordered = (value: number): bigint => {
    const view = new DataView(new ArrayBuffer(8));
    if (precision === 'float32') view.setFloat32(4, value);
    else view.setFloat64(0, value);
    const raw = view.getBigInt64(0);
    const size = precision === 'float32' ? 1n << 31n : 1n << 63n;
    const unsigned = BigInt.asUintN(64, raw);
    return unsigned >= size ? size - unsigned : unsigned;
  };
  return Math.abs(Number(ordered(a) - ordered(b)));
}
