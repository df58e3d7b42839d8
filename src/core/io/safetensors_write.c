/* safetensors_write.c - writing safetensors files. The header is written twice, first to count its bytes; then it is read as that of any
 * file, so that nothing is written which would be refused. */
#include <string.h>

#include "base/error.h"
#include "io/bytes.h"
#include "io/json.h"
#include "io/safetensors.h"
#include "tensor/tensor.h"

#define OP STRIA_SAFETENSORS_OP
/* Bytes of the length, and what the header's end is aligned to. */
#define UNIT 8

/* What is to be written. */
typedef struct source {
    const stria_safetensors_item *items;
    int64_t                       n_items;
    const char *const            *metadata;
    int64_t                       n_metadata;
} source;

static uint64_t get_nbytes(const stria_tensor *x) { return (uint64_t)x->numel * stria_dtype_get_size(x->dtype); }

static void put_item(stria_json_sink *out, const stria_safetensors_item *item, uint64_t offset)
{
    static const char *const words[] = {
#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) #ENUM,
#include "table/dtypes.def"
    };
    const stria_tensor *x = item->x;

    stria_json_put_text(out, item->name);
    stria_json_put_words(out, ":{\"dtype\":\"");
    stria_json_put_words(out, words[x->dtype]);
    stria_json_put_words(out, "\",\"shape\":[");
    for (int d = 0; d < x->ndim; d++) {
        if (d > 0) stria_json_put(out, ',');
        stria_json_put_whole(out, (uint64_t)x->shape[d]);
    }
    stria_json_put_words(out, "],\"data_offsets\":[");
    stria_json_put_whole(out, offset);
    stria_json_put(out, ',');
    stria_json_put_whole(out, offset + get_nbytes(x));
    stria_json_put_words(out, "]}");
}

/* The next item to be written behind number k of element size *size (k -1, *size 16 at first), or -1: large elements first. */
static int64_t get_next(const source *from, int64_t k, size_t *size)
{
    for (; *size > 0; *size /= 2, k = -1)
        for (k++; k < from->n_items; k++)
            if (stria_dtype_get_size(from->items[k].x->dtype) == *size) return k;
    return -1;
}

/* Writes the header and returns how many bytes of tensors follow. */
static uint64_t put_header(stria_json_sink *out, const source *from)
{
    uint64_t offset = 0;
    size_t   size = 16;
    bool     is_first = true;

    stria_json_put(out, '{');
    if (from->n_metadata > 0) {
        stria_json_put_text(out, STRIA_SAFETENSORS_METADATA);
        for (int64_t k = 0; k < 2 * from->n_metadata; k++) {
            stria_json_put_words(out, k == 0 ? ":{" : k & 1 ? ":" : ",");
            stria_json_put_text(out, from->metadata[k]);
        }
        stria_json_put(out, '}');
        is_first = false;
    }
    for (int64_t k = -1; (k = get_next(from, k, &size)) >= 0; is_first = false) {
        if (!is_first) stria_json_put(out, ',');
        put_item(out, &from->items[k], offset);
        offset += get_nbytes(from->items[k].x);
    }
    stria_json_put(out, '}');
    while (out->n % UNIT != 0) stria_json_put(out, ' ');
    return offset;
}

/* ---------------------------------------------------------------- checks */

static stria_status refuse(stria_status status, const char *argument, const char *what, const char *name,
                           stria_error *err)
{
    return stria_error_set(err, status, OP, argument, NULL, NULL, "'%s': %s", name, what);
}

static stria_status check_item(const stria_safetensors_item *item, stria_error *err)
{
    if (!item->name || !item->x)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "items", "names and tensors", "NULL",
                               "a name or tensor is NULL");
    if (strcmp(item->name, STRIA_SAFETENSORS_METADATA) == 0)
        return refuse(STRIA_ERR_ARGUMENT, "items", "no name of a tensor", item->name, err);
    if (item->x->device.type != STRIA_DEVICE_CPU)
        return refuse(STRIA_ERR_DEVICE, "items", "the tensor is not in the memory of the CPU", item->name, err);
    if (!stria_safetensors_has_dtype(item->x->dtype))
        return refuse(STRIA_ERR_DTYPE, "items", "safetensors files have no dtype for c128", item->name, err);
    return STRIA_OK;
}

