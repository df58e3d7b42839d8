/* complex_words.h - the words that rows of complex.def are made of. They compute nothing: each records ops of ops.def on the parts of
 * its operands, as instructions of an expression (complex_program.c includes this). Internal.
 *
 * v_* are the words of vec.h that are ops; a value is a number. z_* take and give complex numbers. `p` is the program in all of them. */

/* ---------------------------------------------------------------- values and ops */

#define v_set(number) record_number(p, number)
#define v_add(a, b) record(p, STRIA_OP_add, a, b, NONE)
#define v_sub(a, b) record(p, STRIA_OP_sub, a, b, NONE)
#define v_mul(a, b) record(p, STRIA_OP_mul, a, b, NONE)
#define v_div(a, b) record(p, STRIA_OP_div, a, b, NONE)
#define v_neg(a) record(p, STRIA_OP_neg, a, NONE, NONE)
#define v_abs(a) record(p, STRIA_OP_abs, a, NONE, NONE)
#define v_sqrt(a) record(p, STRIA_OP_sqrt, a, NONE, NONE)
#define v_pow(a, b) record(p, STRIA_OP_pow, a, b, NONE)
#define v_hypot(a, b) record(p, STRIA_OP_hypot, a, b, NONE)
#define v_exp(a) record(p, STRIA_OP_exp, a, NONE, NONE)
#define v_exp2(a) record(p, STRIA_OP_exp2, a, NONE, NONE)
#define v_expm1(a) record(p, STRIA_OP_expm1, a, NONE, NONE)
#define v_log(a) record(p, STRIA_OP_log, a, NONE, NONE)
#define v_log1p(a) record(p, STRIA_OP_log1p, a, NONE, NONE)
#define v_sin(a) record(p, STRIA_OP_sin, a, NONE, NONE)
#define v_cos(a) record(p, STRIA_OP_cos, a, NONE, NONE)
#define v_tan(a) record(p, STRIA_OP_tan, a, NONE, NONE)
#define v_sinh(a) record(p, STRIA_OP_sinh, a, NONE, NONE)
#define v_cosh(a) record(p, STRIA_OP_cosh, a, NONE, NONE)
#define v_atan(a) record(p, STRIA_OP_atan, a, NONE, NONE)
#define v_atan2(a, b) record(p, STRIA_OP_atan2, a, b, NONE)
#define v_asinh(a) record(p, STRIA_OP_asinh, a, NONE, NONE)
#define v_atanh(a) record(p, STRIA_OP_atanh, a, NONE, NONE)
#define v_copysign(a, b) record(p, STRIA_OP_copysign, a, b, NONE)
#define v_min(a, b) record(p, STRIA_OP_minimum, a, b, NONE)
#define v_max(a, b) record(p, STRIA_OP_maximum, a, b, NONE)
#define v_eq(a, b) record(p, STRIA_OP_eq, a, b, NONE)
#define v_ne(a, b) record(p, STRIA_OP_ne, a, b, NONE)
#define v_lt(a, b) record(p, STRIA_OP_lt, a, b, NONE)
#define v_le(a, b) record(p, STRIA_OP_le, a, b, NONE)
#define v_isinf(a) record(p, STRIA_OP_isinf, a, NONE, NONE)
#define v_isfinite(a) record(p, STRIA_OP_isfinite, a, NONE, NONE)
#define v_mask_and(a, b) record(p, STRIA_OP_logical_and, a, b, NONE)
#define v_mask_or(a, b) record(p, STRIA_OP_logical_or, a, b, NONE)
#define v_mask_not(a) record(p, STRIA_OP_logical_not, a, NONE, NONE)
#define v_select(mask, a, b) record(p, STRIA_OP_where, mask, a, b)

/* ---------------------------------------------------------------- parts */

