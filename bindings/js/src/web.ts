// Pages, their workers, and every other place without Node's modules. The URLs are written out as bundlers recognise them.
import { initOn, type Info, type InitOptions } from './init.js';
import type { Platform, Variant } from './platform.js';

const urls: Record<Variant, () => URL> = {
  simd: () => new URL('./wasm/stria-simd.wasm', import.meta.url),
  threads: () => new URL('./wasm/stria-threads.wasm', import.meta.url),
  relaxed: () => new URL('./wasm/stria-relaxed.wasm', import.meta.url),
};

// Not written out, since it is no file that a bundler could find.
const WORKER = 'worker.js';

const host = globalThis as {
  crossOriginIsolated?: boolean;
  document?: { baseURI: string };
  location?: { href: string };
  navigator?: { hardwareConcurrency?: number };
};

// How long a server may take to begin its answer.
const PATIENCE_MS = 30_000;

async function get(url: URL): Promise<Response> {
  const controller = new AbortController();
  const say = (): void => controller.abort(new Error(`no answer within ${PATIENCE_MS / 1000} s`));
  const timer = setTimeout(say, PATIENCE_MS);
  try {
    return await fetch(url, { credentials: 'same-origin', signal: controller.signal });
  } catch (cause) {
    if (url.protocol !== 'file:') throw cause;
    throw new Error("a page needs a server, and Node imports 'stria', or dist/node.js by its path", {
      cause,
    });
  } finally {
    clearTimeout(timer);
  }
}

async function compile(url: URL): Promise<WebAssembly.Module> {
  const response = await get(url);
  if (!response.ok) throw new Error(`HTTP status ${response.status}`);
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('application/wasm') && typeof WebAssembly.compileStreaming === 'function')
    return WebAssembly.compileStreaming(response);
  if (type.startsWith('text/html')) throw new Error('a page was served in its place');
  return WebAssembly.compile(await response.arrayBuffer());
}

/** @internal */
export const web: Platform = {
  cores: () => host.navigator?.hardwareConcurrency ?? 1,
  isolated: () => (typeof host.crossOriginIsolated === 'boolean' ? host.crossOriginIsolated : null),
  startsThreadsAtOnce: false,
  resolve: (name) => new URL(name, host.document?.baseURI ?? host.location?.href),
  moduleUrl: (variant) => urls[variant](),
  compile,
  startThread(folder, onMessage, onError) {
    const worker =
      folder === undefined
        ? new Worker(new URL('./wasm/worker.js', import.meta.url), { type: 'module' })
        : new Worker(new URL(WORKER, folder), { type: 'module' });
    worker.onmessage = ({ data }) => onMessage(data);
    worker.onerror = (event) => {
      event.preventDefault?.();
      onError(event.message || 'its file does not load');
    };
    worker.onmessageerror = () => onError('a message that cannot be read');
    return {
      post: (message) => worker.postMessage(message),
      terminate: () => worker.terminate(),
      release: () => undefined,
    };
  },
};

/**
 * Loads the engine. Await it once; from then on everything is synchronous. Later calls return the same, and may change
 * threads and memoryLimit, but not the backend.
 */
export function init(options: InitOptions = {}): Promise<Info> {
  return initOn(web, options);
}
