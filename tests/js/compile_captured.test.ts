// compile(): what fn captures. Gradients, hooks, fields of modules, tensors that are written to.
import test from 'node:test';
import assert from 'node:assert/strict';
import {
  Generator,
  add,
  addmm,
  checkpoint,
  compile,
  enableGrad,
  inner,
  isGradEnabled,
  loadProgram,
  memory,
  noGrad,
  ones,
  rand,
  scope,
  tensor,
  zeros,
  type Tensor,
} from 'stria';
import { Dropout, Linear, Module, ModuleList, Parameter, Sequential } from 'stria/nn';
import { Adam, AdamW, OneCycleLR, ReduceLROnPlateau, RMSprop, SGD, type Optimizer } from 'stria/optim';
import { checkLeaksAtEnd, flat, load, refused } from './support.js';

await load();
checkLeaksAtEnd(true);

test('a gradient that was there is a result, and read, at each replay', () => {
  scope(() => {
    const w = tensor([1, 2], { requiresGrad: true });
    const learn = (k: number): void => scope(() => w.mul(k).sum().backward());
    learn(3);
    const read = compile(() => w.grad);
    for (let k = 0; k < 3; k++) assert.deepEqual(flat(scope(() => read()!)), [3, 3]);
    assert.equal(read(), w.grad);
    assert.deepEqual([read.stats().misses, read.stats().hits], [1, 3]);
    w.grad = null;
    learn(4);
    assert.deepEqual(flat(read()!), [4, 4], 'another one is recorded again');
    const grow = compile((x: Tensor) => w.grad!.add_(x));
    for (let k = 1; k < 4; k++) assert.deepEqual(flat(grow(tensor([1, 0]))), [4 + k, 4]);
    const both = compile((x: Tensor) => [w.grad!.mul(x), w.grad] as const);
    assert.deepEqual(
      both(tensor([1, 2])).map((x) => flat(x!)),
      [
        [7, 8],
        [7, 4],
      ],
    );
    w.grad = null;
    const made = compile((x: Tensor) => {
      w.grad = null;
      w.mul(x).sum().backward();
      return w.grad as Tensor | null;
    });
    for (let k = 0; k < 3; k++) assert.deepEqual(flat(made(tensor([k, 1]))!), [k, 1]);
    for (const one of [read, grow, both, made]) one.dispose();
    w.grad = null;
  });
});

test('hooks of captured leaves begin and end between calls', () => {
  scope(() => {
    const w = tensor([1, 2], { requiresGrad: true });
    const step = compile((x: Tensor) => {
      w.grad = null;
      w.mul(x).sum().backward();
    });
    const run = (): unknown[] => (step(tensor([1, 2])), flat(w.grad!));
    assert.deepEqual(
      [run(), run()],
      [
        [1, 2],
        [1, 2],
      ],
    );
    const hook = w.registerHook((gradient) => gradient.mul(10));
    assert.deepEqual(
      [run(), run()],
      [
        [10, 20],
        [10, 20],
      ],
    );
    hook.remove();
    assert.deepEqual(
      [run(), run()],
      [
        [1, 2],
        [1, 2],
      ],
    );
    assert.equal(step.stats().misses, 3);
    const inside = compile(() => void w.registerHook((gradient) => gradient));
    assert.throws(() => inside(), refused('ERR_UNSUPPORTED', /^registerHook: would happen while compile/));
    step.dispose();
    inside.dispose();
    w.grad = null;
  });
});

class Scaled extends Module {
  factor = 2;
  shift = tensor([1]);
  constructor() {
    super();
    this.registerBuffer('shift', this.shift);
  }
  forward(x: Tensor): Tensor {
    return x.mul(this.factor).add(this.shift);
  }
}

