// Errors name the operation and the argument as their caller wrote them, whatever carries the operation out.
import test from 'node:test';
import assert from 'node:assert/strict';
import * as stria from 'stria';
import { fromBytes, scope, tensor, type StriaError, type Tensor } from 'stria';
import { checkLeaksAtEnd, load } from './support.js';

await load();
checkLeaksAtEnd();

const any = (value: unknown): never => value as never;

const makeInputs = () => {
  const gone = tensor([1]);
  gone.dispose();
  return {
    gone,
    x: tensor([1, 2, 3]),
    pair: tensor([1, 2]),
    whole: tensor([1, 2, 3], { dtype: 'int32' }),
    flag: tensor([true, false, true]),
    complex: tensor([1, 2, 3], { dtype: 'complex64' }) as unknown as Tensor,
  };
};

type Case = [
  run: (given: ReturnType<typeof makeInputs>) => unknown,
  code: string,
  op: string,
  argument: string,
  message: string | RegExp,
];

const cases: Record<string, Case> = {
  'copy_ of no number': [
    ({ x }) => x.copy_(any(['a', 'b', 'c'])),
    'ERR_ARGUMENT',
    'copy_',
    'source[0]',
    'source[0] must be a number, got "a"',
  ],
  'copy_ of ragged arrays': [
    ({ x }) => x.copy_(any([[1], [2, 3]])),
    'ERR_SHAPE',
    'copy_',
    'source[1]',
    'source[1] must be of length 1, got length 2',
  ],
  'copy_ of an object': [
    ({ x }) => x.copy_(any({})),
    'ERR_ARGUMENT',
    'copy_',
    'source',
    'source must be a number, got an object (Object)',
  ],
  'copy_ of a detached array': [
    ({ x }) => {
      const array = new Float32Array(3);
      structuredClone(array.buffer, { transfer: [array.buffer] });
      return x.copy_(array);
    },
    'ERR_ARGUMENT',
    'copy_',
    'source',
    'source must be an array with memory, got one whose buffer is detached or too small',
  ],
  'fromBytes of a detached array': [
    () => {
      const bytes = new Uint8Array(4);
      structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
      return fromBytes(bytes, { dtype: 'uint8' });
    },
    'ERR_ARGUMENT',
    'fromBytes',
    'bytes',
    'bytes must be bytes in memory, got a buffer that is detached or too small',
  ],
  'fromBytes of a detached view': [
    () => {
      const bytes = new DataView(new ArrayBuffer(4));
      structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
      return fromBytes(bytes, { dtype: 'uint8' });
    },
    'ERR_ARGUMENT',
    'fromBytes',
    'bytes',
    'bytes must be bytes in memory, got a buffer that is detached or too small',
  ],
  'copy_ of another shape': [
    ({ x }) => x.copy_([1, 2]),
    'ERR_SHAPE',
    'copy_',
    'source',
    'shapes [3] and [2] do not broadcast at axis 0',
  ],
  'copy_ of a disposed tensor': [
    ({ x, gone }) => x.copy_(gone),
    'ERR_DISPOSED',
    'copy_',
    'source',
    'source was disposed of',
  ],
  'clamp of a disposed tensor': [
    ({ gone }) => gone.clamp(0),
    'ERR_DISPOSED',
    'clamp',
    'x',
    'x was disposed of',
  ],
  'clamp to a disposed minimum': [
    ({ x, gone }) => x.clamp({ min: gone }),
    'ERR_DISPOSED',
    'clamp',
    'min',
    'min was disposed of',
  ],
  'clamp to a disposed maximum': [
    ({ x, gone }) => stria.clamp(x, null, gone),
    'ERR_DISPOSED',
    'clamp',
    'max',
    'max was disposed of',
  ],
  'clamp between two, the last disposed': [
    ({ x, gone }) => x.clamp(x, gone),
    'ERR_DISPOSED',
    'clamp',
    'max',
    'max was disposed of',
  ],
  'clamp_ of a disposed tensor': [
    ({ gone }) => gone.clamp_(0),
    'ERR_DISPOSED',
    'clamp',
    'x',
    'x was disposed of',
  ],
  'clamp_ of no tensor': [
    ({ x }) => Reflect.apply(any(x.clamp_), 3, [0]),
    'ERR_ARGUMENT',
    'clamp',
    'this',
    'this must be a tensor, got 3',
  ],
  'clamp to another shape': [
    ({ x, pair }) => x.clamp({ max: pair }),
    'ERR_SHAPE',
    'clamp',
    'max',
    'shapes [3] and [2] do not broadcast at axis 0',
  ],
  'clamp of complex numbers': [
    ({ complex }) => complex.clamp(0),
    'ERR_DTYPE',
    'clamp',
    'x',
    'complex64 is not supported; complex numbers have no order',
  ],
  'clamp to no number': [
    ({ x }) => x.clamp(any('1')),
    'ERR_ARGUMENT',
    'clamp',
    'min',
    'min must be a tensor, number, bigint or boolean, got "1"',
  ],
  'gelu of a disposed tensor': [
    ({ gone }) => gone.gelu({ approximate: 'tanh' }),
    'ERR_DISPOSED',
    'gelu',
    'a',
    'a was disposed of',
  ],
  'gelu_ of a disposed tensor': [
    ({ gone }) => gone.gelu_({ approximate: 'tanh' }),
    'ERR_DISPOSED',
    'gelu',
    'out',
    'out was disposed of',
  ],
  'gelu_ of integers': [
    ({ whole }) => (whole as unknown as Tensor).gelu_({ approximate: 'tanh' }),
    'ERR_DTYPE',
    'gelu',
    'out',
    'a result of float32 does not cast to an out of int32',
  ],
  'where without a condition': [
    ({ gone, x }) => stria.where(gone, x, x),
    'ERR_DISPOSED',
    'where',
    'condition',
    'condition was disposed of',
  ],
  'where with a disposed value': [
    ({ gone, flag, x }) => stria.where(flag, x, gone),
    'ERR_DISPOSED',
    'where',
    'b',
    'b was disposed of',
  ],
};

for (const [name, [run, code, op, argument, message]] of Object.entries(cases))
  test(name, () => {
    scope(() => {
      const given = makeInputs();
      assert.throws(
        () => run(given),
        (error: StriaError) => {
          assert.ok(error instanceof stria.StriaError, String(error));
          assert.deepEqual([error.code, error.op, error.argument], [code, op, argument], error.message);
          assert.ok(error.message.startsWith(`${op}: `), error.message);
          const told = error.message.slice(op.length + 2);
          if (typeof message === 'string') assert.equal(told, message);
          else assert.match(told, message);
          return true;
        },
      );
    });
  });
