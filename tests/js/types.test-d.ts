// Compiled, never run: fails if a type loosens.
import {
  add,
  amax,
  arange,
  argmax,
  bincount,
  clamp,
  eq,
  exp,
  fromNpy,
  full,
  grad,
  jvp,
  lerp,
  loadProgram,
  matmul,
  mean,
  norm,
  sum,
  tensor,
  valueAndGrad,
  vjp,
  where,
  zeros,
  zerosLike,
  type DType,
  type Nested,
  type Tensor,
} from 'stria';
import * as nn from 'stria/nn';
import * as optim from 'stria/optim';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expect<_T extends true>(): void {}

const f = tensor([[1, 2]]);
const d = zeros([2], { dtype: 'float64' });
const u = tensor(new Uint8Array(3));
const b = tensor([true]);
const l = tensor([1n]);

expect<Same<typeof f, Tensor<'float32'>>>();
expect<Same<typeof d, Tensor<'float64'>>>();
expect<Same<typeof u, Tensor<'uint8'>>>();
expect<Same<typeof b, Tensor<'bool'>>>();
expect<Same<typeof l, Tensor<'int64'>>>();

const comparison = f.lt(d);
expect<Same<typeof comparison, Tensor<'bool'>>>();
const equal = eq(u, 1);
expect<Same<typeof equal, Tensor<'bool'>>>();
const mixed = add(u, f);
expect<Same<typeof mixed, Tensor<'float32'>>>();
const precisions = f.mul(d);
expect<Same<typeof precisions, Tensor<'float64'>>>();
const withNumber = f.add(1);
expect<Same<typeof withNumber, Tensor<'float32'>>>();
const integerWithNumber = u.add(0.5);
expect<Same<typeof integerWithNumber, Tensor<'float32'>>>();
const integerWithInteger = u.add(2);
expect<Same<typeof integerWithInteger, Tensor<'uint8'>>>();
const integerWithAny = u.add(Math.random());
expect<Same<typeof integerWithAny, Tensor<'uint8' | 'float32'>>>();
const exponential = exp(u);
expect<Same<typeof exponential, Tensor<'float32'>>>();
const total = sum(u);
expect<Same<typeof total, Tensor<'int64'>>>();
const largest = amax(u, 0);
expect<Same<typeof largest, Tensor<'uint8'>>>();
const average = mean(d, { dim: 0 });
expect<Same<typeof average, Tensor<'float64'>>>();
const multiplied = matmul(u, f);
expect<Same<typeof multiplied, Tensor<'float32'>>>();
const product = f.mm(d, { out: d });
expect<Same<typeof product, Tensor<'float64'>>>();
const position = argmax(f, 0);
expect<Same<typeof position, Tensor<'int64'>>>();
const chosen = where(b, f, 0);
expect<Same<typeof chosen, Tensor<'float32'>>>();
const into = add(u, u, { out: d });
expect<Same<typeof into, Tensor<'float64'>>>();
const converted = f.to('int8');
expect<Same<typeof converted, Tensor<'int8'>>>();
const filled = full([1], 0, { dtype: 'int16' });
expect<Same<typeof filled, Tensor<'int16'>>>();

expect<Same<ReturnType<typeof f.dataSync>, Float32Array>>();
const count = eq(u, 1).sum().item() / 3;
expect<Same<typeof count, number>>();
const exact = l.item({ bigint: true });
expect<Same<typeof exact, bigint>>();
expect<Same<ReturnType<typeof l.toArray>, Nested<bigint>>>();
expect<Same<ReturnType<typeof b.item>, boolean>>();
expect<Same<ReturnType<typeof u.item>, number>>();
expect<Same<typeof f.dtype, 'float32'>>();

// any tensor takes every tensor; one of a dtype takes no other
const general: Tensor = f;
// @ts-expect-error another dtype
const wrong: Tensor<'int32'> = f;
// @ts-expect-error a dtype that is not known
const unknown: Tensor<'float32'> = general;
// @ts-expect-error a dtype that does not exist
zeros([1], { dtype: 'float31' });
// @ts-expect-error a device that does not exist
new nn.Linear(1, 1, { device: 'gpu' });
// @ts-expect-error the same of a file
fromNpy(new Uint8Array(), { device: 'gpu:0' });
// @ts-expect-error arrays are no operands
f.add([1, 2]);
// @ts-expect-error tensors are made by functions
new (f.constructor as typeof Tensor)(1);
const name: DType = general.dtype;

export { unknown, wrong, name };

