// inspect: what the iterator makes of a call, against examples worked by hand and against the strides of the operands.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as stria from 'stria';
import { checkLeaksAtEnd, load } from './support.js';

const { inspect, scope, zeros } = stria;

await load();
checkLeaksAtEnd();

test('contiguous operands are one run', () => {
  scope(() => {
    const x = zeros([4, 6], { dtype: 'uint8' });
    const found = inspect('add', x, x);
    assert.deepEqual(found.dims, [{ size: 24, strideBytes: [1, 1, 1] }]);
    assert.equal(found.isContiguous, true);
    assert.equal(found.fits32Bit, true);
    assert.equal(found.setup, 'contiguous');
    assert.equal(found.permutation, null);
    assert.deepEqual(found.operands, ['out', 'a', 'b']);
    assert.equal(found.paths.contiguous.reason, 'taken');
    assert.equal(found.paths.dense.reason, 'not needed');
    assert.deepEqual(
      found.axes.map(({ axis, dim, merge }) => [axis, dim, merge.reason]),
      [
        [1, 0, 'first'],
        [0, 0, 'alike'],
      ],
    );
    assert.deepEqual(
      found.details.map(({ origin, form }) => [origin.reason, form.reason]),
      [
        ['allocated', 'contiguous'],
        ['given', 'contiguous'],
        ['given', 'contiguous'],
      ],
    );
  });
});

test('which operand decided the order, and which kept axes apart', () => {
  scope(() => {
    const row = zeros([1, 3]);
    const columns = zeros([3, 2]).T;
    const found = inspect('add', row, columns);
    assert.deepEqual(found.shape, [2, 3]);
    assert.deepEqual(found.permutation, [0, 1]);
    assert.deepEqual(found.axes[0]!.strideBytes, [4, 0, 4]);
    assert.equal(found.axes[0]!.order.reason, 'stride');
    assert.equal(found.axes[0]!.order.operand, 'b');
    assert.equal(found.axes[1]!.order.reason, 'last');
    const { reason, operand, wanted, found: has, text } = found.axes[1]!.merge;
    assert.deepEqual([reason, operand, wanted, has], ['stride', 'a', 0, 4]);
    assert.match(text, /does not go on/);
    assert.equal(found.paths.contiguous.reason, 'shapes differ');
    assert.equal(found.paths.contiguous.operand, 'a');
    assert.equal(found.details[1]!.form.reason, 'value');
  });
});

test('each short cut has its reasons', () => {
  scope(() => {
    const images = zeros([2, 4, 5, 3]).permute(0, 3, 1, 2);
    const last = inspect('sqrt', images);
    assert.equal(last.setup, 'channels last');
    assert.deepEqual(
      [last.paths.contiguous, last.paths['channels last'], last.paths.dense].map(({ reason }) => reason),
      ['other layout', 'taken', 'not needed'],
    );
    const dense = inspect('add', zeros([3, 2]).T, zeros([3, 2]).T);
    assert.equal(dense.setup, 'dense');
    assert.equal(dense.paths['channels last'].reason, 'not four dims');
    const reversed = inspect('neg', zeros([3, 4]).flip([1]));
    assert.equal(reversed.paths.dense.reason, 'reversed');
    assert.equal(reversed.paths.dense.operand, 'a');
    assert.equal(reversed.details[1]!.form.reason, 'reversed');
    const apart = inspect('add', zeros([4, 6]), zeros([4, 12]).slice(1, null, null, 2));
    assert.deepEqual([apart.paths.dense.reason, apart.paths.dense.operand], ['strides differ', 'b']);
  });
});

test('dtypes and numbers', () => {
  scope(() => {
    const x = zeros([4, 6], { dtype: 'uint8' });
    const live = stria.memory().liveTensors;
    const mixed = inspect('add', x, zeros([6]));
    assert.deepEqual(
      [mixed.commonDType, mixed.computeDType, mixed.resultDType],
      ['float32', 'float32', 'float32'],
    );
    assert.deepEqual(
      mixed.details.map(({ name, dtype, isNumber }) => [name, dtype, isNumber]),
      [
        ['out', 'float32', false],
        ['a', 'uint8', false],
        ['b', 'float32', false],
      ],
    );
    assert.equal(stria.memory().liveTensors, live + 1);
    const compared = inspect('lt', x, 2.5);
    assert.equal(compared.resultDType, 'bool');
    assert.equal(compared.details[2]!.isNumber, true);
    assert.equal(inspect('exp', zeros([2], { dtype: 'bfloat16' })).computeDType, 'float32');
  });
});

test('the cut over threads', () => {
  const count = stria.getThreads();
  scope(() => {
    const small = inspect('neg', zeros([32768])).threads!;
    assert.deepEqual([small.count, small.chunks, small.chunkSize, small.grain], [count, 1, 32768, 32768]);
    const large = inspect('neg', zeros([1 << 20])).threads!;
    assert.equal(large.chunks, Math.min(count, 32));
    assert.equal(large.chunkSize, Math.ceil((1 << 20) / large.chunks));
    assert.equal(inspect('neg', zeros([0])).threads!.chunks, 0);
  });
});

