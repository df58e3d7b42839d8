// From a .wasm file to a backend: which module, where it comes from, and its threads. What cannot be had is passed over for
// the next best, with the reason; nothing is waited for that may never come.
import { refuse } from './abi.js';
import { print } from './arguments.js';
import { WasmBackend, type EmscriptenModule } from './backend_wasm.js';
import { StriaError } from './errors.js';
import type { InitOptions } from './init.js';
import type { Platform, Thread, Variant } from './platform.js';
import { UnsupportedError } from './tables.gen.js';
import simdFactory from './wasm/stria-simd.mjs';
import threadsFactory from './wasm/stria-threads.mjs';

/** Options of Emscripten's module that are used here; see native/glue.js. */
interface ModuleOptions {
  /** In a thread: it is one. */
  striaThread?: boolean;
  /** Threads to start before the module is ready. */
  striaWorkers?: number;
  /** What is constructed for a thread. */
  striaWorker?: new () => object;
  instantiateWasm?: (
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ) => object;
}
export type ModuleFactory = (options: ModuleOptions) => Promise<EmscriptenModule>;

export interface Loaded {
  backend: WasmBackend;
  variant: Variant;
  /** Why this one. */
  reason: string;
  /** Whether something better was tried first and failed. */
  isFallback: boolean;
}

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

/** The longest that threads may take to start. */
const PATIENCE_MS = 30_000;

