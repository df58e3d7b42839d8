// compile(): signatures, trees of arguments and results, what is refused, what is kept.
import test from 'node:test';
import assert from 'node:assert/strict';
import {
  add,
  addmm,
  arange,
  cat,
  checkpoint,
  compile,
  einsum,
  complex,
  fromBuffer,
  Generator,
  grad,
  inner,
  manualSeed,
  memory,
  mul,
  noGrad,
  rand,
  scope,
  StriaError,
  sum,
  tensor,
  tensordot,
  toNpy,
  uniqueConsecutive,
  zeros,
  type Tensor,
  normal,
  bernoulli,
} from 'stria';
import { backendName, checkLeaksAtEnd, collect, flat, load, refused } from './support.js';

await load();
checkLeaksAtEnd(true);

test('conversions are members of groups', () => {
  scope(() => {
    const f = compile((x: Tensor) => x.to('float32').mul(1.25).sub(20).clamp(0, 255).to('uint8'));
    const x = arange(0, 256, 1, { dtype: 'uint8' });
    assert.deepEqual(flat(f(x)), flat(x.to('float32').mul(1.25).sub(20).clamp(0, 255).to('uint8')));
    const { groups } = f.explain();
    assert.equal(groups.length, 1);
    assert.deepEqual(groups[0]!.ops, ['to.f32', 'mul', 'sub', 'clamp', 'to.u8']);
    const g = compile((a: Tensor, b: Tensor) => a.to('float32').mul(b).add(a).to('bfloat16').relu());
    const [a, b] = [rand([1000]).sub(0.5).to('bfloat16'), rand([1000])];
    assert.deepEqual(flat(g(a, b)), flat(a.to('float32').mul(b).add(a).to('bfloat16').relu()));
    assert.equal(g.explain().groups.length, 1);
    f.dispose();
    g.dispose();
  });
});

test('fn runs once for each signature', () => {
  scope(() => {
    let runs = 0;
    const f = compile((a: Tensor, b: Tensor, scale?: number) => {
      runs++;
      return a
        .mul(b)
        .add(scale ?? 0)
        .relu();
    });
    const a = tensor([1, -2]);
    assert.deepEqual(flat(f(a, tensor([3, 4]))), [3, 0]);
    assert.deepEqual(flat(f(a, tensor([-1, -1]))), [0, 2]);
    assert.equal(runs, 1);
    assert.deepEqual(flat(f(a, tensor([3, 4]), 10)), [13, 2], 'a number is part of it');
    assert.deepEqual(flat(f(a, tensor([3, 4]), 20)), [23, 12]);
    assert.deepEqual(flat(f(a, tensor([3, 4]), -0)), [3, 0]);
    assert.deepEqual(flat(f(a, tensor([3, 4]), 0)), [3, 0]);
    assert.equal(runs, 5, 'so is its sign, and whether it is given');
    assert.deepEqual(flat(f(a, a)), [1, 4], 'one tensor twice');
    assert.equal(runs, 6);
    f(tensor([[1, 2]]), tensor([3, 4]));
    f(tensor([1, 2], { dtype: 'float64' }), tensor([3, 4]));
    assert.equal(runs, 8, 'shapes and dtypes');
    const wide = tensor([
      [1, 2],
      [3, 4],
    ]);
    assert.deepEqual(f(wide, wide.T).toArray(), [
      [1, 6],
      [6, 16],
    ]);
    assert.deepEqual(f(wide.clone(), wide.clone()).toArray(), [
      [1, 4],
      [9, 16],
    ]);
    assert.equal(runs, 10, 'and strides');
    noGrad(() => f(a, tensor([3, 4])));
    assert.equal(runs, 11, 'and whether gradients are on');
    const { hits, misses, recordings, evictions, recordingMs } = f.stats();
    assert.deepEqual([hits, misses, recordings, evictions], [1, 11, 11, 0]);
    assert.ok(recordingMs > 0);
    f.clear();
    assert.equal(f.stats().recordings, 0);
    f(a, tensor([3, 4]));
    assert.equal(runs, 12);
    f.dispose();
    assert.throws(() => f(a, a), refused('ERR_DISPOSED', /^compile: this must be a live program/));
  });
});

