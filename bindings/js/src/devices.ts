// Names of devices, and what they are for the module: a type and an index. What is known of a device, and waiting for one.
import { answer, backend, check, fn, refuse } from './abi.js';
import { print } from './arguments.js';
import { StriaError } from './errors.js';
import { recorder } from './recording.js';
import { deviceTypes, type Device, type DeviceName } from './tables.gen.js';

export const deviceName = (type: number, index: number): Device => {
  const { name, most } = deviceTypes[type]!;
  return (most > 1 ? `${name}:${index}` : name) as Device;
};

const names = deviceTypes.map(({ name, most }) =>
  most > 1 ? `'${name}:0' .. '${name}:${most - 1}'` : `'${name}'`,
);

/** What a device may be, in words. */
export const deviceWords = `one of ${names.join(', ')}`;

/** Type and index of a device by its name; 'cuda' is 'cuda:0'. */
export function deviceNumbers(op: string, argument: string, value: unknown): [type: number, index: number] {
  const found = typeof value === 'string' ? /^([a-z]+)(?::(0|[1-9]\d?))?$/.exec(value) : null;
  const type = deviceTypes.findIndex(({ name }) => name === found?.[1]);
  const index = Number(found?.[2] ?? 0);
  if (type < 0 || index >= deviceTypes[type]!.most)
    refuse('ERR_ARGUMENT', op, argument, deviceWords, print(value));
  return [type, index];
}

/** Whether a text is meant as a device; there may be no such one. */
export const isDeviceName = (value: unknown): value is DeviceName =>
  typeof value === 'string' && deviceTypes.some(({ name }) => value === name || value.startsWith(`${name}:`));

/** The handle of a copy on a device; `dtype` is the number of one, or -1. */
export function copyTo(op: string, handle: number, dtype: number, device: readonly [number, number]): number {
  recorder?.refuse(
    op,
    'would move elements to a device while compile() records: move tensors before, and what it returns behind',
  );
  return check(fn.copy_to(handle, dtype, ...device), op);
}

/** Whether elements lie elsewhere than in the memory of the CPU. */
export const isElsewhere = (device: Device): boolean => device !== 'cpu' && device !== 'meta';

// ---------------------------------------------------------------- what is known of one

/** Of a device. */
export interface DeviceInfo {
  device: Device;
  /** Of the hardware. */
  name: string;
  /** Bytes of its memory, and those that nobody uses; 0 where it has none of its own. */
  totalBytes: number;
  freeBytes: number;
  /** CUDA's compute capability, '9.0'; null of other devices. */
  capability: string | null;
}

/** GPUs of NVIDIA. */
export interface CudaInfo {
  devices: DeviceInfo[];
  /** Why there is none; empty where there is one. */
  reason: string;
}

const CUDA = deviceTypes.findIndex(({ name }) => name === 'cuda');

function infoOf(type: number, index: number): DeviceInfo {
  check(fn.device_info(type, index), 'deviceInfo');
  const [totalBytes, freeBytes, major, minor] = backend.numbers();
  return {
    device: deviceName(type, index),
    name: answer(),
    totalBytes: totalBytes!,
    freeBytes: freeBytes!,
    capability: type === CUDA ? `${major}.${minor}` : null,
  };
}

/** What a device is; where it is not there, an error that says why (ERR_UNSUPPORTED). */
export function deviceInfo(device: DeviceName): DeviceInfo {
  return infoOf(...deviceNumbers('deviceInfo', 'device', device));
}

/** All CUDA devices, or why there is none. */
export function cudaInfo(): CudaInfo {
  try {
    const devices = Array.from({ length: fn.device_count(CUDA) }, (_, k) => infoOf(CUDA, k));
    return { devices, reason: devices.length > 0 ? '' : infoOf(CUDA, 0).name };
  } catch (error) {
    if (!(error instanceof StriaError)) throw error;
    return { devices: [], reason: error.message.replace(/^.*?there is no device \S+?: /, '') };
  }
}

/**
 * Waits until everything that was begun on a device is done; what failed of it is thrown. On the addon JavaScript goes on meanwhile. Who
 * reads elements need not wait before.
 */
export async function synchronize(device: DeviceName): Promise<void> {
  const numbers = deviceNumbers('synchronize', 'device', device);
  const result = backend.wait?.(...numbers) ?? fn.device_synchronize(...numbers);
  check(typeof result === 'number' ? result : await result, 'synchronize');
}

// ---------------------------------------------------------------- how they compute

/**
 * How products of float32 are computed on CUDA devices: 'highest', in float32, or 'high', which may round the elements of operands to TF32, 10 bits
 * behind the point: tensor cores are many times as fast then. Of all threads, for products that begin afterwards; elsewhere nothing changes.
 */
export function setFloat32MatmulPrecision(precision: 'highest' | 'high'): void {
  if (precision !== 'highest' && precision !== 'high')
    refuse('ERR_ARGUMENT', 'setFloat32MatmulPrecision', 'precision', "'highest' or 'high'", print(precision));
  fn.tf32(precision === 'high' ? 1 : 0);
}

/** What setFloat32MatmulPrecision has set: 'highest' at first. */
export function getFloat32MatmulPrecision(): 'highest' | 'high' {
  return fn.tf32(-1) === 1 ? 'high' : 'highest';
}
