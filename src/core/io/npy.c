/* npy.c - reading and writing .npy files: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 *
 * "\x93NUMPY", two version bytes, the length of the header (2 bytes in version 1, 4 in 2 and 3, little-endian), the
 * header (a Python dict literal with the keys descr, fortran_order and shape, padded by spaces), then the elements. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/bytes.h"
#include "tensor/tensor.h"

#define OP "npy"
#define MAGIC "\x93NUMPY"
#define MAGIC_BYTES 6

/* ---------------------------------------------------------------- the header as text */

typedef struct reader {
    const unsigned char *at, *end;
} reader;

typedef struct header {
    stria_dtype dtype;
    bool        is_big_endian, is_fortran;
    int         ndim;
    int64_t     shape[STRIA_MAX_DIMS];
} header;

static stria_status refuse(const char *what, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_FORMAT, OP, "bytes", "a .npy file", NULL, "%s", what);
}

static void skip_space(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || (*r->at >= '\t' && *r->at <= '\r'))) r->at++;
}

/* Takes the character c if it comes next. */
static bool take(reader *r, char c)
{
    skip_space(r);
    if (r->at == r->end || *r->at != (unsigned char)c) return false;
    r->at++;
    return true;
}

static bool take_word(reader *r, const char *word)
{
    const size_t n = strlen(word);

    skip_space(r);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0) return false;
    r->at += n;
    return true;
}

/* A quoted string without escapes, into text [size]. */
static bool take_string(reader *r, char *text, size_t size)
{
    size_t n = 0;
    char   quote;

    skip_space(r);
    if (r->at == r->end || (*r->at != '\'' && *r->at != '"')) return false;
    quote = (char)*r->at++;
    for (; r->at < r->end && *r->at != (unsigned char)quote; r->at++) {
        if (*r->at == '\\' || *r->at < ' ' || n + 1 >= size) return false;
        text[n++] = (char)*r->at;
    }
    text[n] = 0;
    return take(r, quote);
}

/* A decimal size, with the L that Python 2 added. False where none comes next or it does not fit. */
static bool take_size(reader *r, int64_t *size)
{
    int64_t value = 0;

    skip_space(r);
    if (r->at == r->end || *r->at < '0' || *r->at > '9') return false;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *r->at - '0', &value))
            return false;
    if (r->at < r->end && *r->at == 'L') r->at++;
    *size = value;
    return true;
}

static stria_status read_shape(reader *r, header *h, stria_error *err)
{
    bool has_comma = true;

    h->ndim = 0;
    if (!take(r, '(')) return refuse("shape is not a tuple", err);
    while (!take(r, ')')) {
        int64_t size;
        if (!has_comma || !take_size(r, &size)) return refuse("shape is not a tuple of sizes", err);
        if (h->ndim == STRIA_MAX_DIMS) return refuse("shape has more than 64 dims", err);
        h->shape[h->ndim++] = size;
        has_comma = take(r, ',');
    }
    if (h->ndim == 1 && !has_comma) return refuse("shape is a number, not a tuple", err);
    return STRIA_OK;
}

static stria_status read_descr(reader *r, header *h, stria_error *err)
{
    static const struct {
        const char *word;
        stria_dtype dtype;
    } known[] = {
#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) {npy, STRIA_##ENUM},
#include "table/dtypes.def"
    };
    char   text[32];
    size_t k;

    if (!take_string(r, text, sizeof text))
        return refuse("descr is not a string: structured dtypes are not supported", err);
    for (k = 0; k < sizeof known / sizeof known[0]; k++)
        if (text[0] && known[k].word[0] && strcmp(text + 1, known[k].word) == 0) break;
    if (k == sizeof known / sizeof known[0] || !strchr("<>=|", text[0]) ||
        (text[0] == '|' && stria_dtype_get_size(known[k].dtype) > 1))
        return stria_error_set(err, STRIA_ERR_FORMAT, OP, "descr", "a numeric dtype", text,
                               "dtype '%s' is not supported", text);
    h->dtype = known[k].dtype;
    h->is_big_endian = text[0] == '>';
    if (text[0] == '=') h->is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    return STRIA_OK;
}

