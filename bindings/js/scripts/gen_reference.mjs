// docs/reference: a page for each row of the op tables, with the examples that the tests run, and an index by family. What a page says
// comes from the rows (ops.json), from lines of stria.h and docs/semantics.md that name the function, and from examples/reference.
import { readFileSync } from 'node:fs';
import { accuracyNotes } from './gen_accuracy.mjs';
import { examples } from './examples.mjs';
import { cText, headerPageText, javascriptText } from './gen_by_hand.mjs';
import { methodSignatures, parametersOf, signature } from './gen_functions.mjs';

const project = new URL('../../../', import.meta.url);
const read = (path) => readFileSync(new URL(path, project), 'utf8');

const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
// With a capital where it begins with a word, not with a formula or a name.
const sentence = (text) =>
  `${/^[a-z]{2,}(?![a-z]*[(_\d[=])/.test(text) ? text[0].toUpperCase() + text.slice(1) : text}.`;

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows.map((row) => row.map(cell))]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');

// ---------------------------------------------------------------- what the rows say by words

const sets = {
  ALL: 'bool, integers and floats',
  NUM: 'integers and floats',
  INT: 'integers',
  BITS: 'bool and integers',
  FLOAT: 'floats; bool and integers become float32 first',
  SUM: 'bool, integers and floats; bool and integers as int64 (uint64 for uint64)',
  BOOL: 'every dtype, as truth values',
};
const resultTexts = {
  COMMON: 'the common dtype of the inputs',
  FLOAT: 'the dtype of the first input; float32 for integers and bool',
  FLOATS: 'the common dtype of the inputs; float32 for integers and bool',
  BOOL: 'bool',
  SELECT: 'the common dtype of the second and third input; the first is a condition, bool',
  SAME: 'the dtype of the first input',
  WIDE: 'int64 for bool and integers (uint64 for uint64), else the dtype of the first input',
  TRUTH: 'bool; uint8 for uint8',
  INDEX: 'int64',
  PART: 'the dtype of the first input, of complex that of its parts',
  REAL: 'the dtype of the first input, of complex that of its parts; float32 for integers and bool',
  PAIR: 'complex64 of float32, complex128 of float64',
  COUNT: 'int64; with weights float32 if they are, else float64',
  EACH: 'that of the tensor of the list in its place',
  F32: 'float32, unless `dtype` says otherwise',
  VALUE: 'that of the number, unless `dtype` says otherwise',
};
const resultText = (word) => resultTexts[word] ?? word;

const isTensorKind = {
  IN: true,
  BASE: true,
  OPERAND: true,
  OPTIONAL: true,
  LIST: true,
  UPDATED: true,
  UPDATED_OR_NONE: true,
};

// What may be wrong with the parameters of a row, by their kinds.
function errorsOf({ tensors, attributes, outputs, set }) {
  const kinds = new Set([...tensors, ...attributes].map(({ kind }) => kind));
  const count =
    tensors.filter(({ kind }) => isTensorKind[kind]).length +
    (kinds.has('LIST') || kinds.has('UPDATED') ? 1 : 0);
  const isView = outputs.length > 0 && outputs.every(({ kind }) => kind === 'VIEW' || kind === 'TENSORS');
  const isAny = (...names) => names.some((name) => kinds.has(name));
  return [
    ['ERR_ARGUMENT', count > 0 || isAny('WORD', 'TEXT', 'INT', 'NUMBER', 'SCALAR', 'INTS', 'INT_LIST')],
    ['ERR_SHAPE', count > 1 || isAny('SHAPE', 'INT_LIST')],
    ['ERR_AXIS', isAny('AXIS', 'AXES')],
    ['ERR_DTYPE', !isView || set !== undefined],
    ['ERR_DEVICE', count > 1],
    ['ERR_OVERLAP', !isView],
    ['ERR_MEMORY', true],
  ]
    .filter(([, may]) => may)
    .map(([code]) => code);
}

// ---------------------------------------------------------------- what other files say of a function

