/* test_mlir_run.c - what MLIR's and LLVM's programs make of the text of a graph computes what the graph computes: every op of ops.def,
 * conversions, random programs, products. Skipped where MLIR is absent. STRIA_MLIR_PROGRAMS random ones; where they are
 * more than 16, ops of every dtype: test_mlir_plugin has them in any case, by the same text. */
#include "mlir_cases.h"

SUITE(test_mlir_run)
{
    const stria_memory_stats before = stria_memory_get_stats();
    const int64_t            n_random = check_get_setting("STRIA_MLIR_PROGRAMS", 16);
    const mlir_way           way = MLIR_BY_TOOLS;
    int                      n_dtypes;
    const stria_dtype       *dtypes = mlir_get_dtypes(&n_dtypes);

    check_isa("test_mlir_run");
    mlir_n_programs = mlir_n_skipped = 0;
    for (uint64_t seed = 1; seed <= (uint64_t)n_random && mlir_n_skipped == 0; seed++)
        mlir_check_random_program(way, seed, 4 + (int)(seed % 20));
    if (mlir_n_skipped == 0) {
        mlir_check_unsigned(way);
        mlir_check_product(way, STRIA_F32, 0, 16, 10, 10);
        mlir_check_product(way, STRIA_F64, 0, 7, 33, 5);
        mlir_check_product(way, STRIA_F32, 3, 4, 5, 6);
        mlir_check_product(way, STRIA_F32, 0, 3, 0, 2);
        mlir_check_product(way, STRIA_F32, 0, 16, 512, 64);
        mlir_check_product(way, STRIA_F64, 0, 8, 100, 32);
        mlir_check_far(way);
        mlir_check_failure(way);
        mlir_check_overlap(way);
    }
    for (int k = 0; k < n_dtypes && mlir_n_skipped == 0; k++)
        if (n_random > 16 || dtypes[k] == STRIA_F32 || dtypes[k] == STRIA_BF16) mlir_check_ops(way, dtypes[k]);
    printf("  %d programs, %d skipped\n", mlir_n_programs, mlir_n_skipped);
    const stria_memory_stats after = stria_memory_get_stats();
    CHECK(after.live_storages == before.live_storages, "%lld storages are left",
          (long long)(after.live_storages - before.live_storages));
    const int status = check_finish("test_mlir_run");
    return status == 0 && mlir_n_skipped > 0 ? 77 : status;
}
