// The training page in Chromium: it learns, reads what is drawn, stops, goes on from a file, refuses what is none, and keeps its memory.
import assert from 'node:assert/strict';
import { readFileSync, existsSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe as group, test } from 'node:test';
import { serve } from '../../web/serve.mjs';
import { launch, missing, nameless, openPage, root, screenshot } from './browser_support.mjs';

let browser;
const servers = {};

before(async () => {
  if (missing) return;
  assert.ok(
    existsSync(path.join(root, 'web/demo/vendor/uplot')),
    'the demo is not set up: node web/setup.mjs',
  );
  servers.isolated = await serve({ isolated: true });
  servers.open = await serve({ isolated: false });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  for (const server of Object.values(servers)) await server.close();
});

const urlOf = (isolated = true) => `${servers[isolated ? 'isolated' : 'open'].url}learn.html`;

// ---- what the page says

const text = (page, id) => page.locator(`#${id}`).innerText();
const report = async (page) => JSON.parse(await page.locator('#counters').getAttribute('data-report'));
const state = (page, wanted) =>
  page.waitForFunction((name) => document.documentElement.dataset.state === name, wanted);
const reading = async (page) => Number(await page.locator('#verdict').getAttribute('data-digit'));

/** Waits until the network has made so many steps, and its report is shown. */
const reach = (page, steps) =>
  page.waitForFunction(
    (least) => JSON.parse(document.getElementById('counters').dataset.report).steps >= least,
    steps,
    { timeout: 120_000 },
  );

async function learn(page, steps) {
  await page.locator('#start').click();
  await state(page, 'running');
  await reach(page, steps);
  await page.locator('#start').click();
  await state(page, 'ready');
  await page.waitForFunction(() => document.getElementById('status').textContent.startsWith('Paused'));
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

// ---- digits as strokes in a unit square

function arc(cx, cy, rx, ry, from, to, n = 24) {
  return Array.from({ length: n + 1 }, (_, k) => {
    const angle = ((from + ((to - from) * k) / n) * Math.PI) / 180;
    return [cx + rx * Math.cos(angle), cy + ry * Math.sin(angle)];
  });
}

const shapes = {
  0: [arc(0.5, 0.5, 0.22, 0.35, -90, 270)],
  1: [
    [
      [0.42, 0.28],
      [0.55, 0.15],
      [0.55, 0.85],
    ],
  ],
  2: [[...arc(0.5, 0.32, 0.2, 0.17, -170, 40), [0.3, 0.85], [0.72, 0.85]]],
  3: [[...arc(0.48, 0.32, 0.2, 0.17, -150, 80), ...arc(0.48, 0.66, 0.22, 0.19, -80, 150)]],
  4: [
    [
      [0.58, 0.15],
      [0.28, 0.6],
      [0.75, 0.6],
    ],
    [
      [0.62, 0.4],
      [0.6, 0.85],
    ],
  ],
  5: [[[0.7, 0.15], [0.38, 0.15], [0.35, 0.45], ...arc(0.5, 0.63, 0.2, 0.21, -120, 140)]],
};

/** Draws a digit by mouse, in the whole pad or in a part of it. */
async function draw(page, digit, { x0 = 0, y0 = 0, scale = 1 } = {}) {
  await page.locator('#clear').click();
  await page.locator('#pad').evaluate((pad) => pad.scrollIntoView({ block: 'center', behavior: 'instant' }));
  const { x, y, width } = await page.locator('#pad').boundingBox();
  const at = ([px, py]) => [x + width * (x0 + scale * px), y + width * (y0 + scale * py)];
  for (const [first, ...others] of shapes[digit]) {
    await page.mouse.move(...at(first));
    await page.mouse.down();
    for (const point of others) await page.mouse.move(...at(point));
    await page.mouse.up();
  }
  await answered(page);
}

/** Waits until the worker has read what is on the pad. */
async function answered(page) {
  await page.waitForFunction(() => !document.getElementById('verdict').textContent.startsWith('Nothing'));
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 60))));
}

