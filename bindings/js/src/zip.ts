// .zip files in memory (APPNOTE.TXT of PKWARE): stored and deflated members, zip64 where it is read. A file is taken at its directory's
// word only as far as that can be checked: places and sizes within the file, no member over another, CRC-32 of what comes out.
import { refuse } from './abi.js';
import { print } from './arguments.js';
import { allocated } from './buffers.js';
import { deflateSync, inflateSync } from './fflate.js';
import { FormatError } from './tables.gen.js';

/** A member, inflated when it is asked for. */
export interface ZipMember {
  name: string;
  nbytes: number;
  read(): Uint8Array;
}

interface Found {
  name: string;
  isDeflated: boolean;
  crc: number;
  packed: number;
  size: number;
  local: number;
  data: number;
}

const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 1;
const UTF_8 = 0x800;
const MANY = 0xffff;
const LARGE = 0xffffffff;
const DATE = 0x21; // 1 January 1980, as NumPy writes it

// Most that deflate makes of a byte.
const RATIO = 1032;

const crcTable = /* @__PURE__ */ Int32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  return c;
});

function crcOf(bytes: Uint8Array): number {
  let c = -1;
  for (let k = 0; k < bytes.length; k++) c = crcTable[(c ^ bytes[k]!) & 255]! ^ (c >>> 8);
  return ~c >>> 0;
}

/** Says what is wrong with a file, and with which member. */
function wrong(op: string, what: string, name?: string): never {
  const place = name === undefined ? '' : `${print(name)}: `;
  throw new FormatError('ERR_FORMAT', `${op}: ${place}${what}`, {
    op,
    argument: 'bytes',
    expected: 'a .zip file',
    got: what,
  });
}

// ---------------------------------------------------------------- reading

class Reader {
  readonly #op: string;
  readonly #file: Uint8Array;
  readonly #view: DataView;

  constructor(op: string, file: Uint8Array) {
    this.#op = op;
    this.#file = file;
    this.#view = new DataView(file.buffer, file.byteOffset, file.length);
  }

