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
 * Of samples [nanoseconds, nanoseconds of the processor], whole ones: the times in which no other process had it, as
 * far as there are enough, `least` or all; else what the processor took.
 */
export function undisturbed(samples, least) {
  const calm = samples.filter(([wall, own]) => wall <= 1.1 * own + 2000);
  return calm.length >= Math.min(least, samples.length)
    ? calm.map(([wall]) => wall)
    : samples.map(([, own]) => own);
}

/** Nanoseconds of the processor that the process has had. */
function processorTime() {
  const { user, system } = process.cpuUsage();
  return 1e3 * (user + system);
}

/**
 * Samples in nanoseconds per call, by name.
 *
 * jobs   { name: async (count) => seconds that count calls took }
 * pause  async (name) => called before each sample, outside the clock
 * wake   seconds of calls before each sample that are not timed: until the threads of the library are awake; 0: it has one thread, and samples
 *        in which another process had the processor are left out
 * processor   () => nanoseconds of it that the process has had
 */
export async function measure(jobs, settings, pause = async () => {}, wake = 0, processor = processorTime) {
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
      const before = processor();
      const wall = (await jobs[name](counts[name])) * 1e9;
      samples[name].push([wall, processor() - before]);
    }
  }
  const least = settings.min_samples;
  return Object.fromEntries(
    names.map((name) => {
      const times = wake > 0 ? samples[name].map(([wall]) => wall) : undisturbed(samples[name], least);
      return [name, times.map((ns) => ns / counts[name])];
    }),
  );
}
