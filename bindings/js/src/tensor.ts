/// <reference lib="esnext.disposable" preserve="true" />
// The tensor as JavaScript sees it: a handle, and what was asked about it before.
import { check, fail, fn, refuse } from './abi.js';
import { dtypeNumber, handleOf, isDType, print, tryOperand } from './arguments.js';
import { TensorBase, wrap } from './base.js';
import { typedArrayFrom } from './elements.js';
import { known } from './facts.js';
import { format } from './format.js';
import { runNumbers } from './functions.js';
import {
  backward,
  detachInPlace,
  gradOf,
  registerHook,
  retainGrad,
  setGrad,
  changeRequiresGrad,
  requiresGradOf,
  stateOf,
  type BackwardOptions,
  type Hook,
  type HookHandle,
} from './gradients.js';
import { getAt, setAt, type Index } from './indexing.js';
import { isTypedArray, typedLength } from './intrinsics.js';
import { end } from './memory.js';
import { TensorOps } from './ops.gen.js';
import { refuseMore } from './options.js';
import { bytesIn } from './reading.js';
import { refuseReading } from './recording.js';
import {
  max,
  median,
  min,
  nanmedian,
  type AlongOptions,
  type PairOptions,
  type ValuesAndIndices,
} from './order.js';
import { tensordot, type TensordotDims } from './products.js';
import {
  batchNorm,
  clamp,
  clampInPlace,
  div,
  divInPlace,
  embedding,
  gelu,
  geluInPlace,
  nonzero,
  converted,
  randintLike,
  viewed,
  where,
  type BatchNormOptions,
  type ClampOptions,
  type DivOptions,
  type EmbeddingOptions,
  type GeluOptions,
  type NonzeroOptions,
  type RandintLikeOptions,
  type RoundedDivOptions,
  type ToOptions,
  type ViewOptions,
} from './special.js';
import { allclose, equal, type AllcloseOptions } from './compare.js';
import { functionNumbers, type Device, type DeviceName, type DType } from './tables.gen.js';
import { fromData } from './create.js';
import type {
  BorrowOptions,
  Bound,
  DataOf,
  ElementOf,
  FloatOf,
  ItemOf,
  ItemOptions,
  Limited,
  Nested,
  Operand,
  OutOptions,
  Promote,
  Scalar,
  TypedArray,
} from './types.js';
import {
  unique,
  uniqueConsecutive,
  type Unique,
  type UniqueConsecutiveOptions,
  type UniqueOptions,
} from './unique.js';
import { arraysOf, borrowed, dataOf, itemOf } from './values.js';

// `using` looks for this symbol, which older engines lack.
(Symbol as { dispose?: symbol }).dispose ??= Symbol.for('Symbol.dispose');

function made(result: number, op: string): Tensor {
  return result > 0 ? wrap(result) : fail(result, op);
}

const NEW = 0; // a new tensor for the result

// The axes of a tensor in another order, or in their own: a view under the name `op`.
function permuted(x: TensorBase, op: string, isReversed: boolean): number {
  const { shape } = known(x, op);
  const dims = shape.map((_, k) => (isReversed ? shape.length - 1 - k : k));
  const numbers = [handleOf(op, x), dims.length, ...dims, NEW];
  return check(runNumbers(functionNumbers.permute, numbers), op);
}

function* parts<D extends DType>(x: Tensor<D>, size: number): IterableIterator<Tensor<D>> {
  for (let k = 0; k < size; k++) yield x.select(0, k);
}

/**
 * An n-dimensional array. Made by tensor(), zeros() and the like; every operation is a function and a method.
 *
 * Views share memory with what they were made from. Memory goes when the last tensor on it is disposed of or collected.
 */
export class Tensor<out D extends DType = DType> extends TensorOps<D> {
  // ---------------------------------------------------------------- facts

