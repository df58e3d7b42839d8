// Running ops: from functions and methods (ops.gen.ts) to the ABI. What is called most, two tensors and no options, comes
// first everywhere and allocates nothing but the result.
import { check, fail, fn, inputs, KIND, refuse, setNumbers } from './abi.js';
import {
  axes,
  dtypeNumber,
  findOperand,
  handleOf,
  isHandle,
  NOT_GIVEN,
  numberKind,
  operands,
  print,
  tensorArgument,
  whole,
} from './arguments.js';
import { changed, handleIn, isTensor, NO_TENSOR, wrap } from './base.js';
import { isArray } from './intrinsics.js';
import {
  alphaNames,
  decimalsNames,
  digitNames,
  factorNames,
  flagOf,
  hasOnlyOut,
  none,
  outOf,
  readOptions,
  readOut,
  reduceNames,
  type OptionNames,
} from './options.js';
import { dtypes, opNumbers } from './tables.gen.js';
import type { Tensor } from './tensor.js';
import type {
  AlphaOptions,
  DecimalsOptions,
  Dims,
  Operand,
  OutOptions,
  ReduceOptions,
  Scalar,
} from './types.js';

const opNames: string[] = [];
for (const [name, op] of Object.entries(opNumbers)) opNames[op] = name;

/** What the ABI is given for an optional out: 0 is none, and a tensor that was disposed of no handle at all. */
export function outHandle(out: Tensor | undefined): number {
  return out ? handleIn(out) || -1 : 0;
}

function made(result: number, name?: string, names?: readonly string[]): Tensor {
  return result > 0 ? wrap(result) : fail(result, name, names);
}

// Any operands; `name` and `names` are what errors call the op and its operands.
function general(
  op: number,
  list: readonly (Operand | typeof NOT_GIVEN)[],
  out: Tensor | undefined,
  name = opNames[op]!,
  names: readonly string[] = inputs,
): Tensor {
  const place = outHandle(out);
  if (out && list.length === 2) {
    const [x, y] = [handleIn(list[0]), handleIn(list[1])];
    if (x !== NO_TENSOR && y !== NO_TENSOR) {
      changed(out);
      check(fn.apply2_out(op, x, y, place), name, names);
      return out;
    }
  }
  operands(name, names, list);
  if (out) changed(out);
  const result = fn.apply(op, list.length, place);
  if (result < 0) fail(result, name, names);
  return out ?? wrap(result);
}

// `name` and `names` are for ops that callers know by others than their rows.

export function unary(op: number, a: Operand, options: OutOptions | undefined, name?: string): Tensor {
  if (options === undefined) {
    const x = handleIn(a);
    if (x !== NO_TENSOR) return made(fn.apply1(op, x), name);
  }
  return general(op, [a], readOut(name ?? opNames[op]!, options), name);
}

export function binary(
  op: number,
  a: Operand,
  b: Operand,
  options: OutOptions | undefined,
  name?: string,
  names?: readonly string[],
): Tensor {
  if (options === undefined) {
    const x = handleIn(a);
    if (x !== NO_TENSOR) {
      if (typeof b === 'number') return made(fn.apply2_number(op, x, numberKind(b), b, 0), name, names);
      const y = handleIn(b);
      if (y !== NO_TENSOR) return made(fn.apply2(op, x, y), name, names);
    }
  }
  return general(op, [a, b], readOut(name ?? opNames[op]!, options), name, names);
}

export function ternary(
  op: number,
  a: Operand,
  b: Operand,
  c: Operand,
  options: OutOptions | undefined,
  names?: readonly string[],
): Tensor {
  if (options === undefined) {
    const [x, y, z] = [handleIn(a), handleIn(b), handleIn(c)];
    if (x !== NO_TENSOR && y !== NO_TENSOR && z !== NO_TENSOR)
      return made(fn.apply3(op, x, y, z), undefined, names);
  }
  return general(op, [a, b, c], readOut(opNames[op]!, options), undefined, names);
}

