// explainSvg: pictures of programs. What is drawn is read back from the text by a strict reader of XML.
import test from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile, manualSeed, noGrad, rand, StriaError, type Explanation, type Tensor } from 'stria';
import { explainSvg, type ExplainSvgOptions } from 'stria/explain';
import * as nn from 'stria/nn';
import * as optim from 'stria/optim';
import { backendName, checkLeaksAtEnd, load } from './support.js';

await load();
checkLeaksAtEnd(true);

// ---------------------------------------------------------------- reading XML

interface Element {
  name: string;
  attributes: Map<string, string>;
  children: Element[];
  text: string;
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };
const unescape = (text: string): string => {
  assert.doesNotMatch(text, /[<>]|&(?!(?:amp|lt|gt|quot);)/, 'a character that is not escaped');
  assert.doesNotMatch(
    text,
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/u,
    'no character of XML',
  );
  return text.replace(/&(\w+);/g, (_, name: string) => entities[name]!);
};

// One element with all that is in it; refuses what is not well-formed.
function parse(svg: string): Element {
  const top: Element = { name: '', attributes: new Map(), children: [], text: '' };
  const open = [top];
  const pattern = /([^<]*)<(\/?)([a-z]+)((?: [A-Za-z-]+="[^"<]*")*)(\/?)>/gy;
  let end = 0;
  for (let found = pattern.exec(svg); found !== null; found = pattern.exec(svg)) {
    const [all, text, isEnd, name, list, isEmpty] = found as unknown as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    end += all.length;
    open.at(-1)!.text += unescape(text);
    if (isEnd) {
      assert.equal(open.pop()!.name, name);
      continue;
    }
    const element: Element = { name, attributes: new Map(), children: [], text: '' };
    for (const [, key, value] of list.matchAll(/ ([A-Za-z-]+)="([^"]*)"/g)) {
      assert.ok(!element.attributes.has(key!), `${key} twice`);
      element.attributes.set(key!, unescape(value!));
    }
    open.at(-1)!.children.push(element);
    if (!isEmpty) open.push(element);
  }
  assert.equal(svg.slice(end), '\n', 'what is left');
  assert.equal(open.length, 1, 'all elements end');
  assert.equal(top.children.length, 1);
  return top.children[0]!;
}

function* all(element: Element): Generator<Element> {
  yield element;
  for (const child of element.children) yield* all(child);
}
const ofClass = (root: Element, kind: string): Element[] =>
  [...all(root)].filter(({ attributes }) => attributes.get('class') === kind);
const numberOf = (element: Element, name: string): number => Number(element.attributes.get(name));
const wordsOf = (element: Element): string[] =>
  [...all(element)].filter(({ name }) => name === 'text').map(({ text }) => text);
const placeOf = (element: Element): [number, number] =>
  /^translate\((-?[\d.]+) (-?[\d.]+)\)$/.exec(element.attributes.get('transform')!)!.slice(1).map(Number) as [
    number,
    number,
  ];

interface Rectangle {
  left: number;
  top: number;
  right: number;
  bottom: number;
}
const kindsOfBoxes = ['call', 'group', 'input', 'held', 'number', 'made', 'result'];
function boxesOf(root: Element): Rectangle[] {
  return ofClass(root, 'steps')[0]!
    .children.filter(({ attributes }) => kindsOfBoxes.includes(attributes.get('class')!))
    .map((box) => {
      const [left, top] = placeOf(box);
      const frame = box.children[0]!;
      return { left, top, right: left + numberOf(frame, 'width'), bottom: top + numberOf(frame, 'height') };
    });
}
const wiresOf = (root: Element): number[][] =>
  ofClass(root, 'steps')[0]!
    .children.filter(({ attributes }) => attributes.get('class') === 'wire')
    .map(({ attributes }) =>
      attributes
        .get('d')!
        .match(/-?[\d.]+/g)!
        .map(Number),
    );

// Boxes apart from one another and inside the picture; every wire from the lower edge of a box to the upper edge of another one.
function checkGeometry(root: Element): void {
  const boxes = boxesOf(root);
  const [dx, dy] = placeOf(ofClass(root, 'steps')[0]!);
  for (const [k, a] of boxes.entries()) {
    assert.ok(a.left + dx >= 0 && a.right + dx <= numberOf(root, 'width') + 0.2, `box ${k} is inside`);
    assert.ok(a.top + dy >= 0 && a.bottom + dy <= numberOf(root, 'height'), `box ${k} is inside`);
    for (const b of boxes.slice(0, k)) {
      const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
      assert.ok(apart, `boxes overlap: ${JSON.stringify([a, b])}`);
    }
  }
  const near = (a: number, b: number): boolean => Math.abs(a - b) < 0.31;
  for (const numbers of wiresOf(root)) {
    const [x, y] = numbers as [number, number];
    assert.ok(
      boxes.some(({ left, right, bottom }) => near(y, bottom) && x >= left && x <= right),
      'a wire begins at a box',
    );
    const end = numbers.at(-1)!;
    assert.ok(
      boxes.some(({ top }) => near(end, top)),
      'a wire ends at a box',
    );
  }
}

