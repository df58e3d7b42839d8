/* json.c - recursive descent over RFC 8259. */
#include "json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 64

typedef struct reader {
    const char *at, *end;
    int         depth;
} reader;

static json *parse_value(reader *in);

static void skip_space(reader *in)
{
    while (in->at < in->end && strchr(" \t\r\n", *in->at) != NULL && *in->at != '\0') in->at++;
}

static bool accept(reader *in, char c)
{
    if (in->at >= in->end || *in->at != c) return false;
    in->at++;
    return true;
}

static bool accept_word(reader *in, const char *word)
{
    size_t n = strlen(word);

    if ((size_t)(in->end - in->at) < n || memcmp(in->at, word, n) != 0) return false;
    in->at += n;
    return true;
}

static int parse_hex4(reader *in)
{
    int code = 0;

    if (in->end - in->at < 4) return -1;
    for (int i = 0; i < 4; i++) {
        char c = *in->at++;
        int  digit = c >= '0' && c <= '9'   ? c - '0'
                     : c >= 'a' && c <= 'f' ? c - 'a' + 10
                     : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                            : -1;
        if (digit < 0) return -1;
        code = 16 * code + digit;
    }
    return code;
}

static char *put_utf8(char *to, int code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3F));
    } else {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    return to;
}

/* Escapes beyond the basic plane (surrogates) are refused; the tests have none. */
static bool parse_escape(reader *in, char **to)
{
    static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";

    if (in->at >= in->end) return false;
    char c = *in->at++;
    if (c == 'u') {
        int code = parse_hex4(in);
        if (code <= 0 || (code >= 0xD800 && code < 0xE000)) return false;
        *to = put_utf8(*to, code);
        return true;
    }
    const char *found = c != '\0' ? strchr(letters, c) : NULL;
    if (found == NULL) return false;
    *(*to)++ = values[found - letters];
    return true;
}

static char *parse_string(reader *in)
{
    if (!accept(in, '"')) return NULL;
    char *text = malloc((size_t)(in->end - in->at) + 1), *to = text;
    while (text != NULL && in->at < in->end && *in->at != '"') {
        unsigned char c = (unsigned char)*in->at++;
        if (c < 0x20 || (c == '\\' && !parse_escape(in, &to))) break;
        if (c != '\\') *to++ = (char)c;
    }
    if (text == NULL || !accept(in, '"')) {
        free(text);
        return NULL;
    }
    *to = '\0';
    char *fit = realloc(text, (size_t)(to - text) + 1);
    return fit != NULL ? fit : text;
}

static bool skip_digits(reader *in)
{
    const char *start = in->at;

    while (in->at < in->end && *in->at >= '0' && *in->at <= '9') in->at++;
    return in->at > start;
}

static bool parse_number(reader *in, json *value)
{
    const char *start = in->at;
    char        text[64], *stop;

    accept(in, '-');
    if (!accept(in, '0') && !skip_digits(in)) return false;
    bool is_integer = true;
    if (accept(in, '.')) {
        is_integer = false;
        if (!skip_digits(in)) return false;
    }
    if (accept(in, 'e') || accept(in, 'E')) {
        is_integer = false;
        if (!accept(in, '+')) accept(in, '-');
        if (!skip_digits(in)) return false;
    }
    size_t n = (size_t)(in->at - start);
    if (n >= sizeof text) return false;
    memcpy(text, start, n);
    text[n] = '\0';
    value->type = JSON_NUMBER;
    value->number = strtod(text, &stop);
    errno = 0;
    if (is_integer) value->integer = strtoll(text, &stop, 10);
    return *stop == '\0' && errno == 0;
}

static bool parse_children(reader *in, json *value, char close)
{
    json **link = &value->first;

    skip_space(in);
    if (accept(in, close)) return true;
    do {
        char *key = NULL;
        skip_space(in);
        if (value->type == JSON_OBJECT) {
            key = parse_string(in);
            skip_space(in);
            if (key == NULL || !accept(in, ':')) {
                free(key);
                return false;
            }
        }
        json *child = parse_value(in);
        if (child == NULL) {
            free(key);
            return false;
        }
        child->key = key;
        *link = child;
        link = &child->next;
        value->count++;
    } while (accept(in, ','));
    return accept(in, close);
}

static bool parse_into(reader *in, json *value)
{
    if (in->at >= in->end) return false;
    switch (*in->at) {
    case 'n': return accept_word(in, "null");
    case 't':
        value->type = JSON_BOOL;
        value->boolean = true;
        return accept_word(in, "true");
    case 'f': value->type = JSON_BOOL; return accept_word(in, "false");
    case '"':
        value->type = JSON_STRING;
        value->string = parse_string(in);
        return value->string != NULL;
    case '[':
        in->at++;
        value->type = JSON_ARRAY;
        return parse_children(in, value, ']');
    case '{':
        in->at++;
        value->type = JSON_OBJECT;
        return parse_children(in, value, '}');
    default: return parse_number(in, value);
    }
}

static json *parse_value(reader *in)
{
    json *value = calloc(1, sizeof *value);
    bool  good = value != NULL && in->depth < MAX_DEPTH;

    in->depth++;
    skip_space(in);
    good = good && parse_into(in, value);
    skip_space(in);
    in->depth--;
    if (good) return value;
    json_free(value);
    return NULL;
}

json *json_parse(const char *text, size_t n_bytes)
{
    reader in = {text, text + n_bytes, 0};
    json  *value = parse_value(&in);

    if (value != NULL && in.at == in.end) return value;
    json_free(value);
    return NULL;
}

void json_free(json *value)
{
    if (value == NULL) return;
    for (json *child = value->first; child != NULL;) {
        json *next = child->next;
        json_free(child);
        child = next;
    }
    free(value->key);
    free(value->string);
    free(value);
}

json *json_parse_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long  size = 0;
    json *value = NULL;

    if (file == NULL) return NULL;
    if (fseek(file, 0, SEEK_END) == 0) size = ftell(file);
    rewind(file);
    if (size > 0) text = malloc((size_t)size);
    if (text != NULL && fread(text, 1, (size_t)size, file) == (size_t)size) {
        value = json_parse(text, (size_t)size);
    }
    free(text);
    fclose(file);
    return value;
}

const json *json_get(const json *value, const char *key)
{
    if (value == NULL || value->type != JSON_OBJECT) return NULL;
    for (const json *child = value->first; child != NULL; child = child->next) {
        if (strcmp(child->key, key) == 0) return child;
    }
    return NULL;
}

const json *json_at(const json *value, int index)
{
    const json *child = value != NULL ? value->first : NULL;

    while (child != NULL && index-- > 0) child = child->next;
    return child;
}

int64_t json_get_int(const json *value, const char *key, int64_t fallback)
{
    const json *member = json_get(value, key);
    return member != NULL && member->type == JSON_NUMBER ? member->integer : fallback;
}

bool json_get_bool(const json *value, const char *key, bool fallback)
{
    const json *member = json_get(value, key);
    return member != NULL && member->type == JSON_BOOL ? member->boolean : fallback;
}

const char *json_get_string(const json *value, const char *key, const char *fallback)
{
    const json *member = json_get(value, key);
    return member != NULL && member->type == JSON_STRING ? member->string : fallback;
}
