// unique and uniqueConsecutive: a tensor, or an object with what was asked for beside it.
import { run } from './functions.js';
import { readOptions, refuseMore, runNames, uniqueNames, type OptionNames } from './options.js';
import { functionNumbers, type DType } from './tables.gen.js';
import type { Tensor } from './tensor.js';

/** Of uniqueConsecutive. */
export interface UniqueConsecutiveOptions<I extends boolean = boolean, C extends boolean = boolean> {
  /** Whether the result has `inverse`: where each element, or slice, went. */
  returnInverse?: I;
  /** Whether the result has `counts`: how many elements, or slices, each one stands for. */
  returnCounts?: C;
  /** Axis of slices that are compared; negative ones count from the end. `axis` is the same. Default: elements are. */
  dim?: number | null;
  axis?: number | null;
  /** Where the results go, all of them. */
  out?: { values: Tensor; inverse: Tensor; counts: Tensor };
}

/** Of unique. */
export interface UniqueOptions<
  I extends boolean = boolean,
  C extends boolean = boolean,
> extends UniqueConsecutiveOptions<I, C> {
  /** Whether the result must be in order; it is, whatever this says. */
  sorted?: boolean;
}

/** The values alone, or an object with what was asked for beside them. */
export type Unique<D extends DType, I extends boolean, C extends boolean> = [I, C] extends [false, false]
  ? Tensor<D>
  : { values: Tensor<D> } & (I extends true ? { inverse: Tensor<'int64'> } : unknown) &
      (C extends true ? { counts: Tensor<'int64'> } : unknown);

interface Results {
  values: Tensor;
  inverse: Tensor;
  counts: Tensor;
}

function found(
  number: number,
  name: string,
  x: unknown,
  options: unknown,
  names: OptionNames<object>,
): unknown {
  const read = readOptions(name, options as object | undefined, names) as UniqueOptions;
  const { values, inverse, counts } = run(number, [x, read]) as Results;
  const wantsInverse = read.returnInverse === true;
  const wantsCounts = read.returnCounts === true;
  const isNew = read.out === undefined || read.out === null;
  if (isNew && !wantsInverse) inverse.dispose();
  if (isNew && !wantsCounts) counts.dispose();
  if (!wantsInverse && !wantsCounts) return values;
  return { values, ...(wantsInverse && { inverse }), ...(wantsCounts && { counts }) };
}

/** The different elements in ascending order, or slices along an axis. NaN is last, and no NaN is equal to another. */
export function unique<D extends DType, I extends boolean = false, C extends boolean = false>(
  x: Tensor<D>,
  options?: UniqueOptions<I, C>,
): Unique<D, I, C>;
export function unique(x: unknown, options?: unknown): unknown {
  if (arguments.length > 2) refuseMore('unique', 2, arguments);
  return found(functionNumbers.unique, 'unique', x, options, uniqueNames);
}

/** The first of each run of equal elements, or of equal slices along an axis. No NaN is equal to another. */
export function uniqueConsecutive<D extends DType, I extends boolean = false, C extends boolean = false>(
  x: Tensor<D>,
  options?: UniqueConsecutiveOptions<I, C>,
): Unique<D, I, C>;
export function uniqueConsecutive(x: unknown, options?: unknown): unknown {
  if (arguments.length > 2) refuseMore('uniqueConsecutive', 2, arguments);
  return found(functionNumbers.uniqueConsecutive, 'uniqueConsecutive', x, options, runNames);
}
