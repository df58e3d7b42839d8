// What the conformance tests share: the cases of a suite, tensors of them, results compared. The suites are files beside the
// repository, with a reader of their own (cases.mjs).
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { dtypes, fromBytes, type DType, type Tensor } from 'stria';
import * as stria from 'stria';

/** $STRIA_TESTDATA, by default ../shared/testdata beside the repository. */
export const folder =
  process.env.STRIA_TESTDATA ?? fileURLToPath(new URL('../../../../../shared/testdata', import.meta.url));
export const isHere = existsSync(join(folder, 'cases.mjs'));

interface Values {
  readonly dtype: string;
  readonly shape: number[];
  readonly data: ArrayBufferView & ArrayLike<number | bigint>;
}

export type Attributes = Record<string, any>;

export interface Case {
  readonly name: string;
  readonly op: string;
  readonly attrs: Attributes;
  readonly inputNames?: readonly string[];
  readonly inputs: readonly unknown[];
  readonly outputs: readonly unknown[];
  readonly tol: Attributes | null;
  /** A number, for every element, that the standard also allows. */
  readonly alt?: number | string;
}

interface Reader {
  readCases(path: string): Case[];
  decode(tensor: unknown): Values | null;
  compare(got: Values, want: Values, tol: Attributes): string | null;
}

/** The functions of stria by name; one that is not there throws Missing. */
export type Functions = Record<string, (...given: any[]) => any>;

/** One for each op of a suite: from its inputs, of which some may be left out, and attributes, with the `count` of outputs, to its
 * outputs. */
export type Adapters = Record<
  string,
  (
    S: Functions,
    inputs: Tensor[],
    attrs: Attributes,
    names: readonly string[],
  ) => Tensor | readonly (Tensor | undefined)[]
>;

/** The library has no function of that name. */
export class Missing extends Error {}

const all = stria as unknown as Functions;
export const functions = new Proxy({} as Functions, {
  get(_, name: string) {
    if (typeof all[name] !== 'function') throw new Missing(name);
    return all[name];
  },
});

/** (x - mean) / sqrt(variance + epsilon) over axes. */
export function normalised(S: Functions, x: Tensor, axes: readonly number[], epsilon: number): Tensor {
  if (axes.length === 0) return S.zerosLike(x);
  const centred = S.sub(x, S.mean(x, axes, { keepdim: true }));
  const variance = S.mean(S.square(centred), axes, { keepdim: true });
  return S.div(centred, S.sqrt(S.add(variance, epsilon)));
}

const known = new Set<string>(dtypes.map(({ name }) => name));

// Values of a tensor; of one number for all of a large tensor quickly.
function valuesFrom(tensor: unknown, decode: Reader['decode']): Values | null {
  const { fill, shape } = (tensor ?? {}) as { fill?: unknown; shape?: number[] };
  if (fill === undefined) return decode(tensor);
  const one = decode({ ...(tensor as object), shape: [1] })!;
  const data = new (one.data.constructor as Float32ArrayConstructor)(shape!.reduce((a, b) => a * b, 1));
  return { dtype: one.dtype, shape: shape!, data: data.fill(one.data[0] as number) };
}

const isEqual = ({ data: a }: Values, { data: b }: Values): boolean =>
  a.length === b.length && Buffer.compare(bytes(a), bytes(b)) === 0;
const bytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

function tensorOf(values: Values): Tensor {
  const { dtype, shape, data } = values;
  if (dtype === 'string') throw new Error('elements are texts');
  if (!known.has(dtype)) throw new Missing(`dtype ${dtype}`);
  return fromBytes(data, { dtype: dtype as DType, shape });
}

function valuesOf(x: Tensor, like: string): Values {
  // suites without a dtype for truth have uint8
  const y = x.dtype === 'bool' && like === 'uint8' ? x.to('uint8') : x;
  return { dtype: y.dtype, shape: [...y.shape], data: y.dataSync() as Values['data'] };
}

/** passed, missing: a function is not there, or a text that says what differs. */
export type Outcome = 'passed' | 'missing' | { readonly failure: string };

function outputsOf(
  one: Case,
  adapter: Adapters[string],
  decode: Reader['decode'],
): readonly (Tensor | undefined)[] {
  const inputs = one.inputs.map((input) => {
    const values = valuesFrom(input, decode);
    return values === null ? undefined : tensorOf(values);
  });
  const result = adapter(
    functions,
    inputs as Tensor[],
    { ...one.attrs, count: one.outputs.length },
    one.inputNames ?? [],
  );
  return Array.isArray(result) ? result : [result as Tensor];
}

// What differs between two tensors of one shape and dtype that are large is found by the reader, what is equal here.
function compareOne(one: Case, y: Tensor, want: Values, { decode, compare }: Reader): string | null {
  const got = valuesOf(y, want.dtype);
  if (got.dtype === want.dtype && String(got.shape) === String(want.shape) && isEqual(got, want)) return null;
  const difference = compare(got, want, one.tol ?? { metric: 'EXACT' });
  if (difference === null || one.alt === undefined) return difference;
  const other = valuesFrom({ dtype: want.dtype, shape: want.shape, fill: one.alt }, decode)!;
  return compare(got, other, one.tol ?? {}) === null ? null : difference;
}

function compareOutputs(one: Case, got: readonly (Tensor | undefined)[], reader: Reader): string | undefined {
  for (let k = 0; k < one.outputs.length; k++) {
    const y = got[k];
    if (y === undefined) continue; // an output that the adapter does not make
    const difference = compareOne(one, y, valuesFrom(one.outputs[k], reader.decode)!, reader);
    if (difference !== null) return `output ${k}: ${difference}`;
  }
  return got.length === 0 ? 'no output' : undefined;
}

// Complex numbers are of few ops.
const isComplex = (one: Case): boolean =>
  one.inputs.some((input) => String((input as Values | null)?.dtype).startsWith('complex'));
const isRefused = (error: unknown): boolean =>
  error instanceof stria.StriaError && error.code === 'ERR_DTYPE' && /is not supported/.test(error.message);

function runCase(one: Case, adapters: Adapters, reader: Reader): Outcome {
  const adapter = adapters[one.op];
  if (adapter === undefined) return 'missing';
  try {
    return stria.scope(() => {
      const failure = compareOutputs(one, outputsOf(one, adapter, reader.decode), reader);
      return failure === undefined ? 'passed' : { failure };
    }) as Outcome;
  } catch (error) {
    if (error instanceof Missing || (isComplex(one) && isRefused(error))) return 'missing';
    return { failure: String(error) };
  }
}

/** Every case of a suite with its outcome. */
export async function runSuite(file: string, adapters: Adapters): Promise<[Case, Outcome][]> {
  const reader = (await import(pathToFileURL(join(folder, 'cases.mjs')).href)) as Reader;
  return reader.readCases(join(folder, file)).map((one) => [one, runCase(one, adapters, reader)]);
}
