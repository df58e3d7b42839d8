// Running the rows of functions.def: from functions and methods (ops.gen.ts) to the ABI's `call`. One runner for all of them: what
// is particular to a kind of parameter is written here once per kind, and a row is data (tables.gen.ts).
import { backend, check, fn, numbersRoom, refuse, setNumbers } from './abi.js';
import {
  axes,
  axis,
  dtypeNumber,
  findOperand,
  listOf,
  print,
  putOperand,
  sizes,
  tensorArgument,
  whole,
} from './arguments.js';
import { changed, handleIn, NO_TENSOR, wrap } from './base.js';
import { isArray, isTypedArray } from './intrinsics.js';
import { flagOf, isOptions, readOptions, type OptionNames } from './options.js';
import { aliases, functionRows, type FunctionRow, type Parameter } from './tables.gen.js';
import type { Tensor } from './tensor.js';
import type { Scalar } from './types.js';

/** A row, and what is found out about it once. */
interface Prepared {
  readonly row: FunctionRow;
  readonly tensors: readonly Parameter[];
  readonly attributes: readonly Attribute[];
  /** How many of the arguments are tensors. */
  readonly given: number;
  readonly names: OptionNames<object>;
  readonly inPlaceNames: OptionNames<object>;
}

interface Attribute {
  readonly parameter: Parameter;
  readonly name: string;
  /** Numbers of one that is not given; none where it must be. */
  readonly usual: readonly number[] | undefined;
}

/** The arguments of a call as the ABI reads them. */
export interface Arguments {
  /** The first `count` of them. */
  readonly numbers: number[];
  count: number;
  /** Numbers that keep their kind. */
  readonly operands: Scalar[];
  /** The caller's tensors for the results; the first alone where there is one. */
  out: Tensor | undefined;
  outs: readonly Tensor[] | undefined;
}

type Options = Readonly<Record<string, unknown>>;

// ---------------------------------------------------------------- rows

const NOT_GIVEN = NaN; // of an axis or a whole number
const ALL_AXES = -1; // in place of their count
const NO_DTYPE = -1;
const MOST_INTS = 128; // of an INT_LIST: two for each axis

// What crosses for an attribute that is not given.
function usualOf({ kind, usual, n = 1, words }: Parameter): readonly number[] | undefined {
  if (usual === 'REQUIRED') return undefined;
  if (usual === 'ALL') return [kind === 'AXES' ? ALL_AXES : NOT_GIVEN];
  if (usual === 'OPEN') return new Array<number>(n).fill(NOT_GIVEN);
  if (kind === 'DTYPE') return [NO_DTYPE];
  if (kind === 'WORD') return [words!.indexOf(usual as string)];
  return new Array<number>(n).fill(Number(usual));
}

// Each name with the one that it is another spelling of, or itself.
function namesOf(names: readonly string[]): OptionNames<object> {
  const all = new Map<string, string>();
  for (const name of names) {
    all.set(name, name);
    for (const [other, first] of Object.entries(aliases)) if (first === name) all.set(other, name);
  }
  return all;
}

/** A row with its options by name. */
export function prepare(row: FunctionRow): Prepared {
  const optional = row.tensors.filter(({ kind }) => kind === 'OPTIONAL').map(({ name }) => name);
  const namesIn = (list: readonly Parameter[]): string[] =>
    list.flatMap(({ name, flag }) => (flag === undefined ? [name] : [name, flag]));
  const optionNames = (attributes: readonly Parameter[]): string[] => [
    ...namesIn(attributes.slice(0, row.positional)),
    ...optional,
    ...namesIn(attributes.slice(row.positional)),
  ];
  const isView = row.outputs.some(({ kind }) => kind === 'VIEW');
  const ownNames = optionNames(row.attributes);
  return {
    row,
    tensors: row.tensors,
    attributes: row.attributes.map((one) => ({ parameter: one, name: one.name, usual: usualOf(one) })),
    given: row.tensors.length - optional.length,
    names: namesOf(isView ? ownNames : [...ownNames, 'out']),
    inPlaceNames: namesOf(
      ownNames.filter((name) => !row.attributes.some((a) => a.kind === 'DTYPE' && a.name === name)),
    ),
  };
}

const prepared: Prepared[] = [];

// ---------------------------------------------------------------- tensors

const GONE = 1; // no handle ever: the core says that the tensor was disposed of

function push(to: Arguments, number: number): void {
  to.numbers[to.count++] = number;
}

function tensorInto(to: Arguments, op: string, argument: string, value: unknown): void {
  const handle = handleIn(value);
  if (handle === NO_TENSOR) refuse('ERR_ARGUMENT', op, argument, 'a tensor', print(value));
  push(to, handle || GONE);
}

// Numbers lie apart.
function operandInto(to: Arguments, op: string, argument: string, value: unknown, expected: string): void {
  const found = findOperand(op, argument, value);
  if (found === undefined) refuse('ERR_ARGUMENT', op, argument, expected, print(value));
  if (typeof found === 'object') push(to, found.handle || GONE);
  else push(to, -to.operands.push(found));
}

