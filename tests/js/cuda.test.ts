// Tensors on CUDA devices: on the addon, with the plug-in on the host runtime, whose device memory no host code can read. Everywhere
// else: why there are none.
import test from 'node:test';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import * as stria from 'stria';
import {
  add,
  arange,
  cat,
  deviceInfo,
  dtypes,
  equal,
  fromBytes,
  fromNpy,
  full,
  Generator,
  info,
  loadSafetensors,
  manualSeed,
  matmul,
  memory,
  ones,
  rand,
  saveSafetensors,
  scope,
  setMemoryLimit,
  synchronize,
  tensor,
  to,
  toNpy,
  trimMemory,
  zeros,
  type Device,
  type DeviceName,
  type Tensor,
} from 'stria';
import * as nn from 'stria/nn';
import { loadNpz, saveNpz } from 'stria/npz';
import * as optim from 'stria/optim';
import { hostileCalls } from './hostile_calls.js';
import { noPlugin } from './cuda_support.js';
import { backendName, checkLeaksAtEnd, collect, load, refused } from './support.js';

const skip = noPlugin();
await load();
checkLeaksAtEnd(true);

test('in WebAssembly a CUDA device is refused with the reason', { skip: backendName === 'native' }, () => {
  assert.deepEqual(info().cuda, { devices: [], reason: 'WebAssembly cannot reach GPUs by CUDA' });
  const isRefused = refused('ERR_UNSUPPORTED', /there is no device cuda:0: WebAssembly cannot/, 'device');
  for (const ask of [
    () => deviceInfo('cuda'),
    () => zeros([2], { device: 'cuda' }),
    () => tensor([1], { device: 'cuda' }),
    () => scope(() => ones([2]).to('cuda')),
    () => memory('cuda'),
    () => setMemoryLimit(1, 'cuda'),
    () => trimMemory('cuda'),
    () => scope(() => fromNpy(toNpy(ones([2])), { device: 'cuda' })),
    () => scope(() => loadSafetensors(saveSafetensors({ x: ones([2]) }), { device: 'cuda' })),
    () => new nn.Linear(1, 1, { device: 'cuda' }),
  ])
    assert.throws(ask, isRefused);
  return assert.rejects(synchronize('cuda'), isRefused);
});

test('what a device is; words that are none', async () => {
  assert.deepEqual(deviceInfo('cpu'), {
    device: 'cpu',
    name: 'cpu',
    totalBytes: 0,
    freeBytes: 0,
    capability: null,
  });
  await synchronize('cpu');
  for (const word of ['gpu', 'cuda:16', 'cuda:-1', 'cuda:01', 'CUDA', 'cuda:', '', 5, null, {}, []]) {
    const device = word as Device;
    const isRefused = refused(
      'ERR_ARGUMENT',
      /device must be one of 'cpu', 'meta', 'cuda:0' .. 'cuda:15'/,
      'device',
    );
    assert.throws(() => deviceInfo(device), isRefused);
    await assert.rejects(synchronize(device), isRefused);
    if (word === null) continue; // an option that is left out
    assert.throws(() => fromNpy(new Uint8Array(), { device }), isRefused); // before the bytes are looked at
    assert.throws(() => loadSafetensors(new Uint8Array(), { device }), isRefused);
    assert.throws(() => loadNpz(new Uint8Array(), { device }), isRefused);
    assert.throws(() => zeros([2], { device }), isRefused);
    assert.throws(() => tensor([2], { device }), isRefused);
    assert.throws(() => scope(() => ones([2]).to({ device })), isRefused);
  }
  scope(() => {
    const x = ones([2]);
    assert.throws(
      () => x.to('gpu' as never),
      refused('ERR_DTYPE', /dtype must be one of bool, .*, or a device, one of 'cpu'/),
    );
    assert.throws(() => x.to('cuda:16'), refused('ERR_ARGUMENT', /device must be one of/, 'device'));
    assert.throws(
      () => to(x, { device: 'cpu', out: x }),
      refused('ERR_ARGUMENT', /left out where a device/, 'out'),
    );
    assert.throws(() => to(x, { devise: 'cpu' } as never), refused('ERR_ARGUMENT', /device/));
    const copy = x.to('cpu');
    copy.fill_(3);
    assert.deepEqual(
      [x.toArray(), copy.toArray()],
      [
        [1, 1],
        [3, 3],
      ],
    );
    assert.deepEqual(x.to({ dtype: 'int8', device: 'cpu' }).dtype, 'int8');
    assert.deepEqual([x.to('meta').shape, x.to('meta').device], [[2], 'meta']);
    assert.throws(
      () => x.to('meta').to('cpu'),
      refused('ERR_DEVICE', /x is on meta, and has no elements/, 'x'),
    );
    assert.throws(() => x.to('meta').dataSync(), refused('ERR_DEVICE', /is on meta/));
  });
});

