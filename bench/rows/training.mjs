// training.mjs - native rows of gradients and of training (rows/native.mjs explains the fields). stria: ['training',
// name], a kernel of native/stria_training.c; torch_training: the same with PyTorch from C++. torch: PyTorch from
// Python, after the statements of torch_setup. targetCompiled: of the same row, compiled, where it has another target.

const [x10, square] = ['f32[10]', 'f32[1024,1024]'];

/** Leaves by their names, as PyTorch makes them. */
const leaves = (...names) => names.map((name) => `${name} = ${name}.clone().requires_grad_()`).join('\n');

/** A function of Python that computes gradients and returns that of the first leaf. */
const gradients = (names, statement) => `${leaves(...names)}
def run():
    ${statement}
    first = ${names[0]}.grad
    ${names.map((name) => `${name}.grad = None`).join('; ')}
    return first`;

/** A function of Python that makes a step and returns the first parameter. */
const step = (names, optimizer, loss) => `${leaves(...names)}
optimizer = torch.optim.${optimizer[0]}([${names}], lr=${optimizer[1]})
def run():
    (${loss}).backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return ${names[0]}.detach()`;

const row = (kernel, rest) => ({
  group: 'training',
  stria: ['training', kernel],
  torch_training: kernel,
  small: true, // no roof
  ...(rest.torch_setup && { torch: 'run()' }),
  rtol: 1e-3,
  atol: 1e-4,
  ...rest,
});

const mlp = (kernel, optimizer, target) =>
  row(kernel, {
    name: `MLP 784-256-10, batch 128, ${optimizer[0]} step`,
    in: {
      x: 'f32[128,784]',
      y: 'i64[128] below 10',
      w1: 'f32[256,784]',
      b1: 'f32[256]',
      w2: 'f32[10,256]',
      b2: x10,
    },
    out: 'f32[256,784]',
    torch_setup: step(
      ['w1', 'b1', 'w2', 'b2'],
      optimizer,
      'torch.nn.functional.cross_entropy(' +
        'torch.nn.functional.linear(torch.nn.functional.linear(x, w1, b1).relu(), w2, b2), y)',
    ),
    target,
  });

/** A kernel as a graph: recorded once. */
const compiled = (kernel, rest) =>
  row(`compiled ${kernel}`, { group: 'compiled', torch_training: kernel, ...rest });

const fused = (size, n) => {
  const x = `f32[${n}]`;
  return compiled('fused', {
    name: `relu(a*b + c) * exp(-d) of ${size}, compiled`,
    in: { a: x, b: x, c: x, d: x },
    out: x,
    torch_training: undefined,
    torch_setup: 'run = lambda: torch.relu(a * b + c) * torch.exp(-d)',
    target: 0.5,
  });
};

/** A product with its bias and activation. */
const layer = (name, [m, k, n], target) =>
  compiled('layer', {
    name: `${name}, relu, compiled`,
    in: { x: `f32[${m},${k}]`, w: `f32[${k},${n}]`, b: `f32[${n}]` },
    out: `f32[${m},${n}]`,
    torch_setup: 'run = lambda: torch.relu(torch.addmm(b, x, w))',
    target,
    threads: [1],
  });

/** A function of rows written out in calls, and the same compiled. */
const written = (kernel, name, torch, more = {}) =>
  [
    [1000, 1000],
    [10000, 1000],
  ].flatMap(([m, n]) => {
    const x = `f32[${m},${n}]`;
    const rest = {
      in: { x, ...(more.parameters && { w: `f32[${n}]`, b: `f32[${n}]` }) },
      out: x,
      torch_training: undefined,
      torch_setup: `run = lambda: ${torch}`,
    };
    return [
      row(kernel, { ...rest, name: `${name} in calls, ${m}x${n}` }),
      compiled(kernel, { ...rest, name: `${name} in calls, ${m}x${n}, compiled`, target: 0.6 }),
    ];
  });

/** Adam written out in calls, and the same compiled. */
const adamCalls = () => {
  const rest = {
    in: { p: 'f32[1000000]', g: 'f32[1000000]' },
    out: 'f32[1000000]',
    torch_training: undefined,
    torch_setup: `x = p.clone()
m, v = torch.zeros_like(p), torch.zeros_like(p)
def run():
    m.mul_(0.9).add_(g * 0.1)
    v.mul_(0.999).add_(g * g * 0.001)
    return x.sub_(m / (v.sqrt() + 1e-8) * 1e-3)`,
  };
  return [
    row('adam_calls', { ...rest, name: 'Adam in calls, 1e6' }),
    compiled('adam_calls', { ...rest, name: 'Adam in calls, 1e6, compiled', target: 0.6 }),
  ];
};

