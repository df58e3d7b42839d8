/* json_write.c - writing JSON into memory. */
#include "io/json.h"

#include <string.h>

void stria_json_put(stria_json_sink *out, char c)
{
    if (out->text) out->text[out->n] = c;
    out->n++;
}

void stria_json_put_words(stria_json_sink *out, const char *words)
{
    for (; *words; words++) stria_json_put(out, *words);
}

void stria_json_put_whole(stria_json_sink *out, uint64_t number)
{
    char digits[20];
    int  n = 0;

    do {
        digits[n++] = (char)('0' + number % 10);
    } while (number /= 10);
    while (n > 0) stria_json_put(out, digits[--n]);
}

void stria_json_put_int(stria_json_sink *out, int64_t number)
{
    if (number < 0) stria_json_put(out, '-');
    stria_json_put_whole(out, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

void stria_json_put_text(stria_json_sink *out, const char *text)
{
    static const char codes[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt", digits[] = "0123456789abcdef";

    stria_json_put(out, '"');
    for (; *text; text++) {
        const char *code = strchr(codes, *text);
        if (code) {
            stria_json_put(out, '\\');
            stria_json_put(out, letters[code - codes]);
        } else if ((unsigned char)*text < ' ') {
            stria_json_put_words(out, "\\u00");
            stria_json_put(out, digits[*text >> 4]);
            stria_json_put(out, digits[*text & 15]);
        } else {
            stria_json_put(out, *text);
        }
    }
    stria_json_put(out, '"');
}
