// Complex numbers: views of parts, { re, im } as numbers, hostile ones.
import test from 'node:test';
import assert from 'node:assert/strict';
import {
  ArgumentError,
  complex,
  conj,
  DTypeError,
  einsum,
  full,
  imag,
  isclose,
  isreal,
  matmul,
  mul,
  polar,
  real,
  scope,
  ShapeError,
  tensor,
  viewAsComplex,
  viewAsReal,
  type Complex,
  type Tensor,
} from 'stria';
import { checkLeaksAtEnd, load } from './support.js';

await load();
checkLeaksAtEnd();

const z = (re: number, im: number): Complex => ({ re, im });

test('parts are views', () => {
  scope(() => {
    const x = tensor([[z(1, 2), z(3, -4)]], { dtype: 'complex128' });
    const re: Tensor<'float64'> = real(x);
    const im: Tensor<'float64'> = x.imag();
    assert.deepEqual(re.toArray(), [[1, 3]]);
    assert.deepEqual(im.toArray(), [[2, -4]]);
    im.fill_(7);
    assert.deepEqual(x.toArray(), [[z(1, 7), z(3, 7)]]);
    const pairs = viewAsReal(x);
    assert.deepEqual(pairs.toArray(), [
      [
        [1, 7],
        [3, 7],
      ],
    ]);
    const back: Tensor<'complex128'> = viewAsComplex(pairs);
    assert.deepEqual(back.shape, [1, 2]);
    back.real().fill_(0);
    assert.deepEqual(x.toArray(), [[z(0, 7), z(0, 7)]]);
    assert.deepEqual(real(tensor([1, 2])).toArray(), [1, 2]);
    assert.throws(() => imag(tensor([1, 2])), DTypeError);
    assert.throws(() => viewAsComplex(tensor([1, 2, 3])), ShapeError);
  });
});

test('complex numbers from parts', () => {
  scope(() => {
    const x: Tensor<'complex64'> = complex(tensor([1, 2]), tensor([[3], [4]]));
    assert.deepEqual(x.toArray(), [
      [z(1, 3), z(2, 3)],
      [z(1, 4), z(2, 4)],
    ]);
    assert.deepEqual(complex(tensor([1]), 2).toArray(), [z(1, 2)]);
    for (const number of [1, 0.5]) assert.equal(complex(tensor([1]), number).dtype, 'complex64');
    assert.deepEqual(conj(x).at(0).toArray(), [z(1, -3), z(2, -3)]);
    x.conj_();
    assert.deepEqual(x.at(0).toArray(), [z(1, -3), z(2, -3)]);
    assert.deepEqual(isreal(tensor([z(1, 0), z(0, 1)])).toArray(), [true, false]);
    assert.deepEqual(polar(tensor([2]), tensor([0])).toArray(), [z(2, 0)]);
  });
});

test('{ re, im } is a number', () => {
  scope(() => {
    assert.deepEqual(full([2], z(1, -1)).toArray(), [z(1, -1), z(1, -1)]);
    assert.equal(full([2], z(1, -1)).dtype, 'complex64');
    const x = tensor([z(1, 2), z(3, 4)]);
    assert.deepEqual(x.maskedFill(tensor([true, false]), z(0, 9)).toArray(), [z(0, 9), z(3, 4)]);
    assert.deepEqual(tensor(z(NaN, Infinity)).item(), z(NaN, Infinity));
  });
});

test('what only looks like a complex number is refused', () => {
  const x = tensor([z(1, 2)]);
  const mask = tensor([true]);
  const throwing = {
    get re(): number {
      throw new Error('no');
    },
    im: 1,
  };
  let reads = 0;
  const counting = {
    get re() {
      return reads++ === 0 ? 5 : 'later';
    },
    im: 1,
  };
  for (const wrong of [{ re: 1 }, { re: '1', im: 2 }, { re: 1n, im: 2 }, { re: null, im: null }])
    assert.throws(() => x.maskedFill(mask, wrong as unknown as Complex), ArgumentError);
  assert.throws(() => x.maskedFill(mask, throwing as Complex), /no/);
  const filled = x.maskedFill(mask, counting as Complex);
  assert.deepEqual(filled.toArray(), [z(5, 1)]);
  assert.equal(reads, 1);
  for (const one of [x, mask, filled]) one.dispose();
});

test('arithmetic', () => {
  scope(() => {
    const x = tensor([z(1, 2), z(3, -4)], { dtype: 'complex64' });
    assert.deepEqual(x.mul(x).toArray(), [z(-3, 4), z(-7, -24)]);
    assert.deepEqual(x.mul(z(0, 1)).toArray(), [z(-2, 1), z(4, 3)]);
    assert.deepEqual(x.add(1, { alpha: z(0, 2) }).toArray(), [z(1, 4), z(3, -2)]);
    assert.deepEqual(mul(z(0, 1), tensor([1, 2])).toArray(), [z(0, 1), z(0, 2)]);
    const size: Tensor<'float32'> = x.abs();
    assert.deepEqual(size.at(1).item(), 5);
    const wide: Tensor<'complex128'> = tensor([1], { dtype: 'float64' }).add(z(0, 1));
    assert.deepEqual(wide.toArray(), [z(1, 1)]);
    assert.deepEqual(x.pow(2).toArray(), x.square().toArray());
    assert.deepEqual(x.eq(tensor([z(1, 2), z(3, 4)])).toArray(), [true, false]);
    assert.deepEqual(isclose(x, x.add(1e-7)).toArray(), [true, true]);
    x.div_(2);
    assert.deepEqual(x.toArray(), [z(0.5, 1), z(1.5, -2)]);
    assert.deepEqual(x.exp({ out: tensor([z(0, 0)]) }).shape, [2]);
    assert.throws(() => x.lt(x), DTypeError);
    assert.throws(() => x.add(1, { alpha: 'i' as unknown as Complex }), ArgumentError);
    assert.throws(() => tensor([1]).add(1, { alpha: z(0, 1) }), DTypeError);
    assert.equal(String(x), 'tensor([0.5+1i, 1.5-2i], dtype=complex64)');
  });
});

test('reductions and products', () => {
  scope(() => {
    const x = tensor([z(1, 2), z(3, -4)], { dtype: 'complex64' });
    assert.deepEqual(x.sum().item(), z(4, -2));
    assert.deepEqual(x.prod().item(), z(11, 2));
    assert.deepEqual(x.mean().item(), z(2, -1));
    assert.deepEqual(x.cumsum(0).toArray(), [z(1, 2), z(4, -2)]);
    assert.deepEqual(x.cumprod(0).toArray(), [z(1, 2), z(11, 2)]);
    const spread: Tensor<'float32'> = x.var(0);
    assert.equal(spread.item(), 20);
    const size: Tensor<'float32'> = x.norm(1);
    assert.ok(Math.abs(size.item() - (5 + Math.sqrt(5))) < 1e-6);
    assert.deepEqual(x.dot(x).item(), z(-10, -20));
    assert.deepEqual(x.vdot(x).item(), z(30, 0));
    assert.deepEqual(einsum('i,j->ij', x, x).at(0).toArray(), [z(-3, 4), z(11, 2)]);
    assert.deepEqual(matmul(x, tensor([[1], [2]])).toArray(), [z(7, -6)]);
    assert.throws(() => x.sort(), DTypeError);
    assert.throws(() => x.amax(), DTypeError);
  });
});
