// Where a digit is drawn: by mouse, touch or pen, or by keys. Strokes are lists of points [x, y] in [0, 1].
import { SIDE } from './choices.js';
import { colour } from './colour.js';

const NEAR = 0.008; // points closer than this to the last one say nothing new
const THICK = 0.065; // of a line
const KEY_STEP = 0.04;
const MOST_POINTS = 4000;

const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const limited = (value) => Math.min(1, Math.max(0, value));

export class Pad {
  strokes = [];
  #canvas;
  #drawing;
  #changed;
  #pixels = null; // shown in place of strokes
  #pointer; // the one that draws
  #pen = null; // of the keys: { at, isDown }

  /** `changed` is called whenever the strokes are other ones. */
  constructor(canvas, changed) {
    this.#canvas = canvas;
    this.#drawing = canvas.getContext('2d');
    this.#changed = changed;
    this.#listen();
    new ResizeObserver(() => this.draw()).observe(canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
  }

  clear() {
    this.#set([], null);
  }

  undo() {
    this.#set(this.strokes.slice(0, -1), null);
  }

  /** Shows the pixels of a digit, as the network reads them. */
  show(pixels) {
    this.strokes = [];
    this.#pixels = pixels;
    this.draw();
  }

  #set(strokes, pixels) {
    this.strokes = strokes;
    this.#pixels = pixels;
    this.draw();
    this.#changed();
  }

  // -------------------------------------------------------------- input

  #begin(point) {
    this.#pixels = null;
    this.strokes.push([point]);
  }

  #extend(point) {
    const stroke = this.strokes.at(-1);
    const [x, y] = stroke.at(-1);
    if (Math.hypot(point[0] - x, point[1] - y) < NEAR) return;
    if (this.strokes.flat().length < MOST_POINTS) stroke.push(point);
  }

  #at({ clientX, clientY }) {
    const { left, top, width, height } = this.#canvas.getBoundingClientRect();
    return [limited((clientX - left) / width), limited((clientY - top) / height)];
  }

  #listen() {
    const canvas = this.#canvas;
    const isOther = (event) => event.pointerId !== this.#pointer;
    canvas.addEventListener('pointerdown', (event) => {
      if (this.#pointer !== undefined || event.button !== 0) return;
      this.#pointer = event.pointerId;
      canvas.setPointerCapture(event.pointerId);
      this.#pen = null;
      this.#begin(this.#at(event));
      this.#moved();
    });
    canvas.addEventListener('pointermove', (event) => {
      if (isOther(event)) return;
      const passed = event.getCoalescedEvents?.() ?? [];
      for (const each of passed.length ? passed : [event]) this.#extend(this.#at(each));
      this.#moved();
    });
    for (const type of ['pointerup', 'pointercancel', 'lostpointercapture'])
      canvas.addEventListener(type, (event) => {
        if (!isOther(event)) this.#pointer = undefined;
      });
    canvas.addEventListener('keydown', (event) => this.#key(event));
    canvas.addEventListener('blur', () => {
      this.#pen = null;
      this.draw();
    });
  }

  #key(event) {
    const { key, shiftKey } = event;
    if (key === 'Escape' || key === 'Delete') this.clear();
    else if (key === ' ' || key === 'Enter') {
      this.#pen ??= { at: [0.5, 0.2], isDown: false };
      this.#pen.isDown = !this.#pen.isDown;
      if (this.#pen.isDown) this.#begin([...this.#pen.at]);
      this.#moved();
    } else if (arrows[key]) {
      this.#pen ??= { at: [0.5, 0.2], isDown: false };
      const step = KEY_STEP * (shiftKey ? 3 : 1);
      this.#pen.at = this.#pen.at.map((value, axis) => limited(value + step * arrows[key][axis]));
      if (this.#pen.isDown && this.strokes.length) this.#extend([...this.#pen.at]);
      this.#moved();
    } else return;
    event.preventDefault();
  }

  #moved() {
    this.draw();
    this.#changed();
  }

  // -------------------------------------------------------------- drawing

  draw() {
    const side = Math.round(this.#canvas.clientWidth * devicePixelRatio);
    if (side === 0) return;
    if (this.#canvas.width !== side) this.#canvas.width = this.#canvas.height = side;
    const pen = this.#drawing;
    pen.clearRect(0, 0, side, side);
    pen.strokeStyle = pen.fillStyle = colour('--ink');
    if (this.#pixels) drawPixels(pen, this.#pixels, side);
    pen.lineWidth = THICK * side;
    pen.lineCap = pen.lineJoin = 'round';
    for (const stroke of this.strokes) {
      pen.beginPath();
      stroke.forEach(([x, y], k) => (k ? pen.lineTo(x * side, y * side) : pen.moveTo(x * side, y * side)));
      if (stroke.length === 1) pen.lineTo(stroke[0][0] * side, stroke[0][1] * side);
      pen.stroke();
    }
    if (this.#pen) drawCursor(pen, this.#pen, side);
  }
}

/** Draws the pixels of a digit over a square, without gaps or overlaps where a side is no multiple of 8. */
export function drawPixels(pen, pixels, side) {
  const edge = (at) => Math.round((at * side) / SIDE);
  pixels.forEach((value, k) => {
    const [x, y] = [k % SIDE, Math.floor(k / SIDE)];
    pen.globalAlpha = value;
    pen.fillRect(edge(x), edge(y), edge(x + 1) - edge(x), edge(y + 1) - edge(y));
  });
  pen.globalAlpha = 1;
}

function drawCursor(pen, { at: [x, y], isDown }, side) {
  pen.strokeStyle = pen.fillStyle = colour('--accent');
  pen.lineWidth = Math.max(2, side * 0.008);
  pen.beginPath();
  pen.arc(x * side, y * side, side * 0.04, 0, 2 * Math.PI);
  if (isDown) pen.fill();
  else pen.stroke();
}
