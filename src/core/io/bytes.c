/* bytes.c - buffers that a caller is given, and elements in the byte order of a file. */
#include "io/bytes.h"

#include <string.h>

#include "base/alloc.h"

/* A buffer is a block behind a header of one cache line that holds its size. */
#define BUFFER_HEADER 64

char *stria_bytes_new(size_t nbytes)
{
    char *block;

    if (nbytes > (size_t)PTRDIFF_MAX - BUFFER_HEADER) return NULL;
    nbytes += BUFFER_HEADER;
    block = stria_block_new(nbytes);
    if (!block) return NULL;
    memcpy(block, &nbytes, sizeof nbytes);
    return block + BUFFER_HEADER;
}

void stria_bytes_release(void *bytes)
{
    size_t nbytes;

    if (!bytes) return;
    bytes = (char *)bytes - BUFFER_HEADER;
    memcpy(&nbytes, bytes, sizeof nbytes);
    stria_block_release(bytes, nbytes);
}

static void reverse_bytes(char *data, size_t count, size_t size)
{
    for (size_t k = 0; k < count; k++, data += size)
        for (size_t b = 0; b < size / 2; b++) {
            const char low = data[b];
            data[b] = data[size - 1 - b];
            data[size - 1 - b] = low;
        }
}

void stria_elements_copy(stria_dtype dtype, bool is_big_endian, const void *from, size_t nbytes, char *to)
{
    const bool   is_complex = dtype == STRIA_C64 || dtype == STRIA_C128;
    const size_t part = stria_dtype_get_size(dtype) / (is_complex ? 2 : 1);

    if (nbytes) memcpy(to, from, nbytes);
    if (dtype == STRIA_BOOL)
        for (size_t k = 0; k < nbytes; k++) to[k] = to[k] != 0;
    if (part > 1 && is_big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)) reverse_bytes(to, nbytes / part, part);
}
