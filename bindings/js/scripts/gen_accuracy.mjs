// docs/accuracy.md from tests/data/accuracy.json, which `make accuracy` writes.
import { readFileSync } from 'node:fs';

const project = new URL('../../../', import.meta.url);
const read = (path) => readFileSync(new URL(path, project), 'utf8');

const modes = { quick: 'sparse', dense: 'dense', all: 'all' };
const floats = { f32: 'float32', f64: 'float64', f16: 'float16', bf16: 'bfloat16' };
const complexes = { c64: 'complex64', c128: 'complex128' };

/** What was measured, with `isOld` where the bits of the row are others since. */
export function measurements() {
  const hashes = new Map(
    read('tests/data/hashes.txt')
      .split('\n')
      .map((line) => line.split(' ')),
  );
  return JSON.parse(read('tests/data/accuracy.json')).map((line) => ({
    ...line,
    isOld: line.hash !== hashes.get(`${line.row}.${line.dtype}`),
  }));
}

const isAbove = ({ ulp, bound }) => bound !== undefined && (ulp === 'infinite' || ulp > bound);
const number = (text) => {
  const [, sign, whole, part, power] = /^(-?)0x([01])\.?([0-9a-f]*)p([-+]\d+)$/.exec(text) ?? [];
  if (whole === undefined) return text;
  const value = parseInt(whole + part, 16) * 2 ** (Number(power) - 4 * part.length);
  return `${sign}${Number(value.toPrecision(6))}`;
};
const name = ({ row, part }) => `\`${row}\`${part ? `, ${part}` : ''}`;

const ulpText = (ulp) =>
  ulp === 'infinite' ? ulp : ulp < 1e4 ? ulp.toFixed(4) : ulp.toPrecision(3).replace('e+', 'e');

function measuredText(lines) {
  const rows = lines.map((line) => {
    const { dtype, mode, count, ulp, bound, at } = line;
    const notes = [isAbove(line) ? '**above the bound**' : '', line.isOld ? 'bits changed since' : ''];
    return [
      name(line),
      floats[dtype],
      bound === undefined ? '' : String(bound),
      ulpText(ulp),
      at.map((text) => `\`${text}\``).join(', '),
      at.map(number).join(', '),
      mode === 'all' && count === 2 ** 32 ? 'all 2^32' : `${modes[mode]}, ${count.toLocaleString('en')}`,
      notes.filter(Boolean).join('; '),
    ];
  });
  return table(['row', 'dtype', 'bound', 'largest error', 'at', '', 'inputs', ''], rows);
}

// The parts of each operand: a + bi, c + di.
function complexAt(at) {
  const parts = at.map(number);
  const pairs = parts.flatMap((re, k) =>
    k % 2 === 0
      ? [`${re} ${parts[k + 1].startsWith('-') ? '-' : '+'} ${parts[k + 1].replace('-', '')}i`]
      : [],
  );
  return pairs.join(', ');
}

function complexText(lines) {
  const rows = lines.map((line) => {
    const { dtype, mode, count, ulp, bound, scale, at } = line;
    const notes = [isAbove(line) ? '**above the bound**' : '', line.isOld ? 'bits changed since' : ''];
    return [
      name(line),
      complexes[dtype],
      `${bound}${scale ? ` (${scale})` : ''}`,
      ulpText(ulp),
      complexAt(at),
      `${modes[mode]}, ${count.toLocaleString('en')}`,
      notes.filter(Boolean).join('; '),
    ];
  });
  return table(['row', 'dtype', 'bound', 'largest error', 'at', 'inputs', ''], rows);
}

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

