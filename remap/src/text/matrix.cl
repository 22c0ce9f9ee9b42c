/*
 * The kernel of matrices. A group moves one tile: reads it along the matrix's rows, keeps it in
 * local memory, and writes it along the device's lines, which are
 *
 *     transpose  the tile's columns
 *     diagonal   its diagonals: the tile is a parallelogram, each row one column further left
 *     morton     the whole tile, which is one piece of the device's memory
 *
 * A line of the tile in local memory has one word more than it needs, so that items that read
 * down a column meet all banks. An element is HD_EACH words; or, where the matrix allows it, several
 * of 1 or 2 bytes, HD_PACKED, are a word. Elements that are long need no local memory: their bytes
 * alone fill a transaction (HD_STRAIGHT).
 */
#define HD_IN_WORDS(elements) ((elements)*HD_EACH / HD_PACKED)
#define HD_PITCH (HD_IN_WORDS(HD_TILE_COLUMNS) + 1)

/* A word of the tile: its element, and which of its words it is. Where a word is several elements,
 * the first of them. */
typedef struct hd_at {
    hd_w4 row, column, k;
} hd_at;

HD_INLINE hd_at hd_along_rows(HD_COUNTER i) {
    const hd_w4 inner = HD_IN_WORDS(HD_TILE_COLUMNS), w = (hd_w4)(i % inner);
    const hd_at at = {(hd_w4)(i / inner), w / HD_EACH * HD_PACKED, w % HD_EACH};
    return at;
}
HD_INLINE hd_at hd_along_lines(HD_COUNTER i) {
#if HD_MORTON
    const hd_w4 side = HD_TILE_ROWS < HD_TILE_COLUMNS ? HD_TILE_ROWS : HD_TILE_COLUMNS;
    const hd_w4 place = (hd_w4)(i / HD_EACH), low = place % (side * side);
    const hd_w4 beyond = place / (side * side) * side;
    const hd_at at = {(hd_w4)hd_gather(low >> 1) + (HD_TILE_ROWS > side ? beyond : 0),
                      (hd_w4)hd_gather(low) + (HD_TILE_COLUMNS > side ? beyond : 0),
                      (hd_w4)(i % HD_EACH)};
#else
    const hd_w4 inner = HD_IN_WORDS(HD_TILE_ROWS), w = (hd_w4)(i % inner);
    const hd_at at = {w / HD_EACH * HD_PACKED, (hd_w4)(i / inner), w % HD_EACH};
#endif
    return at;
}

/* Does something for all words of the tile that are in the matrix, along rows or lines. */
#define HD_FOR_EACH(order, statement)                                                          \
    for (HD_COUNTER i = HD_ITEM; i < HD_IN_WORDS(HD_TILE_ROWS * HD_TILE_COLUMNS);              \
         i += HD_ITEMS) {                                                                      \
        const hd_at at = order(i);                                                             \
        const HD_COUNTER column = across + at.column - (HD_DIAGONAL ? at.row : 0);             \
        if (at.row < rows && (!HD_DIAGONAL || across + at.column >= at.row) &&                 \
            column < HD_COLUMNS) {                                                             \
            statement;                                                                         \
        }                                                                                      \
    }
#define HD_ON_HOST \
    host[at.row * (HD_COUNTER)HD_IN_WORDS(HD_COLUMNS) + HD_IN_WORDS(column) + at.k]
#if HD_MORTON
#define HD_ON_DEVICE device[i]
#else
#define HD_ON_DEVICE \
    device[at.column * (HD_COUNTER)HD_IN_WORDS(HD_ROWS) + HD_IN_WORDS(at.row) + at.k]
#endif
#define HD_IN_ROW tile[at.row * HD_PITCH + HD_IN_WORDS(at.column) + at.k]

/* The tile along the device's lines; a word of several elements is taken together from as many
 * rows. */
#if HD_PACKED == 1
#define HD_IN_TILE HD_IN_ROW
#define HD_PUT_IN_TILE(value) HD_IN_ROW = value
#else
#define HD_IN_TILE hd_together(tile, at)
#define HD_PUT_IN_TILE(value) hd_apart(tile, at, value)
#define HD_ELEMENT_AT(e) ((at.row + (e)) * HD_PITCH * HD_PACKED + at.column)
HD_INLINE hd_w4 hd_together(HD_LOCAL const hd_w4 *tile, hd_at at) {
    hd_w4 value = 0;
    for (hd_w4 e = 0; e < HD_PACKED; e++)
        value |= (hd_w4)((HD_LOCAL const HD_ELEMENT *)tile)[HD_ELEMENT_AT(e)]
                 << e * (32 / HD_PACKED);
    return value;
}
HD_INLINE void hd_apart(HD_LOCAL hd_w4 *tile, hd_at at, hd_w4 value) {
    for (hd_w4 e = 0; e < HD_PACKED; e++)
        ((HD_LOCAL HD_ELEMENT *)tile)[HD_ELEMENT_AT(e)] =
            (HD_ELEMENT)(value >> e * (32 / HD_PACKED));
}
#endif

HD_KERNEL hd_remap_kernel(HD_PARAMETERS) {
    const hd_w8 down = HD_GROUP / HD_ACROSS * HD_TILE_ROWS;
    const HD_COUNTER across = (HD_COUNTER)(HD_GROUP % HD_ACROSS) * HD_TILE_COLUMNS;
    const hd_w4 rows = count - down < HD_TILE_ROWS ? (hd_w4)(count - down) : HD_TILE_ROWS;
#if HD_MORTON
    const hd_w8 place = hd_morton_at(first + down, across, HD_ROWS, HD_COLUMNS);
#else /* of a diagonal map `across` counts diagonals from that of its row 0 */
    const hd_w8 place =
        (across + (HD_DIAGONAL ? first + down : 0)) * (hd_w8)HD_ROWS + first + down;
#endif
    HD_HOST HD_WORD *host = (HD_HOST HD_WORD *)staging + down * HD_IN_WORDS(HD_COLUMNS);
    HD_DEVICE HD_WORD *device = (HD_DEVICE HD_WORD *)part0 + HD_IN_WORDS(place);
#if HD_STRAIGHT && HD_BACK && !HD_MORTON /* in the order of what is written, or of the device */
    HD_FOR_EACH(hd_along_rows, HD_ON_HOST = HD_ON_DEVICE)
#elif HD_STRAIGHT && HD_BACK
    HD_FOR_EACH(hd_along_lines, HD_ON_HOST = HD_ON_DEVICE)
#elif HD_STRAIGHT
    HD_FOR_EACH(hd_along_lines, HD_ON_DEVICE = HD_ON_HOST)
#else
    HD_SHARED HD_WORD tile[HD_TILE_ROWS * HD_PITCH];
#if HD_BACK
    HD_FOR_EACH(hd_along_lines, HD_PUT_IN_TILE(HD_ON_DEVICE))
    HD_BARRIER();
    HD_FOR_EACH(hd_along_rows, HD_ON_HOST = HD_IN_ROW)
#else
    HD_FOR_EACH(hd_along_rows, HD_IN_ROW = HD_ON_HOST)
    HD_BARRIER();
    HD_FOR_EACH(hd_along_lines, HD_ON_DEVICE = HD_IN_TILE)
#endif
#endif
}
