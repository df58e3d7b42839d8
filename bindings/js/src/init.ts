// Choosing and loading a backend.
import { answer, backend, check, fn, install, isReady, refuse } from './abi.js';
import { print, whole } from './arguments.js';
import { setMaker } from './base.js';
import { NapiBackend, type Addon } from './backend_napi.js';
import { WasmBackend, type EmscriptenModule } from './backend_wasm.js';
import { StriaError } from './errors.js';
import { setMemoryLimit } from './memory.js';
import { UnsupportedError, VERSION } from './tables.gen.js';
import { Tensor } from './tensor.js';

export type Variant = 'simd' | 'threads' | 'relaxed';

export interface InitOptions {
  /** 'auto': native in Node where the addon loads, else wasm. */
  backend?: 'auto' | 'native' | 'wasm';
  /** Which wasm module; default: the best that runs here. */
  variant?: Variant;
  /** Threads for one operation; default: the number of cores. */
  threads?: number;
  /** Bytes that tensors may take; 0: no limit. */
  memoryLimit?: number;
  /** Where the .wasm file is, if not beside the JavaScript. */
  wasmUrl?: string | URL;
  /** Or its bytes, or the module compiled from them. */
  wasmBinary?: ArrayBuffer | Uint8Array;
  wasmModule?: WebAssembly.Module;
  /** No message on the console when threads are off for want of cross-origin isolation. */
  quiet?: boolean;
}

export interface Info {
  version: string;
  backend: 'native' | 'wasm';
  /** The wasm module, or null. */
  variant: Variant | null;
  /** Instruction set: scalar, avx2, avx512, neon, wasm128. */
  isa: string;
  threads: number;
  /** Whether the page may share memory between threads; null outside browsers. */
  crossOriginIsolated: boolean | null;
  /** Why this backend and module. */
  reason: string;
}

/** Options of Emscripten's module that are used here. */
interface ModuleOptions {
  striaWorkers?: number;
  wasmBinary?: ArrayBuffer | Uint8Array;
  locateFile?: (path: string, prefix: string) => string;
  instantiateWasm?: (
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ) => object;
}
export type ModuleFactory = (options: ModuleOptions) => Promise<EmscriptenModule>;

// A function that uses i32x4.relaxed_trunc_f32x4_s, which only engines with relaxed SIMD accept.
const relaxedProbe = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0, 65, 1, 253, 15, 65, 2,
  253, 15, 253, 128, 2, 11,
]);
// A function that uses i8x16.popcnt.
const simdProbe = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98,
  11,
]);

const isNode = typeof process === 'object' && typeof process.versions?.node === 'string';

const isolationHelp =
  'stria: running on one thread, because this page is not cross-origin isolated. Serve it with the headers ' +
  '"Cross-Origin-Opener-Policy: same-origin" and "Cross-Origin-Embedder-Policy: require-corp" to use all cores.';