static stria_status read_member(reader *r, header *h, unsigned *seen, stria_error *err)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    char                     text[32];
    int                      k;

    if (!take_string(r, text, sizeof text) || !take(r, ':')) return refuse("malformed header", err);
    for (k = 0; k < 3 && strcmp(text, keys[k]) != 0; k++) {}
    if (k == 3) return refuse("unknown key in the header", err);
    if (*seen >> k & 1) return refuse("a key is twice in the header", err);
    *seen |= 1u << k;
    if (k == 0) return read_descr(r, h, err);
    if (k == 2) return read_shape(r, h, err);
    h->is_fortran = take_word(r, "True");
    if (!h->is_fortran && !take_word(r, "False")) return refuse("fortran_order is not a bool", err);
    return STRIA_OK;
}

static stria_status read_dict(reader *r, header *h, stria_error *err)
{
    unsigned seen = 0;
    bool     has_comma = true;

    if (!take(r, '{')) return refuse("the header is not a dict", err);
    while (!take(r, '}')) {
        if (!has_comma) return refuse("malformed header", err);
        STRIA_TRY(read_member(r, h, &seen, err));
        has_comma = take(r, ',');
    }
    skip_space(r);
    if (r->at != r->end) return refuse("something follows the dict in the header", err);
    if (seen != 7) return refuse("a key is missing in the header", err);
    return STRIA_OK;
}

/* Reads what comes before the elements; r is left at the first of them. */
static stria_status read_header(reader *r, header *h, stria_error *err)
{
    size_t length, length_bytes;
    reader text;

    if (r->end - r->at < MAGIC_BYTES + 2 || memcmp(r->at, MAGIC, MAGIC_BYTES) != 0)
        return refuse("this is not a .npy file", err);
    if (r->at[6] < 1 || r->at[6] > 3 || r->at[7] != 0)
        return refuse("versions other than 1.0, 2.0 and 3.0 are not supported", err);
    length_bytes = r->at[6] == 1 ? 2 : 4;
    r->at += MAGIC_BYTES + 2;
    if ((size_t)(r->end - r->at) < length_bytes) return refuse("the header is cut off", err);
    length = (size_t)r->at[0] | (size_t)r->at[1] << 8;
    if (length_bytes == 4) length |= (size_t)r->at[2] << 16 | (size_t)r->at[3] << 24;
    r->at += length_bytes;
    if ((size_t)(r->end - r->at) < length) return refuse("the header is cut off", err);
    text = (reader){r->at, r->at + length};
    r->at += length;
    return read_dict(&text, h, err);
}

/* ---------------------------------------------------------------- elements */

/* Column-major: the strides of the reversed shape, reversed. */
static void get_fortran_strides(int ndim, const int64_t *shape, int64_t *strides)
{
    int64_t stride = 1;

    for (int d = 0; d < ndim; d++) {
        strides[d] = stride;
        if (shape[d] > 1) stride *= shape[d];
    }
}

stria_status stria_npy_get(const void *bytes, size_t nbytes, stria_tensor **out, stria_error *err)
{
    reader        r = {bytes, bytes ? (const unsigned char *)bytes + nbytes : NULL};
    header        h;
    int64_t       numel, strides[STRIA_MAX_DIMS];
    size_t        wanted;
    stria_tensor *x = NULL;

    if (out) *out = NULL;
    if (!out || (!bytes && nbytes))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, out ? "bytes" : "out", NULL, "NULL", "%s is NULL",
                               out ? "bytes" : "out");
    STRIA_TRY(read_header(&r, &h, err));
    STRIA_TRY(stria_shape_get_numel(OP, "shape", h.dtype, h.ndim, h.shape, &numel, &wanted, err));
    if ((size_t)(r.end - r.at) < wanted)
        return stria_error_set(err, STRIA_ERR_FORMAT, OP, "bytes", NULL, NULL,
                               "cut off: the header promises %llu bytes of elements, %llu are here",
                               (unsigned long long)wanted, (unsigned long long)(r.end - r.at));
    get_fortran_strides(h.ndim, h.shape, strides);
    stria_status status = h.is_fortran ? stria_tensor_new_strided(h.dtype, h.ndim, h.shape, strides, &x, err)
                                       : stria_tensor_new(h.dtype, h.ndim, h.shape, &x, err);
    if (status != STRIA_OK) return stria_error_set_op(err, status, OP);
    stria_elements_copy(h.dtype, h.is_big_endian, r.at, wanted, x->data);
    *out = x;
    return STRIA_OK;
}

