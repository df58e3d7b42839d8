// Tensors as text.
import type { Tensor } from './tensor.js';
import type { Complex } from './types.js';
import { elementIn } from './values.js';

// Beyond this many elements, axes longer than 2 EDGE show EDGE at each end.
const MANY = 1000;
const EDGE = 3;
// What is printed in all is bounded, too: of many axes, the inner ones are left out.
const MOST_PRINTED = 10_000;

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

// How many of the outer axes are printed.
function printedAxes(shape: readonly number[], isShort: boolean): number {
  let count = 1;
  for (const [k, size] of shape.entries()) {
    count *= isShort ? Math.min(size, 2 * EDGE) : size;
    if (count > MOST_PRINTED) return k;
  }
  return shape.length;
}

// What is shown of a row, read at once.
function valuesOf(x: Tensor, isShort: boolean, isFloat: boolean): string[] {
  const size = x.shape[0]!;
  if (!isShort || size <= 2 * EDGE) return (x.toArray() as unknown[]).map((value) => element(value, isFloat));
  const [first, last] = [x.slice(0, 0, EDGE), x.slice(0, size - EDGE)];
  try {
    return [...valuesOf(first, false, isFloat), '...', ...valuesOf(last, false, isFloat)];
  } finally {
    first.dispose();
    last.dispose();
  }
}

function lines(x: Tensor, isShort: boolean, isFloat: boolean, depth: number, indent: string): string {
  if (x.ndim === 0) return element(elementIn(x), isFloat);
  if (depth === 0) return '...';
  const size = x.shape[0]!;
  if (x.ndim === 1) return `[${valuesOf(x, isShort, isFloat).join(', ')}]`;
  const parts: string[] = [];
  for (let k = 0; k < size; k++) {
    if (isShort && size > 2 * EDGE && k === EDGE) {
      parts.push('...');
      k = size - EDGE;
    }
    const part = x.select(0, k);
    try {
      parts.push(lines(part, isShort, isFloat, depth - 1, indent + ' '));
    } finally {
      part.dispose();
    }
  }
  const separator = ',' + '\n'.repeat(x.ndim - 1) + indent + ' ';
  return `[${parts.join(separator)}]`;
}

/** The elements, shortened if they are many, with the dtype, and the shape where that is not visible; the device if it is not the CPU. */
export function format(x: Tensor): string {
  const isFloat = x.dtype.startsWith('float') || x.dtype.startsWith('bfloat');
  const isShort = x.numel > MANY;
  const depth = printedAxes(x.shape, isShort);
  const text = x.numel === 0 ? '[]' : lines(x, isShort, isFloat, depth, ' '.repeat(7));
  const shape = x.numel === 0 || x.numel > MANY ? `, shape=[${x.shape.join(', ')}]` : '';
  const place = x.device === 'cpu' ? '' : `, device=${x.device}`;
  return `tensor(${text}${shape}, dtype=${x.dtype}${place})`;
}
