// Curves, by uPlot: over the steps of a network, in the colours of the page.
import uPlot from '../vendor/uplot/uPlot.esm.js';
import { colour } from './colour.js';

const HEIGHT = 172;
const LEAST_STEPS = 10; // of an axis
const LEAST = 1e-6; // on a logarithmic axis

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

const isPower = (value) => Number.isInteger(Math.log10(value));
const powers = (_, splits) => splits.map((value) => (isPower(value) ? value : null));

function axis(values, size, filter) {
  return {
    stroke: () => colour('--soft'),
    grid: { stroke: () => colour('--line'), width: 1, ...(filter && { filter }) },
    ticks: { show: false },
    font: '12px system-ui, "DejaVu Sans", sans-serif',
    values: (_, splits) => splits.map((value) => (value === null ? '' : values(value))),
    gap: 6,
    size,
    ...(filter && { filter }),
  };
}

/** A chart of one curve in `host`. `isLog`: on a logarithmic axis, else from 0 to 1, as percents.
 * `output` shows a value, by `text`. */
export class Chart {
  #plot;
  #history;
  #isLog;
  #output;
  #steps = [0, LEAST_STEPS];

  constructor(host, output, history, { isLog, ink, text }) {
    this.#history = history;
    this.#isLog = isLog;
    this.#output = output;
    this.text = text;
    const y = isLog
      ? { distr: 3, range: (_, min, max) => uPlot.rangeLog(min ?? 0.1, max ?? 1, 10, true) }
      : { range: [0, 1] };
    const options = {
      width: Math.max(120, host.clientWidth),
      height: HEIGHT,
      padding: [10, 12, 0, 0],
      legend: { show: false },
      cursor: { sync: { key: 'steps' }, drag: { x: false, y: false }, y: false, points: { size: 7 } },
      scales: { x: { time: false, range: () => this.#steps }, y },
      axes: [
        axis((value) => compact.format(value), 34),
        isLog ? axis(String, 56, powers) : axis((value) => `${100 * value} %`, 56),
      ],
      series: [{}, { stroke: () => colour(ink), width: 1.75, points: { show: false } }],
      hooks: { setCursor: [() => this.#say()] },
    };
    this.#plot = new uPlot(options, this.#data(), host);
    new ResizeObserver(() => {
      const width = Math.max(120, host.clientWidth);
      if (width !== this.#plot.width) this.#plot.setSize({ width, height: HEIGHT });
    }).observe(host);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#plot.redraw());
  }

  #data() {
    const { xs, ys } = this.#history;
    return [xs, this.#isLog ? ys.map((y) => Math.max(y, LEAST)) : ys];
  }

  // The value below the cursor, else the last one.
  #say() {
    const { xs, ys } = this.#history;
    const at = this.#plot?.cursor.idx ?? xs.length - 1;
    this.#output.textContent =
      xs[at] === undefined
        ? ''
        : `${this.text(ys[at])} ${at === xs.length - 1 ? '' : `at step ${xs[at].toLocaleString('en')}`}`;
  }

  /** Draws the curve anew; `first` and `last` are the steps from which and to which its axis goes. */
  update(first, last) {
    this.#steps = [first, Math.max(last, first + LEAST_STEPS)];
    this.#plot.setData(this.#data());
    this.#say();
  }
}
