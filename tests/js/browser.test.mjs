// The demo in Chromium, with and without cross-origin isolation. Pixels and numbers are compared with an own computation.
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { after, before, describe as group, test } from 'node:test';
import {
  assertFits,
  browser,
  canvas,
  describe,
  difference,
  expected,
  missing,
  nameless,
  openPage,
  png,
  screens,
  screenshot,
  servers,
  settings,
  settled,
  testPicture,
  useDemo,
} from './browser_support.mjs';

const picture = testPicture();
const file = { name: 'test.png', mimeType: 'image/png', buffer: png(picture) };
const bound = 1; // levels between the page and exact arithmetic, rounded

useDemo();

// Presses keys on a control, then waits.
async function press(page, name, ...keys) {
  await page.locator(`#controls [name=${name}]`).focus();
  for (const key of keys) await page.keyboard.press(key);
  await settled(page);
}

const times = (n, key) => new Array(n).fill(key);

async function openFile(page) {
  await page.locator('#file').setInputFiles(file);
  await page.waitForFunction(() => document.getElementById('credit').textContent === 'test.png');
  await settled(page);
}

async function assertPixels(page, second) {
  const found = await canvas(page);
  const wanted = expected(picture, await settings(page), second);
  const most = difference(found, wanted);
  assert.ok(most <= bound, `pixels differ by ${most} levels (${found.width} x ${found.height})`);
  return found;
}

// The table and the histogram say what the canvas shows.
async function assertNumbers(page, shown) {
  const wanted = describe(shown);
  const rows = await page.locator('#statistics tbody tr').allInnerTexts();
  const numbers = rows.map((row) => row.trim().split(/\s+/).slice(1).map(Number));
  const counts = JSON.parse(await page.locator('#histogram-plot').getAttribute('data-counts'));
  wanted.forEach(({ mean, deviation, least, most, counts: bins }, c) => {
    assert.ok(Math.abs(numbers[c][0] - mean) < 0.011, `mean ${numbers[c][0]}, should be ${mean}`);
    assert.ok(
      Math.abs(numbers[c][1] - deviation) < 0.011,
      `deviation ${numbers[c][1]}, should be ${deviation}`,
    );
    assert.deepEqual(numbers[c].slice(2), [least, most]);
    assert.deepEqual(counts[c], bins);
    const total = counts[c].reduce((sum, count) => sum + count, 0);
    assert.equal(total, shown.width * shown.height);
  });
  assert.match(
    await page.locator('#histogram-note').innerText(),
    new RegExp(` ${shown.width * shown.height} pixels`.replace(/(\d)(\d{3}) /, '$1,$2 ')),
  );
}

