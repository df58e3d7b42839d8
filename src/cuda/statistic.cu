/* statistic.cu - var, std, norm, logsumexp: everything in f64, rounded once. */
#include "conversion.cuh"

#include "exp_sum.cuh"
#include "fold.cuh"
#include "store_float.cuh"

namespace {

/* ---------------------------------------------------------------- elements and results */

/* Of any dtype; of one that the kernel knows; of f16 or bf16. */
struct from_any {
    typedef char                             element;
    static const int                         run = 1;
    static __device__ __forceinline__ double load(const char *at, int dtype) { return load_as<as_F64>(at, dtype); }
};
template <class T>
using from_one = fold_memory<T, double>;
struct from_short {
    typedef uint16_t                         element;
    static const int                         run = 8;
    static __device__ __forceinline__ double from(element x, int dtype)
    {
        return (double)(dtype == STRIA_BF16 ? load_BF16(x) : load_F16(x));
    }
    static __device__ __forceinline__ double load(const char *at, int dtype)
    {
        return from(*reinterpret_cast<const element *>(at), dtype);
    }
};

/* number: the correction, the order; count: elements of an output */
struct statistic_params {
    double  number;
    int64_t count;
};

struct in_f64 {
    typedef double           lane;
    typedef statistic_params params;
};

/* ---------------------------------------------------------------- var, std */

/* m2: the sum of squared distances from the mean.
 * Sources: Welford, Note on a Method for Calculating Corrected Sums of Squares and Products, Technometrics 4 (1962); Chan, Golub & LeVeque,
 * Algorithms for Computing the Sample Variance, The American Statistician 37 (1983). */
template <class Memory, bool IS_ROOT>
struct moments : in_f64, Memory {
    struct state {
        double count, mean, m2;
    };
    static __device__ state start(const params &) { return state{0, 0, 0}; }
    static __device__ void  take(state *s, double x, int64_t, const params &)
    {
        s->count += 1;
        const double apart = x - s->mean;
        s->mean += apart / s->count;
        s->m2 += apart * (x - s->mean);
    }
    static __device__ void join(state *s, const state &later, const params &)
    {
        if (later.count == 0) return;
        if (s->count == 0) {
            *s = later;
            return;
        }
        const double count = s->count + later.count, share = later.count / count, apart = later.mean - s->mean;
        s->mean += apart * share;
        s->m2 += later.m2 + apart * apart * s->count * share;
        s->count = count;
    }
    static __device__ void store(char *at, int dtype, const state &s, const params &p)
    {
        const double divisor = (double)p.count - p.number, value = s.m2 / (divisor < 0 ? 0 : divisor);
        store_float(at, dtype, IS_ROOT ? sqrt(value) : value);
    }
};

/* ---------------------------------------------------------------- norm */

/* Sums of |x|^p, the number of those that are not 0, or the largest or smallest |x|. */
enum norm_kind { NORM_COUNT, NORM_ONE, NORM_POWER, NORM_LARGEST, NORM_SMALLEST };

template <class Memory, norm_kind KIND>
struct norms : in_f64, Memory {
    struct state {
        double value;
    };
    static __device__ state start(const params &) { return state{KIND == NORM_SMALLEST ? (double)INFINITY : 0.0}; }
    static __device__ void  put(state *s, double y)
    {
        if (KIND == NORM_LARGEST)
            s->value = vec_max_f64(s->value, y);
        else if (KIND == NORM_SMALLEST)
            s->value = vec_min_f64(s->value, y);
        else
            s->value += y;
    }
    static __device__ void take(state *s, double x, int64_t, const params &p)
    {
        if (KIND == NORM_COUNT)
            put(s, x != 0 ? 1 : 0);
        else if (KIND == NORM_POWER)
            put(s, vec_pow_f64(fabs(x), p.number));
        else
            put(s, fabs(x));
    }
    static __device__ void join(state *s, const state &later, const params &) { put(s, later.value); }
    static __device__ void store(char *at, int dtype, const state &s, const params &p)
    {
        store_float(at, dtype, KIND == NORM_POWER ? vec_pow_f64(s.value, 1 / p.number) : s.value);
    }
};

/* The sum of squares in three, by the size of elements: those whose squares might vanish or overflow are scaled.
 * Source: Blue, A Portable Fortran Program to Find the Euclidean Norm of a Vector, ACM TOMS 4 (1978). */
template <class Memory>
struct squares : in_f64, Memory {
    struct state {
        double small, ordinary, large;
    };
    static __device__ double scale() { return 0x1p600; }
    static __device__ state  start(const params &) { return state{0, 0, 0}; }
    static __device__ void   take(state *s, double x, int64_t, const params &)
    {
        const double size = fabs(x);
        if (size < 0x1p-450)
            s->small += (x * scale()) * (x * scale());
        else if (size > 0x1p450)
            s->large += (x / scale()) * (x / scale());
        else
            s->ordinary += x * x; /* NaN, too */
    }
    static __device__ void join(state *s, const state &later, const params &)
    {
        s->small += later.small;
        s->ordinary += later.ordinary;
        s->large += later.large;
    }
    static __device__ double root(const state &s)
    {
        if (s.large != 0) return sqrt(s.large + s.ordinary / scale() / scale()) * scale();
        return s.ordinary != 0 ? sqrt(s.ordinary + s.small / scale() / scale()) : sqrt(s.small) / scale();
    }
    static __device__ void store(char *at, int dtype, const state &s, const params &)
    {
        store_float(at, dtype, root(s));
    }
};

/* ---------------------------------------------------------------- logsumexp */

template <class Memory>
struct exponentials : in_f64, Memory {
    typedef exp_sum         state;
    static __device__ state start(const params &) { return exp_sum{0, 0}; }
    static __device__ void  join(state *s, const state &later, const params &) { exp_sum_join(s, later); }
    static __device__ void  take(state *s, double x, int64_t, const params &) { exp_sum_join(s, exp_sum_of(x)); }
    static __device__ void  store(char *at, int dtype, const state &s, const params &)
    {
        store_float(at, dtype, exp_sum_log(s));
    }
};

/* ---------------------------------------------------------------- the choice */

template <class Memory>
static int run_norm(stria_cuda_stream *stream, const stria_cuda_statistic_call *call, const statistic_params &params)
{
    const stria_cuda_fold_walk *walk = &call->walk;

    if (call->number == 2) return run_fold<squares<Memory>>(stream, walk, params);
    if (call->number == 0) return run_fold<norms<Memory, NORM_COUNT>>(stream, walk, params);
    if (call->number == 1) return run_fold<norms<Memory, NORM_ONE>>(stream, walk, params);
    if (!isinf(call->number)) return run_fold<norms<Memory, NORM_POWER>>(stream, walk, params);
    if (call->number > 0) return run_fold<norms<Memory, NORM_LARGEST>>(stream, walk, params);
    return run_fold<norms<Memory, NORM_SMALLEST>>(stream, walk, params);
}

template <class Memory>
static int run_from(stria_cuda_stream *stream, const stria_cuda_statistic_call *call)
{
    const stria_cuda_fold_walk *walk = &call->walk;
    const statistic_params      params = {call->number, walk->count};

    switch (call->kind) {
    case STRIA_CUDA_VAR: return run_fold<moments<Memory, false>>(stream, walk, params);
    case STRIA_CUDA_STD: return run_fold<moments<Memory, true>>(stream, walk, params);
    case STRIA_CUDA_NORM: return run_norm<Memory>(stream, call, params);
    case STRIA_CUDA_LOGSUMEXP: return run_fold<exponentials<Memory>>(stream, walk, params);
    }
    return STRIA_CUDA_NO_KERNEL;
}

static bool is_float(stria_dtype dtype)
{
    return dtype == STRIA_F16 || dtype == STRIA_BF16 || dtype == STRIA_F32 || dtype == STRIA_F64;
}

} // namespace

int stria_cuda_run_statistic(stria_cuda_stream *stream, const stria_cuda_statistic_call *call)
{
    if (!is_float(call->walk.out_dtype)) return STRIA_CUDA_NO_KERNEL;
    switch (call->walk.in_dtype) {
    case STRIA_F32: return run_from<from_one<float>>(stream, call);
    case STRIA_F64: return run_from<from_one<double>>(stream, call);
    case STRIA_F16:
    case STRIA_BF16: return run_from<from_short>(stream, call);
    case STRIA_C64:
    case STRIA_C128: return STRIA_CUDA_NO_KERNEL;
    default: return run_from<from_any>(stream, call);
    }
}
