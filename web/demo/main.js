// Start-up, and the picture panel: controls in, canvas and numbers out.
import * as stria from './stria.js';
import { showBits } from './bits_view.js';
import { startExplorer } from './explorer.js';
import { decode } from './file.js';
import { showEngine, showMemory, showWhySingle } from './masthead.js';
import { parameters, Pipeline } from './pipeline.js';
import { covering, fitted, loadOwn } from './picture.js';
import { PlainPipeline } from './plain.js';
import { Clock, element, fillTrack, showHistogram, showStatistics, showTimes } from './results.js';

const $ = (id) => document.getElementById(id);
const page = document.documentElement;
const form = $('controls');
const canvas = $('canvas');
const drawing = canvas.getContext('2d', { willReadFrequently: true });

const SETTLE = 180; // ms without a change before times are measured
const REPEATS = 7; // measuring runs then

let first, second; // bitmaps
let pipeline, plain; // of the present pictures
const clock = new Clock();
const plainClock = new Clock();
let change = 0; // counts changes, so that measuring stops when one comes
let opening = 0; // counts files, so that the last one chosen is shown
let measured; // called when times have been measured for the first time
const firstMeasured = new Promise((resolve) => (measured = resolve));

function settings() {
  const values = {};
  for (const { name, type, value, checked } of form.elements)
    if (name) values[name] = type === 'checkbox' ? checked : type === 'range' ? Number(value) : value;
  return values;
}

function say(where, error) {
  where.hidden = !error;
  where.textContent = error ? `${error.code ? `${error.name} (${error.code}): ` : ''}${error.message}` : '';
}

function showOutputs() {
  for (const input of form.querySelectorAll('.slider input')) {
    const { unit = '', signed } = input.dataset;
    const sign = signed !== undefined && Number(input.value) > 0 ? '+' : '';
    const text = `${sign}${input.value.replace('-', '−')}${unit}`;
    input.closest('.slider').querySelector('.value').textContent = text;
    input.setAttribute('aria-valuetext', text);
    fillTrack(input);
  }
}

function showState() {
  showEngine(stria.info());
  showMemory(stria.memory(), 1);
}

// ---- running

function paint(result) {
  if (canvas.width !== result.width || canvas.height !== result.height) {
    canvas.width = result.width;
    canvas.height = result.height;
  }
  const image = drawing.createImageData(result.width, result.height);
  pipeline.read(image.data);
  drawing.putImageData(image, 0, 0);
  $('result-shape').textContent = `[${result.height}, ${result.width}, 4] uint8`;
  showStatistics($('statistics'), result.statistics);
  showHistogram($('histogram-plot'), $('histogram-note'), result.histogram);
}

// Runs once, for the eye.
function process() {
  try {
    paint(pipeline.run(parameters(settings())));
    say($('alert'), null);
    return true;
  } catch (error) {
    say($('alert'), error);
    return false;
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Largest difference between the two results, in levels.
function difference() {
  const ours = new Uint8Array(plain.pixels.length);
  pipeline.read(ours);
  return ours.reduce((most, value, k) => Math.max(most, Math.abs(value - plain.pixels[k])), 0);
}

// Runs several times, for the clock, once the controls rest.
async function measure(mine) {
  await pause(SETTLE);
  const { compare } = settings();
  for (let k = 0; k < REPEATS && mine === change; k++) {
    const p = parameters(settings());
    pipeline.run(p);
    clock.add(pipeline.times);
    if (compare) {
      await pause(0);
      plain.run(p);
      plainClock.add(plain.times);
    }
    await pause(0);
  }
  if (mine !== change) return;
  showTimes($('times'), clock, compare ? plainClock : null);
  $('times-note').textContent =
    'Medians of the last runs, in milliseconds.' +
    (compare ? ` Results differ by at most ${difference()} of 255 levels.` : '');
  showState();
  page.dataset.state = 'ready';
  measured();
}

let isDue = false;

/** Runs again before the next frame. */
function update() {
  change++;
  page.dataset.state = 'busy';
  showOutputs();
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    if (!pipeline) return;
    if (process()) measure(change).catch((error) => say($('alert'), error));
    else page.dataset.state = 'failed';
  });
}

// ---- pictures

function restart() {
  const side = Number(settings().size);
  const picture = fitted(first, side);
  const other = covering(second, picture.width, picture.height);
  pipeline?.dispose();
  pipeline = undefined;
  pipeline = new Pipeline(picture, other);
  plain = new PlainPipeline(picture, other);
  clock.clear();
  plainClock.clear();
  $('photo-shape').textContent = `[${picture.height}, ${picture.width}, 4]`;
  update();
}

function showCredit(credits) {
  const parts = credits
    .filter(Boolean)
    .map(({ title, author, licence, url }) => [
      `${title}, ${author}, `,
      element('a', { href: url, textContent: licence }),
    ]);
  const words = parts.flatMap((part, k) => (k ? ['; second: ', ...part] : part));
  $('credit').replaceChildren(
    ...(words.length ? ['Photograph: ', ...words, ' (scaled)'] : ['Drawn by this page']),
  );
}

// What is wrong with a file is said on the picture, which stays what it was.
async function open(file) {
  if (!file) return;
  const mine = ++opening;
  try {
    const bitmap = await decode(file);
    if (mine !== opening) return;
    first = bitmap;
    $('credit').textContent = file.name;
    restart();
  } catch (error) {
    if (mine === opening) say($('alert'), error);
  }
}

function listen() {
  form.addEventListener('input', ({ target }) => {
    if (target.type === 'file') return;
    if (target.name === 'threads') {
      stria.setThreads(Number(target.value));
      clock.clear();
      showState();
    }
    if (target.name === 'step') [clock, plainClock].forEach((each) => each.clear());
    if (target.name === 'size') restart();
    else update();
  });
  form.addEventListener('reset', () =>
    setTimeout(() => {
      stria.setThreads(Number(settings().threads));
      restart();
    }),
  );
  form.addEventListener('submit', (event) => event.preventDefault());
  $('file').addEventListener('change', ({ target }) => {
    open(target.files[0]);
    target.value = '';
  });
  let depth = 0; // dragenter and dragleave come for every element that is crossed
  const show = (by) => $('drop').classList.toggle('shown', (depth += by) > 0);
  addEventListener('dragenter', () => show(1));
  addEventListener('dragleave', () => show(-1));
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    show(-depth);
    open(event.dataTransfer.files[0]);
  });
}

function offerThreads() {
  const { threads } = stria.info();
  const input = form.elements.threads;
  input.max = threads;
  input.setAttribute('value', threads); // what a reset returns to
  input.value = threads;
  $('threads-row').hidden = threads === 1;
}

async function start() {
  showOutputs();
  if (matchMedia('(max-width: 600px)').matches) form.elements.size.value = '640';
  const own = loadOwn();
  const variant = new URLSearchParams(location.search).get('variant') ?? undefined; // ?variant=simd: another module
  await stria.init({ quiet: true, variant });
  showState();
  showWhySingle(stria.info());
  offerThreads();
  startExplorer();
  const pictures = await own;
  [first, second] = pictures.map(({ bitmap }) => bitmap);
  showCredit(pictures.map(({ credit }) => credit));
  listen();
  restart();
  $('loading').remove();
  await firstMeasured;
  await showBits($('bits'), $('hashes'), $('bits-note'));
  showState();
}

start().catch((error) => {
  page.dataset.state = 'failed';
  $('loading').textContent = 'The engine did not start.';
  say($('alert'), error);
});
