#!/usr/bin/env python3
"""Random iterators with what the model of the specification says about them.

Usage: gen_iter_cases.py [count [seed [jobs [job]]]]

Writes one case per line, in the format of tests/data/cases.json (kind "build", with the further checks that
tests/native/iter_steps.h lists). The cases are those of the seed, whatever the number of jobs; job k of n writes every n-th
block of them. tests/spec/model.py is the oracle; fuzz_iter reads the lines and compares.
"""
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'spec'))
import model  # noqa: E402

# What the model refuses and the library defines (u16, u32, u64 with other integers), and what the library does not have
# (c32), stays out.
DTYPES = ['bool', 'u8', 'i8', 'i16', 'i32', 'i64', 'f16', 'bf16', 'f32', 'f64', 'c64', 'c128']
FLAGS = [name for name in model.DEFAULTS if name != 'allow_cpu_scalars']
RARE = ['check_all_same_device', 'promote_integer_inputs_to_float', 'cast_common_dtype_to_outputs',
        'enforce_safe_casting_to_output']
ARITY = {'binary_op': 2, 'binary_float_op': 2, 'comparison_op': 2, 'unary_op': 1, 'unary_float_op': 1,
         'unary_force_boolean_op': 1, 'nullary_op': 0, 'reduce_op': 1}


# ---------------------------------------------------------------- overlap
#
# The model accepts what PyTorch finds too hard to tell. Here it is decided exactly (docs/semantics.md), so lists of addresses
# take the place of that step of the model.

def addresses(tensor, sizes):
    """Of the first byte of each element, at the positions of a shape that the tensor broadcasts to, row-major."""
    skipped = len(sizes) - len(tensor.sizes)
    found = [tensor.offset]
    for d, size in enumerate(sizes):
        is_repeated = d < skipped or tensor.sizes[d - skipped] == 1
        stride = 0 if is_repeated else tensor.strides[d - skipped]
        found = [at + i * stride for at in found for i in range(size)]
    return [at * tensor.esize for at in found]


def internal_overlap(tensor):
    found = addresses(tensor, tensor.sizes)
    return 'yes' if len(set(found)) < len(found) else 'no'


def overlap(out, tensor):
    """'no', 'full' (position by position), 'aligned' (bytes in common at equal positions only) or 'partial'"""
    if out.storage != tensor.storage:
        return 'no'
    skipped = len(out.sizes) - len(tensor.sizes)
    fits = skipped >= 0 and all(s in (1, out.sizes[skipped + d]) for d, s in enumerate(tensor.sizes))
    written, read = addresses(out, out.sizes), addresses(tensor, out.sizes if fits else tensor.sizes)
    if fits and written == read and out.dtype == tensor.dtype:
        return 'full' if written else 'no'
    position = {at + byte: p for p, at in enumerate(written) for byte in range(out.esize)}
    status = 'no'
    for q, at in enumerate(read):
        met = {position[at + byte] for byte in range(tensor.esize) if at + byte in position}
        if met and not (fits and met == {q}):
            return 'partial'
        status = 'aligned' if met else status
    return status


def check_overlaps(it):
    if not it.f['check_mem_overlap']:
        return
    for out in it.ops[:it.nout]:
        if out.t is None:
            continue
        if internal_overlap(out.t) == 'yes':
            raise model.Err('internal_overlap')
        for op in it.ops[it.nout:]:
            if op.t is None or op.t is out.t:
                continue
            status = overlap(out.t, op.t)
            if status == 'partial':
                raise model.Err('partial_overlap')
            if status == 'aligned':  # loops do not take it: the input is copied
                strides = model.preserve_strides(op.t.sizes, op.t.strides)
                op.orig, op.t = op.t, model.T(op.t.sizes, op.t.dtype, strides, wrapped=op.t.wrapped)


model.internal_overlap = internal_overlap
model.Iterator._overlaps = check_overlaps


# ---------------------------------------------------------------- operands