test('fields of modules whose forward ran: another value is recorded again', () => {
  scope(() => {
    const own = new Scaled();
    const [dropout, layer, other] = [new Dropout(0.5), new Linear(1, 1), new Linear(1, 1)];
    const net = new Sequential(own, dropout);
    const f = compile((x: Tensor) => net.forward(x));
    const x = ones([1]);
    net.eval();
    assert.deepEqual([flat(f(x)), flat(f(x)), f.stats().misses], [[3], [3], 1]);
    own.factor = 5;
    assert.deepEqual(flat(f(x)), [6]);
    own.shift = tensor([10]);
    assert.deepEqual(flat(f(x)), [15]);
    own.shift.copy_([20]);
    assert.deepEqual([flat(f(x)), f.stats().misses], [[25], 3], 'elements are read as they are');
    net.train();
    (dropout as { p: number }).p = 1;
    assert.deepEqual(flat(f(x)), [0]);
    (dropout as { p: number }).p = 0;
    assert.deepEqual(flat(f(x)), [25]);
    net.append(new Scaled());
    assert.deepEqual(flat(f(x)), [51]);
    const g = compile(() => layer.forward(x).detach());
    const expected = (): unknown[] => flat(layer.forward(x).detach());
    assert.deepEqual(flat(g()), expected());
    [layer.weight, other.weight] = [other.weight, layer.weight];
    assert.deepEqual(flat(g()), expected(), 'a parameter of another module');
    layer.bias = new Parameter(tensor([7]));
    assert.deepEqual(flat(g()), expected());
    assert.equal(g.stats().misses, 3);
    f.dispose();
    g.dispose();
  });
});

test('training is looked at wherever it is read, and fields with it', () => {
  class Coder extends Module {
    scale = 2;
    forward(x: Tensor): Tensor {
      return x;
    }
    encode(x: Tensor): Tensor {
      return x.mul(this.training ? this.scale : 1);
    }
  }
  scope(() => {
    const coder = new Coder();
    const f = compile((x: Tensor) => coder.encode(x));
    const g = compile((x: Tensor) => x.add(coder.training ? 1 : 0));
    const seen = (): number[] => [f(ones([1])).item() as number, g(ones([1])).item() as number];
    assert.deepEqual(seen(), [2, 2]);
    coder.eval();
    assert.deepEqual(seen(), [1, 1]);
    coder.train();
    coder.scale = 5;
    assert.deepEqual(seen(), [5, 2]);
    assert.deepEqual([coder.training, Object.keys(coder).includes('training')], [true, false]);
    f.dispose();
    g.dispose();
  });
});

test('forward is what it was: with arguments, this, super and a field of its own', () => {
  class Twice extends Scaled {
    override forward(x: Tensor): Tensor {
      return super.forward(super.forward(x));
    }
  }
  class Bare extends Module {
    forward = (...all: number[]): number => all.length;
  }
  scope(() => {
    assert.deepEqual(flat(new Twice().forward(tensor([1]))), [7]);
    assert.equal(new Bare().forward(1, 2, 3), 3);
    const net = new Twice();
    const f = compile((x: Tensor) => net.forward(x));
    f(tensor([1]));
    net.factor = 3;
    assert.deepEqual(flat(f(tensor([1]))), [13]);
    f.dispose();
  });
});

test('composites into captured tensors', () => {
  scope(() => {
    const [out, square] = [zeros([]), zeros([2, 2])];
    const f = compile((x: Tensor) => inner(x, x, { out }));
    for (const k of [1, 2]) assert.equal(f(tensor([k, 1])), out);
    assert.equal(out.item(), 5);
    const g = compile((x: Tensor) => addmm(square, x, x, { out: square }).sum());
    const expected = zeros([2, 2]);
    for (const k of [1, 2]) {
      const x = tensor([[k, 1], [0, 1]]); // prettier-ignore
      assert.equal(g(x).item(), addmm(expected, x, x, { out: expected }).sum().item());
      assert.deepEqual(flat(square), flat(expected));
    }
    const h = compile((x: Tensor) => addmm(x, x, x, { out }));
    assert.throws(
      () => h(ones([2, 2])),
      refused(
        'ERR_SHAPE',
        /^addmm: the result has shape \[2,2\], and out has \[\], which is not changed while/,
        'out',
      ),
    );
    assert.equal(out.item(), 5);
    for (const one of [f, g, h]) one.dispose();
  });
});

