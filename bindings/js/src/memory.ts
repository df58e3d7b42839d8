// Lifetime of tensors: scopes, and the garbage collector as the safety net.
//
// A new tensor belongs to the innermost scope, or else to the list of young tensors. To register an object with the collector
// costs more than a small operation. So the young tensors are registered later, those that were disposed of meanwhile never:
// - on wasm, by a FinalizationRegistry, at the end of the task, since no finalizer runs before;
// - on the addon, which watches tensors itself, when there are many of them or they hold much memory.
import { backend, fn, refuse } from './abi.js';
import type { TensorBase } from './base.js';
import { markHandled } from './intrinsics.js';
import { isTensor, print } from './print.js';
import { recorder } from './recording.js';
import type { Tensor } from './tensor.js';

// A list of tensors that drops disposed ones now and then.
class Keeper {
  list: Tensor[] = [];
  #limit = 256;

  /** Whether the list is long, even without what was disposed of. */
  add(x: Tensor): boolean {
    this.list.push(x);
    if (this.list.length < this.#limit) return false;
    this.list = this.list.filter((y) => y._handle !== 0);
    this.#limit = Math.max(256, 2 * this.list.length);
    return this.#limit > 256;
  }

  /** Drops a tensor if it is the newest, as that of a small operation often is when it ends. */
  drop(x: TensorBase): void {
    const { list } = this;
    if (list.length > 0 && list[list.length - 1] === x) list.pop();
  }

  take(): Tensor[] {
    const list = this.list;
    this.list = [];
    this.#limit = 256;
    return list;
  }
}

/** Ends a tensor, if it has not ended yet. A proxy may answer with another handle than that of its tensor, which stays alive then. */
export function end(x: TensorBase): void {
  const handle: unknown = x._handle;
  if (typeof handle !== 'number' || handle === 0 || fn.dispose(handle) < 0) return;
  (current ?? young).drop(x);
  try {
    x._handle = 0;
    x._ballast = undefined;
    x._facts = undefined;
    x._grad = undefined;
  } catch {
    // it is frozen; its handle is that of nothing now, which every call finds out
  }
}

/** Keeps on a tensor what was asked about it; not on a frozen one, which is asked again. @internal */
export function remember<K extends '_facts' | '_grad'>(x: TensorBase, key: K, value: TensorBase[K]): void {
  try {
    x[key] = value;
  } catch {
    // it is frozen
  }
}

const young = new Keeper();
let current: Keeper | undefined;
let isScheduled = false;

/** Runs fn, whose tensors belong to no scope: what an object keeps outlives the scopes around the call that made it, and is made even while
 * calls are recorded. */
export function outside<R>(body: () => R): R {
  if (recorder !== undefined) return recorder.pause(() => outside(body));
  const outer = current;
  current = undefined;
  try {
    return body();
  } finally {
    current = outer;
  }
}

/** Adds a new tensor to the innermost scope, or to the young tensors. */
export function track(x: Tensor): void {
  if (current !== undefined) {
    current.add(x);
    return;
  }
  if ((young.add(x) || isHeavy()) && backend.watch !== undefined) giveAway();
  if (!isScheduled) {
    isScheduled = true;
    queueMicrotask(endTurn);
  }
}

let listener: (() => void) | undefined;

/** Calls fn whenever the collector has ended tensors. */
export function whenCollected(body: () => void): void {
  listener = body;
}

// A stale handle is refused by the core, so a tensor that was disposed of meanwhile needs no care here.
const registry = new FinalizationRegistry<number>((handle) => {
  if (handle === SENTINEL) afterCollection();
  else fn.dispose(handle);
  listener?.();
});

/** Disposes of a handle when the object that it belongs to, which is no tensor, is unreachable. */
export function collect(owner: object, handle: number): void {
  registry.register(owner, handle);
}

// Where the backend watches tensors, an object that nobody holds tells when the collector has run.
const SENTINEL = 0;
let isSentinelOut = false;

function sendSentinel(): void {
  if (isSentinelOut) return;
  isSentinelOut = true;
  registry.register({}, SENTINEL);
}

function afterCollection(): void {
  isSentinelOut = false;
  if (backend.sweep!() > 0) sendSentinel();
}

// A few young tensors may hold much memory: it is looked at for each of the first sixteen young tensors, then after
// every sixteen that are made.
const HEAVY = 64 << 20;
const STEP = 16;
let light = 0;
let looked = 0; // young tensors when it was looked at last
let passed = 0; // tensors made since then

function isHeavy(): boolean {
  const n = young.list.length;
  if (backend.watch === undefined || (++passed < STEP && (n > STEP || n <= looked))) return false;
  looked = n;
  passed = 0;
  const live = liveBytes();
  if (live < light) light = live;
  return live - light >= HEAVY;
}

/** Bytes of live tensors, and of what they share with JavaScript. */
const liveBytes = (): number => fn.memory_live() + (backend.sharedBytes?.() ?? 0);

let handles = new Float64Array(1024);

/** Hands the young tensors to the backend. */
function giveAway(): void {
  const list = young.take();
  let n = 0;
  looked = 0;
  if (handles.length < list.length) handles = new Float64Array(2 * list.length);
  for (const x of list) {
    if (x._handle === 0) continue;
    list[n] = x;
    handles[n++] = x._handle;
  }
  if (n === 0) return;
  const watched = backend.watch!(list, handles, n);
  for (let k = watched; k < n; k++) registry.register(list[k]!, handles[k]!);
  light = liveBytes();
  sendSentinel();
}

// The engine sees a few words per tensor, not its elements, and so would collect far too late. For every BALLAST bytes that
// live memory grew by, one of the new tensors gets an empty buffer of that size: the engine counts it, but as nothing
// touches it, it takes no memory. It goes with its tensor.
const BALLAST = 64 << 20;
let weighed = 0;

function weigh(x: Tensor): void {
  const live = fn.memory_live();
  if (live - weighed >= BALLAST) {
    try {
      x._ballast = new ArrayBuffer(Math.min(live - weighed, 8 * BALLAST));
    } catch {
      // no address space for it: collection comes later
    }
    weighed = live;
  } else if (live < weighed) weighed = live;
}

function endTurn(): void {
  isScheduled = false;
  if (backend.watch !== undefined) {
    giveAway();
    return;
  }
  let last: Tensor | undefined;
  for (const x of young.take()) {
    if (x._handle === 0) continue;
    registry.register(x, x._handle);
    last = x;
  }
  if (last && backend.isStopped !== true) weigh(last);
}

// Finalizers run between tasks, never between microtasks.
const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        channel.port1.close();
        resolve();
      };
      channel.port2.postMessage(0);
    }
  });

