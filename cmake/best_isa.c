/* best_isa.c - prints the best instruction set that this machine runs, while CMake configures. */
#include <stdio.h>

#include "cpu_features.h"

int main(void)
{
#define STRIA_ISA(isa, processor, features) \
    if (stria_cpu_has_##isa()) {            \
        fputs(#isa, stdout);                \
        return 0;                           \
    }
#include "table/isa.def"
    return 1;
}
