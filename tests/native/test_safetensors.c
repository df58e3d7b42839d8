/* test_safetensors.c - safetensors files: those of the format's own tests, every rule broken once, damage, and writing.
 *
 * The format's tests are $STRIA_TESTDATA/safetensors-literals.jsonl, by default in ../shared/testdata beside the repository. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "io/safetensors.h"
#include "json.h"
#include "oracle.h"
#include "stria_safetensors.h"
#include "testdata.h"

/* From memory that ends where the file ends, so that reading past it is seen. */
static stria_status read_guarded(const void *bytes, size_t nbytes, guarded *memory, stria_safetensors **out,
                                 stria_error *err)
{
    *memory = guarded_new(nbytes, true);
    if (nbytes) memcpy(memory->data, bytes, nbytes);
    return stria_safetensors_new(memory->data, nbytes, out, err);
}

/* ---------------------------------------------------------------- the format's tests */

static void check_literal(const json *entry)
{
    const char        *name = json_get_string(entry, "name", "?"), *expect = json_get_string(entry, "expect", "?");
    char               bytes[512];
    const size_t       nbytes = testdata_decode(json_get_string(entry, "b64", ""), bytes, sizeof bytes);
    guarded            memory;
    stria_safetensors *file = NULL;
    stria_error        err = {0};
    const stria_status status = read_guarded(bytes, nbytes, &memory, &file, &err);

    if (strcmp(expect, "ok") == 0) {
        CHECK(status == STRIA_OK && file && file->n_entries == 1, "%s: %s", name, err.message);
        const stria_safetensors_entry *test = stria_safetensors_get(file, "test");
        CHECK(test && test->dtype == STRIA_I32, "%s: tensor 'test' is not there", name);
        stria_tensor *x = NULL;
        if (test) CHECK_STATUS(stria_safetensors_copy_entry(test, &x, NULL), STRIA_OK);
        for (int64_t k = 0; x && k < stria_tensor_get_numel(x); k++)
            CHECK(((int32_t *)stria_tensor_get_data(x))[k] == 0, "%s: element %lld", name, (long long)k);
        stria_tensor_release(x);
    } else {
        const bool overflow = strcmp(expect, "error:ValidationOverflow") == 0;
        CHECK(status == (overflow ? STRIA_ERR_OVERFLOW : STRIA_ERR_FORMAT) && !file, "%s: %s, expected %s", name,
              stria_status_get_name(status), expect);
        CHECK(strcmp(err.op, "safetensors") == 0 && strcmp(err.argument, "bytes") == 0 && strlen(err.message) > 20,
              "%s: %s", name, err.message);
    }
    stria_safetensors_release(file);
    guarded_release(memory);
}

static void check_literals(void)
{
    char   path[1000], *text;
    size_t nbytes;
    int    n = 0;

    snprintf(path, sizeof path, "%s/safetensors-literals.jsonl", testdata_folder());
    text = testdata_read(path, &nbytes);
    if (!text) {
        printf("test_safetensors: SKIPPED 14 files: %s is not here\n", path);
        return;
    }
    for (char *line = text; line < text + nbytes;) {
        char *end = memchr(line, '\n', (size_t)(text + nbytes - line));
        if (!end) end = text + nbytes;
        json *entry = json_parse(line, (size_t)(end - line));
        CHECK(entry != NULL, "line %d of %s", n + 1, path);
        if (entry) check_literal(entry);
        json_free(entry);
        n += entry != NULL;
        line = end + 1;
    }
    free(text);
    CHECK(n >= 14, "%d files only", n);
    printf("test_safetensors: %d files of the format's tests\n", n);
}

/* ---------------------------------------------------------------- rules */

static char   made[8192];
static size_t made_nbytes;

/* A file with this header and n bytes 1, 2, 3 .. behind it. */
static void make_sized(const char *header, size_t length, size_t n)
{
    for (int k = 0; k < 8; k++) made[k] = (char)(length >> (k < 4 ? 8 * k : 31) & 255);
    memcpy(made + 8, header, length);
    made_nbytes = 8 + length;
    for (size_t k = 0; k < n; k++) made[made_nbytes++] = (char)(k + 1);
}

static void make(const char *header, size_t n) { make_sized(header, strlen(header), n); }

#define T(members) "{\"a\":{" members "}}"
#define U8(shape, offsets) "\"dtype\":\"U8\",\"shape\":" shape ",\"data_offsets\":" offsets

