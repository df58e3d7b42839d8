// reductions.mjs - examples of docs/reference: Reductions. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: sum
{
  const sales = st.tensor([[1, 2, 3], [4, 5, 6]]);
  sales.sum().item(); // => 21
  sales.sum(0); // => [5, 7, 9]
  sales.sum(1, { keepdim: true }); // => [[6], [15]]
  const total = st.zeros(2);
  st.sum(sales, 1, { out: total }); // => [6, 15]
}

// example: prod
{
  st.tensor([2, 3, 4], { dtype: 'int64' }).prod().item(); // => 24
}

// example: amax
{
  st.tensor([[1, 9, 3], [4, 5, 6]]).amax(1); // => [9, 6]
}

// example: amin
{
  const x = st.tensor([3, -1, 7]);
  x.sub(x.amin()); // => [4, 0, 8]
}

// example: any
{
  const x = st.tensor([[1, NaN], [2, 3]]);
  x.isnan().any().item(); // => true
  x.isnan().any(1); // => [true, false]
}

// example: all
{
  const x = st.tensor([[1, 2], [0, 3]]);
  x.gt(0).all(1); // => [true, false]
}

// example: mean
{
  const image = st.tensor([[0, 50], [100, 250]]);
  image.mean().item(); // => 100
  image.mean([0, 1], { keepdim: true }); // => [[100]]
}

// example: argmax
{
  const scores = st.tensor([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]]);
  scores.argmax(1); // => [1, 0]
}

// example: argmin
{
  st.tensor([3, -1, 7]).argmin().item(); // => 1
}

// example: var
{
  const x = st.tensor([1, 2, 3, 4]);
  x.var().item(); // => 1.6667
  x.var({ correction: 0 }).item(); // => 1.25
}

// example: std
{
  const x = st.tensor([[1, 2], [3, 6]]);
  x.sub(x.mean(0)).div(x.std(0)); // => [[-0.7071, -0.7071], [0.7071, 0.7071]]
}

// example: norm
{
  const v = st.tensor([3, -4]);
  v.norm().item(); // => 5
  v.norm(1).item(); // => 7
  v.norm(Infinity).item(); // => 4
}

// example: matrix_norm
{
  const m = st.tensor([[1, -2], [3, 4]]);
  m.matrixNorm().item(); // => 5.4772
  m.matrixNorm(1).item(); // => 6
}

// example: dist
{
  st.dist(st.tensor([1, 2]), st.tensor([4, 6])).item(); // => 5
}

// example: logsumexp
{
  const logits = st.tensor([[1000, 1000], [0, 1]]);
  logits.logsumexp(1); // => [1000.6932, 1.3133]
}

// example: count_nonzero
{
  st.tensor([[0, 1, 2], [0, 0, 3]]).countNonzero(1); // => [2, 1]
}

// example: nansum
{
  st.tensor([1, NaN, 3]).nansum().item(); // => 4
}

// example: nanmean
{
  st.tensor([[1, NaN, 3], [NaN, NaN, 5]]).nanmean(1); // => [2, 5]
}

// example: var_mean
{
  const { var: variance, mean } = st.varMean(st.tensor([[1, 2, 3], [2, 4, 6]]), 1);
  variance; // => [1, 4]
  mean; // => [2, 4]
}

// example: std_mean
{
  const { std, mean } = st.stdMean(st.tensor([2, 4, 4, 4, 5, 5, 7, 9]), { correction: 0 });
  [std.item(), mean.item()]; // => [2, 5]
}

// example: aminmax
{
  const x = st.tensor([3, -1, 7]);
  const { min, max } = x.aminmax();
  x.sub(min).div(max.sub(min)); // => [0.5, 0, 1]
}

// example: max
{
  const x = st.tensor([[1, 9, 3], [4, 5, 6]]);
  x.max().item(); // => 9
  x.max(1); // => { values: [9, 6], indices: [1, 2] }
}

// example: min
{
  st.tensor([[1, 9, 3], [4, 5, 6]]).min(0); // => { values: [1, 5, 3], indices: [0, 1, 0] }
}

// example: sum_to_size
{
  const gradient = st.ones([2, 3]);
  gradient.sumToSize([3]); // => [2, 2, 2]
  gradient.sumToSize([2, 1]); // => [[3], [3]]
}
