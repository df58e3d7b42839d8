// equal and allclose: one truth value, which JavaScript has as a boolean, so that it can be asked for in an `if`.
import { isTensor } from './base.js';
import { allcloseNames, isOptions, outNames, readOptions, refuseMore, type OptionNames } from './options.js';
import { run } from './functions.js';
import { refuseReading } from './recording.js';
import { functionNumbers } from './tables.gen.js';
import type { Tensor } from './tensor.js';
import type { OutOptions } from './types.js';

/** Of allclose. */
export interface AllcloseOptions {
  /** How far apart elements may be for each unit of the second one. Default: 1e-5. */
  rtol?: number;
  /** How far apart they may be besides. Default: 1e-8. */
  atol?: number;
  /** Whether NaN is close to NaN. Default: false. */
  equalNan?: boolean;
}

// An object of options may stand behind the arguments, and hold `out`, as those of other functions.
function asked(
  number: number,
  name: string,
  given: unknown[],
  names: OptionNames<AllcloseOptions & OutOptions>,
): boolean {
  refuseReading(name, `take ${name === 'equal' ? 'eq' : 'isclose'}().all() and read it outside`);
  const last = given.at(-1);
  let isOwn = false;
  if (given.length > 2 && isOptions(last) && !isTensor(last)) {
    const read = readOptions<AllcloseOptions & OutOptions>(name, last, names);
    isOwn = read.out !== undefined;
    given[given.length - 1] = read;
  }
  const truth = run(number, given) as Tensor<'bool'>;
  try {
    return truth.item();
  } finally {
    if (!isOwn) truth.dispose();
  }
}

/** Whether shapes and all elements are equal. NaN is equal to nothing. */
export function equal(a: Tensor, b: Tensor): boolean;
export function equal(...given: unknown[]): boolean {
  if (given.length > 3) refuseMore('equal', 3, given);
  return asked(functionNumbers.equal, 'equal', given, outNames);
}

/** Whether |a - b| <= atol + rtol * |b|, or a == b, everywhere; with `equalNan` NaN is close to NaN. */
export function allclose(a: Tensor, b: Tensor, rtol?: number, atol?: number, equalNan?: boolean): boolean;
export function allclose(a: Tensor, b: Tensor, options: AllcloseOptions): boolean;
export function allclose(...given: unknown[]): boolean {
  if (given.length > 6) refuseMore('allclose', 6, given);
  return asked(functionNumbers.allclose, 'allclose', given, allcloseNames);
}
