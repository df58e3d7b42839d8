// Checking of arguments before they cross into the core, which sees doubles only.
import { KIND, refuse, setBigintOperand, setOperand } from './abi.js';
import { dtypes, type DType } from './tables.gen.js';
import { handleIn, isTensor, NO_TENSOR } from './base.js';
import { isArray, isTypedArray, typedLength } from './intrinsics.js';
import { print } from './print.js';
import type { Tensor } from './tensor.js';
import type { Complex, Operand } from './types.js';

const MAX_DIMS = 64;
const numbers = new Map(dtypes.map((row, k) => [row.name as string, k]));

/** Whether a value is the name of a dtype. */
export const isDType = (value: unknown): value is DType => numbers.has(value as string);

/** Number of a dtype. */
export function dtypeNumber(op: string, dtype: unknown, argument = 'dtype'): number {
  const number = numbers.get(dtype as string);
  return (
    number ??
    refuse('ERR_DTYPE', op, argument, `one of ${dtypes.map((row) => row.name).join(', ')}`, print(dtype))
  );
}

/** Whether the elements are whole numbers; bool is none. */
export function isIntegerDType(dtype: DType): boolean {
  return 'UI'.includes(dtypes[numbers.get(dtype)!]!.category);
}

/** Whether the elements are floating-point numbers, not complex ones. */
export const isRealFloat = (dtype: DType): boolean => dtypes[numbers.get(dtype)!]!.category === 'F';

export const isComplexDType = (dtype: DType): boolean => dtypes[numbers.get(dtype)!]!.category === 'C';

export { print };

const isWhole = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value);

/** A whole number that a double holds exactly. */
export function whole(op: string, argument: string, value: unknown): number {
  if (isWhole(value)) return value;
  const expected = Number.isInteger(value) ? 'a whole number within 2^53 of 0' : 'a whole number';
  return refuse('ERR_ARGUMENT', op, argument, expected, print(value));
}

/** An axis. */
export function axis(op: string, argument: string, value: unknown): number {
  if (isWhole(value)) return value;
  return refuse('ERR_AXIS', op, argument, 'a whole number', print(value));
}

/** The members of a list, each read once; `most` of them are enough to tell that there are too many. */
export function listOf(op: string, argument: string, list: unknown, most = MAX_DIMS + 1): unknown[] {
  if (isTensor(list) || !(isArray(list) || isTypedArray(list)))
    return refuse('ERR_ARGUMENT', op, argument, 'a list', print(list));
  const found: unknown = isTypedArray(list) ? typedLength(list) : (list as unknown[]).length;
  const length = typeof found === 'number' && found > 0 ? Math.min(found, most) : 0;
  const members: unknown[] = [];
  for (let k = 0; k < length; k++) members.push((list as ArrayLike<unknown>)[k]); // Array.from is ten times as slow
  return members;
}

const MOST_ITERATED = 2 ** 20;

// What to write where a list is easily forgotten.
const LISTS: Readonly<Record<string, string>> = { params: 'a list of tensors, such as model.parameters()' };

/** The members of what can be iterated, but no tensor; what its own code throws is the cause of the refusal. */
export function iterated(op: string, argument: string, list: unknown): unknown[] {
  const no = (got: string, cause?: unknown): never =>
    refuse('ERR_ARGUMENT', op, argument, LISTS[argument] ?? 'a list of tensors', got, cause);
  const all: unknown[] = [];
  if (typeof list !== 'object' || isTensor(list)) no(print(list));
  try {
    for (const member of list as Iterable<unknown>) if (all.push(member) > MOST_ITERATED) break;
  } catch (cause) {
    no(print(list), cause);
  }
  return all.length > MOST_ITERATED ? no(`more than ${MOST_ITERATED} members`) : all;
}

// One list, or the members of one as arguments.
function members(op: string, argument: string, list: readonly unknown[]): unknown[] {
  const [first] = list;
  const isList = list.length === 1 && (isArray(first) || isTypedArray(first));
  return listOf(op, argument, isList ? first : list);
}

/** A list of axes, given as one array or as arguments. */
export function axes(op: string, list: readonly unknown[], argument = 'axes'): number[] {
  const flat = members(op, argument, list);
  if (flat.length > MAX_DIMS) refuse('ERR_AXIS', op, argument, `at most ${MAX_DIMS}`, 'more');
  for (let k = 0; k < flat.length; k++) if (!isWhole(flat[k])) axis(op, `${argument}[${k}]`, flat[k]);
  return flat as number[];
}