const probabilities = (page) => page.locator('#digits .text').allInnerTexts();

// ---- files

/** A safetensors file: entries are [name, dtype, shape, data as bytes]. */
function safetensors(entries, metadata) {
  const header = metadata ? { __metadata__: metadata } : {};
  let size = 0;
  for (const [name, dtype, shape, data] of entries)
    header[name] = { dtype, shape, data_offsets: [size, (size += data.byteLength)] };
  const head = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(head.length));
  return Buffer.concat([length, head, ...entries.map(([, , , data]) => Buffer.from(data.buffer))]);
}

const floats = (n, value = 0.01) => new Float32Array(n).fill(value);
const layers = (hidden, change = {}) =>
  Object.entries({
    '0.weight': ['F32', [hidden, 64], floats(64 * hidden)],
    '0.bias': ['F32', [hidden], floats(hidden)],
    '2.weight': ['F32', [10, hidden], floats(10 * hidden)],
    '2.bias': ['F32', [10], floats(10)],
    ...change,
  })
    .filter(([, entry]) => entry)
    .map(([name, entry]) => [name, ...entry]);

const open = (page, name, buffer) =>
  page.locator('#file').setInputFiles({ name, mimeType: 'application/octet-stream', buffer });

async function save(page) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#save').click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

// ---- tests

