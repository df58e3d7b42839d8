// creation.mjs - examples of docs/reference: Creation. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: empty
{
  const buffer = st.empty([2, 3], { dtype: 'float64' });
  buffer.shape; // => [2, 3]
  buffer.fill_(7);
  buffer; // => [[7, 7, 7], [7, 7, 7]]
}

// example: empty_strided
{
  const columns = st.emptyStrided([2, 3], [1, 2]);
  columns.strides; // => [1, 2]
  columns.fill_(5); // => [[5, 5, 5], [5, 5, 5]]
}

// example: zeros
{
  st.zeros(2, 3); // => [[0, 0, 0], [0, 0, 0]]
  st.zeros([2], { dtype: 'int32' }).dtype; // => 'int32'
}

// example: ones
{
  st.ones([2, 2]).mul(0.5); // => [[0.5, 0.5], [0.5, 0.5]]
}

// example: full
{
  st.full([2, 2], -1); // => [[-1, -1], [-1, -1]]
  st.full([2], true).dtype; // => 'bool'
}

// example: empty_like
{
  const x = st.tensor([[1, 2, 3], [4, 5, 6]]).transpose(0, 1);
  const like = st.emptyLike(x);
  like.shape; // => [3, 2]
  like.strides; // => [1, 3]
}

// example: zeros_like
{
  const weights = st.tensor([0.5, -1]);
  const momentum = st.zerosLike(weights);
  momentum; // => [0, 0]
}

// example: ones_like
{
  st.onesLike(st.tensor([[1, 2], [3, 4]]), { dtype: 'bool' }); // => [[true, true], [true, true]]
}

// example: full_like
{
  st.fullLike(st.tensor([1, 2, 3]), Infinity); // => [Infinity, Infinity, Infinity]
}

// example: eye
{
  st.eye(3); // => [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
  st.eye(2, 3, { dtype: 'int32' }); // => [[1, 0, 0], [0, 1, 0]]
}

// example: arange
{
  st.arange(5); // => [0, 1, 2, 3, 4]
  st.arange(1, 2, 0.25); // => [1, 1.25, 1.5, 1.75]
}

// example: linspace
{
  st.linspace(0, 1, 5); // => [0, 0.25, 0.5, 0.75, 1]
}

// example: logspace
{
  st.logspace(0, 3, 4); // => [1, 10, 100, 1000]
}

// example: tril_indices
{
  const [rows, columns] = st.unbind(st.trilIndices(3, 3));
  st.tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]]).index([rows, columns]); // => [1, 4, 5, 7, 8, 9]
}

// example: triu_indices
{
  st.triuIndices(3, 3, 1); // => [[0, 0, 1], [1, 2, 2]]
}