static z   z_real(program *p, double number) { return (z){v_set(number), REAL}; }
static z   z_one(program *p) { return z_real(p, 1); }
static int z_imag(program *p, z a) { return a.im == REAL ? v_set(0) : a.im; }
static z   z_swap(z a) { return (z){a.im, a.re}; }
static int z_true(program *p, z a)
{
    const int re = v_ne(a.re, v_set(0));
    return a.im == REAL ? re : v_mask_or(re, v_ne(a.im, v_set(0)));
}
static z z_select(program *p, int mask, z a, z b)
{
    return (z){v_select(mask, a.re, b.re), v_select(mask, z_imag(p, a), z_imag(p, b))};
}

/* ---------------------------------------------------------------- arithmetic */

static z z_neg(program *p, z a) { return (z){v_neg(a.re), a.im == REAL ? REAL : v_neg(a.im)}; }
/* i times a */
static z z_turned(program *p, z a) { return (z){v_neg(a.im), a.re}; }

static z z_add(program *p, z a, z b)
{
    return (z){v_add(a.re, b.re), a.im == REAL ? b.im : b.im == REAL ? a.im : v_add(a.im, b.im)};
}

static z z_sub(program *p, z a, z b)
{
    const int re = v_sub(a.re, b.re);

    if (b.im == REAL) return (z){re, a.im};
    return (z){re, a.im == REAL ? v_neg(b.im) : v_sub(a.im, b.im)};
}

static z z_mul(program *p, z a, z b)
{
    if (b.im == REAL) return (z){v_mul(a.re, b.re), a.im == REAL ? REAL : v_mul(a.im, b.re)};
    if (a.im == REAL) return (z){v_mul(a.re, b.re), v_mul(a.re, b.im)};
    return (z){v_sub(v_mul(a.re, b.re), v_mul(a.im, b.im)), v_add(v_mul(a.re, b.im), v_mul(a.im, b.re))};
}

/* (x - y)(x + y), of halves, overflows where the square does. */
static z z_square(program *p, z a)
{
    const int half = v_mul(a.re, a.im), x = v_mul(a.re, v_set(0.5)), y = v_mul(a.im, v_set(0.5));
    return (z){v_mul(v_mul(v_sub(x, y), v_add(x, y)), v_set(4)), v_add(half, half)};
}

/* Powers of two that bring numbers away from the ends of the range. large, small: where that begins. */
static int scale_of(program *p, int m, double large, double down, double small, double up)
{
    return v_select(v_le(v_set(large), m), v_set(down), v_select(v_lt(m, v_set(small)), v_set(up), v_set(1)));
}

/* Whether the larger part is where squares and products do what they should (stria_complex_kernels). */
static int is_near(program *p, int part)
{
    return v_mask_and(v_le(v_set(p->limits->near_least), part), v_lt(part, v_set(p->limits->near_most)));
}
static int is_near_or_zero(program *p, int part) { return v_mask_or(is_near(p, part), v_eq(part, v_set(0))); }

/* Of numbers that are near the textbook's, which the kernels compute. Of others Smith's (Algorithm 116, Communications of the ACM 5, 1962),
 * the larger part of b below; both operands scaled, so that neither the sum below overflows nor the product above vanishes, as in
 * Baudin and Smith (A Robust Complex Division in Scilab, 2012). By 0: both parts divided by +0. By an infinity: 0 of what is finite. */
