/* load_steps.c - the steps of a saved graph: each is called while this thread records, so that the door says of rows, dtypes, shapes and attributes
 * what it says of any call, and the graph is the recorder's.
 */
#include <string.h>

#include "compile/load.h"

/* A step as it is read. */
typedef struct step {
    stria_row           row;
    const stria_schema *schema;
    int                 n_in, n_list, n_out, is_new;
    stria_expression   *expression; /* owned, or NULL */
    const void         *attrs;
} step;

static stria_status read_row(stria_loading *l, step *s)
{
    static const int firsts[] = {STRIA_ROW_OF_OP(0), STRIA_ROW_OF_REDUCTION(0), STRIA_ROW_OF_FUNCTION(0),
                                 STRIA_ROW_EXPRESSION, STRIA_ROW_EXPRESSION + 1};
    char             kind[16];
    bool             is_first = true;

    TAKE(stria_json_take(&l->json, '['));
    STRIA_TRY(stria_load_take_next(l, &is_first));
    STRIA_TRY(stria_load_take_text(l, kind, sizeof kind));
    const int number = stria_words_find(STRIA_GRAPH_ROWS, kind);
    if (number < 0) return stria_load_refuse(l, "no kind of row");
    STRIA_TRY(stria_load_take_next(l, &is_first));
    STRIA_TRY(stria_load_take_row(l, firsts[number], firsts[number + 1] - firsts[number], &s->row));
    s->schema = stria_graph_get_schema(s->row);
    return stria_load_take_end(l, ']', &is_first);
}

static stria_status check_counts(const stria_loading *l, const step *s)
{
    const int is_function = s->row >= STRIA_ROW_OF_FUNCTION(0) && s->row < STRIA_ROW_EXPRESSION;
    const int n_single = is_function ? stria_schema_count_single(s->schema) : s->schema != NULL ? 1 : s->n_in;
    const int n_lists = is_function ? s->schema->n_tensors - n_single : 0;

    if (is_function && stria_schema_makes_list(s->schema)) return stria_load_refuse(l, "a row that makes a list");
    if (s->n_in != n_single || s->n_out != (is_function ? s->schema->n_outputs : 1) ||
        (n_lists == 0 ? s->n_list > 0 : s->n_list % n_lists != 0))
        return stria_load_refuse(l, "not as many tensors as the row has");
    return STRIA_OK;
}

static stria_status read_attrs(stria_loading *l, step *s)
{
    stria_load_attributes *a = l->attrs;

    a->n_lists = 0;
    memset(&a->any, 0, sizeof a->any);
    memset(&a->reduce, 0, sizeof a->reduce);
    TAKE(stria_json_take(&l->json, '{'));
    if (s->row == STRIA_ROW_EXPRESSION) {
        STRIA_TRY(stria_load_take_expression(l, s->n_in, &s->expression));
        a->expression.program = s->expression;
        s->attrs = &a->expression;
        return STRIA_OK;
    }
    if (s->schema == NULL) {
        bool is_first = true;
        return stria_load_take_end(l, '}', &is_first);
    }
    s->attrs = s->schema == &stria_graph_reduction ? (void *)&a->reduce : (void *)&a->any;
    return stria_load_take_attributes(l, s->schema, (char *)(uintptr_t)s->attrs);
}

/* What was made for view `view`, or given for it, must be that; else why it is not. */
static const char *take_output(stria_loading *l, int view, stria_tensor *y)
{
    const stria_graph_view *v = &l->views.at[view];
    stria_load_source      *s = &l->sources.at[v->buffer];
    bool                    same = y->dtype == v->dtype && stria_tensor_has_shape(y, v->ndim, v->sizes) &&
                (y->numel == 0 || y->data - y->storage->data == v->offset);

    for (int d = 0; same && d < v->ndim; d++)
        same = v->sizes[d] <= 1 || y->numel == 0 || y->strides[d] == v->sizes[v->ndim + d];
    if (!same) return "the result has another dtype, shape or place than its view";
    if (s->kind == STRIA_BUFFER_HELD && !stria_recording_has_step(l->recording)) return NULL; /* a view of it */
    if (s->base != NULL) return s->base->storage == y->storage ? NULL : "a buffer is made twice";
    if (s->kind != STRIA_BUFFER_MADE) return "a result that is no buffer of steps";
    s->base = stria_tensor_retain(y);
    return NULL;
}

/* Says at which step something was refused. */
static stria_status refuse_step(stria_loading *l, const step *s, int number, const char *why)
{
    return stria_error_set(l->err, STRIA_ERR_FORMAT, OP, "bytes", "a saved graph", NULL, "step %d, %s: %s", number,
                           stria_row_get_name(s->row), why);
}

