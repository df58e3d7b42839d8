/* test_gemm.c - the loops of matrix products of one instruction set (STRIA_ISA) against plain C: the contract of
 * gemm.h. Floats hold small whole numbers, so that every order of additions gives the same bits.
 *
 * Buffers are exactly as large as the contract says (AddressSanitizer watches their ends); what must be neither read nor
 * written is poison. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paste.h"

#if defined(STRIA_USE_SIMDE) /* portable AVX-512 */
static const char needed[] = "avx2";
#else
static const char needed[] = STRIA_STRING(STRIA_ISA);
#endif

#define GEMM STRIA_CAT(stria_gemm_, SUITE_NAME)
#define STRIA_GEMM_TABLE GEMM /* not the library's */
#include "simd/gemm_kernels.c"

#include "isa.h"
#include "test.h"

static uint64_t random_state = 4;

static int64_t choose(int64_t low, int64_t high)
{
    return low + (int64_t)(test_random(&random_state) >> 20) % (high - low + 1);
}

#define T f32
#define POISON NAN
#include "gemm_case.h"
#define T f64
#define POISON NAN
#include "gemm_case.h"
#define T u32
#define POISON 0xdeadbeef
#include "gemm_case.h"
#define T u64
#define POISON 0xdeadbeefdeadbeef
#include "gemm_case.h"

/* Not part of main, which must not contain instructions that the machine may lack. */
static __attribute__((noinline)) void check_all(void)
{
    check_f32(&GEMM.f32);
    check_f64(&GEMM.f64);
    check_u32(&GEMM.u32);
    check_u64(&GEMM.u64);
}

SUITE(SUITE_NAME)
{
    if (!isa_is_found(needed)) return isa_skip(STRIA_STRING(SUITE_NAME), needed, "this machine does not run it");
    check_all();
    return test_finish();
}
