/* test_header.c - stria.h beside the macros of other headers: those that windows.h, X11 and the like define stay as they were. */
#define FN_VIEW 100
#define FN 101
#define NONE 102
#define IN 103
#define OPTIONAL 104
#define OPERAND 105
#define BASE 106
#define LIST 107
#define AXIS 108
#define AXES 109
#define SHAPE 110
#define INTS 111
#define INT 112
#define NUMBER 113
#define SCALAR 114
#define FLAG 115
#define DTYPE 116
#define WORD 117
#define OPTIONS 118
#define OUT 119
#define INPLACE 120
#define VIEW 121
#define OP 122
#define RED 123
#define ALL 124
#define SAME 125
#define WIDE 126
#define INDEX 127
#define COUNT 128
#define OPEN 129
#define INT_LIST 130
#define ARGUMENTS 131
#include "stria.h"
#if FN_VIEW != 100 || FN != 101 || NONE != 102 || IN != 103 || OPTIONAL != 104 || OPERAND != 105 || BASE != 106 ||   \
    LIST != 107 || AXIS != 108 || AXES != 109 || SHAPE != 110 || INTS != 111 || INT != 112 || NUMBER != 113 ||       \
    SCALAR != 114 || FLAG != 115 || DTYPE != 116 || WORD != 117 || OPTIONS != 118 || OUT != 119 || INPLACE != 120 || \
    VIEW != 121 || OP != 122 || RED != 123 || ALL != 124 || SAME != 125 || WIDE != 126 || INDEX != 127 ||            \
    COUNT != 128 || OPEN != 129 || INT_LIST != 130 || ARGUMENTS != 131
#error a macro of the program is not what it was
#endif
#undef FN_VIEW
#undef FN
#undef NONE
#undef IN
#undef OPTIONAL
#undef OPERAND
#undef BASE
#undef LIST
#undef AXIS
#undef AXES
#undef SHAPE
#undef INTS
#undef INT
#undef NUMBER
#undef SCALAR
#undef FLAG
#undef DTYPE
#undef WORD
#undef OPTIONS
#undef OUT
#undef INPLACE
#undef VIEW
#undef OP
#undef RED
#undef ALL
#undef SAME
#undef WIDE
#undef INDEX
#undef COUNT
#undef OPEN
#undef INT_LIST
#undef ARGUMENTS
#include "test.h"

/* The rows were read as they are, whatever the words meant. */
SUITE(test_header)
{
    stria_tensor *y;

    CHECK(stria_matmul(NULL, NULL, &y, NULL) == STRIA_ERR_ARGUMENT, "matmul of nothing");
    CHECK(stria_select_out(NULL, 0, 0, NULL, NULL) == STRIA_ERR_ARGUMENT, "select of nothing");
    return test_finish();
}
