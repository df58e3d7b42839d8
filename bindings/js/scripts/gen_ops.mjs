// Writes src/tables.gen.ts and src/ops.gen.ts from the tables of the C core, docs/ops.md, docs/accuracy.md, docs/reference, and the lists in README.md.
//
//   node scripts/gen_ops.mjs <ops.json>           writes them (ops.json is what the program opdump prints)
//   node scripts/gen_ops.mjs <ops.json> --check   fails if the files differ from what would be written
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import prettier from 'prettier';
import { accuracyText } from './gen_accuracy.mjs';
import { abiRows, fingerprint } from './fingerprint.mjs';
import { functionTexts, most, resultText, rowTexts, signature } from './gen_functions.mjs';
import { blocks, fill } from './gen_readme.mjs';
import { referenceTexts } from './gen_reference.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [tablesPath, mode] = process.argv.slice(2);
if (!tablesPath || (mode && mode !== '--check')) {
  console.error('usage: node scripts/gen_ops.mjs <ops.json> [--check]');
  process.exit(2);
}
const tables = JSON.parse(readFileSync(tablesPath, 'utf8'));
const abi = abiRows(readFileSync(root + 'native/abi.def', 'utf8'));

// Rows of ops.def whose JavaScript form is written by hand, in special.ts and tensor.ts.
const byHand = new Set(['clamp', 'div', 'where', 'gelu']);
// Rows that JavaScript reaches by an option of another.
const byOption = {
  gelu_tanh: "gelu(a, { approximate: 'tanh' })",
  add_scaled: 'add(a, b, { alpha: c })',
  sub_scaled: 'sub(a, b, { alpha: c })',
  round_to: 'round(a, { decimals })',
};
// Rows with more options than out: their interface, what runs them (run.ts) and the row that it needs.
const withOptions = {
  add: { options: 'AlphaOptions', run: 'scaled', by: 'add_scaled' },
  sub: { options: 'AlphaOptions', run: 'scaled', by: 'sub_scaled' },
  round: { options: 'DecimalsOptions', run: 'rounded', by: 'round_to' },
};

const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
const header = '// Written by scripts/gen_ops.mjs from the op table; change that instead.\n\n';

// Numbers, names and arities of the ops.
function numbersText() {
  const numbers = (list) =>
    list.flatMap((row, k) => (row.numbers ? [] : [`  ${camel(row.name)}: ${k},`])).join('\n');
  return `
/** Numbers of the element-wise ops, but those that have numbers as attributes and are functions here. */
export const opNumbers = {
${numbers(tables.ops)}
} as const;

/** Name of an element-wise op. */
export type OpName = keyof typeof opNumbers;

/** Number of inputs of each element-wise op. */
export const opArities: readonly number[] = [${tables.ops.map((row) => row.arity).join(', ')}];

/** Numbers of the reductions. */
export const reductionNumbers = {
${numbers(tables.reductions)}
} as const;

/** Name of a reduction. */
export type ReductionName = keyof typeof reductionNumbers;`;
}

// A device is a type and, where there may be several, an index.
function devicesText(devices) {
  const names = devices.map(({ name, most }) => (most > 1 ? `\`${name}:\${number}\`` : `'${name}'`));
  const summaries = devices.map(({ name, summary }) => `${name}: ${summary}`);
  const first = devices.filter(({ most }) => most > 1).map(({ name }) => `'${name}'`);
  return `
/** Name of a device. ${summaries.join('; ')}. */
export type Device = ${names.join(' | ')};
/** What may be given for one: without a number the first of its type. */
export type DeviceName = ${['Device', ...first].join(' | ')};
/** Every type of device: its number is the position. Of some there are several, indices 0 to most - 1. */
export const deviceTypes: readonly { name: string; most: number }[] = [
${devices.map(({ name, most }) => `  { name: '${name}', most: ${most} },`).join('\n')}
];
`;
}

