/* near.h - numbers of which neither squares nor products of two overflow or lose digits: parts of so many bytes from NEAR_LEAST up to
 * NEAR_MOST; and those up to EXP_TOP, whose exponential does not overflow. C and C++. Internal. */
#ifndef STRIA_NEAR_H
#define STRIA_NEAR_H

#define STRIA_NEAR_LEAST(part_bytes) ((part_bytes) == 4 ? 0x1p-50 : 0x1p-450)
#define STRIA_NEAR_MOST(part_bytes) ((part_bytes) == 4 ? 0x1p60 : 0x1p500)
#define STRIA_EXP_TOP(part_bytes) ((part_bytes) == 4 ? 88 : 709)

#endif
