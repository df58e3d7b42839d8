/* program.c - a layer of a network is recorded once, saved, and runs wherever its file is loaded.
 *
 *     program save FILE    records softmax(x w + b) with its weights, and writes the file
 *     program run FILE     reads it, and runs it on a batch
 *     program train FILE   reads a training step of the batch, as compile(..).save() in JavaScript writes them, and makes ten of them
 *     program              both, without a file; returns 1 if the results differ
 *
 * Such files are written by compile(..).save() in JavaScript, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stria.h"
#include "stria_graph.h"

#define MOST_BYTES (1 << 20)

/* The bytes of a file. */
typedef struct file {
    void  *bytes;
    size_t nbytes;
} file;

static int complain(const stria_error *err)
{
    fprintf(stderr, "%s\n", err->message);
    return 1;
}

/* rows x columns numbers between -1 and 1. */
static stria_status new_numbers(int64_t rows, int64_t columns, stria_tensor **out, stria_error *err)
{
    const int64_t shape[] = {rows, columns};
    stria_status  status = stria_tensor_new(STRIA_F32, 2, shape, out, err);

    for (int64_t i = 0; status == STRIA_OK && i < rows * columns; i++)
        ((float *)stria_tensor_get_data(*out))[i] = (float)(i * 37 % 64) / 32 - 1;
    return status;
}

/* y = softmax(x w + b): calls like any others. */
static stria_status layer(const stria_tensor *x, const stria_tensor *w, const stria_tensor *b, stria_tensor **y,
                          stria_error *err)
{
    stria_tensor *h = NULL, *z = NULL;
    stria_status  status = stria_matmul(x, w, &h, err);

    *y = NULL;
    if (status == STRIA_OK) status = stria_add(h, b, &z, err);
    if (status == STRIA_OK) status = stria_softmax(z, 1, STRIA_DTYPE_NONE, y, err);
    stria_tensor_release(h);
    stria_tensor_release(z);
    return status;
}

/* The graph of the layer for a batch like x. */
static stria_status record(const stria_tensor *x, const stria_tensor *w, const stria_tensor *b, stria_graph **graph,
                           stria_error *err)
{
    stria_recording *recording;
    stria_tensor    *symbol = NULL, *y = NULL;
    stria_status     status = stria_recording_begin(&recording, err);

    if (status != STRIA_OK) return status;
    status = stria_recording_add_input(recording, x, &symbol, err);
    if (status == STRIA_OK) status = layer(symbol, w, b, &y, err);
    if (status == STRIA_OK)
        status = stria_recording_end(recording, &y, 1, graph, err);
    else
        stria_recording_cancel(recording);
    stria_tensor_release(symbol);
    stria_tensor_release(y);
    return status;
}

/* The layer's file, and what it gives for x. */
static stria_status make(const stria_tensor *x, file *made, stria_tensor **y, stria_error *err)
{
    stria_tensor *w = NULL, *b = NULL;
    stria_graph  *graph = NULL;
    stria_status  status = new_numbers(8, 4, &w, err);

    if (status == STRIA_OK) status = new_numbers(1, 4, &b, err);
    if (status == STRIA_OK) status = record(x, w, b, &graph, err);
    if (status == STRIA_OK) status = stria_graph_save(graph, NULL, 0, &made->bytes, &made->nbytes, err);
    if (status == STRIA_OK) status = layer(x, w, b, y, err);
    stria_graph_release(graph);
    stria_tensor_release(w);
    stria_tensor_release(b);
    return status;
}

static stria_status run(const file *made, stria_tensor *x, stria_tensor **y, stria_error *err)
{
    stria_graph *graph = NULL;
    stria_status status = stria_graph_load(made->bytes, made->nbytes, &graph, err);

    if (status == STRIA_OK) status = stria_graph_run(graph, &x, 1, y, err);
    stria_graph_release(graph);
    return status;
}

