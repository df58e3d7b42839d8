// The training page: controls and drawings to the worker, its reports to counters, curves and pictures.
import { element, fillTrack } from '../results.js';
import { Chart } from './chart.js';
import {
  CLASSES,
  MOST_MISREAD,
  MOST_SEED,
  SIDE,
  batchSizes,
  hiddenSizes,
  isSeed,
  learningRates,
  optimizers,
  usual,
} from './choices.js';
import { colour } from './colour.js';
import { Engine } from './engine.js';
import { pixelsOf } from './glyph.js';
import { History } from './history.js';
import { showEngine, showMemory, showWhySingle } from '../masthead.js';
import { Pad, drawPixels } from './pad.js';
import { drawWeights } from './weights.js';

const $ = (id) => document.getElementById(id);
const page = document.documentElement;
const form = $('controls');
const fields = form.elements;

const MOST_FILE_BYTES = 16e6;

const lossHistory = new History();
const accuracyHistory = new History();
const percent = (share) => `${(100 * share).toFixed(1)} %`;
const number = (value) => Math.round(value).toLocaleString('en');
const short = (value) => (value >= 1e-3 ? value.toFixed(4) : value.toExponential(1));

let engine;
let settings = { ...usual };
let last; // report
let recentLoss; // mean since the report before it
let label; // of the held-out digit that is shown

function say(where, text) {
  where.hidden = !text;
  where.textContent = text ?? '';
}

// -------------------------------------------------------------- state

// loading, ready, running or failed
function enter(state) {
  page.dataset.state = state;
  const isRunning = state === 'running';
  const isUsable = isRunning || state === 'ready';
  $('start').textContent = isRunning ? 'Pause' : 'Start';
  $('start').disabled = !isUsable;
  $('step').disabled = state !== 'ready';
  for (const id of ['save', 'example', 'file']) $(id).disabled = !isUsable;
  $('verdict').setAttribute('aria-live', isRunning ? 'off' : 'polite'); // it changes with every report
  $('reset').disabled = !last || state === 'loading'; // after a failure it begins anew
  for (const set of form.querySelectorAll('fieldset')) set.disabled = state === 'loading';
}

function run() {
  say($('alert'));
  $('status').textContent = 'Training …';
  enter('running');
  engine.send('run');
}

const where = () => {
  const share = accuracyHistory.last;
  const read = share === undefined ? '' : `; ${percent(share)} of the held-out digits read right`;
  return `step ${number(last.steps)}${read}`;
};

const rested = {
  paused: () => `Paused at ${where()}.`,
  stepped: () => `At ${where()}.`,
  diverged: () => `Stopped at ${where()}.`,
};

// -------------------------------------------------------------- what the worker says

let isDue = false;

// Draws the last report before the next frame.
function show() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    showCounters();
    for (const chart of charts) chart.update(accuracyHistory.first ?? 0, last.steps);
    drawWeights($('weights'), last.weights);
  });
}

function showCounters() {
  const { steps, epochs, rate, memory } = last;
  $('count-step').textContent = number(steps);
  $('count-epoch').textContent = epochs.toFixed(1);
  if (rate !== null) $('count-rate').textContent = number(rate);
  $('count-loss').textContent = recentLoss === undefined ? '–' : short(recentLoss);
  $('count-accuracy').textContent = accuracyHistory.last === undefined ? '–' : percent(accuracyHistory.last);
  showMemory(memory, 2);
  const { weights, losses, accuracies, misread: wrong, ...facts } = last;
  $('counters').dataset.report = JSON.stringify({ ...facts, accuracy: accuracyHistory.last });
}

// What the curves and pictures show, in words.
function describe() {
  const steps = `${number(last.steps)} steps`;
  const units = last.weights.length / SIDE ** 2;
  const label = (id, words) => $(id).setAttribute('aria-label', words);
  label('loss', `Loss over ${steps}, at the end ${short(recentLoss)}`);
  label(
    'accuracy',
    `Share of held-out digits read right over ${steps}, at the end ${percent(accuracyHistory.last)}`,
  );
  label('weights', `Weights of the ${units} units of the first layer, after ${steps}`);
}

