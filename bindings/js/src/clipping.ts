// Gradients brought into bounds, by their norm or each element by itself.
import { refuse } from './abi.js';
import { iterated, tensorArgument } from './arguments.js';
import { isTensor } from './base.js';
import { partsOf } from './functions.js';
import { withGrads } from './gradients.js';
import { scope } from './memory.js';
import { clipGradsWithNorm, clipGradValue as clipValues, totalNorm } from './ops.gen.js';
import { atMost, flagOf, namesOf, readOptions } from './options.js';
import { above0, atLeast0, held } from './rules.js';
import type { Tensor } from './tensor.js';
import type { RealFloatDType } from './types.js';

/** Of clipGradNorm. */
export interface ClipGradNormOptions {
  /** Order of the norm, above 0; Infinity: the largest. Default: 2. */
  normType?: number;
  /** Refuse a norm that is infinite or NaN, before anything is changed. Default: false. */
  errorIfNonfinite?: boolean;
}

const clipNames = namesOf<ClipGradNormOptions>({
  normType: 'normType',
  errorIfNonfinite: 'errorIfNonfinite',
});

// Runs body on the gradients of parameters that have one.
function withGradsOf<R>(
  op: string,
  params: Tensor | Iterable<Tensor>,
  body: (grads: readonly Tensor[]) => R,
): R {
  const nameOf = (k: number): string => `params[${k}]`;
  const list = (isTensor(params) ? [params] : iterated(op, 'params', params)).map((x, k) =>
    tensorArgument(op, nameOf(k), x),
  );
  return withGrads(op, list, nameOf, (grads) => body(grads.filter((x) => x !== null)));
}

/**
 * Scales gradients so that the norm of all of them together is at most `maxNorm`; returns the norm that they had, a
 * 0-dim tensor.
 */
export function clipGradNorm(
  params: Tensor | Iterable<Tensor>,
  maxNorm: number,
  options?: ClipGradNormOptions,
): Tensor<RealFloatDType> {
  const op = 'clipGradNorm';
  atMost(op, 3, arguments);
  held(op, 'maxNorm', atLeast0, maxNorm);
  const { normType = 2, errorIfNonfinite = false } = readOptions(op, options, clipNames);
  held(op, 'normType', above0, normType);
  const isStrict = flagOf(op, 'errorIfNonfinite', errorIfNonfinite);
  const clip = (found: readonly Tensor[]): Tensor => {
    const grads = found.map((x) => x.detach());
    const norms = partsOf(grads).map((part) => totalNorm(part, normType));
    const norm = norms.length === 1 ? norms[0]! : totalNorm(norms, normType);
    if (isStrict && !Number.isFinite(norm.item() as number))
      refuse('ERR_ARGUMENT', op, 'params', 'a finite norm of gradients', String(norm.item()));
    for (const part of partsOf(grads)) clipGradsWithNorm(norm, part, maxNorm);
    return norm;
  };
  return withGradsOf(op, params, (found) => scope(() => clip(found))) as Tensor<RealFloatDType>;
}

/** Brings every element of the gradients into [-clipValue, clipValue]. */
export function clipGradValue(params: Tensor | Iterable<Tensor>, clipValue: number): void {
  const op = 'clipGradValue';
  atMost(op, 2, arguments);
  held(op, 'clipValue', atLeast0, clipValue);
  withGradsOf(op, params, (grads) => {
    for (const part of partsOf(grads)) clipValues(part, clipValue);
  });
}