/* Parameters and what an optimiser keeps are in the file, and change with each run; its numbers count on. */
static stria_status train(const file *made, stria_tensor *x, stria_error *err)
{
    enum { MOST_NUMBERS = 64 };
    double        numbers[MOST_NUMBERS];
    stria_graph  *graph = NULL;
    stria_tensor *loss = NULL;
    stria_status  status = stria_graph_load(made->bytes, made->nbytes, &graph, err);
    const int     n = status == STRIA_OK ? stria_graph_get_info(graph).n_numbers : 0;

    for (int k = 0; k < n && k < MOST_NUMBERS; k++) numbers[k] = stria_graph_get_number_info(graph, k).value;
    for (int step = 0; step < 10 && status == STRIA_OK; step++) {
        status = stria_graph_run_with(graph, &x, 1, numbers, n < MOST_NUMBERS ? n : -1, &loss, err);
        if (status == STRIA_OK) printf("%.9g\n", *(const float *)stria_tensor_get_const_data(loss));
        stria_tensor_release(loss);
        for (int k = 0; k < n && k < MOST_NUMBERS; k++) {
            const int change = stria_graph_get_number_info(graph, k).change;
            if (change != 0) numbers[k] = numbers[k] + change > 0 ? numbers[k] + change : 0;
        }
    }
    stria_graph_release(graph);
    return status;
}

static int show(const stria_tensor *y)
{
    const float *at = stria_tensor_get_const_data(y);

    for (int i = 0; i < 2; i++, at += 4) printf("%.6f %.6f %.6f %.6f\n", at[0], at[1], at[2], at[3]);
    return 0;
}

static int save_file(const char *path, const file *made)
{
    FILE *to = fopen(path, "wb");
    int   failed = to == NULL || fwrite(made->bytes, 1, made->nbytes, to) != made->nbytes;

    if (to != NULL) failed |= fclose(to) != 0;
    if (failed) fprintf(stderr, "%s cannot be written\n", path);
    return failed;
}

static int read_file(const char *path, file *read)
{
    FILE *from = fopen(path, "rb");

    read->bytes = malloc(MOST_BYTES);
    read->nbytes = from != NULL && read->bytes != NULL ? fread(read->bytes, 1, MOST_BYTES, from) : 0;
    if (from != NULL) fclose(from);
    if (read->nbytes == 0) fprintf(stderr, "%s cannot be read\n", path);
    return read->nbytes == 0;
}

/* Saved and loaded in memory: the same bits. */
static int compare(stria_tensor *x, stria_error *err)
{
    file          made = {NULL, 0};
    stria_tensor *y = NULL, *again = NULL;
    int           result = 1;

    if (make(x, &made, &y, err) != STRIA_OK || run(&made, x, &again, err) != STRIA_OK) {
        complain(err);
    } else {
        result = memcmp(stria_tensor_get_const_data(y), stria_tensor_get_const_data(again), 8 * sizeof(float)) != 0;
        printf("%zu bytes; the results are %s\n", made.nbytes, result ? "different" : "the same");
        show(again);
    }
    stria_bytes_release(made.bytes);
    stria_tensor_release(y);
    stria_tensor_release(again);
    return result;
}

int main(int argc, char **argv)
{
    stria_error   err = {0};
    stria_tensor *x = NULL, *y = NULL;
    file          made = {NULL, 0};
    int           result = 1;

    if (new_numbers(2, 8, &x, &err) != STRIA_OK) return complain(&err);
    if (argc == 1) {
        result = compare(x, &err);
    } else if (argc == 3 && strcmp(argv[1], "save") == 0) {
        result = make(x, &made, &y, &err) == STRIA_OK ? save_file(argv[2], &made) : complain(&err);
        stria_bytes_release(made.bytes);
    } else if (argc == 3 && strcmp(argv[1], "run") == 0) {
        if (read_file(argv[2], &made) == 0) result = run(&made, x, &y, &err) == STRIA_OK ? show(y) : complain(&err);
        free(made.bytes);
    } else if (argc == 3 && strcmp(argv[1], "train") == 0) {
        if (read_file(argv[2], &made) == 0) result = train(&made, x, &err) == STRIA_OK ? 0 : complain(&err);
        free(made.bytes);
    } else {
        fprintf(stderr, "program save FILE, program run FILE, program train FILE, or program\n");
    }
    stria_tensor_release(x);
    stria_tensor_release(y);
    return result;
}
