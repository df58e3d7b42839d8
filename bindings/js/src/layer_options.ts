// What the modules of layers.ts and spatial.ts share.
import { refuse } from './abi.js';
import { dtypeNumber, isRealFloat } from './arguments.js';
import type { Generator } from './generator.js';
import type { DeviceName, DType } from './tables.gen.js';

/** What layers with parameters take. */
export interface LayerOptions {
  /** Of the parameters. Default: float32. */
  dtype?: DType;
  /** Of the parameters. Default: cpu. */
  device?: DeviceName;
  /** Where initial values come from. Default: the default generator. */
  generator?: Generator;
}

// Parameters learn, so they are floats.
export function floatOf(op: string, dtype: DType = 'float32'): DType {
  dtypeNumber(op, dtype);
  return isRealFloat(dtype) ? dtype : refuse('ERR_DTYPE', op, 'dtype', 'a float', dtype);
}

export const common = { dtype: 'dtype', device: 'device', generator: 'generator' } as const;
