// package.mjs - examples of docs/reference: what is no row: functions of the package, members of a tensor. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: init
{
  const { backend } = await st.init();
  ['native', 'wasm'].includes(backend); // => true
}

// example: info
{
  const { threads, isa } = st.info();
  [typeof threads, typeof isa]; // => ['number', 'string']
}

// example: setThreads
{
  const before = st.getThreads();
  st.setThreads(1);
  st.getThreads(); // => 1
  st.setThreads(before);
}

// example: getThreads
{
  st.getThreads() >= 1; // => true
}

// example: setFloat32MatmulPrecision
{
  st.setFloat32MatmulPrecision('high'); // TF32 on CUDA devices; the CPU has no such products
  st.getFloat32MatmulPrecision(); // => 'high'
  st.setFloat32MatmulPrecision('highest');
}

// example: getFloat32MatmulPrecision
{
  st.getFloat32MatmulPrecision(); // => 'highest'
}

// example: tensor
{
  st.tensor([[1, 2], [3, 4]]).dtype; // => 'float32'
  st.tensor(new Uint8Array([1, 2, 3, 4]), { shape: [2, 2] }); // => [[1, 2], [3, 4]]
  st.tensor([1n, 2n]).dtype; // => 'int64'
  st.tensor([1.7, 0], { dtype: 'bool' }); // => [true, false]
}

// example: fromBytes
{
  const bytes = new Uint8Array(new Float64Array([1, 2, 3]).buffer);
  st.fromBytes(bytes, { dtype: 'float64' }); // => [1, 2, 3]
}

// example: fromNpy
{
  const bytes = st.toNpy(st.tensor([[1, 2], [3, 4]]));
  st.fromNpy(bytes); // => [[1, 2], [3, 4]]
}

// example: toNpy
{
  const bytes = st.toNpy(st.tensor([1, 2, 3]));
  String.fromCharCode(...bytes.slice(1, 6)); // => 'NUMPY'
  bytes.length; // => 140
}

// example: loadSafetensors
{
  const bytes = st.saveSafetensors({ weight: st.tensor([[1, 2]]), bias: st.tensor([0.5]) }, { step: '100' });
  const { tensors, metadata } = st.loadSafetensors(bytes);
  tensors.weight; // => [[1, 2]]
  metadata.step; // => '100'
}

// example: saveSafetensors
{
  const bytes = st.saveSafetensors(new Map([['x', st.tensor([1, 2, 3])]]));
  bytes.length; // => 76
}

// example: dispose
{
  const x = st.tensor([1, 2, 3]);
  st.dispose(x);
  x.isDisposed; // => true
  x.add(1); // throws ERR_DISPOSED
}

// example: memory
{
  const before = st.memory().liveTensors;
  const x = st.zeros([256]);
  st.memory().liveTensors - before; // => 1
  x.storageBytes; // => 1024
}

// example: scope
{
  const before = st.memory().liveTensors;
  const y = st.scope(() => st.tensor([1, 2]).add(1).mul(10));
  y; // => [20, 30]
  st.memory().liveTensors - before; // => 1
}

// example: setMemoryLimit
{
  st.setMemoryLimit(st.memory().liveBytes + 1000);
  st.zeros([1e6]); // throws ERR_MEMORY
  st.setMemoryLimit(0);
}

// example: deviceInfo
{
  st.deviceInfo('cpu').device; // => 'cpu'
  const { devices, reason } = st.info().cuda; // GPUs, or why there is none
  devices.length > 0 || reason.length > 0; // => true
}

// example: synchronize
{
  await st.synchronize('cpu'); // => undefined
}

// example: trimMemory
{
  st.trimMemory();
  st.memory().cachedBytes; // => 0
}

// example: kernel
{
  const swish = st.kernel((x) => x.mul(x.sigmoid()));
  swish(st.tensor([-1, 0, 2])); // => [-0.2689, 0, 1.7616]
}

