// Texts for the rows of functions.def: their data for src/functions.ts, which runs them, and for each row a JavaScript function,
// a method and an in-place form with types. What depends on a kind of parameter is written here once per kind; a row is data.

const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
const pascal = (name) => camel(`_${name}`);

// Names that JavaScript reserves: the function is exported under both names, the method has its own.
const renamed = { var: 'variance' };
// Other spellings of options.
const aliases = { axis: 'dim', keepdims: 'keepdim' };
// Options that say the same as a number, 1 where they are true and 0 where they are false.
const flags = { correction: 'unbiased' };
// Types of tensors that are not of any dtype, by their names.
const tensorTypes = { mask: "Tensor<'bool'>" };

// Methods that Tensor has in a form of its own, and functions alone; of copy there is copy_, which takes arrays, too.
const ownMethods = new Set(['to', 'copy', 'normal']);

// Names in place, where the function of that name is another row.
const inPlaceNames = { fillNormal: 'normal' };
const inPlaceName = ({ name }) => `${inPlaceNames[name] ?? name}_`;

// Rows whose functions and methods are written by hand, in order.ts, unique.ts, products.ts, compare.ts, special.ts, tensor.ts and create.ts.
const byHand = new Set([
  'max',
  'min',
  'median',
  'nanmedian',
  'full',
  'arange',
  'allclose',
  'batchNorm',
  'einsum',
  'embedding',
  'equal',
  'nonzero',
  'randint',
  'randintLike',
  'tensordot',
  'to',
  'unique',
  'uniqueConsecutive',
  'view',
]);

const isTensor = { IN: true, BASE: true, OPERAND: true };
// A flag that makes positions int32: the dtype of the result depends on it.
const isNarrow = ({ name }) => name === 'outInt32';
const isArgument = ({ kind }) => kind !== 'OPTIONAL' && kind !== 'UPDATED_OR_NONE';
const isList = { LIST: true, UPDATED: true, UPDATED_OR_NONE: true };
// Rows that write into lists have no outputs.
const isUpdate = ({ outputs }) => outputs.length === 0;
const isNumeric = (word) => /^-?(\d+|inf)$/.test(word);

// ---------------------------------------------------------------- attributes

// text: what a value is; none: what null means, where the usual one is no value; isList: of numbers, which may stand one by one where it
// is the last argument
const attributeKinds = {
  AXIS: { text: () => 'number', doc: 'Axis; negative ones count from the end.', none: 'all' },
  AXES: {
    text: () => 'Dims',
    doc: 'Axes, one or several; negative ones count from the end.',
    none: 'all',
    isList: true,
  },
  SHAPE: { text: () => 'number | readonly number[]', doc: 'Sizes, one or several.', isList: true },
  INT_LIST: { text: () => 'number | readonly number[]', doc: 'Whole numbers, one or several.', isList: true },
  INT_OR_LIST: { text: () => 'number | readonly number[]', doc: 'A whole number, or a list of them.' },
  INTS: { text: () => 'number | readonly number[]', doc: ({ n }) => `${n} whole numbers, or one for all.` },
  INT: { text: () => 'number', doc: 'A whole number.', none: 'not given' },
  NUMBER: { text: () => 'number', doc: 'A number.', none: 'not given' },
  SCALAR: { text: () => 'Scalar', doc: 'A number, bigint or boolean.' },
  TEXT: { text: () => 'string', doc: 'A text.' },
  FLAG: { text: () => 'boolean', doc: '' },
  DTYPE: { text: (_, O) => O ?? 'DType', doc: 'dtype to convert to first, and to return.' },
  DEVICE: {
    text: () => 'DeviceName',
    doc: (_, { tensors }) =>
      `Device of the result. Default: ${tensors.length > 0 ? `that of ${tensors[0].name}` : 'cpu'}.`,
  },
  GENERATOR: { text: () => 'Generator', doc: 'Where the numbers come from.', none: 'the default generator' },
  // words that spell numbers may be given as numbers
  WORD: {
    text: ({ words }) =>
      [...words.map((word) => `'${word}'`), ...(words.some(isNumeric) ? ['number'] : [])].join(' | '),
    doc: '',
  },
};
// What is known of an option by its name, or by the names of row and option.
const docs = {
  keepdim: 'Keep each axis that is reduced, with size 1.',
  correction: 'What is subtracted from the count before it divides.',
  'layerNorm.eps': 'Added to the variance.',
};

