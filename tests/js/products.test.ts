// Sums of products of any number of tensors: the forms of the arguments. What they compute is tested in C.
import test from 'node:test';
import assert from 'node:assert/strict';
import { addmm, chainMatmul, einsum, empty, scope, tensor, tensordot, type Tensor } from 'stria';
import { checkLeaksAtEnd, load } from './support.js';

await load();
checkLeaksAtEnd();

const a = (): Tensor<'float32'> =>
  tensor([
    [1, 2, 3],
    [4, 5, 6],
  ]);
const b = (): Tensor<'float32'> =>
  tensor([
    [1, 0],
    [0, 1],
    [2, 2],
  ]);
const product = [
  [7, 8],
  [16, 17],
];

test('einsum: operands one by one, as a list, with options', () => {
  scope(() => {
    const [x, y] = [a(), b()];
    assert.deepEqual(einsum('ij,jk->ik', x, y).toArray(), product);
    assert.deepEqual(einsum('ij,jk->ik', [x, y]).toArray(), product);
    assert.deepEqual(einsum(' ij , jk ', x, y).toArray(), product);
    const out = empty([2, 2], { dtype: 'float64' });
    assert.equal(einsum('ij,jk->ik', x, y, { out }), out);
    assert.deepEqual(out.toArray(), product);
    assert.equal(einsum('ij,jk->ki', [x, y], { out }), out);
    assert.deepEqual(out.toArray(), [
      [7, 16],
      [8, 17],
    ]);
    assert.equal(einsum('ij->', x).item(), 21);
    assert.deepEqual(einsum('...j->...', x, {}).toArray(), [6, 15]);
    assert.equal(einsum('ii', einsum('ij,kj', x, x)).item(), 91);
    assert.equal(einsum('i,i', tensor([1, 2], { dtype: 'int32' }), tensor([3, 4])).dtype, 'float32');
  });
});

test('einsum: refusals name the equation with the position, or the operand', () => {
  scope(() => {
    const [x, y] = [a(), b()];
    const refused = (argument: string, message: RegExp, run: () => unknown): void =>
      assert.throws(run, (error: Error & { op?: string; argument?: string }) => {
        assert.equal(error.op, 'einsum');
        assert.equal(error.argument, argument);
        assert.match(error.message, message);
        return true;
      });
    const loose = einsum as (...given: unknown[]) => unknown;
    refused('equation', /at 4, '!'/, () => einsum('ij,j!', x, y));
    refused('equation', /at 2, code 127/, () => einsum('ij\u00e9', x));
    refused('equation', /at 2, code 127/, () => einsum('ij\0', x));
    refused('equation', /terms for 2 operands, but there are 1/, () => einsum('ij,jk', [x]));
    refused('equation', /a text/, () => loose(x, y));
    refused('operands[1]', /size 3/, () => einsum('ij,ij', x, y));
    refused('operands[1]', /tensor/, () => loose('ij,jk', x, 3));
    refused('operands[1]', /tensor/, () => loose('ij,jk', x, [y]));
    refused('operands', /empty/, () => einsum('', []));
    refused('operands', /tensors/, () => loose('ij'));
    refused('arguments', /./, () => loose('ij', [x], {}, 1));
    refused('colour', /./, () => loose('ij,jk', x, y, { colour: 1 }));
  });
});

test('tensordot: a number of axes, or a list for each operand', () => {
  scope(() => {
    const [x, y] = [a(), b()];
    assert.deepEqual(tensordot(x, y, 1).toArray(), product);
    assert.deepEqual(x.tensordot(y, [1, 0]).toArray(), product);
    assert.deepEqual(tensordot(x, y, [[-1], [0]]).toArray(), product);
    assert.equal(tensordot(x, x).item(), 91);
    const out = empty([0], { dtype: 'float64' });
    assert.equal(x.tensordot(y, [[1], [0]], { out }), out);
    assert.deepEqual(out.toArray(), product);
    assert.throws(() => tensordot(x, y, 3), { op: 'tensordot', argument: 'dims' });
    assert.throws(() => tensordot(x, y, [[2], [0]]), { op: 'tensordot', argument: 'dimsA' });
    assert.throws(() => tensordot(x, y, [[0], [0, 1]]), { op: 'tensordot', argument: 'dimsB' });
  });
});

test('addmm and chains: options, in place, lists', () => {
  scope(() => {
    const [x, y] = [a(), b()];
    const sum = addmm(tensor([1, 2]), x, y, { beta: 2, alpha: -1 });
    assert.deepEqual(sum.toArray(), [
      [-5, -4],
      [-14, -13],
    ]);
    assert.equal(sum.addmm_(x, y, { beta: 0 }), sum);
    assert.deepEqual(sum.toArray(), product);
    assert.deepEqual(chainMatmul([x, y, x]).toArray(), sum.matmul(x).toArray());
  });
});
