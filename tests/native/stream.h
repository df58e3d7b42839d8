/* stream.h - the stream of a random generator as docs/semantics.md defines it, one word at a time, and what tests of random numbers share. */
#ifndef TEST_STREAM_H
#define TEST_STREAM_H

#include "stria.h"

/* Philox 4x32-10. */
void stream_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* Word i of what a call finds in this state. */
uint32_t stream_word(stria_generator_state state, uint64_t i);
/* Words 2 i and 2 i + 1 as one, the first the lower half. */
uint64_t stream_pair(stria_generator_state state, uint64_t i);
/* The standard normal number k of f32 (bits 24) or f64 as it is defined, of the exact numbers that the words stand for. */
long double stream_normal(stria_generator_state state, bool is_f64, uint64_t k);
/* What the number is the logarithm of, in (0, 1]: exact. */
double stream_positive(stria_generator_state state, bool is_f64, uint64_t k);

/* ---- statistics: all of fixed seeds */

/* Probability that chi^2 of so many degrees of freedom is larger, to three digits. */
double statistics_chi2_tail(double chi2, int freedom);
/* The largest distance of the distribution of n sorted numbers from F, times sqrt(n): above 1.95 with probability 0.001. */
double statistics_kolmogorov(const double *sorted, int64_t n, double (*F)(double x));
/* Correlation of x[i] and y[i], times sqrt(n): about normal. */
double statistics_correlation(const double *x, const double *y, int64_t n);
/* Sorts numbers, none of them NaN. qsort calls a function for each comparison, and takes seconds of a million in WebAssembly. */
void statistics_sort(double *x, int64_t n);

#endif
