// Puts beside the demo what is not kept in the repository: the npm package as a user would get it (vendor/), hashes of what its
// native build computes (vendor/native.json), the chart library (vendor/uplot/), the digits that a network learns
// (vendor/digits.npy), and two photographs from a Debian package (assets/). Without the photographs the page draws a
// picture of its own.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { families, hashFamily } from './demo/bits.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const binding = path.join(here, '../bindings/js');
const vendor = path.join(here, 'demo/vendor');
const assets = path.join(here, 'demo/assets');

// Both from lomiri-wallpapers-16.04; its copyright file: CC-BY-4.0, Aitzol Berasategi; CC0-1.0, Clemens Engelhardt.
const PHOTOGRAPHS = 'lomiri-wallpapers-16.04';
const files = {
  'mountain.jpg': 'picosdeeuropa_by_Aitzol_Berasategi.jpg',
  'dandelion.jpg': 'seeding_by_Clements_Engelhardt.jpg',
};

const run = (program, args, cwd) =>
  execFileSync(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });

// Runs body in a temporary folder.
function inTemporary(body) {
  const folder = mkdtempSync(path.join(tmpdir(), 'stria-demo-'));
  try {
    return body(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// npm pack's archive, unpacked into vendor/stria.
function vendorPackage() {
  if (!existsSync(path.join(binding, 'dist/index.js'))) {
    console.error('web/setup.mjs: the npm package is not built yet; `make js` does it');
    process.exit(1);
  }
  inTemporary((folder) => {
    run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], binding);
    run('tar', ['-xzf', readdirSync(folder).find((name) => name.endsWith('.tgz'))], folder);
    rmSync(vendor, { recursive: true, force: true });
    mkdirSync(path.join(vendor, 'stria'), { recursive: true });
    run('cp', ['-r', 'package/.', path.join(vendor, 'stria')], folder);
  });
}

// What the page's results are compared with. A machine without the addon has none; the page then says so.
async function writeNativeHashes() {
  try {
    const stria = await import(path.join(binding, 'dist/node.js'));
    const { version, isa, threads } = await stria.init({ backend: 'native' });
    const found = families.map((family) => hashFamily(stria, family));
    writeFileSync(
      path.join(vendor, 'native.json'),
      JSON.stringify({ version, isa, threads, families: found }),
    );
  } catch (error) {
    console.error(`web/setup.mjs: no hashes of the native build (${error.message})`);
  }
}

// Draws the curves of the training page; MIT licence.
function vendorChart() {
  const found = path.join(here, 'node_modules/uplot');
  if (!existsSync(found)) {
    console.error('web/setup.mjs: the npm packages of web/ are not there; `make demo` brings them');
    process.exit(1);
  }
  const to = path.join(vendor, 'uplot');
  mkdirSync(to, { recursive: true });
  for (const name of ['uPlot.esm.js', 'uPlot.min.css'])
    copyFileSync(path.join(found, 'dist', name), path.join(to, name));
  copyFileSync(path.join(found, 'LICENSE'), path.join(to, 'LICENSE.txt'));
}

function download(folder) {
  try {
    run('apt-get', ['download', PHOTOGRAPHS], folder);
  } catch {
    run('apt-get', ['update'], folder); // the package lists may be missing
    run('apt-get', ['download', PHOTOGRAPHS], folder);
  }
  run('dpkg-deb', ['-x', readdirSync(folder).find((name) => name.endsWith('.deb')), 'unpacked'], folder);
}

function fetchPhotographs() {
  if (Object.keys(files).every((name) => existsSync(path.join(assets, name)))) return;
  try {
    inTemporary((folder) => {
      download(folder);
      mkdirSync(assets, { recursive: true });
      for (const [name, source] of Object.entries(files))
        copyFileSync(path.join(folder, 'unpacked/usr/share/backgrounds', source), path.join(assets, name));
    });
    console.error(`web/setup.mjs: two photographs taken from Debian's ${PHOTOGRAPHS}`);
  } catch (error) {
    const why = String(error.stderr || error.message)
      .trim()
      .split('\n')
      .at(-1);
    console.error(`web/setup.mjs: no photographs (${why}); the page draws a picture of its own`);
  }
}

vendorPackage();
vendorChart();
copyFileSync(path.join(here, '../examples/data/digits.npy'), path.join(vendor, 'digits.npy'));
await writeNativeHashes();
fetchPhotographs();
