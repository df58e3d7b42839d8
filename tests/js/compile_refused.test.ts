// compile(): what is refused, and what the errors say.
import test from 'node:test';
import assert from 'node:assert/strict';
import {
  add,
  allclose,
  argwhere,
  bincount,
  compile,
  equal,
  grad,
  maskedSelect,
  memory,
  setMemoryLimit,
  trimMemory,
  noGrad,
  nonzero,
  oneHot,
  ones,
  repeatInterleave,
  scope,
  tensor,
  unique,
  uniqueConsecutive,
  zeros,
  type Tensor,
} from 'stria';
import { checkLeaksAtEnd, flat, load, refused } from './support.js';

await load();
checkLeaksAtEnd();

test('what a recording that failed would have written is not changed: gradients that saved it go on', () => {
  scope(() => {
    const w = tensor([2, 3], { requiresGrad: true });
    const h = tensor([5, 7]);
    const writes: (() => unknown)[] = [
      () => void h.add_(w),
      () => {
        noGrad(() => h.add_(w).mul_(2));
        throw new RangeError('mine');
      },
    ];
    for (const write of writes) {
      const loss = h.mul(w).sum();
      const f = compile(write);
      assert.throws(() => f());
      loss.backward();
      assert.deepEqual(flat(w.grad!), [5, 7]);
      w.grad = null;
    }
    // a recording that succeeds tells who saved it
    const loss = h.mul(w).sum();
    const f = compile(() => void noGrad(() => h.add_(w)));
    f();
    assert.throws(() => loss.backward(), refused('ERR_ARGUMENT', /changed in place since/));
    f.clear();
  });
});

test('a history that is written into a captured tensor is refused, and leaves it as it was', () => {
  scope(() => {
    const w = tensor([2, 3], { requiresGrad: true });
    const h = zeros([2]);
    const view = h.slice(0, 0, 1);
    const writes: Record<string, () => unknown> = {
      add: () => h.add_(w),
      mul: () => h.mul_(w),
      copy: () => h.copy_(w),
      out: () => add(h, w, { out: h }),
      'a view': () => view.add_(w.sum()),
      'a view of fn': () => h.slice(0, 0, 1).add_(w.sum()),
      'a view that looks again': () => (h.add_(w), view.mul(2), undefined),
      'after backward': () => {
        const loss = w.sum();
        loss.backward();
        w.grad = null;
        h.add_(loss);
      },
    };
    for (const [name, write] of Object.entries(writes)) {
      const f = compile(() => void write());
      assert.throws(
        () => f(),
        refused('ERR_ARGUMENT', /^compile: a captured tensor was written .*detached/, 'fn'),
      );
      assert.deepEqual(
        [h.requiresGrad, view.requiresGrad, flat(h), f.stats().recordings],
        [false, false, [0, 0], 0],
        name,
      );
    }
    const failed = compile(() => {
      h.add_(w);
      throw new RangeError('mine');
    });
    assert.throws(() => failed(), RangeError);
    assert.equal(h.requiresGrad, false, 'what fn throws leaves it as it was, too');
    const fine = compile(() => {
      noGrad(() => h.add_(w));
      h.add_(w.detach());
      const own = zeros([2]).add_(w).mul_(w);
      own.sum().backward();
      w.grad = null;
      h.add_(w).detach_();
    });
    fine();
    fine();
    assert.deepEqual([h.requiresGrad, flat(h)], [false, [12, 18]]);
    fine.dispose();
    const known = w.mul(2);
    const more = compile(() => void known.add_(w));
    assert.throws(() => more(), refused('ERR_ARGUMENT', /captured tensor was written/));
    known.sum().backward();
    assert.deepEqual(flat(w.grad!), [2, 2], 'a history of before is there still');
    w.grad = null;
  });
});

