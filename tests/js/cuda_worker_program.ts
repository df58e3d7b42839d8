// Runs in a worker thread: computes on the device of the process, and leaves it without having disposed of everything.
import { parentPort } from 'node:worker_threads';
import { arange, memory } from 'stria';
import { load } from './support.js';

await load();
const x = arange(1000, { device: 'cuda' });
const sum = x.mul(2).sum().item();
const data = await x.add(1).data();
parentPort!.postMessage({ sum, last: data[999], live: memory('cuda').liveBytes });
