/* cpu_features.h - which instruction sets this machine runs. Internal. */
#ifndef STRIA_CPU_FEATURES_H
#define STRIA_CPU_FEATURES_H

#include <stdbool.h>

/* One function per row of isa.def. */
#define STRIA_ISA(isa, processor, features) bool stria_cpu_has_##isa(void);
#include "table/isa.def"

#endif
