/* gemm_case.h - the checks of test_gemm.c for lane type T; POISON is what must not be read. */
#define C STRIA_CAT(VEC_CTYPE_, T)
#define F(name) STRIA_CAT3(name, _, T)

static C *F(new_numbers)(int64_t n)
{
    C *x = malloc((size_t)(n > 0 ? n : 1) * sizeof *x);
    for (int64_t k = 0; k < n; k++) x[k] = (C)choose(0, 20) - (C)10;
    return x;
}

static C *F(new_poison)(int64_t n)
{
    C *x = malloc((size_t)(n > 0 ? n : 1) * sizeof *x);
    for (int64_t k = 0; k < n; k++) x[k] = (C)POISON;
    return x;
}

/* One panel: a with any strides or in groups as packed, rows of b and c with gaps. */
static void F(check_panel)(const stria_gemm_kernel *kernel, int64_t m, int64_t n, int64_t k, int form, bool accumulate)
{
    const int64_t mr = kernel->mr, read = (n + kernel->lanes - 1) / kernel->lanes * kernel->lanes;
    const int64_t groups = (m + mr - 1) / mr, b_k = kernel->nr + 3, c_row = n + 2;
    /* rows one after another; columns one after another; packed groups [k][mr] */
    const stria_gemm_left shape[] = {{NULL, k + 1, 1, mr * (k + 1)}, {NULL, 1, m + 2, mr}, {NULL, 1, mr, mr * k}};
    stria_gemm_left       a = shape[form];
    const int64_t         a_size = form == 0 ? m * (k + 1) : form == 1 ? k * (m + 2) : groups * mr * k;
    C *const left = F(new_numbers)(a_size), *const b = F(new_poison)(k > 0 ? (k - 1) * b_k + read : 0);
    C *const c = F(new_poison)((m - 1) * c_row + n), *const before = F(new_numbers)(m * n);
    int64_t n_wrong = 0;

    a.data = left;
    for (int64_t p = 0; p < k; p++)
        for (int64_t j = 0; j < read; j++) b[p * b_k + j] = j < n ? (C)choose(0, 20) - (C)10 : 0;
    if (accumulate)
        for (int64_t i = 0; i < m; i++) memcpy(c + i * c_row, before + i * n, (size_t)n * sizeof *c);
    kernel->panel(c, c_row, a, b, b_k, m, n, k, accumulate);
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++) {
            C sum = accumulate ? before[i * n + j] : 0;
            for (int64_t p = 0; p < k; p++)
                sum = (C)(sum + left[i / mr * a.group + i % mr * a.row + p * a.k] * b[p * b_k + j]);
            n_wrong += c[i * c_row + j] != sum;
        }
        for (int64_t j = n; j < c_row && i + 1 < m; j++) { /* the gap */
            const C poison = (C)POISON;
            n_wrong += memcmp(&c[i * c_row + j], &poison, sizeof poison) != 0;
        }
    }
    CHECK(n_wrong == 0, "panel %s [%lld,%lld,%lld] form %d: %lld wrong elements", STRIA_STRING(T), (long long)m,
          (long long)n, (long long)k, form, (long long)n_wrong);
    free(left);
    free(b);
    free(c);
    free(before);
}

/* y += a x with the rows of a along the sum (dot) or across it (axpy). */
static void F(check_vector)(const stria_gemm_kernel *kernel, int64_t m, int64_t k, bool is_dot)
{
    const int64_t row = (is_dot ? k : m) + choose(0, 3), rows = is_dot ? m : k, columns = is_dot ? k : m;
    C *const a = F(new_numbers)(rows > 0 ? (rows - 1) * row + columns : 0), *const x = F(new_numbers)(k);
    C *const y = F(new_numbers)(m), *const before = F(new_poison)(m);
    int64_t n_wrong = 0;

    memcpy(before, y, (size_t)m * sizeof *y);
    (is_dot ? kernel->dot : kernel->axpy)(y, a, row, x, m, k);
    for (int64_t i = 0; i < m; i++) {
        C sum = before[i];
        for (int64_t p = 0; p < k; p++) sum = (C)(sum + (is_dot ? a[i * row + p] : a[p * row + i]) * x[p]);
        n_wrong += y[i] != sum;
    }
    CHECK(n_wrong == 0, "%s %s %lld x %lld: %lld wrong elements", is_dot ? "dot" : "axpy", STRIA_STRING(T),
          (long long)m, (long long)k, (long long)n_wrong);
    free(a);
    free(x);
    free(y);
    free(before);
}

static void F(check)(const stria_gemm_kernel *kernel)
{
    CHECK(kernel->mc % kernel->mr == 0 && kernel->nr % kernel->lanes == 0, "sizes of %s", STRIA_STRING(T));
    for (int64_t m = 1; m <= 2 * kernel->mr + 1; m++)
        for (int64_t n = 1; n <= kernel->nr; n++)
            for (int form = 0; form < 3; form++)
                F(check_panel)(kernel, m, n, choose(0, 12), form, (m + n + form) % 2 == 0);
    for (int64_t m = 1; m <= 2 * kernel->lanes + 3; m++)
        for (int64_t k = 0; k <= 9 * kernel->lanes + 1; k++) {
            F(check_vector)(kernel, m, k, true);
            F(check_vector)(kernel, m, k, false);
        }
}

#undef C
#undef F
#undef T
#undef POISON
