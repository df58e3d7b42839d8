// convolutions.mjs - examples of docs/reference: Convolutions and pooling. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: convolution
{
  const x = st.tensor([[[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]]]);
  const weight = st.tensor([[[[[1, 0], [0, -1]]]]]);
  const y = st.convolution(x, weight); // => [[[[[-4, -4], [-4, -4]]]]]
  st.convolution(y, weight, { transposed: true }); // => [[[[[-4, -4, 0], [-4, 0, 4], [0, 4, 4]]]]]
}

// example: convolution_weight
{
  const x = st.tensor([[[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]]]);
  st.convolutionWeight(st.ones([1, 1, 1, 2, 2]), x, [1, 2, 2]); // => [[[[[12, 16], [24, 28]]]]]
}

// example: conv1d
{
  const x = st.tensor([[[1, 2, 3, 4, 5]]]);
  const weight = st.tensor([[[1, 0, -1]]]);
  st.conv1d(x, weight); // => [[[-2, -2, -2]]]
  st.conv1d(x, weight, { stride: 2, padding: 1 }); // => [[[-2, -2, 4]]]
}

// example: conv2d
{
  const x = st.tensor([[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]]);
  const weight = st.tensor([[[[1, 0], [0, -1]]]]);
  st.conv2d(x, weight); // => [[[[-4, -4], [-4, -4]]]]
  st.conv2d(x, weight, { bias: st.tensor([10]), stride: 2, padding: [1, 1] }); // => [[[[9, 7], [3, 6]]]]
}

// example: conv3d
{
  const x = st.tensor([[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]]); // without a batch
  st.conv3d(x, st.tensor([[[[[1, 0], [0, -1]]]]])); // => [[[[-4, -4], [-4, -4]]]]
}

// example: conv_transpose1d
{
  const x = st.tensor([[[1, 2, 3]]]);
  st.convTranspose1d(x, st.ones([1, 1, 2]), { stride: 2 }); // => [[[1, 1, 2, 2, 3, 3]]]
  st.convTranspose1d(x, st.ones([1, 1, 2])); // => [[[1, 3, 5, 3]]]
}

// example: conv_transpose2d
{
  const x = st.tensor([[[[1, 2], [3, 4]]]]);
  st.convTranspose2d(x, st.tensor([[[[1, 10]]]]), { stride: 2 }); // => [[[[1, 10, 2, 20], [0, 0, 0, 0], [3, 30, 4, 40]]]]
}

// example: conv_transpose3d
{
  st.convTranspose3d(st.tensor([[[[[1, 2]]]]]), st.tensor([[[[[1], [2]]]]])); // => [[[[[1, 2], [2, 4]]]]]
}

// example: max_pool1d
{
  const x = st.tensor([[[3, 1, 4, 1, 5, 9]]]);
  x.maxPool1d(2); // => [[[3, 4, 9]]]
  x.maxPool1d(3, { stride: 2, padding: 1 }); // => [[[3, 4, 9]]]
}

// example: max_pool2d
{
  const x = st.tensor([[[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8], [9, 7, 9, 3]]]);
  x.maxPool2d(2); // => [[[9, 6], [9, 9]]]
  x.maxPool2d([3, 3], { stride: 2, padding: 1 }); // => [[[9, 9], [9, 9]]]
}

// example: max_pool3d
{
  const x = st.tensor([[[[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8], [9, 7, 9, 3]]]]);
  x.maxPool3d([1, 2, 2]); // => [[[[9, 6], [9, 9]]]]
}

// example: max_pool1d_with_indices
{
  const { values, indices } = st.tensor([[[3, 1, 4, 1, 5, 9]]]).maxPool1dWithIndices(2);
  values; // => [[[3, 4, 9]]]
  indices; // => [[[0, 2, 5]]]
}

// example: max_pool2d_with_indices
{
  const x = st.tensor([[[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8], [9, 7, 9, 3]]]);
  const { indices } = x.maxPool2dWithIndices(2);
  indices; // => [[[5, 7], [12, 14]]]
}

// example: max_pool3d_with_indices
{
  const x = st.tensor([[[[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8], [9, 7, 9, 3]]]]);
  const { indices } = x.maxPool3dWithIndices([1, 2, 2]);
  indices; // => [[[[5, 7], [12, 14]]]]
}

// example: avg_pool1d
{
  const x = st.tensor([[[3, 1, 4, 1, 5, 9]]]);
  x.avgPool1d(2); // => [[[2, 2.5, 7]]]
  x.avgPool1d(3, { stride: 2, padding: 1, countIncludePad: false }); // => [[[2, 2, 5]]]
}

// example: avg_pool2d
{
  const x = st.tensor([[[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8], [9, 7, 9, 3]]]);
  x.avgPool2d(2); // => [[[4.5, 3.25], [6, 6.25]]]
  x.avgPool2d(2, { divisorOverride: 1 }); // => [[[18, 13], [24, 25]]]
}

// example: avg_pool3d
{
  const x = st.tensor([[[[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8], [9, 7, 9, 3]]]]);
  x.avgPool3d([1, 2, 2]); // => [[[[4.5, 3.25], [6, 6.25]]]]
}

// example: adaptive_avg_pool1d
{
  st.tensor([[[3, 1, 4, 1, 5, 9]]]).adaptiveAvgPool1d(4); // => [[[2, 2.5, 3, 7]]]
}

// example: adaptive_avg_pool2d
{
  const x = st.tensor([[[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8], [9, 7, 9, 3]]]);
  x.adaptiveAvgPool2d([1, 2]); // => [[[5.25, 4.75]]]
}

// example: adaptive_max_pool1d
{
  st.tensor([[[3, 1, 4, 1, 5, 9]]]).adaptiveMaxPool1d(3); // => [[[3, 4, 9]]]
}

// example: adaptive_max_pool2d
{
  const x = st.tensor([[[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8], [9, 7, 9, 3]]]);
  x.adaptiveMaxPool2d(2); // => [[[9, 6], [9, 9]]]
}
