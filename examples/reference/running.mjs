// running.mjs - examples of docs/reference: Running results. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: cummax
{
  st.tensor([1, 3, 2, 5, 4]).cummax(0); // => { values: [1, 3, 3, 5, 5], indices: [0, 1, 1, 3, 3] }
}

// example: cummin
{
  st.tensor([[3, 1, 2], [1, 2, 0]]).cummin(1).values; // => [[3, 1, 1], [1, 1, 0]]
}

// example: logcumsumexp
{
  st.tensor([0, 0, 0]).logcumsumexp(0).exp(); // => [1, 2, 3]
}

// example: diff
{
  const position = st.tensor([0, 1, 4, 9, 16]);
  position.diff(); // => [1, 3, 5, 7]
  position.diff(2); // => [2, 2, 2]
  position.diff({ prepend: st.tensor([0]) }); // => [0, 1, 3, 5, 7]
}

// example: trapezoid
{
  const y = st.tensor([0, 1, 4, 9]);
  y.trapezoid().item(); // => 9.5
  y.trapezoid({ dx: 0.5 }).item(); // => 4.75
}

// example: cumulative_trapezoid
{
  st.tensor([0, 1, 4, 9]).cumulativeTrapezoid(); // => [0.5, 3, 9.5]
}

// example: cumsum
{
  const x = st.tensor([[1, 2, 3], [4, 5, 6]]);
  x.cumsum(1); // => [[1, 3, 6], [4, 9, 15]]
  x.cumsum_(0);
  x; // => [[1, 2, 3], [5, 7, 9]]
}

// example: cumprod
{
  st.tensor([1.1, 1.1, 1.1]).cumprod(0); // => [1.1, 1.21, 1.331]
}
