// The generator on rows that there are not, with every kind of parameter: the declarations compile and refuse what they should.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const package_ = fileURLToPath(new URL('../..', import.meta.url));
const folder = `${package_}build/made_up_rows/`;

type Row = Record<string, unknown>;
interface Generator {
  functionTexts(rows: Row[]): { functions: string; methods: string };
  rowsOf(rows: Row[]): { name: string; attributes: Row[]; positional: number }[];
  signature(row: Row): string;
}
const generator = (await import(`${package_}scripts/gen_functions.mjs`)) as Generator;

const list = (text: string): Row[] =>
  text
    .split(' ')
    .filter(Boolean)
    .map((part) => {
      const [kind, name = 'options', usual, extra] = part.split(':');
      const isOut = ['OUT', 'INPLACE', 'VIEW', 'TENSORS'].includes(kind);
      return {
        kind,
        name,
        ...(isOut ? { dtype: usual } : usual === undefined ? {} : { usual }),
        ...(kind === 'INTS'
          ? { n: Number(extra) }
          : ['WORD', 'ARGUMENTS'].includes(kind)
            ? { words: extra }
            : {}),
      };
    });
const row = (name: string, tensors: string, attributes: string, outputs: string): Row => ({
  name,
  summary: `Summary of ${name}`,
  tensors: list(tensors),
  attributes: list(attributes),
  outputs: list(outputs),
});

const rows = [
  row('pick_one', 'BASE:x', 'AXIS:dim:REQUIRED INT:index:REQUIRED', 'VIEW:y:SAME'),
  row(
    'noise',
    '',
    'SHAPE:shape:REQUIRED OPTIONS DTYPE:dtype:NONE INT:seed:OPEN DEVICE:device:NONE GENERATOR:generator:NONE',
    'OUT:y:F32',
  ),
  row('order', 'IN:x', 'AXIS:dim:-1 OPTIONS FLAG:descending:0', 'OUT:values:SAME OUT:indices:INDEX'),
  row('join', 'LIST:tensors', 'AXIS:dim:0', 'OUT:y:COMMON'),
  row(
    'frame',
    'IN:x IN:weight OPTIONAL:bias',
    'OPTIONS WORD:pad_mode:zeros:zeros|edge INTS:stride:1:2 NUMBER:eps:1e-5',
    'OUT:y:COMMON',
  ),
  row('blend', 'IN:x OPERAND:other', 'SCALAR:factor:1 OPTIONS AXES:dim:ALL', 'INPLACE:y:COMMON'),
  row('cut', 'BASE:x', 'INT_OR_LIST:size:REQUIRED AXES:dims:OPEN', 'TENSORS:ys:SAME'),
  row('align', 'LIST:tensors', '', 'TENSORS:ys:EACH'),
  row(
    'drop',
    'IN:x OPERAND:values LIST:places',
    'AXIS:dim:REQUIRED FLAG:twice:0 OPTIONS NUMBER:eps:0 ARGUMENTS:arguments::x,dim,places,values,twice',
    'INPLACE:y:SAME',
  ),
  row(
    'sums',
    'LIST:xs',
    'TEXT:rule:REQUIRED OPTIONS FLAG:exact:0 ARGUMENTS:arguments::rule,xs',
    'OUT:y:COMMON',
  ),
  row(
    'move',
    'IN:rate UPDATED:xs LIST:ys UPDATED_OR_NONE:speeds',
    'INT:step:REQUIRED OPTIONS FLAG:twice:0',
    '',
  ),
];

