// Random generators as objects: seeds, states, disposal, what is no generator; and the numbers, which are those of every backend.
import test from 'node:test';
import assert from 'node:assert/strict';
import {
  defaultGenerator,
  Generator,
  manualSeed,
  rand,
  randint,
  randintLike,
  randLike,
  scope,
  zeros,
  type GeneratorState,
  type Tensor,
} from 'stria';
import { checkLeaksAtEnd, load } from './support.js';

await load();
checkLeaksAtEnd();

const numbers = (x: Tensor): number[] => scope(() => x.toArray() as number[]);
const draw = (generator?: Generator, n = 3): number[] => scope(() => numbers(rand(n, { generator })));

// The first words of Philox 4x32-10 with key and counter 0 (Random123, kat_vectors): elements 0, 16, 32, 48.
test('known answers', () => {
  const found = draw(new Generator(0), 64);
  const words = [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8];
  words.forEach((word, k) => assert.equal(found[16 * k], (word >>> 8) / 2 ** 24));
  const doubles = scope(() => numbers(rand(1, { dtype: 'float64', generator: new Generator(0) })));
  const [low, high] = [0x6627e8d5, draw(new Generator(0), 2)[1] * 2 ** 32];
  assert.ok(Math.abs(doubles[0] * 2 ** 32 - high) <= 256 && low > 0);
});

test('seeds: numbers, bigints, negative ones modulo 2^64', () => {
  assert.equal(new Generator().initialSeed(), 0n);
  assert.equal(new Generator(7).initialSeed(), 7n);
  assert.equal(new Generator(-1).initialSeed(), 2n ** 64n - 1n);
  assert.equal(new Generator(-(2n ** 63n)).initialSeed(), 2n ** 63n);
  assert.equal(new Generator(2n ** 64n - 1n).initialSeed(), 2n ** 64n - 1n);
  assert.equal(new Generator(Number.MAX_SAFE_INTEGER).initialSeed(), 2n ** 53n - 1n);
  assert.deepEqual(draw(new Generator(2n ** 32n + 5n)), draw(new Generator(2 ** 32 + 5)));
  assert.notDeepEqual(draw(new Generator(2n ** 32n + 5n)), draw(new Generator(5)));
  const g = new Generator(1);
  const own = g.seed();
  assert.equal(g.initialSeed(), own);
  assert.notEqual(own, new Generator(1).seed());
  for (const seed of [0.5, NaN, 2 ** 53, '1', null, true, {}, 2n ** 64n, -(2n ** 63n) - 1n]) {
    const wrong = { code: 'ERR_ARGUMENT', argument: 'seed' };
    assert.throws(() => new Generator(seed as number), { ...wrong, op: 'Generator' });
    assert.throws(() => g.manualSeed(seed as number), { ...wrong, op: 'manualSeed' });
    assert.throws(() => manualSeed(seed as number), { ...wrong, op: 'manualSeed' });
  }
});

test('states: what follows is a function of them', () => {
  const g = new Generator(3);
  draw(g, 65);
  const state = g.getState();
  assert.deepEqual(state, { seed: 3n, offset: 2n });
  const next = draw(g);
  g.setState(state);
  assert.deepEqual(draw(g), next);
  assert.deepEqual(draw(new Generator(9).setState(state)), next);
  assert.deepEqual(draw(g.setState({ seed: 3, offset: 2 })), next);
  assert.deepEqual(draw(g.manualSeed(3), 5), draw(new Generator(3), 5));
  g.setState({ seed: 1n, offset: 2n ** 64n - 1n });
  draw(g);
  assert.equal(g.getState().offset, 0n);
  const wrong: [unknown, string][] = [
    [3, 'state'],
    [null, 'state'],
    [[1, 2], 'state'],
    [{}, 'state.seed'],
    [{ seed: 1 }, 'state.offset'],
    [{ seed: 1, offset: 0.5 }, 'state.offset'],
    [{ seed: 1, offset: 2n ** 64n }, 'state.offset'],
    [{ seed: 1, offset: 1, more: 1 }, 'state.more'],
  ];
  for (const [value, argument] of wrong)
    assert.throws(() => g.setState(value as GeneratorState), {
      code: 'ERR_ARGUMENT',
      op: 'setState',
      argument,
    });
  assert.deepEqual(g.getState(), { seed: 1n, offset: 0n });
});

test('the default generator', () => {
  assert.equal(defaultGenerator(), defaultGenerator());
  assert.equal(manualSeed(11), defaultGenerator());
  const first = draw();
  assert.deepEqual(first, draw(new Generator(11)));
  assert.notDeepEqual(draw(), first);
  manualSeed(11n);
  assert.deepEqual(draw(defaultGenerator()), first);
  manualSeed(11);
  assert.deepEqual(
    scope(() => numbers(rand(3, { generator: null }))),
    first,
  );
  assert.throws(() => defaultGenerator().dispose(), { code: 'ERR_ARGUMENT', op: 'dispose' });
});

test('forks', () => {
  const g = new Generator(0);
  const child = g.fork();
  assert.deepEqual(g.getState(), { seed: 0n, offset: 1n });
  assert.equal(child.initialSeed() & 0xffffffffn, 0x6627e8d5n);
  assert.notDeepEqual(draw(child), draw(g));
  assert.deepEqual(draw(new Generator(0).fork()), draw(new Generator(0).fork()));
});

