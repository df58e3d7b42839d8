// Indexing by NumPy's rules: what at() and set() do with a list of indices. Slices, single positions and new axes make a view; where
// there are tensors, arrays or truth values, their axes are brought to the front of it, and the rows `index` and `indexPut` do the rest.
import { check, fn, refuse } from './abi.js';
import { handleOf, print, whole } from './arguments.js';
import { isTensor, wrap, type TensorBase } from './base.js';
import { fromData } from './create.js';
import { isElsewhere } from './devices.js';
import { StriaError } from './errors.js';
import { known } from './facts.js';
import { runNumbers } from './functions.js';
import { isArray, isTypedArray } from './intrinsics.js';
import { end } from './memory.js';
import { leafKind, shapeOf } from './nested.js';
import { clampMax, permute as permuted, reshape } from './ops.gen.js';
import { isOptions, readOptions, type OptionNames } from './options.js';
import { recorder } from './recording.js';
import { nonzero, to } from './special.js';
import { functionNumbers, type Device, type DType } from './tables.gen.js';
import type { Tensor } from './tensor.js';
import type { Nested, TypedArray } from './types.js';

/** An axis of size 1, as an index. */
export const newAxis = null;

/** Elements start, start + step, .. before stop; what is left out or null is the beginning, the end, 1. */
export interface SliceIndex {
  start?: number | null;
  stop?: number | null;
  step?: number | null;
}

/** What at() and set() take for one or several axes. */
export type Index =
  number | string | boolean | null | SliceIndex | Tensor | TypedArray | Nested<number | bigint | boolean>;

type Cut = readonly [start: number, stop: number, step: number];

/** One index: `dims` axes of the tensor are its own. */
type Item =
  | { kind: 'select'; dims: 1; at: number }
  | { kind: 'cut'; dims: 1; cut: Cut }
  | { kind: 'new'; dims: 0 }
  | { kind: 'rest'; dims: 0 }
  | { kind: 'tensor'; dims: number; tensor: Tensor; ndim: number };

const NEW = 0; // a new tensor for the result
const NOT_GIVEN = NaN;

const expected =
  "a whole number, null, a text like '1:-1' or '...', { start, stop, step }, or a tensor or array of whole numbers or booleans";

// ---------------------------------------------------------------- one index

// A whole number, or nothing, from a part of a slice text.
function slicePart(text: string): number | null | undefined {
  const part = text.trim();
  if (part === '') return null;
  return /^[+-]?\d+$/.test(part) ? Number(part) : undefined;
}

function cutOf(text: string): Cut | undefined {
  const parts = text.split(':', 4);
  if (parts.length < 2 || parts.length > 3) return undefined;
  const numbers = parts.map(slicePart);
  if (!numbers.every((part) => part === null || Number.isSafeInteger(part))) return undefined;
  return [numbers[0] ?? NOT_GIVEN, numbers[1] ?? NOT_GIVEN, numbers[2] ?? 1];
}

const sliceNames: OptionNames<SliceIndex> = new Map([
  ['start', 'start'],
  ['stop', 'stop'],
  ['step', 'step'],
]);

function sliceOf(op: string, argument: string, value: object): Cut {
  const read: SliceIndex = readOptions(op, value as SliceIndex, sliceNames, `${argument}.`);
  const part = (name: keyof SliceIndex, none: number): number =>
    read[name] == null ? none : whole(op, `${argument}.${name}`, read[name]);
  return [part('start', NOT_GIVEN), part('stop', NOT_GIVEN), part('step', 1)];
}

// Where arrays and numbers go to: there are no elements on META.
const placeOf = (device: Device): { device?: Device } => (isElsewhere(device) ? { device } : {});

// Symbols are on META while calls are recorded.
function deviceOf(x: TensorBase, op: string): Device {
  const { device } = known(x, op);
  return device === 'meta' ? (recorder?.device ?? device) : device;
}