const quotient = u.floorDivide(u);
expect<Same<typeof quotient, Tensor<'uint8'>>>();
const rest = l.remainder(f);
expect<Same<typeof rest, Tensor<'float32'>>>();
const shifted = u.bitwiseLeftShift(u);
expect<Same<typeof shifted, Tensor<'uint8'>>>();
const lengths = norm(d, 1, 0, { keepdim: true });
expect<Same<typeof lengths, Tensor<'float64'>>>();
// @ts-expect-error the order is a number
norm(f, 'fro');

// the dtype of a result is not taken from its use
// @ts-expect-error f.add(l) is float32
const narrowed: Tensor<'uint8'> = f.add(l);
// @ts-expect-error the same of the function
const narrowedToo: Tensor<'uint8'> = add(f, l);
// @ts-expect-error sum of float32
const summed: Tensor<'int64'> = sum(f, 0);
// @ts-expect-error zeros are float32 unless asked otherwise
const whole: Tensor<'int32'> = zeros([2]);
// @ts-expect-error and so is a range
const range: Tensor<'int32'> = arange(3);
// @ts-expect-error product of float32 and float64
const smaller: Tensor<'float32'> = matmul(f, d);
// @ts-expect-error position, not value
const places: Tensor<'float32'> = argmax(f);
export { narrowed, narrowedToo, summed, whole, range, smaller, places };

const limited = u.clamp(0, 200);
expect<Same<typeof limited, Tensor<'uint8'>>>();
const limitedAbove = clamp(u, { max: 200 });
expect<Same<typeof limitedAbove, Tensor<'uint8'>>>();
const limitedByFloats = u.clamp(0.5, null);
expect<Same<typeof limitedByFloats, Tensor<'float32'>>>();
const limitedInto = clamp(f, { min: 0, out: d });
expect<Same<typeof limitedInto, Tensor<'float64'>>>();
const mixedLimits = lerp(1, 2.5, zeros([1], { dtype: 'float16' }));
expect<Same<typeof mixedLimits, Tensor<'float16'>>>();
const shortGrid = zeros(2, 3);
expect<Same<typeof shortGrid, Tensor<'float32'>>>();
const grid = zeros(2, 3, { dtype: 'int32' });
expect<Same<typeof grid, Tensor<'int32'>>>();
const likeness = zerosLike(u, { dtype: 'int64' });
expect<Same<typeof likeness, Tensor<'int64'>>>();
const truths = full([2], true);
expect<Same<typeof truths, Tensor<'bool'>>>();

// options that a function does not have
// @ts-expect-error axis
sum(f, { axes: 0 });
// @ts-expect-error keepdim
f.sum(0, { keepDims: true });
// @ts-expect-error an object
sum(f, 0, true);
// @ts-expect-error dtype
zeros([2], { type: 'int32' });
// @ts-expect-error dtype
zeros(2, 3, { type: 'int32' });
// @ts-expect-error two shapes
zeros([2], [3]);
// @ts-expect-error mul has no alpha
f.mul(f, { alpha: 2 });
// @ts-expect-error in-place forms write to their tensor
f.neg_({ out: f });
// @ts-expect-error nor have they another out
f.clamp_({ min: 0, out: f });
// @ts-expect-error bigint
l.item({ bigInt: true });
// @ts-expect-error dtype
tensor([1], { dtyp: 'int32' });

const weighted = u.add(u, { alpha: 2 });
expect<Same<typeof weighted, Tensor<'uint8'>>>();
const cents = d.round({ decimals: 2 });
expect<Same<typeof cents, Tensor<'float64'>>>();
// @ts-expect-error alpha
f.add(f, { alfa: 2 });
// @ts-expect-error a number
f.round({ decimals: '2' });
const counts = u.bincount({ minlength: 3 });
expect<Same<typeof counts, Tensor<'int64'>>>();
const sums = bincount(u, { weights: f });
expect<Same<typeof sums, Tensor<'float32'>>>();
const wholeSums = u.bincount({ weights: u });
expect<Same<typeof wholeSums, Tensor<'float64'>>>();

// ---------------------------------------------------------------- learning

