/* replay.c - inputs for a fuzz target without libFuzzer (replay.h). */
#include "replay.h"

#include <signal.h>
#include <string.h>

#include "oracle.h"

#define MAX_BYTES 4096

static replay_fn *target;

static uint8_t input[MAX_BYTES];
static size_t  input_size;
static int64_t input_count;

static void print_input(int signal_number)
{
    fprintf(stderr, "input %lld: ", (long long)input_count);
    for (size_t i = 0; i < input_size; i++) fprintf(stderr, "%02x", input[i]);
    fprintf(stderr, "\n");
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void run(void)
{
    /* a block of its own, so that sanitizers see where it ends */
    uint8_t *bytes = malloc(input_size ? input_size : 1);

    if (bytes == NULL) exit(2);
    memcpy(bytes, input, input_size);
    target(bytes, input_size);
    free(bytes);
    input_count++;
}

static void read_hex(const char *line)
{
    unsigned byte;

    for (input_size = 0; input_size < MAX_BYTES && sscanf(line + 2 * input_size, "%2x", &byte) == 1; input_size++) {
        input[input_size] = (uint8_t)byte;
    }
}

/* A few bytes replaced, inserted or left out. */
static void change(random_state *random)
{
    for (uint64_t n = 1 + random_next(random) % 4; n > 0 && input_size > 0; n--) {
        const size_t at = random_next(random) % input_size;
        const int    kind = (int)(random_next(random) % 4);
        if (kind == 0 && input_size < MAX_BYTES) {
            memmove(input + at + 1, input + at, input_size++ - at);
        } else if (kind == 1) {
            memmove(input + at, input + at + 1, --input_size - at);
            continue;
        }
        input[at] = (uint8_t)(random_next(random) >> 32);
    }
}

static void run_corpus(const char *path, random_state *random, int64_t count)
{
    static char line[2 * MAX_BYTES + 2];
    FILE       *file = fopen(path, "rb");
    int64_t     lines = 0;

    CHECK(file != NULL, "cannot read %s", path);
    while (file != NULL && fgets(line, sizeof line, file) != NULL) lines++;
    for (int64_t done = 0; lines > 0 && done < count;) {
        rewind(file);
        while (done < count && fgets(line, sizeof line, file) != NULL) {
            read_hex(line);
            if (done >= lines) change(random);
            run();
            done++;
        }
    }
    CHECK(lines > 0, "%s is empty", path);
    if (file != NULL) fclose(file);
}

static void run_file(const char *path)
{
    FILE *file = fopen(path, "rb");

    CHECK(file != NULL, "cannot read %s", path);
    if (file == NULL) return;
    input_size = fread(input, 1, sizeof input, file);
    fclose(file);
    run();
}

int replay_main(int argc, char **argv, replay_fn *fn, const char *corpus, int64_t count)
{
    const int64_t seed = check_get_setting("STRIA_FUZZ_SEED", 1);
    random_state  random = {(uint64_t)seed};

    target = fn;
    count = check_get_setting("STRIA_FUZZ_COUNT", count);
    signal(SIGABRT, print_input);
    signal(SIGSEGV, print_input);
    for (int i = 1; i < argc; i++) run_file(argv[i]);
    if (argc == 1) {
        run_corpus(corpus, &random, count - count / 4);
        while (input_count < count) {
            input_size = random_next(&random) % 200;
            for (size_t i = 0; i < input_size; i++) input[i] = (uint8_t)(random_next(&random) >> 40);
            run();
        }
    }
    printf("  %lld inputs of seed %lld\n", (long long)input_count, (long long)seed);
    const char *name = strrchr(argv[0], '/');
    return check_finish(name != NULL ? name + 1 : argv[0]);
}
