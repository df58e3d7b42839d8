/* json.h - reading JSON (RFC 8259) from memory, one token after another, and writing it. Nothing is allocated, nothing recurses. Internal.
 *
 * The first thing that is wrong sets `wrong`, with `at` where it is; from then on every function returns false. */
#ifndef STRIA_JSON_H
#define STRIA_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Objects and lists inside one another that stria_json_skip follows. */
#define STRIA_JSON_DEPTH 64

typedef struct stria_json {
    const unsigned char *at, *end;
    const char          *wrong; /* NULL: nothing so far */
} stria_json;

/* Takes the character c, which must come next (after white space). */
bool stria_json_take(stria_json *j, char c);
/* Whether nothing but white space is left. */
bool stria_json_end(stria_json *j);
/* Inside an object or list, whose opening was taken: takes what separates its members and returns true if another one comes, or
 * takes `close` and returns false. *is_first is true before the first member. */
bool stria_json_next(stria_json *j, char close, bool *is_first);
/* A text, its escapes resolved, as valid UTF-8: the first `size` bytes of it into text (NULL if size is 0), its whole length into
 * *nbytes. The length is less than that of the source, quotes included. */
bool stria_json_take_text(stria_json *j, char *text, size_t size, size_t *nbytes);
/* A whole number from 0 to 2^64 - 1, without fraction or exponent. */
bool stria_json_take_whole(stria_json *j, uint64_t *value);
/* A whole number from -2^63 to 2^63 - 1, the same way. */
bool stria_json_take_int(stria_json *j, int64_t *value);
/* Any value. */
bool stria_json_skip(stria_json *j);

/* Where it is written to. */
typedef struct stria_json_sink {
    char  *text; /* NULL: counted only */
    size_t n;
} stria_json_sink;

void stria_json_put(stria_json_sink *out, char c);
void stria_json_put_words(stria_json_sink *out, const char *words); /* as they are */
void stria_json_put_whole(stria_json_sink *out, uint64_t number);
void stria_json_put_int(stria_json_sink *out, int64_t number);
void stria_json_put_text(stria_json_sink *out, const char *text); /* UTF-8, quoted */

#endif
