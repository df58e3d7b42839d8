/* hash.h - hashes of results, as lines of tests/data/hashes.txt (test_hash.c). */
#ifndef TEST_HASH_H
#define TEST_HASH_H

#include "oracle.h"

/* What a hash begins with. */
#define HASH_BEGIN 0xcbf29ce484222325u

/* Shape, dtype and elements in row-major order, wherever they lie. NaNs count as one NaN. */
uint64_t hash_tensor(uint64_t hash, const stria_tensor *y);

/* Makes a result. */
typedef stria_tensor *hash_runner(const void *call);

/* Runs it with every thread count; returns the hash of the first result. */
uint64_t hash_threads(hash_runner *run, const void *call, uint64_t hash, const char *name, stria_dtype dtype);

/* A runner of a call of an op. */
typedef struct hash_op_call {
    stria_op             number;
    const stria_tensor **in;
} hash_op_call;
stria_tensor *hash_run_op(const void *call);

/* The next line: "name.dtype", or "name.a.b". */
void hash_add_line(const char *name, stria_dtype a, stria_dtype b, uint64_t hash);

typedef struct hash_shape {
    int     ndim;
    int64_t sizes[3];
    layout  layouts[3]; /* of the operands */
} hash_shape;
/* The last two have more than one thread's worth of elements. */
enum { HASH_SHAPES = 5, HASH_SMALL_SHAPES = 3 };
extern const hash_shape hash_shapes[HASH_SHAPES];

/* Goes on over points that lie densely in the domain of a row; dtype is a float, the row takes nothing else (hash_dense.c). */
uint64_t hash_dense(stria_op number, stria_dtype dtype, uint64_t hash);

/* Lines of functions of floats (hash_functions.c). */
void hash_functions(void);
/* Lines of other families (hash_families.c). */
void hash_complex(void);
void hash_indexing(void);
void hash_random(void);
void hash_pooling(void);
/* Of parameters that were trained (hash_training.c). */
void hash_training(void);

#endif
