/* test_graph_live.c - what an explanation says of memory, against what is found anew from the calls and groups that it lists: which tensors are there
 * while each group is made is looked up for each group by itself. */
#include <stdlib.h>
#include <string.h>

#include "compile/graph.h"
#undef GRAD /* of rules */
#include "graph_case.h"
#include "json.h"
#include "random_program.h"
#include "suite.h"

enum { MOST_LISTED = 8 };

static int           n_with_blocks, n_with_made; /* graphs that were compared */
static stria_tensor *weight;                     /* [300, 300] */

/* ---------------------------------------------------------------- an explanation */

typedef struct explained {
    stria_graph *graph;
    json        *text;
    const json  *groups, *blocks;
    int          n_groups, n_buffers;
} explained;

static const json *get_step(const json *steps, int i) { return json_at(steps, i); }

/* The view of a buffer in what a step reads or writes; NULL: it mentions it nowhere. */
static const json *find_mention(const json *step, int buffer)
{
    static const char *const lists[] = {"reads", "writes"};

    for (int k = 0; k < 2; k++)
        for (const json *view = json_get(step, lists[k])->first; view != NULL; view = view->next)
            if (json_get_int(view, "buffer", -1) == buffer) return view;
    return NULL;
}

static bool is_written(const json *step, int buffer)
{
    for (const json *view = json_get(step, "writes")->first; view != NULL; view = view->next)
        if (json_get_int(view, "buffer", -1) == buffer) return true;
    return false;
}

/* What steps make of a buffer: nothing, a tensor in between, one that leaves the graph. */
typedef enum made { NOT_MADE, IN_BETWEEN, LEAVES } made;

static made get_made(const json *steps, int buffer)
{
    for (const json *step = steps->first; step != NULL; step = step->next) {
        const json *view = find_mention(step, buffer);
        if (view == NULL) continue;
        if (strcmp(json_get_string(view, "of", ""), "made") != 0) return NOT_MADE;
        if (json_get_bool(view, "result", false) || json_get_bool(view, "gradient", false)) return LEAVES;
    }
    return IN_BETWEEN;
}

static bool is_made_once(const json *steps, int buffer)
{
    for (const json *step = steps->first; step != NULL; step = step->next)
        if (json_get_bool(step, "once", false) && is_written(step, buffer)) return true;
    return false;
}

/* The groups that run together with group i, in blocks; and before the first of them the product that is joined to it. */
static void get_together(const explained *e, int i, int *first, int *last)
{
    *first = *last = i;
    for (const json *b = e->blocks->first; b != NULL; b = b->next) {
        const int from = (int)json_get_int(b, "from", 0), n = (int)json_get_int(b, "steps", 0);
        if (i >= from && i < from + n) *first = from, *last = from + n - 1;
    }
    if (*first > 0 && json_get_bool(get_step(e->groups, *first - 1), "joined", false)) --*first;
}

static bool is_mentioned(const json *steps, int first, int last, int buffer)
{
    for (int i = first; i <= last; i++)
        if (find_mention(get_step(steps, i), buffer) != NULL) return true;
    return false;
}

/* Whether the buffer, which steps make, is nowhere as a whole: all groups that look at it run in the same blocks. */
static bool is_in_pieces(const explained *e, int buffer)
{
    for (const json *b = e->blocks->first; b != NULL; b = b->next) {
        const int from = (int)json_get_int(b, "from", 0), end = from + (int)json_get_int(b, "steps", 0);
        if (is_mentioned(e->groups, from, end - 1, buffer))
            return !is_mentioned(e->groups, 0, from - 1, buffer) &&
                   !is_mentioned(e->groups, end, e->n_groups - 1, buffer);
    }
    return false;
}

/* Bytes of the buffer that are there while group i is made. */
static int64_t get_live_bytes(const explained *e, int buffer, int i)
{
    const made how = get_made(e->groups, buffer);
    int        first, last;

    if (how == NOT_MADE || !is_mentioned(e->groups, 0, e->n_groups - 1, buffer)) return 0;
    const bool stays = is_made_once(e->groups, buffer);
    get_together(e, i, &first, &last);
    if (how == IN_BETWEEN && !stays && is_in_pieces(e, buffer)) return 0;
    const bool has_begun = stays || is_mentioned(e->groups, 0, last, buffer);
    const bool goes_on = stays || how == LEAVES || is_mentioned(e->groups, first, e->n_groups - 1, buffer);
    return has_begun && goes_on ? e->graph->planned.buffers.at[buffer].nbytes : 0;
}

/* ---------------------------------------------------------------- comparisons */

