/* fold_runs.h - reductions of elements that lie side by side, in runs: how many neighbours a thread takes together follows from the dtype alone. Plain C,
 * so that the host can test it without a device. Internal. */
#ifndef STRIA_CUDA_FOLD_RUNS_H
#define STRIA_CUDA_FOLD_RUNS_H

#include "calls_fold.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether elements that are reduced lie in runs of `run`. Only where one dim is reduced may the last run be shorter. */
bool stria_cuda_fold_has_runs(const stria_cuda_fold_walk *walk, int run);
/* The walk over such runs, as if each were an element. */
stria_cuda_fold_walk stria_cuda_fold_get_runs(const stria_cuda_fold_walk *walk, int run);

#ifdef __cplusplus
}
#endif

#endif
