// Programs of compile() as files: what is saved, what is loaded, what is refused.
import test from 'node:test';
import assert from 'node:assert/strict';
import {
  arange,
  compile,
  Generator,
  loadProgram,
  loadSafetensors,
  manualSeed,
  memory,
  mseLoss,
  rand,
  randn,
  saveSafetensors,
  scope,
  StriaError,
  tensor,
  zeros,
  type LoadedProgram,
  type Tensor,
} from 'stria';
import { Dropout, Linear, Sequential, GELU, Tanh } from 'stria/nn';
import { Adagrad, Adam, AdamW, RMSprop, SGD, type Optimizer } from 'stria/optim';
import { checkLeaksAtEnd, flat, load, refused } from './support.js';

await load();
checkLeaksAtEnd(true);

test('a network goes through a file with the same bits', () => {
  scope(() => {
    const net = new Sequential(new Linear(10, 16), new GELU(), new Linear(16, 3));
    net.eval();
    const f = compile((x: Tensor) => ({ y: net.forward(x.sub(0.5)).detach(), rows: x.shape[0], x }));
    const x = rand([4, 10]);
    const program = loadProgram(f.save(x));
    assert.equal(f.stats().hits, 0);
    const expected = f(x).y;
    const loaded = program(x) as { y: Tensor; rows: number; x: Tensor };
    assert.deepEqual(Object.keys(loaded), ['y', 'rows', 'x']);
    assert.equal(loaded.rows, 4);
    assert.equal(loaded.x, x);
    assert.deepEqual(flat(loaded.y), flat(expected));
    assert.deepEqual(flat((program(x.t().clone().t()) as typeof loaded).y), flat(expected));
    // the file has the weights as they were: what happens to them later does not matter
    for (const p of net.parameters()) p.detach().mul_(0);
    assert.deepEqual(flat((program(x) as typeof loaded).y), flat(expected));
    f.dispose();
    program.dispose();
    assert.throws(() => program(x), refused('ERR_DISPOSED', /a disposed one/));
  });
});

test('the file is a safetensors file', () => {
  scope(() => {
    const w = tensor([1, 2, 3]);
    const f = compile((x: Tensor) => x.mul(w));
    const bytes = f.save(zeros([3]));
    const { tensors, metadata } = loadSafetensors(bytes);
    assert.deepEqual(flat(tensors['held.0']!), [1, 2, 3]);
    assert.deepEqual(Object.keys(metadata).sort(), ['stria.graph', 'stria.javascript']);
    // without JavaScript's part, as from C, arguments and results are lists
    const plain = saveSafetensors(tensors, { 'stria.graph': metadata['stria.graph']! });
    const program = loadProgram(plain);
    assert.deepEqual(flat(program(tensor([2, 2, 2])) as Tensor), [2, 4, 6]);
    program.dispose();
    f.dispose();
  });
});

test('trees and values', () => {
  scope(() => {
    type Given = { a: Tensor; list: [Tensor, number]; flag: boolean };
    const f = compile(({ a, list, flag }: Given, word: string, big: bigint) => [
      a.add(list[0]),
      [list[1], flag, word, big, undefined, null, -0, NaN, { b: a.sum() }],
    ]);
    const given: Given = { a: tensor([1, 2]), list: [tensor([3, 4]), -0], flag: true };
    const program = loadProgram(f.save(given, 'w', 5n));
    const result = program(given, 'w', 5n) as [Tensor, unknown[]];
    assert.deepEqual(flat(result[0]), [4, 6]);
    assert.deepEqual(result[1].slice(0, 8), [-0, true, 'w', 5n, undefined, null, -0, NaN]);
    assert.equal((result[1][8] as { b: Tensor }).b.item(), 3);
    const other = (error: RegExp, ...args: unknown[]) =>
      assert.throws(() => program(...args), refused('ERR_ARGUMENT', error));
    other(/args\[1\] must be "w"/, given, 'v', 5n);
    other(/args must be an array of 3/, given, 'w');
    other(/args\[0\].flag/, { ...given, flag: false }, 'w', 5n);
    other(/args\[0\].list\[1\] must be -0/, { ...given, list: [given.list[0], 0] }, 'w', 5n);
    other(/args\[0\].a must be a tensor/, { ...given, a: 1 }, 'w', 5n);
    other(/args\[0\] must be an object of a, list, flag/, { list: 1, a: 2, flag: 3 }, 'w', 5n);
    assert.throws(
      () => program({ ...given, a: zeros([3]) }, 'w', 5n),
      refused('ERR_SHAPE', /recorded as \[2\]/),
    );
    assert.throws(
      () => program({ ...given, a: zeros([2], { dtype: 'int32' }) }, 'w', 5n),
      refused('ERR_DTYPE', /f32|float32/),
    );
    f.dispose();
    program.dispose();
  });
});

