// arithmetic.mjs - examples of docs/reference: Arithmetic. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: add
{
  st.tensor([[1, 2], [3, 4]]).add(st.tensor([10, 20])); // => [[11, 22], [13, 24]]
  st.add(st.tensor([1, 2], { dtype: 'int64' }), 0.5); // => [1.5, 2.5]
  const x = st.tensor([1, 2, 3]);
  x.add_(10);
  st.mul(x, 2, { out: x });
  x; // => [22, 24, 26]
}

// example: sub
{
  const celsius = st.tensor([20.5, 37]);
  st.sub(celsius, celsius.mean()); // => [-8.25, 8.25]
  st.sub(1, st.tensor([0.25, 0.5])); // => [0.75, 0.5]
}

// example: mul
{
  const column = st.tensor([1, 2, 3]).unsqueeze(1);
  column.mul(st.tensor([1, 10, 100])); // => [[1, 10, 100], [2, 20, 200], [3, 30, 300]]
}

// example: div
{
  st.div(st.tensor([1, 2, 3], { dtype: 'int64' }), 2); // => [0.5, 1, 1.5]
  st.div(st.tensor([1, -1, 0]), 0); // => [Infinity, -Infinity, NaN]
}

// example: neg
{
  st.tensor([1.5, -2, 0]).neg(); // => [-1.5, 2, -0]
}

// example: abs
{
  st.tensor([-1.5, 2, -Infinity]).abs(); // => [1.5, 2, Infinity]
}

// example: sign
{
  st.tensor([-2.5, 0, 7, NaN]).sign(); // => [-1, 0, 1, NaN]
}

// example: square
{
  st.tensor([-3, 4], { dtype: 'int64' }).square(); // => [9, 16]
}

// example: sqrt
{
  st.tensor([4, 2, -1]).sqrt(); // => [2, 1.4142, NaN]
}

// example: rsqrt
{
  st.tensor([4, 0.25, 0]).rsqrt(); // => [0.5, 2, Infinity]
}

// example: cbrt
{
  st.tensor([27, -8, 2]).cbrt(); // => [3, -2, 1.2599]
}

// example: reciprocal
{
  st.tensor([2, -4, 0]).reciprocal(); // => [0.5, -0.25, Infinity]
}

// example: pow
{
  st.tensor([1, 2, 3]).pow(2); // => [1, 4, 9]
  st.pow(2, st.tensor([0, 1, 10], { dtype: 'int64' })); // => [1, 2, 1024]
  st.pow(-8, st.tensor([2, 1 / 3])); // => [64, NaN]
}

// example: lerp
{
  const from = st.tensor([0, 0, 0]);
  st.lerp(from, st.tensor([10, 20, 30]), 0.25); // => [2.5, 5, 7.5]
}

// example: trunc_divide
{
  st.truncDivide(st.tensor([7, -7, 7], { dtype: 'int64' }), st.tensor([2, 2, 0], { dtype: 'int64' })); // => [3, -3, 0]
}

// example: floor_divide
{
  st.floorDivide(st.tensor([7, -7, 8], { dtype: 'int64' }), 2); // => [3, -4, 4]
}

// example: fmod
{
  st.fmod(st.tensor([7.5, -7.5]), 2); // => [1.5, -1.5]
}

// example: remainder
{
  const hours = st.tensor([23, 26, -1], { dtype: 'int64' });
  hours.remainder(24); // => [23, 2, 23]
}

// example: add_scaled
{
  const weights = st.tensor([1, 1]);
  weights.add_(st.tensor([0.5, -2]), { alpha: -0.1 });
  weights; // => [0.95, 1.2]
}

// example: sub_scaled
{
  st.sub(st.tensor([10, 10]), st.tensor([1, 2]), { alpha: 3 }); // => [7, 4]
}

// example: copysign
{
  st.copysign(st.tensor([1, -2, 3]), st.tensor([-1, 1, -0])); // => [-1, 2, -3]
}

// example: nextafter
{
  const next = st.nextafter(st.tensor([1], { dtype: 'float64' }), 2);
  next.sub(1).item() === Number.EPSILON; // => true
}

// example: heaviside
{
  st.heaviside(st.tensor([-1.5, 0, 2]), 0.5); // => [0, 0.5, 1]
}

// example: gcd
{
  st.gcd(st.tensor([12, 18, 0], { dtype: 'int64' }), 8); // => [4, 2, 8]
}

// example: lcm
{
  st.lcm(st.tensor([4, 6], { dtype: 'int64' }), st.tensor([6, 10], { dtype: 'int64' })); // => [12, 30]
}

// example: hypot
{
  st.hypot(st.tensor([3, 5]), st.tensor([4, 12])); // => [5, 13]
}

// example: addcmul
{
  st.addcmul(st.tensor([1, 1]), st.tensor([2, 3]), st.tensor([4, 5]), 0.5); // => [5, 8.5]
}

// example: addcdiv
{
  st.addcdiv(st.tensor([0, 0]), st.tensor([1, 2]), st.tensor([4, 8]), -1); // => [-0.25, -0.25]
}

// example: nan_to_num
{
  st.nanToNum(st.tensor([1, NaN, Infinity]), 0, 99); // => [1, 0, 99]
}

// example: frexp
{
  const { mantissa, exponent } = st.frexp(st.tensor([8, -0.75]));
  mantissa; // => [0.5, -0.75]
  exponent; // => [4, 0]
}

// example: clamp_min
{
  st.tensor([-1, 2]).clampMin(0); // => [0, 2]
}

// example: clamp_max
{
  st.clampMax(st.tensor([-1, 2]), st.tensor([5, 1])); // => [-1, 1]
}
