// Names of devices, and what they are for the module: a type and an index.
import { refuse } from './abi.js';
import { print } from './arguments.js';
import { deviceTypes, type Device } from './tables.gen.js';

export const deviceName = (type: number, index: number): Device => {
  const { name, most } = deviceTypes[type]!;
  return (most > 1 ? `${name}:${index}` : name) as Device;
};

const names = deviceTypes.map(({ name, most }) =>
  most > 1 ? `'${name}:0' .. '${name}:${most - 1}'` : `'${name}'`,
);

/** Type and index of a device by its name; 'cuda' is 'cuda:0'. */
export function deviceNumbers(op: string, argument: string, value: unknown): [type: number, index: number] {
  const found = typeof value === 'string' ? /^([a-z]+)(?::(0|[1-9]\d?))?$/.exec(value) : null;
  const type = deviceTypes.findIndex(({ name }) => name === found?.[1]);
  const index = Number(found?.[2] ?? 0);
  if (type < 0 || index >= deviceTypes[type]!.most)
    refuse('ERR_ARGUMENT', op, argument, `one of ${names.join(', ')}`, print(value));
  return [type, index];
}
