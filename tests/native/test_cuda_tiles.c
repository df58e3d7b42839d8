/* test_cuda_tiles.c - element-wise calls and copies of layouts that have kernels of their own on CUDA devices: operands that lie across, rows and
 * columns that are broadcast, mixed dtypes. Each is known to take the form (cuda_plan.h) that is written beside it, and has the CPU's bits. */
#include <string.h>

#include "cuda_lie.h"
#include "table/rows.h"

#define FLAT STRIA_CUDA_FORM_FLAT
#define ROWS STRIA_CUDA_FORM_ROWS
#define TILES STRIA_CUDA_FORM_TILES
#define VECTORS STRIA_CUDA_FORM_VECTORS
#define APART STRIA_CUDA_FORM_APART

static const char *const form_names[] = {"flat", "rows", "tiles", "vectors", "apart"};
static int               n_forms[STRIA_CUDA_FORM_COUNT];

typedef struct scene {
    const char     *name;
    stria_cuda_form form; /* of elements of 4 bytes */
    int             n_turned;
    int             ndim;
    int64_t         shape[4];
    lie             in[3];
    lie             out; /* order NULL: a new one; "=": the first input */
} scene;

#define PACKED         \
    {                  \
        "", 0, 0, 0, 0 \
    }
#define ACROSS           \
    {                    \
        "10", 0, 0, 0, 0 \
    }
#define NEW              \
    {                    \
        NULL, 0, 0, 0, 0 \
    }
#define SAME            \
    {                   \
        "=", 0, 0, 0, 0 \
    }

/* Of one dtype of 4 bytes. */
static const scene scenes[] = {
    {"packed", FLAT, 0, 2, {37, 45}, {PACKED, PACKED, PACKED}, NEW},
    {"one for all", FLAT, 0, 2, {37, 45}, {PACKED, {"", 0, 3, 0, 0}, PACKED}, PACKED},
    {"one across", TILES, 1, 2, {70, 45}, {PACKED, ACROSS, PACKED}, PACKED},
    {"two across", TILES, 2, 2, {33, 64}, {ACROSS, ACROSS, PACKED}, PACKED},
    {"three across", TILES, 3, 2, {32, 32}, {ACROSS, ACROSS, ACROSS}, PACKED},
    {"out across", TILES, 3, 2, {31, 70}, {PACKED, PACKED, PACKED}, ACROSS},
    {"new", TILES, 2, 2, {31, 70}, {ACROSS, PACKED, PACKED}, NEW},
    {"in place", TILES, 1, 2, {65, 34}, {PACKED, ACROSS, PACKED}, SAME},
    {"least", TILES, 1, 2, {16, 16}, {PACKED, ACROSS, PACKED}, PACKED},
    {"too short", APART, 0, 2, {15, 70}, {PACKED, ACROSS, PACKED}, PACKED},
    {"shifted", TILES, 1, 2, {40, 35}, {{"", 0, 0, 1, 0}, {"10", 0, 0, 3, 5}, PACKED}, {"", 0, 0, 1, 1}},
    {"backwards", TILES, 1, 2, {40, 35}, {{"", 1, 0, 0, 0}, {"10", 3, 0, 0, 0}, PACKED}, {"", 2, 0, 0, 0}},
    {"backwards in memory", TILES, 1, 2, {20, 50}, {PACKED, {"10", 1, 0, 1, 0}, PACKED}, PACKED},
    {"in batches", TILES, 1, 3, {5, 40, 33}, {PACKED, {"021", 0, 0, 0, 0}, PACKED}, PACKED},
    {"rotated", TILES, 1, 3, {20, 7, 33}, {PACKED, {"201", 0, 0, 0, 0}, PACKED}, PACKED},
    {"last first", TILES, 1, 3, {18, 7, 19}, {PACKED, {"210", 0, 0, 0, 0}, PACKED}, PACKED},
    {"four dims", TILES, 1, 4, {3, 17, 2, 18}, {PACKED, {"2031", 0, 0, 0, 0}, PACKED}, PACKED},
    {"channels last", TILES, 1, 4, {2, 18, 5, 7}, {PACKED, {"0231", 0, 0, 0, 0}, PACKED}, PACKED},
    {"colours last", APART, 0, 4, {2, 3, 5, 70}, {PACKED, {"0231", 0, 0, 0, 0}, PACKED}, PACKED},
    {"a row inside", TILES, 1, 2, {34, 35}, {ACROSS, {"", 0, 1, 0, 0}, PACKED}, PACKED},
    {"a column inside", TILES, 1, 2, {34, 35}, {ACROSS, {"", 0, 2, 0, 0}, {"", 0, 3, 0, 0}}, PACKED},
    {"batches of one", TILES, 1, 3, {4, 21, 33}, {PACKED, {"021", 0, 1, 0, 0}, PACKED}, PACKED},
    {"a row", ROWS, 0, 2, {9, 48}, {PACKED, {"", 0, 1, 0, 0}, PACKED}, PACKED},
    {"a row in place", ROWS, 0, 2, {300, 4}, {PACKED, {"", 0, 1, 0, 0}, PACKED}, SAME},
    {"a column", ROWS, 0, 2, {9, 48}, {{"", 0, 2, 0, 0}, PACKED, PACKED}, PACKED},
    {"a row and a column", ROWS, 0, 2, {19, 36}, {{"", 0, 1, 0, 0}, {"", 0, 2, 0, 0}, PACKED}, PACKED},
    {"a plane inside", ROWS, 0, 3, {3, 5, 12}, {PACKED, {"", 0, 2, 0, 0}, PACKED}, PACKED},
    {"padded rows", ROWS, 0, 2, {7, 12}, {{"", 0, 0, 0, 4}, {"", 0, 0, 4, 8}, PACKED}, {"", 0, 0, 8, 4}},
    {"odd rows", APART, 0, 2, {9, 47}, {PACKED, {"", 0, 1, 0, 0}, PACKED}, PACKED},
    {"rows not aligned", APART, 0, 2, {9, 48}, {PACKED, {"", 0, 1, 1, 0}, PACKED}, PACKED},
    {"out not aligned", APART, 0, 2, {9, 48}, {PACKED, {"", 0, 1, 0, 0}, PACKED}, {"", 0, 0, 3, 0}},
    {"rows apart", APART, 0, 2, {9, 48}, {PACKED, {"", 0, 0, 0, 2}, PACKED}, PACKED},
};
enum { N_SCENES = (int)(sizeof scenes / sizeof *scenes) };

