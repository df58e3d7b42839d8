// Why the iterator does what it does, in words and brackets: short cuts, merged axes, the cut over threads.
import { element, svg } from './results.js';

const count = (number) => number.toLocaleString('en');
const plural = (number, word) => `${count(number)} ${word}${number === 1 || number === -1 ? '' : 's'}`;

// A sentence of the library with the operand's name in it.
const said = ({ text, operand }) => text.replace('the operand', operand ?? 'the operand');
const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;

/** The axes that each dim of the loop is made of, fastest first. */
export function groups(found) {
  return found.dims.map((_, dim) => found.axes.filter((axis) => axis.dim === dim));
}

// ---- short cuts

/** One line per short cut; one for all where the same is against each. */
export function paths(found) {
  const verdicts = Object.entries(found.paths);
  const isOne = found.setup === 'general' && new Set(verdicts.map(([, { text }]) => text)).size === 1;
  const shown = isOne ? [['No short cut', verdicts[0][1]]] : verdicts;
  return element(
    'ul',
    { className: 'paths', ariaLabel: 'Short cuts' },
    ...shown.map(([name, verdict]) =>
      element(
        'li',
        { className: verdict.reason === 'taken' ? 'taken' : '' },
        element('b', { textContent: name }),
        element('span', { textContent: verdict.reason === 'taken' ? 'taken' : said(verdict) }),
      ),
    ),
  );
}

// ---- merging

function dimsTable(found) {
  const merged = groups(found);
  const cell = (name, text, className = '') => element(name, { textContent: text, className });
  const tint = (k) => `group-${k % 2}${merged[k].length > 1 ? ' merged' : ''}`;
  const spread = merged.flatMap((group, k) =>
    group.map((axis, j) => [axis, `${tint(k)}${j === 0 ? ' first' : ''}`]),
  );
  const head = (text) => element('th', { scope: 'row', textContent: text });
  const loop = element('tr', { className: 'loop' }, head('Loop'));
  merged.forEach((group, k) => {
    const size = found.dims[k].size;
    const words = group.length > 1 ? `${size}, merged` : String(size);
    const bracket = element('span', { className: 'bracket', textContent: words });
    loop.append(element('td', { colSpan: group.length, className: `${tint(k)} first` }, bracket));
  });
  const row = (title, value) =>
    element('tr', {}, head(title), ...spread.map(([axis, className]) => cell('td', value(axis), className)));
  const rows = [row('Axis', ({ axis }) => axis), row('Size', ({ size }) => size), loop];
  found.operands.forEach((name, k) =>
    rows.push(row(`${name}, bytes`, ({ size, strideBytes }) => (size === 1 ? '–' : strideBytes[k]))),
  );
  const caption = element('caption', {
    textContent: spread.length ? 'Byte strides, fastest axis first' : 'No axes: one element',
  });
  return element(
    'div',
    { className: 'scroll' },
    element('table', { className: 'dims' }, caption, element('tbody', {}, ...rows)),
  );
}

function orderWords(found, axis, next) {
  const k = found.operands.indexOf(axis.order.operand);
  const name = `Axis ${axis.axis} runs faster than axis ${next.axis}`;
  if (axis.order.reason !== 'stride') return [name, sentence(said(axis.order))];
  const [step, other] = [axis, next].map(({ strideBytes }) => plural(Math.abs(strideBytes[k]), 'byte'));
  return [name, `A step of ${axis.order.operand} is ${step} here and ${other} there.`];
}

function mergeWords(axis, before) {
  const { reason, operand, wanted, found } = axis.merge;
  const words = sentence(said(axis.merge));
  if (reason === 'stride')
    return [
      `Axis ${axis.axis} stays apart`,
      `To go on where axis ${before.axis} ends, ${operand} would have to step ${plural(wanted, 'byte')}; it steps ${count(found)}.`,
    ];
  return [`Axis ${axis.axis} joins axis ${before.axis}`, words];
}

function reasons(found) {
  const list = element('ol', { className: 'reasons' });
  const add = (kind, [title, words]) =>
    list.append(
      element(
        'li',
        { className: kind },
        element('b', { textContent: title }),
        element('span', { textContent: words }),
      ),
    );
  found.axes.forEach((axis, r) => {
    const before = found.axes[r - 1];
    if (!before) return;
    if (!['alike', 'linear'].includes(before.order.reason)) add('order', orderWords(found, before, axis));
    add(axis.dim === before.dim ? 'joined' : 'apart', mergeWords(axis, before));
  });
  return list;
}

/** The axes with brackets around those that became one, and why they did or did not. */
export function merging(found) {
  return element('div', { className: 'merging' }, dimsTable(found), reasons(found));
}

// ---- threads

const MOST_LABELS = 16;

function cutWords({ count: threads, chunks, chunkSize, grain }, numel) {
  if (numel === 0) return 'Nothing to do.';
  if (chunks > 1) {
    const rest = numel - (chunks - 1) * chunkSize;
    const last = rest === chunkSize ? '' : `, the last of ${count(rest)}`;
    return `${plural(threads, 'thread')}: ${chunks} chunks of ${count(chunkSize)} positions${last}.`;
  }
  if (threads === 1) return `One thread takes all ${plural(numel, 'position')}.`;
  return `${plural(numel, 'position')}: one of ${threads} threads takes them all, since a share is at least ${count(grain)}.`;
}

/** The line of positions, and which chunk of it goes to which thread. */
export function cut({ threads, numel }) {
  const WIDTH = 640;
  const bar = svg('svg', {
    viewBox: `0 0 ${WIDTH} 28`,
    class: 'cut-bar',
    preserveAspectRatio: 'none',
    role: 'img',
    'aria-label': cutWords(threads, numel),
  });
  const marks = element('div', { className: 'cut-marks', ariaHidden: 'true' });
  for (let k = 0; k < threads.chunks; k++) {
    const begin = k * threads.chunkSize;
    const length = Math.min(threads.chunkSize, numel - begin);
    const [x, width] = [(begin / numel) * WIDTH, (length / numel) * WIDTH];
    bar.append(
      svg('rect', { class: `chunk-${k % 2}`, x: x + 1, width: Math.max(width - 2, 1), height: 28, rx: 4 }),
    );
    const label = element('span', { textContent: threads.chunks <= MOST_LABELS ? String(k + 1) : '' });
    label.style.flexGrow = length;
    marks.append(label);
  }
  return element(
    'figure',
    { className: 'cut' },
    element(
      'figcaption',
      {},
      element('b', { textContent: 'Cut over threads' }),
      element('span', { textContent: cutWords(threads, numel) }),
    ),
    ...(numel > 0 ? [bar, marks] : []),
  );
}
