/* math.h - for NVRTC, see stdint.h; the functions are its own. */
#ifndef STRIA_CUDA_WORDS_MATH_H
#define STRIA_CUDA_WORDS_MATH_H

#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fc00000)

#endif
