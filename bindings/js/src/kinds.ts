// What the parameters of rows may be: how a value of each kind crosses, or is refused. functions.ts runs the rows.
import { numbersRoom, refuse } from './abi.js';
import { axes, axis, dtypeNumber, findOperand, isHandle, listOf, print, sizes, whole } from './arguments.js';
import { handleIn, NO_TENSOR } from './base.js';
import { deviceNumbers } from './devices.js';
import { generatorHandle } from './generator.js';
import { isArray, isTypedArray } from './intrinsics.js';
import { flagOf } from './options.js';
import type { Parameter } from './tables.gen.js';
import type { Tensor } from './tensor.js';
import type { Scalar } from './types.js';

/** The arguments of a call as the ABI reads them. */
export interface Arguments {
  /** The first `count` of them. */
  readonly numbers: number[];
  count: number;
  /** Numbers that keep their kind. */
  readonly operands: Scalar[];
  /** While they are gathered: the options that were given, each at its place (Slot, Plan); the others are undefined. */
  readonly read: unknown[];
  /** The caller's tensors for the results; the first alone where there is one. */
  out: Tensor | undefined;
  outs: readonly Tensor[] | undefined;
  requiresGrad: boolean;
}

/** Puts a value of a kind behind the arguments, or refuses it. */
export type Put = (to: Arguments, slot: Slot, value: unknown) => void;

/**
 * A parameter of a row, and what is found out about it once. All slots have the same fields, so that the engine reads
 * them fast.
 */
export interface Slot {
  /** Name of the row. */
  readonly op: string;
  readonly name: string;
  readonly put: Put;
  /** Whether it is an argument, or an attribute that may be one; else an option. */
  readonly isArgument: boolean;
  /** Numbers that cross where it is not given; none where it must be given, or where `instead` is put. */
  readonly usual: readonly number[] | undefined;
  readonly instead: unknown;
  /** Among the options of the row; NO_PLACE where it is none. */
  readonly place: number;
  /** An option that says the same, and its place. */
  readonly flag: string | undefined;
  readonly flagPlace: number;
  /** INTS: how many. SHAPE: the least size. Lists of tensors: how many the row has. */
  readonly n: number;
  readonly words: readonly string[];
}

/** Whether a value is neither undefined nor null. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
const isList = (value: unknown): boolean => isArray(value) || isTypedArray(value);

// ---------------------------------------------------------------- kinds of tensors

/** No handle ever: the core says that the tensor was disposed of. */
export const GONE = 1;

/** Puts a number behind the arguments. */
export function push(to: Arguments, number: number): void {
  to.numbers[to.count++] = number;
}

function putHandle(to: Arguments, op: string, argument: string, value: unknown): void {
  const handle = handleIn(value);
  if (handle === NO_TENSOR) refuse('ERR_ARGUMENT', op, argument, 'a tensor', print(value));
  push(to, handle || GONE);
}

const putTensor: Put = (to, { op, name }, value) => putHandle(to, op, name, value);

// Numbers lie apart.
function putFound(to: Arguments, { op, name }: Slot, value: unknown, expected: string): void {
  const found = findOperand(op, name, value);
  if (found === undefined) refuse('ERR_ARGUMENT', op, name, expected, print(value));
  if (isHandle(found)) push(to, found.handle || GONE);
  else push(to, -to.operands.push(found));
}

const scalar = 'a number, bigint or boolean';

const putTensors: Put = (to, { op, name, n }, value) => {
  if (!isArray(value)) refuse('ERR_ARGUMENT', op, name, 'an array of tensors', print(value));
  const most = Math.floor(numbersRoom() / (n + 1)); // one part is for the other arguments
  const list = listOf(op, name, value, most + 1);
  if (list.length > most) refuse('ERR_ARGUMENT', op, name, `at most ${most} tensors`, 'more');
  push(to, list.length);
  list.forEach((member, k) => putHandle(to, op, `${name}[${k}]`, member));
};

/** How a tensor, or a list of them, of each kind is put. */
export const tensorKinds: Readonly<Record<string, Put>> = {
  IN: putTensor,
  BASE: putTensor,
  OPTIONAL: putTensor,
  OPERAND: (to, slot, value) => putFound(to, slot, value, `a tensor, ${scalar}`),
  LIST: putTensors,
  UPDATED: putTensors,
  UPDATED_OR_NONE: putTensors,
};

/** Whether a parameter is a list of tensors. */
export const isListKind = ({ kind }: Parameter): boolean => tensorKinds[kind] === putTensors;

// ---------------------------------------------------------------- kinds of attributes

const NOT_GIVEN = NaN; // of an axis or a whole number
const ALL_AXES = -1; // in place of their count
const NO_DTYPE = -1;
const NO_DEVICE = -1;
const DEFAULT_GENERATOR = 0; // in place of a handle
const ONE = -1; // in place of the length of a list that is one number
const MOST_TEXT = 1024; // characters of a TEXT
const MOST_INTS = 128; // of an INT_LIST: two for each axis

function putCounted(to: Arguments, list: readonly number[]): void {
  push(to, list.length);
  for (let k = 0; k < list.length; k++) push(to, list[k]!);
}

