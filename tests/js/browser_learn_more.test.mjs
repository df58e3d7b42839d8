// The training page in Chromium: files that are no network, other windows, what is missing, and memory while it learns.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe as group, test } from 'node:test';
import {
  urlOf,
  text,
  report,
  state,
  reading,
  reach,
  learn,
  draw,
  probabilities,
  safetensors,
  floats,
  layers,
  open,
  save,
} from './browser_learn_support.mjs';
import {
  assertFits,
  browser,
  missing,
  openPage,
  screens,
  screenshot,
  servers,
  useDemo,
} from './browser_support.mjs';

useDemo();

group('files that are no network', { skip: missing }, () => {
  let page, shares, steps;

  before(async () => {
    page = await openPage(browser, urlOf());
    await learn(page, 100);
    await draw(page, '0');
    shares = await probabilities(page);
    ({ steps } = await report(page));
  });
  after(async () => {
    await page?.close();
  });

  const nan = floats(10);
  nan[3] = NaN;
  const good = safetensors(layers(16));
  const long = Buffer.from(good);
  long.writeBigUInt64LE(2n ** 62n);
  for (const [what, bytes, message] of [
    ['an empty file', Buffer.alloc(0), /^net\.safetensors is empty\.$/],
    ['a text', Buffer.from('this is no network, and no safetensors file'), /FormatError .*loadSafetensors/],
    ['a file cut off', good.subarray(0, good.length - 100), /FormatError .*loadSafetensors/],
    ['a header longer than the file', long, /FormatError .*loadSafetensors/],
    [
      'a file of 17 MB',
      Buffer.alloc(17e6),
      /^net\.safetensors has 17 MB; a network of this page has less than 16/,
    ],
    [
      'another network',
      safetensors([['head.weight', 'F32', [10, 64], floats(640)]]),
      /missing: .*0\.weight.*not expected: head\.weight/,
    ],
    ['a tensor too few', safetensors(layers(16, { '2.bias': null })), /missing: 2\.bias/],
    [
      'pixels of 28 x 28',
      safetensors(layers(16, { '0.weight': ['F32', [16, 784], floats(16 * 784)] })),
      /0\.weight \(\[16,784\] for \[16,64\]\)/,
    ],
    [
      'a million units',
      safetensors(layers(1).with(0, ['0.weight', 'F32', [20000, 1], floats(20000)])),
      /its first layer has 20000 units/,
    ],
    ['no units', safetensors(layers(0)), /its first layer has 0 units/],
    [
      'whole numbers',
      safetensors(layers(16, { '0.bias': ['I32', [16], new Int32Array(16)] })),
      /0\.bias has the dtype int32/,
    ],
    [
      'weights that are NaN',
      safetensors(layers(16, { '2.bias': ['F32', [10], nan] })),
      /2\.bias has elements that are not finite/,
    ],
    [
      'markup as a name',
      safetensors(layers(16, { '<img src=x onerror=alert(1)>': ['F32', [1], floats(1)] })),
      /not expected: <img src=x onerror=alert\(1\)>/,
    ],
  ])
    test(`${what} is refused in words, and nothing has changed`, async () => {
      await open(page, 'net.safetensors', bytes);
      const alert = page.locator('#file-alert');
      await alert.waitFor();
      await page.waitForFunction(
        ([source]) => new RegExp(source).test(document.getElementById('file-alert').textContent),
        [message.source],
      );
      assert.equal(await alert.getAttribute('role'), 'alert');
      assert.deepEqual(await probabilities(page), shares);
      assert.equal((await report(page)).steps, steps);
      if (what === 'a text') await screenshot(page, 'learn-bad-file');
      await open(page, 'good.safetensors', good);
      await alert.waitFor({ state: 'hidden' });
      await page.waitForFunction(() =>
        document.getElementById('status').textContent.startsWith('Opened good'),
      );
      await restore();
    });

  // The network of before, by its own file.
  let kept;
  before(async () => {
    kept = await save(page);
  });
  async function restore() {
    await open(page, kept.name, kept.bytes);
    await reach(page, steps);
    assert.deepEqual(await probabilities(page), shares);
  }

  test('settings in a file that the page does not offer are passed over', async () => {
    const metadata = {
      steps: '-4',
      samples: '1e999',
      optimizer: 'constructor',
      lr: 'NaN',
      batch: '7',
      seed: '1.5',
      vary: 'maybe',
    };
    await open(page, 'odd.safetensors', safetensors(layers(20), metadata));
    await page.waitForFunction(
      () => document.getElementById('status').textContent === 'Opened odd.safetensors.',
    );
    assert.equal(await page.locator('[name=hidden]').inputValue(), '20');
    assert.equal(await page.locator('[name=optimizer]').inputValue(), 'adam');
    await learn(page, 200);
    assert.deepEqual(page.problems, []);
  });
});