for (const isolated of [true, false])
  group(`the picture, ${isolated ? 'cross-origin isolated' : 'not isolated'}`, { skip: missing }, () => {
    let page;

    before(async () => {
      page = await openPage(browser, servers[isolated ? 'isolated' : 'open'].url);
    });
    after(async () => {
      await page?.close();
    });

    test('says what runs, and why', async () => {
      const engine = await page.locator('#engine').innerText();
      assert.equal(await page.evaluate(() => crossOriginIsolated), isolated);
      if (isolated) {
        assert.match(engine, /WebAssembly, (threads|relaxed)/);
        assert.match(engine, new RegExp(`Threads\\s+${availableParallelism()}\\b`));
        assert.ok(await page.locator('#notice').isHidden());
      } else {
        assert.match(engine, /WebAssembly, simd/);
        assert.match(engine, /Threads\s+1\b/);
        assert.match(
          await page.locator('#notice').innerText(),
          /one thread .*not cross-origin isolated.*Cross-Origin-Opener-Policy/s,
        );
      }
    });

    test('shows the first picture, its credit and the times', async () => {
      const shown = await canvas(page);
      assert.equal(Math.max(shown.width, shown.height), 1280);
      assert.ok(describe(shown).every(({ deviation }) => deviation > 10));
      assert.match(
        await page.locator('#credit').innerText(),
        /^(Photograph: Picos de Europa, Aitzol Berasategi, CC BY 4\.0|Drawn by)/,
      );
      const rows = await page.locator('#times tbody tr').count();
      assert.equal(rows, 10);
      for (const cell of await page.locator('#times tfoot td.number:not(:last-child)').allInnerTexts())
        assert.ok(Number(cell) > 0, cell);
      assert.match(await page.locator('#times-note').innerText(), /differ by at most [01] of 255 levels/);
      await screenshot(page, isolated ? 'threads' : 'one-thread');
    });

    test('a file of the visitor comes out as it is when nothing is changed', async () => {
      await openFile(page);
      await press(page, 'vignette', 'Home');
      assert.equal(difference(await canvas(page), picture), 0);
      await assertNumbers(page, await assertPixels(page));
    });

    test('exposure, contrast and white balance by keyboard', async () => {
      await press(page, 'exposure', ...times(7, 'ArrowRight'));
      await press(page, 'contrast', ...times(4, 'ArrowLeft'));
      await press(page, 'temperature', ...times(8, 'ArrowRight'));
      await press(page, 'tint', ...times(5, 'ArrowLeft'));
      const { exposure, contrast, temperature, tint } = await settings(page);
      assert.deepEqual([exposure, contrast, temperature, tint], [0.7, 0.8, 0.4, -0.25]);
      assert.equal(await page.locator('.slider:has([name=exposure]) .value').innerText(), '+0.7 EV');
      await assertNumbers(page, await assertPixels(page));
    });

    test('an exposure that is a whole factor does not wrap around', async () => {
      await press(page, 'exposure', 'End');
      await assertPixels(page);
      await press(page, 'exposure', ...times(20, 'ArrowLeft'));
      assert.equal((await settings(page)).exposure, 1);
      await assertPixels(page);
    });

    for (const mix of ['mono', 'sepia', 'swap'])
      test(`channel mix ${mix} with saturation and vignette`, async () => {
        await page.locator('[name=mix]').selectOption(mix);
        await press(page, 'saturation', 'ArrowLeft');
        await press(page, 'vignette', 'ArrowRight', 'ArrowRight');
        await assertNumbers(page, await assertPixels(page));
      });

    test('mirrored and strided views', async () => {
      await press(page, 'mirror', 'Space');
      await assertPixels(page);
      await press(page, 'step', 'ArrowRight', 'ArrowRight');
      const shown = await assertPixels(page);
      assert.deepEqual([shown.width, shown.height], [33, 22]);
      await assertNumbers(page, shown);
      await press(page, 'step', 'Home');
      await press(page, 'mirror', 'Space');
    });

    test('blending with a second picture of another dtype', async () => {
      await press(page, 'blend', 'End');
      const second = await canvas(page);
      assert.ok(describe(second).every(({ deviation }) => deviation > 1));
      await press(page, 'blend', ...times(7, 'ArrowLeft'));
      assert.equal((await settings(page)).blend, 0.65);
      await assertNumbers(page, await assertPixels(page, second));
    });

    test('plain JavaScript can be left out of the table', async () => {
      const ratios = page.locator('#times tbody td.number.plain:last-child');
      assert.equal(await ratios.count(), 10);
      await press(page, 'compare', 'Space');
      assert.equal(await ratios.first().isVisible(), false);
      await press(page, 'compare', 'Space');
      assert.equal(await ratios.first().isVisible(), true);
      assert.match(await page.locator('#times-note').innerText(), /differ by at most [01] of 255/);
    });

    test('memory does not grow from run to run', async () => {
      const memory = () => page.locator('#engine-memory').innerText();
      const start = await memory();
      await press(page, 'tint', ...times(40, 'ArrowRight'));
      assert.equal(await memory(), start);
    });

    test('a file that is no picture is refused, and the page goes on', async () => {
      await page
        .locator('#file')
        .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('not a picture') });
      await page.locator('#alert').waitFor();
      assert.match(await page.locator('#alert').innerText(), /notes\.txt is not a picture/);
      await page.getByRole('button', { name: 'Reset' }).press('Enter');
      await page.locator('#alert').waitFor({ state: 'hidden' });
      await settled(page);
      assert.equal((await settings(page)).exposure, 0);
      await assertPixels(page);
    });

    const withThreads = isolated ? test : () => {};
    withThreads('the number of threads changes nothing but time', async () => {
      const before = await canvas(page);
      if (!(await page.locator('#threads-row').isVisible())) return assert.equal(availableParallelism(), 1);
      await press(page, 'threads', 'Home');
      assert.match(await page.locator('#engine').innerText(), /Threads\s+1\b/);
      await press(page, 'mirror', 'Space');
      await press(page, 'mirror', 'Space');
      assert.equal(difference(await canvas(page), before), 0);
    });

    test('nothing was complained of on the console', () => {
      assert.deepEqual(page.problems, []);
    });
  });

