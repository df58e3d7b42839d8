// The network, its data and its steps: stria, stria/nn and stria/optim, and nothing of a page or a worker.
import { CLASSES, MOST_HIDDEN, SIDE, batchSizes, isSeed, learningRates, optimizers } from './choices.js';
import {
  Generator,
  fromNpy,
  loadSafetensors,
  memory,
  nn,
  noGrad,
  optim,
  randperm,
  saveSafetensors,
  scope,
  tensor,
} from './stria.js';
import { VARIATIONS, variations } from './variation.js';

const PIXELS = SIDE * SIDE;
const HELD_OUT = 360;
const BRIGHTEST = 16; // a pixel counts the points of 4 x 4 that are ink
const STATE = 'optimizer.'; // what names of its tensors begin with in a file
const SPLIT_SEED = 3; // which digits are held out is the same for every network

const make = {
  sgd: (parameters, lr) => new optim.SGD(parameters, { lr }),
  momentum: (parameters, lr) => new optim.SGD(parameters, { lr, momentum: 0.9 }),
  adam: (parameters, lr) => new optim.Adam(parameters, { lr }),
  adamw: (parameters, lr) => new optim.AdamW(parameters, { lr }),
};

/** Digits to learn from and digits to be tried on: pixels in [0, 1], and which digit each is. */
export function split(file) {
  return scope(() => {
    const data = fromNpy(file);
    const order = randperm(data.shape[0], { generator: new Generator(SPLIT_SEED) });
    const mixed = data.indexSelect(0, order);
    const x = mixed.slice(1, 0, PIXELS).div(BRIGHTEST);
    const y = mixed.select(1, PIXELS).to('int64');
    const part = (from, to) => ({ x: x.slice(0, from, to), y: y.slice(0, from, to) });
    const n = data.shape[0] - HELD_OUT;
    return { train: part(0, n), heldOut: part(n, n + HELD_OUT) };
  });
}

function build(hidden, seed) {
  const generator = new Generator(seed);
  return new nn.Sequential(
    new nn.Linear(PIXELS, hidden, { generator }),
    new nn.ReLU(),
    new nn.Linear(hidden, CLASSES, { generator }),
  );
}

// Batch after batch, epoch after epoch.
function* endless(batches) {
  for (;;) yield* batches;
}

export class Trainer {
  #train;
  #heldOut;
  #network;
  #optimizer;
  #generator;
  #source;
  #variations = variations();
  settings;
  steps = 0;
  samples = 0;

  constructor({ train, heldOut }, settings) {
    this.#train = train;
    this.#heldOut = heldOut;
    this.reset(settings);
  }

  /** Digits of an epoch. */
  get epochSamples() {
    return this.#train.y.numel;
  }

  get epochs() {
    return this.samples / this.epochSamples;
  }

  /** Another network, which has learnt nothing. */
  reset(settings) {
    this.#begin(build(settings.hidden, settings.seed), settings, 0, 0);
  }

