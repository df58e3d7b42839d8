// The compiler page: a function, its picture, and its times.
import { element } from '../results.js';
import { showEngine, showMemory, showWhySingle } from '../masthead.js';
import { examples, open } from './examples.js';
import { measure } from './measure.js';
import { explainSvg, info, init, memory, scope } from './stria.js';

const $ = (id) => document.getElementById(id);
const page = document.documentElement;
const form = $('choices');
const fields = form.elements;
const WIDE = 760; // pixels; a picture beyond is not shrunk, but moved

let opened;
let round = 0; // of measurements; a newer one ends those before

const words = new RegExp(
  [
    String.raw`(?<comment>\/\/.*)`,
    String.raw`(?<word>\b(?:function|const|return|new|true)\b)`,
    String.raw`(?<number>\b\d+(?:\.\d+)?\b)`,
  ].join('|'),
  'g',
);

// The text of a function, with its words marked.
function showCode(code) {
  const text = code.toString();
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(words)) {
    parts.push(text.slice(end, found.index));
    const [className] = Object.entries(found.groups).find(([, part]) => part !== undefined);
    parts.push(element('span', { className, textContent: found[0] }));
    end = found.index + found[0].length;
  }
  $('code').replaceChildren(...parts, text.slice(end));
}

function showPicture() {
  const svg = explainSvg(opened.program.explain(), { of: fields.form.value, colours: 'page' });
  $('drawing').innerHTML = svg;
  const drawn = $('drawing').firstElementChild;
  $('drawing').dataset.wide = drawn.width.baseVal.value > WIDE;
}

// ---- times

const milliseconds = (ms) => (ms >= 100 ? ms.toFixed(0) : ms >= 1 ? ms.toFixed(2) : ms.toFixed(4));

function showTimes(times) {
  const most = Math.max(...Object.values(times));
  for (const [name, ms] of Object.entries(times)) {
    $(`time-${name}`).textContent = `${milliseconds(ms)} ms`;
    $(`bar-${name}`).style.setProperty('inline-size', `${(100 * ms) / most}%`);
  }
  const ratio = times.compiled / times.eager;
  $('ratio').textContent = ratio.toFixed(2);
  $('times').dataset.report = JSON.stringify({ ...times, ratio });
}

function clearTimes() {
  for (const name of ['eager', 'compiled']) {
    $(`time-${name}`).textContent = '–';
    $(`bar-${name}`).style.setProperty('inline-size', '0');
  }
  $('ratio').textContent = '–';
}

const bytesOf = (x) => {
  const { buffer, byteOffset, byteLength } = x.dataSync();
  return new Uint8Array(buffer, byteOffset, byteLength);
};

// Whether both ways give the same, three times: a step of training goes on from where the last one was.
function agree() {
  for (let k = 0; k < 3; k++) {
    const isSame = scope(() => {
      const [a, b] = [bytesOf(opened.eager()), bytesOf(opened.compiled())];
      return a.length === b.length && a.every((byte, n) => byte === b[n]);
    });
    if (!isSame) return false;
  }
  return true;
}

async function run() {
  const own = ++round;
  page.dataset.state = 'running';
  $('again').disabled = true;
  clearTimes();
  $('status').textContent = 'Recording';
  const example = examples[fields.example.value];
  opened?.dispose();
  opened = open(example, Number(fields.size.value));
  const { eager, compiled, program } = opened;
  const isSame = agree();
  const { recordingMs } = program.stats();
  showPicture();
  $('status').textContent = 'Measuring';
  const ways = { eager: () => scope(() => void eager()), compiled: () => scope(() => void compiled()) };
  const times = await measure(ways, () => own !== round, showTimes);
  if (times === undefined) return;
  showMemory(memory(), 1);
  const bits = isSame ? 'Both give the same bits.' : 'Products are rounded in another order.';
  const { recordings } = program.stats();
  const once = `Recorded ${recordings === 1 ? 'once' : `${recordings} times`}, in ${recordingMs.toFixed(1)} ms.`;
  $('status').textContent = `${bits} ${once}`;
  $('again').disabled = false;
  page.dataset.state = 'ready';
}

// ---- choices

function choose() {
  const example = examples[fields.example.value];
  $('note').textContent = example.note;
  showCode(example.code);
  fields.size.replaceChildren(
    ...example.sizes.map((size) =>
      element('option', {
        value: size,
        textContent: example.sizeText(size),
        selected: size === example.usual,
      }),
    ),
  );
  return run();
}

$('examples').append(
  ...Object.entries(examples).map(([id, { title }], k) =>
    element(
      'label',
      {},
      element('input', { type: 'radio', name: 'example', value: id, checked: k === 0 }),
      element('span', { textContent: title }),
    ),
  ),
);
const variant = new URLSearchParams(location.search).get('variant') ?? undefined; // ?variant=simd: another module
await init({ quiet: true, variant });
showEngine(info());
showWhySingle(info());
form.addEventListener('change', ({ target }) => {
  if (target.name === 'form') showPicture();
  else if (target.name === 'example') choose();
  else run();
});
form.addEventListener('submit', (event) => event.preventDefault());
$('again').addEventListener('click', run);
await choose();
