// losses.mjs - examples of docs/reference: Losses. scripts/examples.mjs says how they are read.
import * as st from 'stria';

// example: mse_loss
{
  const [predicted, measured] = [st.tensor([1, 2, 3]), st.tensor([1, 2, 6])];
  st.mseLoss(predicted, measured).item(); // => 3
  st.mseLoss(predicted, measured, { reduction: 'none' }); // => [0, 0, 9]
}

// example: l1_loss
{
  st.l1Loss(st.tensor([1, 2, 3]), st.tensor([1, 2, 6])).item(); // => 1
}

// example: huber_loss
{
  st.huberLoss(st.tensor([0, 0]), st.tensor([0.5, 4]), { reduction: 'none' }); // => [0.125, 3.5]
}

// example: smooth_l1_loss
{
  st.smoothL1Loss(st.tensor([0, 0]), st.tensor([0.5, 4]), { beta: 2, reduction: 'none' }); // => [0.0625, 3]
}

// example: binary_cross_entropy
{
  const [probability, label] = [st.tensor([0.9, 0.2]), st.tensor([1, 0])];
  st.binaryCrossEntropy(probability, label).item(); // => 0.1643
}

// example: binary_cross_entropy_with_logits
{
  const [logit, label] = [st.tensor([2, -200]), st.tensor([1, 0])];
  st.binaryCrossEntropyWithLogits(logit, label, { reduction: 'none' }); // => [0.1269, 0]
}

// example: kl_div
{
  const p = st.tensor([0.5, 0.5]);
  const q = st.tensor([0.9, 0.1]);
  st.klDiv(q.log(), p, { reduction: 'sum' }).item(); // => 0.5108
}

// example: nll_loss
{
  const logits = st.tensor([[2, 0, 0], [0, 3, 0]]);
  st.nllLoss(logits.logSoftmax(1), st.tensor([0, 1], { dtype: 'int64' })).item(); // => 0.1672
}

// example: cross_entropy
{
  const logits = st.tensor([[2, 0, 0], [0, 3, 0]]);
  st.crossEntropy(logits, st.tensor([0, 1], { dtype: 'int64' })).item(); // => 0.1672
  st.crossEntropy(logits, st.tensor([0, -100], { dtype: 'int64' })).item(); // => 0.2395
  st.crossEntropy(logits, st.tensor([0, 1], { dtype: 'int64' }), { labelSmoothing: 0.1 }).item(); // => 0.3339
}
