// Memory, lists and sizes that misstate themselves or are beyond all memory: each case by name, beside hostile.test.ts.
import test from 'node:test';
import assert from 'node:assert/strict';
import * as stria from 'stria';
import { memory, scope, tensor, type StriaError, type Tensor } from 'stria';
import { checkLeaksAtEnd, load } from './support.js';

await load();
checkLeaksAtEnd();

const any = (value: unknown): never => value as never;

/** The call is refused with this code, operation and argument, and leaves no tensor. */
function refused(run: () => unknown, code: string | RegExp, op: string, argument: string | RegExp): void {
  const before = memory().liveTensors;
  assert.throws(
    () => scope(run),
    (error: StriaError) => {
      assert.ok(error instanceof stria.StriaError, String(error));
      assert.match(error.code, code instanceof RegExp ? code : new RegExp(`^${code}$`), error.message);
      assert.equal(error.op, op, error.message);
      assert.match(error.argument, argument instanceof RegExp ? argument : new RegExp(`^${argument}$`));
      assert.ok(error.message.startsWith(`${op}: `), error.message);
      return true;
    },
  );
  assert.equal(memory().liveTensors, before);
}

class Liar extends Float32Array {
  override get length(): number {
    return 4;
  }
  override get byteLength(): number {
    return 1 << 20;
  }
  override get buffer(): ArrayBuffer {
    return new ArrayBuffer(1 << 20);
  }
}

test('a typed array has the length that the engine says', () => {
  scope(() => {
    const guard = Array.from({ length: 20 }, () => stria.full([4], 7));
    const liar = new Liar(1000).fill(3);
    const x = tensor(liar);
    assert.deepEqual(x.shape, [1000]);
    assert.equal(x.sum().item(), 3000);
    assert.equal(stria.fromBytes(liar, { dtype: 'float32' }).numel, 1000);
    assert.equal(tensor([new Liar(2), new Liar(2)] as Float32Array[]).numel, 4);
    const y = stria.zeros([1000]);
    y.copy_(liar);
    assert.equal(y.sum().item(), 3000);
    for (const one of guard) assert.deepEqual(one.toArray(), [7, 7, 7, 7]);
  });
});

test('views of buffers that grow and shrink', () => {
  type Resizable = ArrayBuffer & { resize?: (length: number) => void };
  const buffer = new (ArrayBuffer as unknown as new (n: number, o: object) => Resizable)(64, {
    maxByteLength: 4096,
  });
  if (buffer.resize === undefined) return; // an engine without them
  scope(() => {
    const [tracking, fixed] = [new Float32Array(buffer), new Float32Array(buffer, 32, 8)];
    buffer.resize!(4096);
    assert.equal(tensor(tracking).numel, 1024);
    buffer.resize!(16);
    assert.equal(tensor(tracking).numel, 4);
    refused(() => tensor(fixed), 'ERR_ARGUMENT', 'tensor', 'data');
    refused(() => stria.fromBytes(fixed, { dtype: 'uint8' }), 'ERR_ARGUMENT', 'fromBytes', 'bytes');
  });
});

test('a detached array is refused and leaves no tensor', () => {
  const array = new Float32Array(4);
  structuredClone(array.buffer, { transfer: [array.buffer] });
  refused(() => tensor(array), 'ERR_ARGUMENT', 'tensor', 'data');
  refused(() => stria.fromBytes(array, { dtype: 'uint8' }), 'ERR_ARGUMENT', 'fromBytes', 'bytes');
  refused(() => stria.fromNpy(array as never), 'ERR_ARGUMENT', 'fromNpy', 'bytes');
});

test('lists that change while they are read', () => {
  const changing = (answers: number[]): number[] =>
    new Proxy([2, 3], {
      get: (list, key) => (key === 'length' ? (answers.shift() ?? 2) : (Reflect.get(list, key) as unknown)),
    });
  scope(() => {
    assert.equal(tensor([1, 2, 3, 4, 5, 6], { shape: changing([2, 60, 1]) }).numel, 6);
    refused(() => tensor([[1, 2], changing([3, 2])]), 'ERR_SHAPE', 'tensor', /^data/);
    let size = 1;
    const growing = Object.defineProperty([1, 2], 0, { get: () => (size *= 100), enumerable: true });
    assert.deepEqual(stria.zeros(growing).shape, [100, 2]);
  });
});

