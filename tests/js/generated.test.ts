// The fingerprint of the op table tells two tables apart, and rows that are downloaded as text are those of the table. (That the generated
// files are what the table gives, the build checks.)
import test from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const path = `${root}build/ops.json`;
const skip = !existsSync(path) && 'the op table was not dumped in this build';

type Row = Record<string, unknown>;
type Tables = Record<string, Row[]>;
interface Fingerprints {
  fingerprint(tables: Tables, abi: unknown[][]): number;
  abiRows(text: string): unknown[][];
}

// Every table with a row changed, left out or exchanged with the one behind it: what was done, and the table.
function* changes(rows: Row[], fields: string[]): Generator<[what: string, rows: Row[]]> {
  for (let k = 0; k < rows.length; k++) {
    const at = `${String(rows[k].name)}, ${k}`;
    const [before, after] = [rows.slice(0, k), rows.slice(k + 1)];
    for (const field of fields) {
      const value = rows[k][field];
      if (value === undefined) continue;
      const other = typeof value === 'number' ? value + 1 : `${String(value)}1`;
      yield [`${field} of ${at}`, [...before, { ...rows[k], [field]: other }, ...after]];
    }
    yield [`without ${at}`, [...before, ...after]];
    if (after.length > 0) yield [`order of ${at}`, [...before, after[0], rows[k], ...after.slice(1)]];
  }
}

function* changedTables(tables: Tables): Generator<[what: string, tables: Tables]> {
  const fields: Record<string, string[]> = {
    ops: ['name', 'arity', 'result'],
    reductions: ['name', 'result'],
    functions: ['name'],
    dtypes: ['js'],
    statuses: ['name'],
    devices: ['name', 'most'],
  };
  for (const [table, list] of Object.entries(fields))
    for (const [what, rows] of changes(tables[table], list))
      yield [`${table}: ${what}`, { ...tables, [table]: rows }];
  for (const [k, row] of tables.functions.entries())
    for (const part of ['tensors', 'attributes', 'outputs'])
      for (const [what, list] of changes(row[part] as Row[], [
        'kind',
        'name',
        'usual',
        'dtype',
        'words',
        'n',
      ])) {
        const functions = tables.functions.map((one, i) => (i === k ? { ...row, [part]: list } : one));
        yield [`${String(row.name)}: ${what}`, { ...tables, functions }];
      }
}

test('any change of a row is another fingerprint', { skip }, async () => {
  const { fingerprint, abiRows } = (await import(`${root}scripts/fingerprint.mjs`)) as Fingerprints;
  const { FINGERPRINT } = (await import(`${root}dist/tables.gen.js`)) as { FINGERPRINT: number };
  const tables = JSON.parse(readFileSync(path, 'utf8')) as Tables;
  const abi = abiRows(readFileSync(`${root}native/abi.def`, 'utf8'));
  assert.equal(fingerprint(tables, abi), FINGERPRINT); // init holds the module to the same number
  const seen = new Map([[FINGERPRINT, 'nothing']]);
  for (const [what, changed] of changedTables(tables)) {
    const found = fingerprint(changed, abi);
    assert.notEqual(found, FINGERPRINT, what);
    seen.set(found, what);
  }
  assert.ok(seen.size > 1000, `${seen.size} tables`);
  assert.notEqual(fingerprint(tables, abi.slice(1)), FINGERPRINT);
  assert.notEqual(fingerprint(tables, [abi[1], abi[0], ...abi.slice(2)]), FINGERPRINT);
});

test('rows are read as they were written', { skip }, async () => {
  const { rowsOf } = (await import(`${root}scripts/gen_functions.mjs`)) as { rowsOf(rows: Row[]): Row[] };
  const { functionRows } = (await import(`${root}dist/tables.gen.js`)) as { functionRows: Row[] };
  const tables = JSON.parse(readFileSync(path, 'utf8')) as Tables;
  const plain = JSON.parse(JSON.stringify(rowsOf(tables.functions))) as Row[];
  assert.deepEqual(
    functionRows,
    plain.map(({ family: _, ...row }) => row),
  );
});
