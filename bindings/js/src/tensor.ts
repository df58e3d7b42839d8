/// <reference lib="esnext.disposable" preserve="true" />
// The tensor as JavaScript sees it: a handle, and what was asked about it before.
import { backend, check, fail, fn, refuse, setNumbers } from './abi.js';
import { axes, axis, dtypeNumber, isIntegerDType, print, sizes, tryOperand, whole } from './arguments.js';
import { wrap, type Facts } from './base.js';
import { nestedFrom, typedArrayFrom } from './elements.js';
import { format } from './format.js';
import { relieve } from './memory.js';
import { TensorOps } from './ops.gen.js';
import { flagOf, itemNames, readOptions } from './options.js';
import {
  clamp,
  clampInPlace,
  gelu,
  geluInPlace,
  where,
  type ClampOptions,
  type GeluOptions,
} from './special.js';
import { dtypes, type DType } from './tables.gen.js';
import { tensor } from './create.js';
import type {
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
  TypedArray,
} from './types.js';

// `using` looks for this symbol, which older engines lack.
(Symbol as { dispose?: symbol }).dispose ??= Symbol.for('Symbol.dispose');

const devices = ['cpu', 'meta', 'cuda'] as const;

/** Like a slice text of Python, "start:stop:step", each part optional. */
const slicePattern = /^\s*([+-]?\d+)?\s*(?::\s*([+-]?\d+)?\s*)?(?::\s*([+-]?\d+)?\s*)?$/;

/**
 * An n-dimensional array. Made by tensor(), zeros() and the like; every operation is a function and a method.
 *
 * Views share memory with what they were made from. Memory goes when the last tensor on it is disposed of or collected.
 */