const cuda = (name: string, body: () => void | Promise<void>): void =>
  void test(name, { skip }, () => (body.constructor.name === 'AsyncFunction' ? body() : scope(body)));

/** The same elements, dtype and shape; bits, but for the sign of zero in texts. */
function same(x: Tensor, wanted: Tensor): void {
  assert.deepEqual([x.dtype, x.shape], [wanted.dtype, wanted.shape]);
  assert.deepEqual(x.toArray(), wanted.toArray());
}

// ---------------------------------------------------------------- devices

cuda('info() tells what there is', () => {
  const { devices, reason } = info().cuda;
  assert.equal(reason, '');
  assert.ok(devices.length >= 1);
  for (const [k, one] of devices.entries()) {
    assert.equal(one.device, `cuda:${k}`);
    assert.ok(one.name.length > 0);
    assert.match(one.capability!, /^\d+\.\d+$/);
    assert.ok(one.totalBytes > 0 && one.freeBytes <= one.totalBytes);
  }
  assert.deepEqual(deviceInfo('cuda').name, devices[0]!.name);
  const absent = `cuda:${devices.length}` as Device;
  const isRefused = refused(
    'ERR_UNSUPPORTED',
    new RegExp(`no device ${absent}: CUDA finds ${devices.length}`),
  );
  assert.throws(() => deviceInfo(absent), isRefused);
  assert.throws(() => zeros([1], { device: absent }), isRefused);
  assert.throws(() => ones([1]).to(absent), isRefused);
});

cuda('every function that makes tensors makes them on a device', () => {
  const makers: Record<string, (options: { device?: 'cuda' }) => Tensor> = {
    zeros: (o) => zeros([2, 3], o),
    ones: (o) => ones([2, 3], { ...o, dtype: 'int64' }),
    full: (o) => full([2], 7, o),
    eye: (o) => stria.eye(3, 4, o),
    arange: (o) => arange(1, 7, 2, o),
    linspace: (o) => stria.linspace(0, 1, 5, o),
    tensor: (o) =>
      tensor(
        [
          [1, 2.5],
          [3, -0],
        ],
        o,
      ),
    'tensor of a dtype': (o) => tensor([1, 0, 2], { ...o, dtype: 'bool' }),
    'tensor of a typed array': (o) => tensor(new BigInt64Array([1n, -2n]), o),
    'tensor of int32': (o) => tensor(new Int32Array([1, -2]), { ...o, dtype: 'float16' }),
    'tensor of a number': (o) => tensor(5, o),
    'tensor of nothing': (o) => tensor([], o),
    fromBytes: (o) => fromBytes(new Uint8Array([1, 2, 3, 4]), { ...o, dtype: 'int16' }),
    rand: (o) => rand([2, 3], o),
    randn: (o) => stria.randn([5], { ...o, generator: new Generator(3) }),
    randint: (o) => stria.randint(0, 9, [6], o),
  };
  for (const [name, make] of Object.entries(makers)) {
    manualSeed(5);
    const x = make({ device: 'cuda' });
    manualSeed(5);
    const wanted = make({});
    assert.equal(x.device, 'cuda:0', name);
    assert.deepEqual([x.dtype, x.shape, x.toArray()], [wanted.dtype, wanted.shape, wanted.toArray()], name);
  }
  assert.deepEqual(stria.empty([2, 3], { device: 'cuda' }).shape, [2, 3]);
  assert.deepEqual(stria.emptyStrided([2, 3], [1, 2], { device: 'cuda' }).strides, [1, 2]);
  assert.equal(stria.randLike(ones([2], { device: 'cuda' })).device, 'cuda:0');
  assert.equal(stria.randLike(ones([2]), { device: 'cuda' }).device, 'cuda:0');
  assert.deepEqual(ones([2], { device: 'cuda' }).zerosLike({ device: 'cpu' }).toArray(), [0, 0]);
  assert.equal(tensor([1], { device: 'cuda', requiresGrad: true }).requiresGrad, true);
});

