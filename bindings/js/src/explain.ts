// stria/explain: a program as a picture. Apart from the rest of the package: a page that draws none does not download it.
import { refuse } from './abi.js';
import { print } from './arguments.js';
import type { Explanation } from './explanation.js';
import {
  boxOf,
  bundlesOf,
  centred,
  escape,
  moved,
  pill,
  shorten,
  small,
  tag,
  textOf,
  tints,
  widthOf,
  wireLine,
  type Drawn,
} from './explain_boxes.js';
import { layersOf, layOut, type Point, type Wire } from './explain_layout.js';
import { OP, readExplanation, type Blocks, type Program, type Step, type Tensor } from './explain_read.js';
import { namesOf, readOptions } from './options.js';

/** Of explainSvg. */
export interface ExplainSvgOptions {
  /** What is drawn: the steps of a replay, with the ops that run as one in a frame; or the calls as they were recorded. Default: 'groups'. */
  of?: 'groups' | 'nodes';
  /** A line above the picture. */
  title?: string;
  /**
   * 'own': light or dark by the system's setting, on paper of its own. 'page': in the colour of the text around it, on nothing; there is
   * no style element then, so that a strict policy lets it in. Default: 'own'.
   */
  colours?: 'own' | 'page';
}

const optionNames = namesOf<ExplainSvgOptions>({ of: 'of', title: 'title', colours: 'colours' });

const MARGIN = 16;
const BAR = 260;
const MOST_SPAN = 4; // layers that a wire leads over; what comes from further above is a box with a name
const style =
  '.stria-program{color:#1c1a18;background:#faf9f7}@media(prefers-color-scheme:dark){.stria-program{color:#edeae6;background:#161513}}';

// ---------------------------------------------------------------- what is connected to what

interface Placed extends Drawn {
  layer: number;
  align: number;
}
interface Link extends Wire {
  why: string;
}

/** Where a tensor was written last. */
interface Origin {
  step: number;
  bundle: number;
  text: string;
}

class Picture {
  readonly boxes: Placed[] = [];
  readonly links: Link[] = [];
  readonly #sources = new Map<string, number>();