static z z_div(program *p, z a, z b)
{
    const limits *l = p->limits;

    if (b.im == REAL) return (z){v_div(a.re, b.re), a.im == REAL ? REAL : v_div(a.im, b.re)};
    const int a_im = z_imag(p, a), below = v_max(v_abs(b.re), v_abs(b.im)), above = v_max(v_abs(a.re), v_abs(a_im));
    const int near = v_mask_and(is_near(p, below), is_near_or_zero(p, above)), is_zero = v_eq(below, v_set(0));
    const int is_inf = v_isinf(below);
    const int k = v_select(is_inf, v_set(0), scale_of(p, below, l->large, 0.25, l->root_small, l->root_up));
    const int h = scale_of(p, above, l->large, 0.25, l->root_small, l->root_up);
    const int back = scale_of(p, above, l->large, 4, l->root_small, 1 / l->root_up);
    const int c = v_select(is_inf, v_copysign(v_select(v_isinf(b.re), v_set(1), v_set(0)), b.re), v_mul(b.re, k));
    const int d = v_select(is_inf, v_copysign(v_select(v_isinf(b.im), v_set(1), v_set(0)), b.im), v_mul(b.im, k));
    const int swaps = v_lt(v_abs(c), v_abs(d));
    const int u = v_select(swaps, d, c), v = v_select(swaps, c, d), r = v_div(v, u), sum = v_add(u, v_mul(v, r));
    const int x = v_mul(a.re, h), y = v_mul(a_im, h), p1 = v_select(swaps, y, x), p2 = v_select(swaps, x, y);
    const int vanishes = v_lt(v_abs(r), v_set(l->normal));
    const int p1_r = v_select(vanishes, v_mul(v, v_div(p1, u)), v_mul(p1, r));
    const int p2_r = v_select(vanishes, v_mul(v, v_div(p2, u)), v_mul(p2, r));
    const int far_im = v_sub(p2, p1_r), factor = v_select(v_mask_or(near, is_zero), v_set(1), v_mul(k, back));
    /* what is above and below in the three cases */
    const int squares = v_add(v_mul(b.re, b.re), v_mul(b.im, b.im));
    const int under = v_select(near, squares, v_select(is_zero, below, sum));
    const int re =
        v_select(near, v_add(v_mul(a.re, b.re), v_mul(a_im, b.im)), v_select(is_zero, a.re, v_add(p1, p2_r)));
    const int im = v_select(near, v_sub(v_mul(a_im, b.re), v_mul(a.re, b.im)),
                            v_select(is_zero, a_im, v_select(swaps, v_neg(far_im), far_im)));
    return (z){v_mul(v_div(re, under), factor), v_mul(v_div(im, under), factor)};
}

static int z_abs(program *p, z a)
{
    const int near = is_near_or_zero(p, v_max(v_abs(a.re), v_abs(a.im)));
    return v_select(near, v_sqrt(v_add(v_mul(a.re, a.re), v_mul(a.im, a.im))), v_hypot(a.re, a.im));
}

static z z_sign(program *p, z a)
{
    const limits *l = p->limits;
    const int     k = scale_of(p, v_max(v_abs(a.re), v_abs(a.im)), l->large, 0.25, l->small, l->up);
    const int     x = v_mul(a.re, k), y = v_mul(a.im, k), size = v_hypot(x, y), is_zero = v_eq(size, v_set(0));
    return (z){v_select(is_zero, a.re, v_div(x, size)), v_select(is_zero, a.im, v_div(y, size))};
}

/* t = sqrt((|x| + |z|) / 2) is the larger part where x and t have one sign (Kahan, Branch Cuts for Complex Elementary Functions, 1987). */
static z z_sqrt(program *p, z a)
{
    const limits *l = p->limits;
    const int     ax = v_abs(a.re), ay = v_abs(a.im), m = v_max(ax, ay);
    const int     k = scale_of(p, m, l->large, 0.25, l->small, l->up);
    const int     back = scale_of(p, m, l->large, 2, l->small, 1 / l->up_root);
    const int     x = v_mul(ax, k), y = v_mul(ay, k);
    const int     t = v_mul(v_sqrt(v_mul(v_add(x, v_hypot(x, y)), v_set(0.5))), back);
    const int     w = v_select(v_eq(t, v_set(0)), ay, v_div(ay, v_add(t, t)));
    const int     is_left = v_lt(a.re, v_set(0)), is_inf = v_isinf(a.im);
    return (z){v_select(is_inf, ay, v_select(is_left, w, t)),
               v_copysign(v_select(is_inf, ay, v_select(is_left, t, w)), a.im)};
}

static z z_lerp(program *p, z a, z b, z c)
{
    const int is_near = v_lt(c.im == REAL ? v_abs(c.re) : v_hypot(c.re, c.im), v_set(0.5));
    const z   way = z_sub(p, b, a);
    return z_select(p, is_near, z_add(p, a, z_mul(p, c, way)), z_sub(p, b, z_mul(p, way, z_sub(p, z_one(p), c))));
}

/* ---------------------------------------------------------------- exponentials and logarithms */

