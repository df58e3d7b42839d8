// training_js.mjs - rows of gradients and of training in JavaScript (rows/js.mjs explains the fields). The result is
// the gradient of the first leaf, or the first parameter after a step.
//
//   stria, tfjs   (library, tensors) => a function that makes a result; stria's library has `optim`, too
//   compiled      stria's way by compile(), and its target: a row of its own, beside the same peers
//   jaxStep       (library, tensors) => a function that makes a promise of a result: arrays of jax-js, which a use ends
//                 unless it is of x.ref

const square = [1024, 1024];
const layers = { x: [128, 784], y: [128, 10], w1: [784, 256], b1: [256], w2: [256, 10], b2: [10] };
const names = ['w1', 'b1', 'w2', 'b2'];

// ---------------------------------------------------------------- each library's way

const leavesOf = (inputs) =>
  inputs.map((x) => {
    const leaf = x.clone();
    leaf.requiresGrad = true;
    return leaf;
  });

/**
 * Leaves from inputs, and a function that computes gradients, takes that of the first leaf, and forgets those of all.
 */
function gradients(s, inputs, loss) {
  const leaves = leavesOf(inputs);
  return () => {
    s.scope(() => loss(...leaves));
    const first = s.noGrad(() => leaves[0].grad.detach());
    for (const x of leaves) x.grad = null;
    return first;
  };
}

/** The same, compiled: what leaves the function, so that all gradients are computed, is cleared at the beginning of the next call. */
function compiledGradients(s, inputs, loss) {
  const leaves = leavesOf(inputs);
  return s.compile(() => {
    for (const x of leaves) x.grad = null;
    loss(...leaves);
    return leaves[0].grad.detach();
  });
}

/** Parameters from inputs, and a function that makes a step and returns a view of the first. */
function steps(s, inputs, optimizer, loss) {
  const params = leavesOf(inputs);
  const learner = optimizer(params);
  return () => {
    s.scope(() => loss(...params).backward());
    learner.step();
    learner.zeroGrad();
    return params[0].detach();
  };
}

/** stria's ways of a row of gradients, or of steps, eager and compiled; job: what these take behind the library. */
const gradientWays = (job, target) => ({
  stria: (s, t) => gradients(s, ...job(s, t)),
  compiled: { stria: (s, t) => compiledGradients(s, ...job(s, t)), target },
});
const stepWays = (job, target) => ({
  stria: (s, t) => steps(s, ...job(s, t)),
  compiled: { stria: (s, t) => s.compile(steps(s, ...job(s, t))), target },
});

const tfGradients = (tf, leaves, loss, gradient) => () => tf.tidy(() => tf.grads(loss)(leaves, gradient)[0]);

function tfSteps(tf, inputs, optimizer, loss) {
  const params = inputs.map((x) => tf.variable(x));
  return () => {
    tf.tidy(() => {
      optimizer.minimize(() => loss(...params), false, params);
    });
    return params[0].clone();
  };
}

/** jit of the gradients of a loss by its first n arguments; that of the first is the result. */
function jaxGradients(jax, n, loss, args) {
  const run = jax.jit(jax.grad(loss, { argnums: Array.from({ length: n }, (_, k) => k) }));
  return async () => {
    const [first, ...rest] = run(...args.map((x) => x.ref));
    await first.blockUntilReady();
    rest.forEach((x) => x.dispose());
    return first;
  };
}

/** jit of a step: parameters and what is kept for them go in and come out. update(p, g, kept, t) -> [p, kept]. */
function jaxSteps(jax, params, loss, args, update, kept = () => []) {
  const n = params.length;
  const by = jax.grad(loss, { argnums: params.map((_, k) => k) });
  const run = jax.jit((all, t, ...inputs) => {
    const old = all.slice(0, n);
    const found = by(...old.map((p) => p.ref), ...inputs);
    const width = (all.length - n) / n;
    const made = old.map((p, k) => update(p, found[k], all.slice(n + k * width, n + (k + 1) * width), t.ref));
    t.dispose();
    return [...made.map(([p]) => p), ...made.flatMap(([, rest]) => rest)];
  });
  let state = [...params.map((p) => p.ref), ...params.flatMap((p) => kept(p))];
  let step = 0;
  return async () => {
    state = run(state, jax.numpy.array(++step), ...args.map((x) => x.ref));
    await state[0].blockUntilReady();
    return state[0].ref;
  };
}

const jaxSgd = (rate) => (p, g) => [p.sub(g.mul(rate)), []];

