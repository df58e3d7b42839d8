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