/* cos and sin of y beside a factor that grows with |x|: what is not finite counts as 1 and 0 where it decides no sign, so that infinities
 * are what C (Annex G) says. */
static z cis(program *p, int x, int y)
{
    const int is_lost = v_mask_and(v_isinf(x), v_mask_not(v_isfinite(y)));
    return (z){v_select(is_lost, v_set(1), v_cos(y)), v_sin(y)};
}

/* (r cos y, r sin y) with r = low high, powers of x, of which high may overflow where r does not. */
static z from_powers(program *p, int low, int high, int x, int y)
{
    const z w = cis(p, x, y);
    /* of -infinity 0, whatever the angle */
    const int is_nothing = v_eq(x, v_set(-INFINITY));
    const int im = v_select(v_mask_and(is_nothing, v_mask_not(v_isfinite(y))), v_set(0), w.im);
    return (z){v_mul(v_mul(low, w.re), high), v_select(v_eq(y, v_set(0)), y, v_mul(v_mul(low, im), high))};
}

static z z_exp(program *p, z a)
{
    const int top = v_set(p->limits->exp_top), beyond = v_max(v_sub(a.re, top), v_set(0));
    return from_powers(p, v_exp(v_min(a.re, top)), v_exp(beyond), a.re, a.im);
}

static z z_exp2(program *p, z a)
{
    const int top = v_set(p->limits->exp_top), beyond = v_max(v_sub(a.re, top), v_set(0));
    return from_powers(p, v_exp2(v_min(a.re, top)), v_exp2(beyond), a.re, v_mul(a.im, v_set(0x1.62e42fefa39efp-1)));
}

/* exp(x) cos y - 1 = expm1(x) cos y - 2 sin(y/2)^2 */
static z z_expm1(program *p, z a)
{
    const z   e = z_exp(p, a);
    const int half = v_sin(v_mul(a.im, v_set(0.5))), is_far = v_mask_not(v_lt(v_abs(a.re), v_set(16)));
    const int re = v_sub(v_mul(v_expm1(a.re), v_cos(a.im)), v_mul(v_set(2), v_mul(half, half)));
    return (z){v_select(is_far, v_sub(e.re, v_set(1)), re), e.im};
}

/* log |x + iy|: of numbers scaled away from the ends of the range. */
static int log_size(program *p, int x, int y)
{
    const limits *l = p->limits;
    const int     m = v_max(v_abs(x), v_abs(y)), k = scale_of(p, m, l->large, 0.25, l->small, l->up);
    const int     more = v_select(v_le(v_set(l->large), m), v_set(0x1.62e42fefa39efp0),
                                  v_select(v_lt(m, v_set(l->small)), v_set(-l->log_up), v_set(0)));
    return v_add(v_log(v_hypot(v_mul(x, k), v_mul(y, k))), more);
}

/* log(x + iy). Where that is near 1, log1p(t (x + 1) + y^2) / 2 with t = x - 1 and next = x + 1. */
static z log_near(program *p, int x, int y, int t, int next)
{
    const int is_near = v_mask_and(v_mask_and(v_le(v_set(0.5), x), v_le(x, v_set(2))), v_le(v_abs(y), v_set(1)));
    const int near = v_mul(v_set(0.5), v_log1p(v_add(v_mul(t, next), v_mul(y, y))));
    return (z){v_select(is_near, near, log_size(p, x, y)), v_atan2(y, x)};
}
static z z_log(program *p, z a) { return log_near(p, a.re, a.im, v_sub(a.re, v_set(1)), v_add(a.re, v_set(1))); }
static z z_log1p(program *p, z a) { return log_near(p, v_add(a.re, v_set(1)), a.im, a.re, v_add(a.re, v_set(2))); }

