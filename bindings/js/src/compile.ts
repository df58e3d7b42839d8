// compile(): a function is run once with symbols in place of its tensors, and its calls are recorded; later calls replay them. The graph is
// that of the core (stria_graph.h). Here are the signature by which a recording is found again, trees of arguments and results, and what
// JavaScript itself takes part in: numbers of optimisers, and what fn looked at beside its arguments.
import { backend, check, fail, fn, pieces, refuse, setNumbers } from './abi.js';
import { isTensor, wrap } from './base.js';
import { OP, plainHandles, plainOf, readArguments, type Given } from './compile_arguments.js';
import { isCurrent, record, takeBack, type Body, type Recording } from './compile_record.js';
import { fits, recordSizes } from './compile_sizes.js';
import type { Explanation } from './explanation.js';
import { noteGenerators } from './generator.js';
import { wantsGradients } from './gradients.js';
import { isArray } from './intrinsics.js';
import { requireFunction } from './memory.js';
import { namesOf, readOptions } from './options.js';
import { saveProgram } from './programs.js';
import { epoch, recorder, type Turn } from './recording.js';
import { aCountAbove0, held, oneOf, type Rule } from './rules.js';
import type { Tensor } from './tensor.js';
import { build } from './trees.js';

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
   * fn is recorded at three sizes, and must make the same calls at each, with sizes and numbers that are u = a n + b, c / u, u / c or
   * u / (u - c).
   * Where the calls of a size are others, such as `x.slice(0, 0, 64)` of more than 64 rows, or of fewer, that size gets a recording of its own. fn
   * runs once more at a size far from these, 1031, or 263 where arguments are larger; where it makes another program there, as by
   * `x.shape[0] % 64`, `Math.min(64, x.shape[0])` or `if (x.shape[0] > 64)`, each size gets a recording of its own. Of arguments that are still
   * larger, more than 2^22 elements, and of what differs beyond that size alone, nothing is noticed: it stays as it was recorded.
   */
  dynamic?: readonly (number | null)[];
  /**
   * 'mlir': recordings become machine code for this processor, by LLVM, which takes some tens of milliseconds each. Native addon only; the plug-in
   * libstria_mlir (docs/mlir.md) is beside it, or the environment variable STRIA_MLIR_PLUGIN is its path. Results have the same bits, but those
   * of matrix products. Not with `dynamic`. Default: 'interpreter'.
   */
  backend?: 'interpreter' | 'mlir';
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

const optionNames = namesOf<CompileOptions>({
  cacheSize: 'cacheSize',
  dynamic: 'dynamic',
  backend: 'backend',
});

const dimensions: Rule = {
  words: 'a list of dimensions and null',
  test: (list) => isArray(list) && list.every((dim) => dim === null || Number.isSafeInteger(dim)),
};

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

// What a run refuses, in the words of fn and its arguments.
const failRun = (made: number, paths?: readonly string[]): never =>
  fail(made, undefined, undefined, (text) =>
    text
      .replace(/\bin\[(\d+)\]/g, (_, k: number) => paths?.[k] ?? `args[${k}]`)
      .replace('the graph holds', 'fn captures')
      .replace(/ shares memory .*/, '$&; give it x.clone(), or call fn itself'),
  );

