// Types that follow dtypes through operations.
import type { BoolDType, DType, FloatDType, IntegerDType, PromoteTable } from './tables.gen.js';
import type { Tensor } from './tensor.js';

/** A number of JavaScript, or a complex one. In an operation it takes part in promotion by its category only: whole numbers and
 * bigints count as integers, others as floats. */
export type Scalar = number | bigint | boolean | Complex;

/** What an operation takes. */
export type Operand = Tensor | Scalar;

/** A complex number as it is written and read. */
export interface Complex {
  re: number;
  im: number;
}

/** Axes to reduce: one or several; negative ones count from the end. */
export type Dims = number | readonly number[];

export interface OutOptions<O extends DType = DType> {
  /** Where the result goes; resized if its shape differs, unless it is also an input. */
  out?: Tensor<O>;
}

/** Of add and sub. */
export interface AlphaOptions<O extends DType = DType> extends OutOptions<O> {
  /** Factor of the second operand; an integer where both are integers, without a part in promotion. Default: 1. */
  alpha?: Scalar;
}

/** Of round. */
export interface DecimalsOptions<O extends DType = DType> extends OutOptions<O> {
  /** Decimals to round floats to; negative: to tens, hundreds and so on. Default: 0. */
  decimals?: number;
}

export interface ReduceOptions<O extends DType = DType> extends OutOptions<O> {
  /** Axes to reduce; `axis` is the same. Default: all. */
  dim?: Dims;
  axis?: Dims;
  /** Keep each reduced axis with size 1; `keepdims` is the same. */
  keepdim?: boolean;
  keepdims?: boolean;
  /** dtype to compute in and return. */
  dtype?: O;
}

/** dtype of positions, by whether int32 was asked for. */
export type IndexOf<I extends boolean> = true extends I ? (I extends true ? 'int32' : 'int64') : 'int64';

/** dtype of counts, or of sums of weights of dtype W. */
export type CountOf<W extends DType> = [W] extends [never]
  ? 'int64'
  : [W] extends ['float32']
    ? 'float32'
    : 'float32' extends W
      ? 'float32' | 'float64'
      : 'float64';

/** dtype that a scalar has by itself. A number whose value the type does not tell may be an integer or a float. */
export type ScalarDType<S> = S extends boolean
  ? 'bool'
  : S extends bigint
    ? 'int64'
    : S extends number
      ? NumberDType<S>
      : S extends Complex
        ? 'complex64'
        : DType;
type NumberDType<S extends number> = number extends S
  ? 'int64' | 'float32'
  : `${S}` extends `${bigint}`
    ? 'int64'
    : 'float32';

/** The dtype of an operand. */
export type DTypeOf<A> = A extends Tensor<infer D> ? D : ScalarDType<A>;

/** dtype of a tensor of dtype D combined with a scalar, which counts by its category only. */
export type WithScalar<D extends DType, S> = S extends boolean
  ? D
  : ScalarDType<S> extends infer N
    ? N extends 'float32'
      ? D extends BoolDType | IntegerDType
        ? 'float32'
        : D
      : N extends 'complex64'
        ? PairOf<D>
        : D extends BoolDType
          ? 'int64'
          : D
    : never;

/** dtype that two operands promote to. Tensors are taken to have dims: at run time a 0-dim tensor gives way to one with dims of
 * the same category, so an int32 tensor plus the int64 sum of another is int32. */
export type Promote<A, B> =
  A extends Tensor<infer D>
    ? B extends Tensor<infer E>
      ? PromoteTable[D][E]
      : WithScalar<D, B>
    : B extends Tensor<infer E>
      ? WithScalar<E, A>
      : PromoteTable[ScalarDType<A>][ScalarDType<B>];

/** dtype that three operands promote to: tensors first, then numbers. */
export type Promote3<A, B, C> = A extends Tensor
  ? B extends Tensor
    ? Promote<Tensor<Promote<A, B>>, C>
    : Promote<Tensor<Promote<A, C>>, B>
  : B extends Tensor
    ? Promote<Tensor<Promote<B, C>>, A>
    : Promote<Tensor<Promote<C, A>>, B>;

