/* iter_steps.h - checks on a built iterator: transformations, loops over ranges and threads, reductions. The expectations
 * have the format of tests/data/cases.json, and tests/fuzz/gen_iter_cases.py writes them as well. */
#ifndef TEST_ITER_STEPS_H
#define TEST_ITER_STEPS_H

#include "iter_case.h"

/* Every check for which `entry` has a member; `it` stays as it is.
 *
 *     steps     narrow, split, split_32bit .. one after the other, the state after each
 *     ranges    begin, end, and the calls of the loop that stria_iter_run_range makes
 *     for_each  threads, grain, and the ranges [begin, end] that stria_iter_for_each runs
 *     reduce    threads, and the strategy, dim and ranges of stria_iter_parallel_reduce
 *     parts     threads, the list of the addresses of every part that stria_iter_foreach_reduced_elt makes, and the numel of
 *               each; or an error */
void iter_steps_check(const iter_case *test, const stria_iter *it, const json *entry);

/* Checks left out because this build has no threads. */
extern int iter_steps_skipped;

/* One of them: `ranges` is a list of [begin, end], or of objects with these members. */
void iter_steps_check_for_each(const char *id, const stria_iter *it, int threads, int64_t grain, const json *ranges);
void iter_steps_check_reduce(const char *id, const stria_iter *it, int threads, const json *expect);

#endif
