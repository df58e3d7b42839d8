/* promote.c - the dtype that operands of several dtypes meet in. docs/semantics.md has the table. */
#include "call/meta.h"

static bool is_integer(stria_dtype dtype)
{
    stria_category category = stria_dtype_get_category(dtype);
    return category == STRIA_CATEGORY_U || category == STRIA_CATEGORY_I;
}

static bool is_float(stria_dtype dtype) { return stria_dtype_get_category(dtype) == STRIA_CATEGORY_F; }

static stria_dtype wider(stria_dtype a, stria_dtype b)
{
    return stria_dtype_get_size(a) >= stria_dtype_get_size(b) ? a : b;
}

/* One rank for both kinds of integers: a category as promotion counts them. */
static int rank(stria_dtype dtype)
{
    return stria_dtype_get_category(dtype) == STRIA_CATEGORY_B ? 0 : is_integer(dtype) ? 1 : is_float(dtype) ? 2 : 3;
}

/* Two integers of different signedness meet in the smallest signed dtype that holds both, and u64 with a signed one,
 * which none holds, in f64, as in NumPy. */
static stria_dtype promote_integers(stria_dtype a, stria_dtype b)
{
    if (stria_dtype_get_category(a) == stria_dtype_get_category(b)) return wider(a, b);
    stria_dtype u = stria_dtype_get_category(a) == STRIA_CATEGORY_U ? a : b;
    stria_dtype i = u == a ? b : a;
    if (stria_dtype_get_size(i) > stria_dtype_get_size(u)) return i;
    switch (u) {
    case STRIA_U8: return STRIA_I16;
    case STRIA_U16: return STRIA_I32;
    case STRIA_U32: return STRIA_I64;
    default: return STRIA_F64;
    }
}

stria_dtype stria_dtype_get_promoted(stria_dtype a, stria_dtype b)
{
    if (a == b) return a;
    if (!stria_is_dtype(a) || !stria_is_dtype(b)) return STRIA_DTYPE_NONE;
    if (rank(a) > rank(b)) {
        stria_dtype higher = a;
        a = b;
        b = higher;
    }
    if (rank(a) == rank(b)) {
        if (is_integer(a)) return promote_integers(a, b);
        if (stria_dtype_get_size(a) == stria_dtype_get_size(b)) return STRIA_F32; /* f16, bf16 */
        return wider(a, b);
    }
    return stria_dtype_is_complex(b) ? wider(stria_dtype_get_pair(a), b) : b;
}

bool stria_dtype_get_castable(stria_dtype from, stria_dtype to)
{
    if (!stria_is_dtype(from) || !stria_is_dtype(to)) return to != STRIA_BOOL && stria_is_dtype(to);
    if (stria_dtype_is_complex(from) && !stria_dtype_is_complex(to)) return false;
    if (is_float(from) && is_integer(to)) return false;
    return from == STRIA_BOOL || to != STRIA_BOOL;
}

static stria_dtype promote_skipping_none(stria_dtype a, stria_dtype b)
{
    if (a == STRIA_DTYPE_NONE) return b;
    return b == STRIA_DTYPE_NONE ? a : stria_dtype_get_promoted(a, b);
}

/* A group of lower priority counts only where its category is higher. Either may be NONE. */
static stria_dtype combine(stria_dtype high, stria_dtype low)
{
    if (high == STRIA_DTYPE_NONE || low == STRIA_DTYPE_NONE) return high == STRIA_DTYPE_NONE ? low : high;
    if (stria_dtype_is_complex(high)) return high;
    if (stria_dtype_is_complex(low)) return is_float(high) ? stria_dtype_get_pair(high) : low;
    if (is_float(high)) return high;
    if (high == STRIA_BOOL || is_float(low)) return stria_dtype_get_promoted(high, low);
    return high;
}

/* Whether there is nothing to promote. */
static bool are_alike(const stria_tensor *const *in, int n_in)
{
    for (int i = 0; i < n_in; i++)
        if (in[i]->dtype != in[0]->dtype || in[i]->is_wrapped_number) return false;
    return n_in > 0;
}

stria_dtype stria_promote_result(const stria_tensor *const *in, int n_in)
{
    if (are_alike(in, n_in)) return in[0]->dtype;

    stria_dtype with_dims = STRIA_DTYPE_NONE, zero_dim = STRIA_DTYPE_NONE;
    stria_dtype wrapped = STRIA_DTYPE_NONE;

    for (int i = 0; i < n_in; i++) {
        stria_dtype dtype = in[i]->dtype;
        if (in[i]->is_wrapped_number) {
            if (stria_dtype_is_complex(dtype))
                dtype = STRIA_C64;
            else if (is_float(dtype))
                dtype = STRIA_F32;
            else if (dtype == STRIA_I64 && wrapped == STRIA_U64)
                dtype = STRIA_U64; /* integers of the host language, one of them for u64 alone */
            else if (dtype == STRIA_U64 && wrapped == STRIA_I64)
                wrapped = STRIA_U64;
        }
        stria_dtype *group = in[i]->ndim > 0 ? &with_dims : in[i]->is_wrapped_number ? &wrapped : &zero_dim;
        *group = promote_skipping_none(*group, dtype);
    }
    return combine(with_dims, combine(zero_dim, wrapped));
}
