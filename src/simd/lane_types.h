/* lane_types.h - the lane types: includes the file STRIA_PER_LANE_TYPE once for each (where STRIA_ONE_LANE is defined, for that
 * of STRIA_LANE_<type> alone), with
 *
 *   STRIA_T         lane word
 *   STRIA_SIZE      bytes of an element
 *   STRIA_WORD      its word in dtypes.def, and STRIA_ENUM, the dtype
 *   STRIA_IS_FLOAT, STRIA_IS_BOOL, STRIA_IS_SUM (in RED_SUM), STRIA_IS_RANDOM_WORD (u32)
 *   STRIA_LOWEST, STRIA_HIGHEST   ends of the range
 *
 * They follow STRIA_T, as do the words of vec_words.h. CMake reads the types from here.
 */
#include "lane_properties.h"

#if !defined(STRIA_ONE_LANE) || defined(STRIA_LANE_b8)
#define STRIA_T b8
#include STRIA_PER_LANE_TYPE
#undef STRIA_T
#endif

#if !defined(STRIA_ONE_LANE) || defined(STRIA_LANE_u8)
#define STRIA_T u8
#include STRIA_PER_LANE_TYPE
#undef STRIA_T
#endif

#if !defined(STRIA_ONE_LANE) || defined(STRIA_LANE_i8)
#define STRIA_T i8
#include STRIA_PER_LANE_TYPE
#undef STRIA_T
#endif

#if !defined(STRIA_ONE_LANE) || defined(STRIA_LANE_u16)
#define STRIA_T u16
#include STRIA_PER_LANE_TYPE
#undef STRIA_T
#endif

#if !defined(STRIA_ONE_LANE) || defined(STRIA_LANE_i16)
#define STRIA_T i16
#include STRIA_PER_LANE_TYPE
#undef STRIA_T
#endif

#if !defined(STRIA_ONE_LANE) || defined(STRIA_LANE_u32)
#define STRIA_T u32
#include STRIA_PER_LANE_TYPE
#undef STRIA_T
#endif

#if !defined(STRIA_ONE_LANE) || defined(STRIA_LANE_i32)
#define STRIA_T i32
#include STRIA_PER_LANE_TYPE
#undef STRIA_T
#endif

#if !defined(STRIA_ONE_LANE) || defined(STRIA_LANE_u64)
#define STRIA_T u64
#include STRIA_PER_LANE_TYPE
#undef STRIA_T
#endif

#if !defined(STRIA_ONE_LANE) || defined(STRIA_LANE_i64)
#define STRIA_T i64
#include STRIA_PER_LANE_TYPE
#undef STRIA_T
#endif

#if !defined(STRIA_ONE_LANE) || defined(STRIA_LANE_f32)
#define STRIA_T f32
#include STRIA_PER_LANE_TYPE
#undef STRIA_T
#endif

#if !defined(STRIA_ONE_LANE) || defined(STRIA_LANE_f64)
#define STRIA_T f64
#include STRIA_PER_LANE_TYPE
#undef STRIA_T
#endif
