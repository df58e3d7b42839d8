// Running the rows of functions.def: from functions and methods (ops.gen.ts) to the ABI's `call`. One runner for all of them: what
// is particular to a kind of parameter is in kinds.ts, and a row is data (tables.gen.ts).
import { backend, check, fn, numbersRoom, refuse, setNumbers } from './abi.js';
import { isComplexDType, isRealFloat, print, putOperand, tensorArgument } from './arguments.js';
import { changed, handleIn, wrap } from './base.js';
import {
  attributeKinds,
  GONE,
  isGiven,
  isListKind,
  push,
  tensorKinds,
  usualOf,
  type Arguments,
  type Slot,
} from './kinds.js';
import { known } from './facts.js';
import { end } from './memory.js';
import { flagOf, isOptions, readOptions, readPlaces, refuseMore, type OptionNames } from './options.js';
import { aliases, functionRows, type FunctionRow, type Parameter } from './tables.gen.js';
import type { Tensor } from './tensor.js';

type Options = Readonly<Record<string, unknown>>;
type Places = ReadonlyMap<string, number>;

/** What a call needs whose arguments are tensors and whole numbers, without options: as most are. */
interface Direct {
  /** How many tensors are given, one or two, and how many are left out. */
  readonly given: number;
  readonly optional: number;
  /** Of each argument that is an attribute: whether a whole number can be given, and what crosses if nothing is; NaN and not
   * `isUsual` where it must be given. */
  readonly isWhole: readonly boolean[];
  readonly isUsual: readonly boolean[];
  readonly usual: readonly number[];
  /** What crosses behind them: the attributes that are options, and a new output. */
  readonly rest: readonly number[];
}

/** A row as it is run. */
interface Plan {
  readonly name: string;
  readonly tensors: readonly Slot[];
  readonly attributes: readonly Slot[];
  readonly outputs: readonly string[];
  /** How many arguments are tensors; how many arguments there are, options apart. */
  readonly given: number;
  readonly most: number;
  /** Whether options come behind the arguments, as they may not where all of them could be arguments. */
  readonly hasOptions: boolean;
  /** Whether the result is a list of tensors. */
  readonly makesList: boolean;
  readonly names: OptionNames<object>;
  readonly inPlaceNames: OptionNames<object>;
  /** Where each option lies when it is read, that of `out`, and how many there are. */
  readonly places: Places;
  readonly inPlacePlaces: Places;
  readonly outPlace: number;
  /** Of `requiresGrad`, which rows have that make something new. */
  readonly requiresPlace: number;
  readonly countPlaces: number;
  readonly direct: Direct | undefined;
}

// ---------------------------------------------------------------- rows

// Whether a tensor, or a list, is an option.
const isOptional = ({ kind }: Parameter): boolean => kind === 'OPTIONAL' || kind === 'UPDATED_OR_NONE';

// Each name with the one that it is another spelling of, or itself.
function namesOf(names: readonly string[]): OptionNames<object> {
  const all = new Map<string, string>();
  for (const name of names) {
    all.set(name, name);
    for (const [other, first] of Object.entries(aliases)) if (first === name) all.set(other, name);
  }
  return all;
}

const NO_PLACE = -1;
const REQUIRES = 'requiresGrad';

function placesOf(names: OptionNames<object>, all: readonly string[]): Places {
  return new Map([...names].map(([name, first]) => [name, all.indexOf(first)]));
}

// A number that may be left out, which NaN stands for in C.
function putOpen(to: Arguments, slot: Slot, value: unknown): void {
  if (Number.isNaN(value)) refuse('ERR_ARGUMENT', slot.op, slot.name, 'a number, or left out', 'NaN');
  attributeKinds['NUMBER']!(to, slot, value);
}

function slotOf(
  { name: op, tensors }: FunctionRow,
  parameter: Parameter,
  isArgument: boolean,
  all: readonly string[],
): Slot {
  const { kind, name, usual, flag, words = [] } = parameter;
  const isTensor = kind in tensorKinds;
  const least = tensors[0]?.kind === 'BASE' ? -1 : 0; // -1 stands for a size of what the result is a view of
  return {
    op,
    name,
    put: kind === 'NUMBER' && usual === 'OPEN' ? putOpen : (isTensor ? tensorKinds : attributeKinds)[kind]!,
    isArgument,
    usual: isTensor ? undefined : usualOf(parameter),
    instead: kind === 'SCALAR' && usual !== 'REQUIRED' ? usual : undefined,
    place: all.indexOf(name),
    flag,
    flagPlace: flag === undefined ? NO_PLACE : all.indexOf(flag),
    n: isListKind(parameter)
      ? tensors.filter(isListKind).length
      : kind === 'SHAPE'
        ? least
        : (parameter.n ?? 1),
    words,
  };
}