test('a number that cannot be is damage of the file', () => {
  scope(() => {
    const file = compile((x: Tensor) => x.sum(0).mul(2)).save(zeros([4, 3]));
    const bytes = Buffer.from(file);
    const length = Number(bytes.readBigUInt64LE(0));
    const header = bytes.toString('latin1', 8, 8 + length);
    let refusals = 0;
    for (const number of header.matchAll(/-?\d+/g))
      for (const other of ['-1', '9223372036854775807']) {
        const text = header.slice(0, number.index) + other + header.slice(number.index + number[0].length);
        const head = Buffer.alloc(8 + Math.ceil(text.length / 8) * 8, ' ');
        head.writeBigUInt64LE(BigInt(head.length - 8));
        head.write(text, 8, 'latin1');
        try {
          loadProgram(Buffer.concat([head, bytes.subarray(8 + length)])).dispose();
        } catch (error) {
          refusals++;
          const { code } = error as { code: string };
          assert.ok(['ERR_FORMAT', 'ERR_MEMORY'].includes(code), `${code} for ${text}`);
        }
      }
    assert.ok(refusals > 20, String(refusals));
  });
});

test('generators go on where they were', () => {
  scope(() => {
    const generator = new Generator(3);
    const f = compile((x: Tensor) => x.add(randn([4], { generator })));
    const x = zeros([4]);
    f(x);
    const program = loadProgram(f.save(x));
    assert.deepEqual(flat(program(x) as Tensor), flat(f(x)));
    assert.deepEqual(flat(program(x) as Tensor), flat(f(x)));
    f.dispose();
    program.dispose();
  });
});

test('the default generator is that of the process', () => {
  scope(() => {
    const f = compile(() => rand([4]));
    const program = loadProgram(f.save());
    manualSeed(5);
    const expected = flat(rand([4]));
    manualSeed(5);
    assert.deepEqual(flat(program() as Tensor), expected);
    f.dispose();
    program.dispose();
  });
});

test('results that fn captured are views of tensors of the program', () => {
  scope(() => {
    const w = tensor([1, 2]);
    const f = compile((x: Tensor) => ({ y: w.add_(x).mul(2), w }));
    const program = loadProgram(f.save(tensor([1, 1])));
    assert.equal(f(tensor([1, 1])).w, w, 'of the function it is the tensor itself');
    const [first, second] = [1, 2].map(() => program(tensor([1, 1])) as { y: Tensor; w: Tensor });
    assert.deepEqual(
      [flat(first!.y), flat(second!.y), flat(first!.w)],
      [
        [4, 6],
        [6, 8],
        [3, 4],
      ],
    );
    assert.deepEqual(flat(w), [2, 3]);
    f.dispose();
    program.dispose();
  });
});

