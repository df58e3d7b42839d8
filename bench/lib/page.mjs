// page.mjs - the report as one self-contained HTML page: verdicts, a table of ratios as marks, and the growth plots (uPlot).

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import { demand, time } from './report.mjs';
import { count } from './statistics.mjs';

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text) => String(text).replace(/[&<>"]/g, (c) => escapes[c]);

/** Position in percent of a ratio on the logarithmic scale from 1/32 to 32; ratios beyond it sit at its ends. */
export function place(ratio) {
  return (Math.min(5, Math.max(-5, Math.log2(ratio))) + 5) * 10;
}

function ratioMark(row) {
  if (row.ratio === null) return '<td class="scale"></td>';
  const target = row.target === undefined ? '' : `<i class="target" style="left:${place(row.target)}%"></i>`;
  const left = Math.min(place(row.ratio), 50);
  const width = Math.abs(place(row.ratio) - 50);
  return `<td class="scale"><b style="left:${left}%;width:${width}%"></b><i class="one"></i>${target}</td>`;
}

function tableRow(row, peers, several) {
  const stria = row.times.stria;
  const notes = [
    ...Object.entries(row.wrong).map(([peer, what]) => `${peer} left out: its result ${what}`),
    ...Object.entries(row.failed).map(([peer, what]) => `${peer} left out: ${what}`),
    ...(row.missing ? [`missing: ${row.missing}`] : []),
  ];
  const roof = row.roofNs && stria ? `${Math.round((100 * row.roofNs) / stria.median)}%` : '';
  const spread = stria ? `quartiles ${time(stria.p25)} to ${time(stria.p75)}, ${stria.samples} samples` : '';
  const cells = peers.map((peer) => {
    const best = peer === row.bestPeer ? ' class="best"' : '';
    const t = row.times[peer];
    const title = t ? ` title="quartiles ${time(t.p25)} to ${time(t.p75)}, ${t.samples} samples"` : '';
    return `<td${best}${title}>${time(t?.median)}</td>`;
  });
  return `<tr class="${row.verdict.replaceAll(' ', '-')}"><th scope="row"${notes.length ? ` title="${escape(notes.join('; '))}"` : ''}>${escape(row.name)}${
    notes.length ? ' <sup>*</sup>' : ''
  }</th>${several ? `<td>${row.threads}</td>` : ''}<td title="${spread}">${time(stria?.median)}</td>${ratioMark(row)}<td>${
    row.ratio === null ? '' : row.ratio.toFixed(2)
  }</td><td>${escape(demand(row))}</td><td>${roof}</td><td class="verdict">${
    row.verdict === 'no target' ? '' : escape(row.verdict)
  }</td>${cells.join('')}</tr>`;
}

function sectionHtml(section) {
  const rows = section.rows.filter((r) => !r.growth);
  if (rows.length === 0) return '';
  const peers = [...new Set(rows.flatMap((r) => Object.keys(r.times)))].filter((p) => p !== 'stria');
  const several = section.threads === undefined;
  const versions = Object.entries(section.versions ?? {}).map(([name, v]) => `${name} ${v}`);
  const absent = Object.entries(section.absent ?? {}).map(([name, why]) => `absent: ${name} (${why})`);
  const head = [
    '',
    ...(several ? ['threads'] : []),
    'stria',
    'against the best peer',
    'ratio',
    'target',
    'of the roof',
    '',
  ];
  return `<section><h2>${escape(section.title)}</h2>
<p class="small">${escape([...versions, ...absent].join('; '))}</p>
<div class="wide"><table><thead><tr>${[...head, ...peers].map((h) => `<th scope="col">${escape(h)}</th>`).join('')}</tr></thead>
<tbody>${rows.map((r) => tableRow(r, peers, several)).join('\n')}</tbody></table></div></section>`;
}

function specialsHtml(specials) {
  if (specials.length === 0) return '';
  const rows = specials.map(
    (s) =>
      `<tr class="${escape(s.verdict.replaceAll(' ', '-'))}"><th scope="row">${escape(s.name)}</th><td>${escape(s.value)}</td><td>${escape(s.limit)}</td><td class="verdict">${escape(s.verdict)}</td><td class="note">${escape(s.note ?? '')}</td></tr>`,
  );
  return `<section><h2>Other measurements</h2><div class="wide"><table><tbody>${rows.join('\n')}</tbody></table></div></section>`;
}

/** { op: { sizes: [n ..], series: { library: [ns per element | null ..] } } } of the rows with `growth`. */
export function growthOf(rows) {
  const ops = {};
  const grown = rows.filter((r) => r.growth).sort((a, b) => a.growth.n - b.growth.n);
  for (const { growth, times } of grown) {
    const op = (ops[growth.op] ??= { sizes: [], series: {} });
    const at = op.sizes.push(growth.n) - 1;
    for (const [library, t] of Object.entries(times)) (op.series[library] ??= [])[at] = t.median / growth.n;
  }
  for (const { sizes, series } of Object.values(ops))
    for (const [library, values] of Object.entries(series))
      series[library] = sizes.map((_, k) => values[k] ?? null);
  return ops;
}

function growthHtml(report) {
  const growth = growthOf(report.sections.flatMap((s) => s.rows));
  if (Object.keys(growth).length === 0) return '';
  const folder = path.dirname(createRequire(import.meta.url).resolve('uplot'));
  const script = readFileSync(path.join(folder, 'uPlot.iife.min.js'), 'utf8');
  const style = readFileSync(path.join(folder, 'uPlot.min.css'), 'utf8');
  return `<section><h2>How cost grows</h2>
<p class="small">Nanoseconds per element against the number of elements, f32, one thread, output reused. A flat line is cost in
proportion to size; the left end is the cost of a call, steps to the right are the caches.</p>
<div class="plots">${Object.keys(growth)
    .map((op) => `<figure><figcaption>${escape(op)}</figcaption><div id="plot-${escape(op)}"></div></figure>`)
    .join('')}</div></section>
<style>${style}</style><script>${script}</script>
<script>const growth = ${JSON.stringify(growth).replaceAll('<', '\\u003c')};
(${drawGrowth})(growth);</script>`;
}

/* Runs in the page. */
/* c8 ignore start */
function drawGrowth(growth) {
  const css = getComputedStyle(document.documentElement);
  const color = (name) => css.getPropertyValue(name).trim();
  const colors = { stria: '--stria', numpy: '--c1', torch: '--c2', eigen: '--c3' };
  // of a logarithmic axis, powers of ten only
  const decades = (_, splits) =>
    splits.map((v) => (v !== null && Math.abs(Math.log10(v) % 1) < 1e-9 ? v : null));
  const lines = { stroke: color('--line'), width: 1, filter: decades };
  const axis = { stroke: color('--ink'), grid: lines, ticks: lines, filter: decades };
  const power = (v) => (v === null ? null : `1e${Math.round(Math.log10(v))}`);
  for (const [op, { sizes, series }] of Object.entries(growth)) {
    const place = document.getElementById(`plot-${op}`);
    const names = Object.keys(series).sort((a, b) => (b === 'stria') - (a === 'stria'));
    const options = {
      width: place.clientWidth,
      height: 300,
      scales: { x: { time: false, distr: 3 }, y: { distr: 3 } },
      axes: [
        { ...axis, values: (_, vs) => vs.map(power) },
        { ...axis, size: 64, values: (_, vs) => vs.map((v) => (v === null ? null : `${v} ns`)) },
      ],
      series: [
        { label: 'elements' },
        ...names.map((name) => ({
          label: name,
          stroke: color(colors[name] ?? '--c1'),
          width: name === 'stria' ? 3 : 1.5,
          points: { show: true, size: 5 },
          value: (_, v) => (v === null || v === undefined ? '-' : `${v.toPrecision(3)} ns`),
        })),
      ],
    };
    const plot = new uPlot(options, [sizes, ...names.map((name) => series[name])], place);
    new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: 300 })).observe(place);
  }
}
/* c8 ignore stop */

