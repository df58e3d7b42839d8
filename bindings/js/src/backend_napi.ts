// The native addon as a backend.
import type { Backend } from './abi.js';
import { StriaError } from './errors.js';
import { statuses, type Abi } from './tables.gen.js';

/** What the addon exports beside the ABI (native/napi.c). */
export interface Addon extends Abi {
  scratch: ArrayBuffer;
  read(handle: number, bytes: Uint8Array): number;
  write(handle: number, bytes: Uint8Array): number;
  borrow(handle: number): ArrayBuffer | number;
  giveBack(buffer: ArrayBuffer): number;
  npyGet(bytes: Uint8Array): number;
  npyCopy(handle: number): ArrayBuffer | number;
  watch(tensors: readonly object[], handles: Float64Array, n: number): number;
  sweep(): number;
}

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

  borrow<R>(handle: number, nbytes: number, body: (bytes: Uint8Array) => R): R {
    const buffer = this.#addon.borrow(handle);
    if (typeof buffer !== 'number') {
      try {
        return body(new Uint8Array(buffer));
      } finally {
        this.#addon.giveBack(buffer);
      }
    }
    // a host that allows no foreign memory: a copy there and back
    const unsupported = statuses.findIndex((row) => row.code === 'ERR_UNSUPPORTED');
    if (buffer !== -unsupported)
      throw new StriaError(statuses[-buffer]!.code, `borrow: ${statuses[-buffer]!.text}`);
    const copy = new Uint8Array(nbytes);
    this.#addon.read(handle, copy);
    try {
      return body(copy);
    } finally {
      this.#addon.write(handle, copy);
    }
  }

  npyGet(bytes: Uint8Array): number {
    return this.#addon.npyGet(bytes);
  }
  npyCopy(handle: number): Uint8Array | number {
    const result = this.#addon.npyCopy(handle);
    return typeof result === 'number' ? result : new Uint8Array(result);
  }

  watch(tensors: readonly object[], handles: Float64Array, n: number): number {
    return this.#addon.watch(tensors, handles, n);
  }
  sweep(): number {
    return this.#addon.sweep();
  }
}
