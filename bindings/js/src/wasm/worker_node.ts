// A thread of the module in Node, whose threads lack the globals of a page's workers: everything else comes by messages.
import { parentPort } from 'node:worker_threads';
import factory from './stria-threads.mjs';

const host = globalThis as unknown as { self?: object; onmessage?: (event: { data: unknown }) => void };
host.self ??= host;
Object.assign(host, { postMessage: (data: unknown) => parentPort!.postMessage(data) });
parentPort!.on('message', (data) => host.onmessage?.({ data }));
void factory({ striaThread: true });
