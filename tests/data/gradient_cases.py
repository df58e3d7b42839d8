# gradient_cases.py - writes gradient_cases.json: calls of rows, and what PyTorch says their gradients are. Run with PyTorch 1.13:
#
#     python3 tests/data/gradient_cases.py > tests/data/gradient_cases.json
#
# A case is {row, inputs, list, attributes, weights, gradients, tolerance}. A tensor is {dtype, shape, data}: a text of numbers, pairs of them where it is
# complex. `attributes` has those that are not usual. `weights` are the gradients of the outputs, null for one that nobody uses; `gradients` those of the inputs, then of the
# members of the list, null where none is wanted. Points are ordinary ones, ties, kinks, zeros, infinities and NaN. Where the library says something else on
# purpose (docs/semantics.md, Gradients), the point is left out here.
import json
import math
import warnings

import torch
import torch.nn.functional as F

warnings.simplefilter("ignore")
torch.manual_seed(11)
torch.set_default_dtype(torch.float64)
DTYPES = {torch.float64: "f64", torch.complex128: "c128", torch.int64: "i64", torch.bool: "bool"}
inf, nan = math.inf, math.nan
cases = []


def to_text(value):
    return "nan" if value != value else repr(value).removesuffix(".0")


def to_json(x):
    if x is None:
        return None
    x = x.detach().resolve_conj()
    flat = torch.view_as_real(x).reshape(-1) if x.is_complex() else x.reshape(-1)
    return {
        "dtype": DTYPES[x.dtype],
        "shape": list(x.shape),
        "data": " ".join(to_text(float(v)) for v in flat),
    }


def wants(x):
    return x is not None and (x.is_floating_point() or x.is_complex())


# Relative errors of PyTorch itself: it divides by 6 as an f32, and its polygamma errs by as much.
INEXACT = {"hardsigmoid": 1e-7, "digamma": 1e-9}


def case(row, inputs, fn=None, items=None, uses=None, frozen=(), keeps_nan=False, **attributes):
    """One call of fn, torch.<row> if there is none. uses: the outputs that have a gradient; frozen: inputs that want none; keeps_nan: the gradient at
    NaN is NaN here, where PyTorch has 0, the sign that it gives NaN."""
    if isinstance(inputs, torch.Tensor):
        inputs = [inputs]
    fn = fn or getattr(F, row, None) or getattr(torch, row)
    given = [None if x is None else x.clone().requires_grad_(wants(x) and k not in frozen) for k, x in enumerate(inputs)]
    listed = None if items is None else [x.clone().requires_grad_(wants(x)) for x in items]
    ys = fn(*given, **attributes) if listed is None else fn(*given, listed, **attributes)
    ys = [ys] if isinstance(ys, torch.Tensor) else list(ys)
    weights = [
        torch.randn(y.shape, dtype=y.dtype) if wants(y) and y.requires_grad and (uses is None or k in uses) else None
        for k, y in enumerate(ys)
    ]
    leaves = [x for x in given + (listed or []) if x is not None and x.requires_grad]
    found = torch.autograd.grad(
        [y for y, w in zip(ys, weights) if w is not None], leaves, [w for w in weights if w is not None], allow_unused=True
    )
    found = iter([torch.zeros_like(x) if g is None else g for g, x in zip(found, leaves)])
    if keeps_nan:
        found = iter([torch.where(x.isnan(), x, g) for x, g in zip(leaves, found)])
    entry = {"row": row, "inputs": [to_json(x) for x in given]}
    if listed is not None:
        entry["list"] = [to_json(x) for x in listed]
    entry["attributes"] = {k: to_text(v) if isinstance(v, float) and not math.isfinite(v) else v for k, v in attributes.items()}
    entry["weights"] = [to_json(w) for w in weights]
    entry["gradients"] = [to_json(next(found)) if x is not None and x.requires_grad else None for x in given + (listed or [])]
    if row in INEXACT:
        entry["tolerance"] = INEXACT[row]
    cases.append(entry)


def vector(*values):
    return torch.tensor(values, dtype=torch.float64)


def pairs(*values):
    """Two vectors: every pair of the values."""
    grid = torch.cartesian_prod(vector(*values), vector(*values))
    return [grid[:, 0].clone(), grid[:, 1].clone()]


def triples(*values):
    grid = torch.cartesian_prod(vector(*values), vector(*values), vector(*values))
    return [grid[:, k].clone() for k in range(3)]


def plane(*values):
    return torch.tensor(values, dtype=torch.complex128)


def scatter(n, scale=2.0):
    return scale * torch.randn(n, dtype=torch.complex128)


# ---------------------------------------------------------------- element by element

