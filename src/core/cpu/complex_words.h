/* complex_words.h - the words that rows of complex.def are made of, on the CPU and on CUDA. Internal. C and C++; included within
 *
 *     Z_FN                  how functions are defined
 *     value, REAL           a part of a number, and what stands in place of an imaginary part
 *     z, Z(re, im)          a complex number: the values of its parts
 *     program, p->limits    what is given to all of them as p, and the limits of the parts (complex_limits.h)
 *     v_set, v_add ..       the words of vec.h that are ops; truth values are values, too
 *
 * On the CPU they compute nothing: each records ops of ops.def on the parts of its operands, as instructions of an expression
 * (complex_program.c). On CUDA they compute (src/cuda/complex_template.cuh).
 *
 * z_* take and give complex numbers. */

/* ---------------------------------------------------------------- parts */

Z_FN z     z_real(program *p, double number) { return Z(v_set(number), REAL); }
Z_FN z     z_one(program *p) { return z_real(p, 1); }
Z_FN value z_imag(program *p, z a) { return a.im == REAL ? v_set(0) : a.im; }
Z_FN z     z_swap(z a) { return Z(a.im, a.re); }
Z_FN value z_true(program *p, z a)
{
    const value re = v_ne(a.re, v_set(0));
    return a.im == REAL ? re : v_mask_or(re, v_ne(a.im, v_set(0)));
}
Z_FN z z_select(program *p, value mask, z a, z b)
{
    return Z(v_select(mask, a.re, b.re), v_select(mask, z_imag(p, a), z_imag(p, b)));
}

/* ---------------------------------------------------------------- arithmetic */

Z_FN z z_neg(program *p, z a) { return Z(v_neg(a.re), a.im == REAL ? REAL : v_neg(a.im)); }
/* i times a */
Z_FN z z_turned(program *p, z a) { return Z(v_neg(a.im), a.re); }

Z_FN z z_add(program *p, z a, z b)
{
    return Z(v_add(a.re, b.re), a.im == REAL ? b.im : b.im == REAL ? a.im : v_add(a.im, b.im));
}

Z_FN z z_sub(program *p, z a, z b)
{
    const value re = v_sub(a.re, b.re);

    if (b.im == REAL) return Z(re, a.im);
    return Z(re, a.im == REAL ? v_neg(b.im) : v_sub(a.im, b.im));
}

Z_FN z z_mul(program *p, z a, z b)
{
    if (b.im == REAL) return Z(v_mul(a.re, b.re), a.im == REAL ? REAL : v_mul(a.im, b.re));
    if (a.im == REAL) return Z(v_mul(a.re, b.re), v_mul(a.re, b.im));
    return Z(v_sub(v_mul(a.re, b.re), v_mul(a.im, b.im)), v_add(v_mul(a.re, b.im), v_mul(a.im, b.re)));
}

/* (x - y)(x + y), of halves, overflows where the square does. */
Z_FN z z_square(program *p, z a)
{
    const value half = v_mul(a.re, a.im), x = v_mul(a.re, v_set(0.5)), y = v_mul(a.im, v_set(0.5));
    return Z(v_mul(v_mul(v_sub(x, y), v_add(x, y)), v_set(4)), v_add(half, half));
}

/* Powers of two that bring numbers away from the ends of the range. large, small: where that begins. */
Z_FN value scale_of(program *p, value m, double large, double down, double small, double up)
{
    return v_select(v_le(v_set(large), m), v_set(down), v_select(v_lt(m, v_set(small)), v_set(up), v_set(1)));
}

/* Whether the larger part is where squares and products do what they should (stria_complex_kernels). */
Z_FN value is_near(program *p, value part)
{
    return v_mask_and(v_le(v_set(p->limits->near_least), part), v_lt(part, v_set(p->limits->near_most)));
}
Z_FN value is_near_or_zero(program *p, value part) { return v_mask_or(is_near(p, part), v_eq(part, v_set(0))); }

/* Of numbers that are near the textbook's, which the kernels compute. Of others Smith's (Algorithm 116, Communications of the ACM 5, 1962),
 * the larger part of b below; both operands scaled, so that neither the sum below overflows nor the product above vanishes, as in
 * Baudin and Smith (A Robust Complex Division in Scilab, 2012). By 0: both parts divided by +0. By an infinity: 0 of what is finite. */
