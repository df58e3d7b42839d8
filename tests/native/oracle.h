/* oracle.h - independent definitions of what the library computes, and the small tools the native tests share.
 *
 * Nothing here uses the library's own arithmetic: elements are decoded, and conversions rounded, with powers of two in double;
 * formulas come from samples.def in plain C. */
#ifndef STRIA_TEST_ORACLE_H
#define STRIA_TEST_ORACLE_H

#include <stdio.h>
#include <stdlib.h>

#include "stria.h"
#include "suite.h"

/* ---------------------------------------------------------------- checks: counted, never fatal */

extern int64_t check_count, check_failures;
/* Counts one check, on any thread; prints file, line and the printf-style text if it failed (the first 40 failures only). What is
 * printed is computed only then. */
#define CHECK(condition, ...) CHECK_AT(__LINE__, condition, __VA_ARGS__)
#define CHECK_AT(line, condition, ...) ((condition) ? check_count_one() : check_fail(__FILE__, line, __VA_ARGS__))
static inline void check_count_one(void) { __atomic_fetch_add(&check_count, 1, __ATOMIC_RELAXED); }
void check_fail(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define CHECK_STATUS(call, expected) check_status((call), (expected), #call, __FILE__, __LINE__)
void check_status(stria_status got, stria_status expected, const char *call, const char *file, int line);
/* Exits, with a line that says why and the status that isa.h gives, if STRIA_FORCE_ISA names an instruction set that is not
 * here. */
void check_isa(const char *program);
/* The number in an environment variable; the fallback where it is not set. */
static inline int64_t check_get_setting(const char *name, int64_t fallback)
{
    const char *text = getenv(name);
    return text != NULL && text[0] ? strtoll(text, NULL, 10) : fallback;
}

/* Whether this is the full product, STRIA_FULL=1: all of the cases of which others run a part. */
static inline bool check_is_full(void) { return check_get_setting("STRIA_FULL", 0) != 0; }

/* Whether what computes in one thread is tested. Not where STRIA_ONLY_THREADS is set: there races are looked for, and another
 * target has seen the values. */
bool check_has_values(void);

/* How many of `count` random cases run: one of STRIA_PART, or of four where check_has_values() is false. */
int64_t check_get_count(int64_t count);
/* Prints the summary; the exit status of the program. */
int check_finish(const char *program);

/* ---------------------------------------------------------------- deterministic inputs */

typedef struct random_state {
    uint64_t state;
} random_state;
uint64_t random_next(random_state *random);
/* Uniform in [0, 1), 53 bits. */
double random_unit(random_state *random);
/* One element of dtype, mostly from [low, high], with special values and random bit patterns mixed in. */
void random_element(random_state *random, stria_dtype dtype, double low, double high, void *at);

/* Zeros, infinities, NaN, ends of ranges and the like: special_count of them, not for complex; k is taken modulo
 * that. */
int  special_count(stria_dtype dtype);
void special_element(stria_dtype dtype, uint64_t k, void *at);

/* ---------------------------------------------------------------- values */

__extension__ typedef __int128 whole_int;

/* An element of any dtype: floats and complex in real and imag, bool and integers in whole. */
typedef struct value {
    bool      is_float;
    double    real, imag;
    whole_int whole;
} value;

value value_get(stria_dtype dtype, const void *at);
/* Converts by the library's stated rules and stores. */
void  value_set(stria_dtype dtype, value v, void *at);
value value_convert(value v, stria_dtype dtype);
value value_from_real(double real);
value value_from_whole(whole_int whole);
/* Bits equal, or NaN in both (complex: part by part). */
bool value_same(stria_dtype dtype, const void *a, const void *b);
/* "3", "-0x1.8p+1" into text; returns text. */
char *value_print(stria_dtype dtype, const void *at, char *text, size_t size);
/* NaNs of a run of elements become one NaN, so that runs can be compared as bytes. */
void value_canonicalise(stria_dtype dtype, void *at, int64_t count);

stria_dtype oracle_promote(stria_dtype a, stria_dtype b);
bool        oracle_castable(stria_dtype from, stria_dtype to);
/* The dtype loops compute in: f32 for f16 and bf16. */
stria_dtype oracle_compute(stria_dtype dtype);
bool        dtype_is_float(stria_dtype dtype);
bool        dtype_is_complex(stria_dtype dtype);

/* ---------------------------------------------------------------- ops */

typedef enum oracle_rule { ORACLE_COMMON, ORACLE_FLOAT, ORACLE_BOOL, ORACLE_SELECT } oracle_rule;

typedef struct oracle_op {
    const char *name, *set;
    int         arity;
    oracle_rule rule;
    double      low, high, ulp;
    float (*f32)(float x, float y, float z);
    double (*f64)(double x, double y, double z);
    long double (*wide)(long double x, long double y, long double z);
    whole_int (*whole)(whole_int x, whole_int y, whole_int z, whole_int mask);
} oracle_op;
extern const oracle_op oracle_ops[STRIA_OP_COUNT];

typedef struct oracle_reduction {
    const char *name, *set, *rule;
    bool        refuses_empty;
    int         start;
    long double (*real)(long double acc, long double x);
    whole_int (*whole)(whole_int acc, whole_int x);
} oracle_reduction;
extern const oracle_reduction oracle_reductions[STRIA_RED_COUNT];

/* Whether the row has a loop for this compute dtype (ops.def's sets). */
bool oracle_op_has(const oracle_op *op, stria_dtype compute);
/* The dtype of the condition or value that input k of the loop has. */
stria_dtype oracle_input_dtype(const oracle_op *op, int k, stria_dtype compute);

/* What the row gives for in[] (already of the compute dtype), in that dtype or as a truth value, rounded once. */
value oracle_result(const oracle_op *op, stria_dtype compute, const value *in);

/* Whether got (of dtype result) is right for the row applied to in[] (already of the compute dtype). f16 and bf16
 * results
 * are rounded once from the exact or the f32 value. On a mismatch, writes what was expected into text. */
bool oracle_check(const oracle_op *op, stria_dtype compute, const value *in, stria_dtype result, const void *got,
                  char *text, size_t size);

/* |got - exact| in units in the last place of dtype at exact; 0 for two NaNs, huge where only one is. */
double oracle_ulps(stria_dtype dtype, double got, long double exact);

/* ---------------------------------------------------------------- tensors */

/* Address of the element at index[ndim]. */
char *tensor_at(const stria_tensor *x, const int64_t *index);
/* The same for an index of a broadcast result of ndim dims. */
char *tensor_at_broadcast(const stria_tensor *x, int ndim, const int64_t *index);
/* Next index in row-major order; false after the last. */
bool index_next(int ndim, const int64_t *shape, int64_t *index);
/* offset + scale * (a number in [-1, 1)) in every element. */
void tensor_fill_random(random_state *random, stria_tensor *x, double offset, double scale);

/* Reductions over the axes of a set (bit d: axis d). */
bool is_reduced(unsigned axes, int d);
/* Checks that y has the dtype of x and the shape of such a result; sets outer to x's shape with 1 for each reduced axis, to
 * be walked by index_next. False if y has no elements. */
bool check_reduced_shape(const stria_tensor *x, unsigned axes, bool keepdim, const stria_tensor *y, int64_t *outer,
                         const char *what);
/* Element of the result that belongs to such an index. */
char *reduced_at(const stria_tensor *y, int ndim, unsigned axes, bool keepdim, const int64_t *index);

typedef enum layout {
    LAYOUT_CONTIGUOUS,
    LAYOUT_TRANSPOSED, /* last two axes, or one axis with a gap */
    LAYOUT_FLIPPED,    /* every stride negative */
    LAYOUT_OFFSET,     /* a slice that starts one element in, on every axis */
    LAYOUT_STEPPED,    /* every second element of the last axis */
    LAYOUT_ROW,        /* leading axes broadcast: the tensor has the last axis only */
    LAYOUT_COLUMN,     /* last axis broadcast: size 1 there */
    LAYOUT_EXPANDED,   /* stride 0 on the first axis, as a view of the full shape */
    LAYOUT_SINGLE,     /* 0-dim */
    LAYOUT_COUNT
} layout;
extern const char *const layout_names[LAYOUT_COUNT];

/* A tensor that broadcasts to shape (and has that shape up to LAYOUT_OFFSET, LAYOUT_STEPPED and LAYOUT_EXPANDED),
 * filled
 * with random elements; NULL after a failed check. */
stria_tensor *tensor_random(random_state *random, stria_dtype dtype, layout kind, int ndim, const int64_t *shape,
                            double low, double high);

/* ---------------------------------------------------------------- guarded memory */

/* nbytes of memory that ends right before an unreadable page (at_end) or starts right after one. On systems without
 * page protection the memory is ordinary. */
typedef struct guarded {
    char  *data, *base;
    size_t total;
} guarded;
guarded guarded_new(size_t nbytes, bool at_end);
void    guarded_release(guarded memory);

#endif
