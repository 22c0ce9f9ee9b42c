/*
 * The kernel of structs and their layout on a processor: an item moves records that follow one
 * another, a block after the other, so that what a block touches stays in the first cache.
 *
 * Fields of 1, 2, 4, 8 or 16 bytes whose values lie in runs are moved in vectors: a window is as
 * many neighbouring words of a record as 16 bytes hold. Of a bundle of records, whose values of a
 * field are 64 bytes, the windows are read one below the other and turned:
 *
 *     a0 b0 c0 d0        a0 a1 a2 a3     of records 0 to 3, and so on to record 15; the four
 *     a1 b1 c1 d1  --->  b0 b1 b2 b3     quarters of a field are stored at once, past the caches
 *     a2 b2 c2 d2        c0 c1 c2 c3     where the compiler knows how. The way back turns them
 *     a3 b3 c3 d3        d0 d1 d2 d3     again, into a block of records that is then stored.
 *
 * A window may reach into the next record where records are shorter than 16 bytes: what it finds
 * there is not used. Records of two words need no turning: their vectors are taken apart into even
 * and odd words, and put together by alternating. Other fields, and what is left of a block, are
 * moved value by value (HD_VALUES).
 *
 * HD_WINDOWS_1 to HD_WINDOWS_16 list the windows of words of so many bytes: where each begins in
 * the record, then a lane for each field it has.
 */
#define HD_IS_PAIR(U) (HD_RECORD == 2 * U && U < 8)

/* A bundle's windows from `records`: vector l of each quarter has lane l of its records; and back. */
#define HD_BUNDLES(U, type)                                                                       \
    HD_INLINE void hd_read_##U(uint4 *v, HD_HOST hd_w1 *records, hd_w4 quarter) {                 \
        records += quarter * (16 / U) * HD_RECORD;                                                \
        if (HD_IS_PAIR(U)) {                                                                      \
            const type a = as_##type(HD_LOAD(records)), b = as_##type(HD_LOAD(records + 16));     \
            v[0] = as_uint4((type)(a.even, b.even));                                              \
            v[1] = as_uint4((type)(a.odd, b.odd));                                                \
            return;                                                                               \
        }                                                                                         \
        HD_UNROLL for (hd_w4 l = 0; l < 16 / U; l++) v[l] = HD_LOAD(records + l * HD_RECORD);     \
        hd_turn_##U(v);                                                                           \
    }                                                                                             \
    HD_INLINE void hd_write_##U(hd_w1 *records, uint4 *v, hd_w4 quarter) {                        \
        records += quarter * (16 / U) * HD_RECORD;                                                \
        if (HD_IS_PAIR(U)) {                                                                      \
            HD_KEEP(records, hd_low_##U(v[0], v[1]));                                             \
            HD_KEEP(records + 16, hd_high_##U(v[0], v[1]));                                       \
            return;                                                                               \
        }                                                                                         \
        hd_turn_##U(v);                                                                           \
        HD_UNROLL for (hd_w4 l = 0; l < 16 / U; l++) HD_KEEP(records + l * HD_RECORD, v[l]);      \
    }
HD_BUNDLES(1, uchar16)
HD_BUNDLES(2, ushort8)
HD_BUNDLES(4, uint4)
HD_BUNDLES(8, ulong2)
HD_BUNDLES(16, uint4)

#define HD_LANE_AT(part, base, tile, tile_bytes, step) \
    (part + hd_place(element + r, base, tile, tile_bytes, step))
#if HD_BACK
#define HD_RECORDS_IN
#define HD_WINDOW(U, first) {uint4 q[4][16 / U] = {{(uint4)(0)}};
#define HD_LANE(lane, part, base, tile, tile_bytes, step, on_line)                        \
    HD_UNROLL for (hd_w4 i = 0; i < 4; i++) q[i][lane] =                                     \
        HD_LOAD(HD_LANE_AT(part, base, tile, tile_bytes, step) + i * 16);
#define HD_END(U, first)                                                                     \
    HD_UNROLL for (hd_w4 i = 0; i < 4; i++)                                                  \
        hd_write_##U(records + r * HD_RECORD + first, q[i], i); }
#else
#define HD_RECORDS_IN HD_HOST
#define HD_WINDOW(U, first)                                                                  \
    {uint4 q[4][16 / U];                                                                     \
    HD_UNROLL for (hd_w4 i = 0; i < 4; i++)                                                  \
        hd_read_##U(q[i], records + r * HD_RECORD + first, i);
#define HD_LANE(lane, part, base, tile, tile_bytes, step, on_line)                        \
    HD_STORE(HD_LANE_AT(part, base, tile, tile_bytes, step),                                 \
             (uint16)(q[0][lane], q[1][lane], q[2][lane], q[3][lane]), streams && on_line);
#define HD_END(U, first) }
#endif
#define HD_ALL_WINDOWS(U)                                             \
    for (hd_w4 r = 0; r + 64 / U <= whole; r += 64 / U) {             \
        HD_WINDOWS_##U(HD_WINDOW, HD_LANE, HD_END)                    \
    }

/* Records [begin, end). A window that reaches on needs a record after its own. */
HD_INLINE void hd_move(HD_PARTS, HD_HOST hd_w1 *staging, hd_w8 first, hd_w8 begin, hd_w8 end,
                       hd_w8 count, const bool streams) {
    for (hd_w8 at = begin; at < end; at += HD_BLOCK) {
        const hd_w4 n = end - at < HD_BLOCK ? (hd_w4)(end - at) : HD_BLOCK;
        const hd_w4 whole = HD_REACHES_ON && at + n == count ? n - 1 : n;
        const hd_w8 element = first + at;
        HD_HOST hd_w1 *host = staging + at * HD_RECORD;
#if HD_BACK
        uint16 block[HD_BLOCK * HD_RECORD / 64 + 1];
        hd_w1 *const records = (hd_w1 *)block;
#else
        HD_HOST hd_w1 *const records = host;
#endif
        HD_ALL_WINDOWS(1)
        HD_ALL_WINDOWS(2)
        HD_ALL_WINDOWS(4)
        HD_ALL_WINDOWS(8)
        HD_ALL_WINDOWS(16)
        HD_VALUES(HD_VALUE)
#if HD_BACK
        HD_GAPS(HD_GAP)
        const hd_w4 lines = n * HD_RECORD / 64;
        for (hd_w4 i = 0; i < lines; i++)
            HD_STORE(host + 64 * i, block[i], streams);
        for (hd_w4 i = lines * 64; i < n * HD_RECORD; i++)
            host[i] = records[i];
#endif
    }
}

/* 64 bytes are stored past the caches only where they are a line. */
HD_KERNEL hd_remap_kernel(HD_PARAMETERS) {
    const hd_w8 begin = HD_GROUP * HD_RECORDS;
    const hd_w8 end = begin + HD_RECORDS < count ? begin + HD_RECORDS : count;
    if ((HD_WRITTEN & 63) == 0)
        hd_move(HD_PART_NAMES, staging, first, begin, end, count, true);
    else
        hd_move(HD_PART_NAMES, staging, first, begin, end, count, false);
}
