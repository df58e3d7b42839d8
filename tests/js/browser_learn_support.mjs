// For the tests of the training page: the page as a visitor uses it, and files for it.
import { readFileSync } from 'node:fs';
import { servers } from './browser_support.mjs';

export const urlOf = (isolated = true) => `${servers[isolated ? 'isolated' : 'open'].url}learn.html`;

// ---- what the page says

const patience = { timeout: 120_000 }; // a machine that does other work as well takes long

export const until = (page, predicate, argument) => page.waitForFunction(predicate, argument, patience);

export const text = (page, id) => page.locator(`#${id}`).innerText();
export const report = async (page) => JSON.parse(await page.locator('#counters').getAttribute('data-report'));
export const state = (page, wanted) =>
  until(page, (name) => document.documentElement.dataset.state === name, wanted);
export const reading = async (page) => Number(await page.locator('#verdict').getAttribute('data-digit'));

/** Waits until the network has made so many steps, and its report is shown. */
export const reach = (page, steps) =>
  until(
    page,
    (least) => JSON.parse(document.getElementById('counters').dataset.report).steps >= least,
    steps,
  );

export async function learn(page, steps) {
  await page.locator('#start').click();
  await state(page, 'running');
  await reach(page, steps);
  await page.locator('#start').click();
  await state(page, 'ready');
  await until(page, () => document.getElementById('status').textContent.startsWith('Paused'));
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

// ---- digits as strokes in a unit square

function arc(cx, cy, rx, ry, from, to, n = 24) {
  return Array.from({ length: n + 1 }, (_, k) => {
    const angle = ((from + ((to - from) * k) / n) * Math.PI) / 180;
    return [cx + rx * Math.cos(angle), cy + ry * Math.sin(angle)];
  });
}

export const shapes = {
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
export async function draw(page, digit, { x0 = 0, y0 = 0, scale = 1 } = {}) {
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
export async function answered(page) {
  await until(page, () => document.getElementById('verdict').getAttribute('aria-busy') === 'false');
}

export const probabilities = (page) => page.locator('#digits .text').allInnerTexts();

// ---- files

/** A safetensors file: entries are [name, dtype, shape, data as bytes]. */
export function safetensors(entries, metadata) {
  const header = metadata ? { __metadata__: metadata } : {};
  let size = 0;
  for (const [name, dtype, shape, data] of entries)
    header[name] = { dtype, shape, data_offsets: [size, (size += data.byteLength)] };
  const head = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(head.length));
  return Buffer.concat([length, head, ...entries.map(([, , , data]) => Buffer.from(data.buffer))]);
}

export const floats = (n, value = 0.01) => new Float32Array(n).fill(value);
export const layers = (hidden, change = {}) =>
  Object.entries({
    '0.weight': ['F32', [hidden, 64], floats(64 * hidden)],
    '0.bias': ['F32', [hidden], floats(hidden)],
    '2.weight': ['F32', [10, hidden], floats(10 * hidden)],
    '2.bias': ['F32', [10], floats(10)],
    ...change,
  })
    .filter(([, entry]) => entry)
    .map(([name, entry]) => [name, ...entry]);

export const open = (page, name, buffer) =>
  page.locator('#file').setInputFiles({ name, mimeType: 'application/octet-stream', buffer });

export async function save(page) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#save').click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}
