/* capturing.h - runs of a graph that launch several of its steps as one, where the device can (call/capture.h). Internal.
 *
 *   run 1    makes the steps one by one, and what is made once
 *   run 2    watches each step: can it be captured? Again, where a kernel was compiled on the way
 *   run 3    captures: steps beside each other that can be become a part, which is launched as one. Later, whenever a run finds its inputs where
 *            the one before had them, and there is no capture of these places
 *   later    launch the parts of a capture of the same places, or make the steps one by one
 *
 * A capture names the places of inputs, results, the arena and what the graph holds, and is launched on these alone. Results that the caller has
 * released are the memory of the next run; a graph keeps a few captures. A small input that moves, and small results that callers keep, get
 * places of their own in the end, which are copied from and to. Steps with numbers, and those that draw random numbers, are in no part: what they
 * launch is another thing each time. Where memory is short, captures that no run uses are given back. */
#ifndef STRIA_COMPILE_CAPTURING_H
#define STRIA_COMPILE_CAPTURING_H

#include "call/capture.h"
#include "compile/frame.h"

/* Of a new frame; NULL: its device captures nothing, or there is no memory. */
stria_graph_capturing *stria_graph_capturing_new(const stria_graph_frame *f);
void                   stria_graph_capturing_release(stria_graph_capturing *c); /* NULL is allowed */
/* Whether it knows what to capture. */
bool stria_graph_capturing_captures(const stria_graph_capturing *c); /* NULL is allowed */

/* A run, in this order, of a frame whose `capturing` may be NULL but for the steps. Inputs are set, and may be moved to places of their own. */
void stria_graph_capturing_begin(stria_graph_frame *f);
/* The tensor of a result: the n-th place of the frame. NULL: no memory. */
stria_tensor *stria_graph_capturing_new_result(const stria_graph_frame *f, int n);
/* Where the run writes it. */
const stria_storage *stria_graph_capturing_get_place(const stria_graph_frame *f, int n);
/* Makes the steps, in place of stria_graph_frame_run_steps. */
stria_status stria_graph_capturing_run_steps(const stria_graph_frame *f, stria_error *err);
/* Brings results to where the caller has them; status: of the run so far. Returns that of both. */
stria_status stria_graph_capturing_end(const stria_graph_frame *f, stria_status status, stria_error *err);

/* ---------------------------------------------------------------- captures.c: what is kept of them */

enum { STRIA_MOST_CAPTURES = 4 }; /* of a frame */

/* Steps first .. first + n_steps - 1, which are launched as one. */
typedef struct stria_captured_part {
    int            first, n_steps;
    stria_tensor **uses;    /* [n_uses]: a handle over each memory that they look at */
    stria_tensor **touched; /* [n_touched]: those over held tensors that they write to */
    int            n_uses, n_touched;
} stria_captured_part;

/* The parts of a program, in one block to be released. */
typedef struct stria_captured_parts {
    int                  n, n_steps; /* steps in all of them */
    bool                *is_named;   /* [places of the frame]: a part looks at it */
    stria_captured_part *at;
} stria_captured_parts;

/* can: [steps] which can be captured. Two steps or more are a part. NULL: no memory. */
stria_captured_parts *stria_captured_parts_new(const stria_graph_frame *f, const bool *can);

/* The parts as they were captured, on some places. */
typedef struct stria_capture {
    stria_kept                   kept;
    const stria_backend_capture *table;
    int                          n_places, n_parts;
    bool                         is_launched; /* by a run after the one that made it */
    stria_storage               *memory;      /* of what steps take on their way, or NULL; owned, by several captures */
    stria_captured             **parts;       /* [n_parts]; owned */
    char                       **data;        /* [n_places]: where they lie */
    stria_storage              **results;     /* [n_places]: of results, owned; else NULL */
} stria_capture;

/* With nothing in it; NULL: no memory. */
stria_capture *stria_capture_new(const stria_backend_capture *table, int n_places, int n_parts);
void           stria_capture_release(stria_capture *c); /* NULL is allowed */

#endif