/* Elements in 16 bytes where all lanes are of dtypes that packed kernels take: those of the op, or f16 or bf16 for f32. */
static int get_alike(const stria_op_info *info, const stria_dtype *dtypes, stria_dtype out)
{
    const int first = info->result == STRIA_RESULT_SELECT ? 1 : 0;

    for (int k = first; k < info->arity; k++)
        if (dtypes[k] != dtypes[first]) return 0;
    if (out != (info->result == STRIA_RESULT_BOOL ? STRIA_BOOL : dtypes[first])) return 0;
    return 16 / (int)stria_dtype_get_size(dtypes[first]);
}

/* wanted COUNT: any form. */
static void check_form(const scene *s, stria_op op, const stria_tensor *const *in, stria_tensor *out, int alike,
                       stria_cuda_form wanted, const char *what)
{
    stria_cuda_turn       turn = {{0, 0}, 0};
    const stria_cuda_form form = lie_get_element_form(op, in, stria_op_infos[op].arity, out, alike, &turn);

    CHECK(wanted == STRIA_CUDA_FORM_COUNT || form == wanted, "%s: the form is %s", what, form_names[form]);
    if (form == TILES && wanted == TILES && stria_op_infos[op].arity == 3)
        CHECK(__builtin_popcount(turn.turned) == s->n_turned, "%s: operands %x lie across", what, turn.turned);
    n_forms[form]++;
}