SPECIAL = (inf, -inf, nan)
LINE = vector(-7.5, -3, -2.25, -1, -0.5, -1e-3, -0.0, 0, 1e-3, 0.25, 0.5, 1, 1.5, 2, 3, 6, 7.5)
INSIDE = vector(-1, -0.999, -0.75, -0.25, -1e-3, 0, 1e-4, 0.125, 0.5, 0.875, 0.9999, 1)
ABOVE = vector(1e-300, 1e-3, 0.25, 0.5, 1, 1.75, 2, 8, 1e10, inf)
UNARY = {
    "neg": LINE,
    "square": LINE,
    "abs": torch.cat([LINE, vector(inf, -inf)]),
    "sqrt": torch.cat([ABOVE, vector(0, -1, nan)]),
    "rsqrt": torch.cat([ABOVE, vector(0, -1, nan)]),
    "reciprocal": torch.cat([LINE, vector(*SPECIAL)]),
    "exp": torch.cat([LINE, vector(*SPECIAL)]),
    "exp2": torch.cat([LINE, vector(*SPECIAL)]),
    "expm1": torch.cat([LINE, vector(*SPECIAL)]),
    "log": torch.cat([ABOVE, vector(0, -1, nan)]),
    "log1p": torch.cat([ABOVE, vector(0, -0.5, -0.999, -1, nan)]),
    "log2": torch.cat([ABOVE, vector(0, -1, nan)]),
    "log10": torch.cat([ABOVE, vector(0, -1, nan)]),
    "sin": LINE,
    "cos": LINE,
    "tan": LINE,
    "asin": torch.cat([INSIDE, vector(1.5, nan)]),
    "acos": torch.cat([INSIDE, vector(1.5, nan)]),
    "atan": torch.cat([LINE, vector(*SPECIAL)]),
    "tanh": torch.cat([LINE, vector(*SPECIAL)]),
    "sinh": torch.cat([LINE, vector(*SPECIAL)]),
    "cosh": torch.cat([LINE, vector(*SPECIAL)]),
    "asinh": torch.cat([LINE, vector(*SPECIAL)]),
    "acosh": vector(1, 1.0009765625, 1.5, 3, 1e5, 0.5, inf, nan),
    "atanh": torch.cat([INSIDE, vector(nan)]),
    "sigmoid": torch.cat([LINE, vector(-40, 40, *SPECIAL)]),
    "relu": torch.cat([LINE, vector(*SPECIAL)]),
    "gelu": torch.cat([LINE, vector(*SPECIAL)]),
    "erf": torch.cat([LINE, vector(*SPECIAL)]),
    "erfc": torch.cat([LINE, vector(*SPECIAL)]),
    "floor": LINE,
    "ceil": LINE,
    "round": LINE,
    "trunc": LINE,
    "sign": LINE,
    "frac": LINE,
    "deg2rad": LINE,
    "rad2deg": LINE,
    "relu6": torch.cat([LINE, vector(*SPECIAL)]),
    "softsign": LINE,
    "hardsigmoid": torch.cat([LINE, vector(*SPECIAL)]),
    "hardswish": torch.cat([LINE, vector(*SPECIAL)]),
    "sinc": vector(-7.5, -3, -2.25, -1, -0.5, -0.25, 0, 0.25, 0.5, 1, 1.5, 2, 6, 7.5),
    "erfinv": vector(-1, -0.999, -0.75, -0.25, 0, 0.125, 0.5, 0.999, 1),
    "i0": torch.cat([LINE, vector(-30, 12, 100)]),
    "lgamma": vector(-7.5, -2.25, -0.5, 1e-3, 0.25, 0.5, 1, 1.5, 2, 3, 6.5, 50, 1e5),
    "digamma": vector(-7.5, -2.25, -0.5, 1e-3, 0.25, 0.5, 1, 1.5, 2, 3, 6.5, 50, 1e5),
    "silu": LINE,
    "mish": LINE,
    "selu": torch.cat([LINE, vector(-50, 800)]),
    "logsigmoid": torch.cat([LINE, vector(-50, 50, 800, -800)]),
    "tanhshrink": vector(-7.5, -3, -1, -0.5, 0, 0.5, 1, 2, 6),
}
for row, points in UNARY.items():
    case(row, points, {"ndtr": torch.special.ndtr}.get(row))
case("gelu_tanh", vector(-7.5, -3, -2.25, -1, -0.5, -1e-3, 0, 1e-3, 0.5, 1, 2, 3, 6), lambda x: F.gelu(x, approximate="tanh"))
case("ndtr", torch.cat([LINE, vector(inf, -inf, nan)]), torch.special.ndtr)
case("ldexp", [LINE, torch.linspace(-4, 4, LINE.numel())])

COMPLEX = [
    "neg square abs sqrt rsqrt reciprocal exp log log2 log10 sin cos tan asin acos atan tanh sinh cosh asinh",
    "atanh sigmoid",
]
for row in " ".join(COMPLEX).split():
    case(row, torch.cat([scatter(8, 1.5), plane(0.5 + 0.25j, -1.5 + 2j, 2 - 0.5j, -0.75 - 1j)]))
