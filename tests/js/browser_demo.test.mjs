// What the demo promises beside its numbers: the picture stays in view, a bad file is reported on the picture, and the hashes
// are those of the native build.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe as group, test } from 'node:test';
import {
  browser,
  canvas,
  difference,
  missing,
  openPage,
  png,
  root,
  screenshot,
  servers,
  settings,
  settled,
  testPicture,
  useDemo,
} from './browser_support.mjs';

const native = path.join(root, 'web/demo/vendor/native.json');

useDemo();

// ---- the picture beside its controls

// How much of the picture is in view while a control is used, as a share of its height, and whether they cover each other. The
// page is scrolled to where picture and controls begin, and from there no further than the control needs.
const sight = (page, name) =>
  page.evaluate((control) => {
    const node = document.querySelector(`#controls [name=${control}]`);
    document.querySelector('.studio').scrollIntoView({ block: 'start', behavior: 'instant' });
    node.scrollIntoView({ block: 'nearest', behavior: 'instant' });
    node.focus({ preventScroll: true });
    const box = document.getElementById('canvas').getBoundingClientRect();
    const own = node.getBoundingClientRect();
    const seen = Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
    const covers =
      own.top < box.bottom && own.bottom > box.top && own.left < box.right && own.right > box.left;
    return { share: seen / box.height, height: box.height, covers };
  }, name);

group('the picture beside its controls', { skip: missing }, () => {
  let page;

  before(async () => {
    page = await openPage(browser, servers.isolated.url);
  });
  after(async () => {
    await page?.close();
  });

  for (const [name, viewport] of [
    ['wide', { width: 1360, height: 900 }],
    ['wide-low', { width: 1280, height: 640 }],
    ['tablet', { width: 820, height: 1180 }],
    ['phone', { width: 390, height: 844 }],
    ['phone-low', { width: 360, height: 640 }],
  ])
    test(`${name}: stays in view, whichever control is used`, async () => {
      await page.setViewportSize(viewport);
      for (const control of Object.keys(await settings(page))) {
        if (!(await page.locator(`#controls [name=${control}]`).isVisible())) continue;
        const { share, height, covers } = await sight(page, control);
        assert.ok(share > 0.95, `${control}: ${Math.round(100 * share)} % of the picture are in view`);
        assert.ok(height >= 150, `${control}: the picture is ${height} pixels high`);
        assert.equal(covers, false, `${control} lies on the picture`);
      }
      await screenshot(page, `beside-${name}`, { fullPage: false });
    });
});

// ---- bad files

// Drops a file on the page, as a visitor does; `more` zeros follow the bytes.
const drop = (page, name, bytes, more = 0) =>
  page.evaluate(
    ([fileName, text, zeros]) => {
      const content = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content, new Uint8Array(zeros)], fileName));
      dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    },
    [name, Buffer.from(bytes).toString('base64'), more],
  );

// The canvas as a file of another format, as bytes.
const encoded = async (page, type) =>
  Buffer.from(
    await page.evaluate((mime) => document.getElementById('canvas').toDataURL(mime).split(',')[1], type),
    'base64',
  );

group('files that are no pictures', { skip: missing }, () => {
  const picture = testPicture();
  const good = png(picture);
  const huge = Buffer.from(good);
  huge.writeUInt32BE(60000, 16); // IHDR: width, height
  huge.writeUInt32BE(40000, 20);
  const damaged = Buffer.from(good).fill(0x55, 45, good.length - 20);
  let page, shown, jpeg, webp;

  before(async () => {
    page = await openPage(browser, servers.isolated.url);
    shown = await canvas(page);
    [jpeg, webp] = [await encoded(page, 'image/jpeg'), await encoded(page, 'image/webp')];
  });
  after(async () => {
    await page?.close();
  });

  // The message is where the visitor looks: on the picture, in view; and the picture is what it was.
  async function assertRefused(message) {
    const alert = page.locator('.canvas-frame #alert');
    await page.waitForFunction((words) => {
      const node = document.getElementById('alert');
      return !node.hidden && node.textContent.includes(words);
    }, message);
    const box = await alert.boundingBox();
    const frame = await page.locator('.canvas-frame').boundingBox();
    const { height } = page.viewportSize();
    assert.ok(
      box.y >= frame.y && box.y + box.height <= frame.y + frame.height,
      'the message is on the picture',
    );
    assert.ok(box.y >= 0 && box.y + box.height <= height, 'the message is in view');
    assert.equal(await alert.getAttribute('role'), 'alert');
    assert.equal(difference(await canvas(page), shown), 0);
  }

  for (const [what, name, bytes, message, more] of [
    [
      'a text',
      'notes.txt',
      () => Buffer.from('not a picture'),
      'notes.txt is not a picture that this browser',
    ],
    ['an empty file', 'empty.png', () => Buffer.alloc(0), 'empty.png is empty'],
    [
      'a PNG cut off',
      'half.png',
      () => good.subarray(0, good.length / 2),
      'half.png is cut off: the end of the PNG',
    ],
    ['a PNG without its last byte', 'most.png', () => good.subarray(0, -1), 'most.png is cut off'],
    [
      'a JPEG cut off',
      'half.jpg',
      () => jpeg.subarray(0, jpeg.length / 2),
      'half.jpg is cut off: the end of the JPEG',
    ],
    [
      'a WebP cut off',
      'half.webp',
      () => webp.subarray(0, webp.length / 2),
      'half.webp is cut off: the end of the WebP',
    ],
    ['a PNG of too many pixels', 'huge.png', () => huge, 'huge.png has 60000 × 40000 pixels'],
    ['a damaged PNG', 'bad.png', () => damaged, 'bad.png is a PNG, but damaged'],
    ['a file of 201 MB', 'long.png', () => good, 'long.png has 201 MB', 201e6],
  ])
    test(`${what} is refused on the picture, which stays`, async () => {
      await page.locator('[name=size]').scrollIntoViewIfNeeded(); // as far down as the controls go
      await drop(page, name, bytes(), more);
      await assertRefused(message);
      if (name === 'half.jpg') await screenshot(page, 'bad-file', { fullPage: false });
    });

  test('files that are whole open, and take the message away', async () => {
    for (const [name, bytes] of [
      ['whole.jpg', jpeg],
      ['whole.webp', webp],
      ['whole.png', good],
    ]) {
      await drop(page, name, bytes);
      await page.waitForFunction((wanted) => document.getElementById('credit').textContent === wanted, name);
      await settled(page);
      assert.ok(await page.locator('#alert').isHidden());
    }
    assert.deepEqual(
      [(await canvas(page)).width, (await canvas(page)).height],
      [picture.width, picture.height],
    );
    assert.deepEqual(page.problems, []);
  });
});

