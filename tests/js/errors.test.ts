// Bad input: a clear error, the library usable afterwards, nothing leaked.
import test from 'node:test';
import assert from 'node:assert/strict';
import * as stria from 'stria';
import { memory, scope, tensor, type Tensor } from 'stria';
import { checkLeaksAtEnd, load } from './support.js';

assert.throws(() => tensor([1]), {
  name: 'StriaError',
  code: 'ERR_CONFIG',
  op: 'init',
  message: 'stria is not ready: await init() first',
});
await assert.rejects(() => stria.init({ backend: 'gpu' as 'wasm' }), {
  code: 'ERR_ARGUMENT',
  op: 'init',
  argument: 'backend',
  message: `init: backend must be 'auto', 'native' or 'wasm', got "gpu"`,
});
for (const threads of [0.5, 0, -1, 257])
  await assert.rejects(() => stria.init({ threads }), {
    code: 'ERR_ARGUMENT',
    op: 'init',
    argument: 'threads',
    message: `init: threads must be a whole number from 1 to 256, got ${threads}`,
  });
await load();
checkLeaksAtEnd();

const any = (value: unknown): never => value as never;

/** What the calls take: made before, so that only the call itself can fail. */
const makeInputs = () => {
  const line = stria.arange(4);
  const x = tensor([
    [1, 2, 3],
    [4, 5, 6],
  ]);
  return {
    x,
    one: tensor([1]),
    pair: tensor([1, 2]),
    long: tensor([2n]),
    flag: tensor([true]),
    whole: stria.zeros([2, 3], { dtype: 'int32' }),
    empty: stria.zeros([0, 3]),
    widest: stria.zeros(Array<number>(64).fill(1)),
    spread: tensor([1]).expand(3),
    head: line.slice(0, 0, 3),
    tail: line.slice(0, 1),
    cut: stria.toNpy(x).subarray(0, 140),
  };
};

interface Refusal {
  name: string;
  error: string;
  code: string;
  op: string;
  argument: string;
  /** All of it behind the op's name. */
  message: string | RegExp;
  run: (given: ReturnType<typeof makeInputs>) => unknown;
}

const deep = Array.from({ length: 70 }).reduce<unknown>((inner) => [inner], 1);