// What is made of an argument that is no tensor: calls that are recorded have it as it is now.
const asItIs = <R>(make: () => R): R => (recorder === undefined ? make() : recorder.pause(make));

// That of a tensor that was made so, on META too.
function onDevice(made: Tensor, device: Device, owned: Tensor[]): Tensor {
  owned.push(made);
  if (device !== 'meta') return made;
  const there = to(made, { device });
  owned.push(there);
  return there;
}

const isMask = (dtype: DType): boolean => dtype === 'bool' || dtype === 'uint8';

// Whole numbers as int64, from an array of JavaScript numbers.
function fromNumbers(
  op: string,
  argument: string,
  data: Nested<number>,
  device: Device,
  owned: Tensor[],
): Tensor {
  const place = { op, argument };
  const numbers = fromData(place, data, { dtype: 'float64' });
  owned.push(numbers);
  for (const number of numbers.dataSync() as Float64Array)
    if (!Number.isSafeInteger(number)) refuse('ERR_ARGUMENT', op, argument, 'whole numbers', print(number));
  return to(numbers, { dtype: 'int64', ...placeOf(device) });
}

function fromArray(op: string, argument: string, data: unknown, device: Device, owned: Tensor[]): Tensor {
  const place = { op, argument };
  if (isTypedArray(data)) return fromData(place, data as TypedArray, placeOf(device));
  const depth = shapeOf(data, place).length;
  const isNumbers = leafKind(data, depth).dtype === 'float32';
  return isNumbers
    ? fromNumbers(op, argument, data as Nested<number>, device, owned)
    : fromData(place, data as Nested<boolean>, placeOf(device));
}

const MOST = 2n ** 63n - 1n;
const integers: readonly DType[] = ['int8', 'int16', 'uint16', 'uint32', 'uint64'];

function refuseGone(op: string, argument: string, x: Tensor): void {
  if (handleOf(op, x, argument) === 0)
    refuse('ERR_DISPOSED', op, argument, 'a tensor in use', 'one that was disposed of');
}

// Temporary tensors go to `owned`.
function tensorItem(op: string, argument: string, given: Tensor, owned: Tensor[]): Item {
  const { dtype, shape } = known(given, op);
  let tensor = given;
  if (isMask(dtype)) {
    if (shape.length > 0) return { kind: 'tensor', dims: shape.length, tensor, ndim: 1 };
    owned.push((tensor = reshape(given, [1]))); // an axis of its own
    return { kind: 'tensor', dims: 0, tensor, ndim: 1 };
  }
  if (dtype === 'uint64') owned.push((tensor = clampMax(given, MOST))); // what is more would be below 0
  if (integers.includes(dtype)) owned.push((tensor = to(tensor, 'int64')));
  else if (dtype !== 'int64' && dtype !== 'int32')
    refuse('ERR_DTYPE', op, argument, 'of an integer dtype or bool', dtype);
  return { kind: 'tensor', dims: 1, tensor, ndim: shape.length };
}

function itemOf(op: string, index: unknown, k: number, device: Device, owned: Tensor[]): Item {
  const argument = `indices[${k}]`;
  if (index === null) return { kind: 'new', dims: 0 };
  if (typeof index === 'number') return { kind: 'select', dims: 1, at: whole(op, argument, index) };
  if (index === '...') return { kind: 'rest', dims: 0 };
  if (typeof index === 'string') {
    const cut = cutOf(index);
    if (cut) return { kind: 'cut', dims: 1, cut };
  } else if (isTensor(index)) {
    refuseGone(op, argument, index);
    return tensorItem(op, argument, index, owned);
  } else if (typeof index === 'boolean' || isArray(index) || isTypedArray(index)) {
    return asItIs(() => {
      const tensor = onDevice(fromArray(op, argument, index, device, owned), device, owned);
      return tensorItem(op, argument, tensor, owned);
    });
  } else if (isOptions(index)) {
    return { kind: 'cut', dims: 1, cut: sliceOf(op, argument, index) };
  }
  return refuse('ERR_ARGUMENT', op, argument, expected, print(index));
}

