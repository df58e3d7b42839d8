// The elements of tensors as bytes.
import { backend, check, fn } from './abi.js';
import { handleOf } from './arguments.js';
import type { TensorBase } from './base.js';
import { allocated } from './buffers.js';
import { known } from './facts.js';
import { runNumbers } from './functions.js';
import { refuseReading } from './recording.js';
import { functionNumbers } from './tables.gen.js';

const NEW = 0; // a new tensor for the result

/** Copies the elements in row-major order into bytes, of which there must be as many. */
export function readInto(bytes: Uint8Array, x: TensorBase, op: string, argument = 'this'): void {
  refuseReading(op);
  const { numel, isContiguous } = known(x, op, argument);
  if (numel === 0) return;
  const handle = handleOf(op, x, argument);
  const flat = isContiguous ? handle : check(runNumbers(functionNumbers.contiguous, [handle, NEW]), op);
  try {
    check(backend.read(flat, bytes), op);
  } finally {
    if (!isContiguous) fn.dispose(flat);
  }
}

/** Bytes of the elements in row-major order, a copy. */
export function bytesIn(x: TensorBase, op: string): Uint8Array<ArrayBuffer> {
  const { numel, itemBytes } = known(x, op);
  const bytes = allocated(op, numel, () => new Uint8Array(numel * itemBytes));
  readInto(bytes, x, op);
  return bytes;
}
