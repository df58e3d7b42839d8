// exponentials.mjs - examples of docs/reference: Exponentials and logarithms. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: exp
{
  st.tensor([0, 1, -Infinity]).exp(); // => [1, 2.7183, 0]
}

// example: exp2
{
  st.tensor([-1, 0, 10]).exp2(); // => [0.5, 1, 1024]
}

// example: expm1
{
  const x = st.tensor([1e-6, 1]);
  x.expm1(); // => [0.000001, 1.7183]
  x.exp().sub(1); // => [9.537e-7, 1.7183]
}

// example: log
{
  st.tensor([1, Math.E, 0, -1]).log(); // => [0, 1, -Infinity, NaN]
}

// example: log1p
{
  st.tensor([1e-6, 1]).log1p(); // => [0.000001, 0.6931]
}

// example: log2
{
  st.tensor([1, 8, 10], { dtype: 'int64' }).log2(); // => [0, 3, 3.3219]
}

// example: log10
{
  st.tensor([1000, 0.01]).log10(); // => [3, -2]
}

// example: exp10
{
  st.tensor([-2, 3]).exp10(); // => [0.01, 1000]
}

// example: ldexp
{
  st.ldexp(st.tensor([0.75, -3]), st.tensor([3, 1])); // => [6, -6]
}

// example: xlogy
{
  const p = st.tensor([0, 0.5, 1]);
  st.xlogy(p, p).sum().neg(); // => 0.3466
}

// example: logaddexp
{
  st.logaddexp(st.tensor([0, 1000]), st.tensor([0, 1000])); // => [0.6931, 1000.6932]
}

// example: logaddexp2
{
  st.logaddexp2(st.tensor([3, 100]), st.tensor([3, 99])); // => [4, 100.585]
}
