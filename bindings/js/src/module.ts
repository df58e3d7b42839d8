// Modules: parameters, buffers and modules in the fields of an object, found by looking at them, under PyTorch's names.
import { refuse } from './abi.js';
import { dtypeNumber, print, tensorArgument } from './arguments.js';
import { isTensor } from './base.js';
import { noGrad } from './gradients.js';
import { flagOf, namesOf, readOptions, refuseMore } from './options.js';
import { loadSafetensors, saveSafetensors } from './safetensors.js';
import { ArgumentError, type DType } from './tables.gen.js';
import type { Tensor } from './tensor.js';

// ---------------------------------------------------------------- parameters

/** A tensor that a module learns: a Tensor that requires a gradient. */
export type Parameter<D extends DType = DType> = Tensor<D>;

const parameters = new WeakSet<Tensor>();

interface ParameterConstructor {
  /** Makes the tensor itself a parameter, and returns it. */
  new <D extends DType>(x: Tensor<D>, options?: { requiresGrad?: boolean }): Parameter<D>;
  [Symbol.hasInstance](value: unknown): boolean;
}

const parameterNames = namesOf<{ requiresGrad?: boolean }>({ requiresGrad: 'requiresGrad' });

/** `new Parameter(x)` is x, which requires a gradient from then on and is found in the fields of modules; `x instanceof Parameter` tells. */
export const Parameter = class {
  constructor(x: Tensor, options?: { requiresGrad?: boolean }) {
    const own = tensorArgument('Parameter', 'x', x);
    const { requiresGrad = true } = readOptions('Parameter', options, parameterNames);
    own.requiresGrad = flagOf('Parameter', 'requiresGrad', requiresGrad);
    parameters.add(own);
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

const MOST_NAMED = 8; // in a message
function listed(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? `, and ${names.length - MOST_NAMED} more` : '';
  return names.slice(0, MOST_NAMED).join(', ') + more;
}

/**
 * The base of modules. A field that holds a Parameter or a Module belongs to the module, under the name of the field; other tensors do where
 * registerBuffer says so. `forward` computes.
 */
export abstract class Module {
  /** Whether the module learns; Dropout looks at it. train() and eval() set it, here and in all modules within. */
  training = true;
  /** Names of buffers, and whether they are saved. @internal */
  readonly _buffers = new Map<string, boolean>();

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
    this.#set(name, module);
  }

  #checkName(op: string, name: unknown): void {
    if (typeof name !== 'string' || name === '' || name.includes('.') || name === '__proto__')
      refuse('ERR_ARGUMENT', op, 'name', 'a name without a point', print(name));
    if (name in this && !Object.hasOwn(this, name))
      refuse('ERR_ARGUMENT', op, 'name', 'a name that modules have not', print(name));
  }

  #set(name: string, value: unknown): void {
    (this as Record<string, unknown>)[name] = value;
  }

  /** Modules in the fields of this one, with their names. */
  namedChildren(): Named<Module>[] {
    return Object.entries(this).filter((entry): entry is Named<Module> => entry[1] instanceof Module);
  }

  children(): Module[] {
    return this.namedChildren().map(([, module]) => module);
  }

  /** This module, and all within, each once. */
  namedModules(prefix = '', seen = new Set<Module>()): Named<Module>[] {
    if (seen.has(this)) return [];
    seen.add(this);
    const within = this.namedChildren().flatMap(([name, module]) =>
      module.namedModules(join(prefix, name), seen),
    );
    return [[prefix, this], ...within];
  }

  modules(): Module[] {
    return this.namedModules().map(([, module]) => module);
  }

  #all(recurse: boolean, pick: (module: Module) => Named<Tensor>[]): Named<Tensor>[] {
    const seen = new Set<Tensor>();
    const modules: Named<Module>[] = recurse ? this.namedModules() : [['', this]];
    return modules
      .flatMap(([prefix, module]) => pick(module).map(([name, x]): Named<Tensor> => [join(prefix, name), x]))
      .filter(([, x]) => !seen.has(x) && seen.add(x));
  }

  /** Parameters with their names, each once. `recurse`: those of modules within, too. */
  namedParameters(recurse = true): Named<Parameter>[] {
    return this.#all(recurse, ownParameters);
  }

  parameters(recurse = true): Parameter[] {
    return this.namedParameters(recurse).map(([, x]) => x);
  }

  namedBuffers(recurse = true): Named<Tensor>[] {
    return this.#all(recurse, (module) => ownBuffers(module, false));
  }

  buffers(recurse = true): Tensor[] {
    return this.namedBuffers(recurse).map(([, x]) => x);
  }

  /** Sets `training` here and in all modules within. */
  train(mode = true): this {
    const isTraining = flagOf('train', 'mode', mode);
    for (const module of this.modules()) module.training = isTraining;
    return this;
  }

  eval(): this {
    return this.train(false);
  }

  /** Whether the parameters are learnt. */
  requiresGrad_(flag = true): this {
    const isWanted = flagOf('requiresGrad_', 'flag', flag);
    for (const x of this.parameters()) x.requiresGrad = isWanted;
    return this;
  }

  /** Gradients of all parameters go. */
  zeroGrad(): void {
    for (const x of this.parameters()) x.grad = null;
  }

  /** Runs a function on all modules within, and on this one at the end. */
  apply(fn: (module: Module) => void): this {
    for (const module of this.children()) module.apply(fn);
    fn(this);
    return this;
  }

  /** Parameters and buffers that are floats become new tensors of another float dtype; an optimiser that has the old ones does not know
   * the new ones. */
  to(dtype: DType): this {
    if (arguments.length > 1) refuseMore('to', 1, arguments);
    dtypeNumber('to', dtype, 'dtype');
    if (!/^b?float/.test(dtype)) refuse('ERR_DTYPE', 'to', 'dtype', 'a float', dtype);
    const made = new Map<Tensor, Tensor>();
    for (const module of this.modules())
      for (const [name, x] of [...ownParameters(module), ...ownBuffers(module, false)]) {
        if (!/^b?float/.test(x.dtype) || x.dtype === dtype) continue;
        const next = made.get(x) ?? converted(x, dtype);
        made.set(x, next);
        (module as unknown as Record<string, Tensor>)[name] = next;
      }
    return this;
  }

  // ---------------------------------------------------------------- state

  /** Parameters and buffers by their names: those of the module, not copies. */
  stateDict(): StateDict {
    const dict = Object.create(null) as StateDict;
    for (const [prefix, module] of this.namedModules())
      for (const [name, x] of [...ownParameters(module), ...ownBuffers(module, true)])
        dict[join(prefix, name)] = x.detach();
    return dict;
  }

  /** Copies tensors into the parameters and buffers of their names. What is missing, not expected or of another shape is refused with all
   * its names, before anything is changed. Returns the names of what was passed over. */
  loadStateDict(
    dict: StateDict,
    options?: LoadStateOptions,
  ): { missingKeys: string[]; unexpectedKeys: string[] } {
    return this.#load('loadStateDict', dict, options);
  }

  #load(
    op: string,
    dict: StateDict,
    options?: LoadStateOptions,
  ): { missingKeys: string[]; unexpectedKeys: string[] } {
    const { strict = true } = readOptions(op, options, strictNames);
    const isStrict = flagOf(op, 'strict', strict);
    if (typeof dict !== 'object' || dict === null || isTensor(dict))
      refuse('ERR_ARGUMENT', op, 'dict', 'an object of tensors', print(dict));
    const own = this.stateDict();
    const given = new Map(Object.entries(dict));
    const missingKeys = Object.keys(own).filter((name) => !given.has(name));
    const unexpectedKeys = [...given.keys()].filter((name) => !(name in own));
    const others = [...given].filter(
      ([name, x]) => name in own && `${tensorArgument(op, name, x).shape}` !== `${own[name]!.shape}`,
    );
    const lines = [
      missingKeys.length > 0 && isStrict ? `missing: ${listed(missingKeys)}` : '',
      unexpectedKeys.length > 0 && isStrict ? `not expected: ${listed(unexpectedKeys)}` : '',
      others.length > 0
        ? `of another shape: ${listed(others.map(([name, x]) => `${name} ([${x.shape}] for [${own[name]!.shape}])`))}`
        : '',
    ].filter(Boolean);
    if (lines.length > 0) {
      const isShape = missingKeys.length === 0 && unexpectedKeys.length === 0;
      const argument = [
        ...(isStrict ? [...missingKeys, ...unexpectedKeys] : []),
        ...others.map(([name]) => name),
      ][0]!;
      throw new ArgumentError(isShape ? 'ERR_SHAPE' : 'ERR_ARGUMENT', `${op}: ${lines.join('; ')}`, {
        op,
        argument,
        expected: listed(Object.keys(own)),
        got: listed([...given.keys()]),
      });
    }
    noGrad(() => {
      for (const [name, x] of given) if (name in own) own[name]!.copy_(x);
    });
    return { missingKeys, unexpectedKeys };
  }

  /** The bytes of a safetensors file of the state. */
  save(metadata?: Record<string, string>): Uint8Array {
    return saveSafetensors(this.stateDict(), metadata);
  }

  /** The same as loadStateDict from the bytes of a safetensors file. */
  load(
    bytes: ArrayBuffer | ArrayBufferView,
    options?: LoadStateOptions,
  ): { missingKeys: string[]; unexpectedKeys: string[] } {
    const { tensors } = loadSafetensors(bytes);
    try {
      return this.#load('load', tensors, options);
    } finally {
      for (const x of Object.values(tensors)) x.dispose();
    }
  }
}

