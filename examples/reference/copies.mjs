// copies.mjs - examples of docs/reference: Copies and conversion. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: to
{
  const x = st.tensor([1.7, -1.7, 300]);
  x.to('int32'); // => [1, -1, 300]
  x.to('uint8'); // => [1, 0, 255]
}

// example: copy
{
  const x = st.zeros([2, 3]);
  x.copy_(st.tensor([1, 2, 3]));
  x; // => [[1, 2, 3], [1, 2, 3]]
}

// example: fill
{
  const x = st.tensor([1, 2, 3]);
  x.fill_(0.5);
  x; // => [0.5, 0.5, 0.5]
}