test('the recording that was not used for longest goes first', () => {
  scope(() => {
    let runs = 0;
    const f = compile((x: Tensor, k: number) => (runs++, x.add(k)), { cacheSize: 2 });
    const x = zeros([2]);
    for (const k of [1, 2, 1, 3, 1, 2]) assert.deepEqual(flat(f(x, k)), [k, k]);
    assert.deepEqual([runs, f.stats().evictions, f.stats().recordings], [4, 2, 2]);
    f.dispose();
  });
  for (const cacheSize of [0, -1, 0.5, NaN, '3', null])
    assert.throws(
      () => compile((x: Tensor) => x, { cacheSize: cacheSize as number }),
      refused('ERR_ARGUMENT', /cacheSize must be a whole number above 0/, 'cacheSize'),
    );
  assert.throws(
    () => compile((x: Tensor) => x, { dynamic: 0 } as never),
    refused('ERR_ARGUMENT', /^compile: dynamic must be a list of dimensions and null/, 'dynamic'),
  );
  assert.throws(() => compile(3 as never), refused('ERR_ARGUMENT', /body must be a function/));
});

test('trees of arguments and results', () => {
  scope(() => {
    const f = compile((batch: { x: Tensor; more: [Tensor, { y: Tensor }] }, options: { scale: number }) => {
      const { x, more } = batch;
      const sum = x.add(more[0]);
      const inner = { twice: sum, again: [sum, more[1].y] };
      return {
        sum,
        inner,
        x,
        scale: options.scale,
        name: 'n',
        none: null,
        nothing: undefined,
        big: 3n,
        f: add,
      };
    });
    for (const k of [1, 2]) {
      const [x, y] = [tensor([1, 2]), tensor([k])];
      const result = f({ x, more: [y, { y }] }, { scale: 2 });
      assert.deepEqual(flat(result.sum), [1 + k, 2 + k]);
      assert.equal(result.inner.twice, result.sum, 'one result is one tensor');
      assert.equal(result.inner.again[0], result.sum);
      assert.equal(result.inner.again[1], y, 'an argument is itself');
      assert.equal(result.x, x);
      assert.deepEqual(
        [result.scale, result.name, result.none, result.nothing, result.big, result.f],
        [2, 'n', null, undefined, 3n, add],
      );
      assert.deepEqual(Object.keys(result).slice(0, 3), ['sum', 'inner', 'x']);
    }
    assert.equal(f.stats().hits, 1);
    f.dispose();
    const none = compile((k: number) => k + 1);
    assert.deepEqual([none(1), none(1), none(2)], [2, 2, 3]);
    none.dispose();
    const made = compile(() => [zeros([2]), arange(3), tensor([5])]);
    for (let k = 0; k < 2; k++) assert.deepEqual(made().map(flat), [[0, 0], [0, 1, 2], [5]]);
    made.dispose();
    const empty = compile((x: Tensor) => ({ x: x.add(1), list: [], bare: Object.create(null) as object }));
    assert.equal(Object.getPrototypeOf(empty(zeros([0, 3])).bare), null);
    assert.deepEqual(empty(zeros([0, 3])).x.shape, [0, 3]);
    empty.dispose();
  });
});

test('captured tensors are read and written as they are at each replay; tensors from data are made anew', () => {
  scope(() => {
    const state = tensor([1, 1]);
    const f = compile((x: Tensor) => {
      state.add_(x);
      const own = tensor([10, 20]).add_(x);
      return own.add(state);
    });
    const x = tensor([1, 2]);
    assert.deepEqual(flat(f(x)), [13, 25]);
    assert.deepEqual(flat(f(x)), [14, 27]);
    state.copy_([0, 0]);
    assert.deepEqual(flat(f(x)), [12, 24]);
    assert.deepEqual(flat(state), [1, 2]);
    f.dispose();
    const back = compile(() => state);
    assert.equal(back(), state);
    assert.equal(back(), state);
    back.dispose();
  });
});

test('arguments may be written to', () => {
  scope(() => {
    const f = compile((x: Tensor, out: Tensor) => {
      x.at(0).mul_(2);
      return add(x, 1, { out });
    });
    for (let k = 0; k < 3; k++) {
      const [x, out] = [tensor([1, 2]), zeros([2])];
      assert.equal(f(x, out), out);
      assert.deepEqual(
        [flat(x), flat(out)],
        [
          [2, 2],
          [3, 3],
        ],
      );
    }
    const x = tensor([1, 2]);
    assert.throws(() => f(x, x.at('0:2')), refused('ERR_OVERLAP', /shares memory|overlap/));
    f.dispose();
  });
});

