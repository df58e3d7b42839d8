// The benchmark's arithmetic: statistics, verdicts, sampling order, tables, models. Nothing here is timed.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { onnxModel } from '../../bench/js/onnx_model.mjs';
import { besideTorch, listCuda, specOf } from '../../bench/lib/cuda.mjs';
import { growthOf, page, place } from '../../bench/lib/page.mjs';
import { demand, demands, markdown, rowOf, textHead, textRow, time } from '../../bench/lib/report.mjs';
import { measuredPage } from '../../bench/lib/measured.mjs';
import { measure, orderOf, planSamples, undisturbed } from '../../bench/lib/sampling.mjs';
import { neighbour, sumError, temporaries } from '../../bench/lib/specials.mjs';
import { bestPeer, count, judge, quantile, roofTime, summarize } from '../../bench/lib/statistics.mjs';
import { jsRows } from '../../bench/rows/js.mjs';
import { growthRows, nativeRows, readmeRows } from '../../bench/rows/native.mjs';

test('quantiles', () => {
  assert.equal(quantile([3, 1, 2], 0.5), 2);
  assert.equal(quantile([4, 1, 3, 2], 0.5), 2.5);
  assert.equal(quantile([10, 2], 1), 10);
  assert.equal(quantile([10, 2], 0), 2);
  assert.equal(quantile([10, 9, 100], 0.5), 10, 'numbers sort as numbers');
  assert.ok(Number.isNaN(quantile([], 0.5)));
  const given = [5, 1];
  quantile(given, 0.5);
  assert.deepEqual(given, [5, 1], 'the samples stay as they are');
  // NumPy's default: np.quantile([1, 2, 4, 8, 16, 32], q) for these q
  const numpy = { 0.1: 1.5, 0.25: 2.5, 0.5: 6, 0.75: 14, 0.9: 24 };
  for (const [q, wanted] of Object.entries(numpy))
    assert.ok(Math.abs(quantile([32, 1, 16, 2, 8, 4], Number(q)) - wanted) < 1e-12);
});

test('a summary is not moved by one outlier', () => {
  const s = summarize([1, 1, 1, 1, 1000]);
  assert.deepEqual(s, { median: 1, p25: 1, p75: 1, samples: 5 });
});

const t = (median) => ({ median, p25: median, p75: median, samples: 1 });

test('the best peer is the fastest that counts, and never stria', () => {
  assert.equal(bestPeer({ stria: t(1), a: t(3), b: t(2) }), 'b');
  assert.equal(
    bestPeer({ stria: t(1), plain: t(2), b: t(3) }, (p) => p !== 'plain'),
    'b',
  );
  assert.equal(bestPeer({ stria: t(1) }), null);
  assert.equal(bestPeer({ a: t(NaN), b: t(5) }), 'b');
});

test('verdicts', () => {
  const verdict = (facts) => judge(facts).verdict;
  const times = { stria: t(100), a: t(100), b: t(300) };
  assert.equal(verdict({ times, target: 1 }), 'met', 'the target itself is met');
  assert.equal(verdict({ times, target: 0.99 }), 'missed');
  assert.equal(judge({ times, target: 1 }).ratio, 1);
  assert.equal(verdict({ times }), 'no target');
  assert.equal(verdict({ times: { stria: t(1) }, target: 1 }), 'no peer');
  assert.equal(verdict({ times, limitNs: 100 }), 'met');
  assert.equal(verdict({ times, limitNs: 99 }), 'missed');
  assert.equal(verdict({ times, target: 0.5, limitNs: 200 }), 'missed', 'both must hold');
  assert.equal(verdict({ times, target: 2, limitNs: 50 }), 'missed', 'both must hold');
  assert.equal(
    verdict({ times: { stria: t(1) }, target: 1, limitNs: 2 }),
    'met',
    'without a peer the limit decides',
  );
  assert.equal(verdict({ times: { a: t(1) }, missing: 'stria_x', target: 1 }), 'not yet an op');
  assert.equal(verdict({ times: { a: t(1) }, wrong: { stria: 'differs' }, target: 1 }), 'wrong');
  assert.equal(verdict({ times: { a: t(1) }, failed: { stria: 'no memory' }, target: 1 }), 'failed');
  assert.equal(
    verdict({ times, wrong: { a: 'differs' }, target: 1 }),
    'met',
    'a wrong peer does not condemn stria',
  );
  assert.equal(judge({ times: { a: t(1) }, missing: 'x' }).ratio, null);
  const counted = count([{ verdict: 'met' }, { verdict: 'missed' }, { verdict: 'met' }]);
  assert.deepEqual(counted, { missed: 1, met: 2 });
  assert.deepEqual(Object.keys(counted), ['missed', 'met'], 'the worst comes first');
});

