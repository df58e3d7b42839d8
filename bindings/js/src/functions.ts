// Running the rows of functions.def: from functions and methods (ops.gen.ts) to the ABI's `call`. One runner per kind.
import { backend, check, fn, refuse, setOperand } from './abi.js';
import { axes, axis, dtypeNumber, operand, print, sizes, tensorArgument } from './arguments.js';
import { changed, wrap } from './base.js';
import { either, isDims, outHandle } from './run.js';
import type { Tensor } from './tensor.js';
import type {
  ArgOptions,
  AxisOptions,
  Dims,
  MomentOptions,
  NormOptions,
  Operand,
  OutOptions,
  PowerOptions,
} from './types.js';

// Where the parameters are in the numbers of the scratch block (abi.h).
const DTYPE = 0;
const KEEPDIM = 1;
const NUMBER = 2;
const COUNT = 3;
const LIST = 8;
const ABSENT = -1;

interface Parameters {
  dtype?: number;
  keepdim?: boolean | undefined;
  number?: number;
  /** Axes or sizes; none: not given. */
  list?: readonly number[] | undefined;
}

// Operands that are undefined are left out.
function call(
  op: number,
  name: string,
  names: readonly string[],
  operands: readonly (Operand | null | undefined)[],
  { dtype = -1, keepdim = false, number = 0, list }: Parameters,
  options: OutOptions | undefined,
): Tensor {
  const out = options?.out;
  if (out !== undefined) tensorArgument(name, 'out', out);
  operands.forEach((value, k) => {
    if (value === undefined || value === null) setOperand(k, ABSENT, 0);
    else operand(k, name, names[k]!, value);
  });
  const numbers = backend.numbers();
  numbers[DTYPE] = dtype;
  numbers[KEEPDIM] = keepdim ? 1 : 0;
  numbers[NUMBER] = number;
  numbers[COUNT] = list ? list.length : -1;
  if (list) for (let k = 0; k < list.length; k++) numbers[LIST + k] = list[k]!;
  const result = check(fn.call(op, operands.length, outHandle(out)));
  return out ? changed(out) : wrap(result);
}

// f(x, dim, options), f(x, options) and f(x) are the same thing: the options, with the axes as `dim`.
function withDim<O extends object>(
  name: string,
  dim: Dims | O | null | undefined,
  options: O | undefined,
): [Dims | null | undefined, O | undefined] {
  if (dim === undefined || dim === null || isDims(dim)) return [dim, options];
  if (typeof dim !== 'object' || options !== undefined)
    refuse('ERR_AXIS', name, 'dim', 'a number or a list of numbers', print(dim));
  return [undefined, dim];
}

export function product(
  op: number,
  name: string,
  a: Operand,
  b: Operand,
  options: OutOptions | undefined,
): Tensor {
  return call(
    op,
    name,
    ['a', 'b'],
    [tensorArgument(name, 'a', a), tensorArgument(name, 'b', b)],
    {},
    options,
  );
}

export function arg(
  op: number,
  name: string,
  x: Tensor,
  dim: number | ArgOptions | null | undefined,
  options: ArgOptions | undefined,
): Tensor {
  tensorArgument(name, 'x', x);
  const [first, rest] = withDim(name, dim, options);
  const chosen = first ?? either(name, rest?.dim, rest?.axis, 'dim and axis');
  const keepdim = either(name, rest?.keepdim, rest?.keepdims, 'keepdim and keepdims');
  const list = chosen === undefined || chosen === null ? undefined : [axis(name, 'dim', chosen)];
  return call(op, name, ['x'], [x], { keepdim, list }, rest);
}

