// The example examples/js/server.mjs, run as a user would, on loopback: what it answers, what it refuses and how, and 500 requests of which
// half mean harm. On the CPU, and on a CUDA device: that of STRIA_CUDA_PLUGIN, or the host runtime's where it is built.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const sharp = createRequire(path.join(root, 'bindings/js/package.json'))('sharp');
const folder = mkdtempSync(path.join(tmpdir(), 'stria-server-'));
// an app that has sharp, and one that has not
for (const name of ['full', 'plain']) {
  const modules = path.join(folder, name, 'node_modules');
  mkdirSync(modules, { recursive: true });
  symlinkSync(path.join(root, 'bindings/js'), path.join(modules, 'stria'), 'dir');
  if (name === 'full')
    symlinkSync(path.join(root, 'bindings/js/node_modules/sharp'), path.join(modules, 'sharp'), 'dir');
  for (const file of ['server.mjs', 'develop.mjs', 'compressed.mjs'])
    copyFileSync(path.join(root, 'examples/js', file), path.join(folder, name, file));
}
const running = new Set();
after(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

const built = process.env.STRIA_BUILD_DIR ?? path.join(root, 'build');
const plugin = process.env.STRIA_CUDA_PLUGIN ?? path.join(built, 'native/libstria_cuda_host.so');
const isNative = existsSync(
  path.join(root, `bindings/js/dist/native/stria-${process.platform}-${process.arch}.node`),
);
const ways = {
  cpu: { STRIA_CUDA_PLUGIN: path.join(folder, 'absent.so') },
  'cuda:0': { STRIA_CUDA_PLUGIN: plugin },
};
const skips = { cpu: false, 'cuda:0': !(isNative && existsSync(plugin)) && 'there is no plug-in of CUDA' };

const PPM = 'image/x-portable-pixmap';
const NPY = 'application/x-npy';

// ---------------------------------------------------------------- the server as a process

async function start(device, limits = {}, app = 'full') {
  const options = { port: 0, ...limits };
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const env = { ...process.env, ...ways[device] };
  const stdio = ['ignore', 'pipe', 'pipe'];
  const child = spawn(process.execPath, [path.join(folder, app, 'server.mjs'), ...args], { env, stdio });
  running.add(child);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  const ended = once(child, 'exit').then(([code, signal]) => {
    running.delete(child);
    return code ?? signal;
  });
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, 'line').then(([line]) => line), ended]);
  const [, port, where] = /^http:\/\/127\.0\.0\.1:(\d+) on (cpu|cuda:0)(?::|$)/.exec(first) ?? [];
  assert.equal(where, device, `it says ${first} ${errors}`);
  const stop = async () => {
    child.kill('SIGTERM');
    return { code: await ended, errors };
  };
  return { port: Number(port), child, ended, stop, said: () => errors };
}

/** One request; `send` writes the body. */
function ask(port, { method = 'POST', at = '/develop', type = PPM, headers = {}, body, send, agent } = {}) {
  return new Promise((resolve, reject) => {
    const given = { ...(type === null ? {} : { 'Content-Type': type }), ...headers };
    const request = http.request({ port, host: '127.0.0.1', method, path: at, headers: given, agent });
    request.on('error', reject).on('response', async (response) => {
      const parts = [];
      try {
        for await (const part of response) parts.push(part);
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) });
      } catch (error) {
        reject(error);
      }
    });
    if (send) send(request);
    else request.end(body);
  });
}

const statusOf = async (port) =>
  JSON.parse((await ask(port, { method: 'GET', at: '/status', type: null })).body);

/** What comes back for bytes that need not be HTTP; `send` gets the socket. */
async function raw(port, send) {
  const socket = net.connect(port, '127.0.0.1');
  const parts = [];
  socket.on('data', (part) => parts.push(part)).on('error', () => {});
  await once(socket, 'connect');
  send(socket);
  await once(socket, 'close');
  return Buffer.concat(parts).toString('latin1');
}
const rawStatus = (text) =>
  Number(/^HTTP\/1\.1 (?:100 Continue\r\n\r\nHTTP\/1\.1 )?(\d+)/.exec(text)?.[1] ?? 0);

