/* compiled.c - a graph as machine code, by the plug-in that is installed beside the library. Prints what it compiled with. */
#include <stdio.h>
#include <stria_mlir.h>

int main(void)
{
    const int64_t    n = 1000;
    stria_tensor    *x, *s, *t, *y;
    stria_recording *r;
    stria_graph     *graph;
    stria_error      err;
    int              wrong = 0;

    if (stria_full(&n, 1, (stria_scalar){STRIA_SCALAR_FLOAT, .re = 1.5}, STRIA_F32, STRIA_CPU, &x, &err) != STRIA_OK ||
        stria_recording_begin(&r, &err) != STRIA_OK || stria_recording_add_input(r, x, &s, &err) != STRIA_OK ||
        stria_mul(s, s, &t, &err) != STRIA_OK || stria_recording_end(r, &t, 1, &graph, &err) != STRIA_OK ||
        stria_mlir_open(NULL, &err) != STRIA_OK || stria_graph_compile(graph, &err) != STRIA_OK ||
        stria_graph_run(graph, &x, 1, &y, &err) != STRIA_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    for (int k = 0; k < n; k++) wrong += ((const float *)stria_tensor_get_const_data(y))[k] != 2.25f;
    printf("%s\n", stria_mlir_get_compiler());
    stria_graph_release(graph);
    stria_tensor_release(x), stria_tensor_release(s), stria_tensor_release(t), stria_tensor_release(y);
    return wrong > 0;
}
