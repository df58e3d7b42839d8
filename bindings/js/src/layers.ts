// Layers, activations and losses as modules; each computes with the function of the library that has its name. Initial values are PyTorch's.
import { refuse } from './abi.js';
import { print, whole } from './arguments.js';
import type { Generator } from './generator.js';
import { kaimingUniform, normal, uniform } from './initialise.js';
import { isArray } from './intrinsics.js';
import { Module, Parameter } from './module.js';
import * as ops from './ops.gen.js';
import { flagOf, namesOf, readOptions } from './options.js';
import { gelu, type GeluOptions } from './special.js';
import type { DType } from './tables.gen.js';
import type { Tensor } from './tensor.js';

/** What layers with parameters take. */
export interface LayerOptions {
  /** Of the parameters. Default: float32. */
  dtype?: DType;
  /** Where initial values come from. Default: the default generator. */
  generator?: Generator;
}

function size(op: string, name: string, value: number): number {
  if (whole(op, name, value) < 0) refuse('ERR_ARGUMENT', op, name, 'a whole number >= 0', print(value));
  return value;
}

const common = { dtype: 'dtype', generator: 'generator' } as const;

// ---------------------------------------------------------------- layers

export interface LinearOptions extends LayerOptions {
  /** Whether there is a bias. Default: true. */
  bias?: boolean;
}
const linearNames = namesOf<LinearOptions>({ ...common, bias: 'bias' });

/** x weight^T + bias; weight is [outFeatures, inFeatures]. */
export class Linear extends Module {
  weight: Parameter;
  bias: Parameter | null;

  constructor(
    readonly inFeatures: number,
    readonly outFeatures: number,
    options?: LinearOptions,
  ) {
    super();
    const { bias = true, dtype = 'float32', generator } = readOptions('Linear', options, linearNames);
    const shape = [size('Linear', 'outFeatures', outFeatures), size('Linear', 'inFeatures', inFeatures)];
    const bound = inFeatures > 0 ? 1 / Math.sqrt(inFeatures) : 0;
    this.weight = new Parameter(kaimingUniform(ops.empty(shape, { dtype }), { a: Math.sqrt(5), generator }));
    this.bias = flagOf('Linear', 'bias', bias)
      ? new Parameter(uniform(ops.empty([outFeatures], { dtype }), -bound, bound, { generator }))
      : null;
  }

  forward(x: Tensor): Tensor {
    return ops.linear(x, this.weight, { bias: this.bias });
  }
}

function sizes(op: string, value: number | readonly number[]): number[] {
  const list = (isArray(value) ? [...value] : [value]) as number[];
  if (list.length === 0) refuse('ERR_ARGUMENT', op, 'normalizedShape', 'a size or more', 'none');
  return list.map((one, k) => size(op, `normalizedShape[${k}]`, one));
}

export interface LayerNormOptions {
  /** Added to the variance. Default: 1e-5. */
  eps?: number;
  /** Whether there are a weight and a bias. Default: true. */
  elementwiseAffine?: boolean;
  dtype?: DType;
}
const normNames = namesOf<LayerNormOptions>({
  eps: 'eps',
  elementwiseAffine: 'elementwiseAffine',
  dtype: 'dtype',
});

/** The last axes to mean 0 and variance 1, times weight, plus bias. */
export class LayerNorm extends Module {
  readonly normalizedShape: readonly number[];
  readonly eps: number;
  weight: Parameter | null;
  bias: Parameter | null;

  constructor(normalizedShape: number | readonly number[], options?: LayerNormOptions) {
    super();
    const {
      eps = 1e-5,
      elementwiseAffine = true,
      dtype = 'float32',
    } = readOptions('LayerNorm', options, normNames);
    const isAffine = flagOf('LayerNorm', 'elementwiseAffine', elementwiseAffine);
    this.normalizedShape = sizes('LayerNorm', normalizedShape);
    this.eps = eps;
    this.weight = isAffine ? new Parameter(ops.ones(this.normalizedShape, { dtype })) : null;
    this.bias = isAffine ? new Parameter(ops.zeros(this.normalizedShape, { dtype })) : null;
  }

  forward(x: Tensor): Tensor {
    const { weight, bias, eps } = this;
    return ops.layerNorm(x, this.normalizedShape, { weight, bias, eps });
  }
}

/** The last axes divided by the root of the mean of their squares, times weight. eps: that of the dtype if it is not given. */
export class RMSNorm extends Module {
  readonly normalizedShape: readonly number[];
  readonly eps: number | undefined;
  weight: Parameter | null;

