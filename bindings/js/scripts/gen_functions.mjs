// Texts for the rows of functions.def: a JavaScript function and a method each. What a kind takes is written here once;
// src/functions.ts runs it.

const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

// Names that JavaScript reserves: the function is exported under both names, the method has its own.
const renamed = { var: 'variance' };

// params: after x, in the declaration; args: the same in the call; generics: before the type of the result;
// also: type of x where any tensor will not do
const axisText = { params: 'dim: number | AxisOptions<O>, options?: AxisOptions<O>', args: 'dim, options' };
const kinds = {
  PRODUCT: {
    run: 'product',
    x: 'a',
    generics: 'E extends DType',
    params: 'b: Tensor<E>, options?: OutOptions<O>',
    args: 'b, options',
  },
  ARG: {
    run: 'arg',
    params: 'dim?: number | null | ArgOptions<O>, options?: ArgOptions<O>',
    args: 'dim, options',
  },
  MOMENT: {
    run: 'moment',
    params: 'dim?: Dims | null | MomentOptions<O>, options?: MomentOptions<O>',
    args: 'dim, options',
  },
  POWER: {
    run: 'power',
    params: 'p?: number | PowerOptions<O>, dim?: Dims | null | PowerOptions<O>, options?: PowerOptions<O>',
    args: 'p, dim, options',
  },
  SCAN: { run: 'along', ...axisText, inPlace: true, inPlaceParams: 'dim: number', inPlaceArgs: 'dim, ' },
  ROW: { run: 'along', ...axisText },
  NORM: {
    run: 'overShape',
    params: 'normalizedShape: number | readonly number[], options?: NormOptions<O>',
    args: 'normalizedShape, options',
  },
  MASK: { run: 'masked', params: "mask: Tensor<'bool'>, options?: OutOptions<O>", args: 'mask, options' },
  COUNT: {
    run: 'counted',
    generics: 'W extends DType = never',
    params: 'options?: CountOptions<W, O>',
    args: 'options',
  },
  FILL: {
    run: 'filled',
    params: "mask: Tensor<'bool'>, value: Operand, options?: OutOptions<O>",
    args: 'mask, value, options',
    inPlace: true,
    inPlaceParams: "mask: Tensor<'bool'>, value: Operand",
    inPlaceArgs: 'mask, value, ',
  },
};
const results = {
  COMMON: 'Promote<Tensor<D>, Tensor<E>>',
  SAME: 'D',
  FLOAT: 'D',
  WIDE: 'WideOf<D>',
  INDEX: "'int64'",
  COUNT: 'CountOf<W>',
};

// Number of parameters in a text of them.
const countOf = (params) => params.split(/,\s*(?=\w+\??:)/).length;
// Refuses arguments beyond the last, which JavaScript would drop.
export const most = (name, count) =>
  `if (arguments.length > ${count}) refuseMore('${name}', ${count}, arguments);`;

function texts(row, number) {
  const { run, x = 'x', generics, params, args, inPlace, inPlaceParams, inPlaceArgs } = kinds[row.kind];
  const result = `O extends DType = ${results[row.result]}`;
  const name = camel(row.name);
  const exported = renamed[name] ?? name;
  const before = generics ? `${generics}, ` : '';
  const count = countOf(params);
  let fn = `/** ${row.summary} */
export function ${exported}<D extends DType, ${before}${result}>(${x}: Tensor<D>, ${params}): Tensor<NoInfer<O>> {
  ${most(name, 1 + count)}
  return ${run}(${number}, '${name}', ${x}, ${args}) as Tensor<NoInfer<O>>;
}`;
  if (exported !== name) fn += `\nexport { ${exported} as ${name} };`;
  let method = `  /** ${row.summary} */
  ${name}<${before}${result}>(${params}): Tensor<NoInfer<O>> {
    ${most(name, count)}
    return ${run}(${number}, '${name}', this as unknown as Tensor, ${args}) as Tensor<NoInfer<O>>;
  }`;
  if (inPlace)
    method += `
  /** In place: ${row.summary} */
  ${name}_(${inPlaceParams}): this {
    ${most(name + '_', countOf(inPlaceParams))}
    ${run}(${number}, '${name}', this as unknown as Tensor, ${inPlaceArgs}{ out: this as unknown as Tensor });
    return this;
  }`;
  return { fn, method };
}

/** Texts of all rows: { functions, methods, imports } */
export function functionTexts(rows) {
  const all = rows.map(texts);
  return {
    functions: all.map(({ fn }) => fn).join('\n\n'),
    methods: all.map(({ method }) => method).join('\n\n'),
    runners: [...new Set(rows.map((row) => kinds[row.kind].run))].sort().join(', '),
    types: [
      ...new Set(
        rows.flatMap(
          (row) => kinds[row.kind].params.match(/\b(Arg|Axis|Count|Moment|Norm|Power)Options\b/g) ?? [],
        ),
      ),
    ].join(', '),
  };
}

/** The forms a row has in JavaScript, for docs/ops.md. */
export function signature(row) {
  const { x = 'x', args } = kinds[row.kind];
  return `${camel(row.name)}(${x}, ${args})`;
}
