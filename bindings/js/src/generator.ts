// Random generators: a seed, and how much of its stream was taken.
import { backend, check, fn, refuse, setNumbers } from './abi.js';
import { print } from './arguments.js';
import { UNCLONEABLE } from './base.js';
import { collect } from './memory.js';
import { atMost, isOptions, readOptions } from './options.js';
import { recorder, refuseState } from './recording.js';

/** The state of a generator, all there is to save. Whole numbers may be given as texts, too, which JSON has of them. */
export interface GeneratorState {
  seed: number | bigint | string;
  /** How much of the stream was taken, in groups of 64 words. */
  offset: number | bigint | string;
}

const DEFAULT = 0; // in place of the handle of the default generator
const GONE = 1; // no handle ever: the core says that it was disposed of
const inside = Symbol('inside');
const stateNames = new Map([
  ['seed', 'seed'],
  ['offset', 'offset'],
]);

// A text of digits as a bigint; any other value as it is.
const digitsOf = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d{1,20}$/.test(value) ? BigInt(value) : value;

// 64 bits: negative numbers count from 2^64 down.
function bitsOf(op: string, argument: string, value: unknown): bigint {
  const isWhole = typeof value === 'number' && Number.isSafeInteger(value);
  if (!isWhole && typeof value !== 'bigint')
    return refuse('ERR_ARGUMENT', op, argument, 'a whole number or a bigint', print(value));
  const bits = BigInt.asUintN(64, BigInt(value));
  if (bits !== BigInt(value) && BigInt.asIntN(64, bits) !== BigInt(value))
    refuse('ERR_ARGUMENT', op, argument, 'within 64 bits, signed or unsigned', print(value));
  return bits;
}

const halves = (bits: bigint): number[] => [Number(bits & 0xffffffffn), Number(bits >> 32n)];

function setState(op: string, handle: number, seed: bigint, offset: bigint): void {
  refuseState(op);
  setNumbers([...halves(seed), ...halves(offset)]);
  check(fn.generator_set(handle), op, 'this');
}

function stateOf(op: string, handle: number): { seed: bigint; offset: bigint } {
  refuseState(op);
  return readState(op, handle);
}

function readState(op: string, handle: number): { seed: bigint; offset: bigint } {
  check(fn.generator_get(handle), op, 'this');
  const [a, b, c, d] = Array.from(backend.numbers().slice(0, 4), BigInt) as [bigint, bigint, bigint, bigint];
  return { seed: a | (b << 32n), offset: c | (d << 32n) };
}

/**
 * Where random numbers come from: `rand([2, 3], { generator: new Generator(7) })`. The same seed gives the same numbers on every
 * backend, number of threads and platform. Each call takes a part of the stream of its own.
 */
export class Generator {
  #handle: number;
  /** @internal */
  readonly _clone = UNCLONEABLE;

