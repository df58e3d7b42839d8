/* napi_share.h - tensors over the memory of ArrayBuffers. Internal to the addon. */
#ifndef STRIA_NAPI_SHARE_H
#define STRIA_NAPI_SHARE_H

#include <node_api.h>

#include "stria.h"

/* share(ArrayBuffer, offset in bytes, dtype, ndim), shape in n[] -> handle of a tensor over its memory, or minus a status */
napi_value stria_napi_share(napi_env env, napi_callback_info info);
/* The elements of a contiguous tensor of so many bytes as a Uint8Array on its own ArrayBuffer; NULL if x shares none. */
napi_value stria_napi_get_shared(napi_env env, const stria_tensor *x, size_t nbytes);
/* Bytes of the ArrayBuffers that tensors of this thread keep alive, each tensor's own part of them. */
int64_t stria_napi_get_shared_nbytes(void);

#endif
