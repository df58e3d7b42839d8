// server.mjs - develops pictures over HTTP: on the first CUDA device where there is one, on the CPU elsewhere.
//
//     node server.mjs [--port=8080] [--host=127.0.0.1] [--maxBytes=50000000] ..
//     curl --data-binary @in.ppm -H 'Content-Type: image/x-portable-pixmap' 'localhost:8080/develop?exposure=0.5&saturation=1.4' > out.ppm
//
// POST /develop takes a PPM file (P6, image/x-portable-pixmap), a .npy file (uint8 [height, width, 3], application/x-npy), or, where the package sharp
// is installed, image/png, image/jpeg or image/webp, with settings of develop.mjs in the address, and answers with a file of the same kind.
// GET /status says what runs, and what is in use. Everything else is refused with a reason, { error, status }.
//
// What one request can take is bounded: its bytes, its pixels, its time; and how many are held at once. Nothing is kept between two.
// `npm install stria sharp` first, or run it inside a project that has them.
import { once } from 'node:events';
import http from 'node:http';
import { parseArgs } from 'node:util';
import { init, info, memory, MemoryError, scope } from 'stria';
import { compressedFormats } from './compressed.mjs';
import { develop, formats as plainFormats, Refused, settingsFrom } from './develop.mjs';

/** Each can be given as --name=value. */
const defaults = {
  port: 8080,
  host: '127.0.0.1',
  /** Of a body. */
  maxBytes: 50e6,
  maxPixels: 16e6,
  /** Requests that are held at once, from their head to the last byte of their answer. */
  maxRequests: 8,
  /** Connections; those beyond are closed at once. */
  maxConnections: 256,
  /** Milliseconds for the head of a request, for its body, for everything until the answer is sent, and for what runs when the server is told to end. */
  headMs: 5000,
  bodyMs: 10_000,
  totalMs: 30_000,
  closeMs: 10_000,
};

const STRIP_BYTES = 1 << 18; // of an answer, read from the device and sent at once
const LINGER_MS = 500; // without a byte of what a refused client still sends, which is thrown away so that it can read why

// ---------------------------------------------------------------- answers

const json = (value) => `${JSON.stringify(value)}\n`;

function sendJson(response, status, value, headers = {}) {
  const text = json(value);
  const head = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text), ...headers };
  response.writeHead(status, head).write(text);
}

// The client may still be sending: a connection that is closed before all was read would take the answer away from it.
function refuse(request, response, { status, message, headers }, bodyMs) {
  if (request.socket.destroyed || response.headersSent) return void response.destroy();
  const { headers: own, complete } = request;
  if (complete || !('content-length' in own || 'transfer-encoding' in own)) {
    sendJson(response, status, { error: message, status }, headers);
    return void response.end();
  }
  sendJson(response, status, { error: message, status }, { ...headers, Connection: 'close' });
  const end = () => response.end();
  const timers = [setTimeout(end, LINGER_MS), setTimeout(end, bodyMs)];
  request.once('end', end).once('close', () => timers.forEach(clearTimeout));
  request.on('error', end).on('data', () => timers[0].refresh());
}

// What Node's parser does not take has no request: the answer is written by hand.
function refuseHead(error, socket, response) {
  if (error.code === 'ECONNRESET' || !socket.writable || response?.headersSent) return void socket.destroy();
  const [status, words] = {
    HPE_HEADER_OVERFLOW: [431, 'the head of the request is too large'],
    ERR_HTTP_REQUEST_TIMEOUT: [408, 'the head of the request did not come in time'],
  }[error.code] ?? [400, `this is no request of HTTP: ${error.reason ?? error.message}`];
  const text = json({ error: words, status });
  const head = `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\nContent-Type: application/json\r\n`;
  socket.end(`${head}Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`);
}

// ---------------------------------------------------------------- one request

class Gone extends Error {}

// Ends a request early: the client went away, or the time is over. Whoever waits gets the reason.
class Deadline {
  #controller = new AbortController();
  #timer;

  constructor(ms) {
    this.signal = this.#controller.signal;
    this.ends = performance.now() + ms;
    this.#timer = setTimeout(() => this.end(new Refused(503, `this took more than ${ms} ms`)), ms);
  }

  /** Milliseconds. */
  get left() {
    return this.ends - performance.now();
  }

