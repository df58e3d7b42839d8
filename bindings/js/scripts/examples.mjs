// The examples of docs/reference: examples/reference/<family>.mjs and .c, read by gen_reference.mjs and by the tests.
//
//   // example: sort
//   {
//     const { values } = st.sort(st.tensor([3, 1, 2]));
//     values; // => [1, 2, 3]
//   }
//
// Functions of C right before an example belong to it. An example of what is no row is of a function of the package,
// of a member, `x.item`, or of a function of a header of C: package.mjs, library.c, gradients.c, files.c.
// A line `expression; // => text` or `const name = expression; // => text` says what a value is: of a tensor its elements. Numbers that
// are not whole are rounded to 4 places behind the point, those below 0.001 to 4 digits. `// throws CODE` says that a line throws.
import { readdirSync, readFileSync } from 'node:fs';

export const folder = new URL('../../../examples/reference/', import.meta.url);

const marks = {
  '.mjs': /()^\/\/ example: ([\w.]+)\n\{\n([^]*?)^\}\n/gm,
  '.c': /((?:^(?:\/\*.*\*\/\n)?^static (?:(?!^EXAMPLE)[^])*?^\}\n\n)?)^EXAMPLE\((\w+)\)\n\{\n([^]*?)^\}\n/gm,
};

// Lines without the indentation that all of them have.
function dedent(text) {
  const lines = text.replace(/\s+$/, '').split('\n');
  const indents = lines.filter((line) => line.trim()).map((line) => /^ */.exec(line)[0].length);
  const least = Math.min(...indents);
  return lines.map((line) => line.slice(least)).join('\n');
}

/** Every example of a language, '.mjs' or '.c': { name, family, text }. */
export function examples(ending) {
  return readdirSync(folder)
    .filter((file) => file.endsWith(ending))
    .sort()
    .flatMap((file) =>
      [...readFileSync(new URL(file, folder), 'utf8').matchAll(marks[ending])].map(
        ([, functions, name, text]) => ({
          name,
          family: file.slice(0, -ending.length),
          text: functions + dedent(text),
        }),
      ),
    );
}

/** A program whose default export runs an example: (st, is, throws) => .. with a call of is(value, text) for each `// =>`. */
export function program({ text }) {
  const lines = text.split('\n').flatMap((line) => {
    const thrown = /^(.*); \/\/ throws (\w+)$/.exec(line);
    if (thrown) return [`throws(() => { ${thrown[1]}; }, '${thrown[2]}');`];
    const shown = /^(?:const (\w+) = )?(.*); \/\/ => (.*)$/.exec(line);
    if (!shown) return [line];
    const [, name, expression, wanted] = shown;
    const value = name === undefined ? expression : name;
    return [...(name === undefined ? [] : [line]), `is(${value}, ${JSON.stringify(wanted)});`];
  });
  return `export default async (st, is, throws) => {\n${lines.join('\n')}\n};\n`;
}

function numberText(value) {
  if (!Number.isFinite(value) || Number.isInteger(value)) return Object.is(value, -0) ? '-0' : String(value);
  return String(Number(Math.abs(value) < 1e-3 ? value.toPrecision(4) : value.toFixed(4)));
}

/** A value as the examples write it. */
export function valueText(value, isTensor) {
  if (isTensor(value)) return valueText(value.toArray(), isTensor);
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'string') return `'${value}'`;
  if (Array.isArray(value) || ArrayBuffer.isView(value))
    return `[${Array.from(value, (element) => valueText(element, isTensor)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([name, field]) => `${name}: ${valueText(field, isTensor)}`);
    return `{ ${fields.join(', ')} }`;
  }
  return String(value); // bigints without n
}