static void check_listed(const explained *e, int group, uint64_t seed)
{
    const json *listed = json_get(json_get(e->text, "live"), "buffers");
    bool       *is_taken = calloc((size_t)e->n_buffers + 1, 1);
    int         n = 0;

    for (; n < MOST_LISTED; n++) {
        int     found = -1;
        int64_t most = 0;
        for (int k = 0; k < e->n_buffers; k++)
            if (!is_taken[k] && get_live_bytes(e, k, group) > most) found = k, most = get_live_bytes(e, k, group);
        if (found < 0) break;
        is_taken[found] = true;
        const json *got = json_at(listed, n);
        CHECK(json_get_int(got, "buffer", -1) == found && json_get_int(got, "bytes", -1) == most,
              "seed %llu: tensor %d of those that are there is %lld, expected %d with %lld bytes",
              (unsigned long long)seed, n, (long long)json_get_int(got, "buffer", -1), found, (long long)most);
    }
    CHECK(listed->count == n, "seed %llu: %d tensors are listed, expected %d", (unsigned long long)seed, listed->count,
          n);
    free(is_taken);
}

static void check_live(const explained *e, uint64_t seed)
{
    const json *live = json_get(e->text, "live");
    int64_t     most = 0, arena = 0, results = 0;
    int         group = 0;

    for (int i = 0; i < e->n_groups; i++) {
        int64_t now = 0, between = 0;
        for (int k = 0; k < e->n_buffers; k++) {
            const int64_t nbytes = get_live_bytes(e, k, i);
            now += nbytes;
            if (get_made(e->groups, k) == IN_BETWEEN && i + 1 < e->n_groups && get_live_bytes(e, k, i + 1) > 0)
                between += nbytes;
        }
        if (now > most) most = now, group = i;
        if (between > arena) arena = between;
    }
    for (int k = 0; k < e->n_buffers; k++)
        if (is_mentioned(e->groups, 0, e->n_groups - 1, k) && get_made(e->groups, k) == LEAVES)
            results += e->graph->planned.buffers.at[k].nbytes;
    CHECK(json_get_int(live, "bytes", -1) == most && json_get_int(live, "group", -1) == group,
          "seed %llu: most are %lld bytes while group %lld is made, expected %lld and %d", (unsigned long long)seed,
          (long long)json_get_int(live, "bytes", -1), (long long)json_get_int(live, "group", -1), (long long)most,
          group);
    check_listed(e, group, seed);
    const int64_t taken = json_get_int(e->text, "arenaBytes", -1), peak = json_get_int(e->text, "peakBytes", -1);
    const int64_t piece = json_get_int(e->text, "blockBytes", -1);
    CHECK(taken >= arena, "seed %llu: %lld bytes of an arena hold %lld", (unsigned long long)seed, (long long)taken,
          (long long)arena);
    CHECK(peak == taken + (e->blocks->count > 0 ? piece : 0) + results,
          "seed %llu: the peak is %lld: %lld, %lld for a thread, %lld of results", (unsigned long long)seed,
          (long long)peak, (long long)taken, (long long)piece, (long long)results);
}

/* Of the calls as they were recorded: each tensor from the first one that mentions it to the last one, or to the end. */
static void check_recorded(const explained *e, uint64_t seed)
{
    const json *nodes = json_get(e->text, "nodes");
    const int   n_buffers = e->graph->recorded.buffers.n;
    int64_t     most = 0, all = 0;

    for (int i = 0; i < nodes->count; i++) {
        int64_t now = 0;
        for (int k = 0; k < n_buffers; k++) {
            const made how = get_made(nodes, k);
            if (how != NOT_MADE && is_mentioned(nodes, 0, i, k) &&
                (how == LEAVES || is_mentioned(nodes, i, nodes->count - 1, k)))
                now += e->graph->recorded.buffers.at[k].nbytes;
        }
        if (now > most) most = now;
    }
    for (int k = 0; k < n_buffers; k++)
        if (e->graph->recorded.buffers.at[k].kind == STRIA_BUFFER_MADE) all += e->graph->recorded.buffers.at[k].nbytes;
    CHECK(json_get_int(e->text, "peakBytesRecorded", -1) == most,
          "seed %llu: the peak of the calls is %lld, expected %lld", (unsigned long long)seed,
          (long long)json_get_int(e->text, "peakBytesRecorded", -1), (long long)most);
    CHECK(json_get_int(e->text, "recordedBytes", -1) == all, "seed %llu: bytes of the calls", (unsigned long long)seed);
    n_with_made += most > 0;
}

static void check_graph(stria_graph *g, uint64_t seed)
{
    explained e = {.graph = g, .n_groups = g->planned.steps.n, .n_buffers = g->planned.buffers.n};
    void     *bytes;
    size_t    nbytes;

    OK(stria_graph_explain(g, &bytes, &nbytes, NULL));
    e.text = json_parse(bytes, nbytes);
    stria_bytes_release(bytes);
    e.groups = json_get(e.text, "groups"), e.blocks = json_get(e.text, "blocks");
    CHECK(e.text != NULL && e.groups->count == e.n_groups, "seed %llu: the text", (unsigned long long)seed);
    if (e.text != NULL) {
        check_live(&e, seed);
        check_recorded(&e, seed);
        n_with_blocks += e.blocks->count > 0;
    }
    json_free(e.text);
}

/* ---------------------------------------------------------------- graphs */