const draw = (explanation: unknown, options?: ExplainSvgOptions): Element => {
  const svg = explainSvg(explanation as Explanation, options);
  assert.equal(explainSvg(explanation as Explanation, options), svg, 'the same picture again');
  const root = parse(svg);
  assert.equal(root.name, 'svg');
  checkGeometry(root);
  return root;
};

// ---------------------------------------------------------------- explanations by hand

const of = (kind: string, buffer: number, shape: number[], more: object = {}): object => ({
  buffer,
  of: kind,
  dtype: 'f32',
  shape,
  ...more,
});
const why = 'what makes it is not element-wise, or complex';

/** relu(x w + b) * 0.5, and the sum of it. */
const small = () => ({
  inputs: 1,
  results: 2,
  numbers: 0,
  gradients: 0,
  recordedBytes: 2560,
  peakBytesRecorded: 1920,
  peakBytes: 1284,
  arenaBytes: 640,
  nodes: [
    {
      row: 'matmul',
      reads: [of('input', 0, [16, 10]), of('held', 1, [10, 10])],
      writes: [of('made', 2, [16, 10])],
    },
    { row: 'add', reads: [of('made', 2, [16, 10]), of('held', 3, [10])], writes: [of('made', 4, [16, 10])] },
    { row: 'relu', reads: [of('made', 4, [16, 10])], writes: [of('made', 5, [16, 10])] },
    {
      row: 'mul',
      reads: [of('made', 5, [16, 10]), of('number', 6, [], { dtype: 'f64', value: 0.5 })],
      writes: [of('made', 7, [16, 10], { result: true })],
    },
    { row: 'sum', reads: [of('made', 7, [160])], writes: [of('made', 8, [], { result: true })] },
  ],
  groups: [
    {
      row: 'matmul',
      reads: [of('input', 0, [16, 10]), of('held', 1, [10, 10])],
      writes: [of('made', 2, [16, 10])],
    },
    {
      row: 'expression',
      ops: ['add', 'relu', 'mul'],
      operands: [[0, 1], [3], [4, 2]],
      constants: [0.5],
      gives: [5],
      reads: [of('made', 2, [16, 10], { from: 0, why }), of('held', 3, [10])],
      writes: [of('made', 7, [16, 10], { result: true })],
    },
    {
      row: 'sum',
      reads: [of('made', 7, [160], { from: 1, why: 'it is a result of the graph, too' })],
      writes: [of('made', 8, [], { result: true })],
    },
  ],
});

test('a picture has each step, each op, each wire, memory and reasons', () => {
  const root = draw(small());
  assert.equal(ofClass(root, 'call').length, 2);
  const [group] = ofClass(root, 'group');
  assert.deepEqual(wordsOf(group!), ['1', 'add', 'relu', 'mul · 0.5', 'f32 [16, 10]']);
  assert.deepEqual(wordsOf(ofClass(root, 'call')[1]!), ['2', 'as f32 [160]', 'sum', 'f32 []']);
  assert.deepEqual(ofClass(root, 'input').map(wordsOf), [['input 0 f32 [16, 10]']]);
  assert.deepEqual(ofClass(root, 'held').map(wordsOf), [['held 1 f32 [10, 10]'], ['held 3 f32 [10]']]);
  assert.equal(ofClass(root, 'result').length, 2);
  assert.equal(wiresOf(root).length, 7);
  assert.equal(ofClass(group!, 'wire').length, 7, 'two enter, five are inside');
  assert.deepEqual(wordsOf(ofClass(root, 'memory')[0]!), [
    'Most memory at a time',
    'recorded',
    '1.9 kB',
    'planned',
    '1.3 kB',
    '640 B of it in the arena, the rest in results',
  ]);
  assert.deepEqual(wordsOf(ofClass(root, 'reasons')[0]!), [
    'Why a group ends there',
    '1',
    why,
    '2',
    'it is a result of the graph, too',
  ]);
  assert.deepEqual(
    ofClass(root, 'why').map((one) => one.children[0]!.text),
    [why, 'it is a result of the graph, too'],
  );
  assert.equal(root.children[0]!.text, '5 calls in 3 steps; 1 input, 2 results');
  assert.equal(root.attributes.get('role'), 'img');
});

