/* test_npy.c - .npy files: real ones written by NumPy and npyjs, malformed headers, truncation, random damage.
 *
 * The real files are in $STRIA_TESTDATA/npy, by default ../shared/testdata/npy beside the repository, described by
 * index.jsonl. Where they are absent that part is skipped, and says so. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "base/alloc.h"
#include "oracle.h"
#include "testdata.h"

#ifndef STRIA_SOURCE_DIR
#define STRIA_SOURCE_DIR "."
#endif

/* ---------------------------------------------------------------- real files */

/* Number, "NaN", "Infinity", "9007199254740993", true. */
static value read_value(const json *j)
{
    if (j->type == JSON_BOOL) return value_from_whole(j->boolean);
    if (j->type == JSON_STRING) {
        char *end;
        errno = 0;
        if (j->string[0] == '-' && j->string[1] >= '0' && j->string[1] <= '9')
            return value_from_whole(strtoll(j->string, &end, 10));
        if (j->string[0] >= '0' && j->string[0] <= '9')
            return value_from_whole((whole_int)strtoull(j->string, &end, 10));
        return value_from_real(strtod(j->string, &end));
    }
    return value_from_real(j->number);
}

static void read_element(const json *j, stria_dtype dtype, void *at)
{
    value v;

    if (j->type == JSON_ARRAY) {
        v = value_from_real(read_value(json_at(j, 0)).real);
        v.imag = read_value(json_at(j, 1)).real;
        value_set(dtype, v, at);
    } else {
        value_set(dtype, read_value(j), at);
    }
}

/* The expected elements in row-major order, numel * size bytes; NULL if the entry makes no sense. */
static char *get_expected(const json *expect, stria_dtype dtype, int64_t numel)
{
    const size_t size = stria_dtype_get_size(dtype), nbytes = (size_t)numel * size;
    const json  *data = json_get(expect, "data");
    const char  *b64 = json_get_string(expect, "b64", NULL);
    char        *out = calloc(1, nbytes + 16);
    size_t       n = 0;

    if (b64) {
        n = testdata_decode(b64, out, nbytes);
    } else if (data) {
        for (const json *e = data->first; e && n < nbytes; e = e->next, n += size) read_element(e, dtype, out + n);
    }
    if (n == nbytes) return out;
    free(out);
    return NULL;
}

static stria_dtype find_dtype(const char *js)
{
#define STRIA_DTYPE(word, ENUM, size, category, compute, js_name, npy, summary) \
    if (strcmp(js, js_name) == 0) return STRIA_##ENUM;
#include "table/dtypes.def"
    return STRIA_DTYPE_NONE;
}

static void check_elements(const char *name, const stria_tensor *x, const char *expected)
{
    const size_t size = stria_dtype_get_size(stria_tensor_get_dtype(x));
    int64_t      index[STRIA_MAX_DIMS] = {0}, n = 0, wrong = 0;

    if (stria_tensor_get_numel(x) == 0) return;
    do {
        wrong += !value_same(stria_tensor_get_dtype(x), tensor_at(x, index), expected + (size_t)n * size);
        n++;
    } while (index_next(stria_tensor_get_ndim(x), stria_tensor_get_shape(x), index));
    CHECK(wrong == 0, "%s: %lld elements differ", name, (long long)wrong);
}

static int n_same_bytes;

/* Written again, the file must say the same; and be the same, where it was written in our style. */
static void check_round_trip(const char *name, const json *entry, const stria_tensor *x, const char *expected,
                             const char *bytes, size_t nbytes)
{
    void         *again = NULL;
    size_t        again_nbytes = 0;
    stria_tensor *y = NULL;
    const char   *descr = json_get_string(entry, "descr", "");
    const size_t  start = 10 + (size_t)(unsigned char)bytes[8] + 256 * (size_t)(unsigned char)bytes[9];

    CHECK_STATUS(stria_npy_copy(x, &again, &again_nbytes, NULL), STRIA_OK);
    CHECK_STATUS(stria_npy_get(again, again_nbytes, &y, NULL), STRIA_OK);
    if (y) {
        CHECK(stria_tensor_get_contiguous(y), "%s: not in row-major order", name);
        check_elements(name, y, expected);
    }
    if (bytes[6] == 1 && start % 64 == 0 && descr[0] != '>' && !json_get_bool(entry, "fortran_order", true)) {
        CHECK(again_nbytes == nbytes && memcmp(again, bytes, nbytes) == 0, "%s: written again, the bytes differ", name);
        n_same_bytes++;
    }
    stria_bytes_release(again);
    stria_tensor_release(y);
}

