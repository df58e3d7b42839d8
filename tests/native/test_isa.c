/* test_isa.c - instruction sets: the library finds those that the system lists, and a suite that cannot run is skipped or
 * fails as it must (isa.h). */
#include "isa.h"

#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "oracle.h"

static void check_lists(void)
{
    static const char wide[] =
        "processor\t: 0\nflags\t\t: fpu fma avx avx2 avx512f avx512dq avx512bw avx512vl\nbugs\t: x\n";
    static const char some[] = "flags\t\t: fma avx2 avx512f avx512dq avx512vl avx512bw_not\n";
    static const char old[] = "flags\t\t: fpu avx xavx2 fma4 avx2y\n";

    CHECK(isa_is_listed("avx512", wide) && isa_is_listed("avx2", wide), "AVX-512 with all of its parts");
    CHECK(!isa_is_listed("avx512", some) && isa_is_listed("avx2", some), "AVX-512 without BW");
    CHECK(!isa_is_listed("avx512", old) && !isa_is_listed("avx2", old), "names within names");
    CHECK(isa_is_listed("neon", "Features\t: fp asimd evtstrm\n") && !isa_is_listed("neon", wide), "Advanced SIMD");
    CHECK(isa_is_listed("scalar", "") && !isa_is_listed("mmx", "flags : mmx\n"), "scalar needs nothing");
}

/* What the library says of each set, and the table it chooses. */
static void check_machine(void)
{
    static const char *const sets[] = {
#define STRIA_ISA(isa, processor, features) #isa,
#include "table/isa.def"
    };

    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        const bool listed = isa_is_here(sets[k]), found = isa_is_found(sets[k]);
        CHECK(found || !listed, "the machine has %s, the library does not find it", sets[k]);
#if defined(__x86_64__) && defined(__linux__)
        CHECK(listed || !found, "the library finds %s, the system does not list it", sets[k]);
#endif
        CHECK(found || stria_dispatch_get_isa(sets[k]) == NULL, "a table that does not run here");
    }
}

#if !defined(__EMSCRIPTEN__)
static void check_skips(void)
{
    static const struct {
        const char *isa;
        bool        require, require_isa;
        int         status;
    } cases[] = {
        {"scalar", false, false, 77}, {"scalar", true, false, 1}, {"scalar", false, true, 1}, {"mmx", false, false, 77},
        {"mmx", true, false, 77},     {"mmx", false, true, 1},    {NULL, true, false, 77},    {"scalar", true, true, 1},
    };
    char *const require = getenv("STRIA_REQUIRE"), *const require_isa = getenv("STRIA_REQUIRE_ISA");

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cases[k].require ? setenv("STRIA_REQUIRE", "1", 1) : unsetenv("STRIA_REQUIRE");
        cases[k].require_isa ? setenv("STRIA_REQUIRE_ISA", "1", 1) : unsetenv("STRIA_REQUIRE_ISA");
        const int got = isa_skip("test_isa, an example", cases[k].isa, "none of this kind");
        CHECK(got == cases[k].status, "%s, %d, %d: exit status %d", cases[k].isa ? cases[k].isa : "no name",
              cases[k].require, cases[k].require_isa, got);
    }
    require ? setenv("STRIA_REQUIRE", require, 1) : unsetenv("STRIA_REQUIRE");
    require_isa ? setenv("STRIA_REQUIRE_ISA", require_isa, 1) : unsetenv("STRIA_REQUIRE_ISA");
}
#endif

/* Where STRIA_FORCE_ISA names what there is not, nothing computes, and every call says why. */
static void check_unknown(void)
{

    const stria_instruction neg = {STRIA_OP_neg, {0}};
    stria_tensor           *x = NULL, *y = NULL;
    stria_expression       *e = NULL;
    stria_error             err;

    CHECK(strcmp(stria_isa_get_name(), "none") == 0, "%s", stria_isa_get_name());
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, &(int64_t){3}, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_expression_new(1, NULL, 0, &neg, 1, &e, NULL), STRIA_OK);
    for (int k = 0; k < 5; k++) {
        memset(&err, 0, sizeof err);
        const stria_status status = k == 0   ? stria_add(x, x, &y, &err)
                                    : k == 1 ? stria_sum(x, NULL, 0, false, &y, &err)
                                    : k == 2 ? stria_cumsum(x, 0, STRIA_DTYPE_NONE, &y, &err)
                                    : k == 3 ? stria_tensor_copy(x, STRIA_F64, &y, &err)
                                             : stria_expression_apply(e, (const stria_tensor *[]){x}, 1, &y, &err);
        CHECK(status == STRIA_ERR_UNSUPPORTED && err.code == status && y == NULL, "%d: %s", k,
              stria_status_get_name(status));
        CHECK(strcmp(err.argument, "STRIA_FORCE_ISA") == 0 && strcmp(err.got, "mmx") == 0, "%d: %s", k, err.argument);
        CHECK(strstr(err.message, "the instruction set 'mmx' is not available here") != NULL, "%d: %s", k, err.message);
    }
    stria_expression_release(e);
    stria_tensor_release(x);
}

SUITE(test_isa)
{
    const char *const forced = getenv("STRIA_FORCE_ISA");

    if (forced && strcmp(forced, "mmx") == 0) {
        check_unknown();
        return check_finish("test_isa");
    }
    check_lists();
    check_machine();
#if !defined(__EMSCRIPTEN__)
    check_skips();
#endif
    return check_finish("test_isa");
}