// ---------------------------------------------------------------- the list of indices

// Indices that are tensors stand side by side: no slice, new axis or ellipsis lies between two of them.
function areSideBySide(items: readonly Item[]): boolean {
  const isOne = items.map(({ kind }) => kind === 'tensor');
  return !isOne.slice(isOne.indexOf(true), isOne.lastIndexOf(true)).includes(false);
}

/** A view of the tensor, and the tensors that index its first axes. */
interface Plan {
  handle: number;
  tensors: { tensor: Tensor; k: number; axis: number; dims: number }[];
  /** Axes that the tensors put in place of theirs, and where: behind this many of the others. */
  ndim: number;
  before: number;
  /** Axes of the result. */
  total: number;
}

function itemsOf(op: string, indices: readonly unknown[], x: TensorBase, owned: Tensor[]): Item[] {
  const { shape } = known(x, op);
  const device = deviceOf(x, op);
  const ndim = shape.length;
  const items = indices.map((index, k) => itemOf(op, index, k, device, owned));
  const count = items.reduce((sum, { dims }) => sum + dims, 0);
  if (count > ndim) refuse('ERR_AXIS', op, 'indices', `at most ${ndim}`, String(count));
  const rests = items.filter(({ kind }) => kind === 'rest').length;
  if (rests > 1) refuse('ERR_ARGUMENT', op, 'indices', "with one '...' at most", `${rests}`);
  if (!items.some(({ kind }) => kind === 'tensor')) return items;
  return items.map((item, k) => {
    if (item.kind !== 'select') return item;
    const at = asItIs(() =>
      fromData({ op, argument: `indices[${k}]` }, item.at, { dtype: 'int64', ...placeOf(device) }),
    );
    return { kind: 'tensor', dims: 1, tensor: onDevice(at, device, owned), ndim: 0 };
  });
}

// Replaces a view by what a row makes of it. The error is that of the index, or of the row where none is named.
function step(plan: Plan, row: number, numbers: readonly number[], op?: string, argument?: string): void {
  const result = check(runNumbers(row, [plan.handle, ...numbers, NEW]), op, argument);
  fn.dispose(plan.handle);
  plan.handle = result;
}

function permute(plan: Plan, op: string, axes: readonly number[]): void {
  if (axes.some((axis, k) => axis !== k))
    step(plan, functionNumbers.permute, [axes.length, ...axes], op, 'indices');
}

// Views by slices, positions and new axes; the axes of the tensors come first.
function walk(plan: Plan, op: string, items: readonly Item[], ndim: number): void {
  const own: number[] = [];
  let dim = 0;
  let axis = 0;
  let before = 0;
  const left = ndim - items.reduce((sum, { dims }) => sum + dims, 0);
  for (const [k, item] of items.entries()) {
    const argument = `indices[${k}]`;
    if (item.kind === 'select') step(plan, functionNumbers.select, [dim, item.at], op, argument);
    else if (item.kind === 'cut') step(plan, functionNumbers.slice, [dim++, ...item.cut], op, argument);
    else if (item.kind === 'new') step(plan, functionNumbers.unsqueeze, [dim++], op, argument);
    else if (item.kind === 'rest') {
      dim += left;
      axis += left;
    } else {
      if (plan.tensors.length === 0) before = dim;
      if (item.dims === 0) step(plan, functionNumbers.unsqueeze, [dim], op, argument);
      plan.tensors.push({ tensor: item.tensor, k, axis, dims: item.dims });
      plan.ndim = Math.max(plan.ndim, item.ndim);
      for (let n = Math.max(item.dims, 1); n > 0; n--) own.push(dim++);
    }
    axis += item.dims;
  }
  const isEnded = items.some(({ kind }) => kind === 'rest');
  const all = Array.from({ length: isEnded ? dim : dim + left }, (_, k) => k);
  const others = all.filter((k) => !own.includes(k));
  if (own.length > 0) permute(plan, op, [...own, ...others]);
  plan.before = areSideBySide(items) ? before : 0;
  plan.total = plan.ndim + others.length;
}

