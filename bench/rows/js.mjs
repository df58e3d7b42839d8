// js.mjs - the rows of the JavaScript table: what is computed, how each library does it, what stria must reach.
//
//   in        inputs by name and shape, f32 in (-1, 1); levels: whole numbers from 0 to 255
//   out       shape of the result
//   bytes     'in' or 'out': the inputs, or the result of plain, are uint8, elsewhere too where a library has the dtype
//   plain, stria, tfjs, numpyts   (library, tensors) => a function that makes a new result; plain gets typed arrays and
//             writes into its third argument
//   jax       (numpy, nn) => a function of the inputs in order, which is compiled by jit
//   jaxStep   instead: (library, tensors) => a function that makes a promise of a result
//   onnx      { nodes, constants } for ONNX Runtime, in wasm and native
//   target    stria's median in wasm over the best wasm peer's; relaxed: the same for the module with relaxed SIMD;
//             target2: at two threads, where it differs
//   targetNative   over onnxruntime-node, for the native addon
//   limitNs, limitNsNative   stria's median must not exceed this
// A row whose function stria does not have yet is listed as "not yet an op".

import { familyRows } from './families_js.mjs';
import { trainingRows } from './training_js.mjs';

const square = [1000, 1000];

function each(count, f) {
  for (let k = 0; k < count; k++) f(k);
}

function product(n) {
  return {
    name: `matmul ${n}`,
    in: { a: [n, n], b: [n, n] },
    out: [n, n],
    plain:
      (_, { a, b }, o) =>
      () => {
        o.fill(0);
        each(n, (i) => {
          for (let k = 0; k < n; k++) {
            const x = a[i * n + k];
            for (let j = 0; j < n; j++) o[i * n + j] += x * b[k * n + j];
          }
        });
      },
    stria: (s, { a, b }) => {
      if (!a.matmul) throw new TypeError('a.matmul is not a function');
      return () => a.matmul(b);
    },
    tfjs:
      (tf, { a, b }) =>
      () =>
        tf.matMul(a, b),
    numpyts:
      (np, { a, b }) =>
      () =>
        np.matmul(a, b),
    jax: (np) => (a, b) => np.matmul(a, b),
    onnx: { nodes: [['MatMul', ['a', 'b'], 'y']] },
    target: 0.8,
    relaxed: 0.5,
    targetNative: 1.0,
    flops: 2 * n ** 3,
    tolerance: 1e-3,
  };
}

const [height, width] = [853, 1280]; // of a picture

