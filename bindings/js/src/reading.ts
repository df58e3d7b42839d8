// The elements of tensors as bytes.
import { backend, check, fail, fn } from './abi.js';
import { handleOf } from './arguments.js';
import type { TensorBase } from './base.js';
import { allocated } from './buffers.js';
import { isElsewhere } from './devices.js';
import { known } from './facts.js';
import { runNumbers } from './functions.js';
import { refuseReading } from './recording.js';
import { functionNumbers, statuses } from './tables.gen.js';

const NEW = 0; // a new tensor for the result
const NO_MEMORY = -statuses.findIndex((row) => row.code === 'ERR_MEMORY');

/** Copies the elements in row-major order into bytes, of which there must be as many, from wherever they are. */
export function readInto(bytes: Uint8Array, x: TensorBase, op: string, argument = 'this'): void {
  refuseReading(op);
  const { numel, isContiguous, device } = known(x, op, argument);
  if (numel === 0) return;
  const handle = handleOf(op, x, argument);
  const isFlat = isContiguous || isElsewhere(device);
  const flat = isFlat ? handle : check(runNumbers(functionNumbers.contiguous, [handle, NEW]), op);
  try {
    check(backend.read(flat, bytes), op);
  } finally {
    if (!isFlat) fn.dispose(flat);
  }
}

/** Bytes of the elements in row-major order, a copy. */
export function bytesIn(x: TensorBase, op: string): Uint8Array<ArrayBuffer> {
  const { numel, itemBytes } = known(x, op);
  const bytes = allocated(op, numel, () => new Uint8Array(numel * itemBytes));
  readInto(bytes, x, op);
  return bytes;
}

/** The same; what comes from a device is waited for beside JavaScript, and is what was there when this was called. */
export async function bytesLater(x: TensorBase, op: string): Promise<Uint8Array<ArrayBuffer>> {
  const { numel, device } = known(x, op);
  if (!isElsewhere(device) || numel === 0 || backend.readLater === undefined) return bytesIn(x, op);
  const begun = backend.readLater(handleOf(op, x));
  if (begun === NO_MEMORY) return bytesIn(x, op); // which needs no copy on the device
  const result = typeof begun === 'number' ? begun : await begun;
  return typeof result === 'number' ? fail(result, op) : new Uint8Array(result);
}