test('reductions', () => {
  scope(() => {
    const x = zeros([2, 3, 4]);
    const found = inspect('sum', x, [0, 2]);
    assert.deepEqual(found.permutation, [2, 0, 1]);
    assert.deepEqual(
      found.dims.map(({ size, strideBytes }) => [size, strideBytes]),
      [
        [4, [0, 4]],
        [2, [0, 48]],
        [3, [4, 16]],
      ],
    );
    assert.deepEqual(found.operands, ['out', 'x']);
    assert.deepEqual([found.axes[1]!.order.reason, found.axes[1]!.order.operand], ['reduced', 'out']);
    assert.equal(found.paths.dense.reason, 'reduction');
    assert.equal(found.threads, null);
    assert.deepEqual(inspect('sum', x, -1, { keepdim: true }).dims, inspect('sum', x, 2).dims);
    assert.deepEqual(inspect('amax', x).dims, [{ size: 24, strideBytes: [0, 4] }]);
    assert.equal(inspect('sum', zeros([3], { dtype: 'uint8' })).resultDType, 'int64');
    assert.equal(inspect('mean', zeros([3], { dtype: 'float16' })).computeDType, 'float32');
    assert.throws(() => inspect('sum', x, 3), {
      code: 'ERR_AXIS',
      op: 'sum',
      argument: 'axes',
      message: 'sum: axis 3 is out of range for 3 dims',
    });
    assert.throws(() => inspect('sum', x, [0, 0]), {
      code: 'ERR_AXIS',
      op: 'sum',
      argument: 'axes',
      message: 'sum: axis 0 is given twice',
    });
    assert.throws(() => inspect('amax', zeros([0])), stria.StriaError);
    assert.throws(() => inspect('sum', 3 as unknown as stria.Tensor), {
      code: 'ERR_ARGUMENT',
      op: 'sum',
      argument: 'x',
      message: 'sum: x must be a tensor, got 3',
    });
  });
});

test('more axes than fit one piece of the answer', () => {
  scope(() => {
    const x = zeros(new Array<number>(40).fill(1));
    const found = inspect('lerp', x, x, x);
    assert.equal(found.axes.length, 40);
    assert.ok(found.axes.every(({ dim }) => dim === 0));
    const sizes = Array.from({ length: 12 }, (_, k) => 2 + (k % 2));
    const general = inspect('add', zeros(sizes).permute(...sizes.keys()), zeros([3]));
    assert.equal(general.axes.length, 12);
    assert.equal(
      general.axes.reduce((product, { size }) => product * size, 1),
      general.numel,
    );
  });
});

// Layouts from a small generator: every fact that can be had from shape and strides alone.
test('facts follow from shapes and strides', () => {
  let state = 12345;
  const below = (n: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % n;
  };
  const sizes = [1, 2, 3, 5];
  for (let round = 0; round < 300; round++)
    scope(() => {
      const shape = Array.from({ length: below(5) }, () => sizes[below(4)]!);
      const make = (): stria.Tensor => {
        const own = shape.slice(below(2) * below(shape.length + 1)).map((size) => (below(4) ? size : 1));
        const order = own.map((_, k) => k).sort(() => below(3) - 1);
        const laid = new Array<number>(own.length);
        order.forEach((at, k) => (laid[at] = own[k]!));
        const x = zeros(laid).permute(...order);
        return below(3) === 0 && own.length > 0 ? x.flip([below(own.length)]) : x;
      };
      const operands = [make(), make()];
      const found = inspect('add', operands[0]!, operands[1]!);
      assert.equal(
        found.numel,
        found.shape.reduce((product, size) => product * size, 1),
      );
      assert.deepEqual(
        found.axes.map(({ axis }) => axis).sort((a, b) => a - b),
        found.shape.map((_, k) => k),
      );
      for (const { axis, size, strideBytes } of found.axes) {
        assert.equal(size, found.shape[axis]);
        operands.forEach((x, k) => {
          const own = axis - (found.shape.length - x.shape.length);
          const repeats = own < 0 || (x.shape[own] === 1 && size !== 1);
          assert.equal(strideBytes[k + 1], repeats ? 0 : x.strides[own]! * 4);
        });
      }
      found.dims.forEach((dim, d) => {
        const members = found.axes.filter((axis) => axis.dim === d);
        assert.equal(
          members.reduce((product, { size }) => product * size, 1),
          dim.size,
        );
        const first = members.find(({ size }) => size !== 1) ?? members.at(-1)!;
        if (found.setup === 'general' && dim.size > 1) assert.deepEqual(first.strideBytes, dim.strideBytes);
      });
    });
});

test('what is refused', () => {
  scope(() => {
    const x = zeros([4, 6]);
    assert.throws(() => inspect('add', x, zeros([5])), {
      code: 'ERR_SHAPE',
      op: 'add',
      argument: 'b',
      message: 'add: shapes [4,6] and [5] do not broadcast at axis 1',
    });
    assert.throws(() => inspect('nothing' as stria.OpName, x), {
      code: 'ERR_ARGUMENT',
      op: 'inspect',
      argument: 'op',
      message: 'inspect: op must be the name of an element-wise op or a reduction, got "nothing"',
    });
    assert.throws(() => inspect('constructor' as stria.OpName, x), {
      code: 'ERR_ARGUMENT',
      op: 'inspect',
      argument: 'op',
      message: 'inspect: op must be the name of an element-wise op or a reduction, got "constructor"',
    });
    assert.throws(() => inspect('add', x), {
      code: 'ERR_ARGUMENT',
      op: 'add',
      argument: 'operands',
      message: 'add: operands must be 2, got 1',
    });
    assert.throws(() => inspect('bitwiseAnd', x, x), {
      code: 'ERR_DTYPE',
      op: 'bitwiseAnd',
      argument: 'a',
      message: 'bitwiseAnd: float32 is not supported',
    });
    const gone = zeros([2]);
    gone.dispose();
    assert.throws(() => inspect('neg', gone), {
      code: 'ERR_DISPOSED',
      op: 'inspect',
      argument: 'operand',
      message: 'inspect: operand was disposed of',
    });
    assert.throws(() => inspect('sum', gone), {
      code: 'ERR_DISPOSED',
      op: 'inspect',
      argument: 'operand',
      message: 'inspect: operand was disposed of',
    });
  });
});
