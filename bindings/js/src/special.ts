// Ops whose JavaScript form differs from their row in the op table.
import { refuse } from './abi.js';
import { dtypeNumber, handleOf, isDType, print, tensorArgument } from './arguments.js';
import { copyTo, deviceNumbers, deviceWords, isDeviceName } from './devices.js';
import { run, runInPlace, spread } from './functions.js';
import { noGrad } from './gradients.js';
import { isGiven } from './kinds.js';
import { end } from './memory.js';
import {
  approximateNames,
  batchNormNames,
  boundNames,
  clampNames,
  divNames,
  embeddingNames,
  flagOf,
  geluNames,
  hasOnlyOut,
  isOptions,
  nonzeroNames,
  outOf,
  readOptions,
  readOut,
  refuseMore,
  roundingNames,
  toNames,
  type OptionNames,
} from './options.js';
import { binary, binaryInPlace, clampToOne, ternary, unary, unaryInPlace } from './run.js';
import { isTensor, wrap } from './base.js';
import type { Tensor } from './tensor.js';
import type { Generator } from './generator.js';
import { dtypes, functionNumbers, opNumbers, type DeviceName, type DType } from './tables.gen.js';
import type { Bound, DTypeOf, FloatOf, Limited, Operand, OutOptions, Promote, Scalar } from './types.js';

/** Of clamp. */
export interface ClampOptions<
  L extends Bound = Bound,
  H extends Bound = Bound,
  O extends DType = DType,
> extends OutOptions<O> {
  min?: L;
  max?: H;
}

export interface GeluOptions<O extends DType = DType> extends OutOptions<O> {
  approximate?: 'none' | 'tanh';
}

/** Of div. */
export interface DivOptions<O extends DType = DType> extends OutOptions<O> {
  /** What becomes of the fraction of a quotient: cut off (`truncDivide`), rounded down (`floorDivide`), or, without it, kept. */
  roundingMode?: 'trunc' | 'floor' | null;
}
/** Of div to whole numbers. */
export type RoundedDivOptions<O extends DType = DType> = DivOptions<O> & { roundingMode: 'trunc' | 'floor' };

/** a / b in floating point, x/0 is an infinity or NaN; with a rounding mode a whole number, of integers an integer. */
export function div<A extends Operand, B extends Operand, O extends DType = Promote<A, B>>(
  a: A,
  b: B,
  options: RoundedDivOptions<O>,
): Tensor<NoInfer<O>>;
export function div<A extends Operand, B extends Operand, O extends DType = FloatOf<Promote<A, B>>>(
  a: A,
  b: B,
  options?: DivOptions<O>,
): Tensor<NoInfer<O>>;
export function div(a: Operand, b: Operand, options?: DivOptions): Tensor {
  if (arguments.length > 3) refuseMore('div', 3, arguments);
  if (options === undefined || hasOnlyOut(options)) return binary(opNumbers.div, a, b, options);
  const read: DivOptions = readOptions<DivOptions>('div', options, divNames);
  const out = outOf('div', read);
  return binary(divOp('div', read), a, b, out && { out }, 'div', ['a', 'b']);
}

/** The same in place. */
export function divInPlace(a: Tensor, b: Operand, options: Omit<DivOptions, 'out'> | undefined): void {
  if (options === undefined) return binaryInPlace(opNumbers.div, a, b);
  tensorArgument('div', 'this', a);
  const op = divOp('div_', readOptions<Omit<DivOptions, 'out'>>('div_', options, roundingNames));
  binary(op, a, b, { out: a }, 'div', ['a', 'b']);
}

function divOp(op: string, { roundingMode }: Omit<DivOptions, 'out'>): number {
  if (roundingMode === undefined || roundingMode === null) return opNumbers.div;
  if (roundingMode === 'trunc') return opNumbers.truncDivide;
  if (roundingMode === 'floor') return opNumbers.floorDivide;
  return refuse('ERR_ARGUMENT', op, 'roundingMode', "'trunc', 'floor' or null", print(roundingMode));
}

/** x limited to [min, max], given as arguments or as { min, max }; either may be missing. max where min is above it. */
export function clamp<
  A extends Operand,
  L extends Bound,
  H extends Bound = undefined,
  O extends DType = Limited<A, L, H>,
>(x: A, min: L, max?: H, options?: OutOptions<O>): Tensor<NoInfer<O>>;
export function clamp<
  A extends Operand,
  L extends Bound = undefined,
  H extends Bound = undefined,
  O extends DType = Limited<A, L, H>,
>(x: A, bounds: ClampOptions<L, H, O>): Tensor<NoInfer<O>>;
export function clamp(x: Operand, min: Bound | ClampOptions, max?: Bound, options?: OutOptions): Tensor {
  if (arguments.length > 4) refuseMore('clamp', 4, arguments);
  if (!isBounds(min)) return limited(x, min, max, readOut('clamp', options));
  const read: ClampOptions = readBounds<ClampOptions>('clamp', min, max ?? options, clampNames);
  return limited(x, read.min, read.max, outOf('clamp', read));
}

