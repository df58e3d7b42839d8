/* compress_scalar.h - vec_compress.h in plain C has no function: the loop around it takes one element at a time. */
