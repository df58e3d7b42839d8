/* bits.c - examples of docs/reference: Bits. */
#include "reference.h"

EXAMPLE(bitwise_and)
{
    TRY(stria_bitwise_and(of(STRIA_I32, "[5, 6, 8]"), of(STRIA_I32, "4"), &y, &err));
    IS(y, "[4, 4, 0]");
}

EXAMPLE(bitwise_or)
{
    TRY(stria_bitwise_or(of(STRIA_I32, "[1, 2]"), of(STRIA_I32, "4"), &y, &err));
    IS(y, "[5, 6]");
}

EXAMPLE(bitwise_xor)
{
    TRY(stria_bitwise_xor(of(STRIA_I32, "[5, 3]"), of(STRIA_I32, "1"), &y, &err));
    IS(y, "[4, 2]");
}

EXAMPLE(bitwise_not)
{
    TRY(stria_bitwise_not(of(STRIA_I32, "[0, 7]"), &y, &err));
    IS(y, "[-1, -8]");
}

EXAMPLE(bitwise_left_shift)
{
    TRY(stria_bitwise_left_shift(of(STRIA_I32, "1"), of(STRIA_I32, "[0, 4, 32]"), &y, &err));
    IS(y, "[1, 16, 0]");
}

EXAMPLE(bitwise_right_shift)
{
    TRY(stria_bitwise_right_shift(of(STRIA_I32, "[256, -8]"), of(STRIA_I32, "2"), &y, &err));
    IS(y, "[64, -2]");
}

EXAMPLE(bitwise_count)
{
    TRY(stria_bitwise_count(of(STRIA_I32, "[0, 7, -2]"), &y, &err));
    IS(y, "[0, 3, 1]");
}

EXAMPLE(count_leading_zeros)
{
    TRY(stria_count_leading_zeros(of(STRIA_U8, "[0, 1, 255]"), &y, &err));
    IS(y, "[8, 7, 0]");
}