function listInto(to: Arguments, op: string, argument: string, value: unknown): void {
  if (!isArray(value)) refuse('ERR_ARGUMENT', op, argument, 'an array of tensors', print(value));
  const most = numbersRoom() >> 1; // the other half is for the other arguments
  const list = listOf(op, argument, value, most + 1);
  if (list.length > most) refuse('ERR_ARGUMENT', op, argument, `at most ${most} tensors`, 'more');
  push(to, list.length);
  list.forEach((member, k) => tensorInto(to, op, `${argument}[${k}]`, member));
}

// ---------------------------------------------------------------- attributes

const isList = (value: unknown): boolean => isArray(value) || isTypedArray(value);

function countedInto(to: Arguments, list: readonly number[]): void {
  push(to, list.length);
  for (const number of list) push(to, number);
}

function intsInto(to: Arguments, op: string, { name, n = 1 }: Parameter, value: unknown): void {
  if (!isList(value)) {
    const one = whole(op, name, value);
    for (let k = 0; k < n; k++) push(to, one);
    return;
  }
  const list = listOf(op, name, value, n + 1);
  if (list.length !== n) refuse('ERR_ARGUMENT', op, name, `${n} whole numbers, or one for all`, print(value));
  list.forEach((member, k) => push(to, whole(op, `${name}[${k}]`, member)));
}

function intListInto(to: Arguments, op: string, name: string, value: unknown): void {
  if (!isList(value)) return countedInto(to, [whole(op, name, value)]);
  const list = listOf(op, name, value, MOST_INTS + 1);
  if (list.length > MOST_INTS) refuse('ERR_ARGUMENT', op, name, `at most ${MOST_INTS} whole numbers`, 'more');
  countedInto(
    to,
    list.map((member, k) => whole(op, `${name}[${k}]`, member)),
  );
}

function wordNumber(op: string, { name, words }: Parameter, value: unknown): number {
  const number = typeof value === 'string' ? words!.indexOf(value) : -1;
  if (number >= 0) return number;
  return refuse(
    'ERR_ARGUMENT',
    op,
    name,
    `one of ${words!.map((word) => `'${word}'`).join(', ')}`,
    print(value),
  );
}

function axesOf(op: string, name: string, value: unknown): number[] {
  if (typeof value === 'number' || isList(value)) return axes(op, [value], name);
  return refuse('ERR_AXIS', op, name, 'a number or a list of numbers', print(value));
}

function numberOf(op: string, name: string, value: unknown): number {
  return typeof value === 'number' ? value : refuse('ERR_ARGUMENT', op, name, 'a number', print(value));
}

const scalar = 'a number, bigint or boolean';

function scalarInto(to: Arguments, op: string, name: string, value: unknown): void {
  if (handleIn(value) !== NO_TENSOR) refuse('ERR_ARGUMENT', op, name, scalar, print(value));
  operandInto(to, op, name, value, scalar);
}