const roof = {
  levels: [
    { name: 'L1', bytes: 100 },
    { name: 'DRAM', bytes: 1e18 },
  ],
  bandwidth: { 1: { L1: { add: 200e9, read: 100e9 }, DRAM: { add: 10e9, read: 10e9 } } },
  flops: { 1: 50e9 },
};

test('the roof is that of the smallest level that holds the data', () => {
  assert.equal(roofTime({ bytes: 100, kind: 'add' }, roof, 1), 0.5);
  assert.equal(roofTime({ bytes: 101, kind: 'add' }, roof, 1), 10.1);
  assert.equal(roofTime({ bytes: 100, kind: 'read' }, roof, 1), 1);
  assert.equal(roofTime({ bytes: 100, kind: 'add', flops: 100 }, roof, 1), 2);
  assert.equal(roofTime({ bytes: 100, kind: 'add' }, roof, 2), null, 'not measured');
  assert.equal(roofTime({ bytes: 100, kind: 'add' }, null, 1), null);
});

const settings = { sample_s: 0.002, budget_s: 1, samples: 41, min_samples: 5 };

test('samples are long enough, many enough and within the budget', () => {
  const seconds = { tiny: 1e-8, fast: 1e-4, slow: 0.05 };
  const { counts, every, rounds } = planSamples(seconds, settings);
  assert.equal(counts.tiny, 200000);
  assert.equal(counts.fast, 20);
  assert.equal(counts.slow, 1);
  assert.equal(every.tiny, 1);
  assert.equal(every.fast, 1);
  assert.ok(every.slow > 1 && Math.ceil(rounds / every.slow) >= 3, 'slow ones still get three samples');
  assert.ok(rounds >= settings.min_samples && rounds <= settings.samples);
  assert.equal(planSamples({ a: 1e-6 }, settings).rounds, 41);
  assert.deepEqual(planSamples({ a: 10 }, settings), { counts: { a: 1 }, every: { a: 1 }, rounds: 5 });
});

test('the first of a round changes, and everyone is in every round', () => {
  assert.deepEqual(orderOf(['a', 'b', 'c'], 0), ['a', 'b', 'c']);
  assert.deepEqual(orderOf(['a', 'b', 'c'], 4), ['b', 'c', 'a']);
  assert.deepEqual(orderOf([], 3), []);
});

test('samples take turns, each after an untimed call', async () => {
  const calls = [];
  let worked = 0;
  const job = (name, seconds) => async (n) => {
    calls.push([name, n]);
    worked += seconds * n * 1e9;
    return seconds * n;
  };
  const jobs = { a: job('a', 0.001), b: job('b', 0.002) };
  const pauses = [];
  const samples = await measure(
    jobs,
    { ...settings, samples: 4, min_samples: 4, budget_s: 10 },
    async (name) => {
      calls.length = calls.length && pauses.length === 0 ? 0 : calls.length; // forget the calibration
      pauses.push(name);
    },
    0,
    () => worked,
  );
  assert.deepEqual(pauses, ['a', 'b', 'b', 'a', 'a', 'b', 'b', 'a']);
  assert.deepEqual(calls.slice(0, 4), [
    ['a', 1],
    ['a', 2],
    ['b', 1],
    ['b', 1],
  ]);
  assert.equal(calls.length, 16);
  assert.equal(samples.a.length, 4);
  for (const ns of samples.a) assert.ok(Math.abs(ns - 1e6) < 1e-3, 'nanoseconds of one call');
});

// A job of so many seconds a call; of sample k a share more passes in which it does not have the processor.
function waiting(seconds, share) {
  let sample = 0;
  const job = async (n) => {
    job.worked += seconds * n * 1e9;
    return seconds * n * (1 + share(n > 1 ? ++sample : 0));
  };
  job.worked = 0;
  return job;
}

