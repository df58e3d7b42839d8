// Calls with anything at all (hostile_calls.ts). STRIA_SEED and STRIA_CALLS choose another run.
import test from 'node:test';
import { hostileCalls } from './hostile_calls.js';
import { load } from './support.js';

await load();

const SEED = Number(process.env.STRIA_SEED ?? 20_261_122);
const CALLS = Number(process.env.STRIA_CALLS ?? 100_000);

test(`${CALLS} hostile calls, seed ${SEED}`, () => hostileCalls(CALLS, SEED));
