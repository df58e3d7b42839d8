/* json.h - a small strict JSON reader for tests. */
#ifndef TEST_JSON_H
#define TEST_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } json_type;

/* Children of arrays and objects form a list in the order of the text. */
typedef struct json {
    json_type    type;
    char        *key;    /* of a member of an object, else NULL */
    char        *string; /* decoded, UTF-8 */
    double       number;
    int64_t      integer; /* number, where it is an integer of 64 bits */
    bool         boolean;
    int          count; /* of children */
    struct json *first, *next;
} json;

/* The value in text [n_bytes], or NULL if it is not exactly one JSON value (or memory is out). End it with
 * json_free. */
json *json_parse(const char *text, size_t n_bytes);
void  json_free(json *value);
/* The whole of a file as one value; NULL if it cannot be read or parsed. */
json *json_parse_file(const char *path);

/* Member of an object, NULL if absent or value is NULL. */
const json *json_get(const json *value, const char *key);
/* Element of an array, NULL if out of range or value is NULL. */
const json *json_at(const json *value, int index);
/* With a default for a missing member. */
int64_t     json_get_int(const json *value, const char *key, int64_t fallback);
bool        json_get_bool(const json *value, const char *key, bool fallback);
const char *json_get_string(const json *value, const char *key, const char *fallback);

#endif
