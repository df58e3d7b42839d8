/* op_sets.h - before an inclusion of ops.def: makes the sets empty that have no row for the lane type at hand.
 *
 * Read: STRIA_IS_FLOAT, STRIA_IS_BOOL, STRIA_IS_SUM (1 for the lane types of RED_SUM). ops.def undefines the sets again.
 */
#if STRIA_IS_BOOL
#define OP_NUM(...)
#endif
#if STRIA_IS_BOOL || STRIA_IS_FLOAT
#define OP_INT(...)
#endif
#if STRIA_IS_FLOAT
#define OP_BITS(...)
#else
#define OP_FLOAT(...)
#define RED_FLOAT(...)
#endif
#if !STRIA_IS_SUM
#define RED_SUM(...)
#endif
#if !STRIA_IS_BOOL
#define RED_BOOL(...)
#endif
