/* vec_all_lanes.h - vec_lanes.h for every lane type but the wide ones; an unsigned type comes after its signed one. */
#define VEC_T b8
#include "vec_lanes.h"
#define VEC_T i8
#include "vec_lanes.h"
#define VEC_T u8
#include "vec_lanes.h"
#define VEC_T i16
#include "vec_lanes.h"
#define VEC_T u16
#include "vec_lanes.h"
#define VEC_T i32
#include "vec_lanes.h"
#define VEC_T u32
#include "vec_lanes.h"
#define VEC_T i64
#include "vec_lanes.h"
#define VEC_T u64
#include "vec_lanes.h"
#define VEC_T f32
#include "vec_lanes.h"
#define VEC_T f64
#include "vec_lanes.h"
