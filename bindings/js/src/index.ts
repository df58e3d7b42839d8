// stria: tensors with PyTorch's semantics. Everything public is here.
export { Tensor } from './tensor.js';
export { init } from './web.js';
export { info, setThreads, getThreads, type Info, type InitOptions } from './init.js';
export type { Variant } from './platform.js';
export {
  tensor,
  fromBuffer,
  fromBytes,
  full,
  arange,
  fromNpy,
  toNpy,
  type ArangeOptions,
  type BufferOptions,
  type DTypeOptions,
  type FullOptions,
  type TensorData,
  type TensorOptions,
} from './create.js';
export * from './ops.gen.js';
export {
  max,
  median,
  min,
  nanmedian,
  type AlongOptions,
  type PairOptions,
  type ValuesAndIndices,
} from './order.js';
export { einsum, tensordot, type TensordotDims } from './products.js';
export { allclose, equal, type AllcloseOptions } from './compare.js';
export {
  batchNorm,
  clamp,
  div,
  embedding,
  gelu,
  nonzero,
  randint,
  randintLike,
  to,
  view,
  where,
  type BatchNormOptions,
  type ClampOptions,
  type DivOptions,
  type EmbeddingOptions,
  type GeluOptions,
  type NonzeroOptions,
  type RandintLikeOptions,
  type RandintOptions,
  type RoundedDivOptions,
  type ToOptions,
  type ViewOptions,
} from './special.js';
export { loadSafetensors, saveSafetensors, type LoadOptions, type Safetensors } from './safetensors.js';
export { grad, jvp, valueAndGrad, vjp, type GradOptions } from './functional.js';
export {
  checkpoint,
  enableGrad,
  isGradEnabled,
  noGrad,
  type BackwardOptions,
  type Hook,
  type HookHandle,
} from './gradients.js';
export { newAxis, type Index, type SliceIndex } from './indexing.js';
export {
  unique,
  uniqueConsecutive,
  type Unique,
  type UniqueConsecutiveOptions,
  type UniqueOptions,
} from './unique.js';
export { Generator, defaultGenerator, manualSeed, type GeneratorState } from './generator.js';
export { compile, type CompileOptions, type CompileStats, type Program } from './compile.js';
export type {
  ExplainedBlocks,
  ExplainedNumber,
  ExplainedStep,
  ExplainedTensor,
  Explanation,
} from './explanation.js';
export { loadProgram, type LoadedProgram, type ProgramMembers } from './programs.js';
export { kernel, type Kernel, type KernelValue, type Term } from './kernel.js';
export {
  inspect,
  type InspectOptions,
  type InspectedAxis,
  type InspectedOperand,
  type Inspection,
  type Reason,
  type Setup,
} from './inspect.js';
export { dispose, scope, tidy, type Scope } from './memory.js';
export { memory, setMemoryLimit, trimMemory, type MemoryInfo } from './memory_info.js';
export {
  deviceInfo,
  getFloat32MatmulPrecision,
  setFloat32MatmulPrecision,
  synchronize,
  type CudaInfo,
  type DeviceInfo,
} from './devices.js';
export { StriaError, type ErrorDetails } from './errors.js';
export {
  VERSION,
  dtypes,
  functionRows,
  opArities,
  opNumbers,
  reductionNumbers,
  ArgumentError,
  DeviceError,
  DisposedError,
  DTypeError,
  FormatError,
  IoError,
  MemoryError,
  OverlapError,
  ShapeError,
  UnsupportedError,
  type Device,
  type DeviceName,
  type DType,
  type ErrorCode,
  type FunctionRow,
  type OpName,
  type Parameter,
  type ReductionName,
} from './tables.gen.js';
export type {
  AlphaOptions,
  Bound,
  Complex,
  DataOf,
  CountOf,
  IndexOf,
  DecimalsOptions,
  Dims,
  DTypeOf,
  DTypeOfArray,
  ElementOf,
  FloatOf,
  ItemOf,
  BorrowOptions,
  ItemOptions,
  Limited,
  Nested,
  Operand,
  OutOptions,
  Promote,
  ReduceOptions,
  Scalar,
  ScalarDType,
  TypedArray,
} from './types.js';