test('the same of an argument', () => {
  scope(() => {
    const w = tensor([2, 3], { requiresGrad: true });
    const x = ones([2]);
    const writes: ((x: Tensor) => unknown)[] = [
      (x) => void x.mul_(w.sum()),
      (x) => x.mul_(w.sum()),
      (x) => void x.slice(0, 0, 1).copy_(w.sum()),
    ];
    for (const write of writes)
      for (const dynamic of [undefined, [null, 0]]) {
        const f = compile((_: number, x: Tensor) => write(x), { dynamic });
        assert.throws(
          () => f(1, x),
          refused('ERR_ARGUMENT', /^compile: args\[1\] must be written with values .*x\.detach/, 'args[1]'),
        );
      }
    assert.deepEqual([x.requiresGrad, flat(x)], [false, [1, 1]]);
    const fine = compile((x: Tensor) => noGrad(() => x.mul_(w)));
    assert.deepEqual(flat(fine(x)), [2, 3]);
    fine.dispose();
  });
});

test('an argument on meta', () => {
  scope(() => {
    const f = compile((x: Tensor) => x.add(1));
    const x = zeros([2], { device: 'meta' });
    const words = /^compile: args\[0\] must be a tensor with elements, got one on meta$/;
    assert.throws(() => f(x), refused('ERR_DEVICE', words, 'args[0]'));
    assert.throws(() => f.save(x), refused('ERR_DEVICE', words, 'args[0]'));
    assert.deepEqual(flat(f(zeros([2]))), [1, 1]);
    assert.throws(() => f(x), refused('ERR_DEVICE', words, 'args[0]'), 'after another one');
    const nested = compile((y: Tensor) => f(y));
    assert.deepEqual(flat(nested(ones([2]))), [2, 2], 'symbols are on meta');
    for (const one of [f, nested]) one.dispose();
  });
});

test('dynamic: what fn does at no other size is said of the sizes of the caller', () => {
  scope(() => {
    const f = compile((x: Tensor) => x.mul(ones([5])), { dynamic: [0] });
    assert.throws(
      () => f(ones([5])),
      (error) =>
        refused(
          'ERR_UNSUPPORTED',
          /^compile: fn works for size 5, but not for \d+ in its place \(dynamic\): mul: shapes .*; write fn for any size, or leave dynamic out$/,
          'dynamic',
        )(error) && refused('ERR_SHAPE', /^mul: /)((error as Error).cause),
    );
    assert.equal(f.stats().recordings, 0);
    assert.throws(
      () => f(ones([7])),
      refused('ERR_SHAPE', /^mul: shapes \[7\] and \[5\]/),
      'its own mistake',
    );
    f.dispose();
  });
});

test('what reads elements is refused by the name that was called', () => {
  const here = '\\(file:.*compile_refused\\.test\\.js:\\d+:\\d+\\)$';
  const none = 'tensors have no elements while compile\\(\\) records:';
  const cases: [reads: (x: Tensor) => unknown, words: string][] = [
    [
      (x) => equal(x, x),
      `^equal: ${none} take eq\\(\\)\\.all\\(\\) and read it outside, or choose with where`,
    ],
    [(x) => allclose(x, x), `^allclose: ${none} take isclose\\(\\)\\.all\\(\\) and read`],
    [
      (x) => (x as unknown as number) > 0,
      `^valueOf: ${none} combine them by add\\(\\), gt\\(\\), \\.\\., or choose with where`,
    ],
    [(x) => x.sum().item(), `^item: ${none} return the tensor`],
  ];
  scope(() => {
    const x = tensor([1, 2]);
    for (const [reads, words] of cases)
      assert.throws(
        () => compile((x: Tensor) => (reads(x) ? x.add(1) : x))(x),
        refused('ERR_UNSUPPORTED', new RegExp(`${words}.* ${here}`), 'fn'),
      );
    assert.throws(
      () => (x as unknown as number) > 0,
      refused('ERR_ARGUMENT', /^valueOf: x must be read by item/),
    );
    assert.ok(equal(x, x) && allclose(x, x));
  });
});

