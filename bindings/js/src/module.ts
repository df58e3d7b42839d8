// Modules: parameters, buffers and modules in the fields of an object, found by looking at them, under PyTorch's names.
import { refuse, refuseWith } from './abi.js';
import { dtypeNumber, isComplexDType, isRealFloat, print, tensorArgument } from './arguments.js';
import { isTensor, type Facts } from './base.js';
import { deviceName, deviceNumbers, isDeviceName } from './devices.js';
import { addressesOf, known } from './facts.js';
import { changeRequiresGrad, noGrad, setGrad, setRequiresGrad, stateOf } from './gradients.js';
import { membersOf } from './members.js';
import { end, outside, scope } from './memory.js';
import { atMost, flagOf, isOptions, namesOf, readOptions } from './options.js';
import { beginEpoch, recorder } from './recording.js';
import { loadSafetensors, saveSafetensors } from './safetensors.js';
import type { Device, DeviceName, DType, ErrorCode } from './tables.gen.js';
import type { Tensor } from './tensor.js';

// ---------------------------------------------------------------- parameters

/** A tensor that a module learns: a Tensor that requires a gradient. */
export type Parameter<D extends DType = DType> = Tensor<D>;

const parameters = new WeakSet<Tensor>();

interface ParameterConstructor {
  /** Makes the tensor itself a parameter, where it is a leaf, and returns it. */
  new <D extends DType>(x: Tensor<D>, options?: { requiresGrad?: boolean }): Parameter<D>;
  [Symbol.hasInstance](value: unknown): boolean;
}

const parameterNames = namesOf<{ requiresGrad?: boolean }>({ requiresGrad: 'requiresGrad' });

/**
 * `new Parameter(x)` is x, which requires a gradient from then on and is found in the fields of modules; `x
 * instanceof Parameter` tells. Where x is the result of a call that was remembered, which could not learn, it is a
 * tensor with the same elements and no history.
 */
export const Parameter = class {
  constructor(x: Tensor, options?: { requiresGrad?: boolean }) {
    const given = tensorArgument('Parameter', 'x', x);
    const { requiresGrad = true } = readOptions('Parameter', options, parameterNames);
    const isWanted = flagOf('Parameter', 'requiresGrad', requiresGrad);
    const own = stateOf('Parameter', given, 'x').isLeaf ? given : given.detach();
    setRequiresGrad('Parameter', own, isWanted);
    parameters.add(own);
    beginEpoch();
    return own;
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return isTensor(value) && parameters.has(value);
  }
} as unknown as ParameterConstructor;

// ---------------------------------------------------------------- modules

/** What stateDict gives: tensors by names such as 'layers.0.weight'; an object without a prototype. */
export type StateDict = Record<string, Tensor>;

/** Of loadStateDict and load. */
export interface LoadStateOptions {
  /** false: what is missing or not expected is passed over. Default: true. */
  strict?: boolean;
}

const strictNames = namesOf<LoadStateOptions>({ strict: 'strict' });

type Named<T> = [name: string, value: T];

const join = (prefix: string, name: string): string => (prefix === '' ? name : `${prefix}.${name}`);
const isParameter = (value: unknown): value is Parameter => value instanceof Parameter;

const nameRule = (name: unknown): string =>
  isName(name) ? 'a name that modules have not' : 'a name without a point';

// Points stand between the names of a module and of what is in it.
const isName = (name: unknown): name is string =>
  typeof name === 'string' && name !== '' && !name.includes('.');

type Forward = (this: object, ...inputs: unknown[]) => unknown;
const isWatched = new WeakSet<Forward>();

// A program whose recording ran forward, or looked at training, is recorded again where a field of the module, such as training, a buffer or an
// option, is another one.
const watchFields = (module: object): void => recorder?.watch(() => Object.values(module), module);

