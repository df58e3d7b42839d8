// Gradients as functions: of given outputs by given inputs, and of functions. The walks are those of gradients.ts.
import { backend, check, fn, refuse } from './abi.js';
import { handleOf, listOf as membersOf, print, tensorArgument } from './arguments.js';
import { isTensor, wrap } from './base.js';
import { runNumbers } from './functions.js';
import {
  CREATE,
  enableGrad,
  flagsOf,
  gradientsOf,
  isGradEnabled,
  listOf,
  outputsOf,
  RETAIN,
  seedsOf,
  setRequiresGrad,
  stateOf,
  UNUSED,
} from './gradients.js';
import { isArray } from './intrinsics.js';
import { requireFunction, withTensors } from './memory.js';
import { flagOf, readOptions } from './options.js';
import { functionNumbers } from './tables.gen.js';
import type { Tensor } from './tensor.js';

const NEW = 0; // in place of a handle

/** Of grad. */
export interface GradOptions {
  /** Gradients that the outputs begin with, in their shapes; an output of one element begins with 1. */
  gradOutputs?: Tensor | null | readonly (Tensor | null)[];
  retainGraph?: boolean;
  createGraph?: boolean;
  /** null for an input that the outputs do not depend on, instead of an error. */
  allowUnused?: boolean;
}

const gradNames = new Map([
  ['gradOutputs', 'gradOutputs'],
  ['retainGraph', 'retainGraph'],
  ['createGraph', 'createGraph'],
  ['allowUnused', 'allowUnused'],
]);

// The gradient of x has its dtype; of one whose place or type is not known (any, never), it has any dtype.
type Gradient<X> = 0 extends 1 & X
  ? Tensor
  : [X] extends [never]
    ? Tensor
    : [X] extends [Tensor]
      ? X
      : Tensor;
type Found<U, X> = U extends { allowUnused: true } ? Gradient<X> | null : Gradient<X>;
type GradientOf<A extends readonly unknown[], N extends number> = Gradient<A[N]>;
type GradientsOf<A extends readonly unknown[], N extends readonly number[]> = {
  -readonly [K in keyof N]: GradientOf<A, N[K] & number>;
};

/**
 * The gradients of outputs by inputs, as new tensors; .grad of no tensor changes. Of at most 2048 outputs, by 4096
 * inputs less two for each of them.
 */
export function grad<X extends Tensor, O extends GradOptions>(
  outputs: Tensor | readonly Tensor[],
  inputs: X,
  options?: O,
): Found<O, X>;
export function grad<X extends readonly Tensor[] | [], O extends GradOptions>(
  outputs: Tensor | readonly Tensor[],
  inputs: X,
  options?: O,
): { -readonly [K in keyof X]: Found<O, X[K]> };
/**
 * The function that gives the gradient of fn, whose result has one element, by its first argument (`argnums`: by
 * others); zeros by what it does not depend on.
 */
export function grad<A extends unknown[], N extends number = 0>(
  body: (...args: A) => Tensor,
  options?: { argnums?: N },
): (...args: A) => GradientOf<A, N>;
export function grad<A extends unknown[], K extends number, N extends readonly K[] | []>(
  body: (...args: A) => Tensor,
  options: { argnums: N },
): (...args: A) => GradientsOf<A, N>;
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

// The gradients of outputs, zeros by inputs that they do not depend on.
function pulled(
  op: string,
  outputs: readonly Tensor[],
  seeds: readonly (Tensor | null)[],
  inputs: readonly Tensor[],
  flags: number,
): Tensor[] {
  const depends = outputs.map((y) => stateOf(op, y).requiresGrad);
  const those = <T>(list: readonly T[]): T[] => list.filter((_, k) => depends[k]);
  const found = depends.includes(true)
    ? gradientsOf(op, those(outputs), those(seeds), inputs, flags | UNUSED)
    : [];
  return inputs.map((x, k) => found[k] ?? zerosOf(x));
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
export function valueAndGrad<A extends unknown[], R extends Tensor = Tensor, N extends number = 0>(
  body: (...args: A) => R,
  options?: { argnums?: N },
): (...args: A) => [R, GradientOf<A, N>];
export function valueAndGrad<
  A extends unknown[],
  R extends Tensor,
  K extends number,
  N extends readonly K[] | [],
>(body: (...args: A) => R, options: { argnums: N }): (...args: A) => [R, GradientsOf<A, N>];
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
  const numbers = (isArray(argnums) ? membersOf(op, 'argnums', argnums) : [argnums]) as number[];
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
    if (!stateOf(op, value).requiresGrad && (value.numel !== 1 || /int|bool/.test(value.dtype)))
      refuse(
        'ERR_ARGUMENT',
        op,
        'what fn returns',
        'of one element, a float',
        `a ${value.dtype} of shape [${value.shape}]`,
      );
    const found = pulled(op, [value], [], inputs, creates ? RETAIN | CREATE : 0);
    return [creates ? value : detached(value), typeof argnums === 'number' ? found[0] : found];
  };
}

type Outputs = Tensor | readonly Tensor[];

// Of one primal its gradient, of several a list; of nobody knows how many, either.
type Pulled<P extends readonly Tensor[]> = number extends P['length']
  ? P[number] | P[number][]
  : P['length'] extends 1
    ? P[0]
    : P;

/**
 * [fn(...primals), pull]: pull(cotangents), in the shape of the result, gives the product of the transposed Jacobian
 * with them, one for each primal; a single one where there is one primal.
 */
export function vjp<P extends Tensor[], R extends Outputs>(
  body: (...primals: P) => R,
  ...primals: P
): [R, (...cotangents: Tensor[]) => Pulled<P>];
export function vjp<R extends Outputs>(
  body: (...primals: Tensor[]) => R,
  ...primals: readonly Tensor[]
): [R, (...cotangents: Tensor[]) => Tensor | Tensor[]];
export function vjp(
  body: (...primals: Tensor[]) => Outputs,
  ...primals: Tensor[]
): [Outputs, (...cotangents: Tensor[]) => Tensor | Tensor[]] {
  requireFunction('vjp', body);
  const all = primals.map((_, k) => k);
  const { args, inputs } = takeInputs('vjp', primals, all);
  const result = nested(() => body(...(args as Tensor[])));
  const outputs = outputsOf('vjp', result);
  const pull = (...cotangents: Tensor[]): Tensor | Tensor[] => {
    const seeds = seedsOf('vjp', 'cotangents', outputs, cotangents);
    const gradients = pulled('vjp', outputs, seeds, inputs, RETAIN | (isGradEnabled() ? CREATE : 0));
    return gradients.length === 1 ? gradients[0]! : gradients;
  };
  return [result, withTensors(pull, [...outputs, ...inputs])];
}

function zerosOf(x: Tensor): Tensor {
  const OPEN = [-1, -1, 0]; // dtype, device
  return wrap(check(runNumbers(functionNumbers.zerosLike, [handleOf('grad', x), ...OPEN, NEW]), 'grad'));
}

/**
 * [fn(...primals), tangent]: the derivative of fn in the direction of the tangents, which have the shapes of the
 * primals. By differentiating twice: the gradient is linear in what it begins with, and its derivative by that is the
 * tangent.
 */
export function jvp<P extends readonly Tensor[] | [], R extends Tensor>(
  body: (...primals: P) => R,
  primals: P,
  tangents: readonly Tensor[],
): [R, R];
export function jvp<R extends Tensor>(
  body: (...primals: Tensor[]) => R,
  primals: readonly Tensor[],
  tangents: readonly Tensor[],
): [R, R];
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