Z_FN z z_div(program *p, z a, z b)
{
    const stria_complex_limits *l = p->limits;

    if (b.im == REAL) return Z(v_div(a.re, b.re), a.im == REAL ? REAL : v_div(a.im, b.re));
    const value a_im = z_imag(p, a), below = v_max(v_abs(b.re), v_abs(b.im)), above = v_max(v_abs(a.re), v_abs(a_im));
    const value near = v_mask_and(is_near(p, below), is_near_or_zero(p, above)), is_zero = v_eq(below, v_set(0));
    const value is_inf = v_isinf(below);
    const value k = v_select(is_inf, v_set(0), scale_of(p, below, l->large, 0.25, l->root_small, l->root_up));
    const value h = scale_of(p, above, l->large, 0.25, l->root_small, l->root_up);
    const value back = scale_of(p, above, l->large, 4, l->root_small, 1 / l->root_up);
    const value c = v_select(is_inf, v_copysign(v_select(v_isinf(b.re), v_set(1), v_set(0)), b.re), v_mul(b.re, k));
    const value d = v_select(is_inf, v_copysign(v_select(v_isinf(b.im), v_set(1), v_set(0)), b.im), v_mul(b.im, k));
    const value swaps = v_lt(v_abs(c), v_abs(d));
    const value u = v_select(swaps, d, c), v = v_select(swaps, c, d), r = v_div(v, u), sum = v_add(u, v_mul(v, r));
    const value x = v_mul(a.re, h), y = v_mul(a_im, h), p1 = v_select(swaps, y, x), p2 = v_select(swaps, x, y);
    const value vanishes = v_lt(v_abs(r), v_set(l->normal));
    const value p1_r = v_select(vanishes, v_mul(v, v_div(p1, u)), v_mul(p1, r));
    const value p2_r = v_select(vanishes, v_mul(v, v_div(p2, u)), v_mul(p2, r));
    const value far_im = v_sub(p2, p1_r), factor = v_select(v_mask_or(near, is_zero), v_set(1), v_mul(k, back));
    /* what is above and below in the three cases */
    const value squares = v_add(v_mul(b.re, b.re), v_mul(b.im, b.im));
    const value under = v_select(near, squares, v_select(is_zero, below, sum));
    const value re =
        v_select(near, v_add(v_mul(a.re, b.re), v_mul(a_im, b.im)), v_select(is_zero, a.re, v_add(p1, p2_r)));
    const value im = v_select(near, v_sub(v_mul(a_im, b.re), v_mul(a.re, b.im)),
                              v_select(is_zero, a_im, v_select(swaps, v_neg(far_im), far_im)));
    return Z(v_mul(v_div(re, under), factor), v_mul(v_div(im, under), factor));
}

Z_FN value z_abs(program *p, z a)
{
    const value near = is_near_or_zero(p, v_max(v_abs(a.re), v_abs(a.im)));
    return v_select(near, v_sqrt(v_add(v_mul(a.re, a.re), v_mul(a.im, a.im))), v_hypot(a.re, a.im));
}

Z_FN z z_sign(program *p, z a)
{
    const stria_complex_limits *l = p->limits;
    const value                 k = scale_of(p, v_max(v_abs(a.re), v_abs(a.im)), l->large, 0.25, l->small, l->up);
    const value x = v_mul(a.re, k), y = v_mul(a.im, k), size = v_hypot(x, y), is_zero = v_eq(size, v_set(0));
    return Z(v_select(is_zero, a.re, v_div(x, size)), v_select(is_zero, a.im, v_div(y, size)));
}

/* t = sqrt((|x| + |z|) / 2) is the larger part where x and t have one sign (Kahan, Branch Cuts for Complex Elementary Functions, 1987). */
Z_FN z z_sqrt(program *p, z a)
{
    const stria_complex_limits *l = p->limits;
    const value                 ax = v_abs(a.re), ay = v_abs(a.im), m = v_max(ax, ay);
    const value                 k = scale_of(p, m, l->large, 0.25, l->small, l->up);
    const value                 back = scale_of(p, m, l->large, 2, l->small, 1 / l->up_root);
    const value                 x = v_mul(ax, k), y = v_mul(ay, k);
    const value                 t = v_mul(v_sqrt(v_mul(v_add(x, v_hypot(x, y)), v_set(0.5))), back);
    const value                 w = v_select(v_eq(t, v_set(0)), ay, v_div(ay, v_add(t, t)));
    const value                 is_left = v_lt(a.re, v_set(0)), is_inf = v_isinf(a.im);
    return Z(v_select(is_inf, ay, v_select(is_left, w, t)),
             v_copysign(v_select(is_inf, ay, v_select(is_left, t, w)), a.im));
}

