/* grid.cpp - a kernel's threads. Each is a fibre that runs until it ends or waits at a barrier; then another one is chosen.
 *
 * Two to four blocks are under way at a time, chosen between at random. The order of a block's threads is drawn for each block:
 * uniform; or what became ready last goes first, by shuffled threads or by shuffled warps. The last two are unfair: a warp may
 * run to its end before another begins, which finds what a fair order hides. */
#include "runtime.h"

#include <pthread.h>
#include <sys/mman.h>

uint3 threadIdx, blockIdx;
dim3  blockDim, gridDim;

namespace cuda_host {

static const size_t SHARED_SIZE = 232448, SHARED_STATIC = 48 << 10, PAGE = 4096;
static const long   IDLE_LIMIT = 1000000; /* turns of threads that wait for others without any progress */

enum order { ORDER_UNIFORM, ORDER_WARPS, ORDER_THREADS, N_ORDERS };
enum thread_wait { RUNS, AT_BARRIER, AT_WARP, ENDED };
enum warp_kind { WARP_BARRIER, WARP_SHUFFLE, WARP_VOTE, WARP_MATCH };

struct block_run;

struct thread_run {
    fibre      *on;
    block_run  *of;
    uint3       index;
    int         number; /* within the block */
    thread_wait wait;
    /* what it brings to its warp, and gets */
    warp_kind kind;
    int       variant, argument, width;
    unsigned  mask;
    uint64_t  value;
    int       result;
};

struct shared_variable {
    const void *site;
    char       *at;
};

struct block_run {
    uint3                   index;
    order                   how;
    unsigned                slots; /* its threads' fibres are those from slots * n_threads on */
    int                     n_threads, n_left, n_arrived, sum; /* arrived at the barrier, sum of their predicates */
    std::vector<thread_run> threads;
    std::vector<int>        ready; /* the last one is next, but in a uniform order */
    std::vector<int>        woken; /* about to become ready; a member, so that it is not allocated anew */
    std::vector<shared_variable> variables;
    char                        *shared; /* SHARED_SIZE bytes between guards */
    size_t                       shared_used;
    char                         barrier_order; /* ThreadSanitizer's name for it */
    char                         warp_order[MAX_THREADS / WARP];
};

static const kernel_launch      *kernel; /* that runs */
static thread_run               *current;
static int                       running_device;
static cudaError_t               fault;
static bool                      is_noted; /* by the handler, and to be told */
static long                      idle;
static pthread_t                 runner;
static char                      fence_order;
static std::vector<block_run *> &unused_runs = *new std::vector<block_run *>();

/* ---- what the handler of faults asks */
bool grid_is_running_here() { return current && pthread_equal(runner, pthread_self()); }
int  grid_get_device() { return running_device; }
void grid_fault(cudaError_t code)
{
    fault = code;
    is_noted = true;
}

static std::string get_place()
{
    char text[160];
    snprintf(text, sizeof text, "thread (%u,%u,%u) of block (%u,%u,%u)", current->index.x, current->index.y,
             current->index.z, current->of->index.x, current->of->index.y, current->of->index.z);
    return text;
}

/* Ends the kernel with an error. */
[[noreturn]] static void fail(cudaError_t code, const char *what)
{
    {
        const ignored_accesses ignored;
        tell("kernel fault: %s %s", get_place().c_str(), what);
    }
    fault = code;
    for (;;) fibre_leave();
}

void trap() { fail(cudaErrorLaunchFailure, "met a trap"); }

/* ---- order */
static void shuffle_order(std::vector<int> &list)
{
    for (size_t k = list.size(); k > 1; k--) std::swap(list[k - 1], list[state.random.below((unsigned)k)]);
}

/* Adds the woken threads to the ready ones, in the order of the block. */
static void add_ready(block_run *b)
{
    std::vector<int> &list = b->woken;
    if (b->how == ORDER_WARPS) {
        int shift[MAX_THREADS / WARP];
        for (int &s : shift) s = (int)state.random.below(1u << 20);
        std::sort(list.begin(), list.end(), [&shift](int x, int y) {
            return shift[x / WARP] != shift[y / WARP] ? shift[x / WARP] < shift[y / WARP] : x > y;
        });
    } else if (b->how == ORDER_THREADS)
        shuffle_order(list);
    b->ready.insert(b->ready.end(), list.begin(), list.end());
}

static thread_run *take_ready(block_run *b)
{
    if (b->how == ORDER_UNIFORM) std::swap(b->ready[state.random.below((unsigned)b->ready.size())], b->ready.back());
    thread_run *t = &b->threads[(size_t)b->ready.back()];
    b->ready.pop_back();
    return t;
}

/* ---- the thread that runs lets others go on */
/* The thread becomes ready again, behind the others or among them. */
static void leave_ready(bool behind)
{
    block_run *const b = current->of;
    const size_t     place = behind ? 0 : state.random.below((unsigned)b->ready.size() + 1);
    {
        const ignored_accesses ignored;
        b->ready.insert(b->ready.begin() + (std::ptrdiff_t)place, current->number);
    }
    fibre_leave();
}

void yield()
{
    if (++idle > IDLE_LIMIT) fail(cudaErrorLaunchTimeout, "waits for another thread, which never comes");
    leave_ready(true);
}

void before_atomic()
{
    if (current && state.random.is_one_in(8)) leave_ready(false);
}

/* A fence publishes; an atomic operation that comes later sees it. Nothing is made of what its value says. */
void after_atomic() { order_acquire(&fence_order); }

void fence()
{
    order_release(&fence_order);
    order_acquire(&fence_order);
}

/* ---- barriers of the block */
static void open_barrier(block_run *b)
{
    b->woken.clear();
    for (const thread_run &t : b->threads)
        if (t.wait == AT_BARRIER) b->woken.push_back(t.number);
    for (int k : b->woken) {
        thread_run &t = b->threads[(size_t)k];
        const int   n = (int)b->woken.size();
        t.wait = RUNS;
        t.result = t.variant == COUNT_SUM ? b->sum : t.variant == COUNT_AND ? b->sum == n : b->sum > 0;
    }
    b->n_arrived = b->sum = 0;
    idle = 0;
    add_ready(b);
}

int block_barrier(count_kind kind, int predicate)
{
    thread_run *const me = current;
    block_run *const  b = me->of;
    me->variant = kind;
    b->sum += predicate != 0;
    b->n_arrived++;
    order_release(&b->barrier_order);
    me->wait = AT_BARRIER;
    if (b->n_arrived == b->n_left) {
        const ignored_accesses ignored;
        open_barrier(b);
    }
    fibre_leave();
    order_acquire(&b->barrier_order);
    return me->result;
}

/* ---- warps */
static thread_run *lane_of(block_run *b, int warp, int lane)
{
    const int number = warp * WARP + lane;
    return number < b->n_threads ? &b->threads[(size_t)number] : NULL;
}

/* Lanes of `mask` that have not ended. */
static unsigned live_lanes(block_run *b, int warp, unsigned mask)
{
    unsigned live = 0;
    for (int lane = 0; lane < WARP; lane++) {
        const thread_run *t = (mask >> lane & 1) ? lane_of(b, warp, lane) : NULL;
        if (t && t->wait != ENDED) live |= 1u << lane;
    }
    return live;
}

/* The lane whose value a shuffle gives to `lane`. */
static int shuffle_source(const thread_run *t, int lane)
{
    const int width = t->width, first = lane / width * width;
    int       from = lane;
    switch (t->variant) {
    case SHUFFLE: return first + (t->argument & (width - 1));
    case SHUFFLE_UP: from = lane - t->argument; return from < first ? lane : from;
    case SHUFFLE_DOWN: from = lane + t->argument; return from >= first + width ? lane : from;
    default: from = lane ^ t->argument; return from >= first + width ? lane : from;
    }
}

/* What each lane gets. A lane that does not take part gives junk. */
static void exchange(block_run *b, int warp, unsigned lanes)
{
    uint64_t value[WARP];
    unsigned ballot = 0;
    for (int lane = 0; lane < WARP; lane++) {
        const bool in = lanes >> lane & 1;
        value[lane] = in ? lane_of(b, warp, lane)->value : 0xa5a5a5a5a5a5a5a5u;
        if (in && value[lane] != 0) ballot |= 1u << lane;
    }
    for (int lane = 0; lane < WARP; lane++) {
        if (!(lanes >> lane & 1)) continue;
        thread_run *t = lane_of(b, warp, lane);
        if (t->kind == WARP_SHUFFLE) t->value = value[shuffle_source(t, lane)];
        if (t->kind == WARP_VOTE)
            t->value = t->variant == VOTE_BALLOT ? ballot : t->variant == VOTE_ANY ? ballot != 0 : ballot == lanes;
        if (t->kind == WARP_MATCH) {
            const uint64_t mine = value[lane];
            t->value = 0;
            for (int other = 0; other < WARP; other++)
                if ((lanes >> other & 1) && value[other] == mine) t->value |= 1u << other;
        }
    }
}

/* If every live lane of `mask` waits for the others with the same mask and in the same function, they go on. */
static void try_warp(block_run *b, int warp, unsigned mask)
{
    const unsigned    lanes = live_lanes(b, warp, mask);
    const thread_run *first = NULL;
    b->woken.clear();
    for (int lane = 0; lane < WARP; lane++) {
        if (!(lanes >> lane & 1)) continue;
        const thread_run *t = lane_of(b, warp, lane);
        if (t->wait != AT_WARP || t->mask != mask) return;
        if (!first) first = t;
        if (t->kind != first->kind || t->variant != first->variant) return;
        b->woken.push_back(t->number);
    }
    if (!first) return;
    exchange(b, warp, lanes);
    for (int k : b->woken) b->threads[(size_t)k].wait = RUNS;
    add_ready(b);
}

static uint64_t meet(warp_kind kind, int variant, unsigned mask, uint64_t value, int argument, int width)
{
    thread_run *const me = current;
    const int         warp = me->number / WARP;
    if (!(mask >> (me->number % WARP) & 1)) fail(cudaErrorLaunchFailure, "is not in its own mask of lanes");
    if (width < 1 || width > WARP || (width & (width - 1)))
        fail(cudaErrorLaunchFailure, "shuffles in a width that is no power of 2 up to 32");
    me->kind = kind;
    me->variant = variant;
    me->mask = mask;
    me->value = value;
    me->argument = argument;
    me->width = width;
    if (kind == WARP_BARRIER) order_release(&me->of->warp_order[warp]);
    me->wait = AT_WARP;
    {
        const ignored_accesses ignored;
        try_warp(me->of, warp, mask);
    }
    fibre_leave();
    if (kind == WARP_BARRIER) order_acquire(&me->of->warp_order[warp]);
    return me->value;
}

void     warp_barrier(unsigned mask) { meet(WARP_BARRIER, 0, mask, 0, 0, WARP); }
uint64_t warp_shuffle(shuffle_kind kind, unsigned mask, uint64_t value, int argument, int width)
{
    return meet(WARP_SHUFFLE, kind, mask, value, argument, width);
}
unsigned warp_vote(vote_kind kind, unsigned mask, int predicate)
{
    return (unsigned)meet(WARP_VOTE, kind, mask, predicate != 0, 0, WARP);
}
unsigned warp_match(unsigned mask, uint64_t value) { return (unsigned)meet(WARP_MATCH, 0, mask, value, 0, WARP); }
/* Lanes need not be together unless a mask says so: a thread may be alone at any time. */
unsigned active_mask() { return 1u << (current->number % WARP); }

/* ---- shared memory */
static char *shared_take(block_run *b, size_t size, size_t align)
{
    static const unsigned char junk[] = {0xff, 0x7f, 0xa5, 0xcb};
    const size_t               begin = (b->shared_used + align - 1) / align * align;
    char *const                at = b->shared + begin;
    if (begin + size > SHARED_SIZE) return NULL;
    unpoison(at, size);
    memset(at, junk[state.random.below(sizeof junk)], size);
    b->shared_used = begin + size + (CUDA_HOST_ASAN ? 32 : 0);
    return at;
}

void *shared_get(const void *site, size_t size, size_t align)
{
    block_run *const b = current->of;
    for (const shared_variable &v : b->variables)
        if (v.site == site) return v.at;
    char *at = NULL;
    if (b->shared_used + size <= SHARED_STATIC + kernel->dynamic_shared + 256) {
        const ignored_accesses ignored;
        at = shared_take(b, size, align < 16 ? 16 : align);
        b->variables.push_back({site, at});
    }
    if (!at) fail(cudaErrorLaunchOutOfResources, "has more than 48 KiB of shared variables");
    return at;
}

void *dynamic_shared_get() { return shared_get(kernel, kernel->dynamic_shared, 16); }

/* ---- blocks */
static block_run *run_new()
{
    block_run *b = new block_run();
    char      *at = static_cast<char *>(
        mmap(NULL, SHARED_SIZE + 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (at == MAP_FAILED) {
        fprintf(stderr, "cuda_host: no memory for the shared memory of a block\n");
        abort();
    }
    mprotect(at, PAGE, PROT_NONE);
    mprotect(at + (SHARED_SIZE + PAGE - 1) / PAGE * PAGE, PAGE, PROT_NONE);
    b->shared = at + PAGE;
    return b;
}

static void thread_main(void *argument)
{
    (void)argument;
    kernel->run();
}

static void block_begin(block_run *b, uint3 index)
{
    const dim3 d = kernel->block;
    b->index = index;
    b->how = (order)state.random.below(N_ORDERS);
    b->n_threads = b->n_left = (int)(d.x * d.y * d.z);
    b->n_arrived = b->sum = 0;
    b->threads.resize((size_t)b->n_threads);
    b->ready.clear();
    b->woken.clear();
    b->variables.clear();
#if CUDA_HOST_TSAN
    /* ThreadSanitizer forgets who used it before */
    mmap(b->shared, (b->shared_used + PAGE - 1) / PAGE * PAGE + PAGE, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
#endif
    poison(b->shared, SHARED_SIZE);
    b->shared_used = 0;
    for (int k = 0; k < b->n_threads; k++) {
        thread_run    &t = b->threads[(size_t)k];
        const unsigned u = (unsigned)k;
        t.on = fibre_get(b->slots * (unsigned)b->n_threads + u);
        t.of = b;
        t.index = {u % d.x, u / d.x % d.y, u / d.x / d.y};
        t.number = k;
        t.wait = RUNS;
        fibre_begin(t.on, thread_main, NULL);
        b->woken.push_back(k);
    }
    add_ready(b);
}

static void thread_ended(thread_run *t)
{
    block_run *const b = t->of;
    t->wait = ENDED;
    b->n_left--;
    idle = 0;
    if (b->n_left > 0 && b->n_arrived == b->n_left) open_barrier(b);
    /* those who wait for its lane need not */
    const int warp = t->number / WARP;
    for (int lane = 0; lane < WARP; lane++) {
        const thread_run *other = lane_of(b, warp, lane);
        if (other && other->wait == AT_WARP && (other->mask >> (t->number % WARP) & 1)) try_warp(b, warp, other->mask);
    }
}

/* ---- the kernel */
struct grid_progress {
    std::vector<block_run *> under_way;
    std::vector<unsigned>    free_sets;   /* of slots */
    uint64_t n_blocks, next, first, step; /* the next block's number: first + next * step, modulo n_blocks */
};

static uint64_t common_divisor(uint64_t a, uint64_t b) { return b ? common_divisor(b, a % b) : a; }

static void blocks_begin(grid_progress *g)
{
    const dim3 d = kernel->grid;
    while (!g->free_sets.empty() && g->next < g->n_blocks) {
        const uint64_t number = (g->first + g->next * g->step) % g->n_blocks;
        block_run     *b = unused_runs.empty() ? run_new() : unused_runs.back();
        if (!unused_runs.empty()) unused_runs.pop_back();
        b->slots = g->free_sets.back();
        g->free_sets.pop_back();
        block_begin(b, {(unsigned)(number % d.x), (unsigned)(number / d.x % d.y), (unsigned)(number / d.x / d.y)});
        g->under_way.push_back(b);
        g->next++;
    }
}

static void run_thread(thread_run *t)
{
    current = t;
    threadIdx = t->index;
    blockIdx = t->of->index;
    const bool ended = fibre_resume(t->on);
    if (is_noted) tell("kernel fault: %s %s", get_place().c_str(), fault_describe().c_str());
    is_noted = false;
    current = NULL;
    if (ended) thread_ended(t);
}

static void tell_stuck(const block_run *b)
{
    int at_barrier = 0, at_warp = 0, ended = 0;
    for (const thread_run &t : b->threads) {
        at_barrier += t.wait == AT_BARRIER;
        at_warp += t.wait == AT_WARP;
        ended += t.wait == ENDED;
    }
    tell("kernel fault: block (%u,%u,%u) is stuck: of %d threads %d wait at a barrier of the block, %d at one of their "
         "warp, "
         "%d have ended",
         b->index.x, b->index.y, b->index.z, b->n_threads, at_barrier, at_warp, ended);
}

/* The place of a block, drawn at random, that has a ready thread; -1: none has. */
static int pick_block(const grid_progress *g)
{
    const size_t n = g->under_way.size(), from = state.random.below((unsigned)n);
    for (size_t i = 0; i < n; i++) {
        const size_t k = (from + i) % n;
        if (!g->under_way[k]->ready.empty()) return (int)k;
    }
    return -1;
}

static void run_blocks(grid_progress *g)
{
    blocks_begin(g);
    while (!g->under_way.empty() && fault == cudaSuccess) {
        const int k = pick_block(g);
        if (k < 0) {
            tell_stuck(g->under_way[0]);
            fault = cudaErrorLaunchTimeout;
            return;
        }
        block_run *b = g->under_way[(size_t)k];
        run_thread(take_ready(b));
        if (b->n_left > 0) continue;
        g->under_way.erase(g->under_way.begin() + k);
        g->free_sets.push_back(b->slots);
        unused_runs.push_back(b);
        blocks_begin(g);
    }
}

cudaError_t grid_run(const kernel_launch &what, int device)
{
    const ignored_accesses ignored;
    const unsigned         most = 2 + state.random.below(MAX_RESIDENT - 1);
    grid_progress          g;
    kernel = &what;
    running_device = device;
    runner = pthread_self();
    fault = cudaSuccess;
    idle = 0;
    blockDim = what.block;
    gridDim = what.grid;
    g.n_blocks = (uint64_t)what.grid.x * what.grid.y * what.grid.z;
    g.next = 0;
    /* from any block on, in steps that meet every one */
    g.first = state.random.next() % g.n_blocks;
    g.step = 1 + state.random.next() % g.n_blocks;
    while (common_divisor(g.step, g.n_blocks) != 1) g.step++;
    for (unsigned set = 0; set < most; set++) g.free_sets.push_back(set);

    fibres_begin();
    run_blocks(&g);
    for (block_run *b : g.under_way) { /* there was a fault */
        for (thread_run &t : b->threads) fibre_abandon(t.on);
        unused_runs.push_back(b);
    }
    fibres_end();
    kernel = NULL;
    return fault;
}

} // namespace cuda_host