test('cyclic, deep and sparse arrays', () => {
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  refused(() => tensor(any(cyclic)), 'ERR_SHAPE', 'tensor', 'data');
  const later: unknown[] = [1];
  later.push(later);
  refused(() => tensor(any(later)), 'ERR_SHAPE', 'tensor', /^data/);
  refused(() => stria.zeros(new Array(2 ** 32 - 1) as number[]), 'ERR_SHAPE', 'zeros', 'shape');
  refused(() => stria.sum(tensor([1]), new Array(2 ** 32 - 1) as number[]), 'ERR_AXIS', 'sum', 'axes');
});

// The bytes of their partial results are a multiple of 2^32, or little more: more than WebAssembly can count.
test('reductions of more elements than memory has bytes are refused where their partial results do not fit', () => {
  const many = (n: number): Tensor => tensor([1]).expand(n);
  const pairs = (n: number): Tensor => tensor([1, 2]).expand(n, 2);
  const calls: [string, string, () => unknown][] = [
    ['argmin', 'partial results', () => stria.argmin(many(2 ** 42))],
    ['argmax', 'partial results', () => stria.argmax(many(2 ** 42))],
    ['var', 'partial results', () => stria.var(many(2 ** 42))],
    ['sum', 'partial results', () => stria.sum(pairs(2 ** 47), 0)],
    ['mean', 'partial results', () => stria.mean(pairs(2 ** 47))],
    ['any', 'partial results', () => stria.any(pairs(2 ** 47), 0)],
    ['bincount', 'partial results', () => stria.bincount(tensor([1], { dtype: 'int32' }).expand(2 ** 48))],
    ['maskedSelect', 'counts', () => stria.maskedSelect(many(2 ** 45), tensor([true]).expand(2 ** 45))],
  ];
  stria.setMemoryLimit(2 ** 20);
  try {
    for (const [op, what, run] of calls) {
      refused(run, 'ERR_MEMORY', op, /^$/);
      assert.throws(() => scope(run), new RegExp(`^MemoryError: ${op}: no memory for ${what}`));
    }
  } finally {
    stria.setMemoryLimit(0);
  }
});

test('sizes beyond memory are refused by the operation that was called', () => {
  const beyond = /^ERR_(MEMORY|OVERFLOW)$/; // the address space of WebAssembly is smaller
  const anything = /^/;
  scope(() => {
    const huge = (): Tensor => tensor([1]).expand(2 ** 40);
    refused(() => huge().dataSync(), beyond, 'dataSync', anything);
    refused(() => huge().toArray(), 'ERR_MEMORY', 'toArray', 'x');
    refused(() => stria.zeros([2 ** 28, 0]).toArray(), 'ERR_MEMORY', 'toArray', 'x');
    refused(() => stria.linspace(0, 1, 1e15), beyond, 'linspace', anything);
    refused(() => stria.arange(0, 1e15), beyond, 'arange', anything);
    refused(() => huge().add(1), beyond, 'add', anything);
    refused(() => huge().clone(), beyond, 'clone', anything);
    refused(() => stria.zeros([2 ** 45]), beyond, 'zeros', anything);
    assert.ok(
      tensor([1])
        .expand(...(Array(40).fill(2) as number[]))
        .toString().length < 1_000_000,
    );
  });
});

test('wasm says what gives memory back', () => {
  stria.setMemoryLimit(1 << 20);
  try {
    assert.throws(
      () => stria.zeros([1 << 20]),
      (error: Error) => (stria.info().backend === 'wasm') === /scope\(fn\)/.test(error.message),
    );
  } finally {
    stria.setMemoryLimit(0);
  }
});

test('errors name what was called', () => {
  scope(() => {
    const x = tensor([1, 2]);
    refused(() => x.at(5), 'ERR_ARGUMENT', 'at', /^indices\[0\]$/);
    refused(() => stria.toNpy(any({})), 'ERR_ARGUMENT', 'toNpy', 'x');
    refused(() => stria.emptyStrided([2], any(undefined)), 'ERR_ARGUMENT', 'emptyStrided', 'stride');
    refused(() => stria.zerosLike(any(undefined)), 'ERR_ARGUMENT', 'zerosLike', 'x');
    const gone = tensor([1]);
    gone.dispose();
    refused(() => stria.kernel((a) => a.neg())(x, { out: gone }), 'ERR_DISPOSED', 'kernel', 'out');
  });
});

