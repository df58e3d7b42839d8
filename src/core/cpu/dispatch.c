/* dispatch.c - chooses the kernel table: once, the best one of isa.def that this build has and this machine runs, or the
 * one that STRIA_FORCE_ISA names. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "simd/cpu_features.h"
#include "simd/kernels.h"
#include "base/error.h"

#if defined(STRIA_HAVE_avx512)
extern const stria_kernels stria_kernels_avx512;
#define STRIA_TABLE_avx512 &stria_kernels_avx512
#else
#define STRIA_TABLE_avx512 NULL
#endif
#if defined(STRIA_HAVE_avx2)
extern const stria_kernels stria_kernels_avx2;
#define STRIA_TABLE_avx2 &stria_kernels_avx2
#else
#define STRIA_TABLE_avx2 NULL
#endif
#if defined(STRIA_HAVE_neon)
extern const stria_kernels stria_kernels_neon;
#define STRIA_TABLE_neon &stria_kernels_neon
#else
#define STRIA_TABLE_neon NULL
#endif
#if defined(STRIA_HAVE_wasm128)
extern const stria_kernels stria_kernels_wasm128;
#define STRIA_TABLE_wasm128 &stria_kernels_wasm128
#else
#define STRIA_TABLE_wasm128 NULL
#endif
#if defined(STRIA_HAVE_scalar)
extern const stria_kernels stria_kernels_scalar;
#define STRIA_TABLE_scalar &stria_kernels_scalar
#else
#define STRIA_TABLE_scalar NULL
#endif

typedef struct isa_entry {
    const char          *name;
    const stria_kernels *table; /* NULL: not in this build */
    bool (*runs_here)(void);
} isa_entry;

static const isa_entry isa_entries[] = {
#define STRIA_ISA(isa, needs) {#isa, STRIA_TABLE_##isa, stria_cpu_has_##isa},
#include "simd/isa.def"
};
enum { ISA_COUNT = sizeof isa_entries / sizeof isa_entries[0] };

static _Atomic(const stria_kernels *) chosen;

const stria_kernels *stria_dispatch_get_isa(const char *isa)
{
    for (int k = 0; k < ISA_COUNT; k++) {
        const isa_entry *e = &isa_entries[k];
        if (e->table && strcmp(e->name, isa) == 0) return e->runs_here() ? e->table : NULL;
    }
    return NULL;
}

/* Two threads may both get here first; they choose the same table. */
static const stria_kernels *choose(void)
{
    const char          *forced = getenv("STRIA_FORCE_ISA");
    const stria_kernels *table = NULL;
    if (forced && *forced) {
        table = stria_dispatch_get_isa(forced);
    } else {
        for (int k = 0; k < ISA_COUNT && !table; k++)
            if (isa_entries[k].table && isa_entries[k].runs_here()) table = isa_entries[k].table;
    }
    if (table) atomic_store_explicit(&chosen, table, memory_order_release);
    return table;
}

const stria_kernels *stria_dispatch_get(void)
{
    const stria_kernels *table = atomic_load_explicit(&chosen, memory_order_acquire);
    return table ? table : choose();
}

const char *stria_isa_get_name(void)
{
    const stria_kernels *table = stria_dispatch_get();
    return table ? table->isa : "none";
}

stria_status stria_isa_get_status(stria_error *err)
{
    if (stria_dispatch_get()) return STRIA_OK;
    const char *forced = getenv("STRIA_FORCE_ISA");
    return stria_error_set(err, STRIA_ERR_UNSUPPORTED, "stria", "STRIA_FORCE_ISA", "an ISA of this build and machine",
                           forced ? forced : "", "the instruction set '%s' is not available here",
                           forced ? forced : "");
}
