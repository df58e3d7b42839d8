/* compress_table.h - the shuffles that compress eight elements, for all masks of eight. */
#ifndef STRIA_COMPRESS_TABLE_H
#define STRIA_COMPRESS_TABLE_H

/* Entry n: byte r is the position of the r-th bit that is set in n. */
#define BIT(n, b) ((n) >> (b)&1)
#define BITS_BELOW(n, b)                                                                                             \
    (((b) > 0 ? BIT(n, 0) : 0) + ((b) > 1 ? BIT(n, 1) : 0) + ((b) > 2 ? BIT(n, 2) : 0) + ((b) > 3 ? BIT(n, 3) : 0) + \
     ((b) > 4 ? BIT(n, 4) : 0) + ((b) > 5 ? BIT(n, 5) : 0) + ((b) > 6 ? BIT(n, 6) : 0))
#define PLACE(n, b) ((uint64_t)(BIT(n, b) ? (b) : 0) << (8 * BITS_BELOW(n, b)))
#define ENTRY(n) (PLACE(n, 1) | PLACE(n, 2) | PLACE(n, 3) | PLACE(n, 4) | PLACE(n, 5) | PLACE(n, 6) | PLACE(n, 7))
#define ENTRIES_4(n) ENTRY(n), ENTRY(n + 1), ENTRY(n + 2), ENTRY(n + 3)
#define ENTRIES_16(n) ENTRIES_4(n), ENTRIES_4(n + 4), ENTRIES_4(n + 8), ENTRIES_4(n + 12)
#define ENTRIES_64(n) ENTRIES_16(n), ENTRIES_16(n + 16), ENTRIES_16(n + 32), ENTRIES_16(n + 48)
static const uint64_t vec_compress_places[256] = {ENTRIES_64(0), ENTRIES_64(64), ENTRIES_64(128), ENTRIES_64(192)};
#undef BIT
#undef BITS_BELOW
#undef PLACE
#undef ENTRY
#undef ENTRIES_4
#undef ENTRIES_16
#undef ENTRIES_64

typedef uint8_t  vec_bytes __attribute__((vector_size(16)));
typedef uint64_t vec_words __attribute__((vector_size(16)));

VEC_INLINE vec_bytes vec_compress_load(const void *at)
{
    vec_bytes v;
    memcpy(&v, at, sizeof v);
    return v;
}
/* Eight bytes, then zeros. */
VEC_INLINE vec_bytes vec_compress_load_8(const void *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return (vec_bytes)(vec_words){word, 0};
}

#endif
