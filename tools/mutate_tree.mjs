// A copy of the sources with its builds, in which one mutant at a time is built and tested; several trees work side by side.
//
//   new Tree(root, folder, cores, wanted)    root: the project; folder: where the copy and the builds lie; cores that builds may
//                                            use; wanted: a regular expression for the tests to run
//   await tree.judge(mutant)                 { result: 'killed' | 'survived' | 'did not compile' | 'same code', killer, isTimeout }
//
// A mutant of C is built with AVX2, or the instruction set that its file is of. One in src/simd that no test notices there, or of which
// the compiler makes the same program, is built with the others that the machine has: what is dead code in one may not be in another.
//
// The suites of the test program run on a mutant, those named after the file first, then quick ones; then the tests of the package
// on the addon, likewise. Where the WebAssembly modules are built (`make js`), mutants of TypeScript also meet tests/js/init.test.mjs,
// the whole program that loads each backend.
import { spawn, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

// fuzz_cuda asks for more memory than a mutant may have
const leftOut = /^test_ops$|^fuzz_cuda$|_simde$/;
// these run on mutants of their own files alone
const slow =
  /^(test_(fork|threads_change|mlir_(run|plugin)|cuda\w*)|fuzz_iter(_bytes)?|(explain|result_types)\.test\.js)$/;
// Suites of CUDA run on the plug-in that the project itself has built, as mutants change nothing in it; else they skip.
const cudaPlugin = 'build/native/libstria_cuda_host.so';
const wasmVariants = ['wasm-simd', 'wasm-threads', 'wasm-relaxed'];
// these compare backends, or test the package as a whole, or its generator
const notOfAddon = /^(parity|pack|imports|generated|made_up_rows)\.test|^browser/;
// loading, and what the compiler says of types, is the same whatever the addon computes
const ofTypeScript = /^(init|result_types)\.test/;

// What is random runs fewer cases: a slip that only many notice counts as unnoticed.
const fewer = {
  STRIA_FUZZ_COUNT: '2000',
  STRIA_FUZZ_VALUES: '1000',
  STRIA_FUZZ_OVERLAP: '500',
  STRIA_CALLS: '20000',
};

// ---------------------------------------------------------------- processes

const groups = new Set();

function stop(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it has ended
  }
}

for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    for (const pid of groups) stop(pid);
    process.exit(1);
  });

/** Runs a program in a process group of its own, which ends with it or after `seconds`. */
function run(program, args, { cwd, seconds = 3600, env = {} }) {
  // what a mutant allocates without end stops with it: memory that can be written, as CUDA's runtime on the host reserves 64 GiB of addresses
  const isLimited = program !== process.execPath;
  const limits = ['-c', 'ulimit -d 16000000; ulimit -c 0; exec "$@"', 'sh', program, ...args];
  return new Promise((settle, fail) => {
    const child = spawn(isLimited ? 'sh' : program, isLimited ? limits : args, {
      cwd,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...fewer, ...env },
    });
    let text = '';
    let isTimeout = false;
    const timer = setTimeout(() => {
      isTimeout = true;
      stop(child.pid);
    }, 1000 * seconds);
    groups.add(child.pid);
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => (text = (text + part).slice(-20000)));
    child.on('error', fail);
    child.on('exit', (status) => {
      clearTimeout(timer);
      stop(child.pid); // what it started and left
      groups.delete(child.pid);
      settle({ ok: status === 0, skipped: status === 77, isTimeout, text });
    });
  });
}

// ---------------------------------------------------------------- order of tests

/** What takes a second on unchanged sources and an idle machine may take much longer on a busy one. */
const limitOf = (seconds) => 60 + 20 * seconds;

const isNamedAfter = (test, path) => {
  const [stem] = basename(path).split(/[._]/);
  return new RegExp(`^(test_|fuzz_)?${stem}`).test(test);
};

// Folders whose tests have names of their own.
const testsOfFolders = [
  ['src/core/base/', /^test_(parallel|threads_change|fork)/],
  ['src/core/cuda/', /^test_cuda/],
  ['src/core/cpu/exec', /^test_buffered/],
  ['src/core/cpu/fold', /^test_(reduce|arg)$/],
  ['src/simd/gemm', /^test_matmul$/],
  ['src/simd/compress', /^test_mask$/],
  ['src/simd/vec_compress', /^test_mask$/],
  ['src/autograd/', /^(test_)?gradients/],
  ['src/compile/mlir', /^test_mlir/],
  ['src/compile/', /^(test_graph|compile|programs)/],
  ['src/wasm/', /^test_code/],
];
const isOfFolder = (test, path) =>
  testsOfFolders.some(([folder, name]) => path.startsWith(folder) && name.test(test));

