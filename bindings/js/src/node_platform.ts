// Node, and what is like it: Deno and Bun.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Addon } from './backend_napi.js';
import { initOn, type Info, type InitOptions } from './init.js';
import type { Platform, Variant } from './platform.js';
import { UnsupportedError } from './tables.gen.js';

const urls: Record<Variant, () => URL> = {
  simd: () => new URL('./wasm/stria-simd.wasm', import.meta.url),
  threads: () => new URL('./wasm/stria-threads.wasm', import.meta.url),
  relaxed: () => new URL('./wasm/stria-relaxed.wasm', import.meta.url),
};

// An addon that was cut off while it was copied ends the process when it is loaded, so it is compared with its hash first.
async function checkAddon(file: URL): Promise<void> {
  const [bytes, hash] = await Promise.all([readFile(file), readFile(new URL(`${file.href}.sha256`), 'utf8')]);
  if (createHash('sha256').update(bytes).digest('hex') !== hash.trim())
    throw new Error('the file is damaged: its SHA-256 is not that of the package. Install the package again');
}

async function loadNative(): Promise<Addon> {
  const require = createRequire(import.meta.url);
  const platform = `${process.platform}-${process.arch}`;
  const file = new URL(`./native/stria-${platform}.node`, import.meta.url);
  const failures: string[] = [];
  for (const name of [`./native/stria-${platform}.node`, `@stria/${platform}`]) {
    try {
      if (name.startsWith('.') && existsSync(file)) await checkAddon(file);
      return require(name) as Addon;
    } catch (error) {
      failures.push(`${name}: ${(error as Error).message.split('\n')[0]}`);
    }
  }
  throw new UnsupportedError('ERR_UNSUPPORTED', `init: no native addon loads here (${failures.join('; ')})`, {
    op: 'init',
  });
}

const node: Platform = {
  loadNative,
  cores: () => availableParallelism(),
  isolated: () => null,
  startsThreadsAtOnce: true,
  // a URL, or else a path
  resolve: (name) => (/^[a-z][a-z+.-]+:/i.test(name) ? new URL(name) : pathToFileURL(name)),
  moduleUrl: (variant) => urls[variant](),
  async compile(url) {
    if (url.protocol === 'file:') return WebAssembly.compile(await readFile(url));
    const response = await fetch(url);
    if (!response.ok) throw new Error(`HTTP status ${response.status}`);
    return WebAssembly.compile(await response.arrayBuffer());
  },
  startThread(folder, onMessage, onError) {
    // no options of the process: of some, such as --input-type, a thread with a file can make nothing
    const options = { execArgv: [], name: 'stria' };
    const program =
      folder === undefined
        ? new URL('./wasm/worker_node.js', import.meta.url)
        : new URL('worker_node.js', folder);
    const worker = new Worker(program, options);
    worker.on('message', onMessage);
    worker.on('error', (error) => onError(error.message));
    worker.on('messageerror', () => onError('a message that cannot be read'));
    return {
      post: (message) => worker.postMessage(message),
      terminate: () => void worker.terminate(),
      release: () => worker.unref(),
    };
  },
};

/**
 * Loads the engine. Await it once; from then on everything is synchronous. Later calls return the same, and may change
 * threads and memoryLimit, but not the backend.
 */
export function init(options: InitOptions = {}): Promise<Info> {
  return initOn(node, options);
}