const refusals: Refusal[] = [
  {
    name: 'shapes',
    error: 'ShapeError',
    code: 'ERR_SHAPE',
    op: 'add',
    argument: 'b',
    message: 'shapes [2,3] and [2] do not broadcast at axis 1',
    run: ({ x, pair }) => x.add(pair),
  },
  {
    name: 'ragged at depth 1',
    error: 'ShapeError',
    code: 'ERR_SHAPE',
    op: 'tensor',
    argument: 'data[1]',
    message: 'data[1] must be of length 2, got length 1',
    run: () => tensor([[1, 2], [3]]),
  },
  {
    name: 'ragged: number for array',
    error: 'ShapeError',
    code: 'ERR_SHAPE',
    op: 'tensor',
    argument: 'data[1]',
    message: 'data[1] must be an array of 1, got 2',
    run: () => tensor(any([[1], 2])),
  },
  {
    name: 'ragged: array for number',
    error: 'ShapeError',
    code: 'ERR_SHAPE',
    op: 'tensor',
    argument: 'data[1]',
    message: 'data[1] must be a number, as the first element is, got an array',
    run: () => tensor(any([1, [2]])),
  },
  {
    name: 'no number',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'tensor',
    argument: 'data[0][1]',
    message: 'data[0][1] must be a number, got "a"',
    run: () => tensor(any([[1, 'a']])),
  },
  {
    name: 'undefined',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'tensor',
    argument: 'data',
    message: 'data must be a number, got undefined',
    run: () => tensor(any(undefined)),
  },
  {
    name: 'null inside',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'tensor',
    argument: 'data[0]',
    message: 'data[0] must be a number, got null',
    run: () => tensor(any([null])),
  },
  {
    name: 'a tensor inside',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'tensor',
    argument: 'data[0]',
    message: 'data[0] must be a number, not a tensor, got a tensor',
    run: ({ x }) => tensor(any([x])),
  },
  {
    name: 'a tensor',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'tensor',
    argument: 'data',
    message: 'data must be numbers or arrays (clone() copies a tensor), got a tensor',
    run: ({ x }) => tensor(any(x)),
  },
  {
    name: 'a DataView',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'tensor',
    argument: 'data',
    message: 'data must be a number, got an object (DataView)',
    run: () => tensor(any(new DataView(new ArrayBuffer(8)))),
  },
  {
    name: 'too deep',
    error: 'ShapeError',
    code: 'ERR_SHAPE',
    op: 'tensor',
    argument: 'data',
    message: 'data must be nested at most 64 deep, got more',
    run: () => tensor(any(deep)),
  },
  {
    name: 'a bigint too large',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'tensor',
    argument: 'data[0]',
    message: 'data[0] must be within 64 bits, signed, got 9223372036854775808n',
    run: () => tensor([2n ** 63n]),
  },
  {
    name: 'a negative uint64',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'tensor',
    argument: 'data[0]',
    message: 'data[0] must be within 64 bits, unsigned, got -1n',
    run: () => tensor([-1n], { dtype: 'uint64' }),
  },
  {
    name: 'an unknown dtype',
    error: 'DTypeError',
    code: 'ERR_DTYPE',
    op: 'tensor',
    argument: 'dtype',
    message: /^dtype must be one of .*float32.*, got "float31"$/,
    run: () => tensor([1], { dtype: any('float31') }),
  },
  {
    name: 'a dtype of the prototype',
    error: 'DTypeError',
    code: 'ERR_DTYPE',
    op: 'zeros',
    argument: 'dtype',
    message: /^dtype must be one of .*float32.*, got "toString"$/,
    run: () => stria.zeros([1], { dtype: any('toString') }),
  },
  {
    name: 'shape of another size',
    error: 'ShapeError',
    code: 'ERR_SHAPE',
    op: 'tensor',
    argument: 'shape',
    message: 'shape must be of 5 elements, got [2,3]',
    run: () => tensor(new Uint8Array(5), { shape: [2, 3] }),
  },
  {
    name: 'a NaN size',
    error: 'ShapeError',
    code: 'ERR_SHAPE',
    op: 'zeros',
    argument: 'shape[0]',
    message: 'shape[0] must be a whole number >= 0, got NaN',
    run: () => stria.zeros([NaN]),
  },
  {
    name: 'a fractional size',
    error: 'ShapeError',
    code: 'ERR_SHAPE',
    op: 'zeros',
    argument: 'shape[1]',
    message: 'shape[1] must be a whole number >= 0, got 1.5',
    run: () => stria.zeros([2, 1.5]),
  },
  {
    name: 'a negative size',
    error: 'ShapeError',
    code: 'ERR_SHAPE',
    op: 'zeros',
    argument: 'shape[0]',
    message: 'shape[0] must be a whole number >= 0, got -1',
    run: () => stria.zeros([-1]),
  },
  {
    name: 'an infinite size',
    error: 'ShapeError',
    code: 'ERR_SHAPE',
    op: 'zeros',
    argument: 'shape[0]',
    message: 'shape[0] must be a whole number >= 0, got Infinity',
    run: () => stria.zeros([Infinity]),
  },
  {
    name: 'a text for a size',
    error: 'ShapeError',
    code: 'ERR_SHAPE',
    op: 'zeros',
    argument: 'shape[0]',
    message: 'shape[0] must be a whole number >= 0, got "3"',
    run: () => stria.zeros(any(['3'])),
  },
  {
    name: 'a product beyond 2^53',
    error: 'ShapeError',
    code: 'ERR_OVERFLOW',
    op: 'zeros',
    argument: 'shape',
    message: 'shape must be fewer than 2^53 elements, got [1073741824,1073741824]',
    run: () => stria.zeros([2 ** 30, 2 ** 30]),
  },
  {
    name: 'a product beyond 2^63',
    error: 'ShapeError',
    code: 'ERR_OVERFLOW',
    op: 'zeros',
    argument: 'shape',
    message: 'shape must be fewer than 2^53 elements, got [1099511627776,1099511627776]',
    run: () => stria.zeros([2 ** 40, 2 ** 40]),
  },
  {
    name: 'a size beyond 2^53',
    error: 'ShapeError',
    code: 'ERR_OVERFLOW',
    op: 'empty',
    argument: 'shape',
    message: 'shape must be fewer than 2^53 elements, got [1152921504606847000]',
    run: () => stria.empty([2 ** 60]),
  },
  {
    name: 'an empty product with large sizes',
    error: 'ShapeError',
    code: 'ERR_OVERFLOW',
    op: 'empty',
    argument: 'shape',
    message: 'shape must be fewer than 2^53 elements, got [0,1152921504606847000]',
    run: () => stria.empty([0, 2 ** 60]),
  },
  {
    name: 'expand beyond 2^63',
    error: 'ShapeError',
    code: 'ERR_OVERFLOW',
    op: 'expand',
    argument: 'shape',
    message: 'shape must be fewer than 2^53 elements, got [4294967296,4294967296]',
    run: ({ one }) => one.expand(2 ** 32, 2 ** 32),
  },
  {
    name: '65 dims',
    error: 'ShapeError',
    code: 'ERR_SHAPE',
    op: 'zeros',
    argument: 'shape',
    message: 'shape must be at most 64 dims, got more',
    run: () => stria.zeros(Array<number>(65).fill(1)),
  },
  {
    name: '65 dims by unsqueeze',
    error: 'ShapeError',
    code: 'ERR_SHAPE',
    op: 'unsqueeze',
    argument: 'x',
    message: 'the tensor already has 64 dims',
    run: ({ widest }) => widest.unsqueeze(0),
  },
  {
    name: 'an axis out of range',
    error: 'ShapeError',
    code: 'ERR_AXIS',
    op: 'sum',
    argument: 'axes',
    message: 'axis 2 is out of range for 2 dims',
    run: ({ x }) => x.sum(2),
  },
  {
    name: 'an axis given twice',
    error: 'ShapeError',
    code: 'ERR_AXIS',
    op: 'sum',
    argument: 'axes',
    message: 'axis -2 is given twice',
    run: ({ x }) => x.sum([0, -2]),
  },
  {
    name: 'the largest of nothing',
    error: 'ShapeError',
    code: 'ERR_EMPTY',
    op: 'amax',
    argument: 'x',
    message: 'axis 0 has size 0, and there is no amax of nothing',
    run: ({ empty }) => empty.amax(),
  },
  {
    name: 'the smallest along an empty axis',
    error: 'ShapeError',
    code: 'ERR_EMPTY',
    op: 'amin',
    argument: 'x',
    message: 'axis 0 has size 0, and there is no amin of nothing',
    run: ({ empty }) => empty.amin(0),
  },
  {
    name: 'a fractional axis',
    error: 'ShapeError',
    code: 'ERR_AXIS',
    op: 'sum',
    argument: 'axes[0]',
    message: 'axes[0] must be a whole number, got 0.5',
    run: ({ x }) => x.sum(0.5),
  },
  {
    name: 'an axis as text',
    error: 'ShapeError',
    code: 'ERR_AXIS',
    op: 'sum',
    argument: 'dim',
    message: 'dim must be a number or a list of numbers, got "0"',
    run: ({ x }) => x.sum(any('0')),
  },
  {
    name: 'permute with too few axes',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'permute',
    argument: 'dims',
    message: '1 axes given for a tensor of 2 dims',
    run: ({ x }) => x.permute(0),
  },
  {
    name: 'select out of range',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'select',
    argument: 'index',
    message: 'index 2 is outside axis 0 of size 2',
    run: ({ x }) => x.select(0, 2),
  },
  {
    name: 'slice with step 0',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'slice',
    argument: 'step',
    message: 'step is 0',
    run: ({ x }) => x.slice(0, 0, 1, 0),
  },
  {
    name: 'slice with a fraction',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'slice',
    argument: 'start',
    message: 'start must be a whole number, got 0.5',
    run: ({ x }) => x.slice(0, 0.5),
  },
  {
    name: 'narrow out of range',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'narrow',
    argument: 'length',
    message: 'length 2 is not in 0 .. 1, what is left of axis 0',
    run: ({ x }) => x.narrow(0, 1, 2),
  },
  {
    name: 'at with nonsense',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'at',
    argument: 'indices[0]',
    message:
      "indices[0] must be a whole number, null, a text like '1:-1' or '...', { start, stop, step }, or a tensor or array of whole numbers or booleans, got \"a:b\"",
    run: ({ x }) => x.at('a:b'),
  },
  {
    name: 'at with too many',
    error: 'ShapeError',
    code: 'ERR_AXIS',
    op: 'at',
    argument: 'indices',
    message: 'indices must be at most 2, got 3',
    run: ({ x }) => x.at(0, 0, 0),
  },
  {
    name: 'view of another size',
    error: 'ShapeError',
    code: 'ERR_SHAPE',
    op: 'view',
    argument: 'shape',
    message: 'shape [4] has another count than the elements of shape [2,3]',
    run: ({ x }) => x.view(4),
  },
  {
    name: 'two sizes of -1',
    error: 'ShapeError',
    code: 'ERR_SHAPE',
    op: 'view',
    argument: 'shape',
    message: 'shape [-1,-1] leaves two sizes open for the elements of shape [2,3]',
    run: ({ x }) => x.view(-1, -1),
  },
  {
    name: 'item of several',
    error: 'ShapeError',
    code: 'ERR_SHAPE',
    op: 'item',
    argument: 'x',
    message: 'x must be a tensor of one element, got shape [2,3]',
    run: ({ x }) => x.item(),
  },
  {
    name: 'an operand that is none',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'add',
    argument: 'b',
    message: 'b must be a tensor, number, bigint or boolean, got an object (Object)',
    run: ({ x }) => x.add(any({})),
  },
  {
    name: 'no operand',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'add',
    argument: 'b',
    message: 'b must be a tensor, number, bigint or boolean, got undefined',
    run: ({ x }) => x.add(any(undefined)),
  },
  {
    name: 'an array as operand',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'add',
    argument: 'b',
    message: 'b must be a tensor, number, bigint or boolean, got [1,2,3]',
    run: ({ x }) => x.add(any([1, 2, 3])),
  },
  {
    name: 'a bigint operand too large',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'add',
    argument: 'b',
    message: 'b must be within 64 bits, signed or unsigned, got 18446744073709551616n',
    run: ({ x }) => x.add(2n ** 64n),
  },
  {
    name: 'out that is none',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'add',
    argument: 'out',
    message: 'out must be a tensor, got 3',
    run: ({ x }) => stria.add(x, x, { out: any(3) }),
  },
  {
    name: 'out of a lesser dtype',
    error: 'DTypeError',
    code: 'ERR_DTYPE',
    op: 'add',
    argument: 'out',
    message: 'a result of float32 does not cast to an out of int32',
    run: ({ x, whole }) => stria.add(x, 1, { out: any(whole) }),
  },
  {
    name: 'in place into a lesser dtype',
    error: 'DTypeError',
    code: 'ERR_DTYPE',
    op: 'add',
    argument: 'out',
    message: 'a result of float32 does not cast to an out of int64',
    run: ({ long }) => long.add_(0.5),
  },
  {
    name: 'in place with a larger shape',
    error: 'ShapeError',
    code: 'ERR_SHAPE',
    op: 'add',
    argument: 'out',
    message: 'in-place: a result of shape [2,3] does not fit a tensor of shape [1]',
    run: ({ x, one }) => one.add_(x),
  },
  {
    name: 'in place on a broadcast view',
    error: 'OverlapError',
    code: 'ERR_OVERLAP',
    op: 'add',
    argument: 'out',
    message: 'the output, of shape [3] and strides [0], has several elements at one address; copy it first',
    run: ({ spread }) => spread.add_(1),
  },
  {
    name: 'overlap',
    error: 'OverlapError',
    code: 'ERR_OVERLAP',
    op: 'add',
    argument: 'out',
    message:
      'the output of shape [3] and input 0 of shape [3] share part of their memory; copy the input first',
    run: ({ head, tail }) => stria.add(head, 1, { out: tail }),
  },
  {
    name: 'an op without the dtype',
    error: 'DTypeError',
    code: 'ERR_DTYPE',
    op: 'neg',
    argument: 'a',
    message: 'bool is not supported; use logical_not',
    run: ({ flag }) => flag.neg(),
  },
  {
    name: 'subtraction of bools',
    error: 'DTypeError',
    code: 'ERR_DTYPE',
    op: 'sub',
    argument: 'a',
    message: 'bool is not supported; use bitwise_xor',
    run: ({ flag }) => flag.sub(flag),
  },
  {
    name: 'integers to a negative integer power',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'pow',
    argument: 'b',
    message: 'integers to a negative integer power; convert to a float first',
    run: ({ long }) => long.pow(-1),
  },
  {
    name: 'a shift of floats',
    error: 'DTypeError',
    code: 'ERR_DTYPE',
    op: 'bitwiseLeftShift',
    argument: 'a',
    message: 'float32 is not supported',
    run: ({ x }) => x.bitwiseLeftShift(1),
  },
  {
    name: 'a shift by a float',
    error: 'DTypeError',
    code: 'ERR_DTYPE',
    op: 'bitwiseRightShift',
    argument: 'b',
    message: 'float32 is not supported',
    run: ({ long }) => long.bitwiseRightShift(0.5),
  },
  {
    name: 'a shift of bool',
    error: 'DTypeError',
    code: 'ERR_DTYPE',
    op: 'bitwiseLeftShift',
    argument: 'a',
    message: 'bool is not supported',
    run: ({ flag }) => flag.bitwiseLeftShift(flag),
  },
  {
    name: 'a remainder of bool',
    error: 'DTypeError',
    code: 'ERR_DTYPE',
    op: 'remainder',
    argument: 'a',
    message: 'bool is not supported',
    run: ({ flag }) => flag.remainder(true),
  },
  {
    name: 'a quotient of bool',
    error: 'DTypeError',
    code: 'ERR_DTYPE',
    op: 'floorDivide',
    argument: 'a',
    message: 'bool is not supported',
    run: ({ flag }) => flag.floorDivide(true),
  },
  {
    name: 'a quotient of floats into integers',
    error: 'DTypeError',
    code: 'ERR_DTYPE',
    op: 'truncDivide',
    argument: 'out',
    message: 'a result of float32 does not cast to an out of int32',
    run: ({ whole }) => whole.truncDivide_(0.5),
  },
  {
    name: 'bits of floats',
    error: 'DTypeError',
    code: 'ERR_DTYPE',
    op: 'bitwiseNot',
    argument: 'a',
    message: 'float32 is not supported',
    run: ({ x }) => x.bitwiseNot(),
  },
  {
    name: 'reduction of a number',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'sum',
    argument: 'x',
    message: 'x must be a tensor, got 3',
    run: () => stria.sum(any(3)),
  },
  {
    name: 'mean of integers',
    error: 'DTypeError',
    code: 'ERR_DTYPE',
    op: 'mean',
    argument: 'x',
    message: 'int64 is not supported; give a float dtype',
    run: ({ long }) => long.mean(),
  },
  {
    name: 'npy: nothing',
    error: 'FormatError',
    code: 'ERR_FORMAT',
    op: 'fromNpy',
    argument: 'bytes',
    message: 'this is not a .npy file',
    run: () => stria.fromNpy(new Uint8Array(0)),
  },
  {
    name: 'npy: garbage',
    error: 'FormatError',
    code: 'ERR_FORMAT',
    op: 'fromNpy',
    argument: 'bytes',
    message: 'this is not a .npy file',
    run: () => stria.fromNpy(new Uint8Array(200).fill(65)),
  },
  {
    name: 'npy: cut',
    error: 'FormatError',
    code: 'ERR_FORMAT',
    op: 'fromNpy',
    argument: 'bytes',
    message: 'cut off: the header promises 24 bytes of elements, 12 are here',
    run: ({ cut }) => stria.fromNpy(cut),
  },
  {
    name: 'npy: no bytes',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'fromNpy',
    argument: 'bytes',
    message: 'bytes must be a typed array, DataView or ArrayBuffer, got "text"',
    run: () => stria.fromNpy(any('text')),
  },
  {
    name: 'fromBytes: a rest',
    error: 'ShapeError',
    code: 'ERR_SHAPE',
    op: 'fromBytes',
    argument: 'shape',
    message: 'shape must be of 5 / 4 elements, got []',
    run: () => stria.fromBytes(new Uint8Array(5), { dtype: 'float32' }),
  },
  {
    name: 'arange with NaN',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'arange',
    argument: 'end',
    message: 'end is nan, but must be finite',
    run: () => stria.arange(NaN),
  },
  {
    name: 'arange without progress',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'arange',
    argument: 'step',
    message: 'step is 0',
    run: () => stria.arange(0, 1, 0),
  },
  {
    name: 'arange with a step that is cut to 0',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'arange',
    argument: 'step',
    message: 'step is 0.5, which is cut to 0 for int32',
    run: () => stria.arange(0, 2.9, 0.5, { dtype: 'int32' }),
  },
  {
    name: 'arange of bigints for float32',
    error: 'DTypeError',
    code: 'ERR_DTYPE',
    op: 'arange',
    argument: 'dtype',
    message: 'dtype must be int64 or uint64 for bigints, got float32',
    run: () => stria.arange(any(3n)),
  },
  {
    name: 'arange of bigints beyond int64',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'arange',
    argument: 'end',
    message: 'end is 9223372036854775809, but the elements must be within int64',
    run: () => stria.arange(2n ** 63n - 1n, 2n ** 63n + 1n, { dtype: 'int64' }),
  },
  {
    name: 'arange of bigints away from the end',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'arange',
    argument: 'step',
    message: 'step -1 does not lead from 0 to 5',
    run: () => stria.arange(0, 5n, -1, { dtype: 'int64' }),
  },
  {
    name: 'full beyond int64',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'full',
    argument: 'value',
    message: 'value must be within 64 bits, signed, got 9223372036854775808n',
    run: () => stria.full([1], 2n ** 63n),
  },
  {
    name: 'linspace with a fraction of a step',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'linspace',
    argument: 'steps',
    message: 'steps must be a whole number, got 2.5',
    run: () => stria.linspace(0, 1, 2.5),
  },
  {
    name: 'threads',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'setThreads',
    argument: 'nThreads',
    message: '0 threads, but 1 to 256 are possible',
    run: () => stria.setThreads(0),
  },
  {
    name: 'gelu',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'gelu',
    argument: 'approximate',
    message: "approximate must be 'none' or 'tanh', got \"sigmoid\"",
    run: ({ x }) => stria.gelu(x, { approximate: any('sigmoid') }),
  },
  {
    name: 'strides of another length',
    error: 'ShapeError',
    code: 'ERR_SHAPE',
    op: 'emptyStrided',
    argument: 'stride',
    message: 'stride must be 2 numbers, one for each size, got 1',
    run: () => stria.emptyStrided([2, 2], [1]),
  },
  {
    name: 'negative strides',
    error: 'ArgumentError',
    code: 'ERR_ARGUMENT',
    op: 'emptyStrided',
    argument: 'stride',
    message: 'stride [-1] has a negative one at axis 0',
    run: () => stria.emptyStrided([2], [-1]),
  },
];

