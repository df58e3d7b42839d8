/* safetensors.c - reading safetensors files: https://github.com/huggingface/safetensors (README.md, "Format").
 *
 * The header is read twice: first to count what it holds, which is refused where it breaks a rule, then into one block. */
#include "stria_safetensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "io/bytes.h"
#include "io/json.h"
#include "io/safetensors.h"
#include "tensor/tensor.h"

#define OP STRIA_SAFETENSORS_OP
#define LENGTH_BYTES 8

typedef struct header {
    stria_json           json;
    const unsigned char *bytes; /* the file, as much of it as is here */
    uint64_t             begin; /* of the tensors' bytes, from the start of the file */
    uint64_t             body;  /* how many these are */
    stria_error         *err;
    stria_safetensors_entry
        *entries; /* NULL in the first pass, and so are the others: what they are to hold is counted */
    stria_safetensors_pair         *metadata;
    int64_t                        *sizes;
    char                           *text;
    const stria_safetensors_entry **by_name; /* room to sort them */
    size_t                          n_entries, n_metadata, n_sizes, n_text;
} header;

static stria_status refuse(stria_error *err, const char *what)
{
    return stria_error_set(err, STRIA_ERR_FORMAT, OP, "bytes", "a safetensors file", NULL, "%s", what);
}

/* What the reader of JSON found wrong, and where. */
static stria_status refuse_json(const header *h)
{
    return stria_error_set(h->err, STRIA_ERR_FORMAT, OP, "bytes", "a safetensors file", NULL, "byte %llu: %s",
                           (unsigned long long)(h->json.at - h->bytes), h->json.wrong);
}

/* Something wrong with one tensor. */
static stria_status refuse_entry(const header *h, const char *name, const char *what)
{
    return stria_error_set(h->err, STRIA_ERR_FORMAT, OP, "bytes", "a safetensors file", NULL, "tensor '%s': %s", name,
                           what);
}

/* ---------------------------------------------------------------- the header */

/* A text, kept in the second pass. */
static bool take_kept(header *h, const char **text, size_t *nbytes)
{
    char *to = h->text ? h->text + h->n_text : NULL;

    if (!stria_json_take_text(&h->json, to, to ? SIZE_MAX : 0, nbytes)) return false;
    if (to) to[*nbytes] = 0;
    *text = to ? to : "";
    h->n_text += *nbytes + 1;
    return true;
}

/* The name of a tensor for messages in the first pass, where it is not kept. */
static void read_name(const header *h, const unsigned char *at, char *name, size_t size)
{
    stria_json again = {at, h->json.end, NULL};
    size_t     nbytes = 0;

    (void)stria_json_take_text(&again, name, size - 1, &nbytes);
    if (nbytes >= size)
        for (nbytes = size - 2; nbytes > 0 && (name[nbytes] & 0xC0) == 0x80;) nbytes--; /* no part of a character */
    name[nbytes] = 0;
}

static stria_status read_metadata(header *h)
{
    stria_safetensors_pair pair;
    bool                   is_first = true;

    if (!stria_json_take(&h->json, '{')) return refuse_json(h);
    while (stria_json_next(&h->json, '}', &is_first)) {
        if (!take_kept(h, &pair.key, &pair.key_nbytes) || !stria_json_take(&h->json, ':') ||
            !take_kept(h, &pair.value, &pair.value_nbytes))
            return refuse_json(h);
        if (h->metadata) h->metadata[h->n_metadata] = pair;
        h->n_metadata++;
    }
    return h->json.wrong ? refuse_json(h) : STRIA_OK;
}

