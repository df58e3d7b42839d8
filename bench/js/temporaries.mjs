// temporaries.mjs - temporaries that nobody disposes of, in a loop: speed and memory. Prints one JSON object a line.
//
//     node temporaries.mjs '{"backend": "wasm", "variant": "simd", "iterations": 1000000}'
//
// Three ways: 'disposed' ends each temporary itself; 'turns' lets the event loop turn every thousand iterations, as a page
// that draws does; 'synchronous' never does.

import { writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

const plan = JSON.parse(process.argv[2]);
const say = (record) => writeSync(1, JSON.stringify(record) + '\n');
const { init, memory, ones } = await import('../../bindings/js/dist/node.js');
await init({
  backend: plan.backend,
  ...(plan.variant && { variant: plan.variant }),
  threads: 1,
  quiet: true,
});

const a = ones([1000]);
const b = ones([1000]);
const ways = {
  async disposed(n) {
    for (let k = 0; k < n; k++) a.add(b).dispose();
  },
  async turns(n) {
    for (let k = 0; k < n; k++) {
      a.add(b);
      if (k % 1000 === 999) await setImmediate();
    }
  },
  async synchronous(n) {
    for (let k = 0; k < n; k++) a.add(b);
  },
};

for (const [way, loop] of Object.entries(ways)) {
  await loop(2000);
  await setImmediate();
  const start = performance.now();
  let failure = null;
  try {
    await loop(plan.iterations);
  } catch (error) {
    failure = error.message;
  }
  const ns = ((performance.now() - start) * 1e6) / plan.iterations;
  say({ way, ns, failure, peakBytes: memory().peakBytes, residentBytes: process.memoryUsage().rss });
  await setImmediate();
}
say({ done: true });
process.exit(0);
