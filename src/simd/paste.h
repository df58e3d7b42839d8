/* paste.h - pasting and quoting of expanded tokens. */
#ifndef STRIA_PASTE_H
#define STRIA_PASTE_H

#define STRIA_CAT_(a, b) a##b
#define STRIA_CAT(a, b) STRIA_CAT_(a, b)
#define STRIA_CAT3_(a, b, c) a##b##c
#define STRIA_CAT3(a, b, c) STRIA_CAT3_(a, b, c)
#define STRIA_STRING_(a) #a
#define STRIA_STRING(a) STRIA_STRING_(a)

#endif