Z_FN z z_lerp(program *p, z a, z b, z c)
{
    const value is_near = v_lt(c.im == REAL ? v_abs(c.re) : v_hypot(c.re, c.im), v_set(0.5));
    const z     way = z_sub(p, b, a);
    return z_select(p, is_near, z_add(p, a, z_mul(p, c, way)), z_sub(p, b, z_mul(p, way, z_sub(p, z_one(p), c))));
}

/* ---------------------------------------------------------------- exponentials and logarithms */

/* cos and sin of y beside a factor that grows with |x|: what is not finite counts as 1 and 0 where it decides no sign, so that infinities
 * are what C (Annex G) says. */
Z_FN z cis(program *p, value x, value y)
{
    const value is_lost = v_mask_and(v_isinf(x), v_mask_not(v_isfinite(y)));
    return Z(v_select(is_lost, v_set(1), v_cos(y)), v_sin(y));
}

/* (r cos y, r sin y) with r = low high, powers of x, of which high may overflow where r does not. */
Z_FN z from_powers(program *p, value low, value high, value x, value y)
{
    const z w = cis(p, x, y);
    /* of -infinity 0, whatever the angle */
    const value is_nothing = v_eq(x, v_set(-INFINITY));
    const value im = v_select(v_mask_and(is_nothing, v_mask_not(v_isfinite(y))), v_set(0), w.im);
    return Z(v_mul(v_mul(low, w.re), high), v_select(v_eq(y, v_set(0)), y, v_mul(v_mul(low, im), high)));
}

Z_FN z z_exp(program *p, z a)
{
    const value top = v_set(p->limits->exp_top), beyond = v_max(v_sub(a.re, top), v_set(0));
    return from_powers(p, v_exp(v_min(a.re, top)), v_exp(beyond), a.re, a.im);
}

Z_FN z z_exp2(program *p, z a)
{
    const value top = v_set(p->limits->exp_top), beyond = v_max(v_sub(a.re, top), v_set(0));
    return from_powers(p, v_exp2(v_min(a.re, top)), v_exp2(beyond), a.re, v_mul(a.im, v_set(0x1.62e42fefa39efp-1)));
}

/* exp(x) cos y - 1 = expm1(x) cos y - 2 sin(y/2)^2 */
Z_FN z z_expm1(program *p, z a)
{
    const z     e = z_exp(p, a);
    const value half = v_sin(v_mul(a.im, v_set(0.5))), is_far = v_mask_not(v_lt(v_abs(a.re), v_set(16)));
    const value re = v_sub(v_mul(v_expm1(a.re), v_cos(a.im)), v_mul(v_set(2), v_mul(half, half)));
    return Z(v_select(is_far, v_sub(e.re, v_set(1)), re), e.im);
}

/* log |x + iy|: of numbers scaled away from the ends of the range. */
Z_FN value log_size(program *p, value x, value y)
{
    const stria_complex_limits *l = p->limits;
    const value                 m = v_max(v_abs(x), v_abs(y)), k = scale_of(p, m, l->large, 0.25, l->small, l->up);
    const value                 more = v_select(v_le(v_set(l->large), m), v_set(0x1.62e42fefa39efp0),
                                                v_select(v_lt(m, v_set(l->small)), v_set(-l->log_up), v_set(0)));
    return v_add(v_log(v_hypot(v_mul(x, k), v_mul(y, k))), more);
}

/* log(x + iy). Where that is near 1, log1p(t (x + 1) + y^2) / 2 with t = x - 1 and next = x + 1. */
Z_FN z log_near(program *p, value x, value y, value t, value next)
{
    const value is_near = v_mask_and(v_mask_and(v_le(v_set(0.5), x), v_le(x, v_set(2))), v_le(v_abs(y), v_set(1)));
    const value near = v_mul(v_set(0.5), v_log1p(v_add(v_mul(t, next), v_mul(y, y))));
    return Z(v_select(is_near, near, log_size(p, x, y)), v_atan2(y, x));
}
Z_FN z z_log(program *p, z a) { return log_near(p, a.re, a.im, v_sub(a.re, v_set(1)), v_add(a.re, v_set(1))); }
Z_FN z z_log1p(program *p, z a) { return log_near(p, v_add(a.re, v_set(1)), a.im, a.re, v_add(a.re, v_set(2))); }

