// Arguments of compiled functions: their tensors, and the key by which a recording is found again.
import { numbersRoom, refuse } from './abi.js';
import { handleOf, print } from './arguments.js';
import { handleIn, type Facts } from './base.js';
import { known } from './facts.js';
import { stateOf } from './gradients.js';
import type { Tensor } from './tensor.js';
import { readTree, type Node } from './trees.js';

export const OP = 'compile';

/** Arguments as they were read. */
export interface Given {
  node: Node;
  /** Each tensor once, with the place where it was found first. */
  tensors: Tensor[];
  handles: number[];
  paths: string[];
  /** By which a recording is found, of many sizes if there is a dynamic one; and one of these sizes alone. */
  key: string;
  plainKey: string;
  mode: number;
  /** The dynamic size, and the dimension of each tensor that has it; -1: no other size takes its place. */
  size: number;
  dims: (number | null)[];
}

const wordOf = (value: unknown): string =>
  typeof value === 'string'
    ? JSON.stringify(value)
    : `${typeof value} ${Object.is(value, -0) ? '-0' : value}`;

export function readArguments(
  args: readonly unknown[],
  mode: number,
  dynamic: readonly (number | null)[] = [],
): Given {
  const given: Given = {
    node: undefined as never,
    tensors: [],
    handles: [],
    paths: [],
    key: '',
    plainKey: '',
    mode,
    size: -1,
    dims: [],
  };
  const key: (string | ((isPlain: boolean) => string))[] = [`${mode}`];
  let isPlain = dynamic.length === 0;
  // The dimension of the tensor at this place that has the dynamic size.
  const dimOf = (path: string, { shape, isContiguous }: Facts): number | null => {
    const dim = dynamic[Number(/^args\[(\d+)/.exec(path)![1])] ?? null;
    if (dim === null) return null;
    const size = shape.at(dim);
    if (size === undefined) refuse('ERR_SHAPE', OP, path, `with a dimension ${dim} (dynamic)`, `[${shape}]`);
    if (given.size >= 0 && size !== given.size)
      refuse(
        'ERR_SHAPE',
        OP,
        path,
        `${given.size} in dimension ${dim} (dynamic), as others are`,
        `[${shape}]`,
      );
    given.size = size!;
    isPlain ||= size! < 2 || !isContiguous;
    return dim < 0 ? dim + shape.length : dim;
  };
  given.node = readTree(OP, args, 'args', {
    tensor(x, path) {
      const handle = handleOf(OP, x, path);
      let at = given.handles.indexOf(handle);
      if (at < 0) {
        const facts = known(x, OP, path);
        const { dtype, shape, strides, device } = facts;
        if (device === 'meta') refuse('ERR_DEVICE', OP, path, 'a tensor with elements', 'one on meta');
        if (mode && stateOf(OP, x, path).requiresGrad)
          refuse(
            'ERR_ARGUMENT',
            OP,
            path,
            'a tensor that requires no gradient (compile(grad(fn)), not grad(compile(fn)); fn captures parameters; backward() belongs into fn)',
            'one that requires it',
          );
        at = given.handles.push(handle) - 1;
        given.tensors.push(x);
        given.paths.push(path);
        const dim = dimOf(path, facts);
        given.dims.push(dim);
        const lies = `${shape}:${strides.map((step, k) => (shape[k] === 1 ? 1 : step))}`;
        key.push(
          (isPlain) =>
            `${dtype}:${isPlain || dim === null ? lies : `${shape.map((n, k) => (k === dim ? '?' : n))}`}:${device}`,
        );
      }
      key.push(`#${at}`);
      return { kind: 'tensor', at };
    },
    value(value, path) {
      if (value !== null && ['object', 'function', 'symbol'].includes(typeof value))
        refuse(
          'ERR_ARGUMENT',
          OP,
          path,
          'a tensor, a value, or an array or plain object of these (fn captures anything else)',
          print(value),
        );
      key.push(wordOf(value));
      return { kind: 'value', value };
    },
    open: (what) => key.push(what),
  });
  if (given.handles.length > numbersRoom())
    refuse('ERR_ARGUMENT', OP, 'args', `of at most ${numbersRoom()} tensors`, `${given.handles.length}`);
  if (isPlain) given.size = -1;
  const keyOf = (isPlain: boolean): string =>
    key.map((part) => (typeof part === 'string' ? part : part(isPlain))).join(' ');
  given.plainKey = keyOf(true);
  given.key = isPlain ? given.plainKey : keyOf(false);
  return given;
}

/** The same arguments, of these sizes alone. */
export const plainOf = (given: Given): Given => ({ ...given, key: given.plainKey, size: -1, dims: [] });

// Handles of arguments that are different tensors.
export function plainHandles(args: readonly unknown[]): number[] | undefined {
  const handles: number[] = [];
  for (const x of args) {
    const handle = handleIn(x);
    if (handle <= 0 || handles.includes(handle)) return undefined;
    handles.push(handle);
  }
  return handles;
}
