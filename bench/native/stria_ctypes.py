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


SCALAR_INT, SCALAR_FLOAT = 1, 2


class _Field(ctypes.Structure):
    """bench_field of functions.h."""

    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_char_p), ("offset", ctypes.c_int64)]


class _Function(ctypes.Structure):
    """bench_function of functions.h."""

    _fields_ = [("name", ctypes.c_char_p), ("size", ctypes.c_int64), ("fields", ctypes.POINTER(_Field)),
                ("n_fields", ctypes.c_int64), ("make", ctypes.c_void_p), ("fill", ctypes.c_void_p)]


class _List(ctypes.Structure):
    _fields_ = [("at", ctypes.c_void_p), ("n", ctypes.c_int64)]


class _IntOrList(ctypes.Structure):
    _fields_ = [("one", ctypes.c_int64), ("list", _List)]


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("index", ctypes.c_int)]


OUTPUT_KINDS = ("OUT", "INPLACE", "VIEW")


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
        self.calls.bench_function_find.restype = ctypes.POINTER(_Function)
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

    def find_row(self, name):
        row = self.calls.bench_function_find(name.encode())
        if not row:
            raise MissingOp(name)
        return row

    def job(self, spec, tensors, args, out):
        """spec: the `stria` of a row (rows/native.mjs); tensors: handles by name; out: name of the output or None."""
        c = CJob()
        if spec[0] == "iter":
            handles = [tensors[name] for name in (out, *args)]
            if not self.calls.bench_stria_new_build_job(*handles, ctypes.byref(c)):
                raise MemoryError
            return NativeJob(self.calls, c, [tensors])
        if spec[0] == "training":
            handles = (ctypes.c_void_p * len(args))(*(tensors[name].value for name in args))
            if not self.calls.bench_stria_new_training(spec[1].encode(), handles, ctypes.c_int(len(args)), ctypes.byref(c)):
                raise MissingOp(spec[1])
            return NativeJob(self.calls, c, [tensors])
        specs = spec[1:] if spec[0] == "chain" else [spec]
        calls = [(self.find_row(one[1]), one[2:]) if one[0] == "fn" else self._lower(one, args, out) for one in specs]
        functions = [self.find(call) if isinstance(call, str) else call for call, _ in calls]
        if not self.calls.bench_stria_new_job(ctypes.c_int(len(calls)), ctypes.byref(c)):
            raise MemoryError
        job = StriaJob(self, c)
        for k, (function, (call, arguments)) in enumerate(zip(functions, calls)):
            if isinstance(call, str):
                job.set_call(k, function, arguments, tensors, out)
            else:
                job.set_row(k, function, arguments, tensors, out)
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
        words, made_at, err_at = [], -1, -1
        for value in arguments:
            words.append(self._word(value, tensors, out))
            made_at = len(words) - 1 if value == "new" else made_at
            err_at = len(words) - 1 if value == "err" else err_at
        self.stria.calls.bench_stria_set_call(
            self.place, ctypes.c_int(k), ctypes.c_void_p(address_of(function)), (ctypes.c_int64 * len(words))(*words),
            ctypes.c_int(len(words)), ctypes.c_int(made_at), ctypes.c_int(err_at))

    def set_row(self, k, row, values, tensors, out):
        """A row of functions.def. values: one for each parameter and output, as rows/native.mjs says."""
        fields = [row[0].fields[i] for i in range(row[0].n_fields)]
        n_outputs = sum(field.kind.decode() in OUTPUT_KINDS for field in fields)
        is_given = len(values) == len(fields)
        if len(values) not in (len(fields), len(fields) - n_outputs):
            names = ", ".join(field.name.decode() for field in fields)
            raise ValueError(f"{row[0].name.decode()} takes ({names}): {len(values)} values are given")
        memory = ctypes.create_string_buffer(max(row[0].size, 1))
        for field, value in zip(fields, values):
            made = self._field(field.kind.decode(), value, tensors, out)
            ctypes.memmove(ctypes.addressof(memory) + field.offset, ctypes.byref(made), ctypes.sizeof(made))
        if not self.stria.calls.bench_stria_set_row(self.place, ctypes.c_int(k), row, memory, ctypes.c_int(is_given)):
            raise MemoryError

    def _field(self, kind, value, tensors, out):
        """A value of a row as functions.h has it for that kind of parameter."""
        if kind in (*OUTPUT_KINDS, "IN", "OPTIONAL", "OPERAND", "BASE"):
            return ctypes.c_void_p(None if value is None else tensors[out if value == "out" else value].value)
        if kind == "GENERATOR":
            return ctypes.c_void_p(value)
        if kind == "LIST":
            return self._list(ctypes.c_void_p, [tensors[name].value for name in value])
        if kind in ("AXES", "SHAPE", "INT_LIST"):
            return self._list(ctypes.c_int if kind == "AXES" else ctypes.c_int64, value)
        if kind == "INT_OR_LIST":
            is_one = isinstance(value, int)
            return _IntOrList(value if is_one else 0, self._list(ctypes.c_int64, None if is_one else value))
        if kind == "INTS":
            return ctypes.c_void_p(self._list(ctypes.c_int64, value).at)
        if kind in ("WORD", "TEXT"):
            text = ctypes.c_char_p(value.encode())
            self.keep.append(text)
            return text
        if kind == "SCALAR":
            is_int = isinstance(value, int)
            return _Scalar(SCALAR_INT if is_int else SCALAR_FLOAT, value if is_int else 0, float(value), 0)
        if kind == "DEVICE":
            return _Device(value or 0, 0)
        return {"AXIS": ctypes.c_int, "DTYPE": ctypes.c_int, "FLAG": ctypes.c_bool, "INT": ctypes.c_int64,
                "NUMBER": ctypes.c_double}[kind](value)

    def _list(self, ctype, values):
        if values is None:
            return _List(None, 0)
        array = (ctype * max(len(values), 1))(*values)
        self.keep.append(array)
        return _List(ctypes.addressof(array), len(values))

    def _word(self, value, tensors, out):
        if isinstance(value, int):
            return value
        if value in ("new", "err"):
            return 0
        if isinstance(value, str):
            return tensors[out if value == "out" else value].value
        if "expression" in value:
            return self._expression(value["n_in"], *value["expression"])
        if "axes" in value:
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