test('calls as they were recorded', () => {
  const root = draw(small(), { of: 'nodes', title: 'before' });
  assert.deepEqual(
    ofClass(root, 'call').map((call) => wordsOf(call).at(-2)),
    ['matmul', 'add', 'relu', 'mul', 'sum'],
  );
  assert.deepEqual(ofClass(root, 'number').map(wordsOf), [['0.5 f64 []']]);
  assert.equal(ofClass(root, 'group').length + ofClass(root, 'why').length, 0);
  assert.equal(root.children[0]!.text, 'before: 5 calls as recorded; 1 input, 2 results');
});

test('steps that run block by block are marked, and said', () => {
  const blocks = [{ from: 1, steps: 2, dims: 1, pieces: 4, slices: 4, why: 'it is the last one' }];
  const root = draw({ ...small(), blocks });
  const boxes = [...ofClass(root, 'call'), ...ofClass(root, 'group')];
  const marked = boxes.filter((box) => ofClass(box, 'block').length > 0);
  assert.deepEqual(marked.map((box) => wordsOf(box)[0]).sort(), ['1', '2']);
  assert.deepEqual(wordsOf(ofClass(root, 'blocks')[0]!), [
    'Run together, block by block',
    '1 to 2: 4 pieces of at most 4 slices of the first dim; then it is the last one',
  ]);
  assert.match(wordsOf(ofClass(root, 'memory')[0]!).at(-1)!, /results and blocks$/);
  assert.equal(ofClass(draw({ ...small(), blocks }, { of: 'nodes' }), 'block').length, 0);
  const { groups, ...rest } = small();
  const tiled = draw({ ...rest, groups: [{ ...groups[0], joined: true }, ...groups.slice(1)] });
  assert.deepEqual(wordsOf(ofClass(tiled, 'call')[0]!), ['0', 'matmul', 'f32 [16, 10], tile by tile']);
  assert.equal(ofClass(tiled, 'block').length, 2);
  refused((e) => void (e.blocks = [{}]), 'explanation.blocks[0].from', /whole number/);
});

test('the picture of a small program is the one that is kept', () => {
  const kept = new URL('../../../../tests/data/explain.svg', import.meta.url);
  const svg = explainSvg(small() as unknown as Explanation, { title: 'relu(x w + b) * 0.5' });
  const wanted = existsSync(kept) ? readFileSync(kept, 'utf8') : '';
  if (svg !== wanted) {
    const made = fileURLToPath(new URL('../explain.svg', import.meta.url));
    mkdirSync(dirname(made), { recursive: true });
    writeFileSync(made, svg);
    assert.fail(`look at ${made}; if it is as it should be, it goes to tests/data/explain.svg`);
  }
});

test('docs/compiler.svg is the picture of what docs/compiler.md shows', () => {
  const docs = new URL('../../../../docs/', import.meta.url);
  const page = readFileSync(new URL('compiler.md', docs), 'utf8');
  const [, text] = /<!-- explain -->\n\n```json\n([^]*?)```/.exec(page)!;
  const svg = explainSvg(JSON.parse(text!) as Explanation, { title: 'layer.forward(x).relu()' });
  assert.equal(
    readFileSync(new URL('compiler.svg', docs), 'utf8'),
    svg,
    'stale: make generate draws it again',
  );
});

test('colours of its own, for light and dark, or those of the page, without styles', () => {
  const own = draw(small());
  const style = [...all(own)].find(({ name }) => name === 'style')!;
  assert.match(style.text, /prefers-color-scheme:dark/);
  const page = draw(small(), { colours: 'page' });
  for (const { name, attributes } of all(page)) {
    assert.notEqual(name, 'style');
    assert.ok(!attributes.has('style'));
  }
  const paint = ['currentColor', 'none', '#fff', '#c8622d', '#4a7fd4', '#8a8f98', '#3f9a5a', '#9068c8'];
  for (const { attributes } of all(page))
    for (const key of ['fill', 'stroke'])
      if (attributes.has(key)) assert.ok(paint.includes(attributes.get(key)!));
});

// ---------------------------------------------------------------- hostile ones

