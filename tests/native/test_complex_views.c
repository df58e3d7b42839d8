/* test_complex_views.c - parts of complex numbers, and the composites of them, element by element. */
#include <math.h>

#include "call/call.h"
#include "refused.h"

static stria_tensor *y;

static void release(void)
{
    stria_tensor_release(y);
    y = NULL;
}

/* [3, 4] of (k, -k) with every other column seen from behind: [3, 2]. */
static stria_tensor *make_strided(stria_dtype dtype)
{
    stria_tensor *all = NULL, *part = NULL;

    CHECK_STATUS(stria_tensor_new(dtype, 2, (const int64_t[]){3, 4}, &all, NULL), STRIA_OK);
    for (int k = 0; k < 12; k++)
        value_set(dtype, (value){.is_float = true, .real = k, .imag = -k},
                  (char *)stria_tensor_get_data(all) + (size_t)k * stria_dtype_get_size(dtype));
    CHECK_STATUS(stria_slice(all, 1, STRIA_INT_NONE, STRIA_INT_NONE, -2, &part, NULL), STRIA_OK);
    stria_tensor_release(all);
    return part;
}

static double get(const stria_tensor *x, int64_t i, int64_t k)
{
    return value_get(x->dtype, tensor_at(x, (const int64_t[]){i, k, 0})).real;
}

static void test_parts(stria_dtype dtype, stria_dtype part)
{
    stria_tensor *x = make_strided(dtype);
    const char   *first = tensor_at(x, (const int64_t[]){0, 0});

    CHECK_STATUS(stria_real(x, &y, NULL), STRIA_OK);
    CHECK(y->dtype == part && y->storage == x->storage && y->data == first, "real: a view");
    for (int64_t i = 0; i < 6; i++) CHECK(get(y, i / 2, i % 2) == (double)(i / 2 * 4 + 3 - i % 2 * 2), "real: element");
    release();
    CHECK_STATUS(stria_imag(x, &y, NULL), STRIA_OK);
    CHECK(y->dtype == part && y->data == first + stria_dtype_get_size(part), "imag: a view");
    for (int64_t i = 0; i < 6; i++)
        CHECK(get(y, i / 2, i % 2) == -(double)(i / 2 * 4 + 3 - i % 2 * 2), "imag: element");
    value_set(part, value_from_real(5), tensor_at(y, (const int64_t[]){1, 1}));
    CHECK(value_get(dtype, tensor_at(x, (const int64_t[]){1, 1})).imag == 5, "imag: written to");
    release();
    CHECK_STATUS(stria_view_as_real(x, &y, NULL), STRIA_OK);
    CHECK(y->ndim == 3 && y->shape[2] == 2 && y->strides[2] == 1 && y->strides[1] == -4 && y->strides[0] == 8,
          "view_as_real: strides");
    stria_tensor *pairs = y, *back = NULL;
    y = NULL;
    CHECK_STATUS(stria_view_as_complex(pairs, &back, NULL), STRIA_OK);
    CHECK(back->dtype == dtype && back->data == x->data && back->ndim == 2 && back->strides[0] == x->strides[0] &&
              back->strides[1] == x->strides[1],
          "view_as_complex: what it was");
    stria_tensor_release(back);
    stria_tensor_release(pairs);
    stria_tensor_release(x);
}

