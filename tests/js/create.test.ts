// Making tensors, reading them, views, files.
import test from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as stria from 'stria';
import { scope, tensor, type DType, type Tensor } from 'stria';
import { checkLeaksAtEnd, load, pick, positions } from './support.js';

await load();
checkLeaksAtEnd(true); // borrowed memory goes when the collector says so

test('values choose the dtype', () => {
  scope(() => {
    assert.equal(tensor(1).dtype, 'float32');
    assert.equal(tensor([1n]).dtype, 'int64');
    assert.equal(tensor([[true]]).dtype, 'bool');
    assert.equal(tensor([{ re: 1, im: 2 }]).dtype, 'complex64');
    assert.deepEqual(tensor([3, { re: 1, im: 2 }, true], { dtype: 'complex128' }).toArray(), [
      { re: 3, im: 0 },
      { re: 1, im: 2 },
      { re: 1, im: 0 },
    ]);
    assert.equal(tensor(new Uint8ClampedArray(2)).dtype, 'uint8');
    assert.equal(tensor(new BigUint64Array(2)).dtype, 'uint64');
    assert.equal(tensor(new Float64Array(6), { shape: [2, 3] }).dtype, 'float64');
    assert.deepEqual(tensor([new Float32Array([1, 2]), new Float32Array([3, 4])]).toArray(), [
      [1, 2],
      [3, 4],
    ]);
    assert.deepEqual(tensor(3.5).shape, []);
    assert.deepEqual(tensor([[], []]).shape, [2, 0]);
  });
});

test('every dtype holds what is written to it', () => {
  const values: Record<string, [unknown, unknown?][]> = {
    bool: [[true], [false], [2, true], [NaN, true]],
    uint8: [[255], [0], [-5, 0], [300, 255], [NaN, 0], [1.9, 1]],
    int8: [[-128], [127], [128, 127], [-1.9, -1]],
    int32: [[2 ** 31 - 1], [-(2 ** 31)], [1e10, 2 ** 31 - 1]],
    uint32: [[2 ** 32 - 1], [-1, 0]],
    int64: [[2n ** 63n - 1n], [-(2n ** 63n)], [5, 5n]],
    uint64: [[2n ** 64n - 1n], [7, 7n]],
    float16: [[0.5], [65504], [1e6, Infinity], [2049, 2048], [-0]],
    bfloat16: [[1.5], [257, 256]],
    float32: [
      [0.1, Math.fround(0.1)],
      [1e39, Infinity],
    ],
    float64: [[0.1], [5e-324]],
    complex64: [[{ re: 1, im: -2 }]],
    complex128: [[{ re: 0.1, im: 1e-300 }]],
  };
  for (const [dtype, rows] of Object.entries(values)) {
    for (const [value, wanted = value] of rows) {
      const x = tensor(value as number, { dtype: dtype as DType });
      assert.deepEqual(x.toArray(), wanted, `${String(value)} as ${dtype}`);
      x.dispose();
    }
  }
});

test('nested arrays come back as they went in', () => {
  const shape = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 0, maxLength: 5 });
  fc.assert(
    fc.property(shape, (sizes) => {
      let next = 0;
      const make = (depth: number): unknown =>
        depth === sizes.length ? next++ : Array.from({ length: sizes[depth] }, () => make(depth + 1));
      const nested = make(0);
      const zero = sizes.indexOf(0);
      const x = tensor(nested as number[]);
      assert.deepEqual(x.toArray(), nested);
      assert.deepEqual(x.shape, zero < 0 ? sizes : sizes.slice(0, zero + 1));
      x.dispose();
    }),
    { seed: 1, numRuns: 100 },
  );
});

