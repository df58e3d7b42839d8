// Tensors, or texts, that a caller gives by names.
import { refuse } from './abi.js';
import { print } from './arguments.js';
import { isTensor } from './base.js';
import { isArray, isPlain } from './intrinsics.js';

/** Members of an object, or of a Map, by their names, which are well-formed. */
export function membersOf(op: string, argument: string, value: unknown): [string, unknown][] {
  let members: [unknown, unknown][] | undefined;
  try {
    if (value instanceof Map) members = [...Map.prototype.entries.call(value)];
    else if (typeof value === 'object' && value !== null && !isArray(value) && !isTensor(value)) {
      members = Object.entries(value);
      if (members.length === 0 && !isPlain(value)) members = undefined; // a promise, a Set
    }
  } catch (cause) {
    return refuse('ERR_ARGUMENT', op, argument, 'an object that can be read', 'one that throws', cause);
  }
  if (members === undefined) return refuse('ERR_ARGUMENT', op, argument, 'an object', print(value));
  for (const [name] of members)
    if (typeof name !== 'string' || /\p{Surrogate}/u.test(name))
      refuse('ERR_ARGUMENT', op, argument, 'an object whose keys are well-formed texts', print(name));
  return members as [string, unknown][];
}
