// families_js.mjs - rows of the JavaScript table from the families of functions: along an axis, by index, joined, sorted. js.mjs explains them.

const square = [1000, 1000];

// places of rows, each once, far apart
const places = Array.from({ length: 1000 }, (_, k) => (k * 619) % 1000);

function softmaxOf(a, o, n) {
  for (let i = 0; i < a.length; i += n) {
    let most = -Infinity;
    let sum = 0;
    for (let j = i; j < i + n; j++) most = Math.max(most, a[j]);
    for (let j = i; j < i + n; j++) sum += o[j] = Math.exp(a[j] - most);
    for (let j = i; j < i + n; j++) o[j] /= sum;
  }
}

export const familyRows = [
  {
    name: 'softmax 1000x1000',
    in: { a: square },
    out: square,
    plain:
      (_, { a }, o) =>
      () =>
        softmaxOf(a, o, 1000),
    stria:
      (s, { a }) =>
      () =>
        a.softmax(1),
    tfjs:
      (tf, { a }) =>
      () =>
        tf.softmax(a, 1),
    jax: (_, nn) => (a) => nn.softmax(a, 1),
    onnx: { nodes: [['Softmax', ['a'], 'y', { axis: 1 }]] },
  },
  {
    name: 'cumsum of rows, 1000x1000',
    in: { a: square },
    out: square,
    plain:
      (_, { a }, o) =>
      () => {
        for (let i = 0; i < 1e6; i += 1000) for (let j = i, s = 0; j < i + 1000; j++) o[j] = s += a[j];
      },
    stria:
      (s, { a }) =>
      () =>
        a.cumsum(1),
    tfjs:
      (tf, { a }) =>
      () =>
        tf.cumsum(a, 1),
    numpyts:
      (np, { a }) =>
      () =>
        np.cumsum(a, 1),
    tolerance: 1e-3,
  },
  {
    name: 'rows by index, 1000x1000',
    in: { a: square },
    out: square,
    plain:
      (_, { a }, o) =>
      () => {
        for (let i = 0; i < 1000; i++) o.set(a.subarray(places[i] * 1000, places[i] * 1000 + 1000), i * 1000);
      },
    stria: (s, { a }) => {
      const index = s.tensor(places, { dtype: 'int64' });
      return () => s.indexSelect(a, 0, index);
    },
    tfjs: (tf, { a }) => {
      const index = tf.tensor1d(places, 'int32');
      return () => tf.gather(a, index, 0);
    },
    numpyts:
      (np, { a }) =>
      () =>
        np.take(a, places, 0),
    onnx: { nodes: [['Gather', ['a', 'i'], 'y', { axis: 0 }]], constants: { i: places } },
  },
  {
    name: 'cat of 2 x [1000,500], axis 1',
    in: { a: [1000, 500], b: [1000, 500] },
    out: square,
    plain:
      (_, { a, b }, o) =>
      () => {
        for (let i = 0; i < 1000; i++) {
          o.set(a.subarray(i * 500, i * 500 + 500), i * 1000);
          o.set(b.subarray(i * 500, i * 500 + 500), i * 1000 + 500);
        }
      },
    stria:
      (s, { a, b }) =>
      () =>
        s.cat([a, b], 1),
    tfjs:
      (tf, { a, b }) =>
      () =>
        tf.concat([a, b], 1),
    numpyts:
      (np, { a, b }) =>
      () =>
        np.concatenate([a, b], 1),
    jax: (np) => (a, b) => np.concatenate([a, b], 1),
    onnx: { nodes: [['Concat', ['a', 'b'], 'y', { axis: 1 }]] },
  },
  {
    name: 'pad by 1, [3,853,1280]',
    in: { a: [3, 853, 1280] },
    out: [3, 855, 1282],
    plain:
      (_, { a }, o) =>
      () => {
        o.fill(0);
        for (let i = 0, at = 0; at < a.length; i++)
          for (let j = 0; j < 853; j++, at += 1280)
            o.set(a.subarray(at, at + 1280), (i * 855 + j + 1) * 1282 + 1);
      },
    stria:
      (s, { a }) =>
      () =>
        s.pad(a, [1, 1, 1, 1]),
    tfjs:
      (tf, { a }) =>
      () =>
        tf.pad(a, [
          [0, 0],
          [1, 1],
          [1, 1],
        ]),
    numpyts:
      (np, { a }) =>
      () =>
        np.pad(a, [
          [0, 0],
          [1, 1],
          [1, 1],
        ]),
  },
  {
    name: 'sort 1e6',
    in: { a: [1000000] },
    out: [1000000],
    plain:
      (_, { a }, o) =>
      () => {
        o.set(a);
        o.sort();
      },
    stria:
      (s, { a }) =>
      () => {
        const { values, indices } = s.sort(a);
        indices.dispose();
        return values;
      },
    numpyts:
      (np, { a }) =>
      () =>
        np.sort(a),
  },
  {
    name: 'topk 100 of 1e6',
    in: { a: [1000000] },
    out: [100],
    plain:
      (_, { a }, o) =>
      () => {
        o.set(Float32Array.from(a).sort().subarray(-100).reverse());
      },
    stria:
      (s, { a }) =>
      () => {
        const { values, indices } = s.topk(a, 100);
        indices.dispose();
        return values;
      },
    tfjs:
      (tf, { a }) =>
      () => {
        const { values, indices } = tf.topk(a, 100);
        indices.dispose();
        return values;
      },
  },
  {
    name: 'einsum bij,bjk->bik, 64 x 64^3',
    in: { a: [64, 64, 64], b: [64, 64, 64] },
    out: [64, 64, 64],
    stria:
      (s, { a, b }) =>
      () =>
        s.einsum('bij,bjk->bik', a, b),
    plain:
      (_, { a, b }, o) =>
      () => {
        o.fill(0);
        for (let row = 0; row < 64 * 64; row++)
          for (let j = 0; j < 64; j++) {
            const x = a[row * 64 + j];
            const from = (row - (row % 64) + j) * 64;
            for (let k = 0; k < 64; k++) o[row * 64 + k] += x * b[from + k];
          }
      },
    onnx: { nodes: [['MatMul', ['a', 'b'], 'y']] },
    flops: 2 * 64 ** 4,
    tolerance: 1e-3,
  },
];