function begin(x: TensorBase, op: string, indices: readonly unknown[], owned: Tensor[]): Plan {
  const { shape } = known(x, op);
  const items = itemsOf(op, indices, x, owned);
  const axes = shape.map((_, k) => k);
  const numbers = [handleOf(op, x), axes.length, ...axes, NEW];
  const handle = check(runNumbers(functionNumbers.permute, numbers), op);
  const plan: Plan = { handle, tensors: [], ndim: 0, before: 0, total: 0 };
  try {
    walk(plan, op, items, shape.length);
  } catch (error) {
    fn.dispose(plan.handle);
    throw error;
  }
  return plan;
}

// An error of the rows, in the words of the caller: which index, which axis.
function renamed(error: unknown, op: string, { tensors }: Plan): unknown {
  if (!(error instanceof StriaError)) return error;
  const place = /^indices\[(\d+)\]/.exec(error.argument);
  const one = place ? tensors[Number(place[1])] : undefined;
  const put = (text: string): string => {
    const named = text.replace(/\b(values|source)\b/g, 'value').replace(/^\w+:/, `${op}:`);
    return one
      ? named
          .replace(/indices\[\d+\]/, `indices[${one.k}]`)
          .replace(/axis \d+ (of|has)/, `axis ${one.axis} $1`)
          .replace(/from \d+ on/, `from ${one.axis} on`)
      : named;
  };
  const Kind = error.constructor as typeof StriaError;
  const { code, expected: wanted, got } = error;
  return new Kind(code, put(error.message), { op, argument: put(error.argument), expected: wanted, got });
}

const handles = ({ tensors }: Plan, op: string): number[] => [
  tensors.length,
  ...tensors.map(({ tensor }) => handleOf(op, tensor)),
];

// ---------------------------------------------------------------- getting

// While calls are recorded, the shape of what a mask takes is not known, unless the mask is an array: the positions of its elements then.
function takePositions(plan: Plan, op: string, shape: readonly number[], owned: Tensor[]): void {
  plan.tensors = plan.tensors.flatMap((one) => {
    const { tensor, k, axis, dims } = one;
    const { dtype, shape: own, device } = known(tensor, op);
    if (!isMask(dtype)) return [one];
    if (device === 'meta' || !owned.includes(tensor))
      recorder!.refuse(
        op,
        'the shape would depend on the elements of a mask: choose with where(), write with set(), or give an array of booleans',
      );
    const wanted = shape.slice(axis, axis + dims);
    if (dims > 0 && `${own}` !== `${wanted}`)
      refuse('ERR_SHAPE', op, `indices[${k}]`, `of shape [${wanted}]`, `[${own}]`);
    const parts = recorder!.pause(() => nonzero(tensor, { asTuple: true }));
    owned.push(...parts);
    return parts.map((part, n) => ({ ...one, tensor: part, axis: axis + n }));
  });
}

/** The elements that the indices take: a view, or where a tensor, an array or a truth value is among them a copy. */
export function getAt(x: TensorBase, indices: readonly unknown[]): Tensor {
  const op = 'at';
  const owned: Tensor[] = [];
  let plan: Plan | undefined = undefined;
  try {
    plan = begin(x, op, indices, owned);
    if (plan.tensors.length > 0) {
      const { ndim, before, total } = plan;
      if (recorder !== undefined) takePositions(plan, op, known(x, op).shape, owned);
      step(plan, functionNumbers.index, handles(plan, op));
      const axes = Array.from({ length: total }, (_, k) => k);
      if (before > 0)
        permute(plan, op, [
          ...axes.slice(ndim, ndim + before),
          ...axes.slice(0, ndim),
          ...axes.slice(ndim + before),
        ]);
    }
    return wrap(plan.handle);
  } catch (error) {
    if (plan === undefined) throw error;
    fn.dispose(plan.handle);
    throw renamed(error, op, plan);
  } finally {
    owned.forEach(end);
  }
}