function tablesText() {
  const { dtypes, statuses } = tables;
  const lines = [
    header,
    "import { StriaError } from './errors.js';",
    "import { readRows, type FunctionRow } from './rows.js';\n",
  ];
  lines.push(`export const VERSION = '${tables.version}';`);
  lines.push(
    '/** Hash of the tables that the module is built from; the loaded module must have the same. */',
  );
  lines.push(`export const FINGERPRINT = ${fingerprint(tables, abi)};\n`);
  lines.push('/** Name of an element type. */');
  lines.push(`export type DType = ${dtypes.map((row) => `'${row.js}'`).join(' | ')};`);
  lines.push("export type Category = 'B' | 'U' | 'I' | 'F' | 'C';");
  lines.push(
    '/** Every dtype: its number is the position. Categories: bool, unsigned, signed, float, complex. */',
  );
  lines.push(
    'export const dtypes: readonly { name: DType; word: string; size: number; category: Category; summary: string }[] = [',
  );
  for (const { js, word, size, category, summary } of dtypes)
    lines.push(
      `  { name: '${js}', word: '${word}', size: ${size}, category: '${category}', summary: '${summary}' },`,
    );
  lines.push('];');
  for (const [name, wanted] of [
    ['Bool', 'B'],
    ['Integer', 'UI'],
    ['Float', 'F'],
    ['Complex', 'C'],
  ]) {
    const members = dtypes.filter((row) => wanted.includes(row.category)).map((row) => `'${row.js}'`);
    lines.push(`export type ${name}DType = ${members.join(' | ')};`);
  }
  lines.push(devicesText(tables.devices));
  lines.push('\n/** What two dtypes promote to. */');
  lines.push('export interface PromoteTable {');
  dtypes.forEach((row, a) => {
    lines.push(`  ${row.js}: {`);
    dtypes.forEach((other, b) => lines.push(`    ${other.js}: '${dtypes[tables.promotion[a][b]].js}';`));
    lines.push('  };');
  });
  lines.push('}\n');
  const classes = [...new Set(statuses.map((row) => row.class))].filter((name) => name !== 'StriaError');
  for (const name of classes) {
    const rows = statuses.filter((row) => row.class === name);
    lines.push(`/** ${rows.map((row) => `${row.name}: ${row.text}`).join('; ')}. */`);
    lines.push(`export class ${name} extends StriaError {\n  override name = '${name}';\n}`);
  }
  lines.push('\n/** Code of an error. */');
  lines.push(
    `export type ErrorCode = ${statuses
      .slice(1)
      .map((row) => `'${row.name}'`)
      .join(' | ')};`,
  );
  lines.push('/** Every status by its number. */');
  lines.push(
    'export const statuses: readonly { code: ErrorCode; text: string; error: typeof StriaError }[] = [',
  );
  for (const row of statuses) {
    const code = row.number ? row.name : 'ERR_INTERNAL';
    lines.push(`  { code: '${code}', text: '${row.text}', error: ${row.class} },`);
  }
  lines.push('];\n');
  lines.push(numbersText());
  lines.push(rowTexts(tables.functions));
  lines.push('\n/** The functions of native/abi.def. */\nexport interface Abi {');
  for (const [, name, count, summary] of abi) {
    const args = Array.from({ length: Number(count) }, (_, k) => `${'abcdef'[k]}: number`).join(', ');
    lines.push(`  /** ${summary} */\n  ${name}(${args}): number;`);
  }
  lines.push('}');
  lines.push(
    `export const abiNames: readonly (keyof Abi)[] = [${abi.map((row) => `'${row[1]}'`).join(', ')}];`,
  );
  return lines.join('\n') + '\n';
}

const inputs = ['a', 'b', 'c'];
const runner = ['', 'unary', 'binary', 'ternary'];

// Type of the result of a row, given the types of its inputs.
function resultType({ arity, result, complex }, types) {
  if (result === 'BOOL') return "'bool'";
  const common =
    arity === 1
      ? `DTypeOf<${types[0]}>`
      : arity === 2
        ? `Promote<${types.join(', ')}>`
        : `Promote3<${types.join(', ')}>`;
  if (complex === 'PART') return `PartOf<${common}>`;
  return result === 'FLOAT' ? `FloatOf<${common}>` : common;
}

const self = 'this as unknown as Tensor';

// How a row is run: the function of run.ts, its first arguments, and the interface of its options.
function running(row, number) {
  const special = withOptions[row.name];
  if (!special) return { run: runner[row.arity], first: [number], options: 'OutOptions' };
  const by = tables.ops.findIndex(({ name }) => name === special.by);
  return { ...special, first: [number, by] };
}