case("acosh", plane(0.5 + 0.25j, 2 - 0.5j, 3 + 1j, 1.5 + 1j, 0.25 - 2j))
case("sign", plane(1 + 1j, -2 + 0.5j, 0, 3j, -4), torch.sgn)
case("sgn", plane(1 + 1j, -2 + 0.5j, 0, 3j, -4))
case("abs", plane(0, 3 + 4j, -1, 1j))
case("angle", plane(1 + 1j, -2 + 0.5j, 3j, -4 - 1j, 0))
case("angle", vector(-2, -0.5, 0, 1, 3))
case("conj", scatter(4), lambda x: torch.conj(x).resolve_conj())
case("real", scatter(4))
case("imag", scatter(4))
case("complex", [torch.randn(4), torch.randn(4)])
case("polar", [torch.rand(4), torch.randn(4)])

POINTS = (-2.5, -1, 0, 0.5, 1, 3)
BINARY = "add sub mul div pow atan2 minimum maximum fmin fmax fmod remainder copysign xlogy logaddexp logaddexp2 hypot".split()
for row in BINARY:
    case(row, pairs(*POINTS))
for row in "add sub mul minimum maximum fmin fmax logaddexp".split():
    case(row, pairs(-1, 2, *SPECIAL))
case("pow", [vector(0, 0, 0, 0, 2, inf, inf, nan, 1, 1), vector(0, 1, 2, -1, 0, 2, -1, 0, inf, nan)])
case("trunc_divide", pairs(*POINTS), lambda a, b: torch.div(a, b, rounding_mode="trunc"))
case("floor_divide", pairs(*POINTS), lambda a, b: torch.div(a, b, rounding_mode="floor"))
case("lerp", [torch.randn(8), torch.randn(8), vector(-1, 0, 0.25, 0.5, 0.75, 1, 2, 0.4)])
case("clamp", triples(-1, 0, 0.5, 2))
case("clamp", [vector(nan, inf, -inf), vector(-1, -1, -1), vector(1, 1, 1)])
case("where", [torch.tensor([True, False, True, False]), vector(1, 2, nan, inf), vector(3, nan, 4, 5)])
case("add_scaled", [torch.randn(4), torch.randn(4), torch.tensor(2.5)], lambda a, b, c: torch.add(a, b, alpha=2.5), frozen=(2,))
case("sub_scaled", [torch.randn(4), torch.randn(4), torch.tensor(2.5)], lambda a, b, c: torch.sub(a, b, alpha=2.5), frozen=(2,))
for row in "add sub mul div".split():
    case(row, [scatter(6), scatter(6)])
    case(row, [scatter(6), torch.randn(6)])
    case(row, [torch.randn(6), scatter(6)])
case("pow", [scatter(6), scatter(6, 1)])
case("pow", [scatter(6), torch.randn(6)])
case("pow", [torch.randn(6), scatter(6, 1)])
case("pow", [plane(0, 0, 1 + 1j), plane(2, 0, 0)])
case("lerp", [scatter(6), scatter(6), scatter(6, 1)])
case("where", [torch.tensor([True, False, True, False]), scatter(4), scatter(4)])
# broadcasting
case("mul", [torch.randn(3, 1), torch.randn(4)])
case("div", [torch.randn(()), torch.randn(2, 3)])
case("maximum", [torch.randn(2, 1, 3), torch.randn(4, 1)])

for attributes in ({}, {"beta": 2.0, "threshold": 6.0}, {"beta": -1.0}):
    case("softplus", torch.cat([LINE, vector(25, -30, nan)]), **attributes)
for row in ("elu", "celu"):
    case(row, torch.cat([LINE, vector(-50, 800, nan)]))
    case(row, torch.cat([LINE, vector(-50, 800, nan)]), alpha=1.75)
case("leaky_relu", torch.cat([LINE, vector(*SPECIAL)]))
case("leaky_relu", LINE, negative_slope=0.3)
for row in ("hardshrink", "softshrink"):
    case(row, torch.cat([LINE, vector(*SPECIAL)]), getattr(F, row))
    case(row, LINE, getattr(F, row), lambd=2.25)
case("hardtanh", torch.cat([LINE, vector(*SPECIAL)]))
case("hardtanh", LINE, min_val=-3.0, max_val=2.0)
case("threshold", torch.cat([LINE, vector(*SPECIAL)]), threshold=0.5, value=7.0)
case("logit", vector(-0.5, 0, 0.125, 0.5, 0.75, 1, 1.5, nan))
case("logit", vector(-0.5, 0, 0.1, 0.125, 0.5, 0.75, 0.9, 1, 1.5), eps=0.1)

# ---------------------------------------------------------------- reductions, norms, running results