test('shapes that depend on elements are refused, with what to do instead', () => {
  const choose = 'choose with where\\(\\)';
  const cases: [run: (x: Tensor) => unknown, op: string, remedy: string][] = [
    [(x) => nonzero(x), 'nonzero', choose],
    [(x) => argwhere(x), 'argwhere', choose],
    [(x) => unique(x), 'unique', choose],
    [(x) => uniqueConsecutive(x), 'uniqueConsecutive', choose],
    [(x) => maskedSelect(x, x.gt(0)), 'maskedSelect', choose],
    [(x) => bincount(x, { minlength: 9 }), 'bincount', choose],
    [(x) => oneHot(x), 'oneHot', 'give numClasses'],
    [(x) => repeatInterleave(x, x), 'repeatInterleave', 'repeat by a number'],
  ];
  scope(() => {
    const x = tensor([1, 0, 2], { dtype: 'int64' });
    for (const [run, op, remedy] of cases) {
      const words = `^${op}: the shape would depend on elements: ${remedy}, or call it outside \\(file:.*\\)$`;
      const isRefused = (error: unknown): boolean =>
        refused('ERR_UNSUPPORTED', new RegExp(words), 'fn')(error) && (error as { op: string }).op === op;
      assert.throws(() => compile((x: Tensor) => void run(x))(x), isRefused);
      assert.throws(() => compile(() => void run(x))(), isRefused, 'of a captured tensor');
      const meta = zeros([3], { dtype: 'int64', device: 'meta' });
      assert.throws(() => run(meta), refused('ERR_DEVICE', /^\w+: the shape of the result depends on/));
    }
    const f = compile((x: Tensor) => [oneHot(x, 3), repeatInterleave(x, 2)] as const);
    assert.deepEqual(flat(f(x)[1]), [1n, 1n, 0n, 0n, 2n, 2n]);
    f.dispose();
  });
});

test('arguments that share memory are named by their paths, with what to do instead', () => {
  scope(() => {
    const [a, b, w] = [tensor([1, 2, 3]), tensor([1, 2]), tensor([5, 6])];
    const help = '; give it x\\.clone\\(\\), or call fn itself$';
    const two = compile((x: Tensor, y: Tensor) => x.add_(y));
    const tree = compile(({ my_x, list: [y] }: { my_x: Tensor; list: [Tensor] }) => my_x.add_(y));
    const held = compile((x: Tensor) => w.add_(x));
    const [one, other] = [a.narrow(0, 0, 2), a.narrow(0, 1, 2)];
    for (let k = 0; k < 2; k++) {
      assert.throws(
        () => two(one, other),
        refused(
          'ERR_OVERLAP',
          new RegExp(`^compile: args\\[0\\] is written to, and shares memory with args\\[1\\]${help}`),
          'args[0]',
        ),
      );
      assert.throws(
        () => tree({ my_x: one, list: [other] }),
        refused(
          'ERR_OVERLAP',
          new RegExp(`args\\[0\\]\\.my_x is written .* with args\\[0\\]\\.list\\[0\\]${help}`),
          'args[0].my_x',
        ),
      );
      assert.throws(
        () => held(w.view(2)),
        refused(
          'ERR_OVERLAP',
          new RegExp(
            `^compile: args\\[0\\] shares memory with a tensor that fn captures and writes to${help}`,
          ),
          'args[0]',
        ),
      );
      assert.deepEqual(
        [flat(two(b.clone(), b)), flat(w)],
        [
          [2, 4],
          [5, 6],
        ],
      );
    }
    for (const f of [two, tree, held]) f.dispose();
  });
});

test('a run without memory says how much it takes', () => {
  scope(() => {
    const x = ones([100000]);
    const f = compile((x: Tensor) => x.cumsum(0).add(1).cumsum(0));
    f(x).dispose();
    trimMemory();
    setMemoryLimit(memory().liveBytes + 1000);
    try {
      assert.throws(
        () => f(x),
        refused('ERR_MEMORY', /^compile: no memory to run the graph, which takes \d{6} bytes/, ''),
      );
    } finally {
      setMemoryLimit(0);
    }
    assert.equal(f(x).shape[0], 100000);
    f.dispose();
  });
});

test('the gradient of a program says that it is the program of a gradient', () => {
  scope(() => {
    const fn = (x: Tensor): Tensor => x.mul(x).sum();
    const [f, slope] = [compile(fn), compile(grad(fn))];
    assert.throws(
      () => grad(f)(tensor([1, 2])),
      refused(
        'ERR_ARGUMENT',
        /^compile: args\[0\] must be .*compile\(grad\(fn\)\), not grad\(compile\(fn\)\)/,
        'args[0]',
      ),
    );
    assert.deepEqual(flat(slope(tensor([1, 2]))), [2, 4], 'as it says');
    for (const one of [f, slope]) one.dispose();
  });
});