function functionText(row, number) {
  const names = inputs.slice(0, row.arity);
  const types = names.map((name) => name.toUpperCase());
  const generics = types.map((type) => `${type} extends Operand`).join(', ');
  const args = names.map((name, k) => `${name}: ${types[k]}`).join(', ');
  const name = camel(row.name);
  const { run, first, options } = running(row, number);
  return `/** ${row.summary} */
export function ${name}<${generics}, O extends DType = ${resultType(row, types)}>(
  ${args}, options?: ${options}<O>): Tensor<NoInfer<O>> {
  ${most(name, row.arity + 1)}
  return ${run}(${[...first, ...names, 'options'].join(', ')}) as Tensor<NoInfer<O>>;
}`;
}

function methodText(row, number) {
  const names = inputs.slice(1, row.arity);
  const types = names.map((name) => name.toUpperCase());
  const result = resultType(row, ['Tensor<D>', ...types]);
  const generics = [...types.map((type) => `${type} extends Operand`), `O extends DType = ${result}`].join(
    ', ',
  );
  const args = names.map((name, k) => `${name}: ${types[k]}, `).join('');
  const summary = row.summary.replace(/(?<![\w.])a(?![\w])/g, 'this');
  const name = camel(row.name);
  const { run, first, options } = running(row, number);
  const hasOptions = row.name in withOptions;
  const plain = `  /** ${summary} */
  ${name}<${generics}>(${args}options?: ${options}<O>): Tensor<NoInfer<O>> {
    ${most(name, row.arity)}
    return ${run}(${[...first, self, ...names, 'options'].join(', ')}) as Tensor<NoInfer<O>>;
  }`;
  const params = names.map((name) => `${name}: Operand`);
  if (hasOptions) params.push(`options?: Omit<${options}, 'out'>`);
  const given = [...first, self, ...names, ...(hasOptions ? ['options'] : [])];
  const inPlace = `  /** In place: ${summary} */
  ${name}_(${params.join(', ')}): this {
    ${most(name + '_', params.length)}
    ${run}InPlace(${given.join(', ')});
    return this;
  }`;
  return plain + '\n' + inPlace;
}

function reductionTexts(row, number) {
  const name = camel(row.name);
  const result = { WIDE: 'WideOf<D>', SAME: 'D', FLOAT: 'D', TRUTH: 'TruthOf<D>' }[row.result];
  const options = 'ReduceOptions<O>';
  return {
    fn: `/** ${row.summary} */
export function ${name}<D extends DType, O extends DType = ${result}>(
  x: Tensor<D>, dim?: Dims | null | ${options}, options?: ${options}): Tensor<NoInfer<O>> {
  ${most(name, 3)}
  return reduce(${number}, '${name}', x, dim, options) as Tensor<NoInfer<O>>;
}`,
    method: `  /** ${row.summary} */
  ${name}<O extends DType = ${result}>(dim?: Dims | null | ${options}, options?: ${options}): Tensor<NoInfer<O>> {
    ${most(name, 2)}
    return reduce(${number}, '${name}', this as unknown as Tensor, dim, options) as Tensor<NoInfer<O>>;
  }`,
  };
}

// What the text imports, of the names that a module has.
const used = (text, ...names) => names.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).join(', ');

// Types of types.ts that declarations are made of.
const typeNames = [
  ...[
    'AlphaOptions',
    'CountOf',
    'IndexOf',
    'DecimalsOptions',
    'Dims',
    'DTypeOf',
    'FloatOf',
    'LossOf',
    'Operand',
    'OutOptions',
    'PairOf',
    'PartOf',
    'Promote',
  ],
  ...['Promote3', 'PromoteAll', 'PromoteOptional', 'ReduceOptions', 'Scalar', 'TruthOf', 'WideOf'],
];

function opsText() {
  const rows = tables.ops
    .map((row, number) => ({ row, number }))
    .filter(({ row }) => !row.numbers && !byHand.has(row.name) && !(row.name in byOption));
  const reductions = tables.reductions.map(reductionTexts);
  const functions = functionTexts(tables.functions);
  const text = `${rows.map(({ row, number }) => functionText(row, number)).join('\n\n')}

${reductions.map(({ fn }) => fn).join('\n\n')}

${functions.functions}

/** The methods that come from the op table; Tensor adds the rest. */
export abstract class TensorOps<D extends DType> extends TensorBase {
${rows.map(({ row, number }) => methodText(row, number)).join('\n\n')}

${reductions.map(({ method }) => method).join('\n\n')}

${functions.methods}
}
`;
  return `${header}import type { ${used(text, 'DeviceName', 'DType')} } from './tables.gen.js';
import type { ${used(text, ...typeNames)} } from './types.js';
import { TensorBase } from './base.js';
${/\bGenerator\b/.test(text) ? "import type { Generator } from './generator.js';" : ''}
import { ${used(text, 'run', 'runInPlace', 'spread')} } from './functions.js';
import { refuseMore } from './options.js';
import type { Tensor } from './tensor.js';
import {
  binary, binaryInPlace, reduce, rounded, roundedInPlace, scaled, scaledInPlace, ternary, ternaryInPlace, unary, unaryInPlace,
} from './run.js';

${text}`;
}

