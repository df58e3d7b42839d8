// Recordings of many sizes of a dimension.
import { check, fn, refuse, refuseWith, setNumbers } from './abi.js';
import { handleOf } from './arguments.js';
import { OP, plainOf, type Given } from './compile_arguments.js';
import { isSame, record, type Body, type Recording } from './compile_record.js';
import { StriaError } from './errors.js';
import { known } from './facts.js';
import { isArray } from './intrinsics.js';
import { end } from './memory.js';
import { empty } from './ops.gen.js';
import type { Tensor } from './tensor.js';
import type { Node } from './trees.js';

/**
 * At which fn is recorded beside the size of its first call: few other dimensions have them by chance. One of the three is even, always: half of
 * a size, rounded down, is a n + b of odd ones alone.
 */
const SIZES = [23, 34, 31];
/** The same, where a slice ends between those. */
const MORE = [67, 78, 75];
/**
 * Far from these, of which the first is taken whose arguments have MOST_FAR elements at most: what JavaScript computes of a size, such as n % 64, is
 * seldom a n + b there, too.
 */
const FAR = [1031, 263];
const MOST_FAR = 2 ** 22;

// A result whose numbers are functions of the size, from those of three sizes.
function joinTrees(trees: readonly Node[], sizes: readonly number[], path: string): Node {
  const [one, two, three] = trees as [Node, Node, Node];
  const other = (): never =>
    refuse(
      'ERR_UNSUPPORTED',
      OP,
      path,
      'the same, or a n + b of whole numbers, for each dynamic size n',
      'another one',
    );
  if (one.kind !== two.kind || one.kind !== three.kind) return other();
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
  const [a, b, c] = trees.map((tree) => (tree as typeof one).value) as [number, number, number];
  if (Object.is(a, b) && Object.is(a, c)) return one;
  const [n, m, l] = sizes as [number, number, number];
  if (![a, b, c].every(Number.isSafeInteger)) other();
  const by = (b - a) / (m - n);
  if (!Number.isSafeInteger(by) || c !== a + by * (l - n)) other();
  return { kind: 'size', by, plus: a - by * n };
}

// Whether `own` is what a result of all sizes is at this one.
function isAt(tree: Node, own: Node, size: number): boolean {
  if (tree.kind === 'size') return own.kind === 'value' && own.value === tree.by * size + tree.plus;
  if (tree.kind !== own.kind) return false;
  if (tree.kind === 'value') return Object.is(tree.value, (own as typeof tree).value);
  if (tree.kind === 'array') {
    const { items } = own as typeof tree;
    return items.length === tree.items.length && items.every((item, k) => isAt(tree.items[k]!, item, size));
  }
  if (tree.kind === 'object') {
    const { items } = own as typeof tree;
    const isSameItem = ([name, item]: [string, Node], k: number): boolean =>
      name === tree.items[k]![0] && isAt(tree.items[k]![1], item, size);
    return items.length === tree.items.length && items.every(isSameItem);
  }
  return tree.at === (own as typeof tree).at;
}

