// Written by scripts/gen_ops.mjs from the op table; change that instead.

import { StriaError } from './errors.js';

export const VERSION = '0.1.0';
/** Hash of the tables that the module is built from; the loaded module must have the same. */
export const FINGERPRINT = 539980233;

/** Name of an element type. */
export type DType =
  | 'bool'
  | 'uint8'
  | 'int8'
  | 'uint16'
  | 'int16'
  | 'uint32'
  | 'int32'
  | 'uint64'
  | 'int64'
  | 'float16'
  | 'bfloat16'
  | 'float32'
  | 'float64'
  | 'complex64'
  | 'complex128';
export type Category = 'B' | 'U' | 'I' | 'F' | 'C';
/** Every dtype: its number is the position. Categories: bool, unsigned, signed, float, complex. */
export const dtypes: readonly {
  name: DType;
  word: string;
  size: number;
  category: Category;
  summary: string;
}[] = [
  { name: 'bool', word: 'bool', size: 1, category: 'B', summary: 'truth value, one byte, 0 or 1' },
  { name: 'uint8', word: 'u8', size: 1, category: 'U', summary: 'unsigned 8-bit integer' },
  { name: 'int8', word: 'i8', size: 1, category: 'I', summary: 'signed 8-bit integer' },
  { name: 'uint16', word: 'u16', size: 2, category: 'U', summary: 'unsigned 16-bit integer' },
  { name: 'int16', word: 'i16', size: 2, category: 'I', summary: 'signed 16-bit integer' },
  { name: 'uint32', word: 'u32', size: 4, category: 'U', summary: 'unsigned 32-bit integer' },
  { name: 'int32', word: 'i32', size: 4, category: 'I', summary: 'signed 32-bit integer' },
  { name: 'uint64', word: 'u64', size: 8, category: 'U', summary: 'unsigned 64-bit integer' },
  { name: 'int64', word: 'i64', size: 8, category: 'I', summary: 'signed 64-bit integer' },
  { name: 'float16', word: 'f16', size: 2, category: 'F', summary: 'IEEE half precision' },
  { name: 'bfloat16', word: 'bf16', size: 2, category: 'F', summary: 'the upper half of a float32' },
  { name: 'float32', word: 'f32', size: 4, category: 'F', summary: 'IEEE single precision' },
  { name: 'float64', word: 'f64', size: 8, category: 'F', summary: 'IEEE double precision' },
  { name: 'complex64', word: 'c64', size: 8, category: 'C', summary: 'complex of two float32' },
  { name: 'complex128', word: 'c128', size: 16, category: 'C', summary: 'complex of two float64' },
];
export type BoolDType = 'bool';
export type IntegerDType = 'uint8' | 'int8' | 'uint16' | 'int16' | 'uint32' | 'int32' | 'uint64' | 'int64';
export type FloatDType = 'float16' | 'bfloat16' | 'float32' | 'float64';
export type ComplexDType = 'complex64' | 'complex128';

/** Name of a device. cpu: the memory of the process; meta: shape, strides and dtype only; no memory; cuda: GPUs of NVIDIA; custom: of a program that brings its own. */
export type Device = 'cpu' | 'meta' | `cuda:${number}` | `custom:${number}`;
/** Every type of device: its number is the position. Of some there are several, indices 0 to most - 1. */
export const deviceTypes: readonly { name: string; most: number }[] = [
  { name: 'cpu', most: 1 },
  { name: 'meta', most: 1 },
  { name: 'cuda', most: 16 },
  { name: 'custom', most: 16 },
];

/** What two dtypes promote to. */
export interface PromoteTable {
  bool: {
    bool: 'bool';
    uint8: 'uint8';
    int8: 'int8';
    uint16: 'uint16';
    int16: 'int16';
    uint32: 'uint32';
    int32: 'int32';
    uint64: 'uint64';
    int64: 'int64';
    float16: 'float16';
    bfloat16: 'bfloat16';
    float32: 'float32';
    float64: 'float64';
    complex64: 'complex64';
    complex128: 'complex128';
  };
  uint8: {
    bool: 'uint8';
    uint8: 'uint8';
    int8: 'int16';
    uint16: 'uint16';
    int16: 'int16';
    uint32: 'uint32';
    int32: 'int32';
    uint64: 'uint64';
    int64: 'int64';
    float16: 'float16';
    bfloat16: 'bfloat16';
    float32: 'float32';
    float64: 'float64';
    complex64: 'complex64';
    complex128: 'complex128';
  };
  int8: {
    bool: 'int8';
    uint8: 'int16';
    int8: 'int8';
    uint16: 'int32';
    int16: 'int16';
    uint32: 'int64';
    int32: 'int32';
    uint64: 'float64';
    int64: 'int64';
    float16: 'float16';
    bfloat16: 'bfloat16';
    float32: 'float32';
    float64: 'float64';
    complex64: 'complex64';
    complex128: 'complex128';
  };
  uint16: {
    bool: 'uint16';
    uint8: 'uint16';
    int8: 'int32';
    uint16: 'uint16';
    int16: 'int32';
    uint32: 'uint32';
    int32: 'int32';
    uint64: 'uint64';
    int64: 'int64';
    float16: 'float16';
    bfloat16: 'bfloat16';
    float32: 'float32';
    float64: 'float64';
    complex64: 'complex64';
    complex128: 'complex128';
  };
  int16: {
    bool: 'int16';
    uint8: 'int16';
    int8: 'int16';
    uint16: 'int32';
    int16: 'int16';
    uint32: 'int64';
    int32: 'int32';
    uint64: 'float64';
    int64: 'int64';
    float16: 'float16';
    bfloat16: 'bfloat16';
    float32: 'float32';
    float64: 'float64';
    complex64: 'complex64';
    complex128: 'complex128';
  };
  uint32: {
    bool: 'uint32';
    uint8: 'uint32';
    int8: 'int64';
    uint16: 'uint32';
    int16: 'int64';
    uint32: 'uint32';
    int32: 'int64';
    uint64: 'uint64';
    int64: 'int64';
    float16: 'float16';
    bfloat16: 'bfloat16';
    float32: 'float32';
    float64: 'float64';
    complex64: 'complex64';
    complex128: 'complex128';
  };
  int32: {
    bool: 'int32';
    uint8: 'int32';
    int8: 'int32';
    uint16: 'int32';
    int16: 'int32';
    uint32: 'int64';
    int32: 'int32';
    uint64: 'float64';
    int64: 'int64';
    float16: 'float16';
    bfloat16: 'bfloat16';
    float32: 'float32';
    float64: 'float64';
    complex64: 'complex64';
    complex128: 'complex128';
  };
  uint64: {
    bool: 'uint64';
    uint8: 'uint64';
    int8: 'float64';
    uint16: 'uint64';
    int16: 'float64';
    uint32: 'uint64';
    int32: 'float64';
    uint64: 'uint64';
    int64: 'float64';
    float16: 'float16';
    bfloat16: 'bfloat16';
    float32: 'float32';
    float64: 'float64';
    complex64: 'complex64';
    complex128: 'complex128';
  };
  int64: {
    bool: 'int64';
    uint8: 'int64';
    int8: 'int64';
    uint16: 'int64';
    int16: 'int64';
    uint32: 'int64';
    int32: 'int64';
    uint64: 'float64';
    int64: 'int64';
    float16: 'float16';
    bfloat16: 'bfloat16';
    float32: 'float32';
    float64: 'float64';
    complex64: 'complex64';
    complex128: 'complex128';
  };
  float16: {
    bool: 'float16';
    uint8: 'float16';
    int8: 'float16';
    uint16: 'float16';
    int16: 'float16';
    uint32: 'float16';
    int32: 'float16';
    uint64: 'float16';
    int64: 'float16';
    float16: 'float16';
    bfloat16: 'float32';
    float32: 'float32';
    float64: 'float64';
    complex64: 'complex64';
    complex128: 'complex128';
  };
  bfloat16: {
    bool: 'bfloat16';
    uint8: 'bfloat16';
    int8: 'bfloat16';
    uint16: 'bfloat16';
    int16: 'bfloat16';
    uint32: 'bfloat16';
    int32: 'bfloat16';
    uint64: 'bfloat16';
    int64: 'bfloat16';
    float16: 'float32';
    bfloat16: 'bfloat16';
    float32: 'float32';
    float64: 'float64';
    complex64: 'complex64';
    complex128: 'complex128';
  };
  float32: {
    bool: 'float32';
    uint8: 'float32';
    int8: 'float32';
    uint16: 'float32';
    int16: 'float32';
    uint32: 'float32';
    int32: 'float32';
    uint64: 'float32';
    int64: 'float32';
    float16: 'float32';
    bfloat16: 'float32';
    float32: 'float32';
    float64: 'float64';
    complex64: 'complex64';
    complex128: 'complex128';
  };
  float64: {
    bool: 'float64';
    uint8: 'float64';
    int8: 'float64';
    uint16: 'float64';
    int16: 'float64';
    uint32: 'float64';
    int32: 'float64';
    uint64: 'float64';
    int64: 'float64';
    float16: 'float64';
    bfloat16: 'float64';
    float32: 'float64';
    float64: 'float64';
    complex64: 'complex128';
    complex128: 'complex128';
  };
  complex64: {
    bool: 'complex64';
    uint8: 'complex64';
    int8: 'complex64';
    uint16: 'complex64';
    int16: 'complex64';
    uint32: 'complex64';
    int32: 'complex64';
    uint64: 'complex64';
    int64: 'complex64';
    float16: 'complex64';
    bfloat16: 'complex64';
    float32: 'complex64';
    float64: 'complex128';
    complex64: 'complex64';
    complex128: 'complex128';
  };
  complex128: {
    bool: 'complex128';
    uint8: 'complex128';
    int8: 'complex128';
    uint16: 'complex128';
    int16: 'complex128';
    uint32: 'complex128';
    int32: 'complex128';
    uint64: 'complex128';
    int64: 'complex128';
    float16: 'complex128';
    bfloat16: 'complex128';
    float32: 'complex128';
    float64: 'complex128';
    complex64: 'complex128';
    complex128: 'complex128';
  };
}

/** ERR_ARGUMENT: an argument is outside its domain. */
export class ArgumentError extends StriaError {
  override name = 'ArgumentError';
}
/** ERR_SHAPE: shapes do not fit; ERR_AXIS: an axis is out of range or given twice; ERR_OVERFLOW: a product of sizes does not fit; ERR_EMPTY: an empty reduction has no identity. */
export class ShapeError extends StriaError {
  override name = 'ShapeError';
}
/** ERR_DTYPE: a dtype is not supported here or does not cast. */
export class DTypeError extends StriaError {
  override name = 'DTypeError';
}
/** ERR_DEVICE: operands are on devices that do not fit. */
export class DeviceError extends StriaError {
  override name = 'DeviceError';
}
/** ERR_OVERLAP: operands share memory in a way that has no defined result. */
export class OverlapError extends StriaError {
  override name = 'OverlapError';
}
/** ERR_MEMORY: memory is exhausted or the limit is reached. */
export class MemoryError extends StriaError {
  override name = 'MemoryError';
}
/** ERR_DISPOSED: the tensor was disposed of. */
export class DisposedError extends StriaError {
  override name = 'DisposedError';
}
/** ERR_FORMAT: the file is malformed or of an unsupported kind. */
export class FormatError extends StriaError {
  override name = 'FormatError';
}
/** ERR_IO: reading or writing failed. */
export class IoError extends StriaError {
  override name = 'IoError';
}
/** ERR_UNSUPPORTED: this build or machine lacks what was asked for. */
export class UnsupportedError extends StriaError {
  override name = 'UnsupportedError';
}