function unsupported(message: string, cause?: unknown): never {
  throw new UnsupportedError('ERR_UNSUPPORTED', `init: ${message}`, { op: 'init', cause });
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function hasThreads(platform: Platform): boolean {
  return typeof SharedArrayBuffer === 'function' && platform.isolated() !== false;
}

// ---------------------------------------------------------------- the module

// Which of the modules one is, by what it imports and exports; undefined for any other.
function variantOf(module: WebAssembly.Module): Variant | undefined {
  const exported = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
  if (!exported.has('stria_wasm_open')) return undefined;
  if (exported.has('stria_wasm_relaxed')) return 'relaxed';
  return WebAssembly.Module.imports(module).some(({ kind }) => kind === 'memory') ? 'threads' : 'simd';
}

// The modules to try, best first, and why the first one is.
function candidates(platform: Platform, wanted: Variant | undefined): [Variant[], string] {
  if (!WebAssembly.validate(simdProbe)) unsupported('this engine has no WebAssembly SIMD');
  const hasRelaxed = WebAssembly.validate(relaxedProbe);
  if (wanted !== undefined && wanted !== 'simd' && !hasThreads(platform))
    unsupported(`'${wanted}' needs shared memory, which is off here`);
  if (wanted === 'relaxed' && !hasRelaxed)
    unsupported("'relaxed' needs relaxed SIMD, which this engine lacks");
  const { variants } = platform;
  if (wanted !== undefined && variants?.includes(wanted) === false)
    unsupported(`there is no '${wanted}' here`);
  if (wanted !== undefined) return [[wanted], 'asked for'];
  if (variants !== undefined)
    return [[...variants], `there is ${variants.map((name) => `'${name}'`).join(', ')} alone`];
  if (!hasThreads(platform)) {
    const isOff = platform.isolated() === false;
    return [['simd'], isOff ? 'not cross-origin isolated, so one thread' : 'no shared memory'];
  }
  return hasRelaxed
    ? [['relaxed', 'threads', 'simd'], 'threads and relaxed SIMD']
    : [['threads', 'simd'], 'threads; no relaxed SIMD in this engine'];
}

async function compile(platform: Platform, url: URL): Promise<WebAssembly.Module> {
  try {
    return await platform.compile(url);
  } catch (error) {
    return unsupported(`${url.href} does not load: ${textOf(error)}`, error);
  }
}

// The module that the caller gave in one way or another; undefined if none.
async function givenModule(
  platform: Platform,
  { wasmUrl, wasmBinary, wasmModule }: InitOptions,
): Promise<WebAssembly.Module | undefined> {
  if (wasmModule !== undefined) {
    if (!(wasmModule instanceof WebAssembly.Module))
      refuse('ERR_ARGUMENT', 'init', 'wasmModule', 'a WebAssembly.Module', print(wasmModule));
    return wasmModule;
  }
  if (wasmBinary !== undefined) {
    if (!(wasmBinary instanceof ArrayBuffer || ArrayBuffer.isView(wasmBinary)))
      refuse('ERR_ARGUMENT', 'init', 'wasmBinary', 'an ArrayBuffer or a Uint8Array', print(wasmBinary));
    try {
      return await WebAssembly.compile(wasmBinary as BufferSource);
    } catch (error) {
      return unsupported(`wasmBinary does not compile: ${textOf(error)}`, error);
    }
  }
  if (wasmUrl === undefined || isFolder(wasmUrl)) return undefined;
  return compile(platform, urlOf(platform, wasmUrl));
}

const isFolder = (wasmUrl: string | URL): boolean => String(wasmUrl).endsWith('/');

function urlOf(platform: Platform, wasmUrl: string | URL): URL {
  try {
    return platform.resolve(String(wasmUrl));
  } catch (error) {
    if (error instanceof StriaError) throw error;
    return refuse('ERR_ARGUMENT', 'init', 'wasmUrl', 'a URL', print(wasmUrl));
  }
}

// ---------------------------------------------------------------- threads

// Emscripten's idea of a Worker, on the platform's threads.
function threadsOf(
  platform: Platform,
  folder: URL | undefined,
): { Worker: new () => object; failed: Promise<never>; end: () => void } {
  const all: Thread[] = [];
  let fail: (error: Error) => void;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  failed.catch(() => undefined); // once the module runs, a thread that does not start is one thread less
  class Worker {
    onmessage?: (event: { data: unknown }) => void;
    readonly #thread: Thread;

    constructor() {
      this.#thread = platform.startThread(
        folder,
        (data) => {
          this.#thread.release();
          this.onmessage?.({ data });
        },
        (reason) => fail(new Error(`a thread does not start: ${reason}`)),
      );
      if (platform.startsThreadsAtOnce) this.#thread.release();
      all.push(this.#thread);
    }
    postMessage(message: unknown): void {
      this.#thread.post(message);
    }
    terminate(): void {
      this.#thread.terminate();
    }
  }
  return { Worker, failed, end: () => all.forEach((thread) => thread.terminate()) };
}

// EAGAIN, as pthread_create says it in the module.
const NO_MORE_THREADS = 6;

// Lets the module start so many threads. One more than there are cores would cost its start and give nothing back: what a
// call has to do is claimed by whoever is there, whatever the number of threads is set to.
function limitThreads(imports: WebAssembly.Imports, limit: number): void {
  const env = imports.env as Record<string, ((...args: number[]) => number) | undefined>;
  const create = env.__pthread_create_js;
  if (create === undefined) return;
  let started = 0;
  env.__pthread_create_js = (...args) => {
    if (started === limit) return NO_MORE_THREADS;
    const status = create(...args);
    if (status === 0) started++;
    return status;
  };
}

// Runs a compiled module. Where a thread starts only when its maker has returned to the event loop, the threads
// are started and waited for here; else they come when they are first needed.
async function run(
  platform: Platform,
  module: WebAssembly.Module,
  variant: Variant,
  threads: number,
  folder: URL | undefined,
): Promise<WasmBackend> {
  const { Worker, failed, end } = threadsOf(platform, folder);
  const cores = platform.cores();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const say = (): void => reject(new Error(`threads did not start within ${PATIENCE_MS / 1000} s`));
    timer = setTimeout(say, PATIENCE_MS);
  });
  const made = new Promise<EmscriptenModule>((resolve, reject) => {
    const factory = variant === 'simd' ? simdFactory : threadsFactory;
    factory({
      striaWorker: Worker,
      striaWorkers: platform.startsThreadsAtOnce ? 0 : Math.min(threads, cores) - 1,
      instantiateWasm(imports, done) {
        limitThreads(imports, cores - 1);
        WebAssembly.instantiate(module, imports).then((instance) => done(instance, module), reject);
        return {};
      },
    }).then(resolve, reject);
  });
  try {
    return new WasmBackend(await Promise.race([made, failed, late]));
  } catch (error) {
    end();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

// ---------------------------------------------------------------- the choice

async function loadGiven(
  platform: Platform,
  module: WebAssembly.Module,
  wanted: Variant | undefined,
  threads: number,
): Promise<Loaded> {
  const variant = variantOf(module);
  if (variant === undefined)
    return refuse(
      'ERR_ARGUMENT',
      'init',
      'the module',
      'one of stria-*.wasm',
      'a module without its exports',
    );
  if (wanted !== undefined && wanted !== variant)
    refuse('ERR_CONFIG', 'init', 'variant', `'${variant}', which the module is`, print(wanted));
  if (variant !== 'simd' && !hasThreads(platform))
    unsupported(`the module given is '${variant}', which needs shared memory, and that is off here`);
  try {
    const backend = await run(platform, module, variant, threads, undefined);
    return { backend, variant, reason: 'the module given', isFallback: false };
  } catch (error) {
    return unsupported(`the module given does not run: ${textOf(error)}`, error);
  }
}

/** The backend that fits the options, or the next best; throws with every reason if there is none. */
export async function loadWasm(platform: Platform, options: InitOptions, threads: number): Promise<Loaded> {
  const module = await givenModule(platform, options);
  if (module !== undefined) return loadGiven(platform, module, options.variant, threads);
  const folder = options.wasmUrl === undefined ? undefined : urlOf(platform, options.wasmUrl);
  const [variants, why] = candidates(platform, options.variant);
  const failures: string[] = [];
  let cause: unknown;
  for (const variant of variants) {
    const url = folder ? new URL(`stria-${variant}.wasm`, folder) : platform.moduleUrl(variant);
    try {
      const backend = await run(platform, await compile(platform, url), variant, threads, folder);
      const isFallback = failures.length > 0;
      return { backend, variant, reason: isFallback ? failures.join('; ') : why, isFallback };
    } catch (error) {
      cause = error;
      failures.push(`no '${variant}': ${textOf(error).replace(/^init: /, '')}`);
    }
  }
  throw new UnsupportedError('ERR_UNSUPPORTED', `init: ${failures.join('; ')}`, { op: 'init', cause });
}
