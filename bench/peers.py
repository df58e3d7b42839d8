"""stria beside NumPy and PyTorch, in one process on the same memory: samples of all of them take turns.

    python3 peers.py LIBSTRIA OPS_DEF [--quick]

Prints one JSON object: machine, versions, and per case and thread count the median and quartiles of each, and the ratio
of stria's median to the best peer's. A peer that is not installed is named under "absent". Every result is compared with
NumPy's before anything is timed.
"""

import json
import os
import platform
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "2")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
absent = []
try:
    import numpy as np
except ImportError:
    print(json.dumps({"absent": ["numpy", "torch"], "cases": []}))
    sys.exit(0)
try:
    import torch
except ImportError:
    torch = None
    absent.append("torch")
from stria_ctypes import Stria

QUICK = "--quick" in sys.argv
SAMPLES, SAMPLE_SECONDS = (9, 0.0005) if QUICK else (41, 0.002)

stria = Stria(sys.argv[1], sys.argv[2])
rng = np.random.default_rng(1)


def f32(*shape):
    return rng.uniform(-1, 1, shape).astype(np.float32)


keep = []  # arrays under stria handles stay alive


def handle(array):
    keep.append(array)
    return stria.wrap(array)


def tensor(array):
    return torch.from_numpy(array) if torch else None


def case(name, op, inputs, numpy_call, torch_call, out_dtype=np.float32, fresh=False):
    """numpy_call(out) and torch_call(inputs, out) run one call; out is None for a case with new outputs."""
    shape = np.broadcast_shapes(*(x.shape for x in inputs))
    outs = [None if fresh else np.zeros(shape, out_dtype) for _ in range(3)]
    calls = {"stria": stria.apply(op, [handle(x) for x in inputs], None if fresh else handle(outs[0])),
             "numpy": lambda: numpy_call(outs[1])}
    if torch:
        t_in, t_out = [tensor(x) for x in inputs], None if fresh else tensor(outs[2])
        calls["torch"] = lambda: torch_call(t_in, t_out)
    if not fresh:
        for call in calls.values():
            call()
        reference = outs[1].astype(np.float64)
        if not np.allclose(outs[0].astype(np.float64), reference, rtol=1e-5, atol=1e-6, equal_nan=True):
            raise SystemExit(f"{name}: stria and NumPy disagree")
    return name, calls


def reduction(name, op, x, axis, numpy_call, torch_call):
    shape = () if axis is None else tuple(n for k, n in enumerate(x.shape) if k != axis)
    mine, theirs = np.zeros(shape, x.dtype), np.zeros(shape, x.dtype)
    calls = {"stria": stria.reduce(op, handle(x), axis, handle(mine)), "numpy": lambda: numpy_call(x, axis, theirs)}
    if torch:
        t = tensor(x)
        calls["torch"] = lambda: torch_call(t, axis)
    for call in calls.values():
        call()
    if not np.allclose(mine, theirs, rtol=1e-4, atol=1e-3):
        raise SystemExit(f"{name}: stria and NumPy disagree")
    return name, calls