const jaxAdam =
  (np) =>
  (p, g, [m, v], t) => {
    const mean = m.mul(0.9).add(g.ref.mul(0.1));
    const square = v.mul(0.999).add(g.ref.mul(g).mul(0.001));
    const one = np.subtract(1, np.power(0.9, t.ref));
    const two = np.subtract(1, np.power(0.999, t));
    const size = np.sqrt(square.ref.div(two)).add(1e-8);
    return [p.sub(mean.ref.div(one).mul(1e-3).div(size)), [mean, square]];
  };
const jaxZeros = (np) => (p) => [np.zeros(p.shape), np.zeros(p.shape)];

// ---------------------------------------------------------------- rows

const mlp = (name, target, stria, tfjs, update, kept) => ({
  name: `MLP 784-256-10, batch 128, ${name} step`,
  in: layers,
  out: [784, 256],
  ...stepWays(
    (s, t) => [
      names.map((n) => t[n]),
      (params) => stria(s, params),
      (w1, b1, w2, b2) => s.crossEntropy(t.x.matmul(w1).add(b1).relu().matmul(w2).add(b2), t.y),
    ],
    target,
  ),
  tfjs: (tf, t) =>
    tfSteps(
      tf,
      names.map((n) => t[n]),
      tfjs(tf),
      (w1, b1, w2, b2) => {
        const h = tf.relu(tf.add(tf.matMul(t.x, w1), b1));
        return tf.neg(tf.mean(tf.sum(tf.mul(t.y, tf.logSoftmax(tf.add(tf.matMul(h, w2), b2))), 1)));
      },
    ),
  jaxStep: (jax, t) => {
    const { numpy: np, nn } = jax;
    const loss = (w1, b1, w2, b2, x, y) => {
      const h = nn.relu(np.matmul(x, w1).add(b1));
      const z = nn.logSoftmax(np.matmul(h, w2).add(b2));
      return np.mean(np.sum(y.mul(z), 1)).neg();
    };
    return jaxSteps(
      jax,
      names.map((n) => t[n]),
      loss,
      [t.x, t.y],
      update(np),
      kept?.(np),
    );
  },
  target,
  tolerance: 1e-3,
});

/** relu(a*b+c)*exp(-d), of so many elements. */
const chain = (name, n) => ({
  name: `relu(a*b+c)*exp(-d), ${name}, compiled`,
  in: { a: [n], b: [n], c: [n], d: [n] },
  out: [n],
  stria: (s, { a, b, c, d }) => {
    const f = s.compile((p, q, r, t) => p.mul(q).add(r).relu().mul(t.neg().exp()));
    return () => f(a, b, c, d);
  },
  tfjs:
    (tf, { a, b, c, d }) =>
    () =>
      tf.tidy(() => tf.mul(tf.relu(tf.add(tf.mul(a, b), c)), tf.exp(tf.neg(d)))),
  jax: (np, nn) => (a, b, c, d) => nn.relu(a.mul(b).add(c)).mul(np.exp(d.neg())),
  target: 0.25,
});

/** 50 calls of which each needs the one before. */
function fifty(x, add, scale) {
  for (let k = 0; k < 25; k++) x = scale(add(x));
  return x;
}