/** The same in place. */
export function clampInPlace(x: Tensor, min: Bound | Omit<ClampOptions, 'out'>, max: Bound): void {
  tensorArgument('clamp', 'this', x);
  if (!isBounds(min)) limited(x, min, max, x);
  else {
    const read = readBounds('clamp_', min, max, boundNames);
    limited(x, read.min, read.max, x);
  }
}

function isBounds(value: Bound | Omit<ClampOptions, 'out'>): value is Omit<ClampOptions, 'out'> {
  return typeof value === 'object' && value !== null && !isTensor(value);
}

function readBounds<T extends object>(op: string, bounds: T, more: unknown, names: OptionNames<T>): T {
  if (more != null) refuse('ERR_ARGUMENT', op, 'max', 'left out after { min, max }', print(more));
  return readOptions(op, bounds, names);
}

function limited(x: Operand, min: Bound, max: Bound, out: Tensor | undefined): Tensor {
  if (min == null && max == null)
    refuse('ERR_ARGUMENT', 'clamp', 'min and max', 'given, one of them at least', 'neither');
  if (min == null || max == null) return clampToOne(x, min, max, out);
  return ternary(opNumbers.clamp, x, min, max, out && { out }, ['x', 'min', 'max']);
}

/** x * (1 + erf(x / sqrt(2))) / 2, or its approximation by tanh. */
export function gelu<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  x: A,
  options?: GeluOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 2) refuseMore('gelu', 2, arguments);
  const read: GeluOptions = readOptions<GeluOptions>('gelu', options, geluNames);
  const out = outOf('gelu', read);
  return unary(geluOp('gelu', read), x, out && { out }, 'gelu') as Tensor<NoInfer<O>>;
}

/** The same in place. */
export function geluInPlace(x: Tensor, options: Omit<GeluOptions, 'out'> | undefined): void {
  unaryInPlace(geluOp('gelu_', readOptions('gelu_', options, approximateNames)), x, 'gelu');
}

function geluOp(op: string, { approximate = 'none' }: Omit<GeluOptions, 'out'>): number {
  if (approximate !== 'none' && approximate !== 'tanh')
    refuse('ERR_ARGUMENT', op, 'approximate', "'none' or 'tanh'", print(approximate));
  return approximate === 'tanh' ? opNumbers.geluTanh : opNumbers.gelu;
}

