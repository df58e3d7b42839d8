/* test_repeat.c - copies of parts: roll, repeat, tile, repeat_interleave, tril, triu, diagonals, turns, and what joins by them, element by
 * element against where each comes from. */
#include <string.h>

#include "call/call.h"
#include "oracle.h"

#define REFUSED(call, status, name, place, text)                                                          \
    do {                                                                                                  \
        stria_error err = {0};                                                                            \
        CHECK_STATUS(call, status);                                                                       \
        CHECK(y == NULL, "an output of a refused call");                                                  \
        CHECK(strcmp(err.op, name) == 0 && strcmp(err.argument, place) == 0 && strstr(err.message, text), \
              "op %s, argument %s, message %s", err.op, err.argument, err.message);                       \
    } while (0)
#define INTS(...) ((const int64_t[]){__VA_ARGS__}), (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define AXES(...) ((const int[]){__VA_ARGS__}), (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int))
#define LIST(...)                                 \
    ((const stria_tensor *const[]){__VA_ARGS__}), \
        (int)(sizeof((const stria_tensor *const[]){__VA_ARGS__}) / sizeof(void *))

static stria_tensor *x, *y; /* x has the shape 3, 4, 5 where nothing else is said */
static const layout  kinds[] = {LAYOUT_CONTIGUOUS, LAYOUT_TRANSPOSED, LAYOUT_FLIPPED, LAYOUT_OFFSET};

/* Where element index of y comes from; NULL: it is 0. */
typedef const char *source_fn(const int64_t *index, const void *context);

/* Checks y, which must be new memory, and releases it. */
static void check(const char *what, const int64_t *shape, int ndim, source_fn *source, const void *context)
{
    static const char zeros[16] = {0};
    int64_t           index[STRIA_MAX_DIMS] = {0};

    CHECK(y && stria_tensor_has_shape(y, ndim, shape) && y->dtype == x->dtype && y->storage != x->storage, "%s: shape",
          what);
    if (y && y->numel > 0 && stria_tensor_has_shape(y, ndim, shape)) do {
            const char *from = source(index, context);
            CHECK(memcmp(tensor_at(y, index), from ? from : zeros, stria_dtype_get_size(y->dtype)) == 0, "%s: of %s",
                  what, stria_dtype_get_name(y->dtype));
        } while (index_next(ndim, shape, index));
    stria_tensor_release(y);
    y = NULL;
}

/* ---------------------------------------------------------------- roll */

static const char *rolled(const int64_t *index, const void *context)
{
    const int64_t *shifts = context;
    int64_t        from[3];

    for (int d = 0; d < 3; d++) from[d] = ((index[d] - shifts[d]) % x->shape[d] + x->shape[d]) % x->shape[d];
    return tensor_at(x, from);
}

static const char *rolled_flat(const int64_t *index, const void *context)
{
    int64_t k = (index[0] * 4 + index[1]) * 5 + index[2] - *(const int64_t *)context, from[3];

    k = (k % 60 + 60) % 60;
    from[0] = k / 20, from[1] = k / 5 % 4, from[2] = k % 5;
    return tensor_at(x, from);
}

static void check_roll(void)
{
    static const int64_t flat[] = {0, 1, -1, 59, 60, 61, -1000001};

    CHECK_STATUS(stria_roll(x, INTS(2), AXES(1), &y, NULL), STRIA_OK);
    check("roll", x->shape, 3, rolled, (const int64_t[]){0, 2, 0});
    CHECK_STATUS(stria_roll(x, INTS(-7, 3), AXES(-1, 0), &y, NULL), STRIA_OK);
    check("roll of two axes", x->shape, 3, rolled, (const int64_t[]){3, 0, -7});
    CHECK_STATUS(stria_roll(x, INTS(INT64_MIN, INT64_MAX, 1), AXES(2, 1, 0), &y, NULL), STRIA_OK);
    check("roll by much", x->shape, 3, rolled, (const int64_t[]){1, INT64_MAX % 4, INT64_MIN % 5});
    CHECK_STATUS(stria_roll(x, NULL, 0, (const int[]){0}, 0, &y, NULL), STRIA_ERR_ARGUMENT);
    for (size_t k = 0; k < sizeof flat / sizeof *flat; k++) {
        CHECK_STATUS(stria_roll(x, &flat[k], 1, NULL, 0, &y, NULL), STRIA_OK);
        check("roll of all elements", x->shape, 3, rolled_flat, &flat[k]);
    }
}

