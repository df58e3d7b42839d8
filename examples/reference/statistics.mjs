// statistics.mjs - examples of docs/reference: Statistics and counts. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: median
{
  st.tensor([3, 1, 100, 2]).median().item(); // => 2
  st.tensor([[3, 1, 2], [9, 7, 8]]).median(1); // => { values: [2, 8], indices: [2, 2] }
}

// example: nanmedian
{
  st.tensor([3, NaN, 1, 2]).nanmedian().item(); // => 2
}

// example: mode
{
  st.tensor([2, 5, 5, 2, 5], { dtype: 'int64' }).mode(); // => { values: 5, indices: 4 }
}

// example: quantile
{
  const times = st.tensor([10, 20, 30, 40, 50]);
  times.quantile(0.9).item(); // => 46
  times.quantile(st.tensor([0.25, 0.75])); // => [20, 40]
  times.quantile(0.9, { interpolation: 'lower' }).item(); // => 40
}

// example: nanquantile
{
  st.tensor([NaN, 1, 2, 3]).nanquantile(0.5).item(); // => 2
}

// example: histc
{
  st.tensor([0.1, 0.2, 0.7, 0.9, 2]).histc(4, 0, 1); // => [2, 0, 1, 1]
}

// example: cov
{
  const heightAndWeight = st.tensor([[1, 2, 3], [2, 4, 7]]);
  st.cov(heightAndWeight); // => [[1, 2.5], [2.5, 6.3333]]
}

// example: corrcoef
{
  st.corrcoef(st.tensor([[1, 2, 3], [3, 2, 1]])); // => [[1, -1], [-1, 1]]
}

// example: bincount
{
  st.tensor([0, 2, 2, 5], { dtype: 'int64' }).bincount(); // => [1, 0, 2, 0, 0, 1]
  st.tensor([0, 1, 1], { dtype: 'int64' }).bincount({ weights: st.tensor([0.5, 1, 2]), minlength: 4 }); // => [0.5, 3, 0, 0]
}
