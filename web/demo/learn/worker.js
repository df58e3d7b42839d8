// The worker of the training page: it owns the library and the network, trains in short slices and answers between
// them.
import { MOST_MISREAD, paces } from './choices.js';
import { Loop } from './loop.js';
import { info, init, setThreads } from './stria.js';
import { Trainer, split } from './trainer.js';

const REPORT = 80; // ms between two reports

let trainer;
let pixels = null; // of what the visitor has drawn
let examples = 0; // held-out digits shown so far

// What happened since the last report.
let losses = [];
let accuracies = []; // [step, share of the held-out digits]
let reported = { time: 0, samples: 0 };

const say = (type, content = {}, transfer = []) => postMessage({ type, ...content }, transfer);
const textOf = ({ name, code, message }) => (code ? `${name} (${code}): ${message}` : message);

// Tasks follow each other without the delay of timers; finalizers run in between.
const { port1, port2 } = new MessageChannel();
const nextTask = () =>
  new Promise((resolve) => {
    port1.onmessage = resolve;
    port2.postMessage(0);
  });

function report(isTimed = false) {
  const now = performance.now();
  const rate = isTimed ? (1000 * (trainer.samples - reported.samples)) / (now - reported.time) : null;
  const { steps, samples, epochs } = trainer;
  const weights = trainer.weights();
  say(
    'report',
    {
      steps,
      samples,
      epochs,
      rate,
      losses: Float32Array.from(losses),
      accuracies,
      misread: accuracies.length > 0 ? trainer.misread(MOST_MISREAD) : null,
      weights,
      probabilities: pixels && trainer.predict(pixels),
      memory: trainer.memory(),
    },
    [weights.buffer],
  );
  [losses, accuracies] = [[], []];
  reported = { time: now, samples };
}

function evaluate() {
  accuracies.push([trainer.steps, trainer.evaluate()]);
}

// One step, with the held-out digits after each epoch; false where the loss is no number any more.
function step() {
  const epoch = Math.floor(trainer.epochs);
  const loss = trainer.step();
  losses.push(loss);
  if (Math.floor(trainer.epochs) > epoch) evaluate();
  return Number.isFinite(loss);
}

// Ends a run, and says where.
function rest(reason) {
  loop.stop();
  if (accuracies.at(-1)?.[0] !== trainer.steps) evaluate();
  report();
  say('resting', { reason });
}

const loop = new Loop({
  step,
  between() {
    if (performance.now() - reported.time >= REPORT) report(true);
  },
  nextTask,
});

async function train() {
  reported = { time: performance.now(), samples: trainer.samples };
  if (!(await loop.run())) rest('diverged');
}

// The page shows a network from its beginning.
function show() {
  [losses, accuracies] = [[], []];
  evaluate();
  report();
}

async function loadDigits() {
  const url = new URL('../vendor/digits.npy', import.meta.url);
  const response = await fetch(url);
  if (!response.ok)
    throw new Error(
      `The digits do not load (HTTP ${response.status}). Was the demo set up? \`make demo\` does it.`,
    );
  return split(new Uint8Array(await response.arrayBuffer()));
}

const actions = {
  async open({ variant, threads, settings, file }) {
    const { threads: mostThreads } = await init({ quiet: true, variant });
    setThreads(Math.min(threads, mostThreads));
    const digits = await loadDigits();
    trainer = new Trainer(digits, settings);
    if (file) trainer.load(file);
    say('ready', {
      info: info(),
      mostThreads,
      settings: trainer.settings,
      counts: [digits.train, digits.heldOut].map(({ y }) => y.numel),
    });
    if (file) report();
    else show();
  },

  run() {
    if (!loop.isRunning) train().catch((error) => say('failed', { text: textOf(error) }));
  },

  pause() {
    if (loop.isRunning) rest('paused');
  },

  step() {
    if (loop.isRunning) return;
    const isFinite = step();
    rest(isFinite ? 'stepped' : 'diverged');
  },

  reset({ settings }) {
    trainer.reset(settings);
    loop.renew();
    say('begun', { settings: trainer.settings, reason: 'reset' });
    show();
  },

  configure({ settings }) {
    trainer.configure(settings);
  },

  pace({ name }) {
    loop.pace = paces[name];
  },

  threads({ count }) {
    setThreads(count);
    say('threads', { info: info() });
  },

  draw({ pixels: drawn, drawing }) {
    pixels = drawn;
    say('prediction', { probabilities: pixels && trainer.predict(pixels), drawing });
  },

  example() {
    say('example', trainer.example(examples++));
  },

  save() {
    const file = trainer.save();
    say('saved', { file, steps: trainer.steps }, [file.buffer]);
  },

  // A file that is no network of this kind changes nothing.
  load({ file, name }) {
    try {
      trainer.load(file);
    } catch (error) {
      return say('refused', { text: `${name} was not opened. ${textOf(error)}` });
    }
    loop.stop();
    say('begun', { settings: trainer.settings, reason: 'loaded', name });
    show();
  },
};

onmessage = async ({ data }) => {
  try {
    await actions[data.type](data);
  } catch (error) {
    loop.stop();
    say('failed', { text: textOf(error) });
  }
};
