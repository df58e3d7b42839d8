// stria/nn and stria/optim under what nobody should do: files that are damaged, modules that are odd.
import test from 'node:test';
import assert from 'node:assert/strict';
import { memory, ones, onesLike, scope, StriaError, tensor, zeros, type Tensor } from 'stria';
import * as nn from 'stria/nn';
import * as optim from 'stria/optim';
import { load } from './support.js';

await load();

let seed = 1;
function below(n: number): number {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * n);
}

class Plain extends nn.Module {
  forward(x: Tensor): Tensor {
    return x;
  }
}

class Net extends Plain {
  first = new nn.Linear(3, 4);
  list = new nn.ModuleList([new nn.LayerNorm([4])]);
  half = new nn.Parameter(ones([2, 2], { dtype: 'float16' }));

  constructor() {
    super();
    this.registerBuffer('count', zeros([2], { dtype: 'int64' }));
  }
}

// What a header becomes: other dtypes, shapes, places and names; numbers and marks that are others.
const changes: [RegExp, string | ((text: string) => string)][] = [
  [/F32/, 'F64'],
  [/F32/, 'I32'],
  [/I64/, 'BOOL'],
  [/\[4,3\]/, '[12]'],
  [/\[4,3\]/, '[-4,-3]'],
  [/\[4,3\]/, '['.repeat(500) + ']'.repeat(500)],
  [/\[4\]/, '[4294967296,4294967296]'],
  [/first.weight/, '__proto__'],
  [/first.weight/, 'constructor'],
  [/:"1"/, ':1'],
  [/:"1"/, ':"\\ud800"'],
  [/lr\\":[0-9.]+/, 'lr\\":null'],
  [/params\\":\[/, 'params\\":[0,'],
  [/\d/g, (digit) => (below(20) ? digit : String(below(10)))],
  [/[{:]/g, (mark) => (below(30) ? mark : '[')],
  [/"[a-z0-9.]+"/g, (name) => (below(15) ? name : '"first.bias"')],
];

function damaged(file: Uint8Array): Uint8Array {
  const bytes = file.slice();
  const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
  switch (below(6)) {
    case 0:
      for (let k = below(4); k >= 0; k--) bytes[below(bytes.length)] = below(256);
      return bytes;
    case 1:
      for (let k = below(4); k >= 0; k--) bytes[8 + below(length)]! ^= 1 << below(8);
      return bytes;
    case 2:
      return bytes.slice(0, below(bytes.length));
    case 3:
      bytes[below(8)] = below(256);
      return bytes;
    default: {
      let header = new TextDecoder().decode(bytes.slice(8, 8 + length));
      for (let k = below(2); k >= 0; k--)
        header = header.replace(...(changes[below(changes.length)] as [RegExp, string]));
      const text = new TextEncoder().encode(header);
      const all = new Uint8Array([...new Uint8Array(8), ...text, ...bytes.slice(8 + length)]);
      new DataView(all.buffer).setBigUint64(0, BigInt(text.length), true);
      return all;
    }
  }
}

// Loads 2000 damaged files: a failure is a StriaError, and has changed nothing.
function hold(file: Uint8Array, read: (bytes: Uint8Array) => void, look: () => string): void {
  const seen = { taken: 0, refused: 0 };
  for (let k = 0; k < 2000; k++) {
    const before = scope(look);
    const bytes = damaged(file);
    try {
      read(bytes);
      seen.taken++;
      read(file);
    } catch (error) {
      assert.ok(error instanceof StriaError && error.code !== 'ERR_INTERNAL', `file ${k}: ${error}`);
      assert.equal(scope(look), before, `file ${k} has changed something: ${error.message}`);
      seen.refused++;
    }
  }
  assert.ok(seen.taken > 50 && seen.refused > 1000, JSON.stringify(seen));
}

test('damaged files of modules are refused, and change nothing', () => {
  const model = new Net();
  const { liveTensors } = memory();
  const look = (): string =>
    Object.values(model.stateDict())
      .map((x) => `${x.dtype} ${x.dataSync().join()}`)
      .join();
  hold(model.save({ epoch: '1' }), (bytes) => model.load(bytes), look);
  assert.equal(memory().liveTensors, liveTensors);
});

test('damaged files of optimisers are refused, and change nothing', () => {
  const model = new Net();
  const optimizer = new optim.Adam(model.parameters(), { amsgrad: true });
  for (const x of model.parameters()) x.grad = onesLike(x);
  optimizer.step();
  const look = (): string => {
    const { state, paramGroups } = optimizer.stateDict();
    const states = Object.values(state).map((one) =>
      Object.values(one).map((x) => (typeof x === 'number' ? x : (x as Tensor).dataSync().join())),
    );
    return JSON.stringify([states, paramGroups]);
  };
  hold(optimizer.save({ epoch: '1' }), (bytes) => optimizer.load(bytes), look);
});

// ---------------------------------------------------------------- odd modules

const refused = (words: string, run: () => unknown): void =>
  assert.throws(run, (error) => {
    assert.ok(error instanceof StriaError && error.code === 'ERR_ARGUMENT', String(error));
    assert.ok(error.message.includes(words), error.message);
    return true;
  });

test('modules in one another, and in two places, are met once', () => {
  const [one, other] = [new Plain(), new Plain()].map((module) => module as Plain & Record<string, unknown>);
  one!.other = other;
  other!.one = other!.again = one;
  one!.weight = new nn.Parameter(ones([1]));
  other!.weight = one!.weight;
  other!.bias = new nn.Parameter(ones([2]));
  const met: unknown[] = [];
  one!.apply((module) => met.push(module));
  assert.deepEqual(met, [other, one]);
  assert.deepEqual(one!.namedParameters().map(([name]) => name), ['weight', 'other.bias']); // prettier-ignore
  assert.deepEqual(Object.keys(one!.stateDict()), ['weight', 'other.weight', 'other.bias']);
  one!.load(one!.save());
  one!.eval().requiresGrad_(false).to('float64');
  assert.ok(!other!.training && one!.weight === other!.weight && other!.buffers().length === 0);
});

test('fields that stand in the place of what modules do are refused by their name', () => {
  for (const name of ['parameters', 'stateDict', 'apply', 'toString']) {
    const odd = Object.assign(new Plain(), { [name]: new nn.Linear(1, 1) });
    const words = `Module: ${name} must be a name`;
    for (const model of [odd, new nn.Sequential(odd)])
      refused(words, () => nn.Module.prototype.namedParameters.call(model));
    refused(words, () => nn.Module.prototype.stateDict.call(odd));
  }
  refused('Module: a.b must be a name', () =>
    Object.assign(new Plain(), { 'a.b': new nn.ReLU() }).children(),
  );
});

test('fields that are read throw what they throw, once and to the caller', () => {
  const model = Object.defineProperty(new Plain(), 'x', {
    enumerable: true,
    get() {
      throw new RangeError('mine');
    },
  });
  for (const use of [
    () => model.parameters(),
    () => model.stateDict(),
    () => model.train(),
    () => new nn.Sequential(model).save(),
  ])
    assert.throws(use, { name: 'RangeError', message: 'mine' });
  assert.throws(() => Object.freeze(new nn.Linear(1, 1)).to('float64'), TypeError);
});

test('states with names without end are refused in a message of bounded length', () => {
  const model = new nn.Linear(1, 1);
  const dict = Object.fromEntries(Array.from({ length: 20_000 }, (_, k) => [`name${k}`, tensor(1)]));
  assert.throws(
    () => model.loadStateDict(dict),
    ({ message, got }: StriaError) => {
      assert.ok(
        message.includes('missing: weight, bias; not expected: name0, name1,'),
        message.slice(0, 200),
      );
      assert.ok(
        message.endsWith('and 19900 more') && message.length + got.length < 4000,
        `${message.length}`,
      );
      return true;
    },
  );
  Object.values(dict).forEach((x) => x.dispose());
});