for (const isolated of [true, false])
  group(
    `the training page, ${isolated ? 'cross-origin isolated' : 'not isolated'}`,
    { skip: missing },
    () => {
      let page;

      before(async () => {
        page = await openPage(browser, urlOf(isolated));
      });
      after(async () => {
        await page?.close();
      });

      test('says what runs, and offers what can run', async () => {
        assert.match(
          await text(page, 'engine'),
          isolated ? /WebAssembly, (threads|relaxed)/ : /WebAssembly, simd/,
        );
        assert.equal(await page.locator('#notice').isVisible(), !isolated);
        if (!isolated) assert.match(await text(page, 'notice'), /one thread .*Cross-Origin-Opener-Policy/s);
        const offered = await page.locator('[name=variant] option:not([disabled])').count();
        assert.equal(offered, isolated ? 4 : 2);
        assert.match(await page.locator('footer').innerText(), /Alpaydin.*CC BY 4\.0/s);
        assert.match(await text(page, 'count-accuracy'), /^\d+\.\d %$/);
        await screenshot(page, `learn-begin-${isolated ? 'threads' : 'one-thread'}`);
      });

      test('learns to read more than nine of ten held-out digits in 500 steps', async () => {
        await learn(page, 600);
        const curve = JSON.parse(await page.locator('#accuracy').getAttribute('data-curve'));
        assert.equal(curve[0][0], 0);
        assert.ok(curve[0][1] < 0.4, `${curve[0][1]} before it has learnt`);
        const first = curve.find(([, share]) => share > 0.9);
        assert.ok(first?.[0] <= 500, `more than 90 % at step ${first?.[0]}`);
        const { steps, samples, accuracy } = await report(page);
        assert.ok(accuracy > 0.9, String(accuracy));
        const batches = Math.floor(steps / 45) * 1437 + (steps % 45) * 32;
        assert.equal(samples, batches);
        assert.equal(await text(page, 'count-step'), steps.toLocaleString('en'));
        assert.match(
          await text(page, 'status'),
          new RegExp(`^Paused at step ${steps.toLocaleString('en')}; 9\\d\\.\\d %`),
        );
        assert.match(await text(page, 'count-rate'), /^[\d,]+$/);
      });

      for (const digit of Object.keys(shapes))
        test(`reads a ${digit} that is drawn`, async () => {
          await draw(page, digit);
          assert.equal(await reading(page), Number(digit), await text(page, 'verdict'));
          const shares = (await probabilities(page)).map(parseFloat);
          assert.equal(shares.length, 10);
          assert.ok(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 100) < 0.6, String(shares));
          assert.equal(shares.indexOf(Math.max(...shares)), Number(digit));
          if (digit === '5') await screenshot(page, `learn-${isolated ? 'threads' : 'one-thread'}`);
        });

      test('reads a digit alike wherever and however large it is drawn', async () => {
        await draw(page, '4');
        const large = await probabilities(page);
        await draw(page, '4', { x0: 0.05, y0: 0.5, scale: 0.4 });
        const small = await probabilities(page);
        assert.equal(await reading(page), 4);
        large.forEach((share, k) =>
          assert.ok(Math.abs(parseFloat(share) - parseFloat(small[k])) < 10, `${large} and ${small}`),
        );
      });

      test('stop stops, and a step is one step', async () => {
        const before = await report(page);
        await page.waitForTimeout(400);
        assert.deepEqual(await report(page), before);
        await page.locator('#step').click();
        await reach(page, before.steps + 1);
        await page.waitForTimeout(200);
        assert.equal((await report(page)).steps, before.steps + 1);
        assert.match(await text(page, 'status'), /^At step/);
      });

      test('goes on from a saved file, with the same network', async () => {
        await draw(page, '2');
        const shares = await probabilities(page);
        const { steps, samples, accuracy } = await report(page);
        const { name, bytes } = await save(page);
        assert.equal(name, `digits-${steps}.safetensors`);
        const header = JSON.parse(bytes.subarray(8, 8 + Number(bytes.readBigUInt64LE())));
        const shapesIn = Object.entries(header)
          .filter(([key]) => key !== '__metadata__')
          .map(([key, { dtype, shape }]) => [key, dtype, ...shape]);
        assert.deepEqual(shapesIn, [
          ['0.weight', 'F32', 32, 64],
          ['0.bias', 'F32', 32],
          ['2.weight', 'F32', 10, 32],
          ['2.bias', 'F32', 10],
        ]);
        assert.equal(header.__metadata__.steps, String(steps));

        await page.locator('#reset').click();
        await page.waitForFunction(() => document.getElementById('count-step').textContent === '0');
        await page.waitForTimeout(100);
        assert.notDeepEqual(await probabilities(page), shares);
        await page.locator('[name=optimizer]').selectOption('sgd');

        await open(page, name, bytes);
        await reach(page, steps);
        assert.equal(await text(page, 'status'), `Opened ${name}.`);
        assert.deepEqual(await probabilities(page), shares);
        const again = await report(page);
        assert.deepEqual([again.steps, again.samples, again.accuracy], [steps, samples, accuracy]);
        assert.equal(await page.locator('[name=optimizer]').inputValue(), 'adam');
        await learn(page, steps + 50);
        assert.ok((await report(page)).accuracy > 0.9);
      });

      test('nothing was complained of on the console', () => {
        assert.deepEqual(page.problems, []);
      });
    },
  );

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