/** Sizes, given as one array or as arguments; `least` is 0, or -1 where that has a meaning. */
export function sizes(op: string, list: readonly unknown[], least: number, argument = 'shape'): number[] {
  const flat = members(op, argument, list);
  if (flat.length > MAX_DIMS) refuse('ERR_SHAPE', op, argument, `at most ${MAX_DIMS} dims`, 'more');
  let product = 1;
  let largest = 0; // an empty tensor may have any other sizes, as long as each is exact
  for (let k = 0; k < flat.length; k++) {
    const size = flat[k];
    if (typeof size !== 'number' || !Number.isInteger(size) || size < least)
      refuse('ERR_SHAPE', op, `${argument}[${k}]`, `a whole number >= ${least}`, print(size));
    product *= Math.abs(size);
    if (size > largest) largest = size;
  }
  if (product > Number.MAX_SAFE_INTEGER || largest > Number.MAX_SAFE_INTEGER)
    refuse('ERR_OVERFLOW', op, argument, 'fewer than 2^53 elements', print(flat));
  return flat as number[];
}

/** Kind of a number as an operand: -0, fractions and what is too large for an exact integer are floats. */
export function numberKind(value: number): number {
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? KIND.int : KIND.float;
}

/** Whether a value is meant as a complex number; it may be a wrong one. */
export function isComplex(value: unknown): value is Record<'re', unknown> {
  try {
    return typeof value === 'object' && value !== null && 're' in value && !isTensor(value);
  } catch {
    return false; // a proxy that was revoked, or throws
  }
}

/** The parts of a complex number, each read once; undefined if they are no numbers. */
export function complexParts(value: Record<'re', unknown>): Complex | undefined {
  const { re, im } = value as Partial<Complex>;
  return typeof re === 'number' && typeof im === 'number' ? { re, im } : undefined;
}

/** An operand as it was found: a number, or the handle of a tensor. */
type Found = { handle: number } | Complex | number | boolean | bigint;

/** Whether what was found is a tensor. */
export const isHandle = (found: Found): found is { handle: number } =>
  typeof found === 'object' && 'handle' in found;

/** An operand, read once; undefined if it is none. */
export function findOperand(op: string, argument: string, value: unknown): Found | undefined {
  const handle = handleIn(value);
  if (handle !== NO_TENSOR) return { handle };
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) !== value && BigInt.asUintN(64, value) !== value)
    refuse('ERR_ARGUMENT', op, argument, 'within 64 bits, signed or unsigned', print(value));
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return value;
  if (!isComplex(value)) return undefined;
  return (
    complexParts(value) ?? refuse('ERR_ARGUMENT', op, argument, '{ re, im } of two numbers', print(value))
  );
}

/** Puts what was found into the scratch block. */
export function putOperand(k: number, found: Found): void {
  if (isHandle(found)) setOperand(k, KIND.handle, found.handle);
  else if (typeof found === 'object') setOperand(k, KIND.complex, found.re, found.im);
  else if (typeof found === 'number') setOperand(k, numberKind(found), found);
  else if (typeof found === 'boolean') setOperand(k, KIND.bool, found ? 1 : 0);
  else setBigintOperand(k, found);
}

/** Puts an operand into the scratch block; false if it is none. */
export function tryOperand(k: number, op: string, argument: string, value: unknown): boolean {
  const found = findOperand(op, argument, value);
  if (found === undefined) return false;
  putOperand(k, found);
  return true;
}

/** An operand that is not given. */
export const NOT_GIVEN = Symbol('not given');

/** Puts operands into the scratch block. All are looked at before: a proxy may run other operations then, which use the block. */
export function operands(
  op: string,
  names: readonly string[],
  values: readonly (Operand | typeof NOT_GIVEN)[],
): void {
  const found = values.map((value, k) =>
    value === NOT_GIVEN
      ? value
      : (findOperand(op, names[k]!, value) ??
        refuse('ERR_ARGUMENT', op, names[k]!, 'a tensor, number, bigint or boolean', print(value))),
  );
  found.forEach((one, k) => (one === NOT_GIVEN ? setOperand(k, KIND.none, 0) : putOperand(k, one)));
}

/** The handle of a tensor, by default of what a method was called on. */
export function handleOf(op: string, x: unknown, argument = 'this'): number {
  const handle = handleIn(x);
  return handle === NO_TENSOR ? refuse('ERR_ARGUMENT', op, argument, 'a tensor', print(x)) : handle;
}

/** Refuses what is not a tensor. */
export function tensorArgument(op: string, argument: string, value: unknown): Tensor {
  return isTensor(value) ? value : refuse('ERR_ARGUMENT', op, argument, 'a tensor', print(value));
}
