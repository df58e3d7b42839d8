/* mlir_compile.c - graphs as machine code in this process: the plug-in libstria_mlir, what it made, and graphs that run by it. */
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "base/plugin.h"
#include "compile/mlir.h"
#include "compile/mlir_plugin.h"
#include "stria_mlir.h"

#define OP "mlir"
#define LIBRARY "libstria_mlir.so"
#define ENTRY "graph" /* of all texts, so that those of equal graphs are equal */

/* ---------------------------------------------------------------- the plug-in */

static _Atomic(const stria_mlir_plugin *) opened;

static const stria_mlir_plugin *get_plugin(void) { return atomic_load_explicit(&opened, memory_order_acquire); }

const char *stria_mlir_get_compiler(void)
{
    const stria_mlir_plugin *plugin = get_plugin();
    return plugin != NULL ? plugin->compiler : NULL;
}

#define TEXT_OF(x) #x
#define NAME_OF(x) TEXT_OF(x)

static stria_status check_plugin(const stria_mlir_plugin *plugin, const char *path, stria_error *err)
{
    const stria_mlir_plugin *none = NULL;

    if (plugin == NULL)
        return stria_error_set(err, STRIA_ERR_FORMAT, OP, "path", NULL, NULL,
                               "%s has no " NAME_OF(STRIA_MLIR_PLUGIN_TABLE), path);
    if (plugin->version != STRIA_MLIR_PLUGIN_VERSION)
        return stria_error_set(err, STRIA_ERR_FORMAT, OP, "path", NULL, NULL,
                               "%s is a plug-in of version %d, this library takes version %d", path,
                               (int)plugin->version, STRIA_MLIR_PLUGIN_VERSION);
    if (atomic_compare_exchange_strong(&opened, &none, plugin) || none == plugin) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_CONFIG, OP, "path", NULL, NULL, "another plug-in is open, and stays");
}

stria_status stria_mlir_open(const char *path, stria_error *err)
{
    const char *why = "";

    if (path == NULL && get_plugin() != NULL) return STRIA_OK;
    void *library = stria_plugin_open(path, LIBRARY, &why);
    if (library == NULL)
        return stria_error_set(err, STRIA_ERR_UNSUPPORTED, OP, "path", NULL, NULL, "the plug-in does not load: %s",
                               why);
    const stria_status status =
        check_plugin(stria_plugin_get(library, NAME_OF(STRIA_MLIR_PLUGIN_TABLE)), path != NULL ? path : LIBRARY, err);
    if (status != STRIA_OK) stria_plugin_release(library);
    return status;
}

/* ---------------------------------------------------------------- code, and what is kept */

struct stria_mlir_code {
    atomic_int          refcount;
    void               *code; /* the plug-in's */
    stria_mlir_program *program;
    size_t              nbytes; /* of the text */
    uint64_t            used;   /* when it was asked for last, while it is kept */
    char                text[];
};

enum { MOST_KEPT = 64, MOST_KEPT_NBYTES = 16 << 20 };

static struct {
    spin_lock        taken;
    stria_mlir_code *at[MOST_KEPT];
    int              n;
    size_t           nbytes;
    uint64_t         time;
} kept = {.taken = ATOMIC_FLAG_INIT};

stria_mlir_program *stria_mlir_code_get_program(const stria_mlir_code *code) { return code->program; }

void stria_mlir_code_release(stria_mlir_code *c)
{
    if (c == NULL || atomic_fetch_sub_explicit(&c->refcount, 1, memory_order_acq_rel) != 1) return;
    if (c->program != NULL) get_plugin()->release(c->code);
    stria_object_release(c);
}

static stria_mlir_code *use(stria_mlir_code *c)
{
    c->used = ++kept.time;
    atomic_fetch_add_explicit(&c->refcount, 1, memory_order_relaxed);
    return c;
}

static stria_mlir_code *find(const char *text, size_t nbytes)
{
    for (int k = 0; k < kept.n; k++)
        if (kept.at[k]->nbytes == nbytes && memcmp(kept.at[k]->text, text, nbytes) == 0) return use(kept.at[k]);
    return NULL;
}

/* The one that was asked for least recently. */
static stria_mlir_code *take_oldest(void)
{
    int oldest = 0;

    for (int k = 1; k < kept.n; k++)
        if (kept.at[k]->used < kept.at[oldest]->used) oldest = k;
    stria_mlir_code *c = kept.at[oldest];
    kept.at[oldest] = kept.at[--kept.n];
    kept.nbytes -= c->nbytes;
    return c;
}

