// characters.mjs - a network learns which character comes next in a poem, then goes on from its beginning by itself. The poem is from Lewis
// Carroll's "Through the Looking-Glass" (1871), in the public domain.
import { Generator, init, noGrad, scope, tensor } from 'stria';
import { crossEntropy, Embedding, Flatten, Linear, Sequential, Tanh } from 'stria/nn';
import { Adam, clipGradNorm } from 'stria/optim';

const poem = `'Twas brillig, and the slithy toves
Did gyre and gimble in the wabe:
All mimsy were the borogoves,
And the mome raths outgrabe.

"Beware the Jabberwock, my son!
The jaws that bite, the claws that catch!
Beware the Jubjub bird, and shun
The frumious Bandersnatch!"
`;
const SEEN = 16; // characters that the next one is told from

await init({ quiet: true, ...JSON.parse(process.env.STRIA_INIT ?? '{}') });
const generator = new Generator(1);
const letters = [...new Set(poem)].sort();
const codes = tensor(
  [...poem].map((letter) => letters.indexOf(letter)),
  { dtype: 'int64' },
);
const x = codes.unfold(0, SEEN, 1).slice(0, 0, -1);
const y = codes.slice(0, SEEN);

const model = new Sequential(
  new Embedding(letters.length, 12, { generator }),
  new Flatten(),
  new Linear(12 * SEEN, 96, { generator }),
  new Tanh(),
  new Linear(96, letters.length, { generator }),
);
const optimizer = new Adam(model.parameters(), { lr: 0.01 });
let loss;
for (let step = 0; step < 150; step++)
  loss = scope(() => {
    optimizer.zeroGrad();
    const loss = crossEntropy(model.forward(x), y);
    loss.backward();
    clipGradNorm(model.parameters(), 1);
    optimizer.step();
    return loss.item();
  });

let text = poem.slice(0, SEEN);
noGrad(() => {
  while (text.length < poem.length)
    scope(() => {
      const seen = [...text.slice(-SEEN)].map((letter) => letters.indexOf(letter));
      text +=
        letters[
          Number(
            model
              .forward(tensor([seen], { dtype: 'int64' }))
              .argmax()
              .item(),
          )
        ];
    });
});
console.log(`loss ${loss.toFixed(4)}\n${text}`);
if (text !== poem) throw new Error('it should know the poem by heart');