const names = [
  '<script>alert(1)</script>',
  '"/><g onload="x" a="',
  "'&amp;&#0;]]>",
  '\u0000\u001b[31m\r\n\u2028',
  'a\ud800b',
  '\u202egnp.exe',
  '\u{1f600}'.repeat(500),
  'x'.repeat(1_000_000),
  '',
];
test('names are text, whatever they are', () => {
  const known = ['svg', 'g', 'title', 'style', 'text', 'rect', 'circle', 'path'];
  for (const name of names) {
    const e = JSON.parse(JSON.stringify(small())) as ReturnType<typeof small>;
    const text = JSON.stringify(e, (key, value: unknown) =>
      ['row', 'dtype', 'why'].includes(key) ? name : key === 'ops' ? [name, name, name] : value,
    );
    for (const options of [{}, { of: 'nodes' as const }]) {
      const root = draw(JSON.parse(text), { ...options, title: name });
      const longest = Math.max(...[...all(root)].map(({ text: words }) => [...words].length));
      for (const element of all(root)) {
        assert.ok(known.includes(element.name), element.name);
        for (const key of element.attributes.keys()) assert.doesNotMatch(key, /^on|href/);
      }
      assert.ok(
        longest < 1_100_000 && explainSvg(JSON.parse(text) as Explanation, options).length < 5_100_000,
      );
      assert.doesNotMatch(wordsOf(root).join(''), /[\u0000-\u001f\u202a-\u202e\u2028]|\p{Cs}/u);
    }
  }
});

const refused = (change: (e: any) => unknown, argument: string, words: RegExp): void => {
  const e: unknown = small();
  const given = change(e) ?? e;
  assert.throws(
    () => explainSvg(given as Explanation),
    (error: unknown) =>
      error instanceof StriaError &&
      error.code === 'ERR_ARGUMENT' &&
      error.op === 'explainSvg' &&
      error.argument === argument &&
      words.test(error.message),
    argument,
  );
};

test('what is no explanation is refused, and where', () => {
  refused(() => 'text', 'explanation', /must be an object, got "text"/);
  for (const value of [-1, 0.5, NaN, 2 ** 60, '4', null])
    refused((e) => void (e.peakBytes = value), 'explanation.peakBytes', /must be a whole number from 0/);
  refused((e) => void (e.nodes = {}), 'explanation.nodes', /must be an array/);
  refused((e) => void delete e.groups, 'explanation.groups', /must be an array, got undefined/);
  refused((e) => void (e.groups[0] = null), 'explanation.groups[0]', /must be an object, got null/);
  refused((e) => void (e.groups[0].row = 3), 'explanation.groups[0].row', /must be a string, got 3/);
  refused(
    (e) => void (e.groups[0].reads[1].of = 'x'),
    'explanation.groups[0].reads[1].of',
    /must be one of input, held/,
  );
  refused(
    (e) => void (e.groups[0].reads[1].shape = [-1]),
    'explanation.groups[0].reads[1].shape[0]',
    /whole number/,
  );
  refused(
    (e) => void (e.groups[1].operands[1] = [4]),
    'explanation.groups[1].operands[1]',
    /values below 4, got 4/,
  );
  refused((e) => void e.groups[1].operands.pop(), 'explanation.groups[1].operands', /of 3 ops, got 2/);
  refused(
    (e) => void (e.groups[1].gives = [2]),
    'explanation.groups[1].gives',
    /1 of the values of its ops, got "2"/,
  );
  refused(
    (e) => void (e.groups[1].constants = [{}]),
    'explanation.groups[1].constants[0]',
    /a number, or the text of one/,
  );
  let deep: unknown = 1;
  for (let k = 0; k < 100_000; k++) deep = [deep];
  refused(
    (e) => void (e.groups[1].constants = [deep]),
    'explanation.groups[1].constants[0][0]',
    /a number, or the text/,
  );
  const options = (value: unknown) => () =>
    explainSvg(small() as unknown as Explanation, value as ExplainSvgOptions);
  assert.throws(options({ of: 'all' }), /explainSvg: of must be 'groups' or 'nodes', got "all"/);
  assert.throws(options({ colours: 'red' }), /colours must be 'own' or 'page'/);
  assert.throws(options({ title: 3 }), /title must be a string, got 3/);
  assert.throws(options({ colors: 'own' }), /colors/);
});

// ---------------------------------------------------------------- many