/** Code of an error. */
export type ErrorCode =
  | 'ERR_ARGUMENT'
  | 'ERR_SHAPE'
  | 'ERR_AXIS'
  | 'ERR_DTYPE'
  | 'ERR_DEVICE'
  | 'ERR_OVERLAP'
  | 'ERR_MEMORY'
  | 'ERR_OVERFLOW'
  | 'ERR_DISPOSED'
  | 'ERR_FORMAT'
  | 'ERR_IO'
  | 'ERR_EMPTY'
  | 'ERR_UNSUPPORTED'
  | 'ERR_CONFIG'
  | 'ERR_INTERNAL';
/** Every status by its number. */
export const statuses: readonly { code: ErrorCode; text: string; error: typeof StriaError }[] = [
  { code: 'ERR_INTERNAL', text: 'no error', error: StriaError },
  { code: 'ERR_ARGUMENT', text: 'an argument is outside its domain', error: ArgumentError },
  { code: 'ERR_SHAPE', text: 'shapes do not fit', error: ShapeError },
  { code: 'ERR_AXIS', text: 'an axis is out of range or given twice', error: ShapeError },
  { code: 'ERR_DTYPE', text: 'a dtype is not supported here or does not cast', error: DTypeError },
  { code: 'ERR_DEVICE', text: 'operands are on devices that do not fit', error: DeviceError },
  {
    code: 'ERR_OVERLAP',
    text: 'operands share memory in a way that has no defined result',
    error: OverlapError,
  },
  { code: 'ERR_MEMORY', text: 'memory is exhausted or the limit is reached', error: MemoryError },
  { code: 'ERR_OVERFLOW', text: 'a product of sizes does not fit', error: ShapeError },
  { code: 'ERR_DISPOSED', text: 'the tensor was disposed of', error: DisposedError },
  { code: 'ERR_FORMAT', text: 'the file is malformed or of an unsupported kind', error: FormatError },
  { code: 'ERR_IO', text: 'reading or writing failed', error: IoError },
  { code: 'ERR_EMPTY', text: 'an empty reduction has no identity', error: ShapeError },
  {
    code: 'ERR_UNSUPPORTED',
    text: 'this build or machine lacks what was asked for',
    error: UnsupportedError,
  },
  {
    code: 'ERR_CONFIG',
    text: 'options were set in the wrong order or contradict each other',
    error: StriaError,
  },
  {
    code: 'ERR_INTERNAL',
    text: 'a contract inside the library or of a kernel author was broken',
    error: StriaError,
  },
];

/** Numbers of the element-wise ops, but those that have numbers as attributes and are functions here. */
export const opNumbers = {
  add: 0,
  sub: 1,
  mul: 2,
  div: 3,
  neg: 4,
  abs: 5,
  sign: 6,
  square: 7,
  sqrt: 8,
  rsqrt: 9,
  cbrt: 10,
  reciprocal: 11,
  pow: 12,
  lerp: 13,
  exp: 14,
  exp2: 15,
  expm1: 16,
  log: 17,
  log1p: 18,
  log2: 19,
  log10: 20,
  sin: 21,
  cos: 22,
  tan: 23,
  asin: 24,
  acos: 25,
  atan: 26,
  atan2: 27,
  tanh: 28,
  sinh: 29,
  cosh: 30,
  asinh: 31,
  acosh: 32,
  atanh: 33,
  sigmoid: 34,
  relu: 35,
  gelu: 36,
  geluTanh: 37,
  erf: 38,
  erfc: 39,
  floor: 40,
  ceil: 41,
  round: 42,
  trunc: 43,
  minimum: 44,
  maximum: 45,
  clamp: 46,
  where: 47,
  eq: 48,
  ne: 49,
  lt: 50,
  le: 51,
  gt: 52,
  ge: 53,
  isnan: 54,
  isinf: 55,
  isfinite: 56,
  logicalAnd: 57,
  logicalOr: 58,
  logicalNot: 59,
  bitwiseAnd: 60,
  bitwiseOr: 61,
  bitwiseXor: 62,
  bitwiseNot: 63,
  truncDivide: 64,
  floorDivide: 65,
  fmod: 66,
  remainder: 67,
  bitwiseLeftShift: 68,
  bitwiseRightShift: 69,
  fmin: 70,
  fmax: 71,
  addScaled: 72,
  subScaled: 73,
  roundTo: 74,
  logicalXor: 75,
  signbit: 76,
  copysign: 77,
  nextafter: 78,
  heaviside: 79,
  gcd: 80,
  lcm: 81,
  frac: 82,
  deg2rad: 83,
  rad2deg: 84,
  relu6: 85,
  softsign: 86,
  hardsigmoid: 87,
  hardswish: 88,
  exp10: 89,
  ldexp: 90,
  xlogy: 91,
  logaddexp: 92,
  logaddexp2: 93,
  hypot: 94,
  sinc: 95,
  ndtr: 96,
  erfinv: 97,
  i0: 98,
  lgamma: 99,
  digamma: 100,
  silu: 101,
  mish: 102,
  selu: 103,
  logsigmoid: 104,
  tanhshrink: 114,
  bitwiseCount: 115,
  countLeadingZeros: 116,
} as const;

/** Name of an element-wise op. */
export type OpName = keyof typeof opNumbers;

/** Number of inputs of each element-wise op. */
export const opArities: readonly number[] = [
  2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 1, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 2, 2,
  3, 3, 3, 2, 1, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 2, 2,
  2, 2, 2, 3, 3, 2, 1, 1, 1,
];

/** Numbers of the reductions. */
export const reductionNumbers = {
  sum: 0,
  prod: 1,
  amax: 2,
  amin: 3,
  any: 4,
  all: 5,
  mean: 6,
} as const;

/** Name of a reduction. */
export type ReductionName = keyof typeof reductionNumbers;

/** Other spellings of options. */
export const aliases = { axis: 'dim', keepdims: 'keepdim' } as const;

/** A parameter of a function on whole tensors; the kinds are those of functions.def. */
export interface Parameter {
  readonly kind: string;
  readonly name: string;
  /** Attributes: what they are if they are not given; ALL, OPEN and NONE: no value; REQUIRED: they must be given. */
  readonly usual?: number | boolean | string;
  /** INTS: how many. */
  readonly n?: number;
  readonly words?: readonly string[];
  /** An option that says the same: 1 where it is true, 0 where it is false. */
  readonly flag?: string;
  /** Outputs: the rule for their dtype. */
  readonly dtype?: string;
}

/** A function on whole tensors. */
export interface FunctionRow {
  readonly name: string;
  readonly tensors: readonly Parameter[];
  readonly attributes: readonly Parameter[];
  /** How many attributes are arguments; the others are options. */
  readonly positional: number;
  /** The arguments in another order than tensors, then attributes: the places there. */
  readonly order?: readonly number[];
  readonly outputs: readonly Parameter[];
}