test('samples that waited are left out, of calls of 300 ns as well', async () => {
  const short = waiting(300e-9, (k) => (k % 4 === 0 ? 1 : 0));
  const samples = await measure({ short }, settings, undefined, 0, () => short.worked);
  assert.ok(samples.short.length >= settings.min_samples && samples.short.length < settings.samples);
  for (const ns of samples.short) assert.ok(Math.abs(ns - 300) < 1e-3, `${ns} ns`);
});

test('a slow peer with fewer samples than others has times of the same kind', async () => {
  const jobs = { fast: waiting(1e-4, () => 0.05), slow: waiting(0.1, () => 0.05) };
  const worked = () => jobs.fast.worked + jobs.slow.worked;
  const samples = await measure(jobs, { ...settings, budget_s: 0.5 }, undefined, 0, worked);
  assert.ok(samples.slow.length < settings.min_samples);
  for (const ns of samples.slow) assert.ok(Math.abs(ns - 1.05e8) < 1, `${ns} ns`);
  for (const ns of samples.fast) assert.ok(Math.abs(ns - 1.05e5) < 1, `${ns} ns`);
});

test('times in words', () => {
  assert.equal(time(1.234), '1.23 ns');
  assert.equal(time(999.4), '999 ns');
  assert.equal(time(999.6), '1 us');
  assert.equal(time(12345), '12.3 us');
  assert.equal(time(1.5e6), '1.5 ms');
  assert.equal(time(2e9), '2 s');
  for (const none of [null, undefined, NaN]) assert.equal(time(none), '-');
});

const spec = {
  name: 'add',
  target: 1.05,
  target2: 0.6,
  relaxed: 0.5,
  targetNative: 1,
  limitNs: 300,
  limitNsNative: 400,
};

test('what a section demands', () => {
  const of = (section) => demands(spec, section);
  assert.deepEqual(of({ kind: 'native' }), { target: 1.05, limitNs: 300 });
  assert.deepEqual(of({ kind: 'wasm', variant: 'simd', threads: 1 }), { target: 1.05, limitNs: 300 });
  assert.deepEqual(of({ kind: 'wasm', variant: 'threads', threads: 2 }), { target: 0.6, limitNs: 300 });
  assert.deepEqual(of({ kind: 'wasm', variant: 'relaxed', threads: 1 }), { target: 0.5, limitNs: 300 });
  assert.deepEqual(of({ kind: 'addon', threads: 1 }), { target: 1, limitNs: 400 });
  assert.equal(demand({ target: 1 / 3, limitNs: 40 }), '<= 0.33, <= 40 ns');
  assert.equal(demand({}), '-');
});

