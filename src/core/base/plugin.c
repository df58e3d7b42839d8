/* plugin.c - see plugin.h. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* dladdr */
#endif
#include "base/plugin.h"

#include <stddef.h>

#if defined(__EMSCRIPTEN__)
void *stria_plugin_open(const char *path, const char *name, const char **why)
{
    (void)path, (void)name;
    *why = "WebAssembly has no plug-ins";
    return NULL;
}

void *stria_plugin_get(void *library, const char *symbol)
{
    (void)library, (void)symbol;
    return NULL;
}

void stria_plugin_release(void *library) { (void)library; }
#else
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Of the file beside what this library is in; false: nobody knows where that is. */
static bool find_beside(const char *name, char *path, size_t size)
{
    Dl_info info;

    if (dladdr((void *)(uintptr_t)stria_plugin_open, &info) == 0 || info.dli_fname == NULL) return false;
    const char *slash = strrchr(info.dli_fname, '/');
    const int   n = slash != NULL ? (int)(slash - info.dli_fname) + 1 : 0;
    return snprintf(path, size, "%.*s%s", n, info.dli_fname, name) < (int)size && n > 0;
}

void *stria_plugin_open(const char *path, const char *name, const char **why)
{
    char beside[1024];

    if (path == NULL) {
        FILE *file = find_beside(name, beside, sizeof beside) ? fopen(beside, "rb") : NULL;
        if (file != NULL) fclose(file);
        path = file != NULL ? beside : name;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) *why = dlerror();
    return library;
}

void *stria_plugin_get(void *library, const char *symbol) { return dlsym(library, symbol); }

void stria_plugin_release(void *library) { dlclose(library); }
#endif