function reasonOf(answer) {
  assert.match(answer.headers['content-type'], /json/);
  const { error, status } = JSON.parse(answer.body);
  assert.equal(status, answer.status);
  return error;
}

// ---------------------------------------------------------------- pictures

/** Numbers from 0 to n - 1 that depend on the seed alone. */
function random(seed) {
  let state = seed >>> 0;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

function picture(width, height, seed) {
  const next = random(seed);
  return Buffer.from(Array.from({ length: 3 * width * height }, () => next(256)));
}
const ppm = (width, height, pixels) =>
  Buffer.concat([Buffer.from(`P6\n# by hand\n${width} ${height}\n255\n`), pixels]);

function npy(shape, bytes, { descr = '|u1', order = 'False', version = 1 } = {}) {
  const text = `{'descr': '${descr}', 'fortran_order': ${order}, 'shape': (${shape}), }`.padEnd(117) + '\n';
  const head = Buffer.from(`\x93NUMPY${String.fromCharCode(version)}\0\0\0${text}`, 'latin1');
  head.writeUInt16LE(118, 8);
  return Buffer.concat([head, bytes]);
}

/** A pixel as the pipeline has it, in plain numbers. */
function developed([r, g, b], x, y, width, height, s) {
  const exposed = [r * (1 + 0.3 * s.temperature), g, b * (1 - 0.3 * s.temperature)].map(
    (v) => v * 2 ** s.exposure,
  );
  const c = exposed.map((v) => 128 + s.contrast * (v - 128));
  const grey = 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
  const [u, v] = [(2 * x) / (width - 1) - 1, (2 * y) / (height - 1) - 1];
  const light = 1 - (s.vignette / 2) * (u * u + v * v);
  return c.map((value) =>
    Math.min(255, Math.max(0, (s.saturation * value + (1 - s.saturation) * grey) * light)),
  );
}

// ---------------------------------------------------------------- what it answers

for (const [device, skip] of Object.entries(skips)) {
  test(`pictures come back developed, on ${device}`, { skip }, async () => {
    const { port, stop } = await start(device);
    const [width, height] = [37, 21];
    const pixels = picture(width, height, 1);
    const same = await ask(port, { body: ppm(width, height, pixels) });
    assert.deepEqual([same.status, same.headers['content-type']], [200, PPM]);
    assert.deepEqual(same.body, Buffer.concat([Buffer.from(`P6\n${width} ${height}\n255\n`), pixels]));
    const settings = { exposure: 0.5, contrast: 1.25, temperature: -0.5, saturation: 1.5, vignette: 0.75 };
    const at = `/develop?${new URLSearchParams({ ...settings, mirror: 1 })}`;
    const changed = await ask(port, { at, type: `${NPY}; x=y`, body: npy([height, width, 3], pixels) });
    assert.deepEqual([changed.status, changed.body.length], [200, 128 + pixels.length]);
    assert.match(
      changed.body.toString('latin1', 0, 128),
      /^\x93NUMPY\x01\0\x76\0.*'\|u1'.*\(21, 37, 3\).*\n$/,
    );
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const from = 3 * (y * width + (width - 1 - x));
        const wanted = developed([...pixels.subarray(from, from + 3)], x, y, width, height, settings);
        wanted.forEach((value, k) => {
          const got = changed.body[128 + 3 * (y * width + x) + k];
          assert.ok(Math.abs(got - value) <= 0.51, `${x} ${y} ${k}: ${got} for ${value}`);
        });
      }
    // columns first, as NumPy writes arrays in Fortran's order: [2, 2, 3] of 0 .. 11
    const columns = await ask(port, {
      type: NPY,
      body: npy([2, 2, 3], Buffer.from(Array.from({ length: 12 }, (_, k) => k)), { order: 'True' }),
    });
    assert.deepEqual([...columns.body.subarray(128)], [0, 4, 8, 2, 6, 10, 1, 5, 9, 3, 7, 11]);
    // more than one strip
    const large = picture(400, 300, 2);
    const strips = await ask(port, { body: ppm(400, 300, large), headers: { Expect: '100-continue' } });
    assert.deepEqual(strips.body.subarray(-large.length), large);
    const { memory, ...status } = await statusOf(port);
    assert.deepEqual([status.device, status.held], [device, 0]);
    assert.deepEqual([memory.liveTensors, memory.liveBytes, memory.deviceBytes ?? 0], [0, 0, 0]);
    assert.deepEqual(await stop(), { code: 0, errors: '' });
  });
}

