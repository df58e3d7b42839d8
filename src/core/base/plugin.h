/* plugin.h - plug-ins: libraries that are opened at run time, and stay open. Internal.
 *
 * WebAssembly has none. */
#ifndef STRIA_PLUGIN_H
#define STRIA_PLUGIN_H

/* Opens the library at `path`; NULL: the file `name` beside what this library is in, else where the system looks for it. NULL: it does
 * not load, and *why says so, until the thread's next call. */
void *stria_plugin_open(const char *path, const char *name, const char **why);
/* NULL: it has no such symbol. */
void *stria_plugin_get(void *library, const char *symbol);
/* Of a library that is not going to be used. */
void stria_plugin_release(void *library);

#endif