static const struct {
    const char  *header;
    size_t       n;       /* bytes behind it */
    const char  *message; /* NULL: accepted */
    stria_status status;
} rules[] = {
    {"{}", 0, NULL, STRIA_OK},
    {"{}     ", 0, NULL, STRIA_OK},
    {"{\"__metadata__\":{}}", 0, NULL, STRIA_OK},
    {"{\"__metadata__\":{\"k\":\"\\ud83d\\ude00\",\"\":\"\"}}", 0, NULL, STRIA_OK},
    {T(U8("[2]", "[0,2]")), 2, NULL, STRIA_OK},
    {T(U8(" [ 2 ] ", "[ 0 , 2 ]")), 2, NULL, STRIA_OK},
    {T(U8("[]", "[0,1]")), 1, NULL, STRIA_OK},
    {T(U8("[0,5]", "[0,0]")), 0, NULL, STRIA_OK},
    {T("\"data_offsets\":[0,4],\"shape\":[2,1],\"dtype\":\"BF16\""), 4, NULL, STRIA_OK},
    {T("\"\\u0064type\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]"), 1, NULL, STRIA_OK},
    {T(U8("[1]", "[0,1]") ",\"x\":[{\"y\":[1.5e-3,-0,true,false,null,\"\\n\",{}]}]"), 1, NULL, STRIA_OK},
    {"{\"b\":{" U8("[2]", "[1,3]") "},\"a\":{" U8("[1]", "[0,1]") "},\"c\":{" U8("[0]", "[1,1]") "}}", 3, NULL,
     STRIA_OK},
    {"{\"\":{" U8("[1]", "[0,1]") "}}", 1, NULL, STRIA_OK},
    {T("\"dtype\":\"C64\",\"shape\":[],\"data_offsets\":[0,8]"), 8, NULL, STRIA_OK},

    {"", 0, "the header does not begin with {", STRIA_ERR_FORMAT},
    {" {}", 0, "the header does not begin with {", STRIA_ERR_FORMAT},
    {"[]", 0, "the header does not begin with {", STRIA_ERR_FORMAT},
    {"{", 0, "byte 9: cut off", STRIA_ERR_FORMAT},
    {"{,}", 0, "byte 9: a text must stand here", STRIA_ERR_FORMAT},
    {"{}x", 0, "byte 10: something follows the value", STRIA_ERR_FORMAT},
    {"{\"a", 0, "byte 11: a text is cut off", STRIA_ERR_FORMAT},
    {"{\"a\"", 0, "byte 12: ':' must stand here", STRIA_ERR_FORMAT},
    {"{\"a\":", 0, "byte 13: an object must stand here", STRIA_ERR_FORMAT},
    {"{\"a\":1}", 0, "byte 13: an object must stand here", STRIA_ERR_FORMAT},
    {"{\"a\":{}}", 0, "tensor 'a': dtype, shape and data_offsets must be there", STRIA_ERR_FORMAT},
    {T(U8("[2]", "[0,2]") ","), 2, "byte 60: a text must stand here", STRIA_ERR_FORMAT},
    {"{\"a\":{" U8("[2]", "[0,2]") "},}", 2, "byte 61: a text must stand here", STRIA_ERR_FORMAT},
    {"{\"a\":{" U8("[2]", "[0,2]") "} \"b\"}", 2, "byte 61: ',' or the end of the object or list must stand here",
     STRIA_ERR_FORMAT},
    {"{\"a\tb\":{" U8("[2]", "[0,2]") "}}", 2, "byte 11: a control character in a text", STRIA_ERR_FORMAT},
    {"{\"\\x\":{" U8("[2]", "[0,2]") "}}", 2, "byte 11: no such escape", STRIA_ERR_FORMAT},
    {"{\"\\u12g4\":{" U8("[2]", "[0,2]") "}}", 2, "byte 14: four hexadecimal digits must follow \\u", STRIA_ERR_FORMAT},
    {"{\"\\ud800\":{" U8("[2]", "[0,2]") "}}", 2, "byte 16: half of a surrogate pair", STRIA_ERR_FORMAT},
    {"{\"\\udc00\":{" U8("[2]", "[0,2]") "}}", 2, "byte 16: half of a surrogate pair", STRIA_ERR_FORMAT},
    {"{\"\\ud800\\u0041\":{" U8("[2]", "[0,2]") "}}", 2, "byte 22: half of a surrogate pair", STRIA_ERR_FORMAT},
    {"{\"\xff\":{" U8("[2]", "[0,2]") "}}", 2, "byte 10: not UTF-8", STRIA_ERR_FORMAT},
    {"{\"\xc0\x80\":{" U8("[2]", "[0,2]") "}}", 2, "byte 10: not UTF-8", STRIA_ERR_FORMAT},
    {"{\"\xed\xa0\x80\":{" U8("[2]", "[0,2]") "}}", 2, "byte 10: not UTF-8", STRIA_ERR_FORMAT},
    {"{\"\xf4\x90\x80\x80\":{" U8("[2]", "[0,2]") "}}", 2, "byte 10: not UTF-8", STRIA_ERR_FORMAT},
    {"{\"\xe2\x82", 0, "byte 10: not UTF-8", STRIA_ERR_FORMAT},
    {T(U8("2", "[0,2]")), 2, "byte 35: a list must stand here", STRIA_ERR_FORMAT},
    {T(U8("[02]", "[0,2]")), 2, "byte 36: a whole number >= 0 must stand here", STRIA_ERR_FORMAT},
    {T(U8("[-2]", "[0,2]")), 2, "byte 36: a whole number >= 0 must stand here", STRIA_ERR_FORMAT},
    {T(U8("[2.0]", "[0,2]")), 2, "byte 36: a whole number >= 0 must stand here", STRIA_ERR_FORMAT},
    {T(U8("[2e0]", "[0,2]")), 2, "byte 36: a whole number >= 0 must stand here", STRIA_ERR_FORMAT},
    {T(U8("[\"2\"]", "[0,2]")), 2, "byte 36: a whole number >= 0 must stand here", STRIA_ERR_FORMAT},
    {T(U8("[2,]", "[0,2]")), 2, "byte 38: a whole number >= 0 must stand here", STRIA_ERR_FORMAT},
    {T(U8("[18446744073709551616]", "[0,2]")), 2, "byte 55: a number is too large", STRIA_ERR_FORMAT},
    {T(U8("[9223372036854775808]", "[0,2]")), 2, "tensor 'a': a size of 9223372036854775808", STRIA_ERR_OVERFLOW},
    {T(U8("[4294967296,4294967296]", "[0,2]")), 2,
     "tensor 'a': shape [4294967296,4294967296] needs more than 2^63 - 1 bytes", STRIA_ERR_OVERFLOW},
    {T(U8("[2]", "[0,2]") "," U8("[2]", "[0,2]")), 2, "tensor 'a': a member is there twice", STRIA_ERR_FORMAT},
    {T("\"dtype\":\"U8\",\"shape\":[2]"), 2, "tensor 'a': dtype, shape and data_offsets must be there",
     STRIA_ERR_FORMAT},
    {T("\"dtype\":\"U8\",\"data_offsets\":[0,2]"), 2, "tensor 'a': dtype, shape and data_offsets must be there",
     STRIA_ERR_FORMAT},
    {T("\"dtype\":\"F8_E4M3\",\"shape\":[2],\"data_offsets\":[0,2]"), 2, "tensor 'a': dtype 'F8_E4M3' is not supported",
     STRIA_ERR_FORMAT},
    {T("\"dtype\":\"C128\",\"shape\":[1],\"data_offsets\":[0,16]"), 16, "tensor 'a': dtype 'C128' is not supported",
     STRIA_ERR_FORMAT},
    {T("\"dtype\":\"f32\",\"shape\":[1],\"data_offsets\":[0,4]"), 4, "tensor 'a': dtype 'f32' is not supported",
     STRIA_ERR_FORMAT},
    {T("\"dtype\":\"U8\\u0000\",\"shape\":[1],\"data_offsets\":[0,1]"), 1, "tensor 'a': dtype 'U8' is not supported",
     STRIA_ERR_FORMAT},
    {T("\"dtype\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\",\"shape\":[1],\"data_offsets\":[0,4]"), 4,
     "tensor 'a': dtype 'AAAAAAAAAAAAAAAAAAAAAAA' is not supported", STRIA_ERR_FORMAT},
    {T("\"dtype\":8,\"shape\":[1],\"data_offsets\":[0,4]"), 4, "byte 22: a text must stand here", STRIA_ERR_FORMAT},
    {T(U8("[2]", "[0]")), 2, "tensor 'a': data_offsets must be two numbers", STRIA_ERR_FORMAT},
    {T(U8("[2]", "[0,2,2]")), 2, "tensor 'a': data_offsets must be two numbers", STRIA_ERR_FORMAT},
    {T(U8("[2]", "[2,0]")), 2, "tensor 'a': bytes 2 to 0, of 2 behind the header", STRIA_ERR_FORMAT},
    {T(U8("[2]", "[0,3]")), 2, "tensor 'a': bytes 0 to 3, of 2 behind the header", STRIA_ERR_FORMAT},
    {T(U8("[2]", "[18446744073709551615,18446744073709551615]")), 2,
     "tensor 'a': bytes 18446744073709551615 to 18446744073709551615, of 2 behind the header", STRIA_ERR_FORMAT},
    {T(U8("[3]", "[0,2]")), 2, "tensor 'a': 2 bytes for shape [3] of u8", STRIA_ERR_FORMAT},
    {T(U8("[2]", "[1,3]")), 3, "tensor 'a': there is a gap before its bytes", STRIA_ERR_FORMAT},
    {T(U8("[2]", "[0,2]")), 3, "the tensors have 2 bytes, 3 are behind the header", STRIA_ERR_FORMAT},
    {"{}", 3, "the tensors have 0 bytes, 3 are behind the header", STRIA_ERR_FORMAT},
    {"{\"a\":{" U8("[2]", "[0,2]") "},\"b\":{" U8("[2]", "[1,3]") "}}", 3,
     "tensor 'b': its bytes are those of another tensor, too", STRIA_ERR_FORMAT},
    {"{\"a\":{" U8("[2]", "[0,2]") "},\"b\":{" U8("[2]", "[0,2]") "}}", 2,
     "tensor 'b': its bytes are those of another tensor, too", STRIA_ERR_FORMAT},
    {"{\"a\":{" U8("[1]", "[0,1]") "},\"\\u0061\":{" U8("[1]", "[1,2]") "}}", 2, "tensor 'a': its name is there twice",
     STRIA_ERR_FORMAT},
    {"{\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}}", 0, "__metadata__: key 'k' is there twice", STRIA_ERR_FORMAT},
    {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, "__metadata__ is there twice", STRIA_ERR_FORMAT},
    {"{\"__metadata__\":{\"k\":1}}", 0, "byte 29: a text must stand here", STRIA_ERR_FORMAT},
    {"{\"__metadata__\":null}", 0, "byte 24: an object must stand here", STRIA_ERR_FORMAT},
    {T(U8("[1]", "[0,1]") ",\"x\":[1,]"), 1, "byte 67: a value must stand here", STRIA_ERR_FORMAT},
    {T(U8("[1]", "[0,1]") ",\"x\":01"), 1, "byte 65: ',' or the end of the object or list must stand here",
     STRIA_ERR_FORMAT},
    {T(U8("[1]", "[0,1]") ",\"x\":-"), 1, "byte 65: a digit must stand here", STRIA_ERR_FORMAT},
    {T(U8("[1]", "[0,1]") ",\"x\":{1:2}"), 1, "byte 65: a text must stand here", STRIA_ERR_FORMAT},
    {T(U8("[1]", "[0,1]") ",\"x\":[}"), 1, "byte 65: a value must stand here", STRIA_ERR_FORMAT},
};

