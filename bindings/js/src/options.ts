// Options of calls. Each is read once, as a getter may answer otherwise the next time; a name that the function does not have
// is refused, with the one that comes nearest.
import { refuse } from './abi.js';
import { isComplex, print, tensorArgument } from './arguments.js';
import { isTensor } from './base.js';
import { isArray, isPlain, isTypedArray } from './intrinsics.js';
import type { AllcloseOptions } from './compare.js';
import type { BufferOptions, ArangeOptions, DeviceOptions, FullOptions, TensorOptions } from './create.js';
import { StriaError } from './errors.js';
import type { InitOptions } from './init.js';
import type { InspectOptions } from './inspect.js';
import type { PairOptions } from './order.js';
import type { LoadOptions } from './safetensors.js';
import type {
  BatchNormOptions,
  ClampOptions,
  DivOptions,
  EmbeddingOptions,
  GeluOptions,
  NonzeroOptions,
  ToOptions,
} from './special.js';
import { aliases, ArgumentError } from './tables.gen.js';
import type { Tensor } from './tensor.js';
import type {
  AlphaOptions,
  BorrowOptions,
  DecimalsOptions,
  ItemOptions,
  OutOptions,
  ReduceOptions,
} from './types.js';
import type { UniqueConsecutiveOptions, UniqueOptions } from './unique.js';

/** The names of an interface, each with the one that it is another spelling of, or itself. */
export type OptionNames<_T> = ReadonlyMap<string, string>;

/** Names of options; the compiler holds the list to its interface. */
export function namesOf<T>(list: { readonly [K in keyof Required<T>]: string & keyof T }): OptionNames<T> {
  return new Map(Object.entries<string>(list));
}

const out = { out: 'out' } as const;
const dim = { dim: 'dim', axis: aliases.axis } as const;
const keepdim = { keepdim: 'keepdim', keepdims: aliases.keepdims } as const;
const dtype = { dtype: 'dtype' } as const;
const alpha = { alpha: 'alpha' } as const;
const decimals = { decimals: 'decimals' } as const;
const bounds = { min: 'min', max: 'max' } as const;
const roundingMode = { roundingMode: 'roundingMode' } as const;
const approximate = { approximate: 'approximate' } as const;

export const outNames = namesOf<OutOptions>(out);
export const factorNames = namesOf<Omit<AlphaOptions, 'out'>>(alpha);
export const alphaNames = namesOf<AlphaOptions>({ ...alpha, ...out });
export const digitNames = namesOf<Omit<DecimalsOptions, 'out'>>(decimals);
export const decimalsNames = namesOf<DecimalsOptions>({ ...decimals, ...out });
export const boundNames = namesOf<Omit<ClampOptions, 'out'>>(bounds);
export const clampNames = namesOf<ClampOptions>({ ...bounds, ...out });
export const roundingNames = namesOf<Omit<DivOptions, 'out'>>(roundingMode);
export const divNames = namesOf<DivOptions>({ ...roundingMode, ...out });
export const approximateNames = namesOf<Omit<GeluOptions, 'out'>>(approximate);
export const nonzeroNames = namesOf<NonzeroOptions>({ asTuple: 'asTuple', ...out });
export const batchNormNames = namesOf<BatchNormOptions>({
  runningMean: 'runningMean',
  runningVar: 'runningVar',
  weight: 'weight',
  bias: 'bias',
  training: 'training',
  momentum: 'momentum',
  eps: 'eps',
});
export const embeddingNames = namesOf<EmbeddingOptions>({
  paddingIdx: 'paddingIdx',
  maxNorm: 'maxNorm',
  normType: 'normType',
  ...out,
});
export const geluNames = namesOf<GeluOptions>({ ...approximate, ...out });
export const reduceNames = namesOf<ReduceOptions>({ ...dim, ...keepdim, ...dtype, ...out });
export const allcloseNames = namesOf<AllcloseOptions & OutOptions>({
  rtol: 'rtol',
  atol: 'atol',
  equalNan: 'equalNan',
  ...out,
});
export const pairNames = namesOf<PairOptions>({ ...dim, ...keepdim, ...out });
const returned = { returnInverse: 'returnInverse', returnCounts: 'returnCounts' } as const;
export const runNames = namesOf<UniqueConsecutiveOptions>({ ...returned, ...dim, ...out });
export const uniqueNames = namesOf<UniqueOptions>({ sorted: 'sorted', ...returned, ...dim, ...out });
export const inspectNames = namesOf<InspectOptions>({ ...dim, ...keepdim });
export const fullNames = namesOf<FullOptions>({
  shape: 'shape',
  value: 'value',
  ...dtype,
  device: 'device',
  requiresGrad: 'requiresGrad',
  ...out,
});
export const arangeNames = namesOf<ArangeOptions>({
  start: 'start',
  end: 'end',
  step: 'step',
  ...dtype,
  device: 'device',
  ...out,
});
export const tensorNames = namesOf<TensorOptions>({
  shape: 'shape',
  ...dtype,
  device: 'device',
  requiresGrad: 'requiresGrad',
});
export const toNames = namesOf<ToOptions>({ ...dtype, device: 'device', ...out });
export const bufferNames = namesOf<BufferOptions>({ shape: 'shape', ...dtype, byteOffset: 'byteOffset' });
export const loadNames = namesOf<LoadOptions>({ copy: 'copy', device: 'device' });
export const npyNames = namesOf<DeviceOptions>({ device: 'device' });
export const borrowNames = namesOf<BorrowOptions>({ readOnly: 'readOnly' });
export const itemNames = namesOf<ItemOptions>({ bigint: 'bigint' });
export const initNames = namesOf<InitOptions>({
  backend: 'backend',
  variant: 'variant',
  threads: 'threads',
  memoryLimit: 'memoryLimit',
  wasmUrl: 'wasmUrl',
  wasmBinary: 'wasmBinary',
  wasmModule: 'wasmModule',
  quiet: 'quiet',
});

