// logic.mjs - examples of docs/reference: Logic. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: logical_and
{
  const x = st.tensor([0.5, 1.5, 2.5]);
  st.logicalAnd(x.gt(1), x.lt(2)); // => [false, true, false]
}

// example: logical_or
{
  st.logicalOr(st.tensor([true, false]), st.tensor([false, false])); // => [true, false]
}

// example: logical_not
{
  st.tensor([0, 2, -1]).logicalNot(); // => [true, false, false]
}

// example: logical_xor
{
  st.logicalXor(st.tensor([true, true]), st.tensor([false, true])); // => [true, false]
}