cuda('products of float32 are in TF32 where that is asked for', () => {
  const { getFloat32MatmulPrecision: get, setFloat32MatmulPrecision: set } = stria;
  const x = stria.full([2, 2], 1 + 2 ** -12, { device: 'cuda' });
  const product = () => x.matmul(x).to('cpu').at(0, 0).item() as number;
  const exact = product();
  assert.equal(get(), 'highest');
  try {
    set('high');
    assert.equal(get(), 'high');
    assert.ok(Math.abs(product() - exact) < 2 ** -9);
    if (info().cuda.devices[0]!.name.startsWith('host runtime')) assert.equal(product(), 2);
  } finally {
    set('highest');
  }
  assert.equal(product(), exact);
});

cuda('files are read to a device', () => {
  const x = arange(6).reshape(2, 3).to('float16');
  const file = saveSafetensors({ x, y: x.gt(2) });
  const kept = [fromNpy(toNpy(x), { device: 'cuda' }), loadNpz(saveNpz({ x }), { device: 'cuda:0' }).x!];
  for (const copy of [undefined, true, false]) {
    const { tensors } = loadSafetensors(file, { copy, device: 'cuda' });
    same(tensors.y!, x.gt(2));
    kept.push(tensors.x!, tensors.y!);
    same(loadSafetensors(file, { copy, device: 'cpu' }).tensors.x!, x);
  }
  for (const y of kept) assert.equal(y.device, 'cuda:0');
  same(kept[0]!, x);
  same(kept[1]!, x);
  file.fill(0); // nothing shares it
  same(kept.at(-2)!, x);
  kept.forEach((y) => y.dispose());
  // where there is no memory on the device, nothing is left, of what came before either
  const large = saveSafetensors({ a: zeros([1000]), b: zeros([1 << 18]) });
  const bytes = memory('cuda').liveBytes;
  setMemoryLimit(bytes + (1 << 18), 'cuda');
  try {
    for (const load of [
      () => loadSafetensors(large, { device: 'cuda' }),
      () => loadNpz(saveNpz({ a: zeros([1000]), b: zeros([1 << 18]) }), { device: 'cuda' }),
      () => fromNpy(toNpy(zeros([1 << 18])), { device: 'cuda' }),
    ]) {
      assert.throws(
        () => scope(() => load() as unknown),
        refused('ERR_MEMORY', /^(loadSafetensors|loadNpz|fromNpy): .*cuda:0/),
      );
      assert.equal(memory('cuda').liveBytes, bytes);
    }
  } finally {
    setMemoryLimit(0, 'cuda');
  }
});

cuda('layers make their parameters on a device', () => {
  const layers: Record<string, (options: { device?: DeviceName; generator?: Generator }) => nn.Module> = {
    Linear: (o) => new nn.Linear(3, 2, o),
    'Linear without a bias': (o) => new nn.Linear(3, 2, { ...o, bias: false, dtype: 'float64' }),
    LayerNorm: ({ device }) => new nn.LayerNorm([2, 3], { device }),
    RMSNorm: ({ device }) => new nn.RMSNorm(3, { device, dtype: 'float16' }),
    Embedding: (o) => new nn.Embedding(5, 3, { ...o, paddingIdx: -1 }),
  };
  for (const [name, make] of Object.entries(layers)) {
    const here = make({ generator: new Generator(3) }).stateDict();
    const there = make({ generator: new Generator(3), device: 'cuda' });
    assert.ok(Object.keys(here).length > 0, name);
    for (const [key, x] of Object.entries(there.stateDict())) {
      assert.equal(x.device, 'cuda:0', `${name} ${key}`);
      same(x.detach(), here[key]!.detach());
    }
    for (const x of there.parameters()) assert.ok(x.isLeaf && x.requiresGrad, name);
    const isRefused = refused('ERR_ARGUMENT', /device must be one of/, 'device');
    assert.throws(() => make({ device: 'gpu' as DeviceName }), isRefused, name);
  }
});