export class Tensor<out D extends DType = DType> extends TensorOps<D> {
  get #known(): Facts {
    if (this._facts !== undefined) return this._facts;
    const ndim = check(fn.describe(this._handle));
    const n = backend.numbers();
    return (this._facts = {
      dtype: dtypes[n[0]!]!.name,
      device: devices[n[1]!]!,
      numel: n[2]!,
      isContiguous: n[3] !== 0,
      storageBytes: n[5]!,
      itemBytes: n[6]!,
      shape: Object.freeze(Array.from(n.subarray(8, 8 + ndim))),
      strides: Object.freeze(Array.from(n.subarray(72, 72 + ndim))),
    });
  }

  // ---------------------------------------------------------------- facts

  /** Sizes. */
  get shape(): readonly number[] {
    return this.#known.shape;
  }
  /** Steps between neighbours along each axis, in elements; 0 where broadcast, negative where reversed. */
  get strides(): readonly number[] {
    return this.#known.strides;
  }
  get dtype(): D {
    return this.#known.dtype as D;
  }
  get ndim(): number {
    return this.#known.shape.length;
  }
  /** Number of elements. */
  get numel(): number {
    return this.#known.numel;
  }
  get device(): 'cpu' | 'meta' | 'cuda' {
    return this.#known.device;
  }
  /** Whether the elements lie in row-major order without gaps. */
  get isContiguous(): boolean {
    return this.#known.isContiguous;
  }
  /** Bytes of the memory behind it, shared with its views. */
  get storageBytes(): number {
    return this.#known.storageBytes;
  }
  get isDisposed(): boolean {
    return this._handle === 0;
  }

  // ---------------------------------------------------------------- life

  /** Ends the tensor; using it afterwards throws DisposedError. Its memory goes with the last view of it. */
  dispose(): void {
    const handle = this._handle;
    this._handle = 0;
    this._ballast = undefined;
    this._facts = undefined;
    if (handle !== 0) fn.dispose(handle);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  // ---------------------------------------------------------------- reading

  // Bytes of the elements in row-major order, a copy.
  #bytes(): Uint8Array<ArrayBuffer> {
    const facts = this.#known;
    const bytes = new Uint8Array(facts.numel * facts.itemBytes);
    if (bytes.length === 0) return bytes;
    const flat = facts.isContiguous ? this._handle : check(fn.contiguous(this._handle));
    const result = backend.read(flat, bytes);
    if (flat !== this._handle) fn.dispose(flat);
    check(result);
    return bytes;
  }

  /** The elements in row-major order, a copy. int64 is a BigInt64Array; see DataOf for the others. */
  dataSync(): DataOf<D> {
    return typedArrayFrom(this.dtype, this.#bytes()) as DataOf<D>;
  }

  /** The same; gives the collector a chance to run when memory is short. */
  async data(): Promise<DataOf<D>> {
    const data = this.dataSync();
    await relieve();
    return data;
  }

  /** Nested arrays of numbers, bigints or booleans; without dims, one of these. */
  toArray(): Nested<ElementOf<D>> {
    const { dtype, shape } = this.#known;
    return nestedFrom(dtype, this.#bytes(), shape) as Nested<ElementOf<D>>;
  }

  /**
   * The only element, as a number, boolean or complex number: an int64 or uint64 too, so that counts can be used as they are. One
   * that no number holds exactly is refused (ERR_OVERFLOW); `{ bigint: true }` gives integers of any dtype as bigints.
   */
  item(options: ItemOptions & { bigint: true }): bigint;
  item(options?: ItemOptions): ItemOf<D>;
  item(options?: ItemOptions): unknown {
    const { dtype, numel } = this.#known;
    const wantsBigint = flagOf('item', 'bigint', readOptions('item', options, itemNames).bigint);
    if (numel !== 1)
      refuse('ERR_SHAPE', 'item', 'x', 'a tensor of one element', `shape ${print(this.shape)}`);
    const value = this._element();
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

  /** @internal The only element, of one that has one; a bigint in 64 bits. */
  _element(): unknown {
    return nestedFrom(this.dtype, this.#bytes(), []);
  }

  /**
   * Runs fn on the elements themselves, not on a copy: a typed array over the memory of the tensor, in row-major order. Writing
   * to it changes the tensor. It is valid inside fn only, and only until fn calls another operation of the library.
   * The tensor must be contiguous.
   */
  borrow<R>(body: (elements: DataOf<D>) => R): R {
    const { dtype, numel, itemBytes, isContiguous } = this.#known;
    if (!isContiguous) refuse('ERR_ARGUMENT', 'borrow', 'x', 'contiguous', `strides ${print(this.strides)}`);
    const run = (bytes: Uint8Array): R => body(typedArrayFrom(dtype, bytes) as DataOf<D>);
    return numel === 0 ? run(new Uint8Array(0)) : backend.borrow(this._handle, numel * itemBytes, run);
  }

  // ---------------------------------------------------------------- copying

  /** Elements converted to a dtype, in a new tensor. */
  to<E extends DType>(dtype: E): Tensor<E> {
    return Tensor.#from(fn.copy(this._handle, dtypeNumber('to', dtype))) as Tensor<E>;
  }

  /** A copy with its own memory. */
  clone(): Tensor<D> {
    return Tensor.#from(fn.copy(this._handle, -1)) as Tensor<D>;
  }

  /** Row-major: the same memory if it already is, else a copy. */
  contiguous(): Tensor<D> {
    return Tensor.#from(fn.contiguous(this._handle)) as Tensor<D>;
  }

  /** Takes the elements of another tensor, array or number, broadcast and converted. */
  copy_(source: Operand | TypedArray | Nested<number | bigint | boolean>): this {
    if (tryOperand(0, 'copy_', 'source', source)) {
      check(fn.set(this._handle));
      return this;
    }
    const flat = ArrayBuffer.isView(source) && source.length === this.numel;
    const made = flat ? tensor(source, { shape: this.shape }) : tensor(source as Nested<number>);
    try {
      return this.copy_(made);
    } finally {
      made.dispose();
    }
  }

  static #from(result: number): Tensor {
    return result > 0 ? wrap(result) : fail(result);
  }

  // ---------------------------------------------------------------- views

  #view(result: number): Tensor<D> {
    return Tensor.#from(result) as Tensor<D>;
  }

  /** Elements start, start + step, .. before end, of one axis; negative positions count from the end, as may the step. */
  slice(dim: number, start?: number | null, end?: number | null, step = 1): Tensor<D> {
    const from = start == null ? NaN : whole('slice', 'start', start);
    const to = end == null ? NaN : whole('slice', 'end', end);
    return this.#view(
      fn.slice(this._handle, axis('slice', 'dim', dim), from, to, whole('slice', 'step', step)),
    );
  }

  /** `length` elements of an axis from `start`. */
  narrow(dim: number, start: number, length: number): Tensor<D> {
    const size = this.shape.at(axis('narrow', 'dim', dim)) ?? 0;
    const first = whole('narrow', 'start', start) < 0 ? start + size : start;
    if (whole('narrow', 'length', length) < 0 || first < 0 || first + length > size)
      refuse(
        'ERR_ARGUMENT',
        'narrow',
        'start and length',
        `within an axis of size ${size}`,
        `${start} and ${length}`,
      );
    return this.slice(dim, first, first + length);
  }

  /** One position of an axis, which vanishes. */
  select(dim: number, index: number): Tensor<D> {
    return this.#view(fn.select(this._handle, axis('select', 'dim', dim), whole('select', 'index', index)));
  }

  /** Indexing as in Python: a number selects, a text like '1:', '::-1' or ':' slices, null takes all. */
  at(...indices: (number | string | null)[]): Tensor<D> {
    if (indices.length > this.ndim)
      refuse('ERR_AXIS', 'at', 'indices', `at most ${this.ndim}`, String(indices.length));
    let view = this.#view(fn.permute(this._handle, this.#allAxes()));
    let dim = 0;
    for (const index of indices) {
      if (index === null) {
        dim++;
        continue;
      }
      const previous = view;
      try {
        view = typeof index === 'number' ? previous.select(dim, index) : previous.#sliceText(dim++, index);
      } finally {
        previous.dispose();
      }
    }
    return view;
  }

  #allAxes(): number {
    setNumbers(this.shape.map((_, k) => k));
    return this.ndim;
  }

  #sliceText(dim: number, text: string): Tensor<D> {
    const parts = typeof text === 'string' && text.includes(':') ? slicePattern.exec(text) : null;
    if (!parts)
      refuse(
        'ERR_ARGUMENT',
        'at',
        `indices[${dim}]`,
        "a whole number, null, or a text like '1:-1'",
        print(text),
      );
    const [start, stop, step] = parts.slice(1).map((part) => (part === undefined ? undefined : Number(part)));
    return this.slice(dim, start, stop, step);
  }

  /** Two axes exchanged. */
  transpose(dim0: number, dim1: number): Tensor<D> {
    return this.#view(
      fn.transpose(this._handle, axis('transpose', 'dim0', dim0), axis('transpose', 'dim1', dim1)),
    );
  }

  /** Axes in another order. */
  permute(...dims: number[] | [readonly number[]]): Tensor<D> {
    const list = axes('permute', dims);
    setNumbers(list);
    return this.#view(fn.permute(this._handle, list.length));
  }

  /** All axes in reverse order. */
  get T(): Tensor<D> {
    return this.permute(this.shape.map((_, k) => this.ndim - 1 - k));
  }

  /** Order reversed along the axes. */
  flip(...dims: number[] | [readonly number[]]): Tensor<D> {
    const list = axes('flip', dims);
    setNumbers(list);
    return this.#view(fn.flip(this._handle, list.length));
  }

  /** The same elements under another shape, without a copy or not at all; one size may be -1. */
  view(...shape: number[] | [readonly number[]]): Tensor<D> {
    const list = sizes('view', shape, -1);
    setNumbers(list);
    return this.#view(fn.view(this._handle, list.length));
  }

  /** The same elements under another shape, as a view where possible, else copied; one size may be -1. */
  reshape(...shape: number[] | [readonly number[]]): Tensor<D> {
    const list = sizes('reshape', shape, -1);
    setNumbers(list);
    return this.#view(fn.reshape(this._handle, list.length));
  }

  /** Broadcast to a shape; -1 keeps a size. */
  expand(...shape: number[] | [readonly number[]]): Tensor<D> {
    const list = sizes('expand', shape, -1);
    setNumbers(list);
    return this.#view(fn.expand(this._handle, list.length));
  }

  /** Without the axes of size 1, all or those given. */
  squeeze(...dims: number[] | [readonly number[]]): Tensor<D> {
    const list = axes('squeeze', dims);
    setNumbers(list);
    return this.#view(fn.squeeze(this._handle, dims.length === 0 ? -1 : list.length));
  }

  /** With an axis of size 1 inserted. */
  unsqueeze(dim: number): Tensor<D> {
    return this.#view(fn.unsqueeze(this._handle, axis('unsqueeze', 'dim', dim)));
  }

  /** The diagonal of two axes, as the last axis. */
  diagonal(offset = 0, dim0 = 0, dim1 = 1): Tensor<D> {
    return this.#view(
      fn.diagonal(
        this._handle,
        whole('diagonal', 'offset', offset),
        axis('diagonal', 'dim0', dim0),
        axis('diagonal', 'dim1', dim1),
      ),
    );
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
    clampInPlace(this as unknown as Tensor, min, max);
    return this;
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

  // ---------------------------------------------------------------- printing

  /** Elements (the middle of long axes left out), and the dtype. */
  override toString(): string {
    if (this._handle === 0) return 'tensor(disposed)';
    return format(this as unknown as Tensor);
  }

  /** What console.log shows in Node. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}
