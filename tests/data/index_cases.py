# index_cases.py - writes index_cases.json: random mixtures of indices, and what NumPy gets and sets by them. Run with NumPy 1.24 or newer:
#
#     python3 tests/data/index_cases.py > tests/data/index_cases.json
#
# x is arange(product of shape) of that shape. An index is written as JavaScript takes it: numbers, texts of slices, '...', null, arrays,
# true and false. `get` is [shape, elements] of x[index], null where NumPy refuses. `set` is x after x[index] = value, with `value`
# arange(100, ..) of the shape `value`.
import json
import random

import numpy as np

random.seed(7)


def random_slice(size):
    part = lambda: "" if random.random() < 0.4 else str(random.randint(-size - 1, size + 1))
    text = part() + ":" + part()
    if random.random() < 0.4:
        text += ":" + str(random.choice([1, 2, -1, -2, 3]))
    return text


def to_slice(text):
    return slice(*[int(p) if p else None for p in text.split(":")])


def random_integers(size, shape, low):
    return np.array([random.randint(low * size, size - 1) for _ in range(int(np.prod(shape)))], int).reshape(shape)


def random_case():
    ndim = random.randint(1, 4)
    shape = [random.randint(1, 4) for _ in range(ndim)]
    common = [random.randint(1, 3) for _ in range(random.randint(0, 2))]
    js, py, dim, has_rest = [], [], 0, False
    while dim < ndim:
        kind = random.choices(
            ["int", "slice", "rest", "new", "integers", "mask", "truth", "stop"], [3, 4, 1, 1, 5, 2, 0.4, 1]
        )[0]
        if kind == "stop":
            break
        if kind == "int":
            k = random.randint(-shape[dim], shape[dim] - 1)
            js.append(k), py.append(k)
            dim += 1
        elif kind == "slice":
            text = random_slice(shape[dim])
            js.append(text), py.append(to_slice(text))
            dim += 1
        elif kind == "rest" and not has_rest:
            has_rest = True
            js.append("..."), py.append(Ellipsis)
            dim += random.randint(0, ndim - dim)
        elif kind == "new":
            js.append(None), py.append(None)
        elif kind == "truth":
            k = random.random() < 0.7
            js.append(k), py.append(k)
        elif kind == "integers":
            own = common[random.randint(0, len(common)):] if random.random() < 0.3 else list(common)
            own = [1 if random.random() < 0.15 else n for n in own] or [1]
            a = random_integers(shape[dim], own, -1)
            js.append(a.tolist()), py.append(a)
            dim += 1
        elif kind == "mask":
            n = random.randint(1, min(2, ndim - dim))
            count = random.choice([1, 2, 3])
            a = np.zeros(shape[dim : dim + n], bool)
            a.ravel()[random.sample(range(a.size), min(count, a.size))] = True
            js.append(a.tolist()), py.append(a)
            dim += n
    return shape, js, tuple(py)


def run():
    cases, seen, refused = [], 0, 0
    while len(cases) < 700:
        shape, js, py = random_case()
        x = np.arange(int(np.prod(shape))).reshape(shape)
        try:
            got = x[py]
        except IndexError:
            if refused < 100:
                refused += 1
                cases.append({"shape": shape, "index": js, "get": None})
            continue
        case = {"shape": shape, "index": js, "get": [list(got.shape), got.ravel().tolist()]}
        value = [1 if random.random() < 0.2 else n for n in got.shape][random.randint(0, got.ndim) :]
        if random.random() < 0.1:
            value = [1] + value
        values = np.arange(100, 100 + int(np.prod(value))).reshape(value)
        try:
            x[py] = values  # of equal positions the last stays
        except TypeError:  # one mask takes values of one dim at most, there
            value = [1]
            values = values.ravel()[:1]
            x[py] = values
        case["value"] = value
        case["set"] = x.ravel().tolist()
        cases.append(case)
    return cases


print("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in run()) + "\n]")
