// statistics.mjs - from samples to verdicts. Pure.

/** The q-quantile (0 .. 1) of numbers, linear between neighbours; NaN of none. */
export function quantile(values, q) {
  if (values.length === 0) return NaN;
  const sorted = Float64Array.from(values).sort();
  const at = (sorted.length - 1) * q;
  const below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - below);
}

/** Median, quartiles and number of samples. */
export function summarize(samples) {
  return {
    median: quantile(samples, 0.5),
    p25: quantile(samples, 0.25),
    p75: quantile(samples, 0.75),
    samples: samples.length,
  };
}

/** The fastest peer by median among `times` without stria and without those that `counts` refuses; null if none. */
export function bestPeer(times, counts = () => true) {
  let best = null;
  for (const [peer, time] of Object.entries(times)) {
    if (peer === 'stria' || !counts(peer) || !Number.isFinite(time.median)) continue;
    if (best === null || time.median < times[best].median) best = peer;
  }
  return best;
}

/**
 * What became of a row: 'met', 'missed', 'no target', 'no peer' (a ratio is wanted, nobody to compare with), 'not yet an
 * op', 'wrong' (stria's result differs), 'failed' (its call failed). A row with a limit in nanoseconds and a ratio must
 * keep both; without a peer the limit decides.
 */
export function judge({ missing, wrong, failed, times, target, limitNs, counts }) {
  const peer = bestPeer(times, counts);
  const stria = times.stria;
  const ratio = stria && peer ? stria.median / times[peer].median : null;
  let verdict;
  if (wrong?.stria) verdict = 'wrong';
  else if (failed?.stria) verdict = 'failed';
  else if (missing || !stria) verdict = 'not yet an op';
  else if (target === undefined && limitNs === undefined) verdict = 'no target';
  else if (target !== undefined && ratio === null && limitNs === undefined) verdict = 'no peer';
  else {
    const slow = ratio !== null && target !== undefined && ratio > target;
    const late = limitNs !== undefined && stria.median > limitNs;
    verdict = slow || late ? 'missed' : 'met';
  }
  return { bestPeer: peer, ratio, verdict };
}

/**
 * Nanoseconds that the machine needs at least. traffic: { bytes, kind } or { flops }; roof: { levels, bandwidth, flops } as
 * measured; null where the roof was not measured.
 */
export function roofTime(traffic, roof, threads) {
  if (traffic.flops) {
    const rate = roof?.flops?.[threads];
    return rate ? (traffic.flops / rate) * 1e9 : null;
  }
  const level = roof?.levels?.find((l) => l.bytes >= traffic.bytes);
  const rate = level && roof.bandwidth?.[threads]?.[level.name]?.[traffic.kind];
  return rate ? (traffic.bytes / rate) * 1e9 : null;
}

/** Verdicts counted, worst first. */
export function count(rows) {
  const order = ['wrong', 'failed', 'missed', 'met', 'no peer', 'no target', 'not yet an op'];
  const counts = new Map(order.map((name) => [name, 0]));
  for (const row of rows) counts.set(row.verdict, (counts.get(row.verdict) ?? 0) + 1);
  return Object.fromEntries([...counts].filter(([, n]) => n > 0));
}
