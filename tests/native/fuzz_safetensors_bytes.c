/* fuzz_safetensors_bytes.c - any bytes as a safetensors file: refused with a message and nothing kept, or tensors that survive being
 * written and read again. */
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "replay.h"
#include "stria_safetensors.h"

/* The same names, shapes and elements, in the same order. */
static void require_same(const stria_safetensors *a, const stria_safetensors *b)
{
    REQUIRE(a->n_entries == b->n_entries && a->n_metadata == b->n_metadata);
    for (int64_t k = 0; k < a->n_metadata; k++)
        REQUIRE(strcmp(a->metadata[k].key, b->metadata[k].key) == 0 &&
                strcmp(a->metadata[k].value, b->metadata[k].value) == 0);
    for (int64_t k = 0; k < a->n_entries; k++) {
        const stria_safetensors_entry *x = &a->entries[k], *y = stria_safetensors_get(b, x->name);
        REQUIRE(y != NULL && x->dtype == y->dtype && x->ndim == y->ndim && x->nbytes == y->nbytes);
        for (int d = 0; d < x->ndim; d++) REQUIRE(x->shape[d] == y->shape[d]);
        REQUIRE(x->dtype == STRIA_BOOL || x->nbytes == 0 || memcmp(x->data, y->data, (size_t)x->nbytes) == 0);
    }
}

/* A zero inside a text cannot be written again. */
static bool has_zero(const stria_safetensors *file)
{
    for (int64_t k = 0; k < file->n_entries; k++)
        if (strlen(file->entries[k].name) != file->entries[k].name_nbytes) return true;
    for (int64_t k = 0; k < file->n_metadata; k++)
        if (strlen(file->metadata[k].key) != file->metadata[k].key_nbytes ||
            strlen(file->metadata[k].value) != file->metadata[k].value_nbytes)
            return true;
    return false;
}

static void check_again(const stria_safetensors *file)
{
    const int64_t           n = file->n_entries;
    stria_safetensors_item *items = calloc((size_t)n + 1, sizeof *items);
    const char            **metadata = calloc(2 * (size_t)file->n_metadata + 1, sizeof *metadata);
    stria_safetensors      *again = NULL;
    void                   *bytes = NULL;
    size_t                  n_bytes = 0;

    REQUIRE(items != NULL && metadata != NULL);
    for (int64_t k = 0; k < n; k++) {
        stria_tensor *x = NULL;
        REQUIRE(stria_safetensors_copy_entry(&file->entries[k], &x, NULL) == STRIA_OK);
        items[k] = (stria_safetensors_item){file->entries[k].name, x};
    }
    for (int64_t k = 0; k < file->n_metadata; k++) {
        metadata[2 * k] = file->metadata[k].key;
        metadata[2 * k + 1] = file->metadata[k].value;
    }
    if (!has_zero(file)) {
        REQUIRE(stria_safetensors_copy(items, n, metadata, file->n_metadata, &bytes, &n_bytes, NULL) == STRIA_OK);
        REQUIRE(stria_safetensors_new(bytes, n_bytes, &again, NULL) == STRIA_OK);
        require_same(file, again);
    }
    stria_safetensors_release(again);
    stria_bytes_release(bytes);
    for (int64_t k = 0; k < n; k++) stria_tensor_release((stria_tensor *)(uintptr_t)items[k].x);
    free(items);
    free(metadata);
}

static int replay_one(const uint8_t *bytes, size_t n_bytes)
{
    const stria_memory_stats before = stria_memory_get_stats();
    stria_safetensors       *file = NULL;
    stria_error              err = {0};
    const stria_status       status = stria_safetensors_new(bytes, n_bytes, &file, &err);

    if (status == STRIA_OK) {
        REQUIRE(file != NULL);
        check_again(file);
        stria_safetensors_release(file);
    } else {
        REQUIRE(file == NULL && err.code == status && strncmp(err.message, "safetensors: ", 13) == 0);
        REQUIRE(status == STRIA_ERR_FORMAT || status == STRIA_ERR_OVERFLOW || status == STRIA_ERR_MEMORY);
    }
    const stria_memory_stats after = stria_memory_get_stats();
    REQUIRE(after.live_tensors == before.live_tensors && after.live_bytes == before.live_bytes);
    return 0;
}

REPLAY_SUITE(fuzz_safetensors_bytes, "tests/fuzz/safetensors_bytes.corpus", 100000)