// example: compile
{
  const f = st.compile((x, y) => x.mul(y).add(1).relu());
  f(st.tensor([1, 2]), st.tensor([3, -4])); // => [4, 0]
  f(st.tensor([2, 2]), st.tensor([1, 1])); // => [3, 3]
  f.stats().hits; // => 1
  f.dispose();
}

// example: loadProgram
{
  const w = st.tensor([[1, 2], [3, 4]]);
  const layer = st.compile((x) => x.matmul(w).relu());
  const bytes = layer.save(st.zeros([1, 2]));
  layer.dispose();
  const program = st.loadProgram(bytes); // here, or where they were sent to
  program(st.tensor([[1, -1]])); // => [[0, 0]]
  program(st.tensor([[1, 1]])); // => [[4, 6]]
  program.dispose();
}

// example: inspect
{
  const plan = st.inspect('add', st.zeros([4, 5]), st.zeros([5], { dtype: 'int32' }));
  plan.shape; // => [4, 5]
  plan.computeDType; // => 'float32'
}

// example: x.shape
{
  st.zeros([2, 3]).shape; // => [2, 3]
}

// example: x.strides
{
  st.zeros([2, 3]).transpose(0, 1).strides; // => [1, 3]
}

// example: x.dtype
{
  st.tensor([1, 2]).gt(1).dtype; // => 'bool'
}

// example: x.ndim
{
  st.zeros([2, 3]).ndim; // => 2
}

// example: x.numel
{
  st.zeros([2, 3]).numel; // => 6
}

// example: x.device
{
  st.zeros([2]).device; // => 'cpu'
}

// example: x.isContiguous
{
  st.zeros([2, 3]).transpose(0, 1).isContiguous; // => false
}

// example: x.storageBytes
{
  st.zeros([100]).slice(0, 0, 10).storageBytes; // => 400
}

// example: x.isDisposed
{
  const x = st.tensor([1]);
  x.dispose();
  x.isDisposed; // => true
}

// example: x.dispose
{
  const x = st.tensor([1]);
  x.dispose();
  x.item(); // throws ERR_DISPOSED
}

// example: x.dataSync
{
  const data = st.tensor([[1, 2], [3, 4]]).dataSync();
  data instanceof Float32Array; // => true
  data; // => [1, 2, 3, 4]
}

// example: x.data
{
  const data = await st.tensor([1, 2, 3]).data();
  data; // => [1, 2, 3]
}

// example: x.toArray
{
  st.tensor([[1, 2], [3, 4]]).toArray(); // => [[1, 2], [3, 4]]
  st.tensor([1n, 2n]).toArray(); // => [1, 2]
}

// example: x.item
{
  st.tensor([3, 4]).sum().item(); // => 7
  st.tensor([5], { dtype: 'int64' }).item(); // => 5
}

// example: x.borrow
{
  const x = st.tensor([1, 2, 3]);
  x.borrow((data) => data.reverse());
  x; // => [3, 2, 1]
}

// example: x.clone
{
  const x = st.tensor([1, 2]);
  const copy = x.clone();
  x.fill_(0);
  copy; // => [1, 2]
}

// example: x.at
{
  const x = st.tensor([[1, 2, 3], [4, 5, 6]]);
  x.at(1); // => [4, 5, 6]
  x.at(':', '1:'); // => [[2, 3], [5, 6]]
  x.at('...', -1); // => [3, 6]
  x.at(x.gt(2)); // => [3, 4, 5, 6]
  x.at([0, 1], [2, 0]); // => [3, 4]
}

// example: x.set
{
  const x = st.tensor([[1, 2, 3], [4, 5, 6]]);
  x.set(0, '::2', 0);
  x.set(x.gt(4), -1);
  x; // => [[0, 2, 0], [4, -1, -1]]
}

// example: x.mT
{
  st.zeros([10, 2, 3]).mT.shape; // => [10, 3, 2]
}

// example: x.T
{
  st.tensor([[1, 2, 3], [4, 5, 6]]).T; // => [[1, 4], [2, 5], [3, 6]]
}

// example: x.toString
{
  String(st.tensor([1, 2.5])); // => 'tensor([1, 2.5], dtype=float32)'
}