function isolation(): boolean | null {
  const value = (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated;
  return typeof value === 'boolean' && !isNode ? value : null;
}

// Names that no bundler is to follow.
async function nodeModule<T>(name: string): Promise<T> {
  return (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as T;
}

async function coreCount(): Promise<number> {
  const cores = isNode
    ? (await nodeModule<typeof import('node:os')>('node:os')).availableParallelism()
    : (globalThis as { navigator?: { hardwareConcurrency?: number } }).navigator?.hardwareConcurrency;
  return Math.min(Math.max(cores ?? 1, 1), 256);
}

async function loadNative(): Promise<NapiBackend> {
  if (!isNode)
    throw new UnsupportedError('ERR_UNSUPPORTED', 'init: the native backend runs in Node only', {
      op: 'init',
    });
  const { createRequire } = await nodeModule<typeof import('node:module')>('node:module');
  const require = createRequire(import.meta.url);
  const platform = `${process.platform}-${process.arch}`;
  const failures: string[] = [];
  for (const name of [`./native/stria-${platform}.node`, `@stria/${platform}`]) {
    try {
      return new NapiBackend(require(name) as Addon);
    } catch (error) {
      failures.push(`${name}: ${(error as Error).message.split('\n')[0]}`);
    }
  }
  throw new UnsupportedError('ERR_UNSUPPORTED', `init: no native addon loads here (${failures.join('; ')})`, {
    op: 'init',
  });
}

function chooseVariant(wanted: Variant | undefined): [Variant, string] {
  if (!WebAssembly.validate(simdProbe))
    throw new UnsupportedError('ERR_UNSUPPORTED', 'init: this engine has no WebAssembly SIMD', {
      op: 'init',
    });
  const hasThreads = typeof SharedArrayBuffer === 'function' && isolation() !== false;
  const hasRelaxed = WebAssembly.validate(relaxedProbe);
  if (wanted === 'simd') return ['simd', 'asked for'];
  if (wanted !== undefined && !hasThreads)
    throw new UnsupportedError(
      'ERR_UNSUPPORTED',
      `init: '${wanted}' needs shared memory, which is off here`,
      { op: 'init' },
    );
  if (wanted === 'relaxed' && !hasRelaxed)
    throw new UnsupportedError(
      'ERR_UNSUPPORTED',
      "init: 'relaxed' needs relaxed SIMD, which this engine lacks",
      {
        op: 'init',
      },
    );
  if (wanted !== undefined) return [wanted, 'asked for'];
  if (!hasThreads)
    return ['simd', isolation() === false ? 'not cross-origin isolated, so one thread' : 'no shared memory'];
  return hasRelaxed
    ? ['relaxed', 'threads and relaxed SIMD']
    : ['threads', 'threads; no relaxed SIMD in this engine'];
}

// Written out, so that bundlers find the files.
const factories: Record<Variant, () => Promise<{ default: ModuleFactory }>> = {
  simd: () => import('./wasm/stria-simd.mjs'),
  threads: () => import('./wasm/stria-threads.mjs'),
  relaxed: () => import('./wasm/stria-relaxed.mjs'),
};

async function loadWasm(variant: Variant, options: InitOptions): Promise<WasmBackend> {
  const { default: factory } = await factories[variant]();
  const settings: ModuleOptions = { striaWorkers: (options.threads ?? (await coreCount())) - 1 };
  const { wasmUrl, wasmBinary, wasmModule } = options;
  if (wasmBinary) settings.wasmBinary = wasmBinary;
  if (wasmUrl)
    settings.locateFile = (path, prefix) => (path.endsWith('.wasm') ? String(wasmUrl) : prefix + path);
  if (!wasmModule) return new WasmBackend(await factory(settings));
  return new Promise((resolve, reject) => {
    settings.instantiateWasm = (imports, done) => {
      WebAssembly.instantiate(wasmModule, imports).then((instance) => done(instance, wasmModule), reject);
      return {};
    };
    factory(settings).then((module) => resolve(new WasmBackend(module)), reject);
  });
}

let details: { variant: Variant | null; reason: string };
let loading: Promise<Info> | undefined;

async function load(options: InitOptions): Promise<Info> {
  setMaker(Tensor);
  const wanted = options.backend ?? 'auto';
  let reason = 'asked for';
  if (wanted !== 'wasm' && options.variant === undefined) {
    try {
      install(await loadNative());
      details = { variant: null, reason: wanted === 'auto' ? 'the native addon loads here' : reason };
      return finish(options);
    } catch (error) {
      if (wanted === 'native') throw error;
      reason = isNode ? (error as Error).message.replace(/^init: /, '') : '';
    }
  }
  const [variant, why] = chooseVariant(options.variant);
  install(await loadWasm(variant, options));
  details = { variant, reason: [why, wanted === 'auto' ? reason : ''].filter(Boolean).join('; ') };
  if (isolation() === false && !options.quiet) console.info(isolationHelp);
  return finish(options);
}

async function finish(options: InitOptions): Promise<Info> {
  check(fn.isa()); // an instruction set that was asked for by the environment and is missing is refused here
  const threads = options.threads ?? (details.variant === null ? undefined : await coreCount());
  if (threads !== undefined) setThreads(threads);
  if (options.memoryLimit !== undefined) setMemoryLimit(options.memoryLimit);
  return info();
}

function checkOptions(options: InitOptions): void {
  const { backend: wanted, variant, threads, memoryLimit } = options;
  if (![undefined, 'auto', 'native', 'wasm'].includes(wanted))
    refuse('ERR_ARGUMENT', 'init', 'backend', "'auto', 'native' or 'wasm'", print(wanted));
  if (![undefined, 'simd', 'threads', 'relaxed'].includes(variant))
    refuse('ERR_ARGUMENT', 'init', 'variant', "'simd', 'threads' or 'relaxed'", print(variant));
  if (wanted === 'native' && variant !== undefined)
    refuse('ERR_CONFIG', 'init', 'variant', 'left out for the native backend', print(variant));
  if (threads !== undefined && !(Number.isInteger(threads) && threads >= 1 && threads <= 256))
    refuse('ERR_ARGUMENT', 'init', 'threads', 'a whole number from 1 to 256', print(threads));
  if (memoryLimit !== undefined && !(Number.isSafeInteger(memoryLimit) && memoryLimit >= 0))
    refuse('ERR_ARGUMENT', 'init', 'memoryLimit', 'a whole number >= 0', print(memoryLimit));
}

/**
 * Loads the engine. Await it once; from then on everything is synchronous. Later calls return the same, and may change
 * threads and memoryLimit, but not the backend.
 */
export async function init(options: InitOptions = {}): Promise<Info> {
  checkOptions(options);
  if (loading === undefined) {
    loading = load(options);
    loading.catch(() => (loading = undefined)); // the next call may try again
    return loading;
  }
  await loading;
  const { backend: wanted, variant } = options;
  const isOther = (wanted ?? 'auto') !== 'auto' && wanted !== backend.kind;
  if (isOther || (variant !== undefined && variant !== details.variant))
    throw new StriaError(
      'ERR_CONFIG',
      `init: ${backend.kind} is loaded already, another backend needs another process`,
      {
        op: 'init',
      },
    );
  if (options.threads !== undefined) setThreads(options.threads);
  if (options.memoryLimit !== undefined) setMemoryLimit(options.memoryLimit);
  return info();
}

/** What runs, and why. */
export function info(): Info {
  if (!isReady()) refuse('ERR_CONFIG', 'info', 'init()', 'awaited before', 'nothing');
  const threads = fn.threads_get();
  check(fn.isa());
  return {
    version: VERSION,
    backend: backend.kind,
    variant: details.variant,
    isa: answer(),
    threads,
    crossOriginIsolated: isolation(),
    reason: details.reason,
  };
}

/** Threads for one operation, 1 .. 256; results do not depend on it. */
export function setThreads(n: number): void {
  check(fn.threads_set(whole('setThreads', 'n', n)));
}

/** Threads that one operation uses. */
export function getThreads(): number {
  return fn.threads_get();
}
