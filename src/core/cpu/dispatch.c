/* dispatch.c - chooses the kernel table: once, the best one of isa.def that this build has and this machine runs, or the
 * one that STRIA_FORCE_ISA names. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "simd/cpu_features.h"
#include "simd/kernels.h"
#include "simd/paste.h"
#include "base/error.h"

/* CMake defines STRIA_HAVE_<isa> for each row of isa.def, 1 where the build has its table, else 0. */
#define TABLE_1(isa) &stria_kernels_##isa
#define TABLE_0(isa) NULL
#define STRIA_ISA(isa, processor, features) extern const stria_kernels stria_kernels_##isa;
#include "table/isa.def"

typedef struct isa_entry {
    const char          *name;
    const stria_kernels *table; /* NULL: not in this build */
    bool (*runs_here)(void);
} isa_entry;

static const isa_entry isa_entries[] = {
#define STRIA_ISA(isa, processor, features) {#isa, STRIA_CAT(TABLE_, STRIA_HAVE_##isa)(isa), stria_cpu_has_##isa},
#include "table/isa.def"
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
    return stria_error_set(err, STRIA_ERR_UNSUPPORTED, "isa", "STRIA_FORCE_ISA", "an ISA of this build and machine",
                           forced ? forced : "", "the instruction set '%s' is not available here",
                           forced ? forced : "");
}
