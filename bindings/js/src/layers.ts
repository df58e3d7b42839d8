// Layers, activations and losses as modules; each computes with the function of the library that has its name. Initial values are PyTorch's.
import { refuse } from './abi.js';
import { listOf, print, tensorArgument, whole } from './arguments.js';
import { optionNames } from './functions.js';
import type { Generator } from './generator.js';
import { kaimingUniform, normal, uniform } from './initialise.js';
import { isArray } from './intrinsics.js';
import { common, floatOf, type LayerOptions } from './layer_options.js';
import { Module, Parameter } from './module.js';
import * as ops from './ops.gen.js';
import { approximateNames, atMost, flagOf, namesOf, readOptions, type OptionNames } from './options.js';
import { aCount, aNumber, aShare, atLeast0, held } from './rules.js';
import { embedding, gelu, type GeluOptions } from './special.js';
import { functionNumbers as rows, type DeviceName, type DType } from './tables.gen.js';
import type { Tensor } from './tensor.js';
import type { RealFloatDType } from './types.js';

const size = (op: string, name: string, value: number): number => held(op, name, aCount, value);

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
    atMost('Linear', 3, arguments);
    super();
    const { bias = true, generator, device, ...rest } = readOptions('Linear', options, linearNames);
    const dtype = floatOf('Linear', rest.dtype);
    const shape = [size('Linear', 'outFeatures', outFeatures), size('Linear', 'inFeatures', inFeatures)];
    const bound = inFeatures > 0 ? 1 / Math.sqrt(inFeatures) : 0;
    this.weight = new Parameter(
      kaimingUniform(ops.empty(shape, { dtype, device }), { a: Math.sqrt(5), generator }),
    );
    this.bias = flagOf('Linear', 'bias', bias)
      ? new Parameter(uniform(ops.empty([outFeatures], { dtype, device }), -bound, bound, { generator }))
      : null;
  }

  forward(x: Tensor): Tensor {
    return ops.linear(x, this.weight, { bias: this.bias });
  }
}

function sizes(op: string, value: number | readonly number[]): number[] {
  const list = (isArray(value) ? listOf(op, 'normalizedShape', value) : [value]) as number[];
  if (list.length === 0) refuse('ERR_ARGUMENT', op, 'normalizedShape', 'a size or more', 'none');
  return list.map((one, k) => size(op, `normalizedShape[${k}]`, one));
}

export interface LayerNormOptions {
  /** Added to the variance. Default: 1e-5. */
  eps?: number;
  /** Whether there are a weight and a bias. Default: true. */
  elementwiseAffine?: boolean;
  dtype?: DType;
  device?: DeviceName;
}
const normNames = namesOf<LayerNormOptions>({
  eps: 'eps',
  elementwiseAffine: 'elementwiseAffine',
  dtype: 'dtype',
  device: 'device',
});

// What both norms share.
abstract class Norm<E extends number | undefined> extends Module {
  readonly normalizedShape: readonly number[];
  readonly eps: E;
  weight: Parameter | null;

  constructor(
    op: string,
    normalizedShape: number | readonly number[],
    options: LayerNormOptions | undefined,
    eps: E,
  ) {
    super();
    const read = readOptions(op, options, normNames);
    this.normalizedShape = sizes(op, normalizedShape);
    this.eps = read.eps === undefined ? eps : (held(op, 'eps', atLeast0, read.eps) as E);
    const isAffine = flagOf(op, 'elementwiseAffine', read.elementwiseAffine ?? true);
    const dtype = floatOf(op, read.dtype);
    this.weight = isAffine
      ? new Parameter(ops.ones(this.normalizedShape, { dtype, device: read.device }))
      : null;
  }
}

/** The last axes to mean 0 and variance 1, times weight, plus bias. */
export class LayerNorm extends Norm<number> {
  bias: Parameter | null;

  constructor(normalizedShape: number | readonly number[], options?: LayerNormOptions) {
    atMost('LayerNorm', 2, arguments);
    super('LayerNorm', normalizedShape, options, 1e-5);
    this.bias = this.weight === null ? null : new Parameter(ops.zerosLike(this.weight.detach()));
  }

  forward(x: Tensor): Tensor {
    const { weight, bias, eps } = this;
    return ops.layerNorm(x, this.normalizedShape, { weight, bias, eps });
  }
}

/** The last axes divided by the root of the mean of their squares, times weight. eps: that of the dtype if it is not given. */
export class RMSNorm extends Norm<number | undefined> {
  constructor(normalizedShape: number | readonly number[], options?: LayerNormOptions) {
    atMost('RMSNorm', 2, arguments);
    super('RMSNorm', normalizedShape, options, undefined);
  }

  forward(x: Tensor): Tensor {
    const { weight, eps } = this;
    return ops.rmsNorm(x, this.normalizedShape, { weight, eps });
  }
}

