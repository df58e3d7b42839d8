// The training page in Chromium: it learns, reads what is drawn, stops, goes on from a file, and does what its
// settings say.
import assert from 'node:assert/strict';
import { after, before, describe as group, test } from 'node:test';
import {
  urlOf,
  text,
  report,
  state,
  until,
  reading,
  reach,
  learn,
  shapes,
  draw,
  answered,
  probabilities,
  safetensors,
  floats,
  layers,
  open,
  save,
} from './browser_learn_support.mjs';
import { browser, missing, nameless, openPage, screenshot, useDemo } from './browser_support.mjs';

useDemo();

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

      test('learns to read more than nine of ten held-out digits in 600 steps', async () => {
        await learn(page, 900);
        const curve = JSON.parse(await page.locator('#accuracy').getAttribute('data-curve'));
        assert.equal(curve[0][0], 0);
        assert.ok(curve[0][1] < 0.4, `${curve[0][1]} before it has learnt`);
        const first = curve.find(([, share]) => share > 0.9);
        assert.ok(first?.[0] <= 600, `more than 90 % at step ${first?.[0]}`);
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
        const shown = steps.toLocaleString('en');
        const label = (id) => page.locator(`#${id}`).getAttribute('aria-label');
        assert.match(await label('loss'), new RegExp(`^Loss over ${shown} steps, at the end [\\d.e-]+$`));
        assert.match(await label('accuracy'), new RegExp(`over ${shown} steps, at the end 9\\d\\.\\d %$`));
        assert.equal(
          await label('weights'),
          `Weights of the 64 units of the first layer, after ${shown} steps`,
        );
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
          .filter(([key]) => key !== '__metadata__' && !key.startsWith('optimizer.'))
          .map(([key, { dtype, shape }]) => [key, dtype, ...shape]);
        assert.deepEqual(shapesIn, [
          ['0.weight', 'F32', 64, 64],
          ['0.bias', 'F32', 64],
          ['2.weight', 'F32', 10, 64],
          ['2.bias', 'F32', 10],
        ]);
        assert.equal(Object.keys(header).filter((key) => /^optimizer\.\d\.expAvg(Sq)?$/.test(key)).length, 8);
        assert.equal(header.__metadata__.steps, String(steps));

        await page.locator('#reset').click();
        await until(page, () => document.getElementById('count-step').textContent === '0');
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
    await until(page, () => document.getElementById('count-step').textContent === '0');
  };

  for (const optimizer of ['sgd', 'momentum', 'adam', 'adamw'])
    test(`${optimizer} learns`, async () => {
      await page.locator('[name=optimizer]').selectOption(optimizer);
      if ((await report(page)).steps > 0) await reset();
      await learn(page, 700);
      assert.ok((await report(page)).accuracy > 0.9, String((await report(page)).accuracy));
    });

  test('it learns without variations of the digits, too', async () => {
    const firstLoss = async () => {
      await reset();
      await page.locator('#step').click();
      await reach(page, 1);
      return text(page, 'count-loss');
    };
    assert.equal(await page.locator('[name=vary]').isChecked(), true);
    const varied = await firstLoss();
    await page.locator('[name=vary]').press('Space');
    assert.notEqual(await firstLoss(), varied);
    await learn(page, 500);
    assert.ok((await report(page)).accuracy > 0.9, String((await report(page)).accuracy));
    await page.locator('[name=vary]').press('Space');
    assert.equal(await firstLoss(), varied);
  });

  test('the same settings give the same network, another seed another', async () => {
    await page.locator('#example').click();
    await until(page, () => /It is a \d\.$/.test(document.getElementById('verdict').textContent));
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
    await until(page, () => document.getElementById('status').textContent === 'Opened large.safetensors.');
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
    await until(page, () => document.getElementById('count-step').textContent === '0');
    await until(page, () => document.getElementById('weights').height === 8 * 9 - 1);
    assert.equal(await page.locator('#weights').getAttribute('width'), String(16 * 9 - 1));
    await learn(page, 200);
  });

  test('another module goes on with the network', async () => {
    await draw(page, '3');
    const [shares, before] = [await probabilities(page), await report(page)];
    await page.locator('[name=variant]').selectOption('simd');
    await until(page, () => document.getElementById('engine-backend').textContent.includes('simd'));
    await state(page, 'ready');
    await answered(page);
    assert.equal((await report(page)).steps, before.steps);
    (await probabilities(page)).forEach((share, k) =>
      assert.ok(Math.abs(parseFloat(share) - parseFloat(shares[k])) <= 0.1),
    );
    assert.equal(await text(page, 'engine-threads'), '1');
    await page.locator('[name=variant]').selectOption('');
    await until(page, () => !document.getElementById('engine-backend').textContent.includes('simd'));
    await state(page, 'ready');
  });

  test('where another module does not start, the network goes on in the one that does', async () => {
    const { steps } = await report(page);
    const shares = await probabilities(page);
    const pattern = '**/stria-simd.wasm';
    await page.context().route(pattern, (route) => route.fulfill({ status: 404 }));
    await page.locator('[name=variant]').selectOption('simd');
    await page.locator('#alert').waitFor();
    await page.context().unroute(pattern);
    await state(page, 'ready');
    await answered(page);
    assert.match(await text(page, 'alert'), /404/);
    assert.equal(await page.locator('[name=variant]').inputValue(), '');
    assert.ok(steps > 0);
    assert.equal((await report(page)).steps, steps);
    assert.deepEqual(await probabilities(page), shares);
    page.problems.splice(
      0,
      page.problems.length,
      ...page.problems.filter((one) => !/404|stria-simd/.test(one)),
    );
    await page.locator('#step').click();
    await reach(page, steps + 1);
  });

  test('a seed longer than a file keeps is not taken', async () => {
    const before = await page.locator('[name=seed]').inputValue();
    await page.locator('[name=seed]').fill('12345678901');
    await page.locator('[name=seed]').press('Enter');
    await until(page, (seed) => document.querySelector('[name=seed]').value === seed, before);
    assert.equal(await page.locator('[name=seed]').getAttribute('max'), '999999999');
    await page.locator('#data-train', { hasText: '1,437' }).waitFor({ state: 'attached' });
  });

  test('threads, pace, batch and learning rate do what they say', { timeout: 300_000 }, async () => {
    assert.equal(await text(page, 'engine-threads'), '1');
    if (await page.locator('#threads-row').isVisible()) {
      await page.locator('[name=threads]').press('ArrowRight');
      await until(page, () => document.getElementById('engine-threads').textContent === '2');
      await page.locator('[name=threads]').press('Home');
    }
    await page.locator('[name=optimizer]').selectOption('sgd');
    await page.locator('[name=lr]').press('Home');
    await reset();
    await page.locator('#step').click();
    await reach(page, 1);
    await page.locator('[name=batch]').selectOption('256');
    await page.locator('#step').click();
    await reach(page, 2);
    assert.equal((await report(page)).samples, 32 + 256);
    await page.locator('[name=pace]').selectOption('slow');
    await reset();
    const begin = Date.now();
    await learn(page, 12);
    const { steps, samples } = await report(page);
    assert.ok(steps <= 2 + (10 * (Date.now() - begin)) / 1000, `${steps} steps in ${Date.now() - begin} ms`);
    assert.equal(samples, 1437 * Math.floor(steps / 6) + 256 * (steps % 6));
    await page.locator('#start').click();
    await reach(page, 30);
    const renewed = Date.now();
    await page.locator('#reset').click(); // in a run, which goes on: nobody may see its step 0
    await until(page, () => Number(document.getElementById('count-step').textContent) < 30);
    await page.waitForTimeout(500);
    const again = (await report(page)).steps;
    assert.ok(again <= 4 + (10 * (Date.now() - renewed)) / 1000, `${again} steps after a reset in a run`);
    await page.locator('#start').click();
    await state(page, 'ready');
    await page.locator('[name=pace]').selectOption('full');
    await learn(page, 100);
    const { accuracy } = await report(page);
    assert.ok(accuracy < 0.6, `${accuracy} with a learning rate of 0.0001`);
    await page.locator('[name=lr]').press('End');
    for (let k = 0; k < 6; k++) await page.locator('[name=lr]').press('ArrowLeft');
    assert.equal(await page.locator('.slider:has([name=lr]) .value').innerText(), '0.3');
    await learn(page, 800);
    assert.ok((await report(page)).accuracy > 0.9, String((await report(page)).accuracy));
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
    assert.ok(delays[20] < 250, `half of the timers came ${delays[20]} ms late`);
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
    await until(page, () => document.getElementById('verdict').textContent === 'Nothing drawn yet');
    await page.keyboard.press('Shift+Tab');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'pad');
    await page.keyboard.press('Space');
    for (let k = 0; k < 16; k++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await answered(page);
    assert.equal(await reading(page), 1);
    await screenshot(page, 'learn-keys', { fullPage: false });
    await page.keyboard.press('Escape');
    await until(page, () => document.getElementById('verdict').textContent === 'Nothing drawn yet');
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
    await until(page, () => /It is a \d\.$/.test(document.getElementById('verdict').textContent));
    await draw(page, '0');
    assert.doesNotMatch(await text(page, 'verdict'), /It is a/);
  });

  test('held-out digits that it reads wrong are shown, and go to the pad', async () => {
    const names = await page
      .locator('#misread button:visible')
      .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
    const { accuracy } = await report(page);
    assert.equal(names.length, Math.min(12, Math.round(360 * (1 - accuracy))));
    const [, truth, read] = /^A (\d), read as (\d): show it$/.exec(names[0]);
    assert.notEqual(truth, read);
    await page.locator('#misread button').first().press('Enter');
    await until(
      page,
      (digit) => document.getElementById('verdict').textContent.endsWith(`It is a ${digit}.`),
      truth,
    );
    assert.equal(await reading(page), Number(read));
  });

  test('every control has a name', async () => {
    assert.deepEqual(await nameless(page), []);
    assert.deepEqual(page.problems, []);
  });
});
