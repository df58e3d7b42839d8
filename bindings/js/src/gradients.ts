// Gradients: what is remembered, walks over it, hooks and checkpoints. The graph lives in the core, and keeps what it needs; what JavaScript
// disposes of does not matter to it. A walk stops for functions of this side, which have numbers there, and goes on.
import { backend, check, fn, numbersRoom, refuse, refuseWith, setNumbers } from './abi.js';
import { handleOf, print, tensorArgument } from './arguments.js';
import { handleIn, isTensor, wrap } from './base.js';
import { known } from './facts.js';
import { runNumbers } from './functions.js';
import { notingStates, withStates, type GeneratorStates } from './generator.js';
import { isArray, markHandled } from './intrinsics.js';
import { end, requireFunction, scope, thenOf, whenCollected } from './memory.js';
import { flagOf, isOptions, readOptions } from './options.js';
import { functionNumbers } from './tables.gen.js';
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

/** Of grad. */
export interface GradOptions {
  /** Gradients that the outputs begin with, in their shapes; an output of one element begins with 1. */
  gradOutputs?: Tensor | null | readonly (Tensor | null)[];
  retainGraph?: boolean;
  createGraph?: boolean;
  /** null for an input that the outputs do not depend on, instead of an error. */
  allowUnused?: boolean;
}

/** What registerHook returns. A hook lives until it is removed or its graph has ended: tensors that its function refers to live as long. */
export interface HookHandle {
  /** The hook does not run any more. */
  remove(): void;
}

/** Sees a gradient; what it returns goes on in its place. */
export type Hook = (gradient: Tensor) => Tensor | null | undefined | void;

const RETAIN = 1;
const CREATE = 2;
const UNUSED = 4;
const NEW = 0; // in place of a handle

