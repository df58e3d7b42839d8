// Tensors from values, arrays and ranges.
import { backend, check, fail, fn, refuse, setNumbers } from './abi.js';
import { dtypeNumber, findOperand, handleOf, print, sizes, whole } from './arguments.js';
import { isTensor, wrap } from './base.js';
import { allocated, bytesOf, elementsOf, isShared, type Elements } from './buffers.js';
import { copyTo, deviceNumbers } from './devices.js';
import { fill, leafKind, shapeOf, stagingFor, type Place } from './nested.js';
import {
  arangeNames,
  bufferNames,
  fullNames,
  flagOf,
  isOptions,
  npyNames,
  readOptions,
  refuseMore,
  tensorNames,
} from './options.js';
import { setRequiresGrad } from './gradients.js';
import { recorder, refuseReading } from './recording.js';
import { ask, resizable, typedArray } from './intrinsics.js';
import { run } from './functions.js';
import { dtypes, functionNumbers, type DeviceName, type DType } from './tables.gen.js';
import type { Tensor } from './tensor.js';
import type { Complex, DTypeOfArray, Nested, OutOptions, Scalar, TypedArray } from './types.js';

export interface DTypeOptions<D extends DType = DType> {
  dtype?: D;
}

/** Of fromNpy and loadProgram. */
export interface DeviceOptions {
  /** Device of the result, or of the program. Default: cpu. */
  device?: DeviceName;
}

export interface TensorOptions<D extends DType = DType> extends DTypeOptions<D>, DeviceOptions {
  /** For flat data: the shape to give it. */
  shape?: readonly number[];
  /** Whether calls on it are remembered, so that its gradient can be computed. */
  requiresGrad?: boolean;
}

/** Of fromBuffer. */
export interface BufferOptions<D extends DType = DType> extends DTypeOptions<D> {
  /** Default: one dim with all elements from byteOffset on. */
  shape?: readonly number[];
  /** Bytes before the first element. */
  byteOffset?: number;
}

/** Of full. */
export interface FullOptions<D extends DType = DType> extends OutOptions<D> {
  shape?: readonly number[];
  value?: Scalar;
  dtype?: D;
  /** Device of the result. Default: cpu. */
  device?: DeviceName;
  /** Whether calls on it are remembered, so that its gradient can be computed. */
  requiresGrad?: boolean;
}

/** dtype that tensor() gives a scalar. */
export type NaturalDType<V> = V extends boolean
  ? 'bool'
  : V extends bigint
    ? 'int64'
    : V extends Complex
      ? 'complex64'
      : 'float32';

/** Scalars, nested arrays of them (typed arrays as rows too), typed arrays. */
export type TensorData = Nested<Scalar> | TypedArray | readonly TypedArray[];

const naturalDType = (value: unknown): DType => leafKind(value, 0).dtype;

function product(shape: readonly number[]): number {
  return shape.reduce((total, size) => total * size, 1);
}

// The handle of a tensor with undefined elements.
function allocate(op: string, shape: readonly number[], dtype: DType): number {
  const number = dtypeNumber(op, dtype);
  setNumbers(shape);
  return check(fn.tensor_new(number, shape.length), op);
}

/** Where a tensor is to be that was made by the CPU; undefined: there. @internal */
export function placeOf(op: string, device: unknown): [type: number, index: number] | undefined {
  return device === undefined || device === 'cpu' ? undefined : deviceNumbers(op, 'device', device);
}

/** A tensor that was just made, where it is to be. @internal */
export function movedTo(op: string, x: Tensor, place: [type: number, index: number] | undefined): Tensor {
  if (place === undefined) return x;
  try {
    return wrap(copyTo(op, handleOf(op, x, 'x'), -1, place));
  } finally {
    x.dispose();
  }
}

// A tensor of a dtype, on a device, from the elements of another that stage() gives. Memory for them is found first: a size that is too
// large is refused before anything else takes room for it.
function fromStaged(
  op: string,
  staged: DType,
  shape: readonly number[],
  { dtype, device }: { dtype: DType; device?: DeviceName },
  stage: () => Uint8Array,
): Tensor {
  const number = dtypeNumber(op, dtype);
  const place = placeOf(op, device);
  const handle = allocate(op, shape, staged);
  let result = handle;
  try {
    check(backend.write(handle, stage()), op);
    // a replay copies what was given, as if it were given anew
    if (place !== undefined) result = copyTo(op, handle, number, place);
    else if (staged !== dtype || recorder !== undefined) result = check(fn.copy(handle, number), op);
  } catch (error) {
    fn.dispose(handle);
    throw error;
  }
  if (result !== handle) fn.dispose(handle);
  return wrap(result);
}

