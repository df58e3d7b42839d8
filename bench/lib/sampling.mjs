// sampling.mjs - how samples are taken in JavaScript; native/run.py does the same for native code. Pure but for the jobs.

/**
 * How often each job is called per sample, in which rounds it takes part (every n-th: slow ones less often), and how many
 * rounds there are, so that all of it takes about settings.budget_s.
 *
 * secondsPerCall  by job name
 * settings        { sample_s: a sample lasts at least this, budget_s, samples: most rounds, min_samples: fewest }
 */
export function planSamples(secondsPerCall, settings) {
  const counts = {};
  const every = {};
  let cost = 0;
  for (const [name, seconds] of Object.entries(secondsPerCall)) {
    counts[name] = Math.max(1, Math.round(settings.sample_s / seconds));
    every[name] = Math.min(8, Math.max(1, Math.floor(seconds / (4 * settings.sample_s))));
    cost += (seconds * (counts[name] + 1)) / every[name];
  }
  const wanted = Math.min(settings.samples, Math.floor(settings.budget_s / cost));
  const rounds = Math.max(settings.min_samples, wanted);
  for (const name of Object.keys(every))
    every[name] = Math.min(every[name], Math.max(1, Math.floor(rounds / 3)));
  return { counts, every, rounds };
}

/** Names in the order of round k: all take turns, and the first changes. */
export function orderOf(names, k) {
  const shift = names.length ? k % names.length : 0;
  return [...names.slice(shift), ...names.slice(0, shift)];
}

/**
 * Samples in nanoseconds per call, by name.
 *
 * jobs   { name: async (count) => seconds that count calls took }
 * pause  async (name) => called before each sample, outside the clock
 * wake   seconds of calls before each sample that are not timed: until the threads of the library are awake
 */
export async function measure(jobs, settings, pause = async () => {}, wake = 0) {
  const seconds = {};
  for (const [name, time] of Object.entries(jobs)) {
    let count = 1;
    let spent = await time(count);
    if (spent < 0.02) spent = await time(count);
    while (spent < 0.2 * settings.sample_s) spent = await time((count *= 4));
    seconds[name] = Math.max(spent / count, 1e-10);
  }
  const { counts, every, rounds } = planSamples(seconds, settings);
  const names = Object.keys(jobs);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let k = 0; k < rounds; k++) {
    for (const name of orderOf(names, k)) {
      if (k % every[name]) continue;
      await pause(name);
      // at least one, which brings its memory back into the caches
      if (seconds[name] < 0.02) await jobs[name](1 + Math.floor(wake / seconds[name]));
      samples[name].push(((await jobs[name](counts[name])) / counts[name]) * 1e9);
    }
  }
  return samples;
}
