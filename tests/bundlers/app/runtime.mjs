// The app in a run-time system without pages. The argument is given to init; prints what was computed, and how long each
// thread of the process computed while the app did, in hundredths of a second.
import { readdirSync, readFileSync } from 'node:fs';
import { ones } from 'stria';
import { compute } from './compute.js';

function ticks() {
  const folder = '/proc/self/task';
  const ofThread = (id) => readFileSync(`${folder}/${id}/stat`, 'utf8').split(') ').pop().split(' ')[11];
  return new Map(readdirSync(folder).map((id) => [id, Number(ofThread(id))]));
}

function work(x, ms) {
  for (const end = Date.now() + ms; Date.now() < end;) x.exp().dispose();
}

// One turn of the event loop. The first part lets threads start, and compilers finish. Of several threads the second may
// find its core taken by other programs: then longer, up to ten times.
function measure(threads) {
  const x = ones([1000, 1000]);
  let used = [];
  work(x, 1500);
  const before = ticks();
  for (let round = 0; round === 0 || (round < 10 && threads > 1 && !(used[1] > used[0] / 10)); round++) {
    work(x, 1500);
    used = [...ticks()].map(([id, n]) => n - (before.get(id) ?? 0)).sort((a, b) => b - a);
  }
  x.dispose();
  return used.filter((n) => n > 0);
}

const { measured, ...options } = JSON.parse(process.argv[2] ?? '{}');
const result = await compute(options);
console.log(JSON.stringify({ ...result, busy: measured ? measure(options.threads) : null }));