// An attribute that was given, or that must be.
function attributeInto(to: Arguments, row: FunctionRow, parameter: Parameter, value: unknown): void {
  const op = row.name;
  const { kind, name } = parameter;
  if (kind === 'AXIS') push(to, axis(op, name, value));
  else if (kind === 'FLAG') push(to, flagOf(op, name, value as boolean) ? 1 : 0);
  else if (kind === 'AXES') countedInto(to, axesOf(op, name, value));
  else if (kind === 'DTYPE') push(to, dtypeNumber(op, value, name));
  else if (kind === 'INT') push(to, whole(op, name, value));
  else if (kind === 'NUMBER') push(to, numberOf(op, name, value));
  else if (kind === 'INTS') intsInto(to, op, parameter, value);
  else if (kind === 'INT_LIST') intListInto(to, op, name, value);
  else if (kind === 'SCALAR') scalarInto(to, op, name, value);
  else if (kind === 'WORD') push(to, wordNumber(op, parameter, value));
  else {
    // SHAPE; -1 stands for a size of what the result is a view of
    const least = row.tensors[0]?.kind === 'BASE' ? -1 : 0;
    countedInto(to, sizes(op, [value], least, name));
  }
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

// An attribute from the options, where it may not be given a second time.
function namedOf(op: string, { name, flag }: Parameter, positional: unknown, read: Options): unknown {
  let value = read[name];
  if (flag !== undefined && isGiven(read[flag])) {
    const number = flagOf(op, flag, read[flag] as boolean) ? 1 : 0;
    if (isGiven(value) && value !== number)
      refuse(
        'ERR_CONFIG',
        op,
        `${name} and ${flag}`,
        'given once',
        `${print(value)} and ${print(read[flag])}`,
      );
    value = number;
  }
  if (!isGiven(value)) return positional;
  if (isGiven(positional))
    refuse('ERR_CONFIG', op, name, 'given once', `${print(positional)} and ${print(value)}`);
  return value;
}

// ---------------------------------------------------------------- outputs

// Several, by their names.
function outsOf(op: string, outputs: readonly Parameter[], out: unknown): Tensor[] {
  const names = outputs.map(({ name }) => name);
  if (!isOptions(out)) refuse('ERR_ARGUMENT', op, 'out', `an object with ${names.join(', ')}`, print(out));
  const read = readOptions(op, out as object, namesOf(names), 'out.') as Options;
  return names.map((name) => tensorArgument(op, `out.${name}`, read[name]));
}

function outputsInto(to: Arguments, { name, outputs }: FunctionRow, out: unknown): void {
  if (outputs.length === 1) {
    if (out !== undefined) to.out = tensorArgument(name, 'out', out);
    push(to, to.out ? handleIn(to.out) || GONE : 0);
    return;
  }
  if (out !== undefined) to.outs = to.out ? [to.out] : outsOf(name, outputs, out);
  outputs.forEach((_, k) => push(to, to.outs ? handleIn(to.outs[k]) || GONE : 0));
}

// ---------------------------------------------------------------- calls

// Options come last, or in place of the first attribute that is left out; there they are taken out of `given`.
function optionsIn(first: number, given: unknown[], options: unknown): unknown {
  if (isGiven(options)) return options;
  let last = given.length - 1;
  while (last >= first && !isGiven(given[last])) last--;
  if (last < first || !isOptions(given[last])) return undefined;
  const found = given[last];
  given[last] = undefined;
  return found;
}

export const newArguments = (): Arguments => ({
  numbers: new Array<number>(64).fill(0.5), // numbers that are not whole: the engine keeps doubles from the start
  count: 0,
  operands: [],
  out: undefined,
  outs: undefined,
});

/** All arguments into `to`, looked at before any crosses: a getter or a proxy may run other calls, which use the same block. `own`: the
 * tensor to write to in place. */
export function gather(
  to: Arguments,
  prepared: Prepared,
  given: unknown[],
  options: unknown,
  own: Tensor | undefined,
): void {
  const { row, tensors, attributes } = prepared;
  const { name } = row;
  const found = optionsIn(prepared.given, given, options);
  const names = own ? prepared.inPlaceNames : prepared.names;
  const read = isGiven(found) ? (readOptions(name, found as object, names) as Options) : undefined;
  let at = 0;
  for (let k = 0; k < tensors.length; k++) {
    const { kind, name: argument } = tensors[k]!;
    if (kind === 'IN' || kind === 'BASE') tensorInto(to, name, argument, given[at++]);
    else if (kind === 'OPERAND') operandInto(to, name, argument, given[at++], `a tensor, ${scalar}`);
    else if (kind === 'LIST') listInto(to, name, argument, given[at++]);
    else if (read !== undefined && isGiven(read[argument])) tensorInto(to, name, argument, read[argument]);
    else push(to, 0);
  }
  for (let k = 0; k < attributes.length; k++) {
    const attribute = attributes[k]!;
    const { parameter, usual } = attribute;
    let value = k < row.positional ? given[at + k] : undefined;
    if (read !== undefined) value = namedOf(name, parameter, value, read);
    if (usual === undefined || isGiven(value)) attributeInto(to, row, parameter, value);
    else if (parameter.kind === 'SCALAR') push(to, -to.operands.push(usual[0]!));
    else for (let i = 0; i < usual.length; i++) push(to, usual[i]!);
  }
  to.out = own;
  outputsInto(to, row, own ?? read?.out);
}

// The results: of several an object with their names.
function resultsOf({ outputs }: FunctionRow, first: number, { out, outs }: Arguments): unknown {
  if (outputs.length === 1) return out ?? wrap(first);
  const handles = backend.numbers().slice(0, outputs.length); // making a tensor may use the block
  return Object.fromEntries(outputs.map(({ name }, k) => [name, outs ? outs[k] : wrap(handles[k]!)]));
}

// Taken by a call and given back: one that runs inside another makes its own.
let spare: Arguments | undefined = undefined;

function call(number: number, given: unknown[], options: unknown, own: Tensor | undefined): unknown {
  const one = (prepared[number] ??= prepare(functionRows[number]!));
  const to: Arguments = spare ?? newArguments();
  spare = undefined;
  gather(to, one, given, options, own);
  const { operands } = to;
  for (let k = 0; k < operands.length; k++) putOperand(k, operands[k]!);
  setNumbers(to.numbers, 0, to.count);
  if (to.out) changed(to.out);
  if (to.outs) to.outs.forEach(changed);
  const result = resultsOf(one.row, check(fn.call(number, to.count)), to);
  to.count = 0;
  if (operands.length > 0) operands.length = 0;
  to.out = to.outs = undefined;
  spare = to;
  return result;
}

/** Runs function `number` on tensors and attributes, in the order of the row; those left out are undefined. */
export function run(number: number, given: unknown[], options?: unknown): unknown {
  return call(number, given, options, undefined);
}

/** The same into the first tensor. */
export function runInPlace(number: number, given: unknown[], options?: unknown): void {
  const { name, tensors } = functionRows[number]!;
  call(number, given, options, tensorArgument(name, tensors[0]!.name, given[0]));
}
