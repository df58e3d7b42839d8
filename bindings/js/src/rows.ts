// The rows of functions.def as JavaScript has them, and the text in which a page downloads them.

/** A parameter of a function on whole tensors; the kinds are those of functions.def. */
export interface Parameter {
  readonly kind: string;
  readonly name: string;
  /** Attributes: what they are if they are not given; ALL, OPEN and NONE: no value; REQUIRED: they must be given. */
  readonly usual?: number | boolean | string;
  /** INTS: how many. */
  readonly n?: number;
  readonly words?: readonly string[];
  /** An option that says the same: 1 where it is true, 0 where it is false. */
  readonly flag?: string;
  /** Outputs: the rule for their dtype. */
  readonly dtype?: string;
}

/** A function on whole tensors. */
export interface FunctionRow {
  readonly name: string;
  readonly tensors: readonly Parameter[];
  readonly attributes: readonly Parameter[];
  /** How many attributes are arguments; the others are options. */
  readonly positional: number;
  /** The arguments in another order than tensors, then attributes: the places there. */
  readonly order?: readonly number[];
  readonly outputs: readonly Parameter[];
}

const pattern = /^(\w+):(\w+)(?:\*(\d+))?(?:=([^|!]+))?((?:\|[^|!]+)*)(?:!(\w+))?$/;

function valueOf(kind: string, text: string): number | boolean | string {
  if (kind === 'FLAG') return text === 'true';
  const number = kind === 'WORD' ? NaN : Number(text);
  return Number.isNaN(number) ? text : number;
}

// Parameters with a space between. `field` is what the value is; one that is left out is `most`, what most have.
function readParameters(text: string, field?: 'usual' | 'dtype', most = ''): Parameter[] {
  const words = text.split(' ').filter(Boolean);
  return words.map((word) => {
    const [, kind, name, n, value = most, list, flag] = pattern.exec(word)! as unknown as string[];
    return {
      kind: kind!,
      name: name!,
      ...(field && { [field]: valueOf(kind!, value) }),
      ...(n && { n: Number(n) }),
      ...(list && { words: list.slice(1).split('|') }),
      ...(flag && { flag }),
    };
  });
}

/**
 * Rows of a text, one a line: `name;tensors;attributes/options;outputs;order`. A parameter is `KIND:name*n=value|word|word!flag`, of which
 * what it does not have is left out; REQUIRED and SAME, too. scripts/gen_functions.mjs writes it.
 */
export const readRows = (text: string): FunctionRow[] =>
  text.split('\n').map((line) => {
    const [name, tensors, attributes, outputs, order] = line.split(';') as [
      string,
      string,
      string,
      string,
      string?,
    ];
    const [positional, options = ''] = attributes.split('/') as [string, string?];
    const required = readParameters(positional, 'usual', 'REQUIRED');
    return {
      name,
      tensors: readParameters(tensors),
      attributes: [...required, ...readParameters(options, 'usual', 'REQUIRED')],
      positional: required.length,
      ...(order && { order: [...order].map(Number) }),
      outputs: readParameters(outputs, 'dtype', 'SAME'),
    };
  });
