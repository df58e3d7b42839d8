/* abi_table.h - handles, scratch and argument conversion, shared by the files of the flat ABI. Internal. */
#ifndef STRIA_ABI_TABLE_H
#define STRIA_ABI_TABLE_H

#include <limits.h>

#include "abi.h"

/* The scratch block of this thread. */
stria_abi_scratch *stria_abi_get_scratch(void);

/* A double as an integer: cut to the range, NaN is the least. Any double is allowed. */
static inline int64_t stria_abi_get_int64(double value)
{
    if (value != value) return INT64_MIN;
    if (value >= 0x1p63) return INT64_MAX;
    return value > -0x1p63 ? (int64_t)value : INT64_MIN + 1;
}

static inline int stria_abi_get_int(double value)
{
    if (value != value || value <= INT_MIN) return INT_MIN;
    return value >= INT_MAX ? INT_MAX : (int)value;
}

/* Operand k as a tensor, borrowed; *owned (perhaps NULL) is to be released afterwards. `argument` names it in errors. */
stria_status stria_abi_get_operand(int k, const char *op, const char *argument, stria_tensor **x, stria_tensor **owned);
/* Operand k as a number; false: it is a handle, or no number at all. */
bool stria_abi_get_scalar(int k, stria_scalar *value);
/* ERR_DTYPE if value is no dtype, nor -1 where that is allowed. */
stria_status stria_abi_get_dtype(double value, const char *op, bool allow_none, stria_dtype *dtype);

/* A device, which may be none. */
stria_device stria_abi_get_device(double type, double index);
/* A new tensor of the elements of x, row-major, over as many bytes of the host or, where bytes is NULL, on a device: no call, so nothing records
 * it. */
stria_status stria_abi_new_packed(const stria_tensor *x, stria_device device, void *bytes, stria_tensor **out,
                                  stria_error *err);
/* Copies the elements of a tensor into as many bytes: from the CPU those of a contiguous one, from another device of any, when they are there ->
 * 0. */
double stria_abi_read(double handle, void *bytes, size_t nbytes);

/* n[from .. from + count) as integers; count is cut to [0, STRIA_MAX_DIMS + 1], so that one too many stays visible. */
int stria_abi_get_sizes(int from, double count, int64_t *sizes);
int stria_abi_get_axes(double count, int *axes);

/* For a host that lends its own memory to tensors of this thread: says whether that of x, which is external, is still there. A tensor
 * whose memory is gone is refused (ERR_DISPOSED) wherever its handle is looked up. NULL: no memory is lent. */
typedef bool stria_abi_guard(stria_tensor *x);
void         stria_abi_set_guard(stria_abi_guard *guard);
/* The same for what looks at tensors that it keeps without their handles, such as programs and gradients: before it does, `sweep` marks all whose
 * memory is gone (stria_storage.is_lost), and counts them as written. stria_abi_sweep_lent says whether any memory is lent. */
typedef void stria_abi_sweep(void);
void         stria_abi_set_sweep(stria_abi_sweep *sweep);
bool         stria_abi_sweep_lent(void);
/* The tensor of a handle, wherever its memory is; NULL if there is none. */
stria_tensor *stria_abi_find_tensor(double handle);

/* The tensor of a handle if its elements are nbytes contiguous bytes on the CPU; else NULL, the error filled and minus the
 * status in *failure. Every host asks here before it moves bytes, whatever it knew of the tensor before. */
stria_tensor *stria_abi_get_flat(double handle, double nbytes, const char *op, double *failure);

/* Releases what is left of the list that the last call has made (stria_abi_list_next). */
void stria_abi_drop_list(void);

/* A new handle if status is OK, else minus the status. */
double stria_abi_get_result(stria_status status, stria_tensor *x);

#endif
