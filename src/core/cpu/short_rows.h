/* short_rows.h - many rows of a few bytes, such as those of a tile. Internal. */
#ifndef STRIA_SHORT_ROWS_H
#define STRIA_SHORT_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* Copies k rows of nbytes each. Rows lie dst_row and src_row bytes apart, in src in any direction, or all in one place; dst lies apart from src. */
void stria_copy_short_rows(char *dst, size_t dst_row, const char *src, int64_t src_row, size_t nbytes, int64_t k);

#endif