function showCounts([train, heldOut]) {
  $('data-train').textContent = number(train);
  $('data-held').textContent = number(heldOut);
}

function showWhySingleThread(found) {
  showWhySingle(found);
  if (found.crossOriginIsolated !== false) return;
  for (const option of fields.variant.options)
    option.disabled = ['threads', 'relaxed'].includes(option.value);
}

function showReading(found) {
  const rows = [...$('digits').children];
  const probabilities = found?.every(Number.isFinite) ? found : null;
  const best = probabilities ? probabilities.indexOf(Math.max(...probabilities)) : -1;
  rows.forEach((row, digit) => {
    const share = probabilities?.[digit] ?? 0;
    row.classList.toggle('best', digit === best);
    row.querySelector('.share').style.width = `${100 * share}%`;
    row.querySelector('.text').textContent = probabilities ? percent(share) : '';
  });
  const truth = label === undefined ? '' : ` It is a ${label}.`;
  $('verdict').textContent = probabilities
    ? `It reads ${best}, ${percent(probabilities[best])}.${truth}`
    : found
      ? 'It reads nothing: its results are not finite'
      : 'Nothing drawn yet';
  $('verdict').dataset.digit = best;
}

// Slots stay, so that a button under the finger or in focus does not go away; only what they show changes.
let misread = [];

function showMisread(found) {
  misread = found;
  [...$('misread').children].forEach((slot, k) => {
    slot.hidden = k >= found.length;
    if (slot.hidden) return;
    const { pixels, label: truth, read } = found[k];
    showPixels(slot.querySelector('canvas'), pixels);
    slot.querySelector('span').textContent = `${truth} as ${read}`;
    slot.querySelector('button').setAttribute('aria-label', `A ${truth}, read as ${read}: show it`);
  });
}

function makeMisread() {
  $('misread').append(
    ...Array.from({ length: MOST_MISREAD }, (_, k) => {
      const button = element(
        'button',
        { type: 'button' },
        element('canvas', { width: SIDE, height: SIDE }),
        element('span'),
      );
      button.addEventListener('click', () => place(misread[k]));
      return element('li', { hidden: true }, button);
    }),
  );
}

function forget() {
  recentLoss = undefined;
  lossHistory.clear();
  accuracyHistory.clear();
}