test('bigints among numbers must be exact', () => {
  scope(() => {
    const most = 2n ** 53n - 1n;
    assert.deepEqual(tensor([0.5, most, -most], { dtype: 'float64' }).toArray(), [
      0.5,
      2 ** 53 - 1,
      1 - 2 ** 53,
    ]);
    for (const inexact of [2n ** 53n + 1n, 2n ** 53n, -(2n ** 53n) - 1n, 2n ** 64n])
      assert.throws(() => tensor([[0.5, inexact]], { dtype: 'float64' }), {
        name: 'ArgumentError',
        code: 'ERR_ARGUMENT',
        op: 'tensor',
        argument: 'data[0][1]',
        message: `tensor: data[0][1] must be a number, got ${inexact}n`,
      });
  });
});

test('makers', () => {
  scope(() => {
    assert.deepEqual(stria.zeros([2, 2]).toArray(), [
      [0, 0],
      [0, 0],
    ]);
    assert.deepEqual(stria.ones([2], { dtype: 'int8' }).toArray(), [1, 1]);
    assert.deepEqual(stria.full([2], 7n).toArray(), [7n, 7n]);
    assert.deepEqual(stria.full([1], 2 ** 53, { dtype: 'float64' }).toArray(), [2 ** 53]);
    assert.deepEqual(stria.arange(4).toArray(), [0, 1, 2, 3]);
    assert.deepEqual(stria.arange(5, 0, -2, { dtype: 'int32' }).toArray(), [5, 3, 1]);
    assert.deepEqual(stria.linspace(0, 1, 5).toArray(), [0, 0.25, 0.5, 0.75, 1]);
    assert.deepEqual(stria.linspace(3, 4, 1).toArray(), [3]);
    assert.deepEqual(stria.arange(1, 3, { dtype: 'int32' }).toArray(), [1, 2]);
    assert.deepEqual(stria.arange(3, 3).toArray(), []);
    // integers: bounds and step are cut first
    assert.deepEqual(stria.arange(0.9, 5.9, 1.9, { dtype: 'int64' }).toArray(), [0n, 1n, 2n, 3n, 4n]);
    assert.deepEqual(stria.arange(-0.9, 2.9, 1.5, { dtype: 'int8' }).toArray(), [0, 1]);
    assert.deepEqual(stria.linspace(0.9, 3.1, 3, { dtype: 'int32' }).toArray(), [0, 1, 3]);
    assert.deepEqual(stria.linspace(0, 10, 5, { dtype: 'uint8' }).toArray(), [0, 2, 5, 7, 10]);
    // by name, into a tensor, on a device
    assert.deepEqual(stria.arange({ end: 3 }).toArray(), [0, 1, 2]);
    assert.deepEqual(stria.arange(3, { start: 1 }).toArray(), [1, 2]);
    assert.deepEqual(stria.arange(0, 6, { step: 4 }).toArray(), [0, 4]);
    const given = stria.zeros([2, 3], { dtype: 'int16' });
    assert.equal(stria.arange(4, 7, { out: given.select(0, 1) }).dtype, 'int16');
    stria.linspace({ start: 7, end: 9, steps: 3, out: given.select(0, 0) });
    assert.deepEqual(given.toArray(), [
      [7, 8, 9],
      [4, 5, 6],
    ]);
    assert.deepEqual(stria.arange(1e12, { dtype: 'int8', device: 'meta' }).shape, [1e12]);
    assert.deepEqual(stria.logspace(0, 3, 4).toArray(), [1, 10, 100, 1000]);
    assert.deepEqual(stria.logspace(-1, 1, 3, 2, { dtype: 'float64' }).toArray(), [0.5, 1, 2]);
    assert.deepEqual(stria.trilIndices(2, 3).toArray(), [
      [0n, 1n, 1n],
      [0n, 0n, 1n],
    ]);
    assert.deepEqual(stria.triuIndices(2, 3, 1, { dtype: 'int32' }).toArray(), [
      [0, 0, 1],
      [1, 2, 2],
    ]);
    for (const [run, argument] of [
      [() => stria.arange(0, -3, 2), 'step'],
      [() => stria.arange(0, 3, -1), 'step'],
      [() => stria.arange(0, 3, 0), 'step'],
      [() => stria.arange(0, 3, 0.5, { dtype: 'int32' }), 'step'],
      [() => stria.arange(0, Infinity), 'end'],
      [() => stria.arange('0' as unknown as number, 3), 'start'],
    ] as const)
      assert.throws(run, { name: 'ArgumentError', code: 'ERR_ARGUMENT', op: 'arange', argument });
    assert.deepEqual(stria.eye(2, 3).toArray(), [
      [1, 0, 0],
      [0, 1, 0],
    ]);
    assert.deepEqual(stria.zerosLike(tensor([1n])).toArray(), [0n]);
    assert.deepEqual(stria.onesLike(tensor([[true]])).toArray(), [[true]]);
    const { zerosLike, onesLike, fullLike, emptyLike, randLike, randnLike, randintLike } = stria;
    const full = (x: Tensor, device: 'cpu' | 'meta') => fullLike(x, 3, { device });
    const whole = (x: Tensor, device: 'cpu' | 'meta') => randintLike(x, 3, { device });
    for (const make of [zerosLike, onesLike, emptyLike, randLike, randnLike])
      for (const from of ['cpu', 'meta'] as const)
        for (const device of ['cpu', 'meta'] as const)
          assert.equal(make(stria.zeros([2, 3], { device: from }), { device }).device, device);
    const symbol = stria.zeros([2], { device: 'meta' });
    assert.deepEqual(
      [symbol.device, full(symbol, 'meta').device, whole(symbol, 'meta').device],
      ['meta', 'meta', 'meta'],
    );
    assert.deepEqual(full(symbol, 'cpu').add(whole(symbol, 'cpu').mul(0)).toArray(), [3, 3]);
    assert.deepEqual(symbol.onesLike({ device: 'cpu', dtype: 'int8' }).toArray(), [1, 1]);
    assert.throws(() => zerosLike(symbol, { device: 'gpu' as 'cpu' }), {
      code: 'ERR_ARGUMENT',
      argument: 'device',
    });
    // the memory order stays, without the gaps
    const turned = stria.arange(40).reshape(5, 8).narrow(1, 0, 3).T;
    assert.deepEqual(turned.strides, [1, 8]);
    const zeros = stria.zerosLike(turned);
    const ones = stria.onesLike(turned, { dtype: 'int16' });
    for (const copy of [turned.clone(), turned.to('int32'), zeros, ones]) {
      assert.deepEqual(copy.shape, [3, 5]);
      assert.deepEqual(copy.strides, [1, 3]);
    }
    assert.deepEqual(turned.clone().toArray(), turned.toArray());
    assert.equal(zeros.ne(0).sum().item() + ones.ne(1).sum().item(), 0);
    assert.equal(ones.dtype, 'int16');
    assert.deepEqual(stria.empty([0, 3]).toArray(), []);
    const strided = stria.emptyStrided([2, 3], [1, 2]);
    assert.deepEqual(strided.strides, [1, 2]);
    assert.equal(strided.dtype, 'float32');
    const apart = stria.emptyStrided([2, 2], [0, 3], { dtype: 'int8' });
    assert.deepEqual([apart.strides, apart.dtype, apart.shape], [[0, 3], 'int8', [2, 2]]);
    assert.deepEqual(stria.emptyStrided({ size: [2], stride: 7, device: 'meta' }).strides, [7]);
  });
});

