// layers.mjs - examples of docs/reference: Rows and layers. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: softmax
{
  const logits = st.tensor([[1, 2, 3], [1000, 1000, -Infinity]]);
  logits.softmax(1); // => [[0.09, 0.2447, 0.6652], [0.5, 0.5, 0]]
  logits.softmax_(1);
  logits.sum(1); // => [1, 1]
}

// example: log_softmax
{
  st.tensor([1, 2, 3]).logSoftmax(-1); // => [-2.4076, -1.4076, -0.4076]
}

// example: layer_norm
{
  const x = st.tensor([[1, 2, 3], [10, 20, 30]]);
  x.layerNorm([3]); // => [[-1.2247, 0, 1.2247], [-1.2247, 0, 1.2247]]
  x.layerNorm([3], { weight: st.tensor([2, 2, 2]), bias: st.tensor([1, 1, 1]) }); // => [[-1.4495, 1, 3.4495], [-1.4495, 1, 3.4495]]
}

// example: softmax_backward
{
  const y = st.tensor([1, 2, 3]).softmax(0);
  st.softmaxBackward(st.tensor([1, 0, 0]), y, 0); // => [0.0819, -0.022, -0.0599]
}

// example: log_softmax_backward
{
  const y = st.tensor([1, 2, 3]).logSoftmax(0);
  st.logSoftmaxBackward(st.tensor([1, 0, 0]), y, 0); // => [0.91, -0.2447, -0.6652]
}

// example: layer_norm_backward
{
  const x = st.tensor([[1, 2, 3]]);
  const { xGradient, weightGradient, biasGradient } = st.layerNormBackward(st.tensor([[1, 0, 0]]), x, [3]);
  xGradient; // => [[0.2041, -0.4082, 0.2041]]
  weightGradient; // => [-1.2247, 0, 0]
  biasGradient; // => [1, 0, 0]
}

// example: rms_norm_backward
{
  const x = st.tensor([[3, 4]]);
  const { xGradient, weightGradient } = st.rmsNormBackward(st.tensor([[1, 0]]), x, [2]);
  xGradient; // => [[0.181, -0.1358]]
  weightGradient; // => [0.8485, 0]
}

// example: normalize
{
  st.tensor([[3, 4], [0, 2]]).normalize(); // => [[0.6, 0.8], [0, 1]]
}

// example: cosine_similarity
{
  const query = st.tensor([1, 0]);
  const documents = st.tensor([[2, 0], [1, 1], [0, 5]]);
  st.cosineSimilarity(documents, query); // => [1, 0.7071, 0]
}

// example: rms_norm
{
  st.tensor([[3, 4], [1, 1]]).rmsNorm([2]); // => [[0.8485, 1.1314], [1, 1]]
}

// example: linear
{
  const weight = st.tensor([[1, 2], [3, 4], [5, 6]]);
  st.linear(st.tensor([1, 1]), weight); // => [3, 7, 11]
  st.linear(st.tensor([[1, 1]]), weight, { bias: st.tensor([0.5, 0.5, 0.5]) }); // => [[3.5, 7.5, 11.5]]
}

// example: local_response_norm
{
  st.localResponseNorm(st.tensor([[[2], [3]]]), 1, 1, 1); // => [[[0.4], [0.3]]]
}

// example: batch_norm
{
  const [runningMean, runningVar] = [st.zeros([2]), st.ones([2])];
  const x = st.tensor([[1, 10], [3, 30]]);
  x.batchNorm({ runningMean, runningVar, training: true }); // => [[-1, -1], [1, 1]]
  runningMean; // => [0.2, 2]
  runningVar; // => [1.1, 20.9]
}

// example: group_norm
{
  st.tensor([[1, 3, 10, 20]]).groupNorm(2); // => [[-1, 1, -1, 1]]
}

// example: instance_norm
{
  st.tensor([[[1, 3], [10, 20]]]).instanceNorm(); // => [[[-1, 1], [-1, 1]]]
}
