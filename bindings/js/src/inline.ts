// The package with its module inside the JavaScript, for hosts that serve no .wasm file, and for programs of one file. One
// thread; 'stria/inline' in place of 'stria'.
import { initOn, type Info, type InitOptions } from './init.js';
import type { Platform } from './platform.js';
import { UnsupportedError } from './tables.gen.js';
import simd from './wasm/stria-simd.inline.js';

export * from './index.js';

function unsupported(what: string): never {
  throw new UnsupportedError('ERR_UNSUPPORTED', `init: stria/inline has no ${what}`, { op: 'init' });
}

const inline: Platform = {
  cores: () => 1,
  isolated: () => null,
  variants: ['simd'],
  startsThreadsAtOnce: false,
  resolve: () => unsupported('files'),
  moduleUrl: () => new URL('inline:simd'),
  compile: () => WebAssembly.compile(Uint8Array.from(atob(simd), (letter) => letter.charCodeAt(0))),
  startThread: () => unsupported('threads'),
};

/**
 * Loads the engine. Await it once; from then on everything is synchronous. Later calls return the same, and may change
 * memoryLimit, but not the backend.
 */
export function init(options: InitOptions = {}): Promise<Info> {
  return initOn(inline, options);
}
