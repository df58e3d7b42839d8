// What the app is for: functions and methods on tensors, small and large enough for threads.
import { add, init, kernel, memory, ones, scope, StriaError, tensor } from 'stria';

export async function compute(options) {
  let found;
  try {
    found = await init({ quiet: true, ...options });
  } catch (error) {
    const { name, code, op, message } = error;
    return { refused: { isStria: error instanceof StriaError, name, code, op, message } };
  }
  const { backend, variant, threads, crossOriginIsolated, reason } = found;
  const swish = kernel((x) => x.mul(x.sigmoid()));
  const small = scope(() => [
    ...add(tensor([1, 2, 3]), 1)
      .mul_(2)
      .dataSync(),
  ]);
  const large = scope(() => ones([1000, 1000]).exp().sub(1).sum().item());
  const fused = scope(() => [...swish(tensor([0, 1])).dataSync()]);
  const live = memory().liveTensors;
  return { backend, variant, threads, crossOriginIsolated, reason, small, large, fused, live };
}
