// Statistics and limits of memory.
import { backend, check, fn, refuse } from './abi.js';
import { print } from './arguments.js';
import { deviceNumbers } from './devices.js';
import type { DeviceName } from './tables.gen.js';

export interface MemoryInfo {
  /** In elements of live tensors now, and the most so far. */
  liveBytes: number;
  peakBytes: number;
  /** Held for reuse. */
  cachedBytes: number;
  /** 0: none. */
  limitBytes: number;
  /** Tensors, views included and wherever they are, and the memory blocks behind them. Of CUDA devices, tensors are not counted apart: 0. */
  liveTensors: number;
  liveStorages: number;
  allocationCount: number;
  cacheHitCount: number;
}

/** Memory statistics, of a device's own memory where one is given; liveTensors back at its old value means that nothing leaked. */
export function memory(device: DeviceName = 'cpu'): MemoryInfo {
  check(fn.memory(...deviceNumbers('memory', 'device', device)), 'memory');
  const [
    liveBytes,
    peakBytes,
    cachedBytes,
    limitBytes,
    liveTensors,
    liveStorages,
    allocationCount,
    cacheHitCount,
  ] = backend.numbers() as unknown as [number, number, number, number, number, number, number, number];
  return {
    liveBytes,
    peakBytes,
    cachedBytes,
    limitBytes,
    liveTensors,
    liveStorages,
    allocationCount,
    cacheHitCount,
  };
}

/** Live and cached bytes, of a device where one is given, may not exceed this; then operations throw MemoryError. 0: no limit. */
export function setMemoryLimit(bytes: number, device: DeviceName = 'cpu'): void {
  const op = 'setMemoryLimit';
  if (!(Number.isSafeInteger(bytes) && bytes >= 0))
    refuse('ERR_ARGUMENT', op, 'bytes', 'a whole number >= 0', print(bytes));
  check(fn.memory_limit(...deviceNumbers(op, 'device', device), bytes), op);
}

/** Gives memory that is held for reuse, of a device where one is given, back to the system. */
export function trimMemory(device: DeviceName = 'cpu'): void {
  check(fn.memory_trim(...deviceNumbers('trimMemory', 'device', device)), 'trimMemory');
}
