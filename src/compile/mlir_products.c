/* mlir_products.c - products of matrices as MLIR: linalg over memrefs of their own shapes. */
#include <inttypes.h>

#include "compile/mlir.h"

static bool is_empty(const stria_graph_view *v)
{
    for (int d = 0; d < v->ndim; d++)
        if (v->sizes[d] == 0) return true;
    return false;
}

/* A memref of all dims of a view, declared here; false: linalg does not take it. */
static bool has_layout(const stria_mlir *m, int view, int ndim, stria_dtype dtype)
{
    const stria_graph_view *v = stria_mlir_get_view(m, view);
    int64_t                 offset;

    if (v->ndim != ndim || v->dtype != dtype || !stria_mlir_get_offset(m, v, &offset)) return false;
    for (int d = 0; d < ndim; d++)
        if (v->sizes[d] > 1 && v->sizes[ndim + d] <= 0) return false;
    return true;
}

static void put_list(stria_mlir *m, const int64_t *sizes, int n, const char *comma)
{
    for (int d = 0; d < n; d++) stria_mlir_put(&m->text, "%s%" PRId64, d > 0 ? comma : "", sizes[d]);
}

/* Writes the type of it, too, where name is NULL. */
static void put_matrix(stria_mlir *m, int view, const stria_mlir_name *name)
{
    const stria_graph_view *v = stria_mlir_get_view(m, view);
    stria_mlir_text        *t = &m->text;
    int64_t                 offset = 0, strides[3], expected = 1;
    bool                    is_plain;

    stria_mlir_get_offset(m, v, &offset);
    is_plain = offset == 0;
    for (int d = v->ndim - 1; d >= 0; d--) {
        strides[d] = v->sizes[d] == 1 ? expected : v->sizes[v->ndim + d];
        is_plain &= strides[d] == expected;
        expected *= v->sizes[d];
    }
    if (name != NULL) {
        stria_mlir_put(t, "    %s = memref.reinterpret_cast %s to offset: [%" PRId64 "], sizes: [", name->at,
                       stria_mlir_get_memref(m, v->buffer, v->dtype).at, offset);
        put_list(m, v->sizes, v->ndim, ", ");
        stria_mlir_put(t, "], strides: [");
        put_list(m, strides, v->ndim, ", ");
        stria_mlir_put(t, "] : %s to ", stria_mlir_get_memref_type(m, v->buffer, v->dtype).at);
    }
    stria_mlir_put(t, "memref<");
    put_list(m, v->sizes, v->ndim, "x");
    stria_mlir_put(t, "x%s", stria_mlir_get_type(v->dtype));
    if (!is_plain) {
        stria_mlir_put(t, ", strided<[");
        put_list(m, strides, v->ndim, ", ");
        stria_mlir_put(t, "], offset: %" PRId64 ">", offset);
    }
    stria_mlir_put(t, ">%s", name != NULL ? "\n" : "");
}

/* A mark for products of whole tiles (src/mlir/products.mlir). */
static const char *get_tile(const stria_mlir *m, const stria_graph_step *step)
{
    const stria_graph_view *y = stria_mlir_get_view(m, step->views[2]);
    const int64_t k = stria_mlir_get_view(m, step->views[0])->sizes[1], width = y->dtype == STRIA_F32 ? 32 : 16;

    if (y->ndim != 2 || y->sizes[0] % 8 != 0 || y->sizes[1] % width != 0 || (k > 256 && k % 256 != 0)) return "";
    return width == 32 ? " {tile_32}" : " {tile_16}";
}

void stria_mlir_put_product(stria_mlir *m, const stria_graph_step *step)
{
    const stria_graph_view *y = stria_mlir_get_view(m, step->views[2]);
    stria_mlir_text        *t = &m->text;
    stria_mlir_name         names[3];
    const char             *type = stria_mlir_get_type(y->dtype);

    if (is_empty(y)) return;
    for (int k = 0; k < 3; k++) {
        names[k] = stria_mlir_get_name("%%v%d", m->n_values++);
        put_matrix(m, step->views[k], &names[k]);
    }
    const stria_mlir_name zero = stria_mlir_get_name("%%v%d", m->n_values++);
    stria_mlir_put(t, "    %s = arith.constant 0.0 : %s\n    linalg.fill ins(%s : %s) outs(%s : ", zero.at, type,
                   zero.at, type, names[2].at);
    put_matrix(m, step->views[2], NULL);
    stria_mlir_put(t, ")\n");
    if (is_empty(stria_mlir_get_view(m, step->views[0]))) return;
    stria_mlir_put(t, "    linalg.%s%s ins(%s, %s : ", y->ndim == 3 ? "batch_matmul" : "matmul", get_tile(m, step),
                   names[0].at, names[1].at);
    put_matrix(m, step->views[0], NULL);
    stria_mlir_put(t, ", ");
    put_matrix(m, step->views[1], NULL);
    stria_mlir_put(t, ") outs(%s : ", names[2].at);
    put_matrix(m, step->views[2], NULL);
    stria_mlir_put(t, ")\n");
}

bool stria_mlir_is_product(const stria_mlir *m, const stria_graph_step *step)
{
    const stria_graph_view *y = stria_mlir_get_view(m, step->views[2]);

    if ((y->dtype != STRIA_F32 && y->dtype != STRIA_F64) || y->ndim < 2 || y->ndim > 3) return false;
    for (int k = 0; k < 3; k++) {
        if (!has_layout(m, step->views[k], y->ndim, y->dtype)) return false;
        if (k < 2 && stria_mlir_get_view(m, step->views[k])->buffer == y->buffer) return false;
        if (y->ndim == 3 && stria_mlir_get_view(m, step->views[k])->sizes[0] != y->sizes[0]) return false;
    }
    return true;
}
