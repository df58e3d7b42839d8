// Public suites of other projects, where they are (conformance_cases.ts says which folder): every row passes, is listed with a
// reason in tests/data/conformance.json, or is of an op or dtype that stria has not, which is printed and counted.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { folder, isHere, runSuite, type Adapters, type Case, type Outcome } from './conformance_cases.js';
import { math } from './conformance_math.js';
import { onnx } from './conformance_onnx.js';
import { webnn } from './conformance_webnn.js';
import { checkLeaksAtEnd, load } from './support.js';

await load();
checkLeaksAtEnd();

// By suite, by the name of a row, the reason why it is excluded.
const path = fileURLToPath(new URL('../../../../tests/data/conformance.json', import.meta.url));
const exclusions = JSON.parse(readFileSync(path, 'utf8')) as Record<string, Record<string, string>>;

/** Suites, and how much of what stria has must pass, exclusions not counted as passed. */
const suites: readonly [string, Adapters, number][] = [
  ['wpt-webnn-core', webnn, 0.99],
  ['onnx-node-core', onnx, 0.97],
  ['array-api-special', math, 0.98],
  ['stablehlo-interpret', math, 0.97],
  ['stablehlo-math', math, 0.95], // a row is hundreds of points; 6 of those excluded differ
  ['numpy-umath', math, 1],
  ['core-math', math, 1],
];

const summary: string[] = [];
after(() => console.log(summary.join('\n')));

function report(name: string, rows: readonly [Case, Outcome][], share: number): void {
  const excluded = exclusions[name] ?? {};
  const missing = new Map<string, number>();
  const failures: string[] = [];
  const stale = new Set(Object.keys(excluded));
  let passed = 0;
  for (const [one, outcome] of rows) {
    if (outcome === 'missing') missing.set(one.op, (missing.get(one.op) ?? 0) + 1);
    else if (outcome === 'passed') passed++;
    else if (!stale.delete(one.name)) failures.push(`${one.op}, ${one.name}: ${outcome.failure}`);
  }
  const nMissing = [...missing.values()].reduce((a, b) => a + b, 0);
  const most = rows.length - nMissing;
  summary.push(
    `${name}: ${passed} of ${most} rows passed (${((100 * passed) / most).toFixed(2)} %), ` +
      `${Object.keys(excluded).length} excluded, ${nMissing} missing` +
      (nMissing ? `: ${[...missing].map(([op, n]) => `${op} ${n}`).join(', ')}` : ''),
  );
  assert.deepEqual(failures, [], `${failures.length} rows of ${name} fail`);
  assert.deepEqual([...stale], [], 'rows that are excluded, but pass or are not there');
  assert.ok(passed >= share * most, `${passed} of ${most} rows of ${name}`);
}

for (const [name, adapters, share] of suites) {
  test(name, { skip: isHere ? false : `${folder} is not here` }, async () => {
    report(name, await runSuite(`${name}.jsonl`, adapters), share);
  });
}
