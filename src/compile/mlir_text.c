/* mlir_text.c - texts that grow, names, templates. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "compile/mlir.h"

#define MOST_BYTES ((size_t)1 << 30)

static bool make_room(stria_mlir_text *t, size_t n)
{
    if (t->failure != STRIA_MLIR_FINE) return false;
    if (t->n + n < t->room) return true;
    size_t room = t->room > 0 ? t->room : 4096;
    while (room <= t->n + n && room < MOST_BYTES) room *= 2;
    char *more = room > t->n + n ? stria_object_new(room) : NULL;
    if (more == NULL) {
        t->failure = room > t->n + n ? STRIA_MLIR_NO_MEMORY : STRIA_MLIR_TOO_LONG;
        return false;
    }
    if (t->n > 0) memcpy(more, t->at, t->n);
    stria_object_release(t->at);
    t->at = more;
    t->room = room;
    return true;
}

static void put_bytes(stria_mlir_text *t, const char *bytes, size_t n)
{
    if (!make_room(t, n)) return;
    memcpy(t->at + t->n, bytes, n);
    t->n += n;
    t->at[t->n] = 0;
}

void stria_mlir_put(stria_mlir_text *t, const char *format, ...)
{
    char    line[512];
    va_list list;

    va_start(list, format);
    const int n = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (n >= 0 && (size_t)n < sizeof line) {
        put_bytes(t, line, (size_t)n);
    } else if (n >= 0 && make_room(t, (size_t)n)) {
        va_start(list, format);
        vsnprintf(t->at + t->n, (size_t)n + 1, format, list);
        va_end(list);
        t->n += (size_t)n;
    }
}

stria_mlir_name stria_mlir_get_name(const char *format, ...)
{
    stria_mlir_name name;
    va_list         list;

    va_start(list, format);
    vsnprintf(name.at, sizeof name.at, format, list);
    va_end(list);
    return name;
}

static void put_place(stria_mlir_text *t, char place, const stria_mlir_places *p)
{
    const char *text = NULL;

    switch (place) {
    case 'r': text = p->result; break;
    case 'a': text = p->operand[0]; break;
    case 'b': text = p->operand[1]; break;
    case 'c': text = p->operand[2]; break;
    case 't': text = p->type; break;
    case 'u': text = p->other; break;
    case 'x': text = p->constant; break;
    case 'l': text = p->lowest; break;
    case 'h': text = p->highest; break;
    case 'n': stria_mlir_put(t, "%" PRId64, p->number); return;
    default: stria_mlir_put(t, "%d", p->width); return;
    }
    put_bytes(t, text, strlen(text));
}

void stria_mlir_put_template(stria_mlir_text *t, int indent, const char *lines, const stria_mlir_places *places)
{
    stria_mlir_put(t, "%*s", indent, "");
    for (;;) {
        const size_t n = strcspn(lines, "$\n");
        put_bytes(t, lines, n);
        lines += n;
        if (*lines == 0) break;
        if (*lines == '$')
            put_place(t, *++lines, places);
        else
            stria_mlir_put(t, "\n%*s", indent, "");
        lines++;
    }
    put_bytes(t, "\n", 1);
}