const NEW = 0; // in place of the handle of an output

// A row whose calls can be direct: tensors one by one, one number for each argument behind them, one output.
function directOf({ tensors, attributes, outputs, positional }: FunctionRow): Direct | undefined {
  const given = tensors.filter(({ kind }) => kind === 'IN' || kind === 'BASE').length;
  const optional = tensors.filter(({ kind }) => kind === 'OPTIONAL').length;
  const usual = attributes.map(usualOf);
  const first = usual.slice(0, positional);
  const rest = usual.slice(positional);
  const isOne = first.every((numbers) => numbers === undefined || numbers.length === 1);
  const isDirect =
    (given === 1 || given === 2) &&
    given + optional === tensors.length &&
    isOne &&
    !rest.includes(undefined) &&
    outputs.length === 1 &&
    outputs[0]!.kind !== 'TENSORS';
  if (!isDirect) return undefined;
  return {
    given,
    optional,
    isWhole: attributes.slice(0, positional).map(({ kind }) => kind === 'AXIS' || kind === 'INT'),
    isUsual: first.map((numbers) => numbers !== undefined),
    usual: first.map((numbers) => numbers?.[0] ?? NaN),
    rest: [...rest.flatMap((numbers) => numbers!), NEW],
  };
}

/** A row as it is run. */
export function prepare(row: FunctionRow): Plan {
  const optional = row.tensors.filter(isOptional).map(({ name }) => name);
  const namesIn = (list: readonly Parameter[]): string[] =>
    list.flatMap(({ name, flag }) => (flag === undefined ? [name] : [name, flag]));
  const ownNames = [
    ...namesIn(row.attributes.slice(0, row.positional)),
    ...optional,
    ...namesIn(row.attributes.slice(row.positional)),
  ];
  const hasOut =
    row.outputs.length > 0 && row.outputs.every(({ kind }) => kind !== 'VIEW' && kind !== 'TENSORS');
  const isLeftInPlace = (name: string): boolean =>
    !row.attributes.some((one) => one.kind === 'DTYPE' && one.name === name);
  const given = row.tensors.length - optional.length;
  const makes =
    row.attributes.some(({ kind }) => kind === 'DTYPE') &&
    (row.tensors.length === 0 || row.name.endsWith('Like'));
  const madeNames = makes ? [...ownNames, REQUIRES] : ownNames;
  const all = [...madeNames, 'out'];
  const names = namesOf(hasOut ? all : madeNames);
  const inPlaceNames = namesOf(ownNames.filter(isLeftInPlace));
  return {
    name: row.name,
    tensors: row.tensors.map((one) => slotOf(row, one, !isOptional(one), all)),
    attributes: row.attributes.map((one, k) => slotOf(row, one, k < row.positional, all)),
    outputs: row.outputs.map(({ name }) => name),
    given,
    most: given + row.positional,
    hasOptions: hasOut || optional.length > 0 || row.positional < row.attributes.length,
    makesList: row.outputs[0]?.kind === 'TENSORS',
    names,
    inPlaceNames,
    places: placesOf(names, all),
    inPlacePlaces: placesOf(inPlaceNames, all),
    outPlace: all.length - 1,
    requiresPlace: all.indexOf(REQUIRES),
    countPlaces: all.length,
    direct: directOf(row),
  };
}

const plans: (Plan | undefined)[] = functionRows.map(() => undefined);

/** What options of a row, other than out, are called. */
export const optionNames = (number: number): OptionNames<object> => planOf(number).inPlaceNames;

const planOf = (number: number): Plan => (plans[number] ??= prepare(functionRows[number]!));

// ---------------------------------------------------------------- options

// Options are the last of what is given, or in place of the first attribute that is left out; there they are taken out of it.
function optionsIn({ given: first, most }: Plan, given: unknown[]): unknown {
  let last = given.length - 1;
  while (last >= first && !isGiven(given[last])) last--;
  if (last < first) return undefined;
  const found = given[last];
  if (last === most) return found;
  if (typeof found !== 'object' || !isOptions(found)) return undefined;
  given[last] = undefined;
  return found;
}

