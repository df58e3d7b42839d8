// Batches of a data set, and progress that can be shown.
import { refuse } from './abi.js';
import { print, tensorArgument, whole } from './arguments.js';
import { isTensor } from './base.js';
import { isElsewhere } from './devices.js';
import { known } from './facts.js';
import type { Generator } from './generator.js';
import { isArray } from './intrinsics.js';
import { outside } from './memory.js';
import { indexSelect, randperm } from './ops.gen.js';
import { flagOf, namesOf, readOptions } from './options.js';
import type { Tensor } from './tensor.js';

/** Samples lie along the first axis: a tensor, or several of the same length, in an array or an object. */
export type Dataset = Tensor | readonly Tensor[] | Readonly<Record<string, Tensor>>;

/** Of batches. */
export interface BatchOptions {
  /** Samples of a batch. Default: 1. */
  size?: number;
  /** In another order each time. Default: false. */
  shuffle?: boolean;
  /** Where the order comes from. */
  generator?: Generator;
  /** Leave out a last batch that is smaller. Default: false. */
  dropLast?: boolean;
  /** End the tensors of a batch when the next one is asked for, or the walk ends: memory stays flat. Default: false. */
  dispose?: boolean;
}
const batchNames = namesOf<BatchOptions>({
  size: 'size',
  shuffle: 'shuffle',
  generator: 'generator',
  dropLast: 'dropLast',
  dispose: 'dispose',
});

/** Batches, each of the form of the data set; each walk over it begins anew. */
export interface Batches<T> extends Iterable<T> {
  /** How many batches there are. */
  readonly length: number;
}

// Tensors and their names, read once: what becomes of the array or object later is no matter.
function membersOf(dataset: Dataset): [string, Tensor][] {
  const op = 'batches';
  if (isTensor(dataset)) return [['', dataset]];
  if (typeof dataset !== 'object' || dataset === null)
    refuse('ERR_ARGUMENT', op, 'dataset', 'a tensor, or several in an array or object', print(dataset));
  const members = Object.entries(dataset as Record<string, Tensor>);
  members.forEach(([name, x]) => tensorArgument(op, labelOf(dataset, name), x));
  if (members.length === 0) refuse('ERR_ARGUMENT', op, 'dataset', 'a tensor or more', 'none');
  return members;
}

const labelOf = (dataset: Dataset, name: string): string =>
  isTensor(dataset) ? 'dataset' : isArray(dataset) ? `dataset[${name}]` : `dataset.${name}`;

// Samples of x, which may be on a device.
function taken(x: Tensor, places: Tensor): Tensor {
  const { device } = known(x, 'indexSelect', 'x');
  if (!isElsewhere(device)) return indexSelect(x, 0, places);
  const there = places.to(device);
  try {
    return indexSelect(x, 0, there);
  } finally {
    there.dispose();
  }
}

/** The data set in batches: views where the order is that of the data, else copies. */
export function batches<T extends Dataset>(dataset: T, options?: BatchOptions): Batches<T> {
  const op = 'batches';
  const given = readOptions(op, options, batchNames);
  const { size = 1, shuffle = false, generator, dropLast = false, dispose = false } = given;
  const members = membersOf(dataset);
  const [, first] = members[0]!;
  if (whole(op, 'size', size) < 1) refuse('ERR_ARGUMENT', op, 'size', 'a whole number above 0', print(size));
  const isShuffled = flagOf(op, 'shuffle', shuffle);
  const isPassing = flagOf(op, 'dispose', dispose);
  for (const [name, { shape }] of members) {
    const label = labelOf(dataset, name);
    if (shape.length === 0) refuse('ERR_SHAPE', op, label, 'an axis or more', '[]');
    if (shape[0] !== first.shape[0])
      refuse('ERR_SHAPE', op, label, `${first.shape[0]} samples`, `${shape[0]}`);
  }
  const n = first.shape[0]!;
  const length = flagOf(op, 'dropLast', dropLast) ? Math.floor(n / size) : Math.ceil(n / size);
  const batchOf = (pick: (x: Tensor) => Tensor): [string, Tensor][] =>
    members.map(([name, x]) => [name, pick(x)]);
  const [isOne, isList] = [isTensor(dataset), isArray(dataset)];
  return {
    length,
    *[Symbol.iterator](): Generator_<T> {
      // the walk's own, whatever scope asked for the first batch
      const order = isShuffled ? outside(() => randperm(n, { generator })) : undefined;
      try {
        for (let k = 0; k < length; k++) {
          const [from, to] = [k * size, Math.min(n, (k + 1) * size)];
          const places = order?.slice(0, from, to);
          const batch = batchOf((x) => (places ? taken(x, places) : x.slice(0, from, to)));
          places?.dispose();
          const list = batch.map(([, x]) => x);
          try {
            yield (isOne ? list[0] : isList ? list : Object.fromEntries(batch)) as unknown as T;
          } finally {
            if (isPassing) list.forEach((x) => x.dispose());
          }
        }
      } finally {
        order?.dispose();
      }
    },
  };
}
type Generator_<T> = globalThis.Generator<T, void, undefined>;

// ---------------------------------------------------------------- progress

/** How far a walk is. */
export interface Progress {
  /** Items that are done, and of how many, where that is known. */
  done: number;
  total: number | undefined;
  /** Seconds since it began, and until it ends as far as can be told. */
  seconds: number;
  remaining: number | undefined;
  /** Items a second. */
  rate: number;
}

/** Of progress. */
export interface ProgressOptions {
  /** How many items there are, where the list does not say so by `length`. */
  total?: number;
  /** Least seconds between two reports; the last item is always reported. Default: 0.1. */
  every?: number;
}
const progressNames = namesOf<ProgressOptions>({ total: 'total', every: 'every' });

/** The items of a list, one after another; `report` is called as they are done. */
export function* progress<T>(
  items: Iterable<T>,
  report: (progress: Progress) => void,
  options?: ProgressOptions,
): Generator_<T> {
  const op = 'progress';
  if (typeof report !== 'function') refuse('ERR_ARGUMENT', op, 'report', 'a function', print(report));
  const { total = (items as { length?: number }).length, every = 0.1 } = readOptions(
    op,
    options,
    progressNames,
  );
  const begin = performance.now();
  let last = begin;
  let done = 0;
  const tell = (now: number): void => {
    const seconds = (now - begin) / 1000;
    const rate = seconds > 0 ? done / seconds : 0;
    const remaining = total === undefined || rate === 0 ? undefined : Math.max(0, total - done) / rate;
    report({ done, total, seconds, remaining, rate });
    last = now;
  };
  let isTold = true;
  for (const item of items) {
    yield item;
    done++;
    const now = performance.now();
    isTold = now - last >= every * 1000;
    if (isTold) tell(now);
  }
  if (!isTold) tell(performance.now());
}