// The axes of a reduction, undefined for all, keepdim, and the other options.
function reduced<O extends MomentOptions | PowerOptions>(
  name: string,
  dim: Dims | O | null | undefined,
  options: O | undefined,
): [number[] | undefined, boolean | undefined, O | undefined] {
  const [first, rest] = withDim(name, dim, options);
  const chosen = first ?? either(name, rest?.dim, rest?.axis, 'dim and axis');
  const keepdim = either(name, rest?.keepdim, rest?.keepdims, 'keepdim and keepdims');
  return [chosen === undefined || chosen === null ? undefined : axes(name, [chosen].flat()), keepdim, rest];
}

export function moment(
  op: number,
  name: string,
  x: Tensor,
  dim: Dims | MomentOptions | null | undefined,
  options: MomentOptions | undefined,
): Tensor {
  tensorArgument(name, 'x', x);
  const [list, keepdim, rest] = reduced(name, dim, options);
  const unbiased = rest?.unbiased === undefined ? undefined : rest.unbiased ? 1 : 0;
  const number = either(name, rest?.correction, unbiased, 'correction and unbiased') ?? 1;
  if (typeof number !== 'number') refuse('ERR_ARGUMENT', name, 'correction', 'a number', print(number));
  return call(op, name, ['x'], [x], { keepdim, number, list }, rest);
}

export function power(
  op: number,
  name: string,
  x: Tensor,
  p: number | PowerOptions | undefined,
  dim: Dims | PowerOptions | null | undefined,
  options: PowerOptions | undefined,
): Tensor {
  tensorArgument(name, 'x', x);
  if (typeof p === 'object' && p !== null) {
    if (dim !== undefined) refuse('ERR_ARGUMENT', name, 'p', 'a number', print(p));
    return power(op, name, x, undefined, undefined, p);
  }
  const [list, keepdim, rest] = reduced(name, dim, options);
  const number = p ?? rest?.p ?? 2;
  if (typeof number !== 'number') refuse('ERR_ARGUMENT', name, 'p', 'a number', print(number));
  return call(op, name, ['x'], [x], { keepdim, number, list }, rest);
}

// SCAN and ROW
export function along(
  op: number,
  name: string,
  x: Tensor,
  dim: number | AxisOptions | undefined,
  options: AxisOptions | undefined,
): Tensor {
  tensorArgument(name, 'x', x);
  const [first, rest] = withDim(name, dim, options);
  const chosen = first ?? either(name, rest?.dim, rest?.axis, 'dim and axis');
  const dtype = rest?.dtype === undefined ? -1 : dtypeNumber(name, rest.dtype);
  return call(op, name, ['x'], [x], { dtype, list: [axis(name, 'dim', chosen)] }, rest);
}

export function overShape(
  op: number,
  name: string,
  x: Tensor,
  shape: number | readonly number[],
  options: NormOptions | undefined,
): Tensor {
  tensorArgument(name, 'x', x);
  const number = options?.eps ?? 1e-5;
  if (typeof number !== 'number') refuse('ERR_ARGUMENT', name, 'eps', 'a number', print(number));
  const list = sizes(name, [shape].flat(), 0);
  return call(
    op,
    name,
    ['x', 'weight', 'bias'],
    [x, options?.weight, options?.bias],
    { number, list },
    options,
  );
}

export function masked(
  op: number,
  name: string,
  x: Tensor,
  chosen: Tensor,
  options: OutOptions | undefined,
): Tensor {
  const operands = [tensorArgument(name, 'x', x), tensorArgument(name, 'mask', chosen)];
  return call(op, name, ['x', 'mask'], operands, {}, options);
}

export function filled(
  op: number,
  name: string,
  x: Tensor,
  chosen: Tensor,
  value: Operand,
  options: OutOptions | undefined,
): Tensor {
  if (value === undefined || value === null)
    refuse('ERR_ARGUMENT', name, 'value', 'a tensor, number, bigint or boolean', print(value));
  const operands = [tensorArgument(name, 'x', x), tensorArgument(name, 'mask', chosen), value];
  return call(op, name, ['x', 'mask', 'value'], operands, {}, options);
}
