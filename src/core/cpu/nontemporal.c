/* nontemporal.c - an op as a chain of three words, the last of which is a non-temporal store (nontemporal.h). */
#include "cpu/nontemporal.h"

const stria_chain_kernels *stria_nontemporal_choose(const stria_kernels *kernels, stria_op op, stria_dtype compute,
                                                    int64_t nbytes)
{
    const stria_chain_kernels *chain = kernels->lane[compute]->chain;

    return chain != NULL && chain->store_nontemporal != NULL && chain->op[op][0] != NULL &&
                   nbytes >= STRIA_NONTEMPORAL_BYTES
               ? chain
               : NULL;
}

/* The loop, for elements from..to. */
static void run_loop(stria_loop *loop, int n_in, char *const *data, const int64_t *strides, int64_t from, int64_t to)
{
    char *at[1 + STRIA_MAX_INPUTS];

    for (int k = 0; k <= n_in; k++) at[k] = data[k] + from * strides[k];
    if (to > from) loop(at, strides, to - from);
}

static stria_chain_word make_word(stria_chain_code *code, stria_chain_code *code_one, char *data, int64_t stride)
{
    return (stria_chain_word){stride != 0 ? code : code_one, data, stride != 0 ? -1 : 0};
}

void stria_nontemporal_run(const stria_chain_kernels *chain, stria_op op, int n_in, stria_loop *loop, int vector_bytes,
                           char *const *data, const int64_t *strides, int64_t count)
{
    const int64_t    over = (int64_t)((uintptr_t)data[0] % (uintptr_t)vector_bytes);
    const int64_t    size = strides[0], head = over > 0 ? (vector_bytes - over) / size : 0;
    stria_chain_word words[4];
    int              n = 0;
    char            *at[1 + STRIA_MAX_INPUTS];

    if (over % size != 0 || head >= count) { /* elements that lie across vectors */
        loop(data, strides, count);
        return;
    }
    for (int k = 0; k <= n_in; k++) at[k] = data[k] + head * strides[k];
    words[n++] = make_word(chain->load, chain->load_one, at[1], strides[1]);
    if (n_in == 2)
        words[n++] = make_word(chain->op[op][STRIA_CHAIN_LEFT], chain->op[op][STRIA_CHAIN_LEFT_ONE], at[2], strides[2]);
    else
        words[n++] = (stria_chain_word){chain->op[op][0], NULL, 0};
    words[n++] = make_word(chain->store_nontemporal, NULL, at[0], size);
    words[n] = (stria_chain_word){chain->end, NULL, 0};
    run_loop(loop, n_in, data, strides, 0, head);
    run_loop(loop, n_in, data, strides, head + chain->run(words, count - head, false), count);
    chain->fence();
}
