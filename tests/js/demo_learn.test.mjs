// Parts of the training page that need no page: what strokes become, curves of bounded length, and runs of steps.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pixelsOf } from '../../web/demo/learn/glyph.js';
import { History } from '../../web/demo/learn/history.js';
import { isSeed, MOST_SEED } from '../../web/demo/learn/choices.js';
import { Loop } from '../../web/demo/learn/loop.js';

const INK = 313; // points of 32 x 32 that are ink in a digit of the data, in the mean

const ring = Array.from({ length: 40 }, (_, k) => [Math.cos(k / 6), 1.5 * Math.sin(k / 6)]);
const hook = [
  [0, 0],
  [2, 0],
  [0.5, 3],
];
const moved = (stroke, scale, dx, dy) => stroke.map(([x, y]) => [scale * x + dx, scale * y + dy]);
const ink = (pixels) => 16 * pixels.reduce((sum, value) => sum + value, 0);

test('no strokes are no pixels', () => {
  assert.equal(pixelsOf([]), null);
  assert.equal(pixelsOf([[]]), null);
});

test('pixels are 64 sixteenths in [0, 1], with the ink that digits of the data have', () => {
  for (const strokes of [[ring], [hook], [ring, hook]]) {
    const pixels = pixelsOf(strokes);
    assert.equal(pixels.length, 64);
    assert.ok(pixels.every((value) => value >= 0 && value <= 1 && Number.isInteger(16 * value)));
    assert.ok(Math.abs(ink(pixels) - INK) < 25, String(ink(pixels)));
  }
});

test('place and size make no difference', () => {
  const wanted = pixelsOf([ring, hook]);
  for (const [scale, dx, dy] of [
    [1, 5, -3],
    [100, 0, 0],
    [0.05, 0.7, 0.2],
  ]) {
    const found = pixelsOf([moved(ring, scale, dx, dy), moved(hook, scale, dx, dy)]);
    const most = Math.max(...found.map((value, k) => Math.abs(value - wanted[k])));
    assert.ok(most <= 2 / 16, `${most} at ${scale}`);
  }
});

test('a digit fills the height and is in the middle; left stays left', () => {
  const pixels = pixelsOf([hook]);
  const rows = Array.from({ length: 8 }, (_, y) => ink(pixels.subarray(8 * y, 8 * y + 8)));
  assert.ok(rows[0] > 0 && rows[7] > 0, String(rows));
  assert.ok(pixels[1] > 0.5, 'the hook begins at the top left');
  assert.ok(pixels[8 * 7 + 6] === 0, 'and has nothing at the bottom right');
  const upright = pixelsOf([
    [
      [0, 0],
      [0, 1],
    ],
  ]);
  for (let y = 0; y < 8; y++)
    for (let x = 0; x < 4; x++) assert.equal(upright[8 * y + x], upright[8 * y + 7 - x]);
});

test('a dot is a blot in the middle, and a long stroke is as many pixels', () => {
  const dot = pixelsOf([[[0.3, 0.3]]]);
  assert.ok(dot[27] > 0.9 && dot[0] === 0 && dot.every(Number.isFinite));
  const long = Array.from({ length: 4000 }, (_, k) => [Math.sin(k), Math.cos(k * 1.1)]);
  assert.ok(pixelsOf([long]).every(Number.isFinite));
});

test('a curve keeps its ends and its mean, and its length is bounded', () => {
  const history = new History(100);
  assert.equal(history.last, undefined);
  const n = 100_000;
  for (let k = 1; k <= n; k++) {
    history.add(k, k % 2);
    assert.ok(history.xs.length < 100);
  }
  assert.equal(history.xs.length, history.ys.length);
  assert.ok(history.xs.length >= 49);
  assert.ok(history.xs.every((x, k) => k === 0 || x > history.xs[k - 1]));
  assert.ok(history.xs.at(-1) > n - 2 * history.width);
  assert.ok(history.ys.every((y) => y === 0.5));
  assert.deepEqual([history.first, history.last], [1, 0]);
  history.clear();
  history.add(3, 7);
  assert.deepEqual([history.xs, history.ys, history.first, history.last], [[3], [7], 3, 7]);
});

// ---- runs of steps

const nextTask = () => new Promise((resolve) => setImmediate(resolve));
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// A loop whose steps are counted, and are what `step` says.
function loopOf(step = () => true) {
  const made = { steps: 0, slices: 0 };
  const loop = new Loop({
    step: () => step(++made.steps),
    between: () => void made.slices++,
    nextTask,
  });
  return { loop, made };
}

test('a run goes on until it is stopped, or a step is the last', async () => {
  const { loop, made } = loopOf((step) => step !== 1000);
  assert.equal(await loop.run(), false);
  assert.deepEqual([made.steps, loop.isRunning], [1000, false]);
  const run = loop.run();
  assert.equal(loop.isRunning, true);
  loop.stop();
  assert.deepEqual([await run, loop.isRunning], [true, false]);
});