// Rows whose float result is, bit for bit, that of a plain expression (tests/native/samples.def).
function plainRows(measured) {
  const found = [
    ...read('tests/native/samples.def').matchAll(/^SAMPLE\((\w+), *[^,]+, *[^,]+, *0, *(\S+)/gm),
  ];
  return found
    .filter(([, row, real]) => real !== 'NONE,' && !measured.has(row))
    .map(([, row]) => `\`${row}\``);
}

/** What the page of a row in docs/reference says of its accuracy, by the name of the row. */
export function accuracyNotes() {
  const notes = new Map();
  const lines = measurements().filter(({ ulp }) => ulp !== undefined);
  const measured = new Set(lines.map(({ row }) => row));
  for (const line of lines) {
    const times = line.scale ? ` times ${line.scale}` : '';
    const unit = line.dtype in complexes ? `units of the whole number${times}` : 'ULP';
    const stated =
      line.bound === undefined ? 'no bound in units of the last place' : `within ${line.bound} ${unit}`;
    const dtype = floats[line.dtype] ?? complexes[line.dtype];
    const what = `${dtype}${line.part ? `, ${line.part}` : ''}: ${stated}, measured ${ulpText(line.ulp)}`;
    notes.set(line.row, [...(notes.get(line.row) ?? []), `- ${what}`]);
  }
  const ends = new Map(
    [...notes].map(([row, list]) => [row, `${list.join('\n')}\n\n[How](../accuracy.md).`]),
  );
  for (const text of plainRows(measured))
    ends.set(
      text.replaceAll('`', ''),
      'Each operation is correctly rounded: the bits are those of the plain expression in C.',
    );
  return ends;
}

export function accuracyText() {
  const lines = measurements();
  const wide = lines.filter(({ dtype }) => dtype === 'f32' || dtype === 'f64');
  const complex = lines.filter(({ dtype }) => dtype in complexes);
  const half = lines.filter(({ misses }) => misses !== undefined);
  const wrong = half.filter(({ misses }) => misses > 0);
  const above = [...wide, ...complex].filter(isAbove);
  const halfRows = [...new Set(half.map(({ row }) => `\`${row}\``))];
  const list = (rows) => rows.join(' ');
  return `<!-- Written by scripts/gen_accuracy.mjs from tests/data/accuracy.json, which \`make accuracy\` measures. -->

# Accuracy

What element-wise functions were measured to be worth, beside what is stated for them. Errors are in units of the last place of the
result (ULP): 0.5 is correct rounding. The oracle is [MPFR](https://www.mpfr.org), with 180 bits or more. Results have the same bits on
every instruction set and thread count, so that one measurement is one for all; hashes tie them together (\`tests/data/hashes.txt\`).

\`\`\`sh
make accuracy                    # dense inputs
make accuracy QUICK=1            # sparse ones, in a minute
make accuracy ALL=1 ROWS="exp"   # all 2^32 inputs of float32
\`\`\`

| inputs | float32, one argument | float64; two arguments |
| --- | --- | --- |
| sparse | every 100,003rd bit pattern | 25,000 of those below |
| dense | every 61st bit pattern: ${Math.ceil(2 ** 32 / 61).toLocaleString('en')} | 300,000 random bit patterns, numbers near the places where functions change, numbers where they are dense, numbers that are hard to reduce; float32 ten times as many |
| all | every one of the 2^32 | 3,000,000 of them |

float64 and functions of two arguments can only be sampled: a larger error between the samples cannot be excluded. An error is above the
bound where it says so${above.length > 0 ? `: ${list([...new Set(above.map(name))])}` : '; none is'}.

The bounds of functions stand above them in \`src/simd/vec_math_*.h\`, \`vec_activation_*.h\` and \`vec_special_*.h\`, where a test reads
them (\`tests/native/accuracy.c\`, part of \`make test\`, on sparse inputs). Differences that cancel are measured in
ULP of what they are made of, where that is larger than the result: below 0 \`lgamma\` and \`digamma\` in those of \`lgamma(|x|)\` and \`digamma(1 - x)\`,
near 0 \`logaddexp\` and \`logaddexp2\` in those of 1/16.

${measuredText(wide)}

## float16 and bfloat16

These are computed in float32 and rounded once. All 65,536 inputs of each give the float32 result, rounded${wrong.length > 0 ? `, but for ${list(wrong.map(({ row, dtype, misses }) => `\`${row}\` (${floats[dtype]}, ${misses})`))}` : ''}:
${list(halfRows)}.

## Complex numbers

The distance from the exact value, divided by its magnitude, in units of 2^-24 (complex64) or 2^-53 (complex128), divided by what stands in
parentheses. Both operands are complex. The oracle are C's functions of long double, with 64 bits. The parts of inputs are random within the
range that \`tests/native/complex_samples.def\` says, some of them near 0; numbers whose result is beyond the range, or nearly vanishes, are
left out. The signs of infinities and zeros are another test's (\`test_complex\`). Sums of products, which may cancel, are not here:
\`lerp\`, \`add\` and \`sub\` with a factor.

${complexText(complex)}

## Bit for bit

Of these rows float32 and float64 results are the bits of a plain C expression, each operation of which is correctly rounded; \`test_ops\` holds
them to it on every instruction set: ${list(plainRows(new Set(wide.map(({ row }) => row))))}.

Sums, means, variances, norms, scans and products: see [semantics](semantics.md#reductions) and \`src/core/stria.h\`.
`;
}