/** Tests with their times, in the order to try them. */
function order(times, path) {
  const rank = ([test]) =>
    isNamedAfter(test, path) ? 0 : isOfFolder(test, path) ? 1 : slow.test(test) ? 3 : 2;
  return [...times]
    .filter(([test]) => !slow.test(test) || isNamedAfter(test, path) || isOfFolder(test, path))
    .sort((a, b) => rank(a) - rank(b) || a[1] - b[1]);
}

// ---------------------------------------------------------------- trees

const ownIsa = (path) => /(?:vec|gemm)_(avx512|scalar)/.exec(path)?.[1] ?? 'avx2';
const hasAvx512 = existsSync('/proc/cpuinfo') && /\bavx512vl\b/.test(readFileSync('/proc/cpuinfo', 'utf8'));
const isasOf = (path) =>
  /^src\/simd\//.test(path)
    ? [...new Set([ownIsa(path), 'scalar', ...(hasAvx512 ? ['avx512'] : [])])]
    : [ownIsa(path)];

const hashOf = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

// The times of suites belong to the sources, so trees share them: isa -> promise of { suites, package }
const measured = new Map();
// ends when the last of the trees that prepare, or wait for it, has prepared
let turn = Promise.resolve();

export class Tree {
  constructor(root, folder, cores, wanted) {
    Object.assign(this, { root, folder, cores, wanted });
    this.source = join(folder, 'source');
    this.package = join(this.source, 'bindings/js');
    this.compiled = join(folder, 'package.tsbuildinfo'); // what tsc knows of it
    this.mutated = join(folder, 'package.mutated'); // is there while the package is that of a mutant
    this.built = new Map(); // isa -> hashes of what the unchanged sources become
    this.isPackageMade = false;
    this.copySources();
  }

  buildFolder(isa) {
    return join(this.folder, isa, 'native');
  }

