// What differs between pages (web.ts) and Node (node_platform.ts): where files are, and how a thread starts.
import type { Addon } from './backend_napi.js';

/** Which WebAssembly module. */
export type Variant = 'simd' | 'threads' | 'relaxed';

/** A started thread. */
export interface Thread {
  post(message: unknown): void;
  terminate(): void;
  /** The process may end although the thread is there. */
  release(): void;
}

export interface Platform {
  /** The native addon, where the host has such things; throws with the reason where it does not load. */
  loadNative?(): Promise<Addon>;
  /** Cores for this process. */
  cores(): number;
  /** Whether memory may be shared with threads: null outside pages, where no header decides it. */
  isolated(): boolean | null;
  /** The modules that there are; default: all. */
  readonly variants?: readonly Variant[];
  /** Whether a thread starts while its maker computes. In a page it waits until its maker is back in the event loop. */
  readonly startsThreadsAtOnce: boolean;
  /** What a name of a file given by the caller stands for. */
  resolve(name: string): URL;
  /** The module of the package itself. */
  moduleUrl(variant: Variant): URL;
  /** Fetches or reads, and compiles. */
  compile(url: URL): Promise<WebAssembly.Module>;
  /** Starts the program of a thread (wasm/worker.js, worker_node.js), that of the package or one in another folder. */
  startThread(
    folder: URL | undefined,
    onMessage: (data: unknown) => void,
    onError: (reason: string) => void,
  ): Thread;
}
