// Tensors from values, arrays and ranges.
import { backend, check, fail, fn, refuse, setNumbers } from './abi.js';
import { dtypeNumber, operand, print, sizes, whole } from './arguments.js';
import { isTensor, wrap } from './base.js';
import { fill, leafKind, shapeOf, stagingFor } from './nested.js';
import { dtypes, type DType } from './tables.gen.js';
import type { Tensor } from './tensor.js';
import type { Complex, DTypeOfArray, Nested, Scalar, TypedArray } from './types.js';

export interface DTypeOptions<D extends DType = DType> {
  dtype?: D;
}

export interface TensorOptions<D extends DType = DType> extends DTypeOptions<D> {
  /** For flat data: the shape to give it. */
  shape?: readonly number[];
}

/** Scalars, nested arrays of them (typed arrays as rows too), typed arrays. */
export type TensorData = Nested<Scalar | Complex> | TypedArray | readonly TypedArray[];

const arrayDTypes: Record<string, DType> = {
  Uint8Array: 'uint8',
  Uint8ClampedArray: 'uint8',
  Int8Array: 'int8',
  Uint16Array: 'uint16',
  Int16Array: 'int16',
  Uint32Array: 'uint32',
  Int32Array: 'int32',
  BigUint64Array: 'uint64',
  BigInt64Array: 'int64',
  Float16Array: 'float16',
  Float32Array: 'float32',
  Float64Array: 'float64',
};

function product(shape: readonly number[]): number {
  return shape.reduce((total, size) => total * size, 1);
}

// The handle of a tensor with undefined elements.
function allocate(op: string, shape: readonly number[], dtype: DType): number {
  setNumbers(shape);
  return check(fn.tensor_new(dtypeNumber(op, dtype), shape.length));
}

