// What a caller gave, in words, for messages.
import { isArray } from './intrinsics.js';
import type { Tensor } from './tensor.js';

/** Whether a value is a tensor, in files that base.ts imports; false until init(). */
export let isTensor = (_value: unknown): _value is Tensor => false;

/** Says how a tensor is known. */
export function setTensorTest(test: typeof isTensor): void {
  isTensor = test;
}

/** Any value, short, for messages; whatever it does when it is looked at. */
export function print(value: unknown): string {
  try {
    return describe(value, 0);
  } catch {
    return `${typeof value === 'object' ? 'an' : 'a'} ${typeof value} that cannot be read`;
  }
}

function describe(value: unknown, depth: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  if (typeof value === 'bigint')
    return value === BigInt.asIntN(128, value) ? `${value}n` : 'a bigint beyond 128 bits';
  if (isTensor(value)) return 'a tensor';
  if (isArray(value)) {
    const { length } = value;
    if (length > 8 || depth > 2) return `an array of ${length}`;
    return `[${Array.from({ length }, (_, k) => describe(value[k], depth + 1)).join(',')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const name: unknown = value.constructor?.name;
    return `an object (${typeof name === 'string' && name !== '' ? name.slice(0, 40) : 'no class'})`;
  }
  if (typeof value === 'function') return 'a function';
  return Object.is(value, -0) ? '-0' : String(value);
}