// The lines of the comments of stria.h that begin with names of functions: { names, text }.
function headerLines(order) {
  const found = [];
  const lines = read('src/core/stria.h').split('\n');
  const expand = (words) => {
    const range = /^(\w+), (\w+) \.\. (\w+)$|^(\w+) \.\. (\w+)$/.exec(words);
    if (!range) return words.split(/, /).map((word) => word.trim());
    const [first, last] = [range[1] ?? range[4], range[3] ?? range[5]];
    return order.slice(order.indexOf(first), order.indexOf(last) + 1);
  };
  lines.forEach((line, k) => {
    const begin = /^ \* ([a-z_0-9]+(?:, [a-z_0-9]+)*(?: \.\. \w+)?)(?: {2,}| (?=[a-z] has no dim))(.*)$/.exec(
      line,
    );
    const names = begin ? expand(begin[1]) : [];
    if (!begin || !names.every((name) => order.includes(name))) return;
    const text = [begin[2]];
    for (let i = k + 1; /^ \* {5,}\S/.test(lines[i]); i++) text.push(lines[i].slice(2).trim());
    found.push({ names, text: text.join(' ').replace(/ ?\*\/$/, '') });
  });
  return found;
}

// The list items and paragraphs of docs/semantics.md that name a function in code: { section, text }.
function semantics() {
  const [, ...sections] = read('docs/semantics.md').split(/^## /m);
  return sections.flatMap((section) => {
    const title = section.split('\n')[0];
    const blocks = section
      .split('\n')
      .slice(1)
      .join('\n')
      .split(/\n(?=- )|\n\n+/)
      .map((text) => text.replace(/\s*\n\s*/g, ' ').trim());
    return blocks
      .filter((text) => text && !/^(\||```|#)/.test(text))
      .map((text) => ({ section: title, text: text.replace(/^- /, '') }));
  });
}

const anchor = (title) =>
  title
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');

// ---------------------------------------------------------------- pages

const opInputs = ['a', 'b', 'c'];

/** Every function with what its page needs: { name, family, summary, js, c, parameters, results, .. }, in the order of the families. */
function pages(tables, { element, reduction }) {
  const numbered = new Set(tables.ops.filter(({ numbers }) => numbers).map(({ name }) => name));
  const setOf = Object.fromEntries(tables.ops.map(({ name, set }) => [name, set]));
  const ops = tables.ops
    .filter(({ numbers }) => !numbers)
    .map((row) => {
      const names = opInputs.slice(0, row.arity);
      const isPlain = !element(row).includes('{');
      const method = `${camel(row.name)}(${names.slice(1).join(', ')})`;
      return {
        ...row,
        tensors: names.map((name) => ({ kind: 'OPERAND', name })),
        attributes: [],
        outputs: [{ kind: 'INPLACE', name: 'y', dtype: row.result }],
        js: isPlain ? [element(row), `a.${method}`, `a.${method.replace('(', '_(')}`] : [element(row)],
        c: [
          `stria_status stria_${row.name}(${names.map((name) => `const stria_tensor *${name}`).join(', ')}, stria_tensor **y, stria_error *err);`,
          `stria_apply_out(STRIA_OP_${row.name}, (const stria_tensor *[]){${names.join(', ')}}, ${row.arity}, y, err);`,
        ],
        parameters: names.map((name) => ({ c: name, js: name, type: 'Tensor or number', doc: '' })),
      };
    });
  const reductions = tables.reductions.map((row) => ({
    ...row,
    tensors: [{ kind: 'IN', name: 'x' }],
    attributes: [{ kind: 'AXES' }, { kind: 'FLAG' }, { kind: 'DTYPE' }],
    outputs: [{ kind: 'OUT', name: 'y', dtype: row.result }],
    js: [reduction(row), `x.${camel(row.name)}(dim, options)`],
    c: [
      `stria_status stria_${row.name}(const stria_tensor *x, const int *axes, int n_axes, bool keepdim, stria_tensor **y, stria_error *err);`,
      `stria_reduce(STRIA_RED_${row.name}, x, axes, n_axes, keepdim, dtype, &y, err);`,
      `stria_reduce_out(STRIA_RED_${row.name}, x, axes, n_axes, keepdim, dtype, y, err);`,
    ],
    parameters: [
      { c: 'x', js: 'x', type: 'Tensor', doc: '' },
      {
        c: 'axes',
        js: 'dim',
        type: 'Dims',
        doc: 'Axes, one or several; negative ones count from the end. `axis` is the same. Default: all.',
      },
      {
        c: 'keepdim',
        js: 'keepdim',
        type: 'boolean',
        doc: 'Keep each axis that is reduced, with size 1. `keepdims` is the same. Default: false.',
        isOption: true,
      },
      {
        c: 'dtype',
        js: 'dtype',
        type: 'DType',
        doc: 'dtype to convert to first, and to return.',
        isOption: true,
      },
    ],
  }));
  const functions = tables.functions.map((row) => {
    const c = (name, parameters) =>
      `stria_status stria_${name}(${parameters.replaceAll('_Bool', 'bool')} stria_error *err);`;
    return {
      ...row,
      set: numbered.has(row.name) ? setOf[row.name] : undefined,
      js: [signature(row), ...methodSignatures(row)],
      c: [c(row.name, row.prototype), ...(row.outPrototype ? [c(`${row.name}_out`, row.outPrototype)] : [])],
      parameters: parametersOf(row),
    };
  });
  const all = [...ops, ...reductions, ...functions];
  return tables.families.flatMap(({ word }) => all.filter(({ family }) => family === word));
}

const code = (language, text) => `\`\`\`${language}\n${text}\n\`\`\``;

// Prototypes are broken where they are long.
function broken(prototype) {
  if (prototype.length <= 110) return prototype;
  const indent = ' '.repeat(prototype.indexOf('(') + 1);
  const lines = [''];
  for (const part of prototype.split(/(?<=,) /)) {
    if (lines.at(-1) && lines.at(-1).length + part.length > 109) lines.push(indent);
    lines[lines.length - 1] += (lines.at(-1).trim() && lines.at(-1) !== indent ? ' ' : '') + part;
  }
  return lines.join('\n');
}

function formsText({ js, outputs }) {
  if (outputs.length === 0) return 'It writes into its tensors and makes nothing.';
  const [{ kind }] = outputs;
  if (kind === 'TENSORS') return 'The result is a list of new views; there is no `out`.';
  if (kind === 'VIEW') return 'The result is a view where that is possible. There is no `out` in JavaScript.';
  const out =
    outputs.length > 1
      ? `The option \`out\` is \`{ ${outputs.map(({ name }) => camel(name)).join(', ')} }\`, where the results go.`
      : 'The option `out` is a tensor where the result goes; it is resized if need be.';
  return js.some((text) => /\w_\(/.test(text)) ? `${out} A name with \`_\` works in place.` : out;
}

function resultsText({ outputs }) {
  return outputs
    .map(({ name, kind, dtype }) => {
      const list = kind === 'TENSORS' ? 'a list of tensors; each of ' : '';
      return `- \`${camel(name)}\`: ${list}${resultText(dtype)}`;
    })
    .join('\n');
}

function parametersText(parameters) {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ c, js, type, doc, isOption }) => [
    `\`${js}\`${isOption ? ' (option)' : ''}`,
    js === c ? '' : `\`${c}\``,
    `\`${type}\``,
    doc,
  ]);
  return table(['parameter', 'in C', 'type', ''], rows);
}

function notesText(page, { header, meanings }) {
  const words = new Set([page.name, camel(page.name)]);
  const own = header.filter(({ names }) => names.includes(page.name)).map(({ text }) => `- In C: ${text}`);
  const others = meanings
    .filter(({ text }) => [...text.matchAll(/`(\w+)(?:\([^`]*\))?`/g)].some(([, word]) => words.has(word)))
    .map(({ section, text }) => `- ${text} ([${section}](../semantics.md#${anchor(section)}))`);
  return [...own, ...others].join('\n');
}

const complexTexts = {
  PAIR: ' Complex numbers give complex numbers.',
  PART: ' Complex numbers give real ones, of the dtype of their parts.',
  TRUTH: ' Complex numbers give bool.',
  NONE: ' Complex dtypes are refused.',
};

// What functions said when they were asked (tests/js/dtypes.test.ts).
const taken = JSON.parse(read('tests/data/dtypes.json'));
const groupTexts = { complex: 'complex numbers' };

function takenText({ name, tensors }) {
  const groups = taken[name]?.map((word) => groupTexts[word] ?? (/\d$/.test(word) ? `\`${word}\`` : word));
  if (!groups?.length) return '';
  const what = tensors.length > 0 ? camel(tensors[0].name) : 'dtype';
  const text = groups.length > 1 ? `${groups.slice(0, -1).join(', ')} and ${groups.at(-1)}` : groups[0];
  return `\`${what}\` may be of ${text}, in the call of the example.`;
}

function dtypesText({ set, complex, ...row }) {
  if (set === undefined) return takenText(row);
  const half = ' float16 and bfloat16 are computed in float32 and rounded once.';
  return `Computed in ${sets[set]}.${half}${complexTexts[complex] ?? ''}`;
}

const section = (title, text) => (text ? `## ${title}\n\n${text}\n\n` : '');

function pageText(page, all, sources) {
  const { name, family, set, js, c, parameters } = page;
  const title = tablesTitle(sources.tables, family);
  const shown = (ending) => sources.examples[ending].find((example) => example.name === name);
  // the three before it and the three behind it in its family
  const own = all.filter((other) => other.family === family);
  const at = own.findIndex((other) => other.name === name);
  const others = own.slice(Math.max(at - 3, 0), at + 4).filter((other) => other.name !== name);
  const examplesText = [
    ['js', shown('.mjs')],
    ['c', shown('.c')],
  ]
    .filter(([, example]) => example)
    .map(([language, { text }]) => code(language, text))
    .join('\n\n');
  const errors = errorsOf(page)
    .map((error) => `\`${error}\``)
    .join(', ');
  return `<!-- Written by scripts/gen_reference.mjs; change the row, its comments or its examples instead. -->

# ${camel(name)}

${sentence(page.summary)}

${code('js', js.join('\n'))}

${code('c', c.map(broken).join('\n'))}

${section('Examples', examplesText)}${section('Parameters', parametersText(parameters))}${section('Result', `${resultsText(page)}\n\n${formsText(page)}`)}${section('Dtypes', dtypesText(page))}${section('Accuracy', sources.accuracy.get(name))}${section('Errors', `${errors}: [what they mean](README.md#errors).`)}${section('Notes', notesText(page, sources))}## See also

[${title}](README.md#${anchor(title)}): ${others.map((other) => `[${camel(other.name)}](${other.name}.md)`).join(', ')}
`;
}

const tablesTitle = (tables, word) => tables.families.find((family) => family.word === word).title;

function indexText(all, tables) {
  const families = tables.families
    .map(({ word, title }) => {
      const rows = all
        .filter(({ family }) => family === word)
        .map(({ name, js, summary }) => [`[\`${js[0]}\`](${name}.md)`, summary]);
      return rows.length > 0 ? `## ${title}\n\n${table(['', ''], rows)}\n` : '';
    })
    .join('\n');
  return `<!-- Written by scripts/gen_reference.mjs. -->

# Reference

A page for each function: its forms in JavaScript and C, parameters, results, errors, and examples, which the tests run.
[Semantics](../semantics.md) has the rules that hold for all of them. What is no row of the op tables: [JavaScript](javascript.md), making and
reading tensors, memory, loops; [C](c.md), the same there; and in C [gradients](autograd.md), [safetensors](safetensors.md) and [DLPack](dlpack.md).

**In the JavaScript examples** \`st\` is the package, \`import * as st from 'stria'\`, after \`await st.init()\`. \`// =>\` shows the
elements of a tensor, or a value; what is not whole is rounded to 4 places.

**In the C examples** \`of(STRIA_F32, "[1, 2]")\` makes a tensor, \`INT(2)\` and \`REAL(0.5)\` a number, \`TRY\` checks the status of a call, \`IS\` compares the elements of a
tensor with a text, \`IS_ALL\` those of a list. They are in [reference.h](../../examples/reference/reference.h). What an example does not
show is the release of its tensors, by \`stria_tensor_release\`.

${families}
## Errors

What a call refuses, by the code of the thrown error in JavaScript and the status in C (\`STRIA_ERR_SHAPE\`); the message names function,
argument, what was expected and what was given.

${table(
  ['code', 'class in JavaScript', ''],
  tables.statuses.slice(1).map(({ name, class: js, text }) => [`\`${name}\``, `\`${js}\``, text]),
)}
`;
}

/** The files of docs/reference by name. \`forms\` says how a row is called in JavaScript. */
export function referenceTexts(tables, forms) {
  const all = pages(tables, forms);
  const order = tables.functions.map(({ name }) => name);
  const sources = {
    tables,
    header: headerLines(order),
    meanings: semantics(),
    accuracy: accuracyNotes(),
    examples: { '.mjs': examples('.mjs'), '.c': examples('.c') },
  };
  return {
    'README.md': indexText(all, tables),
    'javascript.md': javascriptText(
      new Set(all.flatMap(({ js }) => js.map((text) => /(\w+)\(/.exec(text)[1]))),
    ),
    'c.md': cText(),
    'autograd.md': headerPageText('autograd', 'Gradients', 'gradients.c'),
    'safetensors.md': headerPageText('safetensors', 'safetensors', 'files.c'),
    'dlpack.md': headerPageText('dlpack', 'DLPack', 'files.c'),
    ...Object.fromEntries(all.map((page) => [`${page.name}.md`, pageText(page, all, sources)])),
  };
}
