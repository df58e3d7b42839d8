// parts.mjs - examples of docs/reference: Parts and repetitions. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: tril
{
  const scores = st.ones([3, 3]);
  scores.tril(); // => [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
  scores.tril_(-1);
  scores; // => [[0, 0, 0], [1, 0, 0], [1, 1, 0]]
}

// example: triu
{
  st.tensor([[1, 2], [3, 4]]).triu(1); // => [[0, 2], [0, 0]]
}

// example: diag_embed
{
  st.diagEmbed(st.tensor([[1, 2], [3, 4]])); // => [[[1, 0], [0, 2]], [[3, 0], [0, 4]]]
}

// example: diag
{
  st.diag(st.tensor([1, 2])); // => [[1, 0], [0, 2]]
  st.diag(st.tensor([[1, 2], [3, 4]])); // => [1, 4]
}

// example: diagflat
{
  st.diagflat(st.tensor([1, 2]), 1); // => [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
}

// example: rot90
{
  st.rot90(st.tensor([[1, 2], [3, 4]])); // => [[2, 4], [1, 3]]
}

// example: roll
{
  st.tensor([1, 2, 3, 4]).roll(1); // => [4, 1, 2, 3]
  st.tensor([[1, 2], [3, 4]]).roll(1, 1); // => [[2, 1], [4, 3]]
}

// example: repeat
{
  st.tensor([1, 2]).repeat(2, 2); // => [[1, 2, 1, 2], [1, 2, 1, 2]]
}

// example: tile
{
  st.tensor([[1, 2]]).tile(2); // => [[1, 2, 1, 2]]
}

// example: repeat_interleave
{
  st.tensor([1, 2]).repeatInterleave(2); // => [1, 1, 2, 2]
  st.tensor([1, 2]).repeatInterleave(st.tensor([1, 3], { dtype: 'int64' })); // => [1, 2, 2, 2]
}