/* ---------------------------------------------------------------- writing */

static const char *get_descr(stria_dtype dtype)
{
    static const char *const words[] = {
#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) npy,
#include "table/dtypes.def"
    };
    return words[dtype];
}

/* Longest header: 64 sizes of 19 digits and what surrounds them. */
#define HEADER_MAX 2048

/* The start of the file, up to the first element, into text [HEADER_MAX]: its length is a multiple of 64. Blanks leave
 * room, as NumPy leaves it, for the first size to grow to 21 characters in place. */
static size_t write_header(const stria_tensor *x, char *text)
{
    const char  *descr = get_descr(x->dtype);
    const char  *order = stria_dtype_get_size(x->dtype) == 1 ? "|" : "<";
    const size_t start = MAGIC_BYTES + 4;
    char        *dict = text + start;
    int          n, digits = 0;
    size_t       total;

    n = sprintf(dict, "{'descr': '%s%s', 'fortran_order': False, 'shape': (", order, descr);
    for (int d = 0; d < x->ndim; d++) {
        const int added = sprintf(dict + n, d ? ", %lld" : "%lld", (long long)x->shape[d]);
        if (d == 0) digits = added;
        n += added;
    }
    n += sprintf(dict + n, x->ndim == 1 ? ",), }" : "), }");
    if (x->ndim)
        for (; digits < 21; digits++) dict[n++] = ' ';
    total = (start + (size_t)n + 1 + 63) / 64 * 64;
    memset(dict + n, ' ', total - start - (size_t)n);
    text[total - 1] = '\n';
    memcpy(text, MAGIC "\x01\x00", MAGIC_BYTES + 2);
    text[8] = (char)((total - start) & 0xFF);
    text[9] = (char)((total - start) >> 8);
    return total;
}

/* What cannot be written, and x in row-major order in *y, to be released. */
static stria_status prepare(const stria_tensor *x, const stria_tensor **y, stria_error *err)
{
    stria_tensor *copy = NULL;
    stria_status  status;

    if (!x) return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "x", "a tensor", "NULL", "x is NULL");
    if (x->device.type != STRIA_DEVICE_CPU)
        return stria_error_set(err, STRIA_ERR_DEVICE, OP, "x", "a tensor on the CPU", NULL,
                               "the tensor is not in the memory of the CPU");
    if (!get_descr(x->dtype)[0])
        return stria_error_set(err, STRIA_ERR_DTYPE, OP, "x", NULL, stria_dtype_get_name(x->dtype),
                               ".npy files have no dtype for %s", stria_dtype_get_name(x->dtype));
    /* contiguous gives x itself one more owner, or a copy: x is not written to */
    status = stria_contiguous((stria_tensor *)(uintptr_t)x, &copy, err);
    *y = copy;
    return status;
}

stria_status stria_npy_copy(const stria_tensor *x, void **bytes, size_t *nbytes, stria_error *err)
{
    char                start[HEADER_MAX], *buffer;
    const stria_tensor *y = NULL;
    size_t              head, body;

    if (bytes) *bytes = NULL;
    if (nbytes) *nbytes = 0;
    if (!bytes || !nbytes)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, bytes ? "nbytes" : "bytes", NULL, "NULL", "%s is NULL",
                               bytes ? "nbytes" : "bytes");
    STRIA_TRY(prepare(x, &y, err));
    head = write_header(y, start);
    body = (size_t)y->numel * stria_dtype_get_size(y->dtype);
    buffer = stria_bytes_new(head + body);
    if (buffer) {
        memcpy(buffer, start, head);
        stria_elements_copy(y->dtype, false, y->data, body, buffer + head);
        *bytes = buffer;
        *nbytes = head + body;
    }
    stria_tensor_release((stria_tensor *)(uintptr_t)y);
    if (buffer) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_MEMORY, OP, NULL, NULL, NULL, "no memory for %llu bytes",
                           (unsigned long long)(head + body));
}

/* ---------------------------------------------------------------- files */

