// What the heads of all pages share: what runs here, in the empty list that each has for it.
const $ = (id) => document.getElementById(id);
const rows = { backend: 'Backend', isa: 'Instructions', threads: 'Threads', memory: 'Tensor memory' };

$('engine').innerHTML = Object.entries(rows)
  .map(([name, title]) => `<div><dt>${title}</dt><dd id="engine-${name}">&nbsp;</dd></div>`)
  .join('');
$('engine-backend').textContent = 'loading';

/** Says what info() found. */
export function showEngine({ backend, variant, isa, threads, version }) {
  $('engine-backend').textContent = backend === 'wasm' ? `WebAssembly, ${variant}` : backend;
  $('engine-isa').textContent = isa;
  $('engine-threads').textContent = threads;
  $('version').textContent = version;
}

/** Says how much memory tensors hold. */
export function showMemory({ liveBytes }, digits) {
  $('engine-memory').textContent = `${(liveBytes / 1e6).toFixed(digits)} MB`;
}

/** Why there is one thread, in the notice of the page, where a header that the server may send would change it. */
export function showWhySingle({ crossOriginIsolated, reason, threads }) {
  if (crossOriginIsolated !== false) return;
  const notice = $('notice');
  notice.hidden = false;
  notice.textContent =
    `Running on ${threads === 1 ? 'one thread' : `${threads} threads`} (${reason}). Served with the headers ` +
    'Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp, this page can use more.';
}
