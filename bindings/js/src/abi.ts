// The backend in use: the functions of the flat ABI, the scratch block, and the calls that move bytes.
import { StriaError } from './errors.js';
import { refuseShape } from './recording.js';
import { abiNames, dtypes, FINGERPRINT, statuses, type Abi, type ErrorCode } from './tables.gen.js';

/** What a backend (backend_wasm.ts, backend_napi.ts) provides. */
export interface Backend {
  readonly kind: 'native' | 'wasm';
  readonly fn: Abi;
  /** Bytes of the scratch block; memory may move in any call, so ask again after one. */
  scratch(): Uint8Array;
  /** The same as numbers. */
  numbers(): Float64Array;
  /** Copies the elements of a contiguous tensor, or of any one that is on a device; refused if `bytes`, an array that the library made, has not their length. */
  read(handle: number, bytes: Uint8Array): number;
  write(handle: number, bytes: Uint8Array): number;
  /** Where devices work beside JavaScript: the elements that a tensor on one has now, row-major; minus a status, at once where it cannot
   * begin. */
  readLater?(handle: number): Promise<ArrayBuffer | number> | number;
  /** The same: 0 when everything that was begun on a device is done. */
  wait?(type: number, index: number): Promise<number> | number;
  /** Bytes that an allocation leaves as they are: a copy, where they are borrowed memory that may move. */
  keep?(bytes: Uint8Array): Uint8Array;
  /** Runs fn on the memory of a contiguous tensor, which stays alive and in its place meanwhile; a copy of it, written back
   * afterwards, where what fn keeps could not be made empty. `isRead`: fn writes nothing, and nothing is written
   * back. */
  borrow<R>(handle: number, nbytes: number, isRead: boolean, fn: (bytes: Uint8Array<ArrayBuffer>) => R): R;
  /** Where tensors can share memory with JavaScript: the handle of one over the memory of a buffer, from a byte on; shape in numbers(). */
  share?(buffer: ArrayBuffer, byteOffset: number, dtype: number, ndim: number): number;
  /** WebAssembly: functions that were compiled for expressions; -1: the host refuses. */
  compiled?(): number;
  /** Bytes of the buffers that such tensors keep alive. */
  sharedBytes?(): number;
  npyGet(bytes: Uint8Array): number;
  npyCopy(handle: number): Uint8Array | number;
  /** Checks the header of a safetensors file of so many bytes from the first of them: where the header ends, if it is not all there; 0 if
   * it is and the file keeps the rules; minus a status. */
  safetensorsCheck(fileBytes: number, bytes: Uint8Array): number;
  /** Whether the module has trapped: every call throws then, but those that end a tensor, which do nothing. */
  readonly isStopped?: boolean;
  /** Where finalizers are not needed (memory.ts): from now on the backend ends the first n tensors when they are unreachable;
   * all but the last few, if it returns less than n. */
  watch?(tensors: readonly object[], handles: Float64Array, n: number): number;
  /** Ends the watched tensors that are found unreachable; returns how many are left. */
  sweep?(): number;
}

function notReady(): never {
  throw new StriaError('ERR_CONFIG', 'stria is not ready: await init() first', { op: 'init' });
}

const unready = Object.fromEntries(abiNames.map((name) => [name, notReady])) as unknown as Abi;

/** The ABI of the loaded backend; every function throws before init. */
export let fn: Abi = unready;
/** The loaded backend. */
export let backend: Backend = {
  kind: 'wasm',
  fn: unready,
  scratch: notReady,
  numbers: notReady,
  read: notReady,
  write: notReady,
  borrow: notReady,
  npyGet: notReady,
  npyCopy: notReady,
  safetensorsCheck: notReady,
};

// Offsets of the parts of the scratch block (abi.h), in bytes.
let offsets: number[] = [];
const NUMBERS = 0;
const OPERAND = 1;
const ERROR_STRINGS = 2;

/** Makes a backend the one in use, if it was built from the same tables as this code. */
export function install(loaded: Backend): void {
  if (loaded.fn.fingerprint() !== FINGERPRINT)
    throw new StriaError(
      'ERR_UNSUPPORTED',
      `init: the ${loaded.kind} module is of another version than the JavaScript`,
      {
        op: 'init',
      },
    );
  offsets = Array.from({ length: 8 }, (_, k) => loaded.fn.layout(k));
  backend = loaded;
  fn = loaded.fn;
}

/** Whether init has run. */
export function isReady(): boolean {
  return fn !== unready;
}

const decoder = new TextDecoder();

function text(part: number): string {
  const bytes = backend.scratch().slice(offsets[part], offsets[part + 1]); // shared memory cannot be decoded in place
  const end = bytes.indexOf(0);
  return decoder.decode(end < 0 ? bytes : bytes.subarray(0, end));
}

/** The text that a call left as its answer. */
export function answer(): string {
  return text(ERROR_STRINGS + 4);
}

/** The text that a call gives piece by piece: `piece(offset)` puts what begins there into the numbers, as much as fits, and
 * returns the length of all of it in bytes. */
export function pieces(piece: (offset: number) => number): string {
  let bytes = new Uint8Array(0);
  for (let offset = 0, total = 1; offset < total;) {
    total = check(piece(offset));
    if (offset === 0) bytes = new Uint8Array(total);
    const part = backend
      .scratch()
      .subarray(offsets[NUMBERS], offsets[OPERAND])
      .subarray(0, total - offset);
    bytes.set(part, offset);
    offset += part.length;
  }
  return decoder.decode(bytes);
}

