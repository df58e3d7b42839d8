// Programs of compile() as files. The core saves and loads the calls (stria_graph.h); what arguments and results look like in JavaScript is
// one more text of the file's metadata.
import { backend, check, fail, fn, refuse, setNumbers } from './abi.js';
import { handleOf, print } from './arguments.js';
import { wrap } from './base.js';
import { bytesOf } from './buffers.js';
import { fromRaw, type DeviceOptions } from './create.js';
import { deviceNumbers } from './devices.js';
import { isNoting } from './generator.js';
import { wantsGradients } from './gradients.js';
import { isArray } from './intrinsics.js';
import { collect, end } from './memory.js';
import { npyNames, readOptions } from './options.js';
import { bytesIn } from './reading.js';
import { recorder } from './recording.js';
import { aNumber, held } from './rules.js';
import { metadataOf } from './safetensors.js';
import { functionRows } from './tables.gen.js';
import type { Tensor } from './tensor.js';
import { build, MOST_LEVELS, readTree, type Node } from './trees.js';

const KEY = 'stria.javascript';
const NO_SIZE = 'one whose size is that of no argument';

/** What is saved of a recording. */
export interface Saved {
  readonly graph: number;
  readonly arguments: Node;
  readonly result: Node;
  readonly others: readonly (number | Tensor)[];
  readonly sized: { readonly at: number; readonly dim: number } | undefined;
  /** Numbers of the next run, then what later ones add to them. */
  readonly numbers: readonly number[];
}

// ---------------------------------------------------------------- trees as JSON

// {t: k} is tensor k, {a: k} argument k; {v: value}, {n: 'NaN'}, {b: '12'}, {} (undefined) are values; {o: [[name, node] ..]} is an object.
// {s: [a, b]} is a times the dynamic size, and b.
type Json =
  | Json[]
  | {
      s?: [number, number];
      t?: number;
      a?: number;
      v?: unknown;
      n?: string;
      b?: string;
      o?: [string, Json][];
    };

function valueToJson(value: unknown, path: string): Json {
  if (value === undefined) return {};
  if (typeof value === 'bigint') return { b: `${value}` };
  if (typeof value === 'number')
    return Number.isFinite(value) && !Object.is(value, -0)
      ? { v: value }
      : { n: Object.is(value, -0) ? '-0' : `${value}` };
  if (value !== null && typeof value !== 'string' && typeof value !== 'boolean')
    refuse('ERR_UNSUPPORTED', 'save', path, 'a value that a file can have', print(value));
  return { v: value };
}

function toJson(node: Node, others: readonly (number | Tensor)[], path: string): Json {
  if (node.kind === 'tensor') return { t: node.at };
  if (node.kind === 'value') return valueToJson(node.value, path);
  if (node.kind === 'size') return { s: [node.by, node.plus] };
  if (node.kind === 'array') return node.items.map((item, k) => toJson(item, others, `${path}[${k}]`));
  if (node.kind === 'object')
    return { o: node.items.map(([name, item]) => [name, toJson(item, others, `${path}.${name}`)]) };
  const other = others[node.at];
  if (typeof other !== 'number')
    refuse('ERR_UNSUPPORTED', 'save', path, 'made by calls, or an argument', 'a tensor that fn captured');
  return { a: other as number };
}

function refuseFile(what: string): never {
  return refuse('ERR_FORMAT', 'loadProgram', 'bytes', 'a file of save()', what);
}

function fromJson(json: unknown, tensors: number, inputs: number, level = 0): Node {
  const index = (at: unknown, most: number): number =>
    Number.isInteger(at) && (at as number) >= 0 && (at as number) < most
      ? (at as number)
      : refuseFile('one that names a tensor that there is not');
  if (level > MOST_LEVELS || typeof json !== 'object' || json === null)
    return refuseFile('one whose arguments or results are no tree');
  if (isArray(json))
    return { kind: 'array', items: json.map((item) => fromJson(item, tensors, inputs, level + 1)) };
  const { s, t, a, v, n, b, o } = json as { [K in 's' | 't' | 'a' | 'v' | 'n' | 'b' | 'o']?: unknown };
  if (s !== undefined) {
    const [by, plus] = isArray(s) && s.every(Number.isSafeInteger) ? (s as number[]) : [];
    return by === undefined || plus === undefined
      ? refuseFile('one whose size is no whole number')
      : { kind: 'size', by, plus };
  }
  if (t !== undefined) return { kind: 'tensor', at: index(t, tensors) };
  if (a !== undefined) return { kind: 'other', at: index(a, inputs) };
  if (typeof n === 'string') return { kind: 'value', value: Number(n) };
  if (typeof b === 'string' && /^-?\d{1,9999}$/.test(b)) return { kind: 'value', value: BigInt(b) };
  if (o === undefined) return { kind: 'value', value: typeof v === 'object' ? null : v };
  if (!isArray(o)) return refuseFile('one whose arguments or results are no tree');
  const items = o.map((item: unknown): [string, Node] => {
    const [name, inner] = isArray(item) ? item : [];
    if (typeof name !== 'string') return refuseFile('one whose objects have no names');
    return [name, fromJson(inner, tensors, inputs, level + 1)];
  });
  return { kind: 'object', prototype: Object.prototype, items };
}

