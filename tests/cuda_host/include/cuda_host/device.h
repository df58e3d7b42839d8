/* device.h - what code of the device says: where a thread is, barriers, shuffles, votes, atomics, shared memory, and
 * functions of numbers, as far as stria uses them. */
#ifndef CUDA_HOST_DEVICE_H
#define CUDA_HOST_DEVICE_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <type_traits>

#include "types.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))

/* Shared memory: a variable of the block, junk at the start. STRIA_CUDA_SHARED(float, tile, [32][33]); the third argument may
 * be empty. STRIA_CUDA_DYNAMIC_SHARED(float, values) makes a pointer to what the launch asked for, 16-byte aligned. */
#define STRIA_CUDA_SHARED(T, name, dims) \
    typedef T name##_type dims;          \
    static char           name##_site;   \
    name##_type          &name =         \
        *static_cast<name##_type *>(cuda_host::shared_get(&name##_site, sizeof(name##_type), alignof(name##_type)))
#define STRIA_CUDA_DYNAMIC_SHARED(T, name) T *name = static_cast<T *>(cuda_host::dynamic_shared_get())

namespace cuda_host {

enum shuffle_kind { SHUFFLE, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_XOR };
enum vote_kind { VOTE_BALLOT, VOTE_ANY, VOTE_ALL };
enum count_kind { COUNT_NONE, COUNT_SUM, COUNT_AND, COUNT_OR };

void             *shared_get(const void *site, size_t size, size_t align);
void             *dynamic_shared_get();
int               block_barrier(count_kind kind, int predicate);
void              warp_barrier(unsigned mask);
uint64_t          warp_shuffle(shuffle_kind kind, unsigned mask, uint64_t value, int argument, int width);
unsigned          warp_vote(vote_kind kind, unsigned mask, int predicate);
unsigned          warp_match(unsigned mask, uint64_t value);
unsigned          active_mask();
void              fence();
void              yield();
void              before_atomic();
void              after_atomic();
[[noreturn]] void trap();

} // namespace cuda_host

/* Of the thread that runs. */
extern uint3     threadIdx, blockIdx;
extern dim3      blockDim, gridDim;
static const int warpSize = 32;

/* ---- barriers and votes */
static inline void     __syncthreads() { cuda_host::block_barrier(cuda_host::COUNT_NONE, 0); }
static inline int      __syncthreads_count(int p) { return cuda_host::block_barrier(cuda_host::COUNT_SUM, p); }
static inline int      __syncthreads_and(int p) { return cuda_host::block_barrier(cuda_host::COUNT_AND, p); }
static inline int      __syncthreads_or(int p) { return cuda_host::block_barrier(cuda_host::COUNT_OR, p); }
static inline void     __syncwarp(unsigned mask = 0xffffffffu) { cuda_host::warp_barrier(mask); }
static inline unsigned __ballot_sync(unsigned mask, int p)
{
    return cuda_host::warp_vote(cuda_host::VOTE_BALLOT, mask, p);
}
static inline int __any_sync(unsigned mask, int p) { return (int)cuda_host::warp_vote(cuda_host::VOTE_ANY, mask, p); }
static inline int __all_sync(unsigned mask, int p) { return (int)cuda_host::warp_vote(cuda_host::VOTE_ALL, mask, p); }
static inline unsigned          __activemask() { return cuda_host::active_mask(); }
static inline void              __threadfence() { cuda_host::fence(); }
static inline void              __threadfence_block() { cuda_host::fence(); }
static inline void              __threadfence_system() { cuda_host::fence(); }
static inline void              __nanosleep(unsigned) { cuda_host::yield(); }
[[noreturn]] static inline void __trap() { cuda_host::trap(); }

