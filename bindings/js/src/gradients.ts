// Gradients: what is remembered, walks over it, hooks and checkpoints. The graph lives in the core, and keeps what it needs; what JavaScript
// disposes of does not matter to it. A walk stops for functions of this side, which have numbers there, and goes on.
import { backend, check, fn, numbersRoom, refuse, setNumbers } from './abi.js';
import { handleOf, listOf as membersOf, print, tensorArgument } from './arguments.js';
import { handleIn, isTensor, wrap } from './base.js';
import { deviceName } from './devices.js';
import { known } from './facts.js';
import { notingStates, withStates, type GeneratorStates } from './generator.js';
import { isArray, markHandled } from './intrinsics.js';
import { end, outside, remember, requireFunction, scope, thenOf, whenCollected } from './memory.js';
import { flagOf, isOptions, readOptions } from './options.js';
import { beginEpoch, recorder, refuseState } from './recording.js';
import type { Tensor } from './tensor.js';

/** Of backward. */
export interface BackwardOptions {
  /** Keep what the graph has saved, for another walk over it. Default: createGraph. */
  retainGraph?: boolean;
  /** Gradients can be differentiated themselves. */
  createGraph?: boolean;
  /** Who gets gradients, at most 4094. Default: all leaves. */
  inputs?: Tensor | readonly Tensor[];
}

/** What registerHook returns. A hook lives until it is removed or its graph has ended: tensors that its function refers to live as long. */
export interface HookHandle {
  /** The hook does not run any more. */
  remove(): void;
}

/** Sees a gradient; what it returns goes on in its place. */
export type Hook = (gradient: Tensor) => Tensor | null | undefined | void;

export const RETAIN = 1;
export const CREATE = 2;
export const UNUSED = 4;

const backwardNames = new Map([
  ['retainGraph', 'retainGraph'],
  ['createGraph', 'createGraph'],
  ['inputs', 'inputs'],
]);

// ---------------------------------------------------------------- what is on this side

interface Checkpointed {
  body: (...args: never[]) => unknown;
  /** Tensors stand at the places where `args` has none. */
  args: readonly unknown[];
  places: readonly number[];
  random: GeneratorStates;
}

const hooks = new Map<number, Hook>();
const checkpointed = new Map<number, Checkpointed>();

// The core says which of them belong to no graph any more.
function forgetEnded(): void {
  if (hooks.size + checkpointed.size === 0 || backend.isStopped === true) return;
  for (let n = fn.grad_ended(); n > 0; n = fn.grad_ended())
    for (const number of backend.numbers().subarray(0, n)) {
      hooks.delete(number);
      checkpointed.delete(number);
    }
}

// ---------------------------------------------------------------- modes

interface Mode {
  was: number;
}

// Blocks that are not over, in the order in which they began.
const modes: Mode[] = [];

function leave(own: Mode): void {
  const place = modes.indexOf(own);
  modes.splice(place, 1);
  const next = modes[place];
  if (next === undefined) fn.grad_mode(own.was);
  else next.was = own.was; // it goes on in its own mode, and ends in this one's place
}

function enter(isOn: boolean): Mode {
  const own: Mode = { was: fn.grad_mode(isOn ? 1 : 0) };
  modes.push(own);
  return own;
}

function withMode<R>(op: string, isOn: boolean, body: () => R): R {
  requireFunction(op, body);
  const own = enter(isOn);
  let result: R | undefined;
  try {
    result = body();
    const then = thenOf(result);
    if (typeof then === 'function')
      return Reflect.apply(then, result, [
        <T>(value: T): T => (leave(own), value),
        (error: unknown): never => {
          leave(own);
          throw error;
        },
      ]) as R;
  } catch (error) {
    markHandled(result);
    leave(own);
    throw error;
  }
  leave(own);
  return result as R;
}

/**
 * Runs fn, whose calls are not remembered: their results require no gradient.
 *
 * An async fn: the mode lasts until its promise settles, for all code of this thread that runs meanwhile. So an async fn should not wait
 * for what others compute with gradients.
 */
export function noGrad<R>(body: () => R): R {
  return withMode('noGrad', false, body);
}

/** Runs fn, whose calls are remembered, also within noGrad. Async functions as there. */
export function enableGrad<R>(body: () => R): R {
  return withMode('enableGrad', true, body);
}

/** Whether calls are remembered. */
export function isGradEnabled(): boolean {
  return fn.grad_mode(-1) !== 0;
}

/** The same as a number; also in the first run of a checkpoint, whose second run remembers what this one does not. */
export const wantsGradients = (): number => fn.grad_mode(-2);

// ---------------------------------------------------------------- walks