/** a where the condition is true, else b; without both the positions of what is true: nonzero with asTuple. */
export function where(condition: Tensor): Tensor<'int64'>[];
export function where<A extends Operand, B extends Operand, O extends DType = Promote<A, B>>(
  condition: Operand,
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>>;
export function where(condition: Operand, a?: Operand, b?: Operand, options?: OutOptions): unknown {
  if (arguments.length > 4) refuseMore('where', 4, arguments);
  if (arguments.length === 1) return nonzero(condition as Tensor, { asTuple: true });
  return ternary(opNumbers.where, condition, a!, b!, options, ['condition', 'a', 'b']);
}

/** Of nonzero. */
export interface NonzeroOptions<O extends DType = DType, T extends boolean = boolean> extends OutOptions<O> {
  /** Whether the result is a list: of the positions along each axis, which index() and at() take. Default: false. */
  asTuple?: T;
}

/** Positions of the elements that are not 0, in row-major order: one in each row, or, as a tuple, a tensor for each axis. */
export function nonzero(
  x: Tensor,
  options: NonzeroOptions<DType, true> & { asTuple: true },
): Tensor<'int64'>[];
export function nonzero<O extends DType = 'int64'>(
  x: Tensor,
  options?: NonzeroOptions<O, false>,
): Tensor<NoInfer<O>>;
export function nonzero(x: unknown, options?: unknown): unknown {
  if (arguments.length > 2) refuseMore('nonzero', 2, arguments);
  const { asTuple, out } = readOptions<NonzeroOptions>('nonzero', options as NonzeroOptions, nonzeroNames);
  if (!flagOf('nonzero', 'asTuple', asTuple)) return run(functionNumbers.nonzero, [x, { out }]);
  if (isGiven(out)) refuse('ERR_ARGUMENT', 'nonzero', 'out', 'left out with asTuple', print(out));
  const flat = run(functionNumbers.atleast1d, [tensorArgument('nonzero', 'x', x)]) as Tensor;
  const rows = run(functionNumbers.nonzero, [flat]) as Tensor;
  const lists = run(functionNumbers.unbind, [rows, 1]);
  end(flat);
  end(rows);
  return lists;
}

/** Of embedding. */
export interface EmbeddingOptions<O extends DType = DType> extends OutOptions<O> {
  /** A row that learns nothing. */
  paddingIdx?: number | null;
  /** Rows that are asked for and have a larger norm are made shorter first, in place: embeddingRenorm_. */
  maxNorm?: number | null;
  /** Order of that norm. Default: 2. */
  normType?: number;
}

/** Rows of a matrix: weight[indices]; no negative positions. */
export function embedding<D extends DType, O extends DType = D>(
  weight: Tensor<D>,
  indices: Tensor,
  options?: EmbeddingOptions<O>,
): Tensor<NoInfer<O>> {
  if (arguments.length > 3) refuseMore('embedding', 3, arguments);
  const { maxNorm, normType, ...rest } = readOptions<EmbeddingOptions>('embedding', options, embeddingNames);
  if (isGiven(maxNorm))
    noGrad(() => runInPlace(functionNumbers.embeddingRenorm, [weight, indices, maxNorm, normType]));
  return run(functionNumbers.embedding, [weight, indices, rest]) as Tensor<NoInfer<O>>;
}

/** Of batchNorm. */
export interface BatchNormOptions {
  /** Running statistics of each channel, both or neither; they change in place while training. */
  runningMean?: Tensor | null;
  runningVar?: Tensor | null;
  weight?: Tensor | null;
  bias?: Tensor | null;
  /** Whether mean and variance are those of the batch, and change the running ones. Default: false. */
  training?: boolean;
  /** Share of the batch in the running statistics. Default: 0.1. */
  momentum?: number;
  /** Added to the variance. Default: 1e-5. */
  eps?: number;
}

/**
 * (x - mean) / sqrt(variance + eps) of each channel, axis 1, times weight plus bias: of the batch while training, or without running
 * statistics, else of these.
 */
export function batchNorm<D extends DType>(x: Tensor<D>, options?: BatchNormOptions): Tensor<D> {
  if (arguments.length > 2) refuseMore('batchNorm', 2, arguments);
  const read = readOptions<BatchNormOptions>('batchNorm', options, batchNormNames);
  const { runningMean, runningVar } = read;
  const found = run(functionNumbers.batchNorm, [x, read]) as unknown as {
    y: Tensor<D>;
    newMean: Tensor;
    newVar: Tensor;
  };
  if (read.training && isGiven(runningMean) && isGiven(runningVar))
    noGrad(() => {
      runningMean!.copy_(found.newMean);
      runningVar!.copy_(found.newVar);
    });
  end(found.newMean);
  end(found.newVar);
  return found.y;
}

/** Of view. */
export interface ViewOptions {
  /** Sizes, one or several. Needed, where it is not an argument. */
  shape?: number | readonly number[];
}

/**
 * The same elements in row-major order under another shape, of which one size may be -1; refused where it needs a copy. With the name of
 * a dtype the same bytes as elements of that: viewDtype.
 */
export function view<O extends DType>(x: Tensor, dtype: O): Tensor<O>;
export function view<D extends DType>(
  x: Tensor<D>,
  shape: number | readonly number[] | ViewOptions,
): Tensor<D>;
export function view<D extends DType>(x: Tensor<D>, ...shape: number[]): Tensor<D>;
export function view(x?: unknown, ...shape: unknown[]): unknown {
  return viewed(x, shape, 1);
}

/** The same of the arguments behind x, of which the caller wrote `before` before them. */
export function viewed(x: unknown, shape: unknown[], before: number): unknown {
  const name = shape.length === 1 ? shape[0] : undefined;
  if (typeof name === 'string' && dtypes.some((row) => row.name === name))
    return run(functionNumbers.viewDtype, [x, name]);
  return run(functionNumbers.view, spread(functionNumbers.view, [x], shape, before));
}

// ---------------------------------------------------------------- copies

/** Of to. */
export interface ToOptions<O extends DType = DType> extends OutOptions<O> {
  /** dtype to convert to. Default: that of x. */
  dtype?: O;
  /** Device of the result. Default: that of x. */
  device?: DeviceName;
}

/** A copy in the memory order of x, converted to a dtype, or on a device, or both. A gradient comes back to the device of x. */
export function to<O extends DType>(x: Tensor, dtype: O, options?: ToOptions<O>): Tensor<O>;
export function to<D extends DType>(x: Tensor<D>, device: DeviceName): Tensor<D>;
export function to<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  where?: ToOptions<O> | null,
): Tensor<NoInfer<O>>;
export function to(x?: unknown, ...given: unknown[]): unknown {
  if (given.length > 2) refuseMore('to', 3, [x, ...given]);
  return converted(x, ...given);
}