/** The functions on whole tensors; their number is the position. */
export const functionRows: readonly FunctionRow[] = [
  {
    name: 'slice',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 0 },
      { kind: 'INT', name: 'start', usual: 'OPEN' },
      { kind: 'INT', name: 'stop', usual: 'OPEN' },
      { kind: 'INT', name: 'step', usual: 1 },
    ],
    positional: 4,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'select',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 'REQUIRED' },
      { kind: 'INT', name: 'index', usual: 'REQUIRED' },
    ],
    positional: 2,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'transpose',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [
      { kind: 'AXIS', name: 'dim0', usual: 'REQUIRED' },
      { kind: 'AXIS', name: 'dim1', usual: 'REQUIRED' },
    ],
    positional: 2,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'permute',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [{ kind: 'AXES', name: 'dims', usual: 'REQUIRED' }],
    positional: 1,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'flip',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [{ kind: 'AXES', name: 'dims', usual: 'REQUIRED' }],
    positional: 1,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'view',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [{ kind: 'SHAPE', name: 'shape', usual: 'REQUIRED' }],
    positional: 1,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'viewDtype',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [{ kind: 'DTYPE', name: 'dtype', usual: 'NONE' }],
    positional: 1,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'expand',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [{ kind: 'SHAPE', name: 'shape', usual: 'REQUIRED' }],
    positional: 1,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'squeeze',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [{ kind: 'AXES', name: 'dim', usual: 'ALL' }],
    positional: 1,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'unsqueeze',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [{ kind: 'AXIS', name: 'dim', usual: 'REQUIRED' }],
    positional: 1,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'diagonal',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [
      { kind: 'INT', name: 'offset', usual: 0 },
      { kind: 'AXIS', name: 'dim1', usual: 0 },
      { kind: 'AXIS', name: 'dim2', usual: 1 },
    ],
    positional: 3,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'reshape',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [{ kind: 'SHAPE', name: 'shape', usual: 'REQUIRED' }],
    positional: 1,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'contiguous',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'matmul',
    tensors: [
      { kind: 'IN', name: 'a' },
      { kind: 'IN', name: 'b' },
    ],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'mm',
    tensors: [
      { kind: 'IN', name: 'a' },
      { kind: 'IN', name: 'b' },
    ],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'bmm',
    tensors: [
      { kind: 'IN', name: 'a' },
      { kind: 'IN', name: 'b' },
    ],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'mv',
    tensors: [
      { kind: 'IN', name: 'a' },
      { kind: 'IN', name: 'b' },
    ],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'dot',
    tensors: [
      { kind: 'IN', name: 'a' },
      { kind: 'IN', name: 'b' },
    ],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'einsum',
    tensors: [{ kind: 'LIST', name: 'operands' }],
    attributes: [{ kind: 'TEXT', name: 'equation', usual: 'REQUIRED' }],
    positional: 1,
    order: [1, 0],
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'outer',
    tensors: [
      { kind: 'IN', name: 'a' },
      { kind: 'IN', name: 'b' },
    ],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'inner',
    tensors: [
      { kind: 'IN', name: 'a' },
      { kind: 'IN', name: 'b' },
    ],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'vdot',
    tensors: [
      { kind: 'IN', name: 'a' },
      { kind: 'IN', name: 'b' },
    ],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'addmm',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'mat1' },
      { kind: 'IN', name: 'mat2' },
    ],
    attributes: [
      { kind: 'SCALAR', name: 'beta', usual: 1 },
      { kind: 'SCALAR', name: 'alpha', usual: 1 },
    ],
    positional: 0,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'addmv',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'mat' },
      { kind: 'IN', name: 'vec' },
    ],
    attributes: [
      { kind: 'SCALAR', name: 'beta', usual: 1 },
      { kind: 'SCALAR', name: 'alpha', usual: 1 },
    ],
    positional: 0,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'addr',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'vec1' },
      { kind: 'IN', name: 'vec2' },
    ],
    attributes: [
      { kind: 'SCALAR', name: 'beta', usual: 1 },
      { kind: 'SCALAR', name: 'alpha', usual: 1 },
    ],
    positional: 0,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'baddbmm',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'batch1' },
      { kind: 'IN', name: 'batch2' },
    ],
    attributes: [
      { kind: 'SCALAR', name: 'beta', usual: 1 },
      { kind: 'SCALAR', name: 'alpha', usual: 1 },
    ],
    positional: 0,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'addbmm',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'batch1' },
      { kind: 'IN', name: 'batch2' },
    ],
    attributes: [
      { kind: 'SCALAR', name: 'beta', usual: 1 },
      { kind: 'SCALAR', name: 'alpha', usual: 1 },
    ],
    positional: 0,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'tensordot',
    tensors: [
      { kind: 'IN', name: 'a' },
      { kind: 'IN', name: 'b' },
    ],
    attributes: [
      { kind: 'INT', name: 'dims', usual: 2 },
      { kind: 'AXES', name: 'dimsA', usual: 'OPEN' },
      { kind: 'AXES', name: 'dimsB', usual: 'OPEN' },
    ],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'kron',
    tensors: [
      { kind: 'IN', name: 'a' },
      { kind: 'IN', name: 'b' },
    ],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'cross',
    tensors: [
      { kind: 'IN', name: 'a' },
      { kind: 'IN', name: 'b' },
    ],
    attributes: [{ kind: 'AXIS', name: 'dim', usual: -1 }],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'multiDot',
    tensors: [{ kind: 'LIST', name: 'tensors' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'chainMatmul',
    tensors: [{ kind: 'LIST', name: 'matrices' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'matrixPower',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [{ kind: 'INT', name: 'n', usual: 'REQUIRED' }],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'trace',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'WIDE' }],
  },
  {
    name: 'cdist',
    tensors: [
      { kind: 'IN', name: 'x1' },
      { kind: 'IN', name: 'x2' },
    ],
    attributes: [
      { kind: 'NUMBER', name: 'p', usual: 2 },
      {
        kind: 'WORD',
        name: 'computeMode',
        usual: 'use_mm_for_euclid_dist_if_necessary',
        words: [
          'use_mm_for_euclid_dist_if_necessary',
          'use_mm_for_euclid_dist',
          'donot_use_mm_for_euclid_dist',
        ],
      },
    ],
    positional: 2,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'svdvals',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'det',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'inverse',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'svd',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'FLAG', name: 'some', usual: true },
      { kind: 'FLAG', name: 'computeUv', usual: true },
    ],
    positional: 2,
    outputs: [
      { kind: 'OUT', name: 'u', dtype: 'SAME' },
      { kind: 'OUT', name: 's', dtype: 'SAME' },
      { kind: 'OUT', name: 'v', dtype: 'SAME' },
    ],
  },
  {
    name: 'argmax',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 'ALL' },
      { kind: 'FLAG', name: 'keepdim', usual: false },
    ],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'INDEX' }],
  },
  {
    name: 'argmin',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 'ALL' },
      { kind: 'FLAG', name: 'keepdim', usual: false },
    ],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'INDEX' }],
  },
  {
    name: 'var',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'AXES', name: 'dim', usual: 'ALL' },
      { kind: 'NUMBER', name: 'correction', usual: 1, flag: 'unbiased' },
      { kind: 'FLAG', name: 'keepdim', usual: false },
    ],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'REAL' }],
  },
  {
    name: 'std',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'AXES', name: 'dim', usual: 'ALL' },
      { kind: 'NUMBER', name: 'correction', usual: 1, flag: 'unbiased' },
      { kind: 'FLAG', name: 'keepdim', usual: false },
    ],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'REAL' }],
  },
  {
    name: 'norm',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'NUMBER', name: 'p', usual: 2 },
      { kind: 'AXES', name: 'dim', usual: 'ALL' },
      { kind: 'FLAG', name: 'keepdim', usual: false },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
    ],
    positional: 2,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'REAL' }],
  },
  {
    name: 'matrixNorm',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'WORD', name: 'ord', usual: 'fro', words: ['fro', '1', '-1', 'inf', '-inf', 'nuc', '2', '-2'] },
      { kind: 'AXES', name: 'dim', usual: 'OPEN' },
      { kind: 'FLAG', name: 'keepdim', usual: false },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
    ],
    positional: 2,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'FLOAT' }],
  },
  {
    name: 'dist',
    tensors: [
      { kind: 'IN', name: 'a' },
      { kind: 'IN', name: 'b' },
    ],
    attributes: [{ kind: 'NUMBER', name: 'p', usual: 2 }],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'logsumexp',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'AXES', name: 'dim', usual: 'REQUIRED' },
      { kind: 'FLAG', name: 'keepdim', usual: false },
    ],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'FLOAT' }],
  },
  {
    name: 'countNonzero',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [{ kind: 'AXES', name: 'dim', usual: 'ALL' }],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'INDEX' }],
  },
  {
    name: 'nansum',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'AXES', name: 'dim', usual: 'ALL' },
      { kind: 'FLAG', name: 'keepdim', usual: false },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
    ],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'WIDE' }],
  },
  {
    name: 'nanmean',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'AXES', name: 'dim', usual: 'ALL' },
      { kind: 'FLAG', name: 'keepdim', usual: false },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
    ],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'FLOAT' }],
  },
  {
    name: 'varMean',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'AXES', name: 'dim', usual: 'ALL' },
      { kind: 'NUMBER', name: 'correction', usual: 1, flag: 'unbiased' },
      { kind: 'FLAG', name: 'keepdim', usual: false },
    ],
    positional: 1,
    outputs: [
      { kind: 'OUT', name: 'var', dtype: 'REAL' },
      { kind: 'OUT', name: 'mean', dtype: 'FLOAT' },
    ],
  },
  {
    name: 'stdMean',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'AXES', name: 'dim', usual: 'ALL' },
      { kind: 'NUMBER', name: 'correction', usual: 1, flag: 'unbiased' },
      { kind: 'FLAG', name: 'keepdim', usual: false },
    ],
    positional: 1,
    outputs: [
      { kind: 'OUT', name: 'std', dtype: 'REAL' },
      { kind: 'OUT', name: 'mean', dtype: 'FLOAT' },
    ],
  },
  {
    name: 'aminmax',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 'ALL' },
      { kind: 'FLAG', name: 'keepdim', usual: false },
    ],
    positional: 0,
    outputs: [
      { kind: 'OUT', name: 'min', dtype: 'SAME' },
      { kind: 'OUT', name: 'max', dtype: 'SAME' },
    ],
  },
  {
    name: 'max',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 'ALL' },
      { kind: 'FLAG', name: 'keepdim', usual: false },
    ],
    positional: 1,
    outputs: [
      { kind: 'OUT', name: 'values', dtype: 'SAME' },
      { kind: 'OUT', name: 'indices', dtype: 'INDEX' },
    ],
  },
  {
    name: 'min',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 'ALL' },
      { kind: 'FLAG', name: 'keepdim', usual: false },
    ],
    positional: 1,
    outputs: [
      { kind: 'OUT', name: 'values', dtype: 'SAME' },
      { kind: 'OUT', name: 'indices', dtype: 'INDEX' },
    ],
  },
  {
    name: 'sumToSize',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [{ kind: 'SHAPE', name: 'size', usual: 'REQUIRED' }],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'median',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 'ALL' },
      { kind: 'FLAG', name: 'keepdim', usual: false },
    ],
    positional: 1,
    outputs: [
      { kind: 'OUT', name: 'values', dtype: 'SAME' },
      { kind: 'OUT', name: 'indices', dtype: 'INDEX' },
    ],
  },
  {
    name: 'nanmedian',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 'ALL' },
      { kind: 'FLAG', name: 'keepdim', usual: false },
    ],
    positional: 1,
    outputs: [
      { kind: 'OUT', name: 'values', dtype: 'SAME' },
      { kind: 'OUT', name: 'indices', dtype: 'INDEX' },
    ],
  },
  {
    name: 'mode',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: -1 },
      { kind: 'FLAG', name: 'keepdim', usual: false },
    ],
    positional: 1,
    outputs: [
      { kind: 'OUT', name: 'values', dtype: 'SAME' },
      { kind: 'OUT', name: 'indices', dtype: 'INDEX' },
    ],
  },
  {
    name: 'quantile',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'OPERAND', name: 'q' },
    ],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 'ALL' },
      { kind: 'FLAG', name: 'keepdim', usual: false },
      {
        kind: 'WORD',
        name: 'interpolation',
        usual: 'linear',
        words: ['linear', 'lower', 'higher', 'midpoint', 'nearest'],
      },
    ],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'nanquantile',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'OPERAND', name: 'q' },
    ],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 'ALL' },
      { kind: 'FLAG', name: 'keepdim', usual: false },
      {
        kind: 'WORD',
        name: 'interpolation',
        usual: 'linear',
        words: ['linear', 'lower', 'higher', 'midpoint', 'nearest'],
      },
    ],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'histc',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'INT', name: 'bins', usual: 100 },
      { kind: 'NUMBER', name: 'min', usual: 0 },
      { kind: 'NUMBER', name: 'max', usual: 0 },
    ],
    positional: 3,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'cov',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'OPTIONAL', name: 'fweights' },
      { kind: 'OPTIONAL', name: 'aweights' },
    ],
    attributes: [{ kind: 'NUMBER', name: 'correction', usual: 1, flag: 'unbiased' }],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'FLOAT' }],
  },
  {
    name: 'corrcoef',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'FLOAT' }],
  },
  {
    name: 'cummax',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [{ kind: 'AXIS', name: 'dim', usual: 'REQUIRED' }],
    positional: 1,
    outputs: [
      { kind: 'OUT', name: 'values', dtype: 'SAME' },
      { kind: 'OUT', name: 'indices', dtype: 'INDEX' },
    ],
  },
  {
    name: 'cummin',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [{ kind: 'AXIS', name: 'dim', usual: 'REQUIRED' }],
    positional: 1,
    outputs: [
      { kind: 'OUT', name: 'values', dtype: 'SAME' },
      { kind: 'OUT', name: 'indices', dtype: 'INDEX' },
    ],
  },
  {
    name: 'logcumsumexp',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [{ kind: 'AXIS', name: 'dim', usual: 'REQUIRED' }],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'FLOAT' }],
  },
  {
    name: 'diff',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'OPTIONAL', name: 'prepend' },
      { kind: 'OPTIONAL', name: 'append' },
    ],
    attributes: [
      { kind: 'INT', name: 'n', usual: 1 },
      { kind: 'AXIS', name: 'dim', usual: -1 },
    ],
    positional: 2,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'trapezoid',
    tensors: [
      { kind: 'IN', name: 'y' },
      { kind: 'OPTIONAL', name: 'x' },
    ],
    attributes: [
      { kind: 'NUMBER', name: 'dx', usual: 1 },
      { kind: 'AXIS', name: 'dim', usual: -1 },
    ],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'area', dtype: 'FLOAT' }],
  },
  {
    name: 'cumulativeTrapezoid',
    tensors: [
      { kind: 'IN', name: 'y' },
      { kind: 'OPTIONAL', name: 'x' },
    ],
    attributes: [
      { kind: 'NUMBER', name: 'dx', usual: 1 },
      { kind: 'AXIS', name: 'dim', usual: -1 },
    ],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'area', dtype: 'FLOAT' }],
  },
  {
    name: 'cumsum',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 'REQUIRED' },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
    ],
    positional: 1,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'WIDE' }],
  },
  {
    name: 'cumprod',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 'REQUIRED' },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
    ],
    positional: 1,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'WIDE' }],
  },
  {
    name: 'softmax',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 'REQUIRED' },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
    ],
    positional: 1,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'FLOAT' }],
  },
  {
    name: 'logSoftmax',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 'REQUIRED' },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
    ],
    positional: 1,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'FLOAT' }],
  },
  {
    name: 'layerNorm',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'OPTIONAL', name: 'weight' },
      { kind: 'OPTIONAL', name: 'bias' },
    ],
    attributes: [
      { kind: 'SHAPE', name: 'normalizedShape', usual: 'REQUIRED' },
      { kind: 'NUMBER', name: 'eps', usual: 0.00001 },
    ],
    positional: 1,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'FLOAT' }],
  },
  {
    name: 'softmaxBackward',
    tensors: [
      { kind: 'IN', name: 'gradient' },
      { kind: 'IN', name: 'y' },
    ],
    attributes: [{ kind: 'AXIS', name: 'dim', usual: 'REQUIRED' }],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'xGradient', dtype: 'SAME' }],
  },
  {
    name: 'logSoftmaxBackward',
    tensors: [
      { kind: 'IN', name: 'gradient' },
      { kind: 'IN', name: 'y' },
    ],
    attributes: [{ kind: 'AXIS', name: 'dim', usual: 'REQUIRED' }],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'xGradient', dtype: 'SAME' }],
  },
  {
    name: 'layerNormBackward',
    tensors: [
      { kind: 'IN', name: 'gradient' },
      { kind: 'IN', name: 'x' },
      { kind: 'OPTIONAL', name: 'weight' },
    ],
    attributes: [
      { kind: 'SHAPE', name: 'normalizedShape', usual: 'REQUIRED' },
      { kind: 'NUMBER', name: 'eps', usual: 0.00001 },
    ],
    positional: 1,
    outputs: [
      { kind: 'OUT', name: 'xGradient', dtype: 'SAME' },
      { kind: 'OUT', name: 'weightGradient', dtype: 'SAME' },
      { kind: 'OUT', name: 'biasGradient', dtype: 'SAME' },
    ],
  },
  {
    name: 'maskedSelect',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'mask' },
    ],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'maskedFill',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'mask' },
      { kind: 'OPERAND', name: 'value' },
    ],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'bincount',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'OPTIONAL', name: 'weights' },
    ],
    attributes: [{ kind: 'INT', name: 'minlength', usual: 0 }],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COUNT' }],
  },
  {
    name: 'gather',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'index' },
    ],
    attributes: [{ kind: 'AXIS', name: 'dim', usual: 'REQUIRED' }],
    positional: 1,
    order: [0, 2, 1],
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'takeAlongDim',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'indices' },
    ],
    attributes: [{ kind: 'AXIS', name: 'dim', usual: 'ALL' }],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'take',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'index' },
    ],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'indexSelect',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'index' },
    ],
    attributes: [{ kind: 'AXIS', name: 'dim', usual: 'REQUIRED' }],
    positional: 1,
    order: [0, 2, 1],
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'embedding',
    tensors: [
      { kind: 'IN', name: 'weight' },
      { kind: 'IN', name: 'indices' },
    ],
    attributes: [{ kind: 'INT', name: 'paddingIdx', usual: 'OPEN' }],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'index',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'LIST', name: 'indices' },
    ],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'nonzero',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'INDEX' }],
  },
  {
    name: 'argwhere',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'INDEX' }],
  },
  {
    name: 'scatter',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'index' },
      { kind: 'OPERAND', name: 'src' },
    ],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 'REQUIRED' },
      { kind: 'WORD', name: 'reduce', usual: 'none', words: ['none', 'add', 'multiply'] },
    ],
    positional: 1,
    order: [0, 3, 1, 2],
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'scatterAdd',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'index' },
      { kind: 'IN', name: 'src' },
    ],
    attributes: [{ kind: 'AXIS', name: 'dim', usual: 'REQUIRED' }],
    positional: 1,
    order: [0, 3, 1, 2],
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'scatterReduce',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'index' },
      { kind: 'IN', name: 'src' },
    ],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 'REQUIRED' },
      { kind: 'WORD', name: 'reduce', usual: 'REQUIRED', words: ['sum', 'prod', 'mean', 'amax', 'amin'] },
      { kind: 'FLAG', name: 'includeSelf', usual: true },
    ],
    positional: 2,
    order: [0, 3, 1, 2, 4],
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'put',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'index' },
      { kind: 'IN', name: 'source' },
    ],
    attributes: [{ kind: 'FLAG', name: 'accumulate', usual: false }],
    positional: 1,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'indexAdd',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'index' },
      { kind: 'IN', name: 'source' },
    ],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 'REQUIRED' },
      { kind: 'SCALAR', name: 'alpha', usual: 1 },
    ],
    positional: 1,
    order: [0, 3, 1, 2],
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'indexCopy',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'index' },
      { kind: 'IN', name: 'source' },
    ],
    attributes: [{ kind: 'AXIS', name: 'dim', usual: 'REQUIRED' }],
    positional: 1,
    order: [0, 3, 1, 2],
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'indexFill',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'index' },
      { kind: 'OPERAND', name: 'value' },
    ],
    attributes: [{ kind: 'AXIS', name: 'dim', usual: 'REQUIRED' }],
    positional: 1,
    order: [0, 3, 1, 2],
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'indexReduce',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'index' },
      { kind: 'IN', name: 'source' },
    ],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 'REQUIRED' },
      { kind: 'WORD', name: 'reduce', usual: 'REQUIRED', words: ['prod', 'mean', 'amax', 'amin'] },
      { kind: 'FLAG', name: 'includeSelf', usual: true },
    ],
    positional: 2,
    order: [0, 3, 1, 2, 4],
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'indexPut',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'OPERAND', name: 'values' },
      { kind: 'LIST', name: 'indices' },
    ],
    attributes: [{ kind: 'FLAG', name: 'accumulate', usual: false }],
    positional: 1,
    order: [0, 2, 1, 3],
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'maskedScatter',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'mask' },
      { kind: 'IN', name: 'source' },
    ],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'selectScatter',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'src' },
    ],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 'REQUIRED' },
      { kind: 'INT', name: 'index', usual: 'REQUIRED' },
    ],
    positional: 2,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'sliceScatter',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'src' },
    ],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 0 },
      { kind: 'INT', name: 'start', usual: 'OPEN' },
      { kind: 'INT', name: 'stop', usual: 'OPEN' },
      { kind: 'INT', name: 'step', usual: 1 },
    ],
    positional: 4,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'diagonalScatter',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'src' },
    ],
    attributes: [
      { kind: 'INT', name: 'offset', usual: 0 },
      { kind: 'AXIS', name: 'dim1', usual: 0 },
      { kind: 'AXIS', name: 'dim2', usual: 1 },
    ],
    positional: 3,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'oneHot',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [{ kind: 'INT', name: 'numClasses', usual: -1 }],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'INDEX' }],
  },
  {
    name: 'searchsorted',
    tensors: [
      { kind: 'IN', name: 'sortedSequence' },
      { kind: 'OPERAND', name: 'values' },
      { kind: 'OPTIONAL', name: 'sorter' },
    ],
    attributes: [
      { kind: 'FLAG', name: 'right', usual: false },
      { kind: 'WORD', name: 'side', usual: 'none', words: ['none', 'left', 'right'] },
      { kind: 'FLAG', name: 'outInt32', usual: false },
    ],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'INDEX' }],
  },
  {
    name: 'bucketize',
    tensors: [
      { kind: 'OPERAND', name: 'x' },
      { kind: 'IN', name: 'boundaries' },
    ],
    attributes: [
      { kind: 'FLAG', name: 'right', usual: false },
      { kind: 'FLAG', name: 'outInt32', usual: false },
    ],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'INDEX' }],
  },
  {
    name: 'isin',
    tensors: [
      { kind: 'OPERAND', name: 'elements' },
      { kind: 'OPERAND', name: 'testElements' },
    ],
    attributes: [{ kind: 'FLAG', name: 'invert', usual: false }],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'BOOL' }],
  },
  {
    name: 'embeddingRenorm',
    tensors: [
      { kind: 'IN', name: 'weight' },
      { kind: 'IN', name: 'indices' },
    ],
    attributes: [
      { kind: 'NUMBER', name: 'maxNorm', usual: 'REQUIRED' },
      { kind: 'NUMBER', name: 'normType', usual: 2 },
    ],
    positional: 2,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'sort',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: -1 },
      { kind: 'FLAG', name: 'descending', usual: false },
      { kind: 'FLAG', name: 'stable', usual: false },
    ],
    positional: 2,
    outputs: [
      { kind: 'OUT', name: 'values', dtype: 'SAME' },
      { kind: 'OUT', name: 'indices', dtype: 'INDEX' },
    ],
  },
  {
    name: 'argsort',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: -1 },
      { kind: 'FLAG', name: 'descending', usual: false },
      { kind: 'FLAG', name: 'stable', usual: false },
    ],
    positional: 2,
    outputs: [{ kind: 'OUT', name: 'indices', dtype: 'INDEX' }],
  },
  {
    name: 'msort',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'topk',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'INT', name: 'k', usual: 'REQUIRED' },
      { kind: 'AXIS', name: 'dim', usual: -1 },
      { kind: 'FLAG', name: 'largest', usual: true },
      { kind: 'FLAG', name: 'sorted', usual: true },
    ],
    positional: 4,
    outputs: [
      { kind: 'OUT', name: 'values', dtype: 'SAME' },
      { kind: 'OUT', name: 'indices', dtype: 'INDEX' },
    ],
  },
  {
    name: 'kthvalue',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'INT', name: 'k', usual: 'REQUIRED' },
      { kind: 'AXIS', name: 'dim', usual: -1 },
      { kind: 'FLAG', name: 'keepdim', usual: false },
    ],
    positional: 2,
    outputs: [
      { kind: 'OUT', name: 'values', dtype: 'SAME' },
      { kind: 'OUT', name: 'indices', dtype: 'INDEX' },
    ],
  },
  {
    name: 'unique',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'FLAG', name: 'sorted', usual: true },
      { kind: 'FLAG', name: 'returnInverse', usual: false },
      { kind: 'FLAG', name: 'returnCounts', usual: false },
      { kind: 'AXIS', name: 'dim', usual: 'ALL' },
    ],
    positional: 0,
    outputs: [
      { kind: 'OUT', name: 'values', dtype: 'SAME' },
      { kind: 'OUT', name: 'inverse', dtype: 'INDEX' },
      { kind: 'OUT', name: 'counts', dtype: 'INDEX' },
    ],
  },
  {
    name: 'uniqueConsecutive',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'FLAG', name: 'returnInverse', usual: false },
      { kind: 'FLAG', name: 'returnCounts', usual: false },
      { kind: 'AXIS', name: 'dim', usual: 'ALL' },
    ],
    positional: 0,
    outputs: [
      { kind: 'OUT', name: 'values', dtype: 'SAME' },
      { kind: 'OUT', name: 'inverse', dtype: 'INDEX' },
      { kind: 'OUT', name: 'counts', dtype: 'INDEX' },
    ],
  },
  {
    name: 'cat',
    tensors: [{ kind: 'LIST', name: 'tensors' }],
    attributes: [{ kind: 'AXIS', name: 'dim', usual: 0 }],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'pad',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'INT_LIST', name: 'pad', usual: 'REQUIRED' },
      {
        kind: 'WORD',
        name: 'mode',
        usual: 'constant',
        words: ['constant', 'reflect', 'replicate', 'circular'],
      },
      { kind: 'SCALAR', name: 'value', usual: 0 },
    ],
    positional: 2,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'stack',
    tensors: [{ kind: 'LIST', name: 'tensors' }],
    attributes: [{ kind: 'AXIS', name: 'dim', usual: 0 }],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'hstack',
    tensors: [{ kind: 'LIST', name: 'tensors' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'vstack',
    tensors: [{ kind: 'LIST', name: 'tensors' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'rowStack',
    tensors: [{ kind: 'LIST', name: 'tensors' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'dstack',
    tensors: [{ kind: 'LIST', name: 'tensors' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'columnStack',
    tensors: [{ kind: 'LIST', name: 'tensors' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'blockDiag',
    tensors: [{ kind: 'LIST', name: 'tensors' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'cartesianProd',
    tensors: [{ kind: 'LIST', name: 'tensors' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'combinations',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'INT', name: 'r', usual: 2 },
      { kind: 'FLAG', name: 'withReplacement', usual: false },
    ],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'flatten',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [
      { kind: 'AXIS', name: 'startDim', usual: 0 },
      { kind: 'AXIS', name: 'endDim', usual: -1 },
    ],
    positional: 2,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'to',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [{ kind: 'DTYPE', name: 'dtype', usual: 'NONE' }],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'copy',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'OPERAND', name: 'source' },
    ],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'fill',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [{ kind: 'SCALAR', name: 'value', usual: 'REQUIRED' }],
    positional: 1,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'ravel',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'tril',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [{ kind: 'INT', name: 'diagonal', usual: 0 }],
    positional: 1,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'triu',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [{ kind: 'INT', name: 'diagonal', usual: 0 }],
    positional: 1,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'diagEmbed',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'INT', name: 'offset', usual: 0 },
      { kind: 'AXIS', name: 'dim1', usual: -2 },
      { kind: 'AXIS', name: 'dim2', usual: -1 },
    ],
    positional: 3,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'diag',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [{ kind: 'INT', name: 'diagonal', usual: 0 }],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'diagflat',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [{ kind: 'INT', name: 'offset', usual: 0 }],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'rot90',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [
      { kind: 'INT', name: 'k', usual: 1 },
      { kind: 'AXES', name: 'dims', usual: 'OPEN' },
    ],
    positional: 2,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'roll',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'INT_LIST', name: 'shifts', usual: 'REQUIRED' },
      { kind: 'AXES', name: 'dims', usual: 'OPEN' },
    ],
    positional: 2,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'repeat',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [{ kind: 'SHAPE', name: 'sizes', usual: 'REQUIRED' }],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'tile',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [{ kind: 'SHAPE', name: 'dims', usual: 'REQUIRED' }],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'repeatInterleave',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'OPERAND', name: 'repeats' },
    ],
    attributes: [{ kind: 'AXIS', name: 'dim', usual: 'ALL' }],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'asStrided',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [
      { kind: 'SHAPE', name: 'size', usual: 'REQUIRED' },
      { kind: 'INT_LIST', name: 'stride', usual: 'REQUIRED' },
      { kind: 'INT', name: 'storageOffset', usual: 'OPEN' },
    ],
    positional: 3,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'unfold',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [
      { kind: 'AXIS', name: 'dimension', usual: 'REQUIRED' },
      { kind: 'INT', name: 'size', usual: 'REQUIRED' },
      { kind: 'INT', name: 'step', usual: 'REQUIRED' },
    ],
    positional: 3,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'movedim',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [
      { kind: 'AXES', name: 'source', usual: 'REQUIRED' },
      { kind: 'AXES', name: 'destination', usual: 'REQUIRED' },
    ],
    positional: 2,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'moveaxis',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [
      { kind: 'AXES', name: 'source', usual: 'REQUIRED' },
      { kind: 'AXES', name: 'destination', usual: 'REQUIRED' },
    ],
    positional: 2,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'swapaxes',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [
      { kind: 'AXIS', name: 'axis0', usual: 'REQUIRED' },
      { kind: 'AXIS', name: 'axis1', usual: 'REQUIRED' },
    ],
    positional: 2,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'swapdims',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [
      { kind: 'AXIS', name: 'dim0', usual: 'REQUIRED' },
      { kind: 'AXIS', name: 'dim1', usual: 'REQUIRED' },
    ],
    positional: 2,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 't',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'narrow',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 'REQUIRED' },
      { kind: 'INT', name: 'start', usual: 'REQUIRED' },
      { kind: 'INT', name: 'length', usual: 'REQUIRED' },
    ],
    positional: 3,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'unflatten',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 'REQUIRED' },
      { kind: 'SHAPE', name: 'sizes', usual: 'REQUIRED' },
    ],
    positional: 2,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'broadcastTo',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [{ kind: 'SHAPE', name: 'shape', usual: 'REQUIRED' }],
    positional: 1,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'atleast1d',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'atleast2d',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'atleast3d',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'detach',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'split',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [
      { kind: 'INT_OR_LIST', name: 'splitSize', usual: 'REQUIRED' },
      { kind: 'AXIS', name: 'dim', usual: 0 },
    ],
    positional: 2,
    outputs: [{ kind: 'TENSORS', name: 'ys', dtype: 'SAME' }],
  },
  {
    name: 'chunk',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [
      { kind: 'INT', name: 'chunks', usual: 'REQUIRED' },
      { kind: 'AXIS', name: 'dim', usual: 0 },
    ],
    positional: 2,
    outputs: [{ kind: 'TENSORS', name: 'ys', dtype: 'SAME' }],
  },
  {
    name: 'tensorSplit',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [
      { kind: 'INT_OR_LIST', name: 'indicesOrSections', usual: 'REQUIRED' },
      { kind: 'AXIS', name: 'dim', usual: 0 },
    ],
    positional: 2,
    outputs: [{ kind: 'TENSORS', name: 'ys', dtype: 'SAME' }],
  },
  {
    name: 'hsplit',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [{ kind: 'INT_OR_LIST', name: 'indicesOrSections', usual: 'REQUIRED' }],
    positional: 1,
    outputs: [{ kind: 'TENSORS', name: 'ys', dtype: 'SAME' }],
  },
  {
    name: 'vsplit',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [{ kind: 'INT_OR_LIST', name: 'indicesOrSections', usual: 'REQUIRED' }],
    positional: 1,
    outputs: [{ kind: 'TENSORS', name: 'ys', dtype: 'SAME' }],
  },
  {
    name: 'dsplit',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [{ kind: 'INT_OR_LIST', name: 'indicesOrSections', usual: 'REQUIRED' }],
    positional: 1,
    outputs: [{ kind: 'TENSORS', name: 'ys', dtype: 'SAME' }],
  },
  {
    name: 'unbind',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [{ kind: 'AXIS', name: 'dim', usual: 0 }],
    positional: 1,
    outputs: [{ kind: 'TENSORS', name: 'ys', dtype: 'SAME' }],
  },
  {
    name: 'broadcastTensors',
    tensors: [{ kind: 'LIST', name: 'tensors' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'TENSORS', name: 'ys', dtype: 'EACH' }],
  },
  {
    name: 'meshgrid',
    tensors: [{ kind: 'LIST', name: 'tensors' }],
    attributes: [{ kind: 'WORD', name: 'indexing', usual: 'ij', words: ['ij', 'xy'] }],
    positional: 0,
    outputs: [{ kind: 'TENSORS', name: 'ys', dtype: 'EACH' }],
  },
  {
    name: 'mseLoss',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'target' },
    ],
    attributes: [{ kind: 'WORD', name: 'reduction', usual: 'mean', words: ['none', 'mean', 'sum'] }],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'l1Loss',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'target' },
    ],
    attributes: [{ kind: 'WORD', name: 'reduction', usual: 'mean', words: ['none', 'mean', 'sum'] }],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'huberLoss',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'target' },
    ],
    attributes: [
      { kind: 'WORD', name: 'reduction', usual: 'mean', words: ['none', 'mean', 'sum'] },
      { kind: 'NUMBER', name: 'delta', usual: 1 },
    ],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'smoothL1Loss',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'target' },
    ],
    attributes: [
      { kind: 'WORD', name: 'reduction', usual: 'mean', words: ['none', 'mean', 'sum'] },
      { kind: 'NUMBER', name: 'beta', usual: 1 },
    ],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'binaryCrossEntropy',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'target' },
      { kind: 'OPTIONAL', name: 'weight' },
    ],
    attributes: [{ kind: 'WORD', name: 'reduction', usual: 'mean', words: ['none', 'mean', 'sum'] }],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'binaryCrossEntropyWithLogits',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'target' },
      { kind: 'OPTIONAL', name: 'weight' },
      { kind: 'OPTIONAL', name: 'posWeight' },
    ],
    attributes: [{ kind: 'WORD', name: 'reduction', usual: 'mean', words: ['none', 'mean', 'sum'] }],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'klDiv',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'target' },
    ],
    attributes: [
      { kind: 'WORD', name: 'reduction', usual: 'mean', words: ['none', 'mean', 'sum', 'batchmean'] },
      { kind: 'FLAG', name: 'logTarget', usual: false },
    ],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'nllLoss',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'target' },
      { kind: 'OPTIONAL', name: 'weight' },
    ],
    attributes: [
      { kind: 'WORD', name: 'reduction', usual: 'mean', words: ['none', 'mean', 'sum'] },
      { kind: 'INT', name: 'ignoreIndex', usual: -100 },
    ],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'FLOAT' }],
  },
  {
    name: 'crossEntropy',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'target' },
      { kind: 'OPTIONAL', name: 'weight' },
    ],
    attributes: [
      { kind: 'WORD', name: 'reduction', usual: 'mean', words: ['none', 'mean', 'sum'] },
      { kind: 'INT', name: 'ignoreIndex', usual: -100 },
      { kind: 'NUMBER', name: 'labelSmoothing', usual: 0 },
    ],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'FLOAT' }],
  },
  {
    name: 'normalize',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'NUMBER', name: 'p', usual: 2 },
      { kind: 'AXIS', name: 'dim', usual: 1 },
      { kind: 'NUMBER', name: 'eps', usual: 1e-12 },
    ],
    positional: 2,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'FLOAT' }],
  },
  {
    name: 'cosineSimilarity',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'other' },
    ],
    attributes: [
      { kind: 'AXIS', name: 'dim', usual: 1 },
      { kind: 'NUMBER', name: 'eps', usual: 1e-8 },
    ],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'rmsNorm',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'OPTIONAL', name: 'weight' },
    ],
    attributes: [
      { kind: 'SHAPE', name: 'normalizedShape', usual: 'REQUIRED' },
      { kind: 'NUMBER', name: 'eps', usual: 'OPEN' },
    ],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'FLOAT' }],
  },
  {
    name: 'rmsNormBackward',
    tensors: [
      { kind: 'IN', name: 'gradient' },
      { kind: 'IN', name: 'x' },
      { kind: 'OPTIONAL', name: 'weight' },
    ],
    attributes: [
      { kind: 'SHAPE', name: 'normalizedShape', usual: 'REQUIRED' },
      { kind: 'NUMBER', name: 'eps', usual: 'OPEN' },
    ],
    positional: 1,
    outputs: [
      { kind: 'OUT', name: 'xGradient', dtype: 'SAME' },
      { kind: 'OUT', name: 'weightGradient', dtype: 'SAME' },
    ],
  },
  {
    name: 'localResponseNorm',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'INT', name: 'size', usual: 'REQUIRED' },
      { kind: 'NUMBER', name: 'alpha', usual: 0.0001 },
      { kind: 'NUMBER', name: 'beta', usual: 0.75 },
      { kind: 'NUMBER', name: 'k', usual: 1 },
    ],
    positional: 4,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'FLOAT' }],
  },
  {
    name: 'linear',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'weight' },
      { kind: 'OPTIONAL', name: 'bias' },
    ],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'empty',
    tensors: [],
    attributes: [
      { kind: 'SHAPE', name: 'shape', usual: 'REQUIRED' },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
      { kind: 'DEVICE', name: 'device', usual: 'cpu' },
    ],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'F32' }],
  },
  {
    name: 'emptyStrided',
    tensors: [],
    attributes: [
      { kind: 'SHAPE', name: 'size', usual: 'REQUIRED' },
      { kind: 'INT_LIST', name: 'stride', usual: 'REQUIRED' },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
      { kind: 'DEVICE', name: 'device', usual: 'cpu' },
    ],
    positional: 2,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'F32' }],
  },
  {
    name: 'zeros',
    tensors: [],
    attributes: [
      { kind: 'SHAPE', name: 'shape', usual: 'REQUIRED' },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
      { kind: 'DEVICE', name: 'device', usual: 'cpu' },
    ],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'F32' }],
  },
  {
    name: 'ones',
    tensors: [],
    attributes: [
      { kind: 'SHAPE', name: 'shape', usual: 'REQUIRED' },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
      { kind: 'DEVICE', name: 'device', usual: 'cpu' },
    ],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'F32' }],
  },
  {
    name: 'full',
    tensors: [],
    attributes: [
      { kind: 'SHAPE', name: 'shape', usual: 'REQUIRED' },
      { kind: 'SCALAR', name: 'value', usual: 'REQUIRED' },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
      { kind: 'DEVICE', name: 'device', usual: 'cpu' },
    ],
    positional: 2,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'VALUE' }],
  },
  {
    name: 'emptyLike',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [{ kind: 'DTYPE', name: 'dtype', usual: 'NONE' }],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'zerosLike',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [{ kind: 'DTYPE', name: 'dtype', usual: 'NONE' }],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'onesLike',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [{ kind: 'DTYPE', name: 'dtype', usual: 'NONE' }],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'fullLike',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'SCALAR', name: 'value', usual: 'REQUIRED' },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
    ],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'eye',
    tensors: [],
    attributes: [
      { kind: 'INT', name: 'n', usual: 'REQUIRED' },
      { kind: 'INT', name: 'm', usual: 'OPEN' },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
      { kind: 'DEVICE', name: 'device', usual: 'cpu' },
    ],
    positional: 2,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'F32' }],
  },
  {
    name: 'arange',
    tensors: [],
    attributes: [
      { kind: 'SCALAR', name: 'start', usual: 0 },
      { kind: 'SCALAR', name: 'end', usual: 'REQUIRED' },
      { kind: 'SCALAR', name: 'step', usual: 1 },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
      { kind: 'DEVICE', name: 'device', usual: 'cpu' },
    ],
    positional: 3,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'VALUE' }],
  },
  {
    name: 'linspace',
    tensors: [],
    attributes: [
      { kind: 'SCALAR', name: 'start', usual: 'REQUIRED' },
      { kind: 'SCALAR', name: 'end', usual: 'REQUIRED' },
      { kind: 'INT', name: 'steps', usual: 'REQUIRED' },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
      { kind: 'DEVICE', name: 'device', usual: 'cpu' },
    ],
    positional: 3,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'F32' }],
  },
  {
    name: 'logspace',
    tensors: [],
    attributes: [
      { kind: 'SCALAR', name: 'start', usual: 'REQUIRED' },
      { kind: 'SCALAR', name: 'end', usual: 'REQUIRED' },
      { kind: 'INT', name: 'steps', usual: 'REQUIRED' },
      { kind: 'NUMBER', name: 'base', usual: 10 },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
      { kind: 'DEVICE', name: 'device', usual: 'cpu' },
    ],
    positional: 4,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'F32' }],
  },
  {
    name: 'trilIndices',
    tensors: [],
    attributes: [
      { kind: 'INT', name: 'row', usual: 'REQUIRED' },
      { kind: 'INT', name: 'col', usual: 'REQUIRED' },
      { kind: 'INT', name: 'offset', usual: 0 },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
      { kind: 'DEVICE', name: 'device', usual: 'cpu' },
    ],
    positional: 3,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'INDEX' }],
  },
  {
    name: 'triuIndices',
    tensors: [],
    attributes: [
      { kind: 'INT', name: 'row', usual: 'REQUIRED' },
      { kind: 'INT', name: 'col', usual: 'REQUIRED' },
      { kind: 'INT', name: 'offset', usual: 0 },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
      { kind: 'DEVICE', name: 'device', usual: 'cpu' },
    ],
    positional: 3,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'INDEX' }],
  },
  {
    name: 'rand',
    tensors: [],
    attributes: [
      { kind: 'SHAPE', name: 'shape', usual: 'REQUIRED' },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
      { kind: 'DEVICE', name: 'device', usual: 'cpu' },
      { kind: 'GENERATOR', name: 'generator', usual: 'NONE' },
    ],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'F32' }],
  },
  {
    name: 'randLike',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
      { kind: 'GENERATOR', name: 'generator', usual: 'NONE' },
    ],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'uniform',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'NUMBER', name: 'from', usual: 0 },
      { kind: 'NUMBER', name: 'to', usual: 1 },
      { kind: 'GENERATOR', name: 'generator', usual: 'NONE' },
    ],
    positional: 2,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'randn',
    tensors: [],
    attributes: [
      { kind: 'SHAPE', name: 'shape', usual: 'REQUIRED' },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
      { kind: 'DEVICE', name: 'device', usual: 'cpu' },
      { kind: 'GENERATOR', name: 'generator', usual: 'NONE' },
    ],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'F32' }],
  },
  {
    name: 'randnLike',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
      { kind: 'GENERATOR', name: 'generator', usual: 'NONE' },
    ],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'fillNormal',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'NUMBER', name: 'mean', usual: 0 },
      { kind: 'NUMBER', name: 'std', usual: 1 },
      { kind: 'GENERATOR', name: 'generator', usual: 'NONE' },
    ],
    positional: 2,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'normal',
    tensors: [
      { kind: 'OPERAND', name: 'mean' },
      { kind: 'OPERAND', name: 'std' },
    ],
    attributes: [{ kind: 'GENERATOR', name: 'generator', usual: 'NONE' }],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'FLOATS' }],
  },
  {
    name: 'exponential',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'NUMBER', name: 'lambd', usual: 1 },
      { kind: 'GENERATOR', name: 'generator', usual: 'NONE' },
    ],
    positional: 1,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'randint',
    tensors: [],
    attributes: [
      { kind: 'SCALAR', name: 'low', usual: 0 },
      { kind: 'SCALAR', name: 'high', usual: 'REQUIRED' },
      { kind: 'SHAPE', name: 'shape', usual: 'REQUIRED' },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
      { kind: 'DEVICE', name: 'device', usual: 'cpu' },
      { kind: 'GENERATOR', name: 'generator', usual: 'NONE' },
    ],
    positional: 3,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'INDEX' }],
  },
  {
    name: 'randintLike',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'SCALAR', name: 'low', usual: 0 },
      { kind: 'SCALAR', name: 'high', usual: 'REQUIRED' },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
      { kind: 'GENERATOR', name: 'generator', usual: 'NONE' },
    ],
    positional: 2,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'randperm',
    tensors: [],
    attributes: [
      { kind: 'INT', name: 'n', usual: 'REQUIRED' },
      { kind: 'DTYPE', name: 'dtype', usual: 'NONE' },
      { kind: 'DEVICE', name: 'device', usual: 'cpu' },
      { kind: 'GENERATOR', name: 'generator', usual: 'NONE' },
    ],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'INDEX' }],
  },
  {
    name: 'bernoulli',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'NUMBER', name: 'p', usual: 'OPEN' },
      { kind: 'GENERATOR', name: 'generator', usual: 'NONE' },
    ],
    positional: 1,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'multinomial',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'INT', name: 'numSamples', usual: 'REQUIRED' },
      { kind: 'FLAG', name: 'replacement', usual: false },
      { kind: 'GENERATOR', name: 'generator', usual: 'NONE' },
    ],
    positional: 2,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'INDEX' }],
  },
  {
    name: 'dropout',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [
      { kind: 'NUMBER', name: 'p', usual: 0.5 },
      { kind: 'FLAG', name: 'training', usual: true },
      { kind: 'GENERATOR', name: 'generator', usual: 'NONE' },
    ],
    positional: 2,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'addcmul',
    tensors: [
      { kind: 'IN', name: 'a' },
      { kind: 'IN', name: 'b' },
      { kind: 'IN', name: 'c' },
    ],
    attributes: [{ kind: 'SCALAR', name: 'value', usual: 1 }],
    positional: 1,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'addcdiv',
    tensors: [
      { kind: 'IN', name: 'a' },
      { kind: 'IN', name: 'b' },
      { kind: 'IN', name: 'c' },
    ],
    attributes: [{ kind: 'NUMBER', name: 'value', usual: 1 }],
    positional: 1,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'FLOATS' }],
  },
  {
    name: 'nanToNum',
    tensors: [{ kind: 'IN', name: 'a' }],
    attributes: [
      { kind: 'NUMBER', name: 'nan', usual: 0 },
      { kind: 'NUMBER', name: 'posinf', usual: 'OPEN' },
      { kind: 'NUMBER', name: 'neginf', usual: 'OPEN' },
    ],
    positional: 3,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'frexp',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [
      { kind: 'OUT', name: 'mantissa', dtype: 'SAME' },
      { kind: 'OUT', name: 'exponent', dtype: 'I32' },
    ],
  },
  {
    name: 'clampMin',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'OPERAND', name: 'min' },
    ],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'clampMax',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'OPERAND', name: 'max' },
    ],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'isclose',
    tensors: [
      { kind: 'IN', name: 'a' },
      { kind: 'IN', name: 'b' },
    ],
    attributes: [
      { kind: 'NUMBER', name: 'rtol', usual: 0.00001 },
      { kind: 'NUMBER', name: 'atol', usual: 1e-8 },
      { kind: 'FLAG', name: 'equalNan', usual: false },
    ],
    positional: 3,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'BOOL' }],
  },
  {
    name: 'allclose',
    tensors: [
      { kind: 'IN', name: 'a' },
      { kind: 'IN', name: 'b' },
    ],
    attributes: [
      { kind: 'NUMBER', name: 'rtol', usual: 0.00001 },
      { kind: 'NUMBER', name: 'atol', usual: 1e-8 },
      { kind: 'FLAG', name: 'equalNan', usual: false },
    ],
    positional: 3,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'BOOL' }],
  },
  {
    name: 'equal',
    tensors: [
      { kind: 'IN', name: 'a' },
      { kind: 'IN', name: 'b' },
    ],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'BOOL' }],
  },
  {
    name: 'glu',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [{ kind: 'AXIS', name: 'dim', usual: -1 }],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'FLOAT' }],
  },
  {
    name: 'prelu',
    tensors: [
      { kind: 'IN', name: 'x' },
      { kind: 'IN', name: 'weight' },
    ],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'FLOATS' }],
  },
  {
    name: 'real',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'PART' }],
  },
  {
    name: 'imag',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'PART' }],
  },
  {
    name: 'viewAsReal',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'PART' }],
  },
  {
    name: 'viewAsComplex',
    tensors: [{ kind: 'BASE', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'VIEW', name: 'y', dtype: 'PAIR' }],
  },
  {
    name: 'complex',
    tensors: [
      { kind: 'IN', name: 're' },
      { kind: 'OPERAND', name: 'im' },
    ],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'PAIR' }],
  },
  {
    name: 'polar',
    tensors: [
      { kind: 'IN', name: 'abs' },
      { kind: 'OPERAND', name: 'angle' },
    ],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'PAIR' }],
  },
  {
    name: 'conj',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'angle',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'REAL' }],
  },
  {
    name: 'sgn',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'SAME' }],
  },
  {
    name: 'isreal',
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [],
    positional: 0,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'BOOL' }],
  },
  {
    name: 'sgd',
    tensors: [
      { kind: 'UPDATED', name: 'params' },
      { kind: 'LIST', name: 'grads' },
      { kind: 'UPDATED_OR_NONE', name: 'momenta' },
    ],
    attributes: [
      { kind: 'NUMBER', name: 'lr', usual: 'REQUIRED' },
      { kind: 'NUMBER', name: 'momentum', usual: 0 },
      { kind: 'NUMBER', name: 'dampening', usual: 0 },
      { kind: 'NUMBER', name: 'weightDecay', usual: 0 },
      { kind: 'FLAG', name: 'nesterov', usual: false },
      { kind: 'FLAG', name: 'maximize', usual: false },
      { kind: 'FLAG', name: 'isFirstStep', usual: false },
    ],
    positional: 1,
    outputs: [],
  },
  {
    name: 'adam',
    tensors: [
      { kind: 'UPDATED', name: 'params' },
      { kind: 'LIST', name: 'grads' },
      { kind: 'UPDATED', name: 'expAvgs' },
      { kind: 'UPDATED', name: 'expAvgSqs' },
      { kind: 'UPDATED_OR_NONE', name: 'maxExpAvgSqs' },
    ],
    attributes: [
      { kind: 'INT', name: 'step', usual: 'REQUIRED' },
      { kind: 'NUMBER', name: 'lr', usual: 0.001 },
      { kind: 'NUMBER', name: 'beta1', usual: 0.9 },
      { kind: 'NUMBER', name: 'beta2', usual: 0.999 },
      { kind: 'NUMBER', name: 'eps', usual: 1e-8 },
      { kind: 'NUMBER', name: 'weightDecay', usual: 0 },
      { kind: 'FLAG', name: 'maximize', usual: false },
    ],
    positional: 2,
    outputs: [],
  },
  {
    name: 'adamw',
    tensors: [
      { kind: 'UPDATED', name: 'params' },
      { kind: 'LIST', name: 'grads' },
      { kind: 'UPDATED', name: 'expAvgs' },
      { kind: 'UPDATED', name: 'expAvgSqs' },
      { kind: 'UPDATED_OR_NONE', name: 'maxExpAvgSqs' },
    ],
    attributes: [
      { kind: 'INT', name: 'step', usual: 'REQUIRED' },
      { kind: 'NUMBER', name: 'lr', usual: 0.001 },
      { kind: 'NUMBER', name: 'beta1', usual: 0.9 },
      { kind: 'NUMBER', name: 'beta2', usual: 0.999 },
      { kind: 'NUMBER', name: 'eps', usual: 1e-8 },
      { kind: 'NUMBER', name: 'weightDecay', usual: 0.01 },
      { kind: 'FLAG', name: 'maximize', usual: false },
    ],
    positional: 2,
    outputs: [],
  },
  {
    name: 'rmsprop',
    tensors: [
      { kind: 'UPDATED', name: 'params' },
      { kind: 'LIST', name: 'grads' },
      { kind: 'UPDATED', name: 'squareAvgs' },
      { kind: 'UPDATED_OR_NONE', name: 'momenta' },
      { kind: 'UPDATED_OR_NONE', name: 'gradAvgs' },
    ],
    attributes: [
      { kind: 'NUMBER', name: 'lr', usual: 0.01 },
      { kind: 'NUMBER', name: 'alpha', usual: 0.99 },
      { kind: 'NUMBER', name: 'eps', usual: 1e-8 },
      { kind: 'NUMBER', name: 'weightDecay', usual: 0 },
      { kind: 'NUMBER', name: 'momentum', usual: 0 },
      { kind: 'FLAG', name: 'maximize', usual: false },
    ],
    positional: 1,
    outputs: [],
  },
  {
    name: 'adagrad',
    tensors: [
      { kind: 'UPDATED', name: 'params' },
      { kind: 'LIST', name: 'grads' },
      { kind: 'UPDATED', name: 'stateSums' },
    ],
    attributes: [
      { kind: 'INT', name: 'step', usual: 'REQUIRED' },
      { kind: 'NUMBER', name: 'lr', usual: 0.01 },
      { kind: 'NUMBER', name: 'lrDecay', usual: 0 },
      { kind: 'NUMBER', name: 'weightDecay', usual: 0 },
      { kind: 'NUMBER', name: 'eps', usual: 1e-10 },
      { kind: 'FLAG', name: 'maximize', usual: false },
    ],
    positional: 2,
    outputs: [],
  },
  {
    name: 'totalNorm',
    tensors: [{ kind: 'LIST', name: 'tensors' }],
    attributes: [{ kind: 'NUMBER', name: 'p', usual: 2 }],
    positional: 1,
    outputs: [{ kind: 'OUT', name: 'y', dtype: 'FLOATS' }],
  },
  {
    name: 'clipGradsWithNorm',
    tensors: [
      { kind: 'IN', name: 'totalNorm' },
      { kind: 'UPDATED', name: 'grads' },
    ],
    attributes: [{ kind: 'NUMBER', name: 'maxNorm', usual: 'REQUIRED' }],
    positional: 1,
    outputs: [],
  },
  {
    name: 'clipGradValue',
    tensors: [{ kind: 'UPDATED', name: 'grads' }],
    attributes: [{ kind: 'NUMBER', name: 'clipValue', usual: 'REQUIRED' }],
    positional: 1,
    outputs: [],
  },
  {
    name: 'softplus',
    tensors: [{ kind: 'IN', name: 'a' }],
    attributes: [
      { kind: 'NUMBER', name: 'beta', usual: 1 },
      { kind: 'NUMBER', name: 'threshold', usual: 20 },
    ],
    positional: 2,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'FLOATS' }],
  },
  {
    name: 'elu',
    tensors: [{ kind: 'IN', name: 'a' }],
    attributes: [{ kind: 'NUMBER', name: 'alpha', usual: 1 }],
    positional: 1,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'FLOATS' }],
  },
  {
    name: 'celu',
    tensors: [{ kind: 'IN', name: 'a' }],
    attributes: [{ kind: 'NUMBER', name: 'alpha', usual: 1 }],
    positional: 1,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'FLOATS' }],
  },
  {
    name: 'leakyRelu',
    tensors: [{ kind: 'IN', name: 'a' }],
    attributes: [{ kind: 'NUMBER', name: 'negativeSlope', usual: 0.01 }],
    positional: 1,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'FLOATS' }],
  },
  {
    name: 'hardshrink',
    tensors: [{ kind: 'IN', name: 'a' }],
    attributes: [{ kind: 'NUMBER', name: 'lambd', usual: 0.5 }],
    positional: 1,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'FLOATS' }],
  },
  {
    name: 'softshrink',
    tensors: [{ kind: 'IN', name: 'a' }],
    attributes: [{ kind: 'NUMBER', name: 'lambd', usual: 0.5 }],
    positional: 1,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'FLOATS' }],
  },
  {
    name: 'hardtanh',
    tensors: [{ kind: 'IN', name: 'a' }],
    attributes: [
      { kind: 'SCALAR', name: 'minVal', usual: -1 },
      { kind: 'SCALAR', name: 'maxVal', usual: 1 },
    ],
    positional: 2,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'threshold',
    tensors: [{ kind: 'IN', name: 'a' }],
    attributes: [
      { kind: 'SCALAR', name: 'threshold', usual: 'REQUIRED' },
      { kind: 'SCALAR', name: 'value', usual: 'REQUIRED' },
    ],
    positional: 2,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'COMMON' }],
  },
  {
    name: 'logit',
    tensors: [{ kind: 'IN', name: 'a' }],
    attributes: [{ kind: 'NUMBER', name: 'eps', usual: 'OPEN' }],
    positional: 1,
    outputs: [{ kind: 'INPLACE', name: 'y', dtype: 'FLOATS' }],
  },
];

