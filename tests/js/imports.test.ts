// How the package's modules hang together: what bundlers may rely on.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const files = readdirSync(dist).filter((name) => name.endsWith('.js'));

// `import x from`, `export x from` and `import` alone, of a module of the package.
const pattern = /^(?:import|export)\b([^'";]*?)(?:from\s*)?['"]\.\/([^'"]+)['"];/gms;
const imports = new Map(
  files.map((file) => [
    file,
    [...readFileSync(dist + file, 'utf8').matchAll(pattern)].map(([, names, from]) => ({
      names: names.trim(),
      from,
    })),
  ]),
);

test('every import names what it uses', () => {
  assert.ok(imports.get('index.js')!.length > 5, 'the pattern finds imports');
  for (const [file, list] of imports)
    for (const { names, from } of list)
      assert.notEqual(names, '', `${file} imports ${from} for its side effect, which a bundler drops`);
});

test('imports form no circle', () => {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    assert.ok(!path.includes(file), `circle: ${[...path, file].join(' -> ')}`);
    if (done.has(file)) return;
    for (const { from } of imports.get(file) ?? []) visit(from, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  assert.ok(files.every((file) => done.has(file)));
});
