/* json.c - reading JSON from memory. */
#include "io/json.h"

#include <string.h>

static bool fail(stria_json *j, const char *wrong)
{
    if (!j->wrong) j->wrong = wrong;
    return false;
}

/* The next character after white space; -1 at the end, and after an error. */
static int peek(stria_json *j)
{
    if (j->wrong) return -1;
    while (j->at < j->end && (*j->at == ' ' || *j->at == '\t' || *j->at == '\n' || *j->at == '\r')) j->at++;
    return j->at < j->end ? *j->at : -1;
}

bool stria_json_take(stria_json *j, char c)
{
    if (peek(j) != (unsigned char)c) {
        switch (c) {
        case '{': return fail(j, "an object must stand here");
        case '[': return fail(j, "a list must stand here");
        case ':': return fail(j, "':' must stand here");
        default: return fail(j, "a text must stand here");
        }
    }
    j->at++;
    return true;
}

bool stria_json_end(stria_json *j) { return peek(j) < 0 ? !j->wrong : fail(j, "something follows the value"); }

bool stria_json_next(stria_json *j, char close, bool *is_first)
{
    const int  c = peek(j);
    const bool first = *is_first;

    *is_first = false;
    if (c == close) {
        j->at++;
        return false;
    }
    if (first) return c >= 0 || fail(j, "cut off");
    if (c != ',') return fail(j, c < 0 ? "cut off" : "',' or the end of the object or list must stand here");
    j->at++;
    return true;
}

/* ---------------------------------------------------------------- texts */

typedef struct text_sink {
    char  *text;
    size_t size, n;
} text_sink;

static void put_byte(text_sink *out, unsigned byte)
{
    if (out->n < out->size) out->text[out->n] = (char)byte;
    out->n++;
}

static void put_code(text_sink *out, uint32_t code)
{
    if (code < 0x80) {
        put_byte(out, code);
    } else if (code < 0x800) {
        put_byte(out, 0xC0 | code >> 6);
        put_byte(out, 0x80 | (code & 63));
    } else if (code < 0x10000) {
        put_byte(out, 0xE0 | code >> 12);
        put_byte(out, 0x80 | (code >> 6 & 63));
        put_byte(out, 0x80 | (code & 63));
    } else {
        put_byte(out, 0xF0 | code >> 18);
        put_byte(out, 0x80 | (code >> 12 & 63));
        put_byte(out, 0x80 | (code >> 6 & 63));
        put_byte(out, 0x80 | (code & 63));
    }
}

/* Four hexadecimal digits. */
static bool take_hex(stria_json *j, uint32_t *code)
{
    *code = 0;
    for (int k = 0; k < 4; k++) {
        const int c = j->at < j->end ? *j->at : 0, letter = c | 32;
        if (c >= '0' && c <= '9')
            *code = *code << 4 | (uint32_t)(c - '0');
        else if (letter >= 'a' && letter <= 'f')
            *code = *code << 4 | (uint32_t)(letter - 'a' + 10);
        else
            return fail(j, "four hexadecimal digits must follow \\u");
        j->at++;
    }
    return true;
}

static bool is_high(uint32_t code) { return code >= 0xD800 && code < 0xDC00; }
static bool is_low(uint32_t code) { return code >= 0xDC00 && code < 0xE000; }