test('reading: typed arrays, items, raw bytes, borrowed memory', async () => {
  const x = tensor([
    [1, 2],
    [3, 4],
  ]);
  assert.deepEqual(x.dataSync(), new Float32Array([1, 2, 3, 4]));
  const t = x.T;
  assert.deepEqual(await t.data(), new Float32Array([1, 3, 2, 4]));
  const copy = x.dataSync();
  copy[0] = 99;
  assert.equal(x.dataSync()[0], 1);
  const first = x.select(0, 0);
  assert.equal(
    first.borrow((elements) => elements.length),
    2,
  );
  x.borrow((elements) => {
    elements[3] = 40;
  });
  assert.deepEqual(x.toArray(), [
    [1, 2],
    [3, 40],
  ]);
  assert.throws(() => t.borrow(() => 0), {
    code: 'ERR_ARGUMENT',
    op: 'borrow',
    argument: 'x',
    message: 'borrow: x must be contiguous, got strides [1,2]',
  });
  const empty = stria.zeros([0]);
  assert.equal(
    empty.borrow((elements) => elements.length),
    0,
  );
  const half = stria.fromBytes(new Uint16Array([0x3c00, 0xc000]), { dtype: 'float16' });
  assert.deepEqual(half.toArray(), [1, -2]);
  const odd = stria.fromBytes(new Uint8Array([0, 1, 0, 2, 0]).subarray(1), {
    dtype: 'uint16',
    shape: [2, 1],
  });
  assert.deepEqual(odd.toArray(), [[1], [2]]);
  stria.dispose(x, [t, first, { empty }], half, odd);
});