cuda('to() takes every dtype and layout there, between, and back', () => {
  for (const { name: dtype } of dtypes) {
    const x = arange(24).sub(5).reshape(2, 3, 4).to(dtype);
    const layouts: [string, Tensor][] = [
      ['plain', x],
      ['transposed', x.permute(2, 0, 1)],
      ['reversed', x.flip([0, 2])],
      ['sliced', x.slice(2, 1, 4, 2)],
      ['expanded', x.select(0, 1).unsqueeze(0).expand(3, 3, 4)],
      ['one', x.at(1, 2, 3)],
      ['empty', x.slice(1, 0, 0)],
    ];
    for (const [layout, y] of layouts) {
      const there = y.to('cuda');
      assert.deepEqual([there.device, there.dtype, there.shape], ['cuda:0', dtype, y.shape], layout);
      assert.deepEqual(there.toArray(), y.toArray(), `${dtype} ${layout}`);
      assert.deepEqual(there.to('cpu').toArray(), y.toArray(), `${dtype} ${layout} back`);
    }
  }
  const x = arange(6).reshape(2, 3);
  same(x.to({ device: 'cuda', dtype: 'int8' }), x.to('int8'));
  same(x.to('cuda').to('float64').T, x.to('float64').T);
  same(to(x.T, 'cuda'), x.T);
  assert.deepEqual(x.T.to('cuda').strides, x.T.strides);
  if (info().cuda.devices.length > 1) {
    const other = x.to('cuda').T.to('cuda:1');
    assert.equal(other.device, 'cuda:1');
    same(other, x.T);
    assert.throws(() => other.add(x.T.to('cuda')), refused('ERR_DEVICE', /cuda:0.*cuda:1|cuda:1.*cuda:0/));
  }
});

// ---------------------------------------------------------------- reading and writing

cuda('everything that reads elements copies them from the device', () => {
  const wanted = arange(12).reshape(3, 4).mul(0.5);
  const x = wanted.to('cuda');
  for (const [there, here] of [
    [x, wanted],
    [x.T, wanted.T],
    [x.flip(0), wanted.flip(0)],
    [x.at(1), wanted.at(1)],
  ] as const) {
    assert.deepEqual(there.dataSync(), here.dataSync());
    assert.deepEqual(there.toArray(), here.toArray());
    assert.deepEqual(there.toJSON(), here.toJSON());
    assert.deepEqual(fromNpy(toNpy(there)).toArray(), here.toArray());
    assert.equal(String(there), String(here).replace(/\)$/, ', device=cuda:0)'));
    assert.equal(inspect(there), String(there));
    const file = loadSafetensors(saveSafetensors({ a: there }));
    same(file.tensors.a!, here);
  }
  assert.equal(x.at(1, 2).item(), 3);
  assert.equal(tensor(5n, { device: 'cuda' }).item({ bigint: true }), 5n);
  assert.equal(equal(x, x.clone()), true);
  assert.equal(x.gt(2).sum().item(), 7);
  const many = arange(3000, { device: 'cuda' }).reshape(50, 60);
  assert.equal(String(many), String(arange(3000).reshape(50, 60)).replace(/\)$/, ', device=cuda:0)'));
  assert.throws(
    () => x.borrow(() => 0),
    refused('ERR_DEVICE', /^borrow: x is on cuda:0, not in the memory of the CPU/, 'x'),
  );
});

cuda('data() has the elements of the moment, and holds nothing up', async () => {
  const x = arange(1 << 16, { device: 'cuda' });
  const reading = x.T.data();
  x.fill_(0);
  let isDone = false;
  void reading.then(() => (isDone = true));
  for (let k = 0; k < 20; k++) await null; // other turns come later
  assert.equal(isDone, false, 'it came at once');
  const data = await reading;
  assert.equal(data[65535], 65535);
  assert.equal((await x.data())[65535], 0);
  const gone = x.data();
  x.dispose();
  assert.equal((await gone).length, 1 << 16);
  await assert.rejects(x.data(), refused('ERR_DISPOSED', /^data: /));
  const both = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(async (k) => {
      using y = full([1000], k, { device: 'cuda' });
      return (await y.data())[999];
    }),
  );
  assert.deepEqual(both, [1, 2, 3, 4, 5, 6]);
  await synchronize('cuda');
});

