import { compute } from './compute.js';

onmessage = ({ data }) =>
  compute(data)
    .catch((error) => ({ error: String(error) }))
    .then(postMessage);