// What must compile, and what must not.
const use = `
import { order, join, noise, pickOne, frame, blend, cut, align, drop, sums, move, type Made } from './rows.js';
import { Generator } from '../../src/generator.js';
import type { Tensor } from '../../src/tensor.js';
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expect<_T extends true>(): void {}
declare const f: Tensor<'float32'>, d: Tensor<'float64'>, u: Tensor<'uint8'>, l: Tensor<'int64'>, m: Made<'float32'>;
const picked = [pickOne(u, 0, 1), pickOne(u, { axis: 0, index: 1 }), pickOne(u, 0, { index: 1 })] as const;
expect<Same<(typeof picked)[number], Tensor<'uint8'>>>();
// @ts-expect-error the index is missing
pickOne(u, 0);
// @ts-expect-error views have no out
pickOne(u, { dim: 0, index: 1, out: u });
const random = noise([2, 3]);
expect<Same<ReturnType<typeof noise<'int32'>>, Tensor<'int32'>>>();
const sizes = [noise(2, 3), noise(2, 3, { seed: 1 }), noise()] as const;
expect<Same<(typeof sizes)[number], Tensor<'float32'>>>();
// @ts-expect-error no size
noise(2, '3');
expect<Same<typeof random, Tensor<'float32'>>>();
const doubles = noise(2, { dtype: 'float64', seed: null, device: 'cuda:1', generator: new Generator(1) });
// @ts-expect-error no generator
noise(2, { generator: 1 });
// @ts-expect-error no such device
noise(2, { device: 'gpu' });
expect<Same<typeof doubles, Tensor<'float64'>>>();
const { values, indices } = order(u, { descending: true });
expect<Same<typeof values, Tensor<'uint8'>>>();
expect<Same<typeof indices, Tensor<'int64'>>>();
const into = order(f, 0, { out: { values: d, indices: l } });
expect<Same<typeof into.values, Tensor<'float64'>>>();
// @ts-expect-error both or none
order(f, 0, { out: { values: f } });
const joined = join([u, f, d], 0);
expect<Same<typeof joined, Tensor<'float64'>>>();
const alike = join([u, u]);
expect<Same<typeof alike, Tensor<'uint8'>>>();
// @ts-expect-error no tensor
join([u, 1]);
const framed = frame(f, f, { padMode: 'edge', stride: [1, 2] });
expect<Same<typeof framed, Tensor<'float32'>>>();
const biased = frame(f, f, { bias: d, stride: 2 });
expect<Same<typeof biased, Tensor<'float64'>>>();
// @ts-expect-error no such word
frame(f, f, { padMode: 'mirror' });
const cuts = [cut(u, 2), cut(u, [1, 2], 0), cut(u, { size: 2, dims: [0] }), cut(u, 1, { dims: null })] as const;
expect<Same<(typeof cuts)[number], Tensor<'uint8'>[]>>();
expect<Same<ReturnType<typeof m.cut>, Tensor<'float32'>[]>>();
// @ts-expect-error lists have no out
cut(u, 2, { out: [u] });
// @ts-expect-error no number
cut(u, ['1']);
const aligned = align([u, f]);
expect<Same<typeof aligned, [Tensor<'uint8'>, Tensor<'float32'>]>>();
const blended = blend(u, 0.5, 2n, { axis: [0] });
expect<Same<typeof blended, Tensor<'float32'>>>();
expect<Same<ReturnType<typeof m.blend_>, Made<'float32'>>>();
m.blend_(f, 2, { dim: 0 }).order(0).values.dispose();
const dropped = drop(u, 0, [f, f], 3, { twice: true, eps: 1 });
expect<Same<typeof dropped, Tensor<'uint8'>>>();
m.drop_(0, [f], 3, true).drop(0, [f], d, false, { out: u }).dispose();
// @ts-expect-error the axis stands before the places
drop(u, [f], 3, { dim: 0 });
// @ts-expect-error the axis cannot be an option
drop(u, 0, [f], 3, { dim: 0 });
const summed = sums('ij', [u, f], { exact: true });
expect<Same<typeof summed, Tensor<'float32'>>>();
// @ts-expect-error the text stands first
sums([u], 'ij');
// @ts-expect-error no text
sums(3, [u]);
const moved = [move(f, [f], [u], 1), move(f, [f], [u], 1, { speeds: [f], twice: true }), move(f, [], [], { step: 1 })] as const;
expect<Same<(typeof moved)[number], void>>();
// @ts-expect-error no tensor
move(f, [1], [u], 1);
// @ts-expect-error rows that write into lists have no out
move(f, [f], [u], 1, { out: f });
// @ts-expect-error and are no methods
m.move([f], [u], 1);
// @ts-expect-error no out in place
m.blend_(f, 2, { out: f });
`;