/* ---- shuffles, of numbers of 4 or 8 bytes as CUDA's */
namespace cuda_host {
template <typename T>
static inline T shuffle(shuffle_kind kind, unsigned mask, T value, int argument, int width)
{
    static_assert(std::is_arithmetic<T>::value && (sizeof(T) == 4 || sizeof(T) == 8), "no shuffle of this type");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = warp_shuffle(kind, mask, bits, argument, width);
    memcpy(&value, &bits, sizeof value);
    return value;
}
} // namespace cuda_host
template <typename T>
static inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32)
{
    return cuda_host::shuffle(cuda_host::SHUFFLE, mask, value, lane, width);
}
template <typename T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    return cuda_host::shuffle(cuda_host::SHUFFLE_UP, mask, value, (int)delta, width);
}
template <typename T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    return cuda_host::shuffle(cuda_host::SHUFFLE_DOWN, mask, value, (int)delta, width);
}
template <typename T>
static inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32)
{
    return cuda_host::shuffle(cuda_host::SHUFFLE_XOR, mask, value, lanes, width);
}
template <typename T>
static inline unsigned __match_any_sync(unsigned mask, T value)
{
    static_assert(std::is_arithmetic<T>::value && (sizeof(T) == 4 || sizeof(T) == 8), "no match of this type");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return cuda_host::warp_match(mask, bits);
}

