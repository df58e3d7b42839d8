// stria/nn: modules, layers, losses, initial values and batches, with PyTorch's names.
export {
  Module,
  ModuleList,
  Parameter,
  Sequential,
  type LoadStateOptions,
  type StateDict,
} from './module.js';
export type { LayerOptions } from './layer_options.js';
export * from './layers.js';
export * from './spatial.js';
export * as init from './initialise.js';
export {
  batches,
  progress,
  type BatchOptions,
  type Batches,
  type Dataset,
  type Progress,
  type ProgressOptions,
} from './data.js';
export {
  binaryCrossEntropy,
  binaryCrossEntropyWithLogits,
  crossEntropy,
  huberLoss,
  klDiv,
  l1Loss,
  mseLoss,
  nllLoss,
  smoothL1Loss,
} from './ops.gen.js';
