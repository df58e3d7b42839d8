// standardise.mjs - reads a table from a .npy file, gives every column mean 0 and standard deviation 1, writes the result.
//
//     node standardise.mjs INPUT.npy OUTPUT.npy
//
// `npm install stria` first, or run it inside a project that has it.
import { readFileSync, writeFileSync } from 'node:fs';
import { fromNpy, init, scope, toNpy } from 'stria';

/** Mean and standard deviation of each column of x [n, m], as [1, m] each. */
function columnStatistics(x) {
  return scope(() => {
    const mean = x.mean(0, { keepdim: true });
    const deviation = x.sub(mean).square().mean(0, { keepdim: true }).sqrt();
    return [mean, deviation];
  });
}

const [input, output] = process.argv.slice(2);
if (!output) {
  console.error('usage: node standardise.mjs INPUT.npy OUTPUT.npy');
  process.exit(2);
}

await init({ quiet: true, ...JSON.parse(process.env.STRIA_INIT ?? '{}') });
const x = fromNpy(readFileSync(input));
if (x.ndim !== 2 || x.dtype !== 'float64') throw new Error(`${input}: a table of float64 is needed`);
const [n, m] = x.shape;
console.log(`${n} rows, ${m} columns, ${x.dtype}`);

const [mean, deviation] = columnStatistics(x);
const y = x.sub(mean); // [n, m] - [1, m] broadcasts
y.div_(deviation); // in place

const mu = mean.dataSync();
const sigma = deviation.dataSync();
for (let k = 0; k < m; k++)
  console.log(`column ${k}: mean ${mu[k].toFixed(6)}, deviation ${sigma[k].toFixed(6)}`);

const [newMean, newDeviation] = columnStatistics(y);
const meansAreZero = newMean.abs().amax().item() < 1e-12;
const deviationsAreOne = newDeviation.sub(1).abs().amax().item() < 1e-12;
console.log(
  `standardised: means ${meansAreZero ? 'are' : 'are not'} 0, deviations ${deviationsAreOne ? 'are' : 'are not'} 1`,
);
console.log(`first row: ${Array.from(y.select(0, 0).dataSync(), (v) => v.toFixed(6)).join(' ')}`);
writeFileSync(output, toNpy(y));