const model = new nn.Sequential(new nn.Linear(2, 3), new nn.ReLU());
const first = model.at(0);
expect<Same<typeof first, nn.Linear>>();
const last = model.at(-1);
expect<Same<typeof last, nn.Linear | nn.ReLU | undefined>>();
const anySequence: nn.Sequential = model;
const layers = new nn.ModuleList([new nn.Linear(1, 1), new nn.Linear(1, 1)]);
const layer = layers.at(0);
expect<Same<typeof layer, nn.Linear | undefined>>();
for (const each of layers) expect<Same<typeof each, nn.Linear>>();
// @ts-expect-error no Linear
layers.append(new nn.ReLU());
const anyList: nn.ModuleList = layers;
const classes = tensor([1n]);
const loss = nn.crossEntropy(model.forward(general), classes);
const lossValue = loss.item();
expect<Same<typeof lossValue, number>>();
const criterion = new nn.MSELoss({ reduction: 'sum' }).forward(general, f).item();
expect<Same<typeof criterion, number>>();
const single = nn.mseLoss(f, f);
expect<Same<typeof single, Tensor<'float32'>>>();
const double = f.mseLoss(d);
expect<Same<typeof double, Tensor<'float64'>>>();
const length = optim.clipGradNorm(model.parameters(), 1).item();
expect<Same<typeof length, number>>();
// @ts-expect-error reduction
new nn.L1Loss({ reduce: 'sum' });
const sgd = new optim.SGD(model.parameters(), { lr: 1 });
// @ts-expect-error lr
new optim.SGD(model.parameters(), { momentum: 1 });
new optim.StepLR(sgd, 3);
new optim.ReduceLROnPlateau(new optim.Adam(model.parameters()));
// @ts-expect-error no optimiser
new optim.StepLR({}, 3);
// @ts-expect-error no optimiser
new optim.ReduceLROnPlateau(model);
const closed = sgd.step(() => 3);
expect<Same<typeof closed, number>>();
sgd.step();
// @ts-expect-error a promise
sgd.step(async () => 3);
const slope = grad(loss, d);
expect<Same<typeof slope, Tensor<'float64'>>>();
const perhaps = grad(loss, d, { allowUnused: true });
expect<Same<typeof perhaps, Tensor<'float64'> | null>>();
const slopes = grad(loss, [f, d]);
expect<Same<typeof slopes, [Tensor<'float32'>, Tensor<'float64'>]>>();
const ofAll = grad(loss, model.parameters());
expect<Same<typeof ofAll, Tensor[]>>();
const byFirst = grad((x: Tensor<'float64'>, factor: number) => x.mul(factor).sum())(d, 2);
expect<Same<typeof byFirst, Tensor<'float64'>>>();
const byOthers = grad((n: number, x: Tensor<'float64'>, y: Tensor<'float32'>) => x.mul(y).sum().mul(n), {
  argnums: [2, 1],
})(2, d, f);
expect<Same<typeof byOthers, [Tensor<'float32'>, Tensor<'float64'>]>>();
const valued = valueAndGrad((x: Tensor<'float64'>) => x.sum())(d);
expect<Same<typeof valued, [Tensor<'float64'>, Tensor<'float64'>]>>();
const [, pull] = vjp((x, y) => x.mul(y), f, d);
const pulled = pull(d);
expect<Same<typeof pulled, [Tensor<'float32'>, Tensor<'float64'>]>>();
const pulledOne = vjp((x) => x.exp(), d)[1](d);
expect<Same<typeof pulledOne, Tensor<'float64'>>>();
const listed: Tensor[] = model.parameters();
jvp((x, y) => x.mul(y), listed, listed);
jvp((x: Tensor, y: Tensor) => x.mul(y), listed as readonly Tensor[], listed);
vjp((x: Tensor, y: Tensor) => x.mul(y), ...listed);
vjp((x: Tensor) => x.exp(), f, d);
const anything = JSON.parse('1');
const ofAny = grad((x: any) => x as Tensor)(anything);
expect<Same<typeof ofAny, Tensor>>();
const byAny = grad(loss, anything);
expect<Same<typeof byAny, Tensor>>();
// @ts-expect-error a tensor is no list of parameters
new optim.SGD(f, { lr: 1 });
// @ts-expect-error nor in a group
new optim.SGD([{ params: f }], { lr: 1 });
new optim.SGD([{ params: new Set(listed) }], { lr: 1 });
const ofMany = vjp((...all) => all[0]!, ...model.parameters())[1](f);
expect<Same<typeof ofMany, Tensor | Tensor[]>>();
const pushed = jvp((x) => x.exp(), [d], [d]);
expect<Same<typeof pushed, [Tensor<'float64'>, Tensor<'float64'>]>>();
const loaded = loadProgram<(x: Tensor) => Tensor<'float32'>>(new ArrayBuffer(8));
const ofProgram = loaded(f);
expect<Same<typeof ofProgram, Tensor<'float32'>>>();
loaded.dispose();
// @ts-expect-error an argument of the program
loaded(3);
const unknownProgram = loadProgram(new ArrayBuffer(8))(1, 'any');
expect<Same<typeof unknownProgram, unknown>>();
for (const row of d) expect<Same<typeof row, Tensor<'float64'>>>();
const [part, second] = u;
expect<Same<typeof part, Tensor<'uint8'>>>();
f.borrow((elements) => elements.length, { readOnly: true });
// @ts-expect-error readOnly
f.borrow((elements) => elements.length, { readonly: true });
export { anyList, anySequence, second };
