// Written by scripts/gen_ops.mjs from the op table; change that instead.

import { StriaError } from './errors.js';
import { readRows, type FunctionRow } from './rows.js';

export const VERSION = '0.1.0';
/** Hash of the tables that the module is built from; the loaded module must have the same. */
export const FINGERPRINT = 1085965499;

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
/** What may be given for one: without a number the first of its type. */
export type DeviceName = Device | 'cuda' | 'custom';
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
/** ERR_DEVICE: operands are on devices that do not fit, or a device has failed. */
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
  {
    code: 'ERR_DEVICE',
    text: 'operands are on devices that do not fit, or a device has failed',
    error: DeviceError,
  },
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

export type { FunctionRow, Parameter } from './rows.js';

/** The functions on whole tensors; their number is the position. */
export const functionRows: readonly FunctionRow[] = /* @__PURE__ */ readRows(
  // prettier-ignore
  `slice;BASE:x;AXIS:dim=0 INT:start=OPEN INT:stop=OPEN INT:step=1;VIEW:y
select;BASE:x;AXIS:dim INT:index;VIEW:y
transpose;BASE:x;AXIS:dim0 AXIS:dim1;VIEW:y
permute;BASE:x;AXES:dims;VIEW:y
flip;BASE:x;AXES:dims;VIEW:y
view;BASE:x;SHAPE:shape;VIEW:y
viewDtype;BASE:x;DTYPE:dtype=NONE;VIEW:y
expand;BASE:x;SHAPE:shape;VIEW:y
squeeze;BASE:x;AXES:dim=ALL;VIEW:y
unsqueeze;BASE:x;AXIS:dim;VIEW:y
diagonal;BASE:x;INT:offset=0 AXIS:dim1=0 AXIS:dim2=1;VIEW:y
reshape;BASE:x;SHAPE:shape;VIEW:y
contiguous;BASE:x;;VIEW:y
matmul;IN:a IN:b;;OUT:y=COMMON
mm;IN:a IN:b;;OUT:y=COMMON
bmm;IN:a IN:b;;OUT:y=COMMON
mv;IN:a IN:b;;OUT:y=COMMON
dot;IN:a IN:b;;OUT:y=COMMON
einsum;LIST:operands;TEXT:equation;OUT:y=COMMON;10
outer;IN:a IN:b;;OUT:y=COMMON
inner;IN:a IN:b;;OUT:y=COMMON
vdot;IN:a IN:b;;OUT:y=COMMON
addmm;IN:x IN:mat1 IN:mat2;/SCALAR:beta=1 SCALAR:alpha=1;INPLACE:y=COMMON
addmv;IN:x IN:mat IN:vec;/SCALAR:beta=1 SCALAR:alpha=1;INPLACE:y=COMMON
addr;IN:x IN:vec1 IN:vec2;/SCALAR:beta=1 SCALAR:alpha=1;INPLACE:y=COMMON
baddbmm;IN:x IN:batch1 IN:batch2;/SCALAR:beta=1 SCALAR:alpha=1;INPLACE:y=COMMON
addbmm;IN:x IN:batch1 IN:batch2;/SCALAR:beta=1 SCALAR:alpha=1;INPLACE:y=COMMON
tensordot;IN:a IN:b;INT:dims=2/AXES:dimsA=OPEN AXES:dimsB=OPEN;OUT:y=COMMON
kron;IN:a IN:b;;OUT:y=COMMON
cross;IN:a IN:b;AXIS:dim=-1;OUT:y=COMMON
multiDot;LIST:tensors;;OUT:y=COMMON
chainMatmul;LIST:matrices;;OUT:y=COMMON
matrixPower;IN:x;INT:n;OUT:y
trace;IN:x;;OUT:y=WIDE
cdist;IN:x1 IN:x2;NUMBER:p=2 WORD:computeMode=use_mm_for_euclid_dist_if_necessary|use_mm_for_euclid_dist_if_necessary|use_mm_for_euclid_dist|donot_use_mm_for_euclid_dist;OUT:y=COMMON
svdvals;IN:x;;OUT:y
det;IN:x;;OUT:y
inverse;IN:x;;OUT:y
svd;IN:x;FLAG:some=true FLAG:computeUv=true;OUT:u OUT:s OUT:v
argmax;IN:x;AXIS:dim=ALL/FLAG:keepdim=false;OUT:y=INDEX
argmin;IN:x;AXIS:dim=ALL/FLAG:keepdim=false;OUT:y=INDEX
var;IN:x;AXES:dim=ALL/NUMBER:correction=1!unbiased FLAG:keepdim=false;OUT:y=REAL
std;IN:x;AXES:dim=ALL/NUMBER:correction=1!unbiased FLAG:keepdim=false;OUT:y=REAL
norm;IN:x;NUMBER:p=2 AXES:dim=ALL/FLAG:keepdim=false DTYPE:dtype=NONE;OUT:y=REAL
matrixNorm;IN:x;WORD:ord=fro|fro|1|-1|inf|-inf|nuc|2|-2 AXES:dim=OPEN/FLAG:keepdim=false DTYPE:dtype=NONE;OUT:y=FLOAT
dist;IN:a IN:b;NUMBER:p=2;OUT:y=COMMON
logsumexp;IN:x;AXES:dim/FLAG:keepdim=false;OUT:y=FLOAT
countNonzero;IN:x;AXES:dim=ALL;OUT:y=INDEX
nansum;IN:x;AXES:dim=ALL/FLAG:keepdim=false DTYPE:dtype=NONE;OUT:y=WIDE
nanmean;IN:x;AXES:dim=ALL/FLAG:keepdim=false DTYPE:dtype=NONE;OUT:y=FLOAT
varMean;IN:x;AXES:dim=ALL/NUMBER:correction=1!unbiased FLAG:keepdim=false;OUT:var=REAL OUT:mean=FLOAT
stdMean;IN:x;AXES:dim=ALL/NUMBER:correction=1!unbiased FLAG:keepdim=false;OUT:std=REAL OUT:mean=FLOAT
aminmax;IN:x;/AXIS:dim=ALL FLAG:keepdim=false;OUT:min OUT:max
max;IN:x;AXIS:dim=ALL/FLAG:keepdim=false;OUT:values OUT:indices=INDEX
min;IN:x;AXIS:dim=ALL/FLAG:keepdim=false;OUT:values OUT:indices=INDEX
sumToSize;IN:x;SHAPE:size;OUT:y
median;IN:x;AXIS:dim=ALL/FLAG:keepdim=false;OUT:values OUT:indices=INDEX
nanmedian;IN:x;AXIS:dim=ALL/FLAG:keepdim=false;OUT:values OUT:indices=INDEX
mode;IN:x;AXIS:dim=-1/FLAG:keepdim=false;OUT:values OUT:indices=INDEX
quantile;IN:x OPERAND:q;AXIS:dim=ALL/FLAG:keepdim=false WORD:interpolation=linear|linear|lower|higher|midpoint|nearest;OUT:y
nanquantile;IN:x OPERAND:q;AXIS:dim=ALL/FLAG:keepdim=false WORD:interpolation=linear|linear|lower|higher|midpoint|nearest;OUT:y
histc;IN:x;INT:bins=100 NUMBER:min=0 NUMBER:max=0;OUT:y
cov;IN:x OPTIONAL:fweights OPTIONAL:aweights;/NUMBER:correction=1!unbiased;OUT:y=FLOAT
corrcoef;IN:x;;OUT:y=FLOAT
cummax;IN:x;AXIS:dim;OUT:values OUT:indices=INDEX
cummin;IN:x;AXIS:dim;OUT:values OUT:indices=INDEX
logcumsumexp;IN:x;AXIS:dim;OUT:y=FLOAT
diff;IN:x OPTIONAL:prepend OPTIONAL:append;INT:n=1 AXIS:dim=-1;OUT:y=COMMON
trapezoid;IN:y OPTIONAL:x;/NUMBER:dx=1 AXIS:dim=-1;OUT:area=FLOAT
cumulativeTrapezoid;IN:y OPTIONAL:x;/NUMBER:dx=1 AXIS:dim=-1;OUT:area=FLOAT
cumsum;IN:x;AXIS:dim/DTYPE:dtype=NONE;INPLACE:y=WIDE
cumprod;IN:x;AXIS:dim/DTYPE:dtype=NONE;INPLACE:y=WIDE
softmax;IN:x;AXIS:dim/DTYPE:dtype=NONE;INPLACE:y=FLOAT
logSoftmax;IN:x;AXIS:dim/DTYPE:dtype=NONE;INPLACE:y=FLOAT
layerNorm;IN:x OPTIONAL:weight OPTIONAL:bias;SHAPE:normalizedShape/NUMBER:eps=0.00001;INPLACE:y=FLOAT
softmaxBackward;IN:gradient IN:y;AXIS:dim;OUT:xGradient
logSoftmaxBackward;IN:gradient IN:y;AXIS:dim;OUT:xGradient
layerNormBackward;IN:gradient IN:x OPTIONAL:weight;SHAPE:normalizedShape/NUMBER:eps=0.00001;OUT:xGradient OUT:weightGradient OUT:biasGradient
maskedSelect;IN:x IN:mask;;OUT:y
maskedFill;IN:x IN:mask OPERAND:value;;INPLACE:y
bincount;IN:x OPTIONAL:weights;/INT:minlength=0;OUT:y=COUNT
gather;IN:x IN:index;AXIS:dim;OUT:y;021
takeAlongDim;IN:x IN:indices;AXIS:dim=ALL;OUT:y
take;IN:x IN:index;;OUT:y
indexSelect;IN:x IN:index;AXIS:dim;OUT:y;021
embedding;IN:weight IN:indices;/INT:paddingIdx=OPEN;OUT:y
index;IN:x LIST:indices;;OUT:y
nonzero;IN:x;;OUT:y=INDEX
argwhere;IN:x;;OUT:y=INDEX
scatter;IN:x IN:index OPERAND:src;AXIS:dim/WORD:reduce=none|none|add|multiply;INPLACE:y;0312
scatterAdd;IN:x IN:index IN:src;AXIS:dim;INPLACE:y;0312
scatterReduce;IN:x IN:index IN:src;AXIS:dim WORD:reduce|sum|prod|mean|amax|amin/FLAG:includeSelf=true;INPLACE:y;03124
put;IN:x IN:index IN:source;FLAG:accumulate=false;INPLACE:y
indexAdd;IN:x IN:index IN:source;AXIS:dim/SCALAR:alpha=1;INPLACE:y;0312
indexCopy;IN:x IN:index IN:source;AXIS:dim;INPLACE:y;0312
indexFill;IN:x IN:index OPERAND:value;AXIS:dim;INPLACE:y;0312
indexReduce;IN:x IN:index IN:source;AXIS:dim WORD:reduce|prod|mean|amax|amin/FLAG:includeSelf=true;INPLACE:y;03124
indexPut;IN:x OPERAND:values LIST:indices;FLAG:accumulate=false;INPLACE:y;0213
maskedScatter;IN:x IN:mask IN:source;;INPLACE:y
selectScatter;IN:x IN:src;AXIS:dim INT:index;OUT:y
sliceScatter;IN:x IN:src;AXIS:dim=0 INT:start=OPEN INT:stop=OPEN INT:step=1;OUT:y
diagonalScatter;IN:x IN:src;INT:offset=0 AXIS:dim1=0 AXIS:dim2=1;OUT:y
oneHot;IN:x;INT:numClasses=-1;OUT:y=INDEX
searchsorted;IN:sortedSequence OPERAND:values OPTIONAL:sorter;/FLAG:right=false WORD:side=none|none|left|right FLAG:outInt32=false;OUT:y=INDEX
bucketize;OPERAND:x IN:boundaries;/FLAG:right=false FLAG:outInt32=false;OUT:y=INDEX
isin;OPERAND:elements OPERAND:testElements;/FLAG:invert=false;OUT:y=BOOL
embeddingRenorm;IN:weight IN:indices;NUMBER:maxNorm NUMBER:normType=2;INPLACE:y
sort;IN:x;AXIS:dim=-1 FLAG:descending=false/FLAG:stable=false;OUT:values OUT:indices=INDEX
argsort;IN:x;AXIS:dim=-1 FLAG:descending=false/FLAG:stable=false;OUT:indices=INDEX
msort;IN:x;;OUT:y
topk;IN:x;INT:k AXIS:dim=-1 FLAG:largest=true FLAG:sorted=true;OUT:values OUT:indices=INDEX
kthvalue;IN:x;INT:k AXIS:dim=-1/FLAG:keepdim=false;OUT:values OUT:indices=INDEX
unique;IN:x;/FLAG:sorted=true FLAG:returnInverse=false FLAG:returnCounts=false AXIS:dim=ALL;OUT:values OUT:inverse=INDEX OUT:counts=INDEX
uniqueConsecutive;IN:x;/FLAG:returnInverse=false FLAG:returnCounts=false AXIS:dim=ALL;OUT:values OUT:inverse=INDEX OUT:counts=INDEX
cat;LIST:tensors;AXIS:dim=0;OUT:y=COMMON
pad;IN:x;INT_LIST:pad WORD:mode=constant|constant|reflect|replicate|circular/SCALAR:value=0;OUT:y
stack;LIST:tensors;AXIS:dim=0;OUT:y=COMMON
hstack;LIST:tensors;;OUT:y=COMMON
vstack;LIST:tensors;;OUT:y=COMMON
rowStack;LIST:tensors;;OUT:y=COMMON
dstack;LIST:tensors;;OUT:y=COMMON
columnStack;LIST:tensors;;OUT:y=COMMON
blockDiag;LIST:tensors;;OUT:y=COMMON
cartesianProd;LIST:tensors;;OUT:y=COMMON
combinations;IN:x;INT:r=2/FLAG:withReplacement=false;OUT:y
flatten;BASE:x;AXIS:startDim=0 AXIS:endDim=-1;VIEW:y
to;IN:x;DTYPE:dtype=NONE;OUT:y
copy;IN:x OPERAND:source;;INPLACE:y
fill;IN:x;SCALAR:value;INPLACE:y
ravel;BASE:x;;VIEW:y
tril;IN:x;INT:diagonal=0;INPLACE:y
triu;IN:x;INT:diagonal=0;INPLACE:y
diagEmbed;IN:x;INT:offset=0 AXIS:dim1=-2 AXIS:dim2=-1;OUT:y
diag;IN:x;INT:diagonal=0;OUT:y
diagflat;IN:x;INT:offset=0;OUT:y
rot90;BASE:x;INT:k=1 AXES:dims=OPEN;VIEW:y
roll;IN:x;INT_LIST:shifts AXES:dims=OPEN;OUT:y
repeat;IN:x;SHAPE:sizes;OUT:y
tile;IN:x;SHAPE:dims;OUT:y
repeatInterleave;IN:x OPERAND:repeats;AXIS:dim=ALL;OUT:y
asStrided;BASE:x;SHAPE:size INT_LIST:stride INT:storageOffset=OPEN;VIEW:y
unfold;BASE:x;AXIS:dimension INT:size INT:step;VIEW:y
movedim;BASE:x;AXES:source AXES:destination;VIEW:y
moveaxis;BASE:x;AXES:source AXES:destination;VIEW:y
swapaxes;BASE:x;AXIS:axis0 AXIS:axis1;VIEW:y
swapdims;BASE:x;AXIS:dim0 AXIS:dim1;VIEW:y
t;BASE:x;;VIEW:y
narrow;BASE:x;AXIS:dim INT:start INT:length;VIEW:y
unflatten;BASE:x;AXIS:dim SHAPE:sizes;VIEW:y
broadcastTo;BASE:x;SHAPE:shape;VIEW:y
atleast1d;BASE:x;;VIEW:y
atleast2d;BASE:x;;VIEW:y
atleast3d;BASE:x;;VIEW:y
detach;BASE:x;;VIEW:y
split;BASE:x;INT_OR_LIST:splitSize AXIS:dim=0;TENSORS:ys
chunk;BASE:x;INT:chunks AXIS:dim=0;TENSORS:ys
tensorSplit;BASE:x;INT_OR_LIST:indicesOrSections AXIS:dim=0;TENSORS:ys
hsplit;BASE:x;INT_OR_LIST:indicesOrSections;TENSORS:ys
vsplit;BASE:x;INT_OR_LIST:indicesOrSections;TENSORS:ys
dsplit;BASE:x;INT_OR_LIST:indicesOrSections;TENSORS:ys
unbind;BASE:x;AXIS:dim=0;TENSORS:ys
broadcastTensors;LIST:tensors;;TENSORS:ys=EACH
meshgrid;LIST:tensors;/WORD:indexing=ij|ij|xy;TENSORS:ys=EACH
mseLoss;IN:x IN:target;/WORD:reduction=mean|none|mean|sum;OUT:y=COMMON
l1Loss;IN:x IN:target;/WORD:reduction=mean|none|mean|sum;OUT:y=COMMON
huberLoss;IN:x IN:target;/WORD:reduction=mean|none|mean|sum NUMBER:delta=1;OUT:y=COMMON
smoothL1Loss;IN:x IN:target;/WORD:reduction=mean|none|mean|sum NUMBER:beta=1;OUT:y=COMMON
binaryCrossEntropy;IN:x IN:target OPTIONAL:weight;/WORD:reduction=mean|none|mean|sum;OUT:y=COMMON
binaryCrossEntropyWithLogits;IN:x IN:target OPTIONAL:weight OPTIONAL:posWeight;/WORD:reduction=mean|none|mean|sum;OUT:y=COMMON
klDiv;IN:x IN:target;/WORD:reduction=mean|none|mean|sum|batchmean FLAG:logTarget=false;OUT:y=COMMON
nllLoss;IN:x IN:target OPTIONAL:weight;/WORD:reduction=mean|none|mean|sum INT:ignoreIndex=-100;OUT:y=FLOAT
crossEntropy;IN:x IN:target OPTIONAL:weight;/WORD:reduction=mean|none|mean|sum INT:ignoreIndex=-100 NUMBER:labelSmoothing=0;OUT:y=FLOAT
normalize;IN:x;NUMBER:p=2 AXIS:dim=1/NUMBER:eps=1e-12;OUT:y=FLOAT
cosineSimilarity;IN:x IN:other;AXIS:dim=1/NUMBER:eps=1e-8;OUT:y=COMMON
rmsNorm;IN:x OPTIONAL:weight;SHAPE:normalizedShape/NUMBER:eps=OPEN;OUT:y=FLOAT
rmsNormBackward;IN:gradient IN:x OPTIONAL:weight;SHAPE:normalizedShape/NUMBER:eps=OPEN;OUT:xGradient OUT:weightGradient
localResponseNorm;IN:x;INT:size NUMBER:alpha=0.0001 NUMBER:beta=0.75 NUMBER:k=1;OUT:y=FLOAT
linear;IN:x IN:weight OPTIONAL:bias;;OUT:y=COMMON
empty;;SHAPE:shape/DTYPE:dtype=NONE DEVICE:device=NONE;OUT:y=F32
emptyStrided;;SHAPE:size INT_LIST:stride/DTYPE:dtype=NONE DEVICE:device=NONE;VIEW:y=F32
zeros;;SHAPE:shape/DTYPE:dtype=NONE DEVICE:device=NONE;OUT:y=F32
ones;;SHAPE:shape/DTYPE:dtype=NONE DEVICE:device=NONE;OUT:y=F32
full;;SHAPE:shape SCALAR:value/DTYPE:dtype=NONE DEVICE:device=NONE;OUT:y=VALUE
emptyLike;IN:x;/DTYPE:dtype=NONE DEVICE:device=NONE;OUT:y
zerosLike;IN:x;/DTYPE:dtype=NONE DEVICE:device=NONE;OUT:y
onesLike;IN:x;/DTYPE:dtype=NONE DEVICE:device=NONE;OUT:y
fullLike;IN:x;SCALAR:value/DTYPE:dtype=NONE DEVICE:device=NONE;OUT:y
eye;;INT:n INT:m=OPEN/DTYPE:dtype=NONE DEVICE:device=NONE;OUT:y=F32
arange;;SCALAR:start=0 SCALAR:end SCALAR:step=1/DTYPE:dtype=NONE DEVICE:device=NONE;OUT:y=VALUE
linspace;;SCALAR:start SCALAR:end INT:steps/DTYPE:dtype=NONE DEVICE:device=NONE;OUT:y=F32
logspace;;SCALAR:start SCALAR:end INT:steps NUMBER:base=10/DTYPE:dtype=NONE DEVICE:device=NONE;OUT:y=F32
trilIndices;;INT:row INT:col INT:offset=0/DTYPE:dtype=NONE DEVICE:device=NONE;OUT:y=INDEX
triuIndices;;INT:row INT:col INT:offset=0/DTYPE:dtype=NONE DEVICE:device=NONE;OUT:y=INDEX
rand;;SHAPE:shape/DTYPE:dtype=NONE DEVICE:device=NONE GENERATOR:generator=NONE;OUT:y=F32
randLike;IN:x;/DTYPE:dtype=NONE DEVICE:device=NONE GENERATOR:generator=NONE;OUT:y
uniform;IN:x;NUMBER:from=0 NUMBER:to=1/GENERATOR:generator=NONE;INPLACE:y
randn;;SHAPE:shape/DTYPE:dtype=NONE DEVICE:device=NONE GENERATOR:generator=NONE;OUT:y=F32
randnLike;IN:x;/DTYPE:dtype=NONE DEVICE:device=NONE GENERATOR:generator=NONE;OUT:y
fillNormal;IN:x;NUMBER:mean=0 NUMBER:std=1/GENERATOR:generator=NONE;INPLACE:y
normal;OPERAND:mean OPERAND:std;/GENERATOR:generator=NONE;OUT:y=FLOATS
exponential;IN:x;NUMBER:lambd=1/GENERATOR:generator=NONE;INPLACE:y
randint;;SCALAR:low=0 SCALAR:high SHAPE:shape/DTYPE:dtype=NONE DEVICE:device=NONE GENERATOR:generator=NONE;OUT:y=INDEX
randintLike;IN:x;SCALAR:low=0 SCALAR:high/DTYPE:dtype=NONE DEVICE:device=NONE GENERATOR:generator=NONE;OUT:y
randperm;;INT:n/DTYPE:dtype=NONE DEVICE:device=NONE GENERATOR:generator=NONE;OUT:y=INDEX
bernoulli;IN:x;NUMBER:p=OPEN/GENERATOR:generator=NONE;INPLACE:y
multinomial;IN:x;INT:numSamples FLAG:replacement=false/GENERATOR:generator=NONE;OUT:y=INDEX
dropout;IN:x;NUMBER:p=0.5 FLAG:training=true/GENERATOR:generator=NONE;INPLACE:y
addcmul;IN:a IN:b IN:c;SCALAR:value=1;INPLACE:y=COMMON
addcdiv;IN:a IN:b IN:c;NUMBER:value=1;INPLACE:y=FLOATS
nanToNum;IN:a;NUMBER:nan=0 NUMBER:posinf=OPEN NUMBER:neginf=OPEN;INPLACE:y
frexp;IN:x;;OUT:mantissa OUT:exponent=I32
clampMin;IN:x OPERAND:min;;INPLACE:y=COMMON
clampMax;IN:x OPERAND:max;;INPLACE:y=COMMON
isclose;IN:a IN:b;NUMBER:rtol=0.00001 NUMBER:atol=1e-8 FLAG:equalNan=false;OUT:y=BOOL
allclose;IN:a IN:b;NUMBER:rtol=0.00001 NUMBER:atol=1e-8 FLAG:equalNan=false;OUT:y=BOOL
equal;IN:a IN:b;;OUT:y=BOOL
glu;IN:x;AXIS:dim=-1;OUT:y=FLOAT
prelu;IN:x IN:weight;;OUT:y=FLOATS
real;BASE:x;;VIEW:y=PART
imag;BASE:x;;VIEW:y=PART
viewAsReal;BASE:x;;VIEW:y=PART
viewAsComplex;BASE:x;;VIEW:y=PAIR
complex;IN:re OPERAND:im;;OUT:y=PAIR
polar;IN:abs OPERAND:angle;;OUT:y=PAIR
conj;IN:x;;INPLACE:y
angle;IN:x;;OUT:y=REAL
sgn;IN:x;;INPLACE:y
isreal;IN:x;;OUT:y=BOOL
sgd;UPDATED:params LIST:grads UPDATED_OR_NONE:momenta;NUMBER:lr/NUMBER:momentum=0 NUMBER:dampening=0 NUMBER:weightDecay=0 FLAG:nesterov=false FLAG:maximize=false FLAG:isFirstStep=false;
adam;UPDATED:params LIST:grads UPDATED:expAvgs UPDATED:expAvgSqs UPDATED_OR_NONE:maxExpAvgSqs;INT:step NUMBER:lr=0.001/NUMBER:beta1=0.9 NUMBER:beta2=0.999 NUMBER:eps=1e-8 NUMBER:weightDecay=0 FLAG:maximize=false;
adamw;UPDATED:params LIST:grads UPDATED:expAvgs UPDATED:expAvgSqs UPDATED_OR_NONE:maxExpAvgSqs;INT:step NUMBER:lr=0.001/NUMBER:beta1=0.9 NUMBER:beta2=0.999 NUMBER:eps=1e-8 NUMBER:weightDecay=0.01 FLAG:maximize=false;
rmsprop;UPDATED:params LIST:grads UPDATED:squareAvgs UPDATED_OR_NONE:momenta UPDATED_OR_NONE:gradAvgs;NUMBER:lr=0.01/NUMBER:alpha=0.99 NUMBER:eps=1e-8 NUMBER:weightDecay=0 NUMBER:momentum=0 FLAG:maximize=false;
adagrad;UPDATED:params LIST:grads UPDATED:stateSums;INT:step NUMBER:lr=0.01/NUMBER:lrDecay=0 NUMBER:weightDecay=0 NUMBER:eps=1e-10 FLAG:maximize=false;
totalNorm;LIST:tensors;NUMBER:p=2;OUT:y=FLOATS
clipGradsWithNorm;IN:totalNorm UPDATED:grads;NUMBER:maxNorm;
clipGradValue;UPDATED:grads;NUMBER:clipValue;
convolution;IN:x IN:weight OPTIONAL:bias;/INTS:stride*3=1 INTS:padding*3=0 INTS:dilation*3=1 FLAG:transposed=false INTS:outputPadding*3=0 INT:groups=1;OUT:y=COMMON
convolutionWeight;IN:gradient IN:x;INTS:kernelSize*3/INTS:stride*3=1 INTS:padding*3=0 INTS:dilation*3=1 INT:groups=1;OUT:weightGradient=COMMON
conv1d;IN:x IN:weight OPTIONAL:bias;/INTS:stride*1=1 INTS:padding*1=0 INTS:dilation*1=1 INT:groups=1;OUT:y=COMMON
conv2d;IN:x IN:weight OPTIONAL:bias;/INTS:stride*2=1 INTS:padding*2=0 INTS:dilation*2=1 INT:groups=1;OUT:y=COMMON
conv3d;IN:x IN:weight OPTIONAL:bias;/INTS:stride*3=1 INTS:padding*3=0 INTS:dilation*3=1 INT:groups=1;OUT:y=COMMON
convTranspose1d;IN:x IN:weight OPTIONAL:bias;/INTS:stride*1=1 INTS:padding*1=0 INTS:outputPadding*1=0 INT:groups=1 INTS:dilation*1=1;OUT:y=COMMON
convTranspose2d;IN:x IN:weight OPTIONAL:bias;/INTS:stride*2=1 INTS:padding*2=0 INTS:outputPadding*2=0 INT:groups=1 INTS:dilation*2=1;OUT:y=COMMON
convTranspose3d;IN:x IN:weight OPTIONAL:bias;/INTS:stride*3=1 INTS:padding*3=0 INTS:outputPadding*3=0 INT:groups=1 INTS:dilation*3=1;OUT:y=COMMON
maxPool3dWithIndices;IN:x;INTS:kernelSize*3 INTS:stride*3=OPEN/INTS:padding*3=0 INTS:dilation*3=1 FLAG:ceilMode=false;OUT:values OUT:indices=INDEX
maxPool2dWithIndices;IN:x;INTS:kernelSize*2 INTS:stride*2=OPEN/INTS:padding*2=0 INTS:dilation*2=1 FLAG:ceilMode=false;OUT:values OUT:indices=INDEX
maxPool1dWithIndices;IN:x;INTS:kernelSize*1 INTS:stride*1=OPEN/INTS:padding*1=0 INTS:dilation*1=1 FLAG:ceilMode=false;OUT:values OUT:indices=INDEX
maxPool1d;IN:x;INTS:kernelSize*1 INTS:stride*1=OPEN/INTS:padding*1=0 INTS:dilation*1=1 FLAG:ceilMode=false;OUT:y
maxPool2d;IN:x;INTS:kernelSize*2 INTS:stride*2=OPEN/INTS:padding*2=0 INTS:dilation*2=1 FLAG:ceilMode=false;OUT:y
maxPool3d;IN:x;INTS:kernelSize*3 INTS:stride*3=OPEN/INTS:padding*3=0 INTS:dilation*3=1 FLAG:ceilMode=false;OUT:y
avgPool1d;IN:x;INTS:kernelSize*1 INTS:stride*1=OPEN/INTS:padding*1=0 FLAG:ceilMode=false FLAG:countIncludePad=true;OUT:y=FLOAT
avgPool2d;IN:x;INTS:kernelSize*2 INTS:stride*2=OPEN/INTS:padding*2=0 FLAG:ceilMode=false FLAG:countIncludePad=true INT:divisorOverride=OPEN;OUT:y=FLOAT
avgPool3d;IN:x;INTS:kernelSize*3 INTS:stride*3=OPEN/INTS:padding*3=0 FLAG:ceilMode=false FLAG:countIncludePad=true INT:divisorOverride=OPEN;OUT:y=FLOAT
adaptiveAvgPool1d;IN:x;INTS:outputSize*1;OUT:y=FLOAT
adaptiveAvgPool2d;IN:x;INTS:outputSize*2;OUT:y=FLOAT
adaptiveMaxPool1d;IN:x;INTS:outputSize*1;OUT:y
adaptiveMaxPool2d;IN:x;INTS:outputSize*2;OUT:y
batchNorm;IN:x OPTIONAL:runningMean OPTIONAL:runningVar OPTIONAL:weight OPTIONAL:bias;/FLAG:training=false NUMBER:momentum=0.1 NUMBER:eps=0.00001;OUT:y=FLOAT OUT:newMean=FLOAT OUT:newVar=FLOAT
groupNorm;IN:x OPTIONAL:weight OPTIONAL:bias;INT:numGroups/NUMBER:eps=0.00001;OUT:y=FLOAT
instanceNorm;IN:x OPTIONAL:weight OPTIONAL:bias;/NUMBER:eps=0.00001;OUT:y=FLOAT
softplus;IN:a;NUMBER:beta=1 NUMBER:threshold=20;INPLACE:y=FLOATS
elu;IN:a;NUMBER:alpha=1;INPLACE:y=FLOATS
celu;IN:a;NUMBER:alpha=1;INPLACE:y=FLOATS
leakyRelu;IN:a;NUMBER:negativeSlope=0.01;INPLACE:y=FLOATS
hardshrink;IN:a;NUMBER:lambd=0.5;INPLACE:y=FLOATS
softshrink;IN:a;NUMBER:lambd=0.5;INPLACE:y=FLOATS
hardtanh;IN:a;SCALAR:minVal=-1 SCALAR:maxVal=1;INPLACE:y=COMMON
threshold;IN:a;SCALAR:threshold SCALAR:value;INPLACE:y=COMMON
logit;IN:a;NUMBER:eps=OPEN;INPLACE:y=FLOATS`,
);

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
  | 'convolution'
  | 'convolutionWeight'
  | 'conv1d'
  | 'conv2d'
  | 'conv3d'
  | 'convTranspose1d'
  | 'convTranspose2d'
  | 'convTranspose3d'
  | 'maxPool3dWithIndices'
  | 'maxPool2dWithIndices'
  | 'maxPool1dWithIndices'
  | 'maxPool1d'
  | 'maxPool2d'
  | 'maxPool3d'
  | 'avgPool1d'
  | 'avgPool2d'
  | 'avgPool3d'
  | 'adaptiveAvgPool1d'
  | 'adaptiveAvgPool2d'
  | 'adaptiveMaxPool1d'
  | 'adaptiveMaxPool2d'
  | 'batchNorm'
  | 'groupNorm'
  | 'instanceNorm'
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
  /** (a, dtype or -1, type and index of a device) -> handle, on the device */
  copy_to(a: number, b: number, c: number, d: number): number;
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
  /** (a) -> bits: 1 it requires a gradient, 2 it is a leaf, 4 it has a gradient, 8 a graph may hold its memory */
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
  /** (0 off, 1 on, 2 as in the first run of a checkpoint; -1 leaves it) -> what it was, (-1) 0 or 1; (-2): 1 in that run, too */
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
  /** (graph, size, graph) whether the calls of that dynamic size are those that were recorded, and the program is the other one's, if there is one -> 1 or 0 */
  graph_fits(a: number, b: number, c: number): number;
  /** (graph) becomes machine code by the plug-in of MLIR; 0: the plug-in is opened -> 0 */
  graph_compile(a: number): number;
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
  /** (a tensor of the bytes of a file, type and index of a device) -> handle of the graph, for dispose */
  graph_load(a: number, b: number, c: number): number;
  /** (graph, inputs, numbers) these in n[], inputs of any strides, are refused if they are not as they were recorded -> 1 + how many results, in n[] */
  graph_run_any(a: number, b: number, c: number): number;
  /** (graph, offset) bytes of the JSON of stria_graph_explain; those from offset on in n[] */
  graph_explain(a: number, b: number): number;
  /** (op, n_in, offset) operands in operand[] -> bytes of the iterator's JSON; those from offset on in n[] */
  inspect(a: number, b: number, c: number): number;
  /** (op, n_axes or -1: all, keepdim, offset) axes in n[], x in operand[0] -> the same for a reduction */
  inspect_reduction(a: number, b: number, c: number, d: number): number;
  /** (type of devices) -> how many are there */
  device_count(a: number): number;
  /** (type, index) in n[] bytes of memory, those that are free, compute capability; its name in the message of the scratch block -> 0 */
  device_info(a: number, b: number): number;
  /** (type, index) waits for everything that was begun on the device -> 0 */
  device_synchronize(a: number, b: number): number;
  /** (type, index of a device) statistics in n[], in the order of stria_memory_stats -> 0 */
  memory(a: number, b: number): number;
  /** -> bytes of the elements of live tensors, on all devices */
  memory_live(): number;
  /** (type, index, bytes or 0) -> 0 */
  memory_limit(a: number, b: number, c: number): number;
  /** (type, index) gives cached memory back -> 0 */
  memory_trim(a: number, b: number): number;
  /** (1: allow TF32, 0: do not, else: leave it) -> whether it is allowed */
  tf32(a: number): number;
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
  'copy_to',
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
  'graph_fits',
  'graph_compile',
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
  'device_count',
  'device_info',
  'device_synchronize',
  'memory',
  'memory_live',
  'memory_limit',
  'memory_trim',
  'tf32',
  'threads_set',
  'threads_get',
  'isa',
];
