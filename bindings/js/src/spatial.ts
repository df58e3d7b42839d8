// Convolutions, pooling and norms of channels as modules; each computes with the function of the library that has its name. Initial values are
// PyTorch's, and so are the names of what is saved.
import { refuse } from './abi.js';
import { listOf, print } from './arguments.js';
import { kaimingUniform, uniform } from './initialise.js';
import { isArray } from './intrinsics.js';
import { common, floatOf, type LayerOptions } from './layer_options.js';
import { Module, Parameter } from './module.js';
import { noGrad } from './gradients.js';
import * as ops from './ops.gen.js';
import { atMost, flagOf, namesOf, readOptions, type OptionNames } from './options.js';
import { aCount, aCountAbove0, aNumber, atLeast0, held } from './rules.js';
import { batchNorm } from './special.js';
import type { DeviceName, DType } from './tables.gen.js';
import type { Tensor } from './tensor.js';

/** A whole number for each axis, or one for all of them. */
export type Sizes = number | readonly number[];

// A number for each of n axes.
function spread(op: string, name: string, n: number, value: unknown, rule = aCountAbove0): number[] {
  const list = isArray(value) ? listOf(op, name, value, n + 1) : new Array<unknown>(n).fill(value);
  if (list.length !== n) refuse('ERR_ARGUMENT', op, name, `${n} whole numbers, or one for all`, print(value));
  return list.map((one, k) => held(op, isArray(value) ? `${name}[${k}]` : name, rule, one) as number);
}

// ---------------------------------------------------------------- convolutions

export interface ConvOptions extends LayerOptions {
  /** Elements from a window to the next. Default: 1. */
  stride?: Sizes;
  /** Zeros before and behind each axis. Default: 0. */
  padding?: Sizes;
  /** Elements from a tap of a window to the next. Default: 1. */
  dilation?: Sizes;
  /** Groups of channels that do not meet. Default: 1. */
  groups?: number;
  /** Whether there is a bias. Default: true. */
  bias?: boolean;
}
export interface ConvTransposeOptions extends ConvOptions {
  /** Elements more at the end of each axis. Default: 0. */
  outputPadding?: Sizes;
}
const conv = {
  ...common,
  stride: 'stride',
  padding: 'padding',
  dilation: 'dilation',
  groups: 'groups',
  bias: 'bias',
} as const;
const convNames = namesOf<ConvOptions>(conv);
const transposeNames = namesOf<ConvTransposeOptions>({ ...conv, outputPadding: 'outputPadding' });

type Run = (x: Tensor, weight: Tensor, options: object) => Tensor;

/** What all of them share: n axes, and the function that computes. */
class Conv extends Module {
  readonly kernelSize: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
  readonly groups: number;
  /** Of a transposed one alone. */
  readonly outputPadding: readonly number[] | undefined;
  weight: Parameter;
  bias: Parameter | null;
  readonly #run: Run;

  /** @internal */
  constructor(
    op: string,
    n: number,
    run: Run,
    readonly inChannels: number,
    readonly outChannels: number,
    kernelSize: Sizes,
    options: ConvTransposeOptions | undefined,
    isTransposed: boolean,
  ) {
    super();
    const read = readOptions<ConvTransposeOptions>(op, options, isTransposed ? transposeNames : convNames);
    const { stride = 1, padding = 0, dilation = 1, groups = 1, bias = true, generator, device } = read;
    this.#run = run;
    this.groups = held(op, 'groups', aCountAbove0, groups);
    for (const [name, value] of Object.entries({ inChannels, outChannels }))
      if (held(op, name, aCount, value) % groups !== 0)
        refuse('ERR_ARGUMENT', op, name, `a multiple of ${groups} groups`, print(value));
    this.kernelSize = spread(op, 'kernelSize', n, kernelSize);
    this.stride = spread(op, 'stride', n, stride);
    this.padding = spread(op, 'padding', n, padding, aCount);
    this.dilation = spread(op, 'dilation', n, dilation);
    this.outputPadding = isTransposed
      ? spread(op, 'outputPadding', n, read.outputPadding ?? 0, aCount)
      : undefined;
    const dtype = floatOf(op, read.dtype);
    const [first, second] = isTransposed ? [inChannels, outChannels] : [outChannels, inChannels];
    const shape = [first, second / groups, ...this.kernelSize];
    const fan = shape.slice(1).reduce((a, b) => a * b);
    const bound = fan > 0 ? 1 / Math.sqrt(fan) : 0;
    this.weight = new Parameter(
      kaimingUniform(ops.empty(shape, { dtype, device }), { a: Math.sqrt(5), generator }),
    );
    this.bias = flagOf(op, 'bias', bias)
      ? new Parameter(uniform(ops.empty([outChannels], { dtype, device }), -bound, bound, { generator }))
      : null;
  }

