// Recordings of compiled functions: fn runs once with symbols in place of its tensors.
import { check, fn, numbersRoom, refuse, refuseWith, setNumbers } from './abi.js';
import { handleOf, print } from './arguments.js';
import { handleIn, isTensor, wrap } from './base.js';
import { OP, type Given } from './compile_arguments.js';
import { isElsewhere } from './devices.js';
import { known } from './facts.js';
import type { Generator } from './generator.js';
import { enableGrad, isSymbol, stateOf } from './gradients.js';
import { markHandled } from './intrinsics.js';
import { collect, Scope, tensorsIn, thenOf } from './memory.js';
import { epoch, setRecorder, type Recorder, type Turn } from './recording.js';
import { functionRows, type Device } from './tables.gen.js';
import type { Tensor } from './tensor.js';
import { build, readTree, type Node } from './trees.js';

/** A function that is compiled. */
export type Body = (...args: never[]) => unknown;

/** A recording, and how it is replayed. */
export interface Recording {
  readonly key: string;
  readonly mode: number;
  /** How many arguments there are, where these are as many tensors; else -1. */
  readonly plain: number;
  readonly graph: number;
  readonly turns: readonly Turn[];
  readonly looks: readonly (readonly [look: () => readonly unknown[], was: readonly unknown[]])[];
  readonly epoch: number;
  /** That fn was given: replays may draw from them. */
  readonly generators: readonly Generator[];
  readonly result: Node;
  /** A tensor that has the dynamic size, and where. */
  readonly sized: { at: number; dim: number } | undefined;
  /** Dynamic sizes at which the calls are others. */
  readonly unfit: Set<number>;
  /** What results are beside new tensors: those of arguments, by their numbers, and tensors that fn captured. */
  readonly others: readonly (number | Tensor)[];
}

export const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((value, k) => Object.is(value, b[k]));

export const isCurrent = (r: Recording): boolean =>
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
  constructor(readonly device: Device) {}

  readonly turns: Turn[] = [];
  readonly generators = new Set<Generator>();
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

  draws(generator: Generator): void {
    this.generators.add(generator);
  }

  walks(): void {
    this.hasWalked = true;
  }
}

export function takeBack(turns: readonly Turn[]): void {
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

const WITH_HISTORY = 'one that requires it, whose history does not leave fn';

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
        WITH_HISTORY,
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
export function record(body: Body, given: Given, isSaved = false): Recording {
  const scope = new Scope();
  const own = new Recorded(given.tensors.map((x) => known(x, OP).device).find(isElsewhere) ?? 'cpu');
  let graph = 0;
  check(fn.graph_begin(), OP);
  setRecorder(own);
  let result: Result;
  try {
    result = scope.run(() => {
      const symbols = given.handles.map((handle, k) =>
        wrap(check(fn.graph_input(handle), OP, given.paths[k])),
      );
      const run = (): unknown => {
        const value: unknown = body(...(build(given.node, symbols) as never[]));
        if (own.failure !== undefined) throw own.failure;
        refuseLater(value);
        return value;
      };
      const value = given.mode !== 0 ? enableGrad(run) : run();
      for (const [k, x] of symbols.entries())
        if (handleIn(x) > 0 && stateOf(OP, x).requiresGrad)
          refuse(
            'ERR_ARGUMENT',
            OP,
            given.paths[k]!,
            'written with values that require no gradient (write in noGrad(), or write x.detach())',
            WITH_HISTORY,
          );
      const isKept = given.mode !== 0 && !own.hasWalked;
      return readResult(value, symbols, (x) => isKept && stateOf(OP, x).requiresGrad, isSaved);
    });
    const { length } = result.results;
    if (length > numbersRoom())
      refuse('ERR_ARGUMENT', OP, 'result', `of at most ${numbersRoom()} tensors`, `${length}`);
    setNumbers(result.results);
    graph = check(fn.graph_end(length), OP, ['fn']);
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
    generators: [...own.generators],
    looks: own.looks.map((look) => [look, [...look()]] as const),
    epoch,
    result: result.node,
    others: result.others,
    sized: given.dims.flatMap((dim, at) => (dim === null ? [] : [{ at, dim }]))[0],
    unfit: new Set(),
  };
  collect(recording, graph);
  if (result.others.some((x) => isTensor(x) && handleIn(x) === 0))
    refuse('ERR_ARGUMENT', OP, 'result', 'made by calls, or captured', 'a tensor that fn made from a buffer');
  return recording;
}
