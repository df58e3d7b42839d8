// kernel(): expressions in one pass, against plain JavaScript and against one op after another.
import test from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  kernel,
  opArities,
  opNumbers,
  scope,
  StriaError,
  tensor,
  type KernelValue,
  type OpName,
} from 'stria';
import * as stria from 'stria';
import { checkLeaksAtEnd, flat, load, refused } from './support.js';

await load();
checkLeaksAtEnd();

test('a formula, with broadcasting, numbers and a transposed input', () => {
  scope(() => {
    const f = kernel((a, b) => a.mul(b.add(1)).sub(a.square().div(4)));
    assert.equal(f.arity, 2);
    const a = tensor([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    const b = tensor([[10], [20], [30]]).transpose(0, 1);
    const expected = [10.75, 41, 90.75, 40, 98.75, 177];
    assert.deepEqual(flat(f(a, b)), expected);
    const out = stria.zeros([2, 3]);
    assert.equal(f(a, b, { out }), out);
    assert.deepEqual(flat(out), expected);
    assert.equal(f(a, b, { out: a }), a);
    assert.deepEqual(flat(a), expected);
  });
});

test('dtypes follow the ops: comparisons, where, integers and booleans', () => {
  scope(() => {
    const clip = kernel((x, low) => x.gt(low).where(x, low.mul(2)));
    const y = clip(tensor([1, 5, 3], { dtype: 'int32' }), tensor([2, 2, 4], { dtype: 'int32' }));
    assert.equal(y.dtype, 'int32');
    assert.deepEqual(flat(y), [4, 5, 8]);
    const both = kernel((x) => x.gt(0).logicalAnd(true));
    assert.equal(both(tensor([1, -1])).dtype, 'bool');
    assert.equal(kernel((x) => x.add(0.5))(tensor([1], { dtype: 'int64' })).dtype, 'float32');
  });
});

test('conversions stand between ops', () => {
  scope(() => {
    const f = kernel((x) => x.to('float32').mul(1.25).sub(20).clamp(0, 255).to('uint8'));
    const x = tensor([0, 15, 16, 17, 100, 220, 255], { dtype: 'uint8' });
    const y = f(x);
    assert.equal(y.dtype, 'uint8');
    assert.deepEqual(flat(y), flat(x.to('float32').mul(1.25).sub(20).clamp(0, 255).to('uint8')));
    const halves = kernel((a, b) => a.to('float16').add(b).to('float64'));
    const [a, b] = [stria.rand([40]), stria.rand([40]).to('bfloat16')];
    assert.deepEqual(flat(halves(a, b)), flat(a.to('float16').add(b).to('float64')));
    assert.equal(kernel((v) => v.to('float32'))(a).dtype, 'float32');
    assert.deepEqual(flat(kernel((v) => v.to('complex64').mul(v))(a)), flat(a.to('complex64').mul(a)));
    assert.throws(
      () => kernel((v) => v.to('float' as 'float32')),
      refused('ERR_DTYPE', /one of bool, /, 'to'),
    );
    assert.throws(() => kernel((v) => (v.to as () => KernelValue)()), refused('ERR_ARGUMENT', /1 terms/));
  });
});

test('any program has the bits of its ops one after another', () => {
  const names = (Object.keys(opNumbers) as OpName[]).filter(
    (name) => name in stria && !['clamp', 'where'].includes(name), // some are options of functions
  );
  const step = fc.record({
    name: fc.constantFrom(...names),
    from: fc.nat(20),
    other: fc.oneof(fc.nat(20), fc.constantFrom(0.5, -2)),
  });
  const one = stria as unknown as Record<string, (...args: unknown[]) => stria.Tensor>;
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 12 }),
      fc.constantFrom('float32', 'float64', 'int32', 'uint8', 'float16'),
      (steps, dtype) => {
        scope(() => {
          const inputs = [
            tensor([[1, -2, 3]], { dtype: dtype as 'float32' }),
            tensor([[0.5], [7]], { dtype: 'float32' }),
          ];
          const run = <T>(first: T[], call: (name: OpName, x: T, ...rest: (T | number)[]) => T): T => {
            const all = [...first];
            for (const { name, from, other } of steps) {
              const term = Number.isInteger(other) && other >= 0 ? all[other % all.length]! : other;
              all.push(
                call(
                  name,
                  all[from % all.length]!,
                  ...(opArities[opNumbers[name]] === 3 ? [term, term] : [term]).slice(
                    0,
                    opArities[opNumbers[name]]! - 1,
                  ),
                ),
              );
            }
            return all.at(-1)!;
          };
          let expected: stria.Tensor | undefined;
          let code = '';
          try {
            expected = run(inputs as stria.Tensor[], (name, x, ...rest) => one[name]!(x, ...rest));
          } catch (error) {
            code = (error as StriaError).code;
          }
          const program = (a: KernelValue, b: KernelValue) =>
            run([a, b], (name, x, ...rest) => x[name](...rest));
          if (expected === undefined) {
            assert.throws(
              () => kernel(program)(...inputs),
              (error) => (error as StriaError).code === code,
            );
            return;
          }
          const got = kernel(program)(...inputs);
          assert.equal(got.dtype, expected.dtype);
          assert.deepEqual(flat(got), flat(expected));
        });
      },
    ),
    { seed: 11, numRuns: 300 },
  );
});

