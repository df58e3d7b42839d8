// Running ops: from functions and methods (ops.gen.ts) to the ABI. What is called most, two tensors and no options, comes
// first everywhere and allocates nothing but the result.
import { check, fail, fn, refuse, setNumbers } from './abi.js';
import { axes, dtypeNumber, numberKind, operand, print, tensorArgument } from './arguments.js';
import { changed, TensorBase, wrap } from './base.js';
import { opNumbers } from './tables.gen.js';
import type { Tensor } from './tensor.js';
import type { Dims, Operand, OutOptions, ReduceOptions } from './types.js';

const inputs = ['a', 'b', 'c'];

function opName(op: number): string {
  return Object.keys(opNumbers)[op]!;
}

/** What the ABI is given for an optional out: 0 is none, and a tensor that was disposed of no handle at all. */
export function outHandle(out: Tensor | undefined): number {
  return out ? out._handle || -1 : 0;
}

// Any operands, any options.
function general(op: number, list: readonly Operand[], options: OutOptions | undefined): Tensor {
  const name = opName(op);
  const out = options?.out;
  if (out !== undefined) tensorArgument(name, 'out', out);
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
  return general(op, [a], options);
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
  } else if (a instanceof TensorBase && b instanceof TensorBase && options?.out instanceof TensorBase) {
    check(fn.apply2_out(op, a._handle, b._handle, options.out._handle));
    return changed(options.out);
  }
  return general(op, [a, b], options);
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
  return general(op, [a, b, c], options);
}

export function unaryInPlace(op: number, a: Tensor): void {
  check(fn.apply1_out(op, a._handle, a._handle));
}

export function binaryInPlace(op: number, a: Tensor, b: Operand): void {
  if (b instanceof TensorBase) check(fn.apply2_out(op, a._handle, b._handle, a._handle));
  else general(op, [a, b], { out: a });
}

export function ternaryInPlace(op: number, a: Tensor, b: Operand, c: Operand): void {
  general(op, [a, b, c], { out: a });
}

/** The two spellings of an option may not disagree. */
export function either<T>(
  name: string,
  first: T | undefined,
  second: T | undefined,
  words: string,
): T | undefined {
  if (first !== undefined && second !== undefined && String(first) !== String(second))
    refuse('ERR_CONFIG', name, words, 'given once', `${String(first)} and ${String(second)}`);
  return first ?? second;
}

export const isDims = (value: unknown): value is Dims => typeof value === 'number' || Array.isArray(value);

export function reduce(
  op: number,
  name: string,
  x: Tensor,
  dim: Dims | ReduceOptions | null | undefined,
  options: ReduceOptions | undefined,
): Tensor {
  tensorArgument(name, 'x', x);
  if (dim !== undefined && dim !== null && !isDims(dim)) {
    if (typeof dim !== 'object' || options !== undefined)
      refuse('ERR_AXIS', name, 'dim', 'a number or a list of numbers', print(dim));
    options = dim;
    dim = undefined;
  }
  let keepdim = 0;
  let dtype = -1;
  let out: Tensor | undefined;
  if (options) {
    dim ??= either(name, options.dim, options.axis, 'dim and axis');
    keepdim = either(name, options.keepdim, options.keepdims, 'keepdim and keepdims') ? 1 : 0;
    if (options.dtype !== undefined) dtype = dtypeNumber(name, options.dtype);
    if (options.out !== undefined) out = tensorArgument(name, 'out', options.out);
  }
  let count = -1;
  if (dim !== undefined && dim !== null) {
    const list = axes(name, [dim].flat());
    setNumbers(list);
    count = list.length;
  }
  const result = fn.reduce(op, x._handle, count, keepdim, dtype, outHandle(out));
  if (result < 0) fail(result);
  return out ? changed(out) : wrap(result);
}