// ---------------------------------------------------------------- saving

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The bytes of a recording. */
export function saveProgram(saved: Saved): Uint8Array<ArrayBuffer> {
  const op = 'save';
  const trees = {
    arguments: toJson(saved.arguments, [], 'args'),
    result: toJson(saved.result, saved.others, 'result'),
    sized: saved.sized,
  };
  const text = utf8(`${KEY}\0${JSON.stringify(trees)}\0`);
  const metadata = fromRaw(op, 'uint8', [text.length], text);
  try {
    setNumbers(saved.numbers);
    const bytes = wrap(
      check(fn.graph_save(saved.graph, handleOf(op, metadata, 'metadata'), saved.numbers.length / 2), op),
    );
    try {
      return bytesIn(bytes, op);
    } finally {
      end(bytes);
    }
  } finally {
    end(metadata);
  }
}

// ---------------------------------------------------------------- loading

/** A number of a loaded program: an attribute of a step of an optimiser. */
export interface ProgramNumber {
  /** 'lr', 'step', 'isFirstStep' ..; one for each step of an optimiser in fn. */
  readonly name: string;
  /** In the next run. Steps count on from run to run; a rate may be set. */
  value: number;
}

/** What a program from a file has beside its call. */
export interface ProgramMembers {
  /** Of steps of optimisers. */
  readonly numbers: readonly ProgramNumber[];
  /** Forgets it, and the tensors that it holds; calls are refused afterwards. Without it, that ends with the function. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/**
 * A function that runs a program, of the type F. Arguments and results are as they were recorded, of the same shapes and dtypes. What fn captured are tensors of
 * the program: a training step goes on from those that were saved, and results that fn captured are views of them.
 */
export type LoadedProgram<F extends (...args: never[]) => unknown = (...args: unknown[]) => unknown> = F &
  ProgramMembers;

const expectedOf = (node: Node): string =>
  node.kind === 'tensor'
    ? 'a tensor'
    : node.kind === 'value'
      ? print(node.value)
      : node.kind === 'array'
        ? `an array of ${node.items.length}`
        : node.kind === 'object'
          ? `an object of ${node.items.map(([name]) => name).join(', ') || 'nothing'}`
          : '';

// The tensors of arguments that look like those of the tree, by their numbers.
function tensorsOf(tree: Node, args: readonly unknown[], count: number): Tensor[] {
  const op = 'program';
  const found: Tensor[] = [];
  const tensors: Tensor[] = [];
  const given = readTree(op, args, 'args', {
    tensor: (x) => ({ kind: 'tensor', at: found.push(x) - 1 }),
    value: (value) => ({ kind: 'value', value }),
  });
  const compare = (was: Node, is: Node, path: string): void => {
    const isSame =
      was.kind === is.kind &&
      (was.kind !== 'value' || Object.is(was.value, (is as typeof was).value)) &&
      (was.kind !== 'array' || was.items.length === (is as typeof was).items.length) &&
      (was.kind !== 'object' ||
        (was.items.length === (is as typeof was).items.length &&
          was.items.every(([name], k) => name === (is as typeof was).items[k]![0])));
    if (!isSame)
      refuse(
        'ERR_ARGUMENT',
        op,
        path,
        `${expectedOf(was)}, as it was recorded`,
        is.kind === 'value' ? print(is.value) : expectedOf(is),
      );
    if (was.kind === 'tensor') {
      const x = found[(is as typeof was).at]!;
      if (tensors[was.at] !== undefined && tensors[was.at] !== x)
        refuse('ERR_ARGUMENT', op, path, 'the same tensor as another argument', 'another tensor');
      tensors[was.at] = x;
    }
    if (was.kind === 'array')
      was.items.forEach((item, k) => compare(item, (is as typeof was).items[k]!, `${path}[${k}]`));
    if (was.kind === 'object')
      was.items.forEach(([name, item], k) =>
        compare(item, (is as typeof was).items[k]![1], `${path}.${name}`),
      );
  };
  compare(tree, given, 'args');
  for (let k = 0; k < count; k++)
    if (tensors[k] === undefined) refuseFile('one whose arguments are not all there');
  return tensors;
}

/**
 * A program from the bytes that save() of a compiled function gave, here or in another page or process, or stria_graph_save in C. It gives the
 * same bits, holds tensors of its own, and runs nothing while it is loaded. Bytes that are damaged, or made to do harm, are refused
 * (FormatError).
 *
 *     const layer = loadProgram(await (await fetch('layer.safetensors')).arrayBuffer());
 *     const y = layer(x);
 *
 * `device` is where it runs, wherever it was recorded: what it holds is copied there once, and its arguments are tensors of that device.
 *
 * A file from C takes its inputs as arguments in their order; several results are an array. Types cannot see into a file: F says that of the program.
 */
export function loadProgram<F extends (...args: never[]) => unknown = (...args: unknown[]) => unknown>(
  bytes: ArrayBuffer | ArrayBufferView,
  options?: DeviceOptions,
): LoadedProgram<F>;
export function loadProgram(bytes: ArrayBuffer | ArrayBufferView, options?: DeviceOptions): LoadedProgram {
  const op = 'loadProgram';
  const { device = 'cpu' } = readOptions(op, options, npyNames);
  const place = deviceNumbers(op, 'device', device);
  recorder?.refuse(op, 'a program is loaded outside of functions that are recorded');
  const given = bytesOf(op, 'bytes', bytes).slice();
  const file = fromRaw(op, 'uint8', [given.length], given);
  let graph = 0;
  try {
    graph = check(fn.graph_load(handleOf(op, file, 'bytes'), ...place), op, 'bytes');
  } finally {
    end(file);
  }
  let isOver = false;
  const dispose = (): void => {
    if (!isOver) fn.dispose(graph);
    isOver = true;
  };
  try {
    const metadata = metadataOf(op, given);
    const hasGenerators = /"generators"\s*:\s*\[\s*\[/.test(metadata['stria.graph'] ?? '');
    return wrapProgram(graph, metadata[KEY], hasGenerators, () => isOver, dispose);
  } catch (error) {
    dispose();
    throw error;
  }
}

function wrapProgram(
  graph: number,
  text: string | undefined,
  hasGenerators: boolean,
  isOver: () => boolean,
  dispose: () => void,
): LoadedProgram {
  check(fn.graph_info(graph), 'loadProgram');
  const [inputs, results] = backend.numbers() as unknown as [number, number];
  const list = (length: number): Json[] => Array.from({ length }, (_, t) => ({ t }));
  let json: { arguments?: unknown; result?: unknown; sized?: { at: number; dim: number } } | null = {
    arguments: list(inputs),
    result: results === 1 ? { t: 0 } : list(results),
  };
  try {
    if (text !== undefined) json = JSON.parse(text) as typeof json;
  } catch {
    refuseFile('one whose metadata are no JSON');
  }
  const { at, dim } = json?.sized ?? { at: 0, dim: 0 };
  if (![at, dim].every((k) => Number.isInteger(k) && k >= 0) || at >= Math.max(inputs, 1))
    refuseFile(NO_SIZE);
  const tree = fromJson(json?.arguments, inputs, 0);
  const result = fromJson(json?.result, results, inputs);
  if (tree.kind !== 'array') refuseFile('one whose arguments are no list');
  const count = check(fn.graph_numbers(graph), 'loadProgram');
  const facts = Array.from(backend.numbers().subarray(0, 4 * count));
  const changes = facts.filter((_, k) => k % 4 === 3);
  const numbers = changes.map((_, k): ProgramNumber => {
    const [row, attribute, value] = facts.slice(4 * k) as [number, number, number];
    return { name: functionRows[row]!.attributes[attribute]!.name, value };
  });
  const run = (...args: unknown[]): unknown => {
    const op = 'program';
    if (isOver()) refuse('ERR_DISPOSED', op, 'this', 'a live program', 'a disposed one');
    recorder?.refuse(op, 'a program that was loaded is not recorded: run it outside');
    if (hasGenerators && isNoting() && wantsGradients() !== 0)
      refuse(
        'ERR_UNSUPPORTED',
        op,
        'this',
        'without generators of its own within a checkpoint',
        'one that has some',
      );
    const tensors = tensorsOf(tree, args, inputs);
    const handles = tensors.map((x) => handleOf(op, x, 'args'));
    const values = numbers.map(({ name, value }) => held<unknown>(op, name, aNumber, value) as number);
    setNumbers([...handles, ...values]);
    const made = fn.graph_run_any(graph, inputs, count);
    if (made < 0) fail(made, op);
    const results = Array.from(backend.numbers().subarray(0, made - 1)).map(wrap);
    numbers.forEach((number, k) => {
      if (changes[k] !== 0) number.value = Math.max(0, values[k]! + changes[k]!);
    });
    return build(result, results, tensors, () => tensors[at]?.shape[dim] ?? refuseFile(NO_SIZE));
  };
  collect(run, graph);
  const hidden = (value: unknown): PropertyDescriptor => ({ value, enumerable: false });
  return Object.defineProperties(run, {
    numbers: hidden(Object.freeze(numbers)),
    dispose: hidden(dispose),
    [Symbol.dispose]: hidden(dispose),
  }) as LoadedProgram;
}