/** A PNG file that says to have so many pixels, and ends early. */
function pngOf(width, height) {
  const chunk = (name, bytes) => {
    const body = Buffer.concat([Buffer.from(name), bytes]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(bytes.length, 0);
    ends.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', deflateSync(Buffer.alloc(100)))]);
}

test('PNG, JPEG and WebP where sharp is', async () => {
  const { port, stop } = await start('cpu', { maxPixels: 20_000 });
  const [width, height] = [37, 21];
  const noise = picture(width, height, 11);
  // another slope of each colour, along and down, so that turned or swapped ones are others
  const pixels = Buffer.from(
    noise.map((value, k) => {
      const [x, y] = [Math.floor(k / 3) % width, Math.floor(k / (3 * width))];
      return [6 * x, 250 - 6 * x, 12 * y][k % 3] + (value % 4);
    }),
  );
  const image = sharp(pixels, { raw: { width, height, channels: 3 } });
  const back = async (body) => sharp(body).raw().toBuffer({ resolveWithObject: true });
  const send = (type, body, settings = '') => ask(port, { at: `/develop${settings}`, type, body });
  const files = {
    'image/png': await image.clone().png().toBuffer(),
    'image/webp': await image.clone().webp({ lossless: true }).toBuffer(),
    'image/jpeg': await image.clone().jpeg({ quality: 100 }).toBuffer(),
  };
  for (const [type, file] of Object.entries(files)) {
    const answer = await send(type, file);
    assert.deepEqual([answer.status, answer.headers['content-type']], [200, type], `${answer.body}`);
    assert.equal(`image/${(await sharp(answer.body).metadata()).format}`, type);
    const { data, info } = await back(answer.body);
    assert.deepEqual([info.width, info.height, info.channels], [width, height, 3]);
    const wanted = (await back(file)).data;
    const most = Math.max(...data.map((value, k) => Math.abs(value - wanted[k])));
    assert.ok(type === 'image/png' ? most === 0 : most < 48, `${type}: ${most}`);
  }
  // of other depths, without colours, transparent, turned by its camera
  const mirrored = await send('image/png', files['image/png'], '?mirror=1');
  assert.deepEqual((await back(mirrored.body)).data, await image.clone().flop().raw().toBuffer());
  const deep = await image.clone().toColourspace('rgb16').png().toBuffer();
  assert.deepEqual((await back((await send('image/png', deep)).body)).data, pixels);
  const grey = await image.clone().greyscale().png().toBuffer();
  assert.deepEqual(
    (await back((await send('image/png', grey)).body)).data,
    (await sharp(grey).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true })).data,
  );
  const clear = { create: { width: 3, height: 2, channels: 4, background: { r: 9, g: 9, b: 9, alpha: 0 } } };
  const seen = await back((await send('image/png', await sharp(clear).png().toBuffer())).body);
  assert.deepEqual([...seen.data], Array(18).fill(255));
  const turned = await image.clone().withMetadata({ orientation: 6 }).jpeg().toBuffer();
  const { info } = await back((await send('image/jpeg', turned)).body);
  assert.deepEqual([info.width, info.height], [height, width]);
  // what is refused
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
  for (const [status, words, type, body] of [
    [400, /this is no jpeg file/, 'image/jpeg', files['image/png']],
    [400, /unsupported image format/, 'image/png', svg],
    [400, /unsupported image format/, 'image/png', await image.clone().tiff().toBuffer()],
    [400, /./, 'image/png', ''],
    [400, /./, 'image/png', files['image/png'].subarray(0, -200)],
    [400, /./, 'image/jpeg', files['image/jpeg'].subarray(0, -200)],
    [400, /./, 'image/png', pngOf(90, 90)],
    [413, /20000 pixels.*60000 x 60000/, 'image/png', pngOf(60_000, 60_000)],
    [
      413,
      /20000 pixels.*200 x 101/,
      'image/png',
      await image.clone().resize(200, 101, { fit: 'fill' }).png().toBuffer(),
    ],
  ]) {
    const answer = await send(type, body);
    assert.equal(answer.status, status, `${type} ${words} ${answer.body}`);
    assert.match(reasonOf(answer), words);
  }
  const next = random(5); // damaged files
  for (const [type, file] of Object.entries(files))
    for (let k = 0; k < 60; k++) {
      const damaged = Buffer.from(file);
      for (let n = 1 + next(4); n > 0; n--) damaged[next(damaged.length)] = next(256);
      const { status, body } = await send(type, damaged);
      assert.ok([200, 400, 413].includes(status), `${type} ${k}: ${status} ${body}`);
    }
  assert.deepEqual(await stop(), { code: 0, errors: '' });
  const late = await start('cpu', { totalMs: 5_000_000 }); // more than sharp waits
  assert.equal((await ask(late.port, { type: 'image/png', body: files['image/png'] })).status, 200);
  const { memory, held, types } = await statusOf(late.port);
  assert.deepEqual(types, [PPM, NPY, 'image/png', 'image/jpeg', 'image/webp']);
  assert.deepEqual([held, memory.liveTensors, memory.liveBytes], [0, 0, 0]);
  assert.deepEqual(await late.stop(), { code: 0, errors: '' });
});

