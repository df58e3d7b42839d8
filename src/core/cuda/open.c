/* open.c - finding and opening libstria_cuda, once: the file that STRIA_CUDA_PLUGIN names, else beside this library, else where the system
 * looks for libraries. */
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plugin.h"
#include "cuda/cuda_device.h"
#include "cuda/rows.h"

#define LIBRARY "libstria_cuda.so"
#define TEXT_OF(x) #x
#define NAME_OF(x) TEXT_OF(x)

typedef const stria_cuda_plugin *get_fn(void);

static struct {
    atomic_bool              is_known; /* the rest is settled */
    const stria_cuda_plugin *plugin;   /* NULL: there are no devices */
    int                      n_devices;
    atomic_int               process; /* that opens it; 0: none has begun */
    char                     why[320];
} opened;

/* ---------------------------------------------------------------- once */

/* Whether this is a plug-in for this library; if not, opened.why says why. */
static bool is_ours(const stria_cuda_plugin *plugin, const char *path)
{
    if (plugin->version != STRIA_CUDA_PLUGIN_VERSION)
        snprintf(opened.why, sizeof opened.why, "%s is a plug-in of version %d, this library takes version %d", path,
                 (int)plugin->version, STRIA_CUDA_PLUGIN_VERSION);
    else if (plugin->nbytes != sizeof *plugin || strcmp(plugin->rows, stria_cuda_rows) != 0)
        snprintf(opened.why, sizeof opened.why, "%s was built with other rows than this library", path);
    else
        return true;
    return false;
}

static void open_once(void)
{
    const char *path = getenv("STRIA_CUDA_PLUGIN"), *why = "";
    get_fn     *get = NULL;
    void       *library, *symbol;

    if (path != NULL && *path == 0) path = NULL;
    library = stria_plugin_open(path, LIBRARY, &why);
    if (path == NULL) path = LIBRARY;
    if (library == NULL) {
        snprintf(opened.why, sizeof opened.why, "the plug-in does not load: %s", why);
        return;
    }
    symbol = stria_plugin_get(library, NAME_OF(STRIA_CUDA_PLUGIN_GET));
    memcpy(&get, &symbol, sizeof get);
    const stria_cuda_plugin *plugin = get != NULL ? get() : NULL;
    if (plugin == NULL) {
        snprintf(opened.why, sizeof opened.why, "%s has no " NAME_OF(STRIA_CUDA_PLUGIN_GET), path);
        stria_plugin_release(library);
        return;
    }
    if (!is_ours(plugin, path)) {
        stria_plugin_release(library);
        return;
    }
    opened.n_devices = plugin->get_device_count(opened.why, sizeof opened.why);
    if (opened.n_devices == 0) return;
    plugin->set_give_back(stria_cuda_kept_give_back);
    opened.plugin = plugin;
}

const stria_cuda_plugin *stria_cuda_open(const char **why)
{
    while (!atomic_load_explicit(&opened.is_known, memory_order_acquire)) {
        const int self = (int)getpid();
        int       process = 0;
        if (atomic_compare_exchange_strong(&opened.process, &process, self)) {
            open_once();
            atomic_store_explicit(&opened.is_known, true, memory_order_release);
        } else if (process != self) { /* who was at it is not in this process */
            *why = "CUDA was being opened when this process was forked, and does not work in the child";
            return NULL;
        } else {
            sched_yield();
        }
    }
    *why = opened.why;
    if (opened.plugin != NULL && atomic_load_explicit(&opened.process, memory_order_relaxed) != (int)getpid()) {
        *why = "CUDA was in use when this process was forked, and does not work in the child";
        return NULL;
    }
    return opened.plugin;
}

const stria_cuda_plugin *stria_cuda_get_plugin(void) { return opened.plugin; }

int stria_cuda_count_devices(void)
{
    const char *why;
    return stria_cuda_open(&why) != NULL ? opened.n_devices : 0;
}
