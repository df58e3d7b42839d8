// Builds the app of this folder with each bundler, as its own documentation shows it, against the packed npm package. What a
// bundler needs beyond that is `recipe`, which docs/bundlers.md repeats.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '../..');
// a folder for each test file
export const work = path.join(root, 'build/bundlers', path.basename(process.argv[1], '.test.mjs'));
export const app = path.join(work, 'app');
const require = createRequire(import.meta.url);

/** A bundler's version. */
export function versionOf(name) {
  return JSON.parse(readFileSync(path.join(here, 'node_modules', name, 'package.json'), 'utf8')).version;
}

/** Copies the app to a folder of its own, with the package as `npm pack` makes it. */
export function installApp() {
  rmSync(work, { recursive: true, force: true });
  cpSync(path.join(here, 'app'), app, { recursive: true });
  const npm = (cwd, ...args) => execFileSync('npm', args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  npm(path.join(root, 'bindings/js'), 'pack', '--silent', '--pack-destination', work);
  const tarball = readdirSync(work).find((name) => name.endsWith('.tgz'));
  writeFileSync(path.join(app, 'package.json'), '{ "name": "app", "private": true, "type": "module" }\n');
  npm(app, 'install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', `../${tarball}`);
}

const outputOf = (name) => path.join(work, name);

// For bundlers that leave files alone: cp -r node_modules/stria/dist/wasm OUTPUT/wasm
function copyFiles(output) {
  cpSync(path.join(app, 'node_modules/stria/dist/wasm'), path.join(output, 'wasm'), { recursive: true });
}

function writePage(output) {
  mkdirSync(output, { recursive: true });
  cpSync(path.join(app, 'index.html'), path.join(output, 'index.html'));
}

async function vite(output) {
  const { build } = await import('vite');
  await build({ root: app, base: './', logLevel: 'warn', build: { outDir: output, emptyOutDir: true } });
}

/** Vite's development server on the app: its address, and what ends it. */
export async function develop() {
  const { createServer } = await import('vite');
  const headers = {
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
  };
  const cacheDir = path.join(work, '.vite');
  const server = await createServer({ root: app, cacheDir, logLevel: 'warn', server: { port: 0, headers } });
  await server.listen();
  return { url: server.resolvedUrls.local[0], close: () => server.close() };
}

async function webpack(output) {
  const { default: make } = await import('webpack');
  const stats = await new Promise((resolve, reject) => {
    const done = (error, found) => (error ? reject(error) : resolve(found));
    const entry = './main.js';
    const performance = { hints: false }; // else it warns of every file above 244 KiB
    make({ mode: 'production', context: app, entry, output: { path: output }, performance }, done);
  });
  if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString('errors-warnings'));
  writePage(output);
}

async function parcel(output) {
  const { Parcel } = require('@parcel/core');
  const bundler = new Parcel({
    entries: path.join(app, 'index.html'),
    defaultConfig: require.resolve('@parcel/config-default'),
    mode: 'production',
    shouldDisableCache: true,
    cacheDir: path.join(work, '.parcel-cache'),
    shouldAutoInstall: false,
    defaultTargetOptions: { distDir: output, publicUrl: './' },
    logLevel: 'error',
  });
  await bundler.run();
}

async function esbuild(output) {
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: app,
    entryPoints: ['main.js', 'worker.js'],
    bundle: true,
    minify: true,
    format: 'esm',
    outdir: output,
    logLevel: 'warning',
  });
  writePage(output);
  copyFiles(output);
}

/** Everything that the package exports to pages, minified; the files that a page downloads beside the module. */
export async function buildWhole() {
  const { build: make } = await import('esbuild');
  const output = outputOf('whole');
  mkdirSync(output, { recursive: true });
  const entry = path.join(app, 'whole.js');
  writeFileSync(entry, "import * as stria from 'stria';\nglobalThis.stria = stria;\n");
  await make({
    absWorkingDir: app,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    outdir: output,
    logLevel: 'warning',
  });
  return readdirSync(output).map((name) => path.join(output, name));
}

/** A page of one file beside its HTML, by esbuild: the module is inside. */
export async function buildInline() {
  const { build: make } = await import('esbuild');
  const output = outputOf('inline');
  writePage(output);
  await make({
    absWorkingDir: app,
    entryPoints: ['main.js'],
    alias: { stria: 'stria/inline' },
    bundle: true,
    minify: true,
    format: 'iife',
    logLevel: 'error', // it warns that a classic script has no import.meta, which the app's worker wants
    outdir: output,
  });
  return output;
}

async function rollup(output) {
  const { rollup: make } = await import('rollup');
  const { nodeResolve } = await import('@rollup/plugin-node-resolve');
  const warnings = [];
  const bundle = await make({
    input: { main: path.join(app, 'main.js'), worker: path.join(app, 'worker.js') },
    plugins: [nodeResolve()],
    onwarn: (warning) => warnings.push(warning.message),
  });
  await bundle.write({ dir: output, format: 'es', entryFileNames: '[name].js' });
  await bundle.close();
  if (warnings.length > 0) throw new Error(warnings.join('\n'));
  writePage(output);
  copyFiles(output);
}

// No bundler: the modules as they are, by an import map, which a strict policy lets in by its hash only. So the one bare
// name is written as a path instead.
async function none(output) {
  cpSync(app, output, { recursive: true });
  const file = path.join(output, 'compute.js');
  const text = readFileSync(file, 'utf8').replace("'stria'", "'./node_modules/stria/dist/index.js'");
  writeFileSync(file, text);
}

const builders = { vite, webpack, parcel, esbuild, rollup, none };
export const names = Object.keys(builders);

/** Builds the app; returns the folder to serve. */
export async function build(name) {
  const output = outputOf(name);
  await builders[name](output);
  return output;
}