/* Keeps c; or gives what another thread made of the same text meanwhile, and releases c. */
static stria_mlir_code *keep(stria_mlir_code *c)
{
    stria_mlir_code *ended[MOST_KEPT + 1];
    int              n_ended = 0;

    lock(&kept.taken);
    stria_mlir_code *found = find(c->text, c->nbytes);
    if (found != NULL) {
        ended[n_ended++] = c;
        c = found;
    } else if (c->nbytes <= MOST_KEPT_NBYTES) {
        while (kept.n == MOST_KEPT || kept.nbytes + c->nbytes > MOST_KEPT_NBYTES) ended[n_ended++] = take_oldest();
        kept.at[kept.n++] = use(c);
        kept.nbytes += c->nbytes;
    }
    unlock(&kept.taken);
    for (int k = 0; k < n_ended; k++) stria_mlir_code_release(ended[k]);
    return c;
}

stria_status stria_mlir_code_new(const char *text, stria_mlir_code **out, stria_error *err)
{
    const stria_mlir_plugin *plugin = get_plugin();
    const size_t             nbytes = strlen(text);
    char                     message[200];
    void                    *function = NULL;

    *out = NULL;
    if (plugin == NULL)
        return stria_error_set(err, STRIA_ERR_CONFIG, OP, NULL, NULL, NULL, "no plug-in is open: stria_mlir_open");
    lock(&kept.taken);
    *out = find(text, nbytes);
    unlock(&kept.taken);
    if (*out != NULL) return STRIA_OK;
    stria_mlir_code *c = stria_object_new(sizeof *c + nbytes + 1);
    if (c == NULL) return stria_graph_refuse_memory(err);
    atomic_init(&c->refcount, 1);
    c->nbytes = nbytes;
    memcpy(c->text, text, nbytes);
    if (!plugin->compile(c->text, nbytes, ENTRY "_run", &c->code, &function, message, sizeof message)) {
        stria_mlir_code_release(c);
        return stria_error_set(err, STRIA_ERR_UNSUPPORTED, OP, NULL, NULL, NULL, "%s: %s", plugin->compiler, message);
    }
    *(void **)(void *)&c->program = function;
    *out = keep(c);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- graphs that run by it */

typedef struct compiled {
    stria_graph_code   base; /* the first */
    stria_mlir_code   *code;
    stria_mlir_layout *layout;
} compiled;

static stria_status run(const stria_graph_frame *frame, void *code, stria_error *err)
{
    const compiled *c = code;
    return stria_mlir_layout_run(c->layout, c->code->program, frame, err);
}

static void release(stria_graph_code *code)
{
    compiled *c = (compiled *)(void *)code;

    stria_mlir_code_release(c->code);
    stria_object_release(c->layout);
    stria_object_release(c);
}

static stria_status compile(const stria_graph *graph, stria_graph_code **out, stria_error *err)
{
    char     *text = NULL;
    compiled *c = stria_object_new(sizeof *c);

    if (c == NULL) return stria_graph_refuse_memory(err);
    c->base = (stria_graph_code){run, release};
    stria_status status = stria_graph_get_mlir(graph, ENTRY, &text, err);
    if (status == STRIA_OK) status = stria_mlir_code_new(text, &c->code, err);
    stria_mlir_release(text);
    if (status == STRIA_OK && (c->layout = stria_mlir_layout_new(&graph->planned)) == NULL)
        status = stria_graph_refuse_memory(err);
    if (status == STRIA_OK)
        *out = &c->base;
    else
        release(&c->base);
    return status;
}

stria_status stria_graph_compile(stria_graph *graph, stria_error *err)
{
    stria_graph_code *code = NULL, *none = NULL;

    if (graph == NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, OP, "graph", "a graph", "NULL", "the graph is NULL");
    if (graph->device.type != STRIA_DEVICE_CPU) return stria_graph_refuse_code(graph, OP, err);
    if (get_plugin() == NULL)
        return stria_error_set(err, STRIA_ERR_CONFIG, OP, NULL, NULL, NULL, "no plug-in is open: stria_mlir_open");
    if (atomic_load_explicit(&graph->code, memory_order_acquire) != NULL) return STRIA_OK;
    STRIA_TRY(compile(graph, &code, err));
    if (!atomic_compare_exchange_strong(&graph->code, &none, code)) release(code); /* another thread has, meanwhile */
    return STRIA_OK;
}
