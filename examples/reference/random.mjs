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

// example: randn
{
  const z = st.randn([1000, 100], { generator: new st.Generator(1) });
  z.abs().lt(1).sum().div(1e5); // => 0.6837
}

// example: randn_like
{
  const x = st.zeros([2, 3], { dtype: 'float64' });
  st.randnLike(x).dtype; // => 'float64'
}

// example: fill_normal
{
  const weights = st.empty([64, 64]);
  weights.normal_(0, 0.02).shape; // => [64, 64]
  weights.abs().lt(0.2).all(); // => true
}

// example: normal
{
  const means = st.tensor([0, 100]);
  st.normal(means, 0); // => [0, 100]
  st.normal(means, 1).gt(50); // => [false, true]
}

// example: exponential
{
  const waits = st.zeros(1000).exponential_(2);
  waits.gt(0).all(); // => true
}

// example: randint
{
  const dice = st.randint(1, 7, [1000]);
  dice.amin(); // => 1
  dice.amax(); // => 6
  st.randint(-5, 5, [2], { dtype: 'int8' }).dtype; // => 'int8'
  st.randint(1, [3]); // => [0, 0, 0]
}

// example: randint_like
{
  const bytes = st.zeros([2, 2], { dtype: 'uint8' });
  st.randintLike(bytes, 7, 8); // => [[7, 7], [7, 7]]
}

// example: randperm
{
  st.randperm(5).sort().values; // => [0, 1, 2, 3, 4]
}

// example: bernoulli
{
  st.bernoulli(st.tensor([0, 1, 1])); // => [0, 1, 1]
  st.zeros(1000).bernoulli_(0.5).sum().lt(600); // => true
}

// example: multinomial
{
  const weights = st.tensor([0, 3, 0, 1]);
  st.multinomial(weights, 2).sort().values; // => [1, 3]
  st.multinomial(weights, 9, true).shape; // => [9]
}

// example: dropout
{
  st.dropout(st.ones(3), 0.5, false); // => [1, 1, 1]
  st.dropout(st.ones(1000), 0.75).amax(); // => 4
}
