/* fold_runs.c - see fold_runs.h. */
#include "fold_runs.h"

bool stria_cuda_fold_has_runs(const stria_cuda_fold_walk *walk, int run)
{
    if (run <= 1 || walk->n_reduced == 0 || walk->reduced_in[0] != walk->in_size) return false;
    return walk->reduced_shape[0] >= run && (walk->n_reduced == 1 || walk->reduced_shape[0] % run == 0);
}

stria_cuda_fold_walk stria_cuda_fold_get_runs(const stria_cuda_fold_walk *walk, int run)
{
    stria_cuda_fold_walk runs = *walk;

    runs.count = (walk->count + run - 1) / run;
    runs.in_size = walk->in_size * run;
    runs.reduced_shape[0] = (walk->reduced_shape[0] + run - 1) / run;
    runs.reduced_in[0] = walk->reduced_in[0] * run;
    return runs;
}