test('numbers are copied into tensors', () => {
  scope(() => {
    const f = compile((x: Tensor) => {
      x.at(0).copy_(5);
      return x.set(1, 7).add(complex(x, 2).imag());
    });
    assert.deepEqual(flat(f(tensor([1, 2, 3]))), [7, 9, 5]);
    f.dispose();
  });
});

test('an argument is no out of another shape', () => {
  scope(() => {
    const f = compile((x: Tensor, out: Tensor) => sum(x, 0, { out }));
    assert.throws(() => f(tensor([1, 2]), zeros([2])), refused('ERR_SHAPE', /out is an input/));
    f.dispose();
  });
});

test('an argument gets no gradient, its clone does', () => {
  scope(() => {
    const f = compile((x: Tensor) => {
      x.requiresGrad_();
      x.mul(x).sum().backward();
      return x.grad!;
    });
    assert.throws(() => f(tensor([1, 2])), refused('ERR_ARGUMENT', /^requiresGrad_: .*clone it first/));
    const g = compile((x: Tensor) => {
      const own = x.clone().requiresGrad_();
      own.mul(own).sum().backward();
      return own.grad!;
    });
    for (let k = 0; k < 2; k++) assert.deepEqual(flat(g(tensor([1, 2]))), [2, 4]);
    (f.dispose(), g.dispose());
  });
});

test('a checkpoint runs as its function does', () => {
  scope(() => {
    const w = tensor([0.3, -0.7, 1.5]).requiresGrad_();
    const stepOf =
      (draws: Generator) =>
      (x: Tensor): Tensor[] => {
        const y = checkpoint(
          (a: Tensor, b: Tensor) =>
            a
              .mul(b)
              .tanh()
              .mul(rand([3], { generator: draws })),
          x,
          w,
        );
        return [y, grad(y.sum(), w)];
      };
    const f = compile(stepOf(new Generator(5)));
    const eager = stepOf(new Generator(5));
    const x = tensor([1, 2, 3]);
    for (let k = 0; k < 3; k++) assert.deepEqual(f(x).map(flat), eager(x).map(flat));
    assert.equal(f.stats().recordings, 1);
    f.dispose();
    assert.throws(
      () => compile(() => checkpoint(() => 3 as never))(),
      refused('ERR_ARGUMENT', /^checkpoint: fn must be a function that returns a tensor/),
    );
  });
});

