// A program that a page has saved runs in Node, and the reverse: the same file, the same bits.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe as group, test } from 'node:test';
import { browser, missing, root, servers, useDemo } from './browser_support.mjs';

useDemo();

// What runs in the page and here. No products of matrices: their bits are each backend's own.
async function work(library, options, given) {
  const { compile, init, loadProgram, tensor } = await import(library);
  const { backend } = await init(options);
  const list = Array.from({ length: 37 * 70 }, (_, k) => ((k * 37) % 64) / 16 - 2);
  const x = tensor(list, { dtype: 'float32', shape: [37, 70] });
  const f = compile((a) => {
    const e = a.sub(a.amax(1, { keepdim: true })).exp();
    return [
      e.div(e.sum(1, { keepdim: true })),
      a.mul(30).to('uint8'),
      a.gt(0.5).logicalNot(),
      a.tanh().mean(),
    ];
  });
  const program = given ? loadProgram(Uint8Array.from(given)) : f;
  const results = program(x).map((y) => `${y.dtype} ${y.shape} ${new Uint8Array(y.dataSync().buffer)}`);
  return { backend, bytes: [...f.save(x)], results };
}

const inNode = (given) => {
  const hasAddon = existsSync(
    path.join(root, `bindings/js/dist/native/stria-${process.platform}-${process.arch}.node`),
  );
  return work(
    path.join(root, 'bindings/js/dist/node.js'),
    hasAddon ? { backend: 'native' } : { backend: 'wasm' },
    given,
  );
};

async function inPage(isolated, given) {
  const page = await browser.newPage();
  const { url } = servers[isolated ? 'isolated' : 'open'];
  await page.goto(new URL('style.css', url).href); // its origin and headers, and nothing runs
  const library = new URL('vendor/stria/dist/index.js', url).href;
  const made = await page.evaluate(
    `(${work})(${JSON.stringify(library)}, {}, ${JSON.stringify(given ?? null)})`,
  );
  await page.close();
  return made;
}

group('programs of a page', { skip: missing }, () => {
  for (const isolated of [true, false])
    test(`${isolated ? 'cross-origin isolated' : 'not isolated'}: from Chromium to Node, and back`, async () => {
      const there = await inPage(isolated);
      assert.equal(there.backend, 'wasm');
      assert.match(
        there.results.join('\n'),
        /^float32 37,70 .*\nuint8 37,70 .*\nbool 37,70 .*\nfloat32 {2}\d/,
      );
      const here = await inNode(there.bytes);
      assert.deepEqual(here.results, there.results);
      const back = await inPage(isolated, here.bytes);
      assert.deepEqual(back.results, there.results);
    });
});
