// The iterator explorer: reads operands from the form, asks the library what it would do, and shows it.
import * as stria from './stria.js';
import { draw } from './drawing.js';
import { paths } from './reasons.js';
import { element } from './results.js';

const $ = (id) => document.getElementById(id);
const names = ['a', 'b', 'c'];

const examples = {
  Broadcast: {
    op: 'add',
    operands: [
      ['[3, 1, 5]', 'float32'],
      ['[1, 4, 5]', 'float32'],
    ],
  },
  'All contiguous': {
    op: 'mul',
    operands: [
      ['[2, 3, 4]', 'float32'],
      ['[2, 3, 4]', 'float32'],
    ],
  },
  'Transposed with row-major': {
    op: 'add',
    operands: [
      ['[6, 4]', 'float32', '[1, 6]'],
      ['[6, 4]', 'float32'],
    ],
  },
  'Transposed plus a row': {
    op: 'add',
    operands: [
      ['[6, 4]', 'float32', '[1, 6]'],
      ['[4]', 'float32'],
    ],
  },
  'Two transposed alike': {
    op: 'add',
    operands: [
      ['[6, 4]', 'float32', '[1, 6]'],
      ['[6, 4]', 'float32', '[1, 6]'],
    ],
  },
  'Channels last plus a bias': {
    op: 'add',
    operands: [
      ['[2, 3, 2, 4]', 'float32', '[24, 1, 12, 3]'],
      ['[3, 1, 1]', 'float32'],
    ],
  },
  Flipped: {
    op: 'add',
    operands: [
      ['[4, 6]', 'float32', '[-6, -1]'],
      ['[4, 6]', 'float32'],
    ],
  },
  'A slice that keeps axes apart': {
    op: 'mul',
    operands: [
      ['[2, 3, 4]', 'float32', '[18, 6, 1]'],
      ['[2, 3, 4]', 'float32'],
    ],
  },
  'Pixels times white balance': {
    op: 'mul',
    operands: [
      ['[3, 4, 3]', 'uint8'],
      ['[3]', 'float32'],
    ],
  },
  'Every second, backwards': {
    op: 'sub',
    operands: [
      ['[4, 5]', 'int16', '[10, -2]'],
      ['[4, 5]', 'float16'],
    ],
  },
  'Row and column': {
    op: 'pow',
    operands: [
      ['[5, 1]', 'float64'],
      ['[6]', 'int32'],
    ],
  },
  'Select by a mask': {
    op: 'where',
    operands: [
      ['[4, 1]', 'bool'],
      ['[4, 6]', 'uint8'],
      ['[6]', 'int64'],
    ],
  },
  'Cut over threads': {
    op: 'mul',
    operands: [
      ['[1024, 1024]', 'float32'],
      ['[1024]', 'float32'],
    ],
  },
  'One operand': { op: 'sqrt', operands: [['[4, 3, 2]', 'uint8', '[2, 8, 1]']] },
  'Shapes that do not fit': {
    op: 'add',
    operands: [
      ['[2, 3]', 'float32'],
      ['[4]', 'float32'],
    ],
  },
  'A dtype without meaning': {
    op: 'bitwiseAnd',
    operands: [
      ['[4]', 'float32'],
      ['[4]', 'int32'],
    ],
  },
};

const operations = Object.keys(stria.opNumbers);
const arity = (op) => stria.opArities[stria.opNumbers[op]];

// ---- the form

function field(label, input) {
  return element('label', { className: 'choice' }, element('span', { textContent: label }), input);
}

function choices(select, list) {
  select.replaceChildren(...list.map((value) => element('option', { value, textContent: value })));
}

function operandRow(name, [shape, dtype, strides = '']) {
  const text = (part, value, placeholder) =>
    element('input', { type: 'text', name: `${part}-${name}`, value, placeholder, spellcheck: false });
  const select = element('select', { name: `dtype-${name}` });
  choices(
    select,
    stria.dtypes.map((row) => row.name),
  );
  select.value = dtype;
  return element(
    'fieldset',
    { className: 'operand' },
    element('legend', { textContent: name }),
    field('Shape', text('shape', shape, '[2, 3]')),
    field('dtype', select),
    field('Strides', text('strides', strides, 'row-major')),
  );
}

// As many rows as the operation has inputs; rows that stay keep what was typed.
function layRows(op, operands) {
  const rows = $('operand-rows');
  const wanted = names.slice(0, arity(op));
  const form = $('operands').elements;
  const present = (name) =>
    form[`shape-${name}`] && [
      form[`shape-${name}`].value,
      form[`dtype-${name}`].value,
      form[`strides-${name}`].value,
    ];
  const values = wanted.map((name, k) => operands?.[k] ?? present(name) ?? ['[3]', 'float32']);
  rows.replaceChildren(...wanted.map((name, k) => operandRow(name, values[k])));
}