def random_strides(rng, sizes):
    """Strides of an ordinary layout: permuted, with gaps, with repeated dims, or anything at all."""
    order = list(range(len(sizes)))
    kind = rng.random()
    if kind < 0.45:
        order.reverse()
    elif kind < 0.55 and len(sizes) == 4:
        order = [1, 3, 2, 0]
    else:
        rng.shuffle(order)
    strides, step = [0] * len(sizes), 1
    for d in order:
        strides[d] = step
        step *= max(sizes[d], 1)
        if rng.random() < 0.08:
            step *= rng.choice([2, 3])
    for d in range(len(sizes)):
        odd = rng.random()
        if odd < 0.06:
            strides[d] = 0
        elif odd < 0.09:
            strides[d] = rng.randrange(8)
        elif sizes[d] == 1 and odd < 0.3:
            strides[d] = rng.choice([0, 1, 3, 7, 100])
    return strides


def random_shape(rng, base):
    """A shape that mostly broadcasts with base."""
    sizes = list(base[rng.randrange(len(base) + 1) if rng.random() < 0.3 else 0:])
    for d in range(len(sizes)):
        if rng.random() < 0.15:
            sizes[d] = 1
        elif rng.random() < 0.03:
            sizes[d] = rng.randrange(4)
    return sizes


def random_tensor(rng, sizes, dtype, device, storages):
    strides = random_strides(rng, sizes)
    wrapped = not sizes and rng.random() < 0.4
    if wrapped:
        dtype = rng.choice(['bool', 'i64', 'f64', 'c128'])
    storage, offset = None, 0
    if device == 'cpu' and rng.random() < 0.25:
        storage, offset = rng.choice(storages), rng.choice([0, 0, 0, 1, 2, 6, 12])
    return model.T(sizes, dtype, strides, offset, storage, device, wrapped)


def describe(tensors, index, role):
    tensor = tensors[index]
    if tensor is None:
        return {'role': role, 'undefined': True}
    for earlier in range(index):
        if tensors[earlier] is tensor:
            return {'role': role, 'same_as': earlier}
    entry = {'role': role, 'dtype': tensor.dtype, 'shape': list(tensor.sizes), 'strides': list(tensor.strides)}
    if isinstance(tensor.storage, str):
        entry.update(storage=tensor.storage, offset=tensor.offset)
    if tensor.device != 'cpu':
        entry['device'] = tensor.device
    if tensor.wrapped:
        entry['wrapped_number'] = True
    return entry


def expectation(it):
    expect = {
        'iter_shape': it.shape, 'iter_strides': [op.stride for op in it.ops],
        'operand_dtypes': [op.current for op in it.ops], 'common_dtype': it.common, 'setup': it.fast or 'general',
        'outputs': [{'shape': op.t.sizes, 'strides': op.t.strides} for op in it.ops[:it.nout]],
        'user_output_dtypes': [(op.orig or op.t).dtype for op in it.ops[:it.nout]],
        'will_resize': [op.will_resize for op in it.ops[:it.nout]],
        'read_write': [op.read_write for op in it.ops[:it.nout]],
    }
    if not it.is_meta:
        expect.update(contiguous=it.is_contiguous(), trivial_1d=it.is_trivial_1d(), can_use_32bit=it.can_use_32bit(),
                      numel=it.numel)
    return expect


def random_operands(rng, n_out, n_in, one_dtype):
    ndim = rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5])
    base = [rng.choice([1, 2, 2, 3, 3, 4, 5, 0 if rng.random() < 0.1 else 6]) for _ in range(ndim)]
    dtype = rng.choice(DTYPES)
    device = 'meta' if rng.random() < 0.1 else 'cpu'
    tensors = []
    for index in range(n_out + n_in):
        is_scalar = device == 'meta' and index > n_out and rng.random() < 0.4
        if index < n_out and rng.random() < 0.5:
            tensors.append(None)
            continue
        sizes = list(base) if rng.random() < 0.55 else random_shape(rng, base)
        if is_scalar:
            sizes = []
        chosen = dtype if rng.random() < one_dtype else rng.choice(DTYPES)
        where = 'cpu' if is_scalar or rng.random() < 0.03 else device
        tensors.append(random_tensor(rng, sizes, chosen, where, ['s', 't']))
    for index in range(n_out):
        if n_in and tensors[index] is not None and rng.random() < 0.2:
            tensors[n_out + rng.randrange(n_in)] = tensors[index]
    return tensors


