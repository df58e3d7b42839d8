// views.mjs - examples of docs/reference: Views and shapes. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: slice
{
  const x = st.tensor([0, 1, 2, 3, 4, 5]);
  x.slice(0, 1, 4); // => [1, 2, 3]
  x.slice(0, null, null, -2); // => [5, 3, 1]
  const middle = x.slice(0, 2, 4);
  middle.fill_(0);
  x; // => [0, 1, 0, 0, 4, 5]
}

// example: select
{
  const x = st.tensor([[1, 2, 3], [4, 5, 6]]);
  x.select(0, 1); // => [4, 5, 6]
  x.select(1, -1); // => [3, 6]
}

// example: transpose
{
  const x = st.tensor([[1, 2, 3], [4, 5, 6]]);
  x.transpose(0, 1); // => [[1, 4], [2, 5], [3, 6]]
  x.transpose(0, 1).strides; // => [1, 3]
}

// example: permute
{
  const image = st.zeros([2, 3, 4]);
  image.permute(2, 0, 1).shape; // => [4, 2, 3]
}

// example: flip
{
  st.tensor([[1, 2], [3, 4]]).flip(0); // => [[3, 4], [1, 2]]
}

// example: view
{
  const x = st.tensor([1, 2, 3, 4, 5, 6]);
  x.view(2, -1); // => [[1, 2, 3], [4, 5, 6]]
  x.view([2, 3]).transpose(0, 1).view(6); // throws ERR_SHAPE
}

// example: expand
{
  st.tensor([[1], [2]]).expand(2, 3); // => [[1, 1, 1], [2, 2, 2]]
  st.tensor([1, 2]).expand(2, -1).strides; // => [0, 1]
}

// example: squeeze
{
  st.zeros([1, 2, 1]).squeeze().shape; // => [2]
  st.zeros([1, 2, 1]).squeeze(0).shape; // => [2, 1]
}

// example: unsqueeze
{
  st.tensor([1, 2, 3]).unsqueeze(1).shape; // => [3, 1]
}

// example: diagonal
{
  const x = st.tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]]);
  x.diagonal(); // => [1, 5, 9]
  x.diagonal(1); // => [2, 6]
}

// example: reshape
{
  const x = st.tensor([[1, 2, 3], [4, 5, 6]]);
  x.reshape(3, 2); // => [[1, 2], [3, 4], [5, 6]]
  x.transpose(0, 1).reshape(-1); // => [1, 4, 2, 5, 3, 6]
}

// example: contiguous
{
  const turned = st.tensor([[1, 2], [3, 4]]).transpose(0, 1);
  turned.strides; // => [1, 2]
  turned.contiguous().strides; // => [2, 1]
}

// example: flatten
{
  st.zeros([2, 3, 4]).flatten(1).shape; // => [2, 12]
}

// example: ravel
{
  st.tensor([[1, 2], [3, 4]]).ravel(); // => [1, 2, 3, 4]
}

// example: as_strided
{
  const x = st.tensor([1, 2, 3, 4, 5]);
  x.asStrided([3, 3], [1, 1]); // => [[1, 2, 3], [2, 3, 4], [3, 4, 5]]
}

// example: unfold
{
  const x = st.tensor([1, 2, 3, 4, 5]);
  x.unfold(0, 3, 1); // => [[1, 2, 3], [2, 3, 4], [3, 4, 5]]
  x.unfold(0, 3, 1).mean(1); // => [2, 3, 4]
}

// example: movedim
{
  st.zeros([2, 3, 4]).movedim(0, -1).shape; // => [3, 4, 2]
}

// example: moveaxis
{
  st.zeros([2, 3, 4]).moveaxis([0, 1], [1, 2]).shape; // => [4, 2, 3]
}

// example: swapaxes
{
  st.zeros([2, 3, 4]).swapaxes(0, 2).shape; // => [4, 3, 2]
}

// example: swapdims
{
  st.zeros([2, 3, 4]).swapdims(1, 2).shape; // => [2, 4, 3]
}

// example: t
{
  st.tensor([[1, 2, 3]]).t(); // => [[1], [2], [3]]
}

// example: narrow
{
  st.tensor([0, 1, 2, 3]).narrow(0, 1, 2); // => [1, 2]
}

// example: unflatten
{
  st.tensor([1, 2, 3, 4, 5, 6]).unflatten(0, 2, 3); // => [[1, 2, 3], [4, 5, 6]]
}

// example: broadcast_to
{
  st.broadcastTo(st.tensor([1, 2]), [3, 2]); // => [[1, 2], [1, 2], [1, 2]]
}

// example: atleast_1d
{
  st.atleast1d(st.tensor(5)); // => [5]
}

// example: atleast_2d
{
  st.atleast2d(st.tensor([1, 2])); // => [[1, 2]]
}

// example: atleast_3d
{
  st.atleast3d(st.tensor([1, 2])).shape; // => [1, 2, 1]
}

// example: detach
{
  st.tensor([1, 2]).detach(); // => [1, 2]
}

// example: view_dtype
{
  st.tensor([1, -2.5]).view('int32'); // => [1065353216, -1071644672]
  st.viewDtype(st.tensor([1]), 'uint8'); // => [0, 0, 128, 63]
}