static stria_status call_step(stria_loading *l, const step *s, int number)
{
    const int      n_read = s->n_in + s->n_list, n = n_read + s->n_out;
    stria_tensor **tensors, *outs[STRIA_MAX_OUTPUTS] = {NULL};
    stria_status   status = STRIA_OK;
    stria_error    why;

    while (l->tensors.n < n) {
        GROW(l->tensors);
        l->tensors.at[l->tensors.n++] = NULL;
    }
    tensors = l->tensors.at;
    for (int k = 0; k < n && status == STRIA_OK; k++) {
        const int      view = l->places.at[k];
        stria_tensor **to = k < n_read ? &tensors[k] : &outs[k - n_read];
        if (view < 0 || (k >= n_read && s->is_new)) continue;
        for (int i = 0; i < k && i < s->n_in && *to == NULL;
             i++) /* one tensor twice is one, such as an output in place */
            if (l->places.at[i] == view) *to = stria_tensor_retain(tensors[i]);
        if (*to == NULL) status = stria_load_find_tensor(l, view, to);
    }
    const stria_call call = {.row = s->row,
                             .n_in = s->n_in,
                             .in = (const stria_tensor *const *)tensors,
                             .list = (const stria_tensor *const *)(tensors + s->n_in),
                             .n_list = s->n_list,
                             .attrs = s->attrs,
                             .out = outs};
    if (status == STRIA_OK) {
        status = stria_call_run(&call, &why);
        if (status != STRIA_OK)
            status =
                status == STRIA_ERR_MEMORY ? stria_graph_refuse_memory(l->err) : refuse_step(l, s, number, why.message);
        for (int k = 0; k < s->n_out && status == STRIA_OK; k++) { /* given ones must not have been resized */
            const char *wrong = take_output(l, l->places.at[n_read + k], outs[k]);
            if (wrong != NULL) status = refuse_step(l, s, number, wrong);
        }
    }
    for (int k = 0; k < s->n_out; k++) stria_tensor_release(outs[k]);
    for (int k = 0; k < n_read; k++) stria_tensor_release(tensors[k]), tensors[k] = NULL;
    return status;
}

/* Attributes of the last step that each run may be given. */
static stria_status read_numbers(stria_loading *l)
{
    char name[64];
    bool is_first = true, is_name;
    int  index, change;

    TAKE(stria_json_take(&l->json, '['));
    while (stria_json_next(&l->json, ']', &is_first)) {
        is_name = true;
        TAKE(stria_json_take(&l->json, '['));
        STRIA_TRY(stria_load_take_next(l, &is_name));
        STRIA_TRY(stria_load_take_text(l, name, sizeof name));
        STRIA_TRY(stria_load_take_next(l, &is_name));
        STRIA_TRY(stria_load_take_index(l, -1, INT32_MAX, &change));
        STRIA_TRY(stria_load_take_end(l, ']', &is_name));
        if (stria_recording_add_number(l->recording, name, &index, NULL) != STRIA_OK)
            return stria_load_refuse(l, "no number of the row");
        stria_recording_set_change(l->recording, index, change);
    }
    return l->json.wrong ? stria_load_refuse_json(l) : STRIA_OK;
}

static stria_status read_step(stria_loading *l, step *s, int number)
{
    bool is_first = true;

    l->places.n = 0;
    TAKE(stria_json_take(&l->json, '{'));
    STRIA_TRY(stria_load_take_member(l, "row", &is_first));
    STRIA_TRY(read_row(l, s));
    STRIA_TRY(stria_load_take_member(l, "in", &is_first));
    STRIA_TRY(stria_load_take_views(l, &l->places, -1, &s->n_in));
    STRIA_TRY(stria_load_take_member(l, "list", &is_first));
    STRIA_TRY(stria_load_take_views(l, &l->places, -1, &s->n_list));
    STRIA_TRY(stria_load_take_member(l, "out", &is_first));
    STRIA_TRY(stria_load_take_views(l, &l->places, 0, &s->n_out));
    STRIA_TRY(stria_load_take_member(l, "new", &is_first));
    STRIA_TRY(stria_load_take_index(l, 0, 1, &s->is_new));
    STRIA_TRY(stria_load_take_member(l, "attrs", &is_first));
    STRIA_TRY(check_counts(l, s));
    STRIA_TRY(read_attrs(l, s));
    STRIA_TRY(call_step(l, s, number));
    STRIA_TRY(stria_load_take_member(l, "numbers", &is_first));
    STRIA_TRY(read_numbers(l));
    return stria_load_take_end(l, '}', &is_first);
}

stria_status stria_load_read_steps(stria_loading *l)
{
    bool is_first = true;

    TAKE(stria_json_take(&l->json, '['));
    for (int k = 0; stria_json_next(&l->json, ']', &is_first); k++) {
        step               s = {.row = 0};
        const stria_status status = read_step(l, &s, k);
        stria_expression_release(s.expression);
        STRIA_TRY(status);
    }
    return l->json.wrong ? stria_load_refuse_json(l) : STRIA_OK;
}