/* ---- atomics: relaxed, as CUDA's; each may let another thread go first */
namespace cuda_host {

template <typename T, typename F>
static inline T atomic_update(T *at, F update)
{
    typedef typename std::conditional<sizeof(T) == 8, uint64_t,
                                      typename std::conditional<sizeof(T) == 4, uint32_t, uint16_t>::type>::type bits;
    bits *place = reinterpret_cast<bits *>(at), old_bits, next_bits;
    T     old, next;
    before_atomic();
    old_bits = __atomic_load_n(place, __ATOMIC_RELAXED);
    do {
        memcpy(&old, &old_bits, sizeof old);
        next = update(old);
        memcpy(&next_bits, &next, sizeof next);
    } while (!__atomic_compare_exchange_n(place, &old_bits, next_bits, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    after_atomic();
    return old;
}

} // namespace cuda_host

#define CUDA_HOST_ATOMIC(name, T, expression)                                                       \
    static inline T name(T *at, T value)                                                            \
    {                                                                                               \
        return cuda_host::atomic_update(at, [value](T old) -> T { return (void)old, expression; }); \
    }
#define CUDA_HOST_ATOMICS_BITS(T)                                                                                     \
    CUDA_HOST_ATOMIC(atomicAnd, T, old &value)                                                                        \
    CUDA_HOST_ATOMIC(atomicOr, T, old | value)                                                                        \
    CUDA_HOST_ATOMIC(atomicXor, T, old ^ value)                                                                       \
    CUDA_HOST_ATOMIC(atomicMin, T, old < value ? old : value)                                                         \
    CUDA_HOST_ATOMIC(atomicMax, T, old > value ? old : value)                                                         \
    CUDA_HOST_ATOMIC(atomicExch, T, value)                                                                            \
    static inline T atomicCAS(T *at, T expected, T value)                                                             \
    {                                                                                                                 \
        return cuda_host::atomic_update(at, [expected, value](T old) -> T { return old == expected ? value : old; }); \
    }
CUDA_HOST_ATOMICS_BITS(int)
CUDA_HOST_ATOMICS_BITS(unsigned)
CUDA_HOST_ATOMICS_BITS(unsigned long long)
CUDA_HOST_ATOMIC(atomicMin, long long, old < value ? old : value)
CUDA_HOST_ATOMIC(atomicMax, long long, old > value ? old : value)
CUDA_HOST_ATOMIC(atomicExch, float, value)
CUDA_HOST_ATOMIC(atomicAdd, int, (int)((unsigned)old + (unsigned)value))
CUDA_HOST_ATOMIC(atomicAdd, unsigned, old + value)
CUDA_HOST_ATOMIC(atomicAdd, unsigned long long, old + value)
CUDA_HOST_ATOMIC(atomicAdd, float, old + value)
CUDA_HOST_ATOMIC(atomicAdd, double, old + value)
CUDA_HOST_ATOMIC(atomicSub, int, (int)((unsigned)old - (unsigned)value))
CUDA_HOST_ATOMIC(atomicSub, unsigned, old - value)
CUDA_HOST_ATOMIC(atomicInc, unsigned, old >= value ? 0 : old + 1)
CUDA_HOST_ATOMIC(atomicDec, unsigned, old == 0 || old > value ? value : old - 1)
#undef CUDA_HOST_ATOMICS_BITS
#undef CUDA_HOST_ATOMIC
static inline unsigned short atomicCAS(unsigned short *at, unsigned short expected, unsigned short value)
{
    return cuda_host::atomic_update(
        at, [expected, value](unsigned short old) -> unsigned short { return old == expected ? value : old; });
}

/* ---- loads and stores with a hint */
template <typename T>
static inline T __ldg(const T *at)
{
    return *at;
}
template <typename T>
static inline T __ldcs(const T *at)
{
    return *at;
}
template <typename T>
static inline void __stcs(T *at, T value)
{
    *at = value;
}

/* ---- numbers */
namespace cuda_host {
template <typename To, typename From>
static inline To bits_of(From value)
{
    To to;
    static_assert(sizeof to == sizeof value, "of one size");
    memcpy(&to, &value, sizeof to);
    return to;
}
} // namespace cuda_host
static inline int                __float_as_int(float x) { return cuda_host::bits_of<int>(x); }
static inline unsigned           __float_as_uint(float x) { return cuda_host::bits_of<unsigned>(x); }
static inline float              __int_as_float(int x) { return cuda_host::bits_of<float>(x); }
static inline float              __uint_as_float(unsigned x) { return cuda_host::bits_of<float>(x); }
static inline long long          __double_as_longlong(double x) { return cuda_host::bits_of<long long>(x); }
static inline double             __longlong_as_double(long long x) { return cuda_host::bits_of<double>(x); }
static inline int                __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int                __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
static inline int                __ffs(int x) { return __builtin_ffs(x); }
static inline int                __ffsll(long long x) { return __builtin_ffsll(x); }
static inline int                __popc(unsigned x) { return __builtin_popcount(x); }
static inline int                __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline unsigned           __umulhi(unsigned x, unsigned y) { return (unsigned)((uint64_t)x * y >> 32); }
static inline int                __mulhi(int x, int y) { return (int)((int64_t)x * y >> 32); }
static inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    __extension__ typedef unsigned __int128 wide;
    return (unsigned long long)((wide)x * y >> 64);
}
static inline float  __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
static inline float  __fadd_rn(float x, float y) { return x + y; }
static inline float  __fsub_rn(float x, float y) { return x - y; }
static inline float  __fmul_rn(float x, float y) { return x * y; }
static inline float  __fdiv_rn(float x, float y) { return x / y; }
static inline float  __fsqrt_rn(float x) { return sqrtf(x); }
static inline double __fma_rn(double x, double y, double z) { return fma(x, y, z); }
static inline double __dadd_rn(double x, double y) { return x + y; }
static inline double __dsub_rn(double x, double y) { return x - y; }
static inline double __dmul_rn(double x, double y) { return x * y; }
static inline double __ddiv_rn(double x, double y) { return x / y; }
static inline double __dsqrt_rn(double x) { return sqrt(x); }

#define CUDA_HOST_MIN_MAX(T)                                          \
    static inline constexpr T min(T x, T y) { return y < x ? y : x; } \
    static inline constexpr T max(T x, T y) { return x < y ? y : x; }
CUDA_HOST_MIN_MAX(int)
CUDA_HOST_MIN_MAX(unsigned)
CUDA_HOST_MIN_MAX(long)
CUDA_HOST_MIN_MAX(unsigned long)
CUDA_HOST_MIN_MAX(long long)
CUDA_HOST_MIN_MAX(unsigned long long)
#undef CUDA_HOST_MIN_MAX
static inline float  min(float x, float y) { return fminf(x, y); }
static inline float  max(float x, float y) { return fmaxf(x, y); }
static inline double min(double x, double y) { return fmin(x, y); }
static inline double max(double x, double y) { return fmax(x, y); }

#endif
