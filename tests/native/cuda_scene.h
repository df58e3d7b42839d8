/* cuda_scene.h - calls of any row by chance, for fuzz_cuda.c: its tensors on the CPU and on a CUDA device, attributes, given outputs. */
#ifndef STRIA_TEST_CUDA_SCENE_H
#define STRIA_TEST_CUDA_SCENE_H

#include "cuda_chance.h"
#include "row_call.h"

enum { SCENE_LISTED = 12, SCENE_IN = STRIA_MAX_TENSORS + SCENE_LISTED };

/* One call: its tensors, and where each stands. */
typedef struct cuda_scene {
    chance             *c;
    row_call            call;
    chance_twin        *in[SCENE_IN];
    int                 place[SCENE_IN]; /* below STRIA_MAX_TENSORS: call.in; else call.list */
    int                 n_in;
    const stria_tensor *list[SCENE_LISTED];
    chance_twin        *out[STRIA_MAX_OUTPUTS]; /* given; NULL: new */
    int64_t             round;
    int                 number;
    char                text[900];
    bool                is_spoilt; /* one side has done what the other has not */
} cuda_scene;

/* A call of the row without given outputs: by one of its forms (cuda_forms.def), or by chance. */
void cuda_scene_begin(cuda_scene *s, stria_row row);
/* The call has the tensors of a side, 0 the CPU; or, where `wide` is not NULL, these. The default generator begins anew. */
void cuda_scene_place(cuda_scene *s, int side, stria_tensor *const *wide);
/* Gives some outputs: like those of the CPU, inputs, views of what there is. */
void cuda_scene_pick_outputs(cuda_scene *s);
/* For messages. */
const char *cuda_scene_describe(cuda_scene *s);

/* Whether a word is in a list with blanks between. */
bool cuda_scene_is_named(const char *name, const char *list);

#endif