// The same numbers each time, from 0 to n - 1.
function stream(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

function made(seed: number): object {
  const next = stream(seed);
  const steps = 1 + next(24);
  let buffers = 3;
  const kindOf = (buffer: number): string => (buffer < 2 ? 'input' : buffer < 3 ? 'held' : 'made');
  const groups = Array.from({ length: steps }, () => {
    const reads = Array.from({ length: next(9) }, () => {
      const buffer = next(buffers);
      return of(
        kindOf(buffer),
        buffer,
        [next(9), 10 ** next(7)],
        next(3) === 0 ? { why: `reason ${next(4)}` } : {},
      );
    });
    const writes = Array.from({ length: 1 + next(3) }, () =>
      of(
        'made',
        next(4) === 0 && buffers > 3 ? 3 + next(buffers - 3) : buffers++,
        [10 ** next(5)],
        next(5) === 0 ? { result: true } : {},
      ),
    );
    if (next(2) === 0) return { row: 'call', reads, writes, ...(next(4) === 0 && { once: true }) };
    const constants = Array.from({ length: next(3) }, () => next(100) / 8);
    const first = reads.length + constants.length;
    const ops = Array.from({ length: writes.length + next(9) }, (_, k) => `op${k}`);
    const operands = ops.map((_, k) =>
      first + k === 0 ? [] : Array.from({ length: next(4) }, () => next(first + k)),
    );
    return {
      row: 'expression',
      ops,
      operands,
      constants,
      gives: writes.map((_, k) => first + ops.length - 1 - k),
      reads,
      writes,
    };
  });
  return { ...small(), nodes: [], groups };
}

test('in a thousand pictures no box lies on another one', () => {
  // drawing knows of no backend: the thousand are for one of them
  const n = backendName === 'native' && !process.env.STRIA_PART ? 1000 : 100;
  for (let seed = 0; seed < n; seed++) {
    const e = made(seed) as { groups: { ops?: string[] }[] };
    const root = draw(e);
    const { length } = e.groups;
    assert.equal(ofClass(root, 'call').length + ofClass(root, 'group').length, length, `seed ${seed}`);
  }
});

test('programs of very many steps, and of none, are drawn', () => {
  const chain = (length: number): object => ({
    ...small(),
    nodes: [],
    groups: Array.from({ length }, (_, k) => ({
      row: 'step',
      reads: [of(k === 0 ? 'input' : 'made', k, [4]), of('held', 1e6, [4])],
      writes: [of('made', k + 1, [4])],
    })),
  });
  assert.ok(explainSvg(chain(20_000) as Explanation).length > 1e6);
  assert.match(
    explainSvg({ ...small(), groups: [], nodes: [] } as unknown as Explanation),
    /0 calls in 0 steps/,
  );
});

// ---------------------------------------------------------------- programs

test('programs', () => {
  manualSeed(1);
  const softmax = compile((x: Tensor) => {
    const e = x.sub(x.amax(-1, { keepdim: true })).exp();
    return e.div(e.sum(-1, { keepdim: true }));
  });
  softmax(rand([8, 5])).dispose();
  const layer = new nn.Linear(10, 10);
  const forward = compile((x: Tensor) => noGrad(() => layer.forward(x).relu()));
  forward(rand([16, 10])).dispose();
  const net = new nn.Sequential(new nn.Linear(6, 5), new nn.Tanh(), new nn.Linear(5, 1));
  const sgd = new optim.SGD([...net.parameters()], { lr: 0.1 });
  const step = compile((x: Tensor) => {
    sgd.zeroGrad();
    const loss = net.forward(x).square().mean();
    loss.backward();
    sgd.step();
    return loss.detach();
  });
  step(rand([4, 6])).dispose();
  for (const program of [softmax, forward, step]) {
    const e = program.explain();
    for (const kind of ['groups', 'nodes'] as const) {
      const root = draw(e, { of: kind });
      const drawn = ofClass(root, 'call').length + ofClass(root, 'group').length;
      assert.equal(drawn, e[kind].length);
      const leaving = e[kind]
        .flatMap(({ writes }) => writes)
        .filter(({ result, gradient }) => result ?? gradient);
      const buffers = new Set(leaving.map(({ buffer }) => buffer));
      assert.equal(ofClass(root, 'result').length, buffers.size);
    }
    program.dispose();
  }
});

test('a page that draws no program downloads none of it', () => {
  const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(join(dist, file), 'utf8');
    for (const [, from] of text.matchAll(/from '\.\/([^']+)'/g)) visit(from!);
  };
  for (const file of ['index.js', 'node.js', 'nn.js', 'optim.js', 'npz.js']) visit(file);
  assert.ok(seen.has('compile.js'));
  assert.deepEqual(
    [...seen].filter((file) => file.startsWith('explain')),
    [],
  );
});
