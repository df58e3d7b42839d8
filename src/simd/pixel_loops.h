/* pixel_loops.h - pixel_template.h for elements of 1, 2, 4 and 8 bytes; where there are no vectors, move_template.h's. */
#if defined(STRIA_VECTOR_BYTES)
#define MOVE_SIZE 1
#include "pixel_template.h"

#define MOVE_SIZE 2
#include "pixel_template.h"

#define MOVE_SIZE 4
#include "pixel_template.h"

#define MOVE_SIZE 8
#include "pixel_template.h"
#else
#define pixel_transpose_1 move_transpose_1
#define pixel_transpose_2 move_transpose_2
#define pixel_transpose_4 move_transpose_4
#define pixel_transpose_8 move_transpose_8
#endif
