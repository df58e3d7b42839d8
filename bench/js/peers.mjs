// peers.mjs - the JavaScript libraries beside stria, each behind the same three functions.
//
//   tensor(data, shape)      an input
//   job(row, tensors)        () => result of one call, or a promise of it; undefined: the row has no form for this library
//   read(result)             its elements, or a promise of them
//   end(result)              gives the result's memory back
//
// Plain loops and onnxruntime-node write into one output; every other library makes a new one per call, as its users do.

import { createRequire, register } from 'node:module';
import { dirname } from 'node:path';

import { onnxModel } from './onnx_model.mjs';

const require = createRequire(import.meta.url);
const size = (shape) => shape.reduce((a, b) => a * b, 1);

function version(name) {
  // not every package exports its package.json
  let folder = dirname(require.resolve(name));
  for (;;) {
    try {
      const found = require(`${folder}/package.json`);
      if (found.name === name) return found.version;
    } catch {
      // no such file here
    }
    if (folder === dirname(folder)) return 'unknown';
    folder = dirname(folder);
  }
}

async function plain() {
  return {
    version: process.version,
    tensor: (data) => data,
    job(row, tensors) {
      const out = new (row.bytes === 'out' ? Uint8Array : Float32Array)(size(row.out));
      const call = row.plain?.(null, tensors, out);
      return (
        call &&
        (() => {
          call();
          return out;
        })
      );
    },
    read: (out) => out,
    end: () => {},
  };
}

async function tfjs() {
  register('./tfjs_modules.mjs', import.meta.url);
  globalThis.require = require; // which its modules look for in Node
  const tf = await import('@tensorflow/tfjs-core');
  await import('@tensorflow/tfjs-core/dist/register_all_gradients');
  const wasm = await import('@tensorflow/tfjs-backend-wasm');
  wasm.setWasmPaths(dirname(require.resolve('@tensorflow/tfjs-backend-wasm')) + '/');
  tf.env().set('IS_NODE', true);
  await tf.setBackend('wasm');
  await tf.ready();
  const simd = await tf.env().getAsync('WASM_HAS_SIMD_SUPPORT');
  delete globalThis.require;
  return {
    version: `${tf.version_core}${simd ? ' SIMD' : ''}, one thread (it has no threads in Node)`,
    tensor: (data, shape) => tf.tensor(data, shape),
    job: (row, tensors) => row.tfjs?.(tf, tensors),
    read: (y) => y.dataSync(),
    end: (y) => y.dispose(),
  };
}

async function numpyts() {
  const np = await import('numpy-ts');
  return {
    version: `${version('numpy-ts')}, one thread`,
    tensor: (data, shape) => np.array(data, 'float32').reshape(shape),
    job: (row, tensors) => row.numpyts?.(np, tensors),
    read: (y) => (typeof y === 'number' ? [y] : y.data),
    end: (y) => typeof y === 'number' || y.dispose(),
  };
}

async function jax() {
  const library = await import('@jax-js/jax');
  await library.init('wasm');
  library.defaultDevice('wasm');
  return {
    version: `${version('@jax-js/jax')} wasm, jit, one thread`,
    tensor: (data, shape) => library.numpy.array(Float32Array.from(data)).reshape(shape),
    job(row, tensors) {
      if (row.jaxStep) return row.jaxStep(library, tensors);
      if (!row.jax) return undefined;
      const call = library.jit(row.jax(library.numpy, library.nn));
      const inputs = Object.values(tensors);
      return async () => {
        const y = call(...inputs.map((x) => x.ref));
        await y.blockUntilReady();
        return y;
      };
    },
    read: (y) => y.ref.data(),
    end: (y) => y.dispose(),
  };
}

async function onnxRuntime(name, threads, isWeb) {
  const loaded = await import(name);
  const ort = loaded.default ?? loaded;
  if (isWeb) ort.env.wasm.numThreads = threads;
  const options = isWeb
    ? { executionProviders: ['wasm'] }
    : { intraOpNumThreads: threads, interOpNumThreads: 1 };
  const trial = { inputs: { a: [1] }, outShape: [1], nodes: [['Relu', ['a'], 'y']] };
  await ort.InferenceSession.create(onnxModel(trial), options); // starts its threads
  return {
    version: `${version(name)}, ${threads} thread${threads > 1 ? 's' : ''}${isWeb ? '' : ', output reused'}`,
    tensor: (data, shape) => new ort.Tensor('float32', Float32Array.from(data), shape),
    async job(row, tensors) {
      if (!row.onnx) return undefined;
      const model = onnxModel({ ...row.onnx, inputs: row.in, outShape: row.out });
      const session = await ort.InferenceSession.create(model, options);
      if (isWeb) return () => session.run(tensors); // it does not write to an output that it is given
      const given = { y: new ort.Tensor('float32', new Float32Array(size(row.out)), row.out) };
      return () => session.run(tensors, given);
    },
    read: (results) => results.y.data,
    end: () => {},
  };
}

async function stria(backend, variant, threads) {
  const library = {
    ...(await import('../../bindings/js/dist/node.js')),
    optim: await import('../../bindings/js/dist/optim.js'),
  };
  const info = await library.init({ backend, ...(variant && { variant }), threads, quiet: true });
  return {
    version: `${info.version} ${info.backend}${info.variant ? ` ${info.variant}` : ''} ${info.isa}, threads: ${info.threads}`,
    isa: info.isa,
    library,
    tensor: (data, shape) => library.tensor(data, { shape }),
    job: (row, tensors) => row.stria(library, tensors),
    read: (y) => y.dataSync(),
    end: (y) => y.dispose(),
  };
}

/** The libraries of one run, stria last: { peers: { name: library }, absent: { name: why } }. */
export async function loadPeers({ backend, variant, threads }) {
  const wanted =
    backend === 'wasm'
      ? {
          ...(threads === 1 && variant === 'simd' && { plain }),
          numpyts,
          jax,
          tfjs,
          'ort-web': () => onnxRuntime('onnxruntime-web', threads, true),
        }
      : { 'ort-node': () => onnxRuntime('onnxruntime-node', threads, false) };
  const peers = {};
  const absent = {};
  const hadWorker = 'Worker' in globalThis;
  for (const [name, load] of Object.entries(wanted)) {
    try {
      peers[name] = await load();
    } catch (error) {
      absent[name] = String(error.message).split('\n')[0];
    }
  }
  peers.stria = await stria(backend, variant, threads);
  // All have their threads now. Emscripten's modules leave a global Worker behind, which jax-js takes for a browser's.
  if (!hadWorker) delete globalThis.Worker;
  return { peers, absent };
}
