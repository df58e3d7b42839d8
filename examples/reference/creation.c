/* creation.c - examples of docs/reference: Creation. */
#include "reference.h"

EXAMPLE(empty)
{
    TRY(stria_empty((int64_t[]){2, 3}, 2, STRIA_F64, STRIA_CPU, &y, &err));
    EQUALS(stria_tensor_get_numel(y), "6");
}

EXAMPLE(empty_strided)
{
    TRY(stria_empty_strided((int64_t[]){2, 3}, 2, (int64_t[]){1, 2}, 2, STRIA_F32, STRIA_CPU, &y, &err));
    EQUALS(stria_tensor_get_strides(y)[1], "2");
}

EXAMPLE(zeros)
{
    TRY(stria_zeros((int64_t[]){2, 3}, 2, STRIA_DTYPE_NONE, STRIA_CPU, &y, &err));
    IS(y, "[[0, 0, 0], [0, 0, 0]]");
}

EXAMPLE(ones)
{
    TRY(stria_ones((int64_t[]){2, 2}, 2, STRIA_I32, STRIA_CPU, &y, &err));
    IS(y, "[[1, 1], [1, 1]]");
}

EXAMPLE(full)
{
    TRY(stria_full((int64_t[]){2, 2}, 2, REAL(0.5), STRIA_DTYPE_NONE, STRIA_CPU, &y, &err));
    IS(y, "[[0.5, 0.5], [0.5, 0.5]]");
}

EXAMPLE(empty_like)
{
    x = of(STRIA_F32, "[[1, 2, 3], [4, 5, 6]]");
    TRY(stria_empty_like(x, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, &y, &err));
    EQUALS(stria_tensor_get_shape(y)[1], "3");
}

EXAMPLE(zeros_like)
{
    TRY(stria_zeros_like(of(STRIA_F32, "[0.5, -1]"), STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, &y, &err));
    IS(y, "[0, 0]");
}

EXAMPLE(ones_like)
{
    TRY(stria_ones_like(of(STRIA_F32, "[[1, 2], [3, 4]]"), STRIA_BOOL, STRIA_DEVICE_NONE, &y, &err));
    IS(y, "[[true, true], [true, true]]");
}

EXAMPLE(full_like)
{
    TRY(stria_full_like(of(STRIA_F32, "[1, 2, 3]"), INT(9), STRIA_I64, STRIA_DEVICE_NONE, &y, &err));
    IS(y, "[9, 9, 9]");
}

EXAMPLE(eye)
{
    TRY(stria_eye(2, 3, STRIA_I32, STRIA_CPU, &y, &err));
    IS(y, "[[1, 0, 0], [0, 1, 0]]");
}

EXAMPLE(arange)
{
    TRY(stria_arange(INT(0), INT(10), INT(3), STRIA_I64, STRIA_CPU, &y, &err));
    IS(y, "[0, 3, 6, 9]");
}

EXAMPLE(linspace)
{
    TRY(stria_linspace(INT(0), INT(1), 5, STRIA_F32, STRIA_CPU, &y, &err));
    IS(y, "[0, 0.25, 0.5, 0.75, 1]");
}

EXAMPLE(logspace)
{
    TRY(stria_logspace(INT(0), INT(3), 4, 2, STRIA_F32, STRIA_CPU, &y, &err));
    IS(y, "[1, 2, 4, 8]");
}

EXAMPLE(tril_indices)
{
    TRY(stria_tril_indices(2, 3, 0, STRIA_DTYPE_NONE, STRIA_CPU, &y, &err));
    IS(y, "[[0, 1, 1], [0, 0, 1]]");
}

EXAMPLE(triu_indices)
{
    TRY(stria_triu_indices(2, 2, 0, STRIA_I32, STRIA_CPU, &y, &err));
    IS(y, "[[0, 0, 1], [0, 1, 1]]");
}
