/* accuracy.h - what accuracy.c, the test, and accuracy_table.c, which writes the measurements of docs/accuracy.md, share. */
#ifndef ACCURACY_H
#define ACCURACY_H

#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>

/* A function of math_functions.def. */
typedef struct function {
    const char *name;
    float (*f32_1)(float);
    double (*f64_1)(double);
    float (*f32_2)(float, float);
    double (*f64_2)(double, double);
    int (*mpfr_1)(mpfr_t, const mpfr_t, mpfr_rnd_t);
    int (*mpfr_2)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
    double low, high; /* where f64 samples are dense */
} function;

extern const function functions[];
extern const int      n_functions;

/* Distance of `got` from the exact value in units of the last place of a format with `bits` of precision and least
 * exponent `emin`; of `part`, where that is larger than the exact value. */
double error_ulp(mpfr_t exact, double part, double got, int bits, int emin);
/* Of sums whose parts cancel, what their headers measure errors by; 0 of others. */
double part_of(const char *name, double x, double y);
/* References of log(e^x + e^y) and log2(2^x + 2^y). */
int logaddexp_mpfr(mpfr_t z, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rnd);
int logaddexp2_mpfr(mpfr_t z, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rnd);
/* The bound that the comment above a function states; 0 where there is none. */
double stated_bound(const char *name, bool is_f32);
/* Number k of the inputs of a function, all but the first: fixed random numbers. */
double   sample(const function *f, int k);
double   sample_2(const function *f, double x);
uint64_t next_random(void);
void     reset_random(void); /* to the beginning */
double   uniform(double low, double high);

/* accuracy --table [--quick | --all] [row ..]: prints a line of JSON for each row and dtype. */
int accuracy_table(int argc, char **argv);

#endif
