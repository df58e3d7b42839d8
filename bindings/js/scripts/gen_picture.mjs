// docs/compiler.svg from the explanation that docs/compiler.md shows, by the package in dist/.
//
//   node scripts/gen_picture.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { explainSvg } from '../dist/explain.js';

const docs = new URL('../../../docs/', import.meta.url);
const [, text] = /<!-- explain -->\n\n```json\n([^]*?)```/.exec(
  readFileSync(new URL('compiler.md', docs), 'utf8'),
);
writeFileSync(
  new URL('compiler.svg', docs),
  explainSvg(JSON.parse(text), { title: 'layer.forward(x).relu()' }),
);
