/* attrs.h - copies of the attributes of a call, for those who remember it. Internal. */
#ifndef STRIA_ATTRS_H
#define STRIA_ATTRS_H

#include "call/call.h"

/* Bytes of a copy: the record, and what its lists and texts lie in. 0: the row has no attributes. */
size_t stria_attrs_get_nbytes(const stria_call *call);

/* The copy, in memory of so many bytes, aligned for any type; it owns what is counted by references: generators, expressions. */
void stria_attrs_copy(const stria_call *call, void *to);

/* Whether two copies of attributes of the row, or two NULLs, say the same. */
bool stria_attrs_is_same(stria_row row, const void *a, const void *b);

/* Releases what the copy owns, not its memory. */
void stria_attrs_end(stria_row row, void *attrs);

#endif
