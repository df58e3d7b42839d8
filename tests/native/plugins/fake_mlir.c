/* fake_mlir.c - shared libraries that stria_mlir_open refuses. FAKE_VERSION: of another version. FAKE_TABLE: without a table. FAKE_OTHER: as
 * good as any, which may be opened, but not beside another one; its code asks the library to make the first step. */
#include <stdlib.h>

#include "compile/mlir_plugin.h"
#include "stria_mlir.h"

#if defined(FAKE_TABLE)
__attribute__((visibility("default"))) extern const int stria_nothing;
const int                                               stria_nothing = 1;
#else
static void run(const stria_mlir_host *host, void *const *buffers)
{
    (void)buffers;
    host->call(host, 0);
}

static bool compile(const char *text, size_t nbytes, const char *entry, void **code, void **function, char *message,
                    size_t message_nbytes)
{
    (void)text, (void)nbytes, (void)entry, (void)message_nbytes;
    message[0] = 0;
    *code = malloc(1); /* that it ends is seen by who looks for leaks */
    *function = (void *)(uintptr_t)run;
    return *code != NULL;
}

static void                    release(void *code) { free(code); }

#if defined(FAKE_VERSION)
#define VERSION (STRIA_MLIR_PLUGIN_VERSION + 1)
#else
#define VERSION STRIA_MLIR_PLUGIN_VERSION
#endif
extern const stria_mlir_plugin STRIA_MLIR_PLUGIN_TABLE;
__attribute__((visibility("default")))
const stria_mlir_plugin STRIA_MLIR_PLUGIN_TABLE = {VERSION, "nothing", compile, release};
#endif
