// compile(fn, { dynamic }): one recording for many sizes of a dimension, here and in files.
import test from 'node:test';
import assert from 'node:assert/strict';
import {
  arange,
  compile,
  einsum,
  full,
  grad,
  loadProgram,
  manualSeed,
  mseLoss,
  ones,
  pad,
  rand,
  scope,
  tensor,
  type Tensor,
  zeros,
} from 'stria';
import { BatchNorm1d, Dropout, Linear, ReLU, Sequential } from 'stria/nn';
import { Adam } from 'stria/optim';
import { checkLeaksAtEnd, flat, load, refused } from './support.js';

await load();
checkLeaksAtEnd(true);

const sizes = [4, 7, 2, 64, 23, 29, 31, 1, 0, 5, 1000, 4, 64];

test('a training step at many sizes, bit for bit, 0 and 1 among them', () => {
  const make = () => {
    manualSeed(3);
    const net = new Sequential(new Linear(4, 8), new ReLU(), new Linear(8, 2));
    const optimizer = new Adam(net.parameters(), { lr: 0.01 });
    const step = (x: Tensor, y: Tensor) => {
      optimizer.zeroGrad();
      const loss = mseLoss(net.forward(x), y);
      loss.backward();
      optimizer.step();
      return { loss: loss.detach(), rows: x.shape[0]!, more: [2 * x.shape[0]! + 1] };
    };
    return { net, step };
  };
  scope(() => {
    const [eager, own] = [make(), make()];
    const step = compile(own.step, { dynamic: [0, 0] });
    for (const n of sizes) {
      const [x, y] = [rand([n, 4]), rand([n, 2])];
      const [expected, got] = [eager.step(x, y), step(x, y)];
      assert.deepEqual(got.loss.item(), expected.loss.item(), `${n} rows`);
      assert.deepEqual([got.rows, got.more], [n, [2 * n + 1]]);
      const [p, q] = [eager.net.parameters(), own.net.parameters()];
      p.forEach((w, k) => {
        assert.deepEqual(flat(q[k]!.detach()), flat(w.detach()));
        assert.deepEqual(flat(q[k]!.grad!), flat(w.grad!));
      });
    }
    assert.deepEqual([step.stats().misses, step.stats().hits], [3, 10], 'of all sizes; of 1; of 0');
    eager.net.zeroGrad();
    own.net.zeroGrad();
    step.dispose();
  });
});

test('dropout and norms of batches that learn, and constants that fn makes, at many sizes', () => {
  const make = () => {
    manualSeed(5);
    const net = new Sequential(new Linear(4, 8), new BatchNorm1d(8), new Dropout(0.3), new Linear(8, 2));
    const optimizer = new Adam(net.parameters(), { lr: 0.01 });
    const step = (x: Tensor, y: Tensor): Tensor => {
      optimizer.zeroGrad();
      const loss = mseLoss(net.forward(x.sub(tensor([0.1, 0.2, 0.3, 0.4]))), y.mul(tensor(2)));
      loss.backward();
      optimizer.step();
      return loss.detach();
    };
    return { net, step };
  };
  scope(() => {
    const batches = [4, 7, 2, 64, 23, 31, 5].map((n) => [rand([n, 4]), rand([n, 2])] as const);
    const run = ({ net }: ReturnType<typeof make>, f: (x: Tensor, y: Tensor) => Tensor): unknown[] => {
      manualSeed(9);
      const losses = batches.map(([x, y]) => f(x, y).item());
      const state = Object.values(net.stateDict()).map(flat);
      net.zeroGrad();
      return [losses, state];
    };
    const [eager, own] = [make(), make()];
    const step = compile(own.step, { dynamic: [0, 0] });
    assert.deepEqual(run(own, step), run(eager, eager.step));
    assert.equal(step.stats().misses, 1);
    step.dispose();
    // a file, which draws from the default generator
    const saved = make();
    const layers = (x: Tensor): Tensor => saved.net.at(2)!.forward(saved.net.at(1)!.forward(x)).detach();
    const norm = compile(layers, { dynamic: [0] });
    const program = loadProgram<(x: Tensor) => Tensor>(norm.save(rand([3, 8])));
    const before = Object.values(saved.net.stateDict()).map(flat);
    for (const n of [5, 64]) {
      const x = rand([n, 8]);
      const [got, expected] = [program, layers].map((f) => (manualSeed(n), flat(f(x))));
      assert.deepEqual(got, expected);
    }
    assert.notDeepEqual(Object.values(saved.net.stateDict()).map(flat), before, 'running statistics');
    (norm.dispose(), program.dispose());
    let number = 0;
    const differs = compile((x: Tensor) => x.add(tensor([number++, 4])), { dynamic: [0] });
    assert.throws(() => differs(rand([5, 2])), refused('ERR_UNSUPPORTED', /captures another tensor/));
    differs.dispose();
    // the same elements, but others have them, too, and may write to them
    const equal = [tensor([1, 2]), tensor([1, 2]), tensor([1, 2])];
    const captures = compile((x: Tensor) => x.add(equal[number++ % 3]!), { dynamic: [0] });
    assert.throws(() => captures(rand([5, 2])), refused('ERR_UNSUPPORTED', /captures another tensor/));
    captures.dispose();
  });
});

