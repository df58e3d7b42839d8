#!/usr/bin/env python3
"""Reference model of the iterator rules in iterator.md (own code, standard library only).

Everything here is derived from the written rules; nothing imports torch.  The model is used
 * to produce the expected values in cases.json,
 * as an oracle for fuzzing an implementation.

Element strides are used on tensors, byte strides inside iterators, exactly as in the text.
`Iterator.build(..., compat113=True)` reproduces the one typing rule that differs in PyTorch 1.13.
"""
import struct

# ---------------------------------------------------------------- dtypes and promotion
SIZE = dict(bool=1, u8=1, i8=1, i16=2, i32=4, i64=8, u16=2, u32=4, u64=8,
            f16=2, bf16=2, f32=4, f64=8, c32=4, c64=8, c128=16)
SIGNED = ['i8', 'i16', 'i32', 'i64']
BARE_UNSIGNED = ['u16', 'u32', 'u64']
FLOATS = ['f16', 'bf16', 'f32', 'f64']
COMPLEX = ['c32', 'c64', 'c128']
DEFAULT_FLOAT, DEFAULT_COMPLEX = 'f32', 'c64'


class Err(Exception):
    """An error of the modelled system; .kind is the stable name used in cases.json."""

    def __init__(self, kind, msg=''):
        super().__init__('%s: %s' % (kind, msg))
        self.kind = kind


def is_float(t): return t in FLOATS
def is_complex(t): return t in COMPLEX
def is_integral(t, include_bool): return t in SIGNED or t == 'u8' or t in BARE_UNSIGNED or (include_bool and t == 'bool')


def category(t):
    return 0 if t == 'bool' else 1 if is_integral(t, False) else 2 if is_float(t) else 3


def to_complex(t):
    return {'f16': 'c32', 'bf16': 'c64', 'f32': 'c64', 'f64': 'c128', 'c32': 'c32', 'c64': 'c64', 'c128': 'c128'}[t]


def to_real(t):
    return {'c32': 'f16', 'c64': 'f32', 'c128': 'f64'}.get(t, t)


def _float_join(a, b):
    if a == b:
        return a
    if 'f64' in (a, b):
        return 'f64'
    return 'f32'                      # includes f16+bf16


def promote(a, b):
    """Join of two dtypes; independent of operand order."""
    if a == b:
        return a
    if a in BARE_UNSIGNED or b in BARE_UNSIGNED:
        if is_float(a):
            return a
        if is_float(b):
            return b
        raise Err('unsupported_promotion', '%s and %s' % (a, b))
    ca, cb = category(a), category(b)
    if ca > cb:
        a, b, ca, cb = b, a, cb, ca    # b has the higher (or equal) category
    if cb == 3:
        if ca == 3:
            return max(a, b, key=lambda t: SIZE[t])
        if ca == 2:
            return to_complex(_float_join(a, to_real(b)))
        return b
    if cb == 2:
        return _float_join(a, b) if ca == 2 else b
    if cb == 1:
        if ca == 0:
            return b
        if 'u8' in (a, b):
            s = a if b == 'u8' else b
            return 'i16' if s == 'i8' else s
        return max(a, b, key=lambda t: SIZE[t])
    raise AssertionError


def promote_skip(a, b):
    return b if a is None else a if b is None else promote(a, b)


def combine(higher, lower):
    """Combine the result of a higher-priority group with a lower-priority one."""
    if higher is not None and is_complex(higher):
        return higher
    if lower is not None and is_complex(lower):
        if higher is not None and is_float(higher):
            return to_complex(higher)
        return lower
    if higher is not None and is_float(higher):
        return higher
    if higher == 'bool' or (lower is not None and is_float(lower)):
        return promote_skip(higher, lower)
    return higher if higher is not None else lower


def result_type(ops, default=DEFAULT_FLOAT):
    """ops: iterable of (dtype, ndim, is_wrapped_number)."""
    dim = zero = wrapped = None
    for dt, nd, w in ops:
        if w:
            if is_complex(dt):
                dt = to_complex(default)
            elif is_float(dt):
                dt = default
        if nd > 0:
            dim = promote_skip(dim, dt)
        elif w:
            wrapped = promote_skip(wrapped, dt)
        else:
            zero = promote_skip(zero, dt)
    return combine(dim, combine(zero, wrapped))


def can_cast(frm, to):
    if is_complex(frm) and not is_complex(to):
        return False
    if is_float(frm) and is_integral(to, False):
        return False
    if frm != 'bool' and to == 'bool':
        return False
    return True


# ---------------------------------------------------------------- tensors
def numel(sizes):
    n = 1
    for s in sizes:
        n *= s
    return n


def contiguous_strides(sizes):
    st, acc = [0] * len(sizes), 1
    for i in reversed(range(len(sizes))):
        st[i] = acc
        acc *= max(sizes[i], 1)
    return st


def channels_last_strides(sizes):
    n, c, h, w = sizes
    return [h * w * c, 1, w * c, c]


def is_contiguous(sizes, strides):
    if numel(sizes) == 0:
        return True
    z = 1
    for s, st in zip(reversed(sizes), reversed(strides)):
        if s != 1:
            if st != z:
                return False
            z *= s
    return True


def is_channels_last(sizes, strides):
    if len(sizes) != 4:
        return False
    z = 1
    for d in (1, 3, 2, 0):
        if sizes[d] != 1:
            if strides[d] != z:
                return False
            z *= sizes[d]
    return True