  constructor(normalizedShape: number | readonly number[], options?: LayerNormOptions) {
    super();
    const { eps, elementwiseAffine = true, dtype = 'float32' } = readOptions('RMSNorm', options, normNames);
    this.normalizedShape = sizes('RMSNorm', normalizedShape);
    this.eps = eps;
    this.weight = flagOf('RMSNorm', 'elementwiseAffine', elementwiseAffine)
      ? new Parameter(ops.ones(this.normalizedShape, { dtype }))
      : null;
  }

  forward(x: Tensor): Tensor {
    return ops.rmsNorm(x, this.normalizedShape, { weight: this.weight, eps: this.eps });
  }
}

export interface EmbeddingOptions extends LayerOptions {
  /** A row that is 0 at the beginning and learns nothing. */
  paddingIdx?: number;
}
const embeddingNames = namesOf<EmbeddingOptions>({ ...common, paddingIdx: 'paddingIdx' });

/** Rows of weight, [numEmbeddings, embeddingDim], by their numbers. */
export class Embedding extends Module {
  readonly paddingIdx: number | undefined;
  weight: Parameter;

  constructor(
    readonly numEmbeddings: number,
    readonly embeddingDim: number,
    options?: EmbeddingOptions,
  ) {
    super();
    const op = 'Embedding';
    const { dtype = 'float32', generator, paddingIdx } = readOptions(op, options, embeddingNames);
    const shape = [size(op, 'numEmbeddings', numEmbeddings), size(op, 'embeddingDim', embeddingDim)];
    const weight = normal(ops.empty(shape, { dtype }), 0, 1, { generator });
    if (paddingIdx !== undefined) {
      const row = whole(op, 'paddingIdx', paddingIdx);
      if (row < -numEmbeddings || row >= numEmbeddings)
        refuse('ERR_ARGUMENT', op, 'paddingIdx', `a row of ${numEmbeddings}`, print(row));
      this.paddingIdx = row < 0 ? row + numEmbeddings : row;
      weight.select(0, this.paddingIdx).fill_(0);
    }
    this.weight = new Parameter(weight);
  }

  forward(indices: Tensor): Tensor {
    return ops.embedding(this.weight, indices, { paddingIdx: this.paddingIdx });
  }
}

export interface DropoutOptions {
  generator?: Generator;
}
const dropoutNames = namesOf<DropoutOptions>({ generator: 'generator' });

/** While it learns, each element is 0 with probability p, and the others are divided by 1 - p; else x itself. */
export class Dropout extends Module {
  readonly generator: Generator | undefined;

  constructor(
    readonly p = 0.5,
    options?: DropoutOptions,
  ) {
    super();
    if (!(typeof p === 'number' && p >= 0 && p <= 1))
      refuse('ERR_ARGUMENT', 'Dropout', 'p', 'in [0, 1]', print(p));
    this.generator = readOptions('Dropout', options, dropoutNames).generator;
  }

  forward(x: Tensor): Tensor {
    return this.training && this.p > 0 ? ops.dropout(x, this.p, true, { generator: this.generator }) : x;
  }
}

/** x itself. */
export class Identity extends Module {
  forward<T>(x: T): T {
    return x;
  }
}

/** Axes startDim to endDim as one. */
export class Flatten extends Module {
  constructor(
    readonly startDim = 1,
    readonly endDim = -1,
  ) {
    super();
  }

  forward(x: Tensor): Tensor {
    return x.flatten(this.startDim, this.endDim);
  }
}

// ---------------------------------------------------------------- activations

export class ReLU extends Module {
  forward(x: Tensor): Tensor {
    return ops.relu(x);
  }
}

export class Tanh extends Module {
  forward(x: Tensor): Tensor {
    return ops.tanh(x);
  }
}

export class Sigmoid extends Module {
  forward(x: Tensor): Tensor {
    return ops.sigmoid(x);
  }
}

export class SiLU extends Module {
  forward(x: Tensor): Tensor {
    return ops.silu(x);
  }
}

export class Mish extends Module {
  forward(x: Tensor): Tensor {
    return ops.mish(x);
  }
}

export class Softplus extends Module {
  forward(x: Tensor): Tensor {
    return ops.softplus(x);
  }
}

export class GELU extends Module {
  readonly approximate: GeluOptions['approximate'];

  constructor(options?: Pick<GeluOptions, 'approximate'>) {
    super();
    this.approximate = readOptions('GELU', options, geluNames).approximate;
  }

  forward(x: Tensor): Tensor {
    return gelu(x, { approximate: this.approximate });
  }
}
const geluNames = namesOf<Pick<GeluOptions, 'approximate'>>({ approximate: 'approximate' });

