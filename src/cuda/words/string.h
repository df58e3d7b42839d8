/* string.h - for NVRTC, see stdint.h; it knows what is used of this without a header. */
#ifndef STRIA_CUDA_WORDS_STRING_H
#define STRIA_CUDA_WORDS_STRING_H
#endif