test('what sharp is at when the time is over counts as a request until it ends', async () => {
  const { port, stop } = await start('cpu', { totalMs: 100, maxRequests: 2, maxPixels: 40e6 });
  const blank = { create: { width: 1, height: 16e6, channels: 3, background: 'white' } }; // takes seconds
  const body = await sharp({ ...blank, limitInputPixels: false })
    .png()
    .toBuffer();
  const begin = performance.now();
  const answers = await Promise.all([0, 1].map(() => ask(port, { type: 'image/png', body })));
  const ms = performance.now() - begin;
  for (const answer of answers) {
    assert.equal(answer.status, 503, `${answer.body}`);
    assert.match(reasonOf(answer), /more than 100 ms/);
  }
  assert.ok(ms < 2000, `the answers came after ${ms} ms`);
  const small = ppm(4, 4, picture(4, 4, 5));
  assert.equal((await ask(port, { body: small })).status, 429);
  for (let k = 0; (await ask(port, { body: small })).status === 429 && k < 600; k++) await sleep(50);
  assert.equal((await ask(port, { body: small })).status, 200);
  const { memory, held } = await statusOf(port);
  assert.deepEqual([held, memory.liveTensors, memory.liveBytes], [0, 0, 0]);
  assert.deepEqual(await stop(), { code: 0, errors: '' });
});

test('options are numbers that timers take', async () => {
  for (const option of ['--totalMs=Infinity', '--bodyMs=1e12', '--maxBytes=x', '--headMs=-1']) {
    const child = spawn(process.execPath, [path.join(folder, 'plain/server.mjs'), option], { stdio: 'pipe' });
    let errors = '';
    child.stderr.on('data', (text) => (errors += text));
    const [code] = await once(child, 'close');
    assert.notEqual(code, 0, option);
    assert.match(errors, /must be a number from 0 to/);
  }
});