  constructor(
    readonly steps: readonly Step[],
    blocks: readonly Blocks[],
  ) {
    const { origins, layers } = this.#order();
    const from: number[] = []; // boxes of steps
    steps.forEach((step, k) => {
      const { reads, writes } = step;
      const ins = bundlesOf(step, reads);
      const outs = bundlesOf(step, writes);
      const texts = ins.map(({ members: [first] }) => {
        const text = textOf(reads[first!]!);
        const origin = origins[k]![first!];
        return origin === undefined || origin.text === text ? '' : `as ${text}`;
      });
      const box = boxOf(
        step,
        k,
        step.isJoined ||
          steps[k - 1]?.isJoined === true ||
          blocks.some((block) => k >= block.from && k - block.from < block.steps),
        texts,
        outs.map(({ members }) =>
          this.#written(
            step,
            members.map((n) => writes[n]!),
          ),
        ),
      );
      // sources come before what reads them
      const wires = ins.map(({ members }, n) => {
        const origin = origins[k]![members[0]!];
        const isNear = origin !== undefined && layers[k]! - layers[origin.step]! <= MOST_SPAN;
        const source = isNear
          ? from[origin.step]!
          : this.#source(
              members.map((one) => reads[one]!),
              layers[k]! - 1,
              origin,
            );
        const out = this.boxes[source]!.out[isNear ? origin.bundle : 0]!;
        return { from: source, out, into: box.into[n]!, why: reads[members[0]!]!.why };
      });
      from.push(this.boxes.push({ ...box, layer: layers[k]!, align: 0.5 }) - 1);
      for (const wire of wires) this.links.push({ ...wire, to: from[k]! });
    });
    this.#results(from);
  }

  // Where each tensor that a step reads was written, and a layer for each step: one below those that it reads from, and where there are none,
  // right above the first that reads it. Layers between, and above the first one, are for what comes from outside.
  #order(): { origins: (Origin | undefined)[][]; layers: number[] } {
    const last = new Map<number, Origin>();
    const wires: { from: number; to: number }[] = [];
    const origins = this.steps.map((step, k) => {
      const found = step.reads.map(({ buffer }) => last.get(buffer));
      for (const origin of found) if (origin !== undefined) wires.push({ from: origin.step, to: k });
      bundlesOf(step, step.writes).forEach(({ members }, bundle) => {
        for (const n of members)
          last.set(step.writes[n]!.buffer, { step: k, bundle, text: textOf(step.writes[n]!) });
      });
      return found;
    });
    const layers = layersOf(this.steps.length, wires, 1);
    const lowest = new Map<number, number>();
    const fed = new Set(wires.map(({ to }) => to));
    for (const { from, to } of wires) lowest.set(from, Math.min(lowest.get(from) ?? Infinity, layers[to]!));
    for (const [k, reader] of lowest) if (!fed.has(k)) layers[k] = reader - 1;
    return { origins, layers };
  }

  #written(step: Step, tensors: readonly Tensor[]): string {
    const [first] = tensors;
    if (step.isOnce) return `${textOf(first!)}, made once`;
    if (tensors.length > 1) return `changes ${tensors.length} ${first!.of} tensors`;
    if (step.isJoined) return `${textOf(first!)}, tile by tile`;
    return first!.of === 'made' ? textOf(first!) : `changes ${nameOf(first!)}`;
  }

  // A box for what comes from outside, or from far above; steps of a layer share it.
  #source(tensors: readonly Tensor[], layer: number, origin: Origin | undefined): number {
    const [first] = tensors;
    const text =
      tensors.length > 1
        ? `${tensors.length} ${first!.of} tensors`
        : origin === undefined
          ? shorten(`${nameOf(first!)} ${textOf(first!)}`)
          : `from ${origin.step}`;
    const key = `${layer} ${tensors.map(({ buffer }) => buffer).join()} ${text}`;
    const known = this.#sources.get(key);
    if (known !== undefined) return known;
    const index = this.boxes.push({ ...pill(first!.of, text), layer, align: 1 }) - 1;
    this.#sources.set(key, index);
    return index;
  }

  #results(from: readonly number[]): void {
    const last = new Map<number, { step: number; bundle: number; isGradient: boolean }>();
    this.steps.forEach((step, k) =>
      bundlesOf(step, step.writes).forEach(({ members: [n] }, bundle) => {
        const { buffer, isResult, isGradient } = step.writes[n!]!;
        if (isResult || isGradient) last.set(buffer, { step: k, bundle, isGradient });
      }),
    );
    for (const { step, bundle, isGradient } of last.values()) {
      const box = this.boxes[from[step]!]!;
      const to =
        this.boxes.push({
          ...pill('result', isGradient ? 'gradient' : 'result'),
          layer: box.layer + 1,
          align: 0,
        }) - 1;
      this.links.push({
        from: from[step]!,
        to,
        out: box.out[bundle]!,
        into: this.boxes[to]!.into[0]!,
        why: '',
      });
    }
  }
}

const nameOf = ({ of, buffer, value }: Tensor): string => (of === 'number' ? value : `${of} ${buffer}`);

// ---------------------------------------------------------------- what stands below

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
function bytesText(count: number): string {
  let unit = 0;
  for (; count >= 1000 && unit < units.length - 1; unit++) count /= 1000;
  return `${unit === 0 || count >= 100 ? Math.round(count) : Math.round(count * 10) / 10} ${units[unit]}`;
}

interface Note {
  height: number;
  width: number;
  content: string;
}