test('maps, sets and instances of classes with tensors are no results', () => {
  class Pair {
    constructor(readonly x: Tensor) {}
  }
  const before = memory().liveTensors;
  const kept = tensor([1]);
  const all = [new Map([['a', kept]]), new Set([kept]), new Pair(kept)];
  const makers: Record<string, (x: Tensor) => object> = {
    map: (x) => new Map([['a', [x]]]),
    set: (x) => new Set([x]),
    instance: (x) => new Pair(x),
  };
  for (const [name, make] of Object.entries(makers)) {
    const f = compile((x: Tensor) => make(x.add(1)));
    assert.throws(
      () => scope(() => f(tensor([1]))),
      refused('ERR_ARGUMENT', /^compile: result.* must be .*not a Map, a Set or an instance/),
      name,
    );
    assert.equal(f.stats().recordings, 0);
    f.dispose();
  }
  const g = compile(() => all);
  assert.deepEqual(
    g().map((one, k) => one === all[k]),
    [true, true, true],
    'what fn captured is itself',
  );
  g.dispose();
  kept.dispose();
  assert.equal(memory().liveTensors, before);
});

test('states are loaded into parameters by fn, into optimisers outside', () => {
  scope(() => {
    const [a, b] = [new Linear(2, 1), new Linear(2, 1)];
    const follow = compile(() => void a.loadStateDict(b.stateDict()));
    follow();
    b.weight.detach().mul_(2);
    follow();
    assert.deepEqual(flat(a.weight.detach()), flat(b.weight.detach()));
    const set = compile((weight: Tensor) => void a.loadStateDict({ weight }, { strict: false }));
    set(tensor([[1, 2]]));
    set(tensor([[3, 4]]));
    assert.deepEqual(flat(a.weight.detach()), [3, 4]);
    assert.throws(() => set(ones([1])), refused('ERR_SHAPE', /weight \(\[1\] for \[1,2\]\)/, 'weight'));
    const optimizer = new Adam(a.parameters());
    const state = compile(() => optimizer.loadStateDict(optimizer.stateDict()));
    assert.throws(
      () => state(),
      refused('ERR_UNSUPPORTED', /^Adam\.loadStateDict: would happen while compile/),
    );
    const bytes = compile(() => a.save());
    assert.throws(
      () => bytes(),
      refused('ERR_UNSUPPORTED', /^saveSafetensors: tensors have no elements while/),
    );
    for (const one of [follow, set, state, bytes]) one.dispose();
  });
});

test('other strides of an argument that a loaded program writes to', () => {
  scope(() => {
    const [write, view] = [
      compile((x: Tensor) => void x.add_(1)),
      compile((x: Tensor) => add(x, 1) && x.at(0)),
    ];
    const wide = zeros([2, 2]);
    const [a, b] = [loadProgram(write.save(wide)), loadProgram(view.save(wide))];
    const words =
      /^program: in\[0\] is (written to|part of a result), and has strides \[1,2\], but was recorded as \[2,1\]$/;
    for (const one of [a, b]) assert.throws(() => one(wide.t()), refused('ERR_ARGUMENT', words, 'in[0]'));
    for (const one of [write, view, a, b]) one.dispose();
  });
});

test('an argument that is written to shares no memory with what fn captures', () => {
  scope(() => {
    const w = tensor([1, 2]);
    const run = compile((x: Tensor) => {
      const before = w.mul(1);
      x.add_(10);
      return w.sub(before);
    });
    assert.deepEqual(flat(run(zeros([2]))), [0, 0]);
    const words =
      /^compile: args\[0\] is written to, and shares memory with a tensor that fn captures; give it x\.clone\(\), or call fn itself$/;
    for (const x of [w, w.narrow(0, 0, 2)])
      assert.throws(() => run(x), refused('ERR_OVERLAP', words, 'args[0]'));
    assert.deepEqual(flat(w), [1, 2]);
    // beside it in one storage
    const rows = tensor([
      [1, 2],
      [3, 4],
    ]);
    const [held, free] = [rows.at(0), rows.at(1)];
    const add2 = compile((x: Tensor) => x.add_(held));
    assert.deepEqual(flat(add2(free)), [4, 6]);
    assert.throws(() => add2(held), refused('ERR_OVERLAP', words, 'args[0]'));
    run.dispose();
    add2.dispose();
  });
});

