// products.mjs - examples of docs/reference: Products. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: matmul
{
  const a = st.tensor([[1, 2], [3, 4]]);
  a.matmul(st.tensor([[1, 0], [0, -1]])); // => [[1, -2], [3, -4]]
  a.matmul(st.tensor([1, 1])); // => [3, 7]
}

// example: mm
{
  st.mm(st.tensor([[1, 2]]), st.tensor([[3], [4]])); // => [[11]]
}

// example: bmm
{
  const batch = st.ones([10, 2, 3]);
  st.bmm(batch, st.ones([10, 3, 4])).shape; // => [10, 2, 4]
}

// example: mv
{
  st.mv(st.tensor([[1, 2], [3, 4]]), st.tensor([1, -1])); // => [-1, -1]
}

// example: dot
{
  st.dot(st.tensor([1, 2, 3]), st.tensor([4, 5, 6])).item(); // => 32
}

// example: einsum
{
  const a = st.tensor([[1, 2], [3, 4]]);
  st.einsum('ij,kj->ik', a, a); // => [[5, 11], [11, 25]]
  st.einsum('ii', a).item(); // => 5
}

// example: outer
{
  st.outer(st.tensor([1, 2, 3]), st.tensor([1, 10])); // => [[1, 10], [2, 20], [3, 30]]
}

// example: inner
{
  st.inner(st.tensor([[1, 2], [3, 4]]), st.tensor([1, 1])); // => [3, 7]
}

// example: vdot
{
  st.vdot(st.tensor([1, 2]), st.tensor([3, 4])).item(); // => 11
}

// example: addmm
{
  const bias = st.tensor([1, 2]);
  st.addmm(bias, st.tensor([[1, 1]]), st.tensor([[1, 2], [3, 4]])); // => [[5, 8]]
}

// example: addmv
{
  st.addmv(st.tensor([1, 2]), st.tensor([[1, 2], [3, 4]]), st.tensor([1, 1]), { alpha: 10 }); // => [31, 72]
}

// example: addr
{
  const momentum = st.zeros([2, 2]);
  momentum.addr_(st.tensor([1, 2]), st.tensor([3, 4]));
  momentum; // => [[3, 4], [6, 8]]
}

// example: baddbmm
{
  st.baddbmm(st.tensor([[[1]]]), st.tensor([[[1, 2]]]), st.tensor([[[3], [4]]]), { beta: 0.5 }); // => [[[11.5]]]
}

// example: addbmm
{
  st.addbmm(st.zeros([1, 1]), st.ones([3, 1, 2]), st.ones([3, 2, 1])); // => [[6]]
}

// example: tensordot
{
  const a = st.ones([2, 3, 4]);
  st.tensordot(a, st.ones([3, 4, 5])).shape; // => [2, 5]
  st.tensordot(a, st.ones([4, 2]), [[2, 0], [0, 1]]).shape; // => [3]
}

// example: kron
{
  st.kron(st.tensor([1, 10]), st.tensor([1, 2, 3])); // => [1, 2, 3, 10, 20, 30]
}

// example: cross
{
  st.cross(st.tensor([1, 0, 0]), st.tensor([0, 1, 0])); // => [0, 0, 1]
}

// example: multi_dot
{
  const [a, b, c] = [st.ones([10, 100]), st.ones([100, 5]), st.ones([5, 50])];
  st.multiDot([a, b, c]).shape; // => [10, 50]
}

// example: chain_matmul
{
  const turn = st.tensor([[0, -1], [1, 0]]);
  st.chainMatmul([turn, turn, turn, turn]); // => [[1, 0], [0, 1]]
}

// example: matrix_power
{
  const fibonacci = st.tensor([[1, 1], [1, 0]], { dtype: 'int64' });
  fibonacci.matrixPower(10); // => [[89, 55], [55, 34]]
}

// example: trace
{
  st.tensor([[1, 2], [3, 4]]).trace().item(); // => 5
}

// example: cdist
{
  const cities = st.tensor([[0, 0], [3, 4], [6, 8]]);
  st.cdist(cities, cities); // => [[0, 5, 10], [5, 0, 5], [10, 5, 0]]
}

// example: svdvals
{
  st.svdvals(st.tensor([[3, 0], [4, 5]])); // => [6.7082, 2.2361]
}

// example: det
{
  st.tensor([[2, 1], [1, 3]], { dtype: 'float64' }).det().item(); // => 5
}

// example: inverse
{
  st.tensor([[2, 0], [1, 4]]).inverse(); // => [[0.5, 0], [-0.125, 0.25]]
}

// example: svd
{
  const { u, s, v } = st.tensor([[0, 3], [2, 0]]).svd();
  s; // => [3, 2]
  u.mul(s).matmul(v.transpose(0, 1)); // => [[0, 3], [2, 0]]
  st.ones([3, 1]).svd(false).u.shape; // => [3, 3]
}