function memoryNote({ bytes: { recorded, planned, arena }, blocks }: Program): Note {
  const most = Math.max(recorded, planned, 1);
  const bar = (y: number, title: string, count: number, inner: number, tint: string): string =>
    tag('text', { x: 0, y: y + 9, ...small }, title) +
    tag('rect', {
      x: 72,
      y,
      width: (BAR * count) / most,
      height: 10,
      rx: 2,
      fill: tint,
      'fill-opacity': '0.45',
    }) +
    tag('rect', { x: 72, y, width: (BAR * Math.min(inner, count)) / most, height: 10, rx: 2, fill: tint }) +
    tag('text', { x: 72 + (BAR * count) / most + 8, y: y + 9, 'font-size': 11 }, bytesText(count));
  const content =
    tag('text', { x: 0, y: 10, 'font-weight': 600 }, 'Most memory at a time') +
    bar(20, 'recorded', recorded, 0, tints.number) +
    bar(36, 'planned', planned, arena, tints.result) +
    tag(
      'text',
      { x: 72, y: 60, ...small },
      `${bytesText(arena)} of it in the arena, the rest in results${blocks.length > 0 ? ' and blocks' : ''}`,
    );
  return { height: 68, width: 72 + BAR + 70, content: moved([0, 0], 'memory', content) };
}

function blocksNote(blocks: readonly Blocks[]): Note {
  if (blocks.length === 0) return { height: 0, width: 0, content: '' };
  const texts = blocks.map(({ from, steps, dims, pieces, slices, why }) => {
    const of = `${pieces} pieces of at most ${slices} slices of ${dims === 1 ? 'the first dim' : `${dims} dims`}`;
    return shorten(`${from} to ${from + steps - 1}: ${of}${why === '' ? '' : `; then ${why}`}`, 120);
  });
  const lines = texts.map(
    (text, k) =>
      tag('rect', { x: 6, y: 20 + 19 * k, width: 3, height: 14, fill: tints.block }) +
      tag('text', { x: 24, y: 30 + 19 * k, 'font-size': 11 }, escape(text)),
  );
  const content =
    tag('text', { x: 0, y: 10, 'font-weight': 600 }, 'Run together, block by block') + lines.join('');
  const width = Math.max(...texts.map((text) => widthOf(text, 6.7))) + 24;
  return { height: 24 + 19 * blocks.length, width, content: moved([0, 0], 'blocks', content) };
}

function reasonsNote(reasons: readonly string[]): Note {
  if (reasons.length === 0) return { height: 0, width: 0, content: '' };
  const lines = reasons.map((why, k) =>
    moved(
      [8, 26 + 19 * k],
      'reason',
      badge(k + 1) + tag('text', { x: 16, y: 4, 'font-size': 11 }, escape(shorten(why, 120))),
    ),
  );
  const content = tag('text', { x: 0, y: 10, 'font-weight': 600 }, 'Why a group ends there') + lines.join('');
  const width = Math.max(...reasons.map((why) => widthOf(shorten(why, 120), 6.7))) + 24;
  return { height: 24 + 19 * reasons.length, width, content: moved([0, 0], 'reasons', content) };
}

// A small number in a circle.
const badge = (n: number): string =>
  tag('circle', { r: 7.5, fill: tints.input }) +
  centred(0, 3.5, String(n), { 'font-size': n > 99 ? 7 : n > 9 ? 8 : 10, fill: '#fff', 'font-weight': 600 });

// ---------------------------------------------------------------- all of it

function summaryOf({ counts, steps }: Program, of: 'groups' | 'nodes'): string {
  const some = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
  const gradients = counts.gradients > 0 ? `, ${some(counts.gradients, 'gradient')}` : '';
  const numbers = counts.numbers > 0 ? `, ${some(counts.numbers, 'number')} of each run` : '';
  const ends = `${some(counts.inputs, 'input')}, ${some(counts.results, 'result')}${gradients}${numbers}`;
  const calls = some(counts.calls, 'call');
  return `${of === 'nodes' ? `${calls} as recorded` : `${calls} in ${some(steps.length, 'step')}`}; ${ends}`;
}