// What is given as an argument or as an option.
function onlyOne(argument: string, one: unknown, other: unknown): unknown {
  if (isGiven(one) && isGiven(other))
    refuse('ERR_CONFIG', 'to', argument, 'given once', `${print(one)} and ${print(other)}`);
  return isGiven(one) ? one : other;
}

/** to(), of arguments. */
export function converted(x: unknown, target?: unknown, options?: unknown): Tensor {
  const isOnly = isOptions(target) && !isGiven(options);
  const given = isOnly ? target : options;
  const { dtype, device, out } = isOptions(given) ? readOptions<ToOptions>('to', given, toNames) : {};
  const isPlace = isDeviceName(target);
  if (typeof target === 'string' && !isPlace && !isDType(target)) {
    const words = `one of ${dtypes.map(({ name }) => name).join(', ')}, or a device, ${deviceWords}`;
    refuse('ERR_DTYPE', 'to', 'dtype', words, print(target));
  }
  const place = onlyOne('device', isPlace ? target : undefined, device);
  if (!isGiven(place)) {
    const rest = isOptions(given) ? { dtype, out } : given;
    return run(functionNumbers.to, isOnly ? [x, rest] : [x, target, rest]) as Tensor;
  }
  const numbers = deviceNumbers('to', 'device', place);
  const wanted = onlyOne('dtype', isPlace || isOnly ? undefined : target, dtype);
  const number = isGiven(wanted) ? dtypeNumber('to', wanted) : -1;
  if (isGiven(out)) refuse('ERR_ARGUMENT', 'to', 'out', 'left out where a device is given', print(out));
  return wrap(copyTo('to', handleOf('to', x, 'x'), number, numbers));
}

// ---------------------------------------------------------------- random numbers

/** Of what makes random numbers. */
interface RandomOptions<O extends DType> extends OutOptions<O> {
  /** dtype of the result. */
  dtype?: O;
  /** Where the numbers come from. Default: the default generator. */
  generator?: Generator | null;
  /** Whether calls on it are remembered, so that its gradient can be computed. */
  requiresGrad?: boolean;
}

/** Of randint. */
export interface RandintOptions<O extends DType = DType> extends RandomOptions<O> {
  /** Default: 0. */
  low?: Scalar;
  high?: Scalar;
  /** Sizes, one or several. Needed, where it is not an argument. */
  shape?: number | readonly number[];
  /** Device of the result. Default: cpu. */
  device?: DeviceName;
}
type Sizes = readonly number[];

/** Random whole numbers, low to high - 1; low is 0 where a list of sizes, or options, come behind one number. */
export function randint<O extends DType = 'int64'>(
  high: Scalar,
  shape: Sizes | RandintOptions<O>,
  options?: RandintOptions<O>,
): Tensor<NoInfer<O>>;
export function randint<O extends DType = 'int64'>(
  low: Scalar,
  high: Scalar,
  shape: number | Sizes | RandintOptions<O>,
  options?: RandintOptions<O>,
): Tensor<NoInfer<O>>;
export function randint<O extends DType = 'int64'>(options: RandintOptions<O>): Tensor<NoInfer<O>>;
export function randint<O extends DType = 'int64'>(
  low: Scalar,
  high: Scalar,
  ...shape: number[] | [...shape: number[], options: RandintOptions<O>]
): Tensor<NoInfer<O>>;
export function randint(...given: unknown[]): unknown {
  const [first, second, third] = given;
  if (isOptions(first)) return run(functionNumbers.randint, given);
  const isShort = isGiven(second) && typeof second === 'object' && (!isGiven(third) || isOptions(third));
  if (isShort) given.unshift(undefined);
  const [low, high, ...shape] = given;
  return run(functionNumbers.randint, spread(functionNumbers.randint, [low, high], shape, isShort ? 1 : 2));
}

/** Of randintLike. */
export interface RandintLikeOptions<O extends DType = DType> extends RandomOptions<O> {
  /** Default: 0. */
  low?: Scalar;
  high?: Scalar;
  /** Device of the result. Default: that of x. */
  device?: DeviceName;
}

/** Random whole numbers, low to high - 1, of the shape and memory order of x; low is 0 where one number is given. */
export function randintLike<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  high: Scalar | RandintLikeOptions<O>,
  options?: RandintLikeOptions<O>,
): Tensor<NoInfer<O>>;
export function randintLike<D extends DType, O extends DType = D>(
  x: Tensor<D>,
  low: Scalar,
  high: Scalar,
  options?: RandintLikeOptions<O>,
): Tensor<NoInfer<O>>;
export function randintLike(...given: unknown[]): unknown {
  if (given.length > 4) refuseMore('randintLike', 4, given);
  const [x, first, second, options] = given;
  const isHigh = isGiven(first) && !isOptions(first) && (!isGiven(second) || isOptions(second));
  return run(functionNumbers.randintLike, isHigh ? [x, undefined, first, second ?? options] : given);
}