/** x above 0, negativeSlope x below. */
export class LeakyReLU extends Module {
  constructor(readonly negativeSlope = 0.01) {
    super();
  }

  forward(x: Tensor): Tensor {
    return ops.leakyRelu(x, this.negativeSlope);
  }
}

export class ELU extends Module {
  constructor(readonly alpha = 1) {
    super();
  }

  forward(x: Tensor): Tensor {
    return ops.elu(x, this.alpha);
  }
}

export class Softmax extends Module {
  constructor(readonly dim = -1) {
    super();
  }

  forward(x: Tensor): Tensor {
    return ops.softmax(x, this.dim);
  }
}

export class LogSoftmax extends Module {
  constructor(readonly dim = -1) {
    super();
  }

  forward(x: Tensor): Tensor {
    return ops.logSoftmax(x, this.dim);
  }
}

// ---------------------------------------------------------------- losses

/** How the losses of elements become one: their mean, their sum, or not at all. Default: 'mean'. */
export type Reduction = 'none' | 'mean' | 'sum';
export interface LossOptions {
  reduction?: Reduction;
}

// A loss with the options of its function.
abstract class Loss<O extends object> extends Module {
  readonly options: O;

  constructor(options: O | undefined) {
    super();
    this.options = { ...options } as O;
  }

  protected abstract compute(x: Tensor, target: Tensor, options: O): Tensor;

  forward(x: Tensor, target: Tensor): Tensor {
    return this.compute(x, target, this.options);
  }
}

export class MSELoss extends Loss<LossOptions> {
  constructor(options?: LossOptions) {
    super(options);
  }

  protected compute(x: Tensor, target: Tensor, options: LossOptions): Tensor {
    return ops.mseLoss(x, target, options);
  }
}

export class L1Loss extends Loss<LossOptions> {
  constructor(options?: LossOptions) {
    super(options);
  }

  protected compute(x: Tensor, target: Tensor, options: LossOptions): Tensor {
    return ops.l1Loss(x, target, options);
  }
}

export class HuberLoss extends Loss<LossOptions & { delta?: number }> {
  constructor(options?: LossOptions & { delta?: number }) {
    super(options);
  }

  protected compute(x: Tensor, target: Tensor, options: LossOptions & { delta?: number }): Tensor {
    return ops.huberLoss(x, target, options);
  }
}

export class SmoothL1Loss extends Loss<LossOptions & { beta?: number }> {
  constructor(options?: LossOptions & { beta?: number }) {
    super(options);
  }

  protected compute(x: Tensor, target: Tensor, options: LossOptions & { beta?: number }): Tensor {
    return ops.smoothL1Loss(x, target, options);
  }
}

export class BCELoss extends Loss<LossOptions> {
  constructor(options?: LossOptions) {
    super(options);
  }

  protected compute(x: Tensor, target: Tensor, options: LossOptions): Tensor {
    return ops.binaryCrossEntropy(x, target, options);
  }
}

export class BCEWithLogitsLoss extends Loss<LossOptions & { posWeight?: Tensor | null }> {
  constructor(options?: LossOptions & { posWeight?: Tensor | null }) {
    super(options);
  }

  protected compute(x: Tensor, target: Tensor, options: LossOptions & { posWeight?: Tensor | null }): Tensor {
    return ops.binaryCrossEntropyWithLogits(x, target, options);
  }
}

export interface ClassLossOptions extends LossOptions {
  /** A weight for each class. */
  weight?: Tensor | null;
  /** Targets that do not count. Default: -100. */
  ignoreIndex?: number;
}

export class NLLLoss extends Loss<ClassLossOptions> {
  constructor(options?: ClassLossOptions) {
    super(options);
  }

  protected compute(x: Tensor, target: Tensor, options: ClassLossOptions): Tensor {
    return ops.nllLoss(x, target, options);
  }
}

export class CrossEntropyLoss extends Loss<ClassLossOptions & { labelSmoothing?: number }> {
  constructor(options?: ClassLossOptions & { labelSmoothing?: number }) {
    super(options);
  }

  protected compute(
    x: Tensor,
    target: Tensor,
    options: ClassLossOptions & { labelSmoothing?: number },
  ): Tensor {
    return ops.crossEntropy(x, target, options);
  }
}

export interface KLDivLossOptions {
  reduction?: Reduction | 'batchmean';
  /** Whether targets are logarithms. Default: false. */
  logTarget?: boolean;
}

export class KLDivLoss extends Loss<KLDivLossOptions> {
  constructor(options?: KLDivLossOptions) {
    super(options);
  }

  protected compute(x: Tensor, target: Tensor, options: KLDivLossOptions): Tensor {
    return ops.klDiv(x, target, options);
  }
}
