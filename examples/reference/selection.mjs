// selection.mjs - examples of docs/reference: Selection. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: minimum
{
  st.minimum(st.tensor([1, 5, NaN]), st.tensor([4, 2, 3])); // => [1, 2, NaN]
}

// example: maximum
{
  st.maximum(st.tensor([1, 5, NaN]), 3); // => [3, 5, NaN]
}

// example: clamp
{
  st.tensor([-1, 0.5, 7]).clamp(0, 1); // => [0, 0.5, 1]
  st.tensor([-1, 0.5, 7]).clamp({ min: 0 }); // => [0, 0.5, 7]
}

// example: where
{
  const x = st.tensor([-2, 3, -1]);
  st.where(x.lt(0), 0, x); // => [0, 3, 0]
}

// example: fmin
{
  st.fmin(st.tensor([1, NaN]), st.tensor([4, 2])); // => [1, 2]
}

// example: fmax
{
  st.fmax(st.tensor([1, NaN]), st.tensor([4, 2])); // => [4, 2]
}