  /** Sizes. */
  get shape(): readonly number[] {
    return known(this, 'shape').shape;
  }
  /** Steps between neighbours along each axis, in elements; 0 where broadcast, negative where reversed. */
  get strides(): readonly number[] {
    return known(this, 'strides').strides;
  }
  /** Name of the element type. */
  get dtype(): D {
    return known(this, 'dtype').dtype as D;
  }
  /** Number of axes. */
  get ndim(): number {
    return known(this, 'ndim').shape.length;
  }
  /** Number of elements. */
  get numel(): number {
    return known(this, 'numel').numel;
  }
  /** Where the elements are. */
  get device(): Device {
    return known(this, 'device').device;
  }
  /** Whether the elements lie in row-major order without gaps. */
  get isContiguous(): boolean {
    return known(this, 'isContiguous').isContiguous;
  }
  /** Bytes of the memory behind it, shared with its views. */
  get storageBytes(): number {
    return known(this, 'storageBytes').storageBytes;
  }
  /** Whether dispose() was called. */
  get isDisposed(): boolean {
    return handleOf('isDisposed', this) === 0;
  }

  /** The parts along the first axis, in their order, as views: `for (const row of x)`, `const [a, b] = x`. */
  [Symbol.iterator](): IterableIterator<Tensor<D>> {
    const [size] = known(this, 'iterator').shape;
    if (size === undefined)
      refuse('ERR_SHAPE', 'iterator', 'x', 'a tensor of 1 dim or more', 'a 0-dim tensor');
    return parts(this, size);
  }

  // ---------------------------------------------------------------- life

  /** Ends the tensor; using it afterwards throws DisposedError. Its memory goes with the last view of it. */
  dispose(): void {
    if (arguments.length > 0) refuseMore('dispose', 0, arguments);
    handleOf('dispose', this);
    end(this);
  }

  [Symbol.dispose](): void {
    handleOf('dispose', this);
    end(this);
  }

  // ---------------------------------------------------------------- gradients

  /** Whether calls on it are remembered, so that its gradient can be computed. May be set where it is the result of no such call. */
  get requiresGrad(): boolean {
    return requiresGradOf(this as unknown as Tensor);
  }
  set requiresGrad(value: boolean) {
    changeRequiresGrad('requiresGrad', this, value);
  }
  /** Sets requiresGrad. */
  requiresGrad_(value = true): this {
    changeRequiresGrad('requiresGrad_', this, value);
    return this;
  }
  /** Whether no call that was remembered made it. */
  get isLeaf(): boolean {
    return stateOf('isLeaf', this).isLeaf;
  }
  /** What backward() has added up, or null; of results only after retainGrad(). Setting it to null is what zeroes it. */
  get grad(): Tensor<D> | null {
    return gradOf(this as unknown as Tensor) as Tensor<D> | null;
  }
  set grad(value: Tensor | null) {
    setGrad(this as unknown as Tensor, value);
  }
  /**
   * Adds the gradients of this tensor to those of the leaves that it was computed from. `gradient` is that of what comes after it, in its
   * shape; a tensor of one element needs none. What was remembered is released, unless options say otherwise.
   */
  backward(gradient?: Tensor | BackwardOptions | null, options?: BackwardOptions): void {
    if (arguments.length > 2) refuseMore('backward', 2, arguments);
    backward(this as unknown as Tensor, gradient, options);
  }
  /** backward() adds up the gradient of this result, too. */
  retainGrad(): this {
    if (arguments.length > 0) refuseMore('retainGrad', 0, arguments);
    retainGrad(this as unknown as Tensor);
    return this;
  }
  /** The hook sees the gradient of this tensor in backward() before it goes on; what it returns goes on in its place. */
  registerHook(hook: Hook): HookHandle {
    return registerHook(this as unknown as Tensor, hook);
  }
  /** Forgets how it was computed, and requires no gradient. detach() makes a view that does so. */
  detach_(): this {
    if (arguments.length > 0) refuseMore('detach_', 0, arguments);
    detachInPlace(this as unknown as Tensor);
    return this;
  }

  // ---------------------------------------------------------------- reading

  /** The elements in row-major order, a copy. int64 is a BigInt64Array; see DataOf for the others. */
  dataSync(): DataOf<D> {
    if (arguments.length > 0) refuseMore('dataSync', 0, arguments);
    return typedArrayFrom(known(this, 'dataSync').dtype, bytesIn(this, 'dataSync')) as DataOf<D>;
  }

  /** The same, as they are now; gives the collector a chance to run when memory is short. What comes from a device is waited for beside
   * JavaScript, which dataSync(), item() and toArray() hold up. */
  data(): Promise<DataOf<D>> {
    if (arguments.length > 0) refuseMore('data', 0, arguments);
    refuseReading('data'); // at once: nobody may wait for the promise
    return dataOf(this) as Promise<DataOf<D>>;
  }

