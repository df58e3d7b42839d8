// Digits a little turned, slanted, stretched and shifted, so that a network learns more than these digits. Each
// variation is a matrix that makes every pixel from the four around the place that it comes from; a batch is varied
// by one product.
import { SIDE } from './choices.js';
import { Generator, rand, scope, tensor } from './stria.js';

const PIXELS = SIDE * SIDE;
const MIDDLE = (SIDE - 1) / 2;

export const VARIATIONS = 64;
const SEED = 5;
// The most that they do: radians, shares of a size, pixels.
const MOST = { turn: 0.25, slant: 0.25, wide: 0.2, high: 0.1, right: 0.5, down: 0.25 };

// Where a pixel comes from: shifted back, turned back, slanted and stretched back.
function source(x, y, { turn, slant, wide, high, right, down }) {
  const [u, v] = [x - MIDDLE - right, y - MIDDLE - down];
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  const [across, along] = [cos * u + sin * v, cos * v - sin * u];
  return [(across - slant * along) / (1 + wide) + MIDDLE, along / (1 + high) + MIDDLE];
}

// Row: the pixel that counts; column: the pixel that comes out.
function fillMatrix(matrix, amounts) {
  for (let to = 0; to < PIXELS; to++) {
    const [x, y] = source(to % SIDE, Math.floor(to / SIDE), amounts);
    const [left, top] = [Math.floor(x), Math.floor(y)];
    for (const [column, row] of [0, 1, 2, 3].map((k) => [left + (k % 2), top + (k >> 1)])) {
      if (column < 0 || column >= SIDE || row < 0 || row >= SIDE) continue;
      matrix[PIXELS * (SIDE * row + column) + to] = (1 - Math.abs(x - column)) * (1 - Math.abs(y - row));
    }
  }
}

/** Matrices [VARIATIONS, 64, 64], always the same. */
export function variations() {
  const names = Object.keys(MOST);
  return scope(() => {
    const shares = rand([VARIATIONS, names.length], { generator: new Generator(SEED) }).toArray();
    const all = new Float32Array(VARIATIONS * PIXELS * PIXELS);
    shares.forEach((row, k) => {
      const amounts = Object.fromEntries(names.map((name, at) => [name, (2 * row[at] - 1) * MOST[name]]));
      fillMatrix(all.subarray(PIXELS * PIXELS * k, PIXELS * PIXELS * (k + 1)), amounts);
    });
    return tensor(all).reshape([VARIATIONS, PIXELS, PIXELS]);
  });
}
