// files.mjs - a table from a .npy file, kept with its column means in a safetensors file and in a .npz file, and read back from both.
//
//     node files.mjs INPUT.npy FOLDER
//
// `npm install stria` first, or run it inside a project that has it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromNpy, info, init, loadSafetensors, saveSafetensors } from 'stria';
import { loadNpz, saveNpz } from 'stria/npz';

const [input, folder] = process.argv.slice(2);
if (!folder) {
  console.error('usage: node files.mjs INPUT.npy FOLDER');
  process.exit(2);
}

await init({ quiet: true, ...JSON.parse(process.env.STRIA_INIT ?? '{}') });
const table = fromNpy(readFileSync(input));
const tensors = { table, means: table.mean(0), half: table.to('float16') };

const safetensors = join(folder, 'table.safetensors');
writeFileSync(safetensors, saveSafetensors(tensors, { source: 'iris' }));
// on the addon the tensors lie in the bytes that were read; elsewhere they are copies
const bytes = readFileSync(safetensors);
const read = loadSafetensors(bytes, { copy: false });
console.log(`safetensors: ${Object.keys(read.tensors).sort().join(', ')}; source ${read.metadata.source}`);

const npz = join(folder, 'table.npz');
writeFileSync(npz, saveNpz(tensors, { compressed: true }));
const again = loadNpz(readFileSync(npz));

for (const [name, x] of Object.entries(tensors)) {
  const isSame = [read.tensors[name], again[name]].every((y) => y.eq(x).all().item());
  console.log(`${name}: ${x.dtype} [${x.shape}], ${isSame ? 'the same from both' : 'different'}`);
}
bytes.fill(0);
const isZero = read.tensors.table.eq(0).all().item();
console.log(isZero === info().sharesBuffers ? 'memory is shared as info() says' : 'info() is wrong');