function watchForward(prototype: object): void {
  let owner = prototype;
  while (owner !== null && !Object.hasOwn(owner, 'forward')) owner = Object.getPrototypeOf(owner) as object;
  const own = (owner as { forward?: Forward } | null)?.forward;
  if (typeof own !== 'function' || isWatched.has(own)) return;
  const forward: Forward = function (...inputs) {
    watchFields(this);
    return Reflect.apply(own, this, inputs);
  };
  isWatched.add(forward);
  Reflect.defineProperty(owner, 'forward', { value: forward, writable: true, configurable: true });
}

/**
 * The base of modules. A field that holds a Parameter or a Module belongs to the module, under the name of the field; other tensors do where
 * registerBuffer says so. Names have no points, which stand in longer ones: 'layers.0.weight'. `forward` computes.
 */
export abstract class Module {
  /** @internal */
  _training = true;
  /** Names of buffers, and whether they are saved. @internal */
  readonly _buffers = new Map<string, boolean>();

  constructor() {
    watchForward(new.target.prototype as object);
  }

  /** Whether the module learns; Dropout looks at it. train() and eval() set it, here and in all modules within. */
  get training(): boolean {
    watchFields(this);
    return this._training;
  }

  set training(isTraining: boolean) {
    this._training = isTraining;
  }

  abstract forward(...inputs: never[]): unknown;

  /** A tensor that is saved but not learnt, as the field `name`; with `{ persistent: false }` it is not saved either. */
  registerBuffer(name: string, x: Tensor | null, options?: { persistent?: boolean }): void {
    const { persistent = true } = readOptions('registerBuffer', options, persistentNames);
    this.#checkName('registerBuffer', name);
    if (x !== null) tensorArgument('registerBuffer', 'x', x);
    this._buffers.set(name, flagOf('registerBuffer', 'persistent', persistent));
    this.#set(name, x);
  }

  /** The same as a field with that name. */
  registerParameter(name: string, x: Parameter | null): void {
    this.#checkName('registerParameter', name);
    if (x !== null && !isParameter(x))
      refuse('ERR_ARGUMENT', 'registerParameter', 'x', 'a Parameter', print(x));
    this.#set(name, x);
  }

  /** The same as a field with that name. */
  registerModule(name: string, module: Module | null): void {
    this.#checkName('registerModule', name);
    if (module !== null && !(module instanceof Module))
      refuse('ERR_ARGUMENT', 'registerModule', 'module', 'a Module', print(module));
    if (module === this) refuse('ERR_ARGUMENT', 'registerModule', 'module', 'another Module', 'this one');
    this.#set(name, module);
  }