const rows = [
  chain('1e4', 10_000),
  chain('1e6', 1_000_000),
  chain('1e7', 10_000_000),
  {
    name: 'linear(10,10), batch 16, compiled',
    in: { x: [16, 10], w: [10, 10], b: [10] },
    out: [16, 10],
    stria: (s, { x, w, b }) => {
      const f = s.compile((one) => one.matmul(w).add(b));
      return () => f(x);
    },
    tfjs:
      (tf, { x, w, b }) =>
      () =>
        tf.tidy(() => tf.add(tf.matMul(x, w), b)),
    jax: (np) => (x, w, b) => np.matmul(x, w).add(b),
    target: 0.1,
  },
  {
    // stria's is planned and run once, too; that of jax-js is a jaxpr, which nobody runs
    name: 'recording 50 ops',
    in: { a: [10], b: [10] },
    out: [10],
    stria: (s, { a, b }) => {
      const body = (x, y) =>
        fifty(
          x,
          (z) => z.add(y),
          (z) => z.mul(0.5),
        );
      return () => {
        const f = s.compile(body);
        const y = f(a, b);
        f.dispose();
        return y;
      };
    },
    jaxStep: async (jax, { a, b }) => {
      const body = (x, y) =>
        fifty(
          x,
          (z) => z.add(y.ref),
          (z) => z.mul(0.5),
        );
      const shown = await jax.jit(body)(a.ref, b.ref);
      return async () => {
        jax.makeJaxpr(body)(a.ref, b.ref);
        return shown.ref;
      };
    },
    target: 0.2,
    tolerance: 1e-3,
  },
  {
    name: 'matmul 100x100 and sum, both gradients',
    in: { a: [100, 100], b: [100, 100] },
    out: [100, 100],
    ...gradientWays((s, { a, b }) => [[a, b], (p, q) => p.matmul(q).sum().backward()], 0.6),
    tfjs: (tf, { a, b }) => tfGradients(tf, [a, b], (p, q) => tf.sum(tf.matMul(p, q))),
    jaxStep: (jax, { a, b }) => jaxGradients(jax, 2, (p, q) => jax.numpy.sum(jax.numpy.matmul(p, q)), [a, b]),
    target: 0.6,
    tolerance: 1e-3,
  },
  {
    name: 'linear 1024 -> 1024, batch 1024, mse, gradients',
    in: { x: square, y: square, w: square, b: [1024] },
    out: square,
    ...gradientWays(
      (s, { x, y, w, b }) => [[w, b], (p, q) => s.mseLoss(x.matmul(p).add(q), y).backward()],
      0.7,
    ),
    tfjs: (tf, { x, y, w, b }) =>
      tfGradients(tf, [w, b], (p, q) => tf.mean(tf.squaredDifference(tf.add(tf.matMul(x, p), q), y))),
    jaxStep: (jax, { x, y, w, b }) =>
      jaxGradients(
        jax,
        2,
        (p, q, u, v) => jax.numpy.mean(jax.numpy.square(jax.numpy.matmul(u, p).add(q).sub(v))),
        [w, b, x, y],
      ),
    target: 0.7,
    tolerance: 1e-3,
  },
  {
    name: 'linear regression step, 256 samples',
    in: { x: [256], y: [256], w: [1], b: [1] },
    out: [1],
    ...stepWays(
      (s, { x, y, w, b }) => [
        [w, b],
        (params) => new s.optim.SGD(params, { lr: 1e-2 }),
        (p, q) => s.mseLoss(x.mul(p).add(q), y),
      ],
      0.03,
    ),
    tfjs: (tf, { x, y, w, b }) =>
      tfSteps(tf, [w, b], tf.train.sgd(1e-2), (p, q) =>
        tf.mean(tf.squaredDifference(tf.add(tf.mul(x, p), q), y)),
      ),
    jaxStep: (jax, { x, y, w, b }) =>
      jaxSteps(
        jax,
        [w, b],
        (p, q, u, v) => jax.numpy.mean(jax.numpy.square(u.mul(p).add(q).sub(v))),
        [x, y],
        jaxSgd(1e-2),
      ),
    target: 0.3,
    tolerance: 1e-3,
  },
  mlp(
    'SGD',
    0.65,
    (s, params) => new s.optim.SGD(params, { lr: 1e-2 }),
    (tf) => tf.train.sgd(1e-2),
    () => jaxSgd(1e-2),
  ),
  mlp(
    'Adam',
    0.55,
    (s, params) => new s.optim.Adam(params, { lr: 1e-3 }),
    (tf) => tf.train.adam(1e-3, 0.9, 0.999, 1e-8),
    jaxAdam,
    jaxZeros,
  ),
  {
    name: 'add of 10, recorded', // the peers' is not
    in: { a: [10], b: [10] },
    out: [10],
    stria: (s, { a, b }) => {
      const leaf = a.clone();
      leaf.requiresGrad = true;
      return () => leaf.add(b);
    },
    tfjs:
      (tf, { a, b }) =>
      () =>
        tf.add(a, b),
    target: 0.2,
    limitNs: 700,
    limitNsNative: 700,
  },
  {
    name: 'chain of 1000 adds of 10, forward and backward',
    in: { a: [10], b: [10] },
    out: [10],
    // compiled it would be ones, made once
    stria: (s, { a, b }) =>
      gradients(s, [a], (p) => {
        let y = p;
        for (let k = 0; k < 1000; k++) y = y.add(b);
        y.sum().backward();
      }),
    tfjs: (tf, { a, b }) =>
      tfGradients(tf, [a], (p) => {
        let y = p;
        for (let k = 0; k < 1000; k++) y = tf.add(y, b);
        return tf.sum(y);
      }),
    target: 0.05,
    tolerance: 1e-3,
  },
  {
    name: 'Adam step, 100 parameters of 10,000',
    in: { p: [10000], g: [10000] },
    out: [10000],
    stria: (s, { p, g }) => {
      const params = Array.from({ length: 100 }, () => p.clone());
      for (const x of params) {
        x.requiresGrad = true;
        x.grad = g.clone();
      }
      const learner = new s.optim.Adam(params, { lr: 1e-3 });
      return () => {
        learner.step();
        return params[0].detach();
      };
    },
    tfjs: (tf, { p, g }) => {
      const params = Array.from({ length: 100 }, () => tf.variable(p));
      const found = Object.fromEntries(params.map((x) => [x.name, g]));
      const learner = tf.train.adam(1e-3, 0.9, 0.999, 1e-8);
      return () => {
        learner.applyGradients(found);
        return params[0].clone();
      };
    },
    target: 0.1,
    tolerance: 1e-3,
  },
  {
    name: 'softmax 1024x1024',
    in: { x: square },
    out: square,
    stria:
      (s, { x }) =>
      () =>
        s.softmax(x, 1),
    tfjs:
      (tf, { x }) =>
      () =>
        tf.softmax(x),
    jax: (np, nn) => (x) => nn.softmax(x, 1),
    target: 1.3,
  },
  {
    name: 'softmax 1024x1024 with gradient',
    in: { x: square, g: square },
    out: square,
    ...gradientWays((s, { x, g }) => [[x], (p) => s.softmax(p, 1).backward(g)], 0.7),
    tfjs: (tf, { x, g }) => tfGradients(tf, [x], (p) => tf.softmax(p), g),
    jaxStep: (jax, { x, g }) =>
      jaxGradients(jax, 1, (p, q) => jax.numpy.sum(jax.nn.softmax(p, 1).mul(q)), [x, g]),
    target: 0.7,
    tolerance: 1e-3,
  },
  {
    name: 'layer norm 1024x1024',
    in: { x: square },
    out: square,
    stria:
      (s, { x }) =>
      () =>
        s.layerNorm(x, [1024]),
    tfjs:
      (tf, { x }) =>
      () =>
        tf.tidy(() => {
          const { mean, variance } = tf.moments(x, 1, true);
          return tf.mul(tf.sub(x, mean), tf.rsqrt(tf.add(variance, 1e-5)));
        }),
    jax: (np, nn) => (x) => nn.standardize(x, 1, { epsilon: 1e-5 }),
    target: 0.25,
    tolerance: 1e-3,
  },
  {
    name: 'layer norm 1024x1024 with gradients',
    in: { x: square, w: [1024], b: [1024], g: square },
    out: square,
    ...gradientWays(
      (s, { x, w, b, g }) => [
        [x, w, b],
        (p, weight, bias) => s.layerNorm(p, [1024], { weight, bias }).backward(g),
      ],
      0.2,
    ),
    tfjs: (tf, { x, w, b, g }) =>
      tfGradients(
        tf,
        [x, w, b],
        (p, weight, bias) => {
          const { mean, variance } = tf.moments(p, 1, true);
          return tf.add(tf.mul(tf.mul(tf.sub(p, mean), tf.rsqrt(tf.add(variance, 1e-5))), weight), bias);
        },
        g,
      ),
    jaxStep: (jax, { x, w, b, g }) =>
      jaxGradients(
        jax,
        3,
        (p, weight, bias, q) =>
          jax.numpy.sum(jax.nn.standardize(p, 1, { epsilon: 1e-5 }).mul(weight).add(bias).mul(q)),
        [x, w, b, g],
      ),
    target: 0.2,
    tolerance: 1e-3,
  },
  {
    name: 'mse of 1e6 and its gradient',
    in: { x: [1000000], y: [1000000] },
    out: [1000000],
    ...gradientWays((s, { x, y }) => [[x], (p) => s.mseLoss(p, y).backward()], 0.3),
    tfjs: (tf, { x, y }) => tfGradients(tf, [x], (p) => tf.mean(tf.squaredDifference(p, y))),
    jaxStep: (jax, { x, y }) =>
      jaxGradients(jax, 1, (p, q) => jax.numpy.mean(jax.numpy.square(p.sub(q))), [x, y]),
  },
];

const compiledRows = rows
  .filter((row) => row.compiled)
  .map((row) => ({ ...row, ...row.compiled, name: `${row.name}, compiled` }));

export const trainingRows = [...rows, ...compiledRows].map((row) => ({ ...row, small: true })); // no roof