CUBE = torch.randn(2, 3, 4)
TIES = torch.tensor([[1.0, 3, 3, 2], [5, 5, 5, 5], [-1, 0, 0, -2], [4, nan, 1, nan], [inf, 1, inf, 2], [-inf, -inf, 0, -inf]])
for row in "sum mean prod amax amin".split():
    case(row, CUBE) if row not in ("amax", "amin") else case(row, CUBE, dim=[])
    for dim in (0, 2, -2):
        case(row, CUBE, dim=dim)
        case(row, CUBE, dim=dim, keepdim=True)
    case(row, torch.tensor(2.5)) if row not in ("amax", "amin") else case(row, torch.tensor(2.5), dim=[])
for row in "sum mean amax amin".split():
    case(row, CUBE, dim=[0, 2])
    case(row, CUBE, dim=[-1, 0], keepdim=True)
for row in "amax amin".split():
    case(row, TIES, dim=1)
    case(row, TIES[:3], dim=[0, 1])
for x in ([[2.0, 3, 4], [0, 5, 6], [0, 7, 0], [1, 0, 0]], [[0.0, 0, 0]], [[-1.5, 0, 2]]):
    case("prod", torch.tensor(x), dim=1)
    case("cumprod", torch.tensor(x), dim=1)
    case("prod", torch.tensor(x))
case("sum", scatter(6))
case("prod", scatter(4).reshape(2, 2), dim=0)
case("prod", plane(1 + 1j, 0, 2j))
case("mean", scatter(6))
case("sum", torch.zeros(0, 3), dim=0)
case("prod", torch.zeros(0, 3), dim=0)
for row in ("var", "std"):
    case(row, CUBE)
    case(row, CUBE, dim=1)
    case(row, CUBE, fn=lambda x, dim, correction, keepdim, row=row: getattr(torch, row)(x, dim, correction=correction, keepdim=keepdim), dim=[0, 2], correction=0, keepdim=True)
    case(row, scatter(5))
case("std", torch.tensor([[1.0, 1, 1], [1, 2, 4]]), dim=1)
ZEROS = torch.tensor([[0.0, 0, 0], [0, 3, -4], [2, -2, 2], [1, -5, 5]])
for p in (2.0, 1.0, 0.0, inf, -inf, 0.5, 1.5, 2.5, 3.0, 4.0):
    case("norm", ZEROS, fn=torch.linalg.vector_norm, **{"dim": 1, "ord": p})
    cases[-1]["attributes"] = {"dim": [1], "p": p if abs(p) < inf else str(p)}
    if p >= 0:
        case("norm", scatter(6).reshape(2, 3), fn=torch.linalg.vector_norm, **{"dim": [0, 1], "ord": p})
        cases[-1]["attributes"] = {"dim": [0, 1], "p": p if abs(p) < inf else str(p)}
    if abs(p) == inf:
        case("norm", TIES[:4], fn=torch.linalg.vector_norm, keeps_nan=True, **{"dim": 1, "ord": p})
        cases[-1]["attributes"] = {"dim": [1], "p": str(p)}
case("norm", CUBE)
case("logsumexp", CUBE, dim=[1])
case("logsumexp", CUBE, dim=[0, 2], keepdim=True)
case("logsumexp", torch.tensor([[-inf, 0, 1], [700, 800, -5], [inf, 0, 1]]), dim=[1])
for row in ("cumsum", "logcumsumexp", "cumprod"):
    for dim in (0, 1, -1):
        case(row, CUBE, dim=dim)
    case(row, torch.tensor(1.5), dim=0)
case("logcumsumexp", torch.tensor([-800.0, 0, 5, 800, 3]), dim=0)
case("cumsum", scatter(4), dim=0)
case("cumprod", scatter(4), dim=0)
case("cumprod", plane(1 + 1j, 0, 2j, 1 - 1j, 0, 3), dim=0)
for row in ("cummax", "cummin"):
    case(row, CUBE, dim=2)
    case(row, TIES, dim=1)
    case(row, torch.tensor(1.5), dim=0)

# ---------------------------------------------------------------- rows, layers, losses

for row in ("softmax", "log_softmax"):
    for dim in (0, 1, -1):
        case(row, CUBE, dim=dim)
    case(row, torch.tensor([[1000.0, 0, -1000], [1, 1, 1]]), dim=1)
    case(row, torch.tensor(1.5), dim=0)
layer_norm = lambda x, weight=None, bias=None, **options: F.layer_norm(x, weight=weight, bias=bias, **options)
case("layer_norm", [CUBE], layer_norm, normalized_shape=[4])
case("layer_norm", [CUBE, torch.randn(3, 4)], layer_norm, normalized_shape=[3, 4])
case("layer_norm", [CUBE, torch.randn(4), torch.randn(4)], layer_norm, normalized_shape=[4], eps=0.1)
case("layer_norm", [CUBE, None, torch.randn(4)], layer_norm, normalized_shape=[4])
case("layer_norm", torch.ones(2, 3), layer_norm, normalized_shape=[3])
TARGET = torch.randn(2, 3, 4)
for row in "mse_loss l1_loss huber_loss smooth_l1_loss".split():
    for reduction in ("none", "mean", "sum"):
        case(row, [CUBE, TARGET], reduction=reduction)
    case(row, [vector(0, 1, 2, -1, 0.5), vector(0, 0, 0, 0, 0)], reduction="none")
