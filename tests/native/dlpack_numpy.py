"""dlpack_numpy.py LIBRARY - tensors to NumPy and back through DLPack. Exit code 77: NumPy is not here."""
import ctypes
import gc
import sys

try:
    import numpy as np
except ImportError:
    print("dlpack_numpy: SKIPPED, this Python has no NumPy")
    sys.exit(77)

stria = ctypes.CDLL(sys.argv[1])
api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
for name in ("stria_tensor_get_data", "stria_tensor_get_shape", "stria_tensor_get_strides"):
    getattr(stria, name).restype = ctypes.c_void_p
    getattr(stria, name).argtypes = [ctypes.c_void_p]
stria.stria_tensor_release.argtypes = [ctypes.c_void_p]

DTYPES = "bool uint8 int8 uint16 int16 uint32 int32 uint64 int64 float16 bfloat16 float32 float64 complex64 complex128".split()
USED = b"used_dltensor"  # the name must outlive the capsule


class Stats(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("live_bytes", "peak", "cached", "limit")] + [
        (name, ctypes.c_int64) for name in ("live_tensors", "live_storages")
    ] + [(name, ctypes.c_uint64) for name in ("allocations", "hits")]


stria.stria_memory_get_stats.restype = Stats


def live():
    gc.collect()
    return stria.stria_memory_get_stats().live_tensors


def check(condition, what):
    if not condition:
        print(f"dlpack_numpy: {what}")
        sys.exit(1)


def take(array):
    """The tensor over an array: a handle."""
    capsule = array.__dlpack__()
    managed = api.PyCapsule_GetPointer(capsule, b"dltensor")
    handle = ctypes.c_void_p()
    status = stria.stria_tensor_new_dlpack(ctypes.c_void_p(managed), ctypes.byref(handle), None)
    api.PyCapsule_SetName(capsule, USED)
    check(status == 0, f"{array.dtype} is refused: {status}")
    return handle


class Lent:
    """What NumPy asks for a capsule."""

    def __init__(self, handle):
        managed = ctypes.c_void_p()
        check(stria.stria_dlpack_new(handle, ctypes.byref(managed), None) == 0, "stria_dlpack_new")
        self.managed = managed.value

    def __dlpack__(self, stream=None):
        return api.PyCapsule_New(self.managed, b"dltensor", None)

    def __dlpack_device__(self):
        return (1, 0)


n = 0
for dtype in DTYPES:
    if dtype in ("bfloat16", "bool"):  # which NumPy 1.24 has not in DLPack
        continue
    whole = (np.arange(24) % 7).astype(dtype).reshape(2, 3, 4)
    for array in (whole, whole.T, whole[::-1, 1:, ::2], whole[0, 0, :1].reshape(()), whole[:0]):
        references = sys.getrefcount(whole)
        x = take(array)
        shape = (ctypes.c_int64 * array.ndim).from_address(stria.stria_tensor_get_shape(x))
        check(tuple(shape) == array.shape, f"{dtype}: shape")
        if array.size:
            check(stria.stria_tensor_get_data(x) == array.ctypes.data, f"{dtype}: memory is not shared")
        back = np.from_dlpack(Lent(x))
        stria.stria_tensor_release(x)
        check(back.dtype == array.dtype and back.shape == array.shape and (back == array).all(), f"{dtype}: elements")
        if array.size:
            check(np.shares_memory(back, array), f"{dtype}: memory is not shared on the way back")
        del back
        check(live() == 0, f"{dtype}: {live()} tensors are left")
        check(sys.getrefcount(whole) == references, f"{dtype}: the array is held")
        n += 1
print(f"dlpack_numpy: {n} arrays to a tensor and back, NumPy {np.__version__}")