cuda('elements are written by copies', () => {
  const x = zeros([2, 3], { device: 'cuda' });
  x.copy_([
    [1, 2, 3],
    [4, 5, 6],
  ]);
  assert.deepEqual(x.toArray(), [
    [1, 2, 3],
    [4, 5, 6],
  ]);
  x.T.copy_(arange(6).reshape(3, 2));
  assert.deepEqual(x.toArray(), [
    [0, 2, 4],
    [1, 3, 5],
  ]);
  x.set(0, 1, 9);
  x.set(1, [7, 7, 7]);
  x.set('...', 2, tensor([-1, -2]));
  assert.deepEqual(x.toArray(), [
    [0, 9, -1],
    [7, 7, -2],
  ]);
  x.set([0, 1], [1, 0], [10, 20]);
  x.set([1, 0], [2, 2], tensor([5n, 6n]));
  assert.deepEqual(x.toArray(), [
    [0, 10, 6],
    [20, 7, 5],
  ]);
  assert.deepEqual(x.at([1, 0], '1:').toArray(), [
    [7, 5],
    [10, 6],
  ]);
  assert.deepEqual(x.at([true, false]).toArray(), [[0, 10, 6]]);
  assert.deepEqual(x.at(x.gt(6)).toArray(), [10, 20, 7]);
  const here = zeros([2, 3]);
  here.copy_(x);
  same(here, x);
});

cuda('operands on different devices are refused, with both named', () => {
  const x = ones([2, 2]);
  const there = x.to('cuda');
  const both = /cuda:0.*cpu|cpu.*cuda:0/;
  for (const call of [
    () => add(x, there),
    () => there.mul(x),
    () => matmul(there, x),
    () => cat([there, x]),
    () => add(there, there, { out: x }),
    () => there.indexSelect(0, tensor([0n])),
    () => stria.where(x.gt(0), there, there),
    () => there.add_(x),
    () => stria.gather(there, 0, zeros([2, 2], { dtype: 'int64' })),
  ])
    assert.throws(call, refused('ERR_DEVICE', both));
  same(there.add(tensor(2)).mul(3), x.add(2).mul(3));
  same(stria.where(there.gt(0), 1, there), x);
});

cuda('structuredClone refuses a tensor; a worker has tensors of its own on the device', async () => {
  const x = ones([2], { device: 'cuda' });
  assert.throws(() => structuredClone(x), /could not be cloned/);
  x.dispose();
  const before = memory('cuda').liveBytes;
  for (let k = 0; k < 3; k++) {
    const worker = new Worker(new URL('./cuda_worker_program.js', import.meta.url));
    const [[report]] = (await Promise.all([once(worker, 'message'), once(worker, 'exit')])) as [
      [{ sum: number; last: number; live: number }],
      unknown,
    ];
    assert.deepEqual([report.sum, report.last], [999_000, 1000]);
    assert.ok(report.live > before);
  }
  assert.equal(memory('cuda').liveBytes, before, 'what the workers left went with them');
});

cuda(
  'a worker that is ended while it waits for elements leaves nothing behind, and the device works',
  async () => {
    const before = memory('cuda').liveBytes;
    const workerData = { count: 6, elements: 1 << 18 };
    for (let k = 0; k < 12; k++) {
      const worker = new Worker(new URL('./cuda_worker_stopped_program.js', import.meta.url), { workerData });
      await once(worker, 'message');
      assert.ok(memory('cuda').liveBytes >= before + 6 * 4 * workerData.elements);
      if (k % 3 > 0) await new Promise((resolve) => setTimeout(resolve, k)); // somewhere on the way
      assert.equal(await worker.terminate(), 1, 'it was still waiting');
      assert.equal(memory('cuda').liveBytes, before);
    }
    using x = arange(5, { device: 'cuda' });
    assert.deepEqual([...(await x.data())], [0, 1, 2, 3, 4]);
  },
);

