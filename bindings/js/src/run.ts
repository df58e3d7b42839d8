// Running ops: from functions and methods (ops.gen.ts) to the ABI. What is called most, two tensors and no options, comes
// first everywhere and allocates nothing but the result.
import { check, fail, fn, refuse, setNumbers } from './abi.js';
import { axes, dtypeNumber, numberKind, operand, print, tensorArgument } from './arguments.js';
import { changed, TensorBase, wrap } from './base.js';
import { flagOf, none, outOf, readOptions, readOut, reduceNames, type OptionNames } from './options.js';
import { opNumbers } from './tables.gen.js';
import type { Tensor } from './tensor.js';
import type { Dims, Operand, OutOptions, ReduceOptions } from './types.js';

const inputs = ['a', 'b', 'c'];

const opNames = Object.keys(opNumbers);

/** What the ABI is given for an optional out: 0 is none, and a tensor that was disposed of no handle at all. */
export function outHandle(out: Tensor | undefined): number {
  return out ? out._handle || -1 : 0;
}

// Any operands.
function general(op: number, list: readonly Operand[], out: Tensor | undefined): Tensor {
  const name = opNames[op]!;
  for (let k = 0; k < list.length; k++) operand(k, name, inputs[k]!, list[k]!);
  const result = fn.apply(op, list.length, outHandle(out));
  if (result < 0) fail(result);
  return out ? changed(out) : wrap(result);
}

export function unary(op: number, a: Operand, options: OutOptions | undefined): Tensor {
  if (options === undefined && a instanceof TensorBase) {
    const result = fn.apply1(op, a._handle);
    return result > 0 ? wrap(result) : fail(result);
  }
  return general(op, [a], readOut(opNames[op]!, options));
}

export function binary(op: number, a: Operand, b: Operand, options: OutOptions | undefined): Tensor {
  if (options === undefined && a instanceof TensorBase) {
    if (b instanceof TensorBase) {
      const result = fn.apply2(op, a._handle, b._handle);
      return result > 0 ? wrap(result) : fail(result);
    }
    if (typeof b === 'number') {
      const result = fn.apply2_number(op, a._handle, numberKind(b), b, 0);
      return result > 0 ? wrap(result) : fail(result);
    }
  }
  const out = readOut(opNames[op]!, options);
  if (out === undefined || !(a instanceof TensorBase && b instanceof TensorBase))
    return general(op, [a, b], out);
  check(fn.apply2_out(op, a._handle, b._handle, out._handle));
  return changed(out);
}

export function ternary(
  op: number,
  a: Operand,
  b: Operand,
  c: Operand,
  options: OutOptions | undefined,
): Tensor {
  if (
    options === undefined &&
    a instanceof TensorBase &&
    b instanceof TensorBase &&
    c instanceof TensorBase
  ) {
    const result = fn.apply3(op, a._handle, b._handle, c._handle);
    return result > 0 ? wrap(result) : fail(result);
  }
  return general(op, [a, b, c], readOut(opNames[op]!, options));
}

export function unaryInPlace(op: number, a: Tensor): void {
  check(fn.apply1_out(op, a._handle, a._handle));
}

export function binaryInPlace(op: number, a: Tensor, b: Operand): void {
  if (b instanceof TensorBase) check(fn.apply2_out(op, a._handle, b._handle, a._handle));
  else general(op, [a, b], a);
}

export function ternaryInPlace(op: number, a: Tensor, b: Operand, c: Operand): void {
  general(op, [a, b, c], a);
}

const isDims = (value: unknown): value is Dims => typeof value === 'number' || Array.isArray(value);

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
  tensorArgument(name, 'x', x);
  if (dim === undefined && options === undefined) {
    const result = fn.reduce(op, x._handle, -1, 0, -1, 0);
    return result > 0 ? wrap(result) : fail(result);
  }
  const read: ReduceOptions = readDims<ReduceOptions>(name, dim, options, reduceNames);
  const out = outOf(name, read);
  const dtype = read.dtype === undefined ? -1 : dtypeNumber(name, read.dtype);
  let count = -1;
  if (read.dim !== undefined && read.dim !== null) {
    const list = axes(name, [read.dim].flat());
    setNumbers(list);
    count = list.length;
  }
  const keepdim = flagOf(name, 'keepdim', read.keepdim) ? 1 : 0;
  const result = fn.reduce(op, x._handle, count, keepdim, dtype, outHandle(out));
  if (result < 0) fail(result);
  return out ? changed(out) : wrap(result);
}