// ---------------------------------------------------------------- names that are not known

const plain = (name: string): string => name.toLowerCase().replaceAll('_', '');

/** Letters to change, add or drop, and neighbours to exchange, between two names (optimal string alignment). */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, k) => k);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let k = 1; k <= b.length; k++) {
      const isSame = a[i - 1] === b[k - 1];
      row[k] = Math.min(last[k - 1]! + (isSame ? 0 : 1), last[k]! + 1, row[k - 1]! + 1);
      if (i > 1 && k > 1 && a[i - 1] === b[k - 2] && a[i - 2] === b[k - 1])
        row[k] = Math.min(row[k]!, before[k - 2]! + 1);
    }
    before = last;
    last = row;
  }
  return last[b.length]!;
}

// Of the known names the one that was probably meant: two of five letters may be wrong, or one begins with the other.
function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = plain(name);
  let best: string | undefined;
  let least = Infinity;
  for (const candidate of known) {
    const other = plain(candidate);
    const shorter = Math.min(wanted.length, other.length);
    const isPart = shorter > 2 && wanted.slice(0, shorter) === other.slice(0, shorter);
    const changes = distance(wanted, other);
    if (changes >= least || !(isPart || 5 * changes <= 2 * Math.max(wanted.length, other.length))) continue;
    best = candidate;
    least = changes;
  }
  return best;
}

function refuseName(op: string, name: string, names: OptionNames<unknown>, within = ''): never {
  const known = [...names.keys()];
  const near = nearest(name.slice(0, 40), known);
  const got = within + name.slice(0, 40);
  const hint = near === undefined ? `known: ${known.join(', ')}` : `did you mean '${near}'?`;
  throw new ArgumentError('ERR_ARGUMENT', `${op}: unknown option '${got}' (${hint})`, {
    op,
    argument: got,
    expected: near ?? known.join(', '),
    got,
  });
}

/** Refuses arguments beyond the last that a function has, which would be ignored otherwise. */
export function refuseMore(op: string, count: number, given: ArrayLike<unknown>): never {
  refuse(
    'ERR_ARGUMENT',
    op,
    'arguments',
    `at most ${count}`,
    `${given.length}, the last ${print(given[given.length - 1])}`,
  );
}

/** The same, where there are more. */
export function atMost(op: string, count: number, given: ArrayLike<unknown>): void {
  if (given.length > count) refuseMore(op, count, given);
}

// ---------------------------------------------------------------- reading

/** What readOptions gives where there are none. */
export const none = Object.freeze({});

function refuseOptions(op: string, options: unknown, names: OptionNames<unknown>, within = ''): never {
  return refuse(
    'ERR_ARGUMENT',
    op,
    within.slice(0, -1) || 'options',
    `an object with ${[...names.keys()].join(', ')}`,
    print(options),
  );
}