test('a file is of all sizes', () => {
  scope(() => {
    const w = rand([3, 3]);
    const layer = (x: Tensor) => ({ y: x.matmul(w).softmax(1), last: x.at(-1), rows: x.shape[0]! });
    const f = compile(layer, { dynamic: [0] });
    const program = loadProgram(f.save(rand([3, 3])));
    for (const n of [2, 3, 23, 50, 2]) {
      const x = rand([n, 3]);
      const [expected, got] = [layer(x), program(x) as ReturnType<typeof layer>];
      assert.deepEqual([flat(got.y), flat(got.last), got.rows], [flat(expected.y), flat(expected.last), n]);
    }
    for (const n of [0, 1])
      assert.throws(
        () => program(rand([n, 3])),
        refused('ERR_SHAPE', /a program for sizes from 2 on/, 'in[0]'),
      );
    program.dispose();
    f.dispose();
  });
});

test('half of the size, rounded down, is refused whatever the first size is', () => {
  scope(() => {
    for (const n of [23, 29, 31, 34, 35, 4]) {
      const f = compile((x: Tensor) => x.at(Math.floor(x.shape[0]! / 2)).add(1), { dynamic: [0] });
      assert.throws(
        () => f(rand([n, 6])),
        refused('ERR_UNSUPPORTED', /another one for each size/),
        `${n} rows`,
      );
      f.dispose();
    }
  });
});

test('slices that ask for more than there is: sizes at which they are others have recordings of their own', () => {
  const cuts: ((x: Tensor) => Tensor)[] = [
    (x) => x.slice(0, 0, 64),
    (x) => x.slice(0, 0, 32), // between the sizes that are recorded beside the first one
    (x) => x.slice(0, -27),
    (x) => x.slice(0, -64),
    (x) => x.at(':64'),
    (x) => x.slice(0, 4).slice(0, -12),
    (x) => x.split(20)[0]!,
    (x) => x.split(64)[0]!,
    (x) => x.roll(5, 0),
    (x) => x.diagonal(),
    (x) => x.narrow(0, 0, 2),
  ];
  scope(() => {
    for (const cut of cuts)
      for (const first of [[10], [30], [100], [2], [64], [65], [28], [31], [33], [34], [67], [75], [91]]) {
        const f = compile((x: Tensor) => cut(x).add(1), { dynamic: [0] });
        for (const n of [...first, 16, 10, 64, 100, 30, 65, 100, 2, 10, 17, 3]) {
          const x = rand([n, 6]);
          assert.deepEqual(flat(f(x)), flat(cut(x).add(1)), `${cut} of ${n} rows, after ${first}`);
        }
        const { misses } = f.stats();
        f(rand([10, 6]));
        f(rand([100, 6]));
        assert.equal(f.stats().misses, misses, `${cut}: no size is recorded twice`);
        f.dispose();
      }
    const whole = compile(
      (x: Tensor) =>
        x
          .slice(0, 1, 2 ** 50)
          .slice(1, 0, 64)
          .add(x.split(2 ** 53 - 1)[0]!.narrow(0, 1, x.shape[0]! - 1)),
      { dynamic: [0] },
    );
    for (const n of [10, 100]) {
      const x = rand([n, 2]);
      assert.deepEqual(flat(whole(x)), flat(x.slice(0, 1).mul(2)));
    }
    assert.equal(whole.stats().misses, 1);
    whole.dispose();
  });
});

