// What the picture panel shows beside the canvas: statistics, histogram, times.
import { BINS, steps } from './pipeline.js';

const SVG = 'http://www.w3.org/2000/svg';
const channels = ['Red', 'Green', 'Blue'];
const RUNS = 9; // runs that a median is taken of
const FASTER = 1.5; // below it the page says what a step spends its time on
const TOO_SHORT = 0.02; // ms; below it a ratio says nothing

export function element(name, properties = {}, ...children) {
  const node = document.createElement(name);
  Object.assign(node, properties);
  node.append(...children);
  return node;
}

export function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

/** Colours the track of a slider from its neutral position, or its start, to where it is. */
export function fillTrack(input) {
  const { min, max, value, dataset } = input;
  const share = (x) => (x - min) / (max - min || 1);
  const ends = [share(dataset.neutral ?? min), share(value)].sort((a, b) => a - b);
  input.style.setProperty('--from', ends[0]);
  input.style.setProperty('--to', ends[1]);
}

export function showStatistics(table, { mean, deviation, min, max }) {
  table.tBodies[0].replaceChildren(
    ...channels.map((channel, c) => {
      const numbers = [mean[c].toFixed(2), deviation[c].toFixed(2), min[c], max[c]];
      const head = element(
        'th',
        { scope: 'row' },
        element('i', { className: channel.toLowerCase() }),
        channel,
      );
      return element('tr', {}, head, ...numbers.map((number) => element('td', { textContent: number })));
    }),
  );
}

export function showHistogram(plot, note, { counts, total }) {
  const [width, height] = [640, 200];
  // the tallest bins are often the ends, where values are cut off; they may be cut off here too
  const tallest = 1.05 * Math.max(1, ...counts.flatMap((row) => row.slice(1, -1)), total / BINS);
  plot.replaceChildren(
    ...counts.map((row, c) => {
      let path = `M0 ${height}`;
      row.forEach((count, k) => {
        const y = (height * (1 - Math.min(1, count / tallest))).toFixed(1);
        path += `V${y}H${((k + 1) * width) / BINS}`;
      });
      return svg('path', { d: `${path}V${height}Z`, class: channels[c].toLowerCase() });
    }),
  );
  note.textContent = `${BINS} bins, ${total.toLocaleString('en')} pixels`;
  plot.setAttribute('aria-label', `Histogram of red, green and blue in ${BINS} bins over ${total} pixels`);
  plot.dataset.counts = JSON.stringify(counts);
}

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/** Times of the last runs of every step. */
export class Clock {
  constructor() {
    this.clear();
  }

  clear() {
    this.runs = Object.fromEntries(steps.map(({ id }) => [id, []]));
  }

  add(times) {
    for (const { id } of steps) {
      this.runs[id].push(times[id]);
      if (this.runs[id].length > RUNS) this.runs[id].shift();
    }
  }

  get medians() {
    return this.runs.view.length ? steps.map(({ id }) => median(this.runs[id])) : null;
  }
}

const milliseconds = (time) => (time < 0.005 ? '<0.01' : time < 10 ? time.toFixed(2) : time.toFixed(1));

function ratio(ours, plain) {
  if (Math.max(ours, plain) < TOO_SHORT) return '';
  const times = plain / ours;
  if (Math.abs(Math.log(times)) < 0.05) return 'equal';
  return times >= 1 ? `${times.toFixed(1)}× faster` : `${(1 / times).toFixed(1)}× slower`;
}

function bar(className, time, longest) {
  const node = element('span', { className: `bar ${className}` });
  node.style.width = `${Math.max(0.5, (100 * time) / longest)}%`;
  return node;
}

function row(step, ours, plain, longest) {
  const head = element('th', { scope: 'row' }, step.name);
  if (step.code) head.append(element('code', { textContent: step.code }));
  const isSlow = ours !== null && plain !== null && ours > TOO_SHORT && plain < FASTER * ours;
  if (isSlow && step.cost) head.append(element('small', { textContent: step.cost }));
  const cells = [
    element('td', { className: 'number', textContent: ours === null ? '' : milliseconds(ours) }),
  ];
  cells.push(
    element('td', { className: 'number plain', textContent: plain === null ? '' : milliseconds(plain) }),
  );
  const bars = element('td', { className: 'bars' });
  if (longest && ours !== null) bars.append(bar('stria', ours, longest));
  if (longest && plain !== null) bars.append(bar('plain', plain, longest));
  const words = ours !== null && plain !== null ? ratio(ours, plain) : '';
  cells.push(
    bars,
    element('td', {
      className: `number plain ${words.includes('faster') ? 'faster' : ''}`,
      textContent: words,
    }),
  );
  return element('tr', {}, head, ...cells);
}

export function showTimes(table, clock, plainClock) {
  const ours = clock.medians;
  const plain = plainClock?.medians ?? null;
  const sum = (list) => list && list.reduce((total, time) => total + time, 0);
  const longest = Math.max(...(ours ?? [0]), ...(plain ?? [0]));
  table.classList.toggle('alone', !plainClock);
  table.tBodies[0].replaceChildren(
    ...steps.map((step, k) => row(step, ours && ours[k], plain && plain[k], longest)),
  );
  table.tFoot.replaceChildren(row({ name: 'All steps' }, sum(ours), sum(plain), 0));
}
