// random.mjs - examples of docs/reference: Random numbers. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: rand
{
  st.manualSeed(0);
  st.rand(4); // => [0.399, 0.9722, 0.0194, 0.7874]
  const generator = new st.Generator(7);
  st.rand(2, { generator, dtype: 'float64' }).shape; // => [2]
  generator.getState().offset; // => 1
}

// example: rand_like
{
  const x = st.tensor([1, 2, 3]);
  st.randLike(x, { generator: new st.Generator(7) }); // => [0.9546, 0.407, 0.0061]
}

// example: uniform
{
  const weights = st.zeros(3);
  weights.uniform_(-1, 1, { generator: new st.Generator(7) });
  weights; // => [0.9092, -0.1861, -0.9878]
}
