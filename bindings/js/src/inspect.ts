// What the iterator makes of a call.
import { fn, KIND, pieces, refuse, setNumbers, setOperand } from './abi.js';
import { axes, operands, print, handleOf } from './arguments.js';
import {
  dtypes,
  opArities,
  opNumbers,
  reductionNumbers,
  type DType,
  type OpName,
  type ReductionName,
} from './tables.gen.js';
import { flagOf, inspectNames } from './options.js';
import { readDims } from './run.js';
import type { Tensor } from './tensor.js';
import type { Dims, Operand, ReduceOptions } from './types.js';

/** A decision: a word for it, a sentence, and the operand it rests on, if on one in particular. */
export interface Reason<Word extends string = string> {
  reason: Word;
  text: string;
  operand: string | null;
}

/** Of inspect, for a reduction. */
export type InspectOptions = Pick<ReduceOptions, 'dim' | 'axis' | 'keepdim' | 'keepdims'>;

export type Setup = 'general' | 'contiguous' | 'channels last' | 'dense';

export interface InspectedOperand {
  /** As in strideBytes: out, a, b, c; out and x of a reduction. */
  name: string;
  dtype: DType;
  origin: Reason<'given' | 'allocated' | 'resized' | 'converted' | 'copied'>;
  /** What an inner loop sees. */
  form: Reason<'contiguous' | 'value' | 'strided' | 'reversed'>;
  /** A number that counts in promotion by its kind only. */
  isNumber: boolean;
}

export interface InspectedAxis {
  /** Of the common shape. */
  axis: number;
  size: number;
  /** Of each operand, before merging; 0 where it repeats. */
  strideBytes: number[];
  /** Index into dims of what the axis became, or was merged into. */
  dim: number;
  /** Why it is walked before the next axis of the list. */
  order: Reason<'last' | 'stride' | 'size' | 'reduced' | 'row major' | 'linear' | 'alike' | 'sort'>;
  /** Whether it was merged with the axis before: first, multi index and stride begin a dim of their own. For stride, the
   * byte stride that would have fitted, and the one the operand has. */
  merge: Reason<'first' | 'fits' | 'size one' | 'alike' | 'stride' | 'multi index' | 'meta'> & {
    wanted: number;
    found: number;
  };
}

export interface Inspection {
  /** Shape that the operands broadcast to. */
  shape: number[];
  numel: number;
  /** dtype that they promote to, that of the loop, and that of the result. */
  commonDType: DType;
  computeDType: DType;
  resultDType: DType;
  /** Axis of the shape at each position of the iteration, fastest first; null if all operands lie alike and none was
   * reordered. */
  permutation: number[] | null;
  /** Which layout all operands share, if they do. */
  setup: Setup;
  /** What came of each short cut: taken, or the first reason against it. */
  paths: Record<Exclude<Setup, 'general'>, Reason>;
  /** The axes before merging, fastest first. */
  axes: InspectedAxis[];
  /** What is iterated over after merging neighbours, fastest first. */
  dims: { size: number; strideBytes: number[] }[];
  /** Names of the operands in strideBytes: the output, then the inputs. */
  operands: string[];
  /** More about each. */
  details: InspectedOperand[];
  /** One run without gaps. */
  isContiguous: boolean;
  /** Every offset fits 32 bits. */
  fits32Bit: boolean;
  /** How the positions are cut over threads: `chunks` runs of `chunkSize`, the last perhaps shorter; more than one from
   * `grain` elements on. null for a reduction, whose parts are fixed by its shape. */
  threads: { count: number; chunks: number; chunkSize: number; grain: number } | null;
}

// The JSON of the core: keys as in iter.h.
type Facts = Record<string, unknown>;

const longNames: ReadonlyMap<unknown, DType> = new Map(dtypes.map(({ word, name }) => [word, name]));
const words = (word: unknown): string => String(word).replaceAll('_', ' ');

function reasonOf(facts: Facts, key: string, names: readonly string[], at: unknown = -1): Reason<never> {
  const reason = words(facts[key]) as never;
  return { reason, text: String(facts[`${key}_text`]), operand: names[at as number] ?? null };
}

function axisOf(facts: Facts, names: readonly string[]): InspectedAxis {
  return {
    axis: facts.axis as number,
    size: facts.size as number,
    strideBytes: facts.strides as number[],
    dim: facts.dim as number,
    order: reasonOf(facts, 'order', names, facts.order_operand),
    merge: {
      ...reasonOf(facts, 'merge', names, facts.merge_operand),
      wanted: facts.merge_wanted as number,
      found: facts.merge_found as number,
    },
  };
}

