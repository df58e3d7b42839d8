/* test_pixels.c - copies between planes and pixels, of one dtype and with conversion: 1 to 5 channels, whole pixels and some
 * of their elements, forwards and mirrored, around the sizes of vectors and blocks. Every element against the oracle, nothing
 * beside them written, nothing outside of them read (memory ends at unreadable pages). */
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

#define N_VALUES 64

static const stria_dtype dtypes[] = {STRIA_BOOL, STRIA_U8,  STRIA_I8,   STRIA_U16, STRIA_I16, STRIA_U32, STRIA_I32,
                                     STRIA_U64,  STRIA_I64, STRIA_BF16, STRIA_F16, STRIA_F32, STRIA_F64, STRIA_C128};
enum { N_DTYPES = sizeof dtypes / sizeof *dtypes };

/* How [channels, pixels] lie in memory. */
typedef enum arrangement { PLANES, PIXELS, MIRRORED } arrangement;

typedef struct picture {
    stria_dtype   dtype;
    int64_t       size, strides[2], start; /* in elements, of bytes `size` each */
    guarded       memory;
    size_t        nbytes;
    stria_tensor *x;
} picture;

/* `gap` elements between planes or pixels. */
static picture picture_new(stria_dtype dtype, arrangement kind, int64_t channels, int64_t pixels, int64_t gap)
{
    const int64_t shape[] = {channels, pixels}, step = channels + gap;
    picture       p = {.dtype = dtype, .size = (int64_t)stria_dtype_get_size(dtype)};

    p.strides[0] = kind == PLANES ? pixels + gap : 1;
    p.strides[1] = kind == PLANES ? 1 : kind == PIXELS ? step : -step;
    p.start = kind == MIRRORED ? (pixels - 1) * step : 0;
    p.nbytes = (size_t)(kind == PLANES ? (channels - 1) * (pixels + gap) + pixels : (pixels - 1) * step + channels) *
               (size_t)p.size;
#if defined(__EMSCRIPTEN__) /* no guard pages, and at the end no alignment */
    p.memory = guarded_new(p.nbytes, false);
#else
    p.memory = guarded_new(p.nbytes, true);
#endif
    CHECK_STATUS(
        stria_tensor_new_external(dtype, 2, shape, p.strides, p.memory.data + p.start * p.size, NULL, NULL, &p.x, NULL),
        STRIA_OK);
    return p;
}

static void picture_release(picture *p)
{
    stria_tensor_release(p->x);
    guarded_release(p->memory);
}

static char *picture_at(const picture *p, int64_t channel, int64_t pixel)
{
    return p->memory.data + (p->start + channel * p->strides[0] + pixel * p->strides[1]) * p->size;
}

/* Elements of one dtype and what they become in another. */
typedef struct values {
    stria_dtype from, to;
    char        before[N_VALUES][16], after[N_VALUES][16];
} values;

static values values_new(stria_dtype from, stria_dtype to)
{
    values       v = {.from = from, .to = to};
    random_state random = {(uint64_t)(from * 31 + to)};

    for (int k = 0; k < N_VALUES; k++) {
        random_element(&random, from, -300, 300, v.before[k]);
        if (from == STRIA_BOOL) v.before[k][0] &= 1;
        value_set(to, value_convert(value_get(from, v.before[k]), to), v.after[k]);
    }
    return v;
}

/* Which of the values channel c of pixel k has: neighbours differ in either direction. */
static int64_t get_value(int64_t c, int64_t k) { return (c * 23 + k * 7 + k / 64) % N_VALUES; }

static void check_copy(const values *v, picture *out, picture *in, int64_t channels, int64_t pixels, const char *what)
{
    int64_t wrong = 0, touched = 0;

    memset(out->memory.data, 0x5a, out->nbytes);
    for (int64_t c = 0; c < channels; c++)
        for (int64_t k = 0; k < pixels; k++) memcpy(picture_at(in, c, k), v->before[get_value(c, k)], (size_t)in->size);
    CHECK_STATUS(stria_tensor_set(out->x, in->x, NULL), STRIA_OK);
    for (int64_t c = 0; c < channels; c++)
        for (int64_t k = 0; k < pixels; k++) {
            char       *at = picture_at(out, c, k);
            const char *expected = v->after[get_value(c, k)];
            if (memcmp(at, expected, (size_t)out->size) != 0 && !value_same(v->to, at, expected)) wrong++;
            memset(at, 0x5a, (size_t)out->size);
        }
    for (size_t k = 0; k < out->nbytes; k++) touched += out->memory.data[k] != 0x5a;
    CHECK(wrong == 0 && touched == 0, "%s -> %s, %s, %lld x %lld: %lld wrong, %lld bytes beside them written",
          stria_dtype_get_name(v->from), stria_dtype_get_name(v->to), what, (long long)channels, (long long)pixels,
          (long long)wrong, (long long)touched);
}

static void check_sizes(const values *v, int64_t channels, int64_t pixels)
{
    static const struct {
        arrangement out, in;
        int64_t     gap_out, gap_in;
        const char *name;
    } ways[] = {{PIXELS, PLANES, 0, 0, "planes to pixels"},     {PIXELS, PLANES, 1, 3, "planes to parts of pixels"},
                {PLANES, PIXELS, 0, 0, "pixels to planes"},     {PLANES, PIXELS, 2, 1, "parts of pixels to planes"},
                {PIXELS, PIXELS, 1, 2, "pixels to pixels"},     {MIRRORED, PLANES, 1, 0, "planes to mirrored pixels"},
                {PLANES, MIRRORED, 0, 0, "mirrored to planes"}, {PLANES, MIRRORED, 0, 1, "mirrored parts to planes"},
                {PIXELS, MIRRORED, 0, 0, "mirrored to pixels"}};

    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        picture out = picture_new(v->to, ways[w].out, channels, pixels, ways[w].gap_out);
        picture in = picture_new(v->from, ways[w].in, channels, pixels, ways[w].gap_in);
        check_copy(v, &out, &in, channels, pixels, ways[w].name);
        picture_release(&out);
        picture_release(&in);
    }
}

SUITE(test_pixels)
{
    static const int64_t sizes[] = {1, 3, 17, 64, 65, 700};

    check_isa("test_pixels");
    for (int f = 0; f < N_DTYPES; f++)
        for (int t = 0; t < N_DTYPES; t++) {
            const values v = values_new(dtypes[f], dtypes[t]);
            for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
                for (int64_t channels = 1; channels <= 5; channels++)
                    if ((f + t + channels) % 2 == 0 || channels == 3) check_sizes(&v, channels, sizes[n]);
        }
    /* several blocks, and the bytes and floats of pictures */
    for (int64_t channels = 1; channels <= 5; channels++) {
        const values down = values_new(STRIA_F32, STRIA_U8), up = values_new(STRIA_U8, STRIA_F32);
        const values bytes = values_new(STRIA_U8, STRIA_U8), wide = values_new(STRIA_F64, STRIA_F32);
        for (int64_t pixels = 2000; pixels < 9000; pixels += 3333) {
            check_sizes(&down, channels, pixels);
            check_sizes(&up, channels, pixels);
            check_sizes(&bytes, channels, pixels);
            check_sizes(&wide, channels, pixels);
        }
    }
    return check_finish("test_pixels");
}
