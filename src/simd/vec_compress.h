/* vec_compress.h - the elements that a mask wants, side by side, where an ISA has a way to do that.
 *
 *   vec_compress_<size>(dst, src, mask)
 *       of VEC_COMPRESS_<size> elements of <size> bytes from src, those whose byte of the mask is not 0 go to dst, one
 *       after another; returns their number. All of dst is written, as if every element were wanted. Any alignment
 *
 * VEC_COMPRESS_<size> is undefined where there is no such function.
 */
#include STRIA_ISA_HEADER(compress_)
