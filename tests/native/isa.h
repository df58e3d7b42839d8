/* isa.h - suites of an instruction set: what this machine has, as the system says and not as the library finds, and what
 * a suite does that cannot run. Decided here alone. */
#ifndef TEST_ISA_H
#define TEST_ISA_H

#include <stdbool.h>

/* Whether the text of Linux's /proc/cpuinfo lists all that the instruction set needs (isa.def). */
bool isa_is_listed(const char *isa, const char *cpuinfo);

/* Whether this machine has it. False where the system does not say: not Linux, or an emulator that shows the host's. */
bool isa_is_here(const char *isa);

/* Whether the library finds that this machine has it. */
bool isa_is_found(const char *isa);

/* The exit status of a suite that the library, or its own look at the processor, finds no `isa` for: 77, skipped. 1, failed,
 * if STRIA_REQUIRE_ISA is set; or STRIA_REQUIRE, and the machine has it, so that the library is wrong or was built without.
 * Prints a line that says which. `isa` may be NULL. */
int isa_skip(const char *suite, const char *isa, const char *why);

#endif
