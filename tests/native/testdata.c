/* testdata.c - files of public test suites. */
#include "testdata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *testdata_folder(void)
{
    const char *folder = getenv("STRIA_TESTDATA");
    return folder ? folder : "../shared/testdata";
}

char *testdata_read(const char *path, size_t *nbytes)
{
    FILE  *file = fopen(path, "rb");
    size_t capacity = 1 << 20, used = 0;
    char  *bytes = file ? malloc(capacity) : NULL;

    while (bytes) {
        used += fread(bytes + used, 1, capacity - used, file);
        if (used < capacity) break;
        bytes = realloc(bytes, capacity *= 2);
    }
    if (file) fclose(file);
    *nbytes = used;
    return bytes;
}

static int base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char       *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

size_t testdata_decode(const char *base64, void *out, size_t most)
{
    unsigned bits = 0, held = 0;
    size_t   n = 0;

    for (; base64_digit(*base64) >= 0 && n < most; base64++) {
        bits = bits << 6 | (unsigned)base64_digit(*base64);
        held += 6;
        if (held >= 8) ((char *)out)[n++] = (char)(bits >> (held -= 8));
    }
    return n;
}
