// gpu.mjs - the same calls on a CUDA device, or on the CPU where there is none: says which, why, and what came out.
//
//     node gpu.mjs                                                  on the first CUDA device that is found
//     STRIA_CUDA_PLUGIN=/path/to/libstria_cuda.so node gpu.mjs      with this plug-in
//
// `npm install stria` first, or run it inside a project that has it.
import { info, init, linspace, scope } from 'stria';

await init({ quiet: true, ...JSON.parse(process.env.STRIA_INIT ?? '{}') });
const { devices, reason } = info().cuda;
const [gpu] = devices;
console.log(
  gpu ? `on ${gpu.device}: ${gpu.name}, compute capability ${gpu.capability}` : `on the CPU: ${reason}`,
);

// the mean of exp(-x^2) over numbers from -3 to 3, which are made, and stay, on the device
const mean = scope(() =>
  linspace(-3, 3, 2 ** 16, { device: gpu?.device ?? 'cpu' })
    .square_()
    .neg_()
    .exp_()
    .mean(),
);
const [value] = await mean.data(); // JavaScript goes on until it is here
console.log(`the mean of exp(-x^2) over [-3, 3] is ${value.toFixed(4)}`);
