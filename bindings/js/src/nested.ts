// Nested arrays: their shape, what they hold, and copying them flat.
import { refuse, traced } from './abi.js';
import { complexParts, isComplex, isComplexDType, print } from './arguments.js';
import { isArray, isTypedArray, typedLength } from './intrinsics.js';
import { isTensor } from './base.js';
import { StriaError } from './errors.js';
import type { DType, ErrorCode } from './tables.gen.js';
import type { Complex } from './types.js';

/** What errors name: the operation, and the argument that the nested arrays are. */
export interface Place {
  op: string;
  argument: string;
}

const isList = (value: unknown): value is ArrayLike<unknown> => isTypedArray(value) || isArray(value);

// The length of a list, which a proxy may make up.
function lengthOf(list: ArrayLike<unknown>, { op, argument }: Place): number {
  const length: unknown = isTypedArray(list) ? typedLength(list) : list.length;
  if (typeof length === 'number' && Number.isSafeInteger(length) && length >= 0) return length;
  return refuse('ERR_ARGUMENT', op, argument, 'arrays with a length', print(length));
}

/** Lengths along the first elements; fill() checks that the others agree. */
export function shapeOf(data: unknown, at: Place): number[] {
  const shape: number[] = [];
  for (let level = data; isList(level); level = level[0]) {
    const length = lengthOf(level, at);
    shape.push(length);
    if (shape.length > 64) refuse('ERR_SHAPE', at.op, at.argument, 'nested at most 64 deep', 'more');
    if (length === 0) break;
  }
  return shape;
}

interface LeafKind {
  kind: 'number' | 'bigint' | 'boolean' | 'complex';
  dtype: DType;
}

/** What the first leaf is, `depth` levels down; it decides the default dtype. */
export function leafKind(data: unknown, depth: number): LeafKind {
  let leaf = data;
  for (let level = 0; level < depth && isList(leaf); level++) leaf = leaf[0];
  if (typeof leaf === 'bigint') return { kind: 'bigint', dtype: 'int64' };
  if (typeof leaf === 'boolean') return { kind: 'boolean', dtype: 'bool' };
  if (isComplex(leaf)) return { kind: 'complex', dtype: 'complex64' };
  return { kind: 'number', dtype: 'float32' };
}

type StagingArray = Float32Array | Float64Array | BigInt64Array | BigUint64Array;

/** Flat elements on their way into a tensor: the array they wait in, and the dtype that it holds. */
export interface Staging {
  maker: new (length: number) => StagingArray;
  dtype: DType;
  isComplex: boolean;
}

/** Where leaves wait: numbers as float64 unless they are to be float32, bigints in 64 bits; pairs where they are to be complex. */
export function stagingFor({ kind }: LeafKind, dtype: DType): Staging {
  if (kind === 'complex' || (kind !== 'bigint' && isComplexDType(dtype)))
    return { maker: Float64Array, dtype: 'complex128', isComplex: true };
  if (kind === 'bigint' && dtype === 'uint64') return { maker: BigUint64Array, dtype, isComplex: false };
  if (kind === 'bigint') return { maker: BigInt64Array, dtype: 'int64', isComplex: false };
  if (dtype === 'float32') return { maker: Float32Array, dtype, isComplex: false };
  return { maker: Float64Array, dtype: 'float64', isComplex: false };
}

/** A leaf that is looked at: where it is. */
class Position {
  readonly indices: number[] = [];
  constructor(readonly at: Place) {}

  refuse(code: ErrorCode, expected: string, got: string): never {
    const place = `${this.at.argument}${this.indices.map((k) => `[${k}]`).join('')}`;
    return refuse(code, this.at.op, place, expected, got);
  }
}

function asNumber(leaf: unknown, position: Position): number {
  if (typeof leaf === 'number') return leaf;
  if (typeof leaf === 'boolean') return leaf ? 1 : 0;
  if (typeof leaf === 'bigint' && Number.isSafeInteger(Number(leaf))) return Number(leaf);
  return position.refuse('ERR_ARGUMENT', 'a number', print(leaf));
}

function asBigint(leaf: unknown, position: Position, isSigned: boolean): bigint {
  if (typeof leaf === 'number' && Number.isSafeInteger(leaf)) leaf = BigInt(leaf);
  if (typeof leaf === 'boolean') return leaf ? 1n : 0n;
  if (typeof leaf !== 'bigint') return position.refuse('ERR_ARGUMENT', 'a bigint', print(leaf));
  if ((isSigned ? BigInt.asIntN(64, leaf) : BigInt.asUintN(64, leaf)) === leaf) return leaf;
  return position.refuse('ERR_ARGUMENT', `within 64 bits, ${isSigned ? '' : 'un'}signed`, `${leaf}n`);
}

function asComplex(leaf: unknown, position: Position): Complex {
  if (typeof leaf !== 'object' || leaf === null) return { re: asNumber(leaf, position), im: 0 };
  return (
    (isComplex(leaf) && complexParts(leaf)) ||
    position.refuse('ERR_ARGUMENT', 'a number or { re, im }', print(leaf))
  );
}

/** Copies the leaves of data, of that shape throughout, into an array; complex ones as pairs. */
export function fill(
  data: unknown,
  shape: readonly number[],
  array: StagingArray,
  isComplex: boolean,
  at: Place,
): void {
  const position = new Position(at);
  let next = 0;
  const leaf = (value: unknown): void => {
    if (isTensor(value)) position.refuse('ERR_ARGUMENT', 'a number, not a tensor', 'a tensor');
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
      if (isList(value)) position.refuse('ERR_SHAPE', 'a number, as the first element is', 'an array');
      leaf(value);
      return;
    }
    if (!isList(value)) return position.refuse('ERR_SHAPE', `an array of ${shape[depth]}`, print(value));
    const length = lengthOf(value, at);
    if (length !== shape[depth])
      position.refuse('ERR_SHAPE', `of length ${shape[depth]}`, `length ${length}`);
    for (let k = 0; k < length; k++) {
      position.indices.push(k);
      level(value[k], depth + 1);
      position.indices.pop();
    }
  };
  try {
    level(data, 0);
  } catch (error) {
    throw error instanceof StriaError ? traced(error, fill) : error; // without a frame for each level
  }
}