/* ---------------------------------------------------------------- repeat */

static const char *repeated(const int64_t *index, const void *context)
{
    const int     extra = *(const int *)context;
    const int64_t from[] = {index[extra] % 3, index[extra + 1] % 4, index[extra + 2] % 5};

    return tensor_at(x, from);
}

/* Along axis *context, each element of it three times. */
static const char *interleaved(const int64_t *index, const void *context)
{
    int64_t from[] = {index[0], index[1], index[2]};

    from[*(const int *)context] /= 3;
    return tensor_at(x, from);
}

static const char *interleaved_flat(const int64_t *index, const void *context)
{
    const int64_t k = index[0] / 2;
    (void)context;

    return tensor_at(x, (const int64_t[]){k / 20, k / 5 % 4, k % 5});
}

/* Counts 2, 0, 1, 3 along axis 1. */
static const char *counted(const int64_t *index, const void *context)
{
    static const int64_t positions[] = {0, 0, 2, 3, 3, 3};
    (void)context;

    return tensor_at(x, (const int64_t[]){index[0], positions[index[1]], index[2]});
}

static void check_repeat(void)
{
    const int     none = 0, two = 2;
    stria_tensor *three = NULL, *pair = NULL, *counts = NULL;

    CHECK_STATUS(stria_repeat(x, INTS(2, 1, 3), &y, NULL), STRIA_OK);
    check("repeat", (const int64_t[]){6, 4, 15}, 3, repeated, &none);
    CHECK_STATUS(stria_repeat(x, INTS(2, 1, 1, 2, 1), &y, NULL), STRIA_OK);
    check("repeat with new axes", (const int64_t[]){2, 1, 3, 8, 5}, 5, repeated, &two);
    CHECK_STATUS(stria_repeat(x, INTS(1, 1, 1), &y, NULL), STRIA_OK);
    check("repeat once is a copy", x->shape, 3, repeated, &none);
    CHECK_STATUS(stria_repeat(x, INTS(1, 0, 1), &y, NULL), STRIA_OK);
    CHECK(y && y->numel == 0 && y->shape[1] == 0, "repeat to nothing");
    stria_tensor_release(y), y = NULL;
    CHECK_STATUS(stria_tile(x, INTS(2), &y, NULL), STRIA_OK);
    check("tile", (const int64_t[]){3, 4, 10}, 3, repeated, &none);
    CHECK_STATUS(stria_tile(x, INTS(1, 2, 2, 1, 1), &y, NULL), STRIA_OK);
    check("tile with new axes", (const int64_t[]){1, 2, 6, 4, 5}, 5, repeated, &two);
    CHECK_STATUS(stria_tile(x, NULL, 0, &y, NULL), STRIA_OK);
    check("tile by nothing", x->shape, 3, repeated, &none);
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_INT, .i = 3}, &three, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_INT, .i = 2}, &pair, NULL), STRIA_OK);
    for (int axis = 0; axis < 3; axis++) {
        int64_t shape[] = {3, 4, 5};
        shape[axis] *= 3;
        CHECK_STATUS(stria_repeat_interleave(x, three, axis - 3, &y, NULL), STRIA_OK);
        check("repeat_interleave", shape, 3, interleaved, &axis);
    }
    CHECK_STATUS(stria_repeat_interleave(x, pair, STRIA_AXIS_NONE, &y, NULL), STRIA_OK);
    check("repeat_interleave of all", (const int64_t[]){120}, 1, interleaved_flat, NULL);
    CHECK_STATUS(stria_tensor_new(STRIA_U8, 1, (const int64_t[]){4}, &counts, NULL), STRIA_OK);
    memcpy(stria_tensor_get_data(counts), (const uint8_t[]){2, 0, 1, 3}, 4);
    CHECK_STATUS(stria_repeat_interleave(x, counts, 1, &y, NULL), STRIA_OK);
    check("repeat_interleave by counts", (const int64_t[]){3, 6, 5}, 3, counted, NULL);
    stria_tensor_release(three), stria_tensor_release(pair), stria_tensor_release(counts);
}

