// From strokes of a pen to the pixels that the network reads, as the data were made: a digit fills the height of 32 x
// 32 points, and each of 8 x 8 pixels counts which of its 4 x 4 points are ink. Where and how large it was drawn
// makes no difference, nor how thick the pen is: digits of the data have about the same ink, whichever they are, so
// the points next to the strokes become ink until there is as much.
import { SIDE } from './choices.js';

const BLOCK = 4;
const POINTS = SIDE * BLOCK;
const INK = 313; // points, the mean over the data
const WIDEST = 0.86 * POINTS; // of a digit; those of the data leave the edges free
const SMALLEST = 0.1; // side of a digit, of a pad; what is smaller does not grow to the whole height
const THINNEST = 1.5; // radius of the pen
const THICKEST = 4.5;

function boxOf(points) {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}

// The strokes in the middle of the points, with room for the pen around them.
function fitted(strokes, radius) {
  const { left, right, top, bottom } = boxOf(strokes.flat());
  const [width, height] = [right - left, bottom - top];
  const scale = Math.min(
    (POINTS - 2 * radius) / Math.max(height, 1e-6),
    (WIDEST - 2 * radius) / Math.max(width, 1e-6),
    POINTS / SMALLEST, // what is nearly a dot stays one
  );
  const [x0, y0] = [(left + right) / 2, (top + bottom) / 2];
  return strokes.map((stroke) =>
    stroke.map(([x, y]) => [(x - x0) * scale + POINTS / 2, (y - y0) * scale + POINTS / 2]),
  );
}

function squaredDistance(px, py, [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const t = length > 0 ? Math.min(1, Math.max(0, ((px - ax) * dx + (py - ay) * dy) / length)) : 0;
  return (px - ax - t * dx) ** 2 + (py - ay - t * dy) ** 2;
}

// Points along an axis that a pen between two places may reach: the first, and the one behind the last.
const reach = (a, b) => [
  Math.max(0, Math.floor(Math.min(a, b) - THICKEST)),
  Math.min(POINTS, Math.ceil(Math.max(a, b) + THICKEST)),
];

// Of each point the squared distance to the nearest stroke, as far as a pen reaches.
function distances(strokes) {
  const found = new Float64Array(POINTS * POINTS).fill(Infinity);
  for (const stroke of strokes)
    for (let k = 0; k < stroke.length; k++) {
      const [from, to] = [stroke[Math.max(0, k - 1)], stroke[k]];
      const [left, right] = reach(from[0], to[0]);
      const [top, bottom] = reach(from[1], to[1]);
      for (let y = top; y < bottom; y++)
        for (let x = left; x < right; x++) {
          const at = POINTS * y + x;
          found[at] = Math.min(found[at], squaredDistance(x + 0.5, y + 0.5, from, to));
        }
    }
  return found;
}

/**
 * Pixels in [0, 1], row by row, of strokes, which are lists of points [x, y], those of a pad in [0, 1]; null of none.
 */
export function pixelsOf(strokes) {
  if (strokes.every((stroke) => stroke.length === 0)) return null;
  let radius = (THINNEST + THICKEST) / 2;
  let near;
  for (let round = 0; round < 3; round++) {
    near = distances(fitted(strokes, radius));
    const enough = Math.sqrt(near.slice().sort()[INK - 1]);
    radius = Math.min(THICKEST, Math.max(THINNEST, enough));
  }
  const pixels = new Float32Array(SIDE * SIDE);
  near.forEach((distance, at) => {
    if (distance > radius * radius) return;
    const [x, y] = [at % POINTS, Math.floor(at / POINTS)];
    pixels[SIDE * Math.floor(y / BLOCK) + Math.floor(x / BLOCK)] += 1 / (BLOCK * BLOCK);
  });
  return pixels;
}
