// Times of two ways to do the same, one after the other in turn, in slices that leave the page its frames.
const LEAST = 6; // ms of a slice, beside which the clock's steps are small
const SAMPLES = 15;
const MOST = 2500; // ms for all
const MOST_RUNS = 4096;

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const nextFrame = () => new Promise((done) => setTimeout(done));

function time(run, count) {
  const begin = performance.now();
  for (let k = 0; k < count; k++) run();
  return performance.now() - begin;
}

// Runs that take a slice.
function countFor(run) {
  for (let count = 1; ; count *= 2) if (time(run, count) >= LEAST || count >= MOST_RUNS) return count;
}

/** Medians in milliseconds, by the names of `ways`; undefined if `isOver()` meanwhile. `tell` hears of medians so far. */
export async function measure(ways, isOver, tell) {
  const names = Object.keys(ways);
  const counts = {};
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  const medians = () => Object.fromEntries(names.map((name) => [name, median(samples[name])]));
  for (const name of names) {
    if (isOver()) return undefined;
    ways[name](); // what happens once happens now
    counts[name] = countFor(ways[name]);
    await nextFrame();
  }
  const begin = performance.now();
  for (let k = 0; k < SAMPLES && (k < 3 || performance.now() - begin < MOST); k++) {
    for (const name of names) {
      if (isOver()) return undefined;
      samples[name].push(time(ways[name], counts[name]) / counts[name]);
      await nextFrame();
    }
    tell(medians());
  }
  return medians();
}
