/* library.c - examples of docs/reference: what is no row: functions of stria.h. */
#include "reference.h"

EXAMPLE(status_get_name)
{
    IS_TEXT(stria_status_get_name(STRIA_ERR_SHAPE), "ERR_SHAPE");
    IS_TEXT(stria_status_get_text(STRIA_ERR_SHAPE), "shapes do not fit");
}

EXAMPLE(dtype_get_size)
{
    EQUALS(stria_dtype_get_size(STRIA_F32), "4");
    IS_TEXT(stria_dtype_get_name(STRIA_F32), "f32");
    IS_TEXT(stria_dtype_get_name(stria_dtype_get_promoted(STRIA_I64, STRIA_F16)), "f16");
    EQUALS(stria_dtype_get_castable(STRIA_F32, STRIA_I32), "0");
}

EXAMPLE(device_get_name)
{
    IS_TEXT(stria_device_get_name(STRIA_CPU), "cpu");
    IS_TEXT(stria_device_get_name(STRIA_DEVICE(STRIA_DEVICE_CUDA, 1)), "cuda:1");
}

EXAMPLE(device_get_count)
{
    EQUALS(stria_device_get_count(STRIA_DEVICE_CPU), "1");
    EQUALS(stria_device_get_count(STRIA_DEVICE_META), "1");
}

EXAMPLE(device_get_info)
{
    stria_device_info info;
    TRY(stria_device_get_info(STRIA_CPU, &info, &err));
    IS_TEXT(info.name, "cpu");
}

EXAMPLE(tf32_set)
{
    stria_tf32_set(true); /* products of f32 on CUDA devices may be of TF32 */
    EQUALS(stria_tf32_get(), "1");
    stria_tf32_set(false);
}

EXAMPLE(device_synchronize)
{
    TRY(stria_ones((int64_t[]){2}, 1, STRIA_F32, STRIA_CPU, &x, &err));
    TRY(stria_device_synchronize(STRIA_CPU, &err));
    IS(x, "[1, 1]");
}

EXAMPLE(stream_new)
{
    const stria_device gpu = STRIA_DEVICE(STRIA_DEVICE_CUDA, 0);
    stria_stream      *stream;
    EQUALS(stria_stream_new(STRIA_CPU, &stream, &err) == STRIA_ERR_UNSUPPORTED, "1");
    if (stria_device_get_count(STRIA_DEVICE_CUDA) == 0) return;
    TRY(stria_stream_new(gpu, &stream, &err));
    stria_stream_release(stream);
}

EXAMPLE(stream_set)
{
    const stria_device gpu = STRIA_DEVICE(STRIA_DEVICE_CUDA, 0);
    stria_stream      *stream;
    if (stria_device_get_count(STRIA_DEVICE_CUDA) == 0) return;
    TRY(stria_ones((int64_t[]){2}, 1, STRIA_F32, gpu, &x, &err));
    TRY(stria_stream_new(gpu, &stream, &err));
    TRY(stria_stream_set(gpu, stream, &err));
    TRY(stria_add(x, x, &y, &err)); /* beside what comes to the thread's own stream; it waits for x */
    TRY(stria_stream_set(gpu, NULL, &err));
    stria_stream_release(stream);
}

EXAMPLE(stream_synchronize)
{
    const stria_device gpu = STRIA_DEVICE(STRIA_DEVICE_CUDA, 0);
    stria_stream      *stream;
    if (stria_device_get_count(STRIA_DEVICE_CUDA) == 0) return;
    TRY(stria_stream_new(gpu, &stream, &err));
    TRY(stria_stream_synchronize(stream, &err));
    stria_stream_release(stream);
}

EXAMPLE(stream_get_handle)
{
    void *handle;
    if (stria_device_get_count(STRIA_DEVICE_CUDA) == 0) return;
    TRY(stria_stream_get_handle(STRIA_DEVICE(STRIA_DEVICE_CUDA, 0), &handle, &err)); /* a cudaStream_t */
}