group('the iterator explorer', { skip: missing }, () => {
  let page;

  before(async () => {
    page = await openPage(browser, servers.isolated.url);
  });
  after(async () => {
    await page?.close();
  });

  const found = async () =>
    JSON.parse(await page.locator('#explorer-result .facts').getAttribute('data-found'));
  const type = (name, text) => page.locator(`#operands [name=${name}]`).fill(text);
  const example = (name) => page.locator('#example').selectOption(name);
  const problem = () => page.locator('#explorer-error').innerText();

  test('[3,1,5] and [1,4,5] broadcast to [3,4,5]', async () => {
    await example('Broadcast');
    const { shape, numel, commonDType, resultDType, permutation, dims, operands } = await found();
    assert.deepEqual(shape, [3, 4, 5]);
    assert.equal(numel, 60);
    assert.deepEqual([commonDType, resultDType], ['float32', 'float32']);
    assert.deepEqual(permutation, [2, 1, 0]);
    assert.deepEqual(operands, ['out', 'a', 'b']);
    assert.deepEqual(dims, [
      { size: 5, strideBytes: [4, 4, 4] },
      { size: 4, strideBytes: [20, 0, 20] },
      { size: 3, strideBytes: [80, 20, 0] },
    ]);
    assert.match(await page.locator('#explorer-result').innerText(), /\[3, 4, 5\]\s+60 elements/);
    assert.equal(await page.locator('.memory').count(), 4);
    assert.equal(await page.locator('.memory').first().locator('.cell').count(), 60);
  });

  test('contiguous operands become one run', async () => {
    await example('All contiguous');
    const { dims, isContiguous, setup } = await found();
    assert.deepEqual(dims, [{ size: 24, strideBytes: [4, 4, 4] }]);
    assert.equal(isContiguous, true);
    assert.equal(setup, 'contiguous');
    assert.equal(await page.locator('.dims .loop td').innerText(), '24, merged');
  });

  test('dtypes of pixels and a float vector promote', async () => {
    await example('Pixels times white balance');
    const { shape, commonDType, dims } = await found();
    assert.deepEqual(shape, [3, 4, 3]);
    assert.equal(commonDType, 'float32');
    assert.deepEqual(
      dims.map(({ size }) => size),
      [3, 12],
    );
    assert.deepEqual(await page.locator('.dims .loop td').allInnerTexts(), ['3', '12, merged']);
  });

  test('negative and stepped strides are walked as given', async () => {
    await example('Every second, backwards');
    const memory = page.locator('.memory').nth(2); // index space, out, a
    assert.equal(await memory.locator('.cell:not(.gap)').count(), 20);
    assert.equal(await memory.locator('.cell').count(), 39);
    assert.equal(await memory.locator('.cell.now text').innerHTML(), '8'); // the last of five, two apart
    await page.locator('#walk').focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await memory.locator('.cell.now text').innerHTML(), '6');
    assert.match(await page.locator('.walker .value').innerText(), /^2 of 20/);
    await page.keyboard.press('End');
    assert.equal(await memory.locator('.cell.now text').innerHTML(), '30');
    await screenshot(page, 'explorer');
  });

  test('the walk visits every element once', async () => {
    await example('Transposed with row-major');
    const visited = new Set();
    await page.locator('#walk').focus();
    await page.keyboard.press('Home');
    for (let k = 0; k < 24; k++) {
      visited.add(await page.locator('.memory').first().locator('.cell.now text').innerHTML());
      await page.keyboard.press('ArrowRight');
    }
    assert.equal(visited.size, 24);
  });

  test('shapes that do not fit give the error of the library', async () => {
    await example('Shapes that do not fit');
    assert.match(await problem(), /^ShapeError \(ERR_SHAPE\): add: .*\[2,3\].*\[4\]/);
    assert.equal(await page.locator('#explorer-result').innerText(), '');
    await screenshot(page, 'explorer-error');
    await type('shape-b', '[3]');
    assert.ok(await page.locator('#explorer-error').isHidden());
    assert.deepEqual((await found()).shape, [2, 3]);
  });

  test('what is no list of numbers is refused at its field', async () => {
    await type('shape-a', '[2, three]');
    assert.match(await problem(), /not a list of whole numbers/);
    assert.equal(await page.locator('[name=shape-a]').getAttribute('aria-invalid'), 'true');
    await type('shape-a', '[2, 3]');
    assert.equal(await page.locator('[name=shape-a]').getAttribute('aria-invalid'), 'false');
    assert.ok(await page.locator('#explorer-error').isHidden());
  });

  for (const [what, shape, error] of [
    ['a negative size', '[-1, 3]', /^ShapeError/],
    ['more elements than there can be', '[4000000000, 4000000000]', /^ShapeError/],
    ['more bytes than can be addressed', '[300000, 300000]', /^ShapeError \(ERR_OVERFLOW\)/],
  ])
    test(`${what} is refused, and the page goes on`, async () => {
      await type('shape-a', shape);
      assert.match(await problem(), error);
      await type('shape-a', '[2, 3]');
      assert.deepEqual((await found()).shape, [2, 3]);
    });

  test('more memory than there is is refused, and the page goes on', async () => {
    await example('Select by a mask');
    for (const name of ['b', 'c']) {
      await page.locator(`[name=dtype-${name}]`).selectOption('float64');
      await type(`shape-${name}`, '[16000, 16000]');
    }
    assert.match(await problem(), /^MemoryError \(ERR_MEMORY\)/);
    await example('Broadcast');
    assert.deepEqual((await found()).shape, [3, 4, 5]);
  });

  test('three operands, none, and no elements', async () => {
    await example('Select by a mask');
    assert.deepEqual((await found()).operands, ['out', 'a', 'b', 'c']);
    assert.equal((await found()).resultDType, 'int64');
    await page.locator('#op').selectOption('neg');
    assert.equal(await page.locator('#operand-rows fieldset').count(), 1);
    await page.locator('[name=dtype-a]').selectOption('float64');
    await type('shape-a', '[]');
    assert.equal((await found()).numel, 1);
    await type('shape-a', '[0, 3]');
    assert.match(await page.locator('#explorer-drawing').innerText(), /Nothing to walk/);
  });

  test('nothing was complained of on the console', () => {
    assert.deepEqual(page.problems, []);
  });
});