for (const { name, error, code, op, argument, message, run } of refusals) {
  test(`refused: ${name}`, () => {
    const before = memory().liveTensors;
    let caught: unknown;
    scope(() => {
      const given = makeInputs();
      const made = memory().liveTensors;
      try {
        run(given);
      } catch (thrown) {
        caught = thrown;
      }
      assert.equal(memory().liveTensors, made, 'a refused call made a tensor');
    });
    assert.ok(caught instanceof stria.StriaError, `no StriaError but ${String(caught)}`);
    assert.deepEqual([caught.name, caught.code, caught.op, caught.argument], [error, code, op, argument]);
    assert.ok(caught.message.startsWith(`${op}: `), caught.message);
    const told = caught.message.slice(op.length + 2);
    if (typeof message === 'string') assert.equal(told, message);
    else assert.match(told, message);
    assert.ok(caught.stack?.includes('errors.test'));
    assert.equal(memory().liveTensors, before);
    scope(() => assert.deepEqual(tensor([1]).add(1).toArray(), [2]));
  });
}

test('an error tells the operation, the argument, what was expected and what came', () => {
  scope(() => {
    try {
      stria.add(tensor([[1, 2]]), tensor([1, 2, 3]));
      assert.fail('no error');
    } catch (error) {
      assert.ok(error instanceof stria.ShapeError);
      assert.equal(error.op, 'add');
      assert.match(error.message, /add: .*\[1,2\].*\[3\]/);
      assert.deepEqual([error.expected, error.got], ['[1,2]', '[3]']);
    }
  });
});