function fromElements(op: string, elements: Elements, options: TensorOptions): Tensor {
  const { dtype, length, bytes } = elements;
  const shape = options.shape === undefined ? [length] : sizes(op, [options.shape], 0);
  if (product(shape) !== length) refuse('ERR_SHAPE', op, 'shape', `of ${length} elements`, `[${shape}]`);
  const kept = backend.keep?.(bytes) ?? bytes;
  return fromStaged(op, dtype, shape, { dtype, ...options }, () => kept);
}

/** tensor(), under the name that errors are to give it. @internal */
export function fromData(at: Place, data: TensorData, options: TensorOptions): Tensor {
  const { op, argument } = at;
  const elements = elementsOf(op, argument, data);
  if (elements) return fromElements(op, elements, options);
  if (isTensor(data))
    refuse('ERR_ARGUMENT', op, argument, 'numbers or arrays (clone() copies a tensor)', 'a tensor');
  const natural = shapeOf(data, at);
  const count = product(natural);
  const shape = sizes(op, [options.shape ?? natural], 0);
  if (product(shape) !== count) refuse('ERR_SHAPE', op, 'shape', `of ${count} elements`, `[${shape}]`);
  const kind = leafKind(data, natural.length);
  const dtype = options.dtype ?? kind.dtype;
  dtypeNumber(op, dtype);
  const { maker, dtype: staged, isComplex } = stagingFor(kind, dtype);
  return fromStaged(op, staged, shape, { ...options, dtype }, () => {
    const array = allocated(op, count, () => new maker(isComplex ? 2 * count : count));
    fill(data, natural, array, isComplex, at);
    return new Uint8Array(array.buffer);
  });
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
  options?: Omit<TensorOptions, 'dtype'>,
): Tensor<DTypeOfArray<T>>;
export function tensor(data: Nested<number>, options?: Omit<TensorOptions, 'dtype'>): Tensor<'float32'>;
export function tensor(data: Nested<boolean>, options?: Omit<TensorOptions, 'dtype'>): Tensor<'bool'>;
export function tensor(data: Nested<bigint>, options?: Omit<TensorOptions, 'dtype'>): Tensor<'int64'>;
export function tensor(data: TensorData, options?: TensorOptions): Tensor;
export function tensor(data: TensorData, given?: TensorOptions): Tensor {
  if (arguments.length > 2) refuseMore('tensor', 2, arguments);
  const options: TensorOptions = readOptions('tensor', given, tensorNames);
  const requires = flagOf('tensor', 'requiresGrad', options.requiresGrad);
  const x = fromData({ op: 'tensor', argument: 'data' }, data, options);
  if (requires) setRequiresGrad('tensor', x, true);
  return x;
}

// Why a buffer cannot be shared: its memory may be taken away from under a tensor, or change while one is read.
function unstable(bytes: Uint8Array): string | undefined {
  if (isShared(bytes)) return 'a SharedArrayBuffer';
  return ask(resizable, typedArray.buffer(bytes)) ? 'a resizable one' : undefined;
}

/** The same as fromRaw, over the bytes themselves where the backend can and they are aligned and stay where they are; else undefined.
 * @internal */
export function shareRaw(
  op: string,
  dtype: DType,
  shape: readonly number[],
  bytes: Uint8Array,
): Tensor | undefined {
  const number = dtypeNumber(op, dtype);
  const offset = typedArray.byteOffset(bytes);
  if (!backend.share || unstable(bytes) || offset % Math.min(dtypes[number]!.size, 8) !== 0) return undefined;
  const list = sizes(op, [shape], 0);
  setNumbers(list);
  const buffer = typedArray.buffer(bytes) as ArrayBuffer;
  return wrap(check(backend.share(buffer, offset, number, list.length), op));
}

/**
 * A tensor over the memory of a buffer, without copying in the Node addon: what JavaScript writes there is in the tensor, and the other way
 * round. On WebAssembly, which sees its own memory only, it is a copy (`info().sharesBuffers`). The tensor keeps the buffer alive.
 *
 * Of a typed array the dtype and the length need not be given. `byteOffset` counts from the beginning of what was given and must be a
 * multiple of the element size, as must the place of a view in its buffer. An `out` on such a tensor cannot be given another shape.
 * SharedArrayBuffers and resizable buffers are refused: their memory may change or shrink at any time. A buffer that is detached while
 * a tensor is on it (`transfer()`, `postMessage`) takes the memory along: every later use of the tensor is refused (DisposedError).
 */
