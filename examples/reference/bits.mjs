// bits.mjs - examples of docs/reference: Bits. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: bitwise_and
{
  const flags = st.tensor([5, 6, 8], { dtype: 'int32' });
  flags.bitwiseAnd(4).ne(0); // => [true, true, false]
}

// example: bitwise_or
{
  st.tensor([1, 2], { dtype: 'int32' }).bitwiseOr(4); // => [5, 6]
}

// example: bitwise_xor
{
  st.tensor([5, 3], { dtype: 'int32' }).bitwiseXor(1); // => [4, 2]
}

// example: bitwise_not
{
  st.tensor([0, 7], { dtype: 'int32' }).bitwiseNot(); // => [-1, -8]
  st.tensor([true, false]).bitwiseNot(); // => [false, true]
}

// example: bitwise_left_shift
{
  st.bitwiseLeftShift(1, st.tensor([0, 4, 32], { dtype: 'int32' })); // => [1, 16, 0]
}

// example: bitwise_right_shift
{
  st.tensor([256, -8], { dtype: 'int32' }).bitwiseRightShift(2); // => [64, -2]
}

// example: bitwise_count
{
  st.tensor([0, 7, -2], { dtype: 'int32' }).bitwiseCount(); // => [0, 3, 1]
}

// example: count_leading_zeros
{
  st.tensor([0, 1, 255], { dtype: 'int32' }).countLeadingZeros(); // => [32, 31, 24]
}