static stria_status check_source(const source *from, stria_error *err)
{
    if (from->n_items < 0 || (from->n_items > 0 && !from->items) || from->n_metadata < 0 ||
        (from->n_metadata > 0 && !from->metadata))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, from->items ? "metadata" : "items", NULL, NULL,
                               "a count is negative, or a list is NULL");
    for (int64_t k = 0; k < from->n_items; k++) STRIA_TRY(check_item(&from->items[k], err));
    for (int64_t k = 0; k < 2 * from->n_metadata; k++)
        if (!from->metadata[k])
            return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "metadata", "texts", "NULL", "a text is NULL");
    return STRIA_OK;
}

/* Whether a reader takes the header that was written; what it refuses came with the arguments. */
static stria_status check_header(const char *bytes, size_t header_end, uint64_t nbytes, stria_error *err)
{
    const unsigned char *from = (const unsigned char *)bytes;
    stria_safetensors   *file = NULL;
    stria_error          inner = {.code = STRIA_OK};
    uint64_t             end;
    stria_status         status = stria_safetensors_get_header(from, UNIT, nbytes, &end, &inner);

    if (status == STRIA_OK) {
        status = stria_safetensors_read(from, header_end, nbytes, &file, &inner);
        if (status == STRIA_ERR_FORMAT) status = STRIA_ERR_ARGUMENT;
    }
    stria_safetensors_release(file);
    if (status == STRIA_OK) return STRIA_OK;
    return stria_error_set(err, status, OP, "items", NULL, NULL, "%s", inner.message + strlen(OP ": "));
}

/* ---------------------------------------------------------------- files */

/* The elements of the items, in the order of the header. */
static stria_status put_elements(const source *from, char *to, stria_error *err)
{
    size_t size = 16;

    for (int64_t k = -1; (k = get_next(from, k, &size)) >= 0;) {
        const stria_tensor *x = from->items[k].x;
        const size_t        nbytes = (size_t)get_nbytes(x);
        stria_tensor       *y = NULL;

        /* contiguous gives x itself one more owner, or a copy: x is not written to */
        STRIA_TRY(stria_error_set_op(err, stria_contiguous((stria_tensor *)(uintptr_t)x, &y, err), OP));
        stria_elements_copy(y->dtype, false, y->data, nbytes, to);
        stria_tensor_release(y);
        to += nbytes;
    }
    return STRIA_OK;
}

stria_status stria_safetensors_copy(const stria_safetensors_item *items, int64_t n_items, const char *const *metadata,
                                    int64_t n_metadata, void **bytes, size_t *nbytes, stria_error *err)
{
    const source    from = {items, n_items, metadata, n_metadata};
    stria_json_sink out = {NULL, 0};
    uint64_t        body, total;
    char           *buffer;
    stria_status    status;

    if (bytes) *bytes = NULL;
    if (nbytes) *nbytes = 0;
    if (!bytes || !nbytes)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, bytes ? "nbytes" : "bytes", NULL, "NULL", "%s is NULL",
                               bytes ? "nbytes" : "bytes");
    STRIA_TRY(check_source(&from, err));
    body = put_header(&out, &from);
    total = UNIT + out.n + body;
    buffer = total <= (uint64_t)PTRDIFF_MAX ? stria_bytes_new((size_t)total) : NULL;
    if (!buffer)
        return stria_error_set(err, STRIA_ERR_MEMORY, OP, NULL, NULL, NULL, "no memory for %llu bytes",
                               (unsigned long long)total);
    for (int k = 0; k < UNIT; k++) buffer[k] = (char)((uint64_t)out.n >> 8 * k & 0xFF);
    out = (stria_json_sink){buffer + UNIT, 0};
    (void)put_header(&out, &from);
    status = check_header(buffer, UNIT + out.n, total, err);
    if (status == STRIA_OK) status = put_elements(&from, buffer + UNIT + out.n, err);
    if (status != STRIA_OK) {
        stria_bytes_release(buffer);
        return status;
    }
    *bytes = buffer;
    *nbytes = (size_t)total;
    return STRIA_OK;
}