function runHook(isOn: boolean): void {
  const [number, handle] = backend.numbers() as unknown as [number, number];
  const gradient = wrap(handle);
  const own = enter(isOn); // a mode that the hook begins may last longer
  let answer: unknown;
  try {
    answer = hooks.get(number)?.(gradient);
  } finally {
    leave(own);
  }
  if (answer === undefined || answer === null) {
    check(fn.walk_answer(0));
    return;
  }
  setNumbers([handleOf('registerHook', answer, 'what the hook returns') || -1]);
  check(fn.walk_answer(1), 'registerHook', 'what the hook returns');
}

export function outputsOf(op: string, result: unknown): Tensor[] {
  const list: readonly unknown[] = isArray(result) ? membersOf(op, 'fn', result, numbersRoom()) : [result];
  if (list.length === 0 || !list.every(isTensor)) {
    markHandled(result);
    refuse('ERR_ARGUMENT', op, 'fn', 'a function that returns a tensor, or a list of tensors', print(result));
  }
  return list as Tensor[];
}

// The function of a checkpoint once more, with gradients, on its inputs as they were.
function runAgain(isLast: boolean): void {
  const numbers = backend.numbers();
  const number = numbers[0]!;
  const again = checkpointed.get(number)!;
  const handles = Array.from(numbers.subarray(2, 2 + numbers[1]!));
  const own = enter(true);
  try {
    scope(() => {
      const inputs = handles.map(wrap); // which end with the scope
      const args = [...again.args];
      again.places.forEach((place, k) => (args[place] = inputs[k]));
      const result = withStates(again.random, () => again.body(...(args as never[])));
      const outputs = outputsOf('checkpoint', result);
      setNumbers(outputs.map((y) => handleOf('checkpoint', y, 'fn') || -1));
      check(fn.walk_answer(outputs.length), 'checkpoint', 'fn');
    });
  } finally {
    leave(own);
    if (isLast) checkpointed.delete(number); // the walk frees it, whether it fails or not
  }
}

// Handles of the gradients of inputs, where it does not add them up; 0: none.
function walk(
  op: string,
  outputs: readonly Tensor[],
  gradients: readonly (Tensor | null | undefined)[],
  inputs: readonly Tensor[],
  flags: number,
  adds: boolean,
): number[] {
  forgetEnded();
  recorder?.walks();
  const room = numbersRoom();
  if (2 * outputs.length > room)
    refuse('ERR_ARGUMENT', op, 'outputs', `at most ${room / 2}`, `${outputs.length}`);
  if (2 * outputs.length + inputs.length > room)
    refuse('ERR_ARGUMENT', op, 'inputs', `at most ${room - 2 * outputs.length}`, `${inputs.length}`);
  const handles = [
    ...outputs.map((y) => handleOf(op, y, 'outputs')),
    ...outputs.map((_, k) => {
      const gradient = gradients[k] ?? undefined;
      return gradient === undefined ? 0 : handleOf(op, gradient, 'gradient') || -1;
    }),
    ...inputs.map((x) => handleOf(op, x, 'inputs')),
  ];
  setNumbers(handles);
  check(fn.walk_new(outputs.length, inputs.length, flags, adds ? 1 : 0), op);
  try {
    for (let event = 1; event !== 0;) {
      event = check(fn.walk_next(), op);
      if (event === 1) runHook((flags & CREATE) !== 0);
      else if (event === 2) runAgain((flags & (RETAIN | CREATE)) === 0);
    }
    return adds ? [] : inputs.map((_, k) => check(fn.walk_take(k), op));
  } finally {
    fn.walk_end();
  }
}

export function flagsOf(op: string, options: { retainGraph?: boolean; createGraph?: boolean }): number {
  const creates = flagOf(op, 'createGraph', options.createGraph);
  const retains =
    options.retainGraph === undefined ? creates : flagOf(op, 'retainGraph', options.retainGraph);
  return (retains ? RETAIN : 0) | (creates ? CREATE : 0);
}

// A gradient, or none, for each of some tensors, in its shape.
export function seedsOf(
  op: string,
  argument: string,
  of: readonly Tensor[],
  given: unknown,
): (Tensor | null)[] {
  const isOne = isTensor(given);
  if (!isOne && !isArray(given))
    return refuse('ERR_ARGUMENT', op, argument, 'a tensor, or a list of tensors', print(given));
  const list = isOne ? [given] : membersOf(op, argument, given, numbersRoom());
  if (list.length !== of.length)
    refuse('ERR_ARGUMENT', op, argument, `as many as there are outputs, ${of.length}`, `${list.length}`);
  return list.map((x, k) => {
    if (x === null || x === undefined) return null;
    const name = isOne ? argument : `${argument}[${k}]`;
    const [{ shape }, wanted] = [known(tensorArgument(op, name, x), op, name), known(of[k]!, op)];
    if (`${shape}` !== `${wanted.shape}`) refuse('ERR_SHAPE', op, name, `[${wanted.shape}]`, `[${shape}]`);
    return x as Tensor;
  });
}