/* |a|^c exp(-d angle), at the angle c angle + d log |a|, for b = c + id; of 0: 0, or 1 for b = 0. */
Z_FN z z_pow(program *p, z a, z b)
{
    const z     w = a.im == REAL ? Z(REAL, v_atan2(v_set(0), a.re)) : z_log(p, a);
    const value size = a.im == REAL ? v_abs(a.re) : v_hypot(a.re, a.im), is_zero = v_eq(size, v_set(0));
    value       r = v_pow(size, b.re), turn = v_mul(b.re, w.im);

    if (b.im != REAL) {
        r = v_mul(r, v_exp(v_neg(v_mul(b.im, w.im))));
        turn = v_add(v_mul(b.im, a.im == REAL ? v_log(size) : w.re), turn);
        turn = v_select(v_mask_and(is_zero, v_lt(v_set(0), b.re)), v_set(0), turn);
        turn = v_select(v_mask_and(v_eq(b.re, v_set(0)), v_eq(b.im, v_set(0))), v_set(0), turn);
    }
    return Z(v_mul(r, v_cos(turn)), v_select(v_eq(turn, v_set(0)), turn, v_mul(r, v_sin(turn))));
}

/* ---------------------------------------------------------------- hyperbolic functions */

/* x limited to what does not overflow, and the factor that is missing then. */
typedef struct limited {
    value x, more;
} limited;
Z_FN limited limit(program *p, value x)
{
    const value   top = v_set(p->limits->exp_top), size = v_abs(x);
    const limited r = {v_copysign(v_min(size, top), x), v_exp(v_max(v_sub(size, top), v_set(0)))};
    return r;
}

Z_FN z z_sinh(program *p, z a)
{
    const limited x = limit(p, a.re);
    const z       w = cis(p, a.re, a.im);
    const value   re = v_mul(v_mul(v_sinh(x.x), w.re), x.more), im = v_mul(v_mul(v_cosh(x.x), w.im), x.more);
    const value   keeps = v_mask_and(v_eq(a.re, v_set(0)), v_mask_not(v_isfinite(a.im)));
    return Z(v_select(keeps, a.re, re), v_select(v_eq(a.im, v_set(0)), a.im, im));
}

Z_FN z z_cosh(program *p, z a)
{
    const limited x = limit(p, a.re);
    const z       w = cis(p, a.re, a.im);
    const value   re = v_mul(v_mul(v_cosh(x.x), w.re), x.more), im = v_mul(v_mul(v_sinh(x.x), w.im), x.more);
    const value   is_flat =
        v_mask_or(v_eq(a.im, v_set(0)), v_mask_and(v_eq(a.re, v_set(0)), v_mask_not(v_isfinite(a.im))));
    const value zero = v_copysign(v_set(0), v_mul(v_copysign(v_set(1), a.re), v_copysign(v_set(1), a.im)));
    return Z(re, v_select(is_flat, zero, im));
}

/* With t = tan y, s = sinh x: (cosh x sinh x (1 + t^2) + i t) / (1 + s^2 (1 + t^2)) (Kahan, as above); beyond tanh_top |x| it is 1. */
Z_FN z z_tanh(program *p, z a)
{
    const value size = v_abs(a.re), decides = v_mask_or(v_isinf(a.re), v_isfinite(a.im));
    const value is_far = v_mask_and(v_le(v_set(p->limits->tanh_top), size), decides);
    const value x = v_copysign(v_min(size, v_set(p->limits->tanh_top)), a.re), t = v_tan(a.im), s = v_sinh(x);
    const value beta = v_add(v_set(1), v_mul(t, t)), rho = v_cosh(x), below = v_add(v_set(1), v_mul(beta, v_mul(s, s)));
    const value decay = v_exp(v_neg(v_add(size, size)));
    const value far_im = v_mul(v_mul(v_set(4), v_mul(v_sin(a.im), v_cos(a.im))), decay);
    const value is_lost = v_mask_and(v_isinf(a.re), v_mask_not(v_isfinite(a.im)));
    const value re = v_select(is_far, v_copysign(v_set(1), a.re), v_div(v_mul(beta, v_mul(rho, s)), below));
    const value im = v_select(is_lost, v_copysign(v_set(0), a.im), v_select(is_far, far_im, v_div(t, below)));
    return Z(v_select(v_eq(a.re, v_set(0)), a.re, re), v_select(v_eq(a.im, v_set(0)), a.im, im));
}

