// safetensors files. The core checks the header of a file, by the rules of the format (src/core/io/safetensors.c); what it found right is
// read here by JSON.parse, and the elements go from the file to their tensors at once.
import { backend, check, refuse } from './abi.js';
import { print, tensorArgument } from './arguments.js';
import { allocated, bytesOf } from './buffers.js';
import { fromRaw, movedTo, placeOf, shareRaw } from './create.js';
import { known } from './facts.js';
import { membersOf } from './members.js';
import { end } from './memory.js';
import { flagOf, loadNames, readOptions, refuseMore } from './options.js';
import { readInto } from './reading.js';
import { refuseReading } from './recording.js';
import { dtypes, type DeviceName, type DType } from './tables.gen.js';
import type { Tensor } from './tensor.js';

/** What is in a safetensors file. */
export interface Safetensors {
  /** By name, in the order of their elements; an object without a prototype. */
  tensors: Record<string, Tensor>;
  /** The texts of __metadata__. */
  metadata: Record<string, string>;
}

/** Of loadSafetensors. */
export interface LoadOptions {
  /** false: tensors share the memory of the file, as those of fromBuffer do, where the backend can and their elements are aligned there (as in
   * files of saveSafetensors and of the reference implementation). Default: true. */
  copy?: boolean;
  /** Of the tensors. Default: cpu. */
  device?: DeviceName;
}

interface Entry {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

const LENGTH_BYTES = 8;
const METADATA = '__metadata__';

const words = new Map(dtypes.map(({ word, name }) => [word.toUpperCase(), name]));

// Bytes of truth values as the library has them. Others are left alone.
function cleaned(dtype: DType, bytes: Uint8Array): Uint8Array {
  return dtype === 'bool' && bytes.some((byte) => byte > 1)
    ? bytes.map((byte) => (byte === 0 ? 0 : 1))
    : bytes;
}

// The header of a file, checked, as JSON.parse gives it, and where it ends.
function headerOf(op: string, file: Uint8Array): [Record<string, unknown>, number] {
  const found = check(backend.safetensorsCheck(file.length, file.slice(0, LENGTH_BYTES)), op);
  const header = allocated(op, found, () => file.slice(0, found));
  if (found > 0) check(backend.safetensorsCheck(file.length, header), op);
  const text = new TextDecoder().decode(header.subarray(LENGTH_BYTES));
  return [JSON.parse(text) as Record<string, unknown>, header.length];
}

/** The texts of the metadata of a file. @internal */
export function metadataOf(op: string, file: Uint8Array): Record<string, string> {
  return { ...(headerOf(op, file)[0] as { [METADATA]?: Record<string, string> })[METADATA] };
}

/**
 * The tensors and the metadata in the bytes of a safetensors file. What breaks a rule of the format is refused (FormatError), and so
 * are dtypes that the library has not (F8_E4M3 ..), by name. With `{ copy: false }` the addon reads a large file once and keeps it once.
 */
export function loadSafetensors(bytes: ArrayBuffer | ArrayBufferView, options?: LoadOptions): Safetensors {
  const op = 'loadSafetensors';
  if (arguments.length > 2) refuseMore(op, 2, arguments);
  const read = readOptions<LoadOptions>(op, options, loadNames);
  const place = placeOf(op, read.device);
  // what goes to a device is copied there
  const copies = place === undefined && flagOf(op, 'copy', read.copy ?? true);
  const given = bytesOf(op, 'bytes', bytes);
  const file = backend.keep?.(given) ?? given;
  const [header, begin] = headerOf(op, file);
  const { [METADATA]: metadata, ...rest } = header as { [METADATA]?: Record<string, string> };
  const entries = Object.entries(rest as Record<string, Entry>);
  entries.sort(([, { data_offsets: a }], [, { data_offsets: b }]) => a[0] - b[0] || a[1] - b[1]);
  const tensors = Object.create(null) as Record<string, Tensor>;
  try {
    for (const [name, { dtype: word, shape, data_offsets: offsets }] of entries) {
      const dtype = words.get(word)!;
      const found = file.subarray(begin + offsets[0], begin + offsets[1]);
      const elements = cleaned(dtype, found);
      const shared = copies || elements !== found ? undefined : shareRaw(op, dtype, shape, elements);
      tensors[name] = movedTo(op, shared ?? fromRaw(op, dtype, shape, elements), place);
    }
  } catch (error) {
    Object.values(tensors).forEach(end);
    throw error;
  }
  return { tensors, metadata: Object.assign(Object.create(null) as object, metadata) };
}

function metadataFrom(op: string, value: unknown): [string, string][] {
  const members = value === undefined || value === null ? [] : membersOf(op, 'metadata', value);
  for (const [name, text] of members)
    if (typeof text !== 'string' || /\p{Surrogate}/u.test(text))
      refuse('ERR_ARGUMENT', op, `metadata.${name}`, 'a well-formed text', print(text));
  return members as [string, string][];
}

// An object in JSON, from names and JSON. As an object of JavaScript it would put numbers before other names.
function objectText(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}`;
}

/**
 * The bytes of a safetensors file with these tensors, by their names, and with texts as metadata. Tensors of large elements come
 * first, so that the elements of each are aligned in the file; those of equal size keep their order.
 */
export function saveSafetensors(
  tensors: Readonly<Record<string, Tensor>> | ReadonlyMap<string, Tensor>,
  metadata?: Readonly<Record<string, string>> | ReadonlyMap<string, string> | null,
): Uint8Array<ArrayBuffer> {
  const op = 'saveSafetensors';
  if (arguments.length > 2) refuseMore(op, 2, arguments);
  refuseReading(op);
  const texts = metadataFrom(op, metadata);
  const items = membersOf(op, 'tensors', tensors).map(([name, value]) => {
    const argument = `tensors.${name}`;
    const x = tensorArgument(op, argument, value);
    const { dtype, device, itemBytes, numel, shape } = known(x, op, argument);
    if (name === METADATA) refuse('ERR_ARGUMENT', op, 'tensors', 'without the name of metadata', print(name));
    if (device === 'meta') refuse('ERR_DEVICE', op, argument, 'with elements', device);
    if (dtype === 'complex128') refuse('ERR_DTYPE', op, argument, 'of a dtype that safetensors has', dtype);
    return { name, argument, x, dtype, itemBytes, shape, nbytes: numel * itemBytes };
  });
  items.sort((a, b) => b.itemBytes - a.itemBytes);
  let size = 0;
  const members = items.map(({ name, dtype, shape, nbytes }): [string, string] => {
    const word = dtypes.find((row) => row.name === dtype)!.word.toUpperCase();
    const entry = { dtype: word, shape, data_offsets: [size, (size += nbytes)] };
    return [name, JSON.stringify(entry)];
  });
  if (texts.length > 0)
    members.unshift([METADATA, objectText(texts.map(([name, text]) => [name, JSON.stringify(text)]))]);
  const header = new TextEncoder().encode(objectText(members));
  const begin = LENGTH_BYTES * Math.ceil((LENGTH_BYTES + header.length) / LENGTH_BYTES);
  const file = allocated(op, begin + size, () => new Uint8Array(begin + size));
  new DataView(file.buffer).setUint32(0, begin - LENGTH_BYTES, true);
  file.fill(32, LENGTH_BYTES, begin).set(header, LENGTH_BYTES);
  check(backend.safetensorsCheck(file.length, file.subarray(0, begin)), op, 'tensors');
  let at = begin;
  for (const { x, argument, nbytes } of items) readInto(file.subarray(at, (at += nbytes)), x, op, argument);
  return file;
}
