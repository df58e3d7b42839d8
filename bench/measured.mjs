// measured.mjs - writes docs/measured.md from build/bench/results.json, which `make bench` has made.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { measuredPage } from './lib/measured.mjs';

const file = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
writeFileSync(
  file('docs/measured.md'),
  measuredPage(JSON.parse(readFileSync(file('build/bench/results.json'), 'utf8'))),
);
