// Runs in a worker thread: sets the number of threads, to one and to many, as fast as it can until it is told to stop.
import { parentPort, workerData } from 'node:worker_threads';
import { setThreads } from 'stria';
import { load } from './support.js';

await load();
const stops = workerData as Int32Array;
let count = 0;
parentPort!.postMessage('ready');
while (Atomics.load(stops, 0) === 0) setThreads(count++ % 2 === 0 ? 1 : 12);
parentPort!.postMessage(count);