  end(reason) {
    clearTimeout(this.#timer);
    this.#controller.abort(reason);
  }
}

const until = (emitter, event, signal) =>
  once(emitter, event, { signal }).catch((error) => {
    throw signal.aborted ? signal.reason : error;
  });

// The parts of the address, the settings, the format: all that can be refused before a body is read.
function headOf(request, url, { options: { maxBytes }, formats }) {
  const { 'content-type': type, 'content-encoding': encoding, 'content-length': length } = request.headers;
  const name = type?.split(';')[0].trim().toLowerCase() ?? '';
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (format === undefined)
    throw new Refused(
      415,
      `Content-Type must be ${Object.keys(formats).join(' or ')}, not ${type?.slice(0, 80) ?? 'left out'}`,
    );
  if (encoding !== undefined) throw new Refused(415, 'Content-Encoding is not taken: send the file as it is');
  if (Number(length ?? 0) > maxBytes)
    throw new Refused(413, `a body may have ${maxBytes} bytes, and this one has ${length}`);
  return { type, format, settings: settingsFrom(url.searchParams) };
}

function bodyOf(request, { maxBytes, bodyMs }, signal) {
  return new Promise((resolve, reject) => {
    const parts = [];
    let size = 0;
    const stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      request.off('data', add).off('end', end).off('error', fail);
    };
    const fail = (error) => (stop(), request.on('error', () => {}), reject(error));
    const abort = () => fail(signal.reason);
    const end = () => (stop(), resolve(Buffer.concat(parts)));
    const add = (part) => {
      size += part.length;
      if (size > maxBytes) fail(new Refused(413, `a body may have ${maxBytes} bytes, and this one has more`));
      else parts.push(part);
    };
    const timer = setTimeout(
      () => fail(new Refused(408, `the body did not come within ${bodyMs} ms`)),
      bodyMs,
    );
    signal.addEventListener('abort', abort);
    request.on('data', add).on('end', end).on('error', fail);
  });
}

function checkSize(maxPixels) {
  return (height, width) => {
    if (height < 1 || width < 1) throw new Refused(400, `a picture of ${width} x ${height} has no pixels`);
    if (height * width > maxPixels)
      throw new Refused(413, `a picture may have ${maxPixels} pixels, and this one has ${width} x ${height}`);
  };
}

// Work of other threads, which goes on when the time is over, and counts as a request until it ends.
async function inTime(work, { signal }, late) {
  let abort;
  const isOver = new Promise((_, reject) => {
    abort = () => (late.add(work), reject(signal.reason));
  });
  const leave = () => (signal.removeEventListener('abort', abort), late.delete(work));
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  work.then(leave, leave);
  try {
    return await Promise.race([work, isOver]);
  } catch (error) {
    throw signal.aborted ? signal.reason : error; // what sharp says when it ran out of time says less
  }
}

async function photoOf(request, { format }, { options, late }, deadline, s) {
  const { signal } = deadline;
  const check = checkSize(options.maxPixels);
  const body = await bodyOf(request, options, signal); // nobody holds it longer than this
  const plain =
    format.decode === undefined
      ? body
      : await inTime(format.decode(body, check, deadline.left), deadline, late);
  signal.throwIfAborted();
  return s.run(() => format.read(plain, check));
}

// Rows of the result come from the device strip by strip, as fast as the client takes them.
async function send(response, pixels, { type, format }, signal, s) {
  const [height, width] = pixels.shape;
  const head = format.head(pixels.shape);
  const length = head.length + pixels.numel;
  const rows = Math.max(1, Math.floor(STRIP_BYTES / (3 * width)));
  for (let row = 0; row < height; row += rows) {
    const strip = s.run(() => pixels.slice(0, row, row + rows));
    const bytes = await strip.data(); // JavaScript goes on meanwhile
    strip.dispose();
    signal.throwIfAborted();
    // the head comes behind the first bytes: what fails on the device until then can still be told
    if (row === 0) response.writeHead(200, { 'Content-Type': type, 'Content-Length': length }).write(head);
    if (!response.write(bytes)) await until(response, 'drain', signal);
  }
  response.end();
}

// A file that is compressed is sent whole.
async function sendEncoded(response, pixels, { type, format }, deadline, late) {
  const bytes = await pixels.data();
  const file = await inTime(format.encode(bytes, pixels.shape, deadline.left), deadline, late);
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': file.length }).end(file);
}

/** Answers one request: everything that it makes ends with it. */
async function answer(request, response, url, state) {
  const { options, device, late } = state;
  const deadline = new Deadline(options.totalMs);
  const { signal } = deadline;
  response.once('close', () => deadline.end(new Gone()));
  try {
    const head = headOf(request, url, state);
    if (request.headers.expect !== undefined) response.writeContinue();
    await scope(async (s) => {
      const photo = await photoOf(request, head, state, deadline, s);
      const there = () => (device === 'cpu' ? photo : photo.to(device));
      const pixels = s.run(() => scope(() => develop(there(), head.settings)));
      photo.dispose();
      if (head.format.encode === undefined) await send(response, pixels, head, signal, s);
      else await sendEncoded(response, pixels, head, deadline, late);
    });
    if (!response.writableFinished) await until(response, 'finish', signal);
  } finally {
    deadline.end(new Gone());
  }
}

// ---------------------------------------------------------------- the server