// ---------------------------------------------------------------- memory

cuda('dispose, scope and using free memory of the device, and its statistics tell', () => {
  const bytes = 1 << 20;
  const before = memory('cuda');
  const host = memory().liveBytes;
  const x = zeros([bytes], { dtype: 'uint8', device: 'cuda' });
  const view = x.at('10:');
  const now = memory('cuda');
  assert.equal(now.liveBytes - before.liveBytes, bytes);
  assert.equal(now.liveStorages - before.liveStorages, 1);
  assert.ok(memory().liveBytes - host < 1 << 16, 'nothing on the host');
  x.dispose();
  assert.equal(memory('cuda').liveBytes - before.liveBytes, bytes, 'the view holds it');
  view.dispose();
  assert.equal(memory('cuda').liveBytes, before.liveBytes);
  scope(() => void zeros([bytes], { device: 'cuda' }).add(1).mul(2));
  assert.equal(memory('cuda').liveBytes, before.liveBytes);
  {
    using y = ones([bytes], { device: 'cuda' });
    assert.equal(memory('cuda').liveBytes - before.liveBytes, 4 * bytes);
    assert.equal(y.device, 'cuda:0');
  }
  assert.equal(memory('cuda').liveBytes, before.liveBytes);
  setMemoryLimit(2 * bytes, 'cuda');
  try {
    assert.throws(() => zeros([bytes], { device: 'cuda' }), refused('ERR_MEMORY', /^zeros: .*cuda:0/));
    assert.throws(() => ones([bytes]).to('cuda'), refused('ERR_MEMORY', /^to: .*cuda:0/));
    assert.equal(memory('cuda').limitBytes, 2 * bytes);
  } finally {
    setMemoryLimit(0, 'cuda');
  }
  assert.equal(zeros([bytes], { device: 'cuda' }).numel, bytes);
});

cuda('trimMemory gives back what is kept for reuse', async () => {
  ones([1 << 22], { device: 'cuda' }).dispose();
  await synchronize('cuda');
  const { cachedBytes } = memory('cuda');
  assert.ok(cachedBytes >= 1 << 24);
  trimMemory('cuda');
  assert.ok(memory('cuda').cachedBytes <= cachedBytes - (1 << 24));
});

cuda('the collector gives back memory of the device, in a loop that never pauses, too', async () => {
  const before = memory('cuda').liveBytes;
  const bytes = 16 << 20;
  const count = 300;
  let most = 0;
  for (let k = 0; k < count; k++) {
    stria.empty([bytes], { dtype: 'uint8', device: 'cuda' });
    most = Math.max(most, memory('cuda').liveBytes - before);
  }
  assert.ok(
    most < (count / 2) * bytes,
    `${Math.round(most / 2 ** 20)} MB of ${(count * bytes) / 2 ** 20} MB`,
  );
  for (let k = 0; k < 50 && memory('cuda').liveBytes > before; k++) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    (globalThis as { gc?: () => void }).gc!();
  }
  assert.ok(memory('cuda').liveBytes <= before, 'what nobody holds is gone');
  trimMemory('cuda');
});

// ---------------------------------------------------------------- gradients, training, programs

cuda('gradients come back to the device that a tensor was on', () => {
  const x = tensor([1, 2, 3], { requiresGrad: true });
  const scale = tensor([2, 3, 4], { device: 'cuda', requiresGrad: true });
  const y = x.to('cuda').mul(scale).sum();
  assert.equal(y.device, 'cuda:0');
  y.to('cpu').mul(2).backward();
  assert.deepEqual([x.grad!.device, scale.grad!.device], ['cpu', 'cuda:0']);
  assert.deepEqual(x.grad!.toArray(), [4, 6, 8]);
  assert.deepEqual(scale.grad!.toArray(), [2, 4, 6]);
  const z = tensor([1, 2], { requiresGrad: true, dtype: 'float64' });
  const cubes = stria.grad((a: Tensor) =>
    a.to({ device: 'cuda', dtype: 'float32' }).pow(3).sum().to({ device: 'cpu', dtype: 'float64' }),
  );
  same(cubes(z), tensor([3, 12], { dtype: 'float64' }));
  assert.throws(
    () => {
      scale.grad = ones([3]);
    },
    refused('ERR_DEVICE', /cuda:0.*cpu|cpu.*cuda:0/),
  );
});