group('the page around it', { skip: missing }, () => {
  for (const [name, options] of screens)
    test(`${name}: nothing is cut off`, async () => {
      const page = await openPage(browser, urlOf(), options);
      await learn(page, 150);
      await assertFits(page);
      await draw(page, '0');
      assert.equal(await reading(page), 0);
      await page.evaluate(() => scrollTo(0, 0));
      await screenshot(page, `learn-${name}`);
      assert.deepEqual(page.problems, []);
      await page.close();
    });

  test('both pages lead to each other', async () => {
    const page = await openPage(browser, servers.isolated.url);
    await page.getByRole('navigation').getByRole('link', { name: 'Training' }).click();
    await page.waitForURL(urlOf());
    await state(page, 'ready');
    await page.getByRole('navigation').getByRole('link', { name: 'Picture' }).click();
    await page.waitForURL(servers.isolated.url);
    await page.close();
  });

  test('an error of the page itself is said in the page', async () => {
    const page = await openPage(browser, urlOf());
    await page.evaluate(() => void Promise.reject(new Error('lost')));
    await page.locator('#alert').waitFor();
    assert.equal(await text(page, 'alert'), 'This page has an error: lost');
    await page.close();
  });

  for (const [what, pattern, message] of [
    ['the library', '**/vendor/stria/**', /worker|make demo/],
    ['the chart library', '**/vendor/uplot/*.js', /make demo/],
    ['the digits', '**/digits.npy', /digits do not load \(HTTP 404\).*make demo/],
    ['the WebAssembly modules', '**/*.wasm', /UnsupportedError.*404/],
  ])
    test(`without ${what} the page says so`, async () => {
      const prepare = (page) => page.context().route(pattern, (route) => route.fulfill({ status: 404 }));
      const page = await openPage(browser, urlOf(), { prepare });
      assert.match(await text(page, 'alert'), message);
      assert.equal(await page.locator('#start').isDisabled(), true);
      await page.close();
    });
});

// ---- memory

/** Resident bytes of the processes that run pages and their workers, without what the page's collector would free. */
async function resident(page) {
  const collector = await page.context().newCDPSession(page);
  await collector.send('HeapProfiler.collectGarbage');
  await collector.detach();
  const client = await browser.newBrowserCDPSession();
  const { processInfo } = await client.send('SystemInfo.getProcessInfo');
  await client.detach();
  const kilobytes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0));
  return 1024 * kilobytes.reduce((sum, value) => sum + value, 0);
}

group('memory', { skip: missing }, () => {
  const isFull = Boolean(process.env.STRIA_FULL);
  const STEPS = isFull ? 300_000 : 30_000;
  const SECONDS = 600;

  test(`stays flat while the network learns: ${STEPS} steps`, async (t) => {
    const page = await openPage(browser, urlOf());
    await page.locator('#start').click();
    await reach(page, 5000);
    const [first, before] = [await report(page), await resident(page)];
    const end = Date.now() + 1000 * SECONDS;
    let most = before;
    let last = first;
    while (Date.now() < end && last.steps < STEPS) {
      await page.waitForTimeout(500);
      last = await report(page);
      most = Math.max(most, await resident(page));
      assert.equal(last.memory.liveTensors, first.memory.liveTensors);
      assert.equal(last.memory.liveBytes, first.memory.liveBytes);
    }
    t.diagnostic(
      `steps ${first.steps} to ${last.steps}: tensors ${last.memory.liveTensors}, ${last.memory.liveBytes} bytes; ` +
        `resident ${Math.round(before / 1e6)} MB, at most ${Math.round(most / 1e6)} MB`,
    );
    assert.ok(last.steps >= STEPS, `${last.steps} steps in ${SECONDS} s`);
    assert.ok(most - before < 24e6, `${Math.round((most - before) / 1e6)} MB more`);
    await page.close();
  });
});
