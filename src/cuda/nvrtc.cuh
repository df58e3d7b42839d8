/* nvrtc.cuh - texts of groups (group.cuh) as code of a device. */
#ifndef STRIA_CUDA_NVRTC_CUH
#define STRIA_CUDA_NVRTC_CUH

#include "calls_group.h"
#include "launch.cuh"

/* The same of an architecture, 80 or 90, by NVRTC (nvrtc.cu). */
bool  stria_nvrtc_describe(int sm, char *text, size_t size);
char *stria_nvrtc_compile(int sm, const char *text, size_t *nbytes);

/* Loaded code; of one device. */
struct stria_cuda_module;

/* What an image depends on besides its text: the architecture, versions, the vocabulary. False: there is no NVRTC, or no such device. */
bool stria_cuda_describe_code(int device, char *text, size_t size);
/* The image of a text, to be freed; NULL: it does not compile. */
char *stria_cuda_compile(int device, const char *text, size_t *nbytes);
/* NULL: it is not one for this device. */
stria_cuda_module *stria_cuda_load(int device, const char *image, size_t nbytes);
void               stria_cuda_unload(stria_cuda_module *code); /* nothing runs by it any more */
int                stria_cuda_launch_code(stria_cuda_stream *stream, const stria_cuda_module *code, unsigned blocks,
                                          const stria_cuda_group_params *params);

#endif