test('a training step goes on in a loaded program, bit for bit', () => {
  const makers: ((params: Tensor[]) => Optimizer)[] = [
    (params) => new SGD(params, { lr: 0.05, momentum: 0.9, weightDecay: 0.01 }),
    (params) => new SGD(params, { lr: 0.05 }),
    (params) => new Adam(params, { lr: 0.02, amsgrad: true }),
    (params) => new AdamW(params, { lr: 0.02 }),
    (params) => new RMSprop(params, { lr: 0.01, momentum: 0.5 }),
    (params) => new Adagrad(params, { lr: 0.05 }),
  ];
  for (const before of [0, 3])
    for (const [k, make] of makers.entries())
      scope(() => {
        const generator = new Generator(11);
        const net = new Sequential(
          new Linear(4, 8),
          new Tanh(),
          new Dropout(0.25, { generator }),
          new Linear(8, 2),
        );
        const optimizer = make(net.parameters());
        const step = compile((x: Tensor, y: Tensor) => {
          for (let twice = 0; twice < (k === 2 ? 2 : 1); twice++) {
            optimizer.zeroGrad();
            const loss = mseLoss(net.forward(x), y);
            loss.backward();
            optimizer.step();
            if (twice === (k === 2 ? 1 : 0)) return { loss: loss.detach(), weight: net.parameters()[0]! };
          }
          return undefined;
        });
        const batch = (n: number): [Tensor, Tensor] => [
          arange(12).reshape([3, 4]).mul(0.1).add(n),
          arange(6).reshape([3, 2]).mul(0.2).sub(n),
        ];
        for (let n = 0; n < before; n++) step(...batch(n));
        const steps = [...optimizer.state.values()].map((one) => one.step);
        const program = loadProgram(step.save(...batch(0)));
        assert.deepEqual(
          [...optimizer.state.values()].map((one) => one.step),
          steps.length > 0 ? steps : [0, 0, 0, 0],
        );
        const names = program.numbers.map(({ name }) => name);
        assert.ok(names.includes('lr'), `${names}`);
        for (let n = before; n < before + 10; n++) {
          if (n === before + 5) {
            optimizer.paramGroups[0]!.lr = 0.001;
            for (const number of program.numbers) if (number.name === 'lr') number.value = 0.001;
          }
          const [own, other] = [step(...batch(n))!, program(...batch(n)) as { loss: Tensor; weight: Tensor }];
          assert.equal(other.loss.item(), own.loss.item(), `optimiser ${k} after ${before}, step ${n}`);
          assert.deepEqual(flat(other.weight), flat(own.weight.detach()));
        }
        const last = program.numbers.find(({ name }) => name === 'step');
        if (last !== undefined) assert.equal(last.value, (k === 2 ? 2 : 1) * (before + 10) + 1);
        const [first] = program.numbers;
        const { value } = first!;
        const look = (): number => (void zeros([3]).strides, value); // which uses the numbers that the calls do
        Object.defineProperty(first, 'value', { get: look, set: look, configurable: true });
        const [own, other] = [step(...batch(9))!, program(...batch(9)) as { loss: Tensor; weight: Tensor }];
        assert.equal(other.loss.item(), own.loss.item());
        assert.deepEqual(flat(other.weight), flat(own.weight.detach()));
        Object.defineProperty(first, 'value', { value: 'x' });
        assert.throws(() => program(...batch(0)), refused('ERR_ARGUMENT', /must be a number, got "x"/));
        program.dispose();
        step.dispose();
        net.zeroGrad();
        generator.dispose();
      });
});

test('what has no file is refused', () => {
  scope(() => {
    const w = rand([2]);
    const symbol = compile((x: Tensor) => [x.add(1), Symbol('s')]);
    assert.throws(() => symbol.save(w), refused('ERR_UNSUPPORTED', /result\[1\]/));
    const net = new Linear(2, 1);
    const adds = compile((x: Tensor) => net.forward(x).sum().backward());
    assert.throws(
      () => adds.save(zeros([1, 2])),
      refused('ERR_UNSUPPORTED', /adds to the \.grad of a tensor/),
    );
    adds(zeros([1, 2]));
    assert.throws(
      () => adds.save(zeros([1, 2])),
      refused('ERR_UNSUPPORTED', /adds to the \.grad of a tensor/),
    );
    net.zeroGrad();
    const f = compile((x: Tensor) => x.add(1));
    const inside = compile((x: Tensor) => f.save(x));
    assert.throws(() => inside(w), refused('ERR_UNSUPPORTED', /outside of functions/));
    for (const one of [symbol, adds, f, inside]) one.dispose();
    assert.throws(() => f.save(w), refused('ERR_DISPOSED', /a disposed one/));
  });
});