test('declarations of made-up rows compile, and are as exact as they should be', () => {
  const { functions, methods } = generator.functionTexts(rows);
  const types = 'Dims DTypeOf Operand OutOptions Promote PromoteAll PromoteOptional Scalar'.split(' ');
  const head = [
    `import type { DeviceName, DType } from '../../src/tables.gen.js';`,
    `import type { ${types.join(', ')} } from '../../src/types.js';`,
    `import { run, runInPlace, spread } from '../../src/functions.js';`,
    `import { refuseMore } from '../../src/options.js';`,
    `import type { Generator } from '../../src/generator.js';`,
    `import type { Tensor } from '../../src/tensor.js';`,
  ];
  const text = `${head.join('\n')}\n${functions}\nexport abstract class Made<D extends DType> {\n${methods}\n}\n`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}rows.ts`, text);
  writeFileSync(`${folder}use.ts`, use);
  const compilerOptions = { noEmit: true, rootDir: '../..', noUnusedLocals: false, declaration: false };
  const config = { extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'] };
  writeFileSync(`${folder}tsconfig.json`, JSON.stringify(config));
  const args = [`${package_}node_modules/typescript/bin/tsc`, '-p', folder, '--pretty', 'false'];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.equal(status, 0, stdout.split('\n').slice(0, 20).join('\n'));
});

test('signatures and data of made-up rows', () => {
  assert.deepEqual(rows.map(generator.signature), [
    'pickOne(x, dim, index)',
    'noise(shape, options)',
    'order(x, dim, options)',
    'join(tensors, dim, options)',
    'frame(x, weight, options)',
    'blend(x, other, factor, options)',
    'cut(x, size, dims)',
    'align(tensors)',
    'drop(x, dim, places, values, twice, options)',
    'sums(rule, xs, options)',
    'move(rate, xs, ys, step, options)',
  ]);
  const [, , , , frame] = generator.rowsOf(rows);
  assert.deepEqual(frame.attributes, [
    { kind: 'WORD', name: 'padMode', usual: 'zeros', words: ['zeros', 'edge'] },
    { kind: 'INTS', name: 'stride', usual: 1, n: 2 },
    { kind: 'NUMBER', name: 'eps', usual: 1e-5 },
  ]);
  assert.equal(frame.positional, 0);
  const wrong = [
    row('a', 'IN:x', 'WORD:mode:some:one|two', 'OUT:y:SAME'),
    row('a', 'IN:x', 'INT:n:x', 'OUT:y:SAME'),
    row('a', 'IN:x', 'NOTHING:n:1', 'OUT:y:SAME'),
    row('a', 'IN:x', '', ''),
    row('a', 'IN:x', '', 'OUT:y:NOTHING'),
    row('a', 'IN:x', '', 'TENSORS:ys:EACH'),
    row('a', 'IN:x IN:z', 'ARGUMENTS:arguments::z,x', 'OUT:y:SAME'),
    row('a', 'IN:x IN:z', 'ARGUMENTS:arguments::x', 'OUT:y:SAME'),
    row('a', 'IN:x IN:z', 'AXIS:dim:0 ARGUMENTS:arguments::x,dim,y', 'OUT:y:SAME'),
    row('a', 'IN:x IN:z', 'AXIS:dim:0 ARGUMENTS:arguments::x,dim,z', 'OUT:y:SAME'),
  ];
  for (const one of wrong) assert.throws(() => generator.functionTexts([one]));
});

test('arguments of made-up rows as numbers', async () => {
  interface Arguments {
    numbers: number[];
    count: number;
    operands: unknown[];
  }
  const { gather, prepare, newArguments } = (await import(`${package_}dist/functions.js`)) as {
    gather(to: Arguments, row: unknown, given: unknown[], own: undefined): void;
    prepare(row: unknown): unknown;
    newArguments(): Arguments;
  };
  const { init, zeros } = await import('stria');
  await init();
  const x = zeros([2]);
  const handle = (x as unknown as { _handle: number })._handle;
  const prepared = generator.rowsOf(rows).map(prepare);
  const calls: [row: number, given: unknown[], options: unknown, numbers: number[], operands?: unknown[]][] =
    [
      [0, [x, { axis: -1, index: 3 }], undefined, [handle, -1, 3, 0]],
      [0, [x, 1], { index: 3 }, [handle, 1, 3, 0]],
      [1, [[2, 3]], { dtype: 'bool' }, [2, 2, 3, 0, NaN, -1, 0, 0, 0]],
      [1, [], { shape: 4, seed: 7 }, [1, 4, -1, 7, -1, 0, 0, 0]],
      [1, [[4]], { device: 'cuda:3' }, [1, 4, -1, NaN, 2, 3, 0, 0]],
      [
        2,
        [x, undefined],
        { descending: true, out: { values: x, indices: x } },
        [handle, -1, 1, handle, handle],
      ],
      [3, [[x, x], undefined], undefined, [2, handle, handle, 0, 0]],
      [4, [x, x], { padMode: 'edge', bias: x, stride: 3 }, [handle, handle, handle, 1, 3, 3, 1e-5, 0]],
      [4, [x, x], { stride: [1, 2] }, [handle, handle, 0, 0, 1, 2, 1e-5, 0]],
      [5, [x, 2.5, 7n], { dim: [0, 1], out: x }, [handle, -1, -2, 2, 0, 1, handle], [2.5, 7n]],
      [5, [x, x, undefined], undefined, [handle, handle, -1, -1, 0], [1]],
      [8, [x, 3, [x], 0, undefined], { eps: 2 }, [handle, -1, 1, handle, 0, 0, 2, 0], [3]],
      [9, [[x], 'aé'], { exact: true }, [1, handle, 2, 97, 233, 1, 0]],
      [8, [x, x, [x], 0, { twice: true }], undefined, [handle, handle, 1, handle, 0, 1, 0, 0]],
    ];
  for (const [k, given, options, numbers, operands = []] of calls) {
    const to = newArguments();
    gather(to, prepared[k], [...given, options], undefined);
    assert.deepEqual(to.numbers.slice(0, to.count), numbers);
    assert.deepEqual(to.operands, operands);
  }
  x.dispose();
});
