// Values as no caller should give them, from a seed: what hostile.test.ts calls the library with.
import * as stria from 'stria';
import { dtypes, type DeviceName, type Tensor } from 'stria';

/** What hostile getters and callbacks throw; the library passes it on, alone or as a cause. */
export const marker = new Error('thrown by the caller');

/** Numbers in [0, 1) from a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Maker = () => unknown;
type Resizable = ArrayBuffer & { resize?: (length: number) => void };
const ResizableBuffer = ArrayBuffer as unknown as new (length: number, options: object) => Resizable;
const GrowableBuffer = SharedArrayBuffer as unknown as new (
  length: number,
  options: object,
) => SharedArrayBuffer & { grow?: (length: number) => void };

const arrayMakers = [
  Uint8Array,
  Uint8ClampedArray,
  Int8Array,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
];

class Liar extends Float32Array {
  override get length(): number {
    return 4;
  }
  override get byteLength(): number {
    return 1 << 20;
  }
  override get byteOffset(): number {
    return 4;
  }
  override get buffer(): ArrayBuffer {
    return new ArrayBuffer(1 << 16);
  }
}

const optionNames = [
  'out dim axis keepdim keepdims dtype shape correction unbiased eps weight bias min max approximate alpha',
  'decimals p bigint backend variant threads memoryLimit length 0 1 re im then toString constructor',
]
  .join(' ')
  .split(' ');
const texts = [
  '',
  ':',
  '1:',
  '::-1',
  '0:2:1',
  'a:b',
  ':::',
  '99999999999999999999:',
  ' '.repeat(5000) + '1',
  'sum',
  'add',
  'tanh',
  'none',
  'auto',
  'constructor',
  '__proto__',
  '\ud800',
];
const words = [...texts, ...dtypes.map(({ name }) => name), 'complex', 'f32'];
const devices = ['cpu', 'meta', 'cuda', 'cuda:0', 'cuda:1', 'cuda:9', 'cuda:99', 'gpu'];
const numbers = [0, 1, 2, 3, 4, 5, -1, -2, 0.5, 1.5, -0, 7, 64, 65, 100, 1e6, NaN, Infinity, -Infinity];
const huge = [
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  2 ** 40,
  2 ** 53 - 1,
  2 ** 53,
  1e300,
  -(2 ** 31),
  -(2 ** 53),
  5e-324,
];

/** Makes values; the tensors among them are new or come from `pool`. */
export class Values {
  readonly pool: Tensor[] = [];

  constructor(
    readonly random: () => number,
    /** Where half of the tensors are made, and which other values name then. */
    readonly device?: DeviceName,
  ) {}

  below(n: number): number {
    return Math.floor(this.random() * n);
  }
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
  chance(probability: number): boolean {
    return this.random() < probability;
  }

  number(): number {
    return this.chance(0.85) ? this.pick(numbers) : this.pick(huge);
  }
  size(): number {
    return this.chance(0.93) ? this.below(4) : this.number();
  }
  shape(): number[] {
    return Array.from({ length: this.chance(0.98) ? this.below(4) : 65 }, () => this.size());
  }
  bigint(): bigint {
    return this.pick([0n, 1n, -1n, 3n, 2n ** 53n + 1n, 2n ** 63n, -(2n ** 63n), 2n ** 64n, 10n ** 60n]);
  }

  /** A tensor of any dtype and layout. */
  newTensor(): Tensor {
    const dtype = this.pick(dtypes).name;
    const shape = Array.from({ length: this.below(4) }, () => this.below(5));
    let x: Tensor = stria.ones(shape).to(dtype);
    if (this.device !== undefined && this.chance(0.5)) x = x.to(this.device);
    if (this.chance(0.3) && shape.length > 1) x = x.T;
    if (this.chance(0.2) && shape.length > 0) x = x.flip(0);
    if (this.chance(0.2)) x = x.unsqueeze(-1);
    if (this.chance(0.1)) x = x.unsqueeze(0).expand(this.pick([2, 3, 2 ** 14]), ...x.shape);
    return x;
  }

  tensor(): Tensor {
    if (this.pool.length === 0 || this.chance(0.2)) this.pool.push(this.newTensor());
    return this.pick(this.pool);
  }

  /** Ends some tensor of the pool, as getters and callbacks do. */
  strike(): void {
    if (this.pool.length > 0) this.pick(this.pool).dispose();
  }

  // An answer of a getter, with a side effect now and then.
  answer(depth: number): unknown {
    if (this.chance(0.1)) throw marker;
    if (this.chance(0.3)) this.strike();
    if (this.chance(0.1)) stria.add(1, 2);
    return this.value(depth + 1);
  }

  proxy(target: object, depth: number): unknown {
    const kind = this.below(4);
    if (kind === 0) return new Proxy(target, {});
    if (kind === 1) {
      const { proxy, revoke } = Proxy.revocable(target, {});
      revoke();
      return proxy;
    }
    if (kind === 2) {
      const fail = (): never => {
        throw marker;
      };
      return new Proxy(target, { get: fail, has: fail, ownKeys: fail, getPrototypeOf: fail });
    }
    return new Proxy(target, {
      get: (object, key) => (this.chance(0.5) ? this.answer(depth) : (Reflect.get(object, key) as unknown)),
    });
  }