test('a module that is put in the place of another one is recorded again, at any depth', () => {
  scope(() => {
    const negate = new (class extends Module {
      forward(x: Tensor): Tensor {
        return x.neg();
      }
    })();
    const twice = new (class extends Module {
      forward(x: Tensor): Tensor {
        return x.mul(2);
      }
    })();
    const inner = new Sequential(negate);
    const outer = new Sequential(new Sequential(inner));
    const list = new ModuleList<Module>([negate]);
    const x = tensor([3]);
    const deep = compile((x: Tensor) => outer.forward(x));
    const each = compile((x: Tensor) => {
      let y = x;
      for (const module of list) y = (module as typeof negate).forward(y);
      return y;
    });
    assert.deepEqual([flat(deep(x)), flat(each(x))], [[-3], [-3]]);
    (inner as unknown as Record<string, Module>)['0'] = twice;
    list.append(twice);
    assert.deepEqual([flat(deep(x)), flat(each(x))], [[6], [-6]]);
    inner.append(negate);
    assert.deepEqual(flat(deep(x)), [-6]);
    deep.dispose();
    each.dispose();
  });
});

test('schedulers do not belong into fn', () => {
  scope(() => {
    const w = new Parameter(ones([1]));
    const plateau = new ReduceLROnPlateau(new Adam([w]));
    const run = compile((x: Tensor) => {
      plateau.step(1);
      return x.mul(2);
    });
    assert.throws(() => run(ones([1])), refused('ERR_UNSUPPORTED', /^step: /));
    assert.equal(plateau.lastEpoch, 0);
    run.dispose();
  });
});

test('a program within a checkpoint draws the same from its own generator in both runs', () => {
  scope(() => {
    const generator = new Generator(3);
    const noise = compile((a: Tensor) => a.mul(rand([3], { generator })));
    const saved = noise.save(ones([3]));
    for (let k = 0; k < 3; k++) {
      const w = ones([3]).requiresGrad_();
      const y = checkpoint((a: Tensor) => noise(a).mul(w), ones([3]));
      y.sum().backward();
      assert.deepEqual(flat(w.grad!), flat(y));
    }
    const state = generator.getState();
    noise(ones([3]));
    assert.ok(generator.getState().offset > state.offset);
    noise.dispose();
    generator.dispose();

    const program = loadProgram<(a: Tensor) => Tensor>(saved);
    const w = ones([3]).requiresGrad_();
    assert.throws(() => checkpoint((a: Tensor) => program(a).mul(w), ones([3])), /generators of its own/);
    assert.equal(checkpoint((a: Tensor) => noGrad(() => program(a)).mul(w), ones([3])).numel, 3);
    program.dispose();
  });
});

test('a program within noGrad within a checkpoint is a constant factor', () => {
  scope(() => {
    const triple = compile((a: Tensor) => a.mul(3));
    const x = tensor([2]).requiresGrad_();
    checkpoint((a: Tensor) => a.mul(noGrad(() => triple(a))), x)
      .sum()
      .backward();
    assert.deepEqual(x.grad!.toArray(), [6]);
    assert.equal(isGradEnabled(), true);
    triple.dispose();
  });
});

test('a training step within a checkpoint is refused, recorded before or there: it would run twice', () => {
  scope(() => {
    const w = tensor([5]).requiresGrad_();
    const step = compile((a: Tensor) => {
      const y = a.mul(w);
      y.sum().backward();
      return y.detach();
    });
    const x = tensor([2]).requiresGrad_();
    const within = (): Tensor => checkpoint((a: Tensor) => a.mul(step(a.detach())), x);
    assert.throws(within, /changes \.grad, and a checkpoint runs it twice/);
    assert.equal(w.grad, null);
    step(x.detach());
    assert.throws(within, /changes \.grad, and a checkpoint runs it twice/);
    assert.deepEqual(w.grad!.toArray(), [2]);
    step.dispose();
  });
});

test('an async function that is refused within a checkpoint leaves gradients on', async () => {
  const f = compile((async (a: Tensor) => a.mul(2)) as unknown as (a: Tensor) => Tensor);
  const x = tensor([2]).requiresGrad_();
  assert.throws(() => checkpoint((a: Tensor) => a.mul(f(a.detach())), x), /a promise/);
  await null;
  assert.equal(isGradEnabled(), true);
  f.dispose();
  x.dispose();
});

test('a block of an async function that began within a checkpoint leaves gradients on', async () => {
  const x = tensor([2]).requiresGrad_();
  let later: Promise<void> | undefined;
  checkpoint((a: Tensor) => {
    later ??= enableGrad(async () => {
      await null;
    });
    return a.mul(2);
  }, x).dispose();
  await later;
  assert.equal(isGradEnabled(), true);
  x.dispose();
});