static void check_random(uint64_t seed)
{
    random_program   p = {.numbers = {seed}, .has_products = true};
    stria_tensor    *in[3];
    stria_recording *r;
    stria_graph     *g = NULL;

    const int n = 1 + random_program_pick(&p, 3);
    for (int k = 0; k < n; k++) in[k] = random_program_new_input(&p);
    OK(stria_recording_begin(&r, NULL));
    for (int k = 0; k < n; k++) OK(stria_recording_add_input(r, in[k], &p.at[p.n++], NULL));
    random_program_run(&p, 24);
    const int n_results = p.n < 3 ? p.n : 3;
    OK(stria_recording_end(r, p.at + p.n - n_results, n_results, &g, NULL));
    check_graph(g, seed);
    release_all(n, in);
    random_program_end(&p);
    stria_graph_release(g);
}

typedef struct values {
    stria_tensor *at[40];
    int           n;
} values;
#define TO &v->at[v->n], NULL

/* The last one, which has been made. */
static stria_tensor *keep(values *v, stria_status status)
{
    OK(status);
    return v->at[v->n++];
}

static const int last = -1, first = 0;

/* Softmax written out, twice, of which one sum is left over for later; in blocks. */
static stria_tensor *make_rows(values *v, stria_tensor *x)
{
    stria_tensor *y = x, *kept = NULL;

    for (int k = 0; k < 2; k++) {
        stria_tensor *m = keep(v, stria_amax(y, &last, 1, true, TO));
        stria_tensor *d = keep(v, stria_sub(y, m, TO));
        stria_tensor *e = keep(v, stria_exp(d, TO));
        stria_tensor *s = keep(v, stria_sum(e, &last, 1, true, TO));
        y = keep(v, stria_div(e, s, TO));
        if (k == 0) kept = s;
    }
    y = keep(v, stria_cumsum(y, 0, STRIA_DTYPE_NONE, TO)); /* which does not run in blocks */
    return keep(v, stria_mul(y, kept, TO));
}

/* Expressions that reductions ask for their elements: a sum of all, and one over the first axis, whose expression goes on. */
static stria_tensor *make_folds(values *v, stria_tensor *x)
{
    stria_tensor *t = keep(v, stria_tanh(x, TO));
    stria_tensor *d = keep(v, stria_sub(x, t, TO));
    stria_tensor *q = keep(v, stria_mul(d, d, TO));
    stria_tensor *all = keep(v, stria_sum(q, NULL, 0, false, TO));
    stria_tensor *e = keep(v, stria_exp(d, TO));
    stria_tensor *columns = keep(v, stria_sum(e, &first, 1, false, TO));

    return keep(v, stria_add(columns, all, TO));
}

/* Products with what comes after them, one of which is the gradient of a parameter that is updated; and something that is made once. */
static stria_tensor *make_products(values *v, stria_tensor *x)
{
    const int64_t n = 300;
    stria_tensor *ones =
        keep(v, stria_full(&n, 1, (stria_scalar){STRIA_SCALAR_FLOAT, .re = 1}, STRIA_F32, STRIA_CPU, TO));
    stria_tensor *bias = keep(v, stria_cumsum(ones, 0, STRIA_DTYPE_NONE, TO));
    stria_tensor *a = keep(v, stria_matmul(x, weight, TO));
    stria_tensor *b = keep(v, stria_add(a, bias, TO));
    stria_tensor *h = keep(v, stria_relu(b, TO));
    stria_tensor *turned = keep(v, stria_transpose(x, 0, 1, TO));
    stria_tensor *gradient = keep(v, stria_matmul(turned, h, TO));

    OK(stria_sgd(&weight, 1, (const stria_tensor *[]){gradient}, 1, NULL, 0, .1, 0, 0, 0, false, false, false, NULL));
    stria_tensor *z = keep(v, stria_matmul(h, weight, TO));
    return keep(v, stria_tanh(z, TO));
}

static void check_made(stria_tensor *(*make)(values *, stria_tensor *), uint64_t seed)
{
    stria_tensor *x, *s, *y;
    values        v = {.n = 0};
    stria_graph  *g = NULL;

    OK(stria_rand(SHAPE(400, 300), 2, STRIA_F32, STRIA_CPU, NULL, &x, NULL));
    stria_recording *r = record_inputs(&x, 1, &s);
    y = make(&v, s);
    OK(stria_recording_end(r, &y, 1, &g, NULL));
    const int before = n_with_blocks;
    check_graph(g, seed);
    CHECK(n_with_blocks == before + 1, "graph %llu has no blocks", (unsigned long long)seed);
    release_all(v.n, v.at);
    RELEASE(x, s);
    stria_graph_release(g);
}

SUITE(test_graph_live)
{
    const int threads = stria_threads_get();

    check_isa("test_graph_live");
    OK(stria_threads_set(1, NULL));
    for (uint64_t seed = 1; seed <= 400; seed++) check_random(seed);
    CHECK(n_with_made > 300, "%d graphs make anything", n_with_made);
    OK(stria_zeros(SHAPE(300, 300), 2, STRIA_F32, STRIA_CPU, &weight, NULL));
    check_made(make_rows, 1001), check_made(make_folds, 1002), check_made(make_products, 1003);
    stria_tensor_release(weight);
    OK(stria_threads_set(threads, NULL));
    return check_finish("test_graph_live");
}
