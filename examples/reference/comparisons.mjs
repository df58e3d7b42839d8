// comparisons.mjs - examples of docs/reference: Comparisons. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: eq
{
  const predicted = st.tensor([1, 0, 2, 2], { dtype: 'int64' });
  predicted.eq(st.tensor([1, 1, 2, 0], { dtype: 'int64' })); // => [true, false, true, false]
  predicted.eq(2).sum().item(); // => 2
}

// example: ne
{
  st.tensor([1, NaN]).ne(st.tensor([1, NaN])); // => [false, true]
}

// example: lt
{
  st.tensor([1, 2, 3]).lt(2); // => [true, false, false]
}

// example: le
{
  st.tensor([1, 2, 3]).le(2); // => [true, true, false]
}

// example: gt
{
  const x = st.tensor([-1, 2, -3]);
  x.mul(x.gt(0)); // => [-0, 2, -0]
}

// example: ge
{
  st.tensor([1, 2, NaN]).ge(2); // => [false, true, false]
}

// example: isnan
{
  st.tensor([1, NaN, Infinity]).isnan(); // => [false, true, false]
}

// example: isinf
{
  st.tensor([1, NaN, -Infinity]).isinf(); // => [false, false, true]
}

// example: isfinite
{
  const x = st.tensor([1, NaN, Infinity]);
  x.isfinite(); // => [true, false, false]
  st.where(x.isfinite(), x, 0); // => [1, 0, 0]
}

// example: signbit
{
  st.tensor([-1, 1, -0, 0]).signbit(); // => [true, false, true, false]
}

// example: isclose
{
  st.isclose(st.tensor([1, 1]), st.tensor([1.000001, 1.1])); // => [true, false]
  st.isclose(st.tensor([100]), st.tensor([101]), 0.02); // => [true]
}

// example: allclose
{
  st.allclose(st.tensor([1, 2]), st.tensor([1, 2.00001])); // => true
  st.tensor([100]).allclose(st.tensor([101]), { rtol: 0.001 }); // => false
}

// example: equal
{
  st.equal(st.tensor([1, 2]), st.tensor([1, 2])); // => true
  st.tensor([1, 2]).equal(st.tensor([[1, 2]])); // => false
}
