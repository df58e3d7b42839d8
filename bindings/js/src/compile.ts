// compile(): a function is run once with symbols in place of its tensors, and its calls are recorded; later calls replay them. The graph is
// that of the core (stria_graph.h). Here are the signature by which a recording is found again, trees of arguments and results, and what
// JavaScript itself takes part in: numbers of optimisers, and what fn looked at beside its arguments.
import { backend, check, fail, fn, numbersRoom, pieces, refuse, refuseWith, setNumbers } from './abi.js';
import { dtypeNumber, handleOf, print } from './arguments.js';
import { handleIn, isTensor, wrap, type Facts } from './base.js';
import { known } from './facts.js';
import { isSymbol, stateOf } from './gradients.js';
import { isArray, markHandled } from './intrinsics.js';
import { collect, requireFunction, Scope, tensorsIn, thenOf } from './memory.js';
import { namesOf, readOptions } from './options.js';
import { epoch, recorder, setRecorder, type Recorder, type Turn } from './recording.js';
import { saveProgram } from './programs.js';
import { aCountAbove0, held, type Rule } from './rules.js';
import { functionRows } from './tables.gen.js';
import type { Tensor } from './tensor.js';
import { build, readTree, type Node } from './trees.js';

const OP = 'compile';

/** Of compile. */
export interface CompileOptions {
  /** Recordings that are kept; the one that was not used for longest goes first. Default: 32. */
  cacheSize?: number;
  /**
   * A dimension whose size may be another one in each call, such as that of a batch: for each argument of fn, in which dimension its tensors
   * have that size, or null. Recordings are of all sizes from 2 on then; 0 and 1, and tensors that are not contiguous, have their own.
   *
   *     compile((x: Tensor, y: Tensor) => mseLoss(net.forward(x), y), { dynamic: [0, 0] })
   *
   * fn is recorded at three sizes, and must make the same calls at each, with sizes and numbers that are a n + b, c / (a n + b) or (a n + b) / c.
   * Slices that ask for more than that dimension has are refused. What JavaScript itself computes is looked at nowhere else: `Math.min(64, x.shape[0])` is
   * x.shape[0] if the first size is below 64, and stays so.
   */
  dynamic?: readonly (number | null)[];
}

/** What a compiled function has done so far. */
export interface CompileStats {
  /** Calls that replayed a recording. */
  hits: number;
  /** Calls that recorded fn. */
  misses: number;
  /** Recordings that had to go. */
  evictions: number;
  /** Recordings that are kept. */
  recordings: number;
  /** Time that recording has taken, in milliseconds. */
  recordingMs: number;
}

/** A call of a recording, or a step of its replay, in what explain() gives. */
export interface ExplainedStep {
  /** Name of the row in the core. */
  row: string;
  /** Element-wise ops that run as one. */
  ops?: string[];
  /** The values that each of them takes, by their numbers: what is read comes first, then constants, then the ops. */
  operands?: number[][];
  constants?: ExplainedNumber[];
  /** The values that are written. */
  gives?: number[];
  /** Whether it depends on nothing, and is made once. */
  once?: true;
  /** Whether the next group takes it with it, tile by tile: a matrix product. */
  joined?: true;
  reads: ExplainedTensor[];
  /** Also what it changes, such as the parameters of an optimiser. */
  writes: ExplainedTensor[];
}

/** With 15 digits; of a complex number its parts. The texts are 'inf', '-inf' and 'nan'. */
export type ExplainedNumber = number | string | (number | string)[];

/** A tensor that a step reads or writes; steps with the same buffer share its memory. */
export interface ExplainedTensor {
  buffer: number;
  of: 'input' | 'held' | 'number' | 'made';
  dtype: string;
  shape: number[];
  /** Of a number. */
  value?: ExplainedNumber;
  /** Whether it leaves the program as a result, or as a gradient alone. */
  result?: true;
  gradient?: true;
  /** The group that made it, and why it is another one. */
  from?: number;
  why?: string;
}

