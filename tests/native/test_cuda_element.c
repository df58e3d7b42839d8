/* test_cuda_element.c - every element-wise row on a CUDA device, of every dtype and layout, against the CPU: the same dtypes, shapes, memory
 * order, bits and refusals. */
#include "cuda_case.h"

#include "table/rows.h"
#include "tensor/tensor.h"

static const cuda_layout cases[][3] = {
    {AS_PACKED, AS_PACKED, AS_PACKED}, {AS_RUN, AS_RUN, AS_RUN},         {AS_SHIFTED, AS_PACKED, AS_SHIFTED},
    {AS_TURNED, AS_PACKED, AS_TURNED}, {AS_STEP, AS_FLIPPED, AS_PACKED}, {AS_ROW, AS_PACKED, AS_COLUMN},
    {AS_RUN, AS_ONE, AS_NUMBER},       {AS_ONE, AS_RUN, AS_ONE},         {AS_PACKED, AS_NUMBER, AS_CPU},
    {AS_CPU, AS_TURNED, AS_NUMBER},    {AS_NUMBER, AS_ONE, AS_PACKED}};

typedef struct operands {
    stria_tensor *in[3];
    int           n;
} operands;

static operands make(stria_device device, const stria_op_info *info, const stria_dtype *dtypes,
                     const cuda_layout *layouts)
{
    operands o = {.n = info->arity};

    for (int k = 0; k < o.n; k++) {
        const bool is_condition = info->result == STRIA_RESULT_SELECT && k == 0;
        o.in[k] = cuda_case_new(device, is_condition ? STRIA_BOOL : dtypes[k], layouts[k], (uint64_t)k + 1);
    }
    return o;
}

static void end(operands *o)
{
    for (int k = 0; k < o->n; k++) stria_tensor_release(o->in[k]);
}

static bool has_device(const operands *o)
{
    for (int k = 0; k < o->n; k++)
        if (o->in[k]->device.type == STRIA_DEVICE_CUDA) return true;
    return false;
}

static const char *describe(char *text, size_t size, const stria_op_info *info, const stria_dtype *dtypes,
                            const char *form, int k)
{
    snprintf(text, size, "%s of %s, %s, %s, %s %d", info->name, stria_dtype_get_name(dtypes[0]),
             stria_dtype_get_name(dtypes[1]), stria_dtype_get_name(dtypes[2]), form, k);
    return text;
}

static bool has_strides(const stria_tensor *x, const stria_tensor *y)
{
    for (int d = 0; d < x->ndim; d++)
        if (x->strides[d] != y->strides[d]) return false;
    return true;
}

/* A new result. */
static void check_new(stria_op op, const stria_op_info *info, const stria_dtype *dtypes, int k)
{
    operands      here = make(STRIA_CPU, info, dtypes, cases[k]), there = make(CUDA, info, dtypes, cases[k]);
    stria_tensor *x = NULL, *y = NULL;
    stria_error   err = {0}, device_err = {0};
    char          what[128];

    if (has_device(&there)) {
        const stria_status wanted = stria_apply(op, (const stria_tensor *const *)here.in, here.n, &y, &err);
        const stria_status got = stria_apply(op, (const stria_tensor *const *)there.in, there.n, &x, &device_err);
        describe(what, sizeof what, info, dtypes, "case", k);
        CHECK(got == wanted, "%s: %s, not %s", what, got ? device_err.message : "OK", wanted ? err.message : "OK");
        if (x != NULL && y != NULL) {
            cuda_case_check_same(what, x, y);
            CHECK(has_strides(x, y), "%s: another memory order than on the CPU", what);
        }
    }
    stria_tensor_release(x);
    stria_tensor_release(y);
    end(&here);
    end(&there);
}

/* Into a tensor of another dtype that lies in another way; is_in_place: into the first operand. */
static void check_given(stria_op op, const stria_op_info *info, const stria_dtype *dtypes, stria_dtype to, int k,
                        bool is_in_place)
{
    operands      here = make(STRIA_CPU, info, dtypes, cases[k]), there = make(CUDA, info, dtypes, cases[k]);
    stria_error   err = {0}, device_err = {0};
    char          what[128];
    stria_tensor *y = is_in_place ? stria_tensor_retain(here.in[0]) : cuda_case_new(STRIA_CPU, to, AS_STEP, 9);
    stria_tensor *x = is_in_place ? stria_tensor_retain(there.in[0]) : cuda_case_new(CUDA, to, AS_STEP, 9);

    const stria_status wanted = stria_apply_out(op, (const stria_tensor *const *)here.in, here.n, y, &err);
    const stria_status got = stria_apply_out(op, (const stria_tensor *const *)there.in, there.n, x, &device_err);
    describe(what, sizeof what, info, dtypes, is_in_place ? "in place, case" : stria_dtype_get_name(to), k);
    CHECK(got == wanted, "%s: %s, not %s", what, got ? device_err.message : "OK", wanted ? err.message : "OK");
    cuda_case_check_same(what, x, y); /* of a refused call: as it was */
    stria_tensor_release(x);
    stria_tensor_release(y);
    end(&here);
    end(&there);
}

static void check_row(stria_op op)
{
    static const stria_dtype mixed[][3] = {{STRIA_I32, STRIA_F32, STRIA_U8},   {STRIA_F16, STRIA_BF16, STRIA_F32},
                                           {STRIA_F32, STRIA_F64, STRIA_F16},  {STRIA_U8, STRIA_I64, STRIA_I8},
                                           {STRIA_BOOL, STRIA_I16, STRIA_U16}, {STRIA_U64, STRIA_I32, STRIA_U32},
                                           {STRIA_C64, STRIA_F32, STRIA_C64},  {STRIA_F32, STRIA_C64, STRIA_F64},
                                           {STRIA_C128, STRIA_I32, STRIA_C64}, {STRIA_I16, STRIA_F16, STRIA_C64}};
    const stria_op_info     *info = &stria_op_infos[op];

    for (int d = 0; d < STRIA_DTYPE_COUNT; d++) {
        const stria_dtype dtype = (stria_dtype)d, same[] = {dtype, dtype, dtype};
        for (int k = 0; k < (int)(sizeof cases / sizeof *cases); k++)
            if (cuda_case_is_drawn()) check_new(op, info, same, k);
        if (!cuda_case_is_drawn()) continue;
        check_given(op, info, same, STRIA_F64, 0, false);
        check_given(op, info, same, STRIA_BF16, 3, false);
        check_given(op, info, same, STRIA_C64, 4, false);
        check_given(op, info, same, STRIA_I16, 5, false);
        check_given(op, info, same, dtype, 0, true);
        check_given(op, info, same, dtype, 4, true);
    }
    for (int k = 0; k < (int)(sizeof mixed / sizeof *mixed); k++) {
        check_new(op, info, mixed[k], 0);
        check_new(op, info, mixed[k], 3);
        check_new(op, info, mixed[k], 8);
    }
}

SUITE(test_cuda_element)
{
    check_isa("test_cuda_element");
    if (!cuda_case_begin("test_cuda_element")) return 77;
    for (int op = 0; op < STRIA_OP_COUNT; op++) check_row((stria_op)op);
    return cuda_case_finish("test_cuda_element");
}