const noValue = new Set(['ALL', 'OPEN', 'NONE']);
const isRequired = ({ usual }) => usual === 'REQUIRED';

// The usual value of an attribute, from the text of the row.
function usualOf({ kind, name, usual, words }) {
  if (isRequired({ usual }) || noValue.has(usual)) return usual;
  if (kind === 'WORD') {
    if (!words.split('|').includes(usual)) throw new Error(`${name}: ${usual} is none of ${words}`);
    return usual;
  }
  const number = Number(usual.replace('INFINITY', 'Infinity'));
  if (Number.isNaN(number)) throw new Error(`${name}: ${usual} is no number`);
  return kind === 'FLAG' ? number !== 0 : number;
}

// An attribute of a row as src/kinds.ts reads it.
function attributeOf(attribute) {
  const { kind, name, n, words } = attribute;
  if (!attributeKinds[kind]) throw new Error(`${name}: no attribute is a ${kind}`);
  return {
    kind,
    name: camel(name),
    usual: usualOf(attribute),
    ...(n === undefined ? {} : { n }),
    ...(words === undefined ? {} : { words: words.split('|') }),
    ...(flags[name] === undefined ? {} : { flag: flags[name] }),
  };
}

// ARGUMENTS of a row: for each argument its place among the tensors and attributes that are arguments, in the order of the row.
function orderOf(row, names) {
  const own = row.attributes.find(({ kind }) => kind === 'ARGUMENTS');
  if (own === undefined) return {};
  const order = own.words.split(',').map((name) => names.indexOf(name.trim()));
  const isWhole = order.length === names.length && names.every((_, k) => order.includes(k));
  const last = order.findLastIndex((place) => place < row.tensors.filter(isArgument).length);
  const between = row.attributes.filter(({ name }) => order.indexOf(names.indexOf(name)) < last);
  if (
    !isWhole ||
    (order[0] !== 0 && row.tensors[0].kind !== 'LIST') ||
    !between.every((one) => isRequired(one) || !names.includes(one.name))
  )
    throw new Error(`${row.name}: ${own.words} is no order of ${names.join(', ')}`);
  return { order };
}

/** The rows as data: names in camelCase, usual values as values, the attributes before OPTIONS counted. */
export function rowsOf(rows) {
  return rows.map((row) => {
    const own = row.attributes.filter(({ kind }) => kind !== 'ARGUMENTS');
    const end = own.findIndex(({ kind }) => kind === 'OPTIONS');
    const attributes = own.filter(({ kind }) => kind !== 'OPTIONS');
    const positional = end < 0 ? attributes.length : end;
    const names = [...row.tensors.filter(isArgument), ...attributes.slice(0, positional)];
    if (isUpdate(row) && row.tensors.at(-1)?.kind.startsWith('UPDATED') !== true)
      throw new Error(`${row.name}: no output`);
    const counted = end < 0 ? attributes : attributes.slice(0, end);
    if (row.outputs[0]?.kind === 'INPLACE' && counted.some(({ kind }) => kind === 'DTYPE'))
      throw new Error(`${row.name}: in place there is no dtype, so it must be an option`);
    return {
      name: camel(row.name),
      family: row.family,
      tensors: row.tensors.map(({ kind, name }) => ({ kind, name: camel(name) })),
      attributes: attributes.map(attributeOf),
      positional,
      ...orderOf(
        row,
        names.map(({ name }) => name),
      ),
      outputs: row.outputs.map(({ kind, name, dtype }) => ({ kind, name: camel(name), dtype })),
    };
  });
}

// A row and its parameters as src/rows.ts reads them.
function parameterOf({ kind, name, usual, dtype, n, words = [], flag }) {
  const value = usual ?? dtype;
  const isUsual = value === undefined || value === (usual === undefined ? 'SAME' : 'REQUIRED');
  const given = `${n ? `*${n}` : ''}${isUsual ? '' : `=${value}`}`;
  return `${kind}:${name}${given}${words.map((word) => `|${word}`).join('')}${flag ? `!${flag}` : ''}`;
}
function lineOf({ name, tensors, attributes, positional, outputs, order }) {
  const text = (list) => list.map(parameterOf).join(' ');
  const options = attributes.length > positional ? `/${text(attributes.slice(positional))}` : '';
  const parts = [name, text(tensors), text(attributes.slice(0, positional)) + options, text(outputs)];
  return [...parts, ...(order ? [order.join('')] : [])].join(';');
}

