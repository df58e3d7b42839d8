// Boxes of a picture of a program: calls, groups with their ops inside, and what is read and written.
import type { Step, Tensor } from './explain_read.js';
import { layersOf, layOut, type Box, type Layout, type Point, type Wire } from './explain_layout.js';

const LETTER = 7.3; // of 12 pixels, monospaced
const SMALL = 6.7; // of 11 pixels
const MOST_LETTERS = 48;
const CHIP = 26;
const LINE = 12;
const PILL = 22;
const PAD = 12;
const PORT = 16;
const MOST_NARROW = 64;
const MOST_ALIKE = 4; // tensors of a kind that a call reads or changes, one by one

/** Seen on light and on dark paper. */
export const tints = {
  input: '#c8622d',
  held: '#4a7fd4',
  number: '#8a8f98',
  made: '#8a8f98',
  result: '#3f9a5a',
  block: '#9068c8',
} as const;

// ---------------------------------------------------------------- text

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

// Characters that XML lacks, and those that hide, or change the order of, what stands around them.
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\uFFFE\uFFFF]/gu;

export const escape = (text: string): string =>
  text.replace(unseen, '\uFFFD').replace(/[&<>"]/g, (letter) => marks[letter]!);

export function shorten(text: string, most = MOST_LETTERS): string {
  const letters = [...text.slice(0, 2 * most + 2)];
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : letters.join('');
}

const rounded = (x: number): string => String(Math.round(x * 10) / 10);
export const widthOf = (text: string, letter = LETTER): number => [...text].length * letter;

/** An element; texts are escaped, content is as it is. */
export function tag(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content?: string,
): string {
  const words = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${typeof value === 'number' ? rounded(value) : escape(value)}"`,
  );
  return `<${name}${words.join('')}${content === undefined ? '/>' : `>${content}</${name}>`}`;
}

/** Words in the middle of x, on a line at y. */
export const centred = (
  x: number,
  y: number,
  text: string,
  more: Readonly<Record<string, string | number>> = {},
): string => tag('text', { x, y, 'text-anchor': 'middle', ...more }, escape(text));
export const small = { 'font-size': 11, 'fill-opacity': '0.72' };

export const moved = ([x, y]: Point, kind: string, content: string): string =>
  tag('g', { class: kind, transform: `translate(${rounded(x)} ${rounded(y)})` }, content);

/** Vertical lines, and curves between them. */
export function curve(points: readonly Point[]): string {
  let d = '';
  points.forEach(([x, y], k) => {
    const [fromX, fromY] = points[k - 1] ?? [x, y];
    const middle = rounded((fromY + y) / 2);
    if (k === 0) d += `M${rounded(x)} ${rounded(y)}`;
    else if (rounded(fromX) === rounded(x)) d += `V${rounded(y)}`;
    else d += `C${rounded(fromX)} ${middle} ${rounded(x)} ${middle} ${rounded(x)} ${rounded(y)}`;
  });
  return d;
}

export const wireLine = (points: readonly Point[]): string =>
  tag('path', {
    class: 'wire',
    d: curve(points),
    fill: 'none',
    stroke: 'currentColor',
    'stroke-opacity': '0.45',
  });

// ---------------------------------------------------------------- boxes

/** A box, where its wires end, and what is drawn. */
export interface Drawn {
  width: number;
  height: number;
  kind: string;
  content: string;
  into: number[];
  out: number[];
}

export const textOf = ({ dtype, shape }: Tensor): string => shorten(`${dtype} [${shape.join(', ')}]`);

/** A rounded box: what comes from outside, or leaves. */
export function pill(kind: keyof typeof tints, text: string): Drawn {
  const width = widthOf(text, SMALL) + 22;
  const [fill, stroke] = [tints[kind], tints[kind]];
  const shape = { width, height: PILL, rx: PILL / 2, fill, 'fill-opacity': '0.13', stroke };
  const content = tag('rect', shape) + centred(width / 2, 15, text, { 'font-size': 11 });
  return { width, height: PILL, kind, content, into: [width / 2], out: [width / 2] };
}

/** Tensors that share a wire into a step, or out of it, with their numbers among those that it reads or writes. */
export interface Bundle {
  of: Tensor['of'];
  members: number[];
}

/** Each by itself; but a call with many tensors of a kind that is not made by calls has them in one bundle. */
export function bundlesOf(step: Step, tensors: readonly Tensor[]): Bundle[] {
  const bundles: Bundle[] = [];
  for (const [k, { of }] of tensors.entries()) {
    const alike = of === 'made' || step.ops ? [] : tensors.filter((other) => other.of === of);
    const known = bundles.find((one) => one.of === of && alike.length > MOST_ALIKE);
    if (known) known.members.push(k);
    else bundles.push({ of, members: [k] });
  }
  return bundles;
}

/** A part of a step: a line of text for what is read or written, or an op. */
interface Part extends Box {
  text: string;
  ports: number[];
}

function lineOf(text: string, layer: number): Part {
  const width = Math.max(widthOf(text, SMALL) + (text === '' ? 0 : 8), PORT);
  return { text, layer, width, height: text === '' ? 0 : LINE, align: 0, ports: [width / 2] };
}

function opOf(text: string, layer: number, ports: number): Part {
  const width = Math.max(widthOf(text) + 22, (ports + 1) * PORT);
  return {
    text,
    layer,
    width,
    height: CHIP,
    ports: Array.from({ length: ports }, (_, k) => (width * (k + 1)) / (ports + 1)),
  };
}

// An op, with its constants where it has some: "mul · 0.5".
function opText({ reads, constants }: Step, name: string, values: readonly number[]): string {
  const operands = values.map((value) => constants[value - reads.length] ?? '·');
  return shorten(operands.every((one) => one === '·') ? name : `${name} ${operands.join(' ')}`);
}

interface Inside {
  parts: Part[];
  /** Parts that are no lines. */
  ops: number;
  layout: Layout;
}

// Lines for what is read, then ops, then lines for what is written.
function inside(step: Step, readTexts: readonly string[], writeTexts: readonly string[]): Inside {
  const first = readTexts.length;
  const ops = step.ops ?? [{ name: step.row, values: readTexts.map((_, k) => k) }];
  const gives = step.ops ? step.gives : writeTexts.map(() => first + step.constants.length);
  const partOf = (value: number): number => (value < first ? value : value - step.constants.length);
  const isWire = (value: number): boolean => value < first || value >= first + step.constants.length;
  const taken = ops.map(({ values }) => values.filter(isWire).map(partOf));
  const links = taken.flatMap((values, k) => values.map((from, port) => ({ from, to: first + k, port })));
  const layers = layersOf(first + ops.length, links).map((layer, k) => (k < first ? 0 : Math.max(layer, 1)));
  const last = layers.reduce((a, b) => Math.max(a, b), 0) + 1;
  const parts = [
    ...readTexts.map((text) => lineOf(text, 0)),
    ...ops.map(({ name, values }, k) =>
      opOf(opText(step, name, values), layers[first + k]!, taken[k]!.length),
    ),
    ...writeTexts.map((text) => lineOf(text, last)),
  ];
  const wires: Wire[] = links.map(({ from, to, port }) => ({
    from,
    to,
    out: parts[from]!.width / 2,
    into: parts[to]!.ports[port]!,
  }));
  gives.forEach((value, k) => {
    const [from, to] = [partOf(value), first + ops.length + k];
    wires.push({ from, to, out: parts[from]!.width / 2, into: parts[to]!.width / 2 });
  });
  const gaps = step.ops ? { across: 12, down: 16 } : { across: 10, down: 0 };
  return { parts, ops: ops.length, layout: layOut(parts, wires, gaps) };
}

const frame = { rx: 7, fill: 'currentColor', stroke: 'currentColor', 'stroke-opacity': '0.5' };

/** A step: a call, or a group with its ops in a frame. */
export function boxOf(
  step: Step,
  index: number,
  isInBlock: boolean,
  readTexts: readonly string[],
  writeTexts: readonly string[],
): Drawn {
  const { parts, ops, layout } = inside(step, readTexts, writeTexts);
  const isGroup = step.ops !== undefined;
  const head = String(index);
  const corner = Math.max(PAD, widthOf(head, SMALL) + 10);
  const width = Math.max(layout.width + corner + PAD, MOST_NARROW);
  const left = Math.max(corner, (width - layout.width) / 2);
  const top = isGroup ? 16 : 6;
  const height = top + layout.height + (isGroup ? 6 : 4);
  const at = layout.at.map(([x, y]): Point => [x + left, y + top]);
  const shift = (points: readonly Point[]): Point[] => points.map(([x, y]) => [x + left, y + top]);
  const n = readTexts.length;
  const middle = (k: number): number => at[k]![0] + parts[k]!.width / 2;
  const into = readTexts.map((_, k) => middle(k));
  const drawn = parts.map(({ text, width: w, height: h }, k) => {
    const [x, y] = at[k]!;
    const isOp = k >= n && k < n + ops;
    if (text === '') return '';
    if (!isOp) return centred(x + w / 2, y + 10, text, small);
    const chip = { x, y, width: w, height: h, rx: 6, fill: 'currentColor', 'fill-opacity': '0.1' };
    return (
      (isGroup ? tag('rect', chip) : '') +
      centred(x + w / 2, y + 17, text, { 'font-weight': isGroup ? 400 : 600 })
    );
  });
  const content = [
    tag('rect', { width, height, ...frame, 'fill-opacity': isGroup ? '0.03' : '0.08' }),
    isInBlock ? tag('rect', { class: 'block', y: 8, width: 3, height: height - 16, fill: tints.block }) : '',
    tag('text', { x: 7, y: 13, ...small }, escape(head)),
    ...(isGroup ? layout.paths.map((points) => wireLine(shift(points))) : []),
    ...(isGroup
      ? into.map((x, k) =>
          readTexts[k] === ''
            ? wireLine([
                [x, 0],
                [x, top],
              ])
            : '',
        )
      : []),
    ...drawn,
  ].join('');
  return {
    width,
    height,
    kind: isGroup ? 'group' : 'call',
    content,
    into,
    out: writeTexts.map((_, k) => middle(n + ops + k)),
  };
}