test('without sharp they are types that it does not take', async () => {
  const { port, stop } = await start('cpu', {}, 'plain');
  const answer = await ask(port, { type: 'image/png', body: pngOf(1, 1) });
  assert.deepEqual(
    [answer.status, reasonOf(answer)],
    [415, `Content-Type must be ${PPM} or ${NPY}, not image/png`],
  );
  assert.deepEqual((await statusOf(port)).types, [PPM, NPY]);
  assert.deepEqual(await stop(), { code: 0, errors: '' });
});

test('what is wrong is refused with the reason', async () => {
  const limits = { maxBytes: 40_000, maxPixels: 5000, bodyMs: 3000, headMs: 1500, maxConnections: 50 };
  const { port, stop } = await start('cpu', limits);
  const good = ppm(4, 4, picture(4, 4, 3));
  const npyBody = (...given) => ({ type: NPY, body: npy(...given) });
  const cases = [
    [404, /\/develop/, { at: '/other' }],
    [404, /\/develop/, { at: '/%', method: 'GET' }],
    [405, /takes POST/, { method: 'GET' }],
    [405, /takes GET/, { at: '/status', body: good }],
    [415, /Content-Type must be .*, not left out/, { type: null, body: good }],
    [415, /Content-Type must be/, { type: 'image/gif', body: good }],
    [415, /Content-Type must be/, { type: 'constructor', body: good }],
    [415, /Content-Encoding/, { headers: { 'Content-Encoding': 'gzip' }, body: good }],
    [400, /no setting 'exposur'/, { at: '/develop?exposur=1', body: good }],
    [400, /exposure must be a number from -4 to 4/, { at: '/develop?exposure=5', body: good }],
    [400, /contrast must be/, { at: '/develop?contrast=', body: good }],
    [400, /contrast must be/, { at: '/develop?contrast=NaN', body: good }],
    [400, /begins with P6/, { body: '' }],
    [400, /begins with P6/, { body: 'P3\n1 1\n255\n0 0 0' }],
    [400, /does not end/, { body: 'P6\n4 4\n' }],
    [400, /does not end/, { body: `P6\n#${' '.repeat(5000)}` }],
    [400, /something else/, { body: 'P6\n4 -4\n255\n' }],
    [400, /something else/, { body: 'P6\n9999999999 4\n255\n' }],
    [400, /largest value/, { body: 'P6\n1 1\n65535\n      ' }],
    [400, /48 bytes of colours, not 47/, { body: good.subarray(0, -1) }],
    [400, /no pixels/, { body: 'P6\n0 4\n255\n' }],
    [413, /5000 pixels.*99999 x 99999/, { body: 'P6\n99999 99999\n255\n' }],
    [413, /5000 pixels/, { body: ppm(100, 51, picture(100, 51, 4)) }],
    [413, /40000 bytes, and this one has 40001/, { body: Buffer.alloc(40_001) }],
    [
      413,
      /this one has more/,
      { send: (request) => request.end(Buffer.alloc(90_000)), headers: { 'Transfer-Encoding': 'chunked' } },
    ],
    [400, /npy|NUMPY/i, { type: NPY, body: good }],
    [400, /./, npyBody(['1000000000', '1000000000', '3'], Buffer.alloc(9))],
    [400, /./, npyBody(['9223372036854775807', '9223372036854775807', '3'], Buffer.alloc(9))],
    [400, /./, npyBody(['-1', '4', '3'], Buffer.alloc(12))],
    [400, /./, npyBody(['4'.repeat(40)], Buffer.alloc(12))],
    [400, /./, npyBody([2, 2, 3], Buffer.alloc(11))],
    [400, /./, npyBody([2, 2, 3], Buffer.alloc(12), { descr: '|O' })],
    [
      400,
      /uint8 \[height, width, 3\], not float32 \[1,1,3\]/,
      npyBody([1, 1, 3], Buffer.alloc(12), { descr: '<f4' }),
    ],
    [400, /uint8 \[height, width, 3\], not uint8 \[2,2,4\]/, npyBody([2, 2, 4], Buffer.alloc(16))],
    [400, /no pixels/, npyBody([0, 7, 3], Buffer.alloc(0))],
    [
      408,
      /did not come within 3000 ms/,
      { send: (request) => request.write(good.subarray(0, 9)), headers: { 'Content-Length': good.length } },
    ],
  ];
  for (const [status, words, request] of cases) {
    const answer = await ask(port, request);
    assert.equal(answer.status, status, `${words} ${answer.body}`);
    assert.match(reasonOf(answer), words);
  }
  // what the parser of HTTP refuses
  const head = 'POST /develop HTTP/1.1\r\nHost: x\r\nContent-Type: image/x-portable-pixmap\r\n';
  for (const [status, send] of [
    [400, (socket) => socket.write('hello there\r\n\r\n')],
    [400, (socket) => socket.write(`${head}Content-Length: -5\r\n\r\n`)],
    [400, (socket) => socket.write(`${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`)],
    [400, (socket) => socket.write('GET //[ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')],
    [431, (socket) => socket.write(`${head}X: ${'y'.repeat(40_000)}\r\n\r\n`)],
    [431, (socket) => socket.write(`${head}${'X: y\r\n'.repeat(9000)}\r\n`)],
    [408, (socket) => socket.write('POST /develop HT')],
    [417, (socket) => socket.write(`${head}Expect: more\r\nConnection: close\r\n\r\n`)],
  ]) {
    const text = await raw(port, send);
    assert.equal(rawStatus(text), status, text.slice(0, 300));
    if (status !== 417) assert.match(text, /\{"error":"[^"]+/);
  }
  // a client that reads nothing before all was sent, which is more than the buffers of a connection hold
  const late = await raw(port, (socket) => {
    socket.pause();
    socket.write(`${head}Content-Length: 16000000\r\n\r\n`);
    socket.write(Buffer.alloc(16_000_000), () => socket.resume());
  });
  assert.equal(rawStatus(late), 413, late.slice(0, 300));
  assert.equal((await ask(port, { body: good })).status, 200, 'and it goes on');
  const { memory, held } = await statusOf(port);
  assert.deepEqual([held, memory.liveTensors, memory.liveBytes], [0, 0, 0]);
  assert.deepEqual(await stop(), { code: 0, errors: '' });
});