test('from a record to a row and its text', () => {
  const record = {
    row: 'add',
    threads: 1,
    samples: { stria: [50, 40, 60], numpy: [100] },
    bytes: 101,
    kind: 'add',
  };
  const row = rowOf(record, { name: 'add', target: 0.4, out: 'f32[1]' }, { kind: 'native' }, roof);
  assert.equal(row.verdict, 'missed');
  assert.equal(row.ratio, 0.5);
  assert.equal(row.bestPeer, 'numpy');
  assert.equal(row.output, 'reused');
  assert.equal(row.roofNs, 10.1);
  assert.match(textRow(row), /^ {2}add +50 ns +45 ns-55 ns +numpy +100 ns +0\.50 +<= 0\.4 +20% +missed$/);
  const at = (text, word) => text.indexOf(word) + word.length;
  assert.equal(at(textHead(), 'ratio'), at(textRow(row), '0.50'), 'columns line up');
  const missing = rowOf(
    { ...record, samples: { numpy: [1] }, missing: 'stria_x', wrong: { torch: 'differs' } },
    spec,
    {},
    null,
  );
  assert.match(textRow(missing), /not yet an op \(stria_x\)\n +torch left out: its result differs$/);
  const table = markdown(
    [row],
    [
      { name: 'numpy', title: 'NumPy' },
      { name: 'torch', title: 'PyTorch' },
    ],
  ).split('\n');
  assert.equal(table.length, 3);
  assert.match(table[2], /^\| add +\| 1 +\| 50 ns +\| 100 ns +\| - +\|$/);
  assert.equal(new Set(table.map((l) => l.length)).size, 1);
  const text = measuredPage({
    date: '2026-01-02T03:04:05Z',
    machine: { cpu: 'A CPU', cores: 2, memoryBytes: 2 ** 31, system: 'Linux' },
    sections: [
      {
        title: 'Native',
        versions: { numpy: '2.0' },
        absent: { jax: 'not installed' },
        rows: [
          row,
          { ...row, threads: 2, ratio: 0.25 },
          { ...row, name: 'a*b', threads: 1, ratio: null, bestPeer: null },
        ],
      },
      { title: 'CUDA', rows: [], skipped: { rows: 3, reason: 'no device' } },
    ],
    specials: [{ name: 'size', value: '1 kB', limit: '<= 2 kB', verdict: 'met' }],
  });
  assert.match(text, /on 2026-01-02: A CPU, 2 cores, 2 GiB, Linux\./);
  assert.match(text, /^numpy 2\.0; no jax\. Rows with 1 thread: 2 missed; with 2 threads: 1 missed\.$/m);
  assert.match(
    text,
    /^\| {2}\| stria \| best peer \| ratio \| ratio, 2 threads \| target \| verdict, 1 thread \|$/m,
  );
  assert.match(text, /^\| add \| 50 ns \| numpy \| 0\.50 \| 0\.25 \| <= 0\.4 \| missed \|$/m);
  assert.match(text, /^\| a\\\*b \| 50 ns \| - \| - \| - \| <= 0\.4 \| missed \|$/m);
  assert.match(text, /^## CUDA\n\nSkipped: no device\.$/m);
  assert.match(text, /^\| size \| 1 kB \| <= 2 kB \| met \|$/m);
});

test('samples beside other processes', () => {
  const calm = [10_000, 9_900];
  const waited = [90_000, 11_000];
  assert.deepEqual(undisturbed([calm, waited, calm], 2), [10_000, 10_000]);
  assert.deepEqual(undisturbed([calm, waited, waited], 2), [9_900, 11_000, 11_000]);
  assert.deepEqual(undisturbed([calm, calm], 5), [10_000, 10_000], 'fewer than that may be all');
  assert.deepEqual(undisturbed([calm, waited], 5), [9_900, 11_000]);
});

test('other measurements', () => {
  const times = (mean) => ({ mean, median: mean });
  const measured = { quiet_1: times(100), quiet_2: times(60), busy_1: times(120), busy_2: times(199) };
  assert.equal(neighbour({ cores: 2, times_ns: measured }).verdict, 'met');
  assert.equal(neighbour({ cores: 2, times_ns: { ...measured, busy_2: times(201) } }).verdict, 'missed');
  assert.equal(neighbour({ cores: 1, times_ns: measured }).verdict, 'needs two cores');
  assert.equal(sumError({ stria: 1e-7, numpy: 2e-6 }, 'here').verdict, 'met');
  assert.equal(sumError({ stria: 1.1e-7 }, 'here').verdict, 'missed');
  const way = (name, ns, mib, failure = null) => ({ way: name, ns, peakBytes: mib * 2 ** 20, failure });
  const verdicts = temporaries(
    [
      way('disposed', 100, 1),
      way('a', 150, 256),
      way('b', 151, 1),
      way('c', 100, 257),
      way('d', 1, 1, 'no memory'),
    ],
    'here',
  ).map((s) => s.verdict);
  assert.deepEqual(verdicts, ['met', 'missed', 'missed', 'failed']);
});

test('the scale of ratios is logarithmic and bounded', () => {
  assert.equal(place(1), 50);
  assert.equal(place(2), 60);
  assert.equal(place(0.5), 40);
  assert.equal(place(1e9), 100);
  assert.equal(place(1e-9), 0);
});

test('growth is per element, in order of size, with gaps where a library has no time', () => {
  const row = (n, times) => ({ growth: { op: 'add', n }, times });
  const grown = growthOf([
    row(100, { stria: t(200) }),
    row(10, { stria: t(100), eigen: t(50) }),
    { growth: null, times: {} },
  ]);
  assert.deepEqual(grown, { add: { sizes: [10, 100], series: { stria: [10, 2], eigen: [5, null] } } });
});

test('the page is one file and shows no text as markup', () => {
  const record = { row: 'a < b', threads: 1, samples: { stria: [1], numpy: [2] }, bytes: 1, kind: 'add' };
  const row = rowOf(record, { name: 'a < b', target: 1 }, { kind: 'native' }, null);
  const html = page({
    date: 'today',
    machine: { cpu: '<cpu>', cores: 2, system: 'x' },
    sections: [{ title: 'T', rows: [row], versions: { numpy: '1' }, absent: { torch: '"no" <such>' } }],
    specials: [{ name: 's', value: '1', limit: '<= 2', verdict: 'met' }],
  });
  assert.match(html, /a &lt; b/);
  assert.match(html, /absent: torch \(&quot;no&quot; &lt;such&gt;\)/);
  assert.match(html, /&lt;cpu&gt;/);
  assert.doesNotMatch(html, /(src|href)=/);
  assert.match(html, /<p>1 met\.<\/p>/);
});

/** Fields of a protocol buffer message: [[number, value or bytes], ..]. */
function fields(bytes) {
  const found = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = Number(varint());
    if (key % 8 === 0) found.push([key >> 3, BigInt.asIntN(64, varint())]);
    else {
      assert.equal(key % 8, 2);
      const length = Number(varint());
      found.push([key >> 3, bytes.slice(at, at + length)]);
      at += length;
    }
  }
  return found;
}

