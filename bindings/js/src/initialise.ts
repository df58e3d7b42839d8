// Initial values of parameters, in place, by the formulas of torch.nn.init. No gradient is recorded.
import { refuse } from './abi.js';
import { print, tensorArgument } from './arguments.js';
import type { Generator } from './generator.js';
import { noGrad } from './gradients.js';
import { namesOf, readOptions } from './options.js';
import { aNumber, held, oneOf } from './rules.js';
import type { DType } from './tables.gen.js';
import type { Tensor } from './tensor.js';

/** Where the numbers come from. */
export interface InitOptions {
  generator?: Generator;
}
const names = namesOf<InitOptions>({ generator: 'generator' });

function into<D extends DType>(op: string, x: Tensor<D>, write: (x: Tensor<D>) => unknown): Tensor<D> {
  const own = tensorArgument(op, 'x', x) as Tensor<D>;
  noGrad(() => write(own));
  return own;
}

/** Uniform in [from, to). */
export function uniform<D extends DType>(x: Tensor<D>, from = 0, to = 1, options?: InitOptions): Tensor<D> {
  const { generator } = readOptions('uniform', options, names);
  return into('uniform', x, (own) => own.uniform_(from, to, { generator }));
}

/** Normal with this mean and standard deviation. */
export function normal<D extends DType>(x: Tensor<D>, mean = 0, std = 1, options?: InitOptions): Tensor<D> {
  const { generator } = readOptions('normal', options, names);
  return into('normal', x, (own) => own.normal_(mean, std, { generator }));
}

/** Every element this number. */
export function constant<D extends DType>(x: Tensor<D>, value: number): Tensor<D> {
  held('constant', 'value', aNumber, value);
  return into('constant', x, (own) => own.fill_(value));
}

/** 0 everywhere. */
export function zeros<D extends DType>(x: Tensor<D>): Tensor<D> {
  return into('zeros', x, (own) => own.fill_(0));
}

/** 1 everywhere. */
export function ones<D extends DType>(x: Tensor<D>): Tensor<D> {
  return into('ones', x, (own) => own.fill_(1));
}

/** How many numbers go into an element of x weight^T, and how many one of x goes to: sizes 1 and 0 of the weight, times those behind. */
function fans(op: string, x: Tensor): { fanIn: number; fanOut: number } {
  const { shape } = tensorArgument(op, 'x', x);
  if (shape.length < 2) refuse('ERR_SHAPE', op, 'x', 'two axes or more', `[${shape}]`);
  const field = shape.slice(2).reduce((a, b) => a * b, 1);
  return { fanIn: shape[1]! * field, fanOut: shape[0]! * field };
}

/** The activation behind a weight. */
export type Nonlinearity = 'linear' | 'sigmoid' | 'tanh' | 'relu' | 'leakyRelu' | 'selu';

/**
 * What makes up for what an activation takes from the standard deviation of its input. `param`: the slope of
 * leakyRelu, 0.01 if not given.
 */
export function calculateGain(nonlinearity: Nonlinearity, param?: number): number {
  const gains: Record<Nonlinearity, number> = {
    linear: 1,
    sigmoid: 1,
    tanh: 5 / 3,
    relu: Math.SQRT2,
    leakyRelu: Math.sqrt(2 / (1 + (param ?? 0.01) ** 2)),
    selu: 3 / 4,
  };
  if (!Object.hasOwn(gains, nonlinearity))
    refuse(
      'ERR_ARGUMENT',
      'calculateGain',
      'nonlinearity',
      `one of ${Object.keys(gains).join(', ')}`,
      print(nonlinearity),
    );
  return gains[nonlinearity];
}

export interface XavierOptions extends InitOptions {
  /** Default: 1. */
  gain?: number;
}
const xavierNames = namesOf<XavierOptions>({ generator: 'generator', gain: 'gain' });

/** A standard deviation, and where the numbers come from. */
interface Spread {
  std: number;
  generator?: Generator;
}

// Numbers with that standard deviation.
function spread<D extends DType>(
  how: 'uniform' | 'normal',
  x: Tensor<D>,
  { std, generator }: Spread,
): Tensor<D> {
  const bound = Math.sqrt(3) * std;
  return how === 'normal' ? normal(x, 0, std, { generator }) : uniform(x, -bound, bound, { generator });
}

function xavier(op: string, x: Tensor, options: XavierOptions | undefined): Spread {
  const { gain = 1, generator } = readOptions(op, options, xavierNames);
  const { fanIn, fanOut } = fans(op, x);
  return { std: held(op, 'gain', aNumber, gain) * Math.sqrt(2 / (fanIn + fanOut)), generator };
}

/** Uniform in +- gain sqrt(6 / (fanIn + fanOut)). */
export function xavierUniform<D extends DType>(x: Tensor<D>, options?: XavierOptions): Tensor<D> {
  return spread('uniform', x, xavier('xavierUniform', x, options));
}

/** Normal with the standard deviation gain sqrt(2 / (fanIn + fanOut)). */
export function xavierNormal<D extends DType>(x: Tensor<D>, options?: XavierOptions): Tensor<D> {
  return spread('normal', x, xavier('xavierNormal', x, options));
}

export interface KaimingOptions extends InitOptions {
  /** Slope below 0 of the activation behind the weight, where that is leakyRelu. Default: 0. */
  a?: number;
  /** Whether values keep their size on the way forward or back. Default: 'fanIn'. */
  mode?: 'fanIn' | 'fanOut';
  /** Default: 'leakyRelu'. */
  nonlinearity?: Nonlinearity;
}
const kaimingNames = namesOf<KaimingOptions>({
  generator: 'generator',
  a: 'a',
  mode: 'mode',
  nonlinearity: 'nonlinearity',
});

function kaiming(op: string, x: Tensor, options: KaimingOptions | undefined): Spread {
  const {
    a = 0,
    mode = 'fanIn',
    nonlinearity = 'leakyRelu',
    generator,
  } = readOptions(op, options, kaimingNames);
  held(op, 'mode', oneOf('fanIn', 'fanOut'), mode);
  const fan = fans(op, x)[mode];
  return {
    std: fan === 0 ? 0 : calculateGain(nonlinearity, held(op, 'a', aNumber, a)) / Math.sqrt(fan),
    generator,
  };
}

/** Uniform in +- gain sqrt(3 / fan). */
export function kaimingUniform<D extends DType>(x: Tensor<D>, options?: KaimingOptions): Tensor<D> {
  return spread('uniform', x, kaiming('kaimingUniform', x, options));
}

/** Normal with the standard deviation gain / sqrt(fan). */
export function kaimingNormal<D extends DType>(x: Tensor<D>, options?: KaimingOptions): Tensor<D> {
  return spread('normal', x, kaiming('kaimingNormal', x, options));
}
