// The generated files are what the op table gives.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

test(
  'src/*.gen.ts, docs/ops.md and the lists of README.md',
  { skip: !existsSync(`${root}build/ops.json`) && 'the op table was not dumped in this build' },
  () => {
    const args = ['scripts/gen_ops.mjs', 'build/ops.json', '--check'];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  },
);