/* ---------------------------------------------------------------- triangles, diagonals, turns */

typedef struct side {
    int64_t diagonal;
    bool    is_upper;
} side;

static const char *in_triangle(const int64_t *index, const void *context)
{
    const side   *s = context;
    const int64_t above = index[2] - index[1];

    return (s->is_upper ? above >= s->diagonal : above <= s->diagonal) ? tensor_at(x, index) : NULL;
}

static void check_triangles(void)
{
    static const int64_t diagonals[] = {0, 1, -1, 3, -3, 4, 5, -4, 100, INT64_MAX, INT64_MIN};

    for (size_t k = 0; k < sizeof diagonals / sizeof *diagonals; k++) {
        const side    lower = {diagonals[k], false}, upper = {diagonals[k], true};
        stria_tensor *own = NULL;
        CHECK_STATUS(stria_tril(x, diagonals[k], &y, NULL), STRIA_OK);
        check("tril", x->shape, 3, in_triangle, &lower);
        CHECK_STATUS(stria_triu(x, diagonals[k], &y, NULL), STRIA_OK);
        check("triu", x->shape, 3, in_triangle, &upper);
        /* in place, and into columns */
        CHECK_STATUS(stria_tensor_copy(x, x->dtype, &own, NULL), STRIA_OK);
        CHECK_STATUS(stria_triu_out(own, diagonals[k], own, NULL), STRIA_OK);
        y = stria_tensor_retain(own);
        check("triu in place", x->shape, 3, in_triangle, &upper);
        stria_tensor_release(own);
        CHECK_STATUS(stria_tensor_new_strided(x->dtype, 3, x->shape, (const int64_t[]){1, 3, 12}, &own, NULL),
                     STRIA_OK);
        CHECK_STATUS(stria_tril_out(x, diagonals[k], own, NULL), STRIA_OK);
        y = stria_tensor_retain(own);
        check("tril into columns", x->shape, 3, in_triangle, &lower);
        stria_tensor_release(own);
    }
}

typedef struct embedding {
    int64_t offset;
    int     dim1, dim2;
} embedding;

static const char *embedded(const int64_t *index, const void *context)
{
    const embedding *e = context;
    int64_t          from[3];
    int              used = 0;

    if (index[e->dim2] - index[e->dim1] != e->offset) return NULL;
    for (int d = 0; d < 4; d++)
        if (d != e->dim1 && d != e->dim2) from[used++] = index[d];
    from[2] = index[e->offset < 0 ? e->dim2 : e->dim1];
    return tensor_at(x, from);
}

static const char *on_flat_diagonal(const int64_t *index, const void *context)
{
    const int64_t k = index[0];
    (void)context;

    return index[1] - k == 2 ? tensor_at(x, (const int64_t[]){k / 20, k / 5 % 4, k % 5}) : NULL;
}

static const char *turned(const int64_t *index, const void *context)
{
    const int k = *(const int *)context; /* from axis 2 towards axis 0 */
    int64_t   from[] = {index[0], index[1], index[2]};

    switch (k) {
    case 0: break;
    case 1: from[0] = 2 - index[2], from[2] = index[0]; break;
    case 2: from[0] = 2 - index[0], from[2] = 4 - index[2]; break;
    default: from[0] = index[2], from[2] = 4 - index[0]; break;
    }
    return tensor_at(x, from);
}

static void check_diagonals(void)
{
    static const embedding all[] = {{0, 2, 3}, {1, 2, 3}, {-2, 2, 3}, {3, 3, 0}, {-1, 1, 2}, {2, 0, 1}};

    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const embedding *e = &all[k];
        int64_t          shape[4];
        for (int d = 0, used = 0; d < 4; d++)
            shape[d] = d == e->dim1 || d == e->dim2 ? 5 + (e->offset < 0 ? -e->offset : e->offset) : x->shape[used++];
        CHECK_STATUS(stria_diag_embed(x, e->offset, e->dim1 - 4, e->dim2, &y, NULL), STRIA_OK);
        check("diag_embed", shape, 4, embedded, e);
    }
    CHECK_STATUS(stria_diagflat(x, 2, &y, NULL), STRIA_OK);
    check("diagflat", (const int64_t[]){62, 62}, 2, on_flat_diagonal, NULL);
}