const putAxes: Put = (to, { op, name }, value) => {
  if (typeof value !== 'number' && !isList(value))
    refuse('ERR_AXIS', op, name, 'a number or a list of numbers', print(value));
  putCounted(to, axes(op, [value], name));
};

const putInts: Put = (to, { op, name, n }, value) => {
  if (!isList(value)) {
    const one = whole(op, name, value);
    for (let k = 0; k < n; k++) push(to, one);
    return;
  }
  const list = listOf(op, name, value, n + 1);
  if (list.length !== n) refuse('ERR_ARGUMENT', op, name, `${n} whole numbers, or one for all`, print(value));
  list.forEach((member, k) => push(to, whole(op, `${name}[${k}]`, member)));
};

const putIntList: Put = (to, { op, name }, value) => {
  if (!isList(value)) return putCounted(to, [whole(op, name, value)]);
  const list = listOf(op, name, value, MOST_INTS + 1);
  if (list.length > MOST_INTS) refuse('ERR_ARGUMENT', op, name, `at most ${MOST_INTS} whole numbers`, 'more');
  putCounted(
    to,
    list.map((member, k) => whole(op, `${name}[${k}]`, member)),
  );
};

// One number after ONE, or a list.
const putIntOrList: Put = (to, { op, name }, value) => {
  if (!isList(value)) {
    push(to, ONE);
    push(to, whole(op, name, value));
    return;
  }
  const most = numbersRoom() >> 1; // the other half is for the other arguments
  const list = listOf(op, name, value, most + 1);
  if (list.length > most) refuse('ERR_ARGUMENT', op, name, `at most ${most} whole numbers`, 'more');
  push(to, list.length);
  for (let k = 0; k < list.length; k++) push(to, whole(op, `${name}[${k}]`, list[k]));
};

// A word that spells a number may be given as one.
const wordOf = (value: unknown): unknown =>
  typeof value === 'number' ? String(value).replace('Infinity', 'inf') : value;

const putWord: Put = (to, { op, name, words }, value) => {
  const number = words.indexOf(wordOf(value) as string);
  if (number < 0)
    refuse('ERR_ARGUMENT', op, name, `one of ${words.map((word) => `'${word}'`).join(', ')}`, print(value));
  push(to, number);
};

// The codes of its characters.
const putText: Put = (to, { op, name }, value) => {
  if (typeof value !== 'string') refuse('ERR_ARGUMENT', op, name, 'a text', print(value));
  if (value.length > MOST_TEXT) refuse('ERR_ARGUMENT', op, name, `at most ${MOST_TEXT} characters`, 'more');
  push(to, value.length);
  for (let k = 0; k < value.length; k++) push(to, value.charCodeAt(k));
};

const putNumber: Put = (to, { op, name }, value) => {
  push(to, typeof value === 'number' ? value : refuse('ERR_ARGUMENT', op, name, 'a number', print(value)));
};

const putScalar: Put = (to, slot, value) => {
  if (handleIn(value) !== NO_TENSOR) refuse('ERR_ARGUMENT', slot.op, slot.name, scalar, print(value));
  putFound(to, slot, value, scalar);
};

/** How an attribute of each kind is put. */
export const attributeKinds: Readonly<Record<string, Put>> = {
  AXIS: (to, { op, name }, value) => push(to, axis(op, name, value)),
  AXES: putAxes,
  SHAPE: (to, { op, name, n }, value) => putCounted(to, sizes(op, [value], n, name)),
  INT_LIST: putIntList,
  INT_OR_LIST: putIntOrList,
  INTS: putInts,
  INT: (to, { op, name }, value) => push(to, whole(op, name, value)),
  NUMBER: putNumber,
  SCALAR: putScalar,
  FLAG: (to, { op, name }, value) => push(to, flagOf(op, name, value as boolean) ? 1 : 0),
  DTYPE: (to, { op, name }, value) => push(to, dtypeNumber(op, value, name)),
  DEVICE: (to, { op, name }, value) => {
    for (const number of deviceNumbers(op, name, value)) push(to, number);
  },
  GENERATOR: (to, { op, name }, value) => push(to, generatorHandle(op, name, value)),
  WORD: putWord,
  TEXT: putText,
};

/** What crosses for an attribute that is not given. */
export function usualOf({ kind, usual, n = 1, words }: Parameter): readonly number[] | undefined {
  if (usual === 'REQUIRED' || kind === 'SCALAR') return undefined;
  if (kind === 'AXES') return [ALL_AXES]; // OPEN too: no list
  if (usual === 'ALL') return [NOT_GIVEN];
  if (usual === 'OPEN') return new Array<number>(n).fill(NOT_GIVEN);
  if (kind === 'DTYPE') return [NO_DTYPE];
  if (kind === 'GENERATOR') return [DEFAULT_GENERATOR];
  if (kind === 'DEVICE') return [NO_DEVICE, 0];
  if (kind === 'WORD') return [words!.indexOf(usual as string)];
  return new Array<number>(n).fill(Number(usual));
}