static void check_refused(const char *what, const char *message, stria_status wanted)
{
    guarded            memory;
    stria_safetensors *file = NULL;
    stria_error        err = {0};
    const stria_status status = read_guarded(made, made_nbytes, &memory, &file, &err);

    CHECK(status == wanted && !file, "%s: %s", what, stria_status_get_name(status));
    CHECK(strcmp(err.op, "safetensors") == 0 && strcmp(err.argument, "bytes") == 0 &&
              strcmp(err.message + strlen("safetensors: "), message) == 0,
          "%s: %s", what, err.message);
    stria_safetensors_release(file);
    guarded_release(memory);
}

static void check_rules(void)
{
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
        make(rules[k].header, rules[k].n);
        if (rules[k].message) {
            check_refused(rules[k].header, rules[k].message, rules[k].status);
            continue;
        }
        guarded            memory;
        stria_safetensors *file = NULL;
        stria_error        err = {0};
        CHECK(read_guarded(made, made_nbytes, &memory, &file, &err) == STRIA_OK && file, "%s: %s", rules[k].header,
              err.message);
        uint64_t total = 0;
        for (int64_t e = 0; file && e < file->n_entries; e++) {
            CHECK(file->entries[e].data == (char *)memory.data + file->entries[e].offset, "%s: data", rules[k].header);
            total += file->entries[e].nbytes;
        }
        CHECK(total == rules[k].n, "%s: %llu bytes", rules[k].header, (unsigned long long)total);
        stria_safetensors_release(file);
        guarded_release(memory);
    }
}

