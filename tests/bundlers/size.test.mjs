// What a page downloads: all of the package, minified by esbuild as users get it, and the module with SIMD, both by brotli.
import test, { before } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { app, buildWhole, installApp } from './build.mjs';

const limit = 419_000;
const packed = (file) => brotliCompressSync(readFileSync(file)).length;

before(installApp);

test('a page that imports everything downloads at most 419 kB', async (t) => {
  const scripts = await buildWhole();
  assert.ok(scripts.length > 0, 'esbuild wrote nothing');
  const script = scripts.map(packed).reduce((a, b) => a + b);
  const module = packed(path.join(app, 'node_modules/stria/dist/wasm/stria-simd.wasm'));
  const text = `${Math.ceil((script + module) / 1000)} kB: module ${Math.ceil(module / 1000)}, JavaScript ${Math.ceil(script / 1000)}`;
  t.diagnostic(text);
  assert.ok(script > 20_000 && module > 100_000, `${text}: something is missing`);
  assert.ok(script + module <= limit, text);
});