  #begin(network, settings, steps, samples, optimizer) {
    this.#network = network;
    this.#generator = new Generator(settings.seed);
    [this.steps, this.samples] = [steps, samples];
    this.settings = undefined;
    this.configure(settings, optimizer);
  }

  /**
   * Other settings for the same network: an optimiser begins anew when it is another one, a learning rate just
   * changes. `own`: the optimiser of these settings, where it has begun.
   */
  configure(settings, own) {
    const before = this.settings;
    const { optimizer, lr, batch } = settings;
    if (before?.optimizer !== optimizer)
      this.#optimizer = own ?? make[optimizer](this.#network.parameters(), lr);
    for (const group of this.#optimizer.paramGroups) group.lr = lr;
    if (before?.batch !== batch) {
      const generator = this.#generator;
      this.#source = endless(nn.batches(this.#train, { size: batch, shuffle: true, generator }));
    }
    this.settings = { ...settings, hidden: this.#network.at(0).outFeatures };
  }

  /** One step; returns the loss of its batch. */
  step() {
    const loss = scope(() => {
      const { x, y } = this.#source.next().value;
      const varied = this.settings.vary ? x.matmul(this.#variations.select(0, this.steps % VARIATIONS)) : x;
      this.#optimizer.zeroGrad();
      const loss = nn.crossEntropy(this.#network.forward(varied), y);
      loss.backward();
      this.#optimizer.step();
      this.samples += y.numel;
      return loss.item();
    });
    this.steps++;
    return loss;
  }

  /** Share of the held-out digits that the network reads right. */
  evaluate() {
    const { x, y } = this.#heldOut;
    return scope(() => noGrad(() => this.#network.forward(x).argmax(1).eq(y).to('float32').mean().item()));
  }

  /** Probabilities of the ten digits, for the pixels of one. */
  predict(pixels) {
    return scope(() =>
      noGrad(() =>
        this.#network
          .forward(tensor(pixels).reshape([1, PIXELS]))
          .softmax(1)
          .dataSync(),
      ),
    );
  }

  /** A held-out digit: its pixels, and which one it is. */
  example(k) {
    const { x, y } = this.#heldOut;
    return scope(() => {
      const at = k % y.numel;
      return { pixels: x.select(0, at).dataSync(), label: y.select(0, at).item() };
    });
  }

  /**
   * Held-out digits that the network reads wrong, up to `most`: pixels, which digit each is, and as which it is read.
   */
  misread(most) {
    const { x, y } = this.#heldOut;
    return scope(() =>
      noGrad(() => {
        const read = this.#network.forward(x).argmax(1);
        const [wrong] = read.ne(y).nonzero().slice(0, 0, most).unbind(1);
        const [pixels, labels, reads] = [x, y, read].map((each) => each.indexSelect(0, wrong));
        return Array.from({ length: wrong.numel }, (_, k) => ({
          pixels: pixels.select(0, k).dataSync(),
          label: labels.select(0, k).item(),
          read: reads.select(0, k).item(),
        }));
      }),
    );
  }

  /** Weights of the first layer: for each of its units one for each pixel. */
  weights() {
    return scope(() => this.#network.at(0).weight.detach().dataSync());
  }

  memory() {
    const { liveBytes, cachedBytes, liveTensors } = memory();
    return { liveBytes, cachedBytes, liveTensors };
  }

  // -------------------------------------------------------------- files

  /** A safetensors file with PyTorch's names and the optimiser's state; what else is needed to go on is in its metadata. */
  save() {
    const { optimizer, lr, batch, vary, seed } = this.settings;
    const { steps, samples } = this;
    const facts = { steps, samples, optimizer, lr, batch, vary, seed };
    const texts = Object.entries(facts).map(([name, value]) => [name, String(value)]);
    return scope(() => {
      const { tensors, metadata } = loadSafetensors(this.#optimizer.save());
      const state = Object.entries(tensors).map(([name, x]) => [STATE + name, x]);
      const all = new Map([...Object.entries(this.#network.stateDict()), ...state]);
      const optimizerState = metadata.optimizer;
      return saveSafetensors(all, { model: 'digits 8x8', ...Object.fromEntries(texts), optimizerState });
    });
  }

  /** Goes on with the network of a file. What is not one is refused, and nothing has changed then. */
  load(file) {
    const { network, metadata, state } = scope(() => readNetwork(file));
    const settings = { ...this.settings, ...settingsIn(metadata), hidden: network.at(0).outFeatures };
    const optimizer = make[settings.optimizer](network.parameters(), settings.lr);
    if (metadata.optimizerState !== undefined) optimizer.load(state);
    this.#begin(network, settings, count(metadata.steps), count(metadata.samples), optimizer);
  }
}

// A network as large as the one in the file, which then checks names and shapes itself; and the file of an optimiser that is in it.
function readNetwork(file) {
  const { tensors, metadata } = loadSafetensors(file);
  const first = tensors['0.weight'];
  const hidden = first?.shape[0] ?? MOST_HIDDEN;
  if (!(hidden >= 1 && hidden <= MOST_HIDDEN))
    throw new Error(`its first layer has ${hidden} units; this page draws 1 to ${MOST_HIDDEN}`);
  const other = Object.entries(tensors).find(([, x]) => !/^b?float/.test(x.dtype));
  if (other) throw new Error(`its tensor ${other[0]} has the dtype ${other[1].dtype}; weights are floats`);
  for (const [name, x] of Object.entries(tensors))
    if (!x.isfinite().all().item()) throw new Error(`its tensor ${name} has elements that are not finite`);
  const isState = ([name]) => name.startsWith(STATE);
  const all = Object.entries(tensors);
  const network = build(hidden, 0);
  network.loadStateDict(new Map(all.filter((entry) => !isState(entry))));
  const own = all.filter(isState).map(([name, x]) => [name.slice(STATE.length), x]);
  const { optimizerState = '' } = metadata;
  return { network, metadata, state: saveSafetensors(new Map(own), { optimizer: optimizerState }) };
}

const count = (text) => {
  const number = Number(text ?? 0);
  return Number.isSafeInteger(number) && number >= 0 ? number : 0;
};

// Settings in the metadata of a file, those that this page offers.
function settingsIn({ optimizer, lr, batch, vary, seed }) {
  return {
    ...(Object.hasOwn(optimizers, optimizer ?? '') && { optimizer }),
    ...(learningRates.includes(Number(lr)) && { lr: Number(lr) }),
    ...(['true', 'false'].includes(vary) && { vary: vary === 'true' }),
    ...(batchSizes.includes(Number(batch)) && { batch: Number(batch) }),
    ...(/^\d+$/.test(seed ?? '') && isSeed(Number(seed)) && { seed: Number(seed) }),
  };
}