def is_dense(sizes, strides):
    """non-overlapping and dense: some permutation of the dims is contiguous.

    Short-circuits: contiguous or channels-last layouts (2d and 3d) count without looking further, so a
    numel-0 tensor is always dense."""
    if is_contiguous(sizes, strides) or is_channels_last(sizes, strides):
        return True
    dims = sorted((st, s) for s, st in zip(sizes, strides) if s >= 2)
    z = 1
    for st, s in dims:
        if st != z:
            return False
        z *= s
    return True


class T:
    """A strided tensor: sizes/strides/offset in elements; storage is any hashable id (None: private)."""
    _n = 0

    def __init__(self, sizes, dtype='f32', strides=None, offset=0, storage=None, device='cpu', wrapped=False):
        self.sizes = list(sizes)
        self.strides = contiguous_strides(sizes) if strides is None else list(strides)
        assert len(self.sizes) == len(self.strides)
        self.dtype, self.offset, self.device, self.wrapped = dtype, offset, device, wrapped
        T._n += 1
        self.storage = ('auto', T._n) if storage is None else storage

    dim = property(lambda s: len(s.sizes))
    numel = property(lambda s: numel(s.sizes))
    esize = property(lambda s: SIZE[s.dtype])

    def contiguous(self): return is_contiguous(self.sizes, self.strides)
    def channels_last(self): return is_channels_last(self.sizes, self.strides)
    def dense(self): return is_dense(self.sizes, self.strides)


def internal_overlap(t):
    if t.dense():
        return 'no'
    if any(st == 0 and s > 1 for s, st in zip(t.sizes, t.strides)):
        return 'yes'
    return 'too_hard'


def overlap_status(a, b):
    if a is b:
        return 'full'
    if a.numel == 0 or b.numel == 0:
        return 'no'
    if not a.dense() or not b.dense():
        return 'too_hard'
    if a.storage == b.storage:
        ab, bb = a.offset * a.esize, b.offset * b.esize
        ae, be = ab + a.numel * a.esize, bb + b.numel * b.esize
        if ab == bb and ae == be:
            return 'full' if a.strides == b.strides else 'partial'
        if ab < be and bb < ae:
            return 'partial'
    return 'no'


def broadcast(a, b):
    """Pairwise broadcast; raises with the 0-based dim of the wider shape."""
    n = max(len(a), len(b))
    out = [0] * n
    for k in range(1, n + 1):
        x = a[-k] if k <= len(a) else 1
        y = b[-k] if k <= len(b) else 1
        if x != y and x != 1 and y != 1:
            raise Err('broadcast', 'size %d vs %d at dim %d' % (x, y, n - k))
        out[n - k] = y if x == 1 else x
    return out


def sort_dims(n, cmp):
    """Insertion sort with ambiguous comparisons, starting from n-1, ..., 0."""
    perm = list(range(n - 1, -1, -1))
    for i in range(1, n):
        d1 = i
        for d0 in range(i - 1, -1, -1):
            c = cmp(perm[d0], perm[d1])
            if c > 0:
                perm[d0], perm[d1] = perm[d1], perm[d0]
                d1 = d0
            elif c < 0:
                break
    return perm


def preserve_strides(sizes, strides):
    """Strides of a copy that keeps the layout (dtype conversion of an input, `empty_like`)."""
    if is_dense(sizes, strides):
        return list(strides)
    n = len(sizes)
    if n == 0:
        return []
    if n == 1:
        return [1]

    def cmp(i, j):
        a, b = strides[i], strides[j]
        if a == 0 or b == 0:
            return 0
        if a != b:
            return -1 if a < b else 1
        return 1 if sizes[i] > sizes[j] else 0
    out, z = [0] * n, 1
    for d in sort_dims(n, cmp):
        out[d] = z
        if sizes[d] > 1:
            z *= sizes[d]
    return out


# ---------------------------------------------------------------- configuration
DEFAULTS = dict(check_mem_overlap=True, check_all_same_dtype=True, check_all_same_device=True,
                enforce_safe_casting_to_output=False, enforce_linear_iteration=False,
                promote_inputs_to_common_dtype=False, promote_integer_inputs_to_float=False,
                is_reduction=False, allow_cpu_scalars=False, cast_common_dtype_to_outputs=False,
                resize_outputs=True)

_BIN = dict(check_mem_overlap=True, allow_cpu_scalars=True, promote_inputs_to_common_dtype=True,
            cast_common_dtype_to_outputs=True, enforce_safe_casting_to_output=True)
PRESETS = dict(
    binary_op=_BIN, borrowing_binary_op=_BIN,
    binary_float_op=dict(_BIN, promote_integer_inputs_to_float=True),
    comparison_op=dict(check_mem_overlap=True, allow_cpu_scalars=True, promote_inputs_to_common_dtype=True),
    unary_op=dict(check_mem_overlap=True, cast_common_dtype_to_outputs=False, enforce_safe_casting_to_output=False,
                  check_all_same_dtype=True),
    unary_float_op=dict(check_mem_overlap=True, promote_inputs_to_common_dtype=True, cast_common_dtype_to_outputs=True,
                        enforce_safe_casting_to_output=True, promote_integer_inputs_to_float=True),
    unary_force_boolean_op=dict(check_mem_overlap=True, check_all_same_dtype=False),
    nullary_op=dict(check_mem_overlap=True, check_all_same_dtype=False, resize_outputs=False),
    reduce_op=dict(check_mem_overlap=False, resize_outputs=False, is_reduction=True),
)


