// A WebAssembly module as a backend. Its memory may grow in any call that allocates, which leaves older views of it empty or
// short: no view outlives a call here, but for the one of the scratch block, which is renewed when it is found empty, and
// those that borrow() lends, which are made empty in the end.
import { check, type Backend } from './abi.js';
import { allocated, borrowCopy } from './buffers.js';
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
  // Memory that is borrowed now or was within the outermost borrow(), whose views are still alive.
  readonly #lent: number[] = [];
  #depth = 0;
  readonly #canRevoke: boolean;

  constructor({ wasmExports, wasmMemory }: EmscriptenModule) {
    this.#exports = wasmExports;
    this.#memory = wasmMemory;
    this.#address = wasmExports.stria_wasm_open!();
    this.fn = Object.fromEntries(
      abiNames.map((name) => [name, wasmExports[`stria_abi_${name}`]]),
    ) as unknown as Abi;
    this.#size = this.fn.layout(7);
    this.#renew();
    const old = this.#scratch;
    this.#exports.stria_wasm_revoke!();
    this.#canRevoke = old.length === 0;
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

  // The memory of a contiguous tensor of so many bytes, or minus a status.
  #elements(handle: number, nbytes: number): Uint8Array<ArrayBuffer> | number {
    const address = this.#exports.stria_wasm_elements!(handle, nbytes);
    return address < 0 ? address : new Uint8Array(this.#memory.buffer as ArrayBuffer, address, nbytes);
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

  borrow<R>(handle: number, nbytes: number, body: (bytes: Uint8Array<ArrayBuffer>) => R): R {
    const held = check(this.fn.borrow(handle), 'borrow');
    if (!this.#canRevoke) return borrowCopy(this, held, nbytes, body); // shared memory cannot be taken away
    this.#lent.push(held);
    this.#depth++;
    try {
      const elements = this.#elements(held, nbytes);
      return typeof elements === 'number' ? (check(elements, 'borrow') as never) : body(elements);
    } finally {
      if (--this.#depth === 0) this.#revoke();
    }
  }

  // Views of an inner borrow() stay until the outermost one ends, and so does the memory behind them.
  #revoke(): void {
    this.#exports.stria_wasm_revoke!();
    for (const held of this.#lent.splice(0)) this.fn.give_back(held);
  }

  keep(bytes: Uint8Array): Uint8Array {
    return bytes.buffer === this.#memory.buffer ? bytes.slice() : bytes;
  }

  npyGet(given: Uint8Array): number {
    const bytes = this.keep(given);
    const address = this.#exports.stria_wasm_bytes_new!(bytes.length);
    if (address === 0) return MEMORY;
    try {
      new Uint8Array(this.#memory.buffer, address, bytes.length).set(bytes);
      return this.#exports.stria_wasm_npy_get!(address, bytes.length)!;
    } finally {
      this.#exports.stria_wasm_bytes_release!(address);
    }
  }
  npyCopy(handle: number): Uint8Array | number {
    const result = this.#exports.stria_wasm_npy_copy!(handle);
    if (result < 0) return result;
    const [address, length] = this.numbers() as unknown as [number, number];
    try {
      return allocated('toNpy', length, () => new Uint8Array(this.#memory.buffer, address, length).slice());
    } finally {
      this.#exports.stria_wasm_npy_release!(address);
    }
  }
}