case("huber_loss", [CUBE, TARGET], delta=0.5)
case("smooth_l1_loss", [CUBE, TARGET], beta=0.5)
SHARE = vector(0.1, 0.5, 0.75, 0.999, 0.25, 0.3)
case("binary_cross_entropy", [SHARE, vector(0, 1, 0.5, 1, 0.25, 0)], frozen=(1,))
case("binary_cross_entropy", [SHARE, vector(0, 1, 0.5, 1, 0.25, 0), torch.rand(6)], reduction="sum", frozen=(1, 2))
LOGITS = vector(-3, -0.5, 0, 0.5, 3, 800)
case("binary_cross_entropy_with_logits", [LOGITS, vector(0, 1, 0.5, 1, 0.25, 0)], reduction="none", frozen=(1,))
case("binary_cross_entropy_with_logits", [LOGITS[:5], vector(0, 1, 0.5, 1, 0.25)])
bce = lambda x, t, w, p, **options: F.binary_cross_entropy_with_logits(x, t, weight=w, pos_weight=p, **options)
case("binary_cross_entropy_with_logits", [torch.randn(3, 2), torch.rand(3, 2), torch.rand(3, 2), torch.rand(2)], bce, frozen=(1, 2, 3))
case("kl_div", [torch.randn(3, 2), torch.rand(3, 2)], reduction="batchmean")
case("kl_div", [torch.randn(3, 2), torch.randn(3, 2)], reduction="sum", log_target=True)
CLASSES = torch.tensor([2, 0, 1, 2])
for reduction in ("none", "mean", "sum"):
    case("nll_loss", [torch.randn(4, 3), CLASSES], reduction=reduction)
    case("cross_entropy", [torch.randn(4, 3), CLASSES], reduction=reduction)
    case("cross_entropy", [torch.randn(4, 3), CLASSES, torch.rand(3)], reduction=reduction, ignore_index=0, frozen=(2,))
    case("cross_entropy", [torch.randn(4, 3), torch.softmax(torch.randn(4, 3), 1)], reduction=reduction)
case("cross_entropy", [torch.randn(4, 3), CLASSES, torch.rand(3)], label_smoothing=0.25, frozen=(2,))
case("cross_entropy", [torch.randn(2, 3, 2), torch.tensor([[2, 0], [1, 1]])])
case("nll_loss", [torch.randn(3), torch.tensor(1)])
case("linear", [torch.randn(4, 3), torch.randn(2, 3), torch.randn(2)])
case("linear", [torch.randn(2, 4, 3), torch.randn(2, 3)])
case("normalize", torch.randn(3, 4))
case("normalize", ZEROS, p=3.0, dim=1)
case("cosine_similarity", [torch.randn(3, 4), torch.randn(3, 4)])
case("local_response_norm", torch.randn(2, 4, 3), size=3)
case("glu", torch.randn(3, 4))
case("prelu", [torch.randn(2, 3), torch.rand(3)])
case("addcmul", [torch.randn(4), torch.randn(4), torch.randn(4)], value=0.5)
case("addcdiv", [torch.randn(4), torch.randn(4), torch.randn(4)], value=0.5)
case("nan_to_num", vector(1, nan, inf, -inf, -2))
case("clamp_min", [LINE, torch.full_like(LINE, 0.5)])
case("clamp_max", [LINE, torch.full_like(LINE, 0.5)])
case("embedding", [torch.randn(5, 3), torch.tensor([[0, 2], [2, 4]])], lambda w, i, **o: F.embedding(i, w, **o))
case("embedding", [torch.randn(5, 3), torch.tensor([0, 2, 2, 4])], lambda w, i, **o: F.embedding(i, w, **o), padding_idx=2)

# ---------------------------------------------------------------- products

for make in (torch.randn, lambda *shape: torch.randn(*shape, dtype=torch.complex128)):
    case("matmul", [make(2, 3), make(3, 4)])
    case("matmul", [make(3), make(3, 4)])
    case("matmul", [make(2, 1, 2, 3), make(4, 3, 2)])
    case("matmul", [make(2, 2, 3), make(3)])
    case("mm", [make(2, 3), make(3, 4)])
    case("bmm", [make(2, 2, 3), make(2, 3, 2)])
    case("mv", [make(2, 3), make(3)])
    case("dot", [make(3), make(3)])
    case("vdot", [make(3), make(3)])
    case("trace", make(3, 4))
    case("kron", [make(2, 2), make(2, 3)])
    case("outer", [make(2), make(3)])
    case("addmm", [make(2, 2), make(2, 3), make(3, 2)], beta=0.5, alpha=2)
    case("einsum", [], lambda xs, equation: torch.einsum(equation, *xs), items=[make(2, 3), make(4, 3), make(2)], equation="ij,kj,i->k")
