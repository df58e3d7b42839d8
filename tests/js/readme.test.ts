// The programs of README.md run as they stand. That of a training that goes on has the same bits as one that never
// stopped.
import test from 'node:test';
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Sequential } from 'stria/nn';
import type { Optimizer } from 'stria/optim';
import { load } from './support.js';

await load();

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const programs = ['README.md', 'bindings/js/README.md'].flatMap((name) =>
  [...readFileSync(root + name, 'utf8').matchAll(/^```js\n([^]*?)^```$/gm)]
    .map(([, text], k) => ({ name: `${name}, ${k}`, text }))
    .filter(({ text }) => text.includes('await init()')),
);

// Beside the tests, where the package is found by its name; files that it writes go to a folder of their own.
async function run(text: string, k: number): Promise<Record<string, unknown>> {
  const file = fileURLToPath(new URL(`./readme_${process.pid}_${k}.mjs`, import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'stria-readme-'));
  const before = process.cwd();
  writeFileSync(file, text);
  process.chdir(folder);
  try {
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } finally {
    process.chdir(before);
    rmSync(file);
    rmSync(folder, { recursive: true });
  }
}

interface Training {
  model: Sequential;
  optimizer: Optimizer;
  scheduler: { getLastLr(): number[] };
}

test('there are programs', () => assert.ok(programs.length >= 5, `${programs.length}`));

programs.forEach(({ name, text }, k) => {
  const goesOn = text.includes('goOn(');
  test(`${name} runs${goesOn ? ', and goes on with the same bits' : ''}`, async () => {
    const found = await run(goesOn ? `${text}\nexport { training, again };\n` : text, k);
    if (!goesOn) return;
    const { training, again } = found as unknown as Record<string, Training>;
    assert.deepEqual(again.model.save(), training.model.save());
    assert.deepEqual(again.optimizer.save(), training.optimizer.save());
    assert.deepEqual(again.scheduler.getLastLr(), training.scheduler.getLastLr());
  });
});