static void check_file(const char *folder, const json *entry)
{
    const char   *name = json_get_string(entry, "file", "?");
    const json   *expect = json_get(entry, "expect"), *shape = json_get(expect, "shape");
    char          path[1024], *bytes, *expected;
    size_t        nbytes;
    stria_tensor *x = NULL;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    bytes = testdata_read(path, &nbytes);
    CHECK(bytes != NULL, "%s cannot be read", path);
    if (!bytes) return;
    if (expect->type == JSON_STRING) {
        CHECK_STATUS(stria_npy_get(bytes, nbytes, &x, NULL), STRIA_ERR_FORMAT);
        CHECK_STATUS(stria_npy_get_file(path, &x, NULL), STRIA_ERR_FORMAT);
        CHECK(x == NULL, "%s: a tensor came out", name);
        free(bytes);
        return;
    }
    CHECK_STATUS(stria_npy_get_file(path, &x, NULL), STRIA_OK);
    if (x) {
        bool same = stria_tensor_get_ndim(x) == shape->count &&
                    stria_tensor_get_dtype(x) == find_dtype(json_get_string(expect, "dtype", "?"));
        for (int d = 0; same && d < shape->count; d++)
            same = stria_tensor_get_shape(x)[d] == json_at(shape, d)->integer;
        CHECK(same, "%s: dtype or shape differs", name);
        if (json_get_bool(entry, "fortran_order", false) && shape->count > 1)
            CHECK(stria_tensor_get_strides(x)[0] == 1, "%s: strides are not column-major", name);
        expected = get_expected(expect, stria_tensor_get_dtype(x), stria_tensor_get_numel(x));
        CHECK(expected != NULL, "%s: index.jsonl does not describe the elements", name);
        if (same && expected) {
            check_elements(name, x, expected);
            check_round_trip(name, entry, x, expected, bytes, nbytes);
        }
        free(expected);
    }
    stria_tensor_release(x);
    free(bytes);
}

static void check_real_files(void)
{
    char   folder[900], path[1000], *index, *line;
    size_t nbytes;
    int    n = 0;

    snprintf(folder, sizeof folder, "%s/npy", testdata_folder());
    snprintf(path, sizeof path, "%s/index.jsonl", folder);
    index = testdata_read(path, &nbytes);
    if (!index) {
        printf("test_npy: SKIPPED 82 real files: %s is not here\n", folder);
        return;
    }
    for (line = index; line < index + nbytes;) {
        char *end = memchr(line, '\n', (size_t)(index + nbytes - line));
        if (!end) end = index + nbytes;
        if (end > line) {
            json *entry = json_parse(line, (size_t)(end - line));
            CHECK(entry != NULL, "line %d of index.jsonl", n + 1);
            if (entry) check_file(folder, entry);
            json_free(entry);
            n++;
        }
        line = end + 1;
    }
    free(index);
    CHECK(n >= 80, "%d files only", n);
    CHECK(n_same_bytes >= 40, "%d files only are written in the same way", n_same_bytes);
    printf("test_npy: %d real files, %d written again byte for byte\n", n, n_same_bytes);
}

/* ---------------------------------------------------------------- made files */

static char   made[4096];
static size_t made_nbytes;

/* A file with this header text and n bytes of elements 1, 2, 3 .. */
static void make(int version, const char *header, size_t n)
{
    const size_t length = strlen(header);

    memcpy(made, "\x93NUMPY", 6);
    made[6] = (char)version;
    made[7] = 0;
    made[8] = (char)(length & 255);
    made[9] = (char)(length >> 8);
    made[10] = made[11] = 0;
    made_nbytes = version == 1 ? 10 : 12;
    memcpy(made + made_nbytes, header, length);
    made_nbytes += length;
    for (size_t k = 0; k < n; k++) made[made_nbytes++] = (char)(k + 1);
}

/* From memory that ends where the file ends, so that reading past it is seen. */
static stria_status get_guarded(size_t nbytes, stria_tensor **out, stria_error *err)
{
    guarded      memory = guarded_new(nbytes, true);
    stria_status status;

    if (nbytes) memcpy(memory.data, made, nbytes);
    status = stria_npy_get(memory.data, nbytes, out, err);
    guarded_release(memory);
    return status;
}

