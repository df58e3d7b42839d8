// Tensors as text.
import type { Tensor } from './tensor.js';
import type { Complex } from './types.js';

// Beyond this many elements, axes longer than 2 EDGE show EDGE at each end.
const MANY = 1000;
const EDGE = 3;

function element(value: unknown, isFloat: boolean): string {
  if (typeof value === 'number') {
    if (!isFloat || !Number.isFinite(value)) return Object.is(value, -0) ? '-0' : String(value);
    return String(Number(value.toPrecision(6)));
  }
  if (typeof value === 'object' && value !== null) {
    const { re, im } = value as Complex;
    return `${element(re, true)}${im < 0 || Object.is(im, -0) ? '' : '+'}${element(im, true)}i`;
  }
  return String(value);
}

function lines(x: Tensor, isShort: boolean, isFloat: boolean, indent: string): string {
  if (x.ndim === 0) return element(x._element(), isFloat);
  const size = x.shape[0]!;
  const parts: string[] = [];
  for (let k = 0; k < size; k++) {
    if (isShort && size > 2 * EDGE && k === EDGE) {
      parts.push('...');
      k = size - EDGE;
    }
    const part = x.select(0, k);
    parts.push(lines(part, isShort, isFloat, indent + ' '));
    part.dispose();
  }
  const separator = x.ndim === 1 ? ', ' : ',' + '\n'.repeat(x.ndim - 1) + indent + ' ';
  return `[${parts.join(separator)}]`;
}

/** The elements, shortened if they are many, with the dtype, and the shape where that is not visible. */
export function format(x: Tensor): string {
  const isFloat = x.dtype.startsWith('float') || x.dtype.startsWith('bfloat');
  const text = x.numel === 0 ? '[]' : lines(x, x.numel > MANY, isFloat, ' '.repeat(7));
  const shape = x.numel === 0 || x.numel > MANY ? `, shape=[${x.shape.join(', ')}]` : '';
  return `tensor(${text}${shape}, dtype=${x.dtype})`;
}
