// Loops of one's own: an expression over the element-wise ops, run in one pass over memory.
import { check, fail, fn, isReady, KIND, refuse, setNumbers } from './abi.js';
import { complexParts, dtypeNumber, handleOf, isComplex, numberKind, print } from './arguments.js';
import { changed, handleIn, isTensor, wrap } from './base.js';
import { markHandled } from './intrinsics.js';
import { collect } from './memory.js';
import { readOut } from './options.js';
import { outHandle } from './run.js';
import type { Tensor } from './tensor.js';
import { opArities, opNumbers, type DType, type OpName } from './tables.gen.js';
import type { Complex, OutOptions } from './types.js';

/** What a value in a kernel can be combined with. */
export type Term = KernelValue | number | boolean | Complex;

/** A value in a kernel: one element, with every element-wise op as a method, and conversions. */
export type KernelValue = {
  [name in OpName]: (...rest: Term[]) => KernelValue;
} & { to(dtype: DType): KernelValue };

/** A loop that was made by kernel(). */
export interface Kernel {
  (...inputs: [...Tensor[], OutOptions | undefined] | Tensor[]): Tensor<DType>;
  /** Number of tensors it takes. */
  readonly arity: number;
  /** Frees what it was compiled to; a call is refused afterwards. Without it, that ends with the kernel. */
  dispose(): void;
  [Symbol.dispose](): void;
}

// The program while it is written down. Values are numbered: inputs, then constants, then instructions; as the number of
// constants is known only at the end, each group counts from 0 until then.
interface Program {
  inputs: number;
  constants: [kind: number, value: number, im: number][];
  code: [op: number, ...from: Value[]][];
  isClosed: boolean; // the expression has returned
}

class Value {
  constructor(
    readonly program: Program,
    readonly group: 'input' | 'constant' | 'instruction',
    readonly index: number,
  ) {}
}

function number(program: Program, { group, index }: Value): number {
  if (group === 'input') return index;
  return program.inputs + index + (group === 'constant' ? 0 : program.constants.length);
}

// In place of the handle of a kernel that was disposed of; the core refuses it.
const GONE = -1;

function isValue(value: unknown): value is Value {
  try {
    return value instanceof Value;
  } catch {
    return false; // a proxy that was revoked, or throws
  }
}

function toValue(program: Program, op: string, term: unknown): Value {
  if (isValue(term)) {
    if (term.program === program) return term;
    refuse('ERR_ARGUMENT', 'kernel', op, 'a value of the same kernel', 'a value of another kernel');
  }
  program.constants.push(toConstant(op, term));
  return new Value(program, 'constant', program.constants.length - 1);
}

function toConstant(op: string, term: unknown): [kind: number, value: number, im: number] {
  if (typeof term === 'number') return [numberKind(term), term, 0];
  if (typeof term === 'boolean') return [KIND.bool, Number(term), 0];
  const parts = isComplex(term) ? complexParts(term) : undefined;
  if (parts) return [KIND.complex, parts.re, parts.im];
  return refuse('ERR_ARGUMENT', 'kernel', op, 'combined with values, numbers and booleans', print(term));
}

function append(self: Value, name: string, arity: number, rest: unknown[]): Value {
  if (!isValue(self)) refuse('ERR_ARGUMENT', 'kernel', name, 'called on a value', print(self));
  const { program } = self;
  if (rest.length !== arity - 1)
    refuse('ERR_ARGUMENT', 'kernel', name, `called with ${arity - 1} terms`, `${rest.length}`);
  if (program.isClosed)
    refuse('ERR_ARGUMENT', 'kernel', name, 'called inside the expression', 'a kernel that is made already');
  const isOp = name !== 'to'; // beyond the ops, conversions have numbers
  program.code.push(
    isOp
      ? [opNumbers[name as OpName], self, ...rest.map((term) => toValue(program, name, term))]
      : [opArities.length + dtypeNumber('kernel', rest[0], name), self],
  );
  return new Value(program, 'instruction', program.code.length - 1);
}

for (const name of [...Object.keys(opNumbers), 'to'])
  Object.defineProperty(Value.prototype, name, {
    value(this: Value, ...rest: unknown[]): Value {
      return append(this, name, opArities[opNumbers[name as OpName]] ?? 2, rest);
    },
  });

function parametersOf(expression: unknown): unknown {
  try {
    return (expression as { length?: unknown }).length;
  } catch {
    return undefined; // a proxy that was revoked, or throws
  }
}

