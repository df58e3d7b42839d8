// Questions about an object of a caller that the object has no say in. What it answers itself may be wrong, may change from one
// question to the next, and may do anything on the way: these ask the getters that the engine brought.

export type Getter<T> = (object: unknown) => T;

// The getter of a prototype as a function of the object; undefined where the engine lacks it.
function getter<T>(prototype: object | undefined, key: PropertyKey): Getter<T> | undefined {
  const get = prototype && Object.getOwnPropertyDescriptor(prototype, key)?.get;
  return get && ((object) => Reflect.apply(get, object, []) as T);
}

const TypedArrayPrototype = Object.getPrototypeOf(Uint8Array.prototype) as object;
export const tagOf = getter<string | undefined>(TypedArrayPrototype, Symbol.toStringTag)!;
export const lengthOf = getter<number>(TypedArrayPrototype, 'length')!;
export const typedArray = {
  buffer: getter<ArrayBufferLike>(TypedArrayPrototype, 'buffer')!,
  byteOffset: getter<number>(TypedArrayPrototype, 'byteOffset')!,
  byteLength: getter<number>(TypedArrayPrototype, 'byteLength')!,
};
export const dataView = {
  buffer: getter<ArrayBufferLike>(DataView.prototype, 'buffer')!,
  byteOffset: getter<number>(DataView.prototype, 'byteOffset')!,
  byteLength: getter<number>(DataView.prototype, 'byteLength')!,
};
export const bufferLength = getter<number>(ArrayBuffer.prototype, 'byteLength')!;
export const sharedLength = getter<number>(globalThis.SharedArrayBuffer?.prototype, 'byteLength');
export const resizable = getter<boolean>(ArrayBuffer.prototype, 'resizable');
export const keysOf = (TypedArrayPrototype as Uint8Array).keys;

/** What a getter says of an object, or undefined if the object is not of its class. */
export function ask<T>(get: Getter<T> | undefined, object: unknown): T | undefined {
  try {
    return get?.(object);
  } catch {
    return undefined;
  }
}

/** Whether the buffer of a typed array is detached, or has become too small for it. */
export function isOutOfReach(view: unknown): boolean {
  try {
    Reflect.apply(keysOf, view, []);
    return false;
  } catch {
    return true;
  }
}

/** Whether a value is a typed array (a proxy of one is not). */
export function isTypedArray(value: unknown): boolean {
  return tagOf(value) !== undefined;
}

/** Number of elements of a typed array; 0 where its buffer is detached or has become too small. */
export function typedLength(value: unknown): number {
  return lengthOf(value);
}

/** Whether a value is an array, or a proxy of one. */
export function isArray(value: unknown): value is unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false; // a proxy that was revoked
  }
}

/** Marks a promise that a refused callback returned as handled: its caller gets the refusal instead. Other values are passed over. */
export function markHandled(value: unknown): void {
  try {
    Reflect.apply(Promise.prototype.then, value, [undefined, () => undefined]);
  } catch {
    // no promise
  }
}

/** Whether an object is { .. }, of this page or of another one. Others without names of their own (a Date, a Map, a promise) are no options and no
 * lists by name: they would count as empty. */
export function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