function readList(input, what) {
  const text = input.value
    .trim()
    .replace(/^[[(]|[\])]$/g, '')
    .trim();
  const list =
    text === ''
      ? []
      : text
          .replace(/,$/, '')
          .split(/[\s,x×]+/)
          .map((part) => Number(part.replace('−', '-')));
  const isGood = list.every(Number.isSafeInteger);
  input.setAttribute('aria-invalid', String(!isGood));
  if (!isGood)
    throw new TypeError(`${what} "${input.value}" is not a list of whole numbers such as [3, 1, 5].`);
  return list;
}

// A tensor as the row says. Negative strides are made as anyone would: by flipping.
function makeOperand(name) {
  const form = $('operands').elements;
  const shape = readList(form[`shape-${name}`], `Shape of ${name}:`);
  const strides = readList(form[`strides-${name}`], `Strides of ${name}:`);
  const dtype = form[`dtype-${name}`].value;
  if (form[`strides-${name}`].value.trim() === '') return stria.empty(shape, { dtype });
  const x = stria.emptyStrided(shape, strides.map(Math.abs), { dtype });
  const reversed = strides.flatMap((stride, axis) => (stride < 0 ? [axis] : []));
  return reversed.length ? x.flip(reversed) : x;
}

// ---- the words

function list(numbers) {
  return `[${numbers.join(', ')}]`;
}

function fact(term, value, note = '') {
  const detail = element('dd', { textContent: value });
  if (note) detail.append(element('small', { textContent: note }));
  return element('div', {}, element('dt', { textContent: term }), detail);
}

const setups = {
  general: 'axes sorted by stride, then merged',
  contiguous: 'short cut: all operands row-major alike',
  'channels last': 'short cut: all operands channels-last alike',
  dense: 'short cut: all operands dense and in one order',
};

function loopNote({ shape, dims, isContiguous }) {
  if (isContiguous) return 'one gapless run';
  return dims.length < shape.length ? `${shape.length} axes became ${dims.length}` : 'no axes merge';
}

function facts(found, operands) {
  const converted = operands.some((x) => x.dtype !== found.computeDType);
  const node = element(
    'dl',
    { className: 'facts' },
    fact('Common shape', list(found.shape), `${found.numel.toLocaleString('en')} elements`),
    fact(
      'Common dtype',
      found.commonDType,
      converted ? 'inputs convert block by block' : 'no input converts',
    ),
    fact(
      'Result',
      found.resultDType,
      found.computeDType === found.commonDType ? '' : `computed in ${found.computeDType}`,
    ),
    fact(
      'Permutation',
      found.permutation ? list(found.permutation) : 'none',
      found.permutation ? 'axes, fastest first' : 'nothing to reorder',
    ),
    fact('Set-up', found.setup, setups[found.setup]),
    fact('Loop', found.dims.map(({ size }) => size).join(' × ') || '1', loopNote(found)),
  );
  node.dataset.found = JSON.stringify(found);
  return node;
}

function explain() {
  const op = $('op').value;
  const problem = $('explorer-error');
  try {
    const [found, layouts] = stria.scope(() => {
      const operands = names.slice(0, arity(op)).map(makeOperand);
      const found = stria.inspect(op, ...operands);
      $('explorer-result').replaceChildren(facts(found, operands), paths(found));
      return [found, operands.map(({ shape, strides, dtype }) => ({ shape, strides, dtype }))];
    });
    draw($('explorer-drawing'), op, found, layouts);
    problem.hidden = true;
  } catch (error) {
    problem.hidden = false;
    problem.textContent = error.code ? `${error.name} (${error.code}): ${error.message}` : error.message;
    $('explorer-result').replaceChildren();
    $('explorer-drawing').replaceChildren();
  }
}

export function startExplorer() {
  choices($('example'), [...Object.keys(examples), 'Your own']);
  choices($('op'), operations);
  const show = (name) => {
    const { op, operands } = examples[name];
    $('op').value = op;
    layRows(op, operands);
  };
  show('Broadcast');
  explain();
  $('operands').addEventListener('submit', (event) => event.preventDefault());
  $('operands').addEventListener('input', ({ target }) => {
    if (target.id === 'example' && examples[target.value]) show(target.value);
    else if (target.id !== 'example') $('example').value = 'Your own';
    if (target.id === 'op') layRows(target.value);
    explain();
  });
}