const persistentNames = namesOf<{ persistent?: boolean }>({ persistent: 'persistent' });

function ownParameters(module: Module): Named<Parameter>[] {
  return Object.entries(module).filter((entry): entry is Named<Parameter> => isParameter(entry[1]));
}

function ownBuffers(module: Module, isSaved: boolean): Named<Tensor>[] {
  const fields = module as unknown as Record<string, unknown>;
  return [...module._buffers]
    .filter(([name, isPersistent]) => (isPersistent || !isSaved) && isTensor(fields[name]))
    .map(([name]) => [name, fields[name] as Tensor]);
}

function converted(x: Tensor, dtype: DType): Tensor {
  const next = x.detach().to(dtype);
  return isParameter(x) ? new Parameter(next, { requiresGrad: x.requiresGrad }) : next;
}

// ---------------------------------------------------------------- several modules

abstract class ModuleSequence extends Module {
  readonly #modules: Module[] = [];

  constructor(modules: Iterable<Module>) {
    super();
    for (const module of modules) this.append(module);
  }

  append(module: Module): this {
    if (module === null) refuse('ERR_ARGUMENT', 'append', 'module', 'a Module', 'null');
    this.registerModule(String(this.#modules.length), module);
    this.#modules.push(module);
    return this;
  }

  get length(): number {
    return this.#modules.length;
  }

  at(index: number): Module | undefined {
    return this.#modules.at(index);
  }

  [Symbol.iterator](): IterableIterator<Module> {
    return this.#modules.values();
  }
}

/** Modules one after another: each gets what the one before it gave. Their names are '0', '1' .. */
export class Sequential extends ModuleSequence {
  constructor(...modules: Module[]) {
    super(modules);
  }

  forward(x: Tensor): Tensor {
    return [...this].reduce(
      (y, module) => (module as unknown as { forward(x: Tensor): Tensor }).forward(y),
      x,
    );
  }
}

/** A list of modules, whose names are '0', '1' .. */
export class ModuleList extends ModuleSequence {
  constructor(modules: Iterable<Module> = []) {
    super(modules);
  }

  /** It computes nothing by itself. */
  forward(): never {
    return refuse('ERR_ARGUMENT', 'ModuleList', 'forward', 'a call of one of its modules', 'a call');
  }
}
