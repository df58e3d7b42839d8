/* memory.cpp - memory of the device, which only kernels and copies may follow, and pinned memory of the host.
 *
 * Device memory lies in regions of addresses that are mapped without any right. A block begins at a page or ends at one,
 * and has a page without rights on both sides. A kernel's first access faults, and the handler opens the block until the host
 * goes on. Addresses are used once: what is freed faults for ever. */
#include "runtime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace cuda_host {

static const size_t PAGE = 4096, HUGE_PAGE = 2 << 20, REGION_SIZE = (size_t)1 << 36;

struct region {
    char  *at;
    size_t size, used;
};
struct freed_block {
    char  *pages;
    size_t pages_size, size;
};

static std::vector<region>              &regions = *new std::vector<region>();
static std::map<char *, block *>        &blocks = *new std::map<char *, block *>(); /* by the first of their pages */
static block                            *first_open;                             /* a list that a handler may add to */
static std::deque<freed_block>          &freed = *new std::deque<freed_block>(); /* the latest */
static std::map<char *, pinned_block *> &pinned = *new std::map<char *, pinned_block *>();

static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

/* Words that are large as numbers of any type: what nobody wrote must not look like a result. */
static void fill_junk(char *at, size_t size)
{
    static const unsigned char junk[] = {0xff, 0x7f, 0xa5, 0xcb};
    memset(at, junk[state.random.below(sizeof junk)], size);
}

/* ---- addresses */
static char *addresses_new(size_t size, size_t align)
{
    region *last = regions.empty() ? NULL : &regions.back();
    size_t  begin = last ? round_up((uintptr_t)last->at + last->used, align) - (uintptr_t)last->at : 0;
    if (!last || begin + size + PAGE > last->size) {
        const size_t wanted = round_up(size + align + 2 * PAGE, REGION_SIZE);
        void        *at = mmap(NULL, wanted, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED) return NULL;
        regions.push_back({static_cast<char *>(at), wanted, PAGE});
        last = &regions.back();
        begin = round_up((uintptr_t)last->at + last->used, align) - (uintptr_t)last->at;
    }
    last->used = begin + size + PAGE;
    return last->at + begin;
}

bool is_device_address(const void *at)
{
    const char *a = static_cast<const char *>(at);
    for (const region &r : regions)
        if (a >= r.at && a < r.at + r.size) return true;
    return false;
}

/* The block whose pages hold the address. */
static block *block_find_pages(const void *at)
{
    char *const a = static_cast<char *>(const_cast<void *>(at));
    auto        next = blocks.upper_bound(a);
    if (next == blocks.begin()) return NULL;
    block *b = (--next)->second;
    return a < b->pages + b->pages_size ? b : NULL;
}

block *block_find(const void *at)
{
    const char *a = static_cast<const char *>(at);
    block      *b = block_find_pages(at);
    return b && a >= b->at && (a < b->at + b->size || (b->size == 0 && a == b->at)) ? b : NULL;
}

block *block_new(int device, size_t size, cudaMemPool_t pool)
{
    const size_t pages_size = round_up(size ? size : 1, PAGE);
    char *const  pages = addresses_new(pages_size, pages_size >= HUGE_PAGE ? HUGE_PAGE : PAGE);
    if (!pages) return NULL;
    /* addresses are multiples of 256, as the device's are; the end touches the page behind it as closely as that lets it */
    const size_t before = state.random.is_one_in(2) ? 0 : (pages_size - size) / 256 * 256;
    block       *b = new block{pages + before, pages, size, pages_size, device, pool, false, false, false, NULL};
    blocks[pages] = b;
    return b;
}

void block_make(block *b)
{
    b->made = true;
    blocks_open(b);
#ifdef MADV_HUGEPAGE
    if (b->pages_size >= HUGE_PAGE) madvise(b->pages, b->pages_size, MADV_HUGEPAGE);
#endif
    /* of what is large, the ends; the rest is zero */
    if (b->size <= (size_t)4 << 20)
        fill_junk(b->at, b->size);
    else {
        fill_junk(b->at, 1 << 20);
        fill_junk(b->at + b->size - (1 << 20), 1 << 20);
    }
    poison(b->pages, (size_t)(b->at - b->pages));
    poison(b->at + b->size, (size_t)(b->pages + b->pages_size - b->at) - b->size);
}

