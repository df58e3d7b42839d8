/* bytes.h - what the readers and writers of files share: buffers that a caller is given, elements in a byte order. Internal. */
#ifndef STRIA_BYTES_H
#define STRIA_BYTES_H

#include "stria.h"

/* A buffer of nbytes for a caller, who ends it with stria_bytes_release; NULL: no memory. */
char *stria_bytes_new(size_t nbytes);

/* Copies nbytes of elements between a file of the byte order given and memory, in either direction; bytes of bool become 0 or 1. */
void stria_elements_copy(stria_dtype dtype, bool is_big_endian, const void *from, size_t nbytes, char *to);

#endif
