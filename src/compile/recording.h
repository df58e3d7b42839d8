/* recording.h - what the parts of the recorder share: record.c writes calls down, record_views.c what they look at, recording.c what they begin and
 * end with. Internal. */
#ifndef STRIA_COMPILE_RECORDING_H
#define STRIA_COMPILE_RECORDING_H

#include "base/error.h"
#include "compile/graph.h"

#define OP "recording"

/* Storages, of the program and on META, to buffers, and leaves to grads: open addressing, at most half full. */
typedef struct stria_recording_place {
    const void *storage;
    int         buffer;
} stria_recording_place;

/* A tensor with elements, or an input, that got a history by being written to, and the slot that it had, or NULL; both are owned. */
typedef struct stria_written {
    stria_tensor *x;
    stria_slot   *first;
} stria_written;

/* Memory that calls which are recorded write to when they run, and how often; owned. */
typedef struct stria_touched {
    stria_storage *storage;
    unsigned       n, n_before; /* before the call `mark` */
    int64_t        mark;
} stria_touched;

/* A buffer as it was before the call, and a place of `numbers`. */
typedef struct stria_changed_buffer {
    int     buffer;
    int64_t nbytes;
    bool    must_be;
} stria_changed_buffer;
typedef struct stria_changed_number {
    int place, buffer;
} stria_changed_number;

/* What there was before a call of the program, which may make others that are recorded and be refused then. */
typedef struct stria_recording_mark {
    int64_t      number; /* of the call */
    int          n_buffers, n_views, n_steps, n_looks, n_calls;
    bool         has_step, has_device;
    stria_device device;
} stria_recording_mark;

struct stria_recording {
    stria_graph           *graph;
    stria_recording_place *places;
    int                    n_places, room; /* a power of 2, or 0 */
    int                   *found;          /* views by their hash: [views_room], -1: none */
    int                    found_room;
    STRIA_GROWING(stria_written) written;
    STRIA_GROWING(stria_touched) touched;
    stria_recording_mark mark;
    STRIA_GROWING(stria_changed_buffer) changed_buffers; /* since the mark */
    STRIA_GROWING(stria_changed_number) changed_numbers;
    int  numbers[64]; /* buffers behind 1, by the hash of their number */
    bool has_failed;  /* there was no memory: what is recorded is not whole */
    bool has_step;    /* the last call that was recorded left one */
    bool is_over;     /* gradients are what they were */
    bool has_device;  /* of the graph: a call has told */
};

/* As stria_tensor_touch, until the recording ends without a graph. */
void stria_recording_touch(stria_recording *r, stria_tensor *x);

/* A stria_recorder_mark_fn: of a call that was refused nothing stays. */
void stria_recording_on_mark(void *context, bool is_refused);

static inline stria_graph_step *stria_recording_get_last_step(const stria_recording *r)
{
    return &r->graph->recorded.steps.at[r->graph->recorded.steps.n - 1];
}

/* Calls that ask for a device ask for that of the graph. (record.c) */
void stria_recording_set_devices(stria_recording *r);
/* A stria_recorder; context: the recording. (record.c) */
stria_status stria_recording_on_call(void *context, const stria_call *call, bool *is_taken, stria_error *err);

/* The buffer, or gradient, that a storage or leaf stands for; -1: none. (record_views.c, as what follows) */
int stria_recording_find_buffer(const stria_recording *r, const void *storage);
/* False: no memory. */
bool stria_recording_remember(stria_recording *r, const void *storage, int buffer);
/* Before a buffer is changed. False: no memory. */
bool stria_recording_note_buffer(stria_recording *r, int buffer);
/* Brings buffers, views and numbers back to the mark. */
void stria_recording_forget(stria_recording *r);
/* A stria_recorder_overlaps_fn. */
bool stria_recording_overlaps(void *context, const stria_tensor *a, const stria_tensor *b);
/* A handle over the storage of `base`, on META, as x lies over its own. */
stria_status stria_recording_new_symbol(const stria_tensor *x, const stria_tensor *base, stria_tensor **symbol,
                                        stria_error *err);
/* A buffer whose storage on META is that of symbol. It has a handle of its own: the caller's may get another storage. */
stria_status stria_recording_add_buffer(stria_recording *r, stria_buffer_kind kind, stria_tensor *symbol, int *number,
                                        stria_error *err);
/* The buffer of a tensor with elements, which the graph holds from now on. */
stria_status stria_recording_hold(stria_recording *r, const stria_tensor *x, int *number, stria_error *err);
/* The number of the view that x, of this buffer, is. grows: what was made gets room for x. */
stria_status stria_recording_add_view(stria_recording *r, const char *op, const stria_tensor *x, int buffer, bool grows,
                                      int *number, stria_error *err);

#endif
