// stria/npz: .npz files, a .zip file of .npy files. Apart from the rest of the package, since it brings the code that inflates and deflates.
import { backend, refuse } from './abi.js';
import { print, tensorArgument, whole } from './arguments.js';
import { allocated, bytesOf, isShared } from './buffers.js';
import { movedTo, placeOf, readNpy, writeNpy } from './create.js';
import { membersOf } from './members.js';
import { end } from './memory.js';
import { flagOf, namesOf, readOptions, refuseMore } from './options.js';
import { FormatError, type DeviceName } from './tables.gen.js';
import type { Tensor } from './tensor.js';
import { readZip, writeZip } from './zip.js';

/** Of loadNpz. */
export interface LoadNpzOptions {
  /** Most bytes that all members may have together once they are inflated. Default: 2 GiB. */
  maxBytes?: number;
  /** Of the tensors. Default: cpu. */
  device?: DeviceName;
}

/** Of saveNpz. */
export interface SaveNpzOptions {
  /** Whether members are deflated. Default: false. */
  compressed?: boolean;
}

const loadNames = namesOf<LoadNpzOptions>({ maxBytes: 'maxBytes', device: 'device' });
const saveNames = namesOf<SaveNpzOptions>({ compressed: 'compressed' });
const ENDING = '.npy';
const MAX_BYTES = 2 ** 31;

// A path that leads out of a folder, begins at a root, or is written for another system. Nothing is written to files here; but a file with
// such names was not made by a writer of arrays.
const strange = /^\/|^[A-Za-z]:|(^|\/)\.\.?(\/|$)|\/\/|[\\\u0000-\u001f]/;

/**
 * The tensors in the bytes of a .npz file, by their names without ".npy": an object without a prototype. Members may be stored or deflated.
 * What is malformed is refused (FormatError): cut off, another CRC-32, a name twice, members one over another, paths that lead elsewhere,
 * members that are no .npy files; and more bytes than `maxBytes`, before anything is inflated.
 */
export function loadNpz(
  bytes: ArrayBuffer | ArrayBufferView,
  options?: LoadNpzOptions,
): Record<string, Tensor> {
  const op = 'loadNpz';
  if (arguments.length > 2) refuseMore(op, 2, arguments);
  const { maxBytes: most = MAX_BYTES, device } = readOptions<LoadNpzOptions>(op, options, loadNames);
  const place = placeOf(op, device);
  if (whole(op, 'maxBytes', most) < 0)
    refuse('ERR_ARGUMENT', op, 'maxBytes', 'a whole number >= 0', print(most));
  const given = bytesOf(op, 'bytes', bytes);
  const kept = isShared(given) ? allocated(op, given.length, () => given.slice()) : given; // it must not change meanwhile
  const members = readZip(op, backend.keep?.(kept) ?? kept);
  const refuseFile = (what: string): never => {
    throw new FormatError('ERR_FORMAT', `${op}: ${what}`, {
      op,
      argument: 'bytes',
      expected: 'a .npz file',
      got: what,
    });
  };
  for (const { name } of members)
    if (strange.test(name) || !name.endsWith(ENDING)) refuseFile(`${print(name)} is no name of a .npy file`);
  const total = members.reduce((sum, { nbytes }) => sum + nbytes, 0);
  if (total > most) refuseFile(`${total} bytes once inflated, more than the ${most} of maxBytes`);
  const tensors = Object.create(null) as Record<string, Tensor>;
  for (const member of members) {
    try {
      tensors[member.name.slice(0, -ENDING.length)] = movedTo(op, readNpy(op, member.read()), place);
    } catch (error) {
      Object.values(tensors).forEach(end);
      if (error instanceof FormatError && !error.message.includes(print(member.name)))
        error.message = `${op}: ${print(member.name)}: ${error.message.slice(op.length + 2)}`;
      throw error;
    }
  }
  return tensors;
}

/** The bytes of a .npz file with these tensors, by their names; `compressed` deflates them. NumPy's load() reads it. */
export function saveNpz(
  tensors: Readonly<Record<string, Tensor>> | ReadonlyMap<string, Tensor>,
  options?: SaveNpzOptions,
): Uint8Array<ArrayBuffer> {
  const op = 'saveNpz';
  if (arguments.length > 2) refuseMore(op, 2, arguments);
  const isCompressed = flagOf(
    op,
    'compressed',
    readOptions<SaveNpzOptions>(op, options, saveNames).compressed,
  );
  const members = membersOf(op, 'tensors', tensors).map(([name, value]) => {
    const argument = `tensors.${name}`;
    const x = tensorArgument(op, argument, value);
    if (strange.test(`${name}${ENDING}`))
      refuse('ERR_ARGUMENT', op, 'tensors', 'an object whose keys are names of files', print(name));
    return { name: `${name}${ENDING}`, bytes: writeNpy(op, x, argument) };
  });
  return writeZip(op, members, isCompressed);
}