test('ranges between ends whose distance is beyond float64', () => {
  scope(() => {
    const dtype = 'float64';
    assert.deepEqual(stria.linspace(-1e308, 1e308, 3, { dtype }).toArray(), [-1e308, 0, 1e308]);
    const wide = stria.arange(-1.7e308, 1.7e308, 1e308, { dtype }).toArray() as number[];
    assert.deepEqual(wide.slice(0, 2), [-1.7e308, -1.7e308 + 1e308]);
    assert.equal(wide.length, 4);
    assert.ok(Math.abs(wide[3]! / 1.3e308 - 1) < 1e-15);
  });
});

test('the precision of products on CUDA devices is a setting of all threads', () => {
  const { getFloat32MatmulPrecision: get, setFloat32MatmulPrecision: set } = stria;
  assert.equal(get(), 'highest');
  set('high');
  assert.equal(get(), 'high');
  for (const wrong of ['medium', 'HIGH', '', 1, undefined, null])
    assert.throws(() => set(wrong as 'high'), { code: 'ERR_ARGUMENT', argument: 'precision' });
  assert.equal(get(), 'high');
  set('highest');
  assert.equal(get(), 'highest');
});

test('a disposed operand is refused in the name of the op that was called', () => {
  scope(() => {
    const gone = tensor([1]);
    gone.dispose();
    const refused = (op: string) => ({ code: 'ERR_DISPOSED', op });
    assert.throws(() => stria.add(gone, 1, { alpha: 2 }), refused('add'));
    assert.throws(() => stria.sub(1, gone, { alpha: 2 }), refused('sub'));
    assert.throws(() => stria.round(gone, { decimals: 1 }), refused('round'));
    assert.throws(() => stria.setThreads(0), { op: 'setThreads' });
  });
});

test('copy_ takes tensors, arrays and numbers, broadcast and converted', () => {
  scope(() => {
    const x = stria.zeros([2, 3], { dtype: 'int32' });
    assert.deepEqual(x.copy_(tensor([1.9, -2.9, 300])).toArray(), [
      [1, -2, 300],
      [1, -2, 300],
    ]);
    assert.deepEqual(x.copy_(7).toArray(), [
      [7, 7, 7],
      [7, 7, 7],
    ]);
    assert.deepEqual(x.copy_([[1], [2]]).toArray(), [
      [1, 1, 1],
      [2, 2, 2],
    ]);
    assert.deepEqual(x.copy_(new Int16Array([1, 2, 3, 4, 5, 6])).toArray(), [
      [1, 2, 3],
      [4, 5, 6],
    ]);
    // elements go straight into the dtype of x, not by way of float32
    assert.equal(stria.zeros([1], { dtype: 'float64' }).copy_([0.1]).item(), 0.1);
    assert.deepEqual(stria.zeros([2], { dtype: 'int32' }).copy_([16777217, -1.9]).toArray(), [16777217, -1]);
    x.slice(1, 0, null, 2).copy_(0);
    assert.deepEqual(x.toArray(), [
      [0, 2, 0],
      [0, 5, 0],
    ]);
    assert.throws(() => x.copy_('text' as unknown as number), { name: 'ArgumentError' });
  });
});

