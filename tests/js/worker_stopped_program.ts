// Runs in a worker thread: is stopped for ever in the middle of a walk, by a hook or by the second run of a checkpoint, with nothing else alive.
import { parentPort, workerData } from 'node:worker_threads';
import { checkpoint, scope, tensor, type Tensor } from 'stria';
import { load } from './support.js';

await load();

function stop(): never {
  parentPort!.postMessage('stopped');
  for (;;);
}

scope(() => {
  const x = tensor([1, 2, 3], { requiresGrad: true });
  let runs = 0;
  if (workerData === 'hook') {
    const y = x.mul(x);
    y.registerHook(stop);
    y.sum().backward();
  } else {
    checkpoint((a: Tensor) => (runs++ ? stop() : a.mul(a)), x)
      .sum()
      .backward();
  }
});
