// docs/reference/javascript.md and c.md: what is no row of the op tables. Functions of the package and members of Tensor from their
// documentation in the sources, functions of stria.h as that has them; examples from examples/reference/package.mjs and library.c. The same
// of the headers beside stria.h, a page each, with examples of gradients.c and files.c.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { examples } from './examples.mjs';
import { exported } from './gen_readme.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const code = (language, text) => `\`\`\`${language}\n${text}\n\`\`\``;

const titles = [
  ['Start', ['init', 'web']],
  ['Making tensors, files', ['create']],
  ['Memory', ['memory', 'memory_info']],
  ['Devices', ['devices']],
  ['Loops of your own', ['kernel', 'compile', 'loadProgram', 'inspect']],
];

// Indented lines of a comment are code.
function prose(text) {
  return text.replace(
    /(?:^ {4,}.*\n?)+/gm,
    (block) => `${code('js', block.replace(/^ {4,}/gm, '').trimEnd())}\n`,
  );
}

function entryText(entry, name, example) {
  const shown = example ? `\n\n${code('js', example.text)}` : '';
  return `### ${name}\n\n${code('ts', entry.forms.join('\n'))}\n\n${prose(entry.doc)}${shown}\n`;
}

/** docs/reference/javascript.md; `inTables` are the names of rows in JavaScript. */
export function javascriptText(inTables) {
  const { functions, members } = exported(root);
  const own = new Map(examples('.mjs').map((example) => [example.name, example]));
  const rest = functions.filter(({ name }) => !inTables.has(name) && !['variance', 'tidy'].includes(name));
  const known = titles.flatMap(([, files]) => files);
  const groups = [
    ...titles,
    ['Others', rest.map(({ file }) => file).filter((file) => !known.includes(file))],
  ];
  const sections = groups
    .map(([title, files]) => {
      const list = rest.filter(({ file }) => files.includes(file));
      const texts = list.map((entry) => entryText(entry, entry.name, own.get(entry.name)));
      return texts.length > 0 ? `## ${title}\n\n${texts.join('\n')}` : '';
    })
    .filter(Boolean);
  const ofTensor = members
    .filter(({ name }) => !inTables.has(name.replace(/_$/, '')))
    .map((entry) => entryText(entry, `x.${entry.name}`, own.get(`x.${entry.name}`)));
  return `<!-- Written by scripts/gen_by_hand.mjs from bindings/js/src and examples/reference/package.mjs. -->

# JavaScript

What the package has beside the [rows of the op tables](README.md): functions, and members of every tensor. In the examples \`st\` is the
package, \`import * as st from 'stria'\`, after \`await st.init()\`.

${sections.join('\n')}
## Members of a tensor

${ofTensor.join('\n')}`;
}

const namesOf = (text) => [...text.matchAll(/^STRIA_API[^;{]*?\b(stria_\w+)\(/gm)].map(([, name]) => name);
const plainC = (text) => text.replaceAll('STRIA_API ', '').replaceAll('STRIA_MUST_CHECK ', '');

// Comments and prototypes of a header between two blank lines: { names, text }, by section.
function headerGroups() {
  const header = readFileSync(new URL('../../../src/core/stria.h', import.meta.url), 'utf8');
  const [, ...parts] = header.split(/^\/\* -{20,} (.*?)(?: \*\/)?$/m);
  const sections = [];
  for (let k = 0; k < parts.length; k += 2) {
    const groups = parts[k + 1]
      .split(/\n\n+/)
      .map((text) => ({ text: text.trim(), names: namesOf(text) }))
      .filter(({ names }) => names.length > 0);
    if (groups.length > 0) sections.push({ title: parts[k], groups });
  }
  return sections;
}

const cExamples = () => new Map(examples('.c').map((example) => [`stria_${example.name}`, example]));

/** docs/reference/<name>.md of a header beside stria.h: what its head says, types, functions. */
export function headerPageText(name, title, file) {
  const own = cExamples();
  const header = readFileSync(new URL(`../../../src/core/stria_${name}.h`, import.meta.url), 'utf8');
  const [head, rest] = header.split('#include "stria.h"\n');
  const about = /\/\* [^-]*- ([^]*?)\n \*\n \* SPDX/.exec(head)[1].replace(/^ \* ?/gm, '');
  const blocks = rest
    .split(/\n\n+/)
    .map((text) => text.trim())
    .filter((text) => /^STRIA_API|typedef|^#define (?:DL|STRIA_GRAD)|MAX_/m.test(text));
  const types = blocks.filter((text) => namesOf(text).length === 0);
  const functions = blocks
    .map((text) => ({ text, names: namesOf(text) }))
    .filter(({ names }) => names.length > 0)
    .map(({ text, names }) => {
      const shown = names.filter((one) => own.has(one)).map((one) => code('c', own.get(one).text));
      return `### ${names.join(', ')}\n\n${code('c', plainC(text))}\n${shown.map((example) => `\n${example}\n`).join('')}`;
    });
  return `<!-- Written by scripts/gen_by_hand.mjs from src/core/stria_${name}.h and examples/reference/${file}. -->

# ${title}

\`#include "stria_${name}.h"\`: ${about}

[README](README.md) says what \`of\`, \`TRY\`, \`IS\` in the examples are.

## Functions

${functions.join('\n')}
## Types

${code('c', types.join('\n\n'))}
`;
}

/** docs/reference/c.md. */
export function cText() {
  const own = cExamples();
  const sections = headerGroups().map(({ title, groups }) => {
    const texts = groups.map(({ names, text }) => {
      const shown = names.filter((name) => own.has(name)).map((name) => code('c', own.get(name).text));
      return `### ${names.join(', ')}\n\n${code('c', plainC(text))}\n${shown.map((example) => `\n${example}\n`).join('')}`;
    });
    return `## ${title[0].toUpperCase()}${title.slice(1)}\n\n${texts.join('\n')}`;
  });
  return `<!-- Written by scripts/gen_by_hand.mjs from src/core/stria.h and examples/reference/library.c. -->

# C

What \`stria.h\` has beside the [rows of the op tables](README.md), as it stands there. [README](README.md) says what \`of\`, \`TRY\`, \`IS\` in
the examples are.

${sections.join('\n')}`;
}
