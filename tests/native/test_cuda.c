/* test_cuda.c - the CUDA plug-in on a device: every row, every dtype, packed and strided, against the scalar loops.
 *
 * Skipped (77) where the plug-in was not built or there is no device. Device code is compiled without contraction, so
 * the results must be the CPU's bits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simd/kernels.h"
#include "call/meta.h"
#include "cuda_case.h"
#include "plugin.h"

#if defined(__EMSCRIPTEN__)
SUITE(test_cuda)
{
    printf("test_cuda: SKIPPED (no plug-ins in this build)\n0 passed, 0 failed, 1 skipped\n");
    return 77;
}
#else
#include <dlfcn.h>

enum { N = 1031 };

static const stria_cuda_plugin *plugin;
static stria_cuda_stream       *stream;

static void check_code(int code, const char *what)
{
    CHECK(code == 0, "%s: %s", what, code ? plugin->error_text(code) : "");
}

/* Equal bits, or both NaN. */
static bool same_element(stria_dtype dtype, const char *a, const char *b)
{
    if (dtype == STRIA_F32) {
        float x, y;
        memcpy(&x, a, 4);
        memcpy(&y, b, 4);
        if (x != x && y != y) return true;
    } else if (dtype == STRIA_F64) {
        double x, y;
        memcpy(&x, a, 8);
        memcpy(&y, b, 8);
        if (x != x && y != y) return true;
    }
    return memcmp(a, b, stria_dtype_get_size(dtype)) == 0;
}

/* Every input is [N] elements `step` apart, the output contiguous. */
static void check_row(stria_op op, stria_dtype dtype, int step)
{
    const stria_op_info    *info = &stria_op_infos[op];
    const stria_kernels    *kernels = stria_dispatch_get_isa("scalar");
    const stria_dtype       out_dtype = info->result == STRIA_RESULT_BOOL ? STRIA_BOOL : dtype;
    const size_t            out_size = stria_dtype_get_size(out_dtype), bytes = (size_t)N * 8 * (size_t)step;
    random_state            random = {(uint64_t)op * 64 + (uint64_t)dtype};
    stria_cuda_element_call call;
    char   *host[STRIA_CUDA_MAX_OPERANDS] = {0}, *packed[STRIA_CUDA_MAX_OPERANDS] = {0}, *got = malloc(bytes);
    int64_t stride[STRIA_CUDA_MAX_OPERANDS];
    int     differ = 0;

    memset(&call, 0, sizeof call);
    call.op = op;
    call.compute = dtype;
    call.walk.ndim = 1;
    call.walk.n_operands = 1 + info->arity;
    call.walk.shape[0] = N;
    for (int k = 0; k < call.walk.n_operands; k++) {
        const stria_dtype d = k == 0 ? out_dtype : info->result == STRIA_RESULT_SELECT && k == 1 ? STRIA_BOOL : dtype;
        const size_t      size = stria_dtype_get_size(d);
        const int         s = k == 0 ? 1 : step;
        void             *block = NULL;
        host[k] = calloc(1, bytes);
        packed[k] = calloc(1, bytes);
        if (k > 0)
            for (int i = 0; i < N; i++) {
                random_element(&random, d, -10, 10, host[k] + (size_t)(i * s) * size);
                memcpy(packed[k] + (size_t)i * size, host[k] + (size_t)(i * s) * size, size);
            }
        stride[k] = (int64_t)size;
        call.walk.dtype[k] = d;
        call.walk.strides[k] = (int64_t)size * s;
        check_code(plugin->block_new(stream, bytes, &block), "block_new");
        call.walk.data[k] = block;
        check_code(plugin->copy_in(stream, block, host[k], bytes), "copy_in");
    }
    if (kernels == NULL) kernels = stria_dispatch_get(); /* this target compiles the best set alone */
    kernels->lane[dtype]->loop[op](packed, stride, N);
    check_code(plugin->element(stream, &call), info->name);
    check_code(plugin->copy_out(stream, got, call.walk.data[0], bytes), "copy_out");
    for (int i = 0; i < N; i++)
        differ += !same_element(out_dtype, got + (size_t)i * out_size, packed[0] + (size_t)i * out_size);
    CHECK(differ == 0, "%s %s step %d: %d of %d elements differ from the CPU", info->name, stria_dtype_get_name(dtype),
          step, differ, N);
    for (int k = 0; k < call.walk.n_operands; k++) {
        check_code(plugin->block_release(stream, call.walk.data[k]), "block_release");
        free(host[k]);
        free(packed[k]);
    }
    free(got);
}

SUITE(test_cuda)
{
    const char *path = getenv("STRIA_CUDA_PLUGIN");
    void       *library = dlopen(path ? path : "libstria_cuda.so", RTLD_NOW);
    char        why[200] = "plug-in not built";
    const stria_cuda_plugin *(*get)(void) = NULL;
    stria_cuda_properties properties;

    if (library) {
        void *symbol = dlsym(library, "stria_cuda_plugin_get");
        memcpy(&get, &symbol, sizeof get);
        plugin = get ? get() : NULL;
    }
    if (!plugin || plugin->get_device_count(why, sizeof why) == 0) {
        printf("test_cuda: SKIPPED (%s)\n0 passed, 0 failed, 1 skipped\n", why);
        return 77;
    }
    CHECK(plugin->version == STRIA_CUDA_PLUGIN_VERSION, "plug-in version %d", plugin->version);
    check_code(plugin->get_properties(0, &properties), "get_properties");
    check_code(plugin->stream_new(0, &stream), "stream_new");
    printf("test_cuda: on %s\n", properties.name);
    for (int op = 0; op < STRIA_OP_COUNT; op++)
        for (int dtype = 0; dtype < STRIA_DTYPE_COUNT; dtype++)
            if (stria_op_infos[op].dtype_set >> dtype & 1u) {
                check_row((stria_op)op, (stria_dtype)dtype, 1);
                check_row((stria_op)op, (stria_dtype)dtype, 2);
            }
    return cuda_case_finish("test_cuda");
}
#endif
