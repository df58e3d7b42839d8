// The JavaScript examples of docs/reference (examples/reference): each gives what it says, and every row has one.
import test from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as st from 'stria';
import { checkLeaksAtEnd, load } from './support.js';

interface Example {
  name: string;
  family: string;
  text: string;
}
interface Examples {
  examples(ending: string): Example[];
  program(example: Example): string;
  valueText(value: unknown, isTensor: (value: unknown) => boolean): string;
}
type Program = (
  names: typeof st,
  is: (value: unknown, text: string) => void,
  throws: (call: () => void, code: string) => void,
) => Promise<void>;

const root = fileURLToPath(new URL('../..', import.meta.url));
const { examples, program, valueText } = (await import(`${root}scripts/examples.mjs`)) as Examples;
const folder = fileURLToPath(new URL('reference/', import.meta.url));
mkdirSync(folder, { recursive: true });
const all = examples('.mjs');

await load();
checkLeaksAtEnd();

for (const example of all)
  test(`${example.family}: ${example.name}`, async () => {
    const path = `${folder}${example.name}.mjs`;
    writeFileSync(path, program(example));
    const { default: run } = (await import(path)) as { default: Program };
    let count = 0;
    const is = (value: unknown, text: string): void => {
      count++;
      assert.equal(
        valueText(value, (one) => one instanceof st.Tensor),
        text,
      );
    };
    const throws = (call: () => void, code: string): void => {
      count++;
      assert.throws(call, { code });
    };
    await st.scope(() => run(st, is, throws));
    assert.ok(count > 0, 'the example shows nothing');
  });

interface Row {
  name: string;
  family: string;
}
const path = `${root}build/ops.json`;
const skip = !existsSync(path) && 'the op table was not dumped in this build';

test('every row has an example, in the file of its family', { skip }, () => {
  const tables = JSON.parse(readFileSync(path, 'utf8')) as Record<'ops' | 'reductions' | 'functions', Row[]>;
  for (const { name, family } of [...tables.ops, ...tables.reductions, ...tables.functions]) {
    const file = `examples/reference/${family}.mjs`;
    const own = all.find((example) => example.name === name);
    assert.ok(own, `${name} has no example: add "// example: ${name}" to ${file}`);
    assert.equal(own.family, family, `the example of ${name} is in another file than ${file}`);
  }
});

test('so has what is no row: sections of javascript.md, c.md and of the headers beside stria.h', () => {
  for (const [page, language, file, least] of [
    ['javascript.md', 'js', 'package.mjs', 16],
    ['c.md', 'c', 'library.c', 16],
    ['safetensors.md', 'c', 'files.c', 3],
    ['dlpack.md', 'c', 'files.c', 4],
  ] as const) {
    const text = readFileSync(`${root}../../docs/reference/${page}`, 'utf8');
    const sections = text
      .split(/^## Types/m)[0]
      .split(/^### /m)
      .slice(1);
    assert.ok(sections.length >= least, page);
    for (const section of sections) {
      const name = section.split('\n')[0];
      // the excerpt of stria.h is C, too
      const count = section.split(`\`\`\`${language}\n`).length - (language === 'c' ? 2 : 1);
      assert.ok(count > 0, `${name} has no example: add one to examples/reference/${file}`);
    }
  }
});

test('no example is there twice', () => {
  const names = all.map(({ name }) => name);
  assert.deepEqual(
    names.filter((name, k) => names.indexOf(name) < k),
    [],
  );
});