/** What tables.gen.ts has of the rows. */
export function rowTexts(rows) {
  return `
/** Other spellings of options. */
export const aliases = ${JSON.stringify(aliases)} as const;

export type { FunctionRow, Parameter } from './rows.js';

/** The functions on whole tensors; their number is the position. */
export const functionRows: readonly FunctionRow[] = /* @__PURE__ */ readRows(
  // prettier-ignore
  \`${rowsOf(rows).map(lineOf).join('\n')}\`,
);

type FunctionName = ${rows.map(({ name }) => `'${camel(name)}'`).join(' | ')};

/** Their numbers, by their names. */
export const functionNumbers = /* @__PURE__ */ Object.fromEntries(
  functionRows.map(({ name }, k) => [name, k]),
) as Readonly<Record<FunctionName, number>>;
`;
}

// ---------------------------------------------------------------- types of tensors and results

// Names of the types that a row is generic over, by kind of tensor.
const letters = { IN: 'DEFG', BASE: 'DEFG', OPERAND: 'ABC', OPTIONAL: 'WV', LIST: 'L' };
const bounds = { OPERAND: 'Operand', LIST: 'readonly Tensor[]' };

// Tensors with `type`, the letter, where the dtype of a result depends on them; the first has one always.
function typedTensors({ tensors, outputs }) {
  const used = {};
  const words = new Set(outputs.map(({ dtype }) => dtype));
  const counted = tensors.findIndex(({ kind }) => kind === 'OPTIONAL');
  if (outputs.length === 0) return tensors;
  return tensors.map((tensor, k) => {
    const isNeeded =
      k === 0 ||
      words.has('COMMON') ||
      words.has('FLOATS') ||
      words.has('PAIR') ||
      (words.has('COUNT') && k === counted);
    if (!isNeeded) return tensor;
    const family = letters[tensor.kind];
    used[family] = (used[family] ?? -1) + 1;
    return { ...tensor, type: family[used[family]] };
  });
}

// dtype of one tensor, as a type.
const dtypeOf = ({ kind, type }) =>
  ({ IN: type, BASE: type, OPERAND: `DTypeOf<${type}>`, LIST: `DTypeOf<${type}[0]>` })[kind];

// What the tensors promote to: tensors first, numbers last.
function common(tensors) {
  const of = (...kinds) => tensors.filter(({ kind }) => kinds.includes(kind));
  const operands = of('OPERAND').map(({ type }) => type);
  let type = of('IN', 'BASE')
    .map((tensor) => tensor.type)
    .reduce((a, b) => (a ? `Promote<Tensor<${a}>, Tensor<${b}>>` : b), '');
  for (const list of of('LIST'))
    type = type ? `PromoteAll<readonly [Tensor<${type}>, ...${list.type}]>` : `PromoteAll<${list.type}>`;
  for (const { type: own } of of('OPTIONAL')) type = `PromoteOptional<${type}, ${own}>`;
  if (!type && operands.length === 1) return `DTypeOf<${operands[0]}>`;
  if (!type && operands.length === 3) return `Promote3<${operands.join(', ')}>`;
  if (!type) type = `Promote<${operands.splice(0, 2).join(', ')}>`;
  return operands.reduce((a, b) => `Promote<Tensor<${a}>, ${b}>`, type);
}

// The rules for dtypes of outputs (functions.def). Numbers are float32.
const results = {
  COMMON: (tensors) => common(tensors),
  FLOATS: (tensors) => `FloatOf<${common(tensors)}>`,
  BOOL: () => "'bool'",
  SAME: ([first]) => dtypeOf(first),
  FLOAT: ([first]) => `FloatOf<${dtypeOf(first)}>`,
  WIDE: ([first]) => `WideOf<${dtypeOf(first)}>`,
  INDEX: (_, { attributes }) => (attributes.some(isNarrow) ? 'IndexOf<I>' : "'int64'"),
  PART: ([first]) => `PartOf<${dtypeOf(first)}>`,
  REAL: ([first]) => `PartOf<FloatOf<${dtypeOf(first)}>>`,
  PAIR: (tensors) => `PairOf<${common(tensors)}>`,
  EACH: ([{ kind, type }]) => {
    if (kind !== 'LIST') throw new Error('EACH is for rows that begin with a LIST');
    return `DTypeOf<${type}[K]>`;
  },
  F32: () => "'float32'",
  I32: () => "'int32'",
  VALUE: () => "'float32'",
  COUNT: (tensors) => `CountOf<${tensors.find(({ kind }) => kind === 'OPTIONAL').type}>`,
};