const heard = {
  report(report) {
    last = report;
    const { steps, losses, accuracies, probabilities } = report;
    if (losses.length > 0) recentLoss = losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
    losses.forEach((loss, k) => lossHistory.add(steps - losses.length + 1 + k, loss));
    for (const [step, share] of accuracies) accuracyHistory.add(step, share);
    if (report.misread) showMisread(report.misread);
    if (probabilities) showReading(probabilities);
    show();
  },
  resting({ reason }) {
    const { xs, ys } = accuracyHistory;
    $('accuracy').dataset.curve = JSON.stringify(xs.map((x, k) => [x, ys[k]]));
    describe();
    $('status').textContent = rested[reason]();
    if (reason === 'diverged')
      say(
        $('alert'),
        `The loss is no longer a finite number, from step ${number(last.steps)} on: ` +
          `the weights have grown too large. Reset begins another network; a learning rate below ${settings.lr} may do.`,
      );
    enter('ready');
  },
  begun({ settings: own, reason, name }) {
    forget();
    adopt(own);
    const words = { reset: 'A new network, which has learnt nothing.', loaded: `Opened ${name}.` };
    $('status').textContent = words[reason];
    if (reason === 'loaded' || page.dataset.state !== 'running') enter('ready');
  },
  prediction({ probabilities, drawing }) {
    showReading(probabilities);
    if (drawing === drawings) $('verdict').setAttribute('aria-busy', 'false');
  },
  example: place,
  saved({ file, steps }) {
    const url = URL.createObjectURL(new Blob([file], { type: 'application/octet-stream' }));
    element('a', { href: url, download: `digits-${steps}.safetensors` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
    $('status').textContent = `Saved digits-${steps}.safetensors.`;
  },
  refused({ text }) {
    say($('file-alert'), text);
  },
  threads({ info }) {
    showEngine(info);
  },
  failed({ text }) {
    say($('alert'), text);
    enter('failed');
  },
};

// -------------------------------------------------------------- controls

function showOutputs() {
  for (const input of form.querySelectorAll('.slider input')) {
    const text = input.name === 'lr' ? String(learningRates[input.value]) : input.value;
    input.closest('.slider').querySelector('.value').textContent = text;
    input.setAttribute('aria-valuetext', text);
    fillTrack(input);
  }
}

// Puts settings into the form.
function adopt(own) {
  settings = own;
  const { hidden, lr } = own;
  if (![...fields.hidden.options].some(({ value }) => Number(value) === hidden))
    fields.hidden.append(element('option', { value: hidden, textContent: hidden }));
  for (const name of ['optimizer', 'batch', 'hidden', 'seed']) fields[name].value = own[name];
  fields.vary.checked = own.vary;
  fields.lr.value = learningRates.indexOf(lr);
  showOutputs();
}

function fill() {
  const options = (list) => list.map(([value, textContent]) => element('option', { value, textContent }));
  fields.optimizer.append(...options(Object.entries(optimizers).map(([id, { name }]) => [id, name])));
  fields.batch.append(...options(batchSizes.map((size) => [size, size])));
  fields.hidden.append(...options(hiddenSizes.map((size) => [size, size])));
  fields.lr.max = learningRates.length - 1;
  fields.seed.max = MOST_SEED;
  $('digits').append(
    ...Array.from({ length: CLASSES }, (_, digit) =>
      element(
        'li',
        {},
        element('span', { className: 'digit', textContent: digit }),
        element('span', { className: 'track' }, element('span', { className: 'share' })),
        element('span', { className: 'text' }),
      ),
    ),
  );
  adopt(settings);
}

function readForm() {
  const seed = fields.seed.valueAsNumber;
  return {
    optimizer: fields.optimizer.value,
    lr: learningRates[fields.lr.value],
    batch: Number(fields.batch.value),
    vary: fields.vary.checked,
    hidden: Number(fields.hidden.value),
    seed: isSeed(seed) ? seed : settings.seed,
  };
}

function reset() {
  say($('alert'));
  engine.send('reset', { settings });
}

// What a change of a field does.
const changes = {
  optimizer() {
    fields.lr.value = learningRates.indexOf(optimizers[fields.optimizer.value].lr);
    configure();
  },
  lr: configure,
  batch: configure,
  vary: configure,
  hidden: renew,
  seed: renew,
  pace: () => engine.send('pace', { name: fields.pace.value }),
  threads: () => engine.send('threads', { count: Number(fields.threads.value) }),
  variant: start,
};

function configure() {
  settings = readForm();
  engine.send('configure', { settings });
}

function renew() {
  settings = readForm();
  reset();
}

function listen() {
  form.addEventListener('input', ({ target }) => {
    showOutputs();
    if (target.type === 'range') changes[target.name]();
  });
  form.addEventListener('change', ({ target }) => {
    if (target.type !== 'range' && target.name) changes[target.name]();
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  $('start').addEventListener('click', () =>
    page.dataset.state === 'running' ? engine.send('pause') : run(),
  );
  $('step').addEventListener('click', () => engine.send('step'));
  $('reset').addEventListener('click', reset);
  $('clear').addEventListener('click', () => pad.clear());
  $('undo').addEventListener('click', () => pad.undo());
  $('example').addEventListener('click', () => engine.send('example'));
  $('save').addEventListener('click', () => engine.send('save'));
  $('file').addEventListener('change', ({ target }) => {
    load(target.files[0]);
    target.value = '';
  });
}

async function load(file) {
  if (!file) return;
  say($('file-alert'));
  const { name, size } = file;
  if (size === 0) return say($('file-alert'), `${name} is empty.`);
  if (size > MOST_FILE_BYTES)
    return say(
      $('file-alert'),
      `${name} has ${number(size / 1e6)} MB; a network of this page has less than ${MOST_FILE_BYTES / 1e6}.`,
    );
  try {
    engine.send('load', { file: await file.arrayBuffer(), name });
  } catch (error) {
    say($('file-alert'), `${name} cannot be read: ${error.message}`);
  }
}

// -------------------------------------------------------------- drawing

function showPixels(canvas, pixels) {
  const drawing = canvas.getContext('2d');
  drawing.clearRect(0, 0, canvas.width, canvas.height);
  drawing.fillStyle = colour('--ink');
  if (pixels) drawPixels(drawing, pixels, canvas.width);
}

function showSeen(pixels) {
  const canvas = $('seen');
  showPixels(canvas, pixels);
  canvas.setAttribute('aria-label', pixels ? 'The digit as 8 by 8 pixels' : 'Nothing drawn');
  $('pad-empty').hidden = pixels !== null;
  seen = pixels;
}

// Puts a held-out digit on the pad.
function place({ pixels, label: truth }) {
  label = truth;
  pad.show(pixels);
  showSeen(pixels);
  announce();
  ask();
}

let seen = null; // pixels that the network reads
let drawings = 0; // so that the answer to the last one is known
let isDrawingDue = false;

// Until it is answered, what is said of the drawing before it is out of date.
function announce() {
  drawings++;
  $('verdict').setAttribute('aria-busy', 'true');
}

const ask = () => engine.send('draw', { pixels: seen, drawing: drawings });

function drawn() {
  label = undefined;
  announce();
  if (isDrawingDue) return;
  isDrawingDue = true;
  requestAnimationFrame(() => {
    isDrawingDue = false;
    showSeen(pixelsOf(pad.strokes));
    ask();
  });
}

// -------------------------------------------------------------- start

let kept; // the network as a file, for the next worker

// A worker with another module goes on with the network of the one before it. Where that module does not start, the
// best one does.
async function open(variant) {
  const wasRunning = page.dataset.state === 'running';
  enter('loading');
  $('status').textContent = 'Loading the engine …';
  if (engine?.isOpen) kept = await engine.file();
  let refused;
  try {
    await launch(variant);
  } catch (error) {
    if (!variant) throw error;
    refused = error.message;
    fields.variant.value = '';
    await launch('');
  }
  engine.send('pace', { name: fields.pace.value });
  announce();
  ask();
  enter('ready');
  $('status').textContent = last ? `Ready at ${where()}.` : 'Ready. Start begins to train.';
  if (wasRunning) run();
  say($('alert'), refused);
}

// A worker in place of the one before it.
async function launch(variant) {
  engine?.end();
  engine = new Engine(heard);
  const threads = Number(fields.threads.value);
  const found = await engine.open({ variant: variant || undefined, threads, settings, file: kept });
  const { info, mostThreads, counts, settings: own } = found;
  showEngine(info);
  showWhySingleThread(info);
  showCounts(counts);
  offerThreads(info.threads, mostThreads);
  adopt(own);
}

function start() {
  open(fields.variant.value).catch((error) => {
    $('status').textContent = 'The engine did not start.';
    say($('alert'), error.message);
    enter('failed');
  });
}

function offerThreads(threads, most) {
  fields.threads.max = most;
  fields.threads.value = threads;
  $('threads-row').hidden = most === 1;
  showOutputs();
}

fill();
makeMisread();
const pad = new Pad($('pad'), drawn);
const charts = [
  new Chart($('loss'), $('loss-value'), lossHistory, { isLog: true, ink: '--accent', text: short }),
  new Chart($('accuracy'), $('accuracy-value'), accuracyHistory, {
    isLog: false,
    ink: '--blue',
    text: percent,
  }),
];
listen();
start();
