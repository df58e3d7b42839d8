// Writes dist/cjs/: the modules of dist/ in one CommonJS file, and their types, for require() in engines that cannot require
// an ES module (Node before 20.19 and 22.12), and for Jest.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };

// The modules that one needs, itself last, each with its text as a function body.
function collect(dist, name, found) {
  if (found.has(name)) return;
  const text = readFileSync(join(dist, name), 'utf8');
  for (const { fileName } of ts.preProcessFile(text).importedFiles)
    if (fileName.startsWith('.')) collect(dist, posix.join(posix.dirname(name), fileName), found);
  const body = ts
    .transpileModule(text, { compilerOptions })
    .outputText.replaceAll('import.meta.url', '$base')
    .replace(/\brequire\("(\.[^"]+)"\)/g, (_, from) => {
      return `$load(${JSON.stringify(posix.join(posix.dirname(name), from))})`;
    });
  found.set(name, body);
}

export function writeCommonJs(dist) {
  const found = new Map();
  const subpaths = ['npz', 'optim', 'nn', 'explain'];
  for (const name of ['node', ...subpaths]) collect(dist, `${name}.js`, found);
  const modules = [...found].map(([name, body]) => `${JSON.stringify(name)}(exports) {\n${body}}`);
  const text = `'use strict';
// Written by scripts/commonjs.mjs from the ES modules beside this folder.
const $base = require('node:url').pathToFileURL(require('node:path').join(__dirname, '../node.js')).href;
const $modules = {
${modules.join(',\n')}
};
const $loaded = {};
function $load(name) {
  if (!(name in $loaded)) $modules[name](($loaded[name] = {}));
  return $loaded[name];
}
module.exports = $load('node.js');
Object.defineProperty(module.exports, Symbol.for('stria.modules'), { value: $load });
`;
  const folder = join(dist, 'cjs');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
  writeFileSync(join(folder, 'index.js'), text);
  // on the same modules
  for (const name of subpaths)
    writeFileSync(
      join(folder, `${name}.js`),
      `'use strict';\nmodule.exports = require('./index.js')[Symbol.for('stria.modules')]('${name}.js');\n`,
    );
  // a require() of an ES module's types is an error, so these are the types of CommonJS
  for (const name of readdirSync(dist))
    if (name.endsWith('.d.ts')) cpSync(join(dist, name), join(folder, name));
}
