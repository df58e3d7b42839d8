// Pictures of an iteration: how axes were merged, and the walk through the memory of each operand, position by position.
import * as stria from './stria.js';
import { element, fillTrack, svg } from './results.js';

const CELL = 26;
const GAP = 3;
const PITCH = CELL + GAP;
const MOST_CELLS = 480; // of one drawing
const ROW = 20; // cells of a row of memory, at most

const sizeOf = Object.fromEntries(stria.dtypes.map(({ name, size }) => [name, size]));

// ---- what was merged into what

/**
 * The axes of the common shape, fastest first, in groups that the loop walks as one dim. An axis has size and, per operand,
 * strideBytes (null for size 1, where a stride means nothing).
 */
export function groups(found) {
  const order = found.permutation ?? found.shape.map((_, k) => found.shape.length - 1 - k);
  const count = found.operands.length;
  const result = found.dims.map(() => []);
  let group = 0;
  let walked = 1; // elements of the axes in this group so far
  for (const axis of order) {
    const size = found.shape[axis];
    const isFull = () => walked === found.dims[group]?.size && size !== 1;
    if (isFull() && group + 1 < result.length) [group, walked] = [group + 1, 1];
    const strides = found.dims[group]?.strideBytes ?? new Array(count).fill(0);
    const strideBytes = size === 1 ? new Array(count).fill(null) : strides.map((stride) => stride * walked);
    (result[group] ??= []).push({ axis, size, strideBytes });
    walked *= size;
  }
  return result.filter((axes) => axes.length > 0);
}

function dimsTable(found) {
  const merged = groups(found);
  const axes = merged.flat();
  const cell = (name, text, className = '') => element(name, { textContent: text, className });
  const tint = (k) => `group-${k % 2}${merged[k].length > 1 ? ' merged' : ''}`;
  const spread = merged.flatMap((group, k) =>
    group.map((axis, j) => [axis, `${tint(k)}${j === 0 ? ' first' : ''}`]),
  );
  const head = (text) => element('th', { scope: 'row', textContent: text });
  const loop = element('tr', { className: 'loop' }, head('Loop'));
  merged.forEach((group, k) => {
    const size = found.dims[k]?.size ?? 1;
    const words = group.length > 1 ? `${size}, merged` : String(size);
    loop.append(element('td', { colSpan: group.length, textContent: words, className: `${tint(k)} first` }));
  });
  const row = (title, value) =>
    element('tr', {}, head(title), ...spread.map(([axis, className]) => cell('td', value(axis), className)));
  const rows = [row('Axis', ({ axis }) => axis), row('Size', ({ size }) => size), loop];
  found.operands.forEach((name, k) =>
    rows.push(row(`${name}, bytes`, ({ strideBytes }) => strideBytes[k] ?? '–')),
  );
  const caption = element('caption', {
    textContent: axes.length ? 'Byte strides, fastest axis first' : 'No axes: one element',
  });
  return element(
    'div',
    { className: 'scroll' },
    element('table', { className: 'dims' }, caption, element('tbody', {}, ...rows)),
  );
}

// ---- the walk

// Index along every loop dim at a position.
function indexAt(found, position) {
  return found.dims.map(({ size }) => {
    const index = position % size;
    position = (position - index) / size;
    return index;
  });
}

// Cells that each operand touches at each position, counted from the lowest one, in its own elements.
function touched(found, dtypes) {
  const steps = found.operands.map((_, k) =>
    found.dims.map(({ strideBytes }) => strideBytes[k] / sizeOf[dtypes[k]]),
  );
  return steps.map((strides) => {
    const cells = Array.from({ length: found.numel }, (_, position) =>
      indexAt(found, position).reduce((at, index, d) => at + index * strides[d], 0),
    );
    const lowest = Math.min(...cells);
    return cells.map((cell) => cell - lowest);
  });
}

// Position in row-major order of the common shape, at each position of the walk.
function logical(found) {
  const weights = found.shape.map((_, axis) =>
    found.shape.slice(axis + 1).reduce((product, size) => product * size, 1),
  );
  const axes = groups(found);
  return Array.from({ length: found.numel }, (_, position) =>
    indexAt(found, position).reduce((at, index, d) => {
      for (const { axis, size } of axes[d]) {
        at += (index % size) * weights[axis];
        index = Math.floor(index / size);
      }
      return at;
    }, 0),
  );
}

// Cells to a row: a stride of the operand if one is handy, so that rows of the tensor are rows of the drawing.
function rowLength(total, strides) {
  if (total <= 12) return total;
  const handy = strides.map(Math.abs).filter((stride) => stride > 3 && stride <= ROW);
  return handy.length ? Math.min(...handy) : Math.min(total, 16);
}

