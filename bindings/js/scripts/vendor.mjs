// Writes dist/fflate.js: of fflate's one file what inflateSync and deflateSync need, so that the package depends on nothing and holds no
// code that starts workers from blobs. Its statements are copied as they are, under its licence.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const WANTED = ['inflateSync', 'deflateSync'];

// Names that a statement declares, and all that it mentions but for those of members.
function namesIn(statement) {
  const declared = [];
  const mentioned = new Set();
  if (ts.isVariableStatement(statement))
    for (const { name } of statement.declarationList.declarations) declared.push(name.text);
  if (ts.isFunctionDeclaration(statement)) declared.push(statement.name.text);
  const visit = (node) => {
    if (ts.isPropertyAccessExpression(node)) return visit(node.expression);
    if (ts.isPropertyAssignment(node)) return visit(node.initializer);
    if (ts.isIdentifier(node)) mentioned.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(statement);
  return { statement, declared, mentioned };
}

export function writeFflate(root, dist) {
  const folder = join(root, 'node_modules/fflate');
  const text = readFileSync(join(folder, 'esm/browser.js'), 'utf8');
  const source = ts.createSourceFile('browser.js', text, ts.ScriptTarget.ES2022, true);
  const parts = source.statements.map(namesIn);
  const kept = new Set();
  const take = (part) => {
    if (kept.has(part)) return;
    kept.add(part);
    for (const other of parts) if (other.declared.some((name) => part.mentioned.has(name))) take(other);
  };
  for (const name of WANTED) {
    const own = parts.find(({ declared }) => declared.includes(name));
    if (own === undefined) throw new Error(`fflate has no ${name}`);
    take(own);
  }
  // loops and assignments that fill what is kept
  const tables = new Set([...kept].flatMap(({ declared }) => declared));
  for (const part of parts)
    if (part.declared.length === 0 && [...part.mentioned].some((name) => tables.has(name))) take(part);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const licence = readFileSync(join(folder, 'LICENSE'), 'utf8').trim();
  const body = parts.filter((part) => kept.has(part)).map(({ statement }) => statement.getText(source));
  if (/Worker|Blob|postMessage/.test(body.join())) throw new Error('fflate: more is kept than should be');
  writeFileSync(
    join(dist, 'fflate.js'),
    `/* From fflate ${version}.\n\n${licence}\n*/\n${body.join('\n')}\n`,
  );
}