// ---------------------------------------------------------------- setting

// The value as a tensor of the dtype and device of a view, without leading axes of size 1 beyond `ndim`.
function valueOf(op: string, value: unknown, view: Tensor, ndim: number, owned: Tensor[]): Tensor {
  const { dtype } = known(view, op);
  const device = deviceOf(view, op);
  const place = { op, argument: 'value' };
  let tensor: Tensor;
  if (isTensor(value)) {
    refuseGone(op, 'value', value);
    tensor = value;
    const own = known(value, op);
    if (device !== 'cpu' && deviceOf(value, op) !== device)
      owned.push((tensor = to(value, { dtype, device })));
    else if (own.dtype !== dtype) owned.push((tensor = to(value, dtype)));
  } else {
    // whole numbers wrap, as operands do
    const whole = Number.isSafeInteger(value) && /int/.test(dtype) ? BigInt(value as number) : value;
    const isWhole = typeof whole === 'bigint';
    const keepsDType = isWhole || isTypedArray(value);
    const given = asItIs(() =>
      fromData(place, whole as Nested<number>, {
        ...(isWhole ? { dtype: whole < 2n ** 63n ? 'int64' : 'uint64' } : keepsDType ? {} : { dtype }),
        ...placeOf(device),
      }),
    );
    tensor = onDevice(given, device, owned);
    if (keepsDType && known(tensor, op).dtype !== dtype) owned.push((tensor = to(tensor, dtype)));
  }
  const { shape } = known(tensor, op);
  const extra = shape.length - ndim;
  if (extra <= 0) return tensor;
  if (shape.slice(0, extra).some((size) => size !== 1))
    refuse('ERR_SHAPE', op, 'value', `of ${ndim} dims or fewer`, `shape ${print(shape)}`);
  owned.push((tensor = reshape(tensor, shape.slice(extra))));
  return tensor;
}

// Into a view.
function copyInto(view: Tensor, value: Tensor, owned: Tensor[]): void {
  try {
    view.copy_(value);
  } catch (error) {
    if (!(error instanceof StriaError) || error.code !== 'ERR_OVERLAP') throw error;
    const apart = wrap(check(fn.copy(handleOf('set', value), -1), 'set')); // it lies over the view
    owned.push(apart);
    view.copy_(apart);
  }
}

// The axes of a value of the result's shape as those of the tensors, then the others.
function inOrder(value: Tensor, { ndim, before, total }: Plan, op: string, owned: Tensor[]): Tensor {
  if (before === 0) return value;
  const { shape } = known(value, op);
  const whole = reshape(value, [...Array<number>(total - shape.length).fill(1), ...shape]);
  owned.push(whole);
  const order = Array.from({ length: total }, (_, k) => k);
  const result = permuted(whole, [
    ...order.slice(before, before + ndim),
    ...order.slice(0, before),
    ...order.slice(before + ndim),
  ]);
  owned.push(result);
  return result;
}

/** Writes a value, broadcast and converted, to the elements that the indices take. */
export function setAt(x: TensorBase, indices: readonly unknown[], value: unknown): void {
  const op = 'set';
  const owned: Tensor[] = [];
  let plan: Plan | undefined = undefined;
  try {
    plan = begin(x, op, indices, owned);
    const view = wrap(plan.handle);
    owned.push(view);
    const { shape } = known(view, op);
    const isView = plan.tensors.length === 0;
    const source = valueOf(op, value, view, isView ? shape.length : plan.total, owned);
    if (isView) {
      copyInto(view, source, owned);
    } else {
      const values = inOrder(source, plan, op, owned);
      const numbers = [plan.handle, handleOf(op, values), ...handles(plan, op), 0, plan.handle];
      check(runNumbers(functionNumbers.indexPut, numbers));
    }
  } catch (error) {
    throw plan === undefined ? error : renamed(error, op, plan);
  } finally {
    owned.reverse().forEach(end);
  }
}