static void check_element(const scene *s, stria_op op, const stria_dtype *dtypes, stria_dtype to,
                          stria_cuda_form wanted)
{
    const stria_op_info *info = &stria_op_infos[op];
    const bool           is_new = s->out.order == NULL, is_in_place = !is_new && s->out.order[0] == '=';
    twins                x[3] = {{NULL, NULL}}, y = {NULL, NULL};
    const stria_tensor  *here[3], *there[3];
    char                 what[160];

    for (int k = 0; k < info->arity; k++) {
        x[k] = lie_new(dtypes[k], s->ndim, s->shape, &s->in[k], (uint64_t)k + 1);
        here[k] = x[k].here, there[k] = x[k].there;
    }
    if (is_in_place) y = (twins){stria_tensor_retain(x[0].here), stria_tensor_retain(x[0].there)};
    if (!is_new && !is_in_place) y = lie_new(to, s->ndim, s->shape, &s->out, 9);
    snprintf(what, sizeof what, "%s of %s, %s, %s to %s: %s", info->name, stria_dtype_get_name(dtypes[0]),
             stria_dtype_get_name(dtypes[1]), stria_dtype_get_name(dtypes[2]), stria_dtype_get_name(to), s->name);
    const stria_status want = is_new ? stria_apply(op, here, info->arity, &y.here, NULL)
                                     : stria_apply_out(op, here, info->arity, y.here, NULL);
    if (want == STRIA_OK) check_form(s, op, there, y.there, get_alike(info, dtypes, to), wanted, what);
    const stria_status got = is_new ? stria_apply(op, there, info->arity, &y.there, NULL)
                                    : stria_apply_out(op, there, info->arity, y.there, NULL);
    CHECK(got == want, "%s: status %d, and %d on the CPU", what, (int)got, (int)want);
    CHECK(wanted == STRIA_CUDA_FORM_COUNT || want == STRIA_OK, "%s: status %d", what, (int)want);
    if (y.here != NULL && y.there != NULL) cuda_case_check_same(what, y.there, y.here);
    for (int k = 0; k < info->arity; k++) twins_release(x[k]);
    twins_release(y);
}

static void check_scenes(void)
{
    static const stria_op    ops[] = {STRIA_OP_neg, STRIA_OP_add, STRIA_OP_lt, STRIA_OP_where, STRIA_OP_clamp};
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_I32,  STRIA_U8,  STRIA_I16,
                                         STRIA_F64, STRIA_BF16, STRIA_F16, STRIA_BOOL};

    for (int k = 0; k < N_SCENES; k++)
        for (size_t o = 0; o < sizeof ops / sizeof *ops; o++)
            for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
                const stria_op_info *info = &stria_op_infos[ops[o]];
                const stria_dtype    x = dtypes[d], to = info->result == STRIA_RESULT_BOOL ? STRIA_BOOL : x;
                const stria_dtype    in[] = {info->result == STRIA_RESULT_SELECT ? STRIA_BOOL : x, x, x};
                const bool           is_same = scenes[k].out.order != NULL && scenes[k].out.order[0] == '=';
                if (is_same && (to != in[0])) continue;
                if (x == STRIA_BOOL && ops[o] == STRIA_OP_neg) continue;
                if (d > 1 && ((size_t)k + o + d) % 3 != 0) continue;
                if (!cuda_case_is_drawn()) continue;
                const bool is_exact = d < 2 && ops[o] == STRIA_OP_clamp; /* all operands of 4 bytes */
                check_element(&scenes[k], ops[o], in, to, is_exact ? scenes[k].form : STRIA_CUDA_FORM_COUNT);
            }
}