export const jsRows = [
  {
    name: 'add 1e6',
    in: { a: square, b: square },
    out: square,
    plain:
      (_, { a, b }, o) =>
      () => {
        for (let k = 0; k < o.length; k++) o[k] = a[k] + b[k];
      },
    stria:
      (s, { a, b }) =>
      () =>
        a.add(b),
    tfjs:
      (tf, { a, b }) =>
      () =>
        tf.add(a, b),
    numpyts:
      (np, { a, b }) =>
      () =>
        np.add(a, b),
    jax: (np) => (a, b) => np.add(a, b),
    onnx: { nodes: [['Add', ['a', 'b'], 'y']] },
    target: 1.0,
    target2: 0.6,
  },
  {
    name: 'A + B.T 1000x1000',
    in: { a: square, b: square },
    out: square,
    plain:
      (_, { a, b }, o) =>
      () => {
        for (let i = 0; i < 1000; i++)
          for (let j = 0; j < 1000; j++) o[i * 1000 + j] = a[i * 1000 + j] + b[j * 1000 + i];
      },
    stria: (s, { a, b }) => {
      const t = b.transpose(0, 1);
      return () => a.add(t);
    },
    tfjs:
      (tf, { a, b }) =>
      () => {
        const t = tf.transpose(b);
        const y = tf.add(a, t);
        t.dispose();
        return y;
      },
    numpyts: (np, { a, b }) => {
      const t = b.transpose();
      return () => np.add(a, t);
    },
    jax: (np) => (a, b) => np.add(a, np.transpose(b)),
    onnx: {
      nodes: [
        ['Transpose', ['b'], 't', { perm: [1, 0] }],
        ['Add', ['a', 't'], 'y'],
      ],
    },
    target: 0.4,
  },
  {
    name: '[1000,1000]+[1000]',
    in: { a: square, b: [1000] },
    out: square,
    plain:
      (_, { a, b }, o) =>
      () => {
        for (let i = 0; i < 1e6; i += 1000) for (let j = 0; j < 1000; j++) o[i + j] = a[i + j] + b[j];
      },
    stria:
      (s, { a, b }) =>
      () =>
        a.add(b),
    tfjs:
      (tf, { a, b }) =>
      () =>
        tf.add(a, b),
    numpyts:
      (np, { a, b }) =>
      () =>
        np.add(a, b),
    jax: (np) => (a, b) => np.add(a, b),
    onnx: { nodes: [['Add', ['a', 'b'], 'y']] },
    target: 1.0,
  },
  {
    name: 'exp 1e6',
    in: { a: square },
    out: square,
    plain:
      (_, { a }, o) =>
      () => {
        for (let k = 0; k < o.length; k++) o[k] = Math.exp(a[k]);
      },
    stria:
      (s, { a }) =>
      () =>
        a.exp(),
    tfjs:
      (tf, { a }) =>
      () =>
        tf.exp(a),
    numpyts:
      (np, { a }) =>
      () =>
        np.exp(a),
    jax: (np) => (a) => np.exp(a),
    onnx: { nodes: [['Exp', ['a'], 'y']] },
    target: 0.7,
  },
  {
    name: 'relu 1e6',
    in: { a: square },
    out: square,
    plain:
      (_, { a }, o) =>
      () => {
        for (let k = 0; k < o.length; k++) o[k] = a[k] > 0 ? a[k] : 0;
      },
    stria:
      (s, { a }) =>
      () =>
        a.relu(),
    tfjs:
      (tf, { a }) =>
      () =>
        tf.relu(a),
    numpyts:
      (np, { a }) =>
      () =>
        np.maximum(a, 0),
    jax: (np, nn) => (a) => nn.relu(a),
    onnx: { nodes: [['Relu', ['a'], 'y']] },
    target: 1.0,
  },
  {
    name: 'sum all 1e6',
    in: { a: square },
    out: [],
    plain:
      (_, { a }, o) =>
      () => {
        let s = 0;
        for (let k = 0; k < a.length; k++) s += a[k];
        o[0] = s;
      },
    stria:
      (s, { a }) =>
      () =>
        a.sum(),
    tfjs:
      (tf, { a }) =>
      () =>
        tf.sum(a),
    numpyts:
      (np, { a }) =>
      () =>
        np.sum(a),
    jax: (np) => (a) => np.sum(a),
    onnx: { nodes: [['ReduceSum', ['a'], 'y', { keepdims: 0 }]] },
    target: 0.8,
    tolerance: 2e-3,
  },
  {
    name: 'sum dim 0',
    in: { a: square },
    out: [1000],
    plain:
      (_, { a }, o) =>
      () => {
        o.fill(0);
        for (let i = 0; i < 1e6; i += 1000) for (let j = 0; j < 1000; j++) o[j] += a[i + j];
      },
    stria:
      (s, { a }) =>
      () =>
        a.sum(0),
    tfjs:
      (tf, { a }) =>
      () =>
        tf.sum(a, 0),
    numpyts:
      (np, { a }) =>
      () =>
        np.sum(a, 0),
    jax: (np) => (a) => np.sum(a, 0),
    onnx: { nodes: [['ReduceSum', ['a', 'axes'], 'y', { keepdims: 0 }]], constants: { axes: [0] } },
    target: 0.8,
    tolerance: 1e-3,
  },
  {
    name: 'sum dim 1',
    in: { a: square },
    out: [1000],
    plain:
      (_, { a }, o) =>
      () => {
        for (let i = 0; i < 1000; i++) {
          let s = 0;
          for (let j = 0; j < 1000; j++) s += a[i * 1000 + j];
          o[i] = s;
        }
      },
    stria:
      (s, { a }) =>
      () =>
        a.sum(1),
    tfjs:
      (tf, { a }) =>
      () =>
        tf.sum(a, 1),
    numpyts:
      (np, { a }) =>
      () =>
        np.sum(a, 1),
    jax: (np) => (a) => np.sum(a, 1),
    onnx: { nodes: [['ReduceSum', ['a', 'axes'], 'y', { keepdims: 0 }]], constants: { axes: [1] } },
    target: 0.8,
    tolerance: 1e-3,
  },
  {
    name: 'f32 planes -> u8 pixels 853x1280',
    in: { a: [3, height, width] },
    levels: true,
    out: [height, width, 3],
    bytes: 'out',
    plain:
      (_, { a }, o) =>
      () => {
        const n = height * width;
        for (let k = 0, at = 0; k < n; k++, at += 3) {
          o[at] = a[k];
          o[at + 1] = a[k + n];
          o[at + 2] = a[k + 2 * n];
        }
      },
    stria: (s, { a }) => {
      const pixels = a.permute(1, 2, 0);
      return () => s.empty([height, width, 3], { dtype: 'uint8' }).copy_(pixels);
    },
    tfjs:
      (tf, { a }) =>
      () => {
        const t = tf.transpose(a, [1, 2, 0]);
        const y = tf.cast(t, 'int32');
        t.dispose();
        return y;
      },
  },
  {
    name: 'u8 RGBA pixels -> f32 planes 853x1280',
    in: { a: [height, width, 4] },
    levels: true,
    bytes: 'in',
    out: [3, height, width],
    plain:
      (_, { a }, o) =>
      () => {
        const n = height * width;
        for (let k = 0, at = 0; k < n; k++, at += 4) {
          o[k] = a[at];
          o[k + n] = a[at + 1];
          o[k + 2 * n] = a[at + 2];
        }
      },
    stria: (s, { a }) => {
      const planes = a.permute(2, 0, 1).slice(0, 0, 3);
      return () => s.empty([3, height, width]).copy_(planes);
    },
    tfjs:
      (tf, { a }) =>
      () =>
        tf.tidy(() =>
          tf.cast(tf.slice(tf.transpose(a, [2, 0, 1]), [0, 0, 0], [3, height, width]), 'float32'),
        ),
  },
  product(256),
  product(512),
  product(1024),
  {
    name: 'relu(a*b+c), compiled',
    in: { a: square, b: square, c: square },
    out: square,
    plain:
      (_, { a, b, c }, o) =>
      () => {
        for (let k = 0; k < o.length; k++) o[k] = Math.max(a[k] * b[k] + c[k], 0);
      },
    stria: (s, { a, b, c }) => {
      const f = s.kernel((x, y, z) => x.mul(y).add(z).relu());
      return () => f(a, b, c);
    },
    tfjs:
      (tf, { a, b, c }) =>
      () => {
        const product = tf.mul(a, b);
        const sum = tf.add(product, c);
        const y = tf.relu(sum);
        product.dispose();
        sum.dispose();
        return y;
      },
    numpyts:
      (np, { a, b, c }) =>
      () => {
        const product = np.multiply(a, b);
        const sum = np.add(product, c);
        const y = np.maximum(sum, 0);
        product.dispose();
        sum.dispose();
        return y;
      },
    jax: (np, nn) => (a, b, c) => nn.relu(np.add(np.multiply(a, b), c)),
    onnx: {
      nodes: [
        ['Mul', ['a', 'b'], 'p'],
        ['Add', ['p', 'c'], 's'],
        ['Relu', ['s'], 'y'],
      ],
    },
    target: 0.6,
  },
  {
    name: 'add of 10',
    in: { a: [10], b: [10] },
    out: [10],
    plain:
      (_, { a, b }, o) =>
      () => {
        for (let k = 0; k < o.length; k++) o[k] = a[k] + b[k];
      },
    stria:
      (s, { a, b }) =>
      () =>
        a.add(b),
    tfjs:
      (tf, { a, b }) =>
      () =>
        tf.add(a, b),
    numpyts:
      (np, { a, b }) =>
      () =>
        np.add(a, b),
    jax: (np) => (a, b) => np.add(a, b),
    onnx: { nodes: [['Add', ['a', 'b'], 'y']] },
    limitNs: 300,
    limitNsNative: 400,
    small: true,
  },
  {
    name: 'relu(a*b+c) of 16, compiled',
    in: { a: [16], b: [16], c: [16] },
    out: [16],
    plain:
      (_, { a, b, c }, o) =>
      () => {
        for (let k = 0; k < o.length; k++) o[k] = Math.max(a[k] * b[k] + c[k], 0);
      },
    stria: (s, { a, b, c }) => {
      const f = s.kernel((x, y, z) => x.mul(y).add(z).relu());
      return () => f(a, b, c);
    },
    jax: (np, nn) => (a, b, c) => nn.relu(np.add(np.multiply(a, b), c)),
    small: true,
  },
  {
    name: 'relu(a*b+c) of 16, three calls',
    in: { a: [16], b: [16], c: [16] },
    out: [16],
    plain:
      (_, { a, b, c }, o) =>
      () => {
        for (let k = 0; k < o.length; k++) o[k] = Math.max(a[k] * b[k] + c[k], 0);
      },
    stria: (s, { a, b, c }) => {
      return () => {
        const product = a.mul(b);
        const sum = product.add(c);
        const y = sum.relu();
        product.dispose();
        sum.dispose();
        return y;
      };
    },
    jax: (np, nn) => (a, b, c) => nn.relu(np.add(np.multiply(a, b), c)),
    small: true,
  },

  ...familyRows,
  ...trainingRows,
];
