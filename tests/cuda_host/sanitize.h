/* sanitize.h - what the host runtime tells the sanitizers; nothing where there are none. The runtime itself is not
 * instrumented by ThreadSanitizer, grid.cpp and fibre.cpp not by the others; kernels are. */
#ifndef CUDA_HOST_SANITIZE_H
#define CUDA_HOST_SANITIZE_H

#include <stddef.h>

/* CMake says which of them there is: the compiler does not where a source is not instrumented. */
#ifndef CUDA_HOST_ASAN
#define CUDA_HOST_ASAN 0
#endif
#ifndef CUDA_HOST_TSAN
#define CUDA_HOST_TSAN 0
#endif

extern "C" {
void  __asan_poison_memory_region(const volatile void *at, size_t size);
void  __asan_unpoison_memory_region(const volatile void *at, size_t size);
void  __sanitizer_start_switch_fiber(void **fake_stack, const void *bottom, size_t size);
void  __sanitizer_finish_switch_fiber(void *fake_stack, const void **bottom, size_t *size);
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void  __tsan_destroy_fiber(void *fiber);
void  __tsan_switch_to_fiber(void *fiber, unsigned flags);
void  __tsan_acquire(void *at);
void  __tsan_release(void *at);
void  AnnotateIgnoreReadsBegin(const char *file, int line);
void  AnnotateIgnoreReadsEnd(const char *file, int line);
void  AnnotateIgnoreWritesBegin(const char *file, int line);
void  AnnotateIgnoreWritesEnd(const char *file, int line);
}

namespace cuda_host {

static inline void poison(const void *at, size_t size)
{
#if CUDA_HOST_ASAN
    __asan_poison_memory_region(at, size);
#else
    (void)at, (void)size;
#endif
}

static inline void unpoison(const void *at, size_t size)
{
#if CUDA_HOST_ASAN
    __asan_unpoison_memory_region(at, size);
#else
    (void)at, (void)size;
#endif
}

/* What ThreadSanitizer's thread has seen is known to whoever acquires `at` later. */
static inline void order_release(void *at)
{
#if CUDA_HOST_TSAN
    __tsan_release(at);
#else
    (void)at;
#endif
}

static inline void order_acquire(void *at)
{
#if CUDA_HOST_TSAN
    __tsan_acquire(at);
#else
    (void)at;
#endif
}

/* Accesses of library functions that the runtime calls are none of the kernel's. */
struct ignored_accesses {
    ignored_accesses()
    {
#if CUDA_HOST_TSAN
        AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
        AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
#endif
    }
    ~ignored_accesses()
    {
#if CUDA_HOST_TSAN
        AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
        AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
#endif
    }
    ignored_accesses(const ignored_accesses &) = delete;
};

} // namespace cuda_host

#endif