// A tensor of a dtype from staged elements of another.
function fromStaged(
  op: string,
  array: ArrayBufferView,
  staged: DType,
  shape: readonly number[],
  dtype: DType,
): Tensor {
  dtypeNumber(op, dtype);
  const handle = allocate(op, shape, staged);
  let result = backend.write(handle, new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  if (result === 0 && staged !== dtype) result = fn.copy(handle, dtypeNumber(op, dtype));
  if (result === 0) return wrap(handle);
  fn.dispose(handle);
  return result > 0 ? wrap(result) : fail(result);
}

function fromTypedArray(array: TypedArray, options: TensorOptions | undefined): Tensor {
  const staged =
    arrayDTypes[array.constructor.name] ?? arrayDTypes[Object.prototype.toString.call(array).slice(8, -1)];
  if (staged === undefined)
    refuse('ERR_ARGUMENT', 'tensor', 'data', 'numbers or typed arrays with elements', print(array));
  const shape = options?.shape === undefined ? [array.length] : sizes('tensor', [options.shape], 0);
  if (product(shape) !== array.length)
    refuse('ERR_SHAPE', 'tensor', 'shape', `of ${array.length} elements`, `[${shape}]`);
  return fromStaged('tensor', array, staged, shape, options?.dtype ?? staged);
}

/**
 * A tensor from a number, bigint or boolean (no dims), nested arrays of these, or a typed array. Numbers become float32,
 * bigints int64, booleans bool, typed arrays their own dtype, unless options say otherwise. Conversion is that of to().
 */
export function tensor<D extends DType>(
  data: TensorData,
  options: TensorOptions<D> & { dtype: D },
): Tensor<D>;
export function tensor<T extends TypedArray>(
  data: T,
  options?: { shape?: readonly number[] },
): Tensor<DTypeOfArray<T>>;
export function tensor(data: Nested<number>, options?: { shape?: readonly number[] }): Tensor<'float32'>;
export function tensor(data: Nested<boolean>, options?: { shape?: readonly number[] }): Tensor<'bool'>;
export function tensor(data: Nested<bigint>, options?: { shape?: readonly number[] }): Tensor<'int64'>;
export function tensor(data: TensorData, options?: TensorOptions): Tensor;
export function tensor(data: TensorData, options?: TensorOptions): Tensor {
  if (ArrayBuffer.isView(data)) return fromTypedArray(data as TypedArray, options);
  if (isTensor(data))
    refuse('ERR_ARGUMENT', 'tensor', 'data', 'numbers or arrays (clone() copies a tensor)', 'a tensor');
  const natural = shapeOf(data);
  let shape: readonly number[] = natural;
  if (options?.shape !== undefined) {
    shape = sizes('tensor', [options.shape], 0);
    if (product(shape) !== product(natural))
      refuse('ERR_SHAPE', 'tensor', 'shape', `of ${product(natural)} elements`, `[${shape}]`);
  }
  const kind = leafKind(data);
  const dtype = options?.dtype ?? kind.dtype;
  const staging = stagingFor(kind, dtype, product(natural));
  fill(data, natural, staging);
  return fromStaged('tensor', staging.array, staging.dtype, shape, dtype);
}

/** A tensor from the raw bytes of its elements, row-major, in the byte order of the machine. */
export function fromBytes<D extends DType>(
  bytes: ArrayBuffer | ArrayBufferView,
  options: { dtype: D; shape?: readonly number[] },
): Tensor<D> {
  const view = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
  const size = dtypes[dtypeNumber('fromBytes', options?.dtype)]!.size;
  const count = view.length / size;
  const shape = sizes('fromBytes', [options.shape ?? [count]], 0);
  if (product(shape) !== count)
    refuse('ERR_SHAPE', 'fromBytes', 'shape', `of ${view.length} / ${size} elements`, `[${shape}]`);
  return fromStaged('fromBytes', view, options.dtype, shape, options.dtype) as Tensor<D>;
}

function filled(op: string, shape: readonly number[], value: Scalar, dtype: DType): Tensor {
  const list = sizes(op, [shape], 0);
  operand(0, op, 'value', value);
  setNumbers(list);
  return wrap(check(fn.tensor_full(dtypeNumber(op, dtype), list.length)));
}

/** All elements 0. */
export function zeros<D extends DType = 'float32'>(
  shape: readonly number[],
  options?: DTypeOptions<D>,
): Tensor<D> {
  return filled('zeros', shape, 0, options?.dtype ?? 'float32') as Tensor<D>;
}

/** All elements 1. */
export function ones<D extends DType = 'float32'>(
  shape: readonly number[],
  options?: DTypeOptions<D>,
): Tensor<D> {
  return filled('ones', shape, 1, options?.dtype ?? 'float32') as Tensor<D>;
}

/** All elements one value. Without a dtype it is that of tensor(value). */
export function full<D extends DType = DType>(
  shape: readonly number[],
  value: Scalar,
  options?: DTypeOptions<D>,
): Tensor<D> {
  const natural = typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'int64' : 'float32';
  return filled('full', shape, value, options?.dtype ?? natural) as Tensor<D>;
}

/** Elements undefined. */
export function empty<D extends DType = 'float32'>(
  shape: readonly number[],
  options?: DTypeOptions<D>,
): Tensor<D> {
  return wrap(allocate('empty', sizes('empty', [shape], 0), options?.dtype ?? 'float32')) as Tensor<D>;
}

/** Elements undefined, with the strides given, in elements, none negative. */
export function emptyStrided<D extends DType = 'float32'>(
  shape: readonly number[],
  strides: readonly number[],
  options?: DTypeOptions<D>,
): Tensor<D> {
  const list = sizes('emptyStrided', [shape], 0);
  const steps = strides.map((step, k) => whole('emptyStrided', `strides[${k}]`, step));
  if (steps.length !== list.length)
    refuse('ERR_SHAPE', 'emptyStrided', 'strides', `${list.length} numbers`, String(steps.length));
  setNumbers(list);
  setNumbers(steps, 64);
  const dtype = dtypeNumber('emptyStrided', options?.dtype ?? 'float32');
  return wrap(check(fn.tensor_strided(dtype, list.length))) as Tensor<D>;
}

/** Zeros of the shape and dtype of x. */
export function zerosLike<D extends DType>(x: Tensor<D>): Tensor<D> {
  return zeros(x.shape, { dtype: x.dtype });
}

/** Ones of the shape and dtype of x. */
export function onesLike<D extends DType>(x: Tensor<D>): Tensor<D> {
  return ones(x.shape, { dtype: x.dtype });
}

// A float64 staging array whose element k is make(k), as a tensor.
function generate(op: string, count: number, make: (k: number) => number, dtype: DType): Tensor {
  const [length] = sizes(op, [[count]], 0);
  const array = new Float64Array(length!);
  for (let k = 0; k < array.length; k++) array[k] = make(k);
  return fromStaged(op, array, 'float64', [array.length], dtype);
}

/** start, start + step, .. before end, computed as start + k * step in float64. arange(end) starts at 0. */
export function arange<D extends DType = 'float32'>(end: number, options?: DTypeOptions<D>): Tensor<D>;
export function arange<D extends DType = 'float32'>(
  start: number,
  end: number,
  step?: number,
  options?: DTypeOptions<D>,
): Tensor<D>;
export function arange(
  first: number,
  second?: number | DTypeOptions,
  step = 1,
  options?: DTypeOptions,
): Tensor {
  const [start, end] = typeof second === 'number' ? [first, second] : [0, first];
  const dtype = (typeof second === 'object' ? second : options)?.dtype ?? 'float32';
  for (const [name, value] of [
    ['start', start],
    ['end', end],
    ['step', step],
  ] as const)
    if (!Number.isFinite(value)) refuse('ERR_ARGUMENT', 'arange', name, 'a finite number', print(value));
  if (step === 0) refuse('ERR_ARGUMENT', 'arange', 'step', 'not 0', '0');
  return generate('arange', Math.max(0, Math.ceil((end - start) / step)), (k) => start + k * step, dtype);
}

/** `steps` numbers from start to end, both included, evenly spaced. */
export function linspace<D extends DType = 'float32'>(
  start: number,
  end: number,
  steps: number,
  options?: DTypeOptions<D>,
): Tensor<D> {
  for (const [name, value] of [
    ['start', start],
    ['end', end],
  ] as const)
    if (!Number.isFinite(value)) refuse('ERR_ARGUMENT', 'linspace', name, 'a finite number', print(value));
  const last = steps - 1;
  // from both ends, so that the last number is exactly end and the sequence is symmetric
  const make = (k: number): number =>
    2 * k <= last ? start + (k * (end - start)) / (last || 1) : end - ((last - k) * (end - start)) / last;
  return generate('linspace', steps, make, options?.dtype ?? 'float32') as Tensor<D>;
}

/** Ones on the main diagonal of an n x m matrix, zeros elsewhere. */
export function eye<D extends DType = 'float32'>(
  n: number,
  m: number = n,
  options?: DTypeOptions<D>,
): Tensor<D> {
  const x = zeros([n, m], options);
  const diagonal = x.diagonal();
  diagonal.copy_(1);
  diagonal.dispose();
  return x;
}

/** A tensor from the bytes of a .npy file. */
export function fromNpy(bytes: Uint8Array | ArrayBuffer): Tensor {
  const view = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes;
  if (!(view instanceof Uint8Array))
    refuse('ERR_ARGUMENT', 'fromNpy', 'bytes', 'a Uint8Array or ArrayBuffer', print(bytes));
  const result = backend.npyGet(view);
  return result > 0 ? wrap(result) : fail(result);
}

/** The bytes of a .npy file with the elements of x. */
export function toNpy(x: Tensor): Uint8Array {
  const result = backend.npyCopy(x._handle);
  return typeof result === 'number' ? fail(result) : result;
}