export interface EmbeddingOptions extends LayerOptions {
  /** A row that is 0 at the beginning and learns nothing. */
  paddingIdx?: number;
  /** Rows that are asked for and have a larger norm are made shorter first, in place. */
  maxNorm?: number;
  /** Order of that norm. Default: 2. */
  normType?: number;
}
const embeddingNames = namesOf<EmbeddingOptions>({
  ...common,
  paddingIdx: 'paddingIdx',
  maxNorm: 'maxNorm',
  normType: 'normType',
});

/** Rows of weight, [numEmbeddings, embeddingDim], by their numbers. */
export class Embedding extends Module {
  readonly paddingIdx: number | undefined;
  readonly maxNorm: number | undefined;
  readonly normType: number | undefined;
  weight: Parameter;

  constructor(
    readonly numEmbeddings: number,
    readonly embeddingDim: number,
    options?: EmbeddingOptions,
  ) {
    atMost('Embedding', 3, arguments);
    super();
    const op = 'Embedding';
    const { generator, paddingIdx, maxNorm, normType, device, ...rest } = readOptions(
      op,
      options,
      embeddingNames,
    );
    if (maxNorm !== undefined) this.maxNorm = held(op, 'maxNorm', atLeast0, maxNorm);
    if (normType !== undefined) this.normType = held(op, 'normType', aNumber, normType);
    const dtype = floatOf(op, rest.dtype);
    const shape = [size(op, 'numEmbeddings', numEmbeddings), size(op, 'embeddingDim', embeddingDim)];
    const weight = normal(ops.empty(shape, { dtype, device }), 0, 1, { generator });
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
    const { paddingIdx, maxNorm, normType } = this;
    return embedding(this.weight, indices, { paddingIdx, maxNorm, normType });
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
    atMost('Dropout', 2, arguments);
    super();
    held('Dropout', 'p', aShare, p);
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
    atMost('Flatten', 2, arguments);
    super();
  }

  forward(x: Tensor): Tensor {
    return x.flatten(this.startDim, this.endDim);
  }
}

// ---------------------------------------------------------------- activations

/** A function with nothing to set. */
class Activation extends Module {
  readonly #compute: (x: Tensor) => Tensor;

  /** @internal */
  constructor(compute: (x: Tensor) => Tensor) {
    super();
    this.#compute = compute;
  }

  forward(x: Tensor): Tensor {
    return this.#compute(x);
  }
}

const layerOf = (op: string, compute: (x: Tensor) => Tensor): new () => Activation =>
  class extends Activation {
    constructor() {
      atMost(op, 0, arguments);
      super(compute);
    }
  };

/** max(x, 0). */
export class ReLU extends layerOf('ReLU', (x) => ops.relu(x)) {}
/** Hyperbolic tangent. */
export class Tanh extends layerOf('Tanh', (x) => ops.tanh(x)) {}
/** 1 / (1 + exp(-x)). */
export class Sigmoid extends layerOf('Sigmoid', (x) => ops.sigmoid(x)) {}
/** x sigmoid(x). */
export class SiLU extends layerOf('SiLU', (x) => ops.silu(x)) {}
/** x tanh(softplus(x)). */
export class Mish extends layerOf('Mish', (x) => ops.mish(x)) {}

/** log(1 + exp(beta x)) / beta, and x where beta x is above the threshold. */
export class Softplus extends Module {
  constructor(
    readonly beta = 1,
    readonly threshold = 20,
  ) {
    atMost('Softplus', 2, arguments);
    super();
    held('Softplus', 'beta', aNumber, beta);
    held('Softplus', 'threshold', aNumber, threshold);
  }

  forward(x: Tensor): Tensor {
    return ops.softplus(x, this.beta, this.threshold);
  }
}

/** x times the normal distribution's share below x; `{ approximate: 'tanh' }` for its approximation. */
export class GELU extends Module {
  readonly approximate: GeluOptions['approximate'];

  constructor(options?: Pick<GeluOptions, 'approximate'>) {
    atMost('GELU', 1, arguments);
    super();
    this.approximate = readOptions('GELU', options, approximateNames).approximate;
  }

  forward(x: Tensor): Tensor {
    return gelu(x, { approximate: this.approximate });
  }
}

/** x above 0, negativeSlope x below. */
export class LeakyReLU extends Module {
  constructor(readonly negativeSlope = 0.01) {
    atMost('LeakyReLU', 1, arguments);
    super();
    held('LeakyReLU', 'negativeSlope', aNumber, negativeSlope);
  }

  forward(x: Tensor): Tensor {
    return ops.leakyRelu(x, this.negativeSlope);
  }
}

/** x above 0, alpha (exp(x) - 1) below. */
export class ELU extends Module {
  constructor(readonly alpha = 1) {
    atMost('ELU', 1, arguments);
    super();
    held('ELU', 'alpha', aNumber, alpha);
  }

  forward(x: Tensor): Tensor {
    return ops.elu(x, this.alpha);
  }
}

