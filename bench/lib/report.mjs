// report.mjs - from what the runs print to rows of a report, and those as text. Pure.

import { judge, roofTime, summarize } from './statistics.mjs';

/** What a row of rows/native.mjs or rows/js.mjs demands in a section: { target, limitNs }, undefined where nothing. */
export function demands(spec, { kind, threads, variant }) {
  if (kind === 'native') return { target: spec.target, limitNs: spec.limitNs };
  if (kind === 'addon') return { target: spec.targetNative, limitNs: spec.limitNsNative };
  if (variant === 'relaxed') return { target: spec.relaxed ?? spec.target, limitNs: spec.limitNs };
  return { target: (threads > 1 && spec.target2) || spec.target, limitNs: spec.limitNs };
}

/** Plain loops are shown but are no library to beat. */
export const isJudged = (peer) => peer !== 'plain';

/** One record as printed by native/run.py or js/run.mjs -> a row of the report. */
export function rowOf(record, spec, section, roof) {
  const times = Object.fromEntries(
    Object.entries(record.samples).map(([peer, samples]) => [peer, summarize(samples)]),
  );
  const wanted = demands(spec, section);
  const verdict = judge({ ...record, times, ...wanted, counts: isJudged });
  const small = spec.group === 'calls' || spec.small;
  const roofNs = small ? null : roofTime({ ...record, flops: spec.flops }, roof, record.threads);
  return {
    name: record.row,
    group: spec.group ?? null,
    growth: spec.growth ?? null,
    threads: record.threads,
    output: section.kind === 'native' && (spec.out || spec.outIs) ? 'reused' : 'fresh',
    times,
    ...wanted,
    ...verdict,
    roofNs,
    missing: record.missing ?? null,
    wrong: record.wrong ?? {},
    failed: record.failed ?? {},
  };
}

/** A time in nanoseconds with its unit, three digits. */
export function time(ns) {
  if (ns === null || ns === undefined || !Number.isFinite(ns)) return '-';
  for (const [unit, scale] of [
    ['ns', 1],
    ['us', 1e3],
    ['ms', 1e6],
  ])
    if (ns < 999.5 * scale) return `${Number((ns / scale).toPrecision(3))} ${unit}`;
  return `${Number((ns / 1e9).toPrecision(3))} s`;
}

/** What a row must reach, in words. */
export function demand(row) {
  const parts = [];
  if (row.target !== undefined) parts.push(`<= ${Number(row.target.toFixed(2))}`);
  if (row.limitNs !== undefined) parts.push(`<= ${time(row.limitNs)}`);
  return parts.join(', ') || '-';
}

const HEADER = ['', 'stria', 'quartiles', 'best peer', '', 'ratio', 'target', 'roof', ''];
const WIDTHS = [36, 8, 17, 9, 8, 5, 16, 5, 0];
const LEFT = new Set([0, 3, 8]);

function line(cells) {
  const text = cells.map((cell, k) => (LEFT.has(k) ? cell.padEnd(WIDTHS[k]) : cell.padStart(WIDTHS[k])));
  return `  ${text.join('  ')}`.trimEnd();
}

/** The head of the table that textRow continues. */
export const textHead = () => line(HEADER);

/** One row for the terminal, and a line each for what went wrong. */
export function textRow(row) {
  const stria = row.times.stria;
  const best = row.bestPeer;
  const verdict = row.verdict === 'not yet an op' ? `not yet an op (${row.missing})` : row.verdict;
  const cells = [
    row.name,
    time(stria?.median),
    stria ? `${time(stria.p25)}-${time(stria.p75)}` : '',
    best ?? '-',
    best ? time(row.times[best].median) : '',
    row.ratio === null ? '-' : row.ratio.toFixed(2),
    demand(row),
    row.roofNs && stria ? `${Math.round((100 * row.roofNs) / stria.median)}%` : '',
    verdict === 'no target' ? '' : verdict,
  ];
  const notes = [
    ...Object.entries(row.wrong).map(([peer, what]) => `      ${peer} left out: its result ${what}`),
    ...Object.entries(row.failed).map(([peer, what]) => `      ${peer} left out: ${what}`),
  ];
  return [line(cells), ...notes].join('\n');
}

/** A Markdown table of rows beside some peers, one row per row and thread count. */
export function markdown(rows, peers) {
  const head = ['op', 'threads', 'stria', ...peers.map((peer) => peer.title)];
  const body = rows.map((row) => [
    row.name,
    String(row.threads),
    time(row.times.stria?.median),
    ...peers.map((peer) => time(row.times[peer.name]?.median)),
  ]);
  const all = [head, head.map((_, k) => (k ? '--:' : '---')), ...body];
  const widths = head.map((_, k) => Math.max(...all.map((cells) => cells[k].length)));
  return all.map((cells) => `| ${cells.map((c, k) => c.padEnd(widths[k])).join(' | ')} |`).join('\n');
}