case("matmul", [torch.randn(2, 3), torch.randn(3, 2, dtype=torch.complex128)], lambda a, b: torch.matmul(a + 0j, b))
case("det", torch.randn(2, 3, 3))
case("svdvals", torch.randn(2, 3, 4), torch.linalg.svdvals)
case("matrix_norm", torch.randn(3, 4), torch.linalg.matrix_norm)
for word in ("nuc", 1.0, -1.0, inf, -inf, 2.0, -2.0):
    case("matrix_norm", torch.randn(3, 4), torch.linalg.matrix_norm, **{"ord": word})
    cases[-1]["attributes"] = {"ord": word if word == "nuc" else "%g" % word}
for p in (0.0, 1.0, 1.5, 2.0, 3.0, inf):
    case("cdist", [torch.randn(3, 2), torch.randn(4, 2)], p=p)
    if p > 0:
        case("dist", [torch.randn(3, 2), torch.randn(3, 2)], p=p)
case("cross", [torch.randn(2, 3), torch.randn(2, 3)], dim=1)
case("tensordot", [torch.randn(2, 3, 4), torch.randn(3, 4, 2)], dims=2)
case("matrix_power", torch.randn(3, 3), n=3)
case("cov", torch.randn(3, 5))
case("corrcoef", torch.randn(3, 5))

# ---------------------------------------------------------------- order, of ties too

MANY = torch.tensor([[1.0, 3, 3, 2, 0], [5, 5, 5, 5, 5], [-1, 0, 0, -2, 4], [4, 2, 1, 8, 3]])
for row in ("max", "min"):
    case(row, MANY, dim=1)
    case(row, CUBE, dim=0, keepdim=True)
    case(row, CUBE, getattr(torch, "a" + row))  # of all elements: ties share
for largest in (True, False):
    case("topk", CUBE, k=2, dim=1, largest=largest)
    case("sort", CUBE, dim=1, descending=largest)
case("msort", CUBE)
case("kthvalue", CUBE, k=2, dim=1)
case("median", CUBE, dim=2)
case("nanmedian", torch.tensor([[1.0, nan, 3, 2], [nan, nan, 4, 5]]), dim=1)
case("mode", MANY[:1], dim=1)
case("quantile", [CUBE, torch.tensor(0.4)], frozen=(1,))
case("quantile", [CUBE, torch.tensor([0.1, 0.5, 1.0])], frozen=(1,), dim=2, keepdim=True)
for word in "lower higher midpoint nearest".split():
    case("quantile", [CUBE, torch.tensor(0.4)], frozen=(1,), dim=1, interpolation=word)
case("nanquantile", [torch.tensor([[1.0, nan, 3, 2], [4, 3, 4, 5]]), torch.tensor(0.4)], frozen=(1,), dim=1)
case("nansum", TIES[3:4])
case("nanmean", TIES[3:4])

# ---------------------------------------------------------------- indexing

TABLE, PLACES = torch.randn(4, 3), torch.tensor([[0, 2, 0], [1, 1, 0]])
case("gather", [TABLE, PLACES], lambda x, i, dim: torch.gather(x, dim, i), dim=0)
case("gather", [TABLE, PLACES], lambda x, i, dim: torch.gather(x, dim, i), dim=1)
case("take", [TABLE, torch.tensor([0, 5, 5, -1])])
case("take_along_dim", [TABLE, torch.tensor([[0], [1], [1], [2]])], dim=1)
case("index_select", [TABLE, torch.tensor([1, 1, 3])], lambda x, i, dim: torch.index_select(x, dim, i), dim=0)
case("masked_select", [TABLE, TABLE > 0])
case("masked_fill", [TABLE, TABLE > 0, torch.tensor(2.5)])
case("index", [TABLE], lambda x, i: x[i[0], i[1]], items=[torch.tensor([0, 0, 3]), torch.tensor([1, 1, -1])])
case("scatter", [TABLE, PLACES, torch.randn(2, 3)], lambda x, i, s, dim: torch.scatter(x, dim, i, s), dim=1, frozen=(2,))
case("scatter", [TABLE, torch.tensor([[0, 2, 1]]), torch.randn(1, 3)], lambda x, i, s, dim: torch.scatter(x, dim, i, s), dim=1)
case("scatter_add", [TABLE, PLACES, torch.randn(2, 3)], lambda x, i, s, dim: torch.scatter_add(x, dim, i, s), dim=0)
scatter_reduce = lambda x, i, s, dim, reduce, include_self=True: torch.scatter_reduce(x, dim, i, s, reduce, include_self=include_self)
for word in "sum prod mean amax amin".split():
    for own in (True, False):
        for table, rows in ((TABLE, torch.randn(2, 3)), (torch.tensor([[1.0, 2, 0], [0, 2, 3], [1, 1, 1], [2, 2, 2]]), torch.tensor([[2.0, 0, 2], [1, 1, 1]]))):
            if word == "prod" and rows[0, 1] == 0:
                continue
            case("scatter_reduce", [table, PLACES, rows], scatter_reduce, dim=0, reduce=word, include_self=own)