// An attribute from the options, where it may not be given a second time.
function namedOf(slot: Slot, positional: unknown, read: readonly unknown[]): unknown {
  const { op, name, flag, flagPlace } = slot;
  let value = read[slot.place];
  if (flag !== undefined && isGiven(read[flagPlace])) {
    const number = flagOf(op, flag, read[flagPlace] as boolean) ? 1 : 0;
    if (isGiven(value) && value !== number)
      refuse(
        'ERR_CONFIG',
        op,
        `${name} and ${flag}`,
        'given once',
        `${print(value)} and ${print(read[flagPlace])}`,
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
function outsOf(op: string, names: readonly string[], out: unknown): Tensor[] {
  if (!isOptions(out)) refuse('ERR_ARGUMENT', op, 'out', `an object with ${names.join(', ')}`, print(out));
  const read = readOptions(op, out as object, namesOf(names), 'out.') as Options;
  return names.map((name) => tensorArgument(op, `out.${name}`, read[name]));
}

function putOutputs(to: Arguments, { name, outputs, makesList }: Plan, out: unknown): void {
  if (makesList) return;
  if (outputs.length === 1) {
    if (out !== undefined) to.out = tensorArgument(name, 'out', out);
    push(to, to.out === undefined ? NEW : handleIn(to.out) || GONE);
    return;
  }
  if (out !== undefined) to.outs = to.out ? [to.out] : outsOf(name, outputs, out);
  outputs.forEach((_, k) => push(to, to.outs ? handleIn(to.outs[k]) || GONE : NEW));
}

// The tensors of a list of `count`: the first handles lie in the numbers, the others are asked for.
function listResult(name: string, count: number): Tensor[] {
  const made: Tensor[] = [];
  const room = numbersRoom();
  try {
    for (let n = Math.min(count, room); n > 0; n = made.length < count ? check(fn.list_next(), name) : 0)
      for (const handle of backend.numbers().slice(0, n)) made.push(wrap(handle)); // making a tensor may use the block
  } catch (error) {
    made.forEach(end);
    throw error;
  }
  return made;
}

// The results: of several an object with their names.
function resultsOf({ name, outputs, makesList }: Plan, first: number, { out, outs }: Arguments): unknown {
  if (makesList) return listResult(name, first);
  if (outputs.length === 1) return out ?? wrap(first);
  if (outputs.length === 0) return undefined;
  const handles = backend.numbers().slice(0, outputs.length); // making a tensor may use the block
  return Object.fromEntries(outputs.map((name, k) => [name, outs ? outs[k] : wrap(handles[k]!)]));
}

// ---------------------------------------------------------------- calls

export const newArguments = (): Arguments => ({
  numbers: new Array<number>(64).fill(0.5), // numbers that are not whole: the engine keeps doubles from the start
  count: 0,
  operands: [],
  read: new Array<undefined>(16).fill(undefined),
  out: undefined,
  outs: undefined,
  requiresGrad: false,
});

/** All arguments into `to`, looked at before any crosses: a getter or a proxy may run other calls, which use the same block. `own`: the
 * tensor to write to in place. */
export function gather(to: Arguments, plan: Plan, given: unknown[], own: Tensor | undefined): void {
  const { tensors, attributes } = plan;
  const found = optionsIn(plan, given);
  const read = found === undefined ? undefined : to.read;
  if (read !== undefined) {
    const names = own === undefined ? plan.names : plan.inPlaceNames;
    readPlaces(plan.name, found as object, names, own === undefined ? plan.places : plan.inPlacePlaces, read);
  }
  let at = 0;
  for (let k = 0; k < tensors.length; k++) {
    const slot = tensors[k]!;
    if (slot.isArgument) slot.put(to, slot, given[at++]);
    else if (read !== undefined && isGiven(read[slot.place])) slot.put(to, slot, read[slot.place]);
    else push(to, 0);
  }
  for (let k = 0; k < attributes.length; k++) {
    const slot = attributes[k]!;
    const { usual } = slot;
    let value = slot.isArgument ? given[at++] : undefined;
    if (read !== undefined) value = namedOf(slot, value, read);
    if (isGiven(value) || (usual === undefined && slot.instead === undefined)) slot.put(to, slot, value);
    else if (usual === undefined) slot.put(to, slot, slot.instead);
    else for (let i = 0; i < usual.length; i++) push(to, usual[i]!);
  }
  to.out = own;
  putOutputs(to, plan, own ?? read?.[plan.outPlace]);
  to.requiresGrad =
    plan.requiresPlace !== NO_PLACE && flagOf(plan.name, REQUIRES, read?.[plan.requiresPlace] as boolean);
  if (read !== undefined) for (let k = 0; k < plan.countPlaces; k++) read[k] = undefined; // nothing is held longer
}

// Taken by a call and given back: one that runs inside another makes its own.
let spare: Arguments | undefined = undefined;

/** The arguments of a direct call, put at once into the scratch block: tensors first, and reading a number runs nothing else. How many
 * numbers they are; 0: the call is not direct, or is to be refused. */
function putDirect(direct: Direct, given: readonly unknown[]): number {
  const { isWhole, rest } = direct;
  const n = isWhole.length;
  let from = direct.given;
  if (given.length > from + n && given[from + n] !== undefined) return 0; // options
  const handle = handleIn(given[0]);
  if (!(handle > 0)) return 0;
  const numbers = backend.numbers();
  numbers[0] = handle;
  let at = from;
  if (at === 2) {
    const other = handleIn(given[1]);
    if (!(other > 0)) return 0;
    numbers[1] = other;
  }
  for (let k = direct.optional; k > 0; k--) numbers[at++] = 0;
  for (let k = 0; k < n; k++) {
    const value = given[from++];
    if (typeof value === 'number' && isWhole[k] && Number.isSafeInteger(value)) numbers[at++] = value;
    else if (value === undefined && direct.isUsual[k]) numbers[at++] = direct.usual[k]!;
    else return 0;
  }
  for (let k = 0; k < rest.length; k++) numbers[at++] = rest[k]!;
  return at;
}

// Any call that is not direct, or is to be refused.
function callGathered(number: number, plan: Plan, given: unknown[], own: Tensor | undefined): unknown {
  const to: Arguments = spare ?? newArguments();
  spare = undefined;
  gather(to, plan, given, own);
  const { operands, out, outs } = to;
  if (to.requiresGrad && out !== undefined) {
    const { dtype } = known(out, plan.name, 'out');
    if (!isRealFloat(dtype) && !isComplexDType(dtype))
      refuse('ERR_DTYPE', plan.name, REQUIRES, 'an out of floats', dtype);
  }
  for (let k = 0; k < operands.length; k++) putOperand(k, operands[k]!);
  setNumbers(to.numbers, 0, to.count);
  if (out !== undefined) changed(out);
  if (outs !== undefined) outs.forEach(changed);
  const result = resultsOf(plan, check(fn.call(number, to.count)), to);
  if (to.requiresGrad)
    try {
      check(fn.grad_require(handleIn(result), 1), plan.name, REQUIRES);
    } catch (error) {
      if (out === undefined) end(result as Tensor);
      throw error;
    }
  to.count = 0;
  if (operands.length > 0) operands.length = 0;
  to.out = to.outs = undefined;
  spare = to;
  return result;
}

/** Runs function `number` on tensors and attributes, in the order of the row, and options behind them; those left out are
 * undefined. Small, so that engines put it into its callers. */
export function run(number: number, given: unknown[]): unknown {
  const plan = planOf(number);
  const count = plan.direct === undefined ? 0 : putDirect(plan.direct, given);
  return count > 0 ? wrap(check(fn.call(number, count))) : callGathered(number, plan, given, undefined);
}

/** The same into the first tensor. */
export function runInPlace(number: number, given: unknown[]): void {
  const plan = planOf(number);
  callGathered(number, plan, given, tensorArgument(plan.name, plan.tensors[0]!.name, given[0]));
}

/**
 * What run() is given where the last argument is a list of numbers: `given` are the arguments before it, and `rest` is the list, or its
 * members one by one, and options. `before`: how many arguments the caller wrote before `rest`, for errors.
 */
export function spread(number: number, given: unknown[], rest: unknown[], before: number): unknown[] {
  const n = rest.length;
  const first = n > 0 ? rest[0] : undefined; // an index beyond the last is slow
  const { name, hasOptions, attributes, given: tensors } = planOf(number);
  if (n < 2) {
    const isNamed = given.length > tensors && isOptions(given[given.length - 1]); // options in place of the arguments
    const slot = attributes[given.length - tensors]!;
    const isMissing = n === 0 && !isNamed && slot.usual === undefined;
    if (isMissing && tensors === 0) refuse('ERR_SHAPE', name, slot.name, 'given', 'nothing');
    given.push(isMissing ? [] : first); // no sizes at all are those of a tensor without dims
    return given;
  }
  const areMembers = isGiven(first) ? typeof first !== 'object' : !hasOptions;
  if (areMembers) {
    const last = rest[n - 1];
    const isLast = isOptions(last) || (hasOptions && n === 2 && !isGiven(last));
    if (isLast) given.push(n === 2 ? first : rest.slice(0, -1), last);
    else given.push(rest);
    return given;
  }
  const most = hasOptions ? 2 : 1;
  if (n > most) {
    const all: ArrayLike<unknown> = { length: before + n, [before + n - 1]: rest[n - 1] };
    refuseMore(name, before + most, all);
  }
  given.push(first, rest[1]);
  return given;
}

/** Runs function `number` on numbers as the ABI reads them (native/abi.h): the handle of its result, or a negative status. */
export function runNumbers(number: number, numbers: readonly number[]): number {
  setNumbers(numbers);
  return fn.call(number, numbers.length);
}

const AT_ONCE = 400; // tensors of a list; the numbers of a call have room for a few lists of so many

/** A list of tensors in parts that calls can take. */
export const partsOf = <T>(list: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(list.length / AT_ONCE) }, (_, k) =>
    list.slice(k * AT_ONCE, (k + 1) * AT_ONCE),
  );
