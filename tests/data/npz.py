"""npz.py - wrote numpy_stored.npz and numpy_deflated.npz beside it, with NumPy 1.24: what tests/js/npz.test.ts reads."""
import numpy as np

arrays = {
    "x": np.arange(6, dtype="<f4").reshape(2, 3),
    "layer/bias": np.array([True, False]),
    "n": np.array(2**40),
    "ü": np.zeros((0, 3), dtype="i2"),
    "turned": np.asfortranarray(np.arange(400, dtype=">f8").reshape(20, 20)),
    "c": np.array([1 + 2j], dtype="c8"),
}
np.savez("numpy_stored.npz", **arrays)
np.savez_compressed("numpy_deflated.npz", **arrays)
