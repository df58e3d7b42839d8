// For the browser tests: a browser, pages of the demo, a picture to open, and what its processing must give.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { crc32 as nodeCrc32, deflateSync } from 'node:zlib';
import { serve } from '../../web/serve.mjs';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const require = createRequire(path.join(root, 'bindings/js/package.json'));

const executable = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((file) => file && existsSync(file));

/** Why these tests cannot run here; false if they can. */
export const missing = executable ? false : 'Chromium is not installed';

export async function launch() {
  const { chromium } = require('playwright-core');
  const quiet = [
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ];
  return chromium.launch({ executablePath: executable, args: ['--no-sandbox', '--disable-gpu', ...quiet] });
}

export let browser;
/** Servers of the demo: `isolated` from other origins, and `open`. */
export const servers = {};

/** For the tests of the file that calls it: a browser and the servers, and at the end their end. */
export function useDemo() {
  before(async () => {
    if (missing) return;
    for (const part of ['stria', 'uplot', 'native.json'])
      assert.ok(
        existsSync(path.join(root, 'web/demo/vendor', part)),
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
}

/** Opens the page and waits until it has run; `problems` collects what the console or the network complain about. */
export async function openPage(browser, url, options = {}) {
  const { prepare, ...context } = options;
  const page = await browser.newPage({ viewport: { width: 1360, height: 900 }, ...context });
  page.problems = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) page.problems.push(message.text());
  });
  page.on('pageerror', (error) => page.problems.push(String(error)));
  page.on('requestfailed', (request) =>
    page.problems.push(`${request.url()}: ${request.failure()?.errorText}`),
  );
  await prepare?.(page);
  await page.goto(url);
  await settled(page);
  return page;
}

/** Waits until the page has processed every change and measured its times, or has given up. */
export async function settled(page) {
  await page.waitForSelector('html[data-state=ready], html[data-state=failed]', {
    state: 'attached',
    timeout: 90000,
  });
}

/** Screens on which nothing may be cut off: name, options of a page. */
export const screens = [
  ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 }],
  [
    'phone-dark',
    { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, colorScheme: 'dark' },
  ],
  ['tablet', { viewport: { width: 820, height: 1180 } }],
  ['dark', { colorScheme: 'dark' }],
];

/** Nothing is wider than the screen. */
export async function assertFits(page) {
  const { width } = page.viewportSize();
  const content = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(content <= width, `${content} wide in ${width}`);
}

/** Controls without a name, as HTML. */
export const nameless = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('input, select, button')]
      .filter((node) => ![...(node.labels ?? []), node].some(({ textContent }) => textContent.trim()))
      .map((node) => node.outerHTML),
  );

