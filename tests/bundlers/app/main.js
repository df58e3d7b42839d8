// The page: computes here, or with ?worker in a worker of its own. ?options=.. is given to init.
import { compute } from './compute.js';

const query = new URLSearchParams(location.search);
const options = JSON.parse(query.get('options') ?? '{}');

function inWorker() {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => reject(new Error(`worker: ${event.message}`));
    worker.postMessage(options);
  });
}

(query.has('worker') ? inWorker() : compute(options)).then(
  (result) => (globalThis.result = result),
  (error) => (globalThis.result = { error: String(error) }),
);
