"""stria and its native peers in one process on the same inputs, samples of all of them taking turns.

    python3 run.py < PLAN

PLAN is JSON: library, calls, ops_def, peers_dir (paths), rows (rows/native.mjs), settings {samples, sample_s, budget_s,
roof_s ..}, threads, roof (whether to measure it), specials (names of other measurements). Prints one JSON object a line: first the machine with its roof, then one per row and thread count with raw
samples in nanoseconds, last {"done": true}. A row that stria has no op for is printed with "missing"; a peer whose result
differs from the reference is named under "wrong" and not timed. A peer that is not installed is named in the first line.
"""

import ctypes
import json
import math
import os
import re
import statistics
import sys
import time

sys.dont_write_bytecode = True
PLAN = json.load(sys.stdin)
THREADS = PLAN["threads"]


def core_type():
    """What OPENBLAS_CORETYPE should say: OpenBLAS takes recent AMD processors for older ones."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            text = file.read()
    except OSError:
        return None
    flags = set(re.search(r"^flags\s*:(.*)$", text, re.M)[1].split()) if "flags" in text else set()
    if "avx512bw" in flags:
        return "SkylakeX"
    if "avx2" in flags:
        return "Zen" if "AuthenticAMD" in text else "Haswell"
    return None


if core_type():
    os.environ.setdefault("OPENBLAS_CORETYPE", core_type())
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = str(max(THREADS))

try:
    import numpy as np
except ImportError:
    sys.exit("NumPy is not installed: the native rows run on its memory")

ABSENT = {}
try:
    import torch
except ImportError as error:
    torch = None
    ABSENT["torch"] = str(error)
from stria_ctypes import CJob, MissingOp, NativeJob, Stria, StriaError, address_of  # noqa: E402

DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "bool": np.bool_,
          "c64": np.complex64, "c128": np.complex128}
LETTERS = {"float32": "f", "float64": "d", "int32": "i", "int64": "l", "uint8": "B", "bool": "?"}
SHARED_PEERS = ("eigen", "xtensor", "onednn", "openblas", "torch_cpp", "torch_training")


def say(record):
    print(json.dumps(record, separators=(",", ":")), flush=True)


# ---------------------------------------------------------------- inputs


def aligned(shape, dtype):
    """Zeros at a multiple of 64 bytes."""
    count = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    raw = np.zeros(count + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start:start + count].view(dtype).reshape(shape)


def parse(text):
    """'f32[1000,8] positive' -> dtype, shape, 'positive', 'levels', 'below <n>' or None."""
    match = re.fullmatch(r"(\w+)\[([\d,]*)\](?: (positive|levels|below \d+))?", text)
    return DTYPES[match[1]], tuple(int(n) for n in match[2].split(",") if n), match[3]


def real(array):
    """Complex numbers as pairs of their parts."""
    if not np.iscomplexobj(array):
        return array
    return np.atleast_1d(np.ascontiguousarray(array)).view(array.real.dtype)


def new_input(text, rng):
    dtype, shape, kind = parse(text)
    array = aligned(shape, dtype)
    if dtype is np.bool_:
        array[...] = rng.integers(0, 2, shape, dtype=np.uint8)
    elif kind and kind.startswith("below"):
        array[...] = rng.integers(0, int(kind.split()[1]), shape)
    elif dtype is np.int64 and kind is None:
        array[...] = rng.integers(-2 ** 62, 2 ** 62, shape)
    elif dtype is np.int32:
        array[...] = rng.integers(-1000, 1000, shape)
    elif dtype is np.uint8 or kind == "levels":
        array[...] = rng.integers(0, 256, shape)
    elif np.issubdtype(dtype, np.complexfloating):
        parts = array.view(array.real.dtype)
        parts[...] = rng.random(parts.shape) * 2 - 1
    elif kind == "positive":
        array[...] = rng.random(shape, dtype) * dtype(0.99) + dtype(0.01)
    else:
        array[...] = rng.random(shape, dtype) * dtype(2) - dtype(1)
    return array


class CArray(ctypes.Structure):
    """bench_array of peer.h."""

    _fields_ = [("data", ctypes.c_void_p), ("dtype", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("shape", ctypes.c_int64 * 6), ("strides", ctypes.c_int64 * 6)]

    @classmethod
    def of(cls, a):
        strides = [s // a.itemsize for s in a.strides]
        return cls(a.ctypes.data, ord(LETTERS[a.dtype.name]), a.ndim, tuple(a.shape), tuple(strides))


# ---------------------------------------------------------------- peers


class PythonJob:
    """An expression of a row, evaluated anew at every call."""

    def __init__(self, expression, names):
        self.call = eval("lambda: " + expression, names)  # the rows are ours

    def time(self, count):
        call, clock = self.call, time.perf_counter
        start = clock()
        for _ in range(count):
            call()
        return clock() - start

    def once(self, _out):
        result = self.call()
        result = result[-1] if isinstance(result, tuple) else result
        return result.numpy() if torch and isinstance(result, torch.Tensor) else result

    def release(self):
        pass


class SharedPeer:
    """A library of native/peer_*.cpp."""

    def __init__(self, path, clock):
        self.lib, self.clock = ctypes.CDLL(path), clock
        self.lib.bench_peer_get_version.restype = ctypes.c_char_p
        self.version = self.lib.bench_peer_get_version().decode()

    def set_threads(self, n):
        self.lib.bench_peer_set_threads(ctypes.c_int(n))

    def job(self, kernel, arrays, out):
        c, inputs = CJob(), (CArray * len(arrays))(*(CArray.of(a) for a in arrays))
        c_out = CArray.of(out)
        made = self.lib.bench_peer_new_job(kernel.encode(), inputs, ctypes.c_int(len(arrays)), ctypes.byref(c_out),
                                           ctypes.byref(c))
        if not made:
            raise LookupError(f"no kernel '{kernel}' for these operands")
        return NativeJob(self.clock, c, [inputs, c_out])


def load_peers(clock):
    peers = {}
    for name in SHARED_PEERS:
        path = os.path.join(PLAN["peers_dir"], f"peer_{'torch' if name == 'torch_cpp' else name}.so")
        try:
            peers[name] = SharedPeer(path, clock)
        except OSError as error:
            ABSENT[name] = "not built: its development package is missing or does not compile" \
                if not os.path.exists(path) else str(error)
    return peers


# ---------------------------------------------------------------- one row


class Row:
    """Inputs and jobs of one row. jobs: by peer; wrong, failed: peers that are left out, and why."""

    def __init__(self, row, stria, peers):
        rng = np.random.default_rng(1)
        self.row, self.stria = row, stria
        self.arrays = {name: new_input(text, rng) for name, text in row["in"].items()}
        self.base = {name: name for name in self.arrays}
        for name, expression in row.get("let", {}).items():
            self.base[name] = re.match(r"\w+", expression)[0]
            self.arrays[name] = eval(expression, dict(self.arrays))
        self.args = row.get("args") or [name for name in row["in"]]
        self.jobs, self.outs, self.wrong, self.failed, self.handles, self.missing = {}, {}, {}, {}, {}, None
        self.reference = None
        self._add_python("numpy", np, self.arrays)
        if torch:
            tensors = {name: torch.from_numpy(a) for name, a in self.arrays.items() if min(a.strides, default=0) >= 0}
            self._add_python("torch", torch, tensors)
        for name in SHARED_PEERS:
            if row.get(name) and name in peers:
                arrays = [self.arrays[k] for k in self.args]
                self._add(name, lambda out, n=name: peers[n].job(row[n], arrays, out))
        self._add("stria", self._stria_job)

    def new_out(self):
        if self.row.get("outIs"):
            return self.arrays[self.row["outIs"]]
        if self.row.get("out"):
            dtype, shape, _ = parse(self.row["out"])
            return aligned(shape, dtype)
        return None

    def _add_python(self, peer, module, names):
        if not self.row.get(peer):
            return
        short = {"numpy": "np", "torch": "torch"}[peer]

        def make(out):
            given = {} if self.row.get("out") is None else {"o": out if peer == "numpy" else torch.from_numpy(out)}
            known = {short: module, "torch": torch, **names, **given}
            exec(self.row.get(f"{peer}_setup", ""), known)  # the rows are ours
            return PythonJob(self.row[peer], known)

        self._add(peer, make)

    def _stria_job(self, out):
        self.handles = {name: self.stria.wrap(a) for name, a in self.arrays.items()}
        if self.row.get("out") is not None:
            self.handles["o"] = self.stria.wrap(out)
        target = self.row.get("outIs") or ("o" if self.row.get("out") is not None else None)
        return self.stria.job(self.row["stria"], self.handles, self.args, target)

    def _add(self, peer, make):
        """Makes a job, runs it once and compares; keeps it if it agrees."""
        out = self.new_out()
        if out is None and peer not in ("numpy", "torch", "stria"):
            out = np.empty_like(self.reference)
        try:
            job = make(out)
        except MissingOp as error:
            self.missing = str(error)
            return
        except (LookupError, RuntimeError, ValueError, TypeError, NameError) as error:
            self.failed[peer] = str(error).split("\n", maxsplit=1)[0]
            return
        if self.row.get("check") is not False:
            try:
                result = real(np.asarray(job.once(out)))
            except (StriaError, RuntimeError, ValueError, TypeError) as error:
                self.failed[peer] = str(error).split("\n", maxsplit=1)[0]
                job.release()
                return
            if self.reference is None:
                self.reference = result.astype(np.float32)  # a copy: later runs may change the memory
            elif not self._agrees(result):
                self.wrong[peer] = self._difference(result)
                job.release()
                return
        self.jobs[peer], self.outs[peer] = job, out

    def _agrees(self, result):
        rtol, atol = np.float32(self.row.get("rtol", 1e-5)), np.float32(self.row.get("atol", 1e-6))
        if result.shape != self.reference.shape:
            return False
        gap = np.abs(np.subtract(result, self.reference, dtype=np.float32))
        return bool((gap <= atol + rtol * np.abs(self.reference)).all())

    def _difference(self, result):
        if result.shape != self.reference.shape:
            return f"shape {list(result.shape)} instead of {list(self.reference.shape)}"
        return f"differs by up to {float(np.max(np.abs(np.subtract(result, self.reference, dtype=np.float64)))):.3g}"

    def traffic(self):
        """Bytes of one call, and whether it reads, copies or adds."""
        dtype, shape, _ = parse(self.row["out"]) if self.row.get("out") else (None, None, None)
        read = sum(self.arrays[self.base[name]].nbytes for name in self.args)
        made = np.empty(0) if self.reference is None else self.reference
        written = int(np.prod(shape)) * np.dtype(dtype).itemsize if dtype else made.size * 4
        large = [name for name in self.args if self.arrays[name].nbytes * 4 > read]
        kind = "read" if written * 8 < read else "add" if len(large) > 1 else "copy"
        return {"bytes": read + written, "kind": kind}

    def release(self):
        for job in self.jobs.values():
            job.release()
        for handle in self.handles.values():
            self.stria.release(handle)


# ---------------------------------------------------------------- samples


def plan_samples(seconds_per_call, settings, threads):
    """Per peer: calls of one sample, and in which rounds it takes part (every n-th); and the number of rounds."""
    target, counts, every, cost = settings["sample_s"], {}, {}, 0.0
    for peer, seconds in seconds_per_call.items():
        counts[peer] = max(1, round(target / seconds))
        every[peer] = min(8, max(1, int(seconds / (4 * target))))
        cost += (seconds * (counts[peer] + 1) + (settings["sleep_s"] + settings["wake_s"] if threads > 1 else 0.0)) / every[peer]
    rounds = max(settings["min_samples"], min(settings["samples"], int(threads * settings["budget_s"] / cost)))
    return counts, {peer: min(n, max(1, rounds // 3)) for peer, n in every.items()}, rounds


def undisturbed(samples, least):
    """Of samples (nanoseconds, nanoseconds of this thread), whole ones: those in which no other process had the processor, as far as there
    are enough, `least` or all; else what this thread took."""
    calm = [wall for wall, own in samples if wall <= 1.1 * own + 2000]
    return calm if len(calm) >= min(least, len(samples)) else [own for _, own in samples]


def measure(jobs, settings, threads):
    """Nanoseconds per call, peers taking turns and the first of a round changing. One untimed call before each sample brings
    the peer's memory back into the caches. With several threads, worker threads of another peer may still be spinning in
    wait of work (GNU OpenMP's do for 6 ms): a pause lets them fall asleep, and calls that are not timed wake the peer's
    own, which takes milliseconds where the host of a virtual machine has put a processor to sleep."""
    seconds = {}
    for peer, job in jobs.items():
        count, spent = 1, job.time(1)
        if spent < 0.02:
            spent = job.time(1)
        while spent < 0.2 * settings["sample_s"]:
            count *= 4
            spent = job.time(count)
        seconds[peer] = max(spent / count, 1e-10)
    counts, every, rounds = plan_samples(seconds, settings, threads)
    samples, order = {peer: [] for peer in jobs}, list(jobs)
    for k in range(rounds):
        shift = k % len(order)
        for peer in order[shift:] + order[:shift]:
            if k % every[peer]:
                continue
            if threads > 1 and seconds[peer] < 0.1:
                time.sleep(settings["sleep_s"])
            if seconds[peer] < 0.02:
                jobs[peer].time(1 + int(settings["wake_s"] / seconds[peer]) if threads > 1 else 1)
            before = time.thread_time_ns()
            wall = jobs[peer].time(counts[peer]) * 1e9
            samples[peer].append((wall, time.thread_time_ns() - before))
    if threads > 1:  # the work of others is not in the time of this thread
        times = {peer: [wall for wall, _ in of_peer] for peer, of_peer in samples.items()}
    else:
        times = {peer: undisturbed(of_peer, settings["min_samples"]) for peer, of_peer in samples.items()}
    return {peer: [ns / counts[peer] for ns in of_peer] for peer, of_peer in times.items()}


# ---------------------------------------------------------------- the machine


def cache_sizes():
    """Bytes of the levels of one core's caches, from the smallest."""
    sizes = {}
    folder = "/sys/devices/system/cpu/cpu0/cache"
    for index in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        try:
            facts = {name: open(f"{folder}/{index}/{name}", encoding="ascii").read().strip()
                     for name in ("level", "type", "size")}
        except OSError:
            continue
        if facts["type"] != "Instruction":
            sizes["L" + facts["level"]] = int(facts["size"].rstrip("K")) * 1024
    return sizes or {"L1": 32 << 10, "L2": 512 << 10, "L3": 16 << 20}


def measure_roof():
    """{threads: {level: {read, copy, add}}} in bytes per second, {threads: flops}."""
    path = os.path.join(PLAN["peers_dir"], "peer_roof.so")
    levels = [{"name": name, "bytes": size, "use": size // 2} for name, size in cache_sizes().items()]
    levels.append({"name": "DRAM", "bytes": 1 << 62, "use": min(4 * levels[-1]["bytes"], 256 << 20)})
    if not os.path.exists(path):
        ABSENT["roof"] = "not built: needs a C compiler with OpenMP"
        return {"levels": levels, "bandwidth": {}, "flops": {}}
    lib, seconds = ctypes.CDLL(path), PLAN["settings"]["roof_s"]
    lib.bench_roof_bandwidth.restype = lib.bench_roof_fma.restype = ctypes.c_double
    bandwidth, flops = {}, {}
    for threads in THREADS:
        bandwidth[threads] = {}
        for level in levels:
            shared = threads if level["name"] in ("L3", "DRAM") else 1
            bandwidth[threads][level["name"]] = {
                kind: lib.bench_roof_bandwidth(number, ctypes.c_int64(level["use"] // shared), threads,
                                               ctypes.c_double(seconds))
                for number, kind in enumerate(("read", "copy", "add"))}
        flops[threads] = lib.bench_roof_fma(threads, ctypes.c_double(seconds))
    return {"levels": levels, "bandwidth": bandwidth, "flops": flops}


def set_threads(n, stria, peers):
    stria.set_threads(n)
    if torch:
        torch.set_num_threads(n)
    for peer in peers.values():
        peer.set_threads(n)


def busy_neighbour(stria):
    """A 2-thread add of 1e6 beside a process that never sleeps, against one thread beside it; on two cores."""
    import subprocess
    spec = {"in": {"a": "f32[1000000]", "b": "f32[1000000]"}, "out": "f32[1000000]", "stria": ["op", "add"]}
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, cores[:2])
    row, result = Row(spec, stria, {}), {}
    neighbour = None
    try:
        for quiet in (True, False):
            if not quiet:
                neighbour = subprocess.Popen([sys.executable, "-c", "while True: pass"])
                time.sleep(0.3)
            for threads in (1, 2):
                stria.set_threads(threads)
                row.jobs["stria"].time(50)
                samples = [row.jobs["stria"].time(1) * 1e9 for _ in range(PLAN["settings"]["neighbour_calls"])]
                result[f"{'quiet' if quiet else 'busy'}_{threads}"] = {
                    "mean": statistics.fmean(samples), "median": statistics.median(samples)}
    finally:
        if neighbour:
            neighbour.kill()
            neighbour.wait()
        os.sched_setaffinity(0, cores)
        row.release()
    say({"special": "neighbour", "cores": min(2, len(cores)), "times_ns": result})


def sum_error(stria):
    """Relative error of the f32 sum of a million numbers, against the exactly rounded one."""
    row = Row({"in": {"a": "f32[1000000] positive"}, "out": "f32[]", "stria": ["reduce", "sum"],
               "numpy": "np.sum(a)", "torch": "torch.sum(a)", "rtol": 1e-3}, stria, {})
    exact = math.fsum(row.arrays["a"].tolist())
    errors = {peer: abs(float(job.once(row.outs[peer])) - exact) / exact for peer, job in row.jobs.items()}
    row.release()
    say({"special": "sum_error", "errors": errors})


def main():
    stria = Stria(PLAN["library"], PLAN["calls"], PLAN["ops_def"])
    peers = load_peers(stria.calls)
    versions = {"numpy": np.__version__, **({"torch": torch.__version__} if torch else {}),
                **{name: peer.version for name, peer in peers.items()}}
    settings = {"OPENBLAS_CORETYPE": os.environ.get("OPENBLAS_CORETYPE"),
                "ATEN_CPU_CAPABILITY": os.environ.get("ATEN_CPU_CAPABILITY")}
    say({"machine": {"isa": stria.isa, "versions": versions, "environment": settings, "absent": ABSENT,
                     "roof": measure_roof() if PLAN["roof"] else None}})
    for spec in PLAN["rows"]:
        row = Row(spec, stria, peers)
        base = {"row": spec["name"], "missing": row.missing, "wrong": row.wrong, "failed": row.failed, **row.traffic()}
        for threads in THREADS if "threads" not in spec else [t for t in spec["threads"] if t in THREADS]:
            set_threads(threads, stria, peers)
            say({**base, "threads": threads, "samples": measure(row.jobs, PLAN["settings"], threads)})
        row.release()
        del row
    if "busy neighbour" in PLAN["specials"] and 2 in THREADS:
        busy_neighbour(stria)
    if "sum error" in PLAN["specials"]:
        sum_error(stria)
    say({"done": True})


main()