case("put", [TABLE, torch.tensor([0, 5, 2]), torch.randn(3)])
case("put", [TABLE, torch.tensor([0, 5, 5]), torch.randn(3)], accumulate=True)
at_rows = lambda name: lambda x, i, s, dim, **options: getattr(torch, name)(x, dim, i, s, **options)
case("index_add", [TABLE, torch.tensor([0, 2, 2]), torch.randn(3, 3)], at_rows("index_add"), dim=0, alpha=2.0)
case("index_copy", [TABLE, torch.tensor([0, 2]), torch.randn(2, 3)], at_rows("index_copy"), dim=0)
case("index_fill", [TABLE, torch.tensor([0, 2]), torch.tensor(2.5)], at_rows("index_fill"), dim=0)
for word in "prod mean amax amin".split():
    index_reduce = lambda x, i, s, dim, reduce, include_self=True: torch.index_reduce(x, dim, i, s, reduce, include_self=include_self)
    case("index_reduce", [TABLE, torch.tensor([0, 2, 2]), torch.randn(3, 3)], index_reduce, dim=0, reduce=word)
    case("index_reduce", [TABLE, torch.tensor([0, 2, 2]), torch.randn(3, 3)], index_reduce, dim=0, reduce=word, include_self=False)
index_put = lambda x, v, i, accumulate=False: torch.index_put(x, tuple(i), v, accumulate)
case("index_put", [TABLE, torch.randn(2)], index_put, items=[torch.tensor([0, 3]), torch.tensor([1, -1])])
case("index_put", [TABLE, torch.randn(3)], index_put, items=[torch.tensor([0, 0, 3]), torch.tensor([1, 1, -1])], accumulate=True)
case("masked_scatter", [TABLE, TABLE > 0, torch.randn(12)])
case("select_scatter", [TABLE, torch.randn(4)], dim=1, index=-1)
case("slice_scatter", [TABLE, torch.randn(2, 3)], lambda x, s, dim, start, stop, step: torch.slice_scatter(x, s, dim, start, stop, step), dim=0, start=0, stop=4, step=2)
case("diagonal_scatter", [TABLE, torch.randn(2)], offset=1)

# ---------------------------------------------------------------- joining, parts, views

case("cat", [], items=[torch.randn(2, 3), torch.randn(1, 3)], dim=0)
case("stack", [], items=[torch.randn(2, 3), torch.randn(2, 3)], dim=1)
case("block_diag", [], lambda xs: torch.block_diag(*xs), items=[torch.randn(2, 3), torch.randn(3)])
for mode in "constant reflect replicate circular".split():
    case("pad", torch.randn(2, 3, 4), pad=[2, 1], mode=mode)
case("pad", torch.randn(2, 3), pad=[-1, 2, 1, -1], mode="constant", value=3.0)
case("tril", TABLE, diagonal=-1)
case("triu", TABLE, diagonal=1)
case("diag_embed", torch.randn(2, 3), offset=1)
case("diag", torch.randn(3), diagonal=1)
case("combinations", torch.randn(4), r=2)
case("cartesian_prod", [], lambda xs: torch.cartesian_prod(*xs), items=[torch.randn(2), torch.randn(3)])
case("roll", TABLE, shifts=[1, -2], dims=[0, 1])
case("repeat", TABLE, lambda x, sizes: x.repeat(*sizes), sizes=[2, 1, 2])
case("repeat_interleave", [TABLE, torch.tensor([1, 0, 2])], dim=1)
case("diff", [TABLE, torch.randn(4, 1), None], lambda x, prepend, append, n: torch.diff(x, n, prepend=prepend), n=2)
case("trapezoid", [TABLE, torch.randn(4, 3)])
case("expand", torch.randn(2, 1), lambda x, shape: x.expand(shape), shape=[3, 2, 4])
case("as_strided", torch.randn(6), size=[3, 2], stride=[1, 2], storage_offset=1)
case("unfold", torch.randn(3, 6), lambda x, dimension, size, step: x.unfold(dimension, size, step), dimension=1, size=3, step=2)
case("diagonal", TABLE, offset=-1)
case("sum_to_size", CUBE, lambda x, size: x.sum_to_size(size), size=[3, 1])
case("view_as_real", scatter(3))
case("view_as_complex", torch.randn(3, 2))

# ---------------------------------------------------------------- more products, decompositions, parts of numbers

