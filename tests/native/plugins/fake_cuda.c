/* fake_cuda.c - plug-ins that the library must not use for CUDA: FAKE_VERSION is of another version, FAKE_ROWS was built with other rows,
 * FAKE_DEVICE finds no device, and takes its time to say so: as long as STRIA_FAKE_CUDA_MS says. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "plugin.h"
#include "rows.h"

#if defined(FAKE_VERSION)
const stria_cuda_plugin *STRIA_CUDA_PLUGIN_GET(void)
{
    static const int32_t old = 1; /* and nothing behind it */
    (void)stria_cuda_rows;
    return (const stria_cuda_plugin *)(const void *)&old;
}
#elif defined(FAKE_ROWS)
const stria_cuda_plugin *STRIA_CUDA_PLUGIN_GET(void)
{
    static const stria_cuda_plugin plugin = {
        .version = STRIA_CUDA_PLUGIN_VERSION, .nbytes = sizeof plugin, .rows = stria_cuda_rows + 1};
    return &plugin;
}
#else
static int get_device_count(char *why, size_t size)
{
    const char *ms = getenv("STRIA_FAKE_CUDA_MS");

    if (ms != NULL) nanosleep(&(struct timespec){.tv_nsec = atol(ms) * 1000000}, NULL);
    snprintf(why, size, "nobody is at home");
    return 0;
}

const stria_cuda_plugin *STRIA_CUDA_PLUGIN_GET(void)
{
    static const stria_cuda_plugin plugin = {.version = STRIA_CUDA_PLUGIN_VERSION,
                                             .nbytes = sizeof plugin,
                                             .rows = stria_cuda_rows,
                                             .get_device_count = get_device_count};
    return &plugin;
}
#endif
