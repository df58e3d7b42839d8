/* paste.h - pasting and quoting of expanded tokens, and the names of headers made by them. */
#ifndef STRIA_PASTE_H
#define STRIA_PASTE_H

#define STRIA_CAT_(a, b) a##b
#define STRIA_CAT(a, b) STRIA_CAT_(a, b)
#define STRIA_CAT3_(a, b, c) a##b##c
#define STRIA_CAT3(a, b, c) STRIA_CAT3_(a, b, c)
#define STRIA_STRING_(a) #a
#define STRIA_STRING(a) STRIA_STRING_(a)

/* A header of the instruction set STRIA_ISA: for avx2, #include STRIA_ISA_HEADER(vec_) includes "vec_avx2.h". */
#define STRIA_ISA_HEADER(prefix) STRIA_STRING(STRIA_CAT(prefix, STRIA_ISA).h)

#endif