def random_config(rng, tensors, n_out):
    if rng.random() < 0.25:  # as stria_iter_config_set_elementwise
        return {'flags': [['check_all_same_dtype', False], ['allow_cpu_scalars', True]],
                'static_dtype': rng.choice(DTYPES)}
    flags = []
    promotes = rng.random() < 0.4
    if promotes:
        flags.append(['promote_inputs_to_common_dtype', True])
    for name in FLAGS:
        if rng.random() < (0.03 if name in RARE and not promotes else 0.15):
            flags.append([name, rng.random() < 0.5 if name == 'check_mem_overlap' else not model.DEFAULTS[name]])
    if rng.random() < 0.3:
        flags.append(['allow_cpu_scalars', True])
    if rng.random() < 0.2:
        rng.shuffle(flags)
    config = {'flags': flags}
    if rng.random() < 0.15:
        config['static_dtype'] = rng.choice(DTYPES)
        if rng.random() < 0.8:
            flags.append(['check_all_same_dtype', False])
    if rng.random() < 0.05:
        config['static_device'] = 'cpu'
    return config


def random_reduction(rng):
    sizes = [rng.choice([1, 2, 3, 4, 5]) for _ in range(rng.randrange(1, 5))]
    out = [1 if rng.random() < 0.5 else s for s in sizes]
    strides = random_strides(rng, out)
    for d, size in enumerate(sizes):
        if out[d] == 1 and size > 1 and rng.random() < 0.7:
            strides[d] = 0
    return [model.T(out, rng.choice(['f32', 'i64']), strides),
            model.T(sizes, rng.choice(['f32', 'i64', 'u8']), random_strides(rng, sizes))]


def random_huge(rng):
    """Extents around and beyond what 31 bits reach. Nothing may touch the memory, so nothing is allocated or converted."""
    dtype = rng.choice(['u8', 'f16', 'f32', 'f64', 'c128'])
    sizes = [rng.choice([2, 3, 7, 100, 2**10, 2**15, 2**16 + 1, 2**20]) for _ in range(rng.randrange(1, 5))]
    while model.numel(sizes) > 2**36:
        sizes[sizes.index(max(sizes))] //= 2**5
    n_out = rng.choice([0, 1, 1])
    is_reduction = n_out == 1 and rng.random() < 0.4
    tensors = []
    for index in range(n_out + rng.randrange(1, 3)):
        own = list(sizes) if index <= n_out or rng.random() < 0.5 else [rng.choice([1, s]) for s in sizes]
        if is_reduction and index == 0:
            own = [1 if rng.random() < 0.6 else s for s in sizes]
        strides = random_strides(rng, own)
        if index >= n_out and rng.random() < 0.3:
            strides = [0 if rng.random() < 0.5 else st for st in strides]
        tensors.append(model.T(own, dtype, strides))
    flags = [['check_mem_overlap', False], ['resize_outputs', False]]
    if is_reduction:
        flags.append(['is_reduction', True])
    if rng.random() < 0.1:
        flags.append(['enforce_linear_iteration', True])
    return tensors, n_out, {'flags': flags}


def random_large_reduction(rng):
    """More elements than one thread reduces."""
    dtype = rng.choice(['u8', 'i16', 'f32', 'f64', 'c128'])
    sizes = [rng.choice([1, 2, 3, 5, 9, 40, 64, 200, 1000]) for _ in range(rng.randrange(1, 5))]
    while model.numel(sizes) > 2**17:
        sizes[sizes.index(max(sizes))] //= 3
    while model.numel(sizes) < 2**15:
        sizes[rng.randrange(len(sizes))] *= 4
    kept = rng.choice([0, 0.3, 0.6])
    out = [s if rng.random() < kept else 1 for s in sizes]
    strides = model.contiguous_strides(out)
    for d, size in enumerate(sizes):
        if out[d] == 1 and (size > 1 or rng.random() < 0.5):
            strides[d] = 0
    order = list(range(len(sizes)))
    if rng.random() < 0.4:
        rng.shuffle(order)
    in_strides, step = [0] * len(sizes), 1
    for d in reversed(order):
        in_strides[d] = step
        step *= sizes[d]
    config = {'preset': 'reduce_op'}
    if rng.random() < 0.15:  # reduced dims may be anywhere
        config = {'flags': [['check_mem_overlap', False], ['is_reduction', True], ['resize_outputs', False],
                            ['enforce_linear_iteration', True]]}
    return [model.T(out, dtype, strides), model.T(sizes, dtype, in_strides)], 1, config