// Views against index arithmetic on nested arrays.
const base = Array.from({ length: 4 }, (_, i) =>
  Array.from({ length: 5 }, (_, j) => Array.from({ length: 3 }, (_, k) => 100 * i + 10 * j + k)),
);

function same(view: Tensor, shape: readonly number[], element: (...index: number[]) => unknown): void {
  assert.deepEqual(view.shape, shape);
  const nested = view.toArray();
  for (const index of positions(shape))
    assert.deepEqual(pick(nested, index), element(...index), `at [${index}]`);
}

test('views', () => {
  scope(() => {
    const x = tensor(base);
    const e = (i: number, j: number, k: number): number => base[i][j][k];
    same(x.transpose(0, 2), [3, 5, 4], (a, b, c) => e(c, b, a));
    same(x.permute(1, 2, 0), [5, 3, 4], (a, b, c) => e(c, a, b));
    same(x.T, [3, 5, 4], (a, b, c) => e(c, b, a));
    same(x.flip(0, 2), [4, 5, 3], (a, b, c) => e(3 - a, b, 2 - c));
    same(x.select(1, -1), [4, 3], (a, c) => e(a, 4, c));
    same(x.narrow(1, 1, 2), [4, 2, 3], (a, b, c) => e(a, b + 1, c));
    same(x.view(20, -1), [20, 3], (a, b) => e(Math.floor(a / 5), a % 5, b));
    same(x.T.reshape([3, 20]), [3, 20], (a, b) => e(b % 4, Math.floor(b / 4), a));
    same(x.unsqueeze(-1).expand(-1, -1, -1, 2), [4, 5, 3, 2], (a, b, c) => e(a, b, c));
    same(x.unsqueeze(1).squeeze(1), [4, 5, 3], e);
    same(x.unsqueeze(0).unsqueeze(0).squeeze(), [4, 5, 3], e);
    same(x.diagonal(1), [3, 4], (c, n) => e(n, n + 1, c));
    same(x.at(1, '::-2', ':'), [3, 3], (b, c) => e(1, 4 - 2 * b, c));
    same(x.at(':', -1), [4, 3], (a, c) => e(a, 4, c));
    assert.throws(() => x.T.view(60), {
      code: 'ERR_SHAPE',
      op: 'view',
      argument: 'shape',
      message: 'view: shape [60] is impossible without a copy for the strides of shape [3,5,4]',
    });
    assert.equal(x.isContiguous, true);
    assert.equal(x.T.isContiguous, false);
    assert.deepEqual(x.flip(0).strides, [-15, 3, 1]);
    x.select(0, 0).copy_(0);
    assert.equal(x.at(0, 0, 1).item(), 0, 'views share memory');
  });
});

test('squeeze: all axes of size 1, those given, or none', () => {
  scope(() => {
    const x = stria.zeros([1, 2, 1]);
    assert.deepEqual(x.squeeze().shape, [2]);
    assert.deepEqual(x.squeeze([]).shape, [1, 2, 1], 'a list of no axes');
    assert.deepEqual(x.squeeze(0).shape, [2, 1]);
    assert.deepEqual(x.squeeze([0, -1]).shape, [2]);
    assert.deepEqual(x.squeeze(1).shape, [1, 2, 1]);
  });
});

