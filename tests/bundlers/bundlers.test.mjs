// One app, built by each bundler against the packed package, in Chromium: isolated or not, in the page and in a worker of the
// app, always under a strict content security policy.
import test, { after, before } from 'node:test';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { launch, missing } from '../js/browser_support.mjs';
import { serve } from '../../web/serve.mjs';
import { build, buildInline, develop, installApp, names, versionOf, work } from './build.mjs';
import { checkValues } from './values.mjs';

// What a strict page allows, and the hash of what a bundler itself wrote into the page: Parcel's import map.
function policyOf(root) {
  const page = readFileSync(path.join(root, 'index.html'), 'utf8');
  const inline = [...page.matchAll(/<script[^>]*>([^<]+)<\/script>/g)].map(([, text]) => text);
  const hashes = inline.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  const scripts = ["script-src 'self' 'wasm-unsafe-eval'", ...hashes].join(' ');
  return ["default-src 'none'", scripts, "worker-src 'self'", "connect-src 'self'"].join('; ');
}

let browser;
const skip = missing;

// STRIA_BUNDLERS: some of them, by name
const chosen = process.env.STRIA_BUNDLERS?.split(',') ?? names;

before(async () => {
  if (skip) return;
  installApp();
  browser = await launch();
});
after(() => browser?.close());

// What the app computed in a page; `problems`: what the page complained about.
async function open(url, { worker = false, options = {} } = {}) {
  const page = await browser.newPage();
  const problems = [];
  const said = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    (['error', 'warning'].includes(message.type()) ? problems : said).push(message.text());
  });
  try {
    const query = new URLSearchParams({ options: JSON.stringify(options) });
    if (worker) query.set('worker', '');
    await page.goto(`${url}?${query}`);
    await page
      .waitForFunction(() => globalThis.result !== undefined, null, { timeout: 45000 })
      .catch((error) => assert.fail(`${error.message}\n${problems.join('\n')}`));
    return { ...(await page.evaluate(() => globalThis.result)), problems, said };
  } finally {
    await page.close();
  }
}

async function served(settings, body) {
  const { url, close } = await serve({ policy: policyOf(settings.root), ...settings });
  try {
    return await body(url);
  } finally {
    await close();
  }
}

// What Chromium has for the app: two threads wherever memory is shared.
function checkBest(result, isolated) {
  checkValues(result);
  assert.deepEqual(
    [result.backend, result.variant, result.threads, result.crossOriginIsolated],
    isolated ? ['wasm', 'relaxed', 2, true] : ['wasm', 'simd', 1, false],
  );
  const reason = isolated ? 'threads and relaxed SIMD' : 'not cross-origin isolated, so one thread';
  assert.equal(result.reason, reason);
  assert.deepEqual(result.problems, []);
}

for (const name of chosen) {
  const label = name === 'none' ? 'no bundler' : `${name} ${versionOf(name)}`;
  test(label, { skip, concurrency: 1 }, async (t) => {
    const root = await build(name);
    for (const isolated of [true, false])
      await served({ root, isolated }, async (url) => {
        for (const worker of [false, true])
          await t.test(`${isolated ? '' : 'not '}isolated, ${worker ? 'worker' : 'page'}`, async () =>
            checkBest(await open(url, { worker, options: { threads: isolated ? 2 : undefined } }), isolated),
          );
      });
  });
}

test("Vite's development server", { skip }, async () => {
  const { url, close } = await develop();
  try {
    for (const worker of [false, true]) {
      const result = await open(url, { worker, options: { threads: 2 } });
      checkBest({ ...result, problems: [] }, true); // it looks for an icon
    }
  } finally {
    await close();
  }
});

test('stria/inline: one file, and no request', { skip }, async () => {
  const root = await buildInline();
  assert.deepEqual(readdirSync(root).sort(), ['index.html', 'main.js']);
  const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'";
  await served({ root, policy }, async (url) => {
    const result = await open(url);
    checkValues(result);
    assert.deepEqual([result.variant, result.threads, result.reason], ['simd', 1, "there is 'simd' alone"]);
    const { refused } = await open(url, { options: { variant: 'threads' } });
    assert.deepEqual(
      [refused.code, refused.message],
      ['ERR_UNSUPPORTED', "init: there is no 'threads' here"],
    );
  });
});

// ---------------------------------------------------------------- files that are not where they should be

// The app of esbuild, with files taken away.
async function lacking(files, body) {
  const root = path.join(work, 'lacking');
  rmSync(root, { recursive: true, force: true });
  cpSync(await build('esbuild'), root, { recursive: true });
  for (const file of files) rmSync(path.join(root, file), { recursive: true });
  return served({ root }, body);
}

test('without its files init is refused, and says which', { skip }, () =>
  lacking(['wasm'], async (url) => {
    const { refused } = await open(url);
    const { message, ...rest } = refused;
    assert.deepEqual(rest, {
      isStria: true,
      name: 'UnsupportedError',
      code: 'ERR_UNSUPPORTED',
      op: 'init',
    });
    for (const variant of ['relaxed', 'threads', 'simd'])
      assert.match(
        message,
        new RegExp(`no '${variant}': http.*stria-${variant}.wasm does not load: HTTP status 404`),
      );
  }),
);

test('without the file of its threads it runs on one, and says why', { skip }, () =>
  lacking(['wasm/worker.js'], async (url) => {
    const result = await open(url, { options: { threads: 2 } });
    checkValues(result);
    assert.deepEqual([result.variant, result.threads], ['simd', 1]);
    assert.match(result.reason, /^no 'relaxed': a thread does not start: .*; no 'threads': /);
  }),
);

test('wasmUrl alone: one file, and a folder', { skip }, () =>
  lacking(['wasm/stria-relaxed.wasm', 'wasm/stria-threads.wasm'], async (url) => {
    const result = await open(url, { options: { wasmUrl: 'wasm/stria-simd.wasm' } });
    checkValues(result);
    assert.deepEqual([result.variant, result.threads, result.reason], ['simd', 1, 'the module given']);
    const folder = await open(url, { options: { wasmUrl: 'wasm/' } });
    checkValues(folder);
    assert.equal(folder.variant, 'simd');
    assert.match(folder.reason, /^no 'relaxed': http/);
  }),
);

test('a policy that allows no workers leaves one thread, and is told', { skip }, async () => {
  const root = await build('esbuild');
  const policy = policyOf(root).replace("worker-src 'self'", "worker-src 'none'");
  await served({ root, policy }, async (url) => {
    const result = await open(url, { options: { threads: 2, quiet: false } });
    checkValues(result);
    assert.deepEqual([result.variant, result.threads], ['simd', 1]);
    assert.match(result.reason, /^no 'relaxed': a thread does not start: /);
    assert.ok(result.said.some((text) => text.startsWith("stria: running on one thread: no 'relaxed'")));
  });
});

test("a policy without 'wasm-unsafe-eval' is the reason given", { skip }, async () => {
  const root = await build('esbuild');
  await served({ root, policy: "default-src 'self'" }, async (url) => {
    const { refused } = await open(url);
    assert.deepEqual([refused.isStria, refused.code], [true, 'ERR_UNSUPPORTED']);
    assert.match(refused.message, /Content Security Policy/);
  });
});