// The core writes f32 and bitwise_and where JavaScript writes float32 and bitwiseAnd. A word after a quote or a sign is one of
// a file ('<u8').
const longNames: ReadonlyMap<string, string> = new Map(dtypes.map(({ word, name }) => [word, name]));
const shortName = new RegExp(`(^|[^\\w<>|='"])(${[...longNames.keys()].join('|')})(?!\\w)`, 'g');

function withLongNames(text: string): string {
  return text.replace(shortName, (_, before: string, word: string) => before + longNames.get(word)!);
}

function camelCase(text: string): string {
  return text.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

// What the core calls by another name.
const hostNames: Readonly<Record<string, string>> = {
  expression: 'kernel',
  graph: 'compile',
  recording: 'compile',
};

// Of a tensor on meta, which is a symbol while calls are recorded.
const DEPENDS = 'the shape of the result depends on ';

const scopeHelp = '; dispose() and scope(fn) give back what is no longer needed';

/** The trace begins with the function that called `from`, so that it reaches back to the caller's own lines. */
export function traced<E extends Error>(error: E, from: (...args: never[]) => unknown): E {
  (Error as { captureStackTrace?: (error: Error, from: unknown) => void }).captureStackTrace?.(error, from);
  return error;
}

/** What the core calls the operands of an op; a single one also this: */
export const inputs = ['a', 'b', 'c'];
const single = ['x', 'in'];

/** Throws what a negative result of the ABI stands for. `op` and `argument` name them where the core knows them by others; a list names
 * the operands of an op. `rename` changes what a graph says. */
export function fail(
  result: number,
  op?: string,
  argument?: string | readonly string[],
  rename: (words: string) => string = String,
): never {
  const status = statuses[-result] ?? statuses[15]!;
  const [own, place, expected, got, message] = [0, 1, 2, 3, 4].map((k) =>
    text(ERROR_STRINGS + k),
  ) as string[];
  backend.scratch().fill(0, offsets[ERROR_STRINGS], offsets[ERROR_STRINGS + 5]); // for a status that comes without words
  const name = op ?? hostNames[own!] ?? camelCase(own!);
  const shown = camelCase(place!);
  const named =
    typeof argument === 'string'
      ? argument
      : (argument?.[single.includes(place!) ? 0 : inputs.indexOf(place!)] ?? shown);
  let words = message!.startsWith(`${own}: `) ? message!.slice(own!.length + 2) : message || status.text;
  if (typeof argument === 'object' && words.startsWith(`${place} `))
    words = named + words.slice(place!.length);
  else if (shown !== place) words = words.replaceAll(place!, shown);
  if (status.code === 'ERR_DEVICE' && words.startsWith(DEPENDS)) refuseShape(name);
  const help = status.code === 'ERR_MEMORY' && backend.kind === 'wasm' ? scopeHelp : '';
  const shownBy = own === 'graph' ? rename : String;
  const details = {
    op: name,
    argument: shownBy(named),
    expected: withLongNames(expected!),
    got: withLongNames(got!),
  };
  throw traced(
    new status.error(status.code, `${name}: ${shownBy(withLongNames(words))}${help}`, details),
    fail,
  );
}

/** Passes on a result that is not negative; `op` and `argument` as for fail. */
export function check(result: number, op?: string, argument?: string | readonly string[]): number {
  return result < 0 ? fail(result, op, argument) : result;
}

/** Throws an error found on this side of the ABI, with the class that belongs to its code. */
export function refuse(
  code: ErrorCode,
  op: string,
  argument: string,
  expected: string,
  got: string,
  cause?: unknown,
): never {
  refuseWith(
    code,
    `${op}: ${argument} must be ${expected}, got ${got}`,
    { op, argument, expected, got, cause },
    refuse,
  );
}

/** The same with a message of its own. The trace begins with the function that called `from`. */
export function refuseWith(
  code: ErrorCode,
  message: string,
  details: ConstructorParameters<typeof StriaError>[2],
  from: (...args: never[]) => unknown = refuseWith,
): never {
  const status = statuses.find((row) => row.code === code && row.text !== 'no error')!;
  throw traced(new status.error(code, message, details), from);
}

/** The kinds of operands (stria_scalar_kind, a handle, and one that is not given). */
export const KIND = { bool: 0, int: 1, float: 2, complex: 3, uint: 4, handle: 5, none: 6 } as const;

/** Puts operand k into the scratch block. */
export function setOperand(k: number, kind: number, re: number, im = 0): void {
  const numbers = backend.numbers();
  const at = offsets[OPERAND]! / 8 + 4 * k;
  numbers[at] = kind;
  numbers[at + 1] = re;
  numbers[at + 2] = im;
  if (kind === KIND.int) integers(numbers)[at + 3] = BigInt(re);
}

/** Puts an integer that a number may not hold into the scratch block. */
export function setBigintOperand(k: number, value: bigint): void {
  const numbers = backend.numbers();
  const at = offsets[OPERAND]! / 8 + 4 * k;
  numbers[at] = value >= 2n ** 63n ? KIND.uint : KIND.int;
  numbers[at + 1] = Number(value);
  numbers[at + 2] = 0;
  integers(numbers)[at + 3] = value; // modulo 2^64
}

function integers(numbers: Float64Array): BigInt64Array {
  return new BigInt64Array(numbers.buffer, numbers.byteOffset, numbers.length);
}

/** How many numbers the scratch block holds. */
export function numbersRoom(): number {
  return (offsets[OPERAND]! - offsets[NUMBERS]!) / 8;
}

/** Puts a list, or the first `count` of it, into the number part of the scratch block. */
export function setNumbers(list: ArrayLike<number>, from = 0, count = list.length): void {
  const numbers = backend.numbers();
  for (let k = 0; k < count; k++) numbers[from + k] = list[k]!;
}