def all_cases():
    a, b, row = f32(1000, 1000), f32(1000, 1000), f32(1000)
    positive = np.abs(a) + np.float32(0.01)
    thin, eight, image, three = f32(125000, 8), f32(8), f32(1000, 1000, 3), f32(3)
    wide_a, wide_b, big_a, big_b = f32(2000000), f32(2000000), f32(10000000), f32(10000000)
    whole = rng.integers(-1000, 1000, (1000, 1000)).astype(np.int32)
    mask = rng.uniform(0, 1, (1000, 1000)) < 0.5

    for op, np_op in (("add", np.add), ("mul", np.multiply), ("div", np.divide)):
        t_op = getattr(torch, op, None) if torch else None
        yield case(f"{op} 1e6", op, [a, positive], lambda o, f=np_op: f(a, positive, out=o),
                   lambda t, o, f=t_op: f(t[0], t[1], out=o))
    yield case("add 1e7, new output", "add", [big_a, big_b], lambda o: np.add(big_a, big_b),
               lambda t, o: torch.add(t[0], t[1]), fresh=True)
    yield case("relu 1e6", "relu", [a], lambda o: np.maximum(a, np.float32(0), out=o),
               lambda t, o: torch.clamp_min(t[0], 0, out=o))
    for op in ("sqrt", "exp", "tanh", "log", "sin"):
        np_op, t_op = getattr(np, op), getattr(torch, op, None) if torch else None
        yield case(f"{op} 1e6", op, [positive], lambda o, f=np_op: f(positive, out=o),
                   lambda t, o, f=t_op: f(t[0], out=o))
    yield case("[1000,1000]+[1000]", "add", [a, row], lambda o: np.add(a, row, out=o),
               lambda t, o: torch.add(t[0], t[1], out=o))
    yield case("[125000,8]+[8]", "add", [thin, eight], lambda o: np.add(thin, eight, out=o),
               lambda t, o: torch.add(t[0], t[1], out=o))
    yield case("[1000,1000,3]*[3]", "mul", [image, three], lambda o: np.multiply(image, three, out=o),
               lambda t, o: torch.mul(t[0], t[1], out=o))
    yield case("A + B.T 1000x1000", "add", [a, b.T], lambda o: np.add(a, b.T, out=o),
               lambda t, o: torch.add(t[0], t[1], out=o))
    yield case("a[::2]+b[::2]", "add", [wide_a[::2], wide_b[::2]], lambda o: np.add(wide_a[::2], wide_b[::2], out=o),
               lambda t, o: torch.add(t[0], t[1], out=o))
    yield case("i32 + f32 1e6", "add", [whole, a], lambda o: np.add(whole, a, out=o, dtype=np.float32, casting="same_kind"),
               lambda t, o: torch.add(t[0], t[1], out=o))
    yield case("a < b 1e6", "lt", [a, b], lambda o: np.less(a, b, out=o), lambda t, o: torch.lt(t[0], t[1], out=o),
               out_dtype=np.bool_)
    yield case("where 1e6, new output", "where", [mask, a, b], lambda o: np.where(mask, a, b),
               lambda t, o: torch.where(t[0], t[1], t[2]), fresh=True)
    for name, axis in (("sum 1e6", None), ("sum 1000x1000 axis 0", 0), ("sum 1000x1000 axis 1", 1)):
        yield reduction(name, "sum", a, axis, lambda x, d, o: np.sum(x, axis=d, out=o),
                        lambda t, d: torch.sum(t) if d is None else torch.sum(t, d))
    yield reduction("sum [262144,8] axis 1", "sum", f32(262144, 8), 1, lambda x, d, o: np.sum(x, axis=d, out=o),
                    lambda t, d: torch.sum(t, d))
    yield reduction("amax 1e6", "amax", a, None, lambda x, d, o: np.max(x, axis=d, out=o), lambda t, d: torch.amax(t))


def sample(call, count):
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def measure(calls):
    """Medians and quartiles in microseconds; one sample of each in turn."""
    counts = {}
    for name, call in calls.items():
        sample(call, 1)
        counts[name] = max(1, int(SAMPLE_SECONDS / max(sample(call, 2), 1e-9)))
    times = {name: [] for name in calls}
    order = list(calls)
    for k in range(SAMPLES):
        for name in order[k % len(order):] + order[:k % len(order)]:
            times[name].append(sample(calls[name], counts[name]) * 1e6)
    return {name: {"median_us": float(np.median(t)), "p25_us": float(np.percentile(t, 25)),
                   "p75_us": float(np.percentile(t, 75))} for name, t in times.items()}


def main():
    rows = []
    cases = list(all_cases())
    for threads in (1, 2):
        stria.set_threads(threads)
        if torch:
            torch.set_num_threads(threads)
        for name, calls in cases:
            result = measure(calls)
            best = min((r["median_us"], peer) for peer, r in result.items() if peer != "stria")
            rows.append({"case": name, "threads": threads, "times": result, "best_peer": best[1],
                         "ratio": result["stria"]["median_us"] / best[0]})
    versions = {"numpy": np.__version__, **({"torch": torch.__version__} if torch else {})}
    print(json.dumps({"machine": platform.processor() or platform.machine(), "isa": stria.isa, "versions": versions,
                      "absent": absent, "samples": SAMPLES, "cases": rows}, indent=1))


main()
