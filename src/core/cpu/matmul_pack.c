/* matmul_pack.c - parts of the operands of a matrix product in the order in which the loops read them, converted to lanes
 * (matmul_plan.h). Whole operands are never copied. */
#include <string.h>

#include "cpu/matmul_plan.h"
#include "cpu/short_rows.h"

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* dst[p][i] = src[i * along + p * step] for i < n: rows of dst are `width` lanes, and zero from n on. */
static void pack_lanes(const stria_matmul_plan *plan, char *dst, int64_t width, const char *src, int64_t along,
                       int64_t step, int64_t n, int64_t k)
{
    const int64_t size = plan->lane_size, row = width * size;
    const int     log_size = size == 4 ? 2 : 3;
    if (n < width) memset(dst, 0, (size_t)(k * row));
    if (along == 1)
        stria_copy_short_rows(dst, (size_t)row, src, step * size, (size_t)(n * size), k);
    else if (step == 1)
        plan->kernels->transpose[log_size](dst, row, src, along * size, n, k);
    else
        for (int64_t p = 0; p < k; p++)
            plan->kernels->gather[log_size](dst + p * row, src + p * step * size, along * size, n);
}

void stria_matmul_pack_panel(const stria_matmul_plan *plan, const char *src, char *dst, char *strip, int64_t n,
                             int64_t k)
{
    const stria_matmul_side *s = &plan->b;
    const int64_t            nr = plan->kernel->nr, size = plan->lane_size;
    stria_cast_loop         *cast = plan->kernels->cast[s->dtype][plan->lane];
    if (s->is_lane) {
        pack_lanes(plan, dst, nr, src, s->along, s->step, n, k);
    } else if (stria_matmul_magnitude(s->step) < stria_matmul_magnitude(s->along)) {
        for (int64_t j = 0; j < n; j++)
            cast(strip + j * k * size, size, src + j * s->along * s->size, s->step * s->size, k);
        pack_lanes(plan, dst, nr, strip, k, 1, n, k);
    } else {
        if (n < nr) memset(dst, 0, (size_t)(k * nr * size));
        for (int64_t p = 0; p < k; p++)
            cast(dst + p * nr * size, size, src + p * s->step * s->size, s->along * s->size, n);
    }
}

/* Rows that are contiguous or nearly so stay rows. */
static void pack_rows(const stria_matmul_plan *plan, const char *src, char *dst, int64_t a_row, int64_t m, int64_t k)
{
    const stria_matmul_side *s = &plan->a;
    const int64_t            size = plan->lane_size;
    stria_cast_loop         *cast = plan->kernels->cast[s->dtype][plan->lane];
    for (int64_t i = 0; i < m; i++) {
        char       *to = dst + i * a_row * size;
        const char *from = src + i * s->along * s->size;
        if (s->is_lane && s->step == 1)
            memcpy(to, from, (size_t)(k * size));
        else
            cast(to, size, from, s->step * s->size, k);
    }
}

stria_gemm_left stria_matmul_pack_block(const stria_matmul_plan *plan, const char *src, char *dst, int64_t a_row,
                                        int64_t m, int64_t k)
{
    const stria_matmul_side *s = &plan->a;
    const int64_t            mr = plan->kernel->mr, size = plan->lane_size;
    stria_cast_loop         *cast = plan->kernels->cast[s->dtype][plan->lane];
    if (m == 1 || stria_matmul_magnitude(s->step) <= stria_matmul_magnitude(s->along)) {
        pack_rows(plan, src, dst, a_row, m, k);
        return (stria_gemm_left){dst, a_row, 1, mr * a_row};
    }
    for (int64_t i = 0; i < m; i += mr) {
        char         *to = dst + i * k * size;
        const char   *from = src + i * s->along * s->size;
        const int64_t n = smaller(mr, m - i);
        if (s->is_lane)
            pack_lanes(plan, to, mr, from, s->along, s->step, n, k);
        else
            for (int64_t p = 0; p < k; p++)
                cast(to + p * mr * size, size, from + p * s->step * s->size, s->along * s->size, n);
    }
    return (stria_gemm_left){dst, 1, mr, mr * k};
}
