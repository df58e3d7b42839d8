// The plug-in that the tests of CUDA open: that of the environment, or the one on the host runtime (tests/cuda_host), which the preset
// `native` builds. To be called before anything asks for a device.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { backendName, isSanitized } from './support.js';

const builds = process.env.STRIA_BUILD_DIR ?? fileURLToPath(new URL('../../../../build', import.meta.url));
const plugin = join(builds, 'native/libstria_cuda_host.so');

/** Why there is nothing to test; false where there is. */
export function noPlugin(): string | false {
  if (backendName !== 'native') return 'CUDA is reached from the addon alone';
  if (isSanitized) return 'the host runtime and the sanitizer both handle SIGSEGV';
  if (process.env.STRIA_CUDA_PLUGIN === undefined) {
    if (!existsSync(plugin)) return `${plugin} is not built`;
    process.env.STRIA_CUDA_PLUGIN = plugin;
  }
  return false;
}