  /** At the beginning of the stream of a seed: a whole number or bigint of up to 64 bits. */
  constructor(seed: number | bigint = 0, ...key: unknown[]) {
    if (key[0] === inside) {
      this.#handle = seed as number;
    } else {
      atMost('Generator', 1, arguments);
      const bits = bitsOf('Generator', 'seed', seed);
      this.#handle = check(fn.generator_new(), 'Generator');
      setState('Generator', this.#handle, bits, 0n);
    }
    if (this.#handle !== DEFAULT) collect(this, this.#handle);
  }

  /** @internal The handle; undefined if the value is no generator. */
  static _handleIn(value: unknown): number | undefined {
    return typeof value === 'object' && value !== null && #handle in value ? value.#handle : undefined;
  }

  /** Goes to the beginning of the stream of a seed. */
  manualSeed(seed: number | bigint): this {
    setState('manualSeed', handleOf('manualSeed', this), bitsOf('manualSeed', 'seed', seed), 0n);
    return this;
  }

  /** The same with a seed that nobody can foresee, which is returned. */
  seed(): bigint {
    const handle = handleOf('seed', this);
    const bits = crypto.getRandomValues(new BigUint64Array(1))[0]!;
    setState('seed', handle, bits, 0n);
    return bits;
  }

  /** The seed that the stream belongs to. */
  initialSeed(): bigint {
    return stateOf('initialSeed', handleOf('initialSeed', this)).seed;
  }

  /** Seed and offset, which setState() goes back to. */
  getState(): { seed: bigint; offset: bigint } {
    return stateOf('getState', handleOf('getState', this));
  }

  /**
   * The same with texts, as JSON has no integers of 64 bits: JSON.stringify(generator) is what
   * setState(JSON.parse(..)) takes.
   */
  toJSON(): { seed: string; offset: string } {
    const { seed, offset } = stateOf('toJSON', handleOf('toJSON', this));
    return { seed: `${seed}`, offset: `${offset}` };
  }

  /** Goes to any place of any stream. */
  setState(state: GeneratorState): this {
    const handle = handleOf('setState', this);
    if (!isOptions(state))
      refuse('ERR_ARGUMENT', 'setState', 'state', 'an object with seed and offset', print(state));
    const { seed, offset } = readOptions<Partial<GeneratorState>>('setState', state, stateNames, 'state.');
    const bits = bitsOf('setState', 'state.seed', digitsOf(seed));
    setState('setState', handle, bits, bitsOf('setState', 'state.offset', digitsOf(offset)));
    return this;
  }

  /** A new generator, whose seed comes from this one. */
  fork(): Generator {
    refuseState('fork');
    return new Generator(check(fn.generator_fork(handleOf('fork', this)), 'fork', 'this'), inside);
  }

  /** Ends it; calls with it are refused afterwards. Without it, that happens when it is unreachable. */
  dispose(): void {
    const handle = handleOf('dispose', this);
    if (handle === DEFAULT)
      refuse('ERR_ARGUMENT', 'dispose', 'this', 'a generator of the program', 'the default one');
    if (handle !== GONE) fn.dispose(handle);
    this.#handle = GONE;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** The handle of a generator; refuses what is none. */
export function generatorHandle(op: string, argument: string, value: unknown): number {
  const handle =
    Generator._handleIn(value) ?? refuse('ERR_ARGUMENT', op, argument, 'a Generator', print(value));
  for (const states of notes) note(states, value as Generator, handle);
  recorder?.draws(value as Generator);
  return handle;
}

const handleOf = (op: string, value: unknown): number => generatorHandle(op, 'this', value);

// ---------------------------------------------------------------- functions that run again

/** Where generators were. */
export type GeneratorStates = Map<Generator, GeneratorState>;

// Those of functions that run now.
const notes: GeneratorStates[] = [];

function note(states: GeneratorStates, generator: Generator, handle: number): void {
  if (handle !== GONE && !states.has(generator)) states.set(generator, readState('getState', handle));
}

/** A program draws from these generators. */
export function noteGenerators(generators: readonly Generator[]): void {
  for (const states of notes)
    for (const generator of generators) note(states, generator, Generator._handleIn(generator)!);
}

/** Whether a function runs that may run again. */
export const isNoting = (): boolean => notes.length > 0;

/** Runs fn; `states` gets where the default generator was before, and every other one when fn met it first. */
export function notingStates<R>(states: GeneratorStates, body: () => R): R {
  note(states, defaultGenerator(), DEFAULT);
  notes.push(states);
  try {
    return body();
  } finally {
    notes.splice(notes.indexOf(states), 1);
  }
}

/** Runs fn with generators as they were; afterwards they are as they are now. */
export function withStates<R>(states: GeneratorStates, body: () => R): R {
  const live = [...states].filter(([generator]) => Generator._handleIn(generator) !== GONE);
  const now = live.map(([generator]) => [generator, generator.getState()] as const);
  for (const [generator, state] of live) generator.setState(state);
  try {
    return body();
  } finally {
    for (const [generator, state] of now)
      if (Generator._handleIn(generator) !== GONE) generator.setState(state);
  }
}

// ----------------------------------------------------------------

let shared: Generator | undefined;

/** The generator of all calls that are given none; it begins with seed 0. A worker has one of its own. */
export function defaultGenerator(): Generator {
  return (shared ??= new Generator(DEFAULT, inside));
}

/** Sets the seed of the default generator, and returns it. */
export function manualSeed(seed: number | bigint): Generator {
  return defaultGenerator().manualSeed(seed);
}
