/* stria_safetensors.h - files of named tensors in the safetensors format.
 *
 * Eight bytes with the length of the header, little-endian; the header, a JSON object; then the elements of all tensors, row-major and
 * little-endian, one behind another. The conventions are those of stria.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STRIA_SAFETENSORS_H
#define STRIA_SAFETENSORS_H

#include "stria.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Longest header, in bytes: that of the reference implementation. */
#define STRIA_SAFETENSORS_MAX_HEADER 100000000

/* A tensor of a file. Its elements are not copied. */
typedef struct stria_safetensors_entry {
    const char    *name; /* UTF-8, zero-terminated; a zero may stand inside */
    size_t         name_nbytes;
    stria_dtype    dtype;
    int            ndim;
    const int64_t *shape;  /* [ndim] */
    uint64_t       offset; /* of its first byte, from the start of the file */
    uint64_t       nbytes;
    const void    *data; /* in the bytes of the file: little-endian, aligned or not */
} stria_safetensors_entry;

/* A pair of texts, both UTF-8 and zero-terminated. */
typedef struct stria_safetensors_pair {
    const char *key, *value;
    size_t      key_nbytes, value_nbytes;
} stria_safetensors_pair;

/* What is in a file. */
typedef struct stria_safetensors {
    const stria_safetensors_entry *entries;  /* [n_entries], in the order of their bytes */
    const stria_safetensors_pair  *metadata; /* [n_metadata], in the order of the header */
    int64_t                        n_entries, n_metadata;
} stria_safetensors;

/**
 * stria_safetensors_new - what is in the bytes of a safetensors file, which must outlive it: nothing of them is copied but names, shapes
 *                         and metadata.
 *
 * bytes   the whole file, in memory or mapped to it; borrowed
 * out     to be ended with stria_safetensors_release; NULL on failure
 *
 * Rules:  the header is an object, in UTF-8 without duplicate keys, of at most STRIA_SAFETENSORS_MAX_HEADER bytes, white space behind it
 *         included; the bytes of the tensors follow one another without gap or overlap from the header to the end of the file; those of
 *         each are as many as its shape and dtype say. Members of a tensor other than dtype, shape and data_offsets are passed over.
 * Dtypes: F64 F32 F16 BF16 I64 I32 I16 I8 U64 U32 U16 U8 BOOL C64.
 * Errors: ERR_FORMAT for what breaks a rule, and for other dtypes (F8_E4M3 ..), by name; ERR_OVERFLOW, ERR_MEMORY.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_safetensors_new(const void *bytes, size_t nbytes, stria_safetensors **out,
                                                              stria_error *err);
/* NULL is allowed. */
STRIA_API void stria_safetensors_release(stria_safetensors *file);
/* The entry of a name (zero-terminated), or NULL. */
STRIA_API const stria_safetensors_entry *stria_safetensors_get(const stria_safetensors *file, const char *name);

/* A new tensor with a copy of the elements of an entry; bytes of BOOL become 0 or 1. A program that can be sure of alignment and of a
 * little-endian machine may share them instead: stria_tensor_new_external. */
STRIA_API STRIA_MUST_CHECK stria_status stria_safetensors_copy_entry(const stria_safetensors_entry *entry,
                                                                     stria_tensor **out, stria_error *err);

/* A tensor to be written. */
typedef struct stria_safetensors_item {
    const char         *name; /* UTF-8, zero-terminated */
    const stria_tensor *x;
} stria_safetensors_item;

/**
 * stria_safetensors_copy - the bytes of a file with these tensors, in a new buffer to be ended with stria_bytes_release.
 *
 * items     [n_items]; no name twice, none "__metadata__"
 * metadata  [2 * n_metadata] keys and values in turn, UTF-8, no key twice; NULL if there are none
 *
 * Tensors of large elements come first, so that the bytes of each are aligned where the file is; those of equal size keep their order.
 * Errors: ERR_ARGUMENT (names, texts), ERR_DTYPE (c128), ERR_DEVICE, ERR_FORMAT (a header beyond the limit), ERR_MEMORY.
 */
STRIA_API STRIA_MUST_CHECK stria_status stria_safetensors_copy(const stria_safetensors_item *items, int64_t n_items,
                                                               const char *const *metadata, int64_t n_metadata,
                                                               void **bytes, size_t *nbytes, stria_error *err);

#ifdef __cplusplus
}
#endif

#endif /* STRIA_SAFETENSORS_H */
