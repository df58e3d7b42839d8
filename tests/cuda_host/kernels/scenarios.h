/* scenarios.h - what test_cuda_host runs on the host runtime: kernels and calls that are right, the same with one thing left out,
 * and checks of single functions. Plain C; libstria_cuda_host_kernels has them. */
#ifndef CUDA_HOST_SCENARIOS_H
#define CUDA_HOST_SCENARIOS_H

#include <stdbool.h>

#include "../control.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Something computed; wrong results show in so many of 100 schedules, at least. 0: it is right, and none may be wrong. */
typedef struct cuda_host_scenario {
    const char *name;
    bool (*run)(void); /* whether the result is right */
    int  least;
    bool is_race; /* between threads of a kernel: ThreadSanitizer sees it in one schedule */
} cuda_host_scenario;

/* NULL, or what was not as it should be. */
typedef const char *cuda_host_check_fn(const stria_cuda_host *host);
typedef struct cuda_host_check {
    const char         *name;
    cuda_host_check_fn *run;
} cuda_host_check;

typedef struct cuda_host_tests {
    const cuda_host_scenario *scenarios; /* until one without a name */
    const cuda_host_check    *checks;    /* likewise */
    void (*read_device_memory)(void);    /* on the host: the process does not live on */
    void (*write_beyond)(void);          /* a kernel, one byte: AddressSanitizer ends the process */
} cuda_host_tests;

__attribute__((visibility("default"))) const cuda_host_tests *cuda_host_tests_get(void);

#ifdef __cplusplus
}
#endif

#endif
