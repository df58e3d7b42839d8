/* fuzz_npy_bytes.c - any bytes as a .npy file: refused with a message and nothing kept, or a tensor that survives being
 * written and read again. */
#include <string.h>

#include "oracle.h"
#include "replay.h"

static void check_again(const stria_tensor *x)
{
    stria_tensor      *y = NULL;
    void              *bytes = NULL;
    size_t             n_bytes = 0;
    const stria_status status = stria_npy_copy(x, &bytes, &n_bytes, NULL);

    REQUIRE(status == STRIA_OK);
    REQUIRE(stria_npy_get(bytes, n_bytes, &y, NULL) == STRIA_OK);
    REQUIRE(stria_tensor_get_dtype(y) == stria_tensor_get_dtype(x));
    REQUIRE(stria_tensor_get_ndim(y) == stria_tensor_get_ndim(x));
    for (int d = 0; d < stria_tensor_get_ndim(x); d++) {
        REQUIRE(stria_tensor_get_shape(y)[d] == stria_tensor_get_shape(x)[d]);
    }
    int64_t index[STRIA_MAX_DIMS] = {0};
    for (int64_t i = 0; i < stria_tensor_get_numel(x); i++) {
        REQUIRE(memcmp(tensor_at(x, index), tensor_at(y, index), stria_dtype_get_size(stria_tensor_get_dtype(x))) == 0);
        index_next(stria_tensor_get_ndim(x), stria_tensor_get_shape(x), index);
    }
    stria_tensor_release(y);
    stria_bytes_release(bytes);
}

static int replay_one(const uint8_t *bytes, size_t n_bytes)
{
    const stria_memory_stats before = stria_memory_get_stats();
    stria_tensor            *x = NULL;
    stria_error              err = {0};
    const stria_status       status = stria_npy_get(bytes, n_bytes, &x, &err);

    if (status == STRIA_OK) {
        REQUIRE(x != NULL);
        check_again(x);
        stria_tensor_release(x);
    } else {
        REQUIRE(x == NULL && err.code == status && strncmp(err.message, "npy: ", 5) == 0);
        REQUIRE(status == STRIA_ERR_FORMAT || status == STRIA_ERR_OVERFLOW || status == STRIA_ERR_MEMORY);
    }
    const stria_memory_stats after = stria_memory_get_stats();
    REQUIRE(after.live_tensors == before.live_tensors && after.live_bytes == before.live_bytes);
    return 0;
}

REPLAY_SUITE(fuzz_npy_bytes, "tests/fuzz/npy_bytes.corpus", 100000)