class Net extends nn.Module {
  first = new nn.Linear(3, 8, { generator: new Generator(1) });
  norm = new nn.LayerNorm(8);
  second = new nn.Linear(8, 1, { generator: new Generator(2) });
  forward(x: Tensor): Tensor {
    return this.second.forward(this.norm.forward(this.first.forward(x)).tanh());
  }
}

type Maker = (net: Net) => {
  step(): void;
  zeroGrad(): void;
  save(): Uint8Array<ArrayBuffer>;
  load(bytes: Uint8Array): unknown;
};
const makers: Record<string, Maker> = {
  SGD: (net) => new optim.SGD(net.parameters(), { lr: 0.05, momentum: 0.9 }),
  AdamW: (net) => new optim.AdamW(net.parameters(), { lr: 0.02 }),
};

function train(device: Device, make: Maker): { net: Net; losses: number[]; state: Uint8Array } {
  const net = new Net().to(device);
  const optimizer = make(net);
  const x = stria.randn([32, 3], { generator: new Generator(7) }).to(device);
  const y = x.pow(2).sum(1, { keepdim: true });
  const losses: number[] = [];
  for (let k = 0; k < 20; k++)
    scope(() => {
      optimizer.zeroGrad();
      const loss = net.forward(x).sub(y).square().mean();
      loss.backward();
      optim.clipGradNorm(net.parameters(), 5);
      optimizer.step();
      losses.push(loss.item() as number);
    });
  const state = optimizer.save();
  optimizer.load(state);
  return { net, losses, state };
}

cuda('a regression learns on the device what it learns on the CPU', () => {
  for (const [name, make] of Object.entries(makers)) {
    const here = train('cpu', make);
    const there = train('cuda:0', make);
    assert.ok(here.losses[19]! < here.losses[0]! / 2, `${name} learns: ${here.losses}`);
    for (const [k, loss] of there.losses.entries())
      assert.ok(Math.abs(loss - here.losses[k]!) <= 1e-4 * here.losses[0]!, `${name}, step ${k}: ${loss}`);
    for (const x of there.net.parameters()) assert.equal(x.device, 'cuda:0');
    const back = new Net();
    back.loadStateDict(there.net.stateDict());
    back.load(there.net.save());
    for (const [key, x] of Object.entries(back.stateDict())) {
      same(x, there.net.stateDict()[key]!);
      assert.ok(stria.allclose(x, here.net.stateDict()[key]!, { atol: 1e-3 }), `${name} ${key}`);
    }
    const half = there.net.to({ device: 'cpu', dtype: 'float64' });
    for (const x of half.parameters()) assert.deepEqual([x.device, x.dtype], ['cpu', 'float64']);
    assert.throws(
      () => half.to('cuda:77' as never),
      refused('ERR_ARGUMENT', /device must be one of/, 'device'),
    );
    assert.throws(() => half.to('half' as never), refused('ERR_DTYPE', /dtype must be one of/, 'dtype'));
  }
});

cuda('batches of a data set on the device, in the order of the generator', () => {
  const x = arange(10);
  const of = (data: Tensor): unknown[] =>
    [...nn.batches(data, { size: 4, shuffle: true, generator: new Generator(4) })].map((batch) => {
      assert.equal(batch.device, data.device);
      return batch.toArray();
    });
  assert.deepEqual(of(x.to('cuda')), of(x));
});

