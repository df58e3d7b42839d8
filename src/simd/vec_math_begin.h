/* vec_math_begin.h - short names for the text of vec_math*.h, bound to the lane type VEC_T (f32, w64 or f64).
 * vec_math_end.h undefines them. No include guard: it opens each section. */
#include "vec_lane.h"

#define V VEC_V
#define M VEC_M
#define C(x) VEC_W(set)((VEC_C)(x))
#define ADD VEC_W(add)
#define SUB VEC_W(sub)
#define MUL VEC_W(mul)
#define DIV VEC_W(div)
#define NEG VEC_W(neg)
#define ABS VEC_W(abs)
#define SQRT VEC_W(sqrt)
#define COPYSIGN VEC_W(copysign)
#define SEL VEC_W(select)
#define LT VEC_W(lt)
#define LE VEC_W(le)
#define EQ VEC_W(eq)
#define NE VEC_W(ne)
#define AND VEC_W(mask_and)
#define OR VEC_W(mask_or)

/* POLY_n(x, c0, .., cn) = c0 + c1 x + .. + cn x^n by Horner's rule; x is a variable. */
#define POLY_1(x, c, d) ADD(C(c), MUL(x, C(d)))
#define POLY_2(x, c, ...) ADD(C(c), MUL(x, POLY_1(x, __VA_ARGS__)))
#define POLY_3(x, c, ...) ADD(C(c), MUL(x, POLY_2(x, __VA_ARGS__)))
#define POLY_4(x, c, ...) ADD(C(c), MUL(x, POLY_3(x, __VA_ARGS__)))
#define POLY_5(x, c, ...) ADD(C(c), MUL(x, POLY_4(x, __VA_ARGS__)))
#define POLY_6(x, c, ...) ADD(C(c), MUL(x, POLY_5(x, __VA_ARGS__)))
#define POLY_7(x, c, ...) ADD(C(c), MUL(x, POLY_6(x, __VA_ARGS__)))
#define POLY_8(x, c, ...) ADD(C(c), MUL(x, POLY_7(x, __VA_ARGS__)))
#define POLY_9(x, c, ...) ADD(C(c), MUL(x, POLY_8(x, __VA_ARGS__)))
#define POLY_10(x, c, ...) ADD(C(c), MUL(x, POLY_9(x, __VA_ARGS__)))
#define POLY_11(x, c, ...) ADD(C(c), MUL(x, POLY_10(x, __VA_ARGS__)))
#define POLY_12(x, c, ...) ADD(C(c), MUL(x, POLY_11(x, __VA_ARGS__)))