  forward(x: Tensor): Tensor {
    const { weight, bias, stride, padding, dilation, groups, outputPadding } = this;
    const options = { bias, stride, padding, dilation, groups };
    return this.#run(x, weight, outputPadding === undefined ? options : { ...options, outputPadding });
  }
}

type Made<O, C> = new (inChannels: number, outChannels: number, kernelSize: Sizes, options?: O) => C;

const convOf = (op: string, n: number, run: unknown): Made<ConvOptions, Conv> =>
  class extends Conv {
    constructor(inChannels: number, outChannels: number, kernelSize: Sizes, options?: ConvOptions) {
      atMost(op, 4, arguments);
      super(op, n, run as Run, inChannels, outChannels, kernelSize, options, false);
    }
  };

const convTransposeOf = (op: string, n: number, run: unknown): Made<ConvTransposeOptions, Conv> =>
  class extends Conv {
    constructor(inChannels: number, outChannels: number, kernelSize: Sizes, options?: ConvTransposeOptions) {
      atMost(op, 4, arguments);
      super(op, n, run as Run, inChannels, outChannels, kernelSize, options, true);
    }
  };

/** Products of weight, [outChannels, inChannels / groups, ..kernelSize], and windows of x along the last axis. */
export class Conv1d extends convOf('Conv1d', 1, ops.conv1d) {}
/** The same along the last two axes. */
export class Conv2d extends convOf('Conv2d', 2, ops.conv2d) {}
/** The same along the last three axes. */
export class Conv3d extends convOf('Conv3d', 3, ops.conv3d) {}
/** The gradient of x of Conv1d, where x is that of its result; weight is [inChannels, outChannels / groups, ..kernelSize]. */
export class ConvTranspose1d extends convTransposeOf('ConvTranspose1d', 1, ops.convTranspose1d) {}
/** The same along the last two axes. */
export class ConvTranspose2d extends convTransposeOf('ConvTranspose2d', 2, ops.convTranspose2d) {}
/** The same along the last three axes. */
export class ConvTranspose3d extends convTransposeOf('ConvTranspose3d', 3, ops.convTranspose3d) {}

// ---------------------------------------------------------------- pooling

export interface PoolOptions {
  /** Elements from a window to the next. Default: kernelSize. */
  stride?: Sizes | null;
  /** What lies before and behind each axis, at most half of a window. Default: 0. */
  padding?: Sizes;
  /** Whether a last window may reach beyond the padding. Default: false. */
  ceilMode?: boolean;
}
export interface MaxPoolOptions extends PoolOptions {
  /** Elements from one of a window to the next. Default: 1. */
  dilation?: Sizes;
}
export interface AvgPoolOptions extends PoolOptions {
  /** Whether zeros of the padding count. Default: true. */
  countIncludePad?: boolean;
}
export interface AvgPool2dOptions extends AvgPoolOptions {
  /** What sums are divided by, in place of how many elements they have. */
  divisorOverride?: number | null;
}
const pool = { stride: 'stride', padding: 'padding', ceilMode: 'ceilMode' } as const;
const maxNames = namesOf<MaxPoolOptions>({ ...pool, dilation: 'dilation' });
const avg = { ...pool, countIncludePad: 'countIncludePad' } as const;
const avgNames = namesOf<AvgPoolOptions>(avg);
const avg2dNames = namesOf<AvgPool2dOptions>({ ...avg, divisorOverride: 'divisorOverride' });

type Compute = (x: Tensor, sizes: Sizes, options?: object) => Tensor;

/** A function of windows with its options; what they must be the function says when it runs. */
class Pool<O extends object> extends Module {
  readonly kernelSize: readonly number[];
  readonly options: Readonly<O>;
  readonly #run: Compute;

  /** @internal */
  constructor(kernelSize: readonly number[], options: O, run: Compute) {
    super();
    this.kernelSize = kernelSize;
    this.options = options;
    this.#run = run;
  }

  forward(x: Tensor): Tensor {
    return this.#run(x, this.kernelSize, this.options);
  }
}