test('arrays of numbers and truth values are positions', () => {
  scope(() => {
    const x = tensor([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    const bodies: ((x: Tensor) => Tensor)[] = [
      (x) => x.at([1, 0]),
      (x) => x.at([true, true], [0, -1]),
      (x) => x.at(':', [true, false, true]),
      (x) =>
        x.at([
          [true, false, true],
          [false, true, false],
        ]),
      (x) => x.at(false),
      (x) => x.add(1).set([1], ':', [9, 8, 7]),
      (x) => x.add(1).set(x.gt(2), 0),
    ];
    for (const body of bodies) {
      const f = compile(body);
      for (let k = 0; k < 2; k++) assert.deepEqual(f(x).toArray(), body(x).toArray(), `${body}`);
      f.dispose();
    }
    const f = compile((x: Tensor) => x.at([true]));
    assert.throws(() => f(x), refused('ERR_SHAPE', /indices\[0\] must be of shape \[2\]/));
    const g = compile((y: Tensor) => y.at(x.gt(2)));
    assert.throws(() => g(x), refused('ERR_UNSUPPORTED', /elements of a mask: .*array of booleans/));
    (f.dispose(), g.dispose());
  });
});

test('random numbers go on, from the generator of the call', () => {
  scope(() => {
    const generator = new Generator(3);
    const draw = (): Tensor => cat([rand([2], { generator }), rand([2])]);
    const f = compile(draw);
    const runs = (g: () => Tensor): unknown[] => {
      manualSeed(5);
      generator.manualSeed(3);
      return Array.from({ length: 4 }, () => flat(g()));
    };
    assert.deepEqual(runs(f), runs(draw));
    f.dispose();
    generator.dispose();
  });
});

test('what random rows refuse by their elements, replays refuse', () => {
  const [spread, truth] = [compile((s: Tensor) => normal(0, s)), compile((p: Tensor) => bernoulli(p))];
  const [s, p] = [tensor([1, 2]), tensor([0.5, 0.2])];
  manualSeed(3);
  const eager = [normal(0, s), bernoulli(p)].map((x) => x.toArray());
  for (let k = 0; k < 2; k++) {
    manualSeed(3);
    assert.deepEqual(
      [spread(s), truth(p)].map((x) => x.toArray()),
      eager,
    );
  }
  assert.throws(() => spread(tensor([-1, 2])), { op: 'normal', argument: 'std', code: 'ERR_ARGUMENT' });
  assert.throws(() => truth(tensor([0.5, 1.5])), { op: 'bernoulli', argument: 'x', code: 'ERR_ARGUMENT' });
});

test('reading while it records is refused, with its line and a remedy', () => {
  const captured = tensor([2]);
  const generator = new Generator(1);
  const readings: Record<string, (x: Tensor) => unknown> = {
    item: (x) => x.sum().item(),
    toArray: (x) => x.add(1).toArray(),
    dataSync: (x) => x.dataSync(),
    data: (x) => x.data(),
    borrow: (x) => x.borrow(() => 0),
    toString: (x: Tensor) => `${x}`,
    toNpy: (x) => toNpy(x),
    allclose: () => captured.item(),
  };
  for (const [name, read] of Object.entries(readings)) {
    const f = compile((x: Tensor) => (read(x), x));
    assert.throws(
      () => scope(() => f(tensor([1, 2]))),
      (error: unknown) =>
        refused('ERR_UNSUPPORTED', /no elements while compile\(\) records: return the tensor/)(error) &&
        /\(file:.*compile\.test\.js:\d+:\d+\)$/.test((error as Error).message) &&
        (error as StriaError).op.length > 0,
      name,
    );
    assert.equal(f.stats().recordings, 0);
  }
  const states: Record<string, () => unknown> = {
    manualSeed: () => generator.manualSeed(3),
    getState: () => generator.getState(),
    fork: () => generator.fork(),
  };
  for (const [name, run] of Object.entries(states))
    assert.throws(
      () => compile(run)(),
      refused('ERR_UNSUPPORTED', new RegExp(`^${name}: would happen while compile\\(\\) records`)),
    );
  // what fn does about it does not matter
  const caught = compile((x: Tensor) => {
    try {
      return x.add(x.item());
    } catch {
      return x;
    }
  });
  assert.throws(() => scope(() => caught(tensor([1]))), refused('ERR_UNSUPPORTED', /^item: /));
  assert.throws(
    () => scope(() => compile((x: Tensor) => uniqueConsecutive(x))(tensor([1, 1]))),
    (error: unknown) => error instanceof StriaError,
  );
  assert.equal(captured.item(), 2, 'outside as ever');
  assert.throws(() => scope(() => compile((x: Tensor) => Number(x))(tensor([1]))), StriaError);
  generator.dispose();
  captured.dispose();
});

test('what fn throws ends the recording, and nothing is left', () => {
  const before = memory().liveTensors;
  const f = compile((x: Tensor, fails: boolean) => {
    x.add(1).mul(2);
    if (fails) throw new RangeError('mine');
    return x.add(1);
  });
  scope(() => {
    const x = tensor([1]);
    assert.throws(() => f(x, true), /^RangeError: mine$/);
    assert.deepEqual(flat(f(x, false)), [2]);
    assert.deepEqual(flat(x.add(5)), [6], 'calls are made again');
    assert.throws(() => compile(() => x.matmul(zeros([3, 3])))(), refused('ERR_SHAPE', /^matmul: /));
  });
  f.dispose();
  assert.equal(memory().liveTensors, before);
});

test('functions that are not done when they return', async () => {
  const x = tensor([1]);
  const later = compile(async () => {
    await Promise.resolve();
    return x.add(1);
  });
  assert.throws(
    () => later(),
    refused('ERR_ARGUMENT', /fn must be done when it returns, got a promise/, 'fn'),
  );
  const steps = compile(function* (): Iterator<Tensor> {
    yield x.add(1);
  });
  assert.throws(() => steps(), refused('ERR_ARGUMENT', /got an iterator/, 'fn'));
  await new Promise((resolve) => setTimeout(resolve, 1));
  x.dispose();
});

test('symbols that outlive the recording are refused', () => {
  scope(() => {
    let kept: Tensor | undefined;
    const f = compile((x: Tensor) => (kept ??= x.add(1)).mul(2));
    const x = tensor([1]);
    assert.deepEqual(flat(f(x)), [4]);
    assert.deepEqual(flat(f(x)), [4]);
    assert.throws(() => kept!.add(1), refused('ERR_DISPOSED', /disposed/));
    assert.throws(() => f(tensor([1, 2])), refused('ERR_DISPOSED', /disposed/), 'in another recording, too');
    f.dispose();
    const g = compile((y: Tensor) => {
      const z = scope(() => y.add(1).mul(2));
      y.dispose();
      return z;
    });
    assert.deepEqual(flat(g(x)), [4]);
    assert.deepEqual(flat(g(x)), [4], 'what fn disposes of is its symbol');
    g.dispose();
  });
});

test('compiled functions in compiled functions are recorded with them', () => {
  scope(() => {
    const inner = compile((x: Tensor) => x.mul(2));
    const outer = compile((x: Tensor) => inner(inner(x)).add(1));
    assert.deepEqual(flat(outer(tensor([1]))), [5]);
    assert.deepEqual(flat(outer(tensor([2]))), [9]);
    assert.deepEqual([inner.stats().misses, outer.stats().misses], [0, 1]);
    assert.deepEqual(flat(inner(tensor([2]))), [4]);
    inner.dispose();
    outer.dispose();
  });
});

test('gradients belong into fn', () => {
  scope(() => {
    const w = tensor([3], { requiresGrad: true });
    const f = compile((x: Tensor) => w.mul(x));
    assert.throws(
      () => f(tensor([2])),
      refused('ERR_ARGUMENT', /^compile: result must be .*noGrad/, 'result'),
    );
    assert.throws(
      () => f(w),
      refused('ERR_ARGUMENT', /^compile: args\[0\] must be .*backward\(\) belongs into fn/, 'args[0]'),
    );
    assert.deepEqual(
      noGrad(() => flat(f(tensor([2])))),
      [6],
    );
    assert.deepEqual(
      noGrad(() => flat(f(w))),
      [9],
    );
    f.dispose();
    const slope = compile((x: Tensor) => grad(w.mul(w).mul(x).sum(), w));
    assert.deepEqual(flat(slope(tensor([2]))), [12]);
    w.detach().copy_([1]);
    assert.deepEqual(flat(slope(tensor([2]))), [4]);
    slope.dispose();
    const both = compile((x: Tensor) => {
      const loss = w.mul(x).sum();
      loss.backward();
      return loss;
    });
    for (const k of [1, 2, 3]) {
      both(tensor([2]));
      assert.deepEqual(flat(w.grad!), [2 * k], 'gradients add up');
    }
    w.grad = null;
    both(tensor([2]));
    assert.deepEqual(flat(w.grad!), [2]);
    both.dispose();
    w.grad = null;
  });
});

test('hostile arguments', () => {
  scope(() => {
    const x = tensor([1]);
    const f = compile((value: unknown) => [value, x.add(1)] as const);
    let reads = 0;
    const getter = {
      get x(): Tensor {
        reads++;
        return x;
      },
    };
    assert.equal((f(getter)[0] as { x: Tensor }).x, x);
    assert.equal(reads, 1);
    const circle: unknown[] = [x];
    circle.push(circle);
    assert.throws(() => f(circle), refused('ERR_ARGUMENT', /without circles/, 'args'));
    const wide: unknown[] = [x];
    wide.length = 2 ** 32 - 1;
    assert.throws(() => f(wide), refused('ERR_ARGUMENT', /at most 65536 values/, 'args[0]'));
    const bomb = [0, 1, 2, 3, 4, 5].reduce<unknown>((level) => Array(8).fill(level), Array(8).fill(0));
    assert.throws(() => f(bomb), refused('ERR_ARGUMENT', /at most 65536 values/, 'args'));
    // eslint-disable-next-line no-sparse-arrays
    assert.deepEqual(f([, 1])[0], [undefined, 1]);
    for (const bad of [
      new Map(),
      new Date(),
      () => 1,
      Symbol('s'),
      new Float32Array(2),
      /x/,
      new (class A {})(),
    ])
      assert.throws(
        () => f({ deep: [bad] }),
        refused('ERR_ARGUMENT', /fn captures anything else/, 'args[0].deep[0]'),
      );
    const throwing = new Proxy({}, { ownKeys: () => assert.fail('trap') });
    assert.throws(() => f(throwing), refused('ERR_ARGUMENT', /members can be read/));
    const revoked = Proxy.revocable([], {});
    revoked.revoke();
    assert.throws(() => f(revoked.proxy), StriaError);
    assert.equal(f(new Proxy(x, {}))[1].item(), 2, 'a proxy of a tensor is one');
    const odd = JSON.parse('{"__proto__": 1, "a b": [true]}') as object;
    assert.deepEqual(f(odd)[0], odd);
    assert.ok(Object.hasOwn(f(odd)[0] as object, '__proto__'));
    assert.notDeepEqual(f(['a', 'b'])[0], f(['a"', 'b'])[0]);
    assert.deepEqual(f(['1'])[0], ['1']);
    assert.deepEqual(f([1])[0], [1]);
    assert.deepEqual(f([1n])[0], [1n]);
    assert.deepEqual(f([null])[0], [null]);
    assert.deepEqual(f([undefined])[0], [undefined]);
    assert.deepEqual(f([NaN])[0], [NaN]);
    const gone = tensor([1]);
    gone.dispose();
    assert.throws(() => f(gone), refused('ERR_DISPOSED', /args\[0\] was disposed of/));
    const inside = compile((y: Tensor) => {
      (f as (...args: unknown[]) => unknown)(y);
      return y;
    });
    assert.equal(inside(x), x);
    const reentrant = compile((value: { x: Tensor }) => value.x.add(1));
    const calling = {
      get x(): Tensor {
        return reentrant({ x: x.add(1) });
      },
    };
    assert.deepEqual(flat(reentrant(calling)), [4]);
    for (const one of [f, inside, reentrant]) one.dispose();
    const buffer = new Float32Array([1]);
    if (backendName === 'native') assert.throws(() => compile(() => fromBuffer(buffer))(), StriaError); // elsewhere it copies
  });
});

test('what composites leave in given tensors is replayed, and tensors that were given other memory are looked at again', () => {
  scope(() => {
    const inPlace = compile((x: Tensor) => x.addcmul_(x, x));
    for (let k = 0; k < 2; k++) {
      const x = tensor([1, 2]);
      inPlace(x);
      assert.deepEqual(flat(x), [2, 6]);
    }
    const given = compile((x: Tensor) => {
      const out = zeros([3]);
      sum(x, { out });
      return [out, x.add(1)];
    });
    for (let k = 0; k < 2; k++) {
      const [a, b] = given(tensor([1, 2, 3])) as [Tensor, Tensor];
      assert.deepEqual([flat(a), flat(b)], [[6], [2, 3, 4]]);
    }
    const c = tensor([1, 2]);
    const f = compile((x: Tensor) => x.add(c));
    assert.deepEqual(flat(f(tensor([1, 1]))), [2, 3]);
    mul(
      tensor([
        [1, 2],
        [3, 4],
      ]),
      2,
      { out: c },
    );
    assert.deepEqual(f(tensor([1, 1])).shape, [2, 2]);
    for (const one of [inPlace, given, f]) one.dispose();
  });
});

test('products of an argument and what fn captured', () => {
  scope(() => {
    const w = tensor([
      [1, 2],
      [3, 4],
    ]);
    const f = compile((x: Tensor) => [
      einsum('ij,kj->ik', [x, w]),
      addmm(x, x, w),
      inner(x, w),
      tensordot(w, x),
    ]);
    const x = tensor([
      [1, -1],
      [2, 0.5],
    ]);
    const expected = [einsum('ij,kj->ik', [x, w]), addmm(x, x, w), inner(x, w), tensordot(w, x)].map(flat);
    for (let k = 0; k < 2; k++) assert.deepEqual(f(x).map(flat), expected);
    f.dispose();
  });
});

test('memory is flat over many replays', () => {
  scope(() => {
    const f = compile((a: Tensor, b: Tensor) => [a.mul(b).exp(), a.sum()]);
    const [a, b] = [rand([50]), rand([50])];
    f(a, b).forEach((y) => y.dispose());
    const before = memory();
    for (let k = 0; k < 1e5; k++) f(a, b).forEach((y) => y.dispose());
    const after = memory();
    assert.equal(after.liveTensors, before.liveTensors);
    assert.equal(after.liveBytes, before.liveBytes);
    assert.equal(f.stats().misses, 1);
    f.dispose();
  });
});

test('programs that nobody holds end, and so does what they hold', async () => {
  await collect(0);
  const before = memory().liveTensors;
  for (let k = 0; k < 20; k++) {
    const held = rand([10]);
    noGrad(() => compile((x: Tensor) => x.add(held))(held).dispose());
    held.dispose();
  }
  assert.ok(memory().liveTensors > before);
  await collect(before);
  assert.equal(memory().liveTensors, before);
});
