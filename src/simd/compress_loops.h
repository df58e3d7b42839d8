/* compress_loops.h - counting and packing by a mask of bytes; contract in kernels.h (stria_compress). Included once
 * per ISA. */

/* Lanes of u8 count up to 255 truths each before they are added up. */
static int64_t compress_count(const uint8_t *mask, int64_t count)
{
    int64_t total = 0, i = 0;

    while (i + VEC_LANES_u8 <= count) {
        const int64_t left = (count - i) / VEC_LANES_u8, n = left < 255 ? left : 255;
        vec_u8        acc = vec_set_u8(0);
        uint8_t       part[VEC_LANES_u8];
        for (int64_t k = 0; k < n; k++, i += VEC_LANES_u8)
            acc = vec_add_u8(acc, vec_min_u8(vec_load_u8(mask + i), vec_set_u8(1)));
        vec_store_u8(part, acc);
        for (int k = 0; k < VEC_LANES_u8; k++) total += part[k];
    }
    for (; i < count; i++) total += mask[i] != 0;
    return total;
}

/* ---------------------------------------------------------------- groups
 *
 * All of dst is written, as if every element were wanted; the number of those that are is returned. */

typedef int compress_group(char *dst, const char *src, const uint8_t *mask);

/* Every element is stored; the next wanted element overwrites an unwanted one. So there is no branch to predict. Stores do
 * not wait for each other: one product gives the number of wanted elements before each of the eight, as its bytes. */
V_LOOP int compress_eight(char *dst, const char *src, const uint8_t *mask, int64_t size)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu, ones = 0x0101010101010101u;
    uint64_t       m, sums;

    memcpy(&m, mask, sizeof m);
    m = (((m & low) + low) | m) >> 7 & ones;
    sums = m * ones;
    memcpy(dst, src, (size_t)size);
    for (int k = 1; k < 8; k++)
        memcpy(dst + (int64_t)(sums >> (8 * k - 8) & 0xff) * size, src + k * size, (size_t)size);
    return (int)(sums >> 56);
}

#define COMPRESS_EIGHT(size)                                                        \
    V_LOOP int vec_compress_##size(char *dst, const char *src, const uint8_t *mask) \
    {                                                                               \
        return compress_eight(dst, src, mask, size);                                \
    }
#if !defined(VEC_COMPRESS_1)
#define VEC_COMPRESS_1 8
#define VEC_COMPRESS_2 8
#define VEC_COMPRESS_4 8
COMPRESS_EIGHT(1)
COMPRESS_EIGHT(2)
COMPRESS_EIGHT(4)
#endif
#if !defined(VEC_COMPRESS_8)
#define VEC_COMPRESS_8 8
COMPRESS_EIGHT(8)
#endif
#define VEC_COMPRESS_16 8
COMPRESS_EIGHT(16)
#undef COMPRESS_EIGHT

/* ---------------------------------------------------------------- runs */

static bool compress_all_false(const uint8_t *mask)
{
    uint64_t m;
    memcpy(&m, mask, sizeof m);
    return m == 0;
}

/* Takes groups while dst has room for a whole one, then single elements. There are many of these only if few elements are
 * wanted, so unwanted elements are skipped eight at a time. */
V_LOOP int64_t compress_run(char *dst, const char *src, const uint8_t *mask, int64_t count, int64_t room, int64_t size,
                            int64_t lanes, compress_group *group)
{
    int64_t i = 0, n = 0;

    for (; i + lanes <= count && n + lanes <= room; i += lanes) n += group(dst + n * size, src + i * size, mask + i);
    while (i < count && n < room) {
        if (i + 8 <= count && compress_all_false(mask + i)) {
            i += 8;
            continue;
        }
        if (mask[i]) memcpy(dst + n++ * size, src + i * size, (size_t)size);
        i++;
    }
    return n;
}

#define COMPRESS_SIZE(size)                                                                                      \
    static int64_t compress_##size(char *dst, const char *src, const uint8_t *mask, int64_t count, int64_t room) \
    {                                                                                                            \
        return compress_run(dst, src, mask, count, room, size, VEC_COMPRESS_##size, vec_compress_##size);        \
    }
COMPRESS_SIZE(1)
COMPRESS_SIZE(2)
COMPRESS_SIZE(4)
COMPRESS_SIZE(8)
COMPRESS_SIZE(16)
#undef COMPRESS_SIZE
