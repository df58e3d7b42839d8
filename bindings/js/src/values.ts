// What tensors hold, as values of JavaScript.
import { backend, refuse } from './abi.js';
import { handleOf, isIntegerDType, print } from './arguments.js';
import type { TensorBase } from './base.js';
import { nestedFrom, typedArrayFrom } from './elements.js';
import { known } from './facts.js';
import { relieve } from './memory.js';
import { borrowNames, flagOf, itemNames, readOptions } from './options.js';
import { bytesIn, bytesLater } from './reading.js';
import { refuseReading } from './recording.js';
import type { BorrowOptions, ItemOptions, TypedArray } from './types.js';

// toArray() makes no more elements than this, an array counted as two; engines end the program where they run out of memory for them.
const MOST_VALUES = 2 ** 26;

// Elements in the nested arrays of a shape, an array counted as two.
function countValues(shape: readonly number[]): number {
  let level = 1;
  let total = 0;
  for (const size of shape) {
    total += 2 * level;
    level *= size;
  }
  return total + level;
}

/** Nested arrays, under the name `op`. */
export function arraysOf(x: TensorBase, op: string): unknown {
  const { dtype, shape } = known(x, op);
  const count = countValues(shape);
  if (count > MOST_VALUES)
    refuse('ERR_MEMORY', op, 'x', `of at most ${MOST_VALUES} elements, or half as many arrays`, `${count}`);
  return nestedFrom(dtype, bytesIn(x, op), shape);
}

/** A typed array of the elements, which may be waited for. */
export async function dataOf(x: TensorBase): Promise<unknown> {
  const { dtype } = known(x, 'data');
  const data = typedArrayFrom(dtype, await bytesLater(x, 'data'));
  await relieve();
  return data;
}

/** The only element, of one that has one; a bigint in 64 bits. */
export function elementIn(x: TensorBase): unknown {
  return nestedFrom(known(x, 'item').dtype, bytesIn(x, 'item'), []);
}

/** The only element as a number, boolean or complex number, or with `bigint: true` as a bigint; refused if there are several, or no number holds it. */
export function itemOf(x: TensorBase, options?: ItemOptions): unknown {
  const { dtype, numel } = known(x, 'item');
  const wantsBigint = flagOf('item', 'bigint', readOptions('item', options, itemNames).bigint);
  if (numel !== 1)
    refuse('ERR_SHAPE', 'item', 'x', 'a tensor of one element', `shape ${print(known(x, 'item').shape)}`);
  const value = elementIn(x);
  if (wantsBigint) {
    if (typeof value === 'bigint') return value;
    return isIntegerDType(dtype)
      ? BigInt(value as number)
      : refuse('ERR_DTYPE', 'item', 'x', 'of an integer dtype', dtype);
  }
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  if (!Number.isSafeInteger(number))
    refuse('ERR_OVERFLOW', 'item', 'x', 'within 2^53, or read with { bigint: true }', `${value}`);
  return number;
}

/** What body gives for the elements in place, a typed array that is valid while it runs; x must be contiguous. */
export function borrowed<R>(x: TensorBase, body: (elements: TypedArray) => R, options?: BorrowOptions): R {
  refuseReading('borrow');
  if (typeof body !== 'function') refuse('ERR_ARGUMENT', 'borrow', 'body', 'a function', print(body));
  const { dtype, numel, itemBytes, isContiguous } = known(x, 'borrow');
  if (!isContiguous)
    refuse('ERR_ARGUMENT', 'borrow', 'x', 'contiguous', `strides ${print(known(x, 'borrow').strides)}`);
  const isRead = flagOf('borrow', 'readOnly', readOptions('borrow', options, borrowNames).readOnly);
  const run = (bytes: Uint8Array): R => body(typedArrayFrom(dtype, bytes) as TypedArray);
  return numel === 0
    ? run(new Uint8Array(0))
    : backend.borrow(handleOf('borrow', x), numel * itemBytes, isRead, run);
}