  array(depth: number): unknown {
    const kind = this.below(12);
    if (kind === 0) {
      const cyclic: unknown[] = this.chance(0.5) ? [] : [1];
      cyclic.push(cyclic);
      return cyclic;
    }
    if (kind === 1) return new Array(this.pick([3, 2 ** 31, 2 ** 32 - 1]));
    if (kind === 2) return this.proxy(this.shape(), depth);
    if (kind === 3) {
      const list = this.shape();
      Object.defineProperty(list, 0, { get: () => this.answer(depth), enumerable: true });
      return list;
    }
    if (kind === 4)
      return new Proxy([1, 2], {
        get: (object, key) => (key === 'length' ? this.number() : (Reflect.get(object, key) as unknown)),
      });
    if (kind < 8) return this.shape();
    return Array.from({ length: this.below(4) }, () => this.value(depth + 1));
  }

  typedArray(): unknown {
    const maker = this.pick(arrayMakers);
    const length = this.below(5);
    const kind = this.below(10);
    if (kind === 0) return Object.assign(new Liar(this.below(8)));
    if (kind === 1) {
      const array = new maker(length + 1);
      structuredClone(array.buffer, { transfer: [array.buffer] });
      return array;
    }
    if (kind === 2) {
      const buffer = new ResizableBuffer(64, { maxByteLength: 128 });
      const array = new maker(buffer, 0, ...(this.chance(0.5) ? [] : [2]));
      buffer.resize?.(this.pick([0, 8, 128]));
      return array;
    }
    if (kind === 3) {
      const buffer = new GrowableBuffer(64, { maxByteLength: 128 });
      const array = new (maker as Uint8ArrayConstructor)(buffer);
      buffer.grow?.(128);
      return array;
    }
    if (kind === 4) return new DataView(new ArrayBuffer(16), 8);
    if (kind === 5) return this.pick([new ArrayBuffer(16), new SharedArrayBuffer(8)]);
    if (kind === 6) return this.proxy(new maker(3), 0);
    if (kind === 7) {
      const array = new maker(3);
      for (const key of ['length', 'byteLength', 'buffer', 'constructor'])
        Object.defineProperty(array, key, { get: () => this.answer(0) });
      return array;
    }
    if (kind === 8 && this.pool.length > 0) {
      const x = this.pick(this.pool);
      return x.isDisposed || !x.isContiguous || x.numel > 100 ? new maker(1) : stria.toNpy(x);
    }
    return new maker(length);
  }

  options(depth: number): unknown {
    const object = (this.chance(0.1) ? Object.create(null) : {}) as Record<string, unknown>;
    for (let k = this.below(3); k >= 0; k--) {
      const name = this.pick(this.device === undefined ? optionNames : [...optionNames, 'device', 'device']);
      const fact = this.chance(0.2)
        ? { get: () => this.answer(depth) }
        : { value: name === 'out' && this.chance(0.8) ? this.tensor() : this.value(depth + 1) };
      Object.defineProperty(object, name, { ...fact, enumerable: true, configurable: true });
    }
    return this.chance(0.1) ? this.proxy(object, depth) : object;
  }

  // A function as borrow(), scope() and kernel() take it.
  callback(depth: number): unknown {
    const result = this.value(depth + 1);
    const act = this.below(5);
    const body = (...given: unknown[]): unknown => {
      if (act === 0) throw marker;
      if (act === 1) this.strike();
      if (act === 2) return stria.add(this.tensor(), this.number(), { out: this.tensor() });
      if (act === 3) {
        const [first] = given;
        if (first instanceof Uint8Array || first instanceof Float32Array) first.fill(1);
        else (first as { neg?: () => unknown } | undefined)?.neg?.();
      }
      return this.chance(0.3) ? given[0] : result;
    };
    const forms: Maker[] = [
      () => body,
      () => (a: unknown) => body(a),
      () => (a: unknown, b: unknown) => body(a, b),
      () => async (a: unknown) => {
        const value = body(a);
        try {
          void (value as { then?: unknown } | null | undefined)?.then; // as the promise will ask
        } catch {
          throw marker;
        }
        return value;
      },
      () => new Proxy(body, {}), // one that is revoked fails like any function of the caller
    ];
    return this.pick(forms)();
  }

  /** Anything. */
  value(depth = 0): unknown {
    if (depth > 3) return this.number();
    const kind = this.below(24);
    if (kind < 7) return this.tensor();
    if (kind < 10) return this.number();
    if (kind < 12) return this.array(depth);
    if (kind < 14) return this.typedArray();
    if (kind < 17) return this.options(depth);
    if (kind === 17) return this.pick(this.device === undefined ? words : [...words, ...devices]);
    if (kind === 18) return this.bigint();
    if (kind === 19) return this.pick([true, false, null, undefined, Symbol('s'), Symbol.iterator]);
    if (kind === 20) return this.proxy(this.chance(0.7) ? this.tensor() : {}, depth);
    if (kind === 21) return this.callback(depth);
    if (kind === 22)
      return this.pick<Maker>([() => new Map(), () => new Set(), () => new Date(), () => ({})])();
    return this.pick([Object.create(stria.Tensor.prototype), { _handle: 5 }, new Map([[this.tensor(), {}]])]);
  }
}