/* |a|^c exp(-d angle), at the angle c angle + d log |a|, for b = c + id; of 0: 0, or 1 for b = 0. */
static z z_pow(program *p, z a, z b)
{
    const z   w = a.im == REAL ? (z){NONE, v_atan2(v_set(0), a.re)} : z_log(p, a);
    const int size = a.im == REAL ? v_abs(a.re) : v_hypot(a.re, a.im), is_zero = v_eq(size, v_set(0));
    int       r = v_pow(size, b.re), turn = v_mul(b.re, w.im);

    if (b.im != REAL) {
        r = v_mul(r, v_exp(v_neg(v_mul(b.im, w.im))));
        turn = v_add(v_mul(b.im, a.im == REAL ? v_log(size) : w.re), turn);
        turn = v_select(v_mask_and(is_zero, v_lt(v_set(0), b.re)), v_set(0), turn);
        turn = v_select(v_mask_and(v_eq(b.re, v_set(0)), v_eq(b.im, v_set(0))), v_set(0), turn);
    }
    return (z){v_mul(r, v_cos(turn)), v_select(v_eq(turn, v_set(0)), turn, v_mul(r, v_sin(turn)))};
}

/* ---------------------------------------------------------------- hyperbolic functions */

/* x limited to what does not overflow, and the factor that is missing then. */
typedef struct limited {
    int x, more;
} limited;
static limited limit(program *p, int x)
{
    const int top = v_set(p->limits->exp_top), size = v_abs(x);
    return (limited){v_copysign(v_min(size, top), x), v_exp(v_max(v_sub(size, top), v_set(0)))};
}

static z z_sinh(program *p, z a)
{
    const limited x = limit(p, a.re);
    const z       w = cis(p, a.re, a.im);
    const int     re = v_mul(v_mul(v_sinh(x.x), w.re), x.more), im = v_mul(v_mul(v_cosh(x.x), w.im), x.more);
    const int     keeps = v_mask_and(v_eq(a.re, v_set(0)), v_mask_not(v_isfinite(a.im)));
    return (z){v_select(keeps, a.re, re), v_select(v_eq(a.im, v_set(0)), a.im, im)};
}

static z z_cosh(program *p, z a)
{
    const limited x = limit(p, a.re);
    const z       w = cis(p, a.re, a.im);
    const int     re = v_mul(v_mul(v_cosh(x.x), w.re), x.more), im = v_mul(v_mul(v_sinh(x.x), w.im), x.more);
    const int is_flat = v_mask_or(v_eq(a.im, v_set(0)), v_mask_and(v_eq(a.re, v_set(0)), v_mask_not(v_isfinite(a.im))));
    const int zero = v_copysign(v_set(0), v_mul(v_copysign(v_set(1), a.re), v_copysign(v_set(1), a.im)));
    return (z){re, v_select(is_flat, zero, im)};
}

/* With t = tan y, s = sinh x: (cosh x sinh x (1 + t^2) + i t) / (1 + s^2 (1 + t^2)) (Kahan, as above); beyond tanh_top |x| it is 1. */
static z z_tanh(program *p, z a)
{
    const int size = v_abs(a.re), decides = v_mask_or(v_isinf(a.re), v_isfinite(a.im));
    const int is_far = v_mask_and(v_le(v_set(p->limits->tanh_top), size), decides);
    const int x = v_copysign(v_min(size, v_set(p->limits->tanh_top)), a.re), t = v_tan(a.im), s = v_sinh(x);
    const int beta = v_add(v_set(1), v_mul(t, t)), rho = v_cosh(x), below = v_add(v_set(1), v_mul(beta, v_mul(s, s)));
    const int decay = v_exp(v_neg(v_add(size, size)));
    const int far_im = v_mul(v_mul(v_set(4), v_mul(v_sin(a.im), v_cos(a.im))), decay);
    const int is_lost = v_mask_and(v_isinf(a.re), v_mask_not(v_isfinite(a.im)));
    const int re = v_select(is_far, v_copysign(v_set(1), a.re), v_div(v_mul(beta, v_mul(rho, s)), below));
    const int im = v_select(is_lost, v_copysign(v_set(0), a.im), v_select(is_far, far_im, v_div(t, below)));
    return (z){v_select(v_eq(a.re, v_set(0)), a.re, re), v_select(v_eq(a.im, v_set(0)), a.im, im)};
}

/* ---------------------------------------------------------------- inverse functions (Kahan, as above) */

