/* fibre.cpp - stacks, and the switch between them: eight nanoseconds where it is written by hand, by ucontext elsewhere.
 *
 * ThreadSanitizer has a fibre of its own for each slot, for as long as the slot is not abandoned. */
#include "runtime.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

namespace cuda_host {

#if CUDA_HOST_ASAN || CUDA_HOST_TSAN
static const size_t STACK_SIZE = 256 << 10;
#else
static const size_t STACK_SIZE = 64 << 10;
#endif
static const size_t GUARD_SIZE = 4096;

struct fibre {
    char     *stack; /* STACK_SIZE bytes, a guard below */
    void     *stack_pointer;
    fibre_fn *run;
    void     *argument;
    bool      fresh, returned;
    void     *tsan, *fake_stack;
#if !defined(__x86_64__)
    ucontext_t context;
#endif
};

static std::vector<fibre *> &fibres = *new std::vector<fibre *>();
static fibre                *running;
static void                 *host_stack_pointer;
static char                  all_begin, all_end; /* ThreadSanitizer's names of the order between the host and them */
#if CUDA_HOST_ASAN
static void       *host_fake_stack;
static const void *host_stack;
static size_t      host_stack_size;
#endif
#if CUDA_HOST_TSAN
static void *host_tsan;
#endif
#if !defined(__x86_64__)
static ucontext_t host_context;
#endif

#if defined(__x86_64__)
/* Keeps what a call keeps on this stack, and goes on where the other was left. */
extern "C" void cuda_host_switch(void **from, void *to);
__asm__(".text\n"
        ".hidden cuda_host_switch\n"
        ".globl cuda_host_switch\n"
        ".type cuda_host_switch,@function\n"
        "cuda_host_switch:\n"
        "  pushq %rbp\n"
        "  pushq %rbx\n"
        "  pushq %r12\n"
        "  pushq %r13\n"
        "  pushq %r14\n"
        "  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  popq %r15\n"
        "  popq %r14\n"
        "  popq %r13\n"
        "  popq %r12\n"
        "  popq %rbx\n"
        "  popq %rbp\n"
        "  ret\n"
        ".size cuda_host_switch,.-cuda_host_switch\n");
#endif

/* From the host to the fibre and back; what the sanitizers must know goes with it. */
static void switch_to_fibre(fibre *f)
{
    running = f;
#if CUDA_HOST_ASAN
    __sanitizer_start_switch_fiber(&host_fake_stack, f->stack, STACK_SIZE);
#endif
#if CUDA_HOST_TSAN
    __tsan_switch_to_fiber(f->tsan, 1);
#endif
#if defined(__x86_64__)
    cuda_host_switch(&host_stack_pointer, f->stack_pointer);
#else
    swapcontext(&host_context, &f->context);
#endif
#if CUDA_HOST_ASAN
    __sanitizer_finish_switch_fiber(host_fake_stack, NULL, NULL);
#endif
    running = NULL;
}

static void switch_to_host(fibre *f)
{
#if CUDA_HOST_ASAN
    __sanitizer_start_switch_fiber(&f->fake_stack, host_stack, host_stack_size);
#endif
#if CUDA_HOST_TSAN
    __tsan_switch_to_fiber(host_tsan, 1);
#endif
#if defined(__x86_64__)
    cuda_host_switch(&f->stack_pointer, host_stack_pointer);
#else
    swapcontext(&f->context, &host_context);
#endif
#if CUDA_HOST_ASAN
    __sanitizer_finish_switch_fiber(f->fake_stack, NULL, NULL);
#endif
}

/* What a new stack begins with, and never leaves. */
static void fibre_main()
{
    fibre *const f = running;
#if CUDA_HOST_ASAN
    __sanitizer_finish_switch_fiber(NULL, &host_stack, &host_stack_size);
#endif
    for (;;) {
        order_acquire(&all_begin);
        f->run(f->argument);
        order_release(&all_end);
        f->returned = true;
        switch_to_host(f);
    }
}

static void fibre_prepare(fibre *f)
{
    unpoison(f->stack, STACK_SIZE);
#if CUDA_HOST_TSAN
    if (f->tsan) __tsan_destroy_fiber(f->tsan);
    f->tsan = __tsan_create_fiber(0);
#endif
#if defined(__x86_64__)
    /* as cuda_host_switch leaves a stack: six registers, where to return to, and nothing that called fibre_main */
    void **top = reinterpret_cast<void **>(f->stack + STACK_SIZE);
    *--top = NULL;
    *--top = reinterpret_cast<void *>(fibre_main);
    for (int k = 0; k < 6; k++) *--top = NULL;
    f->stack_pointer = top;
#else
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = f->stack;
    f->context.uc_stack.ss_size = STACK_SIZE;
    f->context.uc_link = NULL;
    makecontext(&f->context, fibre_main, 0);
#endif
    f->fake_stack = NULL;
    f->fresh = true;
}

fibre *fibre_get(unsigned slot)
{
    while (fibres.size() <= slot) {
        void *pages = mmap(NULL, GUARD_SIZE + STACK_SIZE, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (pages == MAP_FAILED || mprotect(pages, GUARD_SIZE, PROT_NONE) != 0) {
            fprintf(stderr, "cuda_host: no memory for the stacks of a kernel\n");
            abort();
        }
        fibre *f = new fibre();
        f->stack = static_cast<char *>(pages) + GUARD_SIZE;
        fibre_prepare(f);
        fibres.push_back(f);
    }
    return fibres[slot];
}

void fibre_begin(fibre *f, fibre_fn *run, void *argument)
{
    f->run = run;
    f->argument = argument;
    f->returned = false;
}

bool fibre_resume(fibre *f)
{
    f->fresh = false;
    switch_to_fibre(f);
    return f->returned;
}

void fibre_leave() { switch_to_host(running); }

void fibre_abandon(fibre *f)
{
    if (f->fresh) return;
#if CUDA_HOST_TSAN
    __tsan_switch_to_fiber(f->tsan, 1);
    order_release(&all_end);
    __tsan_switch_to_fiber(host_tsan, 1);
#endif
    fibre_prepare(f);
}

/* What a faulting fibre goes on with, at the top of its stack. */
static void leave_for_good()
{
    switch_to_host(running);
    abort(); /* nobody resumes an abandoned fibre */
}

void fibre_leave_from_handler(void *context)
{
    ucontext_t *const c = static_cast<ucontext_t *>(context);
    char *const       top = running->stack + STACK_SIZE - 8; /* as after a call */
    unpoison(running->stack, STACK_SIZE);
#if defined(__x86_64__)
    c->uc_mcontext.gregs[REG_RSP] = (greg_t)(uintptr_t)top;
    c->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)leave_for_good;
#elif defined(__aarch64__)
    c->uc_mcontext.sp = (uintptr_t)top - 8;
    c->uc_mcontext.pc = (uintptr_t)leave_for_good;
#else
#error "the host runtime knows no faults of this processor"
#endif
}

void fibres_begin()
{
#if CUDA_HOST_TSAN
    host_tsan = __tsan_get_current_fiber();
#endif
    order_release(&all_begin);
}

void fibres_end() { order_acquire(&all_end); }

} // namespace cuda_host