/** clamp without one of its bounds. */
export function clampToOne(
  x: Operand,
  min: Operand | undefined | null,
  max: Operand | undefined | null,
  out: Tensor | undefined,
): Tensor {
  return general(opNumbers.clamp, [x, min ?? NOT_GIVEN, max ?? NOT_GIVEN], out, 'clamp', ['x', 'min', 'max']);
}

export function unaryInPlace(op: number, a: Tensor, name?: string): void {
  const handle = handleOf(name ?? opNames[op]!, a);
  check(fn.apply1_out(op, handle, handle), name);
}

export function binaryInPlace(op: number, a: Tensor, b: Operand): void {
  const handle = handleOf(opNames[op]!, a);
  const y = handleIn(b);
  if (y !== NO_TENSOR) check(fn.apply2_out(op, handle, y, handle));
  else general(op, [a, b], a);
}

export function ternaryInPlace(op: number, a: Tensor, b: Operand, c: Operand): void {
  general(op, [tensorArgument(opNames[op]!, 'this', a), b, c], a);
}

// ---------------------------------------------------------------- add, sub and round, which have options of their own

const scaledNames = ['a', 'b', 'alpha'];
const ranks = { B: 0, U: 1, I: 1, F: 2, C: 3 } as const;

// The category that an operand has in promotion.
function rank(op: string, value: Operand): number {
  if (isTensor(value)) {
    check(fn.describe(handleOf(op, value)), op); // refused in the name of op, if it was disposed of
    return ranks[dtypes[dtypeNumber(op, value.dtype)]!.category];
  }
  if (typeof value === 'number') return numberKind(value) === KIND.int ? ranks.I : ranks.F;
  if (typeof value === 'object') return ranks.C;
  return typeof value === 'bigint' ? ranks.I : ranks.B;
}

// alpha takes no part in promotion: its category may not be above that of the operands, and a boolean is for bool alone.
function factor(name: string, alpha: unknown, a: Operand, b: Operand): Scalar {
  const found = findOperand(name, 'alpha', alpha);
  if (found === undefined || isHandle(found))
    return refuse('ERR_ARGUMENT', name, 'alpha', 'a number, bigint or boolean', print(alpha));
  const common = Math.max(rank(name, a), rank(name, b));
  if (typeof found === 'boolean' && common > ranks.B)
    refuse('ERR_DTYPE', name, 'alpha', 'a number for operands that are not bool', print(found));
  const expected =
    common < ranks.F ? 'an integer for operands that are not floats' : 'a real number for real operands';
  if (rank(name, found) > Math.max(common, ranks.I))
    refuse('ERR_DTYPE', name, 'alpha', expected, print(found));
  return common === ranks.B ? Boolean(found) : found;
}

/** add and sub; `by` is the op with alpha. */
export function scaled(
  op: number,
  by: number,
  a: Operand,
  b: Operand,
  options: AlphaOptions | undefined,
): Tensor {
  if (options === undefined || hasOnlyOut(options)) return binary(op, a, b, options);
  const name = opNames[op]!;
  const read = readOptions(name, options, alphaNames);
  const out = outOf(name, read);
  if (read.alpha === undefined) return binary(op, a, b, out && { out });
  return general(by, [a, b, factor(name, read.alpha, a, b)], out, name, scaledNames);
}

export function scaledInPlace(
  op: number,
  by: number,
  a: Tensor,
  b: Operand,
  options: Omit<AlphaOptions, 'out'> | undefined,
): void {
  if (options === undefined) return binaryInPlace(op, a, b);
  const name = opNames[op]!;
  tensorArgument(name, 'this', a);
  const { alpha } = readOptions<Omit<AlphaOptions, 'out'>>(`${name}_`, options, factorNames);
  if (alpha === undefined) binaryInPlace(op, a, b);
  else general(by, [a, b, factor(name, alpha, a, b)], a, name, scaledNames);
}

