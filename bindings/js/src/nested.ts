// Nested arrays: their shape, what they hold, and copying them flat.
import { refuse } from './abi.js';
import { print } from './arguments.js';
import { isTensor } from './base.js';
import type { DType } from './tables.gen.js';
import type { Complex } from './types.js';

const isList = (value: unknown): value is ArrayLike<unknown> =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));

/** Lengths along the first elements; fill() checks that the others agree. */
export function shapeOf(data: unknown): number[] {
  const shape: number[] = [];
  for (let level = data; isList(level); level = level[0]) {
    shape.push(level.length);
    if (shape.length > 64) refuse('ERR_SHAPE', 'tensor', 'data', 'nested at most 64 deep', 'more');
    if (level.length === 0) break;
  }
  return shape;
}

interface LeafKind {
  kind: 'number' | 'bigint' | 'boolean' | 'complex';
  dtype: DType;
}

/** What the first leaf is; it decides the default dtype. */
export function leafKind(data: unknown): LeafKind {
  let leaf = data;
  while (isList(leaf) && leaf.length > 0) leaf = leaf[0];
  if (typeof leaf === 'bigint') return { kind: 'bigint', dtype: 'int64' };
  if (typeof leaf === 'boolean') return { kind: 'boolean', dtype: 'bool' };
  if (typeof leaf === 'object' && leaf !== null && 're' in leaf)
    return { kind: 'complex', dtype: 'complex64' };
  return { kind: 'number', dtype: 'float32' };
}

/** Flat elements on their way into a tensor: `dtype` is what `array` holds. */
export interface Staging {
  array: Float32Array | Float64Array | BigInt64Array | BigUint64Array;
  dtype: DType;
  isComplex: boolean;
}

/** Room for `count` leaves. Numbers wait as float64 unless they are to be float32, bigints in 64 bits. */
export function stagingFor({ kind }: LeafKind, dtype: DType, count: number): Staging {
  if (kind === 'complex') return { array: new Float64Array(2 * count), dtype: 'complex128', isComplex: true };
  if (kind === 'bigint' && dtype === 'uint64')
    return { array: new BigUint64Array(count), dtype, isComplex: false };
  if (kind === 'bigint') return { array: new BigInt64Array(count), dtype: 'int64', isComplex: false };
  if (dtype === 'float32') return { array: new Float32Array(count), dtype, isComplex: false };
  return { array: new Float64Array(count), dtype: 'float64', isComplex: false };
}

const place = (position: readonly number[]): string => `data${position.map((k) => `[${k}]`).join('')}`;

function asNumber(leaf: unknown, position: readonly number[]): number {
  if (typeof leaf === 'number') return leaf;
  if (typeof leaf === 'boolean') return leaf ? 1 : 0;
  if (typeof leaf === 'bigint' && Number.isSafeInteger(Number(leaf))) return Number(leaf);
  return refuse('ERR_ARGUMENT', 'tensor', place(position), 'a number', print(leaf));
}

function asBigint(leaf: unknown, position: readonly number[], isSigned: boolean): bigint {
  if (typeof leaf === 'number' && Number.isSafeInteger(leaf)) leaf = BigInt(leaf);
  if (typeof leaf === 'boolean') return leaf ? 1n : 0n;
  if (typeof leaf !== 'bigint')
    return refuse('ERR_ARGUMENT', 'tensor', place(position), 'a bigint', print(leaf));
  if ((isSigned ? BigInt.asIntN(64, leaf) : BigInt.asUintN(64, leaf)) === leaf) return leaf;
  return refuse(
    'ERR_ARGUMENT',
    'tensor',
    place(position),
    `within 64 bits, ${isSigned ? '' : 'un'}signed`,
    `${leaf}n`,
  );
}

function asComplex(leaf: unknown, position: readonly number[]): Complex {
  if (typeof leaf !== 'object' || leaf === null) return { re: asNumber(leaf, position), im: 0 };
  const { re, im } = leaf as Complex;
  if (typeof re === 'number' && typeof im === 'number') return { re, im };
  return refuse('ERR_ARGUMENT', 'tensor', place(position), 'a number or { re, im }', print(leaf));
}

/** Copies the leaves of data, of that shape throughout, into the staging array. */
export function fill(data: unknown, shape: readonly number[], staging: Staging): void {
  const { array, isComplex } = staging;
  const position: number[] = [];
  let next = 0;
  const leaf = (value: unknown): void => {
    if (isTensor(value))
      refuse('ERR_ARGUMENT', 'tensor', place(position), 'a number, not a tensor', 'a tensor');
    if (isComplex) {
      const { re, im } = asComplex(value, position);
      array[next++] = re;
      array[next++] = im;
    } else if (array instanceof BigInt64Array || array instanceof BigUint64Array)
      array[next++] = asBigint(value, position, array instanceof BigInt64Array);
    else array[next++] = asNumber(value, position);
  };
  const level = (value: unknown, depth: number): void => {
    if (depth === shape.length) {
      if (isList(value))
        refuse('ERR_SHAPE', 'tensor', place(position), 'a number, as the first element is', 'an array');
      leaf(value);
      return;
    }
    if (!isList(value))
      return refuse('ERR_SHAPE', 'tensor', place(position), `an array of ${shape[depth]}`, print(value));
    if (value.length !== shape[depth])
      refuse('ERR_SHAPE', 'tensor', place(position), `of length ${shape[depth]}`, `length ${value.length}`);
    for (let k = 0; k < value.length; k++) {
      position.push(k);
      level(value[k], depth + 1);
      position.pop();
    }
  };
  level(data, 0);
}