type FunctionName =
  | 'slice'
  | 'select'
  | 'transpose'
  | 'permute'
  | 'flip'
  | 'view'
  | 'viewDtype'
  | 'expand'
  | 'squeeze'
  | 'unsqueeze'
  | 'diagonal'
  | 'reshape'
  | 'contiguous'
  | 'matmul'
  | 'mm'
  | 'bmm'
  | 'mv'
  | 'dot'
  | 'einsum'
  | 'outer'
  | 'inner'
  | 'vdot'
  | 'addmm'
  | 'addmv'
  | 'addr'
  | 'baddbmm'
  | 'addbmm'
  | 'tensordot'
  | 'kron'
  | 'cross'
  | 'multiDot'
  | 'chainMatmul'
  | 'matrixPower'
  | 'trace'
  | 'cdist'
  | 'svdvals'
  | 'det'
  | 'inverse'
  | 'svd'
  | 'argmax'
  | 'argmin'
  | 'var'
  | 'std'
  | 'norm'
  | 'matrixNorm'
  | 'dist'
  | 'logsumexp'
  | 'countNonzero'
  | 'nansum'
  | 'nanmean'
  | 'varMean'
  | 'stdMean'
  | 'aminmax'
  | 'max'
  | 'min'
  | 'sumToSize'
  | 'median'
  | 'nanmedian'
  | 'mode'
  | 'quantile'
  | 'nanquantile'
  | 'histc'
  | 'cov'
  | 'corrcoef'
  | 'cummax'
  | 'cummin'
  | 'logcumsumexp'
  | 'diff'
  | 'trapezoid'
  | 'cumulativeTrapezoid'
  | 'cumsum'
  | 'cumprod'
  | 'softmax'
  | 'logSoftmax'
  | 'layerNorm'
  | 'softmaxBackward'
  | 'logSoftmaxBackward'
  | 'layerNormBackward'
  | 'maskedSelect'
  | 'maskedFill'
  | 'bincount'
  | 'gather'
  | 'takeAlongDim'
  | 'take'
  | 'indexSelect'
  | 'embedding'
  | 'index'
  | 'nonzero'
  | 'argwhere'
  | 'scatter'
  | 'scatterAdd'
  | 'scatterReduce'
  | 'put'
  | 'indexAdd'
  | 'indexCopy'
  | 'indexFill'
  | 'indexReduce'
  | 'indexPut'
  | 'maskedScatter'
  | 'selectScatter'
  | 'sliceScatter'
  | 'diagonalScatter'
  | 'oneHot'
  | 'searchsorted'
  | 'bucketize'
  | 'isin'
  | 'embeddingRenorm'
  | 'sort'
  | 'argsort'
  | 'msort'
  | 'topk'
  | 'kthvalue'
  | 'unique'
  | 'uniqueConsecutive'
  | 'cat'
  | 'pad'
  | 'stack'
  | 'hstack'
  | 'vstack'
  | 'rowStack'
  | 'dstack'
  | 'columnStack'
  | 'blockDiag'
  | 'cartesianProd'
  | 'combinations'
  | 'flatten'
  | 'to'
  | 'copy'
  | 'fill'
  | 'ravel'
  | 'tril'
  | 'triu'
  | 'diagEmbed'
  | 'diag'
  | 'diagflat'
  | 'rot90'
  | 'roll'
  | 'repeat'
  | 'tile'
  | 'repeatInterleave'
  | 'asStrided'
  | 'unfold'
  | 'movedim'
  | 'moveaxis'
  | 'swapaxes'
  | 'swapdims'
  | 't'
  | 'narrow'
  | 'unflatten'
  | 'broadcastTo'
  | 'atleast1d'
  | 'atleast2d'
  | 'atleast3d'
  | 'detach'
  | 'split'
  | 'chunk'
  | 'tensorSplit'
  | 'hsplit'
  | 'vsplit'
  | 'dsplit'
  | 'unbind'
  | 'broadcastTensors'
  | 'meshgrid'
  | 'mseLoss'
  | 'l1Loss'
  | 'huberLoss'
  | 'smoothL1Loss'
  | 'binaryCrossEntropy'
  | 'binaryCrossEntropyWithLogits'
  | 'klDiv'
  | 'nllLoss'
  | 'crossEntropy'
  | 'normalize'
  | 'cosineSimilarity'
  | 'rmsNorm'
  | 'rmsNormBackward'
  | 'localResponseNorm'
  | 'linear'
  | 'empty'
  | 'emptyStrided'
  | 'zeros'
  | 'ones'
  | 'full'
  | 'emptyLike'
  | 'zerosLike'
  | 'onesLike'
  | 'fullLike'
  | 'eye'
  | 'arange'
  | 'linspace'
  | 'logspace'
  | 'trilIndices'
  | 'triuIndices'
  | 'rand'
  | 'randLike'
  | 'uniform'
  | 'randn'
  | 'randnLike'
  | 'fillNormal'
  | 'normal'
  | 'exponential'
  | 'randint'
  | 'randintLike'
  | 'randperm'
  | 'bernoulli'
  | 'multinomial'
  | 'dropout'
  | 'addcmul'
  | 'addcdiv'
  | 'nanToNum'
  | 'frexp'
  | 'clampMin'
  | 'clampMax'
  | 'isclose'
  | 'allclose'
  | 'equal'
  | 'glu'
  | 'prelu'
  | 'real'
  | 'imag'
  | 'viewAsReal'
  | 'viewAsComplex'
  | 'complex'
  | 'polar'
  | 'conj'
  | 'angle'
  | 'sgn'
  | 'isreal'
  | 'sgd'
  | 'adam'
  | 'adamw'
  | 'rmsprop'
  | 'adagrad'
  | 'totalNorm'
  | 'clipGradsWithNorm'
  | 'clipGradValue'
  | 'softplus'
  | 'elu'
  | 'celu'
  | 'leakyRelu'
  | 'hardshrink'
  | 'softshrink'
  | 'hardtanh'
  | 'threshold'
  | 'logit';

