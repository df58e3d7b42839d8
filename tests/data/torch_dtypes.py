"""Writes torch_dtypes.json: the dtypes that each function of PyTorch computes in, on some device.

    /usr/bin/python3 tests/data/torch_dtypes.py      (PyTorch 1.13)

They are what PyTorch's own tests hold it to (OpInfo), of CPU and CUDA together, and of what has no such record what a call takes here. Names are
those of functions without their modules; of equal names that of torch comes first. u16, u32 and u64 it does not have.
"""
import json
import os
import sys
import types
import unittest
import warnings

warnings.simplefilter("ignore")
# Of PyTorch's tests; not needed to read their records.
absent = types.ModuleType("expecttest")
absent.TestCase, absent.ACCEPT = unittest.TestCase, False
sys.modules.setdefault("expecttest", absent)

import torch  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402

GROUPS = {
    "bool": ["bool"],
    "integers": ["uint8", "int8", "int16", "int32", "int64"],
    "floats": ["float16", "bfloat16", "float32", "float64"],
    "complex": ["complex64", "complex128"],
}
MODULES = ["", "nn.functional.", "special.", "linalg.", "_"]

PROBES = {
    "chain_matmul": lambda x: torch.chain_matmul(x, x),
    "copy": lambda x: torch.empty_like(x).copy_(x),
    "detach": lambda x: x.detach(),
    "empty_strided": lambda x: torch.empty_strided((2, 2), (2, 1), dtype=x.dtype),
    "exponential": lambda x: x.exponential_(),
    "fill_normal": lambda x: x.normal_(),
    "full": lambda x: torch.full((2,), 1, dtype=x.dtype),
    "index": lambda x: x[torch.tensor([0, 1])],
    "rand": lambda x: torch.rand(2, dtype=x.dtype),
    "randint": lambda x: torch.randint(0, 2, (2,), dtype=x.dtype),
    "randperm": lambda x: torch.randperm(2, dtype=x.dtype),
    "view_dtype": lambda x: x.view(x.dtype),
}


def takes(probe, name):
    try:
        probe(torch.ones(2, 2, dtype=getattr(torch, name)))
    except (RuntimeError, TypeError, NotImplementedError):
        return False
    return True


def words(names):
    """Whole groups by their names."""
    found = []
    for group, members in GROUPS.items():
        own = [name for name in members if name in names]
        found += [group] if own == members else own
    return found


def main():
    everything = [name for members in GROUPS.values() for name in members]
    found = {}
    for module in MODULES:
        own = {}
        for op in op_db:
            for name in [op.name] + [alias.name for alias in op.aliases]:
                short = name[len(module) :]
                if not name.startswith(module) or "." in short or short.startswith("_"):
                    continue
                own.setdefault(short, set()).update(str(t)[6:] for t in op.dtypes | op.dtypesIfCUDA)
        for name, dtypes in own.items():
            found.setdefault(name, dtypes)
    for name, probe in PROBES.items():
        found.setdefault(name, {dtype for dtype in everything if takes(probe, dtype)})
    lines = [f"  {json.dumps(name)}: {json.dumps(words(found[name]))}" for name in sorted(found)]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_dtypes.json")
    with open(path, "w") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")


main()