test('64 dims, and no more', () => {
  scope(() => {
    const shape = Array<number>(64).fill(1);
    const every = shape.map((_, axis) => axis);
    shape[0] = shape[31] = shape[63] = 2;
    const x = stria.arange(8).reshape(shape);
    assert.deepEqual(x.shape, shape);
    assert.deepEqual(x.permute([...every].reverse()).shape, [...shape].reverse());
    assert.equal(x.sum().item(), 28);
    assert.equal(x.sum(every).item(), 28);
    assert.throws(() => stria.zeros([...shape, 1]), { code: 'ERR_SHAPE', op: 'zeros', argument: 'shape' });
    assert.throws(() => x.sum([...every, 0]), { code: 'ERR_AXIS', op: 'sum', argument: 'axes' });
  });
});

test('slices follow Python', () => {
  const bound = fc.option(fc.integer({ min: -8, max: 8 }), { nil: null });
  const step = fc.integer({ min: -4, max: 4 }).filter((k) => k !== 0);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 6 }), bound, bound, step, (size, start, stop, by) => {
      const list = Array.from({ length: size }, (_, k) => k);
      const clip = (k: number, least: number, most: number): number =>
        Math.min(Math.max(k < 0 ? k + size : k, least), most);
      const [least, most] = by > 0 ? [0, size] : [-1, size - 1];
      const from = start === null ? (by > 0 ? 0 : size - 1) : clip(start, least, most);
      const to = stop === null ? (by > 0 ? size : -1) : clip(stop, least, most);
      const wanted: number[] = [];
      for (let k = from; by > 0 ? k < to : k > to; k += by) wanted.push(list[k]);
      scope(() => {
        const x = tensor(list, { dtype: 'int32', shape: [size] });
        assert.deepEqual(x.slice(0, start, stop, by).toArray(), wanted);
        assert.deepEqual(x.at(`${start ?? ''}:${stop ?? ''}:${by}`).toArray(), wanted);
      });
    }),
    { seed: 2, numRuns: 300 },
  );
});

test('conversion and copies', () => {
  scope(() => {
    const x = tensor([1.5, -2.5, 300, NaN]);
    assert.deepEqual(x.to('int8').toArray(), [1, -2, 127, 0]);
    assert.deepEqual(x.to('bool').toArray(), [true, true, true, true]);
    const y = x.clone();
    y.copy_(0);
    assert.equal(x.at(0).item(), 1.5);
    assert.deepEqual(tensor([300, -1], { dtype: 'int32' }).to('uint8').toArray(), [44, 255]);
  });
});

test('text', () => {
  scope(() => {
    assert.equal(
      String(
        tensor([
          [1, 2.5],
          [-3, 4],
        ]),
      ),
      'tensor([[1, 2.5],\n        [-3, 4]], dtype=float32)',
    );
    assert.equal(String(tensor(true)), 'tensor(true, dtype=bool)');
    assert.equal(String(stria.zeros([0, 2])), 'tensor([], shape=[0, 2], dtype=float32)');
    assert.match(String(stria.zeros([2000])), /^tensor\(\[0, 0, 0, \.\.\., 0, 0, 0\], shape=\[2000\]/);
  });
  const x = tensor([1]);
  x.dispose();
  assert.equal(String(x), 'tensor(disposed)');
});

test('.npy files come back, for every dtype that has one', () => {
  scope(() => {
    for (const { name } of stria.dtypes) {
      const x = tensor(
        [
          [0, 1, 2],
          [3, 4, 5],
        ],
        { dtype: 'float64' },
      ).to(name);
      if (name === 'bfloat16') {
        assert.throws(() => stria.toNpy(x), {
          code: 'ERR_DTYPE',
          op: 'toNpy',
          argument: 'x',
          message: 'toNpy: .npy files have no dtype for bfloat16',
        });
        continue;
      }
      const back = stria.fromNpy(stria.toNpy(x.T));
      assert.equal(back.dtype, name);
      assert.deepEqual(back.toArray(), x.T.toArray());
    }
  });
});