group('settings', { skip: missing }, () => {
  let page;

  before(async () => {
    page = await openPage(browser, urlOf());
  });
  after(async () => {
    await page?.close();
  });

  const reset = async () => {
    await page.locator('#reset').click();
    await page.waitForFunction(() => document.getElementById('count-step').textContent === '0');
  };

  for (const optimizer of ['sgd', 'momentum', 'adam', 'adamw'])
    test(`${optimizer} learns`, async () => {
      await page.locator('[name=optimizer]').selectOption(optimizer);
      if ((await report(page)).steps > 0) await reset();
      await learn(page, 700);
      assert.ok((await report(page)).accuracy > 0.9, String((await report(page)).accuracy));
    });

  test('the same settings give the same network, another seed another', async () => {
    await page.locator('#example').click();
    await answered(page);
    const begin = async () => {
      await reset();
      for (let k = 1; k <= 3; k++) {
        await page.locator('#step').click();
        await reach(page, k);
      }
      return probabilities(page);
    };
    const first = await begin();
    assert.deepEqual(await begin(), first);
    await page.locator('[name=seed]').fill('2');
    await page.locator('[name=seed]').press('Enter');
    assert.notDeepEqual(await begin(), first);
  });

  test('a loss that is no number ends the run in words', async () => {
    const large = { '0.weight': ['F32', [32, 64], floats(64 * 32, 1e38)] };
    await draw(page, '0');
    await open(page, 'large.safetensors', safetensors(layers(32, large)));
    await page.waitForFunction(
      () => document.getElementById('status').textContent === 'Opened large.safetensors.',
    );
    await page.locator('#start').click();
    await page.locator('#alert').waitFor();
    assert.match(
      await text(page, 'alert'),
      /no longer a finite number, from step 1 on: the weights have grown too large\. Reset begins/,
    );
    assert.match(await text(page, 'verdict'), /results are not finite/);
    await screenshot(page, 'learn-diverged');
    await reset();
    assert.ok(await page.locator('#alert').isHidden());
    await learn(page, 500);
    assert.ok((await report(page)).accuracy > 0.9);
  });

  test('hidden units: another network, with a picture of each', async () => {
    await page.locator('[name=hidden]').selectOption('128');
    await page.waitForFunction(() => document.getElementById('count-step').textContent === '0');
    await page.waitForFunction(() => document.getElementById('weights').height === 8 * 9 - 1);
    assert.equal(await page.locator('#weights').getAttribute('width'), String(16 * 9 - 1));
    await learn(page, 200);
  });

  test('another module goes on with the network', async () => {
    await draw(page, '3');
    const [shares, before] = [await probabilities(page), await report(page)];
    await page.locator('[name=variant]').selectOption('simd');
    await page.waitForFunction(() => document.getElementById('engine-backend').textContent.includes('simd'));
    await state(page, 'ready');
    await answered(page);
    assert.equal((await report(page)).steps, before.steps);
    (await probabilities(page)).forEach((share, k) =>
      assert.ok(Math.abs(parseFloat(share) - parseFloat(shares[k])) <= 0.1),
    );
    assert.equal(await text(page, 'engine-threads'), '1');
    await page.locator('[name=variant]').selectOption('');
    await page.waitForFunction(() => !document.getElementById('engine-backend').textContent.includes('simd'));
    await state(page, 'ready');
  });

  test('the page answers while it trains as fast as it goes', async () => {
    await page.locator('#start').click();
    const delays = await page.evaluate(async () => {
      const found = [];
      for (let k = 0; k < 40; k++) {
        const begin = performance.now();
        await new Promise((done) => setTimeout(done, 10));
        found.push(performance.now() - begin - 10);
      }
      return found.sort((a, b) => a - b);
    });
    assert.ok(delays[20] < 50, `half of the timers came ${delays[20]} ms late`);
    await page.locator('#start').click();
    await state(page, 'ready');
  });

  test('nothing was complained of on the console', () => {
    assert.deepEqual(page.problems, []);
  });
});

