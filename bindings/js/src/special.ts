// Ops whose JavaScript form differs from their row in the op table.
import { refuse } from './abi.js';
import { print } from './arguments.js';
import { binary, ternary, unary } from './run.js';
import { isTensor } from './base.js';
import type { Tensor } from './tensor.js';
import { opNumbers, type DType } from './tables.gen.js';
import type { DTypeOf, FloatOf, Operand, OutOptions, Promote } from './types.js';

export interface ClampOptions extends OutOptions {
  min?: Operand | null;
  max?: Operand | null;
}

export interface GeluOptions<O extends DType = DType> extends OutOptions<O> {
  approximate?: 'none' | 'tanh';
}

/** x limited to [min, max], given as arguments or as { min, max }; either may be missing. max where min is above it. */
export function clamp(
  x: Operand,
  min?: Operand | ClampOptions | null,
  max?: Operand | null,
  options?: OutOptions,
): Tensor {
  if (typeof min === 'object' && min !== null && !isTensor(min)) {
    const { min: low, max: high, ...rest } = min;
    return clamp(x, low, high ?? max, 'out' in rest ? rest : options);
  }
  if (min == null && max == null)
    refuse('ERR_ARGUMENT', 'clamp', 'min and max', 'given, one of them at least', 'neither');
  if (min == null) return binary(opNumbers.minimum, x, max!, options);
  if (max == null) return binary(opNumbers.maximum, x, min, options);
  return ternary(opNumbers.clamp, x, min, max, options);
}

/** x * (1 + erf(x / sqrt(2))) / 2, or its approximation by tanh. */
export function gelu<A extends Operand, O extends DType = FloatOf<DTypeOf<A>>>(
  x: A,
  options?: GeluOptions<O>,
): Tensor<O> {
  const approximate = options?.approximate ?? 'none';
  if (approximate !== 'none' && approximate !== 'tanh')
    refuse('ERR_ARGUMENT', 'gelu', 'approximate', "'none' or 'tanh'", print(approximate));
  const op = approximate === 'tanh' ? opNumbers.geluTanh : opNumbers.gelu;
  return unary(op, x, options?.out ? { out: options.out } : undefined) as Tensor<O>;
}

/** a where the condition is true, else b. */
export function where<A extends Operand, B extends Operand, O extends DType = Promote<A, B>>(
  condition: Operand,
  a: A,
  b: B,
  options?: OutOptions<O>,
): Tensor<O> {
  return ternary(opNumbers.where, condition, a, b, options) as Tensor<O>;
}