// The form a row of ops.def has in JavaScript.
const numbered = (row) => tables.functions.find(({ name }) => row.numbers && name === row.name);
const form = (row) =>
  numbered(row)
    ? signature(numbered(row))
    : (byOption[row.name] ?? `${camel(row.name)}(${inputs.slice(0, row.arity).join(', ')})`);
const reductionForm = (row) => `${camel(row.name)}(x, dim, options)`;

const cell = (text) => text.replaceAll('|', '\\|');

// Functions that are not rows of ops.def.
const wholeRows = tables.functions.filter(
  ({ name }) => !tables.ops.some((row) => numbered(row)?.name === name),
);

// Prettier aligns the tables.
function docsText() {
  const sets = {
    ALL: 'bool, integers, floats',
    NUM: 'integers, floats',
    INT: 'integers',
    BITS: 'bool, integers',
    FLOAT: 'floats',
    SUM: 'all',
    BOOL: 'all',
  };
  const table = (head, rows) =>
    [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
  return `# Ops

Written by scripts/gen_ops.mjs from the op tables; change those instead. The names are those of JavaScript; in C, \`log_softmax\` is
\`stria_log_softmax\`. Result dtypes are explained in \`src/core/table/ops.def\` and \`src/core/table/functions.def\`.

## Element by element

${table(
  ['op', 'computes in', 'result', ''],
  tables.ops.map((row) => [
    `\`${form(row)}\``,
    sets[row.set] + (row.complex === 'NONE' ? '' : ', complex'),
    row.result,
    cell(row.summary),
  ]),
)}

## Reductions

${table(
  ['reduction', 'result', ''],
  tables.reductions.map((row) => [`\`${reductionForm(row)}\``, row.result, cell(row.summary)]),
)}

## Functions

${table(
  ['function', 'result', ''],
  wholeRows.map((row) => [`\`${signature(row)}\``, resultText(row), cell(row.summary)]),
)}
`;
}

function readmeText() {
  const forms = { element: form, reduction: reductionForm, whole: signature };
  return fill(
    readFileSync(root + 'README.md', 'utf8'),
    blocks(root, { ...tables, functions: wholeRows }, forms),
  );
}

let differs = false;
const config = await prettier.resolveConfig(root + 'package.json');
for (const [name, make] of [
  ['src/tables.gen.ts', tablesText],
  ['src/ops.gen.ts', opsText],
  ['../../docs/ops.md', docsText],
  ['../../docs/accuracy.md', accuracyText],
  ['README.md', readmeText], // reads the sources, those above too
]) {
  const path = root + name;
  const parser = name.endsWith('.md') ? 'markdown' : 'typescript';
  const text = make();
  const formatted =
    name === 'README.md' || name.endsWith('accuracy.md')
      ? text
      : await prettier.format(text, { ...config, parser });
  if (mode !== '--check') writeFileSync(path, formatted);
  else if (readFileSync(path, 'utf8') !== formatted) {
    console.error(`${path} is not what the op table gives; run: npm run generate`);
    differs = true;
  }
}

// docs/reference has a page for each row, and no other
const folder = root + '../../docs/reference/';
const texts = referenceTexts(tables, { element: form, reduction: reductionForm });
const stale = existsSync(folder) ? readdirSync(folder).filter((name) => !(name in texts)) : [];
mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(texts)) {
  if (mode !== '--check') writeFileSync(folder + name, text);
  else if (!existsSync(folder + name) || readFileSync(folder + name, 'utf8') !== text) stale.push(name);
}
if (mode !== '--check') for (const name of stale) rmSync(folder + name);
else if (stale.length > 0) {
  console.error(`docs/reference: ${stale.join(', ')} not as the op table gives; run: npm run generate`);
  differs = true;
}
process.exit(differs ? 1 : 0);