class Config:
    """flags: ordered list of (name, bool) setter calls, or a dict."""

    def __init__(self, flags=(), static_shape=None, squash=None, static_dtype=None, static_device=None):
        self.f = dict(DEFAULTS)
        items = flags.items() if isinstance(flags, dict) else flags
        for k, v in items:
            self.f[k] = v
            if k in ('promote_inputs_to_common_dtype', 'cast_common_dtype_to_outputs') and v:
                self.f['check_all_same_dtype'] = False
            if k == 'promote_integer_inputs_to_float' and v and not self.f['promote_inputs_to_common_dtype']:
                raise Err('internal', 'promote_integer_inputs_to_float needs promote_inputs_to_common_dtype first')
        if static_dtype is not None and self.f['check_all_same_dtype']:
            raise Err('config_order', 'check_all_same_dtype(false) must come first')
        self.static_dtype, self.static_device = static_dtype, static_device
        self.static_shape = None
        if static_shape is not None:
            if self.f['resize_outputs']:
                raise Err('config_order', 'resize_outputs(false) must come first')
            self.static_shape = list(static_shape)
            if self.static_shape:
                for d in squash or []:
                    if not 0 <= d < len(self.static_shape):
                        raise Err('squash_range', str(d))
                    self.static_shape[d] = 1


def preset_config(name, ops, nout):
    f = list(PRESETS[name].items())
    kw = {}
    if name == 'comparison_op':
        out = ops[0]
        if out is None:
            kw['static_dtype'] = 'bool'
        elif out.dtype != 'bool':
            f.append(('cast_common_dtype_to_outputs', True))
    elif name == 'unary_force_boolean_op':
        kw.update(static_dtype='bool', static_device=ops[1].device)
    elif name == 'reduce_op':
        if any(o is None for o in ops[:nout]):
            raise Err('internal', 'outputs of a reduction must be given')
        if nout == 1:
            f.append(('promote_inputs_to_common_dtype', True))
        else:
            a, b = ops[0], ops[1]
            if a.device != ops[2].device or a.device != b.device:
                raise Err('device', 'reduce_op devices')
            if a.dim != b.dim or a.sizes != b.sizes or a.strides != b.strides:
                raise Err('reduce_outputs_differ')
            f.append(('check_all_same_dtype', False))
    return Config(f, **kw)


# ---------------------------------------------------------------- iterator
class Op:
    def __init__(self, t):
        self.t = t                # current tensor (maybe a temporary)
        self.orig = None          # user's tensor when t is a temporary
        self.target = self.current = None if t is None else t.dtype
        self.device = None if t is None else t.device
        self.is_output = self.will_resize = self.read_write = False
        self.stride = None        # byte strides, iterator order; None = not computed
        self.data = None          # byte offset in t's storage