/** exp(x) along an axis, divided by its sum. */
export class Softmax extends Module {
  constructor(readonly dim = -1) {
    atMost('Softmax', 1, arguments);
    super();
    whole('Softmax', 'dim', dim);
  }

  forward(x: Tensor): Tensor {
    return ops.softmax(x, this.dim);
  }
}

/** The logarithm of Softmax. */
export class LogSoftmax extends Module {
  constructor(readonly dim = -1) {
    atMost('LogSoftmax', 1, arguments);
    super();
    whole('LogSoftmax', 'dim', dim);
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
export interface ClassLossOptions extends LossOptions {
  /** A weight for each class. */
  weight?: Tensor | null;
  /** Targets that do not count. Default: -100. */
  ignoreIndex?: number;
}
export interface KLDivLossOptions {
  reduction?: Reduction | 'batchmean';
  /** Whether targets are logarithms. Default: false. */
  logTarget?: boolean;
}

type LossFunction<O> = (x: Tensor, target: Tensor, options?: O) => Tensor<RealFloatDType>;

// Options that are tensors, and the buffers that they become, under PyTorch's names.
const WEIGHTS = new Map([
  ['weight', 'weight'],
  ['posWeight', 'pos_weight'],
]);

/** A function of outputs and targets, with its options. Its weights are buffers: `weight`, `pos_weight`. */
class Loss<O extends object> extends Module {
  readonly #options: O;
  readonly #compute: LossFunction<O>;
  declare weight?: Tensor | null;
  declare pos_weight?: Tensor | null;

  /** @internal */
  constructor(op: string, names: OptionNames<O>, options: O | undefined, compute: LossFunction<O>) {
    super();
    const { ...read } = readOptions(op, options, names) as Record<string, unknown>;
    for (const [name, buffer] of WEIGHTS) {
      if (!names.has(name)) continue;
      const given = read[name] ?? null;
      this.registerBuffer(buffer, given === null ? null : tensorArgument(op, name, given));
      delete read[name];
    }
    this.#options = read as O;
    this.#compute = compute;
  }

  get options(): Readonly<O> {
    if (this._buffers.size === 0) return this.#options;
    const fields = this as unknown as Record<string, Tensor | null>;
    const weights = [...WEIGHTS].filter(([, buffer]) => this._buffers.has(buffer));
    return {
      ...this.#options,
      ...Object.fromEntries(weights.map(([name, buffer]) => [name, fields[buffer]])),
    };
  }

  forward(x: Tensor, target: Tensor): Tensor<RealFloatDType> {
    return this.#compute(x, target, this.options);
  }
}

// The loss of a row, which says what its options are called; what they must be the row says when it runs.
const lossOf = <O extends object>(
  op: string,
  row: number,
  compute: LossFunction<O>,
): new (options?: O) => Loss<O> =>
  class extends Loss<O> {
    constructor(options?: O) {
      atMost(op, 1, arguments);
      super(op, optionNames(row) as OptionNames<O>, options, compute);
    }
  };

/** (x - target)^2. */
export class MSELoss extends lossOf<LossOptions>('MSELoss', rows.mseLoss, ops.mseLoss) {}
/** |x - target|. */
export class L1Loss extends lossOf<LossOptions>('L1Loss', rows.l1Loss, ops.l1Loss) {}
/** Squares of distances below delta, delta times larger ones. */
export class HuberLoss extends lossOf<LossOptions & { delta?: number }>(
  'HuberLoss',
  rows.huberLoss,
  ops.huberLoss,
) {}
/** Squares of distances below beta, larger ones as they are. */
export class SmoothL1Loss extends lossOf<LossOptions & { beta?: number }>(
  'SmoothL1Loss',
  rows.smoothL1Loss,
  ops.smoothL1Loss,
) {}
/** Of probabilities x and targets in [0, 1]. */
export class BCELoss extends lossOf<LossOptions & { weight?: Tensor | null }>(
  'BCELoss',
  rows.binaryCrossEntropy,
  ops.binaryCrossEntropy,
) {}
/** BCELoss of sigmoid(x), accurate where that is 0 or 1. */
export class BCEWithLogitsLoss extends lossOf<
  LossOptions & { weight?: Tensor | null; posWeight?: Tensor | null }
>('BCEWithLogitsLoss', rows.binaryCrossEntropyWithLogits, ops.binaryCrossEntropyWithLogits) {}
/** Of logarithms of probabilities, and numbers of classes. */
export class NLLLoss extends lossOf<ClassLossOptions>('NLLLoss', rows.nllLoss, ops.nllLoss) {}
/** Of any numbers for each class, and numbers of classes, or probabilities of them. */
export class CrossEntropyLoss extends lossOf<ClassLossOptions & { labelSmoothing?: number }>(
  'CrossEntropyLoss',
  rows.crossEntropy,
  ops.crossEntropy,
) {}
/** Of logarithms of probabilities x from probabilities. */
export class KLDivLoss extends lossOf<KLDivLossOptions>('KLDivLoss', rows.klDiv, ops.klDiv) {}