/* Nesting, dims, lengths. */
static void check_limits(void)
{
    static const struct {
        int         depth;
        const char *message;
    } nests[] = {{64, NULL}, {65, "byte 128: values inside one another, more than 64 deep"}};
    char header[2048];

    for (size_t k = 0; k < 2; k++) {
        char *at = header + sprintf(header, "{\"a\":{" U8("[1]", "[0,1]") ",\"x\":");
        for (int d = 0; d < nests[k].depth; d++) *at++ = '[';
        for (int d = 0; d < nests[k].depth; d++) *at++ = ']';
        strcpy(at, "}}");
        make(header, 1);
        guarded            memory;
        stria_safetensors *file = NULL;
        if (nests[k].message) {
            check_refused("depth", nests[k].message, STRIA_ERR_FORMAT);
            continue;
        }
        CHECK_STATUS(read_guarded(made, made_nbytes, &memory, &file, NULL), STRIA_OK);
        stria_safetensors_release(file);
        guarded_release(memory);
    }
    for (int ndim = 64; ndim <= 65; ndim++) {
        char *at = header + sprintf(header, "{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,1],\"shape\":[1");
        for (int d = 1; d < ndim; d++) at += sprintf(at, ",1");
        strcpy(at, "]}}");
        make(header, 1);
        if (ndim == 65) check_refused("dims", "tensor 'a': more than 64 dims", STRIA_ERR_FORMAT);
        if (ndim == 64) {
            stria_safetensors *file = NULL;
            CHECK_STATUS(stria_safetensors_new(made, made_nbytes, &file, NULL), STRIA_OK);
            CHECK(file && file->entries[0].ndim == 64, "64 dims");
            stria_safetensors_release(file);
        }
    }
    make("{}", 0);
    for (int k = 0; k < 8; k++) made[k] = (char)(k == 7 ? 0x80 : 0);
    check_refused("2^63", "a header of 9223372036854775808 bytes, the most is 100000000", STRIA_ERR_FORMAT);
    memcpy(made, "\x01\xe1\xf5\x05\0\0\0\0", 8);
    check_refused("10^8 + 1", "a header of 100000001 bytes, the most is 100000000", STRIA_ERR_FORMAT);
    memcpy(made, "\x00\xe1\xf5\x05\0\0\0\0", 8);
    check_refused("10^8", "cut off: a header of 100000000 bytes is promised, 2 are here", STRIA_ERR_FORMAT);
}