// Makes the expression of a program of so many instructions; its handle.
function compile(program: Program, length: number): number {
  for (const [kind, value, im] of program.constants) check(fn.expression_constant(kind, value, im));
  for (const [op, ...from] of program.code.slice(0, length)) {
    const [a, b, c] = from.map((value) => number(program, value));
    check(fn.expression_op(op, a!, b ?? 0, c ?? 0));
  }
  return check(fn.expression_new(program.inputs), 'kernel', 'expression');
}

/**
 * A loop of one's own, from an expression over single elements:
 *
 *     const swish = kernel((x) => x.mul(x.sigmoid()));
 *     const y = swish(tensor([1, 2, 3]));
 *
 * The function is called once, here, with one value per parameter (1 to 512), and returns the result. Values have every
 * element-wise op as a method, and `to(dtype)`, and combine with one another, numbers and booleans. Afterwards, each call of the kernel runs
 * all ops in one pass over memory: blocks that stay in the cache, no intermediate tensors, any shapes that broadcast, any
 * layouts and real dtypes; where an operand is complex they run one after another, as they do outside. The result has the dtype and
 * the bits of the ops called one after another. `{ out }` as the last
 * argument gives a tensor to write to. The first call with inputs of other dtypes compiles the ops for them; eight such forms
 * are kept.
 */
export function kernel(expression: (...values: KernelValue[]) => KernelValue): Kernel {
  if (typeof expression !== 'function')
    refuse('ERR_ARGUMENT', 'kernel', 'expression', 'a function', print(expression));
  const arity = parametersOf(expression);
  if (typeof arity !== 'number' || !Number.isInteger(arity) || arity < 1)
    return refuse('ERR_ARGUMENT', 'kernel', 'expression', 'a function of 1 parameter or more', print(arity));
  const program: Program = { inputs: arity, constants: [], code: [], isClosed: false };
  const values = Array.from({ length: arity }, (_, k) => new Value(program, 'input', k));
  let result: unknown;
  try {
    result = expression(...(values as unknown as KernelValue[]));
  } finally {
    program.isClosed = true;
  }
  if (!isValue(result) || result.program !== program || result.group !== 'instruction') {
    markHandled(result);
    refuse('ERR_ARGUMENT', 'kernel', 'result', 'the value of an op', print(result));
  }
  const length = result.index + 1; // what comes later is not part of it
  // A kernel may be made before init, and is compiled by its first call then.
  let compiled = 0;
  const ready = (): number => {
    compiled = compile(program, length);
    collect(run, compiled);
    return compiled;
  };
  const general = (given: unknown[]): Tensor => {
    let options: OutOptions | undefined;
    if (given.length === arity + 1 && !isTensor(given[arity]))
      options = given.pop() as OutOptions | undefined;
    if (given.length !== arity)
      refuse('ERR_ARGUMENT', 'kernel', 'inputs', `${arity} tensors`, `${given.length}`);
    const handle = compiled !== 0 ? compiled : ready();
    const handles = given.map((x, k) => handleOf('kernel', x, `inputs[${k}]`));
    const out = readOut('kernel', options);
    setNumbers(handles);
    const place = outHandle(out);
    if (out) changed(out);
    const made = fn.expression(handle, arity, place);
    if (out) {
      check(made);
      return out;
    }
    return made > 0 ? wrap(made) : fail(made);
  };
  // Tensors alone, of a kernel that was called before: what is called most.
  const run = (...given: unknown[]): Tensor => {
    if (given.length !== arity || compiled <= 0) return general(given);
    const handles: number[] = []; // all are read before the scratch block is written: a proxy may call the library
    for (let k = 0; k < arity; k++) {
      const handle = handleIn(given[k]);
      if (handle <= 0) return general(given); // which names it
      handles.push(handle);
    }
    setNumbers(handles);
    const made = fn.expression(compiled, arity, 0);
    return made > 0 ? wrap(made) : fail(made);
  };
  const dispose = (): void => {
    if (compiled > 0) fn.dispose(compiled);
    compiled = GONE;
  };
  const hidden = { value: dispose, enumerable: false };
  Object.defineProperties(run, { arity: { value: arity }, dispose: hidden, [Symbol.dispose]: hidden });
  if (isReady()) ready();
  return run as unknown as Kernel;
}
