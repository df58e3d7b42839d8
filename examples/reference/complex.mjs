// complex.mjs - examples of docs/reference: Complex numbers. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: real
{
  const z = st.complex(st.tensor([1, 3]), st.tensor([2, -4]));
  z.real(); // => [1, 3]
  z.real().fill_(0);
  z; // => [{ re: 0, im: 2 }, { re: 0, im: -4 }]
}

// example: imag
{
  st.complex(st.tensor([1, 3]), st.tensor([2, -4])).imag(); // => [2, -4]
}

// example: view_as_real
{
  st.viewAsReal(st.complex(st.tensor([1, 3]), st.tensor([2, -4]))); // => [[1, 2], [3, -4]]
}

// example: view_as_complex
{
  const pairs = st.tensor([[1, 2], [3, -4]]);
  pairs.viewAsComplex(); // => [{ re: 1, im: 2 }, { re: 3, im: -4 }]
}

// example: complex
{
  st.complex(st.tensor([1, 2]), st.tensor([0, -1])); // => [{ re: 1, im: 0 }, { re: 2, im: -1 }]
  st.complex(st.tensor([1], { dtype: 'float64' }), st.tensor([2], { dtype: 'float64' })).dtype; // => 'complex128'
}

// example: polar
{
  st.polar(st.tensor([2]), st.tensor([Math.PI])).real(); // => [-2]
}

// example: conj
{
  st.complex(st.tensor([1]), st.tensor([2])).conj(); // => [{ re: 1, im: -2 }]
}

// example: angle
{
  st.complex(st.tensor([1, 0]), st.tensor([1, -2])).angle().rad2deg(); // => [45, -90]
}

// example: sgn
{
  st.tensor([-2.5, 0, 7]).sgn(); // => [-1, 0, 1]
}

// example: isreal
{
  st.complex(st.tensor([1, 2]), st.tensor([0, 3])).isreal(); // => [true, false]
}
