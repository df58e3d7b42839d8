// The compiler page in Chromium: the code of each example beside its picture, times that were measured, isolated or not.
import assert from 'node:assert/strict';
import { after, before, describe as group, test } from 'node:test';
import {
  assertFits,
  browser,
  missing,
  nameless,
  openPage,
  screens,
  screenshot,
  servers,
  settled,
  useDemo,
} from './browser_support.mjs';

useDemo();

const urlOf = (isolated = true) => `${servers[isolated ? 'isolated' : 'open'].url}compiler.html`;
const text = (page, id) => page.locator(`#${id}`).innerText();

async function choose(page, name, value) {
  await page.locator(`[name=${name}][value=${value}]`).click();
  await settled(page);
}
async function chooseSize(page, value) {
  await page.locator('[name=size]').selectOption(value);
  await settled(page);
}

// What the picture has: steps and groups, their names, whether it is one that a policy lets in.
const picture = (page) =>
  page.evaluate(() => {
    const svg = document.querySelector('#drawing > svg');
    const all = (kind) => svg.querySelectorAll(`.steps > .${kind}`).length;
    const texts = [...svg.querySelectorAll('.steps text')].map((node) => node.textContent);
    return {
      calls: all('call'),
      groups: all('group'),
      wires: all('wire'),
      texts,
      title: svg.querySelector('title').textContent,
      styles: svg.querySelectorAll('style, [style]').length,
      colour: getComputedStyle(svg.querySelector('text')).fill,
    };
  });

for (const isolated of [true, false])
  group(
    `the compiler page, ${isolated ? 'cross-origin isolated' : 'not isolated'}`,
    { skip: missing },
    () => {
      let page;

      before(async () => {
        page = await openPage(browser, urlOf(isolated));
      });
      after(async () => {
        await page?.close();
      });

      test('says what runs', async () => {
        const engine = await text(page, 'engine');
        assert.match(engine, isolated ? /WebAssembly, (threads|relaxed)/ : /WebAssembly, simd/);
        assert.equal(await page.locator('#notice').isVisible(), !isolated);
        if (!isolated) assert.match(await text(page, 'notice'), /one thread .*Cross-Origin-Opener-Policy/s);
      });

      for (const [example, code, ops, counted] of [
        [
          'chain',
          /a\.mul\(b\)\.add\(c\)/,
          ['mul', 'add', 'relu', 'neg', 'exp'],
          /^6 calls in 1 step; 4 inputs, 1 result$/,
        ],
        [
          'softmax',
          /x\.amax\(1, \{ keepdim: true \}\)/,
          ['amax', 'sub', 'exp', 'sum', 'div'],
          /^5 calls in \d steps?; 1 input/,
        ],
        [
          'training',
          /loss\.backward\(\);/,
          ['sgd', 'log_softmax'],
          /calls in \d+ steps; 2 inputs, 1 result, 4 gradients/,
        ],
      ])
        test(`${example}: code, picture, times`, async () => {
          await choose(page, 'example', example);
          assert.match(await text(page, 'code'), code);
          const { calls, groups, wires, texts, title, styles } = await picture(page);
          assert.ok(calls + groups > 0 && wires > calls);
          for (const op of ops) assert.ok(texts.includes(op), `${op} is drawn`);
          assert.match(title, counted);
          assert.equal(styles, 0);
          const { eager, compiled, ratio } = JSON.parse(
            await page.locator('#times').getAttribute('data-report'),
          );
          assert.ok(eager > 0 && compiled > 0 && Math.abs(ratio - compiled / eager) < 1e-9);
          assert.match(await text(page, 'time-compiled'), /^[\d.]+ ms$/);
          assert.equal(await text(page, 'ratio'), ratio.toFixed(2));
          assert.match(
            await text(page, 'status'),
            /^Both give the same bits\. Recorded once, in [\d.]+ ms\.$/,
          );
          assert.equal(await page.locator('#alert').isVisible(), false);
          await screenshot(page, `compiler-${example}-${isolated ? 'threads' : 'one-thread'}`);
        });

      test('another size is measured anew, another form only drawn anew', async () => {
        await choose(page, 'example', 'chain');
        await chooseSize(page, '10000');
        assert.match((await picture(page)).texts.join('\n'), /f32 \[10000\]/);
        const before = await page.locator('#times').getAttribute('data-report');
        await choose(page, 'form', 'nodes');
        const { calls, groups, title } = await picture(page);
        assert.deepEqual([calls, groups], [6, 0]);
        assert.match(title, /^6 calls as recorded/);
        assert.equal(await page.locator('#times').getAttribute('data-report'), before);
        await page.locator('#again').click();
        await settled(page);
        assert.notEqual(await page.locator('#times').getAttribute('data-report'), before);
      });

      test('choices in a hurry: the last one counts', async () => {
        await choose(page, 'form', 'groups');
        await choose(page, 'example', 'chain');
        for (const example of ['softmax', 'training', 'chain', 'softmax', 'chain'])
          await page.locator(`[name=example][value=${example}]`).click();
        await settled(page);
        assert.match((await picture(page)).title, /^6 calls in 1 step/);
        assert.deepEqual(page.problems, []);
      });
    },
  );

group('the compiler page on other screens', { skip: missing }, () => {
  for (const [name, options] of screens)
    test(name, async () => {
      const page = await openPage(browser, urlOf(), options);
      assert.equal(await page.locator('html').getAttribute('data-state'), 'ready');
      await assertFits(page);
      for (const example of ['training', 'softmax']) {
        await choose(page, 'example', example);
        await assertFits(page);
        const { colour } = await picture(page);
        const ink = await page.evaluate(() => getComputedStyle(document.body).color);
        assert.equal(colour, ink, 'words of the picture have the colour of the page');
        await screenshot(page, `compiler-${example}-${name}`);
      }
      assert.deepEqual(await nameless(page), []);
      assert.deepEqual(page.problems, []);
      await page.close();
    });

  test('the other pages lead to it, and it to them', async () => {
    const page = await openPage(browser, urlOf());
    for (const there of ['./', 'learn.html']) {
      await page.locator(`nav a[href="${there}"]`).click();
      await page.locator('nav a[href="compiler.html"]').click();
      await settled(page);
      assert.match(page.url(), /compiler\.html$/);
    }
    await page.close();
  });
});