test('a file of many sizes refuses those at which the calls are others; one of such a size is of that alone', () => {
  scope(() => {
    const f = compile((x: Tensor) => x.slice(0, 0, 64).add(1), { dynamic: [0] });
    const [small, large] = [rand([10, 2]), rand([100, 2])];
    const program = loadProgram(f.save(small));
    assert.deepEqual(flat(program(small) as Tensor), flat(small.add(1)));
    assert.throws(
      () => program(large),
      refused(
        'ERR_UNSUPPORTED',
        /^program: the program is another one for size 100: step \d+, slice/,
        'dynamic',
      ),
    );
    const other = loadProgram(f.save(large));
    assert.deepEqual(flat(other(large) as Tensor), flat(large.slice(0, 0, 64).add(1)));
    assert.throws(() => other(small), refused('ERR_SHAPE', /was recorded as \[100,2\]/));
    assert.deepEqual([f.stats().misses, f.stats().recordings], [2, 2]);
    for (const one of [f, program, other]) one.dispose();
  });
});

test('bounds of whole numbers that are sizes are refused: a dtype may not hold them', () => {
  scope(() => {
    const limited = (x: Tensor): Tensor => x.clampMax(x.shape[0]!);
    const program = compile(limited, { dynamic: [0] });
    for (const dtype of ['int8', 'uint8'] as const)
      assert.throws(
        () => program(full([100], 100, { dtype })),
        refused('ERR_UNSUPPORTED', /each size: whole numbers have another bound/),
      );
    for (const n of [100, 128, 10]) {
      const x = full([n], 110);
      assert.deepEqual(program(x).toArray(), limited(x).toArray());
    }
    assert.equal(program.stats().recordings, 1);
    program.clear();
  });
});

test('what JavaScript computes of a size is refused, or each size has a recording of its own', () => {
  scope(() => {
    const f = compile((x: Tensor) => x.slice(0, 0, Math.min(64, x.shape[0]!)).add(1), { dynamic: [0] });
    assert.throws(() => f(rand([100, 2])), refused('ERR_UNSUPPORTED', /another one for each size/));
    assert.equal(f.stats().recordings, 0);
    f.dispose();
    // of sizes near the first ones they are a n + b
    const fs = [
      (x: Tensor): Tensor => x.slice(0, 0, Math.min(64, x.shape[0]!)).add(1),
      (x: Tensor): Tensor => pad(x, [0, 0, 0, (64 - (x.shape[0]! % 64)) % 64]),
      (x: Tensor): Tensor => x.mul(Math.floor(x.shape[0]! / 100)),
      (x: Tensor): Tensor => (x.shape[0]! > 64 ? x.sin() : x.cos()),
      (x: Tensor): unknown => [x.neg(), x.shape[0]! % 512],
    ];
    for (const one of fs) {
      const g = compile(one, { dynamic: [0] });
      for (const n of [10, 100, 130, 10]) {
        const x = rand([n, 2]);
        const [own, expected] = [g(x), one(x)].map((y) =>
          Array.isArray(y) ? [flat(y[0] as Tensor), y[1]] : flat(y as Tensor),
        );
        assert.deepEqual(own, expected);
      }
      assert.deepEqual([g.stats().recordings, g.stats().hits], [3, 1]);
      g.dispose();
    }
    // what chooses its calls by sizes itself, and numbers that are rounded
    const [w1, w2] = [rand([64, 64]), rand([64, 64])];
    const rows = [
      (x: Tensor): Tensor => einsum('bi,ij,jk->bk', x, w1, w2),
      (x: Tensor): Tensor => x.mul(0.1 / x.shape[0]!),
    ];
    for (const one of rows) {
      const g = compile(one, { dynamic: [0] });
      for (const n of [10, 2000, 31]) {
        const x = rand([n, 64]);
        assert.deepEqual(flat(g(x)), flat(one(x)));
      }
      g.dispose();
    }
    // results that are no data
    const circle: { self?: unknown } = {};
    circle.self = circle;
    const instance = Object.assign(new (class Holder {})(), circle);
    const k = compile((x: Tensor) => ({ y: x.neg(), instance }), { dynamic: [0] });
    for (const n of [3, 4]) assert.deepEqual(flat(k(ones([n])).y), new Array(n).fill(-1));
    assert.equal(k.stats().recordings, 1);
    k.dispose();
    // a table that is shorter than that, and arguments that are larger
    const table = rand([40, 2]);
    const h = compile((x: Tensor) => x.add(table.slice(0, 0, x.shape[0]!)), { dynamic: [0] });
    for (const n of [10, 40, 7]) assert.deepEqual(flat(h(ones([n, 2]))), flat(table.slice(0, 0, n).add(1)));
    h.dispose();
    const large = compile((x: Tensor) => x.sum(1), { dynamic: [0] });
    assert.deepEqual(flat(large(ones([3, 100000]))), [1e5, 1e5, 1e5]);
    large.dispose();
  });
});