test('a limit on memory: MemoryError, and it works again afterwards', () => {
  const before = memory();
  stria.setMemoryLimit(before.liveBytes + (4 << 20));
  try {
    scope(() => {
      assert.throws(() => stria.zeros([4 << 20]), { name: 'MemoryError', code: 'ERR_MEMORY' });
      const y = stria.zeros([1 << 18]);
      assert.throws(() => {
        const kept: Tensor[] = [];
        for (let k = 0; k < 10; k++) kept.push(y.add(1));
      }, stria.MemoryError);
    });
    scope(() =>
      assert.equal(
        stria
          .ones([1 << 18])
          .sum()
          .item(),
        1 << 18,
      ),
    );
  } finally {
    stria.setMemoryLimit(0);
  }
  assert.equal(memory().liveTensors, before.liveTensors);
});

test('sizes that no machine has are refused without trying', () => {
  assert.throws(
    () => stria.empty([2 ** 52]),
    (error: stria.StriaError) => ['ERR_MEMORY', 'ERR_OVERFLOW'].includes(error.code),
  );
});

test('tensors cannot be made from outside', () => {
  const message =
    'Tensor: new must be left to tensor(), zeros(), full(), arange(), fromBytes() and the like, got a call';
  for (const given of [[], [1], [[1, 2]], [2 ** 33]])
    assert.throws(() => Reflect.construct(stria.Tensor, given) as unknown, {
      name: 'ArgumentError',
      code: 'ERR_ARGUMENT',
      op: 'Tensor',
      argument: 'new',
      message,
    });
});

test('init again gives the same, and refuses another backend', async () => {
  const first = stria.info();
  assert.deepEqual(await stria.init(), first);
  const other = first.backend === 'native' ? 'wasm' : 'native';
  await assert.rejects(() => stria.init({ backend: other }), { code: 'ERR_CONFIG' });
  assert.ok(first.reason.length > 0 && first.threads >= 1 && first.isa.length > 0);
});
