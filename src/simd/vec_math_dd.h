/* vec_math_dd.h - double-double arithmetic for vec_math_f64.h, which includes it inside its section: a value is the sum
 * hi + lo, exact to about 2^-100. Source: Dekker, A floating-point technique for extending the available precision, Numer.
 * Math. 18 (1971). */

VEC_INLINE DD VEC_W(dd_set)(double hi, double lo) { return VEC_W(dd_of)(C(hi), C(lo)); }
VEC_INLINE DD VEC_W(dd_neg)(DD a) { return VEC_W(dd_of)(NEG(a.hi), NEG(a.lo)); }
/* s must be a power of two in every lane */
VEC_INLINE DD VEC_W(dd_scale)(DD a, V s) { return VEC_W(dd_of)(MUL(a.hi, s), MUL(a.lo, s)); }
VEC_INLINE DD VEC_W(dd_select)(M m, DD a, DD b) { return VEC_W(dd_of)(SEL(m, a.hi, b.hi), SEL(m, a.lo, b.lo)); }

/* a + b exactly, for |a| >= |b| (Dekker), and for any a, b (Knuth, TAOCP 2). */
VEC_INLINE DD VEC_W(dd_fast_sum)(V a, V b)
{
    const V s = ADD(a, b);
    return VEC_W(dd_of)(s, SUB(b, SUB(s, a)));
}
VEC_INLINE DD VEC_W(dd_sum)(V a, V b)
{
    const V s = ADD(a, b), bb = SUB(s, a);
    return VEC_W(dd_of)(s, ADD(SUB(a, SUB(s, bb)), SUB(b, bb)));
}

/* a * b exactly (Veltkamp's splitting), for |a|, |b| < 2^996 and a product above 2^-960. */
VEC_INLINE DD VEC_W(dd_product)(V a, V b)
{
    const V s = C(0x1.0000002p27), as = MUL(a, s), bs = MUL(b, s), p = MUL(a, b);
    const V a1 = SUB(as, SUB(as, a)), a2 = SUB(a, a1), b1 = SUB(bs, SUB(bs, b)), b2 = SUB(b, b1);
    const V e = ADD(ADD(SUB(MUL(a1, b1), p), MUL(a1, b2)), MUL(a2, b1));
    return VEC_W(dd_of)(p, ADD(e, MUL(a2, b2)));
}

VEC_INLINE DD VEC_W(dd_add)(DD a, DD b)
{
    const DD s = VEC_W(dd_sum)(a.hi, b.hi);
    return VEC_W(dd_fast_sum)(s.hi, ADD(s.lo, ADD(a.lo, b.lo)));
}
VEC_INLINE DD VEC_W(dd_mul)(DD a, DD b)
{
    const DD p = VEC_W(dd_product)(a.hi, b.hi);
    return VEC_W(dd_fast_sum)(p.hi, ADD(p.lo, ADD(MUL(a.hi, b.lo), MUL(a.lo, b.hi))));
}
VEC_INLINE DD VEC_W(dd_div)(DD a, DD b)
{
    const V  q = DIV(a.hi, b.hi);
    const DD p = VEC_W(dd_product)(q, b.hi);
    const V  rest = SUB(ADD(SUB(SUB(a.hi, p.hi), p.lo), a.lo), MUL(q, b.lo));
    return VEC_W(dd_fast_sum)(q, DIV(rest, b.hi));
}
/* a.hi > 0, or all is 0 */
VEC_INLINE DD VEC_W(dd_sqrt)(DD a)
{
    const V  r = SQRT(a.hi);
    const DD p = VEC_W(dd_product)(r, r);
    const V  rest = ADD(SUB(SUB(a.hi, p.hi), p.lo), a.lo);
    return VEC_W(dd_fast_sum)(r, DIV(rest, SEL(EQ(r, C(0)), C(1), ADD(r, r))));
}

/* 2^k for an integral k in [-1022, 1023]. */
VEC_INLINE V VEC_W(power_of_two)(V k)
{
    const VEC_U u = VEC_W(bits)(ADD(k, C(0x1.8p52 + 1023))); /* its lower bits: k + 1023 */
    return VEC_W(frombits)(VEC_UW(shl)(u, 52));
}
/* x * 2^k, |k| < 2000, in two steps, so that only the last can leave the range of normal numbers. */
VEC_INLINE V VEC_W(scale)(V x, V k)
{
    const V half = VEC_W(floor)(MUL(k, C(0.5)));
    return MUL(MUL(x, VEC_W(power_of_two)(half)), VEC_W(power_of_two)(SUB(k, half)));
}