const PRESSURE = 256 << 20;
let relieved = 0;

/** Lets finalizers run if memory grew much since they last could; async functions of the library await it. */
export async function relieve(): Promise<void> {
  if (backend.watch !== undefined) return; // they are not needed
  const live = fn.memory_live();
  if (live < relieved) relieved = live;
  if (live - relieved < PRESSURE) return;
  await nextTask();
  relieved = fn.memory_live();
}

// ---------------------------------------------------------------- scopes

/** Refuses what is no function. */
export function requireFunction(op: string, body: unknown): void {
  if (typeof body !== 'function') refuse('ERR_ARGUMENT', op, 'body', 'a function', print(body));
}

/** A scope, as async functions get it. */
export class Scope {
  readonly #keeper = new Keeper();
  #isOver = false;

  /** Runs a synchronous function; tensors that it makes belong to this scope, if that is not over. */
  run<R>(body: () => R): R {
    requireFunction('scope', body);
    if (this.#isOver) return body();
    const outer = current;
    current = this.#keeper;
    try {
      return body();
    } finally {
      current = outer;
    }
  }

  /** Makes a tensor belong to this scope. */
  track<T extends Tensor>(x: T): T {
    if (!isTensor(x)) refuse('ERR_ARGUMENT', 'scope', 'x', 'a tensor', print(x));
    if (!this.#isOver) this.#keeper.add(x);
    return x;
  }

  /** Disposes of everything but the tensors in `result`, which go to the scope outside; of everything if the result cannot be
   * walked. @internal */
  _end(result: unknown): void {
    this.#isOver = true;
    let kept: Map<number, Tensor> | undefined;
    try {
      kept = tensorsIn('scope', 'result', result);
    } finally {
      for (const x of this.#keeper.take()) {
        if (x._handle === 0) continue;
        if (kept?.has(x._handle)) track(x);
        else end(x);
      }
    }
  }
}

// Functions that tensors belong to.
const owners = new WeakMap<object, readonly Tensor[]>();

/** A function that needs tensors: where it leaves a scope they do, too. */
export function withTensors<F extends (...args: never[]) => unknown>(body: F, tensors: readonly Tensor[]): F {
  owners.set(body, tensors);
  return body;
}

/** Tensors in a value, by their handles: itself, in arrays, objects, maps and sets, and of functions; in the first `most` of these. */
export function tensorsIn(op: string, argument: string, root: unknown, most = Infinity): Map<number, Tensor> {
  const found = new Map<number, Tensor>();
  const seen = new Set<unknown>();
  const waiting: unknown[] = [];
  const look = (value: unknown): void => {
    if (typeof value === 'object' && value !== null) waiting.push(value);
    else if (typeof value === 'function') waiting.push(owners.get(value));
  };
  look(root);
  try {
    for (let left = most; waiting.length > 0 && left > 0; left--) {
      const value = waiting.pop();
      if (typeof value !== 'object' || value === null || seen.has(value)) continue;
      seen.add(value);
      if (isTensor(value)) found.set(value._handle, value);
      else if (value instanceof Map)
        Map.prototype.forEach.call(value, (item, key) => (look(key), look(item)));
      else if (value instanceof Set) Set.prototype.forEach.call(value, look);
      else if (!ArrayBuffer.isView(value) && !(value instanceof ArrayBuffer))
        Object.values(value).forEach(look);
    }
  } catch (cause) {
    refuse('ERR_ARGUMENT', op, argument, 'a value whose members can be read', 'one that throws', cause);
  }
  return found;
}

/** The `then` of a value, where it has one. */
export function thenOf(result: unknown): unknown {
  try {
    return (result as { then?: unknown } | null | undefined)?.then;
  } catch (cause) {
    return refuse(
      'ERR_ARGUMENT',
      'scope',
      'result',
      'a value whose members can be read',
      'one that throws',
      cause,
    );
  }
}

/**
 * Runs fn and disposes of every tensor that it made, but for those it returns (alone, or in arrays, objects, maps, sets).
 *
 * An async fn: tensors made before its first `await` are tracked by themselves, later ones through the scope that it is given
 * (`s.run`, `s.track`), since other code may run in between; disposal comes when its promise settles.
 */
export function scope<R>(body: (s: Scope) => R): R {
  requireFunction('scope', body);
  const s = new Scope();
  const ended = <T>(result: T): T => {
    s._end(result);
    return result;
  };
  const failed = (error: unknown): never => {
    s._end(undefined);
    throw error;
  };
  let result: R | undefined;
  let then: unknown;
  try {
    result = s.run(() => body(s));
    then = thenOf(result);
    if (typeof then === 'function') return Reflect.apply(then, result, [ended, failed]) as R;
  } catch (error) {
    markHandled(result);
    return failed(error);
  }
  return ended(result as R);
}

/** The same as scope. */
export const tidy = scope;

/** Ends tensors, alone or in arrays, objects, maps and sets; what was disposed of before is passed over. */
export function dispose(...values: unknown[]): void {
  for (const x of tensorsIn('dispose', 'values', values).values()) end(x);
}
