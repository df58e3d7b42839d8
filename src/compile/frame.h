/* frame.h - what one run of a graph needs. Internal.
 *
 * A frame has the arena, and a handle for every view. Handles of what the graph holds and of the arena are made once; those of inputs and of
 * results lie over storages whose memory is set for each run. A graph keeps one frame, so that runs that follow one another make none, and look
 * at nothing again that is the same for all of them.
 */
#ifndef STRIA_COMPILE_FRAME_H
#define STRIA_COMPILE_FRAME_H

#include "compile/blocks.h"
#include "compile/step.h"

#define STRIA_GRAPH_NAME "graph"

/* A view over memory that is set for each run. */
typedef struct stria_moving {
    stria_tensor        *handle;
    const stria_storage *storage;
    int64_t              offset;
} stria_moving;

/* A buffer whose memory is set for each run. */
typedef struct stria_run_place {
    stria_storage          *storage;
    const stria_graph_view *view; /* of the input; else of the first result that looks at it, which brings its memory */
    size_t                  nbytes;
    int                     buffer;
    int                     input; /* -1: none; it is the buffer of this result, or of a gradient: */
    int                     result;
    bool                    must_begin; /* the input, where its memory does */
} stria_run_place;

/* What a frame has for runs that are like the last one (replay.c). */
typedef struct stria_graph_replay stria_graph_replay;
/* What it has for runs that launch several steps as one (capturing.h). */
typedef struct stria_graph_capturing stria_graph_capturing;

struct stria_graph_frame {
    const stria_graph *graph;
    stria_storage     *arena;
    stria_storage    **storages; /* [buffers]; of what is set for each run: without memory of their own */
    stria_tensor     **handles;  /* [views] */
    stria_tensor     **inputs;   /* [inputs]: what a run reads: the caller's, or */
    stria_tensor *
        *copies; /* [inputs]: their elements laid out anew, owned during one; NULL: they are as they were recorded */
    stria_tensor         **results;      /* [buffers]: new ones of a run, owned during it, unless they are */
    bool                  *is_handed;    /* [buffers]: the caller's already */
    int                   *result_views; /* [buffers]: of results, the view of the first */
    int                   *held;         /* [n_held]: what the graph holds, of tensors that may be given other memory */
    int                    n_held;
    bool                   writes_inputs, has_copies;
    stria_call            *calls;   /* [steps], over handles */
    stria_ready_step      *ready;   /* [steps] */
    stria_graph_lanes    **lanes;   /* [blocks of the form] */
    stria_moving          *moving;  /* [n_moving] */
    stria_run_place       *places;  /* [n_places] */
    stria_storage        **written; /* [n_written]: of what the graph holds, and writes to */
    int                    n_moving, n_places, n_written;
    bool                   has_constants;
    bool                   is_in_blocks; /* some steps run block by block: the arena lacks what is local to them */
    char                  *varied;       /* attributes of steps with numbers, for this run */
    bool                   is_tried;     /* whether there can be */
    stria_graph_replay    *replay;       /* or NULL; owned */
    stria_graph_capturing *capturing;    /* or NULL; owned */
};

/* Of one run alone, until it is given back. in_blocks: where the graph has any. NULL: no memory. (frame.c) */
stria_graph_frame *stria_graph_frame_take(stria_graph *g, bool in_blocks);
void               stria_graph_frame_give(stria_graph *g, stria_graph_frame *f);
/* The same of one that has nothing left of its run. */
void stria_graph_frame_keep(stria_graph *g, stria_graph_frame *f);

/* Memory of f's device; what lies in it waits for whom that waits for. */
static inline void stria_storage_set_place(stria_storage *s, char *data, const stria_storage *memory)
{
    s->data = data;
    if (memory->device.type == STRIA_DEVICE_CPU) return;
    s->device = memory->device;
    s->context = memory->context;
}

/* What a run reads, refused where it is not what was recorded. (frame_inputs.c) */
stria_status stria_graph_frame_set_inputs(stria_graph_frame *f, stria_tensor *const *in, stria_error *err);
stria_status stria_graph_refuse_input(stria_status code, int k, const char *expected, const char *got, const char *what,
                                      stria_error *err);

/* The first result that looks at a buffer brings its memory: in one block where it is small. NULL: there is none. */
stria_tensor *stria_run_place_new_memory(const stria_graph *g, const stria_run_place *p);
/* Memory for results, and where all that moves lies in this run. (frame_results.c) */
stria_status stria_graph_frame_set_memory(stria_graph_frame *f, stria_error *err);
/* What a run gives to the caller: the tensor of a view; and to .grad. has_gradients: the thread of the caller has them on. */
stria_status stria_graph_frame_new_result(const stria_graph_frame *f, int view, stria_tensor *const *in,
                                          bool has_gradients, stria_tensor **out, stria_error *err);
stria_status stria_graph_frame_set_grads(const stria_graph_frame *f, stria_tensor *const *in, bool has_gradients,
                                         stria_error *err);
/* After a run of calls, one after another, that succeeded: finds what later ones need not find again. (replay.c) */
void stria_graph_replay_prepare(stria_graph *g, stria_graph_frame *f);
void stria_graph_replay_release(stria_graph_replay *replay); /* NULL is allowed */
/* A run by a frame that is prepared, where its inputs are as they were recorded. False: it is not, and nothing was done. */
bool stria_graph_replay_run(stria_graph *g, stria_tensor *const *in, int n_in, stria_tensor **out, stria_status *status,
                            stria_error *err);

/* Always fails: a device that has failed has no memory either, and says why. */
stria_status stria_graph_refuse_run(const stria_graph *g, stria_error *err);

#endif