# ---------------------------------------------------------------- what a built iterator does

def state(it):
    return {'shape': list(it.shape), 'strides': [list(op.stride) for op in it.ops],
            'data': [op.data for op in it.ops], 'view_offsets': list(it.view_offsets),
            'accumulate': it.accumulate, 'final_output': it.final}


def random_narrow(rng, it):
    d = rng.randrange(it.ndim)
    if it.shape[d] == 0:
        return None
    start = rng.randrange(it.shape[d])
    size = 1 if rng.random() < 0.3 else rng.randrange(1, it.shape[d] - start + 1)
    it.narrow(d, start, size)
    return {'op': 'narrow', 'args': [d, start, size], 'expect': state(it)}


def random_split(rng, it):
    dims = [d for d in range(it.ndim) if it.shape[d] >= 2]
    if not dims:
        return None
    d = rng.choice(dims)
    lower = it.split(d)
    return {'op': 'split', 'args': [d], 'expect': [state(lower), state(it)]}


def random_select(rng, it):
    start = rng.randrange(it.ndim)
    if 0 in it.shape[start:]:
        return None
    index = [rng.randrange(s) for s in it.shape[start:]]
    it.select_all_keeping_dim(start, index)
    return {'op': 'select_all_keeping_dim', 'args': [start, index], 'expect': state(it)}


def random_removal(rng, it):
    if it.ntensors <= it.nout:
        return None
    k = rng.randrange(it.nout, it.ntensors)
    it.remove_operand(k)
    return {'op': 'remove_operand', 'args': [k], 'expect': state(it)}


def split_32bit(it):
    try:
        parts = it.split_32bit(24)
    except AssertionError:  # no operand moves, and the model would halve a dim of size 1; test_iter has one of these
        return None
    return {'op': 'split_32bit', 'expect': [state(part) for part in parts]} if len(parts) <= 24 else None


def random_steps(rng, it, is_huge):
    it = it.copy()
    steps = []
    for _ in range(rng.randrange(1, 6)):
        kind = rng.random()
        if is_huge and not steps and rng.random() < 0.5:
            kind = 0.9
        if it.ndim and kind < 0.75:
            chosen = rng.choice([random_narrow, random_narrow, random_split, random_select])
            step = chosen(rng, it)
        elif kind < 0.8 and it.ntensors > 1:
            step = random_removal(rng, it)
        elif kind < (0.93 if is_huge else 0.83):
            step = split_32bit(it)
        else:
            step = {'op': 'dim_to_split', 'expect': it.dim_to_split()}
        if step is not None:
            steps.append(step)
    return steps


def random_range(rng, it):
    numel = it.numel
    begin = rng.randrange(numel + 1)
    end = min(numel, begin + rng.randrange(60))
    if rng.random() < 0.2:
        begin, end = 0, numel
    if end - begin > 400:
        end = begin + 400
    calls = [{'ptr': p, 'size0': n0, 'size1': n1} for p, n0, n1 in it.serial_loops(begin, end)]
    return {'begin': begin, 'end': end, 'calls': calls}


def random_for_each(rng, it):
    threads = rng.randrange(1, 9)
    grain = rng.choice([1, 2, 5, 16, 64, 32768])
    return {'threads': threads, 'grain': grain, 'ranges': [[b, e] for _, b, e in it.for_each_ranges(grain, threads)]}


def random_reduce(rng, it):
    threads = rng.choice([1, 2, 3, 4, 5, 7, 8, 16])
    try:
        strategy = it.reduce_strategy(threads)
    except AssertionError:  # there is no kept dim: an output is expanded; or linear iteration does not put it outermost
        if it.num_output_elements() == 1:
            return None
        strategy = ('serial',)
    reduce = {'threads': threads, 'strategy': strategy[0]}
    if strategy[0] == 'dim':
        reduce['dim'] = strategy[1]
    if strategy[0] != 'serial':
        reduce['ranges'] = [[b, e] for _, b, e in strategy[-1]]
    return reduce


