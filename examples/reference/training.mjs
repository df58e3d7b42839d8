// training.mjs - examples of docs/reference: Training. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: sgd
{
  const [weight, grad] = [st.tensor([1, 2]), st.tensor([10, -10])];
  st.sgd([weight], [grad], 0.1);
  weight; // => [0, 3]
  const momentum = st.zeros([2]);
  st.sgd([weight], [grad], 0.1, { momentum: 0.5, momenta: [momentum] });
  weight; // => [-1, 4]
}

// example: adam
{
  const [weight, grad] = [st.tensor([1, 2]), st.tensor([10, -0.1])];
  st.adam([weight], [grad], [st.zeros([2])], [st.zeros([2])], 1, 0.5);
  weight; // => [0.5, 2.5]
}

// example: adamw
{
  const [weight, grad] = [st.tensor([1, 2]), st.tensor([10, -0.1])];
  st.adamw([weight], [grad], [st.zeros([2])], [st.zeros([2])], 1, 0.5, { weightDecay: 0.2 });
  weight; // => [0.4, 2.3]
}

// example: rmsprop
{
  const [weight, grad] = [st.tensor([1, 2]), st.tensor([10, -0.1])];
  st.rmsprop([weight], [grad], [st.zeros([2])], 0.1);
  weight; // => [0, 3]
}

// example: adagrad
{
  const [weight, grad] = [st.tensor([1, 2]), st.tensor([10, -0.1])];
  st.adagrad([weight], [grad], [st.zeros([2])], 1, 0.5);
  weight; // => [0.5, 2.5]
}

// example: total_norm
{
  st.totalNorm([st.tensor([3, 0]), st.tensor(4)]).item(); // => 5
  st.totalNorm([st.tensor([3, 0]), st.tensor(-4)], Infinity).item(); // => 4
}

// example: clip_grads_with_norm
{
  const grads = [st.tensor([3, 0]), st.tensor([[4]])];
  st.clipGradsWithNorm(st.totalNorm(grads), grads, 1);
  grads[0]; // => [0.6, 0]
}

// example: clip_grad_value
{
  const grad = st.tensor([-3, 0.5, 7]);
  st.clipGradValue([grad], 1);
  grad; // => [-1, 0.5, 1]
}
