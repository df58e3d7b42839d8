// activations.mjs - examples of docs/reference: Activations. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: sigmoid
{
  st.tensor([0, 2, -2]).sigmoid(); // => [0.5, 0.8808, 0.1192]
}

// example: relu
{
  st.tensor([-1, 0, 3]).relu(); // => [0, 0, 3]
}

// example: gelu
{
  st.tensor([-1, 0, 1]).gelu(); // => [-0.1587, 0, 0.8413]
}

// example: gelu_tanh
{
  st.gelu(st.tensor([-1, 0, 1]), { approximate: 'tanh' }); // => [-0.1588, 0, 0.8412]
}

// example: relu6
{
  st.tensor([-1, 3, 9]).relu6(); // => [0, 3, 6]
}

// example: softsign
{
  st.tensor([-1, 0, 3]).softsign(); // => [-0.5, 0, 0.75]
}

// example: hardsigmoid
{
  st.tensor([-4, 0, 1.5]).hardsigmoid(); // => [0, 0.5, 0.75]
}

// example: hardswish
{
  st.tensor([-4, 0, 1.5]).hardswish(); // => [-0, 0, 1.125]
}

// example: silu
{
  st.tensor([-1, 0, 2]).silu(); // => [-0.2689, 0, 1.7616]
}

// example: mish
{
  st.tensor([-1, 0, 2]).mish(); // => [-0.3034, 0, 1.944]
}

// example: selu
{
  st.tensor([-1, 0, 1]).selu(); // => [-1.1113, 0, 1.0507]
}

// example: logsigmoid
{
  st.tensor([-100, 0, 5]).logsigmoid(); // => [-100, -0.6931, -0.0067]
}

// example: softplus
{
  st.tensor([-1, 0, 30]).softplus(); // => [0.3133, 0.6931, 30]
  st.tensor([-1, 0, 30]).softplus({ beta: 2 }); // => [0.0635, 0.3466, 30]
}

// example: elu
{
  const x = st.tensor([-1, 0, 2]);
  x.elu_();
  x; // => [-0.6321, 0, 2]
}

// example: celu
{
  st.tensor([-1, 0, 2]).celu(0.5); // => [-0.4323, 0, 2]
}

// example: leaky_relu
{
  st.tensor([-10, 5]).leakyRelu(0.1); // => [-1, 5]
}

// example: hardshrink
{
  st.tensor([-2, 0.3, 1]).hardshrink(); // => [-2, 0, 1]
}

// example: softshrink
{
  st.tensor([-2, 0.3, 1]).softshrink(); // => [-1.5, 0, 0.5]
}

// example: hardtanh
{
  st.tensor([-3, 0.5, 3]).hardtanh(); // => [-1, 0.5, 1]
  st.tensor([-3, 0.5, 3]).hardtanh({ maxVal: 2 }); // => [-1, 0.5, 2]
}

// example: threshold
{
  st.tensor([0.2, 0.7, 3]).threshold(0.5, 0); // => [0, 0.7, 3]
}

// example: prelu
{
  st.prelu(st.tensor([[-1, -1], [2, 2]]), st.tensor([0.25, 0.5])); // => [[-0.25, -0.5], [2, 2]]
}

// example: glu
{
  st.tensor([4, 6, 0, 0]).glu(); // => [2, 3]
}

// example: tanhshrink
{
  st.tensor([-2, 0, 2]).tanhshrink(); // => [-1.036, 0, 1.036]
}