/** round; `by` is the op that rounds to multiples. */
export function rounded(op: number, by: number, a: Operand, options: DecimalsOptions | undefined): Tensor {
  if (options === undefined) return unary(op, a, undefined);
  const read = readOptions('round', options, decimalsNames);
  return roundTo(op, by, a, read.decimals, outOf('round', read));
}

export function roundedInPlace(
  op: number,
  by: number,
  a: Tensor,
  options: Omit<DecimalsOptions, 'out'> | undefined,
): void {
  if (options === undefined) return unaryInPlace(op, a);
  tensorArgument('round', 'this', a);
  const read = readOptions<Omit<DecimalsOptions, 'out'>>('round_', options, digitNames);
  roundTo(op, by, a, read.decimals, a);
}

function roundTo(op: number, by: number, a: Operand, decimals: unknown, out: Tensor | undefined): Tensor {
  if (decimals === undefined || decimals === 0) return general(op, [a], out);
  const digits = whole('round', 'decimals', decimals);
  const isFloat = rank('round', a) === ranks.F;
  const dtype = isTensor(a) ? a.dtype : typeof a;
  if (!isFloat) refuse('ERR_DTYPE', 'round', 'a', 'of a float dtype for decimals', dtype);
  const most = dtype === 'float64' ? 308 : 38;
  if (Math.abs(digits) > most)
    refuse('ERR_ARGUMENT', 'round', 'decimals', `from -${most} to ${most}`, String(digits));
  const power = Number(`1e${Math.abs(digits)}`); // correctly rounded, which 10 ** digits is not
  return general(by, digits < 0 ? [a, power, 1] : [a, 1, power], out, 'round');
}

// ---------------------------------------------------------------- reductions

const isDims = (value: unknown): value is Dims => typeof value === 'number' || isArray(value);

/** f(x, dim, options), f(x, options) and f(x) are the same thing: the options, with the axes as `dim`. */
export function readDims<T extends { dim?: unknown }>(
  name: string,
  dim: T['dim'] | T | null,
  options: T | null | undefined,
  optionNames: OptionNames<T>,
): T {
  if (dim === undefined || dim === null || isDims(dim)) {
    const read = readOptions(name, options, optionNames);
    if (dim === undefined || dim === null) return read;
    if (read === none) return { dim } as T;
    if (read.dim !== undefined)
      refuse('ERR_CONFIG', name, 'dim', 'given once', `${print(dim)} and ${print(read.dim)}`);
    read.dim = dim;
    return read;
  }
  if (typeof dim !== 'object' || (options !== undefined && options !== null))
    refuse('ERR_AXIS', name, 'dim', 'a number or a list of numbers', print(dim));
  return readOptions(name, dim as T, optionNames);
}

export function reduce(
  op: number,
  name: string,
  x: Tensor,
  dim: Dims | ReduceOptions | null | undefined,
  options: ReduceOptions | undefined,
): Tensor {
  const handle = handleOf(name, x, 'x');
  if (dim === undefined && options === undefined) return made(fn.reduce(op, handle, -1, 0, -1, 0));
  const read: ReduceOptions = readDims<ReduceOptions>(name, dim, options, reduceNames);
  const out = outOf(name, read);
  const dtype = read.dtype === undefined ? -1 : dtypeNumber(name, read.dtype);
  let list: number[] | undefined;
  if (read.dim !== undefined && read.dim !== null) {
    list = axes(name, [read.dim]);
  }
  const keepdim = flagOf(name, 'keepdim', read.keepdim) ? 1 : 0;
  const place = outHandle(out);
  if (out) changed(out);
  if (list) setNumbers(list);
  const result = fn.reduce(op, handle, list ? list.length : -1, keepdim, dtype, place);
  if (result < 0) fail(result);
  return out ?? wrap(result);
}
