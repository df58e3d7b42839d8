/* mlir_plugin.h - what the plug-in libstria_mlir is to the library: one table, which it exports. Internal.
 *
 * The library knows nothing of LLVM, the plug-in nothing of tensors. Its functions may be called by several threads at once, whose stacks may
 * have 128 KB; they print nothing. */
#ifndef STRIA_COMPILE_MLIR_PLUGIN_H
#define STRIA_COMPILE_MLIR_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STRIA_MLIR_PLUGIN_VERSION 1
#define STRIA_MLIR_PLUGIN_TABLE stria_mlir_plugin_table /* the symbol */

typedef struct stria_mlir_plugin {
    int32_t     version;  /* of this struct; the first of it in every version */
    const char *compiler; /* such as "LLVM 19" */
    /* Compiles the text of a module (nbytes, and a 0 behind it) for this processor, and gives the address of function `entry`.
     * code: what release ends. False, and a message: the text is refused, or there is no memory. */
    bool (*compile)(const char *text, size_t nbytes, const char *entry, void **code, void **function, char *message,
                    size_t message_nbytes);
    void (*release)(void *code);
} stria_mlir_plugin;

#endif
