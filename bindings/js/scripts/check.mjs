// The inner loop: dist/ from what is built, then the tests on the fastest backend to start.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const addon = `${root}dist/native/stria-${process.platform}-${process.arch}.node`;
const steps = [['scripts/build.mjs'], ['scripts/test.mjs']];
const env = { ...process.env, STRIA_PART: '4', STRIA_CALLS: '10000' }; // the cases of tests that take long
for (const step of steps) {
  const args =
    step[0] === 'scripts/test.mjs' ? [...step, '--check', existsSync(addon) ? 'native' : 'simd'] : step;
  if (spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env }).status !== 0) process.exit(1);
}