cuda('compile() computes the same on the device; it moves nothing', () => {
  const f = stria.compile((a: Tensor) => a.mul(2).add(1).tanh());
  const x = arange(6).reshape(2, 3);
  const there = x.to('cuda');
  for (let k = 0; k < 3; k++) {
    same(f(x), x.mul(2).add(1).tanh());
    assert.equal(f(there).device, 'cuda:0');
    same(f(there), f(x));
  }
  const net = new Net().to('cuda');
  const optimizer = new optim.SGD(net.parameters(), { lr: 0.1 });
  const losses: number[] = [];
  const step = stria.compile((a: Tensor) => {
    optimizer.zeroGrad();
    const loss = net.forward(a).square().mean();
    loss.backward();
    optimizer.step();
    return loss.detach();
  });
  const batch = stria.randn([16, 3], { device: 'cuda', generator: new Generator(8) });
  for (let k = 0; k < 10; k++) losses.push(step(batch).item() as number);
  assert.ok(losses[9]! < losses[0]! / 2, `${losses}`);
  const both = stria.compile((a: Tensor, b: Tensor) => a.add(b));
  assert.throws(() => both(x, there), refused('ERR_DEVICE', /cpu.*cuda:0/));
  for (const moves of [(a: Tensor) => a.to('cpu'), (a: Tensor) => a.to({ device: 'cuda' }).neg()])
    assert.throws(
      () => stria.compile(moves)(there),
      refused('ERR_UNSUPPORTED', /^to: .*while compile\(\) records/),
    );
});

cuda('at() and set() with lists and numbers are recorded on the device', () => {
  const x = arange(12).reshape(4, 3).to('cuda');
  const changed = (change: (y: Tensor) => void) => (a: Tensor) => {
    const y = a.clone();
    change(y);
    return y;
  };
  for (const call of [
    (a: Tensor) => a.at([0, 2]),
    (a: Tensor) => a.at([0, 2], 1),
    (a: Tensor) => a.at(':', [true, false, true]),
    changed((y) => y.set('1:2', 7)),
    changed((y) => y.set(0, [1, 2, 3])),
    changed((y) => y.set([0, 2], ':', Float64Array.of(1, 2, 3))),
    changed((y) => y.set(0, y.select(0, 1))),
  ]) {
    const f = stria.compile(call);
    for (let k = 0; k < 2; k++) same(f(x), call(x));
    assert.equal(f(x).device, 'cuda:0');
  }
});

cuda('one recording serves many sizes on the device', () => {
  const f = stria.compile((a: Tensor) => a.mul(2).add(1).sum(0), { dynamic: [0] });
  for (const n of [5, 40, 3, 23, 5]) {
    const there = stria.randn([n, 3], { device: 'cuda', generator: new Generator(n) });
    assert.equal(f(there).device, 'cuda:0');
    same(f(there), there.mul(2).add(1).sum(0));
  }
  assert.equal(f.stats().misses, 1);
});

cuda('a saved program runs on the device that it is loaded to, wherever it was recorded', () => {
  const net = new Net();
  const f = stria.compile((a: Tensor) => net.forward(a).detach());
  const x = stria.randn([5, 3], { generator: new Generator(4) });
  const there = x.to('cuda');
  const program = stria.loadProgram(f.save(x), { device: 'cuda' });
  const back = stria.loadProgram(stria.compile((a: Tensor) => a.mul(2).add(1).tanh()).save(there));
  net.to('cuda');
  for (let k = 0; k < 3; k++) {
    const y = program(there) as Tensor;
    assert.equal(y.device, 'cuda:0');
    same(y, net.forward(there).detach());
    same(back(x) as Tensor, x.mul(2).add(1).tanh());
  }
  assert.throws(() => program(x), refused('ERR_DEVICE', /is on cpu, but was recorded as cuda:0/));
  const bytes = f.save(there);
  assert.throws(
    () => stria.loadProgram(bytes, { device: 'meta' }),
    refused('ERR_DEVICE', /do not run on meta/),
  );
  assert.throws(
    () => stria.loadProgram(bytes, { device: 'cuda:15' }),
    refused('ERR_UNSUPPORTED', /no device cuda:15/),
  );
  assert.throws(() => stria.loadProgram(bytes, { device: 'gpu' as never }), refused('ERR_ARGUMENT', /gpu/));
});

cuda('10000 hostile calls, half of the tensors on the device', async () => {
  await collect(0);
  await hostileCalls(10_000, Number(process.env.STRIA_SEED ?? 20_261_123), 'cuda');
  await collect(0);
  assert.equal(deviceInfo('cuda').device, 'cuda:0', 'the device works');
});
