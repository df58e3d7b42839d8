// Runs in a worker thread: says so, then reads much from a device again and again, until it is ended.
import { parentPort, workerData } from 'node:worker_threads';
import { full, synchronize } from 'stria';
import { load } from './support.js';

await load();
const { count, elements } = workerData as { count: number; elements: number };
const kept = Array.from({ length: count }, (_, k) => full([elements], k, { device: 'cuda' }));
parentPort!.postMessage('waiting');
for (;;) await Promise.all([...kept.map((x) => x.add(1).data()), kept[0]!.data(), synchronize('cuda')]);
