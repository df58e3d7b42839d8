// splitting.mjs - examples of docs/reference: Lists of views. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: split
{
  const x = st.tensor([1, 2, 3, 4, 5]);
  st.split(x, 2); // => [[1, 2], [3, 4], [5]]
  const [head, tail] = st.split(x, [1, 4]);
  tail; // => [2, 3, 4, 5]
}

// example: chunk
{
  st.chunk(st.tensor([1, 2, 3, 4, 5]), 2); // => [[1, 2, 3], [4, 5]]
}

// example: tensor_split
{
  st.tensorSplit(st.tensor([1, 2, 3, 4, 5]), 3); // => [[1, 2], [3, 4], [5]]
  st.tensorSplit(st.tensor([1, 2, 3, 4, 5]), [1, 3]); // => [[1], [2, 3], [4, 5]]
}

// example: hsplit
{
  st.hsplit(st.tensor([[1, 2, 3, 4], [5, 6, 7, 8]]), 2); // => [[[1, 2], [5, 6]], [[3, 4], [7, 8]]]
}

// example: vsplit
{
  st.vsplit(st.tensor([[1, 2], [3, 4]]), 2); // => [[[1, 2]], [[3, 4]]]
}

// example: dsplit
{
  st.dsplit(st.tensor([[[1, 2], [3, 4]]]), 2); // => [[[[1], [3]]], [[[2], [4]]]]
}

// example: unbind
{
  const [x, y] = st.unbind(st.tensor([[1, 2], [3, 4]]), 1);
  x; // => [1, 3]
  y; // => [2, 4]
}

// example: broadcast_tensors
{
  st.broadcastTensors([st.tensor([[1], [2]]), st.tensor([10, 20])]); // => [[[1, 1], [2, 2]], [[10, 20], [10, 20]]]
}

// example: meshgrid
{
  const [rows, columns] = st.meshgrid([st.tensor([0, 1]), st.tensor([0, 1, 2])]);
  rows.mul(10).add(columns); // => [[0, 1, 2], [10, 11, 12]]
}
