// Memory that a caller hands in, and memory made for a caller. Each fact about an object is asked once (intrinsics.ts), and only
// the bytes and the count found then are used.
import { check, refuse, type Backend } from './abi.js';
import { print } from './arguments.js';
import {
  ask,
  bufferLength,
  dataView,
  isOutOfReach,
  isTypedArray,
  lengthOf,
  sharedLength,
  tagOf,
  typedArray,
} from './intrinsics.js';
import type { DType } from './tables.gen.js';

const arrayDTypes: ReadonlyMap<string | undefined, DType> = new Map([
  ['Uint8Array', 'uint8'],
  ['Uint8ClampedArray', 'uint8'],
  ['Int8Array', 'int8'],
  ['Uint16Array', 'uint16'],
  ['Int16Array', 'int16'],
  ['Uint32Array', 'uint32'],
  ['Int32Array', 'int32'],
  ['BigUint64Array', 'uint64'],
  ['BigInt64Array', 'int64'],
  ['Float16Array', 'float16'],
  ['Float32Array', 'float32'],
  ['Float64Array', 'float64'],
]);

/** Elements of a typed array. */
export interface Elements {
  dtype: DType;
  length: number;
  bytes: Uint8Array;
}

/** The elements of a typed array; undefined if the value is none, or one without numbers. */
export function elementsOf(op: string, argument: string, value: unknown): Elements | undefined {
  const dtype = arrayDTypes.get(tagOf(value));
  if (dtype === undefined) return undefined;
  const length = lengthOf(value);
  if (length === 0 && isOutOfReach(value))
    refuse('ERR_ARGUMENT', op, argument, 'an array with memory', 'one whose buffer is detached or too small');
  return { dtype, length, bytes: view(typedArray, value) };
}

function view(of: typeof typedArray, object: unknown): Uint8Array {
  return new Uint8Array(of.buffer(object), of.byteOffset(object), of.byteLength(object));
}

/** The bytes of a typed array, DataView, ArrayBuffer or SharedArrayBuffer. */
export function bytesOf(op: string, argument: string, value: unknown): Uint8Array {
  const isArray = isTypedArray(value);
  const isView = !isArray && ArrayBuffer.isView(value);
  try {
    if (isArray && !isOutOfReach(value)) return view(typedArray, value);
    if (isView) return view(dataView, value);
    const length = ask(bufferLength, value) ?? ask(sharedLength, value);
    if (length !== undefined) return new Uint8Array(value as ArrayBufferLike, 0, length);
  } catch {
    // detached, or too small by now
  }
  if (isArray || isView || ask(bufferLength, value) !== undefined)
    return refuse('ERR_ARGUMENT', op, argument, 'bytes in memory', 'a buffer that is detached or too small');
  return refuse('ERR_ARGUMENT', op, argument, 'a typed array, DataView or ArrayBuffer', print(value));
}

/** Whether other threads may change bytes at any time. */
export function isShared(bytes: Uint8Array): boolean {
  return ask(sharedLength, typedArray.buffer(bytes)) !== undefined;
}

/** make(), which allocates `count` elements for the result of `op`; MemoryError where the engine has no room for them. */
export function allocated<T>(op: string, count: number, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return refuse('ERR_MEMORY', op, 'elements', 'as many as fit into an array', `${count}`);
  }
}

/**
 * Runs body on a copy of the memory that fn.borrow() holds, writes the copy back unless it is only read, and gives
 * the memory back.
 */
export function borrowCopy<R>(
  backend: Backend,
  held: number,
  nbytes: number,
  isRead: boolean,
  body: (bytes: Uint8Array<ArrayBuffer>) => R,
): R {
  try {
    const copy = allocated('borrow', nbytes, () => new Uint8Array(nbytes));
    check(backend.read(held, copy), 'borrow');
    try {
      return body(copy);
    } finally {
      if (!isRead) backend.write(held, copy); // refused if body has given the buffer away
    }
  } finally {
    backend.fn.give_back(held, isRead ? 0 : 1);
  }
}