function resultOf(row, tensors, { name, dtype }) {
  if (!results[dtype]) throw new Error(`${row.name}: ${name} is of ${dtype}`);
  const type = results[dtype](tensors, row);
  return row.family === 'losses' ? `LossOf<${type}>` : type;
}

// ---------------------------------------------------------------- options

// `dim` also goes by `axis`.
const spellings = (name) => [name, ...Object.keys(aliases).filter((other) => aliases[other] === name)];

// What no value means; of axes that are OPEN the summary says it.
function noneText({ kind, usual }) {
  const { none } = attributeKinds[kind];
  return none === undefined || (kind === 'AXES' && usual === 'OPEN') ? '' : `Default: ${none}.`;
}

function attributeDoc(row, attribute) {
  const { kind, name, usual } = attribute;
  const own = docs[`${row.name}.${name}`] ?? docs[name] ?? attributeKinds[kind].doc;
  const others = spellings(name).slice(1);
  return [
    typeof own === 'function' ? own(attribute, row) : own,
    others.length > 0 ? `\`${others.join('`, `')}\` is the same.` : '',
    noValue.has(usual) ? noneText(attribute) : '',
    isRequired(attribute) ? 'Needed, where it is not an argument.' : '',
    noValue.has(usual) || isRequired(attribute) ? '' : `Default: ${usual}.`,
  ]
    .filter(Boolean)
    .join(' ');
}

const valueText = (attribute, O) => attributeKinds[attribute.kind].text(attribute, O);

function fieldTexts(row, attribute, O) {
  const doc = attributeDoc(row, attribute);
  const [first, ...others] = spellings(attribute.name);
  const type =
    (isNarrow(attribute) ? 'I' : valueText(attribute, O)) +
    (attributeKinds[attribute.kind].none && noValue.has(attribute.usual) ? ' | null' : '');
  const lines = [`  /** ${doc} */\n  ${first}?: ${type};`, ...others.map((other) => `  ${other}?: ${type};`)];
  if (attribute.flag)
    lines.push(`  /** true is ${attribute.name} 1, false 0. */\n  ${attribute.flag}?: boolean;`);
  return lines;
}

// How many arguments there are up to the last tensor; and how many of them are attributes, which cannot be left out.
function countLeading({ tensors, order }) {
  const count = tensors.filter(isArgument).length;
  return order === undefined ? count : order.findLastIndex((place) => place < count) + 1;
}
const countBetween = (row) => countLeading(row) - row.tensors.filter(isArgument).length;

// The interface of a row's options: { name, text }, name with its generics; none, or OutOptions, where that is enough.
function optionsOf(row, form) {
  const { tensors, outs, hasOut } = form;
  const optional = tensors.filter((one) => !isArgument(one));
  if (row.attributes.length - countBetween(row) + optional.length === 0 && outs.length <= 1)
    return hasOut ? { name: 'OutOptions', given: `OutOptions<${outs[0]}>`, text: '' } : undefined;
  const name = `${pascal(row.name)}Options`;
  const narrow = row.attributes.some(isNarrow) ? ['I'] : [];
  const generics = [...optional.filter(({ type }) => type).map(({ type }) => type), ...outs, ...narrow];
  const declared = generics
    .map((letter) => (letter === 'I' ? 'I extends boolean = boolean' : `${letter} extends DType = DType`))
    .join(', ');
  const heads = hasOut && outs.length === 1 ? ` extends OutOptions<${outs[0]}>` : '';
  const members = [
    ...row.attributes
      .slice(countBetween(row), row.positional)
      .flatMap((attribute) => fieldTexts(row, attribute, outs[0])),
    ...optional.map(({ kind, name: field, type }) =>
      isList[kind]
        ? `  /** Written to in place. */\n  ${field}?: readonly Tensor[] | null;`
        : `  ${field}?: Tensor${type ? `<${type}>` : ''} | null;`,
    ),
    ...row.attributes.slice(row.positional).flatMap((attribute) => fieldTexts(row, attribute, outs[0])),
  ];
  if (row.attributes.some(({ kind }) => kind === 'DTYPE') && (tensors.length === 0 || /Like$/.test(row.name)))
    members.push(
      '  /** Whether calls on it are remembered, so that its gradient can be computed. */\n  requiresGrad?: boolean;',
    );
  if (hasOut && outs.length > 1) {
    const fields = row.outputs.map((output, k) => `${output.name}: Tensor<${outs[k]}>`).join('; ');
    members.push(`  /** Where the results go, all of them. */\n  out?: { ${fields} };`);
  }
  const of = declared ? `<${declared}>` : '';
  return {
    name,
    given: generics.length > 0 ? `${name}<${generics.join(', ')}>` : name,
    text: `/** Of ${row.name}. */\nexport interface ${name}${of}${heads} {\n${members.join('\n')}\n}`,
  };
}

