/* safetensors.h - parts of the reader of safetensors files, for hosts that have not the whole file in memory. Internal. */
#ifndef STRIA_IO_SAFETENSORS_H
#define STRIA_IO_SAFETENSORS_H

#include "stria_safetensors.h"

#define STRIA_SAFETENSORS_OP "safetensors"
#define STRIA_SAFETENSORS_METADATA "__metadata__"

/* Whether the format has a dtype. */
static inline bool stria_safetensors_has_dtype(stria_dtype dtype)
{
    return dtype != STRIA_DTYPE_NONE && dtype != STRIA_C128;
}

/* Where the header of a file of file_nbytes ends, from its first nbytes; ERR_FORMAT if it would end behind the file, or is too long. */
stria_status stria_safetensors_get_header(const unsigned char *bytes, size_t nbytes, uint64_t file_nbytes,
                                          uint64_t *header_end, stria_error *err);
/* What is in a file, from its first header_end bytes; `data` of the entries is NULL. */
stria_status stria_safetensors_read(const unsigned char *bytes, uint64_t header_end, uint64_t file_nbytes,
                                    stria_safetensors **out, stria_error *err);

#endif
