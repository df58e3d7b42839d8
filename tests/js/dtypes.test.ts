// Which dtypes every function takes, as it says itself: its example (examples/reference) is run, and the call in it tried again with tensors
// of each dtype. tests/data/dtypes.json has what was found, for docs/reference; STRIA_WRITE=1 writes it.
import test from 'node:test';
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as st from 'stria';
import { functionRows, StriaError, Tensor, type DType } from 'stria';
import { checkLeaksAtEnd, load } from './support.js';

interface Example {
  name: string;
  text: string;
}
interface Examples {
  examples(ending: string): Example[];
  program(example: Example): string;
}
type Call = (...given: unknown[]) => unknown;
type Names = Record<string, unknown>;
type Program = (names: Names, is: Call, throws: Call) => Promise<void>;

const root = fileURLToPath(new URL('../..', import.meta.url));
const { examples, program } = (await import(`${root}scripts/examples.mjs`)) as Examples;
const facts = `${root}../../tests/data/dtypes.json`;
const folder = fileURLToPath(new URL('dtypes/', import.meta.url));
mkdirSync(folder, { recursive: true });

await load();
checkLeaksAtEnd();

const groups: Record<string, DType[]> = {
  bool: ['bool'],
  integers: ['uint8', 'int8', 'uint16', 'int16', 'uint32', 'int32', 'uint64', 'int64'],
  floats: ['float16', 'bfloat16', 'float32', 'float64'],
  complex: ['complex64', 'complex128'],
};
const all = Object.values(groups).flat();
const { to } = Tensor.prototype; // as it is while a row of that name is looked at
const convert = (x: Tensor, dtype: DType): Tensor => Reflect.apply(to, x, [dtype]) as Tensor;

// What a call is given, with other tensors in place of some.
function changed(given: unknown, change: (x: Tensor) => Tensor): unknown {
  if (given instanceof Tensor) return change(given);
  return Array.isArray(given) ? given.map((one) => changed(one, change)) : given;
}

function isRefused(call: () => unknown): boolean {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof StriaError && error.argument !== 'arguments', String(error));
    return error.code === 'ERR_DTYPE';
  }
  return false;
}

const isOptions = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

function withDType(given: unknown[], dtype: DType): unknown[] {
  const last = given.at(-1);
  return isOptions(last) ? [...given.slice(0, -1), { ...last, dtype }] : [...given, { dtype }];
}

/**
 * The dtypes that a call takes. All tensors of the dtype of the first one are converted, or, where that may be the dtype of an index or a
 * mask, the first one alone; without tensors `dtype` is given.
 */
function taken(call: Call, given: unknown[]): DType[] {
  const tensors: Tensor[] = [];
  given.forEach((one) => changed(one, (x) => (tensors.push(x), x)));
  if (tensors.length === 0) return all.filter((dtype) => !isRefused(() => call(...withDType(given, dtype))));
  const [first] = tensors;
  const replaced = (dtype: DType, isChanged: (x: Tensor) => boolean): unknown[] =>
    given.map((one) => changed(one, (x) => (isChanged(x) ? convert(x, dtype) : x)));
  const mayIndex = /int|bool/.test(first.dtype);
  return all.filter((dtype) => {
    const every = replaced(dtype, (x) => x.dtype === first.dtype);
    if (!isRefused(() => call(...every))) return true;
    return mayIndex && !isRefused(() => call(...replaced(dtype, (x) => x === first)));
  });
}

const text = (dtypes: readonly DType[]): string[] =>
  Object.entries(groups).flatMap(([group, members]) => {
    const found = members.filter((dtype) => dtypes.includes(dtype));
    return found.length === members.length ? [group] : found;
  });

/** The first call of a function in its example; undefined if that has none. */
async function probe(name: string, example: Example): Promise<string[] | undefined> {
  const path = `${folder}${example.name}.mjs`;
  writeFileSync(path, program(example));
  const { default: run } = (await import(path)) as { default: Program };
  const whole = st as unknown as Names;
  const methods = Tensor.prototype as unknown as Names;
  const [own, method] = [whole[name] as Call, methods[name] as Call | undefined];
  let found: string[] | undefined;
  let isAsked = false;
  const ask = (call: Call, given: unknown[]): void => {
    if (isAsked) return;
    isAsked = true;
    found = text(taken(call, given));
  };
  methods[name] = function (this: Tensor, ...given: unknown[]): unknown {
    ask((x, ...rest) => Reflect.apply(method!, x, rest), [this, ...given]);
    return Reflect.apply(method!, this, given);
  };
  const spy: Call = (...given) => {
    ask(own, given);
    return own(...given);
  };
  try {
    const ignore = (): void => undefined;
    await st.scope(() => run({ ...whole, [name]: spy }, ignore, ignore));
  } finally {
    if (method) methods[name] = method;
    else delete methods[name];
  }
  return found;
}

test('the dtypes that functions take are those of tests/data/dtypes.json', async (t) => {
  const found: Record<string, string[]> = {};
  const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const shown = new Map(examples('.mjs').map((example) => [camel(example.name), example]));
  for (const { name } of functionRows) {
    const example = shown.get(name);
    const dtypes = example && (await probe(name, example));
    if (dtypes) found[example.name] = dtypes;
  }
  if (process.env.STRIA_WRITE) {
    const lines = Object.entries(found).map(
      ([row, dtypes]) => `  ${JSON.stringify(row)}: ${JSON.stringify(dtypes)}`,
    );
    writeFileSync(facts, `{\n${lines.join(',\n')}\n}\n`);
  }
  const wanted = JSON.parse(readFileSync(facts, 'utf8')) as typeof found;
  // a new row has no line yet, and no such words on its page
  const known = Object.fromEntries(Object.entries(found).filter(([row]) => row in wanted));
  t.diagnostic(
    `without a line: ${
      Object.keys(found)
        .filter((row) => !(row in wanted))
        .join(' ') || 'none'
    }`,
  );
  assert.deepEqual(known, wanted, 'after a change on purpose: STRIA_WRITE=1');
  const without = functionRows.length - Object.keys(found).length;
  assert.ok(without < functionRows.length / 8, `${without} examples show no call of their function`);
});