/* rot90 is a view: its elements are those of x at other places. */
static void check_turns(void)
{
    for (int k = -5; k < 6; k++) {
        const int quarters = (k % 4 + 4) % 4;
        int64_t   index[3] = {0};
        CHECK_STATUS(stria_rot90(x, k, AXES(2, 0), &y, NULL), STRIA_OK);
        CHECK(y && y->storage == x->storage && y->shape[0] == (quarters % 2 ? 5 : 3), "rot90: shape");
        if (y) do
                CHECK(tensor_at(y, index) == turned(index, &quarters), "rot90 by %d", k);
            while (index_next(3, y->shape, index));
        stria_tensor_release(y), y = NULL;
    }
}

static const char *on_diagonal(const int64_t *index, const void *context)
{
    const int64_t k = index[0];
    (void)context;

    return tensor_at(x, (const int64_t[]){k + 1, k});
}

static const char *as_diagonal(const int64_t *index, const void *context)
{
    (void)context;
    return index[0] - index[1] == 1 ? tensor_at(x, (const int64_t[]){index[1]}) : NULL;
}

static void check_diag(random_state *random, stria_dtype dtype, layout kind)
{
    x = tensor_random(random, dtype, kind, 2, (const int64_t[]){4, 5}, -9, 9);
    CHECK_STATUS(stria_diag(x, -1, &y, NULL), STRIA_OK);
    check("diag of a matrix", (const int64_t[]){3}, 1, on_diagonal, NULL);
    stria_tensor_release(x);
    x = tensor_random(random, dtype, kind, 1, (const int64_t[]){3}, -9, 9);
    CHECK_STATUS(stria_diag(x, -1, &y, NULL), STRIA_OK);
    check("diag of a line", (const int64_t[]){4, 4}, 2, as_diagonal, NULL);
    stria_tensor_release(x);
}

/* ---------------------------------------------------------------- joining */

static stria_tensor *line, *other, *matrix;

static void check_joined(const char *what, const int64_t *shape, int ndim, source_fn *source)
{
    x = line; /* for the dtype */
    check(what, shape, ndim, source, NULL);
}

static const char *in_row(const int64_t *index, const void *context)
{
    (void)context;
    return index[0] < 3 ? tensor_at(line, index) : tensor_at(other, (const int64_t[]){index[0] - 3});
}
static const char *in_rows(const int64_t *index, const void *context)
{
    (void)context;
    return index[0] == 0 ? tensor_at(line, index + 1) : tensor_at(matrix, (const int64_t[]){index[0] - 1, index[1]});
}
static const char *in_columns(const int64_t *index, const void *context)
{
    (void)context;
    return index[1] == 0 ? tensor_at(line, index) : tensor_at(matrix, (const int64_t[]){index[0], index[1] - 1});
}
static const char *in_depth(const int64_t *index, const void *context)
{
    (void)context;
    return tensor_at(line, (const int64_t[]){index[1]});
}
static const char *in_blocks(const int64_t *index, const void *context)
{
    const int64_t i = index[0], k = index[1];
    (void)context;

    if (i == 0) return k < 3 ? tensor_at(line, &k) : NULL;
    if (i < 4) return k >= 3 && k < 6 ? tensor_at(matrix, (const int64_t[]){i - 1, k - 3}) : NULL;
    return k >= 6 ? tensor_at(other, (const int64_t[]){k - 6}) : NULL;
}
static const char *in_product(const int64_t *index, const void *context)
{
    const int64_t i = index[0];
    const int64_t places[] = {i / 6, i / 3 % 2, i % 3};
    (void)context;

    return tensor_at(index[1] == 1 ? other : line, &places[index[1]]);
}