group('ways to draw', { skip: missing }, () => {
  let page;

  before(async () => {
    page = await openPage(browser, urlOf(), { hasTouch: true });
    await learn(page, 800);
  });
  after(async () => {
    await page?.close();
  });

  const points = async () => {
    const { x, y, width } = await page.locator('#pad').boundingBox();
    return shapes[0][0].map(([px, py]) => ({ x: x + px * width, y: y + py * width }));
  };

  test('by touch', async () => {
    const client = await page.context().newCDPSession(page);
    const [first, ...others] = await points();
    const touch = (type, touchPoints) => client.send('Input.dispatchTouchEvent', { type, touchPoints });
    await touch('touchStart', [first]);
    for (const point of others) await touch('touchMove', [point]);
    await touch('touchEnd', []);
    await answered(page);
    assert.equal(await reading(page), 0);
    await page.locator('#clear').click();
  });

  test('by pen', async () => {
    const client = await page.context().newCDPSession(page);
    const [first, ...others] = await points();
    const pen = (type, { x, y }) =>
      client.send('Input.dispatchMouseEvent', {
        type,
        x,
        y,
        button: 'left',
        buttons: 1,
        clickCount: 1,
        pointerType: 'pen',
      });
    await pen('mousePressed', first);
    for (const point of others) await pen('mouseMoved', point);
    await pen('mouseReleased', others.at(-1));
    await answered(page);
    assert.equal(await reading(page), 0);
  });

  test('by keys: the whole page', async () => {
    await page.locator('#clear').focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.getElementById('verdict').textContent === 'Nothing drawn yet');
    await page.keyboard.press('Shift+Tab');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'pad');
    await page.keyboard.press('Space');
    for (let k = 0; k < 16; k++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await answered(page);
    assert.equal(await reading(page), 1);
    await screenshot(page, 'learn-keys', { fullPage: false });
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.getElementById('verdict').textContent === 'Nothing drawn yet');
    await page.locator('#start').focus();
    const { steps } = await report(page);
    await page.keyboard.press('Space');
    await reach(page, steps + 1);
    await page.keyboard.press('Space');
    await state(page, 'ready');
  });

  test('undo takes the last stroke away; a held-out digit says what it is', async () => {
    await draw(page, '4');
    const whole = await probabilities(page);
    await page.locator('#undo').click();
    await answered(page);
    assert.notDeepEqual(await probabilities(page), whole);
    await page.locator('#example').click();
    await page.waitForFunction(() => /It is a \d\.$/.test(document.getElementById('verdict').textContent));
    await draw(page, '0');
    assert.doesNotMatch(await text(page, 'verdict'), /It is a/);
  });

  test('every control has a name', async () => {
    assert.deepEqual(await nameless(page), []);
    assert.deepEqual(page.problems, []);
  });
});

group('the page around it', { skip: missing }, () => {
  for (const [name, options] of [
    [
      'phone',
      { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
    ],
    [
      'phone-dark',
      { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, colorScheme: 'dark' },
    ],
    ['tablet', { viewport: { width: 820, height: 1180 } }],
    ['dark', { colorScheme: 'dark' }],
  ])
    test(`${name}: nothing is cut off`, async () => {
      const page = await openPage(browser, urlOf(), options);
      await learn(page, 150);
      const width = options.viewport?.width ?? 1360;
      const content = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(content <= width, `${content} wide in ${width}`);
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

/** Resident bytes of the processes that run pages and their workers. */
async function resident() {
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
  const [STEPS, SECONDS] = isFull ? [100_000, 600] : [Infinity, 20];

  test(`stays flat while the network learns (${isFull ? '100,000 steps' : `${SECONDS} s`})`, async (t) => {
    const page = await openPage(browser, urlOf());
    await page.locator('#start').click();
    await reach(page, Math.min(5000, STEPS / 10));
    const [first, before] = [await report(page), await resident()];
    const end = Date.now() + 1000 * SECONDS;
    let most = before;
    let last = first;
    while (Date.now() < end && last.steps < STEPS) {
      await page.waitForTimeout(500);
      last = await report(page);
      most = Math.max(most, await resident());
      assert.equal(last.memory.liveTensors, first.memory.liveTensors);
      assert.equal(last.memory.liveBytes, first.memory.liveBytes);
    }
    t.diagnostic(
      `steps ${first.steps} to ${last.steps}: tensors ${last.memory.liveTensors}, ${last.memory.liveBytes} bytes; ` +
        `resident ${Math.round(before / 1e6)} MB, at most ${Math.round(most / 1e6)} MB`,
    );
    if (isFull) assert.ok(last.steps >= STEPS, `${last.steps} steps`);
    assert.ok(last.steps > first.steps);
    assert.ok(most - before < 40e6, `${Math.round((most - before) / 1e6)} MB more`);
    await page.close();
  });
});