test('texts, JSON and operators', () => {
  scope(() => {
    const x = tensor([1n, 2n ** 60n]);
    assert.equal(JSON.stringify({ x, y: tensor(1.5) }), '{"x":[1,"1152921504606846976"],"y":1.5}');
    assert.equal(`${tensor([1])}`, 'tensor([1], dtype=float32)');
    refused(() => any(x) + 1, 'ERR_ARGUMENT', 'valueOf', 'x');
    refused(() => Number(x), 'ERR_ARGUMENT', 'valueOf', 'x');
    const begin = performance.now();
    refused(() => x.at(' '.repeat(100_000) + 'x:'), 'ERR_ARGUMENT', 'at', /^indices/);
    assert.ok(performance.now() - begin < 1000);
  });
});

test('a scope ends its tensors when its result cannot be walked', () => {
  const before = memory().liveTensors;
  const result = {
    get x(): never {
      throw new Error('from a getter');
    },
  };
  assert.throws(
    () => scope(() => (tensor([1]), result)),
    (error: StriaError) => error.op === 'scope' && (error.cause as Error).message === 'from a getter',
  );
  assert.throws(
    () =>
      scope(() => {
        tensor([1]);
        return {
          get then(): never {
            throw new Error('no then');
          },
        };
      }),
    (error: StriaError) => error.op === 'scope' && (error.cause as Error).message === 'no then',
  );
  assert.equal(memory().liveTensors, before);
});

test('proxies of tensors, as frameworks make them, work', () => {
  scope(() => {
    const x = new Proxy(tensor([1, 2]), {});
    assert.deepEqual(x.shape, [2]);
    assert.deepEqual(x.add(x).toArray(), [2, 4]);
    assert.deepEqual(stria.add(1, x).toArray(), [2, 3]);
  });
});

test('proxies that answer for the private fields of a tensor', () => {
  const lying = (x: Tensor, lies: Record<string, unknown>): Tensor =>
    new Proxy(x, {
      get: (object, key) => (key in lies ? lies[key as string] : (Reflect.get(object, key) as unknown)),
    });
  const before = memory().liveTensors;
  scope(() => {
    const x = tensor([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    const { proxy: revoked, revoke } = Proxy.revocable({}, {});
    revoke();
    for (const facts of [{}, null, 5, { handle: 1, shape: [] }, revoked])
      assert.equal(lying(x, { _facts: facts }).ndim, 2);
    const lies = { to: 1, shape: 2, dtype: 3, isContiguous: null, numel: 4, ndim: 5, select: 6, _element: 7 };
    for (const one of [x, x.T, tensor([5]).reshape()]) {
      const zeros = stria.zerosLike(lying(one, lies));
      assert.deepEqual(
        [zeros.dtype, zeros.shape, zeros.strides],
        ['float32', one.shape, one.clone().strides],
      );
      assert.equal(String(lying(one, { ...lies, toString: one.toString })), String(one));
    }
    for (const handle of [new Uint16Array(4), 12345, 0, 'handle', NaN])
      stria.dispose(lying(x, { _handle: handle }));
    assert.equal(x.sum().item(), 21); // not ended, and not lost either
  });
  assert.equal(memory().liveTensors, before);
});

test('a dtype that does not exist', () => {
  for (const [op, run] of Object.entries({
    arange: () => stria.arange(3, { dtype: any({}) }),
    linspace: () => stria.linspace(0, 1, 3, { dtype: any('toString') }),
    eye: () => stria.eye(2, { dtype: any(3) }),
    onesLike: () => stria.onesLike(tensor([1]), { dtype: any('f32') }),
  }))
    refused(run, 'ERR_DTYPE', op, 'dtype');
});

test('in-place methods called on what is no tensor', () => {
  const method = (name: string, ...list: unknown[]) =>
    Reflect.apply((stria.Tensor.prototype as unknown as Record<string, () => unknown>)[name]!, 7, list);
  refused(() => method('round_', { decimals: 1 }), 'ERR_ARGUMENT', 'round', 'this');
  refused(() => method('round_', {}), 'ERR_ARGUMENT', 'round', 'this');
  refused(() => method('add_', 1, { alpha: 2 }), 'ERR_ARGUMENT', 'add', 'this');
  refused(() => method('add_', 1), 'ERR_ARGUMENT', 'add', 'this');
});
