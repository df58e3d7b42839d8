/* cpu_features.c - feature bits of the processor; the compiler's run-time support also asks the system whether it saves
 * the wide registers. */
#include "cpu_features.h"

#if defined(__x86_64__) || defined(__i386__)
bool stria_cpu_has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

bool stria_cpu_has_avx512(void)
{
    return stria_cpu_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#else
bool stria_cpu_has_avx2(void) { return false; }
bool stria_cpu_has_avx512(void) { return false; }
#endif

#if defined(__aarch64__)
bool stria_cpu_has_neon(void) { return true; }
#else
bool stria_cpu_has_neon(void) { return false; }
#endif

#if defined(__wasm_simd128__)
bool stria_cpu_has_wasm128(void) { return true; }
#else
bool stria_cpu_has_wasm128(void) { return false; }
#endif

bool stria_cpu_has_scalar(void) { return true; }
