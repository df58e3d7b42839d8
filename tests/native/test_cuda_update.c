/* test_cuda_update.c - steps of optimisers and clipping on CUDA devices: the bits of the CPU, over dtypes, layouts and more tensors than one
 * launch takes. */
#include <string.h>

#include "cuda_pair.h"
#include "refused.h"
#include "tensor/tensor.h"

#define TENSORS 45
#define LISTS 5

/* Members of the lists: of several dtypes, sizes and orders; [0] params, [1] gradients, the others states, which are not negative. */
typedef struct lists {
    cuda_pair     pairs[LISTS][TENSORS];
    stria_tensor *at[2][LISTS][TENSORS]; /* by side */
} lists;

static void make(lists *l, pair_order order)
{
    static const stria_dtype floats[] = {STRIA_F32, STRIA_F16, STRIA_F64, STRIA_BF16};

    for (int j = 0; j < LISTS; j++)
        for (int k = 0; k < TENSORS; k++) {
            const stria_dtype dtype = floats[k % 4];
            const int64_t     shape[] = {k % 5, 1 + k * 13 % 300};
            const pair_order  own = j % 2 == 0 || k % 3 == 0 ? order : PAIR_PACKED; /* lists lie alike, or do not */
            l->pairs[j][k] = j < 2 ? cuda_pair_new_any(dtype, own, 2, shape, (uint64_t)(k * LISTS + j))
                                   : cuda_pair_new(dtype, own, 2, shape, 0, 9, (uint64_t)(k * LISTS + j));
            for (int s = 0; s < 2; s++) l->at[s][j][k] = l->pairs[j][k].on[s];
        }
}

static void check(const char *what, lists *l)
{
    char text[96];

    for (int j = 0; j < LISTS; j++)
        for (int k = 0; k < TENSORS; k++) {
            snprintf(text, sizeof text, "%s, list %d, tensor %d", what, j, k);
            cuda_pair_check(text, &l->pairs[j][k]);
        }
}

#define LIST(j) l.at[s][j], TENSORS
#define GRADS (const stria_tensor *const *)l.at[s][1], TENSORS
#define STEP(what, ...)        \
    do {                       \
        lists l;               \
        make(&l, order);       \
        ON_BOTH((__VA_ARGS__)) \
        check(what, &l);       \
    } while (0)

static void test_steps(pair_order order)
{
    STEP("sgd", stria_sgd(LIST(0), GRADS, NULL, 0, 0.1, 0, 0, 0, false, false, false, &err));
    STEP("sgd, first step", stria_sgd(LIST(0), GRADS, LIST(2), 0.1, 0.9, 0.1, 0.01, false, true, true, &err));
    STEP("sgd, nesterov", stria_sgd(LIST(0), GRADS, LIST(2), 0.1, 0.9, 0, 0.01, true, false, false, &err));
    STEP("sgd, momentum 0", stria_sgd(LIST(0), GRADS, LIST(2), 0.1, 0, 0, 0.01, false, false, false, &err));
    STEP("adam", stria_adam(LIST(0), GRADS, LIST(2), LIST(3), NULL, 0, 3, 0.02, 0.9, 0.999, 1e-8, 0.01, false, &err));
    STEP("adamw", stria_adamw(LIST(0), GRADS, LIST(2), LIST(3), LIST(4), 7, 0.02, 0.9, 0.999, 1e-8, 0.1, true, &err));
    STEP("rmsprop", stria_rmsprop(LIST(0), GRADS, LIST(2), LIST(3), NULL, 0, 0.02, 0.9, 1e-8, 0.1, 0.9, false, &err));
    STEP("rmsprop, centred",
         stria_rmsprop(LIST(0), GRADS, LIST(2), NULL, 0, LIST(4), 0.02, 0.9, 1e-8, 0, 0, true, &err));
    STEP("adagrad", stria_adagrad(LIST(0), GRADS, LIST(2), 3, 0.02, 0.1, 0.1, 1e-10, false, &err));
    STEP("clip_grad_value", stria_clip_grad_value(LIST(1), 2.5, &err));
}

/* The norm is on the device: below, at and above the limit, and NaN. */
static void test_norm(void)
{
    static const int64_t norms[] = {1, 4, 100};

    for (int k = 0; k < 4; k++) {
        const double most = k == 3 ? 0.0 : 4.0;
        cuda_pair    norm = cuda_pair_new_list(k % 2 == 0 ? STRIA_F32 : STRIA_F64, 1, &norms[k % 3]);
        lists        l;
        make(&l, PAIR_PACKED);
        ON_BOTH(stria_clip_grads_with_norm(norm.on[s], LIST(1), most, &err));
        check("clip_grads_with_norm", &l);
        cuda_pair_release(&norm);
    }
}

static void test_refusals(void)
{
    cuda_pair x = cuda_pair_new(STRIA_F32, PAIR_PACKED, 1, SHAPE(3), 0, 1, 1);
    cuda_pair i = cuda_pair_new(STRIA_I32, PAIR_PACKED, 1, SHAPE(3), 0, 1, 1);

    REFUSED_ON_BOTH(stria_clip_grad_value(&i.on[s], 1, 1, &err), STRIA_ERR_DTYPE);
    REFUSED_ON_BOTH(stria_clip_grad_value(&x.on[s], 1, -1, &err), STRIA_ERR_ARGUMENT);
    ON_BOTH(stria_clip_grad_value(NULL, 0, 1, &err));
    cuda_pair_release(&x), cuda_pair_release(&i);
}

SUITE(test_cuda_update)
{
    check_isa("test_cuda_update");
    if (!cuda_case_begin("test_cuda_update")) return 77;
    test_steps(PAIR_PACKED);
    test_steps(PAIR_TURNED);
    test_steps(PAIR_STEPPED);
    test_norm();
    test_refusals();
    return cuda_case_finish("test_cuda_update");
}