const poolOf = <O extends object>(
  op: string,
  n: number,
  names: OptionNames<O>,
  run: unknown,
): new (kernelSize: Sizes, options?: O) => Pool<O> =>
  class extends Pool<O> {
    constructor(kernelSize: Sizes, options?: O) {
      atMost(op, 2, arguments);
      super(spread(op, 'kernelSize', n, kernelSize), readOptions<O>(op, options, names), run as Compute);
    }
  };

/** The largest elements of windows along the last axis. */
export class MaxPool1d extends poolOf('MaxPool1d', 1, maxNames, ops.maxPool1d) {}
/** The same along the last two axes. */
export class MaxPool2d extends poolOf('MaxPool2d', 2, maxNames, ops.maxPool2d) {}
/** The same along the last three axes. */
export class MaxPool3d extends poolOf('MaxPool3d', 3, maxNames, ops.maxPool3d) {}
/** The means of windows along the last axis. */
export class AvgPool1d extends poolOf('AvgPool1d', 1, avgNames, ops.avgPool1d) {}
/** The same along the last two axes. */
export class AvgPool2d extends poolOf('AvgPool2d', 2, avg2dNames, ops.avgPool2d) {}
/** The same along the last three axes. */
export class AvgPool3d extends poolOf('AvgPool3d', 3, avg2dNames, ops.avgPool3d) {}

/** A function of windows, of which there are so many. */
class AdaptivePool extends Module {
  readonly outputSize: readonly number[];
  readonly #run: Compute;

  /** @internal */
  constructor(outputSize: readonly number[], run: Compute) {
    super();
    this.outputSize = outputSize;
    this.#run = run;
  }

  forward(x: Tensor): Tensor {
    return this.#run(x, this.outputSize);
  }
}

const adaptiveOf = (op: string, n: number, run: unknown): new (outputSize: Sizes) => AdaptivePool =>
  class extends AdaptivePool {
    constructor(outputSize: Sizes) {
      atMost(op, 1, arguments);
      super(spread(op, 'outputSize', n, outputSize), run as Compute);
    }
  };

/** The means of outputSize windows along the last axis. */
export class AdaptiveAvgPool1d extends adaptiveOf('AdaptiveAvgPool1d', 1, ops.adaptiveAvgPool1d) {}
/** The same along the last two axes. */
export class AdaptiveAvgPool2d extends adaptiveOf('AdaptiveAvgPool2d', 2, ops.adaptiveAvgPool2d) {}
/** The largest elements of outputSize windows along the last axis. */
export class AdaptiveMaxPool1d extends adaptiveOf('AdaptiveMaxPool1d', 1, ops.adaptiveMaxPool1d) {}
/** The same along the last two axes. */
export class AdaptiveMaxPool2d extends adaptiveOf('AdaptiveMaxPool2d', 2, ops.adaptiveMaxPool2d) {}

// ---------------------------------------------------------------- norms

export interface BatchNormOptions {
  /** Added to the variance. Default: 1e-5. */
  eps?: number;
  /** Share of a batch in the running statistics; null: that of each batch is the same. Default: 0.1. */
  momentum?: number | null;
  /** Whether there are a weight and a bias. Default: true. */
  affine?: boolean;
  /** Whether there are running statistics, which are used when the module does not learn. Default: true. */
  trackRunningStats?: boolean;
  dtype?: DType;
  device?: DeviceName;
}
const batchNames = namesOf<BatchNormOptions>({
  eps: 'eps',
  momentum: 'momentum',
  affine: 'affine',
  trackRunningStats: 'trackRunningStats',
  dtype: 'dtype',
  device: 'device',
});

/** What those of one, two and three axes share. */
class BatchNorm extends Module {
  readonly eps: number;
  readonly momentum: number | null;
  weight: Parameter | null;
  bias: Parameter | null;
  declare running_mean: Tensor | null;
  declare running_var: Tensor | null;
  declare num_batches_tracked: Tensor | null;
  readonly #op: string;
  readonly #dims: readonly number[];

