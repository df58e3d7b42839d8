// docs/reference/javascript.md and c.md: what is no row of the op tables. Functions of the package and members of Tensor from their
// documentation in the sources, functions of stria.h as that has them; examples from examples/reference/package.mjs and library.c.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { examples } from './examples.mjs';
import { exported } from './gen_readme.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const code = (language, text) => `\`\`\`${language}\n${text}\n\`\`\``;

const titles = [
  ['Start', ['init', 'web']],
  ['Making tensors, files', ['create']],
  ['Memory', ['memory']],
  ['Loops of your own', ['kernel', 'inspect']],
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

// Comments and prototypes of stria.h between two blank lines: { names, text }, by section.
function headerGroups() {
  const header = readFileSync(new URL('../../../src/core/stria.h', import.meta.url), 'utf8');
  const [, ...parts] = header.split(/^\/\* -{20,} (.*?)(?: \*\/)?$/m);
  const sections = [];
  for (let k = 0; k < parts.length; k += 2) {
    const groups = parts[k + 1]
      .split(/\n\n+/)
      .map((text) => ({
        text: text.trim(),
        names: [...text.matchAll(/^STRIA_API[^;{]*?\b(stria_\w+)\(/gm)].map(([, name]) => name),
      }))
      .filter(({ names }) => names.length > 0);
    if (groups.length > 0) sections.push({ title: parts[k], groups });
  }
  return sections;
}

/** docs/reference/c.md. */
export function cText() {
  const own = new Map(examples('.c').map((example) => [`stria_${example.name}`, example]));
  const sections = headerGroups().map(({ title, groups }) => {
    const texts = groups.map(({ names, text }) => {
      const shown = names.filter((name) => own.has(name)).map((name) => code('c', own.get(name).text));
      const plain = text.replaceAll('STRIA_API ', '').replaceAll('STRIA_MUST_CHECK ', '');
      return `### ${names.join(', ')}\n\n${code('c', plain)}\n${shown.map((example) => `\n${example}\n`).join('')}`;
    });
    return `## ${title[0].toUpperCase()}${title.slice(1)}\n\n${texts.join('\n')}`;
  });
  return `<!-- Written by scripts/gen_by_hand.mjs from src/core/stria.h and examples/reference/library.c. -->

# C

What \`stria.h\` has beside the [rows of the op tables](README.md), as it stands there. [README](README.md) says what \`of\`, \`TRY\`, \`IS\` in
the examples are.

${sections.join('\n')}`;
}