static void check_mixed(void)
{
    static const struct {
        scene       s;
        stria_dtype in[2], to;
    } cases[] = {
        {{"run", VECTORS, 0, 1, {1031}, {PACKED, PACKED}, PACKED}, {STRIA_F32, STRIA_F16}, STRIA_F32},
        {{"run of one", VECTORS, 0, 1, {1030}, {PACKED, {"", 0, 1, 0, 0}}, PACKED}, {STRIA_F64, STRIA_I32}, STRIA_F64},
        {{"run, shifted", APART, 0, 1, {1031}, {PACKED, {"", 0, 0, 1, 0}}, PACKED}, {STRIA_F32, STRIA_F16}, STRIA_F32},
        {{"to bytes", VECTORS, 0, 1, {1029}, {PACKED, PACKED}, PACKED}, {STRIA_F32, STRIA_F32}, STRIA_F16},
        {{"whole", VECTORS, 0, 1, {530}, {PACKED, PACKED}, PACKED}, {STRIA_U8, STRIA_I64}, STRIA_F32},
        {{"row", VECTORS, 0, 2, {11, 36}, {PACKED, {"", 0, 1, 0, 0}}, PACKED}, {STRIA_F32, STRIA_F16}, STRIA_F32},
        {{"column", VECTORS, 0, 2, {11, 36}, {{"", 0, 2, 0, 0}, PACKED}, PACKED}, {STRIA_BF16, STRIA_F32}, STRIA_F32},
        {{"odd row", APART, 0, 2, {11, 37}, {PACKED, {"", 0, 1, 0, 0}}, PACKED}, {STRIA_F32, STRIA_F16}, STRIA_F32},
        {{"short rows", ROWS, 0, 2, {11, 40}, {PACKED, {"", 0, 1, 0, 0}}, PACKED}, {STRIA_F16, STRIA_F16}, STRIA_F16},
        {{"bytes", ROWS, 0, 2, {11, 48}, {PACKED, {"", 0, 2, 0, 0}}, PACKED}, {STRIA_U8, STRIA_U8}, STRIA_U8},
        {{"bytes, odd", VECTORS, 0, 2, {11, 44}, {PACKED, {"", 0, 2, 0, 0}}, PACKED}, {STRIA_U8, STRIA_U8}, STRIA_U8},
        {{"across", TILES, 1, 2, {40, 45}, {PACKED, ACROSS}, PACKED}, {STRIA_F32, STRIA_F16}, STRIA_F32},
        {{"bytes across", TILES, 1, 2, {40, 45}, {PACKED, ACROSS}, PACKED}, {STRIA_I64, STRIA_U8}, STRIA_F64},
        {{"doubles across", TILES, 2, 2, {40, 45}, {ACROSS, ACROSS}, PACKED}, {STRIA_F64, STRIA_F64}, STRIA_F64},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const stria_dtype in[] = {cases[k].in[0], cases[k].in[1], STRIA_F32};
        check_element(&cases[k].s, STRIA_OP_mul, in, cases[k].to, cases[k].s.form);
        check_element(&cases[k].s, STRIA_OP_maximum, in, cases[k].to, STRIA_CUDA_FORM_COUNT);
    }
}

/* Complex numbers: pairs of parts at once or converted, squares where operands lie across. */
static void check_complex(void)
{
    static const struct {
        stria_op    op;
        stria_dtype in[3], to;
    } calls[] = {{STRIA_OP_neg, {STRIA_C64, STRIA_F32, STRIA_F32}, STRIA_C64},
                 {STRIA_OP_mul, {STRIA_C64, STRIA_C64, STRIA_F32}, STRIA_C64},
                 {STRIA_OP_mul, {STRIA_C128, STRIA_C128, STRIA_F32}, STRIA_C128},
                 {STRIA_OP_add, {STRIA_C64, STRIA_F64, STRIA_F32}, STRIA_C128},
                 {STRIA_OP_add, {STRIA_C128, STRIA_I32, STRIA_F32}, STRIA_C64},
                 {STRIA_OP_eq, {STRIA_C64, STRIA_C64, STRIA_F32}, STRIA_BOOL},
                 {STRIA_OP_abs, {STRIA_C128, STRIA_F32, STRIA_F32}, STRIA_F64},
                 {STRIA_OP_where, {STRIA_BOOL, STRIA_C64, STRIA_C64}, STRIA_C64}};

    for (int k = 0; k < N_SCENES; k++)
        for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
            const bool is_same = scenes[k].out.order != NULL && scenes[k].out.order[0] == '=';
            if ((is_same && calls[c].to != calls[c].in[0]) || !cuda_case_is_drawn()) continue;
            check_element(&scenes[k], calls[c].op, calls[c].in, calls[c].to, STRIA_CUDA_FORM_COUNT);
        }
}

/* ---------------------------------------------------------------- copies */