const STYLE = `
:root { color-scheme: light dark; --paper: #fbfaf7; --ink: #1d1f21; --faint: #6b7075; --line: #dcd9d0; --good: #2a7a4b;
  --bad: #b3402a; --stria: #b3402a; --c1: #3b6ea8; --c2: #8a6d1d; --c3: #5a5f66; --bar: #9fb4c9; }
@media (prefers-color-scheme: dark) { :root { --paper: #16181a; --ink: #e8e6e1; --faint: #979ca1; --line: #33373b;
  --good: #6cc293; --bad: #ef8a72; --stria: #ef8a72; --c1: #7fb0e6; --c2: #d8b65a; --c3: #a9aeb5; --bar: #48607a; } }
body { margin: 0 auto; max-width: 1500px; padding: 2rem clamp(1rem, 4vw, 3rem); background: var(--paper); color: var(--ink);
  font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.9rem; margin: 0 0 .3rem; } h2 { font-size: 1.25rem; margin: 2.5rem 0 .3rem; }
.small, .note { color: var(--faint); font-size: .85rem; max-width: 75ch; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .22rem .7rem .22rem 0; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th { font-weight: 500; } thead th { color: var(--faint); font-size: .8rem; }
th[scope=row] { text-align: left; } td.note { text-align: left; white-space: normal; }
.scale { position: relative; min-width: 180px; padding: 0; }
.scale b { position: absolute; top: 30%; height: 40%; background: var(--bar); }
.scale i { position: absolute; top: 8%; height: 84%; width: 0; border-left: 1px solid var(--faint); }
.scale .one { left: 50%; } .scale .target { border-left: 2px dashed var(--ink); }
.verdict { text-align: left; } .met .verdict { color: var(--good); }
.missed .verdict, .wrong .verdict, .failed .verdict { color: var(--bad); font-weight: 600; }
.best { font-weight: 600; text-decoration: underline; text-underline-offset: 3px; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 1.5rem; }
figure { margin: 0; min-width: 0; } figcaption { font-weight: 600; }
`;

/** The page as text. */
export function page(report) {
  const all = report.sections.flatMap((s) => s.rows.filter((r) => !r.growth));
  const counts = Object.entries(count(all)).map(([verdict, n]) => `${n} ${verdict}`);
  const { cpu, cores, system } = report.machine;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>stria beside its peers</title><style>${STYLE}</style></head><body>
<h1>stria beside its peers</h1>
<p class="small">${escape(cpu)}, ${cores} cores, ${escape(system)}; ${escape(report.date)}${report.quick ? '; a quick run, so trust no digit' : ''}</p>
<p>${escape(counts.join(', '))}.</p>
<p class="small">Times are medians of samples that took turns; the pointer on a time shows its quartiles. The bar runs from the best
peer (the line in the middle) to stria, a factor of two for each tenth of its width, to the left where stria is faster; the dashed line
is the target. The best peer's time is underlined.</p>
${growthHtml(report)}
${report.sections.map(sectionHtml).join('\n')}
${specialsHtml(report.specials)}
</body></html>
`;
}