/** Cells in rows, numbered; show(position) marks where the walk is. */
function grid(title, note, cells, total, columns, breaks, run) {
  const rows = Math.ceil(total / columns);
  const x = (cell) => (cell % columns) * PITCH;
  const y = (cell) => {
    const line = Math.floor(cell / columns);
    return line * PITCH + Math.floor(line / breaks) * 10;
  };
  const width = Math.min(columns, total) * PITCH - GAP;
  const height = y((rows - 1) * columns) + CELL;
  const used = new Set(cells);
  const shapes = Array.from({ length: total }, (_, cell) =>
    svg(
      'g',
      { class: used.has(cell) ? 'cell' : 'cell gap', transform: `translate(${x(cell)} ${y(cell)})` },
      svg('rect', { width: CELL, height: CELL, rx: 4 }),
      svg('text', { x: CELL / 2, y: CELL / 2 }, String(cell)),
    ),
  );
  const path = svg('path', { class: 'walk' });
  const drawing = svg(
    'svg',
    {
      viewBox: `-4 -4 ${width + 8} ${height + 8}`,
      width: width + 8,
      height: height + 8,
      role: 'img',
      'aria-label': `${title}: ${note}`,
    },
    ...shapes,
    path,
  );
  const seen = new Array(total).fill(Infinity); // position at which a cell is first touched
  cells.forEach((cell, position) => (seen[cell] = Math.min(seen[cell], position)));
  const show = (position) => {
    shapes.forEach((shape, cell) => {
      shape.classList.toggle('done', seen[cell] < position && cell !== cells[position]);
      shape.classList.toggle('now', cell === cells[position]);
    });
    const start = position - (position % run);
    const line = cells.slice(start, start + run).map((cell) => [x(cell) + CELL / 2, y(cell) + CELL / 2]);
    path.setAttribute('d', walkPath(line));
  };
  const figure = element(
    'figure',
    { className: 'memory' },
    element('figcaption', {}, element('b', { textContent: title }), element('span', { textContent: note })),
    element('div', { className: 'scroll' }, drawing),
  );
  return { figure, show };
}

// A line through the cells of one inner run, with an arrow head at its end; a ring where the run stays in one cell.
function walkPath(points) {
  const [first, last] = [points[0], points.at(-1)];
  const before = points.findLast(([px, py]) => px !== last[0] || py !== last[1]);
  if (!before) return `M${first[0] - 8} ${first[1]}a8 8 0 1 1 0 .1`;
  const angle = Math.atan2(last[1] - before[1], last[0] - before[0]);
  const wing = (turn) => `${last[0] - 7 * Math.cos(angle + turn)} ${last[1] - 7 * Math.sin(angle + turn)}`;
  return `M${points.map((point) => point.join(' ')).join('L')}M${wing(0.5)}L${last.join(' ')}L${wing(-0.5)}`;
}

function bytes(count) {
  return count === 1 ? '1 byte' : `${count} bytes`;
}

// ---- all of it

export function draw(host, op, found, operands) {
  const dtypes = [found.resultDType, ...operands.map(({ dtype }) => dtype)];
  const parts = [dimsTable(found)];
  const isSmall = found.numel <= MOST_CELLS;
  const walks = isSmall && found.numel > 0 ? touched(found, dtypes) : [];
  const extents = walks.map((cells) => Math.max(...cells) + 1);
  if (walks.length === 0 || extents.some((extent) => extent > MOST_CELLS)) {
    const why =
      found.numel === 0
        ? 'Nothing to walk: there are no elements.'
        : 'Too many elements to draw; the table holds for any size.';
    host.replaceChildren(...parts, element('p', { className: 'hint', textContent: why }));
    return;
  }
  const run = found.dims[0]?.size ?? 1;
  const shape = found.shape;
  const columns = shape.at(-1) ?? 1;
  const grids = [
    grid(
      `Index space ${`[${shape.join(', ')}]`}`,
      'in row-major order',
      logical(found),
      found.numel,
      columns,
      shape.at(-2) ?? 1,
      run,
    ),
  ];
  found.operands.forEach((name, k) => {
    const { shape: own, strides } = k === 0 ? { shape, strides: [] } : operands[k - 1];
    const steps = k === 0 ? found.dims.map(({ strideBytes }) => strideBytes[0] / sizeOf[dtypes[0]]) : strides;
    const note = `${dtypes[k]} [${own.join(', ')}], ${bytes(sizeOf[dtypes[k]])} a cell`;
    const all = extents[k];
    grids.push(
      grid(
        `Memory of ${name}`,
        note,
        walks[k],
        all,
        k === 0 ? Math.min(all, columns) : rowLength(all, steps),
        Infinity,
        run,
      ),
    );
  });
  parts.push(
    walker(op, found, grids),
    element('div', { className: 'memories' }, ...grids.map(({ figure }) => figure)),
  );
  host.replaceChildren(...parts);
}

// The slider that moves through the walk.
function walker(op, found, grids) {
  const input = element('input', {
    type: 'range',
    min: 0,
    max: found.numel - 1,
    step: 1,
    value: 0,
    id: 'walk',
  });
  const output = element('span', { className: 'value', ariaHidden: 'true' });
  const show = () => {
    const position = Number(input.value);
    const index = indexAt(found, position);
    output.textContent = `${position + 1} of ${found.numel}, loop index ${index.length ? index.join(', ') : '0'}`;
    input.setAttribute('aria-valuetext', output.textContent);
    fillTrack(input);
    for (const grid of grids) grid.show(position);
  };
  input.addEventListener('input', (event) => {
    event.stopPropagation();
    show();
  });
  show();
  return element(
    'label',
    { className: 'slider walker' },
    element('span', { textContent: `Walk of ${op}` }),
    output,
    input,
  );
}
