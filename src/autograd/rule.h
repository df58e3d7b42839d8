/* rule.h - how the derivative of a row is written down. Internal.
 *
 * Every row of ops.def and functions.def says in rules.def what its derivative is. Composites say nothing: the calls that they are made of
 * have derivatives. One may have a rule all the same, where that is faster or more accurate; it is then one node, and its inner calls none.
 *
 * A formula is made of words r_<row>, one for each row: r_mul(g, r_cos(a)). Words take terms for tensors and return a term. What
 * a formula does not have to say, because whoever runs it does it:
 *
 *   - the gradient of an input is added up to the shape of that input (sum_to_size), converted to its dtype, and its real part is taken
 *     where the input is real;
 *   - terms are released when the rule ends. The first error is kept; every word after it does nothing, so that formulas need no checks;
 *   - a formula that is asked for with create_graph is recorded, so that it has derivatives itself. Without, the formula of an element-wise
 *     row runs as one expression.
 *
 * Gradients of complex numbers are those of PyTorch: the conjugate of the derivative by Wirtinger, so that x - rate * gradient descends. A
 * row that is holomorphic has g * conj(derivative); r_conj of a real term is the term itself.
 */
#ifndef STRIA_RULE_H
#define STRIA_RULE_H

#include "call/call.h"

typedef struct stria_rule_run stria_rule_run; /* one use of a rule */

/* A value in a formula: a tensor, a place in an expression that is being made, or a number, which takes no part in promotion. One word, since
 * formulas are many: where the run of this thread has the value (run.h). 0 is nothing: an optional input that was not given, the gradient of an
 * output that nobody used, and everything after an error. */
typedef struct stria_term {
    int at;
} stria_term;

static inline bool stria_term_is_nothing(stria_term term) { return term.at == 0; }

/* ---------------------------------------------------------------- rules.def
 *
 *   D(row, input, formula)   of an element-wise row: the gradient of input a, b or c. In the formula: a b c the inputs, y the result, g its
 *                            gradient, N(2.0) a number. What is saved for it follows from what it mentions. Numbers of OP_WITH rows are
 *                            inputs, too, and need no D
 *   RULE(row, saves)         of every other row: stria_rule_<row>, a function of C. saves: what it reads beside gradients, shapes and
 *                            attributes: any of
 *                              FOR(k, X(j))  input j, if input k wants a gradient      FOR(k, Y(j))  output j, the same
 *                            with k = ANY, for every input, and j = LIST for all members of the list; or NONE. OF_ALL in place of
 *                            FOR: only where the attribute dim is not given; OF_VALUES: only where the attribute reduce is not sum or mean
 *   CONSTANT(row)            the derivative is 0 wherever there is one (floor): gradients are zeros
 *   STOPS(row)               results have no gradient: they are truth values, positions, counts, random numbers, or new
 *   CLIPS(row)               the same, of a row that changes gradients: these may be results of calls, as what a walk leaves may be
 *   GEOMETRY(row)            of a view: the gradient follows from how the result lies over the memory of input 0
 */

/* ---------------------------------------------------------------- what a RULE function reads and says
 *
 *   RULE_FN(cumsum)
 *   {
 *       GRAD(0, r_flip1(r_cumsum(r_flip1(G(0), attrs->dim), attrs->dim), attrs->dim));
 *   }
 *
 * In its body: run, and attrs, the record of the row's attributes (those of reductions: stria_reduce_attrs; shapes and lists in it are copies that
 * live as long as the node). Inputs count as in the call; members of a list follow the other inputs. */
#define RULE_FN(row) void stria_rule_##row(stria_rule_run *run, const stria_##row##_attrs *attrs)
/* Gradient of output k: zeros of its shape where nobody asked for that output. */
#define G(k) stria_rule_get_gradient(run, k)
/* Input k, output k: saved, see `saves`. */
#define X(k) stria_rule_get_input(run, k)
#define Y(k) stria_rule_get_output(run, k)
/* Says the gradient of input k; the formula is evaluated only if input k wants one. */
#define GRAD(k, formula)                               \
    do {                                               \
        if (WANTS(k)) stria_rule_set(run, k, formula); \
    } while (0)
#define WANTS(k) stria_rule_wants(run, k)
#define HAS_G(k) stria_rule_has_gradient(run, k) /* whether somebody asked for output k */
#define N(number) stria_term_number(number)
#define NOTHING ((stria_term){0})

stria_term stria_term_number(double number);
stria_term stria_rule_get_gradient(stria_rule_run *run, int k);
stria_term stria_rule_get_input(stria_rule_run *run, int k);
stria_term stria_rule_get_output(stria_rule_run *run, int k);
void       stria_rule_set(stria_rule_run *run, int k, stria_term gradient);
bool       stria_rule_wants(const stria_rule_run *run, int k);
bool       stria_rule_has_gradient(const stria_rule_run *run, int k);

/* Shape and dtype of an input or output, known without its elements. */
typedef struct stria_rule_meta {
    stria_dtype    dtype;
    int            ndim;
    const int64_t *shape;
    int64_t        numel;
} stria_rule_meta;
const stria_rule_meta *stria_rule_get_input_meta(const stria_rule_run *run, int k);
const stria_rule_meta *stria_rule_get_output_meta(const stria_rule_run *run, int k);
int                    stria_rule_count_inputs(const stria_rule_run *run); /* those of the list, too */

/* For what words cannot say: a tensor of a term (NULL: a number, nothing, or an error), a term of a tensor that the run then owns or that
 * outlives it, and an error. */
const stria_tensor *stria_term_get_tensor(stria_term term);
stria_term          stria_rule_own(stria_rule_run *run, stria_tensor *x);
stria_term          stria_rule_borrow(stria_rule_run *run, const stria_tensor *x);
stria_error        *stria_rule_get_error(stria_rule_run *run);
bool                stria_rule_failed(const stria_rule_run *run);
void stria_rule_fail(stria_rule_run *run, stria_status status); /* the error is in stria_rule_get_error */

/* Whether what a formula computes is going to be differentiated itself (create_graph); false while it becomes an expression. */
bool stria_formula_creates_graph(void);

/* What rules of reductions share: the gradient of a reduction over these axes (n = 0: all) as if it had kept them with size 1, and
 * expanded to the shape of input k. */
stria_term stria_rule_keep_axes(stria_rule_run *run, int k, stria_term gradient, stria_axes axes, bool keepdim);
stria_term stria_rule_spread(stria_rule_run *run, int k, stria_term gradient, stria_axes axes, bool keepdim);

/* ---------------------------------------------------------------- words
 *
 * r_<row> of each row: stria_term for each tensor (`const stria_term *xs, int n_xs` of a list, OPTIONAL may be nothing), then the attributes
 * as in stria.h; it returns the output. Rows with several outputs have `stria_term *` for each and return nothing.
 *
 * What numbers alone make is an f32, as in any call: N(2 * c), not r_mul(N(2), N(c)). Inputs that
 * were given as numbers are 0-dim tensors of f64, but in formulas of short floats. */

#include "autograd/words.h"

#endif
