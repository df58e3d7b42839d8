/* test_moves.c - gather, scatter and transpose of every element size, on every instruction set that runs here: every
 * element at its place, not a byte read or written beside them (memory ends at unreadable pages). */
#include <stdlib.h>
#include <string.h>

#include "simd/kernels.h"
#include "oracle.h"

static const char *const isas[] = {
#define STRIA_ISA(isa, processor, features) #isa,
#include "table/isa.def"
};
enum { N_ISAS = sizeof isas / sizeof *isas };

static void fill(char *at, size_t nbytes, uint64_t seed)
{
    random_state random = {seed};
    for (size_t k = 0; k < nbytes; k++) at[k] = (char)random_next(&random);
}

/* Bytes that `count` elements `step` elements apart take, and where the first of them is. */
static size_t get_extent(int64_t count, int64_t step, int64_t size)
{
    return (size_t)((count > 0 ? (count - 1) * llabs(step) + 1 : 0) * size);
}
static char *get_first(guarded memory, int64_t count, int64_t step, int64_t size)
{
    return memory.data + (step < 0 && count > 0 ? (count - 1) * -step * size : 0);
}

static void check_strided(const stria_kernels *kernels, int shift, int64_t step, int64_t count)
{
    const int64_t size = (int64_t)1 << shift;
    const size_t  extent = get_extent(count, step, size), packed_bytes = (size_t)(count * size);

    for (int end = 0; end < 2; end++) {
        guarded strided = guarded_new(extent, end), packed = guarded_new(packed_bytes, end);
        char   *first = get_first(strided, count, step, size), *before = malloc(extent + 1);
        int64_t wrong = 0;
        if (!before) exit(2);
        fill(strided.data, extent, (uint64_t)(count + step));
        memset(packed.data, 0x33, packed_bytes);
        kernels->gather[shift](packed.data, first, step * size, count);
        for (int64_t k = 0; k < count; k++)
            wrong += memcmp(packed.data + k * size, first + k * step * size, (size_t)size) != 0;
        CHECK(wrong == 0, "%s: gather of %ld x %ld bytes, step %ld: %ld wrong", kernels->isa, (long)count, (long)size,
              (long)step, (long)wrong);
        if (step != 0) {
            fill(packed.data, packed_bytes, 7);
            memcpy(before, strided.data, extent);
            kernels->scatter[shift](first, step * size, packed.data, count);
            for (int64_t k = wrong = 0; k < count; k++) {
                char *at = first + k * step * size;
                wrong += memcmp(packed.data + k * size, at, (size_t)size) != 0;
                memcpy(at, before + (at - strided.data), (size_t)size);
            }
            wrong += memcmp(before, strided.data, extent) != 0;
            CHECK(wrong == 0, "%s: scatter of %ld x %ld bytes, step %ld: %ld wrong", kernels->isa, (long)count,
                  (long)size, (long)step, (long)wrong);
        }
        free(before);
        guarded_release(strided);
        guarded_release(packed);
    }
}

/* The gaps are elements between the columns of src, and between the rows of dst. The columns go backwards if src_gap < 0, at
 * a distance of -src_gap - 1. */
static void check_transpose(const stria_kernels *kernels, int shift, int64_t n_columns, int64_t n_rows, int64_t src_gap,
                            int64_t dst_gap)
{
    const int64_t size = (int64_t)1 << shift, dst_pitch = (n_columns + dst_gap) * size;
    const int64_t step = (n_rows + (src_gap < 0 ? -src_gap - 1 : src_gap)) * size;
    const int64_t src_pitch = src_gap < 0 ? -step : step;
    const size_t  src_bytes = n_rows && n_columns ? (size_t)((n_columns - 1) * step + n_rows * size) : 0;
    const size_t  dst_bytes = n_rows && n_columns ? (size_t)((n_rows - 1) * dst_pitch + n_columns * size) : 0;
    guarded       src = guarded_new(src_bytes, true), dst = guarded_new(dst_bytes, true);
    const char   *first = src.data + (src_gap < 0 && src_bytes ? (n_columns - 1) * step : 0);
    int64_t       wrong = 0;

    fill(src.data, src_bytes, 11);
    memset(dst.data, 0x5a, dst_bytes);
    kernels->transpose[shift](dst.data, dst_pitch, first, src_pitch, n_columns, n_rows);
    for (int64_t j = 0; j < n_rows && n_columns > 0; j++) {
        for (int64_t i = 0; i < n_columns; i++)
            wrong += memcmp(dst.data + j * dst_pitch + i * size, first + i * src_pitch + j * size, (size_t)size) != 0;
        for (int64_t k = n_columns * size; k < dst_pitch && j + 1 < n_rows; k++)
            wrong += dst.data[j * dst_pitch + k] != 0x5a;
    }
    CHECK(wrong == 0, "%s: transpose of %ld x %ld, %ld bytes each, gaps %ld and %ld: %ld wrong", kernels->isa,
          (long)n_columns, (long)n_rows, (long)size, (long)src_gap, (long)dst_gap, (long)wrong);
    guarded_release(src);
    guarded_release(dst);
}

static void check_isa_moves(const stria_kernels *kernels)
{
    static const int64_t steps[] = {1, -1, 2, -2, 4, 0, 3, -3, -4, 5, 8, 17};
    static const int64_t counts[] = {0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 34, 63, 64, 65, 100};
    static const int64_t sides[] = {0, 1, 2, 3, 4, 7, 8, 9, 16, 17, 33, 70};
    static const int64_t gaps[][2] = {{0, 0}, {1, 0}, {2, 0}, {0, 1}, {0, 2}, {3, 6}, {-1, 0}, {-2, 0}, {-3, 1}};
    enum { N_GAPS = sizeof gaps / sizeof *gaps };
    enum { N_STEPS = sizeof steps / sizeof *steps, N_COUNTS = sizeof counts / sizeof *counts };
    enum { N_SIDES = sizeof sides / sizeof *sides };

    for (int shift = 0; shift < STRIA_MOVE_SIZES; shift++) {
        for (int s = 0; s < N_STEPS; s++)
            for (int n = 0; n < N_COUNTS; n++) check_strided(kernels, shift, steps[s], counts[n]);
        for (int r = 0; r < N_SIDES; r++)
            for (int c = 0; c < N_SIDES; c++)
                for (int g = 0; g < N_GAPS; g++)
                    check_transpose(kernels, shift, sides[c], sides[r], gaps[g][0], gaps[g][1]);
    }
}

SUITE(test_moves)
{
    int tables = 0;
    for (int k = 0; k < N_ISAS; k++) {
        const stria_kernels *kernels = stria_dispatch_get_isa(isas[k]);
        if (kernels == NULL) continue;
        check_isa_moves(kernels);
        tables++;
    }
    CHECK(tables > 0, "no table of kernels");
    return check_finish("test_moves");
}