static const struct {
    const char  *header;
    stria_status status;
} headers[] = {
    {"{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }", STRIA_OK},
    {"{'descr':'<i2','fortran_order':False,'shape':(2,3)}\n", STRIA_OK},
    {"{\"shape\": (2L, 3L,), \"descr\": \"=i2\", \"fortran_order\": True}      \n", STRIA_OK},
    {"  { 'descr' : '>u2' , 'fortran_order' : False , 'shape' : ( 6 , ) , } ", STRIA_OK},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (12,)}", STRIA_OK},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': ()}", STRIA_OK},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 9)}", STRIA_OK},
    {"", STRIA_ERR_FORMAT},
    {"{", STRIA_ERR_FORMAT},
    {"{}", STRIA_ERR_FORMAT},
    {"{,}", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3)", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3}", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'fortran_order': False, 'shape': (2 3)}", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'fortran_order': False, 'shape': (,)}", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'fortran_order': False, 'shape': (2,,3)}", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'fortran_order': False, 'shape': (6)}", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'fortran_order': False, 'shape': 6}", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'fortran_order': False, 'shape': [6]}", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'fortran_order': False, 'shape': (-6,)}", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'fortran_order': False, 'shape': (6.0,)}", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'fortran_order': False, 'shape': (None,)}", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'fortran_order': False, 'shape': (9223372036854775808,)}", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'fortran_order': False, 'shape': (99999999999999999999999999,)}", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'fortran_order': False, 'shape': (9223372036854775807,)}", STRIA_ERR_OVERFLOW},
    {"{'descr': '<i2', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", STRIA_ERR_OVERFLOW},
    {"{'descr': '<i2', 'fortran_order': False, 'shape': (0, 4294967296, 4294967296)}", STRIA_ERR_OVERFLOW},
    {"{'descr': '<i2', 'fortran_order': False, 'shape': (2, 4)}", STRIA_ERR_FORMAT}, /* more than is there */
    {"{'descr': '<i2', 'fortran_order': False, 'shape': (1000000000,)}", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'fortran_order': 0, 'shape': (2, 3)}", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'fortran_order': 'False', 'shape': (2, 3)}", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'fortran_order': Falsey, 'shape': (2, 3)}", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'shape': (2, 3)}", STRIA_ERR_FORMAT},
    {"{'fortran_order': False, 'shape': (2, 3)}", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'fortran_order': False}", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'descr': '<i2', 'fortran_order': False, 'shape': (2, 3)}", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), 'x': 1}", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3)} junk", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3)},", STRIA_ERR_FORMAT},
    {"{'descr': '<i2' 'fortran_order': False, 'shape': (2, 3)}", STRIA_ERR_FORMAT},
    {"{'descr': '<i2, 'fortran_order': False, 'shape': (2, 3)}", STRIA_ERR_FORMAT},
    {"{descr: '<i2', 'fortran_order': False, 'shape': (2, 3)}", STRIA_ERR_FORMAT},
    {"{'des\\x63r': '<i2', 'fortran_order': False, 'shape': (2, 3)}", STRIA_ERR_FORMAT},
    {"{'descr': '|O', 'fortran_order': False, 'shape': (2, 3)}", STRIA_ERR_FORMAT},
    {"{'descr': '<U4', 'fortran_order': False, 'shape': (2, 3)}", STRIA_ERR_FORMAT},
    {"{'descr': '|S4', 'fortran_order': False, 'shape': (2, 3)}", STRIA_ERR_FORMAT},
    {"{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1,)}", STRIA_ERR_FORMAT},
    {"{'descr': '<f16', 'fortran_order': False, 'shape': ()}", STRIA_ERR_FORMAT},
    {"{'descr': '|i2', 'fortran_order': False, 'shape': (2, 3)}", STRIA_ERR_FORMAT},
    {"{'descr': '!i2', 'fortran_order': False, 'shape': (2, 3)}", STRIA_ERR_FORMAT},
    {"{'descr': 'i2', 'fortran_order': False, 'shape': (2, 3)}", STRIA_ERR_FORMAT},
    {"{'descr': '<', 'fortran_order': False, 'shape': (2, 3)}", STRIA_ERR_FORMAT},
    {"{'descr': '', 'fortran_order': False, 'shape': (2, 3)}", STRIA_ERR_FORMAT},
    {"{'descr': [('a', '<i2')], 'fortran_order': False, 'shape': (2, 3)}", STRIA_ERR_FORMAT},
    {"{'descr': ('<i2', (2,)), 'fortran_order': False, 'shape': (3,)}", STRIA_ERR_FORMAT},
    {"{'descr': '<i2', 'fortran_order': False, 'shape': "
     "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
     "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
     STRIA_OK}, /* 64 dims */
    {"{'descr': '<i2', 'fortran_order': False, 'shape': "
     "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
     "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
     STRIA_ERR_FORMAT}, /* 65 */
};

