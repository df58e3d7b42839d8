/* update_template.h - steps of optimisers for one float lane type, as the CPU's loops (update_loops.h) and the CUDA kernels run them; contract
 * in kernels.h (stria_update_kernels).
 *
 * Parameters: those of lane_types.h. The words are those of vec_words.h, FN pastes the lane word. Every operation is rounded, in the
 * order in which it is written here: no two are fused. The constants are computed in f64 and rounded once.
 *
 * x[0] is a vector of parameters (of clipping: of gradients), x[1] of gradients, the others of states.
 */

/* The numbers of a step, as lanes. */
typedef struct FN(update_lanes) {
    v_vec rate, weight_decay, keep, first, first_rest, second, second_rest, root, eps;
} FN(update_lanes);

/* g = grad, or -grad to maximise; g = g + weight_decay * param */
V_LOOP v_vec FN(update_gradient)(const v_vec *x, const FN(update_lanes) * c, const stria_update_step *s)
{
    v_vec g = x[1];

    if (s->maximize) g = v_neg(g);
    return s->weight_decay != 0 ? v_add(g, v_mul(c->weight_decay, x[0])) : g;
}

/* momentum m: m = g at the first step, else first * m + first_rest * g; g = m, of Nesterov's g + first * m
 * param = param - rate * g */
V_LAMBDA void FN(update_sgd_lanes)(v_vec *x, const FN(update_lanes) * c, const stria_update_step *s)
{
    v_vec g = FN(update_gradient)(x, c, s);

    if (s->has[2]) {
        x[2] = s->is_first ? g : v_add(v_mul(c->first, x[2]), v_mul(c->first_rest, g));
        g = s->nesterov ? v_add(g, v_mul(c->first, x[2])) : x[2];
    }
    x[0] = v_sub(x[0], v_mul(c->rate, g));
}

/* param = keep * param (AdamW); m = first * m + first_rest * g; v = second * v + second_rest * (g * g); largest = max(largest, v)
 * param = param - rate * (m / (sqrt(v or largest) * root + eps)) */
V_LAMBDA void FN(update_adam_lanes)(v_vec *x, const FN(update_lanes) * c, const stria_update_step *s)
{
    const v_vec g = FN(update_gradient)(x, c, s);
    const v_vec param = s->keep != 1 ? v_mul(c->keep, x[0]) : x[0];

    x[2] = v_add(v_mul(c->first, x[2]), v_mul(c->first_rest, g));
    x[3] = v_add(v_mul(c->second, x[3]), v_mul(c->second_rest, v_mul(g, g)));
    if (s->has[4]) x[4] = v_max(x[4], x[3]);
    const v_vec root = v_mul(v_sqrt(s->has[4] ? x[4] : x[3]), c->root);
    x[0] = v_sub(param, v_mul(c->rate, v_div(x[2], v_add(root, c->eps))));
}

/* v = second * v + second_rest * (g * g); centred: mean = second * mean + second_rest * g; w = v - mean * mean, else v
 * g = g / (sqrt(w) + eps); momentum: m = first * m + g, g = m; param = param - rate * g */
V_LAMBDA void FN(update_rmsprop_lanes)(v_vec *x, const FN(update_lanes) * c, const stria_update_step *s)
{
    v_vec g = FN(update_gradient)(x, c, s);

    x[2] = v_add(v_mul(c->second, x[2]), v_mul(c->second_rest, v_mul(g, g)));
    v_vec square = x[2];
    if (s->has[4]) {
        x[4] = v_add(v_mul(c->second, x[4]), v_mul(c->second_rest, g));
        square = v_sub(square, v_mul(x[4], x[4]));
    }
    g = v_div(g, v_add(v_sqrt(square), c->eps));
    if (s->has[3]) g = x[3] = v_add(v_mul(c->first, x[3]), g);
    x[0] = v_sub(x[0], v_mul(c->rate, g));
}

/* sum = sum + g * g; param = param - rate * (g / (sqrt(sum) + eps)) */
V_LAMBDA void FN(update_adagrad_lanes)(v_vec *x, const FN(update_lanes) * c, const stria_update_step *s)
{
    const v_vec g = FN(update_gradient)(x, c, s);

    x[2] = v_add(x[2], v_mul(g, g));
    x[0] = v_sub(x[0], v_mul(c->rate, v_div(g, v_add(v_sqrt(x[2]), c->eps))));
}

V_LAMBDA void FN(update_scale_lanes)(v_vec *x, const FN(update_lanes) * c, const stria_update_step *s)
{
    (void)s;
    x[0] = v_mul(x[0], c->rate);
}

/* min(max(x, -rate), rate) */
V_LAMBDA void FN(update_clip_lanes)(v_vec *x, const FN(update_lanes) * c, const stria_update_step *s)
{
    (void)s;
    x[0] = v_min(v_max(x[0], v_neg(c->rate)), c->rate);
}

/* The numbers of a step are rounded once. */
V_LOOP FN(update_lanes) FN(update_get_lanes)(const stria_update_step *s)
{
    const FN(update_lanes)
        c = {v_set((v_ctype)s->rate),        v_set((v_ctype)s->weight_decay), v_set((v_ctype)s->keep),
             v_set((v_ctype)s->first),       v_set((v_ctype)s->first_rest),   v_set((v_ctype)s->second),
             v_set((v_ctype)s->second_rest), v_set((v_ctype)s->root),         v_set((v_ctype)s->eps)};
    return c;
}
