// max, min and their kin: of all elements one value, along an axis values and indices, of two tensors the elements of either.
import { check, fn, refuse } from './abi.js';
import { handleOf, print } from './arguments.js';
import { isTensor, wrap } from './base.js';
import { run } from './functions.js';
import { isOptions, pairNames, readOptions, refuseMore } from './options.js';
import { binary } from './run.js';
import { functionNumbers, opNumbers, reductionNumbers, type DType } from './tables.gen.js';
import type { Tensor } from './tensor.js';
import type { Operand, OutOptions, Promote } from './types.js';

/** Values along an axis, and where they are. */
export interface ValuesAndIndices<D extends DType = DType> {
  values: Tensor<D>;
  indices: Tensor<'int64'>;
}

/** Of max, min, median and nanmedian. */
export interface PairOptions {
  /** Axis; negative ones count from the end. `axis` is the same. Default: all, of which the result is the value alone. */
  dim?: number | null;
  axis?: number | null;
  /** Keep the axis that is reduced, with size 1. `keepdims` is the same. */
  keepdim?: boolean;
  keepdims?: boolean;
  /** Where the results go, both of them. */
  out?: { values: Tensor; indices: Tensor };
}

/** Options with an axis. */
export type AlongOptions = PairOptions & ({ dim: number } | { axis: number });
type All = Omit<PairOptions, 'dim' | 'axis'> | null;

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

// Runs the row `number`: both results where an axis is given, else the values.
function along(number: number, name: string, x: unknown, dim: unknown, options: unknown): unknown {
  const isNamed = isOptions(dim);
  if (isNamed && isGiven(options)) refuse('ERR_ARGUMENT', name, 'options', 'given once', print(options));
  const read = readOptions<PairOptions>(
    name,
    (isNamed ? dim : options) as PairOptions | undefined,
    pairNames,
  );
  const at = isNamed ? undefined : dim;
  const { values, indices } = run(number, [x, at, read]) as ValuesAndIndices;
  if (isGiven(at) || isGiven(read.dim)) return { values, indices };
  if (!isGiven(read.out)) indices.dispose();
  return values;
}

// Of two tensors the elements of either; of all elements the fold, which need not find where it is.
function extremes(
  [number, op, fold]: readonly [number: number, op: number, fold: number],
  name: string,
  x: unknown,
  dim: unknown,
  options: unknown,
): unknown {
  if (isTensor(dim)) return binary(op, x as Operand, dim, options as OutOptions, name, ['x', 'other']);
  if (!isGiven(dim) && !isGiven(options))
    return wrap(check(fn.reduce(fold, handleOf(name, x as Tensor, 'x'), -1, 0, -1, 0), name));
  return along(number, name, x, dim, options);
}

const MAX = [functionNumbers.max, opNumbers.maximum, reductionNumbers.amax] as const;
const MIN = [functionNumbers.min, opNumbers.minimum, reductionNumbers.amin] as const;

/** The largest element; along an axis values and indices; of two tensors the larger elements. NaN where there is one. */
export function max<D extends DType>(x: Tensor<D>, dim?: All, options?: All): Tensor<D>;
export function max<D extends DType>(
  x: Tensor<D>,
  dim: number | AlongOptions,
  options?: PairOptions,
): ValuesAndIndices<D>;
export function max<A extends Operand, B extends Tensor, O extends DType = Promote<A, B>>(
  x: A,
  other: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>>;
export function max(x: unknown, dim?: unknown, options?: unknown): unknown {
  if (arguments.length > 3) refuseMore('max', 3, arguments);
  return extremes(MAX, 'max', x, dim, options);
}

/** The smallest element; along an axis values and indices; of two tensors the smaller elements. NaN where there is one. */
export function min<D extends DType>(x: Tensor<D>, dim?: All, options?: All): Tensor<D>;
export function min<D extends DType>(
  x: Tensor<D>,
  dim: number | AlongOptions,
  options?: PairOptions,
): ValuesAndIndices<D>;
export function min<A extends Operand, B extends Tensor, O extends DType = Promote<A, B>>(
  x: A,
  other: B,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>>;
export function min(x: unknown, dim?: unknown, options?: unknown): unknown {
  if (arguments.length > 3) refuseMore('min', 3, arguments);
  return extremes(MIN, 'min', x, dim, options);
}

/** The middle element in order, the lower of two; along an axis values and indices. NaN where there is one. */
export function median<D extends DType>(x: Tensor<D>, dim?: All, options?: All): Tensor<D>;
export function median<D extends DType>(
  x: Tensor<D>,
  dim: number | AlongOptions,
  options?: PairOptions,
): ValuesAndIndices<D>;
export function median(x: unknown, dim?: unknown, options?: unknown): unknown {
  if (arguments.length > 3) refuseMore('median', 3, arguments);
  return along(functionNumbers.median, 'median', x, dim, options);
}

/** The median of the elements that are not NaN; along an axis values and indices. */
export function nanmedian<D extends DType>(x: Tensor<D>, dim?: All, options?: All): Tensor<D>;
export function nanmedian<D extends DType>(
  x: Tensor<D>,
  dim: number | AlongOptions,
  options?: PairOptions,
): ValuesAndIndices<D>;
export function nanmedian(x: unknown, dim?: unknown, options?: unknown): unknown {
  if (arguments.length > 3) refuseMore('nanmedian', 3, arguments);
  return along(functionNumbers.nanmedian, 'nanmedian', x, dim, options);
}