// example: x.toJSON
{
  JSON.stringify({ x: st.tensor([[1, 2]]) }); // => '{"x":[[1,2]]}'
}

// example: defaultGenerator
{
  st.manualSeed(1);
  const generator = st.defaultGenerator();
  generator.getState().offset; // => 0
}

// example: manualSeed
{
  st.manualSeed(42);
  const x = st.rand(3);
  st.manualSeed(42);
  st.rand(3).eq(x).all().item(); // => true
}

// example: fromBuffer
{
  const samples = new Float32Array([1, 2, 3]);
  const x = st.fromBuffer(samples);
  x.add(1); // => [2, 3, 4]
}

// example: checkpoint
{
  const x = st.tensor([1, 2]).requiresGrad_();
  st.checkpoint((a) => a.mul(a).mul(3), x).sum().backward();
  x.grad; // => [6, 12]
}

// example: enableGrad
{
  const x = st.tensor([1, 2]).requiresGrad_();
  st.noGrad(() => st.enableGrad(() => x.mul(2).requiresGrad)); // => true
}

// example: grad
{
  const x = st.tensor([1, 2]).requiresGrad_();
  st.grad(x.mul(x).sum(), x); // => [2, 4]
  const derivative = st.grad((a) => a.mul(a).mul(a).sum());
  derivative(st.tensor([1, 2])); // => [3, 12]
  st.grad((a) => derivative(a).sum())(st.tensor([1, 2])); // => [6, 12]
}

// example: isGradEnabled
{
  [st.isGradEnabled(), st.noGrad(() => st.isGradEnabled())]; // => [true, false]
}

// example: jvp
{
  const [y, tangent] = st.jvp((a) => a.mul(a), [st.tensor([1, 2])], [st.tensor([1, 10])]);
  y; // => [1, 4]
  tangent; // => [2, 40]
}

// example: noGrad
{
  const w = st.tensor([1, 2]).requiresGrad_();
  w.mul(3).sum().backward();
  st.noGrad(() => w.sub_(w.grad));
  w; // => [-2, -1]
}

// example: valueAndGrad
{
  const [value, gradient] = st.valueAndGrad((a) => a.mul(a).sum())(st.tensor([1, 2]));
  value; // => 5
  gradient; // => [2, 4]
}

// example: vjp
{
  const [y, pull] = st.vjp((a) => a.mul(a), st.tensor([1, 2]));
  y; // => [1, 4]
  pull(st.tensor([1, 10])); // => [2, 40]
}

// example: x.requiresGrad
{
  const x = st.tensor([1, 2]);
  x.requiresGrad = true;
  x.mul(2).requiresGrad; // => true
}

// example: x.requiresGrad_
{
  st.tensor([1, 2]).requiresGrad_().requiresGrad; // => true
}

// example: x.isLeaf
{
  const x = st.tensor([1, 2]).requiresGrad_();
  [x.isLeaf, x.mul(2).isLeaf]; // => [true, false]
}

// example: x.grad
{
  const x = st.tensor([1, 2]).requiresGrad_();
  x.mul(x).sum().backward();
  x.grad; // => [2, 4]
  x.grad = null;
}

// example: x.backward
{
  const x = st.tensor([1, 2]).requiresGrad_();
  const y = x.mul(x);
  y.backward(st.tensor([1, 10]), { retainGraph: true });
  y.sum().backward();
  x.grad; // => [4, 44]
}

// example: x.retainGrad
{
  const x = st.tensor([1, 2]).requiresGrad_();
  const y = x.mul(2).retainGrad();
  y.mul(y).sum().backward();
  y.grad; // => [4, 8]
}

// example: x.registerHook
{
  const x = st.tensor([1, 2]).requiresGrad_();
  const hook = x.registerHook((gradient) => gradient.mul(10));
  x.sum().backward();
  x.grad; // => [10, 10]
  hook.remove();
}

// example: x.detach_
{
  const x = st.tensor([1, 2]).requiresGrad_();
  x.mul(2).detach_().requiresGrad; // => false
}