/* A name of many characters is cut between two of them in a message. */
static void check_long_name(void)
{
    char header[600], *at = header + sprintf(header, "{\"x");
    char message[200] = "tensor 'x";
    int  n = 0;

    for (int k = 0; k < 100; k++) at += sprintf(at, "\xe2\x82\xac");
    sprintf(at, "\":{}}");
    for (; n < 26; n++) strcat(message, n < 25 ? "\xe2\x82\xac" : "': dtype, shape and data_offsets must be there");
    make(header, 0);
    check_refused("a long name", message, STRIA_ERR_FORMAT);
}

/* What comes out. */
static void check_values(void)
{
    guarded            memory;
    stria_safetensors *file = NULL;
    stria_tensor      *x = NULL;
    char               text[24];

    make_sized("{\"w\\u0000\":{\"dtype\":\"I16\",\"shape\":[2,1],\"data_offsets\":[1,5]},\"__metadata__\":{\"k\\\"\":"
               "\"\\u20ac\\n\"},\"f\":{\"dtype\":\"BOOL\",\"shape\":[],\"data_offsets\":[0,1]}}",
               strlen("{'w.u0000':{'dtype':'I16','shape':[2,1],'data_offsets':[1,5]},'__metadata__':{'k..':'.u20ac.n'},"
                      "'f':{'dtype':'BOOL','shape':[],'data_offsets':[0,1]}}"),
               5);
    made[made_nbytes - 5] = 7; /* a truth value */
    CHECK_STATUS(read_guarded(made, made_nbytes, &memory, &file, NULL), STRIA_OK);
    if (!file) return;
    CHECK(file->n_entries == 2 && file->n_metadata == 1, "%lld, %lld", (long long)file->n_entries,
          (long long)file->n_metadata);
    const stria_safetensors_entry *f = &file->entries[0], *w = &file->entries[1];
    CHECK(strcmp(f->name, "f") == 0 && w->name_nbytes == 2 && memcmp(w->name, "w\0", 3) == 0, "names");
    CHECK(stria_safetensors_get(file, "f") == f && !stria_safetensors_get(file, "w") &&
              !stria_safetensors_get(file, "g"),
          "get");
    CHECK(strcmp(file->metadata[0].key, "k\"") == 0 && strcmp(file->metadata[0].value, "\xe2\x82\xac\n") == 0 &&
              file->metadata[0].value_nbytes == 4,
          "metadata");
    CHECK_STATUS(stria_safetensors_copy_entry(f, &x, NULL), STRIA_OK);
    CHECK(x && stria_tensor_get_ndim(x) == 0 && *(char *)stria_tensor_get_data(x) == 1, "a truth value is 0 or 1");
    stria_tensor_release(x);
    CHECK_STATUS(stria_safetensors_copy_entry(w, &x, NULL), STRIA_OK);
    CHECK(x && stria_shape_print(text, sizeof text, 2, stria_tensor_get_shape(x)) && strcmp(text, "[2,1]") == 0 &&
              memcmp(stria_tensor_get_data(x), "\2\3\4\5", 4) == 0,
          "elements");
    stria_tensor_release(x);
    stria_error err;
    stria_alloc_set_failure(1);
    CHECK_STATUS(stria_safetensors_copy_entry(w, &x, &err), STRIA_ERR_MEMORY);
    stria_alloc_set_failure(0);
    CHECK(!x && strcmp(err.op, "safetensors") == 0, "%s", err.message);
    stria_safetensors_release(file);
    stria_alloc_set_failure(1);
    CHECK_STATUS(stria_safetensors_new(memory.data, made_nbytes, &file, &err), STRIA_ERR_MEMORY);
    stria_alloc_set_failure(0);
    CHECK(!file && strcmp(err.message, "safetensors: no memory for the header") == 0, "%s", err.message);
    guarded_release(memory);
    stria_safetensors_release(NULL);
    CHECK_STATUS(stria_safetensors_new(NULL, 3, &file, &err), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_safetensors_new(made, 3, NULL, &err), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_safetensors_copy_entry(NULL, &x, &err), STRIA_ERR_ARGUMENT);
}