static stria_status read_dtype(header *h, const char *name, stria_safetensors_entry *entry)
{
    static const struct {
        const char *word;
        stria_dtype dtype;
    } known[] = {
#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) {#ENUM, STRIA_##ENUM},
#include "table/dtypes.def"
    };
    char   text[24], what[64];
    size_t nbytes, k;

    if (!stria_json_take_text(&h->json, text, sizeof text - 1, &nbytes)) return refuse_json(h);
    text[nbytes < sizeof text ? nbytes : sizeof text - 1] = 0;
    for (k = 0; k < sizeof known / sizeof *known; k++)
        if (nbytes < sizeof text && strlen(text) == nbytes && strcmp(text, known[k].word) == 0) break;
    entry->dtype = k < sizeof known / sizeof *known ? known[k].dtype : STRIA_DTYPE_NONE;
    if (stria_safetensors_has_dtype(entry->dtype)) return STRIA_OK;
    snprintf(what, sizeof what, "dtype '%s' is not supported", text);
    return refuse_entry(h, name, what);
}

static stria_status read_shape(header *h, const char *name, stria_safetensors_entry *entry)
{
    bool     is_first = true;
    uint64_t size;

    entry->shape = h->sizes ? h->sizes + h->n_sizes : NULL;
    entry->ndim = 0;
    if (!stria_json_take(&h->json, '[')) return refuse_json(h);
    while (stria_json_next(&h->json, ']', &is_first)) {
        if (!stria_json_take_whole(&h->json, &size)) return refuse_json(h);
        if (size > INT64_MAX)
            return stria_error_set(h->err, STRIA_ERR_OVERFLOW, OP, "bytes", "sizes up to 2^63 - 1", NULL,
                                   "tensor '%s': a size of %llu", name, (unsigned long long)size);
        if (entry->ndim == STRIA_MAX_DIMS) return refuse_entry(h, name, "more than 64 dims");
        if (h->sizes) h->sizes[h->n_sizes] = (int64_t)size;
        h->n_sizes++;
        entry->ndim++;
    }
    return h->json.wrong ? refuse_json(h) : STRIA_OK;
}

static stria_status read_offsets(header *h, const char *name, stria_safetensors_entry *entry)
{
    uint64_t offsets[2];
    bool     is_first = true;

    if (!stria_json_take(&h->json, '[')) return refuse_json(h);
    for (int k = 0; k < 2; k++) {
        if (!stria_json_next(&h->json, ']', &is_first))
            return h->json.wrong ? refuse_json(h) : refuse_entry(h, name, "data_offsets must be two numbers");
        if (!stria_json_take_whole(&h->json, &offsets[k])) return refuse_json(h);
    }
    if (stria_json_next(&h->json, ']', &is_first)) return refuse_entry(h, name, "data_offsets must be two numbers");
    if (h->json.wrong) return refuse_json(h);
    if (offsets[0] > offsets[1] || offsets[1] > h->body)
        return stria_error_set(h->err, STRIA_ERR_FORMAT, OP, "bytes", "a safetensors file", NULL,
                               "tensor '%s': bytes %llu to %llu, of %llu behind the header", name,
                               (unsigned long long)offsets[0], (unsigned long long)offsets[1],
                               (unsigned long long)h->body);
    entry->offset = h->begin + offsets[0];
    entry->nbytes = offsets[1] - offsets[0];
    return STRIA_OK;
}

/* What follows the name of a tensor. */
static stria_status read_entry(header *h, const char *name, stria_safetensors_entry *entry)
{
    static const char *const keys[] = {"dtype", "shape", "data_offsets"};
    bool                     is_first = true;
    unsigned                 seen = 0;

    if (!stria_json_take(&h->json, '{')) return refuse_json(h);
    while (stria_json_next(&h->json, '}', &is_first)) {
        char         key[16];
        size_t       nbytes, k;
        stria_status status = STRIA_OK;

        if (!stria_json_take_text(&h->json, key, sizeof key, &nbytes) || !stria_json_take(&h->json, ':'))
            return refuse_json(h);
        for (k = 0; k < 3; k++)
            if (nbytes == strlen(keys[k]) && memcmp(key, keys[k], nbytes) == 0) break;
        if (k < 3 && seen >> k & 1) return refuse_entry(h, name, "a member is there twice");
        seen |= 1u << k;
        if (k == 0) status = read_dtype(h, name, entry);
        if (k == 1) status = read_shape(h, name, entry);
        if (k == 2) status = read_offsets(h, name, entry);
        if (k == 3 && !stria_json_skip(&h->json)) return refuse_json(h);
        if (status != STRIA_OK) return status;
    }
    if (h->json.wrong) return refuse_json(h);
    return (seen & 7) == 7 ? STRIA_OK : refuse_entry(h, name, "dtype, shape and data_offsets must be there");
}

