// What app/compute.js must give, everywhere.
import assert from 'node:assert/strict';

export function checkValues({ small, large, fused, live, error, refused }) {
  assert.equal(error, undefined);
  assert.equal(refused, undefined);
  assert.deepEqual(small, [4, 6, 8]);
  assert.ok(Math.abs(large / (1e6 * Math.expm1(1)) - 1) < 1e-6, String(large));
  assert.equal(fused[0], 0);
  assert.ok(Math.abs(fused[1] - 1 / (1 + Math.exp(-1))) < 1e-6, String(fused[1]));
  assert.equal(live, 0, 'tensors leaked');
}
