// Running the rows of functions.def: from functions and methods (ops.gen.ts) to the ABI's `call`. One runner per kind.
import { backend, check, fn, refuse } from './abi.js';
import { axes, axis, dtypeNumber, operands, print, sizes, tensorArgument, whole } from './arguments.js';
import { changed, wrap } from './base.js';
import {
  argNames,
  axisNames,
  countNames,
  flagOf,
  momentNames,
  normNames,
  outOf,
  powerNames,
  readOptions,
  readOut,
} from './options.js';
import { outHandle, readDims } from './run.js';
import type { Tensor } from './tensor.js';
import type {
  ArgOptions,
  AxisOptions,
  CountOptions,
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
  values: readonly (Operand | null | undefined)[],
  { dtype = -1, keepdim = false, number = 0, list }: Parameters,
  out: Tensor | undefined,
): Tensor {
  const place = outHandle(out);
  operands(name, names, values, ABSENT);
  const numbers = backend.numbers();
  numbers[DTYPE] = dtype;
  numbers[KEEPDIM] = keepdim ? 1 : 0;
  numbers[NUMBER] = number;
  numbers[COUNT] = list ? list.length : -1;
  if (list) for (let k = 0; k < list.length; k++) numbers[LIST + k] = list[k]!;
  if (out) changed(out);
  const result = check(fn.call(op, values.length, place));
  return out ?? wrap(result);
}

export function product(
  op: number,
  name: string,
  a: Operand,
  b: Operand,
  options: OutOptions | undefined,
): Tensor {
  const given = [tensorArgument(name, 'a', a), tensorArgument(name, 'b', b)];
  return call(op, name, ['a', 'b'], given, {}, readOut(name, options));
}

export function arg(
  op: number,
  name: string,
  x: Tensor,
  dim: number | ArgOptions | null | undefined,
  options: ArgOptions | undefined,
): Tensor {
  tensorArgument(name, 'x', x);
  const read: ArgOptions = readDims<ArgOptions>(name, dim, options, argNames);
  const keepdim = flagOf(name, 'keepdim', read.keepdim);
  const list = read.dim === undefined || read.dim === null ? undefined : [axis(name, 'dim', read.dim)];
  return call(op, name, ['x'], [x], { keepdim, list }, outOf(name, read));
}

// The axes of a reduction; undefined: all.
function axesOf(name: string, dim: Dims | null | undefined): number[] | undefined {
  return dim === undefined || dim === null ? undefined : axes(name, [dim]);
}

function numberOf(name: string, argument: string, value: number): number {
  return typeof value === 'number' ? value : refuse('ERR_ARGUMENT', name, argument, 'a number', print(value));
}

export function moment(
  op: number,
  name: string,
  x: Tensor,
  dim: Dims | MomentOptions | null | undefined,
  options: MomentOptions | undefined,
): Tensor {
  tensorArgument(name, 'x', x);
  const read: MomentOptions = readDims<MomentOptions>(name, dim, options, momentNames);
  const unbiased = flagOf(name, 'unbiased', read.unbiased ?? true) ? 1 : 0;
  const number = numberOf(name, 'correction', read.correction ?? unbiased);
  if (read.unbiased !== undefined && number !== unbiased)
    refuse('ERR_CONFIG', name, 'correction and unbiased', 'given once', `${number} and ${read.unbiased}`);
  const keepdim = flagOf(name, 'keepdim', read.keepdim);
  return call(op, name, ['x'], [x], { keepdim, number, list: axesOf(name, read.dim) }, outOf(name, read));
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
    return power(op, name, x, undefined, p, undefined);
  }
  const read: PowerOptions = readDims<PowerOptions>(name, dim, options, powerNames);
  if (p !== undefined && read.p !== undefined && p !== read.p)
    refuse('ERR_CONFIG', name, 'p', 'given once', `${print(p)} and ${print(read.p)}`);
  const number = numberOf(name, 'p', p ?? read.p ?? 2);
  const keepdim = flagOf(name, 'keepdim', read.keepdim);
  return call(op, name, ['x'], [x], { keepdim, number, list: axesOf(name, read.dim) }, outOf(name, read));
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
  const read: AxisOptions = readDims<AxisOptions>(name, dim, options, axisNames);
  const dtype = read.dtype === undefined ? -1 : dtypeNumber(name, read.dtype);
  return call(op, name, ['x'], [x], { dtype, list: [axis(name, 'dim', read.dim)] }, outOf(name, read));
}

export function overShape(
  op: number,
  name: string,
  x: Tensor,
  shape: number | readonly number[],
  options: NormOptions | undefined,
): Tensor {
  tensorArgument(name, 'x', x);
  const read = readOptions(name, options, normNames);
  const number = numberOf(name, 'eps', read.eps ?? 1e-5);
  const list = sizes(name, [shape], 0);
  const given = [x, read.weight, read.bias];
  return call(op, name, ['x', 'weight', 'bias'], given, { number, list }, outOf(name, read));
}

export function counted(op: number, name: string, x: Tensor, options: CountOptions | undefined): Tensor {
  tensorArgument(name, 'x', x);
  const read = readOptions(name, options, countNames);
  const list = [whole(name, 'minlength', read.minlength ?? 0)];
  return call(op, name, ['x', 'weights'], [x, read.weights], { list }, outOf(name, read));
}

export function masked(
  op: number,
  name: string,
  x: Tensor,
  chosen: Tensor,
  options: OutOptions | undefined,
): Tensor {
  const given = [tensorArgument(name, 'x', x), tensorArgument(name, 'mask', chosen)];
  return call(op, name, ['x', 'mask'], given, {}, readOut(name, options));
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
  const given = [tensorArgument(name, 'x', x), tensorArgument(name, 'mask', chosen), value];
  return call(op, name, ['x', 'mask', 'value'], given, {}, readOut(name, options));
}