  u16(at: number): number {
    return this.#view.getUint16(at, true);
  }
  u32(at: number): number {
    return this.#view.getUint32(at, true);
  }
  // A number beyond 2^53 is beyond every file.
  u64(at: number): number {
    return Number(this.#view.getBigUint64(at, true));
  }

  // Where the end of the directory is: behind it there is a comment only.
  #findEnd(): number {
    const { length } = this.#file;
    for (let at = length - 22; at >= Math.max(length - 22 - MANY, 0); at--)
      if (this.u32(at) === END && at + 22 + this.u16(at + 20) === length) return at;
    return wrong(this.#op, 'no .zip file, or cut off: its directory has no end');
  }

  // Count, size and place of the directory.
  #directory(): { count: number; begin: number; end: number } {
    const at = this.#findEnd();
    let [count, size, begin, end] = [this.u16(at + 10), this.u32(at + 12), this.u32(at + 16), at];
    const is64 =
      (count === MANY || size === LARGE || begin === LARGE) && at >= 20 && this.u32(at - 20) === LOCATOR_64;
    if (!is64 && (this.u16(at + 4) !== 0 || this.u16(at + 6) !== 0 || this.u16(at + 8) !== count))
      wrong(this.#op, 'a part of a .zip file in several parts');
    if (is64) {
      end = this.u64(at - 12);
      if (!(end + 56 <= at - 20) || this.u32(end) !== END_64)
        wrong(this.#op, 'the end of the zip64 directory is not where it should be');
      [count, size, begin] = [this.u64(end + 32), this.u64(end + 40), this.u64(end + 48)];
    }
    if (begin + size !== end) wrong(this.#op, 'the directory is not where it should be');
    return { count, begin, end };
  }

  // Values of 64 bits in the extra field, for those that are 2^32 - 1.
  #widen(from: number, to: number, values: number[], name: string): number[] {
    if (!values.includes(LARGE)) return values;
    for (let at = from; at + 4 <= to; at += 4 + this.u16(at + 2)) {
      if (this.u16(at) !== 1) continue;
      let next = at + 4;
      const end = Math.min(next + this.u16(at + 2), to);
      return values.map((value) => {
        if (value !== LARGE) return value;
        if (next + 8 > end) wrong(this.#op, 'a zip64 size is missing', name);
        next += 8;
        return this.u64(next - 8);
      });
    }
    return wrong(this.#op, 'a zip64 size is missing', name);
  }

  #name(at: number, length: number): string {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
        this.#file.slice(at, at + length),
      );
    } catch {
      return wrong(this.#op, 'the name of a member is not UTF-8');
    }
  }

  // The member whose entry in the directory begins there, and where the next one does.
  #member(at: number, end: number): [Found, number] {
    if (at + 46 > end || this.u32(at) !== CENTRAL) wrong(this.#op, 'the directory is malformed');
    const [names, extra] = [at + 46, at + 46 + this.u16(at + 28)];
    const comment = extra + this.u16(at + 30);
    const next = comment + this.u16(at + 32);
    if (next > end) wrong(this.#op, 'the directory is malformed');
    const name = this.#name(names, extra - names);
    const method = this.u16(at + 10);
    if (this.u16(at + 8) & ENCRYPTED) wrong(this.#op, 'encrypted', name);
    if (method !== STORED && method !== DEFLATED) wrong(this.#op, `packed by method ${method}`, name);
    const given = [this.u32(at + 24), this.u32(at + 20), this.u32(at + 42)];
    const [size, packed, local] = this.#widen(extra, comment, given, name) as [number, number, number];
    const isDeflated = method === DEFLATED;
    return [{ name, isDeflated, crc: this.u32(at + 16), packed, size, local, data: 0 }, next];
  }

  // Finds the data of a member, which end before `end`; what its own header says must agree with the directory.
  #locate(found: Found, end: number): void {
    const { name, local, packed } = found;
    if (local + 30 > end || this.u32(local) !== LOCAL)
      wrong(this.#op, 'its header is not where it should be', name);
    found.data = local + 30 + this.u16(local + 26) + this.u16(local + 28);
    if (found.data + packed > end) wrong(this.#op, 'its data reach beyond the place for them', name);
    const isLater = (this.u16(local + 6) & 8) !== 0; // sizes and CRC stand behind the data
    const agrees = (k: number, value: number): boolean =>
      [value, LARGE].includes(this.u32(local + k)) || (isLater && this.u32(local + k) === 0);
    if (
      this.#name(local + 30, this.u16(local + 26)) !== name ||
      this.u16(local + 8) !== (found.isDeflated ? DEFLATED : STORED) ||
      !agrees(14, found.crc) ||
      !agrees(18, packed) ||
      !agrees(22, found.size)
    )
      wrong(this.#op, 'its header differs from the directory', name);
  }

  members(): Found[] {
    const { count, begin, end } = this.#directory();
    const list: Found[] = [];
    const names = new Set<string>();
    let at = begin;
    while (at < end) {
      const [found, next] = this.#member(at, end);
      if (names.has(found.name)) wrong(this.#op, 'is there twice', found.name);
      names.add(found.name);
      list.push(found);
      at = next;
    }
    if (list.length !== count) wrong(this.#op, `the directory has ${list.length} members, not ${count}`);
    const sorted = [...list].sort((a, b) => a.local - b.local);
    sorted.forEach((found, k) => this.#locate(found, sorted[k + 1]?.local ?? begin));
    for (const { name, isDeflated, packed, size } of list)
      if (isDeflated ? size > packed * RATIO : size !== packed)
        wrong(this.#op, `${size} bytes cannot be in ${packed}`, name);
    return list;
  }

  read({ name, isDeflated, crc, data, packed, size }: Found): Uint8Array {
    const from = this.#file.subarray(data, data + packed);
    let bytes = from;
    if (isDeflated) {
      const out = allocated(this.#op, size, () => new Uint8Array(size + 1)); // one more tells that there is more
      try {
        bytes = inflateSync(from, { out });
      } catch {
        wrong(this.#op, 'the deflated data are damaged', name);
      }
      if (bytes.length !== size)
        wrong(this.#op, `inflates to other than the ${size} bytes of the directory`, name);
    }
    if (crcOf(bytes) !== crc) wrong(this.#op, 'the CRC-32 is another', name);
    return bytes;
  }
}

/** The members of a .zip file, in the order of its directory. */
export function readZip(op: string, file: Uint8Array): ZipMember[] {
  const reader = new Reader(op, file);
  return reader
    .members()
    .map((found) => ({ name: found.name, nbytes: found.size, read: () => reader.read(found) }));
}

// ---------------------------------------------------------------- writing

/** The bytes of a .zip file: no zip64, so at most 65535 members and 4 GiB. */
export function writeZip(
  op: string,
  members: readonly { name: string; bytes: Uint8Array }[],
  isCompressed: boolean,
): Uint8Array<ArrayBuffer> {
  let total = 22;
  const parts = members.map(({ name, bytes }) => {
    const label = new TextEncoder().encode(name);
    const deflated = isCompressed ? deflateSync(bytes) : bytes;
    const isSmaller = deflated.length < bytes.length;
    const local = total - 22;
    const data = isSmaller ? deflated : bytes;
    total += 30 + label.length + data.length;
    return {
      label,
      data,
      local,
      crc: crcOf(bytes),
      size: bytes.length,
      method: isSmaller ? DEFLATED : STORED,
    };
  });
  const directory = total - 22;
  for (const { label } of parts) total += 46 + label.length;
  if (total >= LARGE || parts.length >= MANY || parts.some(({ label }) => label.length > MANY))
    refuse(
      'ERR_UNSUPPORTED',
      op,
      'tensors',
      'fewer than 65535 and 4 GiB, without zip64',
      `${parts.length}, ${total} bytes`,
    );
  const file = allocated(op, total, () => new Uint8Array(total));
  const view = new DataView(file.buffer);
  // what both headers have, from the version on
  const header = (at: number, { label, data, crc, size, method }: (typeof parts)[number]): void => {
    [20, UTF_8, method, 0, DATE].forEach((value, k) => view.setUint16(at + 2 * k, value, true));
    [crc, data.length, size].forEach((value, k) => view.setUint32(at + 10 + 4 * k, value, true));
    view.setUint16(at + 22, label.length, true);
  };
  let at = directory;
  for (const part of parts) {
    view.setUint32(part.local, LOCAL, true);
    header(part.local + 4, part);
    file.set(part.label, part.local + 30);
    file.set(part.data, part.local + 30 + part.label.length);
    view.setUint32(at, CENTRAL, true);
    view.setUint16(at + 4, 20, true);
    header(at + 6, part);
    view.setUint32(at + 42, part.local, true);
    file.set(part.label, at + 46);
    at += 46 + part.label.length;
  }
  view.setUint32(at, END, true);
  view.setUint16(at + 8, parts.length, true);
  view.setUint16(at + 10, parts.length, true);
  view.setUint32(at + 12, at - directory, true);
  view.setUint32(at + 16, directory, true);
  return file;
}
