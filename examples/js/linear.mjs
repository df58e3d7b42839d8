// linear.mjs - linear regression: finds the coefficients that the data were made with.
//
//     y = 2 a - 3 b + 0.5 c + 1
import { Generator, init, linear, randn, scope, tensor } from 'stria';
import { Linear, mseLoss } from 'stria/nn';
import { SGD } from 'stria/optim';

await init({ quiet: true, ...JSON.parse(process.env.STRIA_INIT ?? '{}') });
const coefficients = tensor([[2, -3, 0.5]]);
const x = randn([256, 3], { generator: new Generator(1) });
const y = linear(x, coefficients, { bias: tensor([1]) });

const model = new Linear(3, 1);
const optimizer = new SGD(model.parameters(), { lr: 0.1 });
let loss;
for (let step = 0; step < 200; step++)
  loss = scope(() => {
    optimizer.zeroGrad();
    const loss = mseLoss(model.forward(x), y);
    loss.backward();
    optimizer.step();
    return loss.item();
  });

const found = [...model.weight.detach().dataSync(), model.bias.item()];
const [a, b, c, d] = found.map((value) => value.toFixed(4));
console.log(`y = ${a} a + ${b} b + ${c} c + ${d}, loss ${loss.toExponential(1)}`);
const worst = Math.max(...[2, -3, 0.5, 1].map((value, k) => Math.abs(found[k] - value)));
if (!(worst < 1e-4)) throw new Error(`the coefficients are off by ${worst}`);