function refuseTwice(op: string, argument: string, first: unknown, second: unknown): never {
  return refuse('ERR_CONFIG', op, argument, 'given once', `${print(first)} and ${print(second)}`);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && !isArray(value) && !isTensor(value);
}

/** Whether a value can be meant as options where numbers, lists and tensors may stand, too. */
export function isOptions(value: unknown): value is object {
  return value !== null && isObject(value) && !isTypedArray(value) && !isComplex(value);
}

/** The options that were given, each under its first spelling; what is undefined was not given. A frozen object if none was. `within`: what
 * the object is an option of, with a dot, for errors. */
export function readOptions<T extends object>(
  op: string,
  options: T | null | undefined,
  names: OptionNames<T>,
  within = '',
): T {
  if (options === undefined || options === null) return none as T;
  if (!isObject(options)) refuseOptions(op, options, names);
  const found: Record<string, unknown> = {};
  let isEmpty = true;
  try {
    for (const name in options) {
      isEmpty = false;
      const first = names.get(name);
      if (first === undefined) refuseName(op, name, names, within);
      const value: unknown = options[name];
      if (value === undefined) continue;
      const other = found[first];
      if (other !== undefined && String(other) !== String(value))
        refuseTwice(op, `${first} and ${name}`, other, value);
      found[first] = value;
    }
    if (isEmpty && !isPlain(options)) refuseOptions(op, options, names, within);
  } catch (cause) {
    throw unreadable(op, cause);
  }
  return found as T;
}

/** The same into a list, which costs half: the value of an option lies at the place that `places` has of each of its spellings; where none
 * was given, the list stays as it was. */
export function readPlaces(
  op: string,
  options: object,
  names: OptionNames<object>,
  places: ReadonlyMap<string, number>,
  to: unknown[],
): void {
  if (!isObject(options)) refuseOptions(op, options, names);
  let isEmpty = true;
  try {
    for (const name in options) {
      isEmpty = false;
      const place = places.get(name);
      if (place === undefined) refuseName(op, name, names);
      const value: unknown = (options as Record<string, unknown>)[name];
      if (value === undefined) continue;
      const other = to[place];
      if (other !== undefined && String(other) !== String(value))
        refuseTwice(op, `${names.get(name)} and ${name}`, other, value);
      to[place] = value;
    }
    if (isEmpty && !isPlain(options)) refuseOptions(op, options, names);
  } catch (cause) {
    throw unreadable(op, cause);
  }
}

/** What was thrown while an argument was read: by a getter or a proxy, if it is no error of the library. */
export function unreadable(op: string, cause: unknown, argument = 'options'): StriaError {
  if (cause instanceof StriaError) return cause;
  return new ArgumentError('ERR_ARGUMENT', `${op}: ${argument} cannot be read`, { op, argument, cause });
}

/** A truth value, false if it was not given. */
export function flagOf(op: string, argument: string, value: boolean | null | undefined): boolean {
  if (value === undefined || value === null || typeof value === 'boolean') return value ?? false;
  return refuse('ERR_ARGUMENT', op, argument, 'true or false', print(value));
}

/** Whether options hold nothing but out, as most do. What throws here throws again where they are read. */
export function hasOnlyOut(options: unknown): boolean {
  if (options === null || !isObject(options)) return false;
  try {
    for (const name in options) if (name !== 'out') return false;
  } catch {
    return false;
  }
  return true;
}

/** The tensor to write to, if one was given in options. */
export function outOf(op: string, options: OutOptions): Tensor | undefined {
  return options.out === undefined ? undefined : tensorArgument(op, 'out', options.out);
}

/** The same, of a function that has no other option; often called. */
export function readOut(op: string, options: OutOptions | null | undefined): Tensor | undefined {
  if (options === undefined || options === null) return undefined;
  if (!isObject(options)) refuseOptions(op, options, outNames);
  let given: Tensor | undefined;
  try {
    let isEmpty = true;
    for (const name in options) {
      if (name !== 'out') refuseName(op, name, outNames);
      isEmpty = false;
    }
    if (isEmpty && !isPlain(options)) refuseOptions(op, options, outNames);
    given = options.out;
  } catch (cause) {
    throw unreadable(op, cause);
  }
  return given === undefined ? undefined : tensorArgument(op, 'out', given);
}