static void check_joining(random_state *random, stria_dtype dtype, layout kind)
{
    line = tensor_random(random, dtype, kind, 1, (const int64_t[]){3}, -9, 9);
    other = tensor_random(random, dtype, LAYOUT_FLIPPED, 1, (const int64_t[]){2}, -9, 9);
    matrix = tensor_random(random, dtype, kind, 2, (const int64_t[]){3, 3}, -9, 9);
    CHECK_STATUS(stria_hstack(LIST(line, other), &y, NULL), STRIA_OK);
    check_joined("hstack", (const int64_t[]){5}, 1, in_row);
    CHECK_STATUS(stria_vstack(LIST(line, matrix), &y, NULL), STRIA_OK);
    check_joined("vstack", (const int64_t[]){4, 3}, 2, in_rows);
    CHECK_STATUS(stria_row_stack(LIST(line, matrix), &y, NULL), STRIA_OK);
    check_joined("row_stack", (const int64_t[]){4, 3}, 2, in_rows);
    CHECK_STATUS(stria_column_stack(LIST(line, matrix), &y, NULL), STRIA_OK);
    check_joined("column_stack", (const int64_t[]){3, 4}, 2, in_columns);
    CHECK_STATUS(stria_dstack(LIST(line, line), &y, NULL), STRIA_OK);
    check_joined("dstack", (const int64_t[]){1, 3, 2}, 3, in_depth);
    CHECK_STATUS(stria_block_diag(LIST(line, matrix, other), &y, NULL), STRIA_OK);
    check_joined("block_diag", (const int64_t[]){5, 8}, 2, in_blocks);
    CHECK_STATUS(stria_cartesian_prod(LIST(line, other, line), &y, NULL), STRIA_OK);
    check_joined("cartesian_prod", (const int64_t[]){18, 3}, 2, in_product);
    stria_tensor *joined = NULL;
    CHECK_STATUS(stria_column_stack(LIST(line, matrix), &joined, NULL), STRIA_OK);
    CHECK_STATUS(stria_hstack(LIST(matrix, joined), &y, NULL), STRIA_OK);
    CHECK(y && y->ndim == 2 && y->shape[1] == 7, "hstack of matrices");
    stria_tensor_release(joined), stria_tensor_release(y), y = NULL;
    stria_tensor_release(line), stria_tensor_release(other), stria_tensor_release(matrix);
}

/* Choices by counting: rows of places that go up, in the order of numbers to base n. */
static void check_combinations(random_state *random, stria_dtype dtype, layout kind)
{
    x = tensor_random(random, dtype, kind, 1, (const int64_t[]){5}, -9, 9);
    for (int r = 0; r <= 6; r++)
        for (int repeats = 0; repeats < 2; repeats++) {
            int64_t row = 0, places[6] = {0}, shape[6] = {5, 5, 5, 5, 5, 5};
            CHECK_STATUS(stria_combinations(x, r, repeats, &y, NULL), STRIA_OK);
            if (r > 0) do {
                    bool goes_up = true;
                    for (int k = 1; k < r; k++) goes_up &= places[k] >= places[k - 1] + !repeats;
                    for (int k = 0; k < r && goes_up && y && row < y->shape[0]; k++)
                        CHECK(memcmp(tensor_at(y, (const int64_t[]){row, k}), tensor_at(x, &places[k]),
                                     stria_dtype_get_size(dtype)) == 0,
                              "combinations of %d", r);
                    row += goes_up;
                } while (index_next(r, shape, places));
            CHECK(y && y->shape[0] == row && y->ndim == (r == 0 ? 1 : 2), "combinations of %d: %lld rows", r,
                  (long long)row);
            stria_tensor_release(y), y = NULL;
        }
    stria_tensor_release(x);
}

/* ---------------------------------------------------------------- refusals, nothing, other dtypes */

