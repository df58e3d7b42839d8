// Boxes in layers, and wires between them, none of which passes through a box: what explain.ts draws. Wires lead to boxes with larger numbers.
// Orders and places come from means of neighbours, in a fixed number of passes, so that the same boxes are always drawn the same way.

export interface Box {
  width: number;
  height: number;
  layer: number;
  /** Where in a higher layer it is: 0 at the top, 1 at the bottom. Default: in the middle. */
  align?: number;
}

/** From a place of the lower edge of one box to a place of the upper edge of another one, counted from their left ends. */
export interface Wire {
  from: number;
  to: number;
  out: number;
  into: number;
}

export type Point = readonly [x: number, y: number];

export interface Layout {
  width: number;
  height: number;
  /** Upper left corner of each box. */
  at: Point[];
  /** Of each wire: ends of the vertical lines that curves connect, in turn. */
  paths: Point[][];
}

export interface Gaps {
  across: number;
  down: number;
}

/** Where a box is in its layer; of a wire that crosses a layer: a box that is no more than a line. */
interface Place {
  width: number;
  centre: number;
  weight: number;
  above: Link[];
  below: Link[];
}

/** A neighbour: its place, where on it the wire ends, and where here, counted from the centres. */
interface Link {
  place: Place;
  there: number;
  here: number;
}

const PASSES = 24;
const LINE = 10; // room of a wire between boxes

/** The layer below all layers that wires come from, if at least `least`. */
export function layersOf(count: number, wires: readonly Pick<Wire, 'from' | 'to'>[], least = 0): number[] {
  const layers = new Array<number>(count).fill(least);
  const into = new Map<number, number[]>();
  for (const { from, to } of wires) into.set(to, [...(into.get(to) ?? []), from]);
  for (let k = 0; k < count; k++)
    for (const from of into.get(k) ?? []) layers[k] = Math.max(layers[k]!, layers[from]! + 1);
  return layers;
}

function connect(above: Place, out: number, below: Place, into: number): void {
  above.below.push({ place: below, there: into, here: out });
  below.above.push({ place: above, there: out, here: into });
}

// Each wire as the places that it passes, its ends included.
function trace(wires: readonly Wire[], boxes: readonly Box[], places: Place[], rows: Place[][]): Place[][] {
  return wires.map(({ from, to, out, into }) => {
    const passed = [places[from]!];
    for (let layer = boxes[from]!.layer + 1; layer < boxes[to]!.layer; layer++) {
      const line: Place = { width: LINE, centre: 0, weight: 4, above: [], below: [] };
      rows[layer]!.push(line);
      passed.push(line);
    }
    passed.push(places[to]!);
    for (let k = 1; k < passed.length; k++)
      connect(
        passed[k - 1]!,
        k === 1 ? out - boxes[from]!.width / 2 : 0,
        passed[k]!,
        k === passed.length - 1 ? into - boxes[to]!.width / 2 : 0,
      );
    return passed;
  });
}

// Where a place would best be: the mean of what it is connected to.
function wanted(place: Place, links: readonly Link[]): number {
  if (links.length === 0) return place.centre;
  let sum = 0;
  for (const { place: other, there, here } of links) sum += other.centre + there - here;
  return sum / links.length;
}

// Puts the places of a row next to one another, each as near as can be to where it would best be (isotonic regression: neighbours that get
// into each other's way move as one, to their mean).
function put(row: readonly Place[], centres: readonly number[], across: number): void {
  const blocks: { mean: number; weight: number; count: number }[] = [];
  const shifts: number[] = [];
  row.forEach((place, k) => {
    const before = row[k - 1];
    shifts.push(before === undefined ? 0 : shifts[k - 1]! + (before.width + place.width) / 2 + across);
    let block = { mean: centres[k]! - shifts[k]!, weight: place.weight, count: 1 };
    for (let last = blocks.at(-1); last !== undefined && last.mean >= block.mean; last = blocks.at(-1)) {
      blocks.pop();
      const weight = last.weight + block.weight;
      const mean = (last.mean * last.weight + block.mean * block.weight) / weight;
      block = { mean, weight, count: last.count + block.count };
    }
    blocks.push(block);
  });
  let k = 0;
  for (const { mean, count } of blocks)
    for (let n = 0; n < count; n++, k++) row[k]!.centre = mean + shifts[k]!;
}

function arrange(rows: Place[][], across: number): void {
  for (const row of rows)
    put(
      row,
      row.map(() => 0),
      across,
    );
  for (let pass = 0; pass < PASSES; pass++) {
    const isDown = pass % 2 === 0;
    const isLate = pass >= PASSES - 8; // the order stays, and both sides count
    for (const row of isDown ? rows : [...rows].reverse()) {
      const centres = new Map(
        row.map((place) => {
          const side = isDown ? place.above : place.below;
          return [place, wanted(place, isLate ? [...place.above, ...place.below] : side)] as const;
        }),
      );
      if (!isLate) row.sort((a, b) => centres.get(a)! - centres.get(b)!);
      put(
        row,
        row.map((place) => centres.get(place)!),
        across,
      );
    }
  }
}

/** Places for all of them. */
export function layOut(boxes: readonly Box[], wires: readonly Wire[], { across, down }: Gaps): Layout {
  const rows: Place[][] = [];
  const tops: number[] = [];
  const heights: number[] = [];
  for (const { layer } of boxes) while (rows.length <= layer) rows.push([]);
  const places = boxes.map(({ width, layer }) => {
    const place: Place = { width, centre: 0, weight: 1, above: [], below: [] };
    rows[layer]!.push(place);
    return place;
  });
  const traced = trace(wires, boxes, places, rows);
  arrange(rows, across);
  boxes.forEach(({ height, layer }) => (heights[layer] = Math.max(heights[layer] ?? 0, height)));
  let y = 0;
  rows.forEach((_, layer) => {
    tops.push(y);
    y += (heights[layer] ??= 0) + (layer < rows.length - 1 ? down : 0);
  });
  const all = rows.flat();
  const left = all.reduce((least, { centre, width }) => Math.min(least, centre - width / 2), Infinity);
  const right = all.reduce((most, { centre, width }) => Math.max(most, centre + width / 2), -Infinity);
  const at = boxes.map(({ width, height, layer, align = 0.5 }, k): Point => {
    return [places[k]!.centre - width / 2 - left, tops[layer]! + (heights[layer]! - height) * align];
  });
  const paths = wires.map(({ from, to, out, into }, k) => {
    const points: Point[] = [];
    traced[k]!.forEach((place, n, { length }) => {
      const layer = boxes[from]!.layer + n;
      const [top, bottom] = [tops[layer]!, tops[layer]! + heights[layer]!];
      if (n === 0)
        points.push([at[from]![0] + out, at[from]![1] + boxes[from]!.height], [at[from]![0] + out, bottom]);
      else if (n === length - 1) points.push([at[to]![0] + into, top], [at[to]![0] + into, at[to]![1]]);
      else points.push([place.centre - left, top], [place.centre - left, bottom]);
    });
    return points;
  });
  return { width: all.length === 0 ? 0 : right - left, height: y, at, paths };
}