test('an ONNX model says what it was asked to', () => {
  const nodes = [['ReduceSum', ['a', 'axes'], 'y', { keepdims: 0, perm: [1, -1] }]];
  const model = fields(
    onnxModel({ inputs: { a: [300, 2] }, nodes, outShape: [2], constants: { axes: [0] } }),
  );
  const all = (message, number) => message.filter(([n]) => n === number).map(([, v]) => v);
  const texts = (message, number) => all(message, number).map((v) => new TextDecoder().decode(v));
  assert.deepEqual(all(model, 1), [8n], 'IR version');
  const [opset] = all(model, 8).map(fields);
  assert.deepEqual(all(opset, 2), [13n]);
  const [graph] = all(model, 7).map(fields);
  const [node] = all(graph, 1).map(fields);
  assert.deepEqual([texts(node, 1), texts(node, 2), texts(node, 4)], [['a', 'axes'], ['y'], ['ReduceSum']]);
  const [keepdims, perm] = all(node, 5).map(fields);
  assert.deepEqual([texts(keepdims, 1), all(keepdims, 3), all(keepdims, 20)], [['keepdims'], [0n], [2n]]);
  assert.deepEqual([all(perm, 8), all(perm, 20)], [[1n, -1n], [7n]]);
  const [axes] = all(graph, 5).map(fields);
  assert.deepEqual([all(axes, 1), all(axes, 2), all(axes, 7), texts(axes, 8)], [[1n], [7n], [0n], ['axes']]);
  const shapeOf = (info) => {
    const [type] = all(fields(all(info, 2)[0]), 1).map(fields);
    return all(fields(all(type, 2)[0]), 1).map((d) => Number(all(fields(d), 1)[0]));
  };
  const [input] = all(graph, 11).map(fields);
  const [output] = all(graph, 12).map(fields);
  assert.deepEqual([texts(input, 1), shapeOf(input)], [['a'], [300, 2]]);
  assert.deepEqual([texts(output, 1), shapeOf(output)], [['y'], [2]]);
});