export function fromBuffer<T extends TypedArray>(
  buffer: T,
  options?: Omit<BufferOptions, 'dtype'>,
): Tensor<DTypeOfArray<T>>;
export function fromBuffer<D extends DType>(
  buffer: ArrayBuffer | ArrayBufferView,
  options: BufferOptions<D> & { dtype: D },
): Tensor<D>;
export function fromBuffer(buffer: ArrayBuffer | ArrayBufferView, given?: BufferOptions): Tensor {
  const op = 'fromBuffer';
  if (arguments.length > 2) refuseMore(op, 2, arguments);
  const options = readOptions<BufferOptions>(op, given, bufferNames);
  const all = bytesOf(op, 'buffer', buffer);
  const own = elementsOf(op, 'buffer', buffer)?.dtype;
  const { name, size } = dtypes[dtypeNumber(op, options.dtype ?? own)]!;
  const reason = unstable(all);
  if (reason) refuse('ERR_ARGUMENT', op, 'buffer', 'memory of fixed size that no thread shares', reason);
  const offset = whole(op, 'byteOffset', options.byteOffset ?? 0);
  if (offset < 0 || offset > all.length)
    refuse('ERR_ARGUMENT', op, 'byteOffset', `from 0 to ${all.length}`, print(offset));
  const unit = Math.min(size, 8);
  if ((typedArray.byteOffset(all) + offset) % unit !== 0)
    refuse(
      'ERR_ARGUMENT',
      op,
      'byteOffset',
      `at a multiple of ${unit} in the buffer, for ${name}`,
      `${typedArray.byteOffset(all) + offset}`,
    );
  const room = all.length - offset;
  const count = room / size;
  if (options.shape === undefined && !Number.isInteger(count))
    refuse('ERR_SHAPE', op, 'buffer', `a multiple of ${size} bytes`, `${room}`);
  const shape = sizes(op, [options.shape ?? [count]], 0);
  const wanted = product(shape) * size;
  if (wanted > room) refuse('ERR_SHAPE', op, 'shape', `of at most ${room} / ${size} elements`, `[${shape}]`);
  const bytes = all.subarray(offset, offset + wanted);
  return shareRaw(op, name, shape, bytes) ?? fromRaw(op, name, shape, backend.keep?.(bytes) ?? bytes);
}

/** A tensor of these elements; a size that no array holds is refused. @internal */
export function fromRaw(op: string, dtype: DType, shape: readonly number[], bytes: Uint8Array): Tensor {
  return fromStaged(op, dtype, sizes(op, [shape], 0), { dtype }, () => bytes);
}

/** A tensor from the raw bytes of its elements, row-major, in the byte order of the machine. */
export function fromBytes<D extends DType>(
  bytes: ArrayBuffer | ArrayBufferView,
  options: TensorOptions<D> & { dtype: D },
): Tensor<D> {
  const read: TensorOptions = readOptions<TensorOptions>('fromBytes', options, tensorNames);
  const view = bytesOf('fromBytes', 'bytes', bytes);
  const { name, size } = dtypes[dtypeNumber('fromBytes', read.dtype)]!;
  const count = view.length / size;
  const shape =
    read.shape === undefined && Number.isInteger(count) ? [count] : sizes('fromBytes', [read.shape ?? []], 0);
  if (product(shape) !== count)
    refuse('ERR_SHAPE', 'fromBytes', 'shape', `of ${view.length} / ${size} elements`, `[${shape}]`);
  const kept = backend.keep?.(view) ?? view;
  return fromStaged('fromBytes', name, shape, { ...read, dtype: name }, () => kept) as Tensor<D>;
}

/** All elements one value. Without a dtype, and without `out`, it is that of tensor(value). */
export function full<V extends Scalar, D extends DType = NaturalDType<V>>(
  shape: readonly number[],
  value: V,
  options?: FullOptions<D>,
): Tensor<NoInfer<D>>;
export function full(...given: unknown[]): Tensor {
  if (given.length > 3) refuseMore('full', 3, given);
  while (given.length > 0 && (given.at(-1) ?? undefined) === undefined) given.pop();
  const options: FullOptions = isOptions(given.at(-1))
    ? readOptions<FullOptions>('full', given.pop() as object, fullNames)
    : {};
  if (given.length > 2) refuse('ERR_ARGUMENT', 'full', 'options', 'an object', print(given[2]));
  const value = given[1] ?? options.value;
  const dtype = options.dtype ?? (options.out ? undefined : naturalDType(value));
  if (dtype === 'int64' && typeof value === 'bigint' && BigInt.asIntN(64, value) !== value)
    refuse('ERR_ARGUMENT', 'full', 'value', 'within 64 bits, signed', print(value));
  return run(functionNumbers.full, [given[0], given[1], { ...options, dtype }]) as Tensor;
}