function operandOf(facts: Facts, name: string): InspectedOperand {
  return {
    name,
    dtype: longNames.get(facts.dtype)!,
    origin: reasonOf(facts, 'origin', []),
    form: reasonOf(facts, 'form', []),
    isNumber: facts.is_wrapped_number as boolean,
  };
}

function threadsOf(facts: Facts): Inspection['threads'] {
  return {
    count: facts.n_threads as number,
    chunks: facts.n_chunks as number,
    chunkSize: facts.chunk_size as number,
    grain: facts.grain as number,
  };
}

function inspectionOf(text: string, names: readonly string[]): Inspection {
  const outer = JSON.parse(text) as Facts;
  const facts = outer.iteration as Facts;
  const dtype = (key: string): DType => longNames.get(outer[key])!;
  const paths = facts.paths as Record<string, Facts>;
  const path = (key: string): Reason => reasonOf(paths[key]!, 'verdict', names, paths[key]!.operand);
  const axes = (facts.axes as Facts[]).map((axis) => axisOf(axis, names));
  const setup = words(facts.setup) as Setup;
  return {
    shape: facts.shape as number[],
    numel: facts.numel as number,
    commonDType: dtype('common_dtype'),
    computeDType: dtype('compute_dtype'),
    resultDType: dtype('result_dtype'),
    permutation: setup === 'general' ? axes.map(({ axis }) => axis) : null,
    setup,
    paths: { contiguous: path('contiguous'), 'channels last': path('channels_last'), dense: path('dense') },
    axes,
    dims: (facts.dims as Facts[]).map(({ size, strides }) => ({
      size: size as number,
      strideBytes: strides as number[],
    })),
    operands: [...names],
    details: (facts.operands as Facts[]).map((one, k) => operandOf(one, names[k]!)),
    isContiguous: facts.is_contiguous as boolean,
    fits32Bit: facts.fits_32bit as boolean,
    threads: facts.is_reduction ? null : threadsOf(facts.threads as Facts),
  };
}

function inspectOp(op: OpName, given: readonly Operand[]): Inspection {
  const number = opNumbers[op];
  if (given.length !== opArities[number])
    refuse('ERR_ARGUMENT', op, 'operands', `${opArities[number]}`, `${given.length}`);
  operands(op, ['a', 'b', 'c'], given);
  const text = pieces((offset) => fn.inspect(number, given.length, offset));
  return inspectionOf(text, ['out', 'a', 'b', 'c'].slice(0, 1 + given.length));
}

function inspectReduction(op: ReductionName, rest: readonly unknown[]): Inspection {
  const [x, dim, options] = rest as [Tensor, Dims | null | undefined, InspectOptions | undefined];
  if (rest.length > 3) refuse('ERR_ARGUMENT', op, 'operands', 'a tensor, dims and options', `${rest.length}`);
  const handle = handleOf(op, x, 'x');
  const read: InspectOptions = readDims<InspectOptions>(op, dim, options, inspectNames);
  const list = read.dim === undefined || read.dim === null ? [] : axes(op, [read.dim]);
  const keepdim = flagOf(op, 'keepdim', read.keepdim) ? 1 : 0;
  setOperand(0, KIND.handle, handle);
  const text = pieces((offset) => {
    setNumbers(list);
    return fn.inspect_reduction(reductionNumbers[op], list.length || -1, keepdim, offset);
  });
  return inspectionOf(text, ['out', 'x']);
}

/** Tells how an element-wise op, or a reduction, would run on these operands, and why; nothing is computed. */
export function inspect(op: OpName, ...operands: Operand[]): Inspection;
export function inspect(
  op: ReductionName,
  x: Tensor,
  dim?: Dims | null | InspectOptions,
  options?: InspectOptions,
): Inspection;
export function inspect(op: OpName | ReductionName, ...rest: unknown[]): Inspection {
  if (typeof op !== 'string')
    refuse('ERR_ARGUMENT', 'inspect', 'op', 'the name of an element-wise op or a reduction', print(op));
  if (Object.hasOwn(reductionNumbers, op)) return inspectReduction(op as ReductionName, rest);
  if (!Object.hasOwn(opNumbers, op))
    refuse('ERR_ARGUMENT', 'inspect', 'op', 'the name of an element-wise op or a reduction', print(op));
  return inspectOp(op as OpName, rest as Operand[]);
}