/* sqrt(1 - z) and sqrt(1 + z); where z is far log(2 |z|). */
typedef struct roots {
    z   minus, plus;
    int is_far, log;
} roots;
static roots find_roots(program *p, z a)
{
    const int far = v_set(p->limits->far);
    return (roots){z_sqrt(p, (z){v_sub(v_set(1), a.re), v_neg(a.im)}), z_sqrt(p, (z){v_add(v_set(1), a.re), a.im}),
                   v_mask_or(v_le(far, v_abs(a.re)), v_le(far, v_abs(a.im))),
                   v_add(log_size(p, a.re, a.im), v_set(0x1.62e42fefa39efp-1))};
}
/* Im(conj(a) b) */
static int cross(program *p, z a, z b) { return v_sub(v_mul(a.re, b.im), v_mul(a.im, b.re)); }

static z z_asin(program *p, z a)
{
    const roots r = find_roots(p, a);
    const int   below = v_sub(v_mul(r.minus.re, r.plus.re), v_mul(r.minus.im, r.plus.im));
    const int   re = v_atan2(a.re, v_select(r.is_far, v_abs(a.im), below));
    const int   im = v_select(r.is_far, v_copysign(r.log, a.im), v_asinh(cross(p, r.minus, r.plus)));
    return (z){v_select(v_eq(a.re, v_set(0)), a.re, re), im};
}

static z z_acos(program *p, z a)
{
    const roots r = find_roots(p, a);
    const int   near = v_mul(v_set(2), v_atan2(r.minus.re, r.plus.re));
    const int   re = v_select(r.is_far, v_atan2(v_abs(a.im), a.re), near);
    const int   im = v_select(r.is_far, v_neg(v_copysign(r.log, a.im)), v_asinh(cross(p, r.plus, r.minus)));
    return (z){v_select(v_eq(a.re, v_set(0)), v_set(0x1.921fb54442d18p0), re), im};
}

static z z_acosh(program *p, z a)
{
    const z w = z_acos(p, a);
    return (z){v_abs(w.im), v_copysign(w.re, a.im)};
}

/* log1p(4 |x| / ((1 - |x|)^2 + y^2)) / 4, and the angle of 1 - z^2 halved. */
static z z_atanh(program *p, z a)
{
    const limits *l = p->limits;
    const int     ax = v_abs(a.re), ay = v_abs(a.im), far = v_set(l->far);
    const int     t = v_sub(ax, v_set(1)), d2 = v_add(v_mul(t, t), v_mul(ay, ay));
    const int     near_one = v_mul(v_set(0.5), v_sub(v_set(0x1.62e42fefa39efp-1), v_log(v_hypot(t, ay))));
    const int     usual = v_mul(v_set(0.25), v_log1p(v_div(v_mul(v_set(4), ax), d2)));
    const int     is_far = v_mask_or(v_le(far, ax), v_le(far, ay));
    const int     quarter_x = v_mul(ax, v_set(0.25)), part = v_hypot(quarter_x, v_mul(ay, v_set(0.25)));
    const int     far_re = v_select(v_isinf(part), v_set(0), v_mul(v_div(v_div(quarter_x, part), part), v_set(0.25)));
    const int     re = v_select(is_far, far_re, v_select(v_lt(d2, v_set(l->tiny_square)), near_one, usual));
    const int     turn = v_atan2(v_add(ay, ay), v_sub(v_neg(v_mul(t, v_add(ax, v_set(1)))), v_mul(ay, ay)));
    const int     doubt = v_add(part, ay); /* NaN where the quarter is not known */
    const int     quarter = v_select(v_ne(doubt, doubt), doubt, v_set(0x1.921fb54442d18p0));
    const int     im = v_select(is_far, quarter, v_mul(v_set(0.5), turn));
    const int     is_upright = v_eq(a.re, v_set(0));
    const int     is_flat = v_mask_and(v_eq(a.im, v_set(0)), v_le(ax, v_set(1)));
    return (z){v_select(is_upright, a.re, v_copysign(re, a.re)),
               v_select(is_flat, a.im, v_select(is_upright, v_atan(a.im), v_copysign(im, a.im)))};
}
