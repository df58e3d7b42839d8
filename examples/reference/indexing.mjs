// indexing.mjs - examples of docs/reference: Indexing. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: masked_select
{
  const x = st.tensor([3, -1, 4, -2]);
  x.maskedSelect(x.gt(0)); // => [3, 4]
}

// example: masked_fill
{
  const x = st.tensor([1, NaN, 3]);
  x.maskedFill_(x.isnan(), 0);
  x; // => [1, 0, 3]
}

// example: gather
{
  const logits = st.tensor([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]]);
  const label = st.tensor([[1], [0]], { dtype: 'int64' });
  logits.gather(1, label); // => [[0.7], [0.5]]
}

// example: take_along_dim
{
  const x = st.tensor([[3, 1, 2], [9, 7, 8]]);
  st.takeAlongDim(x, x.argsort(1), 1); // => [[1, 2, 3], [7, 8, 9]]
}

// example: take
{
  st.tensor([[10, 20], [30, 40]]).take(st.tensor([0, -1], { dtype: 'int64' })); // => [10, 40]
}

// example: index_select
{
  st.tensor([[1, 2], [3, 4], [5, 6]]).indexSelect(0, st.tensor([2, 0], { dtype: 'int64' })); // => [[5, 6], [1, 2]]
}

// example: embedding
{
  const vectors = st.tensor([[0, 0], [0.1, 0.2], [0.3, 0.4]]);
  st.embedding(vectors, st.tensor([2, 1, 2], { dtype: 'int64' })); // => [[0.3, 0.4], [0.1, 0.2], [0.3, 0.4]]
  st.embedding(vectors, st.tensor(2, { dtype: 'int64' }), { maxNorm: 0.05 }); // => [0.03, 0.04]
  vectors; // => [[0, 0], [0.1, 0.2], [0.03, 0.04]]
}

// example: index
{
  const x = st.tensor([[1, 2, 3], [4, 5, 6]]);
  x.index([st.tensor([0, 1], { dtype: 'int64' }), st.tensor([2, 0], { dtype: 'int64' })]); // => [3, 4]
}

// example: nonzero
{
  st.tensor([[0, 1], [2, 0]]).nonzero(); // => [[0, 1], [1, 0]]
  const [rows, columns] = st.tensor([[0, 1], [2, 0]]).nonzero({ asTuple: true });
  rows; // => [0, 1]
  columns; // => [1, 0]
}

// example: argwhere
{
  st.tensor([1, 5, 2, 7]).gt(3).argwhere(); // => [[1], [3]]
}

// example: scatter
{
  const oneHot = st.zeros([2, 3]);
  oneHot.scatter_(1, st.tensor([[2], [0]], { dtype: 'int64' }), 1);
  oneHot; // => [[0, 0, 1], [1, 0, 0]]
}

// example: scatter_add
{
  const totals = st.zeros([3]);
  const group = st.tensor([0, 2, 0, 2], { dtype: 'int64' });
  totals.scatterAdd(0, group, st.tensor([1, 10, 2, 20])); // => [3, 0, 30]
}

// example: scatter_reduce
{
  const best = st.zeros([2]);
  best.scatterReduce(0, st.tensor([0, 1, 0], { dtype: 'int64' }), st.tensor([3, 5, 4]), 'amax'); // => [4, 5]
}

// example: put
{
  st.tensor([[1, 2], [3, 4]]).put(st.tensor([0, -1], { dtype: 'int64' }), st.tensor([9, 8])); // => [[9, 2], [3, 8]]
}

// example: index_add
{
  const counts = st.zeros([3]);
  counts.indexAdd_(0, st.tensor([0, 2, 2], { dtype: 'int64' }), st.ones([3]));
  counts; // => [1, 0, 2]
}

// example: index_copy
{
  st.zeros([3, 2]).indexCopy(0, st.tensor([2], { dtype: 'int64' }), st.tensor([[7, 8]])); // => [[0, 0], [0, 0], [7, 8]]
}

// example: index_fill
{
  st.tensor([[1, 2], [3, 4]]).indexFill(1, st.tensor([-1], { dtype: 'int64' }), 0); // => [[1, 0], [3, 0]]
}

// example: index_reduce
{
  st.tensor([1, 1]).indexReduce(0, st.tensor([0, 1, 0], { dtype: 'int64' }), st.tensor([2, 3, 4]), 'prod'); // => [8, 3]
}

// example: index_put
{
  const x = st.zeros([2, 2]);
  x.indexPut_([st.tensor([0, 1], { dtype: 'int64' }), st.tensor([1, 0], { dtype: 'int64' })], st.tensor([5, 6]));
  x; // => [[0, 5], [6, 0]]
}

// example: masked_scatter
{
  const x = st.tensor([1, NaN, NaN]);
  x.maskedScatter(x.isnan(), st.tensor([7, 8])); // => [1, 7, 8]
}

// example: select_scatter
{
  st.zeros([2, 2]).selectScatter(st.tensor([1, 2]), 0, 1); // => [[0, 0], [1, 2]]
}

// example: slice_scatter
{
  st.zeros([4]).sliceScatter(st.tensor([1, 2]), 0, 0, 4, 2); // => [1, 0, 2, 0]
}

// example: diagonal_scatter
{
  st.ones([2, 2]).diagonalScatter(st.tensor([5, 6])); // => [[5, 1], [1, 6]]
}

// example: one_hot
{
  st.tensor([0, 2], { dtype: 'int64' }).oneHot(3); // => [[1, 0, 0], [0, 0, 1]]
}

// example: searchsorted
{
  const edges = st.tensor([0, 10, 20]);
  st.searchsorted(edges, st.tensor([5, 10, 99])); // => [1, 1, 3]
  st.searchsorted(edges, st.tensor([5, 10, 99]), { right: true }); // => [1, 2, 3]
}

// example: bucketize
{
  const ages = st.tensor([3, 18, 70]);
  ages.bucketize(st.tensor([18, 65]), { right: true }); // => [0, 1, 2]
  st.bucketize(20, st.tensor([18, 65]), { outInt32: true }).dtype; // => 'int32'
}

// example: isin
{
  st.isin(st.tensor([1, 2, 3], { dtype: 'int64' }), st.tensor([2, 3, 5], { dtype: 'int64' })); // => [false, true, true]
}

// example: embedding_renorm
{
  const vectors = st.tensor([[3, 4], [0, 2], [6, 8]]);
  vectors.embeddingRenorm_(st.tensor([0, 1], { dtype: 'int64' }), 2.5); // => [[1.5, 2], [0, 2], [6, 8]]
}