static void check_refusals(void)
{
    const int64_t shape[] = {3, 4, 5}, huge = INT64_C(1) << 62;
    stria_tensor *one = NULL, *number = NULL, *minus = NULL, *wide = NULL, *half = NULL, *flat = NULL;
    stria_scalar  value = {.kind = STRIA_SCALAR_INT, .i = 2};

    CHECK_STATUS(stria_full(shape, 3, value, STRIA_F32, STRIA_CPU, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_full(NULL, 0, value, STRIA_F32, STRIA_CPU, &one, NULL), STRIA_OK);
    CHECK_STATUS(stria_full(shape, 1, value, STRIA_F32, STRIA_CPU, &flat, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_scalar(value, &number, NULL), STRIA_OK);
    value.i = -1;
    CHECK_STATUS(stria_tensor_new_scalar(value, &minus, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = 2}, &half, NULL), STRIA_OK);
    CHECK_STATUS(stria_empty(&huge, 1, STRIA_U8, STRIA_META, &wide, NULL), STRIA_OK);
    REFUSED(stria_roll(x, INTS(1, 2), AXES(0), &y, &err), STRIA_ERR_ARGUMENT, "roll", "shifts",
            "shifts has 2 numbers, but must have 1");
    REFUSED(stria_roll(x, INTS(1, 2), NULL, 0, &y, &err), STRIA_ERR_ARGUMENT, "roll", "shifts", "must have 1");
    REFUSED(stria_roll(x, INTS(1), AXES(3), &y, &err), STRIA_ERR_AXIS, "roll", "dims", "axis 3");
    REFUSED(stria_roll(x, INTS(1, 1), AXES(1, 1), &y, &err), STRIA_ERR_AXIS, "roll", "dims", "twice");
    REFUSED(stria_repeat(x, INTS(2, 2), &y, &err), STRIA_ERR_SHAPE, "repeat", "sizes", "sizes has 2 numbers");
    REFUSED(stria_repeat(x, INTS(2, -2, 1), &y, &err), STRIA_ERR_SHAPE, "repeat", "sizes[1]", "not -2");
    REFUSED(stria_repeat(x, INTS(INT64_MAX, 1, 1), &y, &err), STRIA_ERR_OVERFLOW, "repeat", "sizes",
            "too many elements");
    REFUSED(stria_tile(x, INTS(-1), &y, &err), STRIA_ERR_SHAPE, "tile", "dims[2]", "not -1");
    REFUSED(stria_repeat_interleave(x, minus, 0, &y, &err), STRIA_ERR_ARGUMENT, "repeat_interleave", "repeats",
            "repeats has -1");
    REFUSED(stria_repeat_interleave(x, half, 0, &y, &err), STRIA_ERR_DTYPE, "repeat_interleave", "repeats",
            "an integer");
    REFUSED(stria_repeat_interleave(x, number, 3, &y, &err), STRIA_ERR_AXIS, "repeat_interleave", "dim", "axis 3");
    REFUSED(stria_tril(flat, 0, &y, &err), STRIA_ERR_SHAPE, "tril", "x", "x has 1 dims");
    REFUSED(stria_triu(one, 0, &y, &err), STRIA_ERR_SHAPE, "triu", "x", "x has 0 dims");
    REFUSED(stria_diag_embed(one, 0, 0, 1, &y, &err), STRIA_ERR_SHAPE, "diag_embed", "x", "no dims");
    REFUSED(stria_diag_embed(x, 0, 1, -3, &y, &err), STRIA_ERR_AXIS, "diag_embed", "dim2", "both axes are axis 1");
    REFUSED(stria_diag_embed(x, 0, 4, 1, &y, &err), STRIA_ERR_AXIS, "diag_embed", "dim1", "axis 4");
    REFUSED(stria_diag_embed(x, INT64_MIN, 0, 1, &y, &err), STRIA_ERR_OVERFLOW, "diag_embed", "offset", "too large");
    REFUSED(stria_diag_embed(x, INT64_MAX - 5, 0, 1, &y, &err), STRIA_ERR_OVERFLOW, "diag_embed", "offset", "");
    REFUSED(stria_diag(x, 0, &y, &err), STRIA_ERR_SHAPE, "diag", "x", "x has 3 dims");
    REFUSED(stria_rot90(flat, 1, NULL, 0, &y, &err), STRIA_ERR_SHAPE, "rot90", "x", "x has 1 dims");
    REFUSED(stria_rot90(x, 1, AXES(1), &y, &err), STRIA_ERR_AXIS, "rot90", "dims", "dims has 1 axes, not 2");
    REFUSED(stria_rot90(x, 1, AXES(1, -2), &y, &err), STRIA_ERR_AXIS, "rot90", "dims", "twice");
    REFUSED(stria_hstack(NULL, 0, &y, &err), STRIA_ERR_ARGUMENT, "hstack", "tensors", "tensors is empty");
    REFUSED(stria_vstack(LIST(flat, x), &y, &err), STRIA_ERR_SHAPE, "vstack", "tensors[1]", "tensors[1] has shape");
    REFUSED(stria_block_diag(LIST(flat, x), &y, &err), STRIA_ERR_SHAPE, "block_diag", "tensors[1]",
            "tensors[1] has 3 dims");
    REFUSED(stria_block_diag(NULL, 0, &y, &err), STRIA_ERR_ARGUMENT, "block_diag", "tensors", "empty");
    REFUSED(stria_block_diag(LIST(wide, wide), &y, &err), STRIA_ERR_OVERFLOW, "block_diag", "tensors[1]", "");
    REFUSED(stria_cartesian_prod(LIST(flat, one), &y, &err), STRIA_ERR_SHAPE, "cartesian_prod", "tensors[1]",
            "must have 1 dim");
    REFUSED(stria_combinations(x, 2, false, &y, &err), STRIA_ERR_SHAPE, "combinations", "x", "x has 3 dims");
    REFUSED(stria_combinations(flat, -1, false, &y, &err), STRIA_ERR_ARGUMENT, "combinations", "r", "not -1");
    REFUSED(stria_combinations(wide, 3, false, &y, &err), STRIA_ERR_OVERFLOW, "combinations", "r", "too many choices");
    REFUSED(stria_combinations(flat, INT64_MAX, true, &y, &err), STRIA_ERR_OVERFLOW, "combinations", "r", "");
    /* numbers and empty tensors */
    CHECK_STATUS(stria_roll(one, INTS(5), AXES(0), &y, NULL), STRIA_OK);
    CHECK(y && y->ndim == 0 && *(const float *)stria_tensor_get_const_data(y) == 2, "roll of a number");
    stria_tensor_release(y), y = NULL;
    CHECK_STATUS(stria_repeat_interleave(one, number, STRIA_AXIS_NONE, &y, NULL), STRIA_OK);
    CHECK(y && y->ndim == 1 && y->numel == 2, "repeat_interleave of a number");
    stria_tensor_release(y), y = NULL;
    CHECK_STATUS(stria_hstack(LIST(one, flat), &y, NULL), STRIA_OK);
    CHECK(y && y->ndim == 1 && y->numel == 4, "hstack of a number");
    stria_tensor_release(y), y = NULL;
    CHECK_STATUS(stria_column_stack(LIST(one, one), &y, NULL), STRIA_OK);
    CHECK(y && y->ndim == 2 && y->shape[1] == 2, "column_stack of numbers");
    stria_tensor_release(y), y = NULL;
    stria_tensor *none = NULL;
    CHECK_STATUS(stria_tensor_new(STRIA_I8, 2, (const int64_t[]){0, 3}, &none, NULL), STRIA_OK);
    CHECK_STATUS(stria_block_diag(LIST(none, flat), &y, NULL), STRIA_OK);
    CHECK(y && y->dtype == STRIA_F32 && y->shape[0] == 1 && y->shape[1] == 6, "block_diag with an empty one");
    stria_tensor_release(y), y = NULL;
    CHECK_STATUS(stria_roll(none, INTS(1, 1), AXES(0, 1), &y, NULL), STRIA_OK);
    CHECK(y && y->numel == 0, "roll of nothing");
    stria_tensor_release(y), y = NULL;
    CHECK_STATUS(stria_tril(none, 0, &y, NULL), STRIA_OK);
    CHECK(y && y->numel == 0, "tril of nothing");
    stria_tensor_release(y), y = NULL;
    stria_tensor_release(x), stria_tensor_release(one), stria_tensor_release(number), stria_tensor_release(minus);
    stria_tensor_release(wide), stria_tensor_release(half), stria_tensor_release(flat), stria_tensor_release(none);
}

SUITE(test_repeat)
{
    const int64_t before = stria_memory_get_stats().live_tensors;
    random_state  random = {12};

    for (int dtype = STRIA_BOOL; dtype <= STRIA_C128; dtype++) {
        const layout kind = kinds[dtype % 4];
        x = tensor_random(&random, (stria_dtype)dtype, kind, 3, (const int64_t[]){3, 4, 5}, -9, 9);
        check_roll();
        check_repeat();
        check_triangles();
        check_diagonals();
        check_turns();
        stria_tensor_release(x);
        check_diag(&random, (stria_dtype)dtype, kind);
        check_joining(&random, (stria_dtype)dtype, kind);
        check_combinations(&random, (stria_dtype)dtype, kind);
    }
    check_refusals();
    CHECK(stria_memory_get_stats().live_tensors == before, "tensors are left over");
    return check_finish("test_repeat");
}
