// Tensors from values, arrays and ranges.
import { backend, check, fail, fn, refuse, setNumbers } from './abi.js';
import { dtypeNumber, isIntegerDType, operand, print, sizes, tensorArgument, whole } from './arguments.js';
import { isTensor, wrap } from './base.js';
import { fill, leafKind, shapeOf, stagingFor } from './nested.js';
import { dtypeNames, readOptions, refuseMore, tensorNames } from './options.js';
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

/** Sizes one by one, and options. */
export type Sizes<D extends DType = DType> = number[] | [...sizes: number[], options: DTypeOptions<D>];

/** dtype that tensor() gives a scalar. */
export type NaturalDType<V> = V extends boolean ? 'bool' : V extends bigint ? 'int64' : 'float32';

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

function fromTypedArray(array: TypedArray, options: TensorOptions): Tensor {
  const staged =
    arrayDTypes[array.constructor.name] ?? arrayDTypes[Object.prototype.toString.call(array).slice(8, -1)];
  if (staged === undefined)
    refuse('ERR_ARGUMENT', 'tensor', 'data', 'numbers or typed arrays with elements', print(array));
  const shape = options.shape === undefined ? [array.length] : sizes('tensor', [options.shape], 0);
  if (product(shape) !== array.length)
    refuse('ERR_SHAPE', 'tensor', 'shape', `of ${array.length} elements`, `[${shape}]`);
  return fromStaged('tensor', array, staged, shape, options.dtype ?? staged);
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
export function tensor(data: TensorData, given?: TensorOptions): Tensor {
  if (arguments.length > 2) refuseMore('tensor', 2, arguments);
  const options: TensorOptions = readOptions('tensor', given, tensorNames);
  if (ArrayBuffer.isView(data)) return fromTypedArray(data as TypedArray, options);
  if (isTensor(data))
    refuse('ERR_ARGUMENT', 'tensor', 'data', 'numbers or arrays (clone() copies a tensor)', 'a tensor');
  const natural = shapeOf(data);
  let shape: readonly number[] = natural;
  if (options.shape !== undefined) {
    shape = sizes('tensor', [options.shape], 0);
    if (product(shape) !== product(natural))
      refuse('ERR_SHAPE', 'tensor', 'shape', `of ${product(natural)} elements`, `[${shape}]`);
  }
  const kind = leafKind(data);
  const dtype = options.dtype ?? kind.dtype;
  const staging = stagingFor(kind, dtype, product(natural));
  fill(data, natural, staging);
  return fromStaged('tensor', staging.array, staging.dtype, shape, dtype);
}

/** A tensor from the raw bytes of its elements, row-major, in the byte order of the machine. */
export function fromBytes<D extends DType>(
  bytes: ArrayBuffer | ArrayBufferView,
  options: TensorOptions<D> & { dtype: D },
): Tensor<D> {
  const read: TensorOptions = readOptions<TensorOptions>('fromBytes', options, tensorNames);
  const view = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
  const { name, size } = dtypes[dtypeNumber('fromBytes', read.dtype)]!;
  const count = view.length / size;
  const shape = sizes('fromBytes', [read.shape ?? [count]], 0);
  if (product(shape) !== count)
    refuse('ERR_SHAPE', 'fromBytes', 'shape', `of ${view.length} / ${size} elements`, `[${shape}]`);
  return fromStaged('fromBytes', view, name, shape, name) as Tensor<D>;
}

function dtypeOf(op: string, options: DTypeOptions | undefined, usual: DType): DType {
  return readOptions<DTypeOptions>(op, options, dtypeNames).dtype ?? usual;
}

function filled(op: string, shape: readonly unknown[], value: Scalar, dtype: DType): Tensor {
  const list = sizes(op, shape, 0);
  operand(0, op, 'value', value);
  setNumbers(list);
  return wrap(check(fn.tensor_full(dtypeNumber(op, dtype), list.length)));
}

// Sizes, as one array or one by one, and then the dtype.
function shapeAndDType(op: string, given: unknown[]): [shape: unknown[], dtype: DType] {
  if (given.length === 1) return [given, 'float32'];
  const last = given.at(-1);
  const hasOptions = typeof last !== 'number' && !Array.isArray(last);
  const shape = hasOptions ? given.slice(0, -1) : given;
  if (shape.length === 0) refuse('ERR_SHAPE', op, 'shape', 'given', 'nothing');
  if (Array.isArray(shape[0]) && shape.length > 1)
    refuse('ERR_ARGUMENT', op, 'arguments', 'a shape and options', `${print(shape[1])} after the shape`);
  return [shape, dtypeOf(op, hasOptions ? (last as DTypeOptions) : undefined, 'float32')];
}

/** All elements 0. The shape is one array, or numbers. */
export function zeros<D extends DType = 'float32'>(
  shape: readonly number[],
  options?: DTypeOptions<D>,
): Tensor<NoInfer<D>>;
export function zeros<D extends DType = 'float32'>(...sizes: Sizes<D>): Tensor<NoInfer<D>>;
export function zeros(...given: unknown[]): Tensor {
  const [shape, dtype] = shapeAndDType('zeros', given);
  return filled('zeros', shape, 0, dtype);
}

/** All elements 1. The shape is one array, or numbers. */
export function ones<D extends DType = 'float32'>(
  shape: readonly number[],
  options?: DTypeOptions<D>,
): Tensor<NoInfer<D>>;
export function ones<D extends DType = 'float32'>(...sizes: Sizes<D>): Tensor<NoInfer<D>>;
export function ones(...given: unknown[]): Tensor {
  const [shape, dtype] = shapeAndDType('ones', given);
  return filled('ones', shape, 1, dtype);
}

/** All elements one value. Without a dtype it is that of tensor(value). */
export function full<V extends Scalar, D extends DType = NaturalDType<V>>(
  shape: readonly number[],
  value: V,
  options?: DTypeOptions<D>,
): Tensor<NoInfer<D>> {
  if (arguments.length > 3) refuseMore('full', 3, arguments);
  const natural = typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'int64' : 'float32';
  return filled('full', [shape], value, dtypeOf('full', options, natural)) as Tensor<NoInfer<D>>;
}

/** Elements undefined. The shape is one array, or numbers. */
export function empty<D extends DType = 'float32'>(
  shape: readonly number[],
  options?: DTypeOptions<D>,
): Tensor<NoInfer<D>>;
export function empty<D extends DType = 'float32'>(...sizes: Sizes<D>): Tensor<NoInfer<D>>;
export function empty(...given: unknown[]): Tensor {
  const [shape, dtype] = shapeAndDType('empty', given);
  return wrap(allocate('empty', sizes('empty', shape, 0), dtype));
}

/** Elements undefined, with the strides given, in elements, none negative. */
export function emptyStrided<D extends DType = 'float32'>(
  shape: readonly number[],
  strides: readonly number[],
  options?: DTypeOptions<D>,
): Tensor<NoInfer<D>> {
  if (arguments.length > 3) refuseMore('emptyStrided', 3, arguments);
  const list = sizes('emptyStrided', [shape], 0);
  const steps = strides.map((step, k) => whole('emptyStrided', `strides[${k}]`, step));
  if (steps.length !== list.length)
    refuse('ERR_SHAPE', 'emptyStrided', 'strides', `${list.length} numbers`, String(steps.length));
  setNumbers(list);
  setNumbers(steps, 64);
  const dtype = dtypeNumber('emptyStrided', dtypeOf('emptyStrided', options, 'float32'));
  return wrap(check(fn.tensor_strided(dtype, list.length))) as Tensor<NoInfer<D>>;
}

/** Zeros of the shape of x, and of its dtype if no other is given. */
export function zerosLike<D extends DType, E extends DType = D>(
  x: Tensor<D>,
  options?: DTypeOptions<E>,
): Tensor<NoInfer<E>> {
  if (arguments.length > 2) refuseMore('zerosLike', 2, arguments);
  tensorArgument('zerosLike', 'x', x);
  return filled('zerosLike', [x.shape], 0, dtypeOf('zerosLike', options, x.dtype)) as Tensor<NoInfer<E>>;
}

/** Ones of the shape of x, and of its dtype if no other is given. */
export function onesLike<D extends DType, E extends DType = D>(
  x: Tensor<D>,
  options?: DTypeOptions<E>,
): Tensor<NoInfer<E>> {
  if (arguments.length > 2) refuseMore('onesLike', 2, arguments);
  tensorArgument('onesLike', 'x', x);
  return filled('onesLike', [x.shape], 1, dtypeOf('onesLike', options, x.dtype)) as Tensor<NoInfer<E>>;
}

// A float64 staging array whose element k is make(k), as a tensor.
function generate(op: string, count: number, make: (k: number) => number, dtype: DType): Tensor {
  const [length] = sizes(op, [[count]], 0);
  const array = new Float64Array(length!);
  for (let k = 0; k < array.length; k++) array[k] = make(k);
  return fromStaged(op, array, 'float64', [array.length], dtype);
}

function finite(op: string, argument: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  return refuse('ERR_ARGUMENT', op, argument, 'a finite number', print(value));
}

// A bound or step of a sequence: of integers they are cut to integers first, as in PyTorch.
function term(op: string, argument: string, value: unknown, dtype: DType): number {
  const number = finite(op, argument, value);
  return isIntegerDType(dtype) ? Math.trunc(number) : number;
}

/**
 * start, start + step, .. before end, computed as start + k * step in float64. arange(end) starts at 0. For an integer dtype all
 * three are cut to integers first.
 */
export function arange<D extends DType = 'float32'>(
  end: number,
  options?: DTypeOptions<D>,
): Tensor<NoInfer<D>>;
export function arange<D extends DType = 'float32'>(
  start: number,
  end: number,
  options?: DTypeOptions<D>,
): Tensor<NoInfer<D>>;
export function arange<D extends DType = 'float32'>(
  start: number,
  end: number,
  step?: number,
  options?: DTypeOptions<D>,
): Tensor<NoInfer<D>>;
export function arange(...given: unknown[]): Tensor {
  if (given.length > 4) refuseMore('arange', 4, given);
  const isOptions = (value: unknown): boolean => typeof value === 'object' && value !== null;
  const count = given.findIndex(isOptions);
  if (count >= 0 && count < given.length - 1) refuseMore('arange', count + 1, given);
  const [first, second, by] = count < 0 ? given : given.slice(0, count);
  const dtype = dtypeOf(
    'arange',
    (count < 0 ? given[3] : given[count]) as DTypeOptions | undefined,
    'float32',
  );
  const start = term('arange', 'start', second === undefined ? 0 : first, dtype);
  const end = term('arange', 'end', second === undefined ? first : second, dtype);
  const step = term('arange', 'step', by ?? 1, dtype);
  if (step === 0) refuse('ERR_ARGUMENT', 'arange', 'step', 'not 0', print(by));
  if ((end - start) / step < 0)
    refuse('ERR_ARGUMENT', 'arange', 'step', `of the sign of end - start, ${end - start}`, print(step));
  return generate('arange', Math.ceil((end - start) / step), (k) => start + k * step, dtype);
}

/** `steps` numbers from start to end, both included, evenly spaced; for an integer dtype both are cut to integers first, and
 * what lies between after. */
export function linspace<D extends DType = 'float32'>(
  start: number,
  end: number,
  steps: number,
  options?: DTypeOptions<D>,
): Tensor<NoInfer<D>> {
  if (arguments.length > 4) refuseMore('linspace', 4, arguments);
  const dtype = dtypeOf('linspace', options, 'float32');
  const from = term('linspace', 'start', start, dtype);
  const to = term('linspace', 'end', end, dtype);
  const last = steps - 1;
  // from both ends, so that the last number is exactly end and the sequence is symmetric
  const make = (k: number): number =>
    2 * k <= last ? from + (k * (to - from)) / (last || 1) : to - ((last - k) * (to - from)) / last;
  return generate('linspace', steps, make, dtype) as Tensor<NoInfer<D>>;
}

/** Ones on the main diagonal of an n x m matrix, zeros elsewhere. */
export function eye<D extends DType = 'float32'>(
  n: number,
  m?: number | DTypeOptions<D>,
  options?: DTypeOptions<D>,
): Tensor<NoInfer<D>> {
  if (arguments.length > 3) refuseMore('eye', 3, arguments);
  const hasOptions = typeof m === 'object' && m !== null;
  if (hasOptions && options !== undefined) refuseMore('eye', 2, arguments);
  const dtype = dtypeOf('eye', hasOptions ? m : options, 'float32');
  const x = filled('eye', [n, (hasOptions ? undefined : m) ?? n], 0, dtype);
  const diagonal = x.diagonal();
  diagonal.copy_(1);
  diagonal.dispose();
  return x as Tensor<NoInfer<D>>;
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
