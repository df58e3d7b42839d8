// special.mjs - examples of docs/reference: Special functions. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: erf
{
  st.tensor([0, 0.5, 3]).erf(); // => [0, 0.5205, 1]
}

// example: erfc
{
  st.tensor([0, 0.5, 5]).erfc(); // => [1, 0.4795, 1.537e-12]
}

// example: sinc
{
  st.tensor([0, 0.5, 1]).sinc(); // => [1, 0.6366, 0]
}

// example: ndtr
{
  const z = st.tensor([-1.96, 0, 1.96]);
  z.ndtr(); // => [0.025, 0.5, 0.975]
}

// example: erfinv
{
  st.tensor([0, 0.5, -1]).erfinv(); // => [0, 0.4769, -Infinity]
}

// example: i0
{
  st.tensor([0, 1, 2]).i0(); // => [1, 1.2661, 2.2796]
}

// example: lgamma
{
  st.tensor([1, 5, 0.5]).lgamma(); // => [0, 3.1781, 0.5724]
  st.tensor([5]).lgamma().exp(); // => [24]
}

// example: digamma
{
  st.tensor([1, 2, 10]).digamma(); // => [-0.5772, 0.4228, 2.2518]
}

// example: logit
{
  st.tensor([0.5, 0.75, 1]).logit(); // => [0, 1.0986, Infinity]
  st.tensor([0, 0.75, 1]).logit(0.01); // => [-4.5951, 1.0986, 4.5951]
}