/** dtype that the tensors of a list promote to; of an array, whose length is not known, any of those that two of them may. */
export type PromoteAll<L extends readonly Tensor[]> = L extends readonly [Tensor<infer D>]
  ? D
  : L extends readonly [Tensor<infer D>, Tensor<infer E>, ...infer R extends readonly Tensor[]]
    ? PromoteAll<readonly [Tensor<PromoteTable[D][E]>, ...R]>
    : L extends readonly Tensor<infer D>[]
      ? PromoteTable[D][D]
      : never;

/** dtype of D with that of a tensor that may be left out. */
export type PromoteOptional<D extends DType, W extends DType> = [W] extends [never] ? D : PromoteTable[D][W];

/** A limit, or none. */
export type Bound = Operand | null | undefined;

/** dtype of A limited to [L, H]. */
export type Limited<A, L, H> = L extends null | undefined
  ? H extends null | undefined
    ? DTypeOf<A>
    : Promote<A, H>
  : H extends null | undefined
    ? Promote<A, L>
    : Promote3<A, L, H>;

/** dtypes of real floating-point numbers. */
export type RealFloatDType = 'float16' | 'bfloat16' | 'float32' | 'float64';

/** dtype of losses, which refuse what is no real floating-point number. */
export type LossOf<D extends DType> = D & RealFloatDType;

/** dtype of ops that compute in floating point. */
export type FloatOf<D extends DType> = D extends BoolDType | IntegerDType ? 'float32' : D;

/** dtype of the parts of complex numbers, which others have themselves. */
export type PartOf<D extends DType> = D extends 'complex64'
  ? 'float32'
  : D extends 'complex128'
    ? 'float64'
    : D;

/** dtype of complex numbers with parts of D. */
export type PairOf<D extends DType> = D extends 'float64' | 'complex128' ? 'complex128' : 'complex64';

/** dtype of sums and products. */
export type WideOf<D extends DType> = D extends 'uint64'
  ? 'uint64'
  : D extends BoolDType | IntegerDType
    ? 'int64'
    : D;

/** dtype of any and all. */
export type TruthOf<D extends DType> = D extends 'uint8' ? 'uint8' : 'bool';

/** Of item. */
export interface ItemOptions {
  /** Give an integer as a bigint, whatever its dtype. */
  bigint?: boolean;
}

/** Of borrow. */
export interface BorrowOptions {
  /**
   * The array is only read: the elements stay the version that gradients have kept, and no copy is written back.
   * Default: false.
   */
  readOnly?: boolean;
}

/** What item() gives. */
export type ItemOf<D extends DType> = D extends IntegerDType ? number : ElementOf<D>;

/** Nested arrays of any depth. */
export type Nested<T> = T | readonly Nested<T>[];

/** What an element reads as. */
export type ElementOf<D extends DType> = D extends 'bool'
  ? boolean
  : D extends 'int64' | 'uint64'
    ? bigint
    : D extends 'complex64' | 'complex128'
      ? Complex
      : number;

/** What data() gives: float16 is a Float16Array where the engine has it, else, as bfloat16 always, the bits in a Uint16Array;
 * complex numbers are pairs. */
export type DataOf<D extends DType> = {
  bool: Uint8Array;
  uint8: Uint8Array;
  int8: Int8Array;
  uint16: Uint16Array;
  int16: Int16Array;
  uint32: Uint32Array;
  int32: Int32Array;
  uint64: BigUint64Array;
  int64: BigInt64Array;
  float16: Uint16Array;
  bfloat16: Uint16Array;
  float32: Float32Array;
  float64: Float64Array;
  complex64: Float32Array;
  complex128: Float64Array;
}[D];

/** Any typed array with elements. */
export type TypedArray =
  | Uint8Array
  | Uint8ClampedArray
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | BigUint64Array
  | BigInt64Array
  | Float32Array
  | Float64Array;

/** dtype that a typed array becomes. */
export type DTypeOfArray<T extends TypedArray> = T extends Uint8Array | Uint8ClampedArray
  ? 'uint8'
  : T extends Int8Array
    ? 'int8'
    : T extends Uint16Array
      ? 'uint16'
      : T extends Int16Array
        ? 'int16'
        : T extends Uint32Array
          ? 'uint32'
          : T extends Int32Array
            ? 'int32'
            : T extends BigUint64Array
              ? 'uint64'
              : T extends BigInt64Array
                ? 'int64'
                : T extends Float32Array
                  ? 'float32'
                  : 'float64';

export type { FloatDType };