static void check_damage(void)
{
    static const char header[] =
        "{\"__metadata__\":{\"f\":\"\\u00e9\"},\"a\":{\"dtype\":\"I16\",\"shape\":[2],"
        "\"data_offsets\":[0,4]},\"b\":{\"shape\":[1,3],\"dtype\":\"U8\",\"data_offsets\":[4,7]}}";
    random_state random = {78};
    int          accepted = 0, refused = 0;

    make(header, 7);
    for (size_t n = 0; n < made_nbytes; n++) {
        guarded            memory;
        stria_safetensors *file = NULL;
        CHECK_STATUS(read_guarded(made, n, &memory, &file, NULL), STRIA_ERR_FORMAT);
        guarded_release(memory);
    }
    for (int round = 0; round < 40000; round++) {
        guarded            memory;
        stria_safetensors *file = NULL;
        make(header, 7);
        for (uint64_t n = random_next(&random) % 4 + 1; n > 0; n--) {
            static const char likely[] = "0123456789{}[],:\" \\uUIF862ab";
            const uint64_t    r = random_next(&random);
            made[(r >> 8) % made_nbytes] = r & 1 ? likely[(r >> 40) % (sizeof likely - 1)] : (char)(r >> 40);
        }
        const stria_status status = read_guarded(made, made_nbytes, &memory, &file, NULL);
        CHECK(status == STRIA_OK || status == STRIA_ERR_FORMAT || status == STRIA_ERR_OVERFLOW, "round %d: %s", round,
              stria_status_get_name(status));
        CHECK((file != NULL) == (status == STRIA_OK), "round %d: out after %s", round, stria_status_get_name(status));
        accepted += status == STRIA_OK;
        refused += status != STRIA_OK;
        stria_safetensors_release(file);
        guarded_release(memory);
    }
    CHECK(accepted > 500 && refused > 1000, "%d damaged files accepted, %d refused", accepted, refused);
}

/* ---------------------------------------------------------------- writing */