def random_parts(rng, it):
    if it.ops[0].t.numel != it.num_output_elements() or it.ops[0].t.numel > 64:
        return None
    if any(it.is_dim_reduced(d) for d in range(it.num_reduce_dims(), it.ndim)):
        return {'error': 'argument'}
    parts = it.reduced_elements()
    return {'threads': rng.choice([1, 2, 4, 8]), 'numel': parts[0].numel if parts else 0,
            'list': [[op.data for op in part.ops] for part in parts]}


def cast_outputs(it):
    """The caller's outputs after their temporaries have been copied back; a copy checks for overlap."""
    outputs = []
    for op in it.ops[:it.nout]:
        user = op.orig or op.t
        like = op.t if user.sizes != op.t.sizes else user
        if op.orig and model.internal_overlap(like) == 'yes':
            return {'error': 'internal_overlap'}
        outputs.append({'shape': like.sizes, 'strides': like.strides, 'dtype': user.dtype})
    return outputs


def add_behaviour(rng, entry, it, kind):
    for op in it.ops:
        if op.will_resize:  # counted from wherever its memory is now
            op.data = 0
    if rng.random() < (1 if kind == 'huge' else 0.2):
        entry['steps'] = random_steps(rng, it, kind == 'huge')
    if kind == 'huge':
        return
    if kind == 'small':
        entry['cast'] = cast_outputs(it)
        if rng.random() < 0.2:
            entry['ranges'] = [random_range(rng, it) for _ in range(rng.randrange(1, 3))]
        if rng.random() < 0.1 and it.numel:
            entry['for_each'] = random_for_each(rng, it)
    if it.is_reduction and it.nout == 1 and it.ntensors == 2:
        entry['reduce'] = random_reduce(rng, it)
        entry['parts'] = random_parts(rng, it) if it.numel else None
        for name in ('reduce', 'parts'):
            if entry[name] is None:
                del entry[name]


# ---------------------------------------------------------------- one case

def random_setting(rng):
    """(kind, tensors, number of outputs, config)"""
    kind = rng.random()
    if kind < 0.04:
        return ('huge',) + random_huge(rng)
    if kind < 0.06:
        return ('large',) + random_large_reduction(rng)
    if kind < 0.65:
        name = rng.choice(list(ARITY))
        tensors = random_reduction(rng) if name == 'reduce_op' else random_operands(rng, 1, ARITY[name], 0.6)
        return 'small', tensors, 1, {'preset': name}
    n_out = rng.choice([0, 1, 1, 1, 2])
    tensors = random_operands(rng, n_out, rng.randrange(0, 5), 0.75)
    return 'small', tensors, n_out, random_config(rng, tensors, n_out)


def random_case(rng, name):
    kind, tensors, n_out, config = random_setting(rng)
    roles = ['out'] * n_out + ['in'] * (len(tensors) - n_out)
    entry = {'id': name, 'config': config, 'operands': [describe(tensors, i, role) for i, role in enumerate(roles)]}
    try:
        if 'preset' in config:
            it = model.Iterator.preset(config['preset'], tensors[:n_out], tensors[n_out:])
        else:
            settings = model.Config([tuple(f) for f in config['flags']], static_dtype=config.get('static_dtype'),
                                    static_device=config.get('static_device'))
            it = model.Iterator.build(settings, tensors[:n_out], tensors[n_out:])
        entry['expect'] = expectation(it)
        if not it.is_meta:
            add_behaviour(rng, entry, it, kind)
    except model.Err as error:
        entry['expect'] = {'error': error.kind}
    return entry


BLOCK = 1000


def main():
    count, seed, jobs, job = [int(a) for a in sys.argv[1:]] + [20000, 1, 1, 0][len(sys.argv) - 1:]
    for block in range(job, -(-count // BLOCK), jobs):
        rng = random.Random(seed * 1000003 + block)
        for number in range(block * BLOCK, min(count, (block + 1) * BLOCK)):
            print(json.dumps(random_case(rng, 'random-%d-%d' % (seed, number)), separators=(',', ':')))


if __name__ == '__main__':
    main()