  /** Nested arrays of numbers, bigints or booleans; without dims, one of these. More than 2^26 elements, or half as many
   * arrays, are refused (ERR_MEMORY); dataSync() has them flat. */
  toArray(): Nested<ElementOf<D>> {
    if (arguments.length > 0) refuseMore('toArray', 0, arguments);
    return arraysOf(this, 'toArray') as Nested<ElementOf<D>>;
  }

  /**
   * The only element, as a number, boolean or complex number: an int64 or uint64 too, so that counts can be used as they are. One
   * that no number holds exactly is refused (ERR_OVERFLOW); `{ bigint: true }` gives integers of any dtype as bigints.
   */
  item(options: ItemOptions & { bigint: true }): bigint;
  item(options?: ItemOptions): ItemOf<D>;
  item(options?: ItemOptions): unknown {
    return itemOf(this, options);
  }

  /**
   * Runs fn on the elements themselves, not on a copy: a typed array over the memory of the tensor, in row-major order. Writing
   * to it changes the tensor, which must be contiguous.
   *
   * While fn runs the memory stays where it is, also if the tensor is disposed of; an operation that would give the tensor
   * another shape (`out`) is refused. The array is valid inside fn only: afterwards it is empty. On WebAssembly it becomes
   * empty, too, when an operation inside fn makes the memory of the module grow; and where threads share that memory, the
   * array is a copy, written back when fn returns.
   *
   * To borrow counts as writing: gradients refuse what they kept of the tensor before. `{ readOnly: true }` promises
   * that fn writes nothing; what it writes all the same may be lost, and gradients do not notice it.
   */
  borrow<R>(body: (elements: DataOf<D>) => R, options?: BorrowOptions): R {
    if (arguments.length > 2) refuseMore('borrow', 2, arguments);
    return borrowed(this, body as (elements: TypedArray) => R, options);
  }

  // ---------------------------------------------------------------- copying

  /** Elements converted to a dtype, or on a device, or both, in a new tensor. */
  to<E extends DType>(dtype: E): Tensor<E>;
  to(device: DeviceName): Tensor<D>;
  to<E extends DType = D>(where: ToOptions<E>): Tensor<NoInfer<E>>;
  to(target: unknown): unknown {
    if (arguments.length > 1) refuseMore('to', 1, arguments);
    if (!isDType(target)) return converted(this, target);
    return made(fn.copy(handleOf('to', this), dtypeNumber('to', target)), 'to');
  }

  /** A copy with its own memory. */
  clone(): Tensor<D> {
    if (arguments.length > 0) refuseMore('clone', 0, arguments);
    return made(fn.copy(handleOf('clone', this), -1), 'clone') as Tensor<D>;
  }

  /** Takes the elements of another tensor, array or number, broadcast and converted. */
  copy_(source: Operand | TypedArray | Nested<number | bigint | boolean>): this {
    if (arguments.length > 1) refuseMore('copy_', 1, arguments);
    const handle = handleOf('copy_', this);
    if (tryOperand(0, 'copy_', 'source', source)) {
      check(fn.set(handle), 'copy_', ['source']);
      return this;
    }
    const { dtype, numel, shape } = known(this, 'copy_');
    const flat = isTypedArray(source) && typedLength(source) === numel;
    const place = { op: 'copy_', argument: 'source' };
    const copy = fromData(place, source as TypedArray | Nested<number>, flat ? { shape } : { dtype });
    try {
      return Tensor.prototype.copy_.call(this, copy) as this;
    } finally {
      end(copy);
    }
  }

  // ---------------------------------------------------------------- views

  /**
   * x[indices], by NumPy's rules. Each index is one of
   *
   *     3                        a position of an axis, which vanishes; negative ones count from the end
   *     '1:-1', '::2'            a slice; also as { start, stop, step }
   *     '...'                    all axes that no other index is for; at the end where it is not given
   *     null, newAxis            a new axis of size 1
   *     [2, 0], a tensor         positions: of an integer dtype, or nested arrays of whole numbers; several of them broadcast together
   *     [true, false], a tensor  the elements where it is true; of as many axes as it has dims
   *     true, false              a new axis, of size 1 or 0
   *
   * Without arrays and tensors the result is a view; with them a copy. Their axes stand where the first of them was if they are side by
   * side, else in front; positions beside them count as arrays without dims.
   */
  at(...indices: Index[]): Tensor<D> {
    return getAt(this, indices) as Tensor<D>;
  }