// ---------------------------------------------------------------- functions and methods

/** Refuses arguments beyond the last, which JavaScript would drop. */
export const most = (name, count) =>
  `if (arguments.length > ${count}) refuseMore('${name}', ${count}, arguments);`;

// What the declarations of a row have in common.
function formOf(row) {
  const tensors = typedTensors(row);
  const hasOut = !isUpdate(row) && row.outputs.every(({ kind }) => kind !== 'VIEW' && kind !== 'TENSORS');
  const isOpen = hasOut || row.attributes.some(({ kind }) => kind === 'DTYPE'); // results may be of another dtype
  const outs = isOpen ? [...'OPQR'].slice(0, row.outputs.length) : [];
  const form = { tensors, hasOut, outs };
  const types = row.outputs.map((output) => resultOf(row, tensors, output));
  const generics = tensors
    .filter(({ type }) => type)
    .map(
      ({ kind, type }) =>
        `${type} extends ${bounds[kind] ?? 'DType'}${kind === 'OPTIONAL' ? ' = never' : ''}`,
    );
  if (row.attributes.some(isNarrow)) generics.push('I extends boolean = false');
  const own = outs.map((letter, k) => `${letter} extends DType = ${types[k]}`);
  const made = types.map((type, k) => {
    const { kind, dtype } = row.outputs[k];
    const one = `Tensor<${outs[k] ? `NoInfer<${outs[k]}>` : type}>`;
    if (kind !== 'TENSORS') return one;
    return dtype === 'EACH' ? `{ -readonly [K in keyof ${tensors[0].type}]: ${one} }` : `${one}[]`;
  });
  return {
    ...form,
    options: optionsOf(row, form),
    // those of the first tensor come from the class in a method
    generics: { fn: [...generics, ...own], method: [...generics.slice(1), ...own] },
    result: isUpdate(row)
      ? 'void'
      : made.length === 1
        ? made[0]
        : `{ ${row.outputs.map(({ name }, k) => `${name}: ${made[k]}`).join('; ')} }`,
  };
}

function tensorText({ kind, name, type }) {
  if (isList[kind]) return `${name}: ${type ? `readonly [...${type}]` : 'readonly Tensor[]'}`;
  if (kind === 'OPERAND') return `${name}: ${type ?? 'Operand'}`;
  return `${name}: ${tensorTypes[name] ?? (type ? `Tensor<${type}>` : 'Tensor')}`;
}

// Whether the last argument of a row is a list, which may also be given one by one.
const endsInList = (positional) => positional.length > 0 && attributeKinds[positional.at(-1).kind].isList;

// Lists of parameters, one for each overload: options take the place of an attribute and of all behind it. No attribute before one
// that is required may be left out, so that the compiler sees what is missing.
function parameterLists({ positional, hasOptions }, options, O) {
  const required = positional.map(isRequired).lastIndexOf(true);
  const types = positional.map(
    (attribute) => valueText(attribute, O) + (isRequired(attribute) ? '' : ' | null'),
  );
  const texts = positional.map(({ name }, k) =>
    k < required ? `${name}: ${types[k]}` : `${name}${k > required ? '?' : ''}: ${types[k]} | ${options}`,
  );
  const shorter = texts
    .slice(0, Math.max(required, 0))
    .map((_, k) => [...texts.slice(0, k), `options: ${options}`]);
  const lists = [hasOptions ? [...texts, `options?: ${options}`] : texts, ...shorter];
  if (!endsInList(positional)) return lists;
  const { name } = positional.at(-1);
  const members = hasOptions ? `number[] | [...${name}: number[], options: ${options}]` : 'number[]';
  const before = positional.slice(0, -1).map((attribute, k) => `${attribute.name}: ${types[k]}`);
  return [...lists, [...before, `...${name}: ${members}`]];
}