/** What went wrong, as an answer: what the client did, or what the server lacks. */
function refusalOf(error, log) {
  if (error instanceof Refused || error instanceof Gone) return error;
  const retry = { 'Retry-After': '1' };
  if (error instanceof MemoryError)
    return { status: 503, message: 'there is no memory for this now', headers: retry };
  log(error);
  return { status: 500, message: 'the server failed' };
}

function statusOf({ options, device, formats, held }) {
  const { liveTensors, liveBytes } = memory();
  const there = device === 'cpu' ? undefined : memory(device).liveBytes;
  const { backend, isa, cuda } = info();
  return {
    device,
    ...(device === 'cpu' ? { backend, isa, cuda: cuda.reason } : { name: cuda.devices[0].name }),
    types: Object.keys(formats),
    held: held.size,
    queuedBytes: [...held.keys()].reduce((sum, response) => sum + response.writableLength, 0),
    limits: options,
    memory: { liveTensors, liveBytes, deviceBytes: there, ...process.memoryUsage() },
  };
}

function route(request, response, state) {
  const { options, held, late, log } = state;
  const url = new URL(request.url, 'http://localhost');
  const { pathname } = url;
  const [method, handle] = { '/develop': ['POST', answer], '/status': ['GET', undefined] }[pathname] ?? [];
  const refuseWith = (error) => refuse(request, response, error, options.bodyMs);
  if (method === undefined) return refuseWith(new Refused(404, 'there are /develop and /status'));
  if (request.method !== method)
    return refuseWith({ status: 405, message: `${pathname} takes ${method}`, headers: { Allow: method } });
  if (handle === undefined) return (sendJson(response, 200, statusOf(state)), response.end());
  const retry = { 'Retry-After': '1' };
  if (state.isClosing) return refuseWith({ status: 503, message: 'the server is ending', headers: retry });
  const count = held.size + late.size;
  if (count >= options.maxRequests)
    return refuseWith({ status: 429, message: `${count} requests are being answered`, headers: retry });
  const work = handle(request, response, url, state)
    .catch((error) => refuseWith(request.socket.destroyed ? new Gone() : refusalOf(error, log)))
    .finally(() => held.delete(response));
  held.set(response, work);
}

/**
 * Listens, and gives { server, device, close }: close() takes no more requests, lets those that are held end within closeMs, and cuts off
 * the others. `log` is told of what should not happen.
 */
async function serve(options, log) {
  const device = info().cuda.devices[0]?.device ?? 'cpu';
  const formats = { ...plainFormats, ...(await compressedFormats()) };
  const state = { options, device, formats, log, held: new Map(), late: new Set(), isClosing: false };
  const responses = new WeakMap(); // that are being sent, by their sockets
  const listener = (request, response) => {
    responses.set(request.socket, response);
    response.on('error', () => response.destroy());
    try {
      route(request, response, state);
    } catch (error) {
      const isUrl = error.code === 'ERR_INVALID_URL';
      const refusal = isUrl ? new Refused(400, 'the address is none') : refusalOf(error, log);
      refuse(request, response, refusal, options.bodyMs);
    }
  };
  const { headMs, maxConnections } = options;
  const limits = { headersTimeout: headMs, requestTimeout: 0, connectionsCheckingInterval: headMs / 4 };
  const server = http.createServer({ ...limits, keepAliveTimeout: headMs }, listener);
  server.on('checkContinue', listener);
  server.on('clientError', (error, socket) => refuseHead(error, socket, responses.get(socket)));
  server.maxConnections = maxConnections;
  server.listen(options.port, options.host);
  await once(server, 'listening');
  const close = async () => {
    state.isClosing = true;
    const closed = new Promise((resolve) => server.close(resolve));
    const timer = setTimeout(() => server.closeAllConnections(), options.closeMs);
    await Promise.all(state.held.values());
    server.closeIdleConnections();
    await closed;
    clearTimeout(timer);
  };
  return { server, device, close };
}

function optionsFrom(args) {
  const options = Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: 'string' }]));
  const { values } = parseArgs({ args, options });
  for (const [name, text] of Object.entries(values)) {
    if (name === 'host') continue;
    values[name] = Number(text || NaN);
    const most = name.endsWith('Ms') ? 2 ** 31 - 1 : Infinity; // that a timer takes
    if (!(values[name] >= 0 && values[name] <= most))
      throw new Error(`--${name} must be a number from 0 to ${most}`);
  }
  return { ...defaults, ...values };
}

const options = optionsFrom(process.argv.slice(2));
await init({ quiet: true, ...JSON.parse(process.env.STRIA_INIT ?? '{}') });
const { server, device, close } = await serve(options, console.error);
const { address, port } = server.address();
console.log(`http://${address}:${port} on ${device}${device === 'cpu' ? `: ${info().cuda.reason}` : ''}`);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, close);
