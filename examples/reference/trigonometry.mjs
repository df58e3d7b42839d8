// trigonometry.mjs - examples of docs/reference: Trigonometry. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: sin
{
  st.tensor([0, Math.PI / 6, Math.PI / 2]).sin(); // => [0, 0.5, 1]
}

// example: cos
{
  st.tensor([0, Math.PI / 3, Math.PI]).cos(); // => [1, 0.5, -1]
}

// example: tan
{
  st.tensor([0, Math.PI / 4, -1]).tan(); // => [0, 1, -1.5574]
}

// example: asin
{
  st.tensor([0, 0.5, 1, 2]).asin(); // => [0, 0.5236, 1.5708, NaN]
}

// example: acos
{
  st.tensor([1, 0.5, -1]).acos(); // => [0, 1.0472, 3.1416]
}

// example: atan
{
  st.tensor([0, 1, Infinity]).atan(); // => [0, 0.7854, 1.5708]
}

// example: atan2
{
  const [x, y] = [st.tensor([1, -1, 0]), st.tensor([1, 1, -2])];
  st.atan2(y, x).rad2deg(); // => [45, 135, -90]
}

// example: tanh
{
  st.tensor([-Infinity, 0, 0.5]).tanh(); // => [-1, 0, 0.4621]
}

// example: sinh
{
  st.tensor([0, 1, -2]).sinh(); // => [0, 1.1752, -3.6269]
}

// example: cosh
{
  st.tensor([0, 1, -2]).cosh(); // => [1, 1.5431, 3.7622]
}

// example: asinh
{
  st.tensor([0, 1, 1e10]).asinh(); // => [0, 0.8814, 23.719]
}

// example: acosh
{
  st.tensor([1, 2, 0.5]).acosh(); // => [0, 1.317, NaN]
}

// example: atanh
{
  st.tensor([0, 0.5, 1]).atanh(); // => [0, 0.5493, Infinity]
}

// example: deg2rad
{
  st.tensor([180, 90, -45]).deg2rad(); // => [3.1416, 1.5708, -0.7854]
}

// example: rad2deg
{
  st.tensor([Math.PI, 1]).rad2deg(); // => [180, 57.2958]
}
