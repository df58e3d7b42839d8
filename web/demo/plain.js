// The same steps as pipeline.js in plain JavaScript: one loop a step over typed arrays, as one would write it by hand.
import { BINS } from './pipeline.js';

export class PlainPipeline {
  constructor(first, second) {
    this.first = first;
    this.second = second;
    this.times = {};
    this.length = 0;
  }

  #prepare(length) {
    if (this.length === length) return;
    this.length = length;
    this.f = new Float32Array(3 * length);
    this.pixels = new Uint8ClampedArray(4 * length).fill(255);
  }

  #lap(id, body) {
    const start = performance.now();
    const result = body();
    this.times[id] = performance.now() - start;
    return result;
  }

  run(p) {
    const width = Math.ceil(this.first.width / p.step);
    const height = Math.ceil(this.first.height / p.step);
    this.#prepare(width * height);
    const { f, pixels } = this;
    const size = { width, height };

    const view = this.#lap('view', () => {
      const column = 4 * p.step;
      return { row: 4 * p.step * this.first.width, column, start: p.mirror ? (width - 1) * column : 0 };
    });
    this.#lap('exposure', () => expose(this.first.data, f, size, view, p));
    this.#lap('balance', () => scaleChannels(f, p.balance));
    this.#lap('contrast', () => stretch(f, p.contrast));
    this.#lap('mix', () => mixChannels(f, p.matrix));
    this.#lap('vignette', () => darkenCorners(f, size, p.vignette));
    this.#lap('blend', () => blend(f, this.second, size, p));
    this.#lap('write', () => write(f, pixels));
    const statistics = this.#lap('statistics', () => describe(pixels));
    const histogram = this.#lap('histogram', () => count(pixels));
    return { ...size, statistics, histogram };
  }
}

function expose(source, f, { width, height }, view, { mirror, gain }) {
  const column = mirror ? -view.column : view.column;
  for (let y = 0, k = 0; y < height; y++)
    for (let x = 0, at = view.start + y * view.row; x < width; x++, at += column, k += 3) {
      f[k] = source[at] * gain;
      f[k + 1] = source[at + 1] * gain;
      f[k + 2] = source[at + 2] * gain;
    }
}

function scaleChannels(f, [red, green, blue]) {
  for (let k = 0; k < f.length; k += 3) {
    f[k] *= red;
    f[k + 1] *= green;
    f[k + 2] *= blue;
  }
}

function stretch(f, contrast) {
  for (let k = 0; k < f.length; k++) f[k] = 128 + contrast * (f[k] - 128);
}

function mixChannels(f, [[a, b, c], [d, e, g], [h, i, j]]) {
  for (let k = 0; k < f.length; k += 3) {
    const red = f[k];
    const green = f[k + 1];
    const blue = f[k + 2];
    f[k] = a * red + b * green + c * blue;
    f[k + 1] = d * red + e * green + g * blue;
    f[k + 2] = h * red + i * green + j * blue;
  }
}

// Position on a scale from -1 to 1.
const ramp = (k, size) => (size > 1 ? (2 * k) / (size - 1) - 1 : -1);

function darkenCorners(f, { width, height }, strength) {
  for (let y = 0, k = 0; y < height; y++) {
    const row = ramp(y, height) ** 2;
    for (let x = 0; x < width; x++, k += 3) {
      const light = 1 - (strength / 2) * (row + ramp(x, width) ** 2);
      f[k] *= light;
      f[k + 1] *= light;
      f[k + 2] *= light;
    }
  }
}

function blend(f, second, { width, height }, { step, blend: amount }) {
  const { data } = second;
  for (let y = 0, k = 0; y < height; y++)
    for (let x = 0, at = 4 * y * step * second.width; x < width; x++, at += 4 * step, k += 3) {
      f[k] += amount * (data[at] - f[k]);
      f[k + 1] += amount * (data[at + 1] - f[k + 1]);
      f[k + 2] += amount * (data[at + 2] - f[k + 2]);
    }
}

// A Uint8ClampedArray rounds and clamps what is written to it.
function write(f, pixels) {
  for (let k = 0, at = 0; k < f.length; k += 3, at += 4) {
    pixels[at] = f[k];
    pixels[at + 1] = f[k + 1];
    pixels[at + 2] = f[k + 2];
  }
}

function describe(pixels) {
  const facts = { mean: [], deviation: [], min: [], max: [] };
  const n = pixels.length / 4;
  for (let c = 0; c < 3; c++) {
    let sum = 0;
    let min = 255;
    let max = 0;
    for (let k = c; k < pixels.length; k += 4) {
      const value = pixels[k];
      sum += value;
      if (value < min) min = value;
      if (value > max) max = value;
    }
    const mean = sum / n;
    let squares = 0;
    for (let k = c; k < pixels.length; k += 4) squares += (pixels[k] - mean) ** 2;
    facts.mean.push(mean);
    facts.deviation.push(Math.sqrt(squares / n));
    facts.min.push(min);
    facts.max.push(max);
  }
  return facts;
}

function count(pixels) {
  const counts = [0, 1, 2].map(() => new Array(BINS).fill(0));
  for (let k = 0; k < pixels.length; k += 4)
    for (let c = 0; c < 3; c++) counts[c][(pixels[k + c] * BINS) >> 8]++;
  return { counts, total: pixels.length / 4 };
}
