/* check.cpp - stria_nvrtc_check 80,90 COMMAND .. FILE -o OUT: compiles the text of a group by NVRTC for these architectures, as the plug-in
 * does, and then runs the command, the compiler of the host (libraries/nvrtc_host.cu). It ends with 1 where one of them does not compile the text. */
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>

#include "src/cuda/nvrtc.cu"

static bool read_text(const char *path, std::string *text)
{
    FILE *file = fopen(path, "rb");
    char  part[4096];

    if (file == NULL) return false;
    for (size_t n; (n = fread(part, 1, sizeof part, file)) > 0;) text->append(part, n);
    return fclose(file) == 0;
}

int main(int argc, char **argv)
{
    std::string text;

    if (argc < 6 || !read_text(argv[argc - 3], &text)) {
        fprintf(stderr, "stria_nvrtc_check 80,90 COMMAND .. FILE -o OUT\n");
        return 2;
    }
    for (char *at = argv[1]; *at != 0; at += *at == ',') {
        const int sm = (int)strtol(at, &at, 10);
        size_t    nbytes = 0;
        char     *image = stria_nvrtc_compile(sm, text.c_str(), &nbytes);
        if (image == NULL || nbytes == 0) {
            fprintf(stderr, "NVRTC does not compile %s for sm_%d\n", argv[argc - 3], sm);
            return 1;
        }
        free(image);
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 2;
}