/** Rows of graphs: each is one of the others, compiled. */
const compiledRows = (rows) => [
  fused('1e4', 10000),
  fused('1e6', 1000000),
  fused('1e7', 10000000),
  layer('linear 10 -> 10, batch 16', [16, 10, 10], 0.1),
  layer('linear 256 -> 256, batch 256', [256, 256, 256], 1.0),
  layer('linear 1024 -> 1024, batch 1024', [1024, 1024, 1024], 1.0),
  ...written(
    'softmax_calls',
    'softmax',
    'torch.exp(x - x.amax(-1, True)) / torch.exp(x - x.amax(-1, True)).sum(-1, True)',
  ),
  ...written(
    'log_softmax_calls',
    'log_softmax',
    'x - x.amax(-1, True) - torch.exp(x - x.amax(-1, True)).sum(-1, True).log()',
  ),
  ...written(
    'layer_norm_calls',
    'layer_norm',
    '(x - x.mean(-1, True)) * ((x - x.mean(-1, True)) ** 2).mean(-1, True).rsqrt() * w + b',
    { parameters: true },
  ),
  ...adamCalls(),
  ...rows
    .filter(({ stria: [, kernel] }) =>
      ['regression', 'mlp_sgd', 'mlp_adam', 'adam', 'mse_gradient'].includes(kernel),
    )
    .map((one) => ({
      ...one,
      name: `${one.name}, compiled`,
      group: 'compiled',
      target: one.targetCompiled ?? one.target,
      stria: ['training', `compiled ${one.stria[1]}`],
    })),
];

const eagerRows = [
  row('matmul_gradients', {
    name: 'matmul 100x100 and sum, both gradients',
    in: { a: 'f32[100,100]', b: 'f32[100,100]' },
    out: 'f32[100,100]',
    torch_setup: gradients(['a', 'b'], 'torch.mm(a, b).sum().backward()'),
    target: 0.75,
  }),
  row('linear_gradients', {
    name: 'linear 1024 -> 1024, batch 1024, mse, gradients',
    in: { x: square, y: square, w: square, b: 'f32[1024]' },
    out: square,
    torch_setup: gradients(
      ['w', 'b'],
      'torch.nn.functional.mse_loss(torch.nn.functional.linear(x, w, b), y).backward()',
    ),
    target: 1.0,
  }),
  row('regression', {
    name: 'linear regression step, 256 samples',
    in: { x: 'f32[256]', y: 'f32[256]', w: 'f32[1]', b: 'f32[1]' },
    out: 'f32[1]',
    torch_setup: step(['w', 'b'], ['SGD', 1e-2], 'torch.nn.functional.mse_loss(x * w + b, y)'),
    targetCompiled: 0.02,
    target: 0.15,
  }),
  mlp('mlp_sgd', ['SGD', 1e-2], 0.95),
  mlp('mlp_adam', ['Adam', 1e-3], 0.8),
  row('recorded', {
    name: 'add of 10, recorded',
    in: { a: x10, x: x10 },
    out: x10,
    torch_setup: 'x.requires_grad_()',
    torch: '(x + a).detach()',
    target: 0.15,
    threads: [1],
  }),
  row('chain', {
    name: 'chain of 1000 adds of 10, forward and backward',
    in: { a: x10, x: x10 },
    out: x10,
    torch_setup: `${leaves('x')}
def run():
    y = x
    for _ in range(1000): y = y + a
    y.sum().backward()
    first = x.grad
    x.grad = None
    return first`,
    target: 0.15,
    threads: [1],
  }),
  row('adam', {
    name: 'Adam step, 100 parameters of 10,000',
    in: { p: 'f32[10000]', g: 'f32[10000]' },
    out: 'f32[10000]',
    torch_setup: `all = [p.clone().requires_grad_() for _ in range(100)]
for one in all: one.grad = g.clone()
optimizer = torch.optim.Adam(all, lr=1e-3)
def run():
    optimizer.step()
    return all[0].detach()`,
    target: 0.15,
  }),
  row('softmax_gradient', {
    name: 'softmax 1024x1024 with gradient',
    in: { g: square, x: square },
    out: square,
    torch_setup: gradients(['x'], 'torch.softmax(x, 1).backward(g)'),
    target: 0.5,
  }),
  row('layer_norm_gradients', {
    name: 'layer norm 1024x1024 with gradients',
    in: { g: square, x: square, w: 'f32[1024]', b: 'f32[1024]' },
    out: square,
    torch_setup: gradients(['x', 'w', 'b'], 'torch.layer_norm(x, (1024,), w, b).backward(g)'),
    target: 0.45,
  }),
  row('normalize_gradient', {
    name: 'normalize 1024x1024 with gradient',
    in: { g: square, x: square },
    out: square,
    torch_setup: gradients(['x'], 'torch.nn.functional.normalize(x).backward(g)'),
    target: 0.5,
  }),
  row('mse_gradient', {
    name: 'mse of 1e6 and its gradient',
    in: { y: 'f32[1000000]', x: 'f32[1000000]' },
    out: 'f32[1000000]',
    torch_setup: gradients(['x'], 'torch.nn.functional.mse_loss(x, y).backward()'),
    targetCompiled: 0.4,
  }),
];

export const trainingRows = [...eagerRows, ...compiledRows(eagerRows)];