EXAMPLE(stream_wait_tensor)
{
    TRY(stria_ones((int64_t[]){2}, 1, STRIA_F32, STRIA_CPU, &x, &err));
    TRY(stria_stream_wait_tensor(x, &err)); /* before kernels of one's own that use x; of the CPU nothing waits */
    TRY(stria_stream_record_tensor(x, &err));
    IS(x, "[1, 1]");
}

EXAMPLE(tensor_new)
{
    TRY(stria_tensor_new(STRIA_F32, 2, (int64_t[]){2, 3}, &x, &err));
    float *elements = stria_tensor_get_data(x);
    for (int k = 0; k < 6; k++) elements[k] = (float)k;
    IS(x, "[[0, 1, 2], [3, 4, 5]]");
}

EXAMPLE(tensor_new_strided)
{
    TRY(stria_tensor_new_strided(STRIA_F32, 2, (int64_t[]){2, 3}, (int64_t[]){1, 2}, &x, &err));
    EQUALS(stria_tensor_get_strides(x)[1], "2");
}

EXAMPLE(tensor_new_scalar)
{
    TRY(stria_tensor_new_scalar(REAL(0.5), &b, &err));
    TRY(stria_add(of(STRIA_F16, "[1, 2]"), b, &y, &err));
    IS(y, "[1.5, 2.5]");
    IS_TEXT(stria_dtype_get_name(stria_tensor_get_dtype(y)), "f16");
}

EXAMPLE(tensor_new_copy_of)
{
    const float values_of_x[] = {1, 2, 3, 4};
    TRY(stria_tensor_new_copy_of(STRIA_F32, 2, (int64_t[]){2, 2}, values_of_x, sizeof values_of_x, &x, &err));
    IS(x, "[[1, 2], [3, 4]]");
}

EXAMPLE(tensor_new_external)
{
    static double samples[] = {1, 2, 3};
    TRY(stria_tensor_new_external(STRIA_F64, 1, (int64_t[]){3}, NULL, samples, NULL, NULL, &x, &err));
    samples[0] = 10;
    IS(x, "[10, 2, 3]");
}

EXAMPLE(tensor_retain)
{
    TRY(stria_zeros((int64_t[]){2}, 1, STRIA_F32, STRIA_CPU, &x, &err));
    y = stria_tensor_retain(x);
    stria_tensor_release(x);
    x = NULL;
    IS(y, "[0, 0]");
}

EXAMPLE(tensor_list_release)
{
    TRY(stria_unbind(of(STRIA_F32, "[[1, 2], [3, 4]]"), 0, &list, &err));
    EQUALS(list.n, "2");
    stria_tensor_list_release(&list);
    EQUALS(list.n, "0");
}

EXAMPLE(tensor_get_dtype)
{
    x = of(STRIA_F32, "[[1, 2, 3], [4, 5, 6]]");
    TRY(stria_transpose(x, 0, 1, &y, &err));
    EQUALS(stria_tensor_get_shape(y)[0], "3");
    EQUALS(stria_tensor_get_strides(y)[0], "1");
    EQUALS(stria_tensor_get_contiguous(y), "0");
    EQUALS(stria_tensor_get_aliased(x, y), "1");
}

EXAMPLE(tensor_copy)
{
    TRY(stria_tensor_copy(of(STRIA_F32, "[1.7, -1.7]"), STRIA_I32, &y, &err));
    IS(y, "[1, -1]");
    TRY(stria_tensor_set(y, of(STRIA_I32, "5"), &err));
    IS(y, "[5, 5]");
    TRY(stria_tensor_copy_to(y, STRIA_F64, STRIA_CPU, &x, &err));
    IS(x, "[5, 5]");
    TRY(stria_tensor_copy_to(y, STRIA_DTYPE_NONE, STRIA_META, &a, &err));
    EQUALS(stria_tensor_get_device(a).type == STRIA_DEVICE_META, "1");
}

