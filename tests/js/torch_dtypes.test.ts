// The dtypes that each row computes in, beside those of PyTorch: tests/data/torch_dtypes.json, which torch_dtypes.py writes. What differs, and why, is
// in tests/data/torch_dtype_differences.json, all of it.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as st from 'stria';
import {
  functionRows,
  opArities,
  opNumbers,
  reductionNumbers,
  StriaError,
  type DType,
  type OpName,
} from 'stria';
import { checkLeaksAtEnd, load } from './support.js';

type Facts = Record<string, readonly string[]>;
interface Difference {
  why: string;
  dtypes: string;
  rows: string;
}

const data = fileURLToPath(new URL('../../../../tests/data/', import.meta.url));
const read = <T>(name: string): T => JSON.parse(readFileSync(`${data}${name}.json`, 'utf8')) as T;
const torch = read<Facts>('torch_dtypes');
const ofFunctions = read<Facts>('dtypes'); // dtypes.test.ts holds them to the functions
const differences = read<Record<'more' | 'less', Difference[]>>('torch_dtype_differences');

await load();
checkLeaksAtEnd();

// Those that both have.
const groups: Record<string, readonly DType[]> = {
  bool: ['bool'],
  integers: ['uint8', 'int8', 'int16', 'int32', 'int64'],
  floats: ['float16', 'bfloat16', 'float32', 'float64'],
  complex: ['complex64', 'complex128'],
};
const all = Object.values(groups).flat();
const members = (words: readonly string[]): string[] =>
  words.flatMap((word) => groups[word] ?? [word]).filter((dtype) => all.includes(dtype as DType));

type Call = (...given: unknown[]) => unknown;
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function takes(name: string, arity: number, dtype: DType): boolean {
  return st.scope(() => {
    const x = st.ones([2, 2], { dtype });
    const given = Array.from({ length: arity }, (_, k) => (name === 'where' && k === 0 ? x.ne(0) : x));
    try {
      (st as unknown as Record<string, Call>)[name](...given);
    } catch (error) {
      assert.ok(
        error instanceof StriaError && error.code === 'ERR_DTYPE',
        `${name} of ${dtype}: ${String(error)}`,
      );
      return false;
    }
    return true;
  });
}

// Every row that is a function by that name, in JavaScript and in PyTorch.
function rows(): Map<string, string[]> {
  const own = new Set(functionRows.map(({ name }) => name));
  const arity = (name: string): number => (name in opNumbers ? opArities[opNumbers[name as OpName]]! : 1);
  const found = new Map(Object.entries(ofFunctions).map(([row, words]) => [row, members(words)]));
  for (const name of [...Object.keys(opNumbers), ...Object.keys(reductionNumbers)]) {
    if (own.has(name) || !(name in st)) continue;

    found.set(
      snake(name),
      all.filter((dtype) => takes(name, arity(name), dtype)),
    );
  }
  return found;
}

test('the dtypes of rows are those of PyTorch, but for what is listed', (t) => {
  const found = { more: new Map<string, string[]>(), less: new Map<string, string[]>() };
  const note = (map: Map<string, string[]>, row: string, dtypes: string[]): void => {
    if (dtypes.length > 0) map.set(row, [...(map.get(row) ?? []), ...dtypes].sort());
  };
  const ours = rows();
  let count = 0;
  for (const [row, dtypes] of ours) {
    if (!(row in torch)) continue;
    const theirs = members(torch[row]);
    note(
      found.more,
      row,
      dtypes.filter((dtype) => !theirs.includes(dtype)),
    );
    note(
      found.less,
      row,
      theirs.filter((dtype) => !dtypes.includes(dtype as DType)),
    );
    count++;
  }
  t.diagnostic(`${count} rows of ${ours.size}`);
  assert.ok(count > 280, `${count} rows`);
  for (const kind of ['more', 'less'] as const) {
    const listed = new Map<string, string[]>();
    for (const { why, dtypes, rows: names } of differences[kind]) {
      assert.ok(why.length > 10, 'a reason');
      for (const row of names.split(' ')) note(listed, row, members(dtypes.split(' ')));
    }
    assert.deepEqual(
      Object.fromEntries(found[kind]),
      Object.fromEntries(listed),
      `dtypes that stria has ${kind}`,
    );
  }
});
