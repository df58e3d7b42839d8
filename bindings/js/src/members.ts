// Tensors, or texts, that a caller gives by names.
import { refuse } from './abi.js';
import { print } from './arguments.js';
import { isArray } from './intrinsics.js';

/** Members of an object, or of a Map, by their names, which are well-formed. */
export function membersOf(op: string, argument: string, value: unknown): [string, unknown][] {
  const isObject = typeof value === 'object' && value !== null && !isArray(value);
  if (!isObject) refuse('ERR_ARGUMENT', op, argument, 'an object', print(value));
  let members: [unknown, unknown][];
  try {
    members = value instanceof Map ? [...Map.prototype.entries.call(value)] : Object.entries(value);
  } catch (cause) {
    return refuse('ERR_ARGUMENT', op, argument, 'an object that can be read', 'one that throws', cause);
  }
  for (const [name] of members)
    if (typeof name !== 'string' || /\p{Surrogate}/u.test(name))
      refuse('ERR_ARGUMENT', op, argument, 'an object whose keys are well-formed texts', print(name));
  return members as [string, unknown][];
}
