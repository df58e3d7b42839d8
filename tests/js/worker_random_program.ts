// Runs in a worker thread: takes random numbers of its default generator until it is told to stop.
import { parentPort } from 'node:worker_threads';
import { defaultGenerator, rand } from 'stria';
import { load } from './support.js';

await load();
const first = rand([3]).toArray();
parentPort!.postMessage({ first, state: defaultGenerator().getState() });
const timer = setInterval(() => rand([3]).dispose(), 0);
parentPort!.once('message', () => clearInterval(timer));
