/* nvrtc_host.cu - src/cuda/nvrtc.cu without NVRTC: texts are compiled by the compiler of the host, into modules that are opened.
 *
 *   STRIA_CUDA_HOST_COMPILER   the command, which "FILE -o FILE" is put behind; unset or empty: there is no NVRTC
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <new>
#include <string>

#include "nvrtc.cuh"

typedef void group_fn(stria_cuda_group_params call);
typedef void set_fn(unsigned block, unsigned thread);
struct stria_cuda_module {
    void     *module;
    group_fn *run;
    set_fn   *set;
};

static const char *get_compiler()
{
    const char *command = getenv("STRIA_CUDA_HOST_COMPILER");
    return command != NULL && command[0] != 0 ? command : NULL;
}

bool stria_cuda_describe_code(int device, char *text, size_t size)
{
    if (get_compiler() == NULL) return false;
    snprintf(text, size, "host %d", device);
    return true;
}

static std::string new_folder()
{
    const char *base = getenv("TMPDIR");
    std::string at = std::string(base != NULL && base[0] != 0 ? base : "/tmp") + "/stria_group_XXXXXX";

    return mkdtemp(&at[0]) != NULL ? at : std::string();
}

static bool write_bytes(const std::string &path, const char *bytes, size_t n)
{
    FILE *file = fopen(path.c_str(), "wb");

    if (file == NULL) return false;
    const bool is_written = fwrite(bytes, 1, n, file) == n;
    return fclose(file) == 0 && is_written;
}

static char *read_bytes(const std::string &path, size_t *n)
{
    FILE *file = fopen(path.c_str(), "rb");
    char *bytes = NULL;

    if (file == NULL) return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (*n = (size_t)ftell(file)) > 0) bytes = static_cast<char *>(malloc(*n));
    rewind(file);
    if (bytes != NULL && fread(bytes, 1, *n, file) != *n) {
        free(bytes);
        bytes = NULL;
    }
    fclose(file);
    return bytes;
}

char *stria_cuda_compile(int device, const char *text, size_t *nbytes)
{
    const std::string folder = new_folder(), source = folder + "/group.cpp", module = folder + "/group.so";
    char             *image = NULL;
    (void)device;

    if (folder.empty()) return NULL;
    const std::string command = get_compiler() + (" " + source) + " -o " + module + " 2>/dev/null";
    if (write_bytes(source, text, strlen(text)) && system(command.c_str()) == 0) image = read_bytes(module, nbytes);
    (void)unlink(source.c_str());
    (void)unlink(module.c_str());
    (void)rmdir(folder.c_str());
    return image;
}

stria_cuda_module *stria_cuda_load(int device, const char *image, size_t nbytes)
{
    const std::string  folder = new_folder(), module = folder + "/group.so";
    stria_cuda_module *code = new (std::nothrow) stria_cuda_module();
    (void)device;

    if (code != NULL && !folder.empty() && write_bytes(module, image, nbytes))
        code->module = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
    (void)unlink(module.c_str());
    if (!folder.empty()) (void)rmdir(folder.c_str());
    if (code != NULL && code->module != NULL) {
        code->run = reinterpret_cast<group_fn *>(dlsym(code->module, "stria_group"));
        code->set = reinterpret_cast<set_fn *>(dlsym(code->module, "stria_group_set"));
    }
    if (code != NULL && code->run != NULL && code->set != NULL) return code;
    stria_cuda_unload(code);
    return NULL;
}

void stria_cuda_unload(stria_cuda_module *code)
{
    if (code != NULL && code->module != NULL) dlclose(code->module);
    delete code;
}

static __global__ void run_code(stria_cuda_module code, stria_cuda_group_params params)
{
    code.set(blockIdx.x, threadIdx.x);
    code.run(params);
}

int stria_cuda_launch_code(stria_cuda_stream *stream, const stria_cuda_module *code, unsigned blocks,
                           const stria_cuda_group_params *params)
{
    return launch_kernel(stream, run_code, dim3(blocks), dim3(STRIA_CUDA_THREADS), 0, *code, *params);
}
