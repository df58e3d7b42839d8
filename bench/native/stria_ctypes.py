"""The C library in this process, for the benchmark: jobs that call it on NumPy's memory."""

import ctypes
import re

import numpy as np


class StriaError(RuntimeError):
    pass


class MissingOp(LookupError):
    """The library does not have what a row needs."""


class _Error(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_int),
        ("op", ctypes.c_char * 32),
        ("argument", ctypes.c_char * 32),
        ("expected", ctypes.c_char * 96),
        ("got", ctypes.c_char * 96),
        ("message", ctypes.c_char * 320),
    ]


class _Scalar(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("i", ctypes.c_int64), ("re", ctypes.c_double), ("im", ctypes.c_double)]


class _Instruction(ctypes.Structure):
    _fields_ = [("op", ctypes.c_int), ("inputs", ctypes.c_int * 3)]


SCALAR_FLOAT = 2


class CJob(ctypes.Structure):
    """bench_job of peer.h."""

    _fields_ = [
        ("run", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        ("result", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)),
        ("release", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        ("context", ctypes.c_void_p),
    ]


DTYPES = ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "bfloat16",
          "float32", "float64", "complex64", "complex128"]
DTYPE_NONE = -1


def address_of(symbol):
    return ctypes.cast(symbol, ctypes.c_void_p).value


def view_of(address, shape, dtype):
    """A NumPy array over row-major memory."""
    count = int(np.prod(shape, dtype=np.int64))
    if count == 0:
        return np.empty(shape, dtype)
    memory = (ctypes.c_char * (count * np.dtype(dtype).itemsize)).from_address(address)
    return np.frombuffer(memory, dtype).reshape(shape)


