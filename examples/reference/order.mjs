// order.mjs - examples of docs/reference: Order. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: sort
{
  const { values, indices } = st.tensor([3, 1, NaN, 2]).sort();
  values; // => [1, 2, 3, NaN]
  indices; // => [1, 3, 0, 2]
  st.tensor([[2, 1], [3, 4]]).sort(1, true).values; // => [[2, 1], [4, 3]]
  const out = { values: st.empty([2]), indices: st.empty([2], { dtype: 'int64' }) };
  st.sort(st.tensor([5, 4]), { out });
  out.values; // => [4, 5]
}

// example: argsort
{
  const names = ['c', 'a', 'b'];
  const order = st.tensor([30, 10, 20]).argsort();
  order; // => [1, 2, 0]
  Array.from(order.dataSync(), (k) => names[Number(k)]); // => ['a', 'b', 'c']
}

// example: msort
{
  st.tensor([[3, 1], [2, 5], [1, 3]]).msort(); // => [[1, 1], [2, 3], [3, 5]]
}

// example: topk
{
  const scores = st.tensor([0.1, 0.5, 0.2, 0.2]);
  scores.topk(2); // => { values: [0.5, 0.2], indices: [1, 2] }
  scores.topk(1, { largest: false }).indices; // => [0]
}

// example: kthvalue
{
  st.tensor([30, 10, 20]).kthvalue(2); // => { values: 20, indices: 2 }
}

// example: unique
{
  const x = st.tensor([3, 1, 3, 2, 1], { dtype: 'int64' });
  x.unique(); // => [1, 2, 3]
  const { counts } = x.unique({ returnCounts: true });
  counts; // => [2, 1, 2]
}

// example: unique_consecutive
{
  const runs = st.tensor([1, 1, 2, 2, 2, 1], { dtype: 'int64' }).uniqueConsecutive({ returnCounts: true });
  runs.values; // => [1, 2, 1]
  runs.counts; // => [2, 3, 1]
}