test('other layouts have recordings of their own; programs that differ are refused', () => {
  scope(() => {
    const f = compile((x: Tensor, y: Tensor) => x.mul(2).add(y), { dynamic: [1, null] });
    for (const n of [3, 5]) {
      const [x, turned] = [rand([2, n]), rand([n, 2]).t()];
      assert.deepEqual(flat(f(x, rand([1]).mul(0))), flat(x.mul(2)));
      assert.deepEqual(flat(f(turned, rand([1]).mul(0))), flat(turned.mul(2)));
    }
    assert.equal(f.stats().misses, 3);
    const both = compile((x: Tensor, y: Tensor) => x.add(y), { dynamic: [0, 0] });
    assert.throws(
      () => both(rand([3]), rand([4])),
      refused('ERR_SHAPE', /^compile: args\[1\] must be 3 in dimension 0 \(dynamic\)/, 'args[1]'),
    );
    assert.throws(
      () => both(rand([3]), rand([])),
      refused('ERR_SHAPE', /with a dimension 0 \(dynamic\)/, 'args[1]'),
    );
    const [a, b] = [ones([1]), zeros([1])];
    for (const pick of [
      (x: Tensor) => x.add(x.shape[0]! > 20 ? b : a),
      (x: Tensor) => (x.shape[0]! > 20 ? b : a),
      (x: Tensor) => x.add(x.shape[0]! > 20 ? 1 : 2),
    ]) {
      const captured = compile(pick, { dynamic: [0] });
      for (const n of [8, 50])
        try {
          assert.deepEqual(flat(captured(ones([n]))), flat(pick(ones([n]))));
        } catch (error) {
          assert.match(String(error), /another one for each size|captures other tensors/);
        }
      captured.dispose();
    }
    for (const first of [64, 50, 100, 200, 67]) {
      const least = compile((x: Tensor) => x.mul(Math.min(x.shape[0]!, 32)), { dynamic: [0] });
      assert.throws(() => least(ones([first])), refused('ERR_UNSUPPORTED', /another one for each size/));
      least.dispose();
    }
    const big = compile((x: Tensor) => [x.add(1), BigInt(x.shape[0]!)], { dynamic: [0] });
    assert.throws(() => big(ones([8])), refused('ERR_UNSUPPORTED', /^compile: result\[1\] must be the same/));
    big.dispose();
    const counted = compile((x: Tensor) => [x.add(1), x.shape[0]! > 20 ? 1 : 2], { dynamic: [0] });
    assert.throws(
      () => counted(ones([8])),
      refused('ERR_UNSUPPORTED', /^compile: result\[1\] must be the same/),
    );
    counted.dispose();
    const branch = compile((x: Tensor) => (x.shape[0]! > 25 ? x.sin() : x.cos()), { dynamic: [0] });
    assert.throws(
      () => branch(rand([3, 3])),
      refused('ERR_UNSUPPORTED', /call 0, cos, is another call/, 'dynamic'),
    );
    const square = compile((x: Tensor) => x.matmul(x.t()), { dynamic: [0] });
    assert.throws(
      () => square(rand([3, 3])),
      refused('ERR_UNSUPPORTED', /call 0, matmul, .*no a n \+ b/, 'dynamic'),
    );
    const odd = compile((x: Tensor) => [x.add(1), x.shape[0]! ** 2], { dynamic: [0] });
    assert.throws(() => odd(rand([3])), refused('ERR_UNSUPPORTED', /^compile: result\[1\] must be the same/));
    assert.equal(odd.stats().recordings, 0);
    for (const one of [f, both, branch, square, odd]) one.dispose();
  });
});

test('numbers of derivative rules are constants in derivatives of derivatives, too', () => {
  scope(() => {
    const second = grad((a: Tensor) => grad((b: Tensor) => b.pow(2.5).sum())(a).sum());
    const f = compile((x: Tensor) => second(x), { dynamic: [0] });
    for (const n of [3, 5, 8, 23, 40]) {
      const x = arange(1, n + 1, 1, { dtype: 'float64' });
      assert.deepEqual(flat(f(x)), flat(second(x)));
    }
    assert.equal(f.stats().recordings, 1);
    f.dispose();
  });
});