test('rows are whole', () => {
  const table = readFileSync(new URL('../../src/core/table/functions.def', import.meta.url), 'utf8');
  const functions = new Set([...table.matchAll(/^FN\w*\((\w+),/gm)].map((match) => match[1]));
  const kernelsOf = (file) =>
    [
      ...readFileSync(new URL(`../../bench/native/${file}`, import.meta.url), 'utf8').matchAll(/\{"(\w+)",/g),
    ].map((match) => match[1]);
  const kernels = { stria: kernelsOf('stria_training.c'), torch: kernelsOf('peer_torch_training.cpp') };
  const rows = [...nativeRows, ...growthRows(1e3)];
  for (const list of [rows, jsRows])
    assert.equal(new Set(list.map((r) => r.name)).size, list.length, 'names differ');
  for (const name of readmeRows)
    assert.ok(
      nativeRows.some((r) => r.name === name),
      name,
    );
  const array = /^(f32|f64|c64|c128|i32|i64|u8|bool)\[[\d,]*\]( positive| levels| below \d+)?$/;
  for (const row of rows) {
    for (const text of Object.values(row.in)) assert.match(text, array, row.name);
    if (row.out) assert.match(row.out, array, row.name);
    const known = new Set([...Object.keys(row.in), ...Object.keys(row.let ?? {})]);
    for (const name of row.args ?? []) assert.ok(known.has(name), `${row.name}: ${name}`);
    const kinds = ['op', 'reduce', 'set', 'iter', 'fn', 'chain', 'expression', 'training'];
    assert.ok(kinds.includes(row.stria[0]), row.name);
    if (row.stria[0] === 'fn') assert.ok(functions.has(row.stria[1]), `${row.name}: ${row.stria[1]}`);
    if (row.stria[0] === 'training') {
      const kernel = row.stria[1].replace(/^compiled /, ''); // the graph of the same calls
      const torch = kernels.torch.find((one) => one === kernel);
      assert.deepEqual([kernels.stria.includes(kernel), row.torch_training], [true, torch], row.name);
    }
  }
  assert.deepEqual(
    growthRows(1e3).map((r) => [r.growth.op, r.growth.n]),
    ['add', 'exp', 'sum'].flatMap((op) => [10, 100, 1000].map((n) => [op, n])),
  );
  for (const row of jsRows) {
    const size = row.out.reduce((a, b) => a * b, 1);
    const inputs = Object.fromEntries(
      Object.entries(row.in).map(([name, shape]) => [
        name,
        new Float32Array(shape.reduce((a, b) => a * b, 1)),
      ]),
    );
    if (size * (row.flops ? 1e3 : 1) > 1e8) continue; // a plain matrix product that takes long
    if (row.plain) assert.doesNotThrow(row.plain(null, inputs, new Float32Array(size)), row.name);
  }
});

// ---------------------------------------------------------------- CUDA

const native = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../build/native');
const benchCuda = path.join(native, 'bench/bench_cuda');
const hostPlugin = path.join(native, 'libstria_cuda_host.so');
const skip =
  !(existsSync(benchCuda) && existsSync(hostPlugin)) && 'bench_cuda or the host runtime is not built';

test(
  'every row of CUDA runs on the host runtime, agrees with the CPU, and promises nothing there',
  { skip },
  () => {
    const listed = listCuda(benchCuda);
    const env = { ...process.env, STRIA_CUDA_PLUGIN: hostPlugin };
    const text = execFileSync(benchCuda, ['--quick'], { env, encoding: 'utf8' });
    const [{ machine }, ...records] = text.trim().split('\n').map(JSON.parse);
    assert.ok(machine.isHost);
    assert.deepEqual(
      records.map((record) => record.row),
      listed.map((record) => record.row),
    );
    for (const record of records) {
      assert.deepEqual([record.wrong, record.failed], [undefined, undefined], record.row);
      assert.equal(record.samples.stria.length, 9, record.row);
      assert.ok(
        record.samples.stria.every((ns) => ns > 0),
        record.row,
      );
      const section = { kind: 'cuda', threads: 1 };
      assert.equal(
        rowOf({ ...record, threads: 1 }, specOf(record, machine), section, null).verdict,
        'no target',
      );
      const { target, limitNs } = specOf(record, { isHost: false });
      assert.ok(target > 1 || limitNs > 0, `${record.row} demands nothing of a GPU`);
    }
    const one = JSON.parse(
      execFileSync(benchCuda, ['--quick', records[0].row], { env, encoding: 'utf8' }).split('\n')[1],
    );
    assert.equal(one.row, records[0].row);
  },
);

test('without a device the rows of CUDA say why', { skip }, () => {
  const env = { ...process.env, STRIA_CUDA_PLUGIN: '/nowhere/libstria_cuda.so' };
  const { absent } = JSON.parse(execFileSync(benchCuda, [], { env, encoding: 'utf8' }));
  assert.match(absent, /there is no device cuda:0: .*does not load/);
});

test('a row of CUDA is judged beside what it was measured with, and by itself beside PyTorch', () => {
  const machine = { isHost: false };
  const record = {
    row: 'cuda add',
    target: 1.087,
    threads: 1,
    samples: { stria: [108], copy: [100] },
    wrong: {},
  };
  const row = rowOf(record, specOf(record, machine), { kind: 'cuda' }, null);
  assert.deepEqual([row.verdict, row.bestPeer], ['met', 'copy']);
  for (const [torch, verdict] of [
    [103, 'met'],
    [102, 'missed'],
  ]) {
    const beside = besideTorch(record, [torch], machine);
    const other = rowOf(beside.record, beside.spec, { kind: 'cuda' }, null);
    assert.deepEqual([other.name, other.verdict, other.bestPeer], ['cuda add, PyTorch', verdict, 'torch']);
  }
});
