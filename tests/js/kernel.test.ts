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
import { checkLeaksAtEnd, flat, load } from './support.js';

await load();
checkLeaksAtEnd();

const refused = (code: string, words: RegExp) => (error: unknown) =>
  error instanceof StriaError && error.code === code && words.test(error.message);

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

test('what is refused', () => {
  assert.throws(() => kernel(3 as never), refused('ERR_ARGUMENT', /a function, got 3/));
  assert.throws(() => kernel((() => 1) as never), refused('ERR_ARGUMENT', /1 to 7 parameters/));
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
  assert.throws(
    () => kernel((x) => Array.from({ length: 65 }).reduce<KernelValue>((y) => y.neg(), x)),
    refused('ERR_ARGUMENT', /at most 64 ops/),
  );
  assert.throws(
    () => kernel((x) => Array.from({ length: 33 }).reduce<KernelValue>((y) => y.add(1), x)),
    refused('ERR_ARGUMENT', /at most 32 numbers/),
  );
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