EXAMPLE(apply)
{
    a = of(STRIA_F32, "[1, 2]");
    b = of(STRIA_F32, "[[10], [20]]");
    TRY(stria_apply(STRIA_OP_add, (const stria_tensor *[]){a, b}, 2, &y, &err));
    IS(y, "[[11, 12], [21, 22]]");
}

EXAMPLE(apply_out)
{
    x = of(STRIA_F32, "[1, 4, 9]");
    TRY(stria_apply_out(STRIA_OP_sqrt, (const stria_tensor *[]){x}, 1, x, &err));
    IS(x, "[1, 2, 3]");
}

EXAMPLE(reduce)
{
    x = of(STRIA_I32, "[[1, 2], [3, 4]]");
    TRY(stria_reduce(STRIA_RED_mean, x, (int[]){1}, 1, false, STRIA_F64, &y, &err));
    IS(y, "[1.5, 3.5]");
}

EXAMPLE(expression_new)
{
    const stria_scalar      constants[] = {REAL(1.5)};
    const stria_instruction code[] = {{STRIA_OP_mul, {0, 1}}, {STRIA_OP_sigmoid, {2}}, {STRIA_OP_mul, {0, 3}}};
    stria_expression       *swish;
    x = of(STRIA_F32, "[-1, 0, 2]");
    TRY(stria_expression_new(1, constants, 1, code, 3, &swish, &err));
    TRY(stria_expression_apply(swish, (const stria_tensor *[]){x}, 1, &y, &err));
    stria_expression_release(swish);
    IS(y, "[-0.1824, 0, 1.9051]");
}

EXAMPLE(expression_apply)
{
    const stria_instruction code[] = {{STRIA_OP_add, {0, 1}}, {STRIA_OP_relu, {2}}};
    stria_expression       *add_relu;
    a = of(STRIA_F32, "[-3, 1]");
    b = of(STRIA_F32, "[1, 1]");
    TRY(stria_expression_new(2, NULL, 0, code, 2, &add_relu, &err));
    TRY(stria_expression_apply_out(add_relu, (const stria_tensor *[]){a, b}, 2, a, &err));
    stria_expression_release(add_relu);
    IS(a, "[0, 2]");
}

EXAMPLE(npy_get)
{
    void  *bytes;
    size_t nbytes;
    TRY(stria_npy_copy(of(STRIA_F32, "[[1, 2], [3, 4]]"), &bytes, &nbytes, &err));
    TRY(stria_npy_get(bytes, nbytes, &y, &err));
    stria_bytes_release(bytes);
    IS(y, "[[1, 2], [3, 4]]");
}

EXAMPLE(threads_set)
{
    const int before = stria_threads_get();
    TRY(stria_threads_set(1, &err));
    EQUALS(stria_threads_get(), "1");
    TRY(stria_threads_set(before, &err));
}

EXAMPLE(isa_get_name)
{
    TRY(stria_isa_get_status(&err));
    EQUALS(strlen(stria_isa_get_name()) > 0, "1");
}

EXAMPLE(memory_get_stats)
{
    const int64_t before = stria_memory_get_stats().live_tensors;
    TRY(stria_zeros((int64_t[]){256}, 1, STRIA_F32, STRIA_CPU, &x, &err));
    EQUALS(stria_memory_get_stats().live_tensors - before, "1");
}

EXAMPLE(device_memory_get_stats)
{
    stria_memory_stats stats;
    TRY(stria_device_memory_get_stats(STRIA_CPU, &stats, &err));
    EQUALS(stats.live_storages == stria_memory_get_stats().live_storages, "1");
}

EXAMPLE(generator_new)
{
    stria_generator *generator;
    TRY(stria_generator_new(7, &generator, &err));
    TRY(stria_rand_like(of(STRIA_F32, "[1, 2, 3]"), STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, generator, &y, &err));
    stria_generator_release(generator);
    IS(y, "[0.9546, 0.407, 0.0061]");
}
