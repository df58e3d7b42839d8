/* nvrtc.cu - the only file that knows NVRTC. The library is opened when a group is first compiled, so that the plug-in works without it. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <mutex>
#include <new>

#include <nvrtc.h>

#include "nvrtc.cuh"

/* group.cuh and all that it includes, as one text: static const char group_words[]. */
#include "group_words.inc"

#if defined(NVRTC_FILE) /* of the tests */
#elif CUDART_VERSION >= 13000
#define NVRTC_FILE "libnvrtc.so.13"
#else
#define NVRTC_FILE "libnvrtc.so.12"
#endif

/* The functions that are used, by the names of their types. */
#define STRIA_NVRTC_FUNCTIONS(FUNCTION) \
    FUNCTION(nvrtcVersion)              \
    FUNCTION(nvrtcCreateProgram)        \
    FUNCTION(nvrtcDestroyProgram)       \
    FUNCTION(nvrtcCompileProgram)       \
    FUNCTION(nvrtcGetCUBINSize)         \
    FUNCTION(nvrtcGetCUBIN)

#define FUNCTION(name) decltype(&::name) name;
struct library {
    STRIA_NVRTC_FUNCTIONS(FUNCTION)
};
#undef FUNCTION

static struct {
    std::mutex mutex;
    bool       is_tried, is_open;
    library    at;
} opened;

static bool open_library(library *rtc)
{
    void *file = dlopen(NVRTC_FILE, RTLD_NOW | RTLD_LOCAL);

    if (file == NULL) return false;
#define FUNCTION(name)                                                     \
    rtc->name = reinterpret_cast<decltype(rtc->name)>(dlsym(file, #name)); \
    if (rtc->name == NULL) return false;
    STRIA_NVRTC_FUNCTIONS(FUNCTION)
#undef FUNCTION
    return true;
}

static const library *get_library()
{
    std::lock_guard<std::mutex> guard(opened.mutex);

    if (!opened.is_tried) opened.is_open = open_library(&opened.at);
    opened.is_tried = true;
    return opened.is_open ? &opened.at : NULL;
}

bool stria_nvrtc_describe(int sm, char *text, size_t size)
{
    const library *rtc = get_library();
    uint64_t       h = 0xcbf29ce484222325u; /* FNV-1a */
    int            major = 0, minor = 0;

    if (rtc == NULL || rtc->nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) return false;
    for (size_t k = 0; k + 1 < sizeof group_words; k++) h = (h ^ (uint8_t)group_words[k]) * 0x100000001b3u;
    snprintf(text, size, "sm_%d nvrtc %d.%d words %016llx", sm, major, minor, (unsigned long long)h);
    return true;
}

static char *get_image(const library *rtc, nvrtcProgram program, size_t *nbytes)
{
    char *image = NULL;

    if (rtc->nvrtcGetCUBINSize(program, nbytes) != NVRTC_SUCCESS || *nbytes == 0) return NULL;
    image = static_cast<char *>(malloc(*nbytes));
    if (image == NULL || rtc->nvrtcGetCUBIN(program, image) == NVRTC_SUCCESS) return image;
    free(image);
    return NULL;
}

char *stria_nvrtc_compile(int sm, const char *text, size_t *nbytes)
{
    static const char *const headers[] = {group_words}, *const names[] = {"group.cuh"};
    const library *rtc = get_library();
    nvrtcProgram   program;
    char           architecture[40], *image = NULL;

    if (rtc == NULL) return NULL;
    snprintf(architecture, sizeof architecture, "--gpu-architecture=sm_%d", sm);
    const char *const options[] = {architecture, "--fmad=false", "--std=c++17", "--device-as-default-execution-space"};
    if (rtc->nvrtcCreateProgram(&program, text, "group.cu", 1, headers, names) != NVRTC_SUCCESS) return NULL;
    if (rtc->nvrtcCompileProgram(program, (int)(sizeof options / sizeof *options), options) == NVRTC_SUCCESS)
        image = get_image(rtc, program, nbytes);
    rtc->nvrtcDestroyProgram(&program);
    return image;
}