/** Of arange. */
export interface ArangeOptions<D extends DType = DType> extends OutOptions<D> {
  /** Default: 0. */
  start?: number | bigint;
  /** Needed, where it is not an argument. */
  end?: number | bigint;
  /** Default: 1. */
  step?: number | bigint;
  /** Default: float32. */
  dtype?: D;
  /** Device of the result. Default: cpu. */
  device?: DeviceName;
}

/**
 * start, start + step, .. before end; arange(end) starts at 0. Floats are computed as start + k * step in float64. For an integer dtype all
 * three are cut to integers first, and the elements are exact. For int64 and uint64 they may be bigints of 64 bits.
 */
export function arange<D extends DType = 'float32'>(
  end: number | ArangeOptions<D>,
  options?: ArangeOptions<D>,
): Tensor<NoInfer<D>>;
export function arange<D extends 'int64' | 'uint64'>(
  start: number | bigint,
  end: number | bigint,
  step: number | bigint,
  options: ArangeOptions<D> & { dtype: D },
): Tensor<D>;
export function arange<D extends 'int64' | 'uint64'>(
  start: number | bigint,
  end: number | bigint,
  options: ArangeOptions<D> & { dtype: D },
): Tensor<D>;
export function arange<D extends 'int64' | 'uint64'>(
  end: number | bigint,
  options: ArangeOptions<D> & { dtype: D },
): Tensor<D>;
export function arange<D extends DType = 'float32'>(
  start: number,
  end: number,
  options?: ArangeOptions<D>,
): Tensor<NoInfer<D>>;
export function arange<D extends DType = 'float32'>(
  start: number,
  end: number,
  step?: number,
  options?: ArangeOptions<D>,
): Tensor<NoInfer<D>>;
export function arange(...given: unknown[]): Tensor {
  if (given.length > 4) refuseMore('arange', 4, given);
  const count = given.findIndex((value) => isOptions(value));
  if (count >= 0 && count < given.length - 1) refuseMore('arange', count + 1, given);
  const read = readOptions<ArangeOptions>(
    'arange',
    given[count < 0 ? 3 : count] as ArangeOptions | undefined,
    arangeNames,
  );
  const terms = (count < 0 ? given : given.slice(0, count)).slice(0, 3);
  while (terms.length > 0 && (terms.at(-1) ?? undefined) === undefined) terms.pop();
  if (terms.length === 1) terms.unshift(undefined);
  const [start, end, step] = terms;
  const dtype = read.dtype ?? (read.out ? undefined : 'float32');
  const bounds = { start: start ?? read.start, end: end ?? read.end, step: step ?? read.step };
  for (const [argument, value] of Object.entries(bounds)) {
    if (typeof value !== 'bigint' || dtype === undefined || dtype === 'int64' || dtype === 'uint64') continue;
    findOperand('arange', argument, value); // within 64 bits
    refuse('ERR_DTYPE', 'arange', 'dtype', 'int64 or uint64 for bigints', dtype);
  }
  return run(functionNumbers.arange, [start, end, step, { ...read, dtype }]) as Tensor;
}

/** fromNpy, under the name that errors are to give it. @internal */
export function readNpy(op: string, bytes: Uint8Array): Tensor {
  // what is read in place must not change on the way
  const result = backend.npyGet(isShared(bytes) ? allocated(op, bytes.length, () => bytes.slice()) : bytes);
  return result > 0 ? wrap(result) : fail(result, op);
}

/** A tensor from the bytes of a .npy file. */
export function fromNpy(bytes: Uint8Array | ArrayBuffer, options?: DeviceOptions): Tensor {
  const op = 'fromNpy';
  const place = placeOf(op, readOptions(op, options, npyNames).device);
  return movedTo(op, readNpy(op, bytesOf(op, 'bytes', bytes)), place);
}

/** The bytes of a .npy file with the elements of x. */
export function toNpy(x: Tensor): Uint8Array {
  return writeNpy('toNpy', x, 'x');
}

/** toNpy, under the names that errors are to give it and x. @internal */
export function writeNpy(op: string, x: Tensor, argument: string): Uint8Array {
  refuseReading(op);
  const result = backend.npyCopy(handleOf(op, x, argument));
  return typeof result === 'number' ? fail(result, op, [argument]) : result;
}