/* Versions 2 and 3 count the header in four bytes, all of which matter: 0x01020340 bytes, spaces for the most part. */
static void check_long_header(void)
{
    const size_t  length = 0x01020340, nbytes = 12 + length + 4;
    char         *file = malloc(nbytes);
    stria_tensor *x = NULL;

    CHECK(file != NULL, "no memory");
    if (file == NULL) return;
    make(2, "{'descr': '|u1', 'fortran_order': False, 'shape': (4,)}", 0);
    memset(file, ' ', nbytes);
    memcpy(file, made, made_nbytes);
    memcpy(file + 8, (const char[]){0x40, 0x03, 0x02, 0x01}, 4);
    memcpy(file + 12 + length, (const char[]){5, 6, 7, 8}, 4);
    CHECK_STATUS(stria_npy_get(file, nbytes, &x, NULL), STRIA_OK);
    CHECK(x != NULL && stria_tensor_get_ndim(x) == 1, "a tensor");
    for (int k = 0; x != NULL && k < 4; k++) CHECK(((char *)stria_tensor_get_data(x))[k] == 5 + k, "element %d", k);
    stria_tensor_release(x);
    free(file);
}

static void check_headers(void)
{
    for (size_t k = 0; k < sizeof headers / sizeof headers[0]; k++) {
        for (int version = 1; version <= 3; version++) {
            stria_tensor *x = NULL;
            stria_error   err = {0};
            make(version, headers[k].header, 12);
            const stria_status status = get_guarded(made_nbytes, &x, &err);
            CHECK(status == headers[k].status, "%s: %s (%s), expected %s", headers[k].header,
                  stria_status_get_name(status), err.message, stria_status_get_name(headers[k].status));
            CHECK((x != NULL) == (status == STRIA_OK), "%s: out", headers[k].header);
            CHECK(status == STRIA_OK || (err.code == status && strncmp(err.message, "npy: ", 5) == 0), "%s: message",
                  headers[k].header);
            stria_tensor_release(x);
        }
    }
}