static stria_tensor *tensor_of(stria_dtype dtype, int ndim, const int64_t *shape, const void *data)
{
    stria_tensor *x = NULL;
    int64_t       numel = 1;

    for (int d = 0; d < ndim; d++) numel *= shape[d];
    CHECK_STATUS(
        stria_tensor_new_copy_of(dtype, ndim, shape, data, (size_t)numel * stria_dtype_get_size(dtype), &x, NULL),
        STRIA_OK);
    return x;
}

static void check_written_bytes(void)
{
    stria_tensor *u = tensor_of(STRIA_U8, 1, (int64_t[]){3}, "\1\2\3"), *t = NULL;
    stria_tensor *s = tensor_of(STRIA_I16, 2, (int64_t[]){2, 2}, (int16_t[]){1, 2, 3, 4});
    void         *bytes = NULL;
    size_t        nbytes = 0;

    CHECK_STATUS(stria_transpose(s, 0, 1, &t, NULL), STRIA_OK);
    const stria_safetensors_item items[] = {{"u", u}, {"t\n\"\x1f\\", t}, {"\xe2\x82\xac", u}};
    static const char            expected[] = "\xd8\0\0\0\0\0\0\0{\"__metadata__\":{\"format\":\"pt\",\"b\":\"\"},"
                                              "\"t\\n\\\"\\u001f\\\\\":{\"dtype\":\"I16\",\"shape\":[2,2],\"data_offsets\":[0,8]},"
                                              "\"u\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[8,11]},"
                                              "\"\xe2\x82\xac\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[11,14]}} "
                                              "\1\0\3\0\2\0\4\0\1\2\3\1\2\3";
    const char *const            metadata[] = {"format", "pt", "b", ""};
    CHECK_STATUS(stria_safetensors_copy(items, 3, metadata, 2, &bytes, &nbytes, NULL), STRIA_OK);
    CHECK(nbytes == sizeof expected - 1 && bytes && memcmp(bytes, expected, nbytes) == 0, "%d bytes, expected %d: %.*s",
          (int)nbytes, (int)sizeof expected - 1, (int)nbytes - 8, bytes ? (char *)bytes + 8 : "");
    stria_bytes_release(bytes);
    CHECK_STATUS(stria_safetensors_copy(NULL, 0, NULL, 0, &bytes, &nbytes, NULL), STRIA_OK);
    CHECK(nbytes == 16 && bytes && memcmp(bytes, "\10\0\0\0\0\0\0\0{}      ", 16) == 0, "an empty file");
    stria_bytes_release(bytes);
    stria_tensor_release(u);
    stria_tensor_release(s);
    stria_tensor_release(t);
}

/* Every dtype that the format has, aligned, and back. */
static void check_dtypes(void)
{
    stria_safetensors_item items[STRIA_DTYPE_COUNT];
    int64_t                n = 0;
    void                  *bytes = NULL;
    size_t                 nbytes = 0;
    stria_safetensors     *file = NULL;

    for (int dtype = 0; dtype < STRIA_DTYPE_COUNT; dtype++) {
        uint8_t data[3 * 8];
        if (!stria_safetensors_has_dtype((stria_dtype)dtype)) continue;
        for (size_t k = 0; k < sizeof data; k++)
            data[k] = dtype == STRIA_BOOL ? k & 1 : (uint8_t)(17 * k + (size_t)dtype);
        items[n++] = (stria_safetensors_item){stria_dtype_get_name((stria_dtype)dtype),
                                              tensor_of((stria_dtype)dtype, 1, (int64_t[]){3}, data)};
    }
    CHECK(n == STRIA_DTYPE_COUNT - 1, "%lld dtypes", (long long)n);
    CHECK_STATUS(stria_safetensors_copy(items, n, NULL, 0, &bytes, &nbytes, NULL), STRIA_OK);
    CHECK_STATUS(stria_safetensors_new(bytes, nbytes, &file, NULL), STRIA_OK);
    for (int64_t k = 0; k < n; k++) {
        const stria_safetensors_entry *entry = stria_safetensors_get(file, items[k].name);
        stria_tensor                  *x = NULL;
        const stria_dtype              dtype = stria_tensor_get_dtype(items[k].x);
        CHECK(entry && entry->dtype == dtype && entry->offset % stria_dtype_get_size(dtype) == 0, "%s", items[k].name);
        if (!entry) continue;
        CHECK_STATUS(stria_safetensors_copy_entry(entry, &x, NULL), STRIA_OK);
        CHECK(x &&
                  memcmp(stria_tensor_get_data(x), stria_tensor_get_const_data(items[k].x), (size_t)entry->nbytes) == 0,
              "%s: elements", items[k].name);
        stria_tensor_release(x);
    }
    stria_safetensors_release(file);
    stria_bytes_release(bytes);
    for (int64_t k = 0; k < n; k++) stria_tensor_release((stria_tensor *)(uintptr_t)items[k].x);
}