  /** x[indices] = value, which is the last argument: a tensor, array or number, broadcast and converted as copy_() does it. The indices are
   * those of at(); of equal positions the last stays. Nothing is written if a position is out of range. */
  set(...args: [...indices: Index[], value: Operand | TypedArray | Nested<number | bigint | boolean>]): this {
    if (args.length === 0) refuse('ERR_ARGUMENT', 'set', 'value', 'given', 'nothing');
    setAt(this, args.slice(0, -1), args.at(-1));
    return this;
  }

  /** The last two axes exchanged. */
  get mT(): Tensor<D> {
    const { shape } = known(this, 'mT');
    if (shape.length < 2) refuse('ERR_SHAPE', 'mT', 'x', 'of 2 dims or more', `${shape.length} dims`);
    const n = shape.length;
    const numbers = [handleOf('mT', this), n - 2, n - 1, NEW];
    return made(runNumbers(functionNumbers.transpose, numbers), 'mT') as Tensor<D>;
  }

  /** All axes in reverse order. */
  get T(): Tensor<D> {
    return wrap(permuted(this, 'T', true)) as Tensor<D>;
  }

  // ---------------------------------------------------------------- ops with a form of their own

  /** Limited to [min, max], given as arguments or as { min, max }; either may be missing. */
  clamp<L extends Bound, H extends Bound = undefined, O extends DType = Limited<Tensor<D>, L, H>>(
    min: L,
    max?: H,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>>;
  clamp<L extends Bound = undefined, H extends Bound = undefined, O extends DType = Limited<Tensor<D>, L, H>>(
    bounds: ClampOptions<L, H, O>,
  ): Tensor<NoInfer<O>>;
  clamp(min: Bound | ClampOptions, max?: Bound, options?: OutOptions): Tensor {
    return clamp(this as unknown as Tensor, min as Bound, max, options);
  }
  /** In place: limited to [min, max]. */
  clamp_(min: Bound | Omit<ClampOptions, 'out'>, max?: Bound): this {
    if (arguments.length > 2) refuseMore('clamp_', 2, arguments);
    clampInPlace(this as unknown as Tensor, min, max);
    return this;
  }

  /** this / b in floating point, x/0 is an infinity or NaN; with a rounding mode a whole number, of integers an integer. */
  div<B extends Operand, O extends DType = Promote<Tensor<D>, B>>(
    b: B,
    options: RoundedDivOptions<O>,
  ): Tensor<NoInfer<O>>;
  div<B extends Operand, O extends DType = FloatOf<Promote<Tensor<D>, B>>>(
    b: B,
    options?: DivOptions<O>,
  ): Tensor<NoInfer<O>>;
  div(b: Operand, options?: DivOptions): Tensor {
    if (arguments.length > 2) refuseMore('div', 2, arguments);
    return div(this as unknown as Tensor, b, options);
  }
  /** In place: this / b. */
  div_(b: Operand, options?: Omit<DivOptions, 'out'>): this {
    if (arguments.length > 2) refuseMore('div_', 2, arguments);
    divInPlace(this as unknown as Tensor, b, options);
    return this;
  }

  /** Whether shapes and all elements are equal. NaN is equal to nothing. */
  equal(b: Tensor): boolean;
  equal(...given: unknown[]): boolean {
    if (given.length > 2) refuseMore('equal', 2, given);
    return equal(this as unknown as Tensor, ...(given as [Tensor]));
  }

  /** Whether |this - b| <= atol + rtol * |b|, or this == b, everywhere; with `equalNan` NaN is close to NaN. */
  allclose(b: Tensor, rtol?: number, atol?: number, equalNan?: boolean): boolean;
  allclose(b: Tensor, options: AllcloseOptions): boolean;
  allclose(...given: unknown[]): boolean {
    if (given.length > 5) refuseMore('allclose', 5, given);
    return allclose(this as unknown as Tensor, ...(given as [Tensor, number]));
  }

  /** The same elements in row-major order under another shape, of which one size may be -1; refused where it needs a copy. With the
   * name of a dtype the same bytes as elements of that: viewDtype. */
  view<O extends DType>(dtype: O): Tensor<O>;
  view(shape: number | readonly number[] | ViewOptions): Tensor<D>;
  view(...shape: number[]): Tensor<D>;
  view(...shape: unknown[]): unknown {
    return viewed(this, shape, 0);
  }

  /** Gaussian error linear unit. */
  gelu<O extends DType = FloatOf<D>>(options?: GeluOptions<O>): Tensor<NoInfer<O>> {
    return gelu(this as unknown as Tensor, options) as Tensor<NoInfer<O>>;
  }
  /** In place: Gaussian error linear unit. */
  gelu_(options?: Omit<GeluOptions, 'out'>): this {
    geluInPlace(this as unknown as Tensor, options);
    return this;
  }

  /** These elements where the condition is true, else those of `other`. */
  where<B extends Operand, O extends DType = Promote<Tensor<D>, B>>(
    condition: Operand,
    other: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>> {
    return where(condition, this as unknown as Tensor, other, options) as Tensor<NoInfer<O>>;
  }

  // ---------------------------------------------------------------- products

  /** Sums of products over pairs of axes: the axes that are left of this one, then those of b. */
  tensordot<B extends Tensor, O extends DType = Promote<Tensor<D>, B>>(
    b: B,
    dims?: TensordotDims,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>>;
  tensordot(...given: unknown[]): unknown {
    if (given.length > 3) refuseMore('tensordot', 3, given);
    return tensordot(this as unknown as Tensor, ...(given as [Tensor]));
  }

  // ---------------------------------------------------------------- values and indices

  /** The largest element; along an axis values and indices; of two tensors the larger elements. */
  max(options?: Omit<PairOptions, 'dim' | 'axis'> | null): Tensor<D>;
  max(dim: number | AlongOptions, options?: PairOptions): ValuesAndIndices<D>;
  max<B extends Tensor, O extends DType = Promote<Tensor<D>, B>>(
    other: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>>;
  max(...given: unknown[]): unknown {
    if (given.length > 2) refuseMore('max', 2, given);
    return max(this as unknown as Tensor, ...(given as [number]));
  }

  /** The smallest element; along an axis values and indices; of two tensors the smaller elements. */
  min(options?: Omit<PairOptions, 'dim' | 'axis'> | null): Tensor<D>;
  min(dim: number | AlongOptions, options?: PairOptions): ValuesAndIndices<D>;
  min<B extends Tensor, O extends DType = Promote<Tensor<D>, B>>(
    other: B,
    options?: OutOptions<O>,
  ): Tensor<NoInfer<O>>;
  min(...given: unknown[]): unknown {
    if (given.length > 2) refuseMore('min', 2, given);
    return min(this as unknown as Tensor, ...(given as [number]));
  }

  /** The middle element in order, the lower of two; along an axis values and indices. */
  median(options?: Omit<PairOptions, 'dim' | 'axis'> | null): Tensor<D>;
  median(dim: number | AlongOptions, options?: PairOptions): ValuesAndIndices<D>;
  median(...given: unknown[]): unknown {
    if (given.length > 2) refuseMore('median', 2, given);
    return median(this as unknown as Tensor, ...(given as [number]));
  }

  /** The median of the elements that are not NaN; along an axis values and indices. */
  nanmedian(options?: Omit<PairOptions, 'dim' | 'axis'> | null): Tensor<D>;
  nanmedian(dim: number | AlongOptions, options?: PairOptions): ValuesAndIndices<D>;
  nanmedian(...given: unknown[]): unknown {
    if (given.length > 2) refuseMore('nanmedian', 2, given);
    return nanmedian(this as unknown as Tensor, ...(given as [number]));
  }

  // ---------------------------------------------------------------- positions, rows, random numbers

  /** Positions of the elements that are not 0, in row-major order: one in each row, or, as a tuple, a tensor for each axis. */
  nonzero(options: NonzeroOptions<DType, true> & { asTuple: true }): Tensor<'int64'>[];
  nonzero<O extends DType = 'int64'>(options?: NonzeroOptions<O, false>): Tensor<NoInfer<O>>;
  nonzero(...given: unknown[]): unknown {
    if (given.length > 1) refuseMore('nonzero', 1, given);
    return nonzero(this as unknown as Tensor, ...(given as [NonzeroOptions<DType, false>]));
  }

  /** Channels, axis 1, to mean 0 and variance 1: of the batch while training, or without running statistics, else of these. */
  batchNorm(options?: BatchNormOptions): Tensor<D>;
  batchNorm(...given: unknown[]): unknown {
    if (given.length > 1) refuseMore('batchNorm', 1, given);
    return batchNorm(this as unknown as Tensor, ...(given as [BatchNormOptions]));
  }

  /** Rows of a matrix: weight[indices]; no negative positions. */
  embedding<O extends DType = D>(indices: Tensor, options?: EmbeddingOptions<O>): Tensor<NoInfer<O>>;
  embedding(...given: unknown[]): unknown {
    if (given.length > 2) refuseMore('embedding', 2, given);
    return embedding(this as unknown as Tensor, ...(given as [Tensor]));
  }

  /** Random whole numbers, low to high - 1, of the shape and memory order of x; low is 0 where one number is given. */
  randintLike<O extends DType = D>(
    high: Scalar | RandintLikeOptions<O>,
    options?: RandintLikeOptions<O>,
  ): Tensor<NoInfer<O>>;
  randintLike<O extends DType = D>(
    low: Scalar,
    high: Scalar,
    options?: RandintLikeOptions<O>,
  ): Tensor<NoInfer<O>>;
  randintLike(...given: unknown[]): unknown {
    if (given.length > 3) refuseMore('randintLike', 3, given);
    return randintLike(this as unknown as Tensor, ...(given as [Scalar, Scalar]));
  }

  // ---------------------------------------------------------------- different elements

  /** The different elements in ascending order, or slices along an axis; with where each of these went, and how many are equal, an object. */
  unique<I extends boolean = false, C extends boolean = false>(
    options?: UniqueOptions<I, C>,
  ): Unique<D, I, C>;
  unique(...given: unknown[]): unknown {
    if (given.length > 1) refuseMore('unique', 1, given);
    return unique(this as unknown as Tensor, given[0] as UniqueOptions<false, false>);
  }

  /** The first of each run of equal elements, or of equal slices along an axis; with where each of these went, and how long runs are, an object. */
  uniqueConsecutive<I extends boolean = false, C extends boolean = false>(
    options?: UniqueConsecutiveOptions<I, C>,
  ): Unique<D, I, C>;
  uniqueConsecutive(...given: unknown[]): unknown {
    if (given.length > 1) refuseMore('uniqueConsecutive', 1, given);
    return uniqueConsecutive(this as unknown as Tensor, given[0] as UniqueConsecutiveOptions<false, false>);
  }

  // ---------------------------------------------------------------- printing

  /** Elements (the middle of long axes left out), and the dtype. */
  override toString(): string {
    if (handleOf('toString', this) === 0) return 'tensor(disposed)';
    const own = wrap(permuted(this, 'toString', false)); // a proxy may answer anything
    try {
      return format(own);
    } finally {
      end(own);
    }
  }

  /** What JSON.stringify writes: toArray(), with 64-bit integers that no number holds as texts. */
  toJSON(): unknown {
    const plain = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(plain);
      if (typeof value !== 'bigint') return value;
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    };
    return plain(arraysOf(this, 'toJSON'));
  }

  /** A tensor becomes a text where one is wanted; as a number it is refused, since operators know no tensors. */
  [Symbol.toPrimitive](hint: string): string {
    if (hint === 'string') return Tensor.prototype.toString.call(this);
    refuseReading('valueOf', 'combine them by add(), gt(), ..');
    return refuse(
      'ERR_ARGUMENT',
      'valueOf',
      'x',
      'read by item() or combined by add(), sub(), .. (operators like + take no tensors)',
      handleOf('valueOf', this) === 0
        ? 'a disposed tensor'
        : `a tensor of shape ${print(known(this, 'valueOf').shape)}`,
    );
  }

  /** What console.log shows in Node. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return Tensor.prototype.toString.call(this);
  }
}