// The attributes that are arguments, and whether options come behind them; in place there is neither out nor a dtype.
function argumentsOf(row, form, isInPlace) {
  const isLeft = ({ kind }) => !(isInPlace && kind === 'DTYPE');
  const isOption = row.attributes.slice(row.positional).some(isLeft);
  return {
    positional: row.attributes.slice(countBetween(row), row.positional).filter(isLeft),
    hasOptions: isOption || form.tensors.some((one) => !isArgument(one)) || (form.hasOut && !isInPlace),
  };
}

const self = 'this as unknown as Tensor';

// The arguments up to the last tensor, in their order; `given` are the tensors, without the first in a method.
function leadingOf(row, given) {
  if (row.order === undefined) return given;
  const tensors = row.tensors.filter(isArgument);
  const all = [...tensors, ...row.attributes];
  const typed = (one) => given.find(({ name }) => name === one.name);
  return row.order
    .slice(0, countLeading(row))
    .map((place) => (place < tensors.length ? typed(all[place]) : all[place]))
    .filter((one) => one !== undefined);
}

// One of the forms of a row: as is written in the declaration, with overloads first where there are several lists of parameters.
function formText(row, number, form, { head, name, given, generics, isInPlace }) {
  const parts = argumentsOf(row, form, isInPlace);
  const dtypes = row.attributes
    .filter(({ kind }) => kind === 'DTYPE')
    .map((attribute) => ` | '${attribute.name}'`);
  const options = isInPlace ? `Omit<${form.options?.name}, 'out'${dtypes.join('')}>` : form.options?.given;
  const lists = parameterLists(parts, options, form.outs[0]);
  const leading = leadingOf(row, given);
  const before = leading.map(({ type, ...one }) => {
    if (attributeKinds[one.kind]) return `${one.name}: ${valueText(one, form.outs[0])}`;
    return tensorText(isInPlace ? one : { ...one, type });
  });
  const result = isInPlace ? 'this' : form.result;
  const of = generics.length > 0 ? `<${generics.join(', ')}>` : '';
  const heads = lists.map((list) => `${head}${of}(${[...before, ...list].join(', ')}): ${result}`);
  const names = [...leading, ...parts.positional].map((parameter) => parameter.name);
  const between = row.attributes.slice(0, countBetween(row));
  const inRow = [...given, ...between, ...parts.positional].map((parameter) => parameter.name);
  const options_ = parts.hasOptions ? ['options'] : [];
  const list = endsInList(parts.positional) ? [names.pop()] : [];
  if (heads.length > 1) {
    const untyped = [...names, ...(list.length ? [] : options_)].map((parameter) => `${parameter}?: unknown`);
    untyped.push(...list.map((parameter) => `...${parameter}: unknown[]`));
    heads.push(`${head}(${untyped.join(', ')}): ${isInPlace ? 'this' : 'unknown'}`);
  }
  const first = given.length < form.tensors.filter(isArgument).length ? [self] : [];
  const all = list.length
    ? `spread(${number}, [${[...first, ...inRow.slice(0, -1)].join(', ')}], ${list[0]}, ${names.length})`
    : `[${[...first, ...inRow, ...options_].join(', ')}]`;
  const call = `${isInPlace ? 'runInPlace' : 'run'}(${number}, ${all})`;
  const check = list.length ? '' : `${most(name, names.length + options_.length)}\n  `;
  return `${heads.join(';\n')} {
  ${check}${form.result === 'void' ? `${call};` : isInPlace ? `${call};\n  return this;` : heads.length > 1 ? `return ${call};` : `return ${call} as ${form.result};`}
}`;
}

function functionText(row, number, form) {
  const name = renamed[row.name] ?? row.name;
  const text = formText(row, number, form, {
    head: `export function ${name}`,
    name: row.name,
    given: form.tensors.filter(isArgument),
    generics: form.generics.fn,
  });
  return name === row.name ? text : `${text}\nexport { ${name} as ${row.name} };`;
}