static void check_write_refused(const stria_safetensors_item *items, int64_t n, const char *const *metadata,
                                int64_t n_metadata, stria_status wanted, const char *argument, const char *message)
{
    void              *bytes = &bytes;
    size_t             nbytes = 1;
    stria_error        err = {0};
    const stria_status status = stria_safetensors_copy(items, n, metadata, n_metadata, &bytes, &nbytes, &err);

    CHECK(status == wanted && !bytes && nbytes == 0, "%s: %s", message, stria_status_get_name(status));
    CHECK(strcmp(err.op, "safetensors") == 0 && strcmp(err.argument, argument) == 0 &&
              strcmp(err.message + strlen("safetensors: "), message) == 0,
          "%s, argument %s: %s", message, err.argument, err.message);
}

static void check_writing_refused(void)
{
    stria_tensor *u = tensor_of(STRIA_U8, 1, (int64_t[]){3}, "\1\2\3"), *c = NULL, *m = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_C128, 0, NULL, &c, NULL), STRIA_OK);
    CHECK_STATUS(stria_empty((int64_t[]){3}, 1, STRIA_F32, STRIA_META, &m, NULL), STRIA_OK);
#define ITEMS(...) (const stria_safetensors_item[]){__VA_ARGS__}
    check_write_refused(ITEMS({"a", u}, {"a", u}), 2, NULL, 0, STRIA_ERR_ARGUMENT, "items",
                        "tensor 'a': its name is there twice");
    check_write_refused(ITEMS({"__metadata__", u}), 1, NULL, 0, STRIA_ERR_ARGUMENT, "items",
                        "'__metadata__': no name of a tensor");
    check_write_refused(ITEMS({"\xff", u}), 1, NULL, 0, STRIA_ERR_ARGUMENT, "items", "byte 10: not UTF-8");
    check_write_refused(ITEMS({NULL, u}), 1, NULL, 0, STRIA_ERR_ARGUMENT, "items", "a name or tensor is NULL");
    check_write_refused(ITEMS({"a", NULL}), 1, NULL, 0, STRIA_ERR_ARGUMENT, "items", "a name or tensor is NULL");
    check_write_refused(ITEMS({"a", c}), 1, NULL, 0, STRIA_ERR_DTYPE, "items",
                        "'a': safetensors files have no dtype for c128");
    check_write_refused(ITEMS({"a", m}), 1, NULL, 0, STRIA_ERR_DEVICE, "items",
                        "'a': the tensor is not in the memory of the CPU");
    check_write_refused(NULL, 1, NULL, 0, STRIA_ERR_ARGUMENT, "items", "a count is negative, or a list is NULL");
    check_write_refused(ITEMS({"a", u}), 1, NULL, 1, STRIA_ERR_ARGUMENT, "metadata",
                        "a count is negative, or a list is NULL");
    check_write_refused(ITEMS({"a", u}), 1, (const char *const[]){"k", "1", "k", "2"}, 2, STRIA_ERR_ARGUMENT, "items",
                        "__metadata__: key 'k' is there twice");
    check_write_refused(ITEMS({"a", u}), 1, (const char *const[]){"k", NULL}, 1, STRIA_ERR_ARGUMENT, "metadata",
                        "a text is NULL");
    stria_alloc_set_failure(1);
    check_write_refused(ITEMS({"a", u}), 1, NULL, 0, STRIA_ERR_MEMORY, "", "no memory for 67 bytes");
    stria_alloc_set_failure(2);
    check_write_refused(ITEMS({"a", u}), 1, NULL, 0, STRIA_ERR_MEMORY, "items", "no memory for the header");
    stria_alloc_set_failure(0);
    stria_tensor_release(u);
    stria_tensor_release(c);
    stria_tensor_release(m);
}

SUITE(test_safetensors)
{
    check_literals();
    check_rules();
    check_limits();
    check_long_name();
    check_values();
    check_damage();
    check_written_bytes();
    check_dtypes();
    check_writing_refused();
    CHECK(stria_memory_get_stats().live_bytes == 0, "memory is left");
    return check_finish("test_safetensors");
}
