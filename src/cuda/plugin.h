/* plugin.h - the C interface between the core and libstria_cuda, a plug-in that is opened at run time where a driver and a
 * device exist. Internal; one symbol is exported: stria_cuda_plugin_get.
 *
 * Device pointers are plain pointers that only the plug-in's functions may follow. All work goes to one stream; the copies to
 * and from the host wait for it. Functions return 0 or a CUDA error number, which error_text explains. */
#ifndef STRIA_CUDA_PLUGIN_H
#define STRIA_CUDA_PLUGIN_H

#include "stria.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRIA_CUDA_PLUGIN_VERSION 1
#define STRIA_CUDA_OPERANDS 4

/* One element-wise call: operand 0 is the output; at most 25 dims, fastest first, offsets below 2^31 (split before). */
typedef struct stria_cuda_call {
    stria_op    op;
    stria_dtype compute; /* lane type of the row */
    int         ndim, n_operands;
    int64_t     shape[25];
    int64_t     strides[25 * STRIA_CUDA_OPERANDS]; /* [ndim][n_operands] bytes */
    char       *data[STRIA_CUDA_OPERANDS];
    stria_dtype dtype[STRIA_CUDA_OPERANDS]; /* in memory; converted on load and store */
} stria_cuda_call;

typedef struct stria_cuda_plugin {
    int version;
    int (*get_device_count)(void); /* 0 where there is no driver or device */
    int (*get_device_name)(int device, char *name, size_t size);
    int (*block_new)(size_t nbytes, void **block);
    int (*block_release)(void *block);
    int (*copy_in)(void *device, const void *host, size_t nbytes);
    int (*copy_out)(void *host, const void *device, size_t nbytes);
    /* -1: no such row for this dtype; -2: does not fit 31-bit offsets */
    int (*apply)(const stria_cuda_call *call);
    int (*synchronize)(void);
    const char *(*error_text)(int code);
} stria_cuda_plugin;

STRIA_API const stria_cuda_plugin *stria_cuda_plugin_get(void);

#ifdef __cplusplus
}
#endif

#endif
