// rounding.mjs - examples of docs/reference: Rounding. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: floor
{
  st.tensor([1.7, -1.2]).floor(); // => [1, -2]
}

// example: ceil
{
  st.tensor([1.2, -1.7]).ceil(); // => [2, -1]
}

// example: round
{
  st.tensor([0.5, 1.5, 2.4, -2.6]).round(); // => [0, 2, 2, -3]
}

// example: trunc
{
  st.tensor([1.7, -1.7]).trunc(); // => [1, -1]
}

// example: round_to
{
  st.tensor([3.14159, 2.71828]).round({ decimals: 2 }); // => [3.14, 2.72]
  st.tensor([1234, 5678]).round({ decimals: -2 }); // => [1200, 5700]
}

// example: frac
{
  st.tensor([1.25, -1.25]).frac(); // => [0.25, -0.25]
}