/* What follows a backslash. */
static bool take_escape(stria_json *j, text_sink *out)
{
    static const char letters[] = "\"\\/bfnrt", codes[] = "\"\\/\b\f\n\r\t";
    const int         c = j->at < j->end ? *j->at : 0;
    const char       *letter = c ? strchr(letters, c) : NULL;
    uint32_t          code, low;

    if (letter) {
        j->at++;
        put_byte(out, (unsigned char)codes[letter - letters]);
        return true;
    }
    if (c != 'u') return fail(j, "no such escape");
    j->at++;
    if (!take_hex(j, &code)) return false;
    if (is_low(code)) return fail(j, "half of a surrogate pair");
    if (is_high(code)) {
        if (j->end - j->at < 2 || j->at[0] != '\\' || j->at[1] != 'u') return fail(j, "half of a surrogate pair");
        j->at += 2;
        if (!take_hex(j, &low)) return false;
        if (!is_low(low)) return fail(j, "half of a surrogate pair");
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    put_code(out, code);
    return true;
}

/* A character of two bytes and more: none in more bytes than it needs, no surrogate, none beyond U+10FFFF. */
static bool take_wide(stria_json *j, text_sink *out)
{
    static const uint32_t least[] = {0x80, 0x800, 0x10000};
    const unsigned        first = *j->at;
    const int             more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
    uint32_t              code = first & (0x3Fu >> more);

    if (first < 0xC0 || first >= 0xF8 || j->end - j->at <= more) return fail(j, "not UTF-8");
    for (int k = 1; k <= more; k++) {
        if ((j->at[k] & 0xC0) != 0x80) return fail(j, "not UTF-8");
        code = code << 6 | (j->at[k] & 63u);
    }
    if (code < least[more - 1] || is_high(code) || is_low(code) || code > 0x10FFFF) return fail(j, "not UTF-8");
    put_code(out, code);
    j->at += more + 1;
    return true;
}

bool stria_json_take_text(stria_json *j, char *text, size_t size, size_t *nbytes)
{
    text_sink out = {text, size, 0};

    if (!stria_json_take(j, '"')) return false;
    while (j->at < j->end && *j->at != '"') {
        if (*j->at < ' ') return fail(j, "a control character in a text");
        if (*j->at >= 0x80) {
            if (!take_wide(j, &out)) return false;
        } else if (*j->at == '\\') {
            j->at++;
            if (!take_escape(j, &out)) return false;
        } else {
            put_byte(&out, *j->at++);
        }
    }
    if (j->at == j->end) return fail(j, "a text is cut off");
    j->at++;
    *nbytes = out.n;
    return true;
}

/* ---------------------------------------------------------------- numbers and other values */

static bool is_digit(const stria_json *j) { return j->at < j->end && *j->at >= '0' && *j->at <= '9'; }

static bool takes(stria_json *j, char c)
{
    if (j->at == j->end || *j->at != (unsigned char)c) return false;
    j->at++;
    return true;
}

bool stria_json_take_whole(stria_json *j, uint64_t *value)
{
    static const char *const wrong = "a whole number >= 0 must stand here";
    const unsigned char     *first;

    *value = 0;
    (void)peek(j);
    first = j->at;
    if (j->wrong || !is_digit(j)) return fail(j, wrong);
    for (; is_digit(j); j->at++)
        if (__builtin_mul_overflow(*value, (uint64_t)10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(*j->at - '0'), value))
            return fail(j, "a number is too large");
    if ((*first == '0' && j->at - first > 1) || (j->at < j->end && (*j->at == '.' || *j->at == 'e' || *j->at == 'E'))) {
        j->at = first;
        return fail(j, wrong);
    }
    return true;
}

bool stria_json_take_int(stria_json *j, int64_t *value)
{
    const bool is_negative = peek(j) == '-';
    uint64_t   whole;

    *value = 0;
    if (is_negative) {
        j->at++;
        if (!is_digit(j)) return fail(j, "a digit must stand here");
    }
    if (!stria_json_take_whole(j, &whole)) return false;
    if (whole > (uint64_t)INT64_MAX + is_negative) return fail(j, "a number is too large");
    *value = is_negative ? (int64_t)-whole : (int64_t)whole;
    return true;
}

static bool skip_digits(stria_json *j)
{
    if (!is_digit(j)) return fail(j, "a digit must stand here");
    while (is_digit(j)) j->at++;
    return true;
}

static bool skip_number(stria_json *j)
{
    (void)takes(j, '-');
    if (!takes(j, '0') && !skip_digits(j)) return false;
    if (takes(j, '.') && !skip_digits(j)) return false;
    if (takes(j, 'e') || takes(j, 'E')) {
        if (!takes(j, '-')) (void)takes(j, '+');
        return skip_digits(j);
    }
    return true;
}

/* A text, number, true, false or null. */
static bool skip_plain(stria_json *j)
{
    static const char *const words[] = {"true", "false", "null"};
    const int                c = peek(j);
    size_t                   nbytes;

    if (c == '"') return stria_json_take_text(j, NULL, 0, &nbytes);
    if (c == '-' || (c >= '0' && c <= '9')) return skip_number(j);
    for (size_t k = 0; c >= 0 && k < 3; k++) {
        const size_t n = strlen(words[k]);
        if ((size_t)(j->end - j->at) < n || memcmp(j->at, words[k], n) != 0) continue;
        j->at += n;
        return true;
    }
    return fail(j, c < 0 ? "cut off" : "a value must stand here");
}

bool stria_json_skip(stria_json *j)
{
    uint64_t objects = 0; /* one bit for each level that is open, the innermost lowest: it is an object, not a list */
    int      depth = 0;
    bool     is_first = false;
    size_t   nbytes;

    do {
        const int c = peek(j);
        if (c == '{' || c == '[') {
            if (depth == STRIA_JSON_DEPTH) return fail(j, "values inside one another, more than 64 deep");
            j->at++;
            objects = objects << 1 | (c == '{');
            depth++;
            is_first = true;
        } else if (!skip_plain(j)) {
            return false;
        }
        while (depth > 0 && !stria_json_next(j, objects & 1 ? '}' : ']', &is_first)) {
            if (j->wrong) return false;
            objects >>= 1;
            depth--;
        }
        if (depth > 0 && (objects & 1) && !(stria_json_take_text(j, NULL, 0, &nbytes) && stria_json_take(j, ':')))
            return false;
    } while (depth > 0);
    return true;
}