/** Groups that a replay runs together, for one piece of their leading dimensions after another. */
export interface ExplainedBlocks {
  /** Number of the first group, and how many they are. */
  from: number;
  steps: number;
  /**
   * Leading dimensions that are cut, into how many pieces, of how many slices of the last one at most. 0: a reduction of everything, or over the
   * first dimensions, has its elements made part by part; or a step of an optimiser takes a gradient, which is a matrix product, tile by tile.
   */
  dims: number;
  pieces: number;
  slices: number;
  /** Why the next group is not among them. */
  why?: string;
}

/** What explain() gives: a recording, its calls, and what a replay makes of them. */
export interface Explanation {
  inputs: number;
  results: number;
  numbers: number;
  gradients: number;
  /** Of all that the calls make. */
  recordedBytes: number;
  /** Of that at a time, if each tensor lived from the first call that mentions it to the last one. */
  peakBytesRecorded: number;
  /** Of what a replay makes, results among it. */
  peakBytes: number;
  arenaBytes: number;
  /** Beside the arena, for each thread. */
  blockBytes: number;
  /** When most memory is taken: the group that is made then, and the largest of what is there, by the numbers of their buffers. */
  live: { group: number; bytes: number; buffers: { buffer: number; bytes: number }[] };
  /** Which of the groups run block by block, so that what they hand on to each other stays in the cache. */
  blocks: ExplainedBlocks[];
  /** The calls that were recorded. */
  nodes: ExplainedStep[];
  /** The steps of a replay. */
  groups: ExplainedStep[];
}

/** What a compiled function has beside its calls. */
export interface Program<F extends (...args: never[]) => unknown = (...args: never[]) => unknown> {
  stats(): CompileStats;
  /**
   * The bytes of the program for arguments like these, as of loadProgram: a safetensors file of the tensors that fn captured, with the calls
   * in its metadata. It is recorded if it was not yet, and not run. What was captured is saved as it is now: of a training step the
   * parameters, what optimisers keep for them, and their numbers of steps and rates.
   *
   * Refused: results that are no tensors, numbers, texts, arrays or plain objects, and gradients that add up from call to call.
   */
  save(...args: Parameters<F>): Uint8Array<ArrayBuffer>;
  /** What the recording that was used last is made of. */
  explain(): Explanation;
  /** Forgets all recordings, and with them the tensors that they hold. */
  clear(): void;
  /** The same; calls are refused afterwards. Without it, that ends with the function. */
  dispose(): void;
  [Symbol.dispose](): void;
}

const optionNames = namesOf<CompileOptions>({ cacheSize: 'cacheSize', dynamic: 'dynamic' });

const dimensions: Rule = {
  words: 'a list of dimensions and null',
  test: (list) => isArray(list) && list.every((dim) => dim === null || Number.isSafeInteger(dim)),
};

// ---------------------------------------------------------------- arguments

/** Arguments as they were read. */
interface Given {
  node: Node;
  /** Each tensor once, with the place where it was found first. */
  tensors: Tensor[];
  handles: number[];
  paths: string[];
  /** By which a recording is found. */
  key: string;
  mode: number;
  /** The dynamic size, and the dimension of each tensor that has it; -1: no other size takes its place. */
  size: number;
  dims: (number | null)[];
}

const wordOf = (value: unknown): string =>
  typeof value === 'string'
    ? JSON.stringify(value)
    : `${typeof value} ${Object.is(value, -0) ? '-0' : value}`;

