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

/* A block of an operand is gathered in too short a time for the hardware prefetcher to detect the accesses. So the operand's
 * next block is prefetched: the elements that are gathered so many bytes later. */
#define MOVE_AHEAD 2048

/* Shuffles of two vectors: lane k of the result is element ELEMENT(k) of the two one after the other; -1: any. */
#define MOVE_LIST_2(ELEMENT) ELEMENT(0), ELEMENT(1)
#define MOVE_LIST_4(ELEMENT) MOVE_LIST_2(ELEMENT), ELEMENT(2), ELEMENT(3)
#define MOVE_LIST_8(ELEMENT) MOVE_LIST_4(ELEMENT), ELEMENT(4), ELEMENT(5), ELEMENT(6), ELEMENT(7)
#define MOVE_LIST_16(ELEMENT)                                                                                      \
    MOVE_LIST_8(ELEMENT), ELEMENT(8), ELEMENT(9), ELEMENT(10), ELEMENT(11), ELEMENT(12), ELEMENT(13), ELEMENT(14), \
        ELEMENT(15)
#define MOVE_SHUFFLE(a, b, ELEMENT) __builtin_shufflevector(a, b, STRIA_CAT(MOVE_LIST_, MOVE_LANES)(ELEMENT))

#define MOVE_REVERSE(k) (MOVE_LANES - 1 - (k))
#define MOVE_EVEN(k) (2 * (k))
#define MOVE_ODD(k) (2 * (k) + 1)
#define MOVE_ZIP_LOW(k) ((k) / 2 + (k) % 2 * MOVE_LANES)
#define MOVE_ZIP_HIGH(k) (MOVE_LANES / 2 + MOVE_ZIP_LOW(k))
/* The same in each 16 bytes apart, as most machines shuffle; MOVE_PART lanes each. */
#define MOVE_PART (16 / MOVE_SIZE < MOVE_LANES ? 16 / MOVE_SIZE : MOVE_LANES)
#define MOVE_ZIP_PARTS_LOW(k) ((k) / MOVE_PART * MOVE_PART + (k) % MOVE_PART / 2 + (k) % 2 * MOVE_LANES)
#define MOVE_ZIP_PARTS_HIGH(k) (MOVE_PART / 2 + MOVE_ZIP_PARTS_LOW(k))
/* The way back: the even lanes of a part of a, then those of b. */
#define MOVE_EVEN_PARTS(k) \
    ((k) / MOVE_PART * MOVE_PART + (k) % MOVE_PART * 2 % MOVE_PART + (k) % MOVE_PART / (MOVE_PART / 2) * MOVE_LANES)
#define MOVE_ODD_PARTS(k) (MOVE_EVEN_PARTS(k) + 1)
/* From each 2 n lanes of the two vectors: the first (the last) n lanes of a, then the same lanes of b. */
#define MOVE_SWAP_LOW(n, k) ((k) / (n) % 2 ? MOVE_LANES + (k) - (n) : (k))
#define MOVE_SWAP_HIGH(n, k) ((k) / (n) % 2 ? MOVE_LANES + (k) : (k) + (n))
#define MOVE_SWAP_PARTS_LOW(k) MOVE_SWAP_LOW(MOVE_PART, k)
#define MOVE_SWAP_PARTS_HIGH(k) MOVE_SWAP_HIGH(MOVE_PART, k)
/* Three vectors interleaved: lane k of result m is lane t / 3 of vector t % 3, t = m * lanes + k. First of vectors 0 and 1,
 * then of that and vector 2. */
#define MOVE_TRIPLE(m, k) ((m)*MOVE_LANES + (k))
#define MOVE_TRIPLE_01(m, k) \
    (MOVE_TRIPLE(m, k) % 3 == 2 ? -1 : MOVE_TRIPLE(m, k) / 3 + MOVE_TRIPLE(m, k) % 3 * MOVE_LANES)
#define MOVE_TRIPLE_2(m, k) (MOVE_TRIPLE(m, k) % 3 == 2 ? MOVE_LANES + MOVE_TRIPLE(m, k) / 3 : (k))
#define MOVE_TRIPLE_01_0(k) MOVE_TRIPLE_01(0, k)
#define MOVE_TRIPLE_01_1(k) MOVE_TRIPLE_01(1, k)
#define MOVE_TRIPLE_01_2(k) MOVE_TRIPLE_01(2, k)
#define MOVE_TRIPLE_2_0(k) MOVE_TRIPLE_2(0, k)
#define MOVE_TRIPLE_2_1(k) MOVE_TRIPLE_2(1, k)
#define MOVE_TRIPLE_2_2(k) MOVE_TRIPLE_2(2, k)
/* The way back: lane k of result m is element 3 k + m of three vectors one after another. */
#define MOVE_THIRD_01(m, k) (3 * (k) + (m) < 2 * MOVE_LANES ? 3 * (k) + (m) : -1)
#define MOVE_THIRD_2(m, k) (3 * (k) + (m) < 2 * MOVE_LANES ? (k) : 3 * (k) + (m)-MOVE_LANES)
#define MOVE_THIRD_01_0(k) MOVE_THIRD_01(0, k)
#define MOVE_THIRD_01_1(k) MOVE_THIRD_01(1, k)
#define MOVE_THIRD_01_2(k) MOVE_THIRD_01(2, k)
#define MOVE_THIRD_2_0(k) MOVE_THIRD_2(0, k)
#define MOVE_THIRD_2_1(k) MOVE_THIRD_2(1, k)
#define MOVE_THIRD_2_2(k) MOVE_THIRD_2(2, k)

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

#undef MOVE_LANES_1
#undef MOVE_LANES_2
#undef MOVE_LANES_4
#undef MOVE_LANES_8