test('there are no limits that a formula meets', () => {
  scope(() => {
    const sum = kernel((a, b, c, d, e, f, g, h, i, j) =>
      [b, c, d, e, f, g, h, i, j].reduce((x, y, k) => x.add(y.mul(k + 2)), a),
    );
    const list = Array.from({ length: 10 }, (_, k) => tensor([k, 1, -k]));
    assert.deepEqual(flat(sum(...list)), [330, 55, -330]);
    const strided = tensor([
      [0, 1],
      [1, 1],
    ]).select(1, 0);
    assert.deepEqual(flat(sum(...list.map(() => strided))), [0, 55]);
    const long = kernel((x) => Array.from({ length: 1000 }).reduce<KernelValue>((y) => y.add(1), x));
    assert.deepEqual(flat(long(tensor([1, 2]))), [1001, 1002]);
    const wide = kernel((x) => {
      const terms = Array.from({ length: 200 }, (_, k) => x.mul(k));
      return terms.reduce((y, z) => y.add(z));
    });
    assert.deepEqual(flat(wide(tensor([1, 2]))), [19900, 39800]);
    // a function of 513 parameters, as length tells
    const many = Object.defineProperty((x: KernelValue) => x.neg(), 'length', { value: 513 });
    assert.throws(() => kernel(many), {
      code: 'ERR_ARGUMENT',
      op: 'kernel',
      argument: 'expression',
      message: /an expression has 1 to 512 inputs/,
    });
    const most = Object.defineProperty((...x: KernelValue[]) => x.reduce((y, z) => y.add(z)), 'length', {
      value: 512,
    });
    const ones = Array.from({ length: 512 }, () => tensor([1]));
    assert.deepEqual(flat(kernel(most)(...ones)), [512]);
    assert.throws(
      () => kernel((x) => Array.from({ length: 65537 }).reduce<KernelValue>((y) => y.neg(), x)),
      refused('ERR_ARGUMENT', /1 to 65536 instructions/),
    );
    assert.deepEqual(flat(kernel((x) => x.neg())(tensor([1]))), [-1]); // nothing is left of what was refused
  });
});

test('more dtypes than compiled forms are kept', () => {
  scope(() => {
    const f = kernel((a, b) => a.add(b).mul(a));
    const names = ['float32', 'float64', 'float16', 'int8', 'int16', 'int32', 'uint8'] as const;
    for (let round = 0; round < 2; round++) {
      for (const a of names)
        for (const b of names) {
          const [x, y] = [tensor([2, 3], { dtype: a }), tensor([1, 2], { dtype: b })];
          assert.equal(f(x, y).dtype, x.add(y).mul(x).dtype);
          assert.deepEqual(flat(f(x, y)), [6, 15]);
        }
    }
  });
});

test('a proxy of a tensor that calls the library while it is looked at', () => {
  scope(() => {
    const f = kernel((x, y) => x.sub(y));
    const [a, b] = [tensor([5]), tensor([2])];
    assert.deepEqual(flat(f(a, b)), [3]);
    const meddling = new Proxy(b, {
      getPrototypeOf(target) {
        stria.zeros([7, 8]); // writes its sizes where the kernel gets its inputs
        f(b, a);
        return Object.getPrototypeOf(target) as object;
      },
    });
    assert.deepEqual(flat(f(a, meddling)), [3]);
  });
});

test('dispose ends a kernel', () => {
  scope(() => {
    const f = kernel((x) => x.neg());
    assert.deepEqual(flat(f(tensor([1]))), [-1]);
    f.dispose();
    f.dispose();
    assert.throws(() => f(tensor([1])), {
      code: 'ERR_DISPOSED',
      op: 'kernel',
      argument: 'kernel',
      message: 'kernel: kernel was disposed of',
    });
    const g = kernel((x) => x.neg());
    g[Symbol.dispose]();
    assert.throws(() => g(tensor([1])), refused('ERR_DISPOSED', /./));
    assert.deepEqual(Object.keys(g), []);
  });
});