static void test_refusals(void)
{
    stria_tensor *f = NULL, *line = NULL, *odd = NULL, *i = NULL, *scalar = NULL;

    CHECK_STATUS(stria_zeros((const int64_t[]){3, 2}, 2, STRIA_F32, STRIA_CPU, &f, NULL), STRIA_OK);
    CHECK_STATUS(stria_zeros((const int64_t[]){2}, 1, STRIA_I32, STRIA_CPU, &i, NULL), STRIA_OK);
    CHECK_STATUS(stria_zeros(NULL, 0, STRIA_F32, STRIA_CPU, &scalar, NULL), STRIA_OK);
    REFUSED(stria_imag(f, &y, &err), STRIA_ERR_DTYPE, "imag", "x", "complex");
    REFUSED(stria_view_as_real(f, &y, &err), STRIA_ERR_DTYPE, "view_as_real", "x", "complex");
    REFUSED(stria_view_as_complex(i, &y, &err), STRIA_ERR_DTYPE, "view_as_complex", "x", "f32 or f64");
    REFUSED(stria_view_as_complex(scalar, &y, &err), STRIA_ERR_SHAPE, "view_as_complex", "x", "size 2");
    CHECK_STATUS(stria_transpose(f, 0, 1, &line, NULL), STRIA_OK);
    REFUSED(stria_view_as_complex(line, &y, &err), STRIA_ERR_SHAPE, "view_as_complex", "x", "size 2");
    stria_tensor_release(line);
    CHECK_STATUS(stria_as_strided(f, (const int64_t[]){2, 2}, 2, (const int64_t[]){1, 2}, 2, 0, &line, NULL), STRIA_OK);
    REFUSED(stria_view_as_complex(line, &y, &err), STRIA_ERR_SHAPE, "view_as_complex", "x", "stride 1");
    CHECK_STATUS(stria_as_strided(f, (const int64_t[]){2, 2}, 2, (const int64_t[]){3, 1}, 2, 0, &odd, NULL), STRIA_OK);
    REFUSED(stria_view_as_complex(odd, &y, &err), STRIA_ERR_SHAPE, "view_as_complex", "x", "even");
    stria_tensor_release(odd);
    CHECK_STATUS(stria_as_strided(f, (const int64_t[]){2, 2}, 2, (const int64_t[]){2, 1}, 2, 1, &odd, NULL), STRIA_OK);
    REFUSED(stria_view_as_complex(odd, &y, &err), STRIA_ERR_SHAPE, "view_as_complex", "x", "even");
    REFUSED(stria_complex(i, i, &y, &err), STRIA_ERR_DTYPE, "complex", "re", "");
    CHECK_STATUS(stria_real(f, &y, NULL), STRIA_OK);
    CHECK(y->dtype == STRIA_F32 && y->data == f->data, "real of a real tensor is what it was");
    release();
    stria_tensor_release(scalar);
    stria_tensor_release(i);
    stria_tensor_release(odd);
    stria_tensor_release(line);
    stria_tensor_release(f);
}

static void test_composites(void)
{
    const double  res[] = {1, -2, 0}, ims[] = {0.5, -0.0};
    stria_tensor *re = NULL, *im = NULL, *column = NULL, *z = NULL;

    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F64, 1, (const int64_t[]){3}, res, sizeof res, &re, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F64, 1, (const int64_t[]){2}, ims, sizeof ims, &im, NULL), STRIA_OK);
    CHECK_STATUS(stria_unsqueeze(im, 1, &column, NULL), STRIA_OK);
    CHECK_STATUS(stria_complex(re, column, &z, NULL), STRIA_OK);
    CHECK(z->dtype == STRIA_C128 && z->ndim == 2 && z->shape[0] == 2 && z->shape[1] == 3, "complex: shape");
    CHECK_STATUS(stria_conj(z, &y, NULL), STRIA_OK);
    for (int64_t k = 0; k < 6; k++) {
        const value v = value_get(STRIA_C128, tensor_at(z, (const int64_t[]){k / 3, k % 3}));
        const value c = value_get(STRIA_C128, tensor_at(y, (const int64_t[]){k / 3, k % 3}));
        CHECK(v.real == res[k % 3] && v.imag == ims[k / 3], "complex: parts");
        CHECK(c.real == v.real && c.imag == -v.imag && signbit(c.imag) != signbit(v.imag), "conj: parts");
    }
    release();
    CHECK_STATUS(stria_angle(z, &y, NULL), STRIA_OK);
    for (int64_t k = 0; k < 6; k++)
        CHECK(fabs(get(y, k / 3, k % 3) - atan2(ims[k / 3], res[k % 3])) < 1e-15, "angle: element %d", (int)k);
    release();
    CHECK_STATUS(stria_angle(re, &y, NULL), STRIA_OK);
    for (int k = 0; k < 3; k++) CHECK(get(y, k, 0) == (res[k] < 0 ? acos(-1) : 0), "angle of a real number");
    release();
    CHECK_STATUS(stria_isreal(z, &y, NULL), STRIA_OK);
    for (int64_t k = 0; k < 6; k++) CHECK(*tensor_at(y, (const int64_t[]){k / 3, k % 3}) == (k >= 3), "isreal");
    release();
    CHECK_STATUS(stria_polar(re, column, &y, NULL), STRIA_OK);
    for (int64_t k = 0; k < 6; k++) {
        const value v = value_get(STRIA_C128, tensor_at(y, (const int64_t[]){k / 3, k % 3}));
        CHECK(fabs(v.real - res[k % 3] * cos(ims[k / 3])) < 1e-15 &&
                  fabs(v.imag - res[k % 3] * sin(ims[k / 3])) < 1e-15,
              "polar: element %d", (int)k);
    }
    release();
    stria_tensor_release(z);
    stria_tensor_release(column);
    stria_tensor_release(im);
    stria_tensor_release(re);
}

SUITE(test_complex_views)
{
    check_isa("test_complex_views");
    test_parts(STRIA_C64, STRIA_F32);
    test_parts(STRIA_C128, STRIA_F64);
    test_refusals();
    test_composites();
    return check_finish("test_complex_views");
}
