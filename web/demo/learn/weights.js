// The first layer as pictures: one for each unit, what it looks for in a digit and what it looks for the absence of.
import { SIDE } from './choices.js';
import { colour } from './colour.js';

const PITCH = SIDE + 1;
const MANY = 64; // units; of more the pictures are smaller
const SPREAD = 3; // standard deviations at full colour

const channels = (name) => {
  const text = colour(name);
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
};

/** Draws weights [units, 64] on a canvas: colour is the sign, strength the size. */
export function drawWeights(canvas, weights) {
  const units = weights.length / SIDE ** 2;
  const columns = units > MANY ? 16 : 8;
  const [width, height] = [columns * PITCH - 1, Math.ceil(units / columns) * PITCH - 1];
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const [above, below] = [channels('--accent'), channels('--blue')];
  const deviation = Math.sqrt(weights.reduce((sum, w) => sum + w * w, 0) / weights.length) || 1;
  const drawing = canvas.getContext('2d');
  const image = drawing.createImageData(width, height);
  weights.forEach((weight, k) => {
    const unit = Math.floor(k / SIDE ** 2);
    const x = (unit % columns) * PITCH + (k % SIDE);
    const y = Math.floor(unit / columns) * PITCH + Math.floor((k % SIDE ** 2) / SIDE);
    const alpha = Math.min(1, Math.abs(weight) / (SPREAD * deviation));
    image.data.set([...(weight > 0 ? above : below), 255 * alpha], 4 * (y * width + x));
  });
  drawing.putImageData(image, 0, 0);
}
