/* move_loops.h - move_template.h for elements of 1, 2, 4, 8 and 16 bytes.
 *
 * Vectors are those of the ISA, but of no more than 16 lanes and 16 bytes for the short elements: a square block of them
 * has to fit the registers. */
#if !defined(STRIA_VECTOR_BYTES)
#define MOVE_LANES_1 1
#define MOVE_LANES_2 1
#define MOVE_LANES_4 1
#define MOVE_LANES_8 1
#else
#define MOVE_LANES_1 16
#define MOVE_LANES_2 8
#if STRIA_VECTOR_BYTES == 16
#define MOVE_LANES_4 4
#define MOVE_LANES_8 2
#elif STRIA_VECTOR_BYTES == 32
#define MOVE_LANES_4 8
#define MOVE_LANES_8 4
#else
#define MOVE_LANES_4 16
#define MOVE_LANES_8 8
#endif
#endif

/* Which elements of two vectors, by the number of lanes of one. */
#define MOVE_REVERSE_2 1, 0
#define MOVE_REVERSE_4 3, 2, 1, 0
#define MOVE_REVERSE_8 7, 6, 5, 4, 3, 2, 1, 0
#define MOVE_REVERSE_16 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
#define MOVE_EVEN_2 0, 2
#define MOVE_EVEN_4 0, 2, 4, 6
#define MOVE_EVEN_8 0, 2, 4, 6, 8, 10, 12, 14
#define MOVE_EVEN_16 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define MOVE_ODD_2 1, 3
#define MOVE_ODD_4 1, 3, 5, 7
#define MOVE_ODD_8 1, 3, 5, 7, 9, 11, 13, 15
#define MOVE_ODD_16 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define MOVE_ZIP_LOW_2 0, 2
#define MOVE_ZIP_LOW_4 0, 4, 1, 5
#define MOVE_ZIP_LOW_8 0, 8, 1, 9, 2, 10, 3, 11
#define MOVE_ZIP_LOW_16 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define MOVE_ZIP_HIGH_2 1, 3
#define MOVE_ZIP_HIGH_4 2, 6, 3, 7
#define MOVE_ZIP_HIGH_8 4, 12, 5, 13, 6, 14, 7, 15
#define MOVE_ZIP_HIGH_16 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31

typedef struct move_pair {
    uint64_t a, b;
} move_pair;

#define MOVE_T uint8_t
#define MOVE_SIZE 1
#define MOVE_LANES MOVE_LANES_1
#include "move_template.h"

#define MOVE_T uint16_t
#define MOVE_SIZE 2
#define MOVE_LANES MOVE_LANES_2
#include "move_template.h"

#define MOVE_T uint32_t
#define MOVE_SIZE 4
#define MOVE_LANES MOVE_LANES_4
#include "move_template.h"

#define MOVE_T uint64_t
#define MOVE_SIZE 8
#define MOVE_LANES MOVE_LANES_8
#include "move_template.h"

#define MOVE_T move_pair
#define MOVE_SIZE 16
#define MOVE_LANES 1
#include "move_template.h"

#undef MOVE_REVERSE_2
#undef MOVE_REVERSE_4
#undef MOVE_REVERSE_8
#undef MOVE_REVERSE_16
#undef MOVE_EVEN_2
#undef MOVE_EVEN_4
#undef MOVE_EVEN_8
#undef MOVE_EVEN_16
#undef MOVE_ODD_2
#undef MOVE_ODD_4
#undef MOVE_ODD_8
#undef MOVE_ODD_16
#undef MOVE_ZIP_LOW_2
#undef MOVE_ZIP_LOW_4
#undef MOVE_ZIP_LOW_8
#undef MOVE_ZIP_LOW_16
#undef MOVE_ZIP_HIGH_2
#undef MOVE_ZIP_HIGH_4
#undef MOVE_ZIP_HIGH_8
#undef MOVE_ZIP_HIGH_16
#undef MOVE_LANES_1
#undef MOVE_LANES_2
#undef MOVE_LANES_4
#undef MOVE_LANES_8