case("addmv", [torch.randn(2), torch.randn(2, 3), torch.randn(3)], beta=0.5, alpha=2)
case("addr", [torch.randn(2, 3), torch.randn(2), torch.randn(3)], beta=0.5, alpha=2)
case("baddbmm", [torch.randn(1, 3), torch.randn(2, 2, 4), torch.randn(2, 4, 3)], beta=0.5, alpha=2)
case("addbmm", [torch.randn(2, 3), torch.randn(2, 2, 4), torch.randn(2, 4, 3)], beta=0.5, alpha=2)
case("inner", [torch.randn(2, 3), torch.randn(4, 3)])
case("multi_dot", [], torch.linalg.multi_dot, items=[torch.randn(2, 3), torch.randn(3, 4), torch.randn(4)])
case("inverse", torch.randn(2, 3, 3))
case("svd", torch.randn(2, 4, 3), torch.svd, uses=(1,))
case("frexp", vector(-7.5, -0.75, 1e-3, 0.5, 1, 12, 4096), uses=(0,))
case("cdist", [torch.tensor([[1.0, 2], [3, 4]]), torch.tensor([[1.0, 2], [1, 5], [3, 0]])])
case("cdist", [torch.randn(30, 2), torch.randn(27, 2)])
case("scatter", [TABLE, PLACES, torch.randn(2, 3)], lambda x, i, s, dim, reduce: torch.scatter_add(x, dim, i, s), dim=0, reduce="add")
case("flip", CUBE, dims=[0, -1])
case("permute", CUBE, dims=[2, 0, 1])
case("slice", CUBE, lambda x, dim, start, stop, step: x[:, start:stop:step], dim=1, start=0, stop=3, step=2)
case("select", CUBE, dim=-1, index=-2)
case("movedim", CUBE, source=[0, 2], destination=[2, 1])
case("rot90", TABLE)
case("tile", TABLE, dims=[2, 1, 2])

# ---------------------------------------------------------------- convolutions, pooling, norms of channels

IMAGE = torch.randn(2, 4, 5, 6)
case("conv1d", [torch.randn(2, 3, 7), torch.randn(2, 3, 3), torch.randn(2)], stride=[2], padding=[1])
case("conv2d", [IMAGE, torch.randn(6, 2, 3, 2), torch.randn(6)], stride=[2, 1], padding=[1, 2], dilation=[1, 2], groups=2)
case("conv2d", [torch.randn(4, 5, 6), torch.randn(4, 1, 3, 3)], padding=[1, 1], groups=4)
case("conv3d", [torch.randn(1, 2, 3, 4, 3), torch.randn(3, 2, 2, 2, 1)], padding=[0, 1, 0])
case("conv_transpose1d", [torch.randn(2, 3, 4), torch.randn(3, 2, 3), torch.randn(2)], stride=[2], output_padding=[1])
case("conv_transpose2d", [IMAGE, torch.randn(4, 3, 2, 3), None], stride=[2, 3], padding=[1, 0], groups=2, dilation=[1, 2])
case("conv_transpose3d", [torch.randn(1, 2, 2, 2, 3), torch.randn(2, 1, 2, 1, 2)], stride=[1, 2, 1])
TIES = torch.tensor([[[1.0, 1, 0, 1, 2], [1, 1, 3, 3, 2], [0, 3, 3, 0, 2], [nan, 0, 1, nan, -inf]]])
case("max_pool1d", TIES[0], kernel_size=[3], stride=[1], padding=[1])
case("max_pool2d", TIES, kernel_size=[2, 2], stride=[1, 1])
case("max_pool2d", TIES, kernel_size=[3, 2], stride=[2, 2], padding=[1, 1], ceil_mode=True)
case("max_pool2d", torch.randn(1, 2, 6, 7), kernel_size=[2, 3], dilation=[2, 1])
case("max_pool3d", TIES[None], kernel_size=[1, 2, 2])
case("avg_pool1d", torch.randn(2, 7), kernel_size=[3], stride=[2], padding=[1], count_include_pad=False)
case("avg_pool2d", IMAGE, kernel_size=[3, 2], stride=[2, 2], padding=[1, 0], ceil_mode=True)
case("avg_pool2d", IMAGE, kernel_size=[2, 2], divisor_override=3)
case("avg_pool3d", torch.randn(1, 3, 4, 5), kernel_size=[2, 2, 2], ceil_mode=True, count_include_pad=False)
case("adaptive_avg_pool1d", torch.randn(2, 7), output_size=[3])
case("adaptive_avg_pool2d", IMAGE, output_size=[3, 4])
case("adaptive_max_pool2d", IMAGE, output_size=[2, 4])
case("group_norm", [IMAGE, torch.randn(4), torch.randn(4)], lambda x, w, b, num_groups: F.group_norm(x, num_groups, w, b), num_groups=2)
case("instance_norm", [IMAGE, torch.randn(4), None], lambda x, w, b: F.instance_norm(x, weight=w, bias=b))

print("[" + ",\n".join(json.dumps(entry) for entry in cases) + "]")
