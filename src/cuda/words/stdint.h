/* stdint.h - for NVRTC, which has no headers of a system: group.cuh and what it includes become one text by these (cmake/cuda.cmake). */
#ifndef STRIA_CUDA_WORDS_STDINT_H
#define STRIA_CUDA_WORDS_STDINT_H

typedef signed char        int8_t;
typedef short              int16_t;
typedef int                int32_t;
typedef long long          int64_t;
typedef unsigned char      uint8_t;
typedef unsigned short     uint16_t;
typedef unsigned int       uint32_t;
typedef unsigned long long uint64_t;
typedef unsigned long long uintptr_t;

#define INT8_MIN (-128)
#define INT8_MAX 127
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define INT64_MIN (-9223372036854775807ll - 1)
#define INT64_MAX 9223372036854775807ll
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295u
#define UINT64_C(x) x##ull
#define INT64_C(x) x##ll
#define UINT64_MAX 18446744073709551615ull

#endif