// ---------------------------------------------------------------- limits in number and time, and the end

const part = (bytes, count) => (request) => {
  request.write(bytes.subarray(0, count));
};

test('no more requests are held than it may hold', async () => {
  const { port, stop } = await start('cpu', { maxRequests: 2, bodyMs: 5000 });
  const body = ppm(4, 4, picture(4, 4, 5));
  const waiting = [];
  const halves = [0, 1].map(() =>
    ask(port, {
      headers: { 'Content-Length': body.length },
      send: (r) => (waiting.push(r), part(body, 20)(r)),
    }),
  );
  while ((await statusOf(port)).held < 2) await sleep(5);
  const third = await ask(port, { body });
  assert.deepEqual([third.status, third.headers['retry-after']], [429, '1']);
  assert.match(reasonOf(third), /2 requests are being answered/);
  waiting.forEach((request) => request.end(body.subarray(20)));
  for (const { status } of await Promise.all(halves)) assert.equal(status, 200);
  assert.equal((await ask(port, { body })).status, 200);
  assert.deepEqual(await stop(), { code: 0, errors: '' });
});

test('who reads too slowly is cut off; the memory comes back', async () => {
  const { port, stop } = await start('cpu', { totalMs: 5000 });
  const body = ppm(2000, 2000, Buffer.alloc(12_000_000, 7)); // more than the buffers of a connection hold
  const socket = net.connect(port, '127.0.0.1').on('error', () => {});
  socket.write(
    `POST /develop HTTP/1.1\r\nHost: x\r\nContent-Type: ${PPM}\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body);
  socket.pause();
  let most = 0;
  for (let k = 0, isSeen = false; k < 1000; k++) {
    const { held, queuedBytes } = await statusOf(port);
    if (isSeen && held === 0) break;
    isSeen ||= held > 0;
    most = Math.max(most, queuedBytes);
    await sleep(5);
  }
  assert.ok(most > 0 && most < 1e6, `${most} bytes were queued`);
  const { memory, held } = await statusOf(port);
  assert.deepEqual([held, memory.liveTensors, memory.liveBytes], [0, 0, 0]);
  let size = 0;
  socket.on('data', (bytes) => (size += bytes.length)).resume();
  if (!socket.closed) await once(socket, 'close');
  assert.ok(size < body.length, `${size} bytes came`);
  assert.deepEqual(await stop(), { code: 0, errors: '' });
});

test('told to end, it finishes what it has, takes nothing more, and cuts off what lasts', async () => {
  const body = ppm(4, 4, picture(4, 4, 6));
  for (const isFinished of [true, false]) {
    const { port, child, ended } = await start('cpu', { closeMs: 600, bodyMs: 20_000 });
    let waiting;
    const send = (request) => part(body, 20)((waiting = request));
    const half = ask(port, { headers: { 'Content-Length': body.length }, send }).catch((error) => error);
    while ((await statusOf(port)).held < 1) await sleep(5);
    child.kill('SIGTERM');
    for (;;) {
      const tried = await ask(port, { body }).catch((error) => error); // before the signal came, it may be answered
      if (tried.code === 'ECONNREFUSED') break;
      assert.ok(tried.status === 200 || tried.code === 'ECONNRESET', `${tried.status} ${tried.code}`);
    }
    if (isFinished) waiting.end(body.subarray(20));
    const { status, code } = await half;
    assert.deepEqual([status, code], isFinished ? [200, undefined] : [undefined, 'ECONNRESET']);
    assert.equal(await ended, 0);
  }
});

// ---------------------------------------------------------------- many at once

// Of each kind: what it sends, and the statuses that it may get; 0 is a connection that ends without one.
function kinds(port, size, next, agent) {
  const shape = () => [1 + next(size), 1 + next(size)];
  const body = () => {
    const [width, height] = shape();
    const pixels = picture(width, height, next(1e9));
    return next(2)
      ? { type: PPM, body: ppm(width, height, pixels) }
      : { type: NPY, body: npy([height, width, 3], pixels) };
  };
  const head = (length) =>
    `POST /develop HTTP/1.1\r\nHost: x\r\nContent-Type: ${PPM}\r\nContent-Length: ${length}\r\n\r\n`;
  const rawOf = async (send) => rawStatus(await raw(port, send));
  const full = ppm(size, size, picture(size, size, 9));
  const statusFor = async (request) => (await ask(port, request)).status;
  return {
    good: [
      [200],
      () => statusFor({ ...body(), agent, at: `/develop?exposure=${next(5) - 2}&mirror=${next(2)}` }),
    ],
    abortedBody: [
      [0],
      () =>
        rawOf((s) =>
          s.write(Buffer.concat([Buffer.from(head(full.length)), full.subarray(0, 99)]), () =>
            setTimeout(() => s.destroy(), next(20)),
          ),
        ),
    ],
    slowBody: [
      [408],
      () => statusFor({ headers: { 'Content-Length': full.length }, send: part(full, next(99)) }),
    ],
    slowHead: [[408], () => rawOf((s) => s.write('POST /dev'))],
    tooLong: [[413], () => statusFor({ headers: { 'Content-Length': 1e15 }, send: (r) => r.flushHeaders() })],
    tooLongChunked: [
      [413],
      () =>
        statusFor({ send: (r) => r.end(Buffer.alloc(900_000)), headers: { 'Transfer-Encoding': 'chunked' } }),
    ],
    // less was announced than comes: what is behind is no request
    shortLength: [
      [200, 400, 0],
      () => rawOf((s) => s.write(Buffer.concat([Buffer.from(head(full.length - 7)), full]))),
    ],
    hugeHead: [[431], () => rawOf((s) => s.write(`GET / HTTP/1.1\r\nX: ${'x'.repeat(1 << 16)}\r\n\r\n`))],
    garbage: [
      [400],
      () => rawOf((s) => s.write(Buffer.concat([picture(9, 9, next(1e9)), Buffer.from('\n\n')]))),
    ],
    hostileShape: [
      [400, 413],
      () =>
        statusFor({
          type: NPY,
          body: npy([next(2) ? 2 ** 52 : -5, 1 + next(1e9), 3], Buffer.alloc(next(500))),
        }),
    ],
    cutOff: [
      [400],
      () => {
        const whole = body();
        return statusFor({ ...whole, body: whole.body.subarray(0, -1 - next(3)) });
      },
    ],
    // leaves in the middle of the answer
    leaves: [
      [0, 200],
      () =>
        rawOf(
          (s) => (
            s.write(Buffer.concat([Buffer.from(head(full.length)), full])),
            s.once('data', () => s.destroy())
          ),
        ),
    ],
    wrongType: [[415], () => statusFor({ type: 'text/html', body: 'hello' })],
  };
}

async function load(server, count, size, seed) {
  const next = random(seed);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
  const known = kinds(server.port, size, next, agent);
  const names = Object.keys(known);
  const seen = {};
  const again = { 408: 0, 429: 0 };
  let at = 0;
  const one = async () => {
    while (at < count) {
      const name = at++ % 2 ? 'good' : names[next(names.length)];
      const [wanted, send] = known[name];
      const tried = () =>
        send().catch((error) => (['ECONNRESET', 'EPIPE'].includes(error.code) ? 0 : error.stack));
      let status = await tried();
      // too many at once, and on a slow machine too late, are answers that a client tries again after
      for (let k = 0; k < 50 && [408, 429].includes(status) && !wanted.includes(status); k++) {
        again[status]++;
        await sleep(next(10 * (k + 1)));
        status = await tried();
      }
      assert.ok(wanted.includes(status), `${name}: ${status}; ${server.said()}`);
      seen[`${name} ${status}`] = (seen[`${name} ${status}`] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 16 }, one));
  agent.destroy();
  assert.ok(again[429] > 0, 'never were there too many at once');
  return seen;
}

async function rest(port) {
  for (let k = 0; (await statusOf(port)).held > 0 && k < 200; k++) await sleep(10);
  return statusOf(port);
}

for (const [device, skip] of Object.entries(skips))
  test(
    `500 requests, 16 at once, on ${device}: every answer is one of those meant, memory is flat`,
    { skip, timeout: 120_000 },
    async () => {
      const limits = {
        bodyMs: 700,
        headMs: 1500,
        totalMs: 20_000,
        maxBytes: 400_000,
        maxPixels: 130_000,
        maxRequests: 4,
      };
      const server = await start(device, limits);
      const size = device === 'cpu' ? 300 : 24;
      await load(server, 150, size, 20_261_124);
      const before = (await rest(server.port)).memory;
      const seen = await load(server, 500, size, 7);
      const { memory, held } = await rest(server.port);
      assert.equal(held, 0);
      assert.deepEqual([memory.liveTensors, memory.liveBytes, memory.deviceBytes ?? 0], [0, 0, 0]);
      assert.ok(seen['good 200'] >= 250, JSON.stringify(seen));
      for (const name of [
        'slowBody 408',
        'slowHead 408',
        'tooLong 413',
        'tooLongChunked 413',
        'hugeHead 431',
        'garbage 400',
        'hostileShape 400',
        'cutOff 400',
        'abortedBody 0',
      ])
        assert.ok(seen[name] > 0, `no ${name}: ${JSON.stringify(seen)}`);
      // what 250 pictures of up to 270 kB and as many others would leave if anything were kept
      if (device === 'cpu') assert.ok(memory.rss - before.rss < 40e6, `${before.rss} became ${memory.rss}`);
      assert.deepEqual(await server.stop(), { code: 0, errors: '' });
    },
  );