test('after disposal, and what is no generator', () => {
  const g = new Generator(1);
  g.dispose();
  g.dispose();
  const gone = { code: 'ERR_DISPOSED' };
  assert.throws(() => draw(g), { ...gone, op: 'rand', argument: 'generator' });
  assert.throws(() => g.getState(), { ...gone, op: 'getState', argument: 'this' });
  assert.throws(() => g.setState({ seed: 1, offset: 1 }), { ...gone, op: 'setState' });
  assert.throws(() => g.manualSeed(1), { ...gone, op: 'manualSeed' });
  assert.throws(() => g.seed(), { ...gone, op: 'seed' });
  assert.throws(() => g.fork(), { ...gone, op: 'fork' });
  const before = defaultGenerator().getState();
  const foreign = [
    1,
    {},
    Generator,
    Object.create(Generator.prototype),
    new Proxy(new Generator(1), {}),
    zeros(1),
  ];
  for (const value of foreign) {
    const wrong = { code: 'ERR_ARGUMENT', argument: 'generator' };
    assert.throws(() => rand(3, { generator: value as Generator }), { ...wrong, op: 'rand' });
    assert.throws(() => Generator.prototype.getState.call(value), {
      code: 'ERR_ARGUMENT',
      op: 'getState',
      argument: 'this',
    });
  }
  (foreign.at(-1) as Tensor).dispose();
  assert.deepEqual(defaultGenerator().getState(), before);
  {
    const used = new Generator(2);
    used[Symbol.dispose]();
    assert.throws(() => used.initialSeed(), gone);
  }
});

test('in the order of rows, whatever the memory order', () => {
  scope(() => {
    const x = zeros([3, 4]).transpose(0, 1);
    const wanted = draw(new Generator(5), 12);
    assert.deepEqual(numbers(randLike(x, { generator: new Generator(5) })).flat(), wanted);
    assert.deepEqual(numbers(x.uniform_(0, 1, { generator: new Generator(5) })).flat(), wanted);
    const scaled = numbers(x.uniform_({ from: 2, to: 4, generator: new Generator(5) })).flat();
    assert.deepEqual(scaled, wanted.map((u) => 2 + 2 * u).map(Math.fround));
  });
});

test('the state of a generator goes through JSON', () => {
  const generator = new Generator(2n ** 64n - 1n);
  rand([1000], { generator }).dispose();
  const text = JSON.stringify({ generator });
  assert.equal(text, '{"generator":{"seed":"18446744073709551615","offset":"16"}}');
  const other = new Generator().setState((JSON.parse(text) as { generator: GeneratorState }).generator);
  assert.deepEqual(other.getState(), generator.getState());
  assert.throws(
    () => other.setState({ seed: '1x', offset: 0 }),
    /setState: state\.seed must be a whole number or a bigint, got "1x"/,
  );
});

test('randint without low', () => {
  const own = () => ({ generator: new Generator(3) });
  const wrong = { code: 'ERR_ARGUMENT', op: 'randint' };
  scope(() => {
    const wanted = numbers(randint(0, 9, [2, 5], own()));
    assert.deepEqual(numbers(randint(9, [2, 5], own())), wanted);
    assert.deepEqual(numbers(randint(9, { shape: [2, 5], ...own() })), wanted);
    assert.deepEqual(numbers(randint({ high: 9, shape: [2, 5], ...own() })), wanted);
    assert.deepEqual(numbers(randint(0, 9, 2, 5, own())), wanted);
    assert.deepEqual(numbers(randint(null as never, 9, [2, 5], own())), wanted);
    const x = randint(9, [2, 5], { dtype: 'uint8' });
    const small = (wanted as unknown as bigint[][]).map((row) => row.map(Number));
    assert.deepEqual(x.randintLike(9, own()).toArray(), small);
    assert.deepEqual(x.randintLike(0, 9, own()).toArray(), small);
    assert.deepEqual(randintLike(x, { high: 9, ...own() }).toArray(), small);
    assert.equal(randintLike(x, 8, 9, { dtype: 'int64' }).dtype, 'int64');
    assert.throws(() => randint(9, { high: 9, shape: [1] }), {
      code: 'ERR_CONFIG',
      op: 'randint',
      argument: 'high',
    });
    assert.throws(() => randint(0, [2]), { ...wrong, argument: 'high', message: /above low/ });
    assert.throws(() => randint({ shape: [2] }), { ...wrong, argument: 'high' });
    assert.throws(() => randint(2, 3), { code: 'ERR_SHAPE', op: 'randint', argument: 'shape' });
    const hostile = randint as (...given: unknown[]) => unknown;
    assert.throws(() => hostile(0, 9, [2], {}, 1), {
      ...wrong,
      argument: 'arguments',
      message: /at most 4, got 5/,
    });
    assert.throws(() => hostile(9, [2], {}, 1), {
      ...wrong,
      argument: 'arguments',
      message: /at most 3, got 4/,
    });
    assert.throws(() => randintLike(x, 0), { code: 'ERR_ARGUMENT', op: 'randintLike', argument: 'high' });
    assert.throws(() => (randintLike as (...given: unknown[]) => unknown)(x, 0, 1, {}, 2), {
      op: 'randintLike',
      message: /at most 4/,
    });
  });
});
