/* scratch.c - scratch memory of threads (scratch.h): a stack of segments. A nested call adds one. */
#include "base/scratch.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"

#define ALIGN_UP(n) (((n) + 63) / 64 * 64)

typedef struct segment {
    struct segment *below, *above; /* NULL: none, or not made yet */
    char           *top;           /* the first free byte */
} segment;

#define HEAD_BYTES ALIGN_UP(sizeof(segment))
#define SEGMENT_BYTES (HEAD_BYTES + STRIA_SCRATCH_BYTES)

static _Thread_local segment *current; /* what is taken next comes from here; NULL: nothing is reserved yet */

static char *get_start(segment *s) { return (char *)s + HEAD_BYTES; }
static char *get_end(segment *s) { return (char *)s + SEGMENT_BYTES; }

void stria_scratch_end(void *lowest)
{
    for (segment *s = lowest, *above; s != NULL; s = above) {
        above = s->above;
        stria_alloc_scratch_release(s);
    }
    current = NULL;
}

/* ---------------------------------------------------------------- segments */

static segment *segment_new(segment *below)
{
    segment *s = stria_alloc_scratch_new(SEGMENT_BYTES);

    if (s == NULL) return NULL;
    *s = (segment){.below = below, .top = get_start(s)};
    return s;
}

static bool begin_thread(void)
{
    segment *s = segment_new(NULL);

    if (s != NULL && !stria_thread_keep(s)) {
        stria_alloc_scratch_release(s);
        s = NULL;
    }
    current = s;
    return s != NULL;
}

static __attribute__((noinline)) bool grow(void)
{
    if (current == NULL) return begin_thread();
    if (current->above == NULL) current->above = segment_new(current);
    return current->above != NULL;
}

stria_status stria_scratch_reserve(const char *op, stria_error *err)
{
    segment *s = current;

    if ((s != NULL && (size_t)(get_end(s) - s->top) >= STRIA_SCRATCH_BYTES) || grow()) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_MEMORY, op, NULL, NULL, NULL, "no memory for blocks of operands");
}

void *stria_scratch_take(size_t nbytes)
{
    segment *s = current;
    char    *p;

    nbytes = ALIGN_UP(nbytes);
    if ((size_t)(get_end(s) - s->top) < nbytes) current = s = s->above;
    p = s->top;
    s->top += nbytes;
    return p;
}

void stria_scratch_give(void *p)
{
    segment *s = current;

    s->top = p;
    if (p == get_start(s) && s->below != NULL) current = s->below;
}
