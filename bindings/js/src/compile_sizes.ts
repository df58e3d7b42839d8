// Recordings of many sizes of a dimension.
import { check, fn, refuse, setNumbers } from './abi.js';
import { dtypeNumber } from './arguments.js';
import { OP, plainOf, type Given } from './compile_arguments.js';
import { isSame, record, type Body, type Recording } from './compile_record.js';
import { StriaError } from './errors.js';
import { known } from './facts.js';
import { isArray } from './intrinsics.js';
import type { Node } from './trees.js';

/**
 * At which fn is recorded beside the size of its first call: few other dimensions have them by chance. One of the three is even, always: half of
 * a size, rounded down, is a n + b of odd ones alone.
 */
const SIZES = [23, 34, 31];
/** A size far from these, where the least of a size and a number, as JavaScript computes it, is another one. */
const FAR = 1021;
/** 0 and 1 are other calls (src/compile/dynamic.h). */
const LEAST = 2;

// A result whose numbers are functions of the size, from those of these sizes.
function joinTrees(trees: readonly Node[], sizes: readonly number[], path: string): Node {
  const one = trees[0]!;
  const other = (): never =>
    refuse(
      'ERR_UNSUPPORTED',
      OP,
      path,
      'the same, or a n + b of whole numbers, for each dynamic size n',
      'another one',
    );
  if (trees.some(({ kind }) => kind !== one.kind)) return other();
  if (one.kind === 'array' || one.kind === 'object') {
    const lists = trees.map((tree) => (tree as typeof one).items);
    const names = lists.map((list) => list.map((item) => (isArray(item) ? item[0] : '')).join('\0'));
    if (lists.some(({ length }) => length !== one.items.length) || names.some((name) => name !== names[0]))
      other();
    const nodes = one.items.map((_, k) =>
      lists.map((list) => (isArray(list[k]) ? list[k][1] : list[k]) as Node),
    );
    const items = nodes.map((list, k) => joinTrees(list, sizes, `${path}[${k}]`));
    return one.kind === 'array'
      ? { kind: 'array', items }
      : {
          ...one,
          items: items.map((item, k): [string, Node] => [(one.items[k] as [string, Node])[0], item]),
        };
  }
  if (one.kind !== 'value') {
    const at = (tree: Node): number => (tree as { at: number }).at;
    if (trees.some((tree) => at(tree) !== at(one))) other();
    return one;
  }
  const values = trees.map((tree) => (tree as typeof one).value) as number[];
  const [a, b] = values as [number, number];
  if (values.every((value) => Object.is(value, a))) return one;
  const [n, m] = sizes as [number, number];
  const by = (b - a) / (m - n);
  if (![by, a].every(Number.isSafeInteger) || values.some((value, k) => value !== a + by * (sizes[k]! - n)))
    other();
  return { kind: 'size', by, plus: a - by * n };
}

// Arguments of another size, which fn is recorded with; they are tensors of their own.
function withSize<R>(given: Given, size: number, body: (given: Given) => R): R {
  const made: number[] = [];
  try {
    const handles = given.handles.map((handle, k) => {
      const dim = given.dims[k]!;
      if (size === given.size || dim === null) return handle;
      const { dtype, shape } = known(given.tensors[k]!, OP);
      setNumbers(shape.map((n, i) => (i === dim ? size : n)));
      const other = check(fn.tensor_new(dtypeNumber(OP, dtype), shape.length), OP);
      made.push(other);
      return other;
    });
    return body({ ...given, handles });
  } finally {
    for (const other of made) fn.dispose(other);
  }
}

// Three recordings as the first of them, which is of all sizes then.
function join(made: readonly Recording[], sizes: readonly number[]): Recording {
  const [one, two, three] = made as [Recording, Recording, Recording];
  const trees = made.map((r) => r.result);
  const result = joinTrees(trees, sizes, 'result');
  const isOther = (r: Recording): boolean =>
    !isSame(one.others, r.others) || r.turns.length !== one.turns.length || r.epoch !== one.epoch;
  if (isOther(two) || isOther(three))
    refuse('ERR_UNSUPPORTED', OP, 'fn', 'the same for each dynamic size', 'one that captures other tensors');
  setNumbers(sizes);
  check(fn.graph_dynamic(one.graph, two.graph, three.graph), OP);
  return Object.assign(one, { result, sizes });
}