class Stria:
    def __init__(self, library, calls, ops_def):
        """library: libstria; calls: stria_bench (stria_jobs.c); ops_def: the op table, which gives the ops' numbers."""
        self.lib = ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
        self.calls = ctypes.CDLL(calls)
        self.calls.bench_time.restype = ctypes.c_double
        self.calls.bench_stria_get_failure.restype = ctypes.c_char_p
        self.calls.bench_stria_get_made.restype = ctypes.c_void_p
        self.error = _Error()
        self.err = ctypes.byref(self.error)
        with open(ops_def, encoding="utf-8") as file:
            text = file.read()
        self.ops = {n: k for k, n in enumerate(re.findall(r"^OP_(?:WITH\([A-Z]+,|[A-Z]+\()\s*(\w+),", text, re.M))}
        self.reductions = {n: k for k, n in enumerate(re.findall(r"^RED_[A-Z]+\(\s*(\w+),", text, re.M))}
        self.lib.stria_isa_get_name.restype = ctypes.c_char_p
        for name, restype in (("get_shape", ctypes.POINTER(ctypes.c_int64)), ("get_const_data", ctypes.c_void_p)):
            symbol = getattr(self.lib, "stria_tensor_" + name)
            symbol.restype, symbol.argtypes = restype, [ctypes.c_void_p]
        for name in ("get_ndim", "get_dtype", "get_contiguous"):
            getattr(self.lib, "stria_tensor_" + name).argtypes = [ctypes.c_void_p]
        self.lib.stria_tensor_release.argtypes = [ctypes.c_void_p]
        self.lib.stria_tensor_release.restype = None
        self.check(self.lib.stria_isa_get_status(self.err))

    @property
    def isa(self):
        return self.lib.stria_isa_get_name().decode()

    def check(self, status):
        if status:
            raise StriaError(self.error.message.decode())

    def set_threads(self, n):
        self.check(self.lib.stria_threads_set(ctypes.c_int(n), self.err))

    def wrap(self, array):
        """A handle over the memory of a NumPy array, which must outlive it."""
        n = array.ndim
        shape = (ctypes.c_int64 * max(n, 1))(*array.shape)
        strides = (ctypes.c_int64 * max(n, 1))(*(s // array.itemsize for s in array.strides))
        out = ctypes.c_void_p()
        self.check(self.lib.stria_tensor_new_external(
            ctypes.c_int(DTYPES.index(array.dtype.name)), ctypes.c_int(n), shape, strides,
            ctypes.c_void_p(array.ctypes.data), None, None, ctypes.byref(out), self.err))
        return out

    def release(self, handle):
        self.lib.stria_tensor_release(handle)

    def read(self, handle):
        """A copy of a tensor's elements."""
        shape_of = self.lib.stria_tensor_get_shape(handle)
        shape = [shape_of[k] for k in range(self.lib.stria_tensor_get_ndim(handle))]
        if not self.lib.stria_tensor_get_contiguous(handle):
            raise StriaError("the result of this row is not row-major")
        dtype = DTYPES[self.lib.stria_tensor_get_dtype(handle)]
        return view_of(self.lib.stria_tensor_get_const_data(handle), shape, dtype).copy()

    # ---- jobs

    def find(self, name):
        try:
            return getattr(self.lib, name)
        except AttributeError:
            raise MissingOp(name) from None

    def number(self, table, name):
        if name not in table:
            raise MissingOp(name)
        return table[name]

    def _lower(self, spec, args, out):
        """One call of a row as (function, arguments); names of tensors, 'new', 'out', 'err' are still to be filled in."""
        kind, rest = spec[0], spec[1:]
        if kind == "op":
            operands = rest[1] if len(rest) > 1 else args
            target = rest[2] if len(rest) > 2 else out
            head = [self.number(self.ops, rest[0]), {"tensors": operands}, len(operands)]
            return ("stria_apply", [*head, "new", "err"]) if target is None else \
                   ("stria_apply_out", [*head, target, "err"])
        if kind == "reduce":
            head = [self.number(self.reductions, rest[0]), args[0], {"axes": rest[1:]}, len(rest) - 1, 0, DTYPE_NONE]
            return ("stria_reduce", [*head, "new", "err"]) if out is None else ("stria_reduce_out", [*head, out, "err"])
        if kind == "expression":
            head = [{"expression": rest, "n_in": len(args)}, {"tensors": args}, len(args)]
            return ("stria_expression_apply", [*head, "new", "err"]) if out is None else \
                   ("stria_expression_apply_out", [*head, out, "err"])
        if kind == "set":
            return "stria_tensor_set", [out, args[0], "err"]
        return rest[0], list(rest[1:])

    def job(self, spec, tensors, args, out):
        """spec: the `stria` of a row (rows/native.mjs); tensors: handles by name; out: name of the output or None."""
        c = CJob()
        if spec[0] == "iter":
            handles = [tensors[name] for name in (out, *args)]
            if not self.calls.bench_stria_new_build_job(*handles, ctypes.byref(c)):
                raise MemoryError
            return NativeJob(self.calls, c, [tensors])
        specs = spec[1:] if spec[0] == "chain" else [spec]
        calls = [self._lower(one, args, out) for one in specs]
        functions = [self.find(name) for name, _ in calls]
        if not self.calls.bench_stria_new_job(ctypes.c_int(len(calls)), ctypes.byref(c)):
            raise MemoryError
        job = StriaJob(self, c)
        for k, (function, (_, arguments)) in enumerate(zip(functions, calls)):
            job.set_call(k, function, arguments, tensors, out)
        return job


class NativeJob:
    """A job of peer.h; time(count) gives seconds."""

    def __init__(self, clock, c, keep=()):
        self.clock, self.c, self.place, self.keep = clock, c, ctypes.byref(c), list(keep)

    def time(self, count):
        return self.clock.bench_time(self.place, ctypes.c_int64(count))

    def once(self, out):
        """Runs once and returns a copy of the result: `out` holds it unless the job makes an output of its own."""
        self.time(1)
        if self.c.result:
            return view_of(self.c.result(self.c.context), out.shape, out.dtype).copy()
        return out

    def release(self):
        self.c.release(self.c.context)


class StriaJob(NativeJob):
    def __init__(self, stria, c):
        super().__init__(stria.calls, c)
        self.stria = stria
        self.expressions = []

    def set_call(self, k, function, arguments, tensors, out):
        words, reals, made_at, err_at = [], [], -1, -1
        for value in arguments:
            if isinstance(value, dict) and "real" in value:
                reals.append(float(value["real"]))
                continue
            words.append(self._word(value, tensors, out))
            made_at = len(words) - 1 if value == "new" else made_at
            err_at = len(words) - 1 if value == "err" else err_at
        self.stria.calls.bench_stria_set_call(
            self.place, ctypes.c_int(k), ctypes.c_void_p(address_of(function)), (ctypes.c_int64 * len(words))(*words),
            ctypes.c_int(len(words)), (ctypes.c_double * max(len(reals), 1))(*reals), ctypes.c_int(len(reals)),
            ctypes.c_int(made_at), ctypes.c_int(err_at))

    def _word(self, value, tensors, out):
        if isinstance(value, int):
            return value
        if value in ("new", "err", "null"):
            return 0
        if isinstance(value, str):
            return tensors[out if value == "out" else value].value
        if "expression" in value:
            return self._expression(value["n_in"], *value["expression"])
        if "sizes" in value:
            array = (ctypes.c_int64 * len(value["sizes"]))(*value["sizes"])
        elif "axes" in value:
            array = (ctypes.c_int * max(len(value["axes"]), 1))(*value["axes"])
        else:
            array = (ctypes.c_void_p * len(value["tensors"]))(*(tensors[name].value for name in value["tensors"]))
        self.keep.append(array)
        return ctypes.addressof(array)

    def _expression(self, n_in, constants, *code):
        numbers = (_Scalar * max(len(constants), 1))(*(_Scalar(SCALAR_FLOAT, 0, x, 0) for x in constants))
        ops = self.stria.ops
        steps = (_Instruction * len(code))(
            *(_Instruction(self.stria.number(ops, op), (ctypes.c_int * 3)(*inputs)) for op, *inputs in code))
        expression = ctypes.c_void_p()
        self.stria.check(self.stria.lib.stria_expression_new(
            ctypes.c_int(n_in), numbers, ctypes.c_int(len(constants)), steps, ctypes.c_int(len(code)),
            ctypes.byref(expression), self.stria.err))
        self.expressions.append(expression)
        return expression.value

    def release(self):
        super().release()
        for expression in self.expressions:
            self.stria.lib.stria_expression_release(expression)

    def once(self, out):
        self.time(1)
        failure = self.stria.calls.bench_stria_get_failure(self.place)
        if failure is not None:
            raise StriaError(failure.decode())
        made = self.stria.calls.bench_stria_get_made(self.place)
        return self.stria.read(made) if made else out
