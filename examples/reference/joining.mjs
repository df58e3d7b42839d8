// joining.mjs - examples of docs/reference: Joining and padding. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: cat
{
  st.cat([st.tensor([[1, 2]]), st.tensor([[3, 4], [5, 6]])]); // => [[1, 2], [3, 4], [5, 6]]
  st.cat([st.tensor([[1], [2]]), st.tensor([[3], [4]])], 1); // => [[1, 3], [2, 4]]
}

// example: pad
{
  const x = st.tensor([[1, 2], [3, 4]]);
  st.pad(x, [1, 1]); // => [[0, 1, 2, 0], [0, 3, 4, 0]]
  st.pad(x, [0, 0, 1, 0], 'constant', { value: -1 }); // => [[-1, -1], [1, 2], [3, 4]]
  st.pad(st.tensor([1, 2, 3]), [2, 2], 'reflect'); // => [3, 2, 1, 2, 3, 2, 1]
}

// example: stack
{
  st.stack([st.tensor([1, 2]), st.tensor([3, 4])]); // => [[1, 2], [3, 4]]
  st.stack([st.tensor([1, 2]), st.tensor([3, 4])], 1); // => [[1, 3], [2, 4]]
}

// example: hstack
{
  st.hstack([st.tensor([1, 2]), st.tensor([3])]); // => [1, 2, 3]
}

// example: vstack
{
  st.vstack([st.tensor([1, 2]), st.tensor([3, 4])]); // => [[1, 2], [3, 4]]
}

// example: row_stack
{
  st.rowStack([st.tensor([1, 2]), st.tensor([3, 4])]); // => [[1, 2], [3, 4]]
}

// example: dstack
{
  st.dstack([st.tensor([1, 2]), st.tensor([3, 4])]); // => [[[1, 3], [2, 4]]]
}

// example: column_stack
{
  st.columnStack([st.tensor([1, 2]), st.tensor([3, 4])]); // => [[1, 3], [2, 4]]
}

// example: block_diag
{
  st.blockDiag([st.tensor([[1, 2], [3, 4]]), st.tensor([[5]])]); // => [[1, 2, 0], [3, 4, 0], [0, 0, 5]]
}

// example: cartesian_prod
{
  st.cartesianProd([st.tensor([1, 2], { dtype: 'int64' }), st.tensor([7, 8], { dtype: 'int64' })]); // => [[1, 7], [1, 8], [2, 7], [2, 8]]
}

// example: combinations
{
  st.combinations(st.tensor([1, 2, 3], { dtype: 'int64' })); // => [[1, 2], [1, 3], [2, 3]]
}