test('what is refused', () => {
  assert.throws(() => kernel(3 as never), refused('ERR_ARGUMENT', /a function, got 3/));
  assert.throws(() => kernel((() => 1) as never), refused('ERR_ARGUMENT', /1 parameter or more, got 0/));
  assert.throws(() => kernel((x) => x), refused('ERR_ARGUMENT', /the value of an op/));
  assert.throws(() => kernel((_) => 5 as never), refused('ERR_ARGUMENT', /the value of an op, got 5/));
  assert.throws(() => kernel((x) => x.add()), refused('ERR_ARGUMENT', /add must be called with 1 terms/));
  assert.throws(() => kernel((x) => x.add('1' as never)), refused('ERR_ARGUMENT', /numbers and booleans/));
  let stolen: KernelValue | undefined;
  kernel((x) => (stolen = x.neg()));
  assert.throws(() => kernel((x) => x.add(stolen!)), refused('ERR_ARGUMENT', /another kernel/));
  scope(() => {
    let kept: KernelValue | undefined;
    const made = kernel((x) => {
      kept = x;
      return x.mul(3).add(1).sub(2);
    });
    assert.throws(() => kept!.add(100), {
      code: 'ERR_ARGUMENT',
      op: 'kernel',
      argument: 'add',
      message: /add must be called inside the expression, got a kernel that is made already/,
    });
    assert.deepEqual(made(tensor([10])).toArray(), [29]);
  });
  scope(() => {
    const add = kernel((a, b) => a.add(b));
    assert.throws(() => add(tensor([1])), refused('ERR_ARGUMENT', /2 tensors, got 1/));
    assert.throws(() => add(tensor([1]), 3 as never), refused('ERR_ARGUMENT', /inputs\[1\]/));
    assert.throws(() => add(tensor([1, 2]), tensor([1, 2, 3])), refused('ERR_SHAPE', /\[2\]/));
    assert.throws(
      () => kernel((x) => x.bitwiseNot())(tensor([0.5])),
      refused('ERR_DTYPE', /^bitwiseNot: float32 /),
    );
    const gone = tensor([1]);
    gone.dispose();
    assert.throws(() => add(tensor([1]), gone), refused('ERR_DISPOSED', /./));
  });
});

test('a refused async expression leaves no rejection behind', async () => {
  const fails = async (_: KernelValue): Promise<never> => {
    throw new Error('thrown by the caller');
  };
  assert.throws(() => kernel(fails as never), {
    code: 'ERR_ARGUMENT',
    op: 'kernel',
    argument: 'result',
    message: 'kernel: result must be the value of an op, got an object (Promise)',
  });
  await new Promise((resolve) => setImmediate(resolve)); // one that nobody handles would fail this test
});

test('complex tensors and numbers', () => {
  scope(() => {
    const turn = kernel((x) => x.mul({ re: 0, im: 1 }).add(x));
    assert.deepEqual(turn(tensor([2, -1])).toArray(), [
      { re: 2, im: 2 },
      { re: -1, im: -1 },
    ]);
    const z = tensor([{ re: 3, im: 4 }, 2]);
    const size = kernel((x, y) => x.mul(y).abs());
    const y = size(z, z);
    assert.equal(y.dtype, 'float32');
    assert.deepEqual(y.toArray(), [25, 4]);
    assert.throws(() => kernel((x) => x.floor())(z), { code: 'ERR_DTYPE', op: 'floor' });
    assert.throws(() => kernel((x) => x.mul({ re: 1 } as never)), {
      code: 'ERR_ARGUMENT',
      op: 'kernel',
      argument: 'mul',
    });
  });
});

test('a kernel that runs often is compiled, with the same bits, and where the host refuses it is not', () => {
  const program = (): Float32Array[] =>
    scope(() => {
      const n = 100_003;
      const [a, b] = [0, 1].map((k) =>
        tensor(Float32Array.from({ length: n }, (_, i) => Math.sin(i * (k + 1)) * 3)),
      );
      const f = kernel((x, y) => x.mul(y).add(0.5).relu().mul(x.neg().exp()).sub(y.tanh()));
      const first = a!.mul(b!).add(0.5).relu().mul(a!.neg().exp()).sub(b!.tanh()); // op by op
      return [first, ...Array.from({ length: 20 }, () => f(a!, b!))].map((x) => x.dataSync() as Float32Array);
    });
  const before = stria.info().compiled;
  const [expected, ...results] = program();
  for (const result of results) assert.deepEqual(result, expected);
  const after = stria.info().compiled;
  if (stria.info().backend === 'native') assert.deepEqual([before, after], [null, null]);
  else assert.ok(before! >= 0 && after! > before!, `${after} functions compiled, ${before} before`);
});