// Where the calls of another size are those of `one`, of these sizes, the program must be the same, too: else fn has computed with the size itself.
function checkSize(
  one: Recording,
  trees: readonly Node[],
  sizes: readonly number[],
  size: number,
  again: (size: number) => Recording,
): void {
  if (!fits(one, size)) return;
  let own: Recording;
  try {
    own = again(size);
  } catch {
    return; // fn does not take it
  }
  try {
    joinTrees([...trees, own.result], [...sizes, size], 'result');
    if (!fits(one, size, own))
      refuse(
        'ERR_UNSUPPORTED',
        OP,
        'dynamic',
        'the same program for each size',
        `another one for size ${size}`,
      );
  } finally {
    fn.dispose(own.graph);
  }
}

// A recording of all sizes, from those of three; `checked`: others that are looked at.
function recordThree(
  body: Body,
  given: Given,
  sizes: readonly number[],
  isSaved: boolean,
  checked: readonly number[] = [],
): Recording {
  const made: Recording[] = [];
  const again = (size: number): Recording => withSize(given, size, (own) => record(body, own, isSaved));
  try {
    for (const size of sizes) made.push(again(size));
    const trees = made.map((r) => r.result);
    const joined = join(made, sizes);
    for (const size of [FAR, ...checked]) checkSize(joined, trees, sizes, size, again);
    return joined;
  } catch (error) {
    if (made.length > 0) fn.dispose(made[0]!.graph);
    throw error;
  } finally {
    for (const { graph } of made.slice(1)) fn.dispose(graph);
  }
}

/** Whether the calls of the size are those that were recorded; like: and make the program that this one is. */
export const fits = (r: Recording, size: number, like?: Recording): boolean =>
  check(fn.graph_fits(r.graph, size, like?.graph ?? 0), OP) === 1;

// A recording of other sizes than the one of the arguments, of which fn makes another program; before it one of this size, if it is no part of that.
// Undefined: fn has computed with the size itself.
function recordApart(
  body: Body,
  given: Given,
  sizes: readonly number[],
  isSaved: boolean,
): Recording[] | undefined {
  const others = recordThree(body, given, sizes, isSaved);
  const made = [others];
  try {
    const own = record(body, plainOf(given), isSaved);
    made.push(own);
    if (!fits(others, given.size)) {
      others.unfit.add(given.size);
      return [own, others];
    }
    const isPart = fits(others, given.size, own); // other views happen to be the same ones
    for (const { graph } of isPart ? [own] : made) fn.dispose(graph);
    return isPart ? [others] : undefined;
  } catch (error) {
    for (const { graph } of made) fn.dispose(graph);
    throw error;
  }
}

/**
 * A recording of the sizes around that of the arguments, of which those that are known are another program: slices that ask for as much as there is
 * in some. Undefined: there is none, or fn has computed with the size itself.
 */
export function recordNear(
  body: Body,
  given: Given,
  known: readonly number[],
  isSaved = false,
): Recording | undefined {
  const { size } = given;
  for (const step of [1, -1]) {
    if (size + 2 * step < LEAST) continue;
    try {
      return recordThree(body, given, [size + step, size + 2 * step, size], isSaved, [...SIZES, ...known]);
    } catch {
      // the sizes on the other side may be another program
    }
  }
  return undefined;
}

/**
 * A recording of all sizes, that of the arguments among them. Where the calls of other sizes are the same, but not those of this one, such as
 * slices that ask for more than there is, a recording of this size alone, then that of the others; where those are not the same, one of the sizes
 * around this one.
 */
export function recordSizes(body: Body, given: Given, isSaved = false): Recording[] {
  const sizes = SIZES.filter((size) => size !== given.size);
  try {
    return [recordThree(body, given, [...sizes.slice(0, 2), given.size], isSaved)];
  } catch (error) {
    if (!(error instanceof StriaError)) throw error;
    let made: Recording[] | undefined;
    try {
      if (sizes.length === SIZES.length) made = recordApart(body, given, sizes, isSaved);
    } catch {
      // what is refused then says less
    }
    if (made !== undefined) return made;
    const near = recordNear(body, given, [], isSaved);
    if (near === undefined) throw error;
    return [near];
  }
}
