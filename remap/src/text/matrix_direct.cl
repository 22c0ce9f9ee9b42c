/*
 * The kernel of transposed and of diagonal matrices on a processor. An item moves as many rows as
 * are 256 bytes of a line on the device, and some of their columns (of a diagonal map: diagonals;
 * "line" is either). It reads 256 bytes of each row, turns them in vectors into a square block in
 * the nearest caches, and writes the block's lines from there, so that each row of the source and
 * each line of the device is gone through in pieces of a few whole cache lines. The way back does
 * the same with lines and rows exchanged. Pieces at the matrix's edges are moved element by
 * element.
 */
#define HD_SIDE HD_TILE_ROWS
#define HD_LANES (16 / HD_BYTES)
#define HD_TURN_(bytes) hd_turn_##bytes
#define HD_TURN(bytes) HD_TURN_(bytes)

/* Where row `r` of the item's has its element of a line. */
#define HD_HOST_AT(r, line) \
    (host + ((hd_w8)(r)*HD_COLUMNS + (line) - (HD_DIAGONAL ? (r) : 0)) * HD_BYTES)
#define HD_DEVICE_AT(r, line) (device + ((hd_w8)(line)*HD_ROWS + (r)) * HD_BYTES)
/* The block's element in row `r` of what is read, and a line of what is written. */
#if HD_BACK
#define HD_READ_AT(r, line, c) HD_DEVICE_AT(c, line + r)
#define HD_WRITE_AT(r, line) HD_HOST_AT(r, line)
#define HD_ON_LINE (HD_COLUMNS * HD_BYTES % 64 == 0 && !HD_DIAGONAL)
#else
#define HD_READ_AT(r, line, c) HD_HOST_AT(r, line + c)
#define HD_WRITE_AT(r, line) HD_DEVICE_AT(0, line + r)
#define HD_ON_LINE (HD_ROWS * HD_BYTES % 64 == 0)
#endif

HD_INLINE void hd_move(HD_DEVICE hd_w1 *device, HD_HOST hd_w1 *host, hd_w8 begin, hd_w8 end,
                       hd_w4 rows, const bool streams) {
    uint4 block[HD_SIDE * 16] __attribute__((aligned(64)));
    for (hd_w8 line = begin; line < end; line += HD_SIDE) {
        if ((!HD_DIAGONAL || line + 1 >= HD_SIDE) && rows == HD_SIDE &&
            line + HD_SIDE <= HD_COLUMNS) {
            for (hd_w4 a = 0; a < HD_SIDE; a += HD_LANES)
                for (hd_w4 b = 0; b < HD_SIDE; b += HD_LANES) {
                    uint4 v[HD_LANES];
                    for (hd_w4 l = 0; l < HD_LANES; l++)
                        v[l] = HD_LOAD(HD_READ_AT(a + l, line, b));
                    HD_TURN(HD_BYTES)(v);
                    for (hd_w4 l = 0; l < HD_LANES; l++)
                        block[((b + l) * HD_SIDE + a) / HD_LANES] = v[l];
                }
            for (hd_w4 a = 0; a < HD_SIDE; a++)
                for (hd_w4 i = 0; i < 4; i++)
                    HD_STORE(HD_WRITE_AT(a, line) + 64 * i, ((uint16 *)block)[a * 4 + i],
                             streams && HD_ON_LINE);
            continue;
        }
        for (hd_w8 c = line; c < line + HD_SIDE; c++)
            for (hd_w4 r = 0; r < rows; r++) {
                if ((HD_DIAGONAL && c < r) || c - (HD_DIAGONAL ? r : 0) >= HD_COLUMNS)
                    continue;
#if HD_BACK
                *(HD_HOST HD_WORD *)HD_HOST_AT(r, c) = *(HD_DEVICE HD_WORD *)HD_DEVICE_AT(r, c);
#else
                *(HD_DEVICE HD_WORD *)HD_DEVICE_AT(r, c) = *(HD_HOST HD_WORD *)HD_HOST_AT(r, c);
#endif
            }
    }
}

HD_KERNEL hd_remap_kernel(HD_PARAMETERS) {
    const hd_w8 down = HD_GROUP / HD_ACROSS * HD_TILE_ROWS;
    const hd_w8 begin = HD_GROUP % HD_ACROSS * HD_TILE_COLUMNS;
    const hd_w8 lines = HD_COLUMNS + (HD_DIAGONAL ? HD_SIDE - 1 : 0);
    const hd_w8 end = begin + HD_TILE_COLUMNS < lines ? begin + HD_TILE_COLUMNS : lines;
    const hd_w4 rows = count - down < HD_TILE_ROWS ? (hd_w4)(count - down) : HD_TILE_ROWS;
    HD_HOST hd_w1 *host = staging + down * HD_COLUMNS * HD_BYTES;
    HD_DEVICE hd_w1 *device =
        part0 + ((HD_DIAGONAL ? (first + down) * HD_ROWS : 0) + first + down) * HD_BYTES;
    if (((size_t)(HD_BACK ? (size_t)staging : (size_t)part0) & 63) == 0)
        hd_move(device, host, begin, end, rows, true);
    else
        hd_move(device, host, begin, end, rows, false);
}