export function listOf(op: string, argument: string, value: unknown): Tensor[] {
  if (isTensor(value)) return [value];
  if (!isArray(value)) return [tensorArgument(op, argument, value)];
  return membersOf(op, argument, value, numbersRoom()).map((x, k) =>
    tensorArgument(op, `${argument}[${k}]`, x),
  );
}

/** x.backward(), of gradients.ts. @internal */
export function backward(x: Tensor, given?: unknown, options?: unknown): void {
  const isFirst = options === undefined && isOptions(given);
  const read = readOptions<BackwardOptions>(
    'backward',
    (isFirst ? given : options) as BackwardOptions,
    backwardNames,
  );
  const gradient = isFirst || given === undefined || given === null ? null : given;
  const seeds = [gradient === null ? null : tensorArgument('backward', 'gradient', gradient)];
  const inputs = read.inputs === undefined ? [] : listOf('backward', 'inputs', read.inputs);
  if (read.inputs !== undefined && inputs.length === 0)
    refuse('ERR_ARGUMENT', 'backward', 'inputs', 'a tensor, or several', 'an empty list');
  walk('backward', [x], seeds, inputs, flagsOf('backward', read), true);
}

export function gradientsOf(
  op: string,
  outputs: readonly Tensor[],
  gradients: readonly (Tensor | null | undefined)[],
  inputs: readonly Tensor[],
  flags: number,
): (Tensor | null)[] {
  const handles = walk(op, outputs, gradients, inputs, flags, false);
  const missing = (flags & UNUSED) === 0 ? handles.indexOf(0) : -1;
  const found = handles.map((handle) => (handle === 0 ? null : wrap(handle)));
  if (missing >= 0)
    refuse(
      'ERR_ARGUMENT',
      op,
      inputs.length > 1 ? `inputs[${missing}]` : 'inputs',
      'something that the outputs depend on (or allowUnused)',
      'a tensor that they do not depend on',
    );
  return found;
}

// ---------------------------------------------------------------- tensors

const REQUIRES = 1;
const LEAF = 2;
const HELD = 8;

// The core calls the tensor x, also in its words.
const named = (argument: string): string | string[] => (argument === 'this' ? argument : [argument]);

export function stateOf(
  op: string,
  x: unknown,
  argument = 'this',
): { requiresGrad: boolean; isLeaf: boolean; isHeld: boolean } {
  const bits = check(fn.grad_state(handleOf(op, x, argument)), op, named(argument));
  return {
    requiresGrad: (bits & REQUIRES) !== 0,
    isLeaf: (bits & LEAF) !== 0,
    isHeld: (bits & HELD) !== 0,
  };
}

export function setRequiresGrad(op: string, x: unknown, value: unknown, argument = 'x'): void {
  const requires = flagOf(op, 'requiresGrad', value as boolean);
  check(fn.grad_require(handleOf(op, x), requires ? 1 : 0), op, named(argument));
}

/** The same; where a program may hold the tensor, it is recorded again. */
export function changeRequiresGrad(op: string, x: unknown, value: unknown, argument?: string): void {
  const { requiresGrad: was, isHeld } = stateOf(op, x);
  setRequiresGrad(op, x, value, argument);
  if (was !== value && isHeld) beginEpoch();
}

/** x.requiresGrad, of gradients.ts: a recorded function that looks at it is recorded again where it is another one. @internal */
export function requiresGradOf(x: Tensor): boolean {
  const { requiresGrad } = stateOf('requiresGrad', x);
  if (recorder !== undefined && !isSymbol(handleOf('requiresGrad', x)))
    recorder.watch(() => [handleIn(x) > 0 && stateOf('requiresGrad', x).requiresGrad], x);
  return requiresGrad;
}

/** Whether it stands for something that a program will compute. */
export function isSymbol(handle: number): boolean {
  check(fn.describe(handle));
  const { 1: type, 7: index } = backend.numbers() as unknown as number[];
  return deviceName(type!, index!) === 'meta';
}

/** The gradient of a tensor; the same object as long as it is the same gradient. */
export function gradOf(x: Tensor, op = 'grad', argument = 'this'): Tensor | null {
  const handle = handleOf(op, x, argument);
  const known = x._grad;
  const old = known === undefined ? 0 : handleIn(known);
  const found = check(fn.grad_get(handle, old > 0 ? old : 0), op, named(argument));
  if (found !== 0 && found === old) return known!;
  let grad: Tensor | undefined;
  if (found !== 0 && (recorder === undefined || isSymbol(found))) grad = wrap(found);
  else if (found !== 0) grad = outside(() => wrap(found)); // fn has captured it: it outlives the scope of the recording
  remember(x, '_grad', grad);
  return grad ?? null;
}