for (const isolated of [true, false])
  group(
    `reasons of the iterator, ${isolated ? 'cross-origin isolated' : 'not isolated'}`,
    { skip: missing },
    () => {
      let page;

      before(async () => {
        page = await openPage(browser, servers[isolated ? 'isolated' : 'open'].url);
      });
      after(async () => {
        await page?.close();
      });

      const example = (name) => page.locator('#example').selectOption(name);
      const texts = (selector) => page.locator(selector).allInnerTexts();
      const reasons = async () => (await texts('.reasons li')).map((text) => text.replace('\n', ': '));

      test('a transposed operand and a row: who decided, and what keeps the axes apart', async () => {
        await example('Transposed plus a row');
        assert.deepEqual(await reasons(), [
          'Axis 0 runs faster than axis 1: A step of a is 4 bytes here and 24 bytes there.',
          'Axis 1 stays apart: To go on where axis 0 ends, b would have to step 0 bytes; it steps 4.',
        ]);
        assert.deepEqual(await texts('.paths li'), ['No short cut\nb has another shape than the iteration']);
        const row = page.locator('.memory').nth(3); // index space, out, a, b
        assert.deepEqual(await row.locator('.times').allTextContents(), ['×6', '×6', '×6', '×6']);
        assert.deepEqual(await row.locator('.steps li').allInnerTexts(), [
          'axis 0\n↻\nrepeats',
          'axis 1\n→\n1 cell',
        ]);
        await screenshot(page, `reasons-row-${isolated ? 'isolated' : 'open'}`);
      });

      test('short cuts: one taken, the others refused or not needed', async () => {
        await example('Two transposed alike');
        assert.deepEqual(await texts('.paths li'), [
          'contiguous\na is laid out in another way',
          'channels last\nchannels-last is a layout of four axes',
          'dense\ntaken',
        ]);
        assert.deepEqual(await reasons(), [
          'Axis 1 joins axis 0: All operands lie alike, so everything is one run.',
        ]);
      });

      test('channels last, against a bias that repeats', async () => {
        await example('Channels last plus a bias');
        assert.deepEqual(await texts('.dims .loop td'), ['3', '16, merged']);
        assert.match((await reasons()).join('\n'), /Axis 0 joins axis 2: Every operand goes on/);
        await screenshot(page, `reasons-channels-${isolated ? 'isolated' : 'open'}`);
      });

      test('a flipped operand runs backwards', async () => {
        await example('Flipped');
        const steps = page.locator('.memory').nth(2).locator('.steps .back');
        assert.deepEqual(await steps.allInnerTexts(), ['axis 1\n←\n1 cell back', 'axis 0\n←\n6 cells back']);
        assert.equal(await page.locator('.memory').nth(2).locator('.cell.now text').innerHTML(), '23');
        const shades = await page
          .locator('.memory')
          .nth(2)
          .locator('.cell')
          .evaluateAll((cells) => cells.map((cell) => cell.style.getPropertyValue('--shade')));
        assert.deepEqual([shades[0], shades[23]], ['100%', '0%']); // the last index lies first
        await screenshot(page, `reasons-flipped-${isolated ? 'isolated' : 'open'}`);
      });

      test('a slice whose rows do not go on', async () => {
        await example('A slice that keeps axes apart');
        assert.deepEqual(await texts('.dims .loop td'), ['4', '6, merged']);
        assert.match(
          (await reasons()).join('\n'),
          /Axis 1 stays apart: .* a would have to step 16 bytes; it steps 24\./,
        );
        assert.equal(await page.locator('.memory').nth(2).locator('.cell.gap').count(), 10);
        await screenshot(page, `reasons-slice-${isolated ? 'isolated' : 'open'}`);
      });

      test('the cut follows the number of threads', async () => {
        await example('Cut over threads');
        const threads = Number(await page.locator('#engine-threads').innerText());
        const chunks = await page.locator('.cut-bar rect').count();
        assert.equal(chunks, Math.min(isolated ? threads || availableParallelism() : 1, 32));
        const words = await page.locator('.cut figcaption span').innerText();
        assert.match(
          words,
          chunks > 1 ? /^\d+ threads: \d+ chunks of/ : /^One thread takes all 1,048,576 positions/,
        );
        assert.match(await page.locator('#explorer-drawing').innerText(), /Too many elements to draw/);
        await screenshot(page, `reasons-cut-${isolated ? 'isolated' : 'open'}`);
      });

      test('the walk plays, pauses, and goes from run to run by the keyboard', async () => {
        await example('Transposed with row-major');
        const place = async () => Number(await page.locator('#walk').inputValue());
        await page.locator('#walk-next').focus();
        await page.keyboard.press('Enter');
        assert.equal(await place(), 6);
        await page.locator('#walk-play').focus();
        await page.keyboard.press('Enter');
        await page.waitForFunction(() => Number(document.getElementById('walk').value) > 8);
        assert.equal(await page.locator('#walk-play').innerText(), 'Pause');
        await page.keyboard.press('Enter');
        const stopped = await place();
        await page.waitForTimeout(400);
        assert.equal(await place(), stopped);
        await page.keyboard.press('Enter');
        await example('Broadcast'); // another example ends the walk of this one
        await page.waitForTimeout(400);
        assert.equal(await place(), 0);
      });

      test('nothing was complained of on the console', () => {
        assert.deepEqual(page.problems, []);
      });
    },
  );