/* ---------------------------------------------------------------- inverse functions (Kahan, as above) */

/* sqrt(1 - z) and sqrt(1 + z); where z is far log(2 |z|). */
typedef struct roots {
    z     minus, plus;
    value is_far, log;
} roots;
Z_FN roots find_roots(program *p, z a)
{
    const value far = v_set(p->limits->far);
    const roots r = {z_sqrt(p, Z(v_sub(v_set(1), a.re), v_neg(a.im))), z_sqrt(p, Z(v_add(v_set(1), a.re), a.im)),
                     v_mask_or(v_le(far, v_abs(a.re)), v_le(far, v_abs(a.im))),
                     v_add(log_size(p, a.re, a.im), v_set(0x1.62e42fefa39efp-1))};
    return r;
}
/* Im(conj(a) b) */
Z_FN value cross(program *p, z a, z b) { return v_sub(v_mul(a.re, b.im), v_mul(a.im, b.re)); }

Z_FN z z_asin(program *p, z a)
{
    const roots r = find_roots(p, a);
    const value below = v_sub(v_mul(r.minus.re, r.plus.re), v_mul(r.minus.im, r.plus.im));
    const value re = v_atan2(a.re, v_select(r.is_far, v_abs(a.im), below));
    const value im = v_select(r.is_far, v_copysign(r.log, a.im), v_asinh(cross(p, r.minus, r.plus)));
    return Z(v_select(v_eq(a.re, v_set(0)), a.re, re), im);
}

Z_FN z z_acos(program *p, z a)
{
    const roots r = find_roots(p, a);
    const value near = v_mul(v_set(2), v_atan2(r.minus.re, r.plus.re));
    const value re = v_select(r.is_far, v_atan2(v_abs(a.im), a.re), near);
    const value im = v_select(r.is_far, v_neg(v_copysign(r.log, a.im)), v_asinh(cross(p, r.plus, r.minus)));
    return Z(v_select(v_eq(a.re, v_set(0)), v_set(0x1.921fb54442d18p0), re), im);
}

Z_FN z z_acosh(program *p, z a)
{
    const z w = z_acos(p, a);
    return Z(v_abs(w.im), v_copysign(w.re, a.im));
}

/* log1p(4 |x| / ((1 - |x|)^2 + y^2)) / 4, and the angle of 1 - z^2 halved. */
Z_FN z z_atanh(program *p, z a)
{
    const stria_complex_limits *l = p->limits;
    const value                 ax = v_abs(a.re), ay = v_abs(a.im), far = v_set(l->far);
    const value                 t = v_sub(ax, v_set(1)), d2 = v_add(v_mul(t, t), v_mul(ay, ay));
    const value                 near_one = v_mul(v_set(0.5), v_sub(v_set(0x1.62e42fefa39efp-1), v_log(v_hypot(t, ay))));
    const value                 usual = v_mul(v_set(0.25), v_log1p(v_div(v_mul(v_set(4), ax), d2)));
    const value                 is_far = v_mask_or(v_le(far, ax), v_le(far, ay));
    const value                 quarter_x = v_mul(ax, v_set(0.25)), part = v_hypot(quarter_x, v_mul(ay, v_set(0.25)));
    const value far_re = v_select(v_isinf(part), v_set(0), v_mul(v_div(v_div(quarter_x, part), part), v_set(0.25)));
    const value re = v_select(is_far, far_re, v_select(v_lt(d2, v_set(l->tiny_square)), near_one, usual));
    const value turn = v_atan2(v_add(ay, ay), v_sub(v_neg(v_mul(t, v_add(ax, v_set(1)))), v_mul(ay, ay)));
    const value doubt = v_add(part, ay); /* NaN where the quarter is not known */
    const value quarter = v_select(v_ne(doubt, doubt), doubt, v_set(0x1.921fb54442d18p0));
    const value im = v_select(is_far, quarter, v_mul(v_set(0.5), turn));
    const value is_upright = v_eq(a.re, v_set(0));
    const value is_flat = v_mask_and(v_eq(a.im, v_set(0)), v_le(ax, v_set(1)));
    return Z(v_select(is_upright, a.re, v_copysign(re, a.re)),
             v_select(is_flat, a.im, v_select(is_upright, v_atan(a.im), v_copysign(im, a.im))));
}
