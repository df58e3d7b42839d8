// Pictures of an iteration: the memory of each operand, coloured by logical index, and the walk through it.
import * as stria from './stria.js';
import { cut, groups, merging } from './reasons.js';
import { element, fillTrack, svg } from './results.js';

const CELL = 26;
const GAP = 3;
const PITCH = CELL + GAP;
const MOST_CELLS = 480; // of one drawing
const ROW = 20; // cells of a row of memory, at most

const sizeOf = Object.fromEntries(stria.dtypes.map(({ name, size }) => [name, size]));

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

// One cell of memory: its number, a colour by the logical index of what it holds, how often it is read.
function cellShape(cell, x, y, { shade, times }) {
  const shape = svg(
    'g',
    { class: times ? 'cell' : 'cell gap', transform: `translate(${x} ${y})` },
    svg('rect', { width: CELL, height: CELL, rx: 4 }),
    svg('text', { x: CELL / 2, y: CELL / 2 }, String(cell)),
  );
  shape.style.setProperty('--shade', `${Math.round(shade * 100)}%`);
  if (times > 1) shape.append(svg('text', { class: 'times', x: CELL - 2, y: 6 }, `×${times}`));
  return shape;
}

// Per cell: how many positions touch it, and where the first of these is in row-major order of the common shape, 0 to 1.
function uses(cells, total, order) {
  const found = Array.from({ length: total }, () => ({ times: 0, shade: 1 }));
  cells.forEach((cell, position) => {
    found[cell].times++;
    found[cell].shade = Math.min(found[cell].shade, order[position] / Math.max(order.length - 1, 1));
  });
  return found;
}

/** Cells in rows, numbered; show(position) marks where the walk is. */
function grid({ title, note, steps = [] }, cells, order, total, columns, breaks, run) {
  const rows = Math.ceil(total / columns);
  const x = (cell) => (cell % columns) * PITCH;
  const y = (cell) => {
    const line = Math.floor(cell / columns);
    return line * PITCH + Math.floor(line / breaks) * 10;
  };
  const width = Math.min(columns, total) * PITCH - GAP;
  const height = y((rows - 1) * columns) + CELL;
  const shapes = uses(cells, total, order).map((use, cell) => cellShape(cell, x(cell), y(cell), use));
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
    element(
      'figcaption',
      {},
      element('b', { textContent: title }),
      element('span', { textContent: note }),
      ...(steps.length ? [stepList(steps)] : []),
    ),
    element('div', { className: 'scroll' }, drawing),
  );
  return { figure, show };
}

// Where a step along each axis leads: on, back, or nowhere.
function stepList(steps) {
  const arrow = (step) => (step === 0 ? '↻' : step < 0 ? '←' : '→');
  const words = (step) =>
    step === 0 ? 'repeats' : `${Math.abs(step)} ${Math.abs(step) === 1 ? 'cell' : 'cells'}`;
  return element(
    'ul',
    { className: 'steps' },
    ...steps.map(([axis, step]) =>
      element(
        'li',
        { className: step < 0 ? 'back' : '' },
        element('span', { textContent: `axis ${axis}` }),
        element('i', { textContent: arrow(step), ariaHidden: 'true' }),
        element('span', { textContent: step < 0 ? `${words(step)} back` : words(step) }),
      ),
    ),
  );
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
  stop();
  const dtypes = [found.resultDType, ...operands.map(({ dtype }) => dtype)];
  const parts = [merging(found)];
  const isSmall = found.numel <= MOST_CELLS;
  const walks = isSmall && found.numel > 0 ? touched(found, dtypes) : [];
  const extents = walks.map((cells) => Math.max(...cells) + 1);
  if (walks.length === 0 || extents.some((extent) => extent > MOST_CELLS)) {
    const why =
      found.numel === 0
        ? 'Nothing to walk: there are no elements.'
        : 'Too many elements to draw; the table holds for any size.';
    host.replaceChildren(...parts, element('p', { className: 'hint', textContent: why }), cut(found));
    return;
  }
  const grids = drawGrids(found, operands, dtypes, walks, extents);
  host.replaceChildren(
    ...parts,
    walker(op, found, grids),
    element('div', { className: 'memories' }, ...grids.map(({ figure }) => figure)),
    cut(found),
  );
}

function drawGrids(found, operands, dtypes, walks, extents) {
  const { shape, axes } = found;
  const run = found.dims[0]?.size ?? 1;
  const order = logical(found);
  const columns = shape.at(-1) ?? 1;
  const space = {
    title: `Index space ${`[${shape.join(', ')}]`}`,
    note: 'in row-major order, coloured by index',
  };
  const grids = [grid(space, order, order, found.numel, columns, shape.at(-2) ?? 1, run)];
  found.operands.forEach((name, k) => {
    const size = sizeOf[dtypes[k]];
    const own = k === 0 ? shape : operands[k - 1].shape;
    const steps = axes
      .filter((axis) => axis.size > 1)
      .map(({ axis, strideBytes }) => [axis, strideBytes[k] / size]);
    const title = `Memory of ${name}`;
    const note = `${dtypes[k]} [${own.join(', ')}], ${bytes(size)} a cell`;
    const width = rowLength(
      extents[k],
      steps.map(([, step]) => step),
    );
    grids.push(grid({ title, note, steps }, walks[k], order, extents[k], width, Infinity, run));
  });
  return grids;
}

// ---- moving through the walk

let timer = 0; // of the walk that is being played

function stop() {
  clearInterval(timer);
  timer = 0;
}

const LONGEST = 10000; // ms that a whole walk takes, at most
const STEP = 140; // ms for a position, at most

// The slider that moves through the walk, and buttons that move it.
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
  const label = element(
    'label',
    { className: 'slider walker' },
    element('span', { textContent: `Walk of ${op}` }),
    output,
    input,
  );
  const move = (position) => {
    input.value = position % found.numel;
    show();
  };
  return element('div', { className: 'walk-bar' }, label, ...walkButtons(found, input, move));
}

function walkButtons(found, input, move) {
  const run = found.dims[0]?.size ?? 1;
  const here = () => Number(input.value);
  const button = (textContent, id) =>
    element('button', { type: 'button', className: 'button', textContent, id });
  const next = button('Next run', 'walk-next');
  next.addEventListener('click', () => move((Math.floor(here() / run) + 1) * run));
  // nothing moves by itself for those who asked for less motion
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return [next];
  const play = button('Play', 'walk-play');
  const rest = () => {
    stop();
    play.textContent = 'Play';
  };
  play.addEventListener('click', () => {
    if (timer) return rest();
    if (here() === found.numel - 1) move(0);
    play.textContent = 'Pause';
    const pace = Math.min(STEP, LONGEST / found.numel);
    timer = setInterval(() => (here() < found.numel - 1 ? move(here() + 1) : rest()), pace);
  });
  return [play, next];
}