test('a program within a checkpoint takes no gradients, and says so in the first run', () => {
  scope(() => {
    const x = tensor([1, 2, 3], { requiresGrad: true });
    const w = tensor([4, 5, 6], { requiresGrad: true });
    const triple = compile((a: Tensor) => a.mul(3));
    const loaded = loadProgram<(a: Tensor) => Tensor>(triple.save(x.detach()));
    const weighed = compile((a: Tensor) => a.mul(w));
    for (const f of [triple, loaded]) {
      const within = (): Tensor => checkpoint((a: Tensor) => f(a).mul(a), x);
      assert.throws(within, refused('ERR_ARGUMENT', /requires no gradient/));
      assert.throws(
        () => checkpoint((a: Tensor) => checkpoint((b: Tensor) => f(b), a).mul(a), x),
        refused('ERR_ARGUMENT', /requires no gradient/),
      );
      assert.equal(noGrad(within).requiresGrad, false);
      // without its history it is a constant, in both runs
      const y = checkpoint((a: Tensor) => f(a.detach()).mul(a), x);
      y.sum().backward();
      assert.deepEqual(
        [flat(y), flat(x.grad!)],
        [
          [3, 12, 27],
          [3, 6, 9],
        ],
      );
      x.grad = null;
    }
    // what fn captures
    const captures = (): Tensor => checkpoint((a: Tensor) => weighed(a), x.detach());
    assert.throws(captures, refused('ERR_ARGUMENT', /requires no gradient \(run backward\(\) in fn/));
    assert.deepEqual(flat(noGrad(captures)), [4, 10, 18]);
    for (const one of [triple, loaded, weighed]) one.dispose();
  });
});

test('a tensor that requires a gradient from now on is looked at by programs that hold it alone', () => {
  scope(() => {
    const w = tensor([1, 2]);
    const frozen = tensor([1, 2]);
    let runs = 0;
    const f = compile((x: Tensor) => {
      runs++;
      const y = x.mul(w).add(frozen.requiresGrad ? 1 : 0);
      if (y.requiresGrad) y.sum().backward();
      return y.detach();
    });
    const x = tensor([3, 4]);
    for (let k = 0; k < 3; k++) {
      assert.deepEqual(flat(f(x)), [3, 8]);
      const other = tensor([k]).requiresGrad_();
      other.registerHook(() => null);
      other.requiresGrad = false;
    }
    assert.equal(runs, 1);
    w.requiresGrad_();
    for (let k = 1; k < 3; k++) {
      assert.deepEqual(flat(f(x)), [3, 8]);
      assert.deepEqual(flat(w.grad!), [3 * k, 4 * k]);
    }
    assert.equal(runs, 3, 'without a gradient, then with one');
    // fn only asks for it
    frozen.requiresGrad_();
    assert.deepEqual(flat(f(x)), [4, 9]);
    assert.equal(runs, 4);
    f.dispose();
    w.grad = null;
  });
});

test('a momentum that a scheduler moves is a number of each run', () => {
  const train = (isCompiled: boolean, make: (params: Tensor[]) => Optimizer): number[] =>
    scope(() => {
      const w = new Parameter(tensor([1, -2, 3]));
      const optimizer = make([w]);
      const scheduler = new OneCycleLR(optimizer, { maxLr: 0.1, totalSteps: 12 });
      const step = (x: Tensor): void => {
        optimizer.zeroGrad();
        w.mul(x).square().sum().backward();
        optimizer.step();
      };
      const run = compile(step);
      for (let k = 0; k < 12; k++) {
        (isCompiled ? run : step)(tensor([1, 2, 3]));
        scheduler.step();
      }
      if (isCompiled) assert.equal(run.stats().misses, 1);
      run.dispose();
      w.grad = null;
      for (const { tensors } of optimizer.state.values()) for (const x of Object.values(tensors)) x.dispose();
      return flat(w.detach()) as number[];
    });
  for (const make of [
    (params: Tensor[]) => new SGD(params, { lr: 0.1, momentum: 0.9 }),
    (params: Tensor[]) => new RMSprop(params, { momentum: 0.9 }),
    (params: Tensor[]) => new Adam(params),
    (params: Tensor[]) => new AdamW(params),
  ])
    assert.deepEqual(train(true, make), train(false, make));
});
