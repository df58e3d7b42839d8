/* cuda_host_case.h - the host runtime that CUDA suites may run on (tests/cuda_host/control.h). */
#ifndef STRIA_TEST_CUDA_HOST_CASE_H
#define STRIA_TEST_CUDA_HOST_CASE_H

#include <stdlib.h>
#include <string.h>

#include "../cuda_host/control.h"

/* Of the plug-in that is open; NULL: a real device. */
#if defined(__EMSCRIPTEN__)
static inline const stria_cuda_host *cuda_host_case_get(void) { return NULL; }
#else
#include <dlfcn.h>

static inline const stria_cuda_host *cuda_host_case_get(void)
{
    const char *path = getenv("STRIA_CUDA_PLUGIN");
    void       *library = path != NULL ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL, *symbol;
    const stria_cuda_host *(*get)(void) = NULL;

    if (library == NULL) return NULL;
    symbol = dlsym(library, "stria_cuda_host_get");
    memcpy(&get, &symbol, sizeof get);
    return get != NULL ? get() : NULL;
}
#endif

#endif
