/* oom.c - failing allocations (oom.h). */
#include "oom.h"

#include <string.h>

#include "base/alloc.h"

stria_tensor        *target;
static stria_tensor *target_view;

static bool make_target(void)
{
    if (stria_tensor_new(STRIA_F32, 1, (const int64_t[]){2}, &target, NULL) != STRIA_OK) return false;
    memset(stria_tensor_get_data(target), 0, 8);
    return stria_slice(target, 0, 0, 1, 1, &target_view, NULL) == STRIA_OK;
}

static void end_target(void)
{
    stria_tensor_release(target);
    stria_tensor_release(target_view);
}

void oom_check_path(const char *name, oom_path *run)
{
    const stria_memory_stats before = stria_memory_get_stats();
    const int64_t            objects = stria_alloc_get_live_objects();
    int64_t                  n, failed = 0;

    for (n = 1; n < 1000; n++) {
        stria_error   err = {0};
        stria_tensor *out = NULL;
        CHECK(make_target(), "%s: no target", name);
        stria_alloc_set_failure(n);
        const stria_status status = run(&out, &err);
        stria_alloc_set_failure(0);
        if (status != STRIA_OK) {
            failed++;
            CHECK(status == STRIA_ERR_MEMORY, "%s: allocation %lld: %s (%s)", name, (long long)n,
                  stria_status_get_name(status), err.message);
            CHECK(out == NULL, "%s: allocation %lld: out is not NULL", name, (long long)n);
            CHECK(err.code == status && err.message[0], "%s: allocation %lld: no message", name, (long long)n);
            CHECK(stria_tensor_get_ndim(target) == 1 && stria_tensor_get_numel(target) == 2 &&
                      *(float *)stria_tensor_get_data(target) == 0,
                  "%s: allocation %lld: the target has changed", name, (long long)n);
        }
        stria_tensor_release(out);
        end_target();
        const stria_memory_stats after = stria_memory_get_stats();
        CHECK(after.live_bytes == before.live_bytes && after.live_tensors == before.live_tensors &&
                  after.live_storages == before.live_storages,
              "%s: allocation %lld: %lld bytes, %lld tensors, %lld storages are left", name, (long long)n,
              (long long)(after.live_bytes - before.live_bytes), (long long)(after.live_tensors - before.live_tensors),
              (long long)(after.live_storages - before.live_storages));
        CHECK(stria_alloc_get_live_objects() == objects, "%s: allocation %lld: %lld objects are left", name,
              (long long)n, (long long)(stria_alloc_get_live_objects() - objects));
        if (status == STRIA_OK) break;
    }
    CHECK(n < 1000, "%s never succeeded", name);
    CHECK(failed == n - 1 && failed > 0, "%s: nothing was made to fail", name);
}
