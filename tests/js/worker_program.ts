// Runs in a worker thread: tensors of its own, on the backend under test.
import { parentPort } from 'node:worker_threads';
import { memory, scope, tensor } from 'stria';
import { load } from './support.js';

const { backend, variant } = await load();
const total = scope(() => tensor([[1, 2], [3, 4]]).mul(2).sum().item()); // prettier-ignore
const left = tensor([1, 2, 3]); // ends with the thread
parentPort!.postMessage({ backend, variant, total, left: left.numel, live: memory().liveTensors });