function readArguments(
  args: readonly unknown[],
  mode: number,
  dynamic: readonly (number | null)[] = [],
): Given {
  const given: Given = {
    node: undefined as never,
    tensors: [],
    handles: [],
    paths: [],
    key: '',
    mode,
    size: -1,
    dims: [],
  };
  const key: (string | (() => string))[] = [`${mode}`];
  let isPlain = dynamic.length === 0;
  // The dimension of the tensor at this place that has the dynamic size.
  const dimOf = (path: string, { shape, isContiguous }: Facts): number | null => {
    const dim = dynamic[Number(/^args\[(\d+)/.exec(path)![1])] ?? null;
    if (dim === null) return null;
    const size = shape.at(dim);
    if (size === undefined) refuse('ERR_SHAPE', OP, path, `with a dimension ${dim} (dynamic)`, `[${shape}]`);
    if (given.size >= 0 && size !== given.size)
      refuse(
        'ERR_SHAPE',
        OP,
        path,
        `${given.size} in dimension ${dim} (dynamic), as others are`,
        `[${shape}]`,
      );
    given.size = size!;
    isPlain ||= size! < 2 || !isContiguous;
    return dim < 0 ? dim + shape.length : dim;
  };
  given.node = readTree(OP, args, 'args', {
    tensor(x, path) {
      const handle = handleOf(OP, x, path);
      let at = given.handles.indexOf(handle);
      if (at < 0) {
        const facts = known(x, OP, path);
        const { dtype, shape, strides, device } = facts;
        if (mode && stateOf(OP, x, path).requiresGrad)
          refuse(
            'ERR_ARGUMENT',
            OP,
            path,
            'a tensor that requires no gradient (fn captures parameters; backward() belongs into fn)',
            'one that requires it',
          );
        at = given.handles.push(handle) - 1;
        given.tensors.push(x);
        given.paths.push(path);
        const dim = dimOf(path, facts);
        given.dims.push(dim);
        const lies = `${shape}:${strides.map((step, k) => (shape[k] === 1 ? 1 : step))}`;
        key.push(
          () =>
            `${dtype}:${isPlain || dim === null ? lies : `${shape.map((n, k) => (k === dim ? '?' : n))}`}:${device}`,
        );
      }
      key.push(`#${at}`);
      return { kind: 'tensor', at };
    },
    value(value, path) {
      if (value !== null && ['object', 'function', 'symbol'].includes(typeof value))
        refuse(
          'ERR_ARGUMENT',
          OP,
          path,
          'a tensor, a value, or an array or plain object of these (fn captures anything else)',
          print(value),
        );
      key.push(wordOf(value));
      return { kind: 'value', value };
    },
    open: (what) => key.push(what),
  });
  if (given.handles.length > numbersRoom())
    refuse('ERR_ARGUMENT', OP, 'args', `of at most ${numbersRoom()} tensors`, `${given.handles.length}`);
  if (isPlain) given.size = -1;
  given.key = key.map((part) => (typeof part === 'string' ? part : part())).join(' ');
  return given;
}

// ---------------------------------------------------------------- recordings

/** A recording, and how it is replayed. */
interface Recording {
  readonly key: string;
  readonly mode: number;
  /** How many arguments there are, where these are as many tensors; else -1. */
  readonly plain: number;
  readonly graph: number;
  readonly turns: readonly Turn[];
  readonly looks: readonly (readonly [look: () => readonly unknown[], was: readonly unknown[]])[];
  readonly epoch: number;
  readonly result: Node;
  /** A tensor that has the dynamic size, and where. */
  readonly sized: { at: number; dim: number } | undefined;
  /** What results are beside new tensors: those of arguments, by their numbers, and tensors that fn captured. */
  readonly others: readonly (number | Tensor)[];
}

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((value, k) => Object.is(value, b[k]));

const isCurrent = (r: Recording): boolean =>
  r.epoch === epoch && r.looks.every(([look, was]) => isSame(look(), was));

// Where the program is at work: the first place on the stack that is not the library's.
function placeHere(): string {
  const limit = Error.stackTraceLimit as number | undefined; // of V8
  if (limit !== undefined) Error.stackTraceLimit = 50;
  const stack = new Error().stack ?? '';
  if (limit !== undefined) Error.stackTraceLimit = limit;
  const places = stack
    .split('\n')
    .flatMap((line) => /(?:\(|@|at )([^()\s]+:\d+:\d+)\)?$/.exec(line)?.[1] ?? []);
  const own = places[0]?.replace(/[^/]*$/, '');
  const place = places.find((one) => !one.startsWith(own!));
  return place === undefined ? '' : ` (${place})`;
}

class Recorded implements Recorder {
  readonly turns: Turn[] = [];
  readonly looks: (() => readonly unknown[])[] = [];
  readonly #watched = new Set<object>();
  hasWalked = false;
  /** What was refused, though fn may have gone on. */
  failure: unknown;

  refuse(op: string, words: string): never {
    const message = `${op}: ${words}${placeHere()}`;
    try {
      return refuseWith('ERR_UNSUPPORTED', message, { op, argument: 'fn' }, Recorded.prototype.refuse);
    } catch (error) {
      this.failure ??= error;
      throw error;
    }
  }

  pause<R>(body: () => R): R {
    fn.graph_pause(1);
    setRecorder(undefined);
    try {
      return body();
    } finally {
      setRecorder(this);
      fn.graph_pause(0);
    }
  }

  watch(look: () => readonly unknown[], of: object = look): void {
    if (!this.#watched.has(of)) this.looks.push(look);
    this.#watched.add(of);
  }

  turn(turn: Turn): void {
    this.turns.push(turn);
    const { attributes } = functionRows[turn.row]!;
    for (const name of Object.keys(turn.numbers))
      check(
        fn.graph_number(
          turn.row,
          attributes.findIndex((one) => one.name === name),
        ),
        OP,
      );
  }

  walks(): void {
    this.hasWalked = true;
  }
}

function takeBack(turns: readonly Turn[]): void {
  for (let k = turns.length - 1; k >= 0; k--) turns[k]!.back();
}

/** Values in a Map, a Set, or an instance of a class, at which is looked for symbols. */
const MOST_LOOKED_AT = 1000;

interface Result {
  node: Node;
  /** Handles of symbols. */
  results: number[];
  others: (number | Tensor)[];
}

// isSaved: captured tensors are results of the graph, too.
function readResult(
  value: unknown,
  symbols: readonly Tensor[],
  hasHistory: (x: Tensor) => boolean,
  isSaved: boolean,
): Result {
  const found = new Map<Tensor, Node>();
  const results: number[] = [];
  const others: (number | Tensor)[] = [];
  const read = (x: Tensor, path: string): Node => {
    const input = symbols.indexOf(x);
    if (input >= 0) return { kind: 'other', at: others.push(input) - 1 };
    const isSymbol = known(x, OP, path).device === 'meta';
    if (!isSymbol && !isSaved) return { kind: 'other', at: others.push(x) - 1 };
    if (isSymbol && hasHistory(x))
      refuse(
        'ERR_ARGUMENT',
        OP,
        path,
        'a tensor that requires no gradient (run backward() in fn, or fn in noGrad(), or return x.detach())',
        'one that requires it, whose history does not leave fn',
      );
    return { kind: 'tensor', at: results.push(handleOf(OP, x, path)) - 1 };
  };
  const node = readTree(OP, value, 'result', {
    tensor(x, path) {
      const own = found.get(x) ?? read(x, path);
      found.set(x, own);
      return own;
    },
    value(value, path) {
      for (const handle of tensorsIn(OP, path, value, MOST_LOOKED_AT).keys())
        if (handle > 0 && isSymbol(handle))
          refuse(
            'ERR_ARGUMENT',
            OP,
            path,
            'a tensor, a value, or an array or plain object of these (not a Map, a Set or an instance of a class with tensors)',
            print(value),
          );
      return { kind: 'value', value };
    },
  });
  return { node, results, others };
}

function refuseLater(value: unknown): void {
  const isPromise = typeof thenOf(value) === 'function';
  if (!isPromise && typeof (value as Iterator<unknown> | undefined)?.next !== 'function') return;
  markHandled(value);
  refuse('ERR_ARGUMENT', OP, 'fn', 'done when it returns', isPromise ? 'a promise' : 'an iterator');
}

// Runs fn with symbols. What it made is gone afterwards, whether it fails or not.
function record(body: (...args: never[]) => unknown, given: Given, isSaved = false): Recording {
  const scope = new Scope();
  const own = new Recorded();
  let graph = 0;
  check(fn.graph_begin(), OP);
  setRecorder(own);
  let result: Result;
  try {
    result = scope.run(() => {
      const symbols = given.handles.map((handle, k) =>
        wrap(check(fn.graph_input(handle), OP, given.paths[k])),
      );
      const value = body(...(build(given.node, symbols) as never[]));
      if (own.failure !== undefined) throw own.failure;
      refuseLater(value);
      const isKept = given.mode !== 0 && !own.hasWalked;
      return readResult(value, symbols, (x) => isKept && stateOf(OP, x).requiresGrad, isSaved);
    });
    const { length } = result.results;
    if (length > numbersRoom())
      refuse('ERR_ARGUMENT', OP, 'result', `of at most ${numbersRoom()} tensors`, `${length}`);
    setNumbers(result.results);
    graph = check(fn.graph_end(length), OP, 'result');
  } finally {
    setRecorder(undefined);
    if (graph === 0) fn.graph_cancel();
    takeBack(own.turns);
    scope._end(undefined);
  }
  const items = given.node.kind === 'array' ? given.node.items : [];
  const isPlainList = items.length === given.handles.length && items.every(({ kind }) => kind === 'tensor');
  const recording: Recording = {
    key: given.key,
    mode: given.mode,
    plain: isPlainList ? items.length : -1,
    graph,
    turns: own.turns,
    looks: own.looks.map((look) => [look, [...look()]] as const),
    epoch,
    result: result.node,
    others: result.others,
    sized: given.dims.flatMap((dim, at) => (dim === null ? [] : [{ at, dim }]))[0],
  };
  collect(recording, graph);
  if (result.others.some((x) => isTensor(x) && handleIn(x) === 0))
    refuse('ERR_ARGUMENT', OP, 'result', 'made by calls, or captured', 'a tensor that fn made from a buffer');
  return recording;
}

// ---------------------------------------------------------------- dynamic sizes

/**
 * At which fn is recorded beside the size of its first call: few other dimensions have them by chance. One of the three is even, always: half of
 * a size, rounded down, is a n + b of odd ones alone.
 */
const SIZES = [23, 34, 31];

// A result whose numbers are functions of the size, from those of three sizes.
function joinTrees(trees: readonly Node[], sizes: readonly number[], path: string): Node {
  const [one, two, three] = trees as [Node, Node, Node];
  const other = (): never =>
    refuse(
      'ERR_UNSUPPORTED',
      OP,
      path,
      'the same, or a n + b of whole numbers, for each dynamic size n',
      'another one',
    );
  if (one.kind !== two.kind || one.kind !== three.kind) return other();
  if (one.kind === 'array' || one.kind === 'object') {
    const lists = trees.map((tree) => (tree as typeof one).items);
    const names = lists.map((list) => list.map((item) => (isArray(item) ? item[0] : '')).join('\0'));
    if (lists.some(({ length }) => length !== one.items.length) || names.some((name) => name !== names[0]))
      other();
    const nodes = one.items.map((_, k) =>
      lists.map((list) => (isArray(list[k]) ? list[k][1] : list[k]) as Node),
    );
    const items = nodes.map((list, k) => joinTrees(list, sizes, `${path}[${k}]`));
    return one.kind === 'array'
      ? { kind: 'array', items }
      : {
          ...one,
          items: items.map((item, k): [string, Node] => [(one.items[k] as [string, Node])[0], item]),
        };
  }
  if (one.kind !== 'value') {
    const at = (tree: Node): number => (tree as { at: number }).at;
    if (trees.some((tree) => at(tree) !== at(one))) other();
    return one;
  }
  const [a, b, c] = trees.map((tree) => (tree as typeof one).value) as [number, number, number];
  if (Object.is(a, b) && Object.is(a, c)) return one;
  const [n, m, l] = sizes as [number, number, number];
  const by = (b - a) / (m - n);
  if (!Number.isSafeInteger(by) || !Number.isSafeInteger(a) || c !== a + by * (l - n)) other();
  return { kind: 'size', by, plus: a - by * n };
}

// A recording of all sizes.
function recordSizes(body: (...args: never[]) => unknown, given: Given, isSaved = false): Recording {
  const sizes = [...SIZES.filter((size) => size !== given.size).slice(0, 2), given.size];
  const made: Recording[] = [];
  try {
    for (const size of sizes) {
      const others: number[] = [];
      try {
        const handles = given.handles.map((handle, k) => {
          const dim = given.dims[k]!;
          if (size === given.size || dim === null) return handle;
          const { dtype, shape } = known(given.tensors[k]!, OP);
          setNumbers(shape.map((n, i) => (i === dim ? size : n)));
          const other = check(fn.tensor_new(dtypeNumber(OP, dtype), shape.length), OP);
          others.push(other);
          return other;
        });
        made.push(record(body, { ...given, handles }, isSaved));
      } finally {
        for (const other of others) fn.dispose(other);
      }
    }
    const [one, two, three] = made as [Recording, Recording, Recording];
    const result = joinTrees(
      made.map((r) => r.result),
      sizes,
      'result',
    );
    const isOther = (r: Recording): boolean =>
      !isSame(one.others, r.others) || r.turns.length !== one.turns.length || r.epoch !== one.epoch;
    if (isOther(two) || isOther(three))
      refuse(
        'ERR_UNSUPPORTED',
        OP,
        'fn',
        'the same for each dynamic size',
        'one that captures other tensors',
      );
    setNumbers(sizes);
    check(fn.graph_dynamic(one.graph, two.graph, three.graph), OP);
    return Object.assign(one, { result });
  } catch (error) {
    if (made.length > 0) fn.dispose(made[0]!.graph);
    throw error;
  } finally {
    for (const { graph } of made.slice(1)) fn.dispose(graph);
  }
}

// ---------------------------------------------------------------- replaying

/** In place of a result: what was recorded is of other tensors, or gradients. */
const ANOTHER = Symbol('another');

// The numbers of the next run; each turn that has gone on is added to `gone`.
function advance(turns: readonly Turn[], gone: Turn[]): number[] {
  return turns.flatMap((turn) => {
    turn.advance();
    gone.push(turn);
    return Object.values(turn.numbers).map((number) => number());
  });
}

// The numbers of the next run, and what those after it add to them.
function numbersToSave(turns: readonly Turn[]): number[] {
  const gone: Turn[] = [];
  try {
    const next = advance(turns, gone);
    return [...next, ...advance(turns, gone).map((number, k) => number - next[k]!)];
  } finally {
    takeBack(gone);
  }
}

function replay(r: Recording, handles: readonly number[], tensors: readonly unknown[]): unknown {
  const gone: Turn[] = [];
  let made = 0;
  try {
    const numbers = advance(r.turns, gone);
    setNumbers(handles);
    if (numbers.length > 0) setNumbers(numbers, handles.length);
    made = fn.graph_run(r.graph, handles.length, numbers.length);
  } finally {
    if (made <= 0) takeBack(gone);
  }
  if (made < 0) fail(made);
  if (made === 0) return ANOTHER;
  if (made === 2 && r.result.kind === 'tensor') return wrap(backend.numbers()[0]!);
  const results = Array.from(backend.numbers().subarray(0, made - 1)).map(wrap);
  return build(
    r.result,
    results,
    r.others.map((x) => (typeof x === 'number' ? tensors[x] : x)),
    () => (tensors[r.sized!.at] as Tensor).shape[r.sized!.dim]!,
  );
}

// Handles of arguments that are different tensors.
function plainHandles(args: readonly unknown[]): number[] | undefined {
  const handles: number[] = [];
  for (const x of args) {
    const handle = handleIn(x);
    if (handle <= 0 || handles.includes(handle)) return undefined;
    handles.push(handle);
  }
  return handles;
}

/**
 * The same function, whose calls run as a program: the first call with arguments of some shapes, dtypes and values runs fn with symbols in
 * place of its tensors and records the calls that it makes; later ones replay them, planned and fused, with the same bits.
 *
 *     const f = compile((a: Tensor, b: Tensor) => relu(a.mul(b).add(1)));
 *     const y = f(tensor([1, 2]), tensor([3, -4]));
 *
 * Arguments and results are tensors, other values, and arrays and plain objects of these; values that are no tensors are part of what is
 * recorded. What fn captures is not: tensors are read and written as they are at each replay; the JavaScript of fn runs while it is recorded,
 * and not again, unless what it looked at has changed: fields of modules whose forward it ran, their parameters, whether these require
 * gradients and have hooks, options of optimisers. Where it looks at other variables, they are arguments, or clear() follows a change.
 * Backward passes and steps of optimisers belong into fn.
 *
 * While it is recorded, tensors have no elements: item(), toArray() and the like are refused.
 */
export function compile<F extends (...args: never[]) => unknown>(
  body: F,
  options?: CompileOptions,
): F & Program<F> {
  requireFunction(OP, body);
  const { cacheSize = 32, dynamic } = readOptions(OP, options, optionNames);
  held(OP, 'cacheSize', aCountAbove0, cacheSize);
  if (dynamic !== undefined) held(OP, 'dynamic', dimensions, dynamic);
  const recordAny = (given: Given, isSaved?: boolean): Recording =>
    given.size < 0 ? record(body, given, isSaved) : recordSizes(body, given, isSaved);
  let recordings: Recording[] = []; // the one that was used last comes first
  let isOver = false;
  const counts = { hits: 0, misses: 0, evictions: 0, recordingMs: 0 };

  const drop = (dropped: readonly Recording[]): void => {
    for (const { graph } of dropped) fn.dispose(graph);
    recordings = recordings.filter((one) => !dropped.includes(one));
  };
  const recorded = (given: Given): Recording => {
    const begin = performance.now();
    counts.misses++;
    try {
      const made = recordAny(given);
      recordings.unshift(made);
      counts.evictions += Math.max(0, recordings.length - cacheSize);
      drop(recordings.slice(cacheSize));
      return made;
    } finally {
      counts.recordingMs += performance.now() - begin;
    }
  };
  const general = (args: readonly unknown[], mode: number): unknown => {
    const given = readArguments(args, mode, dynamic);
    drop(recordings.filter((one) => one.epoch !== epoch));
    const known = recordings.find((one) => one.key === given.key && isCurrent(one));
    if (known !== undefined) {
      recordings = [known, ...recordings.filter((one) => one !== known)];
      const result = replay(known, given.handles, given.tensors);
      if (result !== ANOTHER) {
        counts.hits++;
        return result;
      }
      drop([known]);
    }
    const result = replay(recorded(given), given.handles, given.tensors);
    if (result === ANOTHER) refuse('ERR_UNSUPPORTED', OP, 'fn', 'the same in a replay', 'another program');
    return result;
  };
  const save = (...args: unknown[]): Uint8Array<ArrayBuffer> => {
    if (isOver) refuse('ERR_DISPOSED', 'save', 'this', 'a live program', 'a disposed one');
    recorder?.refuse('save', 'a program is saved outside of functions that are recorded');
    const given = readArguments(args, fn.grad_mode(-1), dynamic);
    const known = recordings.find((one) => one.key === given.key && isCurrent(one)) ?? recorded(given);
    const saved = known.others.some(isTensor) ? recordAny(given, true) : known;
    try {
      return saveProgram({ ...saved, arguments: given.node, numbers: numbersToSave(known.turns) });
    } finally {
      if (saved !== known) fn.dispose(saved.graph);
    }
  };
  const run = (...args: unknown[]): unknown => {
    if (isOver) refuse('ERR_DISPOSED', OP, 'this', 'a live program', 'a disposed one');
    if (recorder !== undefined) return body(...(args as never[])); // its calls are those of the function that is recorded
    const mode = fn.grad_mode(-1);
    const first = recordings[0];
    if (first !== undefined && first.plain === args.length && first.mode === mode && isCurrent(first)) {
      const handles = plainHandles(args);
      const result = handles === undefined ? ANOTHER : replay(first, handles, args);
      if (result !== ANOTHER) {
        counts.hits++;
        return result;
      }
    }
    return general(args, mode);
  };
  const clear = (): void => drop(recordings);
  const dispose = (): void => {
    clear();
    isOver = true;
  };
  const stats = (): CompileStats => ({ ...counts, recordings: recordings.length });
  const explain = (): Explanation => {
    const [last] = recordings;
    if (last === undefined)
      refuse('ERR_ARGUMENT', 'explain', 'this', 'a program that was called', 'no recording');
    return JSON.parse(pieces((offset) => fn.graph_explain(last.graph, offset))) as Explanation;
  };
  const hidden = (value: unknown): PropertyDescriptor => ({ value, enumerable: false });
  return Object.defineProperties(run, {
    stats: hidden(stats),
    save: hidden(save),
    explain: hidden(explain),
    clear: hidden(clear),
    dispose: hidden(dispose),
    [Symbol.dispose]: hidden(dispose),
  }) as unknown as F & Program<F>;
}