test('a file of too many results is refused', () => {
  scope(() => {
    const f = compile((x: Tensor) => x.add(1));
    const { metadata } = loadSafetensors(f.save(zeros([3])));
    f.dispose();
    const many = (count: number) =>
      saveSafetensors(
        {},
        {
          'stria.graph': metadata['stria.graph']!.replace(
            /"results":\[(\d+)\]/,
            (_, view) => `"results":[${Array.from({ length: count }, () => view).join()}]`,
          ),
        },
      );
    assert.throws(() => loadProgram(many(4097)), refused('ERR_FORMAT', /more than 4096/));
    const program = loadProgram(many(4096));
    const results = program(zeros([3])) as Tensor[];
    assert.equal(results.length, 4096);
    assert.deepEqual(flat(results[4095]!), [1, 1, 1]);
    program.dispose();
  });
});

test('sizes in files that are none are refused', () => {
  scope(() => {
    const f = compile((x: Tensor) => [x.add(1), x.shape[0]], { dynamic: [0] });
    const { metadata } = loadSafetensors(f.save(zeros([3])));
    f.dispose();
    const tree = JSON.parse(metadata['stria.javascript']!) as { sized: unknown; result: unknown };
    const withTree = (other: object): (() => unknown) => {
      const text = JSON.stringify({ ...tree, ...other });
      return () => loadProgram(saveSafetensors({}, { ...metadata, 'stria.javascript': text }));
    };
    const program = withTree({})() as LoadedProgram<(x: Tensor) => [Tensor, number]>;
    assert.equal(program(zeros([5]))[1], 5);
    program.dispose();
    for (const at of [7, -1, 0.5, 'length', null])
      assert.throws(withTree({ sized: { at, dim: 0 } }), refused('ERR_FORMAT', /that of no argument/));
    for (const s of [['x', 0], [1], [1, 1e400], 3])
      assert.throws(withTree({ result: [{ t: 0 }, { s }] }), refused('ERR_FORMAT', /no whole number/));
    const beyond = withTree({ sized: { at: 0, dim: 3 } })() as LoadedProgram<(x: Tensor) => unknown>;
    assert.throws(() => beyond(zeros([5])), refused('ERR_FORMAT', /that of no argument/));
    beyond.dispose();
  });
});

test('damaged files are refused', () => {
  scope(() => {
    const w = tensor([1, 2, 3]);
    const f = compile((x: Tensor) => ({ y: x.mul(w), n: 3 }));
    const bytes = f.save(zeros([3]));
    f.dispose();
    const header = new TextDecoder().decode(bytes);
    const before = memory().liveTensors;
    for (const [from, to, words] of [
      ['\\"t\\":0', '\\"t\\":1', /a tensor that there is not/],
      ['\\"arguments\\"', '\\"argumentz\\"', /no tree/],
      ['{\\"arguments', '[\\"arguments', /no JSON/],
      ['\\"matmul\\"', '\\"matmul\\"', /./],
      ['\\"mul\\"', '\\"mol\\"', /no such row/],
    ] as const) {
      const at = header.indexOf(from);
      if (at < 0) continue;
      const damaged = bytes.slice();
      new TextEncoder().encodeInto(to, damaged.subarray(at));
      assert.throws(() => loadProgram(damaged), refused('ERR_FORMAT', words), to);
    }
    assert.throws(() => loadProgram(new Uint8Array(0)), StriaError);
    assert.throws(() => loadProgram(bytes.subarray(0, 40)), refused('ERR_FORMAT', /cut off/));
    assert.throws(() => loadProgram('bytes' as never), StriaError);
    let state = 1;
    const next = (n: number) => (state = (state * 48271) % 2147483647) % n;
    for (let k = 0; k < 3000; k++) {
      const damaged = bytes.slice();
      for (let i = next(3); i >= 0; i--)
        damaged[8 + next(bytes.length - 8)] = bytes[8 + next(bytes.length - 8)]!;
      try {
        const program = loadProgram(damaged);
        try {
          scope(() => void program(zeros([3])));
        } finally {
          program.dispose();
        }
      } catch (error) {
        assert.ok(error instanceof StriaError, `${error}`);
      }
    }
    assert.equal(memory().liveTensors, before);
  });
});