/**
 * Runs body on the gradients of some tensors, null where there is none. Those that nobody has asked for by .grad are
 * objects for that time alone: their memory comes back when the gradient goes, and not when the collector finds them.
 */
export function withGrads<R>(
  op: string,
  of: readonly Tensor[],
  nameOf: (k: number) => string,
  body: (grads: readonly (Tensor | null)[]) => R,
): R {
  const made: Tensor[] = [];
  try {
    const grads = of.map((x, k) => {
      const known = x._grad;
      const found = gradOf(x, op, nameOf(k));
      if (found === null || found === known) return found;
      remember(x, '_grad', undefined);
      made.push(found);
      return found;
    });
    return body(grads);
  } finally {
    made.forEach(end);
  }
}

export function setGrad(x: Tensor, value: unknown, op = 'grad', argument = 'x'): void {
  const handle = handleOf(op, x, argument);
  const isNone = value === null || value === undefined;
  check(fn.grad_set(handle, isNone ? 0 : handleOf(op, value, 'grad') || -1), op, named(argument));
  remember(x, '_grad', isNone ? undefined : (value as Tensor));
}

export function retainGrad(x: Tensor): void {
  check(fn.grad_retain(handleOf('retainGrad', x)), 'retainGrad', 'this');
}

export function detachInPlace(x: Tensor): void {
  check(fn.grad_detach(handleOf('detach_', x)), 'detach_', 'this');
}

/** x.registerHook(), of gradients.ts. @internal */
export function registerHook(x: Tensor, hook: Hook): HookHandle {
  requireFunction('registerHook', hook);
  forgetEnded();
  const handle = handleOf('registerHook', x);
  const { isLeaf, isHeld } = stateOf('registerHook', x);
  if (recorder !== undefined && isLeaf && !isSymbol(handle)) refuseState('registerHook');
  const number = check(fn.grad_hook(handle), 'registerHook', 'this');
  const id = backend.numbers()[0]!;
  hooks.set(number, hook);
  whenCollected(forgetEnded);
  if (isLeaf && isHeld) beginEpoch();
  return {
    remove(): void {
      hooks.delete(number);
      if (isLeaf) beginEpoch(); // a program may hold it by now
      fn.grad_unhook(id);
    },
  };
}

// ---------------------------------------------------------------- checkpoints

function checkOutputs<R>(result: R): R {
  outputsOf('checkpoint', result);
  return result;
}

/**
 * fn(...args), whose calls are not remembered: a walk that comes by runs fn again, and remembers then. That needs less memory, and the time of
 * fn twice. fn returns a tensor or a list of tensors, the same in both runs; the second one finds every generator
 * that the first one used as that did, and its tensor arguments as they were. At most 4094 tensors are arguments,
 * 4096 with the results. While compile() records, fn runs once, as if it were called itself: the gradients are the same, and the program plans its memory.
 */
export function checkpoint<A extends unknown[], R extends Tensor | readonly Tensor[]>(
  body: (...args: A) => R,
  ...args: A
): R {
  requireFunction('checkpoint', body);
  if (recorder !== undefined) return checkOutputs(body(...args)); // its graph keeps what its walks read, and no more
  forgetEnded();
  const random: GeneratorStates = new Map();
  const places = args.flatMap((value, k) => (isTensor(value) ? [k] : []));
  const state = fn.replay_begin();
  let outputs: Tensor[];
  let result: R;
  let number: number;
  let isOver = false;
  try {
    const inputs = places.map((k) => handleOf('checkpoint', args[k], `args[${k}]`));
    result = notingStates(random, () => body(...args));
    outputs = outputsOf('checkpoint', result);
    const most = numbersRoom() - Math.max(2, outputs.length);
    if (inputs.length > most)
      refuse('ERR_ARGUMENT', 'checkpoint', 'args', `at most ${most} tensors`, `${inputs.length}`);
    setNumbers([...inputs, ...outputs.map((y) => handleOf('checkpoint', y, 'fn'))]);
    isOver = true;
    number = check(fn.replay_end(state, inputs.length, outputs.length), 'checkpoint');
  } finally {
    if (!isOver) fn.replay_end(state, -1, 0);
  }
  if (number === 0) return result;
  const made = Array.from(backend.numbers().subarray(0, outputs.length)).map(wrap);
  const kept: unknown[] = [...args];
  for (const place of places) kept[place] = undefined;
  whenCollected(forgetEnded);
  checkpointed.set(number, { body, args: kept, places, random });
  return (isTensor(result) ? made[0] : made) as R;
}