// ---- the same bits

const bitsReady = (page) =>
  page.waitForSelector('#bits[data-state=ready]', { state: 'attached', timeout: 90000 });

group('the same bits', { skip: missing }, () => {
  const wanted = () => JSON.parse(readFileSync(native, 'utf8'));
  const note = (page) => page.locator('#bits-note').innerText();

  for (const variant of ['', '?variant=simd', '?variant=threads'])
    test(`hashes equal those of the native build ${variant}`, async () => {
      const page = await openPage(browser, servers.isolated.url + variant);
      await bitsReady(page);
      const rows = await page.locator('#hashes tbody tr').count();
      assert.equal(rows, wanted().families.length);
      for (let k = 0; k < rows; k++) {
        const cells = await page.locator('#hashes tbody tr').nth(k).locator('td').allInnerTexts();
        assert.match(cells[1], /^[0-9a-f]{16}$/);
        assert.deepEqual(cells.slice(1), [wanted().families[k].hash, wanted().families[k].hash, 'equal']);
      }
      assert.match(
        await note(page),
        /^All [\d,]+ results here \(WebAssembly, .* have the same bits as those of the native/,
      );
      if (!variant) await screenshot(page, 'bits');
      assert.deepEqual(page.problems, []);
      await page.close();
    });

  test('a hash that is another one is shown as such', async () => {
    const other = wanted();
    other.families[2].hash = other.families[2].hash.replace(/./, (c) => (c === '0' ? '1' : '0'));
    const prepare = (page) => page.route('**/native.json', (route) => route.fulfill({ json: other }));
    const page = await openPage(browser, servers.isolated.url, { prepare });
    await bitsReady(page);
    const verdicts = await page.locator('#hashes tbody td:last-child').allInnerTexts();
    assert.deepEqual(
      verdicts,
      other.families.map((_, k) => (k === 2 ? 'different' : 'equal')),
    );
    assert.match(
      await note(page),
      new RegExp(`differ from those of the native build .*: ${other.families[2].name}\\.$`),
    );
    await page.close();
  });

  test('without a native build the page says so', async () => {
    const prepare = (page) => page.route('**/native.json', (route) => route.fulfill({ status: 404 }));
    const page = await openPage(browser, servers.isolated.url, { prepare });
    await bitsReady(page);
    assert.match(await note(page), /There was no native build when this page was set up\.$/);
    await page.close();
  });
});

// ---- the table of times

group('the table of times', { skip: missing }, () => {
  test('a step that is not much faster than plain JavaScript says what its time goes to', async () => {
    const page = await openPage(browser, servers.isolated.url);
    const shown = (ours, plain) =>
      page.evaluate(
        async ([mine, other]) => {
          const { showTimes } = await import('./results.js');
          const { steps } = await import('./pipeline.js');
          const clock = (time) => ({ medians: steps.map(() => time) });
          const table = document.getElementById('times').cloneNode(true);
          showTimes(table, clock(mine), other === null ? null : clock(other));
          const words = [...table.tBodies[0].rows].map(
            (row) => row.querySelector('small')?.textContent ?? '',
          );
          return { words, costs: steps.map(({ cost }) => cost ?? '') };
        },
        [ours, plain],
      );
    const slow = await shown(2, 2.9);
    assert.deepEqual(slow.words, slow.costs);
    assert.ok(slow.words.filter(Boolean).length >= 5);
    for (const [ours, plain] of [
      [2, 3.1],
      [0.01, 0.01],
      [2, null],
    ])
      assert.deepEqual((await shown(ours, plain)).words.filter(Boolean), [], `${ours} beside ${plain}`);
    await page.close();
  });
});