function methodText(row, number, form, isInPlace) {
  const name = isInPlace ? inPlaceName(row) : row.name;
  return formText(row, number, form, {
    head: name,
    name,
    given: form.tensors.slice(1).filter(isArgument),
    generics: isInPlace ? [] : form.generics.method,
    isInPlace,
  });
}

const hasMethod = ({ name, tensors, outputs }) =>
  outputs.length > 0 && tensors.length > 0 && isTensor[tensors[0].kind] && !ownMethods.has(name);

/** Texts of all rows: functions with the interfaces of their options, and methods. */
export function functionTexts(rows) {
  const functions = [];
  const methods = [];
  rowsOf(rows).forEach((row, number) => {
    const form = formOf(row);
    const { summary } = rows[number];
    if (byHand.has(row.name)) return;
    if (form.options?.text) functions.push(form.options.text);
    functions.push(`/** ${summary} */\n${functionText(row, number, form)}`);
    if (!hasMethod(row)) return;
    methods.push(`/** ${summary} */\n${methodText(row, number, form, false)}`);
    if (row.outputs[0].kind === 'INPLACE')
      methods.push(`/** In place: ${summary} */\n${methodText(row, number, form, true)}`);
  });
  return { functions: functions.join('\n\n'), methods: methods.join('\n\n') };
}

/** The form a row has in JavaScript, for docs/ops.md. */
export function signature(row) {
  const [own] = rowsOf([row]);
  const form = formOf(own);
  const { positional, hasOptions } = argumentsOf(own, form, false);
  const leading = leadingOf(own, form.tensors.filter(isArgument));
  const names = [...leading, ...positional].map(({ name }) => name);
  return `${own.name}(${[...names, ...(hasOptions ? ['options'] : [])].join(', ')})`;
}

/** The same as a method of the first tensor, and in place: none, or texts. */
export function methodSignatures(row) {
  const [own] = rowsOf([row]);
  if (!hasMethod(own)) return [];
  const form = formOf(own);
  const first = own.tensors[0].name;
  const call = (name, isInPlace) => {
    const { positional, hasOptions } = argumentsOf(own, form, isInPlace);
    const leading = leadingOf(own, form.tensors.slice(1).filter(isArgument));
    const names = [...leading, ...positional].map((parameter) => parameter.name);
    return `${first}.${name}(${[...names, ...(hasOptions ? ['options'] : [])].join(', ')})`;
  };
  return [
    call(own.name, false),
    ...(own.outputs[0].kind === 'INPLACE' ? [call(inPlaceName(own), true)] : []),
  ];
}

const tensorDocs = {
  IN: ['Tensor', ''],
  BASE: ['Tensor', 'The result is a view of it.'],
  OPERAND: ['Tensor or number', ''],
  OPTIONAL: ['Tensor', 'May be left out; NULL in C.'],
  LIST: ['Tensor[]', 'Any number of tensors.'],
  UPDATED: ['Tensor[]', 'Any number of tensors, which are written to.'],
  UPDATED_OR_NONE: ['Tensor[]', 'Tensors that are written to; may be left out: NULL and 0 in C.'],
};

/** The parameters of a row for docs/reference: name in C, name in JavaScript, type there, what it is. */
export function parametersOf(row) {
  const [own] = rowsOf([row]);
  const inC = row.attributes.filter(({ kind }) => kind !== 'OPTIONS' && kind !== 'ARGUMENTS');
  const tensors = own.tensors.map(({ kind, name }, k) => {
    const [type, doc] = tensorDocs[kind];
    return { c: row.tensors[k].name, js: name, type, doc, isOption: !isArgument({ kind }) };
  });
  const attributes = own.attributes.map((attribute, k) => ({
    c: inC[k].name,
    js: attribute.name,
    type: valueText(attribute),
    doc:
      attributeDoc(own, attribute) +
      (attribute.flag ? ` \`${attribute.flag}\` is true for 1, false for 0.` : ''),
    isOption: k >= own.positional,
  }));
  return [...tensors, ...attributes];
}

/** The dtype of a row's result, or of each, for docs/ops.md. */
export function resultText({ outputs }) {
  if (outputs.length === 0) return 'nothing: in place';
  return outputs.length === 1
    ? `${outputs[0].kind === 'TENSORS' ? 'list of ' : ''}${outputs[0].dtype}`
    : outputs.map(({ name, dtype }) => `${camel(name)} ${dtype}`).join(', ');
}