void block_release(block *b)
{
    unpoison(b->pages, b->pages_size);
    blocks.erase(b->pages);
    if (b->open) {
        block **link = &first_open;
        while (*link != b) link = &(*link)->next_open;
        *link = b->next_open;
    }
    /* a new mapping, which the system joins with its neighbours */
    mmap(b->pages, b->pages_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    freed.push_back({b->pages, b->pages_size, b->size});
    if (freed.size() > 10000) freed.pop_front();
    delete b;
}

void blocks_open(block *b)
{
    if (b->open) return;
    mprotect(b->pages, b->pages_size, PROT_READ | PROT_WRITE);
    b->open = true;
    b->next_open = first_open;
    first_open = b;
}

void blocks_close()
{
    for (; first_open; first_open = first_open->next_open) {
        mprotect(first_open->pages, first_open->pages_size, PROT_NONE);
        first_open->open = false;
    }
}

void blocks_release_device(int device)
{
    for (auto at = blocks.begin(); at != blocks.end();) {
        block *b = (at++)->second;
        if (b->device == device) block_release(b);
    }
}

int64_t block_count() { return (int64_t)blocks.size(); }

int64_t block_bytes()
{
    int64_t n = 0;
    for (const auto &entry : blocks) n += (int64_t)entry.second->size;
    return n;
}

/* ---- pinned memory */
pinned_block *pinned_new(size_t size)
{
    const size_t pages_size = round_up(size ? size : 1, PAGE);
    void        *at = mmap(NULL, pages_size + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return NULL;
    char *const pages = static_cast<char *>(at) + PAGE;
    if (mprotect(pages, pages_size, PROT_READ | PROT_WRITE) != 0) {
        munmap(at, pages_size + 2 * PAGE);
        return NULL;
    }
    pinned_block *p = new pinned_block{pages + (pages_size - size) / 256 * 256, size, pages, pages_size};
    fill_junk(p->at, size);
    poison(p->at + size, (size_t)(pages + pages_size - p->at) - size);
    pinned[p->at] = p;
    return p;
}

bool pinned_register(void *at, size_t size)
{
    if (pinned_find(at)) return false;
    pinned[static_cast<char *>(at)] = new pinned_block{static_cast<char *>(at), size, NULL, 0};
    return true;
}

void pinned_release(pinned_block *p)
{
    pinned.erase(p->at);
    if (p->pages) {
        unpoison(p->pages, p->pages_size);
        munmap(p->pages - PAGE, p->pages_size + 2 * PAGE);
    }
    delete p;
}

pinned_block *pinned_find(const void *at)
{
    char *const a = static_cast<char *>(const_cast<void *>(at));
    auto        next = pinned.upper_bound(a);
    if (next == pinned.begin()) return NULL;
    pinned_block *p = (--next)->second;
    return a < p->at + p->size || (p->size == 0 && a == p->at) ? p : NULL;
}

int64_t pinned_count() { return (int64_t)pinned.size(); }

/* ---- faults */
static struct sigaction before[65]; /* handlers that were there */
static struct {
    int         number;
    const void *at, *instruction;
} noted; /* the latest fault of a kernel: a handler does little */

/* What is known of an address of the device. */
static std::string describe(const void *at)
{
    char        text[200];
    const char *a = static_cast<const char *>(at);
    if (const block *b = block_find_pages(at)) {
        snprintf(text, sizeof text,
                 a < b->at || a >= b->at + b->size ? "%p, %td bytes from the start of a block of %zu bytes"
                                                   : "%p, %td bytes into a block of %zu bytes",
                 at, a - b->at, b->size);
        return std::string(text) + (b->made ? "" : ", which its stream has not allocated yet");
    }
    for (const freed_block &f : freed)
        if (a >= f.pages && a < f.pages + f.pages_size) {
            snprintf(text, sizeof text, "%p, in a block of %zu bytes that was freed", at, f.size);
            return text;
        }
    for (const auto &entry : blocks) {
        const block *b = entry.second;
        if (a + PAGE >= b->pages && a < b->pages + b->pages_size + PAGE) {
            snprintf(text, sizeof text, "%p, %td bytes from the start of a block of %zu bytes", at, a - b->at, b->size);
            return text;
        }
    }
    snprintf(text, sizeof text, "%p, where the device has no memory", at);
    return text;
}

static std::string describe_code(const void *instruction)
{
    char    text[300] = "";
    Dl_info info;
    if (dladdr(instruction, &info) && info.dli_fname)
        snprintf(text, sizeof text, "%s+0x%zx", info.dli_fname,
                 (size_t)(static_cast<const char *>(instruction) - static_cast<const char *>(info.dli_fbase)));
    return text;
}

static const void *get_instruction(void *context)
{
#if defined(__x86_64__)
    return reinterpret_cast<void *>(static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP]);
#else
    return reinterpret_cast<void *>(static_cast<ucontext_t *>(context)->uc_mcontext.pc);
#endif
}

static void chain(int number, siginfo_t *info, void *context)
{
    const struct sigaction &old = before[number];
    if ((old.sa_flags & SA_SIGINFO) && old.sa_sigaction)
        old.sa_sigaction(number, info, context);
    else if (!(old.sa_flags & SA_SIGINFO) && old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN)
        old.sa_handler(number);
    else
        sigaction(number, &old, NULL); /* the instruction faults once more, and ends the process */
}

static void handle(int number, siginfo_t *info, void *context)
{
    const void *at = info->si_addr;
    if (!grid_is_running_here()) {
        if (number == SIGSEGV && is_device_address(at)) {
            const std::string text = "cuda_host: the host read or wrote memory of the device: " + describe(at) +
                                     ", by " + describe_code(get_instruction(context)) + "\n";
            if (write(2, text.data(), text.size()) < 0) _exit(139);
        }
        chain(number, info, context);
        return;
    }
    if (number == SIGSEGV) {
        block *b = block_find_pages(at);
        if (b && b->made && !b->open &&
            (b->device == grid_get_device() || state.devices[grid_get_device()].peers[b->device])) {
            blocks_open(b);
            return;
        }
    }
    noted = {number, at, get_instruction(context)};
    grid_fault(number == SIGSEGV || number == SIGBUS ? cudaErrorIllegalAddress : cudaErrorLaunchFailure);
    fibre_leave_from_handler(context);
}

std::string fault_describe()
{
    const std::string by = ", by " + describe_code(noted.instruction);
    if (noted.number == SIGFPE) return "divided an integer by zero" + by;
    if (noted.number == SIGILL) return "met a trap" + by;
    return (is_device_address(noted.at) ? "used " : "used what is no memory of the device: ") + describe(noted.at) + by;
}

/* A stack for handlers, as a fibre's own may be what has run out. */
struct handler_stack {
    void *memory;
    handler_stack() : memory(NULL)
    {
        stack_t      now;
        const size_t size = 128 << 10;
        if (sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE)) return;
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return;
        now.ss_sp = memory;
        now.ss_size = size;
        now.ss_flags = 0;
        sigaltstack(&now, NULL);
    }
    ~handler_stack()
    {
        stack_t none;
        if (!memory || memory == MAP_FAILED) return;
        memset(&none, 0, sizeof none);
        none.ss_flags = SS_DISABLE;
        sigaltstack(&none, NULL);
        munmap(memory, 128 << 10);
    }
};

void handlers_prepare()
{
    static thread_local handler_stack stack;
    static bool                       done;
    (void)stack;
    if (done) return;
    done = true;
    for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = handle;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigaction(number, &action, &before[number]);
    }
}

} // namespace cuda_host
