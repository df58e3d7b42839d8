/* support.c - checks, random inputs, test tensors and guarded memory (oracle.h). */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "isa.h"
#include "oracle.h"
#include "tensor/tensor.h"

#if defined(__unix__) && !defined(__EMSCRIPTEN__)
#include <sys/mman.h>
#include <unistd.h>
#define HAVE_PAGES 1
#else
#define HAVE_PAGES 0
#endif

int64_t check_count, check_failures;

void check_fail(const char *file, int line, const char *format, ...)
{
    check_count_one();
    if (__atomic_add_fetch(&check_failures, 1, __ATOMIC_RELAXED) > 40) return;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void check_status(stria_status got, stria_status expected, const char *call, const char *file, int line)
{
    if (got == expected)
        check_count_one();
    else
        check_fail(file, line, "%s: %s, expected %s", call, stria_status_get_name(got),
                   stria_status_get_name(expected));
}

void check_isa(const char *program)
{
    stria_error err;
    if (stria_isa_get_status(&err) == STRIA_OK) return;
    exit(isa_skip(program, getenv("STRIA_FORCE_ISA"), err.message));
}

bool check_has_values(void) { return check_is_full() || check_get_setting("STRIA_ONLY_THREADS", 0) == 0; }

int64_t check_get_count(int64_t count)
{
    const int64_t part = check_get_setting("STRIA_PART", check_has_values() ? 1 : 4);
    return check_is_full() || part < 1 ? count : count / part;
}

int check_finish(const char *program)
{
    const stria_memory_stats stats = stria_memory_get_stats();
    CHECK(stats.live_tensors == 0, "%lld tensors are still alive", (long long)stats.live_tensors);
    printf("%s: %s: %lld checks, %lld failed\n", program, stria_isa_get_name(), (long long)check_count,
           (long long)check_failures);
    return check_failures ? 1 : 0;
}

/* ---------------------------------------------------------------- random inputs */

/* splitmix64: Steele, Lea & Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014. */
uint64_t random_next(random_state *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double random_unit(random_state *random) { return (double)(random_next(random) >> 11) * 0x1p-53; }

static const double  special_reals[] = {0.0,
                                        -0.0,
                                        1.0,
                                        -1.0,
                                        0.5,
                                        -0.5,
                                        1.5,
                                        2.5,
                                        -2.5,
                                        2.0,
                                        3.0,
                                        -7.0,
                                        INFINITY,
                                        -INFINITY,
                                        NAN,
                                        0x1p-149,
                                        -0x1p-149,
                                        0x1p-126,
                                        0x1p-1074,
                                        -0x1p-1022,
                                        0x1.fffffep127,
                                        -0x1.fffffep127,
                                        0x1.fffffffffffffp1023,
                                        65504.0,
                                        0x1p-24,
                                        0x1.000002p0,
                                        0x1.fffffep-1,
                                        0x1.0000000000001p0,
                                        8388607.5,
                                        0x1p31,
                                        0x1p63};
static const int64_t special_wholes[] = {0,
                                         1,
                                         -1,
                                         2,
                                         -2,
                                         3,
                                         7,
                                         127,
                                         128,
                                         255,
                                         256,
                                         -128,
                                         -129,
                                         32767,
                                         32768,
                                         65535,
                                         INT32_MAX,
                                         INT32_MIN,
                                         (int64_t)UINT32_MAX,
                                         INT64_MAX,
                                         INT64_MIN,
                                         64,
                                         31};

int special_count(stria_dtype dtype)
{
    if (dtype == STRIA_BOOL) return 2;
    return dtype_is_float(dtype) ? (int)(sizeof special_reals / sizeof special_reals[0])
                                 : (int)(sizeof special_wholes / sizeof special_wholes[0]);
}

void special_element(stria_dtype dtype, uint64_t k, void *at)
{
    k %= (uint64_t)special_count(dtype);
    value_set(dtype, dtype_is_float(dtype) ? value_from_real(special_reals[k]) : value_from_whole(special_wholes[k]),
              at);
}

static double random_real(random_state *random, double low, double high)
{
    const int scale = -(int)(random_next(random) % 4) * 3; /* drawn first: arguments have no order */
    return ldexp(low + (high - low) * random_unit(random), scale);
}

void random_element(random_state *random, stria_dtype dtype, double low, double high, void *at)
{
    const uint64_t kind = random_next(random) % 16, bits = random_next(random);
    if (dtype_is_complex(dtype)) {
        const stria_dtype part = dtype == STRIA_C64 ? STRIA_F32 : STRIA_F64;
        random_element(random, part, low, high, at);
        random_element(random, part, low, high, (char *)at + stria_dtype_get_size(part));
    } else if (dtype_is_float(dtype)) {
        if (kind < 3) {
            special_element(dtype, bits, at);
        } else if (kind < 5) {
            memcpy(at, &bits, stria_dtype_get_size(dtype));
            value_canonicalise(dtype, at, 1);
        } else {
            value_set(dtype, value_from_real(random_real(random, low, high)), at);
        }
    } else if (kind < 3) {
        special_element(dtype, bits, at);
    } else if (kind < 6) {
        value_set(dtype, value_from_whole((whole_int)bits), at);
    } else {
        const double limit = low > -1 && low < 0 ? 0 : low;
        value_set(dtype, value_from_whole((whole_int)floor(limit + (high - limit + 1) * random_unit(random))), at);
    }
}

/* ---------------------------------------------------------------- tensors */

char *tensor_at(const stria_tensor *x, const int64_t *index)
{
    int64_t offset = 0;
    for (int k = 0; k < x->ndim; k++) offset += index[k] * x->strides[k];
    return x->data + offset * (int64_t)stria_dtype_get_size(x->dtype);
}

char *tensor_at_broadcast(const stria_tensor *x, int ndim, const int64_t *index)
{
    int64_t at[STRIA_MAX_DIMS];
    for (int k = 0; k < x->ndim; k++) at[k] = x->shape[k] == 1 ? 0 : index[ndim - x->ndim + k];
    return tensor_at(x, at);
}

bool index_next(int ndim, const int64_t *shape, int64_t *index)
{
    for (int k = ndim - 1; k >= 0; k--) {
        if (++index[k] < shape[k]) return true;
        index[k] = 0;
    }
    return false;
}

void tensor_fill_random(random_state *random, stria_tensor *x, double offset, double scale)
{
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    int64_t           index[STRIA_MAX_DIMS] = {0};

    if (stria_tensor_get_numel(x) == 0) return;
    do {
        value_set(dtype, value_from_real(offset + scale * (2 * random_unit(random) - 1)), tensor_at(x, index));
    } while (index_next(stria_tensor_get_ndim(x), stria_tensor_get_shape(x), index));
}

bool is_reduced(unsigned axes, int d) { return axes >> d & 1; }

bool check_reduced_shape(const stria_tensor *x, unsigned axes, bool keepdim, const stria_tensor *y, int64_t *outer,
                         const char *what)
{
    int64_t shape[STRIA_MAX_DIMS];
    int     n = 0;

    for (int d = 0; d < stria_tensor_get_ndim(x); d++) {
        outer[d] = is_reduced(axes, d) ? 1 : stria_tensor_get_shape(x)[d];
        if (!is_reduced(axes, d) || keepdim) shape[n++] = outer[d];
    }
    CHECK(stria_tensor_get_dtype(y) == stria_tensor_get_dtype(x) && stria_tensor_get_ndim(y) == n &&
              memcmp(stria_tensor_get_shape(y), shape, sizeof *shape * (size_t)n) == 0,
          "%s: wrong shape or dtype", what);
    return stria_tensor_get_numel(y) > 0;
}

char *reduced_at(const stria_tensor *y, int ndim, unsigned axes, bool keepdim, const int64_t *index)
{
    int64_t at[STRIA_MAX_DIMS];
    int     k = 0;

    for (int d = 0; d < ndim; d++)
        if (!is_reduced(axes, d) || keepdim) at[k++] = index[d];
    return tensor_at(y, at);
}

const char *const layout_names[LAYOUT_COUNT] = {"contiguous", "transposed", "flipped",  "offset", "stepped",
                                                "row",        "column",     "expanded", "single"};

/* Elements repeat after this many, a prime: drawing each of a million would take longer than the test. */
#define PERIOD 4099

/* Shape of the memory behind a layout; returns its number of dims. */
static int base_shape(layout kind, int ndim, const int64_t *shape, int64_t *base)
{
    if (kind == LAYOUT_SINGLE || ndim == 0) return 0;
    memcpy(base, shape, (size_t)ndim * sizeof *base);
    switch (kind) {
    case LAYOUT_TRANSPOSED:
        if (ndim >= 2) {
            base[ndim - 1] = shape[ndim - 2];
            base[ndim - 2] = shape[ndim - 1];
        } else {
            base[0] = shape[0] * 3 + 1;
        }
        break;
    case LAYOUT_OFFSET:
        for (int k = 0; k < ndim; k++) base[k] += 2;
        break;
    case LAYOUT_STEPPED: base[ndim - 1] *= 2; break;
    case LAYOUT_ROW: base[0] = shape[ndim - 1]; return 1;
    case LAYOUT_COLUMN: base[ndim - 1] = 1; break;
    case LAYOUT_EXPANDED: base[0] = 1; break;
    default: break;
    }
    return ndim;
}

/* Replaces *x by a view of it. */
#define REPLACE(call)                                \
    do {                                             \
        stria_tensor *view = NULL;                   \
        CHECK_STATUS(call, STRIA_OK);                \
        if (view) stria_tensor_release(x), x = view; \
    } while (0)

stria_tensor *tensor_random(random_state *random, stria_dtype dtype, layout kind, int ndim, const int64_t *shape,
                            double low, double high)
{
    int64_t       base[STRIA_MAX_DIMS];
    stria_tensor *x = NULL;
    const int     n = base_shape(kind, ndim, shape, base);
    const size_t  size = stria_dtype_get_size(dtype);

    CHECK_STATUS(stria_tensor_new(dtype, n, base, &x, NULL), STRIA_OK);
    if (!x) return NULL;
    char         *data = stria_tensor_get_data(x);
    const int64_t numel = stria_tensor_get_numel(x);
    for (int64_t k = 0; k < numel; k++) {
        if (k < PERIOD)
            random_element(random, dtype, low, high, data + (size_t)k * size);
        else
            memcpy(data + (size_t)k * size, data + (size_t)(k - PERIOD) * size, size);
    }
    if (n == 0) return x;
    if (kind == LAYOUT_TRANSPOSED && ndim >= 2)
        REPLACE(stria_transpose(x, ndim - 1, ndim - 2, &view, NULL));
    else if (kind == LAYOUT_TRANSPOSED)
        REPLACE(stria_slice(x, 0, 0, shape[0] * 3, 3, &view, NULL));
    else if (kind == LAYOUT_FLIPPED)
        for (int k = 0; k < ndim; k++) REPLACE(stria_flip(x, &k, 1, &view, NULL));
    else if (kind == LAYOUT_OFFSET)
        for (int k = 0; k < ndim; k++) REPLACE(stria_slice(x, k, 1, shape[k] + 1, 1, &view, NULL));
    else if (kind == LAYOUT_STEPPED)
        REPLACE(stria_slice(x, ndim - 1, INT64_MIN, INT64_MIN, 2, &view, NULL));
    else if (kind == LAYOUT_EXPANDED)
        REPLACE(stria_expand(x, shape, ndim, &view, NULL));
    return x;
}
#undef REPLACE

/* ---------------------------------------------------------------- guarded memory */

#if HAVE_PAGES
/* Released memory, kept with its unreadable pages: a system call for each of a million runs would take most of the time. */
enum { KEPT = 8 };
static guarded kept[KEPT];

static guarded guarded_map(size_t total, size_t page)
{
    guarded memory = {NULL, NULL, total};

    for (int k = 0; k < KEPT; k++) {
        if (!kept[k].base || kept[k].total != total) continue;
        memory = kept[k];
        kept[k].base = NULL;
        return memory;
    }
    memory.base = mmap(NULL, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory.base == MAP_FAILED || mprotect(memory.base + page, total - 2 * page, PROT_READ | PROT_WRITE) != 0) {
        perror("mmap");
        exit(2);
    }
    return memory;
}
#endif

guarded guarded_new(size_t nbytes, bool at_end)
{
#if HAVE_PAGES
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), inside = (nbytes + page) / page * page;
    guarded      memory = guarded_map(inside + 2 * page, page);
    memory.data = memory.base + page + (at_end ? inside - nbytes : 0);
#else
    guarded memory = {NULL, NULL, nbytes + 16};
    memory.base = malloc(memory.total);
    if (!memory.base) exit(2);
    memory.data = memory.base + (at_end ? 1 : 0);
#endif
    memset(memory.data, 0xa5, nbytes); /* not what a run before this one left */
    return memory;
}

void guarded_release(guarded memory)
{
#if HAVE_PAGES
    for (int k = 0; k < KEPT; k++) {
        if (kept[k].base) continue;
        kept[k] = memory;
        return;
    }
    munmap(memory.base, memory.total);
#else
    free(memory.base);
#endif
}
