"""The C library in this process, for the benchmark: enough of stria.h to run ops on NumPy's memory."""

import ctypes
import re


class StriaError(RuntimeError):
    pass


class _Error(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_int),
        ("op", ctypes.c_char * 32),
        ("argument", ctypes.c_char * 32),
        ("expected", ctypes.c_char * 96),
        ("got", ctypes.c_char * 96),
        ("message", ctypes.c_char * 320),
    ]


DTYPES = ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "bfloat16",
          "float32", "float64", "complex64", "complex128"]


class Stria:
    def __init__(self, library, ops_def):
        self.lib = ctypes.CDLL(library)
        self.error = _Error()
        self.err = ctypes.byref(self.error)
        text = open(ops_def, encoding="utf-8").read()
        self.ops = {n: k for k, n in enumerate(re.findall(r"^OP_[A-Z]+\(\s*(\w+),", text, re.M))}
        self.reductions = {n: k for k, n in enumerate(re.findall(r"^RED_[A-Z]+\(\s*(\w+),", text, re.M))}
        self.lib.stria_isa_get_name.restype = ctypes.c_char_p
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

    def apply(self, op, inputs, out=None):
        """A function without arguments that runs the op once: into out, or into a new tensor that is released."""
        number = ctypes.c_int(self.ops[op])
        handles = (ctypes.c_void_p * len(inputs))(*(x.value for x in inputs))
        count, err, lib = ctypes.c_int(len(inputs)), self.err, self.lib
        if out is not None:
            run = lib.stria_apply_out
            return lambda: self.check(run(number, handles, count, out, err))
        run, release, result = lib.stria_apply, lib.stria_tensor_release, ctypes.c_void_p()
        place = ctypes.byref(result)

        def fresh():
            self.check(run(number, handles, count, place, err))
            release(result)

        return fresh

    def reduce(self, op, x, axis, out):
        number, run, err = ctypes.c_int(self.reductions[op]), self.lib.stria_reduce_out, self.err
        axes, count = (ctypes.c_int * 1)(axis or 0), ctypes.c_int(0 if axis is None else 1)
        keepdim, none = ctypes.c_bool(False), ctypes.c_int(-1)
        return lambda: self.check(run(number, x, axes, count, keepdim, none, out, err))