static stria_status refuse_io(const char *what, const char *path, int error, stria_error *err)
{
    return stria_error_set(err, error == ENOSYS ? STRIA_ERR_UNSUPPORTED : STRIA_ERR_IO, OP, "path", NULL, path,
                           "%s '%s': %s", what, path, error ? strerror(error) : "failed");
}

/* Bytes of the file that begins with these `used` ones, at least 64 KB or all of it: header and elements. SIZE_MAX while the header goes
 * on behind them; `used` where stria_npy_get will refuse it. */
static size_t get_file_nbytes(const char *bytes, size_t used)
{
    const unsigned char *at = (const unsigned char *)bytes;
    reader               r = {at, at + used};
    header               h;
    int64_t              numel;
    size_t               wanted;

    if (read_header(&r, &h, NULL) == STRIA_OK) {
        const size_t before = (size_t)(r.at - at);
        if (stria_shape_get_numel(OP, "shape", h.dtype, h.ndim, h.shape, &numel, &wanted, NULL) != STRIA_OK)
            return used;
        return wanted <= SIZE_MAX - before ? before + wanted : SIZE_MAX;
    }
    if (used < 12 || memcmp(bytes, MAGIC, MAGIC_BYTES) != 0 || at[6] < 1 || at[6] > 3) return used;
    const size_t length = at[6] == 1
                              ? 10 + ((size_t)at[8] | (size_t)at[9] << 8)
                              : 12 + ((size_t)at[8] | (size_t)at[9] << 8 | (size_t)at[10] << 16 | (size_t)at[11] << 24);
    return length > used ? SIZE_MAX : used;
}

/* Reads an open file, as far as its header says or to its end, into a new buffer. */
static stria_status read_file(FILE *file, const char *path, char **bytes, size_t *nbytes, stria_error *err)
{
    size_t capacity = 65536, used = 0, wanted = SIZE_MAX;
    char  *buffer = stria_bytes_new(capacity), *larger;

    while (buffer) {
        used += fread(buffer + used, 1, (wanted < capacity ? wanted : capacity) - used, file);
        if (ferror(file)) {
            const int error = errno;
            stria_bytes_release(buffer);
            return refuse_io("cannot read", path, error, err);
        }
        if (wanted == SIZE_MAX) wanted = get_file_nbytes(buffer, used);
        if (used < capacity || used >= wanted) break;
        larger = capacity <= (size_t)PTRDIFF_MAX / 2 ? stria_bytes_new(capacity * 2) : NULL;
        if (larger) memcpy(larger, buffer, used);
        stria_bytes_release(buffer);
        buffer = larger;
        capacity *= 2;
    }
    if (!buffer) return stria_error_set(err, STRIA_ERR_MEMORY, OP, NULL, NULL, path, "no memory to read '%s'", path);
    *bytes = buffer;
    *nbytes = used;
    return STRIA_OK;
}

stria_status stria_npy_get_file(const char *path, stria_tensor **out, stria_error *err)
{
    FILE        *file;
    char        *bytes = NULL;
    size_t       nbytes = 0;
    stria_status status;

    if (out) *out = NULL;
    if (!path || !out)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, path ? "out" : "path", NULL, "NULL", "%s is NULL",
                               path ? "out" : "path");
    errno = 0;
    file = fopen(path, "rb");
    if (!file) return refuse_io("cannot open", path, errno, err);
    status = read_file(file, path, &bytes, &nbytes, err);
    fclose(file);
    if (status != STRIA_OK) return status;
    status = stria_npy_get(bytes, nbytes, out, err);
    stria_bytes_release(bytes);
    return status;
}

stria_status stria_npy_set_file(const char *path, const stria_tensor *x, stria_error *err)
{
    FILE  *file;
    void  *bytes = NULL;
    size_t nbytes = 0;
    bool   ok;
    int    error;

    if (!path) return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "path", NULL, "NULL", "path is NULL");
    STRIA_TRY(stria_npy_copy(x, &bytes, &nbytes, err));
    errno = 0;
    file = fopen(path, "wb");
    ok = file && fwrite(bytes, 1, nbytes, file) == nbytes;
    if (file && fclose(file) != 0) ok = false;
    error = errno;
    stria_bytes_release(bytes);
    return ok ? STRIA_OK : refuse_io("cannot write", path, error, err);
}
