/* stream.c - see stream.h. Nothing of the library is used. */
#include "stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void stream_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]}, k0 = key[0], k1 = key[1];

    for (int round = 0; round < 10; round++) {
        const uint64_t p = (uint64_t)0xD2511F53u * c[0], q = (uint64_t)0xCD9E8D57u * c[2];
        const uint32_t next[4] = {(uint32_t)(q >> 32) ^ c[1] ^ k0, (uint32_t)q, (uint32_t)(p >> 32) ^ c[3] ^ k1,
                                  (uint32_t)p};
        for (int k = 0; k < 4; k++) c[k] = next[k];
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    for (int k = 0; k < 4; k++) out[k] = c[k];
}

uint32_t stream_word(stria_generator_state state, uint64_t i)
{
    const uint64_t group = state.offset + i / 64, low = group << 4 | i % 16;
    const uint32_t counter[4] = {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)(group >> 60), 0};
    const uint32_t key[2] = {(uint32_t)state.seed, (uint32_t)(state.seed >> 32)};
    uint32_t       out[4];

    stream_philox(counter, key, out);
    return out[i % 64 / 16];
}

uint64_t stream_pair(stria_generator_state state, uint64_t i)
{
    return (uint64_t)stream_word(state, 2 * i + 1) << 32 | stream_word(state, 2 * i);
}

double stream_positive(stria_generator_state state, bool is_f64, uint64_t k)
{
    if (is_f64) return ((double)(stream_pair(state, k) >> 11) + 0.5) * 0x1p-53;
    return (double)(((float)(int32_t)(stream_word(state, k) >> 1) + 0.5f) * 0x1p-31f);
}

long double stream_normal(stria_generator_state state, bool is_f64, uint64_t k)
{
    const uint64_t each = is_f64 ? 32 : 64, half = each / 2, i = k % half, first = k / each * each + i;
    const uint64_t word = is_f64 ? stream_pair(state, first + half) : (uint64_t)stream_word(state, first + half) << 32;
    const long double turn =
        (long double)(int64_t)(is_f64 ? word << 2 & ~(uint64_t)0x1fff : word << 2); /* 2^66: a turn */
    const long double angle = turn * 0x1p-66L * 6.283185307179586476925286766559005768L;
    const long double r = sqrtl(-2 * logl((long double)stream_positive(state, is_f64, first)));
    const long double c = word >> 62 & 1 ? -cosl(angle) : cosl(angle), s = sinl(angle);
    const bool        is_first = k % each < half, is_swapped = word >> 63;

    return r * (is_first == is_swapped ? s : c);
}

/* ---------------------------------------------------------------- statistics */

double statistics_chi2_tail(double chi2, int freedom)
{
    /* Wilson and Hilferty, The distribution of chi-square, Proc. Nat. Acad. Sci. 17 (1931) */
    const double s = 2.0 / (9.0 * freedom), z = (cbrt(chi2 / freedom) - (1 - s)) / sqrt(s);
    return 0.5 * erfc(z / sqrt(2));
}

double statistics_kolmogorov(const double *sorted, int64_t n, double (*F)(double x))
{
    double most = 0;

    for (int64_t i = 0; i < n; i++) {
        const double f = F(sorted[i]);
        most = fmax(most, fmax(f - (double)i / (double)n, (double)(i + 1) / (double)n - f));
    }
    return most * sqrt((double)n);
}

double statistics_correlation(const double *x, const double *y, int64_t n)
{
    double sx = 0, sy = 0, xx = 0, yy = 0, xy = 0;

    for (int64_t i = 0; i < n; i++) sx += x[i], sy += y[i];
    for (int64_t i = 0; i < n; i++) {
        const double a = x[i] - sx / (double)n, b = y[i] - sy / (double)n;
        xx += a * a, yy += b * b, xy += a * b;
    }
    return xy / sqrt(xx * yy) * sqrt((double)n);
}

/* Merges sorted halves of n elements, the first of n_first. */
static void merge(const double *from, int64_t n_first, int64_t n, double *to)
{
    for (int64_t i = 0, j = n_first, k = 0; k < n; k++)
        to[k] = j >= n || (i < n_first && from[i] <= from[j]) ? from[i++] : from[j++];
}

void statistics_sort(double *x, int64_t n)
{
    double *const other = malloc((size_t)n * sizeof *x);
    double       *from = x, *to = other;

    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t at = 0; at < n; at += 2 * width) {
            const int64_t rest = n - at;
            merge(from + at, width < rest ? width : rest, 2 * width < rest ? 2 * width : rest, to + at);
        }
        double *const swapped = from;
        from = to, to = swapped;
    }
    if (from != x) memcpy(x, from, (size_t)n * sizeof *x);
    free(other);
}
