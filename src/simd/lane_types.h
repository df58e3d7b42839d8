/* lane_types.h - includes the file STRIA_PER_LANE_TYPE once per lane type (where STRIA_ONE_LANE is defined, for that of
 * STRIA_LANE_<type> alone), with
 *
 *   STRIA_T         lane word
 *   STRIA_SIZE      bytes of an element
 *   STRIA_WORD      its word in dtypes.def, and STRIA_ENUM, the dtype
 *   STRIA_IS_FLOAT, STRIA_IS_BOOL, STRIA_IS_SUM (in RED_SUM)
 *   STRIA_LOWEST, STRIA_HIGHEST   ends of the range
 */
#include "paste.h"
#define STRIA_ENUM STRIA_CAT(STRIA_, STRIA_WORD)

#if !defined(STRIA_ONE_LANE) || defined(STRIA_LANE_b8)
#define STRIA_T b8
#define STRIA_SIZE 1
#define STRIA_WORD BOOL
#define STRIA_IS_FLOAT 0
#define STRIA_IS_BOOL 1
#define STRIA_IS_SUM 0
#define STRIA_LOWEST 0
#define STRIA_HIGHEST 1
#include STRIA_PER_LANE_TYPE
#include "lane_type_end.h"
#endif

#if !defined(STRIA_ONE_LANE) || defined(STRIA_LANE_u8)
#define STRIA_T u8
#define STRIA_SIZE 1
#define STRIA_WORD U8
#define STRIA_IS_FLOAT 0
#define STRIA_IS_BOOL 0
#define STRIA_IS_SUM 0
#define STRIA_LOWEST 0
#define STRIA_HIGHEST UINT8_MAX
#include STRIA_PER_LANE_TYPE
#include "lane_type_end.h"
#endif

#if !defined(STRIA_ONE_LANE) || defined(STRIA_LANE_i8)
#define STRIA_T i8
#define STRIA_SIZE 1
#define STRIA_WORD I8
#define STRIA_IS_FLOAT 0
#define STRIA_IS_BOOL 0
#define STRIA_IS_SUM 0
#define STRIA_LOWEST INT8_MIN
#define STRIA_HIGHEST INT8_MAX
#include STRIA_PER_LANE_TYPE
#include "lane_type_end.h"
#endif

#if !defined(STRIA_ONE_LANE) || defined(STRIA_LANE_u16)
#define STRIA_T u16
#define STRIA_SIZE 2
#define STRIA_WORD U16
#define STRIA_IS_FLOAT 0
#define STRIA_IS_BOOL 0
#define STRIA_IS_SUM 0
#define STRIA_LOWEST 0
#define STRIA_HIGHEST UINT16_MAX
#include STRIA_PER_LANE_TYPE
#include "lane_type_end.h"
#endif

#if !defined(STRIA_ONE_LANE) || defined(STRIA_LANE_i16)
#define STRIA_T i16
#define STRIA_SIZE 2
#define STRIA_WORD I16
#define STRIA_IS_FLOAT 0
#define STRIA_IS_BOOL 0
#define STRIA_IS_SUM 0
#define STRIA_LOWEST INT16_MIN
#define STRIA_HIGHEST INT16_MAX
#include STRIA_PER_LANE_TYPE
#include "lane_type_end.h"
#endif

#if !defined(STRIA_ONE_LANE) || defined(STRIA_LANE_u32)
#define STRIA_T u32
#define STRIA_SIZE 4
#define STRIA_WORD U32
#define STRIA_IS_FLOAT 0
#define STRIA_IS_BOOL 0
#define STRIA_IS_SUM 0
#define STRIA_LOWEST 0
#define STRIA_HIGHEST UINT32_MAX
#include STRIA_PER_LANE_TYPE
#include "lane_type_end.h"
#endif

#if !defined(STRIA_ONE_LANE) || defined(STRIA_LANE_i32)
#define STRIA_T i32
#define STRIA_SIZE 4
#define STRIA_WORD I32
#define STRIA_IS_FLOAT 0
#define STRIA_IS_BOOL 0
#define STRIA_IS_SUM 0
#define STRIA_LOWEST INT32_MIN
#define STRIA_HIGHEST INT32_MAX
#include STRIA_PER_LANE_TYPE
#include "lane_type_end.h"
#endif

#if !defined(STRIA_ONE_LANE) || defined(STRIA_LANE_u64)
#define STRIA_T u64
#define STRIA_SIZE 8
#define STRIA_WORD U64
#define STRIA_IS_FLOAT 0
#define STRIA_IS_BOOL 0
#define STRIA_IS_SUM 1
#define STRIA_LOWEST 0
#define STRIA_HIGHEST UINT64_MAX
#include STRIA_PER_LANE_TYPE
#include "lane_type_end.h"
#endif

#if !defined(STRIA_ONE_LANE) || defined(STRIA_LANE_i64)
#define STRIA_T i64
#define STRIA_SIZE 8
#define STRIA_WORD I64
#define STRIA_IS_FLOAT 0
#define STRIA_IS_BOOL 0
#define STRIA_IS_SUM 1
#define STRIA_LOWEST INT64_MIN
#define STRIA_HIGHEST INT64_MAX
#include STRIA_PER_LANE_TYPE
#include "lane_type_end.h"
#endif

#if !defined(STRIA_ONE_LANE) || defined(STRIA_LANE_f32)
#define STRIA_T f32
#define STRIA_SIZE 4
#define STRIA_WORD F32
#define STRIA_IS_FLOAT 1
#define STRIA_IS_BOOL 0
#define STRIA_IS_SUM 1
#define STRIA_LOWEST -INFINITY
#define STRIA_HIGHEST INFINITY
#include STRIA_PER_LANE_TYPE
#include "lane_type_end.h"
#endif

#if !defined(STRIA_ONE_LANE) || defined(STRIA_LANE_f64)
#define STRIA_T f64
#define STRIA_SIZE 8
#define STRIA_WORD F64
#define STRIA_IS_FLOAT 1
#define STRIA_IS_BOOL 0
#define STRIA_IS_SUM 1
#define STRIA_LOWEST -INFINITY
#define STRIA_HIGHEST INFINITY
#include STRIA_PER_LANE_TYPE
#include "lane_type_end.h"
#endif

#undef STRIA_ENUM
