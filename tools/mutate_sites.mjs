// Where a source can be mutated, and how: small slips that compile more often than not. Pure functions of the text.
//
//   sitesOf(text, path) -> [{ operator, start, end, replacement }], in order of position

/** The text with comments and string literals as spaces, so that positions stay. */
function mask(text) {
  const pattern = /\/\/[^\n]*|\/\*[^]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[^])*`/g;
  return text.replace(pattern, (part) => part.replace(/[^\n]/g, ' '));
}

const swaps = {
  relation: {
    '<': '<=',
    '<=': '<',
    '>': '>=',
    '>=': '>',
    '==': '!=',
    '!=': '==',
    '===': '!==',
    '!==': '===',
  },
  sign: { '+': '-', '-': '+', '+=': '-=', '-=': '+=' },
  product: { '*': '/', '/': '*', '%': '/', '<<': '>>', '>>': '<<', '&': '|', '|': '&' },
  logic: { '&&': '||', '||': '&&' },
};
const operatorOf = new Map(
  Object.entries(swaps).flatMap(([operator, pairs]) =>
    Object.entries(pairs).map(([from, to]) => [from, { operator, to }]),
  ),
);

// Binary operators: the formatters put a space on either side.
function* binaries(code, isTypeScript) {
  for (const match of code.matchAll(/(?<=[\w)\]] )([<>=!+\-*/%&|]{1,3})(?= [\w(!~*&+-])/g)) {
    const known = operatorOf.get(match[1]);
    if (!known) continue;
    // in types, | and & are no operators
    if (isTypeScript && (match[1] === '|' || match[1] === '&')) continue;
    yield {
      operator: known.operator,
      start: match.index,
      end: match.index + match[1].length,
      replacement: known.to,
    };
  }
}

/** Index after the parenthesis that closes the one at `open`; 0 if none does. */
function closing(code, open) {
  for (let k = open, depth = 0; k < code.length; k++) {
    if (code[k] === '(') depth++;
    if (code[k] === ')' && --depth === 0) return k + 1;
  }
  return 0;
}

function* conditions(code, text) {
  for (const match of code.matchAll(/\bif \(/g)) {
    const open = match.index + match[0].length - 1;
    const end = closing(code, open);
    if (end) yield { operator: 'condition', start: open, end, replacement: `(!${text.slice(open, end)})` };
  }
}

// Whole numbers go up or down by one, floats change by a thousandth. Lengths of text buffers are left alone.
function* constants(code) {
  const number = /(?<![\w.])(0x[\da-fA-F.]+p[+-]?\d+|\d+\.\d*(?:e[+-]?\d+)?|\d+)([fnuUlL]*)(?![\w.])/g;
  for (const match of code.matchAll(number)) {
    const line = code.slice(code.lastIndexOf('\n', match.index) + 1, match.index);
    if (/\bchar\s+\w+\[$|^\s*#|^import/.test(line)) continue;
    const [all, digits, suffix] = match;
    const at = { operator: 'constant', start: match.index, end: match.index + all.length };
    if (/[.p]/.test(digits)) yield { ...at, replacement: `(${all} * 1.001${suffix})` };
    else if (suffix !== 'f') {
      yield { ...at, replacement: `${BigInt(digits) + 1n}${suffix}` };
      if (digits !== '0') yield { ...at, replacement: `${BigInt(digits) - 1n}${suffix}` };
    }
  }
}

// A statement of one line that changes or calls something. It becomes an empty one, as it may be the body of an `if`.
function* statements(code) {
  const keyword =
    /^(?:const|static|return|break|continue|goto|case|default|import|export|type|let|var|throw|else|do)\b/;
  for (const match of code.matchAll(/(?<=[;{})]\s*\n)([ \t]+)([\w*(+-][^;{}\n]*;)(?=[ \t]*\n)/g)) {
    const [, indent, statement] = match;
    if (keyword.test(statement) || /^\w+\s+[\w*]/.test(statement)) continue; // or it declares
    if (!/\(|[^=!<>]=[^=]|\+\+|--/.test(statement)) continue;
    const start = match.index + indent.length;
    yield { operator: 'statement', start, end: start + statement.length, replacement: '{}' };
  }
}

// Neighbouring arguments of a call that are plain names, members or elements.
function* swappedArguments(code) {
  const argument = String.raw`[A-Za-z_][\w.]*(?:->\w+)*(?:\[\w+\])?`;
  const pair = new RegExp(String.raw`(?<=\w\((?:[^()\n]*, )?)(${argument}), (${argument})(?=[,)])`, 'g');
  for (const match of code.matchAll(pair)) {
    const [all, a, b] = match;
    const line = code.slice(code.lastIndexOf('\n', match.index) + 1, match.index);
    if (a === b || /^\s*#|\b(?:function|sizeof)\b/.test(line)) continue;
    yield {
      operator: 'arguments',
      start: match.index,
      end: match.index + all.length,
      replacement: `${b}, ${a}`,
    };
  }
}

/** All sites of a source, each with one replacement. */
export function sitesOf(text, path) {
  const isTypeScript = path.endsWith('.ts');
  // a preprocessor line has no statements, and its conditions are the build's
  const code = mask(text).replace(/^[ \t]*#[^\n]*/gm, (line) => ' '.repeat(line.length));
  const found = [
    ...binaries(code, isTypeScript),
    ...conditions(code, text),
    ...constants(code),
    ...statements(code),
    ...swappedArguments(code),
  ];
  return found.sort((a, b) => a.start - b.start || a.end - b.end || (a.replacement < b.replacement ? -1 : 1));
}