  /** @internal */
  constructor(
    op: string,
    dims: readonly number[],
    readonly numFeatures: number,
    options: BatchNormOptions | undefined,
  ) {
    super();
    const read = readOptions<BatchNormOptions>(op, options, batchNames);
    const { eps = 1e-5, momentum = 0.1, affine = true, trackRunningStats = true, device } = read;
    const shape = [held(op, 'numFeatures', aCount, numFeatures)];
    const like = { dtype: floatOf(op, read.dtype), device };
    this.#op = op;
    this.#dims = dims;
    this.eps = held(op, 'eps', atLeast0, eps);
    this.momentum = momentum === null ? null : held(op, 'momentum', aNumber, momentum);
    const isAffine = flagOf(op, 'affine', affine);
    this.weight = isAffine ? new Parameter(ops.ones(shape, like)) : null;
    this.bias = isAffine ? new Parameter(ops.zeros(shape, like)) : null;
    const isTracked = flagOf(op, 'trackRunningStats', trackRunningStats);
    this.registerBuffer('running_mean', isTracked ? ops.zeros(shape, like) : null);
    this.registerBuffer('running_var', isTracked ? ops.ones(shape, like) : null);
    this.registerBuffer('num_batches_tracked', isTracked ? ops.zeros([], { dtype: 'int64', device }) : null);
  }

  forward(x: Tensor): Tensor {
    const {
      weight,
      bias,
      eps,
      running_mean: runningMean,
      running_var: runningVar,
      num_batches_tracked: n,
    } = this;
    const training = this.training || runningMean === null;
    if (!this.#dims.includes(x.ndim))
      refuse('ERR_SHAPE', this.#op, 'x', `${this.#dims.join(' or ')} dims`, `[${x.shape}]`);
    let momentum = this.momentum ?? 0;
    if (this.training && n !== null) {
      noGrad(() => n.add_(1));
      if (this.momentum === null) momentum = 1 / Number(n.item());
    }
    return batchNorm(x, { runningMean, runningVar, weight, bias, training, momentum, eps });
  }
}

const batchNormOf = (
  op: string,
  dims: readonly number[],
): new (numFeatures: number, options?: BatchNormOptions) => BatchNorm =>
  class extends BatchNorm {
    constructor(numFeatures: number, options?: BatchNormOptions) {
      atMost(op, 2, arguments);
      super(op, dims, numFeatures, options);
    }
  };

/** Each channel of [batch, channels] or [batch, channels, length] to mean 0 and variance 1, times weight, plus bias. */
export class BatchNorm1d extends batchNormOf('BatchNorm1d', [2, 3]) {}
/** The same of [batch, channels, height, width]. */
export class BatchNorm2d extends batchNormOf('BatchNorm2d', [4]) {}
/** The same of [batch, channels, depth, height, width]. */
export class BatchNorm3d extends batchNormOf('BatchNorm3d', [5]) {}

export interface GroupNormOptions {
  /** Added to the variance. Default: 1e-5. */
  eps?: number;
  /** Whether there are a weight and a bias. Default: true. */
  affine?: boolean;
  dtype?: DType;
  device?: DeviceName;
}
const groupNames = namesOf<GroupNormOptions>({
  eps: 'eps',
  affine: 'affine',
  dtype: 'dtype',
  device: 'device',
});

/** Each group of channels of each member of the batch to mean 0 and variance 1, times weight, plus bias. */
export class GroupNorm extends Module {
  readonly eps: number;
  weight: Parameter | null;
  bias: Parameter | null;

  constructor(
    readonly numGroups: number,
    readonly numChannels: number,
    options?: GroupNormOptions,
  ) {
    atMost('GroupNorm', 3, arguments);
    super();
    const read = readOptions<GroupNormOptions>('GroupNorm', options, groupNames);
    held('GroupNorm', 'numGroups', aCountAbove0, numGroups);
    if (held('GroupNorm', 'numChannels', aCount, numChannels) % numGroups !== 0)
      refuse(
        'ERR_ARGUMENT',
        'GroupNorm',
        'numChannels',
        `a multiple of ${numGroups} groups`,
        print(numChannels),
      );
    this.eps = held('GroupNorm', 'eps', atLeast0, read.eps ?? 1e-5);
    const like = { dtype: floatOf('GroupNorm', read.dtype), device: read.device };
    const isAffine = flagOf('GroupNorm', 'affine', read.affine ?? true);
    this.weight = isAffine ? new Parameter(ops.ones([numChannels], like)) : null;
    this.bias = isAffine ? new Parameter(ops.zeros([numChannels], like)) : null;
  }

  forward(x: Tensor): Tensor {
    const { weight, bias, eps } = this;
    return ops.groupNorm(x, this.numGroups, { weight, bias, eps });
  }
}
