// cuda.mjs - the rows of CUDA devices: which programs measure them, and what becomes of their records. cuda/bench_cuda.c has the rows.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** No call may take more of PyTorch's time. */
const OF_TORCH = 1.05;

/** What can be run: { program, peer, env }, undefined where nothing is built. The plug-in is that of the environment, or the preset's. */
export function cudaPrograms(root, env = process.env) {
  const program = path.join(root, 'build/native/bench/bench_cuda');
  if (!existsSync(program)) return undefined;
  const peer = path.join(root, 'build/cuda/bench/bench_cuda_peer.so');
  const plugin = path.join(root, 'build/cuda/libstria_cuda.so');
  const isBuilt = env.STRIA_CUDA_PLUGIN === undefined && existsSync(plugin);
  return {
    program,
    peer: existsSync(peer) ? [`--peer=${peer}`] : [],
    env: isBuilt ? { STRIA_CUDA_PLUGIN: plugin } : {},
  };
}

const objects = (text) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

/** Every row, with what it must reach. */
export function listCuda(program) {
  return objects(execFileSync(program, ['--list'], { encoding: 'utf8' }));
}

/** What a row must reach, as entries of rows/*.mjs say it; nothing on the host runtime, whose times mean nothing. */
export function specOf(record, machine) {
  const { target, limitNs } = machine.isHost ? {} : record;
  return { group: 'CUDA', small: true, target, limitNs };
}

/** The record of a row beside PyTorch's, which was timed by itself: another row. */
export function besideTorch(record, torch, machine) {
  const name = `${record.row}, PyTorch`;
  const samples = { stria: record.samples.stria, torch };
  return {
    record: { ...record, row: name, samples, wrong: {} },
    spec: { ...specOf(record, machine), target: OF_TORCH, limitNs: undefined },
  };
}
