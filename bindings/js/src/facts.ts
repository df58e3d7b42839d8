// What is known of a tensor, asked once. These are functions, not private members, so that proxies of tensors, as frameworks make
// them, work too.
import { backend, check, fn } from './abi.js';
import { handleOf } from './arguments.js';
import { deviceName } from './devices.js';
import { remember } from './memory.js';
import type { Facts, TensorBase } from './base.js';
import { dtypes } from './tables.gen.js';

// What was found before; a proxy may answer anything in its place, or throw.
function found(x: TensorBase, handle: number): Facts | undefined {
  try {
    const facts = x._facts;
    return facts?.handle === handle ? facts : undefined;
  } catch {
    return undefined;
  }
}

/** The facts about a tensor; `op` and `argument` name it where it is none. */
export function known(x: TensorBase, op: string, argument = 'this'): Facts {
  const handle = handleOf(op, x, argument);
  const old = found(x, handle);
  if (old !== undefined) return old;
  const ndim = check(fn.describe(handle), op, argument === 'this' ? 'x' : [argument]);
  const n = backend.numbers();
  const facts: Facts = {
    handle,
    dtype: dtypes[n[0]!]!.name,
    device: deviceName(n[1]!, n[7]!),
    numel: n[2]!,
    isContiguous: n[3] !== 0,
    storageBytes: n[5]!,
    itemBytes: n[6]!,
    shape: Object.freeze(Array.from(n.subarray(8, 8 + ndim))),
    strides: Object.freeze(Array.from(n.subarray(72, 72 + ndim))),
  };
  remember(x, '_facts', facts);
  return facts;
}

/** Where the elements of a tensor lie: the first byte, and the one behind the last. */
export function addressesOf(x: TensorBase, op: string): [begin: number, end: number] {
  const { numel, itemBytes, shape, strides } = known(x, op);
  check(fn.describe(handleOf(op, x)), op);
  const first = backend.numbers()[4]!;
  if (numel === 0) return [first, first];
  const steps = strides.map((step, k) => step * (shape[k]! - 1));
  const sum = (list: number[]): number => list.reduce((a, b) => a + b, 0);
  const [least, most] = [steps.filter((step) => step < 0), steps.filter((step) => step > 0)].map(sum);
  return [first + least! * itemBytes, first + (most! + 1) * itemBytes];
}
