// What the iterator makes of a call.
import { backend, check, fn, refuse } from './abi.js';
import { operand, print } from './arguments.js';
import { opArities, opNumbers, type OpName } from './ops.gen.js';
import { dtypes, type DType } from './tables.gen.js';
import type { Operand } from './types.js';

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
  setup: 'general' | 'contiguous' | 'channels last' | 'dense';
  /** What is iterated over after merging neighbours, fastest first. */
  dims: { size: number; strideBytes: number[] }[];
  /** Names of the operands in strideBytes: the output, then the inputs. */
  operands: string[];
  /** One run without gaps. */
  isContiguous: boolean;
}

const setups = ['general', 'contiguous', 'channels last', 'dense'] as const;

/** Tells how an element-wise op would run on these operands; nothing is computed. */
export function inspect(op: OpName, ...operands: Operand[]): Inspection {
  const number = opNumbers[op];
  if (number === undefined)
    refuse('ERR_ARGUMENT', 'inspect', 'op', 'the name of an element-wise op', print(op));
  if (operands.length !== opArities[number])
    refuse('ERR_ARGUMENT', op, 'operands', `${opArities[number]}`, `${operands.length}`);
  operands.forEach((value, k) => operand(k, op, 'abc'[k]!, value));
  check(fn.inspect(number, operands.length));
  const n = backend.numbers();
  const [ndim, commonNdim, common, compute, result, setup, contiguous, count, numel] =
    n as unknown as number[];
  let next = 16;
  const take = (length: number): number[] => Array.from(n.subarray(next, (next += length)));
  const shape = take(commonNdim!);
  const permutation = take(commonNdim!);
  const extents = take(ndim!);
  return {
    shape,
    numel: numel!,
    commonDType: dtypes[common!]!.name,
    computeDType: dtypes[compute!]!.name,
    resultDType: dtypes[result!]!.name,
    permutation: permutation.includes(-1) ? null : permutation,
    setup: setups[setup!]!,
    dims: extents.map((size) => ({ size, strideBytes: take(count!) })),
    operands: ['out', 'a', 'b', 'c'].slice(0, count),
    isContiguous: contiguous !== 0,
  };
}
