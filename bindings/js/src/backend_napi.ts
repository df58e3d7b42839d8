// The native addon as a backend.
import { check, type Backend } from './abi.js';
import { borrowCopy } from './buffers.js';
import { statuses, type Abi } from './tables.gen.js';

/** What the addon exports beside the ABI (native/napi.c). */
export interface Addon extends Abi {
  scratch: ArrayBuffer;
  read(handle: number, bytes: Uint8Array): number;
  write(handle: number, bytes: Uint8Array): number;
  readLater(handle: number): Promise<ArrayBuffer | number> | number;
  wait(type: number, index: number): Promise<number> | number;
  lend(handle: number, nbytes: number): ArrayBuffer | Uint8Array<ArrayBuffer> | number;
  share(buffer: ArrayBuffer, byteOffset: number, dtype: number, ndim: number): number;
  sharedBytes(): number;
  giveBack(handle: number, isWritten: number, buffer: ArrayBuffer): number;
  npyGet(bytes: Uint8Array): number;
  npyCopy(handle: number): ArrayBuffer | number;
  safetensorsCheck(fileBytes: number, bytes: Uint8Array): number;
  watch(tensors: readonly object[], handles: Float64Array, n: number): number;
  sweep(): number;
}

const UNSUPPORTED = -statuses.findIndex((row) => row.code === 'ERR_UNSUPPORTED');

export class NapiBackend implements Backend {
  readonly kind = 'native';
  readonly fn: Abi;
  readonly #addon: Addon;
  readonly #scratch: Uint8Array;
  readonly #numbers: Float64Array;

  constructor(addon: Addon) {
    this.fn = addon;
    this.#addon = addon;
    this.#scratch = new Uint8Array(addon.scratch);
    this.#numbers = new Float64Array(addon.scratch);
  }

  scratch(): Uint8Array {
    return this.#scratch;
  }
  numbers(): Float64Array {
    return this.#numbers;
  }
  read(handle: number, bytes: Uint8Array): number {
    return this.#addon.read(handle, bytes);
  }
  write(handle: number, bytes: Uint8Array): number {
    return this.#addon.write(handle, bytes);
  }
  readLater(handle: number): Promise<ArrayBuffer | number> | number {
    return this.#addon.readLater(handle);
  }
  wait(type: number, index: number): Promise<number> | number {
    return this.#addon.wait(type, index);
  }

  borrow<R>(handle: number, nbytes: number, isRead: boolean, body: (bytes: Uint8Array<ArrayBuffer>) => R): R {
    const isWritten = isRead ? 0 : 1;
    const held = check(this.fn.borrow(handle), 'borrow');
    const buffer = this.#addon.lend(held, nbytes);
    if (buffer === UNSUPPORTED) return borrowCopy(this, held, nbytes, isRead, body); // a host that allows no foreign memory
    if (typeof buffer === 'number') {
      this.fn.give_back(held, 0);
      return check(buffer, 'borrow') as never;
    }
    const isShared = buffer instanceof Uint8Array; // with JavaScript, whose buffer stays as it is
    try {
      return body(isShared ? buffer : new Uint8Array(buffer));
    } finally {
      if (isShared) this.fn.give_back(held, isWritten);
      else this.#addon.giveBack(held, isWritten, buffer);
    }
  }

  share(buffer: ArrayBuffer, byteOffset: number, dtype: number, ndim: number): number {
    return this.#addon.share(buffer, byteOffset, dtype, ndim);
  }
  sharedBytes(): number {
    return this.#addon.sharedBytes();
  }

  npyGet(bytes: Uint8Array): number {
    return this.#addon.npyGet(bytes);
  }
  npyCopy(handle: number): Uint8Array | number {
    const result = this.#addon.npyCopy(handle);
    return typeof result === 'number' ? result : new Uint8Array(result);
  }
  safetensorsCheck(fileBytes: number, bytes: Uint8Array): number {
    return this.#addon.safetensorsCheck(fileBytes, bytes);
  }

  watch(tensors: readonly object[], handles: Float64Array, n: number): number {
    return this.#addon.watch(tensors, handles, n);
  }
  sweep(): number {
    return this.#addon.sweep();
  }
}
