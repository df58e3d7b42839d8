// The table of hashes: what this page computes beside what the native build computed when the page was set up.
import { families, hashFamily } from './bits.mjs';
import * as stria from './stria.js';
import { element } from './results.js';

const pause = () => new Promise((resolve) => setTimeout(resolve));

// What web/setup.mjs wrote, or null.
async function loadNative() {
  const response = await fetch(new URL('vendor/native.json', import.meta.url)).catch(() => null);
  return response?.ok ? response.json() : null;
}

function verdict(mine, theirs) {
  if (theirs === undefined) return { text: 'none to compare with', className: '' };
  return mine === theirs
    ? { text: 'equal', className: 'equal' }
    : { text: 'different', className: 'different' };
}

function row({ name, code }, found, theirs) {
  const { text, className } = verdict(found.hash, theirs?.hash);
  const cells = [found.count.toLocaleString('en'), found.hash, theirs?.hash ?? '', text];
  const classes = ['number', 'hash', 'hash', className];
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, name, element('code', { textContent: code })),
    ...cells.map((textContent, k) => element('td', { textContent, className: classes[k] })),
  );
}

function summary(rows, native) {
  const total = rows.reduce((sum, { found }) => sum + found.count, 0).toLocaleString('en');
  const { backend, variant, threads } = stria.info();
  const here = `${backend === 'wasm' ? `WebAssembly, ${variant}` : backend}, threads: ${threads}`;
  if (!native) return `${total} results here (${here}). There was no native build when this page was set up.`;
  const differing = rows.filter(({ found, theirs }) => found.hash !== theirs?.hash);
  const there = `native build (${native.isa}, threads: ${native.threads})`;
  if (differing.length === 0)
    return `All ${total} results here (${here}) have the same bits as those of the ${there}.`;
  const names = differing.map(({ found }) => found.name).join(', ');
  return `Results here (${here}) differ from those of the ${there}: ${names}.`;
}

/** Fills the table, one family at a time so that the page stays responsive. */
export async function showBits(section, table, note) {
  const native = await loadNative();
  const rows = [];
  table.tBodies[0].replaceChildren();
  for (const family of families) {
    await pause();
    const found = hashFamily(stria, family);
    const theirs = native?.families.find(({ name }) => name === family.name);
    rows.push({ found, theirs });
    table.tBodies[0].append(row(family, found, theirs));
  }
  note.textContent = summary(rows, native);
  section.dataset.state = 'ready';
}
