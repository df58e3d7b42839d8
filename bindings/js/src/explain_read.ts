// What explain() gave, read once and checked: it may have been written to a file, and come back as anything.
import { refuse } from './abi.js';
import { print } from './arguments.js';
import { isArray } from './intrinsics.js';

export const OP = 'explainSvg';

const kinds = ['input', 'held', 'number', 'made'] as const;

export interface Tensor {
  buffer: number;
  of: (typeof kinds)[number];
  dtype: string;
  shape: number[];
  /** Of a number. */
  value: string;
  isResult: boolean;
  isGradient: boolean;
  /** Why the group that made it is another one; '' where there is nothing to say. */
  why: string;
}

/** An op of a group, and the values that it takes: those read, constants, ops. */
export interface Op {
  name: string;
  values: number[];
}

export interface Step {
  row: string;
  /** What runs as one; of a call undefined. */
  ops: Op[] | undefined;
  constants: string[];
  /** Values that are written. */
  gives: number[];
  isOnce: boolean;
  /** The next step takes it with it, tile by tile. */
  isJoined: boolean;
  reads: Tensor[];
  writes: Tensor[];
}

/** Steps that run together, one piece of their leading dimensions after another. */
export interface Blocks {
  from: number;
  steps: number;
  dims: number;
  pieces: number;
  slices: number;
  why: string;
}

export interface Program {
  counts: { inputs: number; results: number; numbers: number; gradients: number; calls: number };
  bytes: { recorded: number; planned: number; arena: number };
  steps: Step[];
  blocks: Blocks[];
}

type Fields = Record<string, unknown>;

const wrong = (path: string, expected: string, value: unknown): never =>
  refuse('ERR_ARGUMENT', OP, path, expected, print(value));

function object(value: unknown, path: string): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : wrong(path, 'an object', value);
}
function list<T>(value: unknown, path: string, read: (item: unknown, path: string) => T): T[] {
  if (!isArray(value)) return wrong(path, 'an array', value);
  return Array.from(value as unknown[], (item, k) => read(item, `${path}[${k}]`));
}
function text(value: unknown, path: string): string {
  return typeof value === 'string' ? value : wrong(path, 'a string', value);
}
function count(value: unknown, path: string): number {
  const isCount = Number.isSafeInteger(value) && (value as number) >= 0;
  return isCount ? (value as number) : wrong(path, 'a whole number from 0', value);
}

function part(value: unknown, path: string): string {
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  return typeof value === 'string' ? value : wrong(path, 'a number, or the text of one', value);
}

// Of a complex number the parts.
function constant(value: unknown, path: string): string {
  return isArray(value) ? `(${list(value, path, part).join(', ')})` : part(value, path);
}

function tensor(value: unknown, path: string): Tensor {
  const { buffer, of, dtype, shape, value: own, result, gradient, why } = object(value, path);
  return {
    buffer: count(buffer, `${path}.buffer`),
    of: kinds.find((kind) => kind === of) ?? wrong(`${path}.of`, `one of ${kinds.join(', ')}`, of),
    dtype: text(dtype, `${path}.dtype`),
    shape: list(shape, `${path}.shape`, count),
    value: own === undefined ? '' : constant(own, `${path}.value`),
    isResult: result === true,
    isGradient: gradient === true,
    why: why === undefined ? '' : text(why, `${path}.why`),
  };
}

function step(value: unknown, path: string): Step {
  const { row, ops, operands, constants = [], gives = [], once, joined, reads, writes } = object(value, path);
  const found: Step = {
    row: text(row, `${path}.row`),
    ops: undefined,
    constants: list(constants, `${path}.constants`, constant),
    gives: [],
    isOnce: once === true,
    isJoined: joined === true,
    reads: list(reads, `${path}.reads`, tensor),
    writes: list(writes, `${path}.writes`, tensor),
  };
  if (ops === undefined) return found;
  const first = found.reads.length + found.constants.length;
  const names = list(ops, `${path}.ops`, text);
  const values = list(operands, `${path}.operands`, (item, at) => list(item, at, count));
  if (values.length !== names.length) wrong(`${path}.operands`, `of ${names.length} ops`, values.length);
  values.forEach((taken, k) => {
    const late = taken.find((one) => one >= first + k);
    if (late !== undefined) wrong(`${path}.operands[${k}]`, `of values below ${first + k}`, late);
  });
  found.ops = names.map((name, k) => ({ name, values: values[k]! }));
  found.gives = list(gives, `${path}.gives`, count);
  const isAnOp = (one: number): boolean => one >= first && one < first + names.length;
  if (found.gives.length !== found.writes.length || !found.gives.every(isAnOp))
    wrong(`${path}.gives`, `${found.writes.length} of the values of its ops`, found.gives.join(', '));
  return found;
}

function block(value: unknown, path: string): Blocks {
  const { from, steps, dims, pieces, slices, why = '' } = object(value, path);
  return {
    from: count(from, `${path}.from`),
    steps: count(steps, `${path}.steps`),
    dims: count(dims, `${path}.dims`),
    pieces: count(pieces, `${path}.pieces`),
    slices: count(slices, `${path}.slices`),
    why: text(why, `${path}.why`),
  };
}

/** What is drawn: one of its lists of steps, and what it says of all. */
export function readExplanation(value: unknown, of: 'groups' | 'nodes'): Program {
  const given = object(value, 'explanation');
  const own = (name: string): number => count(given[name], `explanation.${name}`);
  const { nodes, blocks = [] } = given;
  return {
    counts: {
      inputs: own('inputs'),
      results: own('results'),
      numbers: own('numbers'),
      gradients: own('gradients'),
      calls: isArray(nodes) ? nodes.length : wrong('explanation.nodes', 'an array', nodes),
    },
    bytes: { recorded: own('peakBytesRecorded'), planned: own('peakBytes'), arena: own('arenaBytes') },
    steps: list(given[of], `explanation.${of}`, step),
    blocks: of === 'groups' ? list(blocks, 'explanation.blocks', block) : [],
  };
}