function drawWires(picture: Picture, paths: readonly Point[][]): { content: string; reasons: string[] } {
  const reasons: string[] = [];
  const lines: string[] = [];
  const badges: string[] = [];
  picture.links.forEach(({ why }, k) => {
    const points = paths[k]!;
    lines.push(wireLine(points));
    if (why === '') return;
    if (!reasons.includes(why)) reasons.push(why);
    const [x, y] = points.at(-1)!;
    const n = reasons.indexOf(why) + 1;
    badges.push(moved([x, y - 12], 'why', tag('title', {}, escape(why)) + badge(n)));
  });
  return { content: lines.join('\n') + '\n' + badges.join('\n'), reasons };
}

/**
 * A picture of a program, as the text of an SVG file: steps, groups as frames around their ops, what is read and written, why each group
 * ended, and the most memory at a time before and after. The same explanation gives the same text.
 *
 *     document.querySelector('figure').innerHTML = explainSvg(step.explain(), { colours: 'page' });
 *
 * `explanation` is what explain() gives, or the same from a file of JSON: it is checked, and all texts of it are escaped.
 */
export function explainSvg(explanation: Explanation, options?: ExplainSvgOptions): string {
  const { of = 'groups', title = '', colours = 'own' } = readOptions(OP, options, optionNames);
  if (of !== 'groups' && of !== 'nodes') refuse('ERR_ARGUMENT', OP, 'of', "'groups' or 'nodes'", print(of));
  if (colours !== 'own' && colours !== 'page')
    refuse('ERR_ARGUMENT', OP, 'colours', "'own' or 'page'", print(colours));
  if (typeof title !== 'string') refuse('ERR_ARGUMENT', OP, 'title', 'a string', print(title));
  const program = readExplanation(explanation, of);
  const picture = new Picture(program.steps, program.blocks);
  const layout = layOut(picture.boxes, picture.links, { across: 22, down: 46 });
  const wires = drawWires(picture, layout.paths);
  const summary = summaryOf(program, of);
  const heading = shorten(title, 120);
  const notes = [memoryNote(program), blocksNote(program.blocks), reasonsNote(wires.reasons)];
  const widest = Math.max(
    layout.width,
    widthOf(summary, 6.7),
    widthOf(heading),
    ...notes.map(({ width }) => width),
  );
  const width = widest + 2 * MARGIN;
  let y = MARGIN;
  const parts: string[] = [tag('title', {}, escape(heading === '' ? summary : `${heading}: ${summary}`))];
  if (colours === 'own') parts.push(tag('style', {}, style));
  if (heading !== '')
    (parts.push(tag('text', { x: MARGIN, y: y + 11, 'font-weight': 600 }, escape(heading))), (y += 19));
  parts.push(tag('text', { x: MARGIN, y: y + 10, ...small }, escape(summary)));
  y += 28;
  const boxes = picture.boxes.map(({ kind, content }, k) => moved(layout.at[k]!, kind, content));
  parts.push(moved([(width - layout.width) / 2, y], 'steps', `\n${wires.content}\n${boxes.join('\n')}\n`));
  y += layout.height + 30;
  for (const { height, content } of notes.filter((note) => note.height > 0)) {
    parts.push(moved([MARGIN, y], 'note', content));
    y += height + 14;
  }
  const size = { width, height: y, viewBox: `0 0 ${Math.round(width * 10) / 10} ${Math.round(y * 10) / 10}` };
  const font = {
    'font-family': 'ui-monospace, SF Mono, DejaVu Sans Mono, Menlo, Consolas, monospace',
    'font-size': 12,
  };
  const root = {
    xmlns: 'http://www.w3.org/2000/svg',
    class: 'stria-program',
    role: 'img',
    ...size,
    ...font,
    fill: 'currentColor',
  };
  return tag('svg', root, `\n${parts.join('\n')}\n`) + '\n';
}
