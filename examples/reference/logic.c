/* logic.c - examples of docs/reference: Logic. */
#include "reference.h"

EXAMPLE(logical_and)
{
    TRY(stria_logical_and(of(STRIA_BOOL, "[true, true, false]"), of(STRIA_BOOL, "[true, false, false]"), &y, &err));
    IS(y, "[true, false, false]");
}

EXAMPLE(logical_or)
{
    TRY(stria_logical_or(of(STRIA_BOOL, "[true, false]"), of(STRIA_BOOL, "[false, false]"), &y, &err));
    IS(y, "[true, false]");
}

EXAMPLE(logical_not)
{
    TRY(stria_logical_not(of(STRIA_F32, "[0, 2, -1]"), &y, &err));
    IS(y, "[true, false, false]");
}

EXAMPLE(logical_xor)
{
    TRY(stria_logical_xor(of(STRIA_BOOL, "[true, true]"), of(STRIA_BOOL, "[false, true]"), &y, &err));
    IS(y, "[true, false]");
}
