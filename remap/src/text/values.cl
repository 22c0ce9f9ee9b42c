/* What the kernels of structs share: places on the device, and fields that are moved value by value. */

/* Where an element's value lies; there are no tiles where `tile` is 0. */
HD_INLINE hd_w8 hd_place(hd_w8 element, hd_w8 base, hd_w8 tile, hd_w8 tile_bytes, hd_w8 step) {
    return tile ? base + element / tile * tile_bytes + element % tile * step
                : base + element * step;
}

/* For word k of some of each of records [from, n); neighbouring items have neighbouring words. */
#if HD_ITEMS == 1
#define HD_FOR_WORDS(from, words, statement)         \
    for (HD_COUNTER r = from; r < n; r++)            \
        for (HD_COUNTER k = 0; k < (words); k++) {   \
            statement;                               \
        }
#else
#define HD_FOR_WORDS(from, words, statement)                                                      \
    for (HD_COUNTER i = (from) * (words) + HD_ITEM; i < (HD_COUNTER)n * (words); i += HD_ITEMS) { \
        const HD_COUNTER r = i / (words), k = i % (words);                                        \
        statement;                                                                                \
    }
#endif

/* Values of a field: those of records at `records` to the device, or back. HD_VALUES lists them. */
#define HD_ON_DEVICE(word, place) ((HD_DEVICE hd_w##word *)(place))[k]
#define HD_IN_RECORD(word, offset) \
    ((HD_RECORDS_IN hd_w##word *)(records + (hd_w8)r * HD_RECORD + offset))[k]
#if HD_BACK
#define HD_MOVE(word, place, offset) HD_IN_RECORD(word, offset) = HD_ON_DEVICE(word, place)
#else
#define HD_MOVE(word, place, offset) HD_ON_DEVICE(word, place) = HD_IN_RECORD(word, offset)
#endif
#define HD_VALUE(part, base, tile, tile_bytes, step, word, words, offset, from) \
    HD_FOR_WORDS(from, words,                                                   \
                 HD_MOVE(word, part + hd_place(element + r, base, tile, tile_bytes, step), offset))

/* Bytes [begin, end) of a record that are no field's become 0. HD_GAPS lists them. */
#define HD_GAP(begin, end) \
    HD_FOR_WORDS(0, end - begin, records[(hd_w8)r * HD_RECORD + begin + k] = 0)