export async function screenshot(page, name, options = { fullPage: true }) {
  const folder = path.join(root, 'build/screenshots');
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name}.png`), ...options });
}

/** Names and values of the controls. */
export const settings = (page) =>
  page.evaluate(() =>
    Object.fromEntries(
      [...document.getElementById('controls').elements]
        .filter(({ name }) => name)
        .map(({ name, type, value, checked }) => [
          name,
          type === 'checkbox' ? checked : type === 'range' ? +value : value,
        ]),
    ),
  );

/** The pixels that the page shows. */
export async function canvas(page) {
  const { width, height, text } = await page.evaluate(() => {
    const node = document.getElementById('canvas');
    const { width, height, data } = node.getContext('2d').getImageData(0, 0, node.width, node.height);
    let text = '';
    for (let k = 0; k < data.length; k += 32768) text += String.fromCharCode(...data.subarray(k, k + 32768));
    return { width, height, text: btoa(text) };
  });
  return { width, height, data: new Uint8Array(Buffer.from(text, 'base64')) };
}

// ---- a PNG file

function crc32(bytes) {
  if (nodeCrc32) return nodeCrc32(bytes);
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function chunk(type, data) {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const tail = Buffer.alloc(4);
  tail.writeUInt32BE(crc32(body));
  return Buffer.concat([head, body, tail]);
}

/** RGBA pixels as a PNG file. */
export function png({ width, height, data }) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6], 8); // 8 bits, RGBA
  const lines = Array.from({ length: height }, (_, y) =>
    Buffer.concat([Buffer.from([0]), data.subarray(4 * width * y, 4 * width * (y + 1))]),
  );
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  const parts = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(lines))),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([signature, ...parts]);
}

/** An opaque picture in which every value from 0 to 255 occurs, none of its sizes even. */
export function testPicture() {
  const [width, height] = [97, 65];
  const data = Buffer.alloc(4 * width * height, 255);
  for (let y = 0, k = 0; y < height; y++)
    for (let x = 0; x < width; x++, k += 4) {
      data[k] = (x * 5 + y) % 256;
      data[k + 1] = (x * y) % 256;
      data[k + 2] = (255 - x * 2 - y) & 255;
    }
  return { width, height, data };
}

// ---- what must come out

const luma = [0.2126, 0.7152, 0.0722];
const sepia = [
  [0.393, 0.769, 0.189],
  [0.349, 0.686, 0.168],
  [0.272, 0.534, 0.131],
];
const grey = ([r, g, b]) => luma[0] * r + luma[1] * g + luma[2] * b;
const mixes = {
  natural: (v) => v,
  mono: (v) => [grey(v), grey(v), grey(v)],
  sepia: (v) => sepia.map(([r, g, b]) => r * v[0] + g * v[1] + b * v[2]),
  swap: ([r, g, b]) => [b, g, r],
};

// One pixel at (x, y) of a result of width by height, in floating point.
function pixel(source, x, y, { width, height }, s, second) {
  const column = s.mirror ? width - 1 - x : x;
  const at = (picture, px) => {
    const k = 4 * (y * s.step * picture.width + px * s.step);
    return [...picture.data.subarray(k, k + 3)];
  };
  const balance = [1 + 0.3 * s.temperature, 1 - 0.2 * s.tint, 1 - 0.3 * s.temperature];
  let v = at(source, column).map(
    (value, c) => 128 + s.contrast * (value * 2 ** s.exposure * balance[c] - 128),
  );
  const light = grey(v);
  v = mixes[s.mix](v.map((value) => light + s.saturation * (value - light)));
  const [across, down] = [(2 * x) / (width - 1) - 1, (2 * y) / (height - 1) - 1];
  v = v.map((value) => value * (1 - (s.vignette * (across ** 2 + down ** 2)) / 2));
  return s.blend ? v.map((value, c) => (1 - s.blend) * value + s.blend * at(second, x)[c]) : v;
}

/** The picture that settings must give; `second` is needed where they blend. */
export function expected(source, settings, second) {
  const width = Math.ceil(source.width / settings.step);
  const height = Math.ceil(source.height / settings.step);
  const data = new Float64Array(4 * width * height).fill(255);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      data.set(
        pixel(source, x, y, { width, height }, settings, second).map((v) => Math.min(255, Math.max(0, v))),
        4 * (y * width + x),
      );
  return { width, height, data };
}

/** Largest difference of two pictures of one size. */
export function difference(a, b) {
  if (a.width !== b.width || a.height !== b.height) return Infinity;
  let most = 0;
  for (let k = 0; k < a.data.length; k++) most = Math.max(most, Math.abs(a.data[k] - b.data[k]));
  return most;
}

/** Per channel: mean, deviation, least, most, and counts of 64 bins. */
export function describe({ data }) {
  return [0, 1, 2].map((c) => {
    const values = Float64Array.from({ length: data.length / 4 }, (_, k) => data[4 * k + c]);
    const mean = values.reduce((sum, v) => sum + v, 0) / values.length;
    const variance = values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / values.length;
    const counts = new Array(64).fill(0);
    for (const v of values) counts[Math.floor(v / 4)]++;
    return {
      mean,
      deviation: Math.sqrt(variance),
      least: values.reduce((a, b) => Math.min(a, b)),
      most: values.reduce((a, b) => Math.max(a, b)),
      counts,
    };
  });
}
