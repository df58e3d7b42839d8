/* cuda_pair.h - a tensor on the CPU and the same on a CUDA device, for suites that run a row on both and compare. */
#ifndef STRIA_TEST_CUDA_PAIR_H
#define STRIA_TEST_CUDA_PAIR_H

#include "cuda_case.h"

typedef struct cuda_pair {
    stria_tensor *on[2]; /* the CPU, the device */
} cuda_pair;

/* How elements lie, on both alike. */
typedef enum pair_order {
    PAIR_PACKED,
    PAIR_TURNED,   /* the last two dims exchanged */
    PAIR_STEPPED,  /* every second element of the last dim */
    PAIR_FLIPPED,  /* the last dim backwards */
    PAIR_EXPANDED, /* the first dim is one element, repeated */
    N_PAIR_ORDERS
} pair_order;

#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})

/* Whole numbers in [low, high], of few enough bits to be exact in every dtype where |low|, |high| <= 128. */
cuda_pair cuda_pair_new(stria_dtype dtype, pair_order order, int ndim, const int64_t *shape, int low, int high,
                        uint64_t seed);
/* Any elements: of floats numbers in [-10, 10] with a fraction. */
cuda_pair cuda_pair_new_any(stria_dtype dtype, pair_order order, int ndim, const int64_t *shape, uint64_t seed);
/* Row-major: these numbers as `dtype`. */
cuda_pair cuda_pair_new_list(stria_dtype dtype, int n, const int64_t *numbers);
void      cuda_pair_release(cuda_pair *pair);

/* Both are the same, and both are released. */
void cuda_pair_check(const char *what, cuda_pair *pair);

/* Runs `call`, which mentions s, the side, and err, for both. */
#define ON_BOTH(call)                                                                      \
    for (int s = 0; s < 2; s++) {                                                          \
        stria_error        err = {0};                                                      \
        const stria_status status_ = (call);                                               \
        CHECK(status_ == STRIA_OK, "%s side: %s", s == 0 ? "CPU" : "device", err.message); \
    }
/* Runs it and checks that both refuse alike. */
#define REFUSED_ON_BOTH(call, expected)                                                                   \
    do {                                                                                                  \
        stria_error errors[2] = {{0}, {0}};                                                               \
        for (int s = 0; s < 2; s++) {                                                                     \
            stria_error        err = {0};                                                                 \
            const stria_status status_ = (call);                                                          \
            CHECK(status_ == (expected), "%s: status %d, %s", #call, (int)status_, err.message);          \
            errors[s] = err;                                                                              \
        }                                                                                                 \
        CHECK(strcmp(errors[0].message, errors[1].message) == 0, "\"%s\", not \"%s\"", errors[1].message, \
              errors[0].message);                                                                         \
    } while (0)

#endif