function replay(
  r: Recording,
  handles: readonly number[],
  tensors: readonly unknown[],
  paths?: readonly string[],
): unknown {
  const gone: Turn[] = [];
  let made = 0;
  try {
    const numbers = advance(r.turns, gone);
    if (r.generators.length > 0) noteGenerators(r.generators);
    setNumbers(handles);
    if (numbers.length > 0) setNumbers(numbers, handles.length);
    made = fn.graph_run(r.graph, handles.length, numbers.length);
  } finally {
    if (made <= 0) takeBack(gone);
  }
  if (made < 0) failRun(made, paths);
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

// ---------------------------------------------------------------- recordings

/** The recordings of a function; the one that was used last comes first. */
class Recordings {
  list: readonly Recording[] = [];
  readonly counts = { hits: 0, misses: 0, evictions: 0, recordingMs: 0 };
  readonly #body: Body;
  readonly #size: number;
  readonly #isMachineCode: boolean;
  /** Keys of arguments each size of which has a recording of its own. */
  readonly #apart = new Set<string>();

  constructor(body: Body, size: number, isMachineCode: boolean) {
    this.#body = body;
    this.#size = size;
    this.#isMachineCode = isMachineCode;
  }

  drop(dropped: readonly Recording[]): void {
    for (const { graph } of dropped) fn.dispose(graph);
    this.list = this.list.filter((one) => !dropped.includes(one));
  }

  clear(): void {
    this.#apart.clear();
    this.drop(this.list);
  }

  /** That of these sizes alone, or one of many of which they are. */
  find(given: Given): Recording | undefined {
    return this.list.find(
      (one) =>
        isCurrent(one) &&
        (one.key === given.plainKey || (one.key === given.key && !one.unfit.has(given.size))),
    );
  }

  /** The one to run comes first; none is kept yet. */
  #make(given: Given, isSaved?: boolean): Recording[] {
    if (given.size < 0) return [record(this.#body, given, isSaved)];
    const isApart =
      this.#apart.has(given.key) ||
      this.list.some((one) => one.key === given.key && one.unfit.has(given.size));
    const made = isApart ? undefined : recordSizes(this.#body, given, isSaved);
    if (!isApart && made === undefined) {
      if (this.#apart.size >= this.#size) this.#apart.clear();
      this.#apart.add(given.key);
    }
    return made ?? [record(this.#body, plainOf(given), isSaved)];
  }

  record(given: Given): Recording {
    const begin = performance.now();
    this.counts.misses++;
    try {
      const made = this.#make(given);
      try {
        if (this.#isMachineCode) for (const { graph } of made) check(fn.graph_compile(graph), OP, 'backend');
      } catch (error) {
        for (const { graph } of made) fn.dispose(graph);
        throw error;
      }
      this.list = [...made, ...this.list];
      this.counts.evictions += Math.max(0, this.list.length - this.#size);
      this.drop(this.list.slice(this.#size));
      return made[0]!;
    } finally {
      this.counts.recordingMs += performance.now() - begin;
    }
  }

  /** Replays one that was known, or a new one. */
  run(given: Given): unknown {
    this.drop(this.list.filter((one) => one.epoch !== epoch));
    for (let known = this.find(given); known !== undefined; known = this.find(given)) {
      const last = known;
      this.list = [last, ...this.list.filter((one) => one !== last)];
      const result = replay(last, given.handles, given.tensors, given.paths);
      if (result !== ANOTHER) {
        this.counts.hits++;
        return result;
      }
      if (fits(last, given.size)) this.drop([last]);
      else last.unfit.add(given.size);
    }
    const result = replay(this.record(given), given.handles, given.tensors, given.paths);
    if (result === ANOTHER) refuse('ERR_UNSUPPORTED', OP, 'fn', 'the same in a replay', 'another program');
    return result;
  }

  save(given: Given): Uint8Array<ArrayBuffer> {
    let found = this.find(given);
    if (found !== undefined && !fits(found, given.size)) {
      found.unfit.add(given.size);
      found = this.find(given);
    }
    const known = found ?? this.record(given);
    const isPlain = known.key === given.plainKey;
    const made = known.others.some(isTensor) ? this.#make(isPlain ? plainOf(given) : given, true) : [];
    try {
      const saved = made[0] ?? known;
      return saveProgram({ ...saved, arguments: given.node, numbers: numbersToSave(known.turns) });
    } finally {
      for (const { graph } of made) fn.dispose(graph);
    }
  }
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
 * and not again, unless what it looked at has changed: fields of modules whose forward it ran or whose training it read, their parameters,
 * whether these require gradients and have hooks, options of optimisers. Where it looks at other variables, they are arguments, or clear()
 * follows a change. Backward passes and steps of optimisers belong into fn.
 *
 * While it is recorded, tensors have no elements: item(), toArray() and the like are refused. What is written in place into arguments and
 * captured tensors leaves no history in them. Calls whose results nobody needs are not made, so that errors which they would give because of
 * elements, such as an index out of range, do not come.
 *
 * fn gets no `this`, since recordings would be of the first one's tensors: a method is compiled as `compile((x: Tensor) => model.step(x))`.
 */
export function compile<F extends (...args: never[]) => unknown>(
  body: F,
  options?: CompileOptions,
): F & Program<F> {
  requireFunction(OP, body);
  const { cacheSize = 32, dynamic, backend: by = 'interpreter' } = readOptions(OP, options, optionNames);
  held(OP, 'cacheSize', aCountAbove0, cacheSize);
  if (dynamic !== undefined) held(OP, 'dynamic', dimensions, dynamic);
  held(OP, 'backend', oneOf('interpreter', 'mlir'), by);
  if (by === 'mlir') {
    if (dynamic !== undefined)
      refuse(
        'ERR_ARGUMENT',
        OP,
        'dynamic',
        "left out with backend 'mlir', whose code is of one size",
        'a list',
      );
    check(fn.graph_compile(0), OP, 'backend');
  }
  const recordings = new Recordings(body, cacheSize, by === 'mlir');
  let isOver = false;

  const run = (...args: unknown[]): unknown => {
    if (isOver) refuse('ERR_DISPOSED', OP, 'this', 'a live program', 'a disposed one');
    if (recorder !== undefined) return body(...(args as never[])); // its calls are those of the function that is recorded
    const mode = wantsGradients();
    const first = recordings.list[0];
    if (first?.plain === args.length && first.mode === mode && first.unfit.size === 0 && isCurrent(first)) {
      const handles = plainHandles(args);
      const result = handles === undefined ? ANOTHER : replay(first, handles, args);
      if (result !== ANOTHER) {
        recordings.counts.hits++;
        return result;
      }
    }
    return recordings.run(readArguments(args, mode, dynamic));
  };
  const save = (...args: unknown[]): Uint8Array<ArrayBuffer> => {
    if (isOver) refuse('ERR_DISPOSED', 'save', 'this', 'a live program', 'a disposed one');
    recorder?.refuse('save', 'a program is saved outside of functions that are recorded');
    return recordings.save(readArguments(args, wantsGradients(), dynamic));
  };
  const clear = (): void => recordings.clear();
  const dispose = (): void => {
    clear();
    isOver = true;
  };
  const stats = (): CompileStats => ({ ...recordings.counts, recordings: recordings.list.length });
  const explain = (): Explanation => {
    const [last] = recordings.list;
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
