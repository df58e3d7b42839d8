/* status.c - names and texts of status codes, and filling a stria_error. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* clang-format would join the includes to the lines before. */
/* clang-format off */
const char *stria_status_get_name(stria_status status)
{
    switch (status) {
#define STRIA_STATUS(name, number, js_class, text) case STRIA_##name: return #name;
#include "base/status.def"
    }
    return "unknown";
}

const char *stria_status_get_text(stria_status status)
{
    switch (status) {
#define STRIA_STATUS(name, number, js_class, text) case STRIA_##name: return text;
#include "base/status.def"
    }
    return "unknown";
}
/* clang-format on */

/* Takes an incomplete UTF-8 sequence off the end of a text that was cut. */
static void trim_partial_character(char *text, size_t length)
{
    size_t n = length, wanted;

    while (n > 0 && ((unsigned char)text[n - 1] & 0xC0) == 0x80) n--;
    if (n == 0) return;
    const unsigned char lead = (unsigned char)text[n - 1];
    wanted = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    if (length - (n - 1) < wanted) text[n - 1] = 0;
}

static void set_text(char *to, size_t size, const char *from)
{
    const size_t length = from ? strlen(from) : 0, kept = length < size ? length : size - 1;

    if (kept) memcpy(to, from, kept);
    to[kept] = 0;
    if (kept < length) trim_partial_character(to, kept);
}

stria_status stria_error_set(stria_error *err, stria_status code, const char *op, const char *argument,
                             const char *expected, const char *got, const char *format, ...)
{
    va_list list;
    int     used, added;

    if (!err) return code;
    err->code = code;
    set_text(err->op, sizeof err->op, op);
    set_text(err->argument, sizeof err->argument, argument);
    set_text(err->expected, sizeof err->expected, expected);
    set_text(err->got, sizeof err->got, got);
    used = err->op[0] ? snprintf(err->message, sizeof err->message, "%s: ", err->op) : 0;
    va_start(list, format);
    added = vsnprintf(err->message + used, sizeof err->message - (size_t)used, format, list);
    va_end(list);
    if (added < 0)
        set_text(err->message, sizeof err->message, stria_status_get_text(code));
    else if ((size_t)(used + added) >= sizeof err->message)
        trim_partial_character(err->message, sizeof err->message - 1);
    return code;
}

stria_status stria_error_set_argument(stria_error *err, stria_status code, const char *argument)
{
    if (err) set_text(err->argument, sizeof err->argument, argument);
    return code;
}

static stria_status rename_op(stria_error *err, stria_status status, const char *op)
{
    const size_t old = strlen(err->op);
    char         text[sizeof err->message];

    if (strcmp(err->op, op) == 0) return status;
    if (old > 0 && strncmp(err->message, err->op, old) == 0 && err->message[old] == ':') {
        set_text(text, sizeof text, err->message + old + 1 + (err->message[old + 1] == ' '));
        snprintf(err->message, sizeof err->message, "%s: ", op);
        set_text(err->message + strlen(err->message), sizeof err->message - strlen(err->message), text);
    }
    set_text(err->op, sizeof err->op, op);
    return status;
}

stria_status stria_error_set_op(stria_error *err, stria_status status, const char *op)
{
    return status == STRIA_OK || err == NULL || op == NULL ? status : rename_op(err, status, op);
}

char *stria_shape_print(char *text, size_t size, int ndim, const int64_t *shape)
{
    size_t used = 0;

    if (size == 0) return text;
    text[0] = 0;
    if (size < 8) return text;
    text[used++] = '[';
    for (int d = 0; d < ndim; d++) {
        char      number[24];
        const int n = snprintf(number, sizeof number, d ? ",%lld" : "%lld", (long long)shape[d]);
        /* room must stay for ",..]" and the zero */
        if (used + (size_t)n + 5 > size) {
            memcpy(text + used, d ? ",.." : "..", d ? 3 : 2);
            used += d ? 3 : 2;
            break;
        }
        memcpy(text + used, number, (size_t)n);
        used += (size_t)n;
    }
    text[used++] = ']';
    text[used] = 0;
    return text;
}