// Arguments of another size, which fn is recorded with; they are tensors of their own.
function withSize<R>(given: Given, size: number, body: (given: Given) => R): R {
  const made: Tensor[] = [];
  try {
    const handles = given.handles.map((handle, k) => {
      const dim = given.dims[k]!;
      if (size === given.size || dim === null) return handle;
      const { dtype, shape, device } = known(given.tensors[k]!, OP);
      const other = empty(
        shape.map((n, i) => (i === dim ? size : n)),
        { dtype, device },
      );
      made.push(other);
      return handleOf(OP, other);
    });
    return body({ ...given, handles });
  } finally {
    made.forEach(end);
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
  return Object.assign(one, { result });
}

// The last size comes first: it is that of the arguments, and what is wrong there has nothing to do with sizes.
function recordThree(body: Body, given: Given, sizes: readonly number[], isSaved: boolean): Recording {
  const made: Recording[] = [];
  let joined: Recording | undefined;
  const recordAt = (k: number): Recording => withSize(given, sizes[k]!, (own) => record(body, own, isSaved));
  try {
    made[2] = recordAt(2);
    for (const k of [0, 1])
      try {
        made[k] = recordAt(k);
      } catch (cause) {
        if (!(cause instanceof StriaError) || cause.code === 'ERR_MEMORY') throw cause;
        refuseWith(
          'ERR_UNSUPPORTED',
          `${OP}: fn works for size ${sizes[2]}, but not for ${sizes[k]} in its place (dynamic): ${cause.message}; write fn for any size, or leave dynamic out`,
          { op: OP, argument: 'dynamic', cause },
        );
      }
    return (joined = join(made, sizes));
  } finally {
    made.forEach((one) => one !== joined && fn.dispose(one.graph)); // not of holes
  }
}

/** Whether the calls of the size are those that were recorded; like: and make the program that this one is. */
export const fits = (r: Recording, size: number, like?: Recording): boolean =>
  check(fn.graph_fits(r.graph, size, like?.graph ?? 0), OP) === 1;

// Whether `own`, of this size alone, is what `joined` is there.
const isPart = (joined: Recording, own: Recording, size: number): boolean =>
  fits(joined, size, own) && isSame(joined.others, own.others) && isAt(joined.result, own.result, size);

// Whether fn makes the program at a size far from those that it was recorded at, too; where it does not run there, or makes calls of other views,
// nothing is said.
function holdsFar(body: Body, given: Given, joined: Recording, isSaved: boolean): boolean {
  const elementsAt = (size: number): number =>
    given.dims.reduce<number>((sum, dim, k) => {
      if (dim === null) return sum;
      const { shape } = known(given.tensors[k]!, OP);
      return sum + shape.reduce((product, n, i) => product * (i === dim ? size : n), 1);
    }, 0);
  const far = FAR.find((size) => elementsAt(size) <= MOST_FAR);
  if (far === undefined || !fits(joined, far)) return true;
  let own: Recording;
  try {
    own = withSize(given, far, (other) => record(body, plainOf(other), isSaved));
  } catch {
    return true;
  }
  try {
    return isPart(joined, own, far);
  } finally {
    fn.dispose(own.graph);
  }
}

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
    // where the calls of the smaller sizes are the same, the program must be, too
    const [least] = SIZES as [number];
    const small =
      sizes.includes(least) || !fits(others, least)
        ? undefined
        : withSize(given, least, (other) => record(body, plainOf(other), isSaved));
    const isOther = small !== undefined && !isPart(others, small, least);
    if (small !== undefined) fn.dispose(small.graph);
    if (!isOther && !fits(others, given.size)) {
      others.unfit.add(given.size);
      return [own, others];
    }
    const isOne = !isOther && isPart(others, own, given.size); // other views happen to be the same ones
    for (const { graph } of isOne ? [own] : made) fn.dispose(graph);
    return isOne ? [others] : undefined;
  } catch (error) {
    for (const { graph } of made) fn.dispose(graph);
    throw error;
  }
}

function recordNear(body: Body, given: Given, sizes: readonly number[], isSaved: boolean): Recording[] {
  try {
    return [recordThree(body, given, sizes, isSaved)];
  } catch (error) {
    if (!(error instanceof StriaError)) throw error;
    for (const others of [SIZES, MORE, MORE.map((size) => size + 13)]) {
      if (others.includes(given.size)) continue;
      let made: Recording[] | undefined;
      try {
        made = recordApart(body, given, others, isSaved);
      } catch {
        continue; // what is refused then says less
      }
      if (made === undefined) throw error;
      return made;
    }
    throw error;
  }
}

/**
 * A recording of all sizes, that of the arguments among them. Where the calls of other sizes are the same, but not those of this one, such as
 * slices that ask for more than there is, a recording of this size alone, then that of the others. Undefined: fn computes with the size, or
 * chooses calls by it, such that each size needs a recording of its own.
 */
export function recordSizes(body: Body, given: Given, isSaved = false): Recording[] | undefined {
  const sizes = SIZES.filter((size) => size !== given.size);
  const made = recordNear(body, given, [...sizes.slice(0, 2), given.size], isSaved);
  let holds = false;
  try {
    holds = holdsFar(body, given, made.at(-1)!, isSaved);
  } finally {
    if (!holds) for (const { graph } of made) fn.dispose(graph);
  }
  return holds ? made : undefined;
}
