// digits.mjs - a network learns handwritten digits of 8 x 8 pixels, and is tried on those that it has not seen. What it has learnt goes through a
// safetensors file.
//
//     node digits.mjs [examples/data/digits.npy]
import { readFileSync } from 'node:fs';
import { fromNpy, Generator, init, noGrad, randperm, scope } from 'stria';
import { batches, crossEntropy, init as values, Linear, progress, ReLU, Sequential } from 'stria/nn';
import { AdamW, LambdaLR } from 'stria/optim';

const EPOCHS = 30;
const HELD_OUT = 360;
await init({ quiet: true, ...JSON.parse(process.env.STRIA_INIT ?? '{}') });
const generator = new Generator(3);
const data = fromNpy(readFileSync(process.argv[2] ?? 'examples/data/digits.npy'));
const n = data.shape[0] - HELD_OUT;

// Rows in another order: pixels in [0, 1], and numbers of classes.
const mixed = data.indexSelect(0, randperm(data.shape[0], { generator }));
const pixels = mixed.slice(1, 0, 64).div(16);
const labels = mixed.select(1, 64).to('int64');
const part = (from, to) => ({ x: pixels.slice(0, from, to), y: labels.slice(0, from, to) });

const build = () =>
  new Sequential(new Linear(64, 512, { generator }), new ReLU(), new Linear(512, 10, { generator }));
const model = build();
values.normal(model.at(0).weight, 0, 0.3, { generator });

const optimizer = new AdamW(model.parameters(), { lr: 1e-3 });
const scheduler = new LambdaLR(optimizer, (epoch) => 1 - epoch / EPOCHS);
const train = batches(part(0, n), { size: 32, shuffle: true, generator, dispose: true });
let losses = 0;
const epochs = Array.from({ length: EPOCHS }, (_, epoch) => epoch);
const report = ({ done, total }) =>
  console.log(`epoch ${done} of ${total}: loss ${(losses / train.length).toFixed(4)}`);
for (const _ of progress(epochs, report, { every: 0.5 })) {
  losses = 0;
  for (const { x, y } of train)
    losses += scope(() => {
      optimizer.zeroGrad();
      const loss = crossEntropy(model.forward(x), y);
      loss.backward();
      optimizer.step();
      return loss.item();
    });
  scheduler.step();
}

const learnt = build().eval();
learnt.load(model.save());
const { x, y } = part(n, n + HELD_OUT);
const share = noGrad(() => learnt.forward(x).argmax(1).eq(y).to('float32').mean().item());
console.log(`${(100 * share).toFixed(1)} % of ${HELD_OUT} digits that it has not seen`);
if (!(share > 0.97)) throw new Error('it should be more than 97 %');
