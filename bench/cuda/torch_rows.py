"""PyTorch on the first CUDA device: the rows of bench_cuda.c, timed in the same way, in a process of its own.

    python3 torch_rows.py < ROWS

ROWS is JSON: rows, as `bench_cuda --list` prints them, samples, sample_s. Prints {"absent": why} or {"version": ..}, then one JSON object for each row with
samples in nanoseconds.
"""

import json
import sys
import time

PLAN = json.load(sys.stdin)


def say(record):
    print(json.dumps(record, separators=(",", ":")), flush=True)


try:
    import torch
except ImportError as error:
    say({"absent": str(error)})
    sys.exit()
if not torch.cuda.is_available():
    say({"absent": f"PyTorch {torch.__version__} finds no CUDA device"})
    sys.exit()
torch.backends.cuda.matmul.allow_tf32 = False
say({"version": torch.__version__})
DTYPES = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16}


def call_of(row):
    """What is timed: outputs are reused, as in bench_cuda.c."""
    kind, sizes = row["kind"], row["sizes"]
    new = lambda *shape: torch.rand(shape, device="cuda").to(DTYPES[row["dtype"]])  # noqa: E731
    if kind == "matmul":
        batch, m, n, k = sizes
        a, b, o = new(batch, m, k), new(batch, k, n), new(batch, m, n)
        return lambda: torch.matmul(a, b, out=o)
    shape = [size for size in sizes if size > 0]
    a, b, o = new(*shape), new(*shape), new(*shape)
    b16 = b.half()
    return {
        "add": lambda: torch.add(a, b, out=o),
        "small": lambda: torch.add(a, b, out=o),
        "exp": lambda: torch.exp(a, out=o),
        "add_row": lambda: torch.add(a, b[0], out=o),
        "add_mixed": lambda: torch.add(a, b16, out=o),
        "layer_norm": lambda: torch.nn.functional.layer_norm(a, shape[1:]),
        "add_transposed": lambda: torch.add(a.t(), b, out=o),
        "copy_transposed": lambda: o.copy_(a.t()),
        "sum_all": lambda: torch.sum(a),
        "sum_rows": lambda: torch.sum(a, 1),
        "sum_columns": lambda: torch.sum(a, 0),
        "softmax": lambda: torch.softmax(a, 1),
    }.get(kind)


def sample(call, count):
    start = time.perf_counter()
    for _ in range(count):
        call()
    torch.cuda.synchronize()
    return time.perf_counter() - start


for row in PLAN["rows"]:
    call = call_of(row)
    if call is None:
        continue
    count = 1
    sample(call, 1)
    while sample(call, count) < PLAN["sample_s"]:
        count *= 2
    say({"row": row["row"], "samples": {"torch": [1e9 * sample(call, count) / count for _ in range(PLAN["samples"])]}})