const backwardNames = new Map([
  ['retainGraph', 'retainGraph'],
  ['createGraph', 'createGraph'],
  ['inputs', 'inputs'],
]);
const gradNames = new Map([
  ['gradOutputs', 'gradOutputs'],
  ['retainGraph', 'retainGraph'],
  ['createGraph', 'createGraph'],
  ['allowUnused', 'allowUnused'],
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

function outputsOf(op: string, result: unknown): Tensor[] {
  const list: readonly unknown[] = isArray(result) ? result : [result];
  if (list.length === 0 || !list.every(isTensor))
    refuse('ERR_ARGUMENT', op, 'fn', 'a function that returns a tensor, or a list of tensors', print(result));
  return list as Tensor[];
}

// As the core says it of what it has saved; the walk may have failed.
function refuseFreed(): never {
  const words = 'what checkpoint has saved was freed by an earlier walk, which did not retain the graph';
  refuseWith('ERR_ARGUMENT', `backward: ${words}`, { op: 'backward', argument: 'checkpoint' });
}

// The function of a checkpoint once more, with gradients, on its inputs as they were.
function runAgain(isLast: boolean): void {
  const numbers = backend.numbers();
  const number = numbers[0]!;
  const again = checkpointed.get(number);
  const handles = Array.from(numbers.subarray(2, 2 + numbers[1]!));
  const own = enter(true);
  try {
    scope(() => {
      const inputs = handles.map(wrap); // which end with the scope
      if (again === undefined) refuseFreed();
      const args = [...again.args];
      again.places.forEach((place, k) => (args[place] = inputs[k]));
      const result = withStates(again.random, () => again.body(...(args as never[])));
      const outputs = outputsOf('checkpoint', result);
      setNumbers(outputs.map((y) => handleOf('checkpoint', y, 'fn') || -1));
      check(fn.walk_answer(outputs.length), 'checkpoint', 'fn');
      if (!outputs.some((y) => stateOf('checkpoint', y).requiresGrad))
        refuse(
          'ERR_ARGUMENT',
          'checkpoint',
          'fn',
          'a function whose second run is remembered, as a part of its result at least',
          'results that require no gradient (noGrad, detach)',
        );
    });
  } finally {
    leave(own);
    if (isLast) checkpointed.delete(number); // the walk frees the inputs
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

function flagsOf(op: string, options: { retainGraph?: boolean; createGraph?: boolean }): number {
  const creates = flagOf(op, 'createGraph', options.createGraph);
  const retains =
    options.retainGraph === undefined ? creates : flagOf(op, 'retainGraph', options.retainGraph);
  return (retains ? RETAIN : 0) | (creates ? CREATE : 0);
}

// A gradient, or none, for each of some tensors, in its shape.
function seedsOf(op: string, argument: string, of: readonly Tensor[], given: unknown): (Tensor | null)[] {
  const list = isTensor(given) ? [given] : given;
  if (!isArray(list))
    return refuse('ERR_ARGUMENT', op, argument, 'a tensor, or a list of tensors', print(given));
  if (list.length !== of.length)
    refuse('ERR_ARGUMENT', op, argument, `as many as there are outputs, ${of.length}`, `${list.length}`);
  return list.map((x, k) => {
    if (x === null || x === undefined) return null;
    const name = list === given ? `${argument}[${k}]` : argument;
    const [{ shape }, wanted] = [known(tensorArgument(op, name, x), op, name), known(of[k]!, op)];
    if (`${shape}` !== `${wanted.shape}`) refuse('ERR_SHAPE', op, name, `[${wanted.shape}]`, `[${shape}]`);
    return x as Tensor;
  });
}

function listOf(op: string, argument: string, value: unknown): Tensor[] {
  if (isTensor(value)) return [value];
  if (!isArray(value)) return [tensorArgument(op, argument, value)];
  return value.map((x, k) => tensorArgument(op, `${argument}[${k}]`, x));
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

function gradientsOf(
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

type Found<U> = U extends { allowUnused: true } ? Tensor | null : Tensor;

/** The gradients of outputs by inputs, as new tensors; .grad of no tensor changes. Of at most 2048 outputs, by 4096 inputs less two for each of them. */
export function grad<O extends GradOptions>(
  outputs: Tensor | readonly Tensor[],
  inputs: Tensor,
  options?: O,
): Found<O>;
export function grad<O extends GradOptions>(
  outputs: Tensor | readonly Tensor[],
  inputs: readonly Tensor[],
  options?: O,
): Found<O>[];
/** The function that gives the gradient of fn, whose result has one element, by its first argument (`argnums`: by others). */
export function grad<A extends unknown[]>(
  body: (...args: A) => Tensor,
  options?: { argnums?: number },
): (...args: A) => Tensor;
export function grad<A extends unknown[]>(
  body: (...args: A) => Tensor,
  options: { argnums: readonly number[] },
): (...args: A) => Tensor[];
export function grad(first: unknown, second?: unknown, third?: unknown): unknown {
  if (typeof first === 'function') {
    const both = functionOf(
      'grad',
      first as (...args: never[]) => Tensor,
      second as { argnums?: number },
    ) as (...args: unknown[]) => [Tensor, unknown];
    return (...args: unknown[]) => both(...args)[1];
  }
  const read = readOptions<GradOptions>('grad', third as GradOptions, gradNames);
  const outputs = listOf('grad', 'outputs', first);
  const inputs = listOf('grad', 'inputs', second);
  const given = read.gradOutputs ?? null;
  const seeds = given === null ? [] : seedsOf('grad', 'gradOutputs', outputs, given);
  const unused = flagOf('grad', 'allowUnused', read.allowUnused) ? UNUSED : 0;
  const found = gradientsOf('grad', outputs, seeds, inputs, flagsOf('grad', read) | unused);
  return isTensor(second) ? found[0] : found;
}

// ---------------------------------------------------------------- tensors

const REQUIRES = 1;
const LEAF = 2;

// The core calls the tensor x, also in its words.
const named = (argument: string): string | string[] => (argument === 'this' ? argument : [argument]);

export function stateOf(
  op: string,
  x: unknown,
  argument = 'this',
): { requiresGrad: boolean; isLeaf: boolean } {
  const bits = check(fn.grad_state(handleOf(op, x, argument)), op, named(argument));
  return { requiresGrad: (bits & REQUIRES) !== 0, isLeaf: (bits & LEAF) !== 0 };
}

export function setRequiresGrad(op: string, x: unknown, value: unknown, argument = 'x'): void {
  const requires = flagOf(op, 'requiresGrad', value as boolean);
  check(fn.grad_require(handleOf(op, x), requires ? 1 : 0), op, named(argument));
}

/** The gradient of a tensor; the same object as long as it is the same gradient. */
export function gradOf(x: Tensor, op = 'grad', argument = 'this'): Tensor | null {
  const handle = handleOf(op, x, argument);
  const known = x._grad;
  const old = known === undefined ? 0 : handleIn(known);
  const found = check(fn.grad_get(handle, old > 0 ? old : 0), op, named(argument));
  if (found !== 0 && found === old) return known!;
  x._grad = found === 0 ? undefined : wrap(found);
  return x._grad ?? null;
}

/**
 * Runs body on the gradients of some tensors, null where there is none. Those that nobody has asked for by .grad are objects for that time alone:
 * their memory comes back when the gradient goes, and not when the collector finds them.
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
      x._grad = undefined;
      made.push(found);
      return found;
    });
    return body(grads);
  } finally {
    made.forEach(end);
  }
}

export function setGrad(x: Tensor, value: unknown, op = 'grad', argument = 'grad'): void {
  const handle = handleOf(op, x, argument);
  const isNone = value === null || value === undefined;
  check(fn.grad_set(handle, isNone ? 0 : handleOf(op, value, 'grad') || -1), op, named(argument));
  x._grad = isNone ? undefined : (value as Tensor);
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
  const number = check(fn.grad_hook(handleOf('registerHook', x)), 'registerHook', 'this');
  const id = backend.numbers()[0]!;
  hooks.set(number, hook);
  whenCollected(forgetEnded);
  return {
    remove(): void {
      hooks.delete(number);
      const handle = handleIn(x);
      if (handle > 0) fn.grad_unhook(handle, id);
    },
  };
}

// ---------------------------------------------------------------- checkpoints

/**
 * fn(...args), whose calls are not remembered: a walk that comes by runs fn again, and remembers then. That needs less memory, and the time of
 * fn twice. fn returns a tensor or a list of tensors, the same in both runs; the second one finds every generator that the first one used as
 * that did, and its tensor arguments as they were. At most 4094 tensors are arguments, 4096 with the results.
 */
export function checkpoint<A extends unknown[], R extends Tensor | readonly Tensor[]>(
  body: (...args: A) => R,
  ...args: A
): R {
  requireFunction('checkpoint', body);
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
  const kept = args.map((value) => (isTensor(value) ? undefined : value));
  whenCollected(forgetEnded);
  checkpointed.set(number, { body, args: kept, places, random });
  const handles = Array.from(backend.numbers().subarray(0, outputs.length));
  const made = handles.map(wrap);
  return (isTensor(result) ? made[0] : made) as R;
}

// ---------------------------------------------------------------- functions of functions

// A tensor with the elements and the history of x that nothing else has; a leaf, if x has none.
function ownInput(op: string, x: unknown, argument: string): Tensor {
  const handle = handleOf(op, x, argument);
  const ndim = check(fn.describe(handle), op, [argument]);
  const shape = Array.from(backend.numbers().subarray(8, 8 + ndim));
  if (isGradEnabled() && stateOf(op, x).requiresGrad)
    return wrap(check(runNumbers(functionNumbers.expand, [handle, ndim, ...shape, NEW]), op));
  const own = wrap(check(runNumbers(functionNumbers.detach, [handle, NEW]), op));
  setRequiresGrad(op, own, true);
  return own;
}

function detached(x: Tensor): Tensor {
  return wrap(check(runNumbers(functionNumbers.detach, [handleOf('detach', x), NEW]), 'detach'));
}

// How many of these functions run, one within another: what an inner one is given may belong to an outer one.
let nesting = 0;

function nested<R>(body: () => R): R {
  nesting++;
  try {
    return enableGrad(body);
  } finally {
    nesting--;
  }
}

interface Taken {
  args: unknown[];
  inputs: Tensor[];
  /** Whether gradients are to be differentiated themselves. */
  creates: boolean;
}

function takeInputs(op: string, args: readonly unknown[], numbers: readonly number[]): Taken {
  const all = [...args];
  const creates =
    isGradEnabled() && (nesting > 0 || args.some((x) => isTensor(x) && stateOf(op, x).requiresGrad));
  const inputs = numbers.map((k) => (all[k] = ownInput(op, args[k], `argument ${k}`)) as Tensor);
  return { args: all, inputs, creates };
}

const argnumsNames = new Map([['argnums', 'argnums']]);

/** The function that gives [fn(...args), its gradient], as grad(fn) does. */
export function valueAndGrad<A extends unknown[]>(
  body: (...args: A) => Tensor,
  options?: { argnums?: number },
): (...args: A) => [Tensor, Tensor];
export function valueAndGrad<A extends unknown[]>(
  body: (...args: A) => Tensor,
  options: { argnums: readonly number[] },
): (...args: A) => [Tensor, Tensor[]];
export function valueAndGrad(
  body: (...args: never[]) => Tensor,
  options?: { argnums?: number | readonly number[] },
): (...args: never[]) => [Tensor, unknown] {
  return functionOf('valueAndGrad', body, options);
}

const aCount = (k: unknown): boolean => Number.isSafeInteger(k) && (k as number) >= 0;

function functionOf(
  op: string,
  body: (...args: never[]) => Tensor,
  options?: { argnums?: number | readonly number[] },
): (...args: never[]) => [Tensor, unknown] {
  requireFunction(op, body);
  const { argnums = 0 } = readOptions<{ argnums?: number | readonly number[] }>(op, options, argnumsNames);
  const numbers = (isArray(argnums) ? [...argnums] : [argnums]) as number[];
  if (!numbers.every(aCount) || numbers.length === 0 || new Set(numbers).size < numbers.length)
    refuse(
      'ERR_ARGUMENT',
      op,
      'argnums',
      'a place of an argument, from 0 on, or several, each once',
      print(argnums),
    );
  return (...args) => {
    const missing = numbers.find((k) => k >= args.length);
    if (missing !== undefined)
      refuse('ERR_ARGUMENT', op, 'argnums', `below ${args.length}, the number of arguments`, `${missing}`);
    const { args: all, inputs, creates } = takeInputs(op, args, numbers);
    const value = nested(() => tensorArgument(op, 'what fn returns', body(...(all as never[]))));
    const found = gradientsOf(op, [value], [], inputs, creates ? RETAIN | CREATE : 0);
    return [creates ? value : detached(value), typeof argnums === 'number' ? found[0] : found];
  };
}

type Outputs = Tensor | readonly Tensor[];

/**
 * [fn(...primals), pull]: pull(cotangents), in the shape of the result, gives the product of the transposed Jacobian with them, one for each
 * primal; a single one where there is one primal.
 */
export function vjp<R extends Outputs>(
  body: (...primals: Tensor[]) => R,
  ...primals: Tensor[]
): [R, (...cotangents: Tensor[]) => Tensor | Tensor[]] {
  requireFunction('vjp', body);
  const all = primals.map((_, k) => k);
  const { args, inputs } = takeInputs('vjp', primals, all);
  const result = nested(() => body(...(args as Tensor[])));
  const outputs = outputsOf('vjp', result);
  const pull = (...cotangents: Tensor[]): Tensor | Tensor[] => {
    const flags = RETAIN | (isGradEnabled() ? CREATE : 0) | UNUSED;
    const seeds = seedsOf('vjp', 'cotangents', outputs, cotangents);
    const found = gradientsOf('vjp', outputs, seeds, inputs, flags);
    const gradients = found.map((gradient, k) => gradient ?? zerosOf(inputs[k]!));
    return gradients.length === 1 ? gradients[0]! : gradients;
  };
  return [result, pull];
}

function zerosOf(x: Tensor): Tensor {
  const NO_DTYPE = -1;
  return wrap(check(runNumbers(functionNumbers.zerosLike, [handleOf('grad', x), NO_DTYPE, NEW]), 'grad'));
}

/**
 * [fn(...primals), tangent]: the derivative of fn in the direction of the tangents, which have the shapes of the primals. By differentiating
 * twice: the gradient is linear in what it begins with, and its derivative by that is the tangent.
 */
export function jvp(
  body: (...primals: Tensor[]) => Tensor,
  primals: readonly Tensor[],
  tangents: readonly Tensor[],
): [Tensor, Tensor] {
  requireFunction('jvp', body);
  if (!isArray(primals) || !isArray(tangents) || primals.length !== tangents.length)
    refuse('ERR_ARGUMENT', 'jvp', 'tangents', 'as many as primals', print(tangents));
  return nested(() => {
    const { args, inputs } = takeInputs(
      'jvp',
      primals,
      primals.map((_, k) => k),
    );
    const seeds = seedsOf('jvp', 'tangents', inputs, tangents);
    const value = tensorArgument('jvp', 'what fn returns', body(...(args as Tensor[])));
    const seed = zerosOf(detached(value));
    if (!stateOf('jvp', value).requiresGrad) return [value, seed];
    setRequiresGrad('jvp', seed, true);
    const gradients = gradientsOf('jvp', [value], [seed], inputs, RETAIN | CREATE | UNUSED);
    const reached = gradients.flatMap((gradient, k) =>
      gradient !== null && stateOf('jvp', gradient).requiresGrad ? [k] : [],
    );
    if (reached.length === 0) return [value, detached(seed)];
    const [tangent] = gradientsOf(
      'jvp',
      reached.map((k) => gradients[k]!),
      reached.map((k) => tensorArgument('jvp', `tangents[${k}]`, seeds[k])),
      [seed],
      RETAIN | CREATE | UNUSED,
    );
    return [value, tangent ?? detached(seed)];
  });
}
