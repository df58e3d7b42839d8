// Types against the engine: for every op, reduction and function and every dtype, pair of dtypes and kind of number, the
// compiler must give the result the dtype that the engine gives it. What the engine refuses is left out.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as stria from 'stria';
import {
  dtypes,
  init,
  opArities,
  opNumbers,
  reductionNumbers,
  StriaError,
  zeros,
  type DType,
  type Tensor,
} from 'stria';

const package_ = fileURLToPath(new URL('../..', import.meta.url));
const folder = `${package_}build/result_types/`;

await init();
const one = Object.fromEntries(dtypes.map(({ name }) => [name, zeros([1], { dtype: name })]));
const m = Object.fromEntries(dtypes.map(({ name }) => [name, zeros([1, 1], { dtype: name })]));
const scope: Record<string, unknown> = { ...stria, one, m };
const names = dtypes.map(({ name }) => name);
const numbers = ['2', '0.5', 'true', '2n'];

// Texts of calls, run here and compiled below.
function* calls(): Generator<string> {
  for (const [op, number] of Object.entries(opNumbers)) {
    if (!(op in stria)) continue; // reached by an option
    const arity = opArities[number];
    for (const a of names) {
      const x = `one.${a}`;
      if (arity === 1) yield* [`${op}(${x})`, `${x}.${op}()`];
      for (const y of [...names.map((b) => `one.${b}`), ...numbers]) {
        if (arity === 2) yield* [`${op}(${x}, ${y})`, `${op}(${y}, ${x})`, `${x}.${op}(${y})`];
        if (op === 'where') yield* [`${op}(one.bool, ${x}, ${y})`, `${x}.${op}(one.bool, ${y})`];
        else if (arity === 3)
          yield* [
            `${op}(${x}, ${y}, 0.5)`,
            `${op}(${x}, 2, ${y})`,
            `${op}(${x}, ${x}, ${y})`,
            `${op}(${y}, ${x}, 1)`,
          ];
      }
    }
    if (arity === 2) for (const a of numbers) for (const b of numbers) yield `${op}(${a}, ${b})`;
  }
  for (const a of names) {
    for (const op of Object.keys(reductionNumbers))
      yield* [`${op}(one.${a})`, `one.${a}.${op}(0, { keepdim: true })`];
    for (const op of ['sum', 'prod']) for (const b of names) yield `one.${a}.${op}({ dtype: '${b}' })`;
    for (const op of ['argmax', 'argmin', 'variance', 'std', 'norm']) yield `${op}(one.${a})`;
    for (const op of ['cumsum', 'cumprod', 'softmax', 'logSoftmax'])
      yield* [`${op}(one.${a}, 0)`, `one.${a}.${op}(0)`];
    yield* [
      `layerNorm(one.${a}, 1)`,
      `maskedSelect(one.${a}, one.bool)`,
      `maskedFill(one.${a}, one.bool, true)`,
    ];
    yield* [
      `one.${a}.clamp({ max: 2 })`,
      `one.${a}.clamp(null, 2)`,
      `zerosLike(one.${a})`,
      `one.${a}.clone()`,
    ];
    yield* [
      `one.${a}.add(one.${a}, { alpha: 2 })`,
      `one.${a}.round({ decimals: 1 })`,
      `gelu(one.${a}, { approximate: 'tanh' })`,
    ];
    for (const b of names) yield* [`matmul(m.${a}, m.${b})`, `one.${a}.dot(one.${b})`, `one.${a}.to('${b}')`];
  }
}

const run = new Function(
  ...Object.keys(scope).filter((name) => name !== 'var'),
  'text',
  'return eval(text)',
) as (...values: unknown[]) => Tensor;
const values = Object.entries(scope)
  .filter(([name]) => name !== 'var')
  .map(([, value]) => value);

function resultOf(text: string): DType | undefined {
  let y: Tensor | undefined;
  try {
    y = run(...values, text);
    return y.dtype;
  } catch (error) {
    assert.ok(error instanceof StriaError && error.code === 'ERR_DTYPE', `${text}: ${String(error)}`);
    return undefined;
  } finally {
    y?.dispose();
  }
}

function compile(lines: readonly string[]): { status: number | null; stdout: string } {
  const used = Object.keys(stria).filter((name) => /^[a-z]/.test(name) && name !== 'var');
  const head = [
    `import { ${used.join(', ')}, type DType, type Tensor } from 'stria';`,
    'declare const one: { [D in DType]: Tensor<D> };',
    'declare const m: { [D in DType]: Tensor<D> };',
    'type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;',
    'type True<_T extends true> = 0;',
  ];
  const options = {
    target: 'ES2022',
    module: 'ESNext',
    moduleResolution: 'Bundler',
    lib: ['ES2022', 'ESNext.Disposable', 'DOM'],
    types: [],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    paths: { stria: [`${package_}dist/index.d.ts`] },
  };
  mkdirSync(folder, { recursive: true });
  // in functions of some lines each: the compiler's time grows with the square of their length
  const parts = [];
  for (let k = 0; k < lines.length; k += 100)
    parts.push(`function f${k}() {\n${lines.slice(k, k + 100).join('\n')}\n}`);
  writeFileSync(`${folder}results.ts`, [...head, ...parts, ''].join('\n'));
  writeFileSync(
    `${folder}tsconfig.json`,
    JSON.stringify({ compilerOptions: options, files: ['results.ts'] }),
  );
  const args = [`${package_}node_modules/typescript/bin/tsc`, '-p', folder, '--pretty', 'false'];
  return spawnSync(process.execPath, args, { encoding: 'utf8' });
}

test('types of results are the dtypes that the engine gives', () => {
  const lines: string[] = [];
  for (const text of calls()) {
    const dtype = resultOf(text);
    const k = lines.length;
    if (dtype)
      lines.push(`const r${k} = ${text}; type T${k} = True<Same<typeof r${k}, Tensor<'${dtype}'>>>;`);
  }
  assert.ok(lines.length > 10000, `${lines.length} calls`);
  lines.push(
    "const wrong = add(one.int8, one.int8);\n// @ts-expect-error the check can fail\ntype Wrong = True<Same<typeof wrong, Tensor<'uint8'>>>;",
  );
  const { status, stdout } = compile(lines);
  const wrong = stdout.split('\n').slice(0, 20);
  assert.equal(status, 0, `${stdout.split('\n').length} errors\n${wrong.join('\n')}`);
});