/** Their numbers, by their names. */
export const functionNumbers = /* @__PURE__ */ Object.fromEntries(
  functionRows.map(({ name }, k) => [name, k]),
) as Readonly<Record<FunctionName, number>>;

/** The functions of native/abi.def. */
export interface Abi {
  /** offset of scratch part k, see abi.h; -1 beyond the last */
  layout(a: number): number;
  /** hash of the tables and of this file: what the callers of a module know of it */
  fingerprint(): number;
  /** (dtype, ndim) shape in n[] -> handle, elements undefined */
  tensor_new(a: number, b: number): number;
  /** (handle) -> 0 */
  dispose(a: number): number;
  /** (handle) -> ndim; facts, shape and strides in n[], see abi.h */
  describe(a: number): number;
  /** (op, a) -> handle */
  apply1(a: number, b: number): number;
  /** (op, a, b) -> handle */
  apply2(a: number, b: number, c: number): number;
  /** (op, a, b, c) -> handle */
  apply3(a: number, b: number, c: number, d: number): number;
  /** (op, a, kind, value, swap) a with a bool, integer or float number -> handle */
  apply2_number(a: number, b: number, c: number, d: number, e: number): number;
  /** (op, a, out) -> 0 */
  apply1_out(a: number, b: number, c: number): number;
  /** (op, a, b, out) -> 0 */
  apply2_out(a: number, b: number, c: number, d: number): number;
  /** (op, n_in, out or 0) operands in operand[] -> handle, or 0 with out */
  apply(a: number, b: number, c: number): number;
  /** (op, a, n_axes or -1: all, keepdim, dtype or -1, out or 0) axes in n[] -> handle or 0 */
  reduce(a: number, b: number, c: number, d: number, e: number, f: number): number;
  /** (kind, value, imaginary part) adds a constant to the program being written -> 0 */
  expression_constant(a: number, b: number, c: number): number;
  /** (op, in0, in1, in2) adds an instruction, see stria_instruction -> 0 */
  expression_op(a: number, b: number, c: number, d: number): number;
  /** (n_in) ends the program, whether it is refused or not -> handle, for dispose */
  expression_new(a: number): number;
  /** (expression, n_in, out or 0) handles of the inputs in n[] -> handle, or 0 with out */
  expression(a: number, b: number, c: number): number;
  /** (function, numbers) arguments in n[] and operand[], see abi.h -> first output: handle, or 0 if given; all in n[]; of a list its length, the first of list_next in n[] */
  call(a: number, b: number): number;
  /** handles of the next tensors of the list that the last call has made, as many as fit, in n[] -> how many, 0 at the end */
  list_next(): number;
  /** (a, dtype or -1 for its own) -> handle */
  copy(a: number, b: number): number;
  /** (out) value in operand[0] -> 0 */
  set(a: number): number;
  /** a random generator of seed 0 -> handle */
  generator_new(): number;
  /** (generator or 0: the default one) -> handle of a generator seeded by it */
  generator_fork(a: number): number;
  /** (generator or 0) its state in n[], see abi.h -> 0 */
  generator_get(a: number): number;
  /** (generator or 0) its state from n[] -> 0 */
  generator_set(a: number): number;
  /** (a) -> handle of a view that keeps the memory in its place; see stria_tensor_borrow */
  borrow(a: number): number;
  /** (handle from borrow, whether elements may have been written) -> 0 */
  give_back(a: number, b: number): number;
  /** (a) -> bits: 1 it requires a gradient, 2 it is a leaf, 4 it has a gradient */
  grad_state(a: number): number;
  /** (a, whether it requires a gradient) -> 0 */
  grad_require(a: number, b: number): number;
  /** (a, handle that it gave before, or 0) -> handle of the gradient, the old one if that is the same; 0: none */
  grad_get(a: number, b: number): number;
  /** (a, gradient or 0) -> 0 */
  grad_set(a: number, b: number): number;
  /** (a) -> 0 */
  grad_retain(a: number): number;
  /** (a) without history from now on -> 0 */
  grad_detach(a: number): number;
  /** (0 or 1; -1 leaves it) -> what it was */
  grad_mode(a: number): number;
  /** (a) -> number of a new hook, which stops walks; what removes it in n[0] */
  grad_hook(a: number): number;
  /** (what removes the hook) -> 0 */
  grad_unhook(a: number): number;
  /** numbers of hooks and functions that ended in n[], as many as fit -> how many */
  grad_ended(): number;
  /** (outputs, inputs, flags, whether it adds to gradients) in n[] outputs, their gradients or 0, inputs -> 0; walks are ended in reverse order */
  walk_new(a: number, b: number, c: number, d: number): number;
  /** goes on with the newest walk -> 0: done; 1: a hook, its number and the gradient in n[]; 2: a function, its number, how many inputs, and these in n[] */
  walk_next(): number;
  /** (n) as many handles in n[]: of a hook another gradient or none, of a function its results -> 0 */
  walk_answer(a: number): number;
  /** (k) -> handle of the gradient of input k, 0: none */
  walk_take(a: number): number;
  /** ends the newest walk -> 0 */
  walk_end(): number;
  /** from now on nothing is recorded -> a state for replay_end */
  replay_begin(): number;
  /** (state, inputs or -1: nothing was made, outputs) these in n[] -> 0: nothing requires gradients; else the number of a function, new handles of the outputs in n[] */
  replay_end(a: number, b: number, c: number): number;
  /** from now on calls are written down -> 0 */
  graph_begin(): number;
  /** (a) -> handle of the symbol of the next input, which stands for a */
  graph_input(a: number): number;
  /** (1 or 0) whether calls are made meanwhile -> 0 */
  graph_pause(a: number): number;
  /** (function, k) attribute k of the last call, of that row, is a number of each run -> which */
  graph_number(a: number, b: number): number;
  /** (results) these in n[] -> handle of the graph, for dispose */
  graph_end(a: number): number;
  /** (graph, graph, graph) of the sizes in n[]: the first one runs for all sizes -> 0 */
  graph_dynamic(a: number, b: number, c: number): number;
  /** ends a recording, if there is one, without a graph -> 0 */
  graph_cancel(): number;
  /** (graph, inputs, numbers) these in n[] -> 1 + how many results, in n[]; 0: dtypes, shapes, strides or gradients are not as they were recorded */
  graph_run(a: number, b: number, c: number): number;
  /** (graph) in n[] inputs, results, calls, steps, bytes that they make, bytes that a run holds -> 0 */
  graph_info(a: number): number;
  /** (graph) in n[] function, attribute, value of the first run and what runs add, of each number -> how many */
  graph_numbers(a: number): number;
  /** (graph, metadata: a tensor of bytes, a key and a value that end with 0, numbers) in n[] values of these, then what runs add -> handle of a tensor of the bytes of the file */
  graph_save(a: number, b: number, c: number): number;
  /** (a tensor of the bytes of a file) -> handle of the graph, for dispose */
  graph_load(a: number): number;
  /** (graph, inputs, numbers) these in n[], inputs of any strides, are refused if they are not as they were recorded -> 1 + how many results, in n[] */
  graph_run_any(a: number, b: number, c: number): number;
  /** (graph, offset) bytes of the JSON of stria_graph_explain; those from offset on in n[] */
  graph_explain(a: number, b: number): number;
  /** (op, n_in, offset) operands in operand[] -> bytes of the iterator's JSON; those from offset on in n[] */
  inspect(a: number, b: number, c: number): number;
  /** (op, n_axes or -1: all, keepdim, offset) axes in n[], x in operand[0] -> the same for a reduction */
  inspect_reduction(a: number, b: number, c: number, d: number): number;
  /** statistics in n[], in the order of stria_memory_stats -> 0 */
  memory(): number;
  /** -> bytes of the elements of live tensors */
  memory_live(): number;
  /** (bytes or 0) -> 0 */
  memory_limit(a: number): number;
  /** gives cached memory back -> 0 */
  memory_trim(): number;
  /** (n) -> 0 */
  threads_set(a: number): number;
  /** -> n */
  threads_get(): number;
  /** name of the instruction set in the message of the scratch block -> 0 */
  isa(): number;
}
export const abiNames: readonly (keyof Abi)[] = [
  'layout',
  'fingerprint',
  'tensor_new',
  'dispose',
  'describe',
  'apply1',
  'apply2',
  'apply3',
  'apply2_number',
  'apply1_out',
  'apply2_out',
  'apply',
  'reduce',
  'expression_constant',
  'expression_op',
  'expression_new',
  'expression',
  'call',
  'list_next',
  'copy',
  'set',
  'generator_new',
  'generator_fork',
  'generator_get',
  'generator_set',
  'borrow',
  'give_back',
  'grad_state',
  'grad_require',
  'grad_get',
  'grad_set',
  'grad_retain',
  'grad_detach',
  'grad_mode',
  'grad_hook',
  'grad_unhook',
  'grad_ended',
  'walk_new',
  'walk_next',
  'walk_answer',
  'walk_take',
  'walk_end',
  'replay_begin',
  'replay_end',
  'graph_begin',
  'graph_input',
  'graph_pause',
  'graph_number',
  'graph_end',
  'graph_dynamic',
  'graph_cancel',
  'graph_run',
  'graph_info',
  'graph_numbers',
  'graph_save',
  'graph_load',
  'graph_run_any',
  'graph_explain',
  'inspect',
  'inspect_reduction',
  'memory',
  'memory_live',
  'memory_limit',
  'memory_trim',
  'threads_set',
  'threads_get',
  'isa',
];
