// A WebAssembly module as a backend. Its memory may grow in any call that allocates, which leaves older views of it empty or
// short: no view outlives a call here, but for the one of the scratch block, which is renewed when it is found empty.
import type { Backend } from './abi.js';
import { abiNames, statuses, type Abi } from './tables.gen.js';

/** The part that is used of what Emscripten's module offers. */
export interface EmscriptenModule {
  wasmMemory: WebAssembly.Memory;
  wasmExports: Record<string, (...args: number[]) => number>;
}

const MEMORY = -statuses.findIndex((row) => row.code === 'ERR_MEMORY');

export class WasmBackend implements Backend {
  readonly kind = 'wasm';
  readonly fn: Abi;
  readonly #exports: Record<string, (...args: number[]) => number>;
  readonly #memory: WebAssembly.Memory;
  readonly #address: number;
  readonly #size: number;
  #scratch!: Uint8Array;
  #numbers!: Float64Array;

  constructor({ wasmExports, wasmMemory }: EmscriptenModule) {
    this.#exports = wasmExports;
    this.#memory = wasmMemory;
    this.#address = wasmExports.stria_wasm_open!();
    this.fn = Object.fromEntries(
      abiNames.map((name) => [name, wasmExports[`stria_abi_${name}`]]),
    ) as unknown as Abi;
    this.#size = this.fn.layout(7);
    this.#renew();
  }

  #renew(): void {
    this.#scratch = new Uint8Array(this.#memory.buffer, this.#address, this.#size);
    this.#numbers = new Float64Array(this.#memory.buffer, this.#address, this.#size / 8);
  }

  scratch(): Uint8Array {
    if (this.#scratch.length === 0) this.#renew();
    return this.#scratch;
  }
  numbers(): Float64Array {
    if (this.#numbers.length === 0) this.#renew();
    return this.#numbers;
  }

  // The memory of a contiguous tensor, or minus a status.
  #elements(handle: number, nbytes: number): Uint8Array | number {
    const result = this.fn.describe(handle);
    return result < 0 ? result : new Uint8Array(this.#memory.buffer, this.numbers()[4]!, nbytes);
  }

  read(handle: number, bytes: Uint8Array): number {
    const elements = this.#elements(handle, bytes.length);
    if (typeof elements === 'number') return elements;
    bytes.set(elements);
    return 0;
  }
  write(handle: number, bytes: Uint8Array): number {
    const elements = this.#elements(handle, bytes.length);
    if (typeof elements === 'number') return elements;
    elements.set(bytes);
    return 0;
  }
  borrow<R>(handle: number, nbytes: number, body: (bytes: Uint8Array) => R): R {
    return body(this.#elements(handle, nbytes) as Uint8Array);
  }

  npyGet(bytes: Uint8Array): number {
    const address = this.#exports.stria_wasm_bytes_new!(bytes.length);
    if (address === 0) return MEMORY;
    new Uint8Array(this.#memory.buffer, address, bytes.length).set(bytes);
    const result = this.#exports.stria_wasm_npy_get!(address, bytes.length);
    this.#exports.stria_wasm_bytes_release!(address);
    return result;
  }
  npyCopy(handle: number): Uint8Array | number {
    const result = this.#exports.stria_wasm_npy_copy!(handle);
    if (result < 0) return result;
    const [address, length] = this.numbers() as unknown as [number, number];
    const bytes = new Uint8Array(this.#memory.buffer, address, length).slice();
    this.#exports.stria_wasm_npy_release!(address);
    return bytes;
  }
}
