// Trees of arguments and results: tensors, other values, and arrays and plain objects of these.
import { refuse } from './abi.js';
import { isTensor } from './base.js';
import { StriaError } from './errors.js';
import { isArray, isPlain } from './intrinsics.js';
import type { Tensor } from './tensor.js';

/** A value as it is made again. */
export type Node =
  | { kind: 'tensor'; at: number }
  | { kind: 'other'; at: number }
  | { kind: 'value'; value: unknown }
  | { kind: 'size'; by: number; plus: number } // by times the dynamic size, and more
  | { kind: 'array'; items: Node[] }
  | { kind: 'object'; prototype: object | null; items: [name: string, node: Node][] };

const MOST_VALUES = 1 << 16;
export const MOST_LEVELS = 64;

/** What is done with the leaves of a tree. */
export interface Leaves {
  tensor(x: Tensor, path: string): Node;
  value(value: unknown, path: string): Node;
  /** Of an array of so many items, or an object of these names. */
  open?(what: string): void;
}

// Reads a tree; every member once, as a getter may answer otherwise the next time.
export function readTree(op: string, root: unknown, rootPath: string, leaves: Leaves): Node {
  let count = 0;
  const read = (value: unknown, path: string, level: number): Node => {
    if (++count > MOST_VALUES) refuse('ERR_ARGUMENT', op, rootPath, `at most ${MOST_VALUES} values`, 'more');
    if (typeof value !== 'object' || value === null) return leaves.value(value, path);
    if (isTensor(value)) return leaves.tensor(value, path);
    const isList = isArray(value);
    if (!isList && !isPlain(value)) return leaves.value(value, path);
    if (level === MOST_LEVELS)
      refuse('ERR_ARGUMENT', op, rootPath, 'without circles', `${MOST_LEVELS} levels`);
    if (isList) {
      const { length } = value;
      if (length > MOST_VALUES)
        refuse('ERR_ARGUMENT', op, path, `of at most ${MOST_VALUES} values`, `${length}`);
      leaves.open?.(`[${length}`);
      const items = Array.from({ length }, (_, k) => read(value[k], `${path}[${k}]`, level + 1));
      return { kind: 'array', items };
    }
    const names = Object.keys(value);
    leaves.open?.(JSON.stringify(names));
    const items = names.map((name): [string, Node] => [
      name,
      read((value as Record<string, unknown>)[name], `${path}.${name}`, level + 1),
    ]);
    return { kind: 'object', prototype: Object.getPrototypeOf(value) as object | null, items };
  };
  try {
    return read(root, rootPath, 0);
  } catch (cause) {
    if (cause instanceof StriaError) throw cause;
    return refuse(
      'ERR_ARGUMENT',
      op,
      rootPath,
      'a value whose members can be read',
      'one that throws',
      cause,
    );
  }
}

export function build(
  node: Node,
  tensors: readonly unknown[],
  others: readonly unknown[] = [],
  size = (): number => 0,
): unknown {
  if (node.kind === 'size') return node.by * size() + node.plus;
  if (node.kind === 'tensor') return tensors[node.at];
  if (node.kind === 'other') return others[node.at];
  if (node.kind === 'value') return node.value;
  if (node.kind === 'array') return node.items.map((item) => build(item, tensors, others, size));
  const made = Object.create(node.prototype) as object;
  for (const [name, item] of node.items)
    Object.defineProperty(made, name, {
      value: build(item, tensors, others, size),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  return made;
}