group('other circumstances', { skip: missing }, () => {
  test('nothing moves by itself for those who asked for less motion', async () => {
    const page = await openPage(browser, servers.open.url, { reducedMotion: 'reduce' });
    assert.equal(await page.locator('#walk-play').count(), 0);
    await page.locator('#walk-next').click();
    assert.equal(await page.locator('#walk').inputValue(), '5');
    await page.close();
  });

  for (const [name, options] of screens)
    test(`${name}: nothing is cut off`, async () => {
      const page = await openPage(browser, servers.isolated.url, options);
      await assertFits(page);
      if (options.isMobile) assert.equal(Math.max(...Object.values(await canvas(page)).slice(0, 2)), 640);
      await screenshot(page, name);
      await page.close();
    });

  test('without the photographs the page draws a picture', async () => {
    const prepare = (page) => page.route('**/assets/**', (route) => route.fulfill({ status: 404 }));
    const page = await openPage(browser, servers.isolated.url, { prepare });
    assert.equal(await page.locator('#credit').innerText(), 'Drawn by this page');
    assert.ok(describe(await canvas(page)).every(({ deviation }) => deviation > 10));
    await screenshot(page, 'drawn');
    await page.close();
  });

  test('without the library the page says so', async () => {
    const prepare = (page) => page.route('**/vendor/**', (route) => route.fulfill({ status: 404 }));
    const page = await openPage(browser, servers.isolated.url, { prepare });
    assert.match(await page.locator('#alert').innerText(), /make demo/);
    await page.close();
  });

  // As tests/js/trap_thread.test.ts does it in Node: the thread's table of functions is emptied.
  test(
    'a trap in a thread ends the wait for it in an error',
    { skip: availableParallelism() === 1 && 'one core' },
    async () => {
      const traps = `{
      const { Instance } = WebAssembly;
      let table;
      WebAssembly.Instance = function (module, imports) {
        const instance = new Instance(module, imports);
        table = instance.exports.__indirect_function_table;
        return instance;
      };
      addEventListener('message', ({ data: { cmd, start_routine } }) => {
        if (cmd === 'run') for (let k = 0; k < table.length; k++) if (k !== start_routine) table.set(k, null);
      });
    }`;
      const context = await browser.newContext();
      await context.route('**/wasm/worker.js', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: traps + (await response.text()) });
      });
      const page = await context.newPage();
      await page.goto(new URL('style.css', servers.isolated.url).href); // isolated, and nothing runs
      const message = await page.evaluate(async (library) => {
        const { init, ones } = await import(library);
        await init({ threads: 2 });
        try {
          for (const end = Date.now() + 30_000; Date.now() < end; await new Promise((go) => setTimeout(go)))
            ones(1_000_000).dispose();
        } catch (error) {
          return error.message;
        }
      }, new URL('vendor/stria/dist/index.js', servers.isolated.url).href);
      assert.match(message, /^init: the WebAssembly module has stopped \(a trap in a thread\)/);
      await context.close();
    },
  );

  test('every control has a name', async () => {
    const page = await openPage(browser, servers.isolated.url);
    assert.deepEqual(await nameless(page), []);
    await page.close();
  });

  test('the server keeps to its folder', async () => {
    const { url } = servers.isolated;
    const get = async (name, options) => (await fetch(new URL(name, url), options)).status;
    assert.equal(await get('style.css'), 200);
    assert.equal(await get('..%2fserve.mjs'), 404);
    assert.equal(await get('%2e%2e/serve.mjs'), 404);
    assert.equal(await get('%'), 404);
    assert.equal(await get('nothing.js'), 404);
    assert.equal(await get('style.css', { method: 'POST' }), 405);
    assert.equal((await fetch(url)).headers.get('cross-origin-embedder-policy'), 'require-corp');
    assert.equal((await fetch(servers.open.url)).headers.get('cross-origin-embedder-policy'), null);
  });
});