class Iterator:
    def __init__(self):
        self.accumulate, self.final = False, True
        self.coalesced = False
        self.perm = None
        self.fast = None
        self.view_offsets = []

    # ---- queries
    ndim = property(lambda s: len(s.shape))
    ntensors = property(lambda s: len(s.ops))
    numel = property(lambda s: numel(s.shape))

    def esize(self, i): return SIZE[self.ops[i].current]
    def is_trivial_1d(self): return self.ndim == 1

    def is_contiguous(self):
        if self.numel == 1:
            return True
        return self.ndim == 1 and all(op.stride[0] == SIZE[op.current] for op in self.ops)

    def is_scalar(self, i):
        return all(st == 0 or s == 1 for s, st in zip(self.shape, self.ops[i].stride))

    def is_dim_reduced(self, d):
        return any(op.is_output and op.stride[d] == 0 and self.shape[d] > 1 for op in self.ops)

    def num_output_elements(self):
        return numel(s for s, st in zip(self.shape, self.ops[0].stride) if st != 0 or s == 0)

    def num_reduce_dims(self):
        return sum(1 for st in self.ops[0].stride if st == 0)

    def can_use_32bit(self):
        lim = 2**31 - 1
        if self.numel > lim:
            return False
        return all(1 + sum((s - 1) * st for s, st in zip(self.shape, op.stride)) <= lim for op in self.ops)

    # ---- build
    @staticmethod
    def build(cfg, outs, ins, compat113=False):
        it = Iterator()
        it.cfg, it.f = cfg, cfg.f
        it.is_reduction = cfg.f['is_reduction']
        it.nout = len(outs)
        it.ops = [Op(t) for t in list(outs) + list(ins)]
        it.is_meta = any(t is not None and t.device == 'meta' for t in list(outs) + list(ins))
        it.common = None
        it._mark_outputs()
        it._overlaps()
        it._shape()
        it._mark_resize()
        it._types(compat113)
        if not it._fast():
            it._strides()
            it._reorder()
            it._allocate()
            if not it.is_meta:
                it._coalesce()
        if it.is_meta:
            return it
        for op in it.ops:
            op.data = op.t.offset * op.t.esize
        it.view_offsets = [0] * max(it.ndim, 1)
        return it

    @staticmethod
    def preset(name, outs, ins, compat113=False):
        cfg = preset_config(name, list(outs) + list(ins), len(outs))
        return Iterator.build(cfg, outs, ins, compat113)

    def _mark_outputs(self):
        for i in range(self.nout):
            self.ops[i].is_output = True
            if self.ops[i].t is not None:
                self.ops[i].read_write = any(o.t is self.ops[i].t for o in self.ops[self.nout:])

    def _overlaps(self):
        if not self.f['check_mem_overlap']:
            return
        for o in self.ops[:self.nout]:
            if o.t is None:
                continue
            if internal_overlap(o.t) == 'yes':
                raise Err('internal_overlap')
            for i in self.ops[self.nout:]:
                if i.t is not None and i.t is not o.t and overlap_status(o.t, i.t) == 'partial':
                    raise Err('partial_overlap')

    def _shape(self):
        self.same_shape, self.all_scalars = False, False
        if self.cfg.static_shape is not None:
            self.shape = list(self.cfg.static_shape)
            return
        self.same_shape = True
        shape, scal, tens = [], False, False
        for op in self.ops:
            if op.t is None or (self.f['resize_outputs'] and op.is_output):
                continue
            s = op.t.sizes
            if s:
                tens = True
            else:
                scal = True
            if scal and tens:
                self.same_shape = False
            if not shape:
                shape = list(s)
            elif s != shape:
                self.same_shape = False
                shape = broadcast(shape, s)
        self.all_scalars = not tens
        self.shape = shape
        self.common_shape = list(shape)

    def _mark_resize(self):
        if self.cfg.static_shape is not None:
            return
        for o in self.ops[:self.nout]:
            if o.t is not None and o.t.sizes != self.shape:
                if self.f['resize_outputs'] and not o.read_write:
                    o.will_resize = True
                elif not self.is_reduction:
                    raise Err('output_shape', '%s vs %s' % (o.t.sizes, self.shape))

    def _types(self, compat113):
        f, cfg = self.f, self.cfg
        device, common, out_dt = 'cpu', None, None
        diff_in = diff_out = undef = False
        for op in self.ops:
            if op.target is None:
                if not op.is_output:
                    raise Err('internal', 'undefined input')
                if cfg.static_dtype is not None:
                    op.target = cfg.static_dtype
                else:
                    undef = True
                if cfg.static_device is not None:
                    op.device = cfg.static_device
                elif not f['check_all_same_device']:
                    raise Err('internal', 'cannot infer the device of an undefined output')
                if undef or op.device is None:
                    continue
            if op.t is None:
                continue
            if device == 'cpu' and op.t.device != 'cpu':
                device = op.t.device
            if not op.is_output:
                if op.target != common:
                    if common is None:
                        common = op.target
                    else:
                        diff_in = True
            elif op.target != out_dt:
                if out_dt is None:
                    out_dt = op.target
                else:
                    diff_out = True
        if diff_in and not f['promote_inputs_to_common_dtype'] and (
                undef or f['enforce_safe_casting_to_output'] or f['cast_common_dtype_to_outputs']):
            raise Err('internal', 'common dtype is needed but cannot be computed')
        if f['check_all_same_dtype'] and (diff_in or diff_out or (common != out_dt and out_dt is not None)):
            for op in self.ops:
                if op.t is not None and op.target != common:
                    raise Err('dtype_mismatch', 'found %s expected %s' % (op.target, common))
        if not undef and not f['check_all_same_device'] and not f['promote_inputs_to_common_dtype'] \
                and not f['cast_common_dtype_to_outputs'] and not f['enforce_safe_casting_to_output']:
            self.common = None if diff_in else common
            return
        if (diff_in or (self.all_scalars and not compat113)) and f['promote_inputs_to_common_dtype']:
            common = result_type((o.t.dtype, o.t.dim, o.t.wrapped) for o in self.ops if not o.is_output)
            if common is None:
                raise Err('internal', 'promotion without inputs')
        if f['promote_integer_inputs_to_float'] and common is not None and is_integral(common, True):
            common = DEFAULT_FLOAT
        self.common = common
        left = 1 if f['allow_cpu_scalars'] else 0
        for op in self.ops:
            had_t, had_d = op.target is not None, op.device is not None
            if not had_t:
                op.target = common
            if not had_d:
                op.device = device
            if not had_t and not had_d:
                continue
            if op.t is None:
                continue
            if f['check_all_same_device']:
                if device != 'cpu' and f['allow_cpu_scalars'] and not op.is_output and op.t.dim == 0 \
                        and op.t.device == 'cpu':
                    if left == 0:
                        raise Err('too_many_cpu_scalars')
                    left -= 1
                elif op.device != device:
                    raise Err('device', '%s and %s' % (device, op.device))
            if f['enforce_safe_casting_to_output'] and op.is_output and op.current != common \
                    and not can_cast(common, op.current):
                raise Err('unsafe_cast', '%s -> %s' % (common, op.current))
            if device == 'cpu':
                if f['cast_common_dtype_to_outputs'] and op.is_output and op.current != common and not self.is_meta:
                    if common is None:
                        raise Err('internal', 'no inputs to take a common dtype from')
                    op.orig, op.t = op.t, T(op.t.sizes, common)               # contiguous temporary
                    op.current = op.target = common
                if f['promote_inputs_to_common_dtype'] and not op.is_output and op.current != common:
                    op.orig, op.t = op.t, T(op.t.sizes, common, preserve_strides(op.t.sizes, op.t.strides))
                    op.current = op.target = common

    def _set_output(self, i, sizes, strides, fmt=None):
        op = self.ops[i]
        if op.t is not None and not op.will_resize:
            return
        if strides is None:
            strides = channels_last_strides(sizes) if fmt == 'channels_last' else contiguous_strides(sizes)
        if op.t is None:
            op.t = T(sizes, op.target, strides, device=op.device)
            op.current = op.target
        else:
            op.t.sizes, op.t.strides = list(sizes), list(strides)

    def _fast(self):
        if self.is_reduction or not self.same_shape:
            return False
        defined = [o.t for o in self.ops if o.t is not None and not o.will_resize]
        if self.f['enforce_linear_iteration']:
            kind = 'contiguous' if all(t.contiguous() for t in defined) else None
        elif all(t.contiguous() for t in defined):
            kind = 'contiguous'
        elif all(t.channels_last() for t in defined):
            kind = 'channels_last'
        elif all(t.dense() for t in defined) and all(t.strides == defined[-1].strides for t in defined):
            kind = 'dense'
        else:
            kind = None
        self.fast = kind
        if kind is None:
            return False
        self._check_types()
        if kind == 'dense':
            like = [o.t for o in self.ops if o.t is not None][-1].strides
            for i in range(self.nout):
                self._set_output(i, self.shape, like)
        else:
            for i in range(self.nout):
                self._set_output(i, self.shape, None, kind)
        if self.ndim > 1:
            self.coalesced = True
        if self.ndim >= 1:
            self.shape = [numel(self.shape)]
        for op in self.ops:
            op.stride = [op.t.esize] * self.ndim
        return True

    def _strides(self):
        n = self.ndim
        for op in self.ops:
            if op.t is None or op.will_resize:
                continue
            sizes = self.shape if self.cfg.static_shape is not None else op.t.sizes
            off = n - len(sizes)
            op.stride = [0] * n
            for i, s in enumerate(sizes):
                if not (s == 1 and self.shape[off + i] != 1):
                    op.stride[off + i] = op.t.strides[i] * op.t.esize

    def _compare(self, d0, d1):
        for op in self.ops:
            if not op.stride or op.will_resize:
                continue
            a, b = op.stride[d0], op.stride[d1]
            if self.is_reduction and op.is_output and (a == 0) != (b == 0):
                return 1 if b == 0 else -1
            if a == 0 or b == 0:
                continue
            if a != b:
                return -1 if a < b else 1
            if self.shape[d0] > self.shape[d1]:
                return 1
        return 0

    def _reorder(self):
        n = self.ndim
        if n == 1:
            self.perm = [0]
            return
        if self.f['enforce_linear_iteration']:
            self.perm = list(range(n - 1, -1, -1))
        else:
            self.perm = sort_dims(n, self._compare)
        self.shape = [self.shape[p] for p in self.perm]
        for op in self.ops:
            if op.stride:
                op.stride = [op.stride[p] for p in self.perm]

    def _invert(self, v):
        out = [0] * len(v)
        for i, p in enumerate(self.perm):
            out[p] = v[i]
        return out

    def _check_types(self):
        for o in self.ops[:self.nout]:
            if o.t is None and o.target is None:
                raise Err('internal', 'no type for an output')

    def _allocate(self):
        self._check_types()
        for i in range(self.nout):
            op = self.ops[i]
            if op.t is None or op.will_resize:
                es = SIZE[op.target]
                st, z = [], es
                for s in self.shape:
                    st.append(z)
                    z *= s
                op.stride = st
                sizes = self._invert(self.shape)
                if self.perm == list(range(self.ndim - 1, -1, -1)):
                    self._set_output(i, sizes, None)
                else:
                    self._set_output(i, sizes, [x // es for x in self._invert(st)])
                op.current = op.target

    def _coalesce(self):
        if self.ndim <= 1:
            return
        shape = self.shape
        prev = 0
        for d in range(1, len(shape)):
            ok = shape[prev] == 1 or shape[d] == 1 or all(
                shape[prev] * op.stride[prev] == op.stride[d] for op in self.ops)
            if ok:
                if shape[prev] == 1:
                    for op in self.ops:
                        op.stride[prev] = op.stride[d]
                shape[prev] *= shape[d]
            else:
                prev += 1
                if prev != d:
                    for op in self.ops:
                        op.stride[prev] = op.stride[d]
                    shape[prev] = shape[d]
        del shape[prev + 1:]
        for op in self.ops:
            del op.stride[prev + 1:]
        self.coalesced = True

    # ---- transformations
    def copy(self):
        it = Iterator()
        it.__dict__.update(self.__dict__)
        it.shape, it.view_offsets = list(self.shape), list(self.view_offsets)
        it.ops = []
        for op in self.ops:
            o = Op(None)
            o.__dict__.update(op.__dict__)
            o.stride = None if op.stride is None else list(op.stride)
            it.ops.append(o)
        return it

    def narrow(self, d, start, size):
        assert d < self.ndim and size >= 1
        self.shape[d] = size
        self.view_offsets[d] += start
        for op in self.ops:
            op.data += op.stride[d] * start
        if size == 1 and not self.is_reduction:
            self._coalesce()

    def select_all_keeping_dim(self, start, idx):
        for d in range(start, self.ndim):
            for op in self.ops:
                op.data += op.stride[d] * idx[d - start]
            self.shape[d] = 1

    def remove_operand(self, i):
        del self.ops[i]

    def dim_to_split(self):
        best, dim = -1, -1
        for d in range(self.ndim - 1, -1, -1):
            if self.shape[d] == 0:
                continue
            for op in self.ops:
                e = (self.shape[d] - 1) * abs(op.stride[d])
                if e > best:
                    best, dim = e, d
        return dim

    def split(self, d):
        """Returns the lower part; self becomes the upper part."""
        assert 0 <= d < self.ndim and self.shape[d] >= 2
        lo = self.copy()
        red = self.is_dim_reduced(d)
        n_lo = self.shape[d] // 2
        n_hi = self.shape[d] - n_lo
        lo.narrow(d, 0, n_lo)
        lo.final = lo.final and not red
        self.narrow(d, n_lo, n_hi)
        self.accumulate = self.accumulate or red
        return lo

    def split_32bit(self, limit=200):
        stack, out = [self.copy()], []
        while stack and len(out) <= limit:
            while not stack[-1].can_use_32bit():
                top = stack[-1]
                stack.append(top.split(top.dim_to_split()))
            out.append(stack.pop())
        return out

    # ---- execution
    def loop_strides(self):
        st = [op.stride[d] for d in range(self.ndim) for op in self.ops]
        return st + [0] * max(0, 2 - self.ndim) * self.ntensors

    def serial_loops(self, begin, end):
        """List of (relative byte pointer per operand, size0, size1), in call order."""
        if begin == end:
            return []
        out, nt = [], self.ntensors
        if self.ndim <= 1:
            p = [op.stride[0] * begin if self.ndim else 0 for op in self.ops]
            return [(p, end - begin, 1)]
        sh, off = self.shape, begin
        idx, rest = [], begin
        for s in sh:
            if s > 0:
                idx.append(rest % s)
                rest //= s
            else:
                idx.append(0)
        while off < end:
            p = [sum(i * st for i, st in zip(idx, op.stride)) for op in self.ops]
            s0 = min(sh[0] - idx[0], end - off)
            s1 = 1
            if s0 == sh[0]:
                s1 = min(sh[1] - idx[1], (end - off) // sh[0])
            out.append((p, s0, s1))
            off += s0 * s1
            k, carry = (0, s0) if s1 == 1 else (1, s1)
            while k < len(sh) and carry > 0:
                v = idx[k] + carry
                carry = 1 if v >= sh[k] else 0
                idx[k] = v - sh[k] if carry else v
                k += 1
        return out

    def for_each_ranges(self, grain, threads):
        n = self.numel
        if n == 0:
            return []
        if n < grain or threads == 1:
            return [(0, 0, n)]
        return parallel_for(0, n, grain, threads)

    def reduce_strategy(self, threads, grain=32768):
        """('serial',) | ('two_pass', ranges) | ('dim', d, [(tid, begin, end)])"""
        if self.numel < grain or threads == 1:
            return ('serial',)
        if self.ops[0].t.numel == 1:
            return ('two_pass', parallel_for(0, self.numel, grain, threads))
        d = self.find_split_dim(threads)
        cols = self.shape[d]
        es = self.esize(1)
        rounding = self.ops[1].stride[d] == es
        out = []
        for tid, b, e in parallel_for(0, cols, 1, threads):
            if rounding:
                m = 128 // es
                b -= b % m
                if e != cols:
                    e -= e % m
            if b != e:
                out.append((tid, b, e))
        return ('dim', d, out)

    def find_split_dim(self, threads):
        best = self.ndim - 1
        d = best
        while d >= 0 and not self.is_dim_reduced(d):
            if self.shape[d] >= threads:
                return d
            if self.shape[d] > self.shape[best]:
                best = d
            d -= 1
        assert not self.is_dim_reduced(best)
        return best

    def reduced_elements(self):
        """Sub-iterators of foreach_reduced_elt, serial form."""
        n_out = self.ops[0].t.numel
        if n_out == 0:
            return []
        if n_out == 1:
            return [self]
        k = self.num_reduce_dims()
        rest = self.shape[k:]
        subs = []
        idx = [0] * len(rest)
        for _ in range(numel(rest)):
            s = self.copy()
            s.select_all_keeping_dim(k, idx)
            subs.append(s)
            for j in range(len(rest)):
                idx[j] += 1
                if idx[j] < rest[j]:
                    break
                idx[j] = 0
        return subs


def parallel_for(begin, end, grain, threads):
    """OpenMP-style static split: list of (thread, begin, end)."""
    if begin >= end:
        return []
    n = end - begin
    if not (n > grain and n > 1 and threads > 1):
        return [(0, begin, end)]
    if grain > 0:
        threads = min(threads, -(-n // grain))
    chunk = -(-n // threads)
    return [(t, begin + t * chunk, min(end, begin + (t + 1) * chunk))
            for t in range(threads) if begin + t * chunk < end]


# ---------------------------------------------------------------- reductions: shapes, dtypes, views
def wrap_dim(d, n):
    n = max(n, 1)
    if not -n <= d < n:
        raise Err('dim_range', str(d))
    return d + n if d < 0 else d


def dim_mask(dims, n):
    """None or [] means every dim."""
    if dims is None or len(dims) == 0:
        return [True] * n
    seen = set()
    for d in dims:
        d = wrap_dim(d, n)
        if d in seen:
            raise Err('duplicate_dim', str(d))
        seen.add(d)
    return [i in seen for i in range(n)]


def reduction_shape(sizes, dims, keepdim):
    m = dim_mask(dims, len(sizes))
    if keepdim:
        return [1 if r else s for s, r in zip(sizes, m)]
    return [s for s, r in zip(sizes, m) if not r]


def reduction_view(out, dims, ndim, keepdim):
    """View of the result with the reduced dims reinserted as size 1, stride 0."""
    if keepdim:
        return out
    m = dim_mask(dims, ndim)
    sz, st = list(out.sizes), list(out.strides)
    for d in range(ndim):
        if m[d]:
            sz.insert(d, 1)
            st.insert(d, 0)
    return T(sz, out.dtype, st, out.offset, out.storage, out.device)


def reduction_dtype(op, in_dt, dtype=None, out_dt=None):
    if op in ('sum', 'prod', 'nansum', 'cumsum', 'cumprod'):
        if out_dt is not None:
            return dtype or out_dt
        return dtype or ('i64' if is_integral(in_dt, True) else in_dt)
    if op == 'mean':
        t = dtype or in_dt
        if not (is_float(t) or is_complex(t)):
            raise Err('mean_dtype')
        return dtype or out_dt or in_dt
    if op in ('amax', 'amin', 'aminmax', 'max', 'min'):
        return in_dt
    if op in ('argmax', 'argmin', 'count_nonzero'):
        return 'i64'
    if op in ('all', 'any'):
        return 'u8' if in_dt == 'u8' else 'bool'
    if op == 'norm':
        if not (is_float(in_dt) or is_complex(in_dt)):
            raise Err('norm_dtype')
        return dtype or to_real(in_dt)
    if op in ('var', 'std'):
        if not (is_float(in_dt) or is_complex(in_dt)):
            raise Err('var_dtype')
        return to_real(in_dt)
    raise KeyError(op)


IDENTITY = dict(sum=0, nansum=0, prod=1, all=True, any=False, mean='nan', var='nan', std='nan', norm=0)


def reduction_meta(op, sizes, in_dt, dims=None, keepdim=False, dtype=None):
    """(shape, dtype, 'compute'|identity|'none') or raises."""
    dt = reduction_dtype(op, in_dt, dtype)
    n = len(sizes)
    dim_mask(dims, n)
    if op in ('amax', 'amin') and numel(sizes) == 0:
        if not dims:
            raise Err('empty_no_dim')
        for d in dims:
            if n and sizes[wrap_dim(d, n)] == 0:
                raise Err('empty_reduced_dim')
    if op in ('argmax', 'argmin'):
        if dims is None:
            if numel(sizes) == 0:
                raise Err('empty_no_dim')
        elif n and sizes[wrap_dim(dims[0], n)] == 0:
            raise Err('empty_reduced_dim')
    shape = reduction_shape(sizes, dims, keepdim)
    return shape, dt, ('compute' if numel(sizes) else IDENTITY.get(op, 'none'))


# ---------------------------------------------------------------- numerics
def f32(x):
    try:
        return struct.unpack('f', struct.pack('f', x))[0]
    except OverflowError:
        return float('inf') if x > 0 else float('-inf')


def ceil_log2(x):
    return 1 if x <= 2 else (x - 1).bit_length()


def cascade_multi(load, nrows, size, rnd):
    """Four-level cascade over `size` rows of `nrows` independent columns."""
    levels = 4
    power = max(4, ceil_log2(size) // levels)
    step = 1 << power
    acc = [[0.0] * nrows for _ in range(levels)]
    i = 0
    while i + step <= size:
        for _ in range(step):
            for k in range(nrows):
                acc[0][k] = rnd(acc[0][k] + load(i, k))
            i += 1
        for j in range(1, levels):
            for k in range(nrows):
                acc[j][k] = rnd(acc[j][k] + acc[j - 1][k])
                acc[j - 1][k] = 0.0
            if i & ((step - 1) << (j * power)):
                break
    while i < size:
        for k in range(nrows):
            acc[0][k] = rnd(acc[0][k] + load(i, k))
        i += 1
    for j in range(1, levels):
        for k in range(nrows):
            acc[0][k] = rnd(acc[0][k] + acc[j][k])
    return acc[0]


def cascade_row_sum(x, rnd=f32):
    """Scalar (strided) sum of one row: 4 interleaved columns, then the tail, then the columns."""
    n4 = len(x) // 4
    p = cascade_multi(lambda i, k: x[4 * i + k], 4, n4, rnd)
    for v in x[4 * n4:]:
        p[0] = rnd(p[0] + v)
    for k in range(1, 4):
        p[0] = rnd(p[0] + p[k])
    return p[0]


def cascade_vec_sum(x, width, rnd=f32):
    """Contiguous row with SIMD width `width`: the row-sum above on vectors, then tail first, then lanes."""
    nv = len(x) // width
    lanes = [cascade_row_sum([x[v * width + l] for v in range(nv)], rnd) for l in range(width)]
    s = 0.0
    for v in x[nv * width:]:
        s = rnd(s + v)
    for l in lanes:
        s = rnd(s + l)
    return s


def pairwise_sum(x, rnd=f32):
    """NumPy's pairwise summation of a contiguous run."""
    n = len(x)
    if n < 8:
        r = -0.0
        for v in x:
            r = rnd(r + v)
        return r
    if n <= 128:
        r = list(x[:8])
        i = 8
        while i < n - n % 8:
            for k in range(8):
                r[k] = rnd(r[k] + x[i + k])
            i += 8
        s = rnd(rnd(rnd(r[0] + r[1]) + rnd(r[2] + r[3])) + rnd(rnd(r[4] + r[5]) + rnd(r[6] + r[7])))
        for v in x[i:]:
            s = rnd(s + v)
        return s
    h = n // 2
    h -= h % 8
    return rnd(pairwise_sum(x[:h], rnd) + pairwise_sum(x[h:], rnd))


def div_trunc(a, b):
    if b == 0:
        raise Err('zero_division')
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def div_floor(a, b):
    if b == 0:
        raise Err('zero_division')
    return a // b


def remainder(a, b):
    if b == 0:
        raise Err('zero_division')
    return a % b                      # sign of the divisor


def fmod_int(a, b):
    return a - b * div_trunc(a, b)    # sign of the dividend


def wrap_int(v, dt):
    bits = 8 * SIZE[dt]
    v &= (1 << bits) - 1
    if dt[0] == 'i' and v >> (bits - 1):
        v -= 1 << bits
    return v


def powi(a, b, dt):
    if b < 0:
        return 1 if a == 1 else (-1 if b % 2 else 1) if a == -1 else 0
    r = 1
    while b:
        if b & 1:
            r = wrap_int(r * a, dt)
        a = wrap_int(a * a, dt)
        b >>= 1
    return r


def magic(d):
    """32-bit magic division: (m, s) with n/d == (((n*m)>>32)+n)>>s for 0 <= n < 2**31."""
    s = 0
    while (1 << s) < d:
        s += 1
    return ((1 << 32) * ((1 << s) - d)) // d + 1, s


def magic_div(n, d):
    m, s = magic(d)
    return (((n * m) >> 32) + n) >> s


# ---------------------------------------------------------------- CUDA launch geometry
def last_pow2(n):
    return max(1, 1 << (n.bit_length() - 1)) if n > 0 else 1


def elementwise_grid(n, per_thread=4, threads=128):
    return -(-n // (threads * per_thread))


def vec_width(addr, esize):
    return 4 if addr % (4 * esize) == 0 else 2 if addr % (2 * esize) == 0 else 1


def reduce_config(it, in_esize, acc_esize, vt0=4, max_threads=512, warp=32, sms=108, threads_per_sm=2048, in_addr=0):
    """Launch configuration of the generic CUDA reduction for a reduction iterator."""
    nout = it.num_output_elements()
    nin = it.numel // nout
    st = it.ops[-1].stride
    nrd = it.num_reduce_dims()
    c = dict(step_input=1, step_output=1, ctas=1, input_mult=[0, 0, 0], output_mult=[0, 0], vectorize_input=False,
             output_vec=1)
    if it.ndim > 0:
        inner = nrd == it.ndim or st[0] < st[nrd]
        d0, d1, fast = (nin, nout, st[0]) if inner else (nout, nin, st[nrd])
    else:
        inner, fast, d0, d1 = True, in_esize, 1, 1
    if fast == in_esize:
        if inner and d0 > 128 and nrd == 1 and vt0 >= 4:
            c['vectorize_input'] = True
        elif not inner:
            v = 4
            vals = [in_addr // in_esize, it.shape[nrd]] + [s // in_esize for j, s in enumerate(st) if j != nrd]
            for x in vals:
                while x % v:
                    v //= 2
            c['output_vec'] = v
            d0 //= v
    mx = max_threads // c['output_vec']
    p0 = last_pow2(d0) if d0 < mx else mx
    p1 = last_pow2(d1) if d1 < mx else mx
    bw = min(p0, warp)
    bh = min(p1, mx // bw)
    bw = min(p0, mx // bh)

    def split_in(n):
        s = c['step_input']
        c['step_input'] *= n
        return s

    def split_out(n):
        s = c['step_output']
        c['step_output'] *= n
        return s

    def vpt():
        return -(-nin // c['step_input'])
    if it.ndim == 0 or inner:
        c['input_mult'][0] = split_in(bw)
    else:
        c['output_mult'][0] = split_out(bw)
    if vpt() >= bh * 16 or vpt() >= 256:
        c['input_mult'][1] = split_in(bh)
    else:
        c['output_mult'][1] = split_out(bh)
    per_sm = threads_per_sm // (bw * bh)
    target = sms * per_sm
    grid = -(-(nout // c['output_vec']) // c['step_output'])
    if c['input_mult'][1] and vpt() >= 256 and grid <= target:
        c['ctas'] = max(min(-(-target // grid), -(-vpt() // 16)), -(-vpt() // 256))
        if c['ctas'] > 1:
            c['input_mult'][2] = split_in(c['ctas'])
    c.update(block=[bw, bh], grid=[grid, c['ctas']], values_per_thread=vpt(),
             shared_bytes=0 if (not c['input_mult'][1] and (not c['input_mult'][0] or bw <= warp))
             else acc_esize * bw * bh * c['output_vec'])
    return c
