#!/usr/bin/env python3
"""Random iterator configurations with the results that the model of the specification expects.

Usage: gen_iter_cases.py [count [seed]]      one case of kind "build" per line, in the format of tests/data/cases.json

tests/spec/model.py is the oracle; fuzz_iter reads the lines and compares.
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


def random_case(rng, number):
    if rng.random() < 0.6:
        name = rng.choice(list(ARITY))
        n_out, config = 1, {'preset': name}
        tensors = random_reduction(rng) if name == 'reduce_op' else random_operands(rng, 1, ARITY[name], 0.6)
    else:
        n_out = rng.choice([0, 1, 1, 1, 2])
        tensors = random_operands(rng, n_out, rng.randrange(0, 5), 0.75)
        config = random_config(rng, tensors, n_out)
    roles = ['out'] * n_out + ['in'] * (len(tensors) - n_out)
    entry = {'id': 'random-%d' % number, 'config': config,
             'operands': [describe(tensors, i, role) for i, role in enumerate(roles)]}
    try:
        if 'preset' in config:
            it = model.Iterator.preset(config['preset'], tensors[:n_out], tensors[n_out:])
        else:
            settings = model.Config([tuple(f) for f in config['flags']], static_dtype=config.get('static_dtype'),
                                    static_device=config.get('static_device'))
            it = model.Iterator.build(settings, tensors[:n_out], tensors[n_out:])
        entry['expect'] = expectation(it)
    except model.Err as error:
        entry['expect'] = {'error': error.kind}
    return entry


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rng = random.Random(seed)
    for number in range(count):
        print(json.dumps(random_case(rng, number), separators=(',', ':')))


if __name__ == '__main__':
    main()
