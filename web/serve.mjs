// A small static server for the demo.
//
//     node web/serve.mjs [--port 8080] [--host 127.0.0.1] [--no-isolation]
//
// It sends the two headers that let a page share memory between threads, unless --no-isolation is given: the page then
// runs on one thread. A port that is taken makes it try the next ones.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const types = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
};

const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

export const demoFolder = fileURLToPath(new URL('./demo/', import.meta.url));

// The file that a request names, or undefined if it is outside the root or malformed.
function fileOf(root, url) {
  let name;
  try {
    name = decodeURIComponent(new URL(url, 'http://localhost').pathname);
  } catch {
    return undefined;
  }
  if (name.includes('\0')) return undefined;
  if (name.endsWith('/')) name += 'index.html';
  const file = path.join(root, name);
  return file.startsWith(path.resolve(root) + path.sep) ? file : undefined;
}

async function answer(request, response, root, headers) {
  const say = (status, text) =>
    response.writeHead(status, { ...headers, 'Content-Type': types['.txt'] }).end(text);
  if (request.method !== 'GET' && request.method !== 'HEAD') return say(405, 'GET or HEAD only\n');
  const file = fileOf(root, request.url);
  const facts = file && (await stat(file).catch(() => undefined));
  if (!facts?.isFile()) return say(404, 'no such file\n');
  response.writeHead(200, {
    ...headers,
    'Content-Type': types[path.extname(file)] ?? 'application/octet-stream',
    'Content-Length': facts.size,
    'Cache-Control': 'no-cache',
  });
  if (request.method === 'HEAD') return response.end();
  return createReadStream(file)
    .on('error', () => response.destroy())
    .pipe(response);
}

function listen(server, port, host) {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve(server.address().port);
    });
  });
}

/** Serves a folder; port 0 is any free one. `policy`: a content security policy. */
export async function serve({
  port = 0,
  host = '127.0.0.1',
  isolated = true,
  root = demoFolder,
  policy = undefined,
} = {}) {
  const headers = { ...(isolated && isolation), ...(policy && { 'Content-Security-Policy': policy }) };
  const server = createServer((request, response) => {
    answer(request, response, path.resolve(root), headers).catch(() => response.destroy());
  });
  for (let tries = port === 0 ? 1 : 20, wanted = port; ; wanted++) {
    try {
      const found = await listen(server, wanted, host);
      const close = () => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(resolve));
      };
      return { url: `http://${host === '127.0.0.1' ? 'localhost' : host}:${found}/`, close };
    } catch (error) {
      if (error.code !== 'EADDRINUSE' || --tries === 0) throw error;
    }
  }
}

function option(name, otherwise) {
  const k = process.argv.indexOf(name);
  return k < 0 ? otherwise : process.argv[k + 1];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const isolated = !process.argv.includes('--no-isolation');
  const { url } = await serve({
    port: Number(option('--port', 8080)),
    host: option('--host', '127.0.0.1'),
    isolated,
  });
  console.log(`\n  stria demo   ${url}   ${isolated ? 'threads on' : 'one thread'}, Ctrl-C ends it\n`);
}
