// Checking of arguments before they cross into the core, which sees doubles only.
import { KIND, refuse, setBigintOperand, setOperand } from './abi.js';
import { dtypes, type DType } from './tables.gen.js';
import { isTensor } from './base.js';
import { isArray, isTypedArray, typedLength } from './intrinsics.js';
import type { Tensor } from './tensor.js';
import type { Operand } from './types.js';

const MAX_DIMS = 64;
const numbers = new Map(dtypes.map((row, k) => [row.name as string, k]));

/** Number of a dtype. */
export function dtypeNumber(op: string, dtype: unknown): number {
  const number = numbers.get(dtype as string);
  return (
    number ??
    refuse('ERR_DTYPE', op, 'dtype', `one of ${dtypes.map((row) => row.name).join(', ')}`, print(dtype))
  );
}

/** Whether the elements are whole numbers; bool is none. */
export function isIntegerDType(dtype: DType): boolean {
  return 'UI'.includes(dtypes[numbers.get(dtype)!]!.category);
}

/** Any value, short, for messages; whatever it does when it is looked at. */
export function print(value: unknown): string {
  try {
    return describe(value, 0);
  } catch {
    return `${typeof value === 'object' ? 'an' : 'a'} ${typeof value} that cannot be read`;
  }
}

function describe(value: unknown, depth: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  if (typeof value === 'bigint')
    return value === BigInt.asIntN(128, value) ? `${value}n` : 'a bigint beyond 128 bits';
  if (isTensor(value)) return 'a tensor';
  if (isArray(value)) {
    const { length } = value;
    if (length > 8 || depth > 2) return `an array of ${length}`;
    return `[${Array.from({ length }, (_, k) => describe(value[k], depth + 1)).join(',')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const name: unknown = value.constructor?.name;
    return `an object (${typeof name === 'string' && name !== '' ? name.slice(0, 40) : 'no class'})`;
  }
  if (typeof value === 'function') return 'a function';
  return Object.is(value, -0) ? '-0' : String(value);
}

/** A whole number that a double holds exactly. */
export function whole(op: string, argument: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  return refuse('ERR_ARGUMENT', op, argument, 'a whole number', print(value));
}

/** An axis. */
export function axis(op: string, argument: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  return refuse('ERR_AXIS', op, argument, 'a whole number', print(value));
}

/** The members of a list, each read once; `most` of them are enough to tell that there are too many. */
export function listOf(op: string, argument: string, list: unknown, most = MAX_DIMS + 1): unknown[] {
  if (isTensor(list) || !(isArray(list) || isTypedArray(list)))
    return refuse('ERR_ARGUMENT', op, argument, 'a list', print(list));
  const found: unknown = isTypedArray(list) ? typedLength(list) : (list as unknown[]).length;
  const length = typeof found === 'number' && found > 0 ? Math.min(found, most) : 0;
  return Array.from({ length }, (_, k) => (list as ArrayLike<unknown>)[k]);
}

// One list, or the members of one as arguments.
function members(op: string, argument: string, list: readonly unknown[]): unknown[] {
  const [first] = list;
  const isList = list.length === 1 && (isArray(first) || isTypedArray(first));
  return listOf(op, argument, isList ? first : list);
}

/** A list of axes, given as one array or as arguments. */
export function axes(op: string, list: readonly unknown[]): number[] {
  const flat = members(op, 'axes', list);
  if (flat.length > MAX_DIMS) refuse('ERR_AXIS', op, 'axes', `at most ${MAX_DIMS}`, 'more');
  return flat.map((value, k) => axis(op, `axes[${k}]`, value));
}

/** Sizes, given as one array or as arguments; `least` is 0, or -1 where that has a meaning. */
export function sizes(op: string, list: readonly unknown[], least: number): number[] {
  const flat = members(op, 'shape', list);
  if (flat.length > MAX_DIMS) refuse('ERR_SHAPE', op, 'shape', `at most ${MAX_DIMS} dims`, 'more');
  let product = 1;
  for (let k = 0; k < flat.length; k++) {
    const size = flat[k];
    if (typeof size !== 'number' || !Number.isInteger(size) || size < least)
      refuse('ERR_SHAPE', op, `shape[${k}]`, `a whole number >= ${least}`, print(size));
    product *= Math.abs(size);
  }
  // an empty tensor may have any other sizes, as long as each is exact
  const largest = flat.reduce((most: number, size) => Math.max(most, size as number), 0);
  if (product > Number.MAX_SAFE_INTEGER || largest > Number.MAX_SAFE_INTEGER)
    refuse('ERR_OVERFLOW', op, 'shape', 'fewer than 2^53 elements', print(flat));
  return flat as number[];
}

/** Kind of a number as an operand: -0, fractions and what is too large for an exact integer are floats. */
export function numberKind(value: number): number {
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? KIND.int : KIND.float;
}

/** Puts an operand into the scratch block; false if it is none. */
export function tryOperand(k: number, op: string, argument: string, value: unknown): boolean {
  if (isTensor(value)) setOperand(k, KIND.handle, value._handle);
  else if (typeof value === 'number') setOperand(k, numberKind(value), value);
  else if (typeof value === 'boolean') setOperand(k, KIND.bool, value ? 1 : 0);
  else if (typeof value === 'bigint') {
    if (BigInt.asIntN(64, value) !== value)
      refuse('ERR_ARGUMENT', op, argument, 'within 64 bits, signed', `${value}n`);
    setBigintOperand(k, value);
  } else return false;
  return true;
}

/** Puts an operand into the scratch block. */
export function operand(k: number, op: string, argument: string, value: Operand): void {
  if (!tryOperand(k, op, argument, value))
    refuse('ERR_ARGUMENT', op, argument, 'a tensor, number, bigint or boolean', print(value));
}

/** Refuses what is not a tensor. */
export function tensorArgument(op: string, argument: string, value: unknown): Tensor {
  return isTensor(value) ? value : refuse('ERR_ARGUMENT', op, argument, 'a tensor', print(value));
}