  copySources() {
    const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
      cwd: this.root,
      encoding: 'utf8',
    });
    const hash = createHash('sha256');
    const names = list.split('\n').filter((name) => name !== '' && existsSync(join(this.root, name)));
    const wanted = new Set(names);
    for (const path of names.sort()) {
      const to = join(this.source, path);
      const text = readFileSync(join(this.root, path));
      if (/^(src|tests|bindings|cmake)\//.test(path)) hash.update(`${path}\0${text.length}\0`).update(text);
      // files that are as they were keep their time: Ninja builds what changed
      if (existsSync(to) && readFileSync(to).equals(text)) continue;
      mkdirSync(dirname(to), { recursive: true });
      cpSync(join(this.root, path), to);
    }
    this.removeOthers(wanted);
    this.hash = hash.digest('hex');
    const modules = join(this.package, 'node_modules');
    if (!existsSync(modules)) symlinkSync(join(this.root, 'bindings/js/node_modules'), modules);
  }

  /** Sources of an earlier copy that are no more: lists of files in the build would find them. */
  removeOthers(wanted) {
    for (const folder of ['src', 'tests', 'bindings/js/src', 'bindings/js/native']) {
      const within = join(this.source, folder);
      if (!existsSync(within)) continue;
      for (const entry of readdirSync(within, { recursive: true, withFileTypes: true }))
        if (entry.isFile()) {
          const path = join(entry.path, entry.name);
          if (!wanted.has(path.slice(this.source.length + 1))) rmSync(path);
        }
    }
  }

  hashes(isa) {
    return Object.fromEntries(
      ['stria_tests', 'stria.node'].map((name) => [name, hashOf(join(this.buildFolder(isa), name))]),
    );
  }

  // Objects of mutants are not kept in ccache.
  build(isa, targets, env = { CCACHE_READONLY: '1' }) {
    const args = ['--build', this.buildFolder(isa), '-j', String(this.cores), '--target', ...targets];
    return run('cmake', args, { cwd: this.source, env });
  }

  /** Builds the unchanged sources, and the package, once for each ISA; one tree after another, as later ones find the objects in ccache. */
  prepare(isa) {
    const prepared = turn.then(() => this.prepareAlone(isa));
    turn = prepared.catch(() => {});
    return prepared;
  }

  async prepareAlone(isa) {
    if (this.built.has(isa)) return;
    const folder = this.buildFolder(isa);
    if (!existsSync(join(folder, 'build.ninja'))) {
      const definitions = [
        'CMAKE_BUILD_TYPE=Mutant',
        'CMAKE_C_FLAGS_MUTANT=-O1 -DSTRIA_DEBUG',
        `STRIA_ONLY_ISAS=${isa}`,
        'STRIA_BUILD_NAPI=ON',
        'STRIA_BUILD_CUDA=OFF',
        'CMAKE_CXX_COMPILER=', // kernels on the host runtime take longer than all else: see cudaPlugin
      ];
      const args = ['-G', 'Ninja', '-S', this.source, '-B', folder, ...definitions.map((one) => `-D${one}`)];
      const { ok, text } = await run('cmake', args, { cwd: this.source });
      if (!ok) throw new Error(text);
    }
    const built = await this.build(isa, ['stria_tests', 'stria_napi', 'stria_opdump'], {});
    if (!built.ok) throw new Error(`${isa}: the unchanged sources do not build:\n${built.text}`);
    if (!this.isPackageMade) await this.makePackage(isa);
    this.built.set(isa, this.hashes(isa));
  }

  /** dist/ of the unchanged sources, and the compiled tests. */
  async makePackage(isa) {
    for (const variant of wasmVariants) {
      const from = join(this.root, 'build', variant);
      const to = join(this.folder, isa, variant);
      if (existsSync(from) && !existsSync(to)) symlinkSync(from, to);
    }
    const env = { STRIA_BUILD_DIR: join(this.folder, isa) };
    // a run that was stopped may have left a mutant there
    if (existsSync(this.mutated))
      for (const path of [join(this.package, 'dist'), this.compiled, this.mutated])
        rmSync(path, { recursive: true, force: true });
    const made = await this.node(['scripts/build.mjs'], { env });
    if (!made.ok) throw new Error(`the package of the unchanged sources cannot be made:\n${made.text}`);
    const tests = join(this.package, 'build/tests');
    const stamp = join(tests, 'sources');
    if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== this.hash) {
      rmSync(tests, { recursive: true, force: true });
      const compiled = await this.compile('../../tests/js');
      if (!compiled.ok) throw new Error(`the tests of the package do not compile:\n${compiled.text}`);
      writeFileSync(stamp, this.hash);
    }
    this.isPackageMade = true;
  }

  node(args, options = {}) {
    return run(process.execPath, args, { cwd: this.package, ...options });
  }

  compile(project, ...args) {
    return this.node(['node_modules/typescript/bin/tsc', '-p', project, ...args]);
  }

  /** Compiles what has changed of the package. */
  compilePackage() {
    return this.compile('.', '--outDir', 'dist', '--incremental', '--tsBuildInfoFile', this.compiled);
  }

  // ---------------------------------------------------------------- tests

  runSuite(isa, suite, seconds) {
    const env = { STRIA_CUDA_PLUGIN: join(this.root, cudaPlugin), STRIA_CUDA_CASES: '4' };
    return run(join(this.buildFolder(isa), 'stria_tests'), [suite], { cwd: this.source, seconds, env });
  }

  runPackageTest(name, seconds) {
    const path = name.endsWith('.mjs') ? join(this.source, 'tests/js', name) : join('build/tests', name);
    return this.node(['--expose-gc', path], { seconds, env: { STRIA_TEST_BACKEND: 'native' } });
  }

  /** Every test on unchanged sources, with its time, those that are slow apart: it must pass. Times of the same sources are kept. */
  measure(isa) {
    if (!measured.has(isa)) measured.set(isa, this.measureAll(isa));
    return measured.get(isa);
  }

  async measureAll(isa) {
    const kept = join(dirname(this.folder), `times-${isa}.json`);
    const known = existsSync(kept) ? JSON.parse(readFileSync(kept, 'utf8')) : null;
    const first = join(dirname(this.folder), 'times-avx2.json');
    const isKept = String(this.wanted) === '/(?:)/';
    if (isKept && known?.hash === this.hash) return known;
    const program = join(this.buildFolder(isa), 'stria_tests');
    const suites = execFileSync(program, [], { encoding: 'utf8' }).trim().split('\n');
    const tests = readdirSync(join(this.package, 'build/tests')).filter((name) => /\.test\.js$/.test(name));
    if (wasmVariants.every((variant) => existsSync(join(this.folder, isa, variant))))
      tests.push('init.test.mjs');
    // those of another instruction set tell how long a test takes here; that it passes is held by `make test`
    const others = existsSync(first) ? JSON.parse(readFileSync(first, 'utf8')) : null;
    const timeOf = new Map(others?.hash === this.hash ? [...others.suites, ...others.package] : []);
    const times = { hash: this.hash, suites: [], package: [] };
    const time = async (list, name, start) => {
      if (timeOf.has(name)) return list.push([name, timeOf.get(name)]);
      const begin = Date.now();
      const { ok, skipped, text } = await start();
      if (!ok && !skipped)
        throw new Error(`${isa}: ${name} fails on the unchanged sources:\n${text.slice(-2000)}`);
      if (ok) list.push([name, (Date.now() - begin) / 1000]);
    };
    const isWanted = (name) => this.wanted.test(name);
    for (const suite of suites.filter((name) => isWanted(name) && !leftOut.test(name)))
      if (slow.test(suite)) times.suites.push([suite, 60]);
      else await time(times.suites, suite, () => this.runSuite(isa, suite, 3600));
    for (const name of tests.filter((one) => isWanted(one) && !notOfAddon.test(one)))
      if (slow.test(name)) times.package.push([name, 60]);
      else await time(times.package, name, () => this.runPackageTest(name, 3600));
    if (isKept) writeFileSync(kept, JSON.stringify(times));
    return times;
  }

  async testSuites(isa, path) {
    for (const [suite, seconds] of order((await this.measure(isa)).suites, path)) {
      const { ok, skipped, isTimeout } = await this.runSuite(isa, suite, limitOf(seconds));
      if (!ok && !skipped) return { result: 'killed', killer: suite, isTimeout };
    }
    return null;
  }

  /** The addon of this build into the package, as bindings/js/scripts/build.mjs does it. */
  takeAddon(isa) {
    const addon = join(this.package, `dist/native/stria-${process.platform}-${process.arch}.node`);
    // a new file: the old one may still be mapped
    copyFileSync(join(this.buildFolder(isa), 'stria.node'), `${addon}.new`);
    renameSync(`${addon}.new`, addon);
    writeFileSync(`${addon}.sha256`, `${hashOf(addon)}\n`);
  }

  async testPackage(isa, path) {
    for (const [name, seconds] of order((await this.measure(isa)).package, path)) {
      if (ofTypeScript.test(name) && !path.endsWith('.ts')) continue;
      const { ok, isTimeout } = await this.runPackageTest(name, limitOf(seconds));
      if (!ok) return { result: 'killed', killer: name, isTimeout };
    }
    return null;
  }

  async testTypeScript({ path }) {
    const isa = ownIsa(path);
    // the last mutant may have been one of C
    if (!(await this.build(isa, ['stria_napi'])).ok)
      throw new Error(`${isa}: the unchanged addon does not build`);
    this.takeAddon(isa);
    if (!(await this.compilePackage()).ok) return { result: 'did not compile' };
    return (await this.testPackage(isa, path)) ?? { result: 'survived' };
  }

  async testC({ path }, isa) {
    const isOfLibrary = path.startsWith('src/');
    if (isOfLibrary) {
      if (!(await this.build(isa, ['stria_tests'])).ok) return { result: 'did not compile' };
      if (this.hashes(isa)['stria_tests'] === this.built.get(isa)['stria_tests'])
        return { result: 'same code' };
      const outcome = await this.testSuites(isa, path);
      if (outcome) return outcome;
    }
    if (!(await this.build(isa, ['stria_napi'])).ok) return { result: 'did not compile' };
    if (this.hashes(isa)['stria.node'] === this.built.get(isa)['stria.node'])
      return { result: isOfLibrary ? 'survived' : 'same code' };
    this.takeAddon(isa);
    return (await this.testPackage(isa, path)) ?? { result: 'survived' };
  }

  async judge(mutant) {
    const found = [];
    for (const isa of isasOf(mutant.path)) {
      found.push(await this.judgeOn(mutant, isa));
      if (!['survived', 'same code'].includes(found.at(-1).result)) return found.at(-1);
    }
    return found.find(({ result }) => result === 'survived') ?? found[0];
  }

  async judgeOn(mutant, isa) {
    const isTypeScript = mutant.path.endsWith('.ts');
    const target = join(this.source, mutant.path);
    const text = readFileSync(target);
    await this.prepare(isa);
    await this.measure(isa);
    if (isTypeScript) writeFileSync(this.mutated, '');
    writeFileSync(target, mutant.mutated);
    try {
      return isTypeScript ? await this.testTypeScript(mutant) : await this.testC(mutant, isa);
    } finally {
      writeFileSync(target, text);
      if (isTypeScript && (await this.compilePackage()).ok) rmSync(this.mutated);
    }
  }
}
