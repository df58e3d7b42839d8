// Between elements as bytes and as JavaScript values.
import type { DType } from './tables.gen.js';

type ArrayMaker = new (buffer: ArrayBufferLike, offset: number, length: number) => ArrayLike<unknown>;

const Float16 = (globalThis as { Float16Array?: ArrayMaker }).Float16Array;

const makers: Record<DType, [ArrayMaker, number]> = {
  bool: [Uint8Array, 1],
  uint8: [Uint8Array, 1],
  int8: [Int8Array, 1],
  uint16: [Uint16Array, 2],
  int16: [Int16Array, 2],
  uint32: [Uint32Array, 4],
  int32: [Int32Array, 4],
  uint64: [BigUint64Array, 8],
  int64: [BigInt64Array, 8],
  float16: [Float16 ?? Uint16Array, 2],
  bfloat16: [Uint16Array, 2],
  float32: [Float32Array, 4],
  float64: [Float64Array, 8],
  complex64: [Float32Array, 4],
  complex128: [Float64Array, 8],
};

/** A typed array over bytes, which must be aligned. */
export function typedArrayFrom(dtype: DType, bytes: Uint8Array): ArrayLike<unknown> {
  const [maker, size] = makers[dtype];
  return new maker(bytes.buffer, bytes.byteOffset, bytes.byteLength / size);
}

/** The number that the 16 bits of a half-precision number stand for. */
export function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

const word = new Uint32Array(1);
const single = new Float32Array(word.buffer);

/** The same for bfloat16. */
export function bfloatToNumber(bits: number): number {
  word[0] = bits << 16;
  return single[0]!;
}

// Reads element k.
function reader(dtype: DType, bytes: Uint8Array): (k: number) => unknown {
  const array = typedArrayFrom(dtype, bytes);
  if (dtype === 'bool') return (k) => array[k] !== 0;
  if (dtype === 'bfloat16') return (k) => bfloatToNumber(array[k] as number);
  if (dtype === 'float16' && !Float16) return (k) => halfToNumber(array[k] as number);
  if (dtype === 'complex64' || dtype === 'complex128')
    return (k) => ({ re: array[2 * k] as number, im: array[2 * k + 1] as number });
  return (k) => array[k];
}

/** Nested arrays of a shape from row-major bytes. */
export function nestedFrom(dtype: DType, bytes: Uint8Array, shape: readonly number[]): unknown {
  const read = reader(dtype, bytes);
  let next = 0;
  const level = (depth: number): unknown =>
    depth === shape.length ? read(next++) : Array.from({ length: shape[depth]! }, () => level(depth + 1));
  return level(0);
}