  #checkName(op: string, name: unknown): void {
    if (!isName(name) || (name in this && !Object.hasOwn(this, name)))
      refuse('ERR_ARGUMENT', op, 'name', nameRule(name), print(name));
  }

  #set(name: string, value: unknown): void {
    (this as Record<string, unknown>)[name] = value;
  }

  /** Modules in the fields of this one, with their names. */
  namedChildren(): Named<Module>[] {
    return childrenOf(this);
  }

  children(): Module[] {
    return childrenOf(this).map(([, module]) => module);
  }

  /** This module, and all within, each once. */
  namedModules(prefix = '', seen = new Set<Module>()): Named<Module>[] {
    const found: Named<Module>[] = [];
    visit(prefix, this, seen, (entry) => found.push(entry));
    return found;
  }

  modules(): Module[] {
    return modulesOf(this).map(([, module]) => module);
  }

  #all(recurse: boolean, pick: (module: Module) => Named<Tensor>[]): Named<Tensor>[] {
    const seen = new Set<Tensor>();
    const modules: Named<Module>[] = recurse ? modulesOf(this) : [['', this]];
    return modules
      .flatMap(([prefix, module]) => pick(module).map(([name, x]): Named<Tensor> => [join(prefix, name), x]))
      .filter(([, x]) => !seen.has(x) && seen.add(x));
  }

  /** Parameters with their names, each once. `recurse`: those of modules within, too. */
  namedParameters(recurse = true): Named<Parameter>[] {
    return this.#all(recurse, ownParameters);
  }

  parameters(recurse = true): Parameter[] {
    return this.#all(recurse, ownParameters).map(([, x]) => x);
  }

  namedBuffers(recurse = true): Named<Tensor>[] {
    return this.#all(recurse, allBuffers);
  }

  buffers(recurse = true): Tensor[] {
    return this.#all(recurse, allBuffers).map(([, x]) => x);
  }

  /** Sets `training` here and in all modules within. */
  train(mode = true): this {
    const isTraining = flagOf('train', 'mode', mode);
    for (const [, module] of modulesOf(this)) module.training = isTraining;
    return this;
  }

  eval(): this {
    return this.train(false);
  }

  /** Whether the parameters are learnt. */
  requiresGrad_(flag = true): this {
    const isWanted = flagOf('requiresGrad_', 'flag', flag);
    for (const [name, x] of this.#all(true, ownParameters))
      changeRequiresGrad('requiresGrad_', x, isWanted, name);
    return this;
  }

  /** Gradients of all parameters go. */
  zeroGrad(): void {
    for (const [name, x] of this.#all(true, ownParameters)) setGrad(x, null, 'zeroGrad', name);
  }

  /** Runs a function on all modules within, each once, and on this one at the end. */
  apply(fn: (module: Module) => void): this {
    visit('', this, new Set(), undefined, ([, module]) => fn(module));
    return this;
  }

  /**
   * Parameters and buffers become new tensors on a device, and those that are floats of another float dtype, which outlive the scopes
   * around the call; an optimiser that has the old ones does not know the new ones.
   */
  to(target: DType | DeviceName | { dtype?: DType; device?: DeviceName }): this {
    atMost('to', 1, arguments);
    const { dtype, device } = wantedOf(target);
    const isDone = (x: Tensor): boolean =>
      (device === undefined || x.device === device) &&
      (dtype === undefined || !isRealFloat(x.dtype) || x.dtype === dtype);
    const made = new Map<Tensor, Tensor>();
    for (const [, module] of modulesOf(this))
      for (const [name, x] of [...ownParameters(module), ...allBuffers(module)]) {
        if (isDone(x)) continue;
        const next = made.get(x) ?? outside(() => converted(x, dtype, device));
        made.set(x, next);
        (module as unknown as Record<string, Tensor>)[name] = next;
      }
    return this;
  }

  // ---------------------------------------------------------------- state

  // Parameters and buffers that are saved; one in two places, or of a module in two places, has both names.
  #state(op: string): Named<Tensor>[] {
    const all = placesOf(this).flatMap(([prefix, module]) =>
      [...ownParameters(module), ...ownBuffers(module, true)].map(([name, x]): Named<Tensor> => [
        join(prefix, name),
        x,
      ]),
    );
    for (const [name, x] of all) known(x, op, name); // refused by its name, if it was disposed of
    return all;
  }

  /** Parameters and buffers by their names: those of the module, not copies. */
  stateDict(): StateDict {
    const dict = Object.create(null) as StateDict;
    for (const [name, x] of this.#state('stateDict')) dict[name] = x.detach();
    return dict;
  }

  /**
   * Copies tensors into the parameters and buffers of their names. What is missing, not expected, or cannot be
   * copied, as it has another shape or is complex where the parameter is real, is refused with all its names, before
   * anything is changed. Returns the names of what was passed over.
   */
  loadStateDict(
    dict: StateDict | ReadonlyMap<string, Tensor>,
    options?: LoadStateOptions,
  ): { missingKeys: string[]; unexpectedKeys: string[] } {
    return this.#load('loadStateDict', dict, options);
  }

  #load(
    op: string,
    dict: StateDict | ReadonlyMap<string, Tensor>,
    options?: LoadStateOptions,
  ): { missingKeys: string[]; unexpectedKeys: string[] } {
    const isStrict = flagOf(op, 'strict', readOptions(op, options, strictNames).strict ?? true);
    if (isTensor(dict)) refuse('ERR_ARGUMENT', op, 'dict', 'an object of tensors', print(dict));
    const given = new Map(
      membersOf(op, 'dict', dict).map(([name, x]) => [name, tensorArgument(op, name, x)]),
    );
    const own = new Map(this.#state(op));
    const missingKeys = [...own.keys()].filter((name) => !given.has(name));
    const unexpectedKeys = [...given.keys()].filter((name) => !own.has(name));
    const pairs = [...own].flatMap(([name, x]): [string, Tensor, Tensor][] => {
      const source = given.get(name);
      return source === undefined ? [] : [[name, x, source]];
    });
    refuseMisfits(
      op,
      [...own.keys()],
      [...given.keys()],
      isStrict ? [missingKeys, unexpectedKeys] : [[], []],
      pairs,
    );
    copyAll(
      op,
      pairs.map(([, x, source]) => [x, source]),
    );
    return { missingKeys, unexpectedKeys };
  }

  /** The bytes of a safetensors file of the state. */
  save(metadata?: Readonly<Record<string, string>> | ReadonlyMap<string, string>): Uint8Array<ArrayBuffer> {
    return scope(() => saveSafetensors(this.stateDict(), metadata));
  }

  /** The same as loadStateDict from the bytes of a safetensors file. */
  load(
    bytes: ArrayBuffer | ArrayBufferView,
    options?: LoadStateOptions,
  ): { missingKeys: string[]; unexpectedKeys: string[] } {
    return scope(() => this.#load('load', loadSafetensors(bytes).tensors, options));
  }
}

// Copies tensors into others, all as they are now: those that lie in memory that is written to are copied first.
function copyAll(op: string, pairs: (readonly [to: Tensor, from: Tensor])[]): void {
  const written = pairs.map(([x]) => addressesOf(x, op)).sort(([a], [b]) => a - b);
  // of ranges in order, the largest end so far
  let most = -Infinity;
  const ends = written.map(([, last]) => (most = Math.max(most, last)));
  const isWritten = (x: Tensor): boolean => {
    const [first, last] = addressesOf(x, op);
    let [low, high] = [0, written.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (written[middle]![0] < last) low = middle + 1;
      else high = middle;
    }
    return low > 0 && ends[low - 1]! > first;
  };
  const copies: Tensor[] = [];
  try {
    noGrad(() => {
      const sources = pairs.map(([, from]) => {
        if (!isWritten(from)) return from;
        const copy = from.clone();
        copies.push(copy);
        return copy;
      });
      pairs.forEach(([x], k) => x.copy_(sources[k]!));
    });
  } finally {
    copies.forEach(end);
  }
}

// Refuses what does not fit, all of it in one message.
function refuseMisfits(
  op: string,
  own: string[],
  given: string[],
  [missing, unexpected]: string[][],
  pairs: [string, Tensor, Tensor][],
): void {
  const facts = pairs.map(([name, x, source]) => [name, known(x, op), known(source, op, name)] as const);
  const found = (
    isWrong: (own: Facts, other: Facts) => boolean,
    tell: (facts: Facts) => string,
  ): [string, string][] =>
    facts
      .filter(([, x, source]) => isWrong(x, source))
      .map(([name, x, source]) => [name, `${name} (${tell(source)} for ${tell(x)})`]);
  const plain = (names: string[]): [string, string][] => names.map((name) => [name, name]);
  const groups: [ErrorCode, string, [name: string, words: string][]][] = [
    ['ERR_ARGUMENT', 'missing', plain(missing!)],
    ['ERR_ARGUMENT', 'not expected', plain(unexpected!)],
    [
      'ERR_SHAPE',
      'of another shape',
      found(
        (a, b) => `${a.shape}` !== `${b.shape}`,
        ({ shape }) => `[${shape}]`,
      ),
    ],
    [
      'ERR_DTYPE',
      'complex, not real',
      found(
        (a, b) => isComplexDType(b.dtype) && !isComplexDType(a.dtype),
        ({ dtype }) => dtype,
      ),
    ],
    [
      'ERR_DEVICE',
      'on another device',
      found(
        // elements are copied from wherever they are; symbols when what is recorded runs
        (a, b) => (a.device === 'meta') !== (b.device === 'meta') && recorder === undefined,
        ({ device }) => device,
      ),
    ],
    [
      'ERR_OVERLAP',
      'elements that share memory',
      found(
        ({ shape, strides }) => shape.some((size, d) => size > 1 && strides[d] === 0),
        ({ strides }) => `strides [${strides}]`,
      ),
    ],
  ];
  const wrong = groups.filter(([, , list]) => list.length > 0);
  if (wrong.length === 0) return;
  const lines = wrong.map(([, what, list]) => `${what}: ${listed(list.map(([, words]) => words))}`);
  const [code, , [[argument]]] = wrong[0] as [ErrorCode, string, [[string, string]]];
  refuseWith(code, `${op}: ${lines.join('; ')}`, {
    op,
    argument,
    expected: listed(own),
    got: listed(given),
  });
}

const MOST_LISTED = 100;
const listed = (words: string[]): string =>
  words.slice(0, MOST_LISTED).join(', ') +
  (words.length > MOST_LISTED ? ` and ${words.length - MOST_LISTED} more` : '');

const persistentNames = namesOf<{ persistent?: boolean }>({ persistent: 'persistent' });

// Fields with values of a kind, which are found by looking at all of them.
function fieldsOf<T>(module: Module, kind: string, isWanted: (value: unknown) => value is T): Named<T>[] {
  const found = Object.entries(module).filter((entry): entry is Named<T> => isWanted(entry[1]));
  for (const [name] of found)
    if (!isName(name) || name in Module.prototype)
      refuse('ERR_ARGUMENT', 'Module', name, nameRule(name), `a field with ${kind}`);
  return found;
}

// Of any module, whatever its fields are named: these call no method of it.
const childrenOf = (module: Module): Named<Module>[] =>
  fieldsOf(module, 'a Module', (value): value is Module => value instanceof Module);

const modulesOf = (module: Module): Named<Module>[] => {
  const found: Named<Module>[] = [];
  visit('', module, new Set(), (entry) => found.push(entry));
  return found;
};

// The same, but one in two places has both names; not within itself.
const placesOf = (module: Module): Named<Module>[] => {
  const found: Named<Module>[] = [];
  const around = new Set<Module>();
  visit(
    '',
    module,
    around,
    (entry) => found.push(entry),
    ([, left]) => around.delete(left),
  );
  return found;
};

// A walk over a module and all within, but for those that were seen, by a list of its own: modules may be nested deeply.
function visit(
  prefix: string,
  root: Module,
  seen: Set<Module>,
  before?: (entry: Named<Module>) => void,
  after?: (entry: Named<Module>) => void,
): void {
  const open: { entry: Named<Module>; within: Named<Module>[] }[] = [];
  const begin = (entry: Named<Module>): void => {
    if (seen.has(entry[1])) return;
    seen.add(entry[1]);
    before?.(entry);
    open.push({ entry, within: childrenOf(entry[1]).reverse() });
  };
  begin([prefix, root]);
  for (let last = open.at(-1); last; last = open.at(-1)) {
    const next = last.within.pop();
    if (next) {
      begin([join(last.entry[0], next[0]), next[1]]);
    } else {
      open.pop();
      after?.(last.entry);
    }
  }
}

const ownParameters = (module: Module): Named<Parameter>[] => fieldsOf(module, 'a Parameter', isParameter);

function ownBuffers(module: Module, isSaved: boolean): Named<Tensor>[] {
  const fields = module as unknown as Record<string, unknown>;
  return [...module._buffers]
    .filter(
      ([name, isPersistent]) =>
        (isPersistent || !isSaved) && isTensor(fields[name]) && !isParameter(fields[name]),
    )
    .map(([name]) => [name, fields[name] as Tensor]);
}

const allBuffers = (module: Module): Named<Tensor>[] => ownBuffers(module, false);

const toNames = namesOf<{ dtype?: DType; device?: DeviceName }>({ dtype: 'dtype', device: 'device' });

// What to() of a module was given.
function wantedOf(target: unknown): { dtype: DType | undefined; device: Device | undefined } {
  const read = isOptions(target)
    ? readOptions<{ dtype?: DType; device?: DeviceName }>('to', target, toNames)
    : isDeviceName(target)
      ? { device: target }
      : { dtype: target as DType };
  const device =
    read.device === undefined ? undefined : deviceName(...deviceNumbers('to', 'device', read.device));
  const { dtype } = read;
  if (dtype !== undefined || device === undefined) dtypeNumber('to', dtype, 'dtype');
  if (dtype !== undefined && !isRealFloat(dtype)) refuse('ERR_DTYPE', 'to', 'dtype', 'a float', dtype);
  return { dtype, device };
}

function converted(x: Tensor, dtype: DType | undefined, device: Device | undefined): Tensor {
  const next = x.detach().to({ dtype: isRealFloat(x.dtype) ? dtype : undefined, device });
  return isParameter(x) ? new Parameter(next, { requiresGrad: x.requiresGrad }) : next;
}

// ---------------------------------------------------------------- several modules

// The modules are those in the fields, so that one that is assigned takes the place of the one before.
abstract class ModuleSequence<M extends Module> extends Module {
  constructor(modules: Iterable<M>) {
    super();
    for (const module of modules) this.append(module);
  }

  append(module: M): this {
    if (module === null) refuse('ERR_ARGUMENT', 'append', 'module', 'a Module', 'null');
    let place = childrenOf(this).length;
    while (Object.hasOwn(this, place)) place++;
    this.registerModule(String(place), module);
    return this;
  }

  // What a program was recorded with: it is recorded again where another module is in the sequence.
  #modules(): Named<Module>[] {
    watchFields(this);
    return childrenOf(this);
  }

  get length(): number {
    return this.#modules().length;
  }

  at(index: number): M | undefined {
    return this.#modules().at(index)?.[1] as M | undefined;
  }

  [Symbol.iterator](): IterableIterator<M> {
    return this.#modules()
      .map(([, module]) => module as M)
      .values();
  }
}

/** Module number K of a list; of one whose place its type does not tell, any of them, or none. */
type At<L extends readonly Module[], K extends number> = `${K}` extends keyof L
  ? L[`${K}`]
  : L[number] | undefined;

/**
 * Modules one after another: each gets what the one before it gave. Their names are '0', '1' .. A Sequential whose
 * type does not tell its modules takes any other.
 */
export class Sequential<L extends readonly Module[] = any> extends ModuleSequence<L[number]> {
  constructor(...modules: L) {
    super(modules);
  }

  override at<K extends number>(index: K): At<L, K> {
    return super.at(index) as At<L, K>;
  }

  forward(x: Tensor): Tensor {
    const open: Module[] = [this];
    let y = x;
    for (let next = open.pop(); next; next = open.pop())
      if (next instanceof Sequential && next.forward === Sequential.prototype.forward)
        for (const module of [...(next as Sequential)].reverse()) open.push(module);
      else y = (next as unknown as { forward(x: Tensor): Tensor }).forward(y);
    return y;
  }
}

/** A list of modules, whose names are '0', '1' .. */
export class ModuleList<M extends Module = Module> extends ModuleSequence<M> {
  constructor(modules: Iterable<M> = []) {
    super(modules);
  }

  /** It computes nothing by itself. */
  forward(): never {
    return refuse('ERR_ARGUMENT', 'ModuleList', 'forward', 'a call of one of its modules', 'a call');
  }
}
