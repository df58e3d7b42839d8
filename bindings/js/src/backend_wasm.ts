// A WebAssembly module as a backend. Its memory may grow in any call that allocates, which leaves older views of it empty or
// short: no view outlives a call here, but for the one of the scratch block, which is renewed when it is found empty, and
// those that borrow() lends, which are made empty in the end.
import { check, type Backend } from './abi.js';
import { allocated, borrowCopy } from './buffers.js';
import { StriaError } from './errors.js';
import { abiNames, statuses, type Abi } from './tables.gen.js';

/** The part that is used of what Emscripten's module offers. */
export interface EmscriptenModule {
  wasmMemory: WebAssembly.Memory;
  wasmExports: Record<string, (...args: number[]) => number>;
}

type Exports = Record<string, (...args: number[]) => number>;

// What ends something: after a trap there is nothing left to end.
const releases = new Set([
  'stria_abi_dispose',
  'stria_abi_give_back',
  'stria_wasm_revoke',
  'stria_wasm_bytes_release',
  'stria_wasm_npy_release',
]);
const nothing = (): number => 0;

// An export that hands what it throws to `stop`. A list of arguments would be made in every call, hence the fixed number: the most that
// abi.def has; an export takes as many of them as it declares.
function guarded(run: (...args: number[]) => number, stop: (cause: unknown) => never) {
  return (a: number, b: number, c: number, d: number, e: number, f: number): number => {
    try {
      return run(a, b, c, d, e, f);
    } catch (cause) {
      return stop(cause);
    }
  };
}

// What Emscripten throws in a call that waits for a thread which has trapped. The error of the thread itself comes later, as an event.
const UNWIND = 'unwind';

const MEMORY = -statuses.findIndex((row) => row.code === 'ERR_MEMORY');

export class WasmBackend implements Backend {
  readonly kind = 'wasm';
  isStopped = false;
  readonly fn: Abi;
  readonly #exports: Exports;
  readonly #memory: WebAssembly.Memory;
  readonly #address: number;
  readonly #size: number;
  #scratch!: Uint8Array;
  #numbers!: Float64Array;
  // Memory that is borrowed now or was within the outermost borrow(), whose views are still alive.
  readonly #lent: (readonly [held: number, isWritten: number])[] = [];
  #depth = 0;
  readonly #canRevoke: boolean;

  constructor({ wasmExports, wasmMemory }: EmscriptenModule) {
    const stop = (cause: unknown): never => this.#stop(cause);
    this.#exports = Object.fromEntries(
      Object.entries(wasmExports)
        .filter(([name]) => name.startsWith('stria_'))
        .map(([name, run]) => [name, guarded(run, stop)]),
    ) as Exports;
    this.#memory = wasmMemory;
    this.#address = this.#exports.stria_wasm_open!();
    this.fn = Object.fromEntries(
      abiNames.map((name) => [name, this.#exports[`stria_abi_${name}`]]),
    ) as unknown as Abi;
    this.#size = this.fn.layout(7);
    this.#renew();
    const old = this.#scratch;
    this.#exports.stria_wasm_revoke!();
    this.#canRevoke = old.length === 0;
  }

  // No export throws by itself. One that does has trapped, or run out of stack, in the middle of what it was doing: the module's memory is
  // in no known state, and may hold locks, so nothing is called in it any more.
  #stop(cause: unknown): never {
    const reason =
      cause === UNWIND ? 'a trap in a thread' : cause instanceof Error ? cause.message : String(cause);
    const message =
      `init: the WebAssembly module has stopped (${reason}) and computes nothing more; ` +
      'a new page, worker or process loads it again';
    const refuse = (): never => {
      throw new StriaError('ERR_INTERNAL', message, { op: 'init', got: reason, cause });
    };
    this.isStopped = true;
    for (const name of Object.keys(this.#exports))
      this.#exports[name] = releases.has(name) ? nothing : refuse;
    const own = this.fn as unknown as Exports;
    for (const name of abiNames) own[name] = this.#exports[`stria_abi_${name}`]!;
    return refuse();
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

  compiled(): number {
    return this.#exports.stria_wasm_compiled!();
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

  borrow<R>(handle: number, nbytes: number, isRead: boolean, body: (bytes: Uint8Array<ArrayBuffer>) => R): R {
    const held = check(this.fn.borrow(handle), 'borrow');
    if (!this.#canRevoke) return borrowCopy(this, held, nbytes, isRead, body); // shared memory cannot be taken away
    this.#lent.push([held, isRead ? 0 : 1]);
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
    for (const [held, isWritten] of this.#lent.splice(0)) this.fn.give_back(held, isWritten);
  }

  keep(bytes: Uint8Array): Uint8Array {
    return bytes.buffer === this.#memory.buffer ? bytes.slice() : bytes;
  }

  // The result of `run` on a copy of bytes in the module's memory.
  #withBytes(given: Uint8Array, run: (address: number, length: number) => number): number {
    const bytes = this.keep(given);
    const address = this.#exports.stria_wasm_bytes_new!(bytes.length);
    if (address === 0) return MEMORY;
    try {
      new Uint8Array(this.#memory.buffer, address, bytes.length).set(bytes);
      return run(address, bytes.length);
    } finally {
      this.#exports.stria_wasm_bytes_release!(address);
    }
  }

  npyGet(bytes: Uint8Array): number {
    return this.#withBytes(bytes, (address, length) => this.#exports.stria_wasm_npy_get!(address, length));
  }
  safetensorsCheck(fileBytes: number, bytes: Uint8Array): number {
    const check = this.#exports.stria_wasm_safetensors_check!;
    return this.#withBytes(bytes, (address, length) => check(address, length, fileBytes));
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