static void check_copy(const scene *s, stria_dtype from, stria_dtype to, stria_cuda_form wanted)
{
    const twins     x = lie_new(from, s->ndim, s->shape, &s->in[0], 3), y = lie_new(to, s->ndim, s->shape, &s->out, 4);
    stria_cuda_turn turn;
    char            what[160];

    const stria_cuda_form form =
        lie_get_copy_form(y.there, x.there, from == to ? 16 / (int)stria_dtype_get_size(from) : 0, &turn);
    snprintf(what, sizeof what, "copy of %s to %s: %s", stria_dtype_get_name(from), stria_dtype_get_name(to), s->name);
    CHECK(wanted == STRIA_CUDA_FORM_COUNT || form == wanted, "%s: the form is %s", what, form_names[form]);
    CHECK_STATUS(stria_tensor_set(y.here, x.here, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_set(y.there, x.there, NULL), STRIA_OK);
    cuda_case_check_same(what, y.there, y.here);
    twins_release(x);
    twins_release(y);
}

static void check_copies(void)
{
    static const scene cases[] = {
        {"across", TILES, 1, 2, {70, 133}, {ACROSS}, PACKED},
        {"across, to", TILES, 1, 2, {33, 65}, {PACKED}, ACROSS},
        {"across, shifted", TILES, 1, 2, {34, 67}, {{"10", 0, 0, 3, 1}}, {"", 0, 0, 1, 3}},
        {"across, backwards", TILES, 1, 2, {64, 32}, {{"10", 2, 0, 0, 0}}, {"", 1, 0, 0, 0}},
        {"across in batches", TILES, 1, 3, {3, 40, 36}, {{"021", 0, 0, 0, 0}}, PACKED},
        {"last first", TILES, 1, 3, {19, 5, 67}, {{"210", 0, 0, 0, 0}}, PACKED},
        {"channels last", TILES, 1, 4, {2, 17, 5, 8}, {PACKED}, {"0231", 0, 0, 0, 0}},
        {"channels first", TILES, 1, 4, {2, 17, 5, 8}, {{"0231", 0, 0, 0, 0}}, PACKED},
        {"padded rows", STRIA_CUDA_FORM_COUNT, 0, 2, {9, 32}, {{"", 0, 0, 16, 16}}, PACKED},
        {"packed", STRIA_CUDA_FORM_COUNT, 0, 1, {1031}, {PACKED}, PACKED},
        {"one", STRIA_CUDA_FORM_COUNT, 0, 1, {1031}, {{"", 0, 1, 0, 0}}, PACKED},
        {"shifted", STRIA_CUDA_FORM_COUNT, 0, 1, {1031}, {{"", 0, 0, 1, 0}}, PACKED},
        {"columns", STRIA_CUDA_FORM_COUNT, 0, 2, {9, 32}, {{"", 0, 2, 0, 0}}, PACKED},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int d = 0; d < STRIA_DTYPE_COUNT; d++) {
            const int e = (d + (int)k + 1) % STRIA_DTYPE_COUNT;
            if (cuda_case_is_drawn()) check_copy(&cases[k], (stria_dtype)d, (stria_dtype)d, cases[k].form);
            if (cuda_case_is_drawn()) check_copy(&cases[k], (stria_dtype)d, (stria_dtype)e, cases[k].form);
        }
    check_copy(&cases[8], STRIA_F32, STRIA_F32, ROWS);
    check_copy(&cases[8], STRIA_F32, STRIA_U8, VECTORS);
    check_copy(&cases[9], STRIA_F16, STRIA_F64, VECTORS);
    check_copy(&cases[11], STRIA_F16, STRIA_F64, APART);
    check_copy(&cases[12], STRIA_I64, STRIA_F64, VECTORS);
}

SUITE(test_cuda_tiles)
{
    check_isa("test_cuda_tiles");
    if (!cuda_case_begin("test_cuda_tiles")) return 77;
    check_scenes();
    check_mixed();
    check_complex();
    check_copies();
    for (int k = 0; k < STRIA_CUDA_FORM_COUNT; k++) {
        printf("test_cuda_tiles: %d element-wise calls of the form %s\n", n_forms[k], form_names[k]);
        CHECK(n_forms[k] > 0, "no call of the form %s", form_names[k]);
    }
    return check_finish("test_cuda_tiles");
}
