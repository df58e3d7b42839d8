// Choosing and loading a backend.
import { answer, backend, check, fn, install, isReady, refuse } from './abi.js';
import { print, whole } from './arguments.js';
import { setMaker } from './base.js';
import { NapiBackend } from './backend_napi.js';
import { StriaError } from './errors.js';
import { loadWasm } from './load_wasm.js';
import { cudaInfo, type CudaInfo } from './devices.js';
import { setMemoryLimit } from './memory_info.js';
import { initNames, readOptions } from './options.js';
import type { Platform, Variant } from './platform.js';
import { UnsupportedError, VERSION } from './tables.gen.js';
import { Tensor } from './tensor.js';

export interface InitOptions {
  /** 'auto': native in Node where the addon loads, else wasm. */
  backend?: 'auto' | 'native' | 'wasm';
  /** Which wasm module; default: the best that runs here. */
  variant?: Variant;
  /** Threads for one operation; default: the number of cores. In WebAssembly no more are started than there are cores. */
  threads?: number;
  /** Bytes that tensors may take; 0: no limit. */
  memoryLimit?: number;
  /** Where the files are, if not beside the JavaScript: one .wasm file, or with a slash at the end a folder with a copy of
   * the package's dist/wasm. */
  wasmUrl?: string | URL;
  /** Or its bytes, or the module compiled from them: either means backend 'wasm'. */
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
  /** Whether fromBuffer shares memory with JavaScript; if not, it copies. */
  sharesBuffers: boolean;
  /** Functions compiled at run time for expressions, on WebAssembly; -1 where the page's policy or the engine refuses, and expressions
   * are interpreted. null: the native backend compiles none. */
  compiled: number | null;
  /** GPUs, or why there is none. They are looked for when this is first read. */
  readonly cuda: CudaInfo;
  /** Why this backend and module. */
  reason: string;
}

const isolationHelp =
  'stria: running on one thread, because this page is not cross-origin isolated. Serve it with the headers ' +
  '"Cross-Origin-Opener-Policy: same-origin" and "Cross-Origin-Embedder-Policy: require-corp" to use all cores.';

let details: { variant: Variant | null; reason: string; isolated: boolean | null };
let loading: Promise<Info> | undefined;

const coreCount = (platform: Platform): number => Math.min(Math.max(platform.cores(), 1), 256);

// A module, or the name of one, is a wish for WebAssembly.
function wantedBackend({ backend: wanted = 'auto', variant, wasmBinary, wasmModule }: InitOptions) {
  return wanted === 'auto' && (variant ?? wasmBinary ?? wasmModule) !== undefined ? 'wasm' : wanted;
}

async function load(platform: Platform, options: InitOptions): Promise<Info> {
  setMaker(Tensor);
  const isolated = platform.isolated();
  const wanted = wantedBackend(options);
  let against = '';
  let isNative = false;
  const { loadNative } = platform;
  if (wanted === 'native' && loadNative === undefined)
    throw new UnsupportedError('ERR_UNSUPPORTED', 'init: the native backend runs in Node only', {
      op: 'init',
    });
  if (loadNative && wanted !== 'wasm') {
    try {
      install(new NapiBackend(await loadNative()));
      const reason = wanted === 'auto' ? 'the native addon loads here' : 'asked for';
      details = { variant: null, reason, isolated };
      isNative = true;
    } catch (error) {
      if (wanted === 'native') throw error;
      against = error instanceof Error ? error.message.replace(/^init: /, '') : String(error);
    }
    if (isNative) return finish(options, options.threads); // what this throws is no reason for another backend
  }
  const threads = options.threads ?? coreCount(platform);
  const { backend, variant, reason, isFallback } = await loadWasm(platform, options, threads);
  install(backend);
  details = { variant, reason: [reason, against].filter(Boolean).join('; '), isolated };
  if (!options.quiet) {
    if (isFallback && variant === 'simd') console.info(`stria: running on one thread: ${reason}`);
    else if (isolated === false) console.info(isolationHelp);
  }
  return finish(options, threads);
}

function finish(options: InitOptions, threads: number | undefined): Info {
  check(fn.isa(), 'init'); // an instruction set that was asked for by the environment and is missing is refused here
  if (threads !== undefined) setThreads(threads);
  if (options.memoryLimit !== undefined) setMemoryLimit(options.memoryLimit);
  return info();
}

function checkOptions(options: InitOptions): void {
  const { backend: wanted, variant, threads, memoryLimit, wasmBinary, wasmModule } = options;
  if (![undefined, 'auto', 'native', 'wasm'].includes(wanted))
    refuse('ERR_ARGUMENT', 'init', 'backend', "'auto', 'native' or 'wasm'", print(wanted));
  if (![undefined, 'simd', 'threads', 'relaxed'].includes(variant))
    refuse('ERR_ARGUMENT', 'init', 'variant', "'simd', 'threads' or 'relaxed'", print(variant));
  if (wanted === 'native' && variant !== undefined)
    refuse('ERR_CONFIG', 'init', 'variant', 'left out for the native backend', print(variant));
  if (wanted === 'native' && (wasmBinary ?? wasmModule) !== undefined)
    refuse(
      'ERR_CONFIG',
      'init',
      wasmBinary === undefined ? 'wasmModule' : 'wasmBinary',
      'left out for the native backend',
      print(wasmBinary ?? wasmModule),
    );
  if (threads !== undefined && !(Number.isInteger(threads) && threads >= 1 && threads <= 256))
    refuse('ERR_ARGUMENT', 'init', 'threads', 'a whole number from 1 to 256', print(threads));
  if (memoryLimit !== undefined && !(Number.isSafeInteger(memoryLimit) && memoryLimit >= 0))
    refuse('ERR_ARGUMENT', 'init', 'memoryLimit', 'a whole number >= 0', print(memoryLimit));
}

/** init, on a platform. @internal */
export async function initOn(platform: Platform, given: InitOptions): Promise<Info> {
  const options: InitOptions = readOptions<InitOptions>('init', given, initNames);
  checkOptions(options);
  for (;;) {
    if (loading === undefined) {
      loading = load(platform, options);
      loading.catch(() => (loading = undefined)); // the next call may try again
      return loading;
    }
    try {
      await loading;
      break;
    } catch {
      // another call's options did not load: these are tried next
    }
  }
  const { variant } = options;
  const wanted = wantedBackend(options);
  const isOther = wanted !== 'auto' && wanted !== backend.kind;
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
  check(fn.isa(), 'info');
  return {
    version: VERSION,
    backend: backend.kind,
    variant: details.variant,
    isa: answer(),
    threads,
    crossOriginIsolated: details.isolated,
    sharesBuffers: backend.share !== undefined,
    compiled: backend.compiled?.() ?? null,
    get cuda() {
      return cudaInfo();
    },
    reason: details.reason,
  };
}

/** Threads for one operation, 1 .. 256; results do not depend on it. */
export function setThreads(n: number): void {
  check(fn.threads_set(whole('setThreads', 'n', n)), 'setThreads');
}

/** Threads that one operation uses. */
export function getThreads(): number {
  return fn.threads_get();
}
