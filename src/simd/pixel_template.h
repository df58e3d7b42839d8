/* pixel_template.h - transposing where one side is parts of pixels: 2 or 3 elements side by side, then a gap; or pixels that
 * follow one another backwards. What move_template.h does for whole pixels is done here for TILE pixels at a time, in a
 * buffer, from where rows go to their places.
 *
 * Parameter MOVE_SIZE, the bytes of an element; undefined at the end.
 */
#define MOVE(name) STRIA_CAT3(name, _, MOVE_SIZE)
#define TILE 64 /* whole vectors of any element */

/* Rows of n_columns elements, dst_pitch apart; the gaps between them are not written. Returns the rows done. */
V_LOOP int64_t MOVE(pixel_interleave)(char *dst, int64_t dst_pitch, const char *src, int64_t src_pitch, int64_t n_rows,
                                      int n_columns)
{
    _Alignas(64) char tile[TILE * 3 * MOVE_SIZE];
    int64_t           j = 0, rows = 1;
    for (; rows > 0; j += rows) {
        const char   *from = src + j * MOVE_SIZE;
        const int64_t left = n_rows - j < TILE ? n_rows - j : TILE;
        rows = n_columns == 2 ? MOVE(move_interleave_2)(tile, from, src_pitch, left)
                              : MOVE(move_interleave_3)(tile, from, src_pitch, left);
        for (int64_t k = 0; k < rows; k++)
            memcpy(dst + (j + k) * dst_pitch, tile + k * n_columns * MOVE_SIZE, (size_t)n_columns * MOVE_SIZE);
    }
    return j;
}

/* At most TILE columns of n_rows elements, `step` elements apart, to rows TILE elements apart. Returns the columns done. */
V_LOOP int64_t MOVE(pixel_separate_tile)(char *tile, const char *src, int64_t step, int64_t n_columns, int64_t n_rows)
{
    const int64_t row = TILE * MOVE_SIZE;
    if (step == 2 && n_rows == 2) return MOVE(move_separate_2)(tile, row, src, n_columns);
    if (step == 3 && n_rows == 3) return MOVE(move_separate_3)(tile, row, src, n_columns);
    return step == 4 ? MOVE(move_separate_4)(tile, row, src, n_columns) : 0;
}

/* n_rows of 2 to 4; elements behind the last one of the last column are not read. Returns the columns done. */
V_LOOP int64_t MOVE(pixel_separate)(char *dst, int64_t dst_pitch, const char *src, int64_t step, int64_t n_columns,
                                    int64_t n_rows)
{
    _Alignas(64) char tile[4 * TILE * MOVE_SIZE];
    const int64_t     readable = step == n_rows ? n_columns : n_columns - 1;
    int64_t           i = 0, columns = 1;
    for (; columns > 0; i += columns) {
        const int64_t left = readable - i < TILE ? readable - i : TILE;
        columns = MOVE(pixel_separate_tile)(tile, src + i * step * MOVE_SIZE, step, left, n_rows);
        for (int64_t k = 0; k < n_rows; k++)
            memcpy(dst + k * dst_pitch + i * MOVE_SIZE, tile + k * TILE * MOVE_SIZE, (size_t)(columns * MOVE_SIZE));
    }
    return i;
}

/* The same for columns -step elements apart. The first column is left out where elements behind it would be read. */
V_LOOP int64_t MOVE(pixel_separate_reversed)(char *dst, int64_t dst_pitch, const char *src, int64_t step,
                                             int64_t n_columns, int64_t n_rows)
{
    _Alignas(64) char tile[4 * TILE * MOVE_SIZE];
    int64_t           i = 0;
    if (step != n_rows && n_columns > 0) {
        for (int64_t k = 0; k < n_rows; k++) MOVE(move_put)(dst + k * dst_pitch, MOVE(move_get)(src + k * MOVE_SIZE));
        i = 1;
    }
    for (; i + TILE <= n_columns; i += TILE) {
        const char *lowest = src - (i + TILE - 1) * step * MOVE_SIZE;
        if (MOVE(pixel_separate_tile)(tile, lowest, step, TILE, n_rows) < TILE) break;
        for (int64_t k = 0; k < n_rows; k++)
            MOVE(move_reversed)(dst + k * dst_pitch + i * MOVE_SIZE, tile + (k * TILE + TILE - 1) * MOVE_SIZE, TILE);
    }
    return i;
}

static void MOVE(pixel_transpose)(char *dst, int64_t dst_pitch, const char *src, int64_t src_pitch, int64_t n_columns,
                                  int64_t n_rows)
{
    const int64_t step = src_pitch / MOVE_SIZE, width = n_columns * MOVE_SIZE;
    int64_t       done = 0;

    if (n_rows >= 2 && n_rows <= 4 && step * MOVE_SIZE == src_pitch) {
        if (step == 4 && n_rows < 4) done = MOVE(pixel_separate)(dst, dst_pitch, src, step, n_columns, n_rows);
        if (step <= -n_rows && step >= -4)
            done = MOVE(pixel_separate_reversed)(dst, dst_pitch, src, -step, n_columns, n_rows);
        dst += done * MOVE_SIZE;
        src += done * src_pitch;
        n_columns -= done;
    } else if ((n_columns == 2 || n_columns == 3) && dst_pitch != width) {
        done = n_columns == 2 ? MOVE(pixel_interleave)(dst, dst_pitch, src, src_pitch, n_rows, 2)
                              : MOVE(pixel_interleave)(dst, dst_pitch, src, src_pitch, n_rows, 3);
        dst += done * dst_pitch;
        src += done * MOVE_SIZE;
        n_rows -= done;
    }
    MOVE(move_transpose)(dst, dst_pitch, src, src_pitch, n_columns, n_rows);
}

#undef TILE
#undef MOVE
#undef MOVE_SIZE
