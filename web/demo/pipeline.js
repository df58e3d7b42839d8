// The picture as tensors: each step of the page in stria's public functions.
//
// The photograph is uint8 [height, width, 4], as the canvas gives it. Steps work on float32 planes [3, height, width] in the
// range 0 .. 255; getting there is a view (permute, slice, flip), not a copy.
import * as stria from './stria.js';

/**
 * Name and code of each step, in order; shown in the table of times. `cost` says where a step's time goes: shown where it is
 * not much faster than plain JavaScript.
 */
export const steps = [
  { id: 'view', name: 'View', code: 'photo.permute(2, 0, 1).slice(0, 0, 3).flip(2)' },
  {
    id: 'exposure',
    name: 'Exposure',
    code: 'f.copy_(view).mul_(gain)',
    cost: 'Three quarters of it separate the interleaved bytes into planes of floats, in a pass of its own; plain JavaScript reads and multiplies in one.',
  },
  { id: 'balance', name: 'White balance', code: 'f.mul_(balance)' },
  { id: 'contrast', name: 'Contrast', code: 'lerp(128, f, contrast, { out: f })' },
  {
    id: 'mix',
    name: 'Channel mix',
    code: 'matmul(matrix, f.view(3, -1))',
    cost: 'A product cannot overwrite its operand, so it goes through twice the memory; plain JavaScript works in place.',
  },
  { id: 'vignette', name: 'Vignette', code: 'f.mul_(rows.add(columns))' },
  {
    id: 'blend',
    name: 'Blend',
    code: 'f.lerp_(second, amount)',
    cost: 'Most of it separates the bytes of the second picture into planes of floats.',
  },
  {
    id: 'write',
    name: 'Back to bytes',
    code: 'pixels.copy_(f.round_())',
    cost: 'Most of it interleaves three planes of floats as bytes, between which the opacity must stay as it is.',
  },
  {
    id: 'statistics',
    name: 'Statistics',
    code: 'f.clamp_(0, 255).std([1, 2], { correction: 0 })',
    cost: 'Five calls, each a pass over the floats: clamp, deviation, mean, least, most; plain JavaScript reads the bytes twice.',
  },
  { id: 'histogram', name: 'Histogram', code: 'pixels.select(2, c).view(-1).bincount({ minlength: 256 })' },
];

export const BINS = 64;

const LUMA = [0.2126, 0.7152, 0.0722];
const mixes = {
  natural: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  mono: [LUMA, LUMA, LUMA],
  sepia: [
    [0.393, 0.769, 0.189],
    [0.349, 0.686, 0.168],
    [0.272, 0.534, 0.131],
  ],
  swap: [
    [0, 0, 1],
    [0, 1, 0],
    [1, 0, 0],
  ],
};

/** The numbers that the steps need, from the positions of the controls. */
export function parameters(settings) {
  const { exposure, contrast, temperature, tint, saturation, mix, vignette, blend, mirror, step } = settings;
  // saturation s: s * identity + (1 - s) * luma in every row, then the mix
  const saturate = [0, 1, 2].map((i) =>
    LUMA.map((luma, j) => (1 - saturation) * luma + (i === j ? saturation : 0)),
  );
  const matrix = mixes[mix].map((row) =>
    [0, 1, 2].map((j) => row.reduce((sum, m, k) => sum + m * saturate[k][j], 0)),
  );
  return {
    gain: 2 ** exposure,
    balance: [1 + 0.3 * temperature, 1 - 0.2 * tint, 1 - 0.3 * temperature],
    contrast,
    matrix,
    vignette,
    blend,
    mirror,
    step,
  };
}

// [height, width, 4] seen as planes of colour, perhaps coarser, perhaps mirrored; nothing is copied.
function planes(photo, step, mirror) {
  const view = photo.permute(2, 0, 1).slice(0, 0, 3).slice(1, null, null, step).slice(2, null, null, step);
  return mirror ? view.flip(2) : view;
}

export class Pipeline {
  /** Two pictures of one size, each { width, height, data } with RGBA bytes. */
  constructor(first, second) {
    const shape = [first.height, first.width, 4];
    this.photo = stria.tensor(first.data, { shape });
    this.second = stria.tensor(second.data, { shape });
    this.buffers = {};
    this.times = {};
  }

  // Tensors that live from run to run, of the size that the view asks for.
  #prepare(step) {
    const [height, width] = this.photo.shape.slice(0, 2).map((size) => Math.ceil(size / step));
    if (this.buffers.width === width && this.buffers.height === height) return this.buffers;
    stria.dispose(this.buffers);
    return (this.buffers = {
      width,
      height,
      f: stria.empty([3, height, width]),
      mixed: stria.empty([3, height, width]),
      pixels: stria.full([height, width, 4], 255, { dtype: 'uint8' }),
    });
  }

  #lap(id, body) {
    const start = performance.now();
    const result = body();
    this.times[id] = performance.now() - start;
    return result;
  }

  /** Runs every step; the pixels are then in `pixels`, the times in `times`. */
  run(p) {
    const { width, height, f, mixed, pixels } = this.#prepare(p.step);
    return stria.scope(() => {
      const bytes = pixels.permute(2, 0, 1).slice(0, 0, 3);

      const view = this.#lap('view', () => planes(this.photo, p.step, p.mirror));
      this.#lap('exposure', () => f.copy_(view).mul_(p.gain));
      this.#lap('balance', () => f.mul_(stria.tensor(p.balance, { shape: [3, 1, 1] })));
      this.#lap('contrast', () => stria.lerp(128, f, p.contrast, { out: f }));
      this.#lap('mix', () => {
        stria.matmul(stria.tensor(p.matrix), f.view(3, -1), { out: mixed.view(3, -1) });
      });
      this.#lap('vignette', () => {
        const rows = stria
          .linspace(-1, 1, height)
          .square_()
          .mul_(-p.vignette / 2);
        const columns = stria
          .linspace(-1, 1, width)
          .square_()
          .mul_(-p.vignette / 2)
          .add_(1);
        mixed.mul_(rows.view(height, 1).add(columns));
      });
      this.#lap('blend', () => mixed.lerp_(planes(this.second, p.step, false), p.blend));
      this.#lap('write', () => bytes.copy_(mixed.round_())); // a copy to bytes saturates
      const statistics = this.#lap('statistics', () => this.#statistics(mixed));
      const histogram = this.#lap('histogram', () => this.#histogram(pixels));
      return { width, height, statistics, histogram };
    });
  }

  // Per channel of what the bytes show: mean, standard deviation, smallest, largest.
  #statistics(f) {
    const axes = [1, 2];
    f.clamp_(0, 255);
    const deviation = f.std(axes, { correction: 0 });
    const facts = { mean: f.mean(axes), deviation, min: f.amin(axes), max: f.amax(axes) };
    return Object.fromEntries(Object.entries(facts).map(([name, x]) => [name, Array.from(x.dataSync())]));
  }

  // How many values of each channel lie in each bin.
  #histogram(pixels) {
    const count = (c) => pixels.select(2, c).view(-1).bincount({ minlength: 256 }).view(BINS, -1).sum(1);
    const counts = [0, 1, 2].map((c) => Array.from(count(c).dataSync(), Number));
    return { counts, total: pixels.shape[0] * pixels.shape[1] };
  }

  /** Copies the pixels into an array of the canvas. */
  read(target) {
    this.buffers.pixels.borrow((bytes) => target.set(bytes));
  }

  dispose() {
    stria.dispose(this.photo, this.second, this.buffers);
  }
}