static void check_elements_made(void)
{
    stria_tensor *x = NULL;

    make(1, "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3)}", 20); /* 8 bytes too many: ignored */
    CHECK_STATUS(get_guarded(made_nbytes, &x, NULL), STRIA_OK);
    CHECK(x && ((int16_t *)stria_tensor_get_data(x))[1] == 0x0304 && stria_tensor_get_strides(x)[1] == 2,
          "big-endian elements in Fortran order");
    stria_tensor_release(x);
    make(1, "{'descr': '>c8', 'fortran_order': False, 'shape': (1,)}", 8);
    CHECK_STATUS(get_guarded(made_nbytes, &x, NULL), STRIA_OK);
    CHECK(x && ((uint32_t *)stria_tensor_get_data(x))[0] == 0x01020304 &&
              ((uint32_t *)stria_tensor_get_data(x))[1] == 0x05060708,
          "complex numbers are swapped part by part");
    stria_tensor_release(x);
    make(1, "{'descr': '>c16', 'fortran_order': False, 'shape': (1,)}", 16);
    CHECK_STATUS(get_guarded(made_nbytes, &x, NULL), STRIA_OK);
    CHECK(x && ((uint64_t *)stria_tensor_get_data(x))[0] == 0x0102030405060708u &&
              ((uint64_t *)stria_tensor_get_data(x))[1] == 0x090a0b0c0d0e0f10u,
          "complex128 is swapped part by part");
    stria_tensor_release(x);
    make(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", 3);
    CHECK_STATUS(get_guarded(made_nbytes, &x, NULL), STRIA_OK);
    CHECK(x && memcmp(stria_tensor_get_data(x), "\1\1\1", 3) == 0, "truth values are 0 or 1");
    stria_tensor_release(x);
}

static void check_damage(void)
{
    random_state  random = {77};
    stria_tensor *x = NULL;
    int           accepted = 0, refused = 0;

    make(1, "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }   \n", 12);
    for (size_t n = 0; n < made_nbytes; n++) CHECK_STATUS(get_guarded(n, &x, NULL), STRIA_ERR_FORMAT);
    for (int version = 0; version < 256; version++) {
        if (version >= 1 && version <= 3) continue;
        made[6] = (char)version;
        CHECK_STATUS(get_guarded(made_nbytes, &x, NULL), STRIA_ERR_FORMAT);
    }
    made[6] = 1;
    made[7] = 1;
    CHECK_STATUS(get_guarded(made_nbytes, &x, NULL), STRIA_ERR_FORMAT);
    for (int round = 0; round < 40000; round++) {
        make(1 + round % 3, "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }   \n", 12);
        for (uint64_t n = random_next(&random) % 4 + 1; n > 0; n--) {
            static const char likely[] = "0123456789(){}[],:' \"<>=|LTFb1i8c";
            const uint64_t    r = random_next(&random);
            made[(r >> 8) % made_nbytes] = r & 1 ? likely[(r >> 40) % (sizeof likely - 1)] : (char)(r >> 40);
        }
        const stria_status status = get_guarded(made_nbytes - random_next(&random) % 2, &x, NULL);
        CHECK(status == STRIA_OK || status == STRIA_ERR_FORMAT || status == STRIA_ERR_OVERFLOW, "round %d: %s", round,
              stria_status_get_name(status));
        CHECK((x != NULL) == (status == STRIA_OK), "round %d: out after %s", round, stria_status_get_name(status));
        accepted += status == STRIA_OK;
        refused += status != STRIA_OK;
        stria_tensor_release(x);
    }
    CHECK(accepted > 500 && refused > 1000, "%d damaged files accepted, %d refused", accepted, refused);
}

/* ---------------------------------------------------------------- writing */

static void check_writing(void)
{
    const int16_t data[] = {0, 1, 2, 3, 4, 5};
    stria_tensor *x = NULL, *t = NULL, *y = NULL, *wide = NULL;
    stria_error   err;
    void         *bytes = NULL;
    size_t        nbytes = 0;
    int64_t       ones[STRIA_MAX_DIMS];
    char          path[512];
    const char   *folder = getenv("TMPDIR");

    snprintf(path, sizeof path, "%s/test_npy_%ld.npy", folder ? folder : "/tmp", (long)getpid());
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_I16, 2, (int64_t[]){2, 3}, data, sizeof data, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_transpose(x, 0, 1, &t, NULL), STRIA_OK);
    CHECK_STATUS(stria_npy_set_file(path, t, NULL), STRIA_OK);
    CHECK_STATUS(stria_npy_get_file(path, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_shape(y)[0] == 3 && ((int16_t *)stria_tensor_get_data(y))[1] == 3,
          "a transposed tensor");
    stria_tensor_release(y);
    char expected[600];
    snprintf(expected, sizeof expected, "npy: no memory to read '%s'", path);
    stria_alloc_set_failure(1);
    CHECK_STATUS(stria_npy_get_file(path, &y, &err), STRIA_ERR_MEMORY);
    stria_alloc_set_failure(0);
    CHECK(y == NULL && strcmp(err.op, "npy") == 0 && err.argument[0] == 0 &&
              strncmp(err.message, expected, strlen(err.message)) == 0 && strlen(err.message) > 24,
          "op '%s', argument '%s': %s", err.op, err.argument, err.message);
    remove(path);
    stria_tensor_release(t);
    for (int d = 0; d < STRIA_MAX_DIMS; d++) ones[d] = 1;
    CHECK_STATUS(stria_view(x, (int64_t[]){6}, 1, &t, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_U8, STRIA_MAX_DIMS, ones, "x", 1, &wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_npy_copy(wide, &bytes, &nbytes, NULL), STRIA_OK);
    CHECK_STATUS(stria_npy_get(bytes, nbytes, &y, NULL), STRIA_OK);
    CHECK(nbytes % 64 == 1 && y && stria_tensor_get_ndim(y) == STRIA_MAX_DIMS &&
              *(char *)stria_tensor_get_data(y) == 'x',
          "64 dims");
    stria_bytes_release(bytes);
    stria_tensor_release(y);
    stria_tensor_release(wide);
    stria_tensor_release(t);

    CHECK_STATUS(stria_npy_set_file("no/such/folder/x.npy", x, &err), STRIA_ERR_IO);
    CHECK(strstr(err.message, "no/such/folder/x.npy") != NULL, "the message names the path: %s", err.message);
    CHECK_STATUS(stria_npy_get_file("no/such/file.npy", &y, &err), STRIA_ERR_IO);
    CHECK(y == NULL, "a tensor from no file");
    CHECK_STATUS(stria_npy_get_file(".", &y, NULL), STRIA_ERR_IO);
    stria_tensor_release(x);
    CHECK_STATUS(stria_tensor_new(STRIA_BF16, 1, (int64_t[]){3}, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_npy_copy(x, &bytes, &nbytes, &err), STRIA_ERR_DTYPE);
    CHECK(bytes == NULL && nbytes == 0 && strcmp(err.got, "bf16") == 0, "bf16: %s", err.message);
    stria_tensor_release(x);
    CHECK_STATUS(stria_empty((int64_t[]){3}, 1, STRIA_F32, STRIA_META, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_npy_copy(x, &bytes, &nbytes, NULL), STRIA_ERR_DEVICE);
    stria_tensor_release(x);
    stria_bytes_release(NULL);
}

/* Elements are written as they are, NaNs with their payloads, whatever the memory order. */
static void check_bits(stria_dtype dtype)
{
    static const int64_t shape[3] = {3, 4, 8};
    static const int     axes[3] = {2, 1, 0};
    stria_tensor        *x = NULL, *turned = NULL, *y = NULL;
    void                *bytes = NULL;
    size_t               n_bytes = 0;
    int64_t              index[3] = {0};
    int                  wrong = 0;

    CHECK_STATUS(stria_tensor_new(dtype, 3, shape, &x, NULL), STRIA_OK);
    uint16_t *bits = stria_tensor_get_data(x);
    for (int i = 0; i < 96; i++) bits[i] = (uint16_t)(0x7c01 + 331 * i);
    CHECK_STATUS(stria_permute(x, axes, 3, &turned, NULL), STRIA_OK);
    CHECK_STATUS(stria_npy_copy(turned, &bytes, &n_bytes, NULL), STRIA_OK);
    CHECK_STATUS(stria_npy_get(bytes, n_bytes, &y, NULL), STRIA_OK);
    do {
        wrong += memcmp(tensor_at(turned, index), tensor_at(y, index), sizeof *bits) != 0;
    } while (y != NULL && index_next(3, stria_tensor_get_shape(y), index));
    CHECK(wrong == 0, "%d elements of %s are not as they were", wrong, stria_dtype_get_name(dtype));
    stria_bytes_release(bytes);
    stria_tensor_release(y);
    stria_tensor_release(turned);
    stria_tensor_release(x);
}

/* Files without an end are read as far as their header says. */
static void check_endless(void)
{
#if defined(__linux__)
    stria_error   err;
    stria_tensor *x = NULL;
    FILE         *file = fopen("/dev/zero", "rb");

    if (file == NULL) return;
    fclose(file);
    CHECK_STATUS(stria_npy_get_file("/dev/zero", &x, &err), STRIA_ERR_FORMAT);
    CHECK(strcmp(err.message, "npy: this is not a .npy file") == 0, "%s", err.message);
#endif
}

/* A file that promises more elements than there can be is refused before anything is made for them. */
static void check_promises(void)
{
    char          path[512];
    const char   *folder = getenv("TMPDIR");
    stria_error   err = {0};
    stria_tensor *x = NULL;

    snprintf(path, sizeof path, "%s/test_npy_%ld.npy", folder ? folder : "/tmp", (long)getpid());
    make(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }\n", 16);
    FILE *file = fopen(path, "wb");
    if (file == NULL) return; /* no file system */
    CHECK(fwrite(made, 1, made_nbytes, file) == made_nbytes, "not written");
    fclose(file);
    CHECK_STATUS(stria_npy_get_file(path, &x, &err), STRIA_ERR_OVERFLOW);
    CHECK(x == NULL && strcmp(err.op, "npy") == 0 && strcmp(err.argument, "shape") == 0, "%s", err.argument);
    CHECK(strstr(err.message, "needs more than 2^63 - 1 elements") != NULL, "%s", err.message);
    remove(path);
}

SUITE(test_npy)
{
    check_endless();
    check_promises();
    check_real_files();
    check_headers();
    check_long_header();
    check_elements_made();
    check_damage();
    check_writing();
    CHECK(stria_memory_get_stats().live_bytes == 0, "memory is left");
    check_bits(STRIA_F16);
    check_bits(STRIA_I16);
    return check_finish("test_npy");
}
