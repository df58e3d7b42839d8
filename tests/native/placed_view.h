/* placed_view.h - random views of a few memories, as numbers: the operands of fuzz_overlap.c; and how two of them lie to one
 * another, by lists of places. */
#ifndef PLACED_VIEW_H
#define PLACED_VIEW_H

#include "oracle.h"

#define VIEW_DIMS 4
#define VIEW_LARGEST 160000 /* elements of a memory */
#define VIEW_USUAL 9000
#define VIEW_DTYPES 10

extern random_state view_random;
int64_t             view_pick(int64_t n); /* in [0, n) */
bool                view_chance(int percent);

typedef struct view {
    stria_dtype dtype;
    int         ndim;
    int64_t     shape[VIEW_DIMS], strides[VIEW_DIMS], offset; /* elements */
} view;

/* The memory that an op works on, and that of what it should give. */
extern char              view_worked[VIEW_LARGEST * 8], view_wanted[VIEW_LARGEST * 8];
extern const stria_dtype view_dtypes[VIEW_DTYPES];
void                     view_fill_memory(void);
/* What both start with: whole numbers, small enough that sums are exact. */
char *view_get_pristine(stria_dtype dtype);

int64_t view_get_numel(const view *v);
void    view_flip(view *v, int d);
void    view_swap(view *v, int d, int e);
void    view_drop(view *v, int d);
/* A slice, flip, transpose or diagonal. */
void view_random_step(view *v);
/* All of a memory, of sizes around those of blocks. */
view view_new_whole(stria_dtype dtype);
/* Any strides that stay within `room` elements, repeated elements included. */
void view_lay_anyhow(view *v, int64_t room);
/* Each element at an address of its own: dims in any order, gaps where there is room. */
void view_lay_apart(view *v, int64_t room);
/* A view that has to do with `out`, which is a part of `of`. */
view view_new_relative(const view *of, const view *out, int64_t room);
/* Makes the shapes broadcast to that of out, by cutting what is too long. */
void view_crop(view *out, view *in, int n_in);
/* Over external memory, handed in anew. */
stria_tensor *view_new_tensor(const view *v, char *memory);
const char   *view_describe(const view *v);

typedef enum relation { APART, AT_EQUAL, PARTIAL } relation;

/* Whether two elements have one address. */
bool view_repeats(const view *out);
/* Of views of one memory, no element of out repeated: whether elements are shared, at equal positions only or at others.
 * With by_position false PARTIAL says no more than that they have something in common. */
relation view_relate(const view *out, const view *in, bool by_position);

#endif