test('a step that throws ends the run, and another can begin', async () => {
  const { loop, made } = loopOf((step) => {
    if (step === 3) throw new Error('lost');
    return step < 5;
  });
  await assert.rejects(loop.run(), /^Error: lost$/);
  assert.equal(loop.isRunning, false);
  assert.equal(await loop.run(), false);
  assert.equal(made.steps, 5);
});

test('a run that begins in a pause of the one before it is the only one', { timeout: 20_000 }, async () => {
  const { loop, made } = loopOf();
  loop.pace = 10;
  const first = loop.run();
  loop.stop();
  const second = loop.run();
  assert.equal(await first, true);
  assert.equal(loop.isRunning, true);
  const { slices } = made;
  const begin = performance.now();
  await later(500);
  const pauses = (performance.now() - begin) / 50;
  assert.ok(made.slices - slices <= pauses + 1, `${made.slices - slices} slices in ${pauses} pauses`);
  loop.stop();
  assert.equal(await second, true);
});

test('a pace holds from where it is set, or renewed, however many steps were made', async () => {
  const { loop, made } = loopOf();
  const run = loop.run();
  await later(50);
  loop.pace = 20;
  const changes = [() => {}, () => loop.renew(), () => (loop.pace = 20)];
  for (const change of changes) {
    change();
    const [begin, { steps }] = [performance.now(), made];
    await later(300);
    const due = (20 * (performance.now() - begin)) / 1000;
    assert.ok(made.steps > steps && made.steps - steps <= due + 2, `${made.steps - steps} steps, ${due} due`);
  }
  loop.stop();
  await run;
});

test('seeds that the form takes are those that a file keeps', () => {
  for (const seed of [0, 1, MOST_SEED]) assert.ok(isSeed(seed), String(seed));
  for (const seed of [-1, 1.5, NaN, MOST_SEED + 1, Infinity]) assert.ok(!isSeed(seed), String(seed));
});

// The network of the page, on the package that is built, without a page.
async function openTrainer() {
  const root = fileURLToPath(new URL('../../bindings/js/build/learn/', import.meta.url)); // where `stria` is this package
  mkdirSync(root, { recursive: true });
  for (const name of ['trainer.js', 'choices.js', 'variation.js'])
    cpSync(fileURLToPath(new URL(`../../web/demo/learn/${name}`, import.meta.url)), root + name);
  writeFileSync(
    `${root}stria.js`,
    "export * from 'stria';\nexport * as nn from 'stria/nn';\nexport * as optim from 'stria/optim';\n",
  );
  const [stria, { Trainer, split }] = [await import(`${root}stria.js`), await import(`${root}trainer.js`)];
  await stria.init();
  const digits = stria.randint(0, 17, [400, 65], { generator: new stria.Generator(1), dtype: 'uint8' });
  digits.select(1, 64).remainder_(10);
  return { stria, data: split(stria.toNpy(digits)), Trainer };
}

test('a file of the page has the state of the optimiser: what is opened goes on as if nothing had been', async () => {
  const { stria, data, Trainer } = await openTrainer();
  for (const optimizer of ['sgd', 'momentum', 'adam', 'adamw']) {
    const settings = { optimizer, lr: 0.01, batch: 16, vary: false, seed: 7, hidden: 16 };
    const one = new Trainer(data, settings);
    for (let k = 0; k < 6; k++) one.step();
    const file = one.save();
    const other = new Trainer(data, { ...settings, optimizer: 'sgd', lr: 1, seed: 1 });
    other.load(file);
    assert.deepEqual([other.steps, other.samples], [6, 80]);
    assert.deepEqual(other.save(), file, optimizer);
    one.load(file); // both begin an epoch now
    for (let k = 0; k < 3; k++) assert.equal(one.step(), other.step(), optimizer);
    assert.deepEqual(other.save(), one.save(), optimizer);
    const { tensors, metadata } = stria.loadSafetensors(file);
    const isState = (name) => name.startsWith('optimizer.');
    assert.equal(Object.keys(tensors).filter(isState).length, { sgd: 0, momentum: 4 }[optimizer] ?? 8);
    // a file of an older page, of a network alone
    const { optimizerState, ...rest } = metadata;
    const network = Object.entries(tensors).filter(([name]) => !isState(name));
    other.load(stria.saveSafetensors(new Map(network), rest));
    assert.deepEqual(other.weights(), stria.loadSafetensors(file).tensors['0.weight'].dataSync());
    // damaged states are refused, and change nothing
    const before = other.save();
    for (const text of [
      '',
      '{}',
      optimizerState.replace('steps', 'step'),
      optimizerState.replace(/SGD|AdamW?/, 'Adagrad'),
    ])
      assert.throws(() =>
        other.load(
          stria.saveSafetensors(new Map(Object.entries(tensors)), { ...rest, optimizerState: text }),
        ),
      );
    assert.deepEqual(other.save(), before);
  }
});