static stria_status check_nbytes(const header *h, const char *name, const stria_safetensors_entry *entry)
{
    int64_t numel;
    char    text[96];

    stria_shape_print(text, sizeof text, entry->ndim, entry->shape);
    if (stria_shape_get_numel(OP, "bytes", entry->dtype, entry->ndim, entry->shape, &numel, NULL, NULL) != STRIA_OK)
        return stria_error_set(h->err, STRIA_ERR_OVERFLOW, OP, "bytes", "2^63 - 1 bytes", text,
                               "tensor '%s': shape %s needs more than 2^63 - 1 bytes", name, text);
    if ((uint64_t)numel * stria_dtype_get_size(entry->dtype) == entry->nbytes) return STRIA_OK;
    return stria_error_set(h->err, STRIA_ERR_FORMAT, OP, "bytes", "a safetensors file", NULL,
                           "tensor '%s': %llu bytes for shape %s of %s", name, (unsigned long long)entry->nbytes, text,
                           stria_dtype_get_name(entry->dtype));
}

/* One pass over the header. */
static stria_status read_header(header *h)
{
    bool is_first = true, has_metadata = false;

    if (h->json.at == h->json.end || *h->json.at != '{') return refuse(h->err, "the header does not begin with {");
    h->json.at++;
    while (stria_json_next(&h->json, '}', &is_first)) {
        const unsigned char    *start = h->json.at;
        stria_safetensors_entry entry = {.ndim = 0};
        char                    name[80];

        if (!take_kept(h, &entry.name, &entry.name_nbytes) || !stria_json_take(&h->json, ':')) return refuse_json(h);
        read_name(h, start, name, sizeof name);
        if (entry.name_nbytes == strlen(STRIA_SAFETENSORS_METADATA) && strcmp(name, STRIA_SAFETENSORS_METADATA) == 0) {
            if (has_metadata) return refuse(h->err, "__metadata__ is there twice");
            has_metadata = true;
            STRIA_TRY(read_metadata(h));
            continue;
        }
        STRIA_TRY(read_entry(h, name, &entry));
        if (h->entries) {
            STRIA_TRY(check_nbytes(h, name, &entry));
            h->entries[h->n_entries] = entry;
        }
        h->n_entries++;
    }
    if (h->json.wrong || !stria_json_end(&h->json)) return refuse_json(h);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- rules for all tensors together */

static int compare_texts(const char *a, size_t a_nbytes, const char *b, size_t b_nbytes)
{
    const int order = memcmp(a, b, a_nbytes < b_nbytes ? a_nbytes : b_nbytes);
    return order ? order : (a_nbytes > b_nbytes) - (a_nbytes < b_nbytes);
}

static int compare_names(const void *a, const void *b)
{
    const stria_safetensors_entry *x = *(const stria_safetensors_entry *const *)a;
    const stria_safetensors_entry *y = *(const stria_safetensors_entry *const *)b;
    return compare_texts(x->name, x->name_nbytes, y->name, y->name_nbytes);
}

static int compare_keys(const void *a, const void *b)
{
    const stria_safetensors_pair *x = *(const stria_safetensors_pair *const *)a;
    const stria_safetensors_pair *y = *(const stria_safetensors_pair *const *)b;
    return compare_texts(x->key, x->key_nbytes, y->key, y->key_nbytes);
}

/* By their bytes, those of empty tensors first. */
static int compare_offsets(const void *a, const void *b)
{
    const stria_safetensors_entry *x = a, *y = b;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    return (x->nbytes > y->nbytes) - (x->nbytes < y->nbytes);
}

static stria_status check_names(const header *h)
{
    const void **sorted = (const void **)h->by_name;

    for (size_t k = 0; k < h->n_entries; k++) sorted[k] = &h->entries[k];
    qsort(sorted, h->n_entries, sizeof *sorted, compare_names);
    for (size_t k = 1; k < h->n_entries; k++)
        if (compare_names(&sorted[k - 1], &sorted[k]) == 0)
            return refuse_entry(h, h->by_name[k]->name, "its name is there twice");
    for (size_t k = 0; k < h->n_metadata; k++) sorted[k] = &h->metadata[k];
    qsort(sorted, h->n_metadata, sizeof *sorted, compare_keys);
    for (size_t k = 1; k < h->n_metadata; k++)
        if (compare_keys(&sorted[k - 1], &sorted[k]) == 0)
            return stria_error_set(h->err, STRIA_ERR_FORMAT, OP, "bytes", "a safetensors file", NULL,
                                   "__metadata__: key '%s' is there twice",
                                   ((const stria_safetensors_pair *)sorted[k])->key);
    return STRIA_OK;
}

/* Sorts the entries by their bytes, which must cover the body. */
static stria_status check_offsets(header *h)
{
    uint64_t end = h->begin;

    qsort(h->entries, h->n_entries, sizeof *h->entries, compare_offsets);
    for (size_t k = 0; k < h->n_entries; k++) {
        stria_safetensors_entry *entry = &h->entries[k];
        if (entry->offset != end)
            return refuse_entry(h, entry->name,
                                entry->offset < end ? "its bytes are those of another tensor, too"
                                                    : "there is a gap before its bytes");
        end += entry->nbytes;
    }
    if (end - h->begin == h->body) return STRIA_OK;
    return stria_error_set(h->err, STRIA_ERR_FORMAT, OP, "bytes", "a safetensors file", NULL,
                           "the tensors have %llu bytes, %llu are behind the header",
                           (unsigned long long)(end - h->begin), (unsigned long long)h->body);
}

/* ---------------------------------------------------------------- files */

stria_status stria_safetensors_get_header(const unsigned char *bytes, size_t nbytes, uint64_t file_nbytes,
                                          uint64_t *header_end, stria_error *err)
{
    uint64_t length = 0;

    if (nbytes < LENGTH_BYTES) return refuse(err, "cut off: shorter than the length of a header");
    for (int k = LENGTH_BYTES - 1; k >= 0; k--) length = length << 8 | bytes[k];
    if (length > STRIA_SAFETENSORS_MAX_HEADER)
        return stria_error_set(err, STRIA_ERR_FORMAT, OP, "bytes", "a header of at most 100000000 bytes", NULL,
                               "a header of %llu bytes, the most is %d", (unsigned long long)length,
                               STRIA_SAFETENSORS_MAX_HEADER);
    if (length > file_nbytes - LENGTH_BYTES)
        return stria_error_set(err, STRIA_ERR_FORMAT, OP, "bytes", NULL, NULL,
                               "cut off: a header of %llu bytes is promised, %llu are here", (unsigned long long)length,
                               (unsigned long long)(file_nbytes - LENGTH_BYTES));
    *header_end = LENGTH_BYTES + length;
    return STRIA_OK;
}

/* The block of what the first pass has counted: the file, entries, pairs, sizes, room for names, texts. */
static stria_safetensors *new_block(header *h)
{
    const size_t   names = h->n_entries > h->n_metadata ? h->n_entries : h->n_metadata;
    const uint64_t n_entries = h->n_entries, n_metadata = h->n_metadata, n_sizes = h->n_sizes, n_names = names;
    const uint64_t nbytes = sizeof(stria_safetensors) + n_entries * sizeof *h->entries +
                            n_metadata * sizeof *h->metadata + n_sizes * sizeof *h->sizes +
                            n_names * sizeof *h->by_name + h->n_text;
    stria_safetensors *file = nbytes <= PTRDIFF_MAX ? stria_object_new((size_t)nbytes) : NULL;

    if (!file) return NULL;
    h->entries = (stria_safetensors_entry *)(void *)(file + 1);
    h->sizes = (int64_t *)(void *)(h->entries + h->n_entries);
    h->metadata = (stria_safetensors_pair *)(void *)(h->sizes + h->n_sizes);
    h->by_name = (const stria_safetensors_entry **)(void *)(h->metadata + h->n_metadata);
    h->text = (char *)(h->by_name + names);
    file->entries = h->entries;
    file->metadata = h->metadata;
    file->n_entries = (int64_t)h->n_entries;
    file->n_metadata = (int64_t)h->n_metadata;
    h->n_entries = h->n_metadata = h->n_sizes = h->n_text = 0;
    return file;
}

stria_status stria_safetensors_read(const unsigned char *bytes, uint64_t header_end, uint64_t file_nbytes,
                                    stria_safetensors **out, stria_error *err)
{
    const unsigned char *end = bytes + header_end;
    header               h = {.json = {bytes + LENGTH_BYTES, end, NULL},
                              .bytes = bytes,
                              .begin = header_end,
                              .body = file_nbytes - header_end,
                              .err = err};
    stria_safetensors   *file;
    stria_status         status;

    STRIA_TRY(read_header(&h));
    file = new_block(&h);
    if (!file) return stria_error_set(err, STRIA_ERR_MEMORY, OP, NULL, NULL, NULL, "no memory for the header");
    h.json = (stria_json){bytes + LENGTH_BYTES, end, NULL};
    status = read_header(&h);
    if (status == STRIA_OK) status = check_names(&h);
    if (status == STRIA_OK) status = check_offsets(&h);
    if (status != STRIA_OK) {
        stria_object_release(file);
        return status;
    }
    *out = file;
    return STRIA_OK;
}

stria_status stria_safetensors_new(const void *bytes, size_t nbytes, stria_safetensors **out, stria_error *err)
{
    uint64_t           header_end;
    stria_safetensors *file;

    if (out) *out = NULL;
    if (!out || (!bytes && nbytes))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, out ? "bytes" : "out", NULL, "NULL", "%s is NULL",
                               out ? "bytes" : "out");
    STRIA_TRY(stria_safetensors_get_header(bytes, nbytes, nbytes, &header_end, err));
    STRIA_TRY(stria_safetensors_read(bytes, header_end, nbytes, &file, err));
    for (int64_t k = 0; k < file->n_entries; k++) {
        stria_safetensors_entry *entry = (stria_safetensors_entry *)(uintptr_t)&file->entries[k];
        entry->data = (const char *)bytes + entry->offset;
    }
    *out = file;
    return STRIA_OK;
}

void stria_safetensors_release(stria_safetensors *file) { stria_object_release(file); }

const stria_safetensors_entry *stria_safetensors_get(const stria_safetensors *file, const char *name)
{
    const size_t nbytes = name ? strlen(name) : 0;

    for (int64_t k = 0; file && name && k < file->n_entries; k++)
        if (file->entries[k].name_nbytes == nbytes && memcmp(file->entries[k].name, name, nbytes) == 0)
            return &file->entries[k];
    return NULL;
}

stria_status stria_safetensors_copy_entry(const stria_safetensors_entry *entry, stria_tensor **out, stria_error *err)
{
    if (out) *out = NULL;
    if (!entry || !out)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, entry ? "out" : "entry", NULL, "NULL", "%s is NULL",
                               entry ? "out" : "entry");
    STRIA_TRY(stria_error_set_op(err, stria_tensor_new(entry->dtype, entry->ndim, entry->shape, out, err), OP));
    stria_elements_copy(entry->dtype, false, entry->data, (size_t)entry->nbytes, (*out)->data);
    return STRIA_OK;
}
