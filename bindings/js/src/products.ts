// Sums of products of any number of tensors, which may stand one by one, as PyTorch takes them.
import { isTensor } from './base.js';
import { run } from './functions.js';
import { isArray } from './intrinsics.js';
import { isOptions, refuseMore } from './options.js';
import { functionNumbers, type DType } from './tables.gen.js';
import type { Tensor } from './tensor.js';
import type { Dims, OutOptions, Promote, PromoteAll } from './types.js';

// Tensors one by one become a list; options, or nothing, may come behind them.
function gathered(given: readonly unknown[]): [operands: unknown, options: unknown, more: number] {
  if (!isTensor(given[0])) return [given[0], given[1], given.length - 2];
  const last = given[given.length - 1];
  const isLast = last === undefined || (!isTensor(last) && isOptions(last));
  return isLast ? [given.slice(0, -1), last, 0] : [given, undefined, 0];
}

/**
 * Einstein's sums: a letter for each axis of each operand, `...` for the others, then `->` and the letters of the result; other letters
 * are summed, repeated ones are one index. Without `->` the result has the letters that occur once, in alphabetical order.
 *
 *     einsum('ij,jk->ik', a, b)      a matrix product
 *     einsum('...ii->...i', x)       diagonals
 *     einsum('bi,bj->bij', [a, b])   operands as a list
 */
export function einsum<L extends readonly Tensor[], O extends DType = PromoteAll<L>>(
  equation: string,
  operands: readonly [...L],
  options?: OutOptions<O>,
): Tensor<NoInfer<O>>;
export function einsum<L extends readonly Tensor[]>(
  equation: string,
  ...operands: [...L]
): Tensor<PromoteAll<L>>;
export function einsum<L extends readonly Tensor[], O extends DType = PromoteAll<L>>(
  equation: string,
  ...operands: [...L, options: OutOptions<O>]
): Tensor<NoInfer<O>>;
export function einsum(equation: unknown, ...rest: unknown[]): unknown {
  const [operands, options, more] = gathered(rest);
  if (more > 0) refuseMore('einsum', 3, arguments);
  return run(functionNumbers.einsum, [operands, equation, options]);
}

/** How many axes are summed, the last of the one with the first of the other; or which ones of each. */
export type TensordotDims = number | readonly [a: Dims, b: Dims] | null;

/** Sums of products over pairs of axes: the axes that are left of a, then those of b. `dims` is 2 if it is not given. */
export function tensordot<A extends Tensor, B extends Tensor, O extends DType = Promote<A, B>>(
  a: A,
  b: B,
  dims?: TensordotDims,
  options?: OutOptions<O>,
): Tensor<NoInfer<O>>;
export function tensordot(a: unknown, b: unknown, dims?: unknown, options?: unknown): unknown {
  if (arguments.length > 4) refuseMore('tensordot', 4, arguments);
  if (!isArray(dims) || dims.length !== 2) return run(functionNumbers.tensordot, [a, b, dims, options]);
  const [dimsA, dimsB]: unknown[] = dims;
  return run(functionNumbers.tensordot, [a, b, undefined, { ...(options as object), dimsA, dimsB }]);
}
