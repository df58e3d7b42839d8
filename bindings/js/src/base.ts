// The fields of a tensor, and how one is made from a handle. Modules that the class Tensor is built on use this one, so that
// imports form no circle.
import { refuse } from './abi.js';
import { track } from './memory.js';
import { setTensorTest } from './print.js';
import type { Device, DType } from './tables.gen.js';
import type { Tensor } from './tensor.js';

/** What was asked about a tensor before. */
export interface Facts {
  /** Whose they are: what a proxy answers in their place has another one. */
  handle: number;
  dtype: DType;
  device: Device;
  numel: number;
  isContiguous: boolean;
  storageBytes: number;
  itemBytes: number;
  shape: readonly number[];
  strides: readonly number[];
}

/**
 * A field that makes engines refuse to clone an object (structuredClone, postMessage): its copy would be a handle of
 * nothing. They say "Symbol(..) could not be cloned".
 */
export const UNCLONEABLE = Symbol(
  'what belongs to stria: send the data() and shape of a tensor, or the getState() of a generator',
);

// Who has it may make tensors from handles.
const inside = Symbol('inside');

// Apart, so that the constructor is small enough for engines to put it into its callers.
function refuseNew(): never {
  refuse(
    'ERR_ARGUMENT',
    'Tensor',
    'new',
    'left to tensor(), zeros(), full(), arange(), fromBytes() and the like',
    'a call',
  );
}

export abstract class TensorBase {
  /** @internal 0 once disposed of */
  _handle: number;
  /** @internal */
  _facts: Facts | undefined;
  /** @internal see memory.ts */
  _ballast: ArrayBuffer | undefined;
  /** @internal what .grad gave last */
  _grad: Tensor | undefined;
  /** @internal */
  readonly _clone: symbol;

  /** @internal */
  constructor(handle: number, key?: symbol) {
    if (key !== inside) refuseNew();
    this._handle = handle;
    this._facts = undefined;
    this._ballast = undefined;
    this._grad = undefined;
    this._clone = UNCLONEABLE;
  }
}

let maker: new (handle: number, key: symbol) => Tensor;

/** Called by init, before there can be a handle. A call, and not a side effect of the module of the class, which bundlers
 * would drop. */
export function setMaker(tensorClass: new (handle: number, key: symbol) => Tensor): void {
  maker = tensorClass;
  setTensorTest(isTensor);
}

/** A tensor for a new handle. */
export function wrap(handle: number): Tensor {
  const x = new maker(handle, inside);
  track(x);
  return x;
}

/** x, after an operation that may have given it another shape. */
export function changed(x: Tensor): Tensor {
  try {
    x._facts = undefined;
  } catch {
    if (x._facts !== undefined) x._facts.handle = 0; // it is frozen: they are nobody's
  }
  return x;
}

/** In place of a handle: the value is no tensor. */
export const NO_TENSOR = -Infinity;

/** The handle of a tensor, read once; 0 if it was disposed of, NO_TENSOR if the value is none. */
export function handleIn(value: unknown): number {
  try {
    if (!(value instanceof TensorBase)) return NO_TENSOR;
    const handle: unknown = value._handle;
    return typeof handle === 'number' ? handle : NO_TENSOR;
  } catch {
    return NO_TENSOR; // a proxy that was revoked, or throws
  }
}

export function isTensor(value: unknown): value is Tensor {
  return handleIn(value) !== NO_TENSOR;
}
