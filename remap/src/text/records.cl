/*
 * The kernel of structs and their layout, for devices with local memory. A group moves HD_RECORDS
 * records. Their bytes on the host are one piece, which goes through the `image` in local memory, 16
 * bytes at a time. On the device a field is either
 *
 *     plain     its values lie without gaps for at least 64 bytes: items assemble 16 bytes of the
 *               field from the image;
 *     in a run  or in tiles that are shorter: values are moved within local memory between the
 *               image and `device`, where a piece of the device's memory lies as it is there, and
 *               pieces go 16 bytes at a time where their places allow it.
 *
 * HD_PLAIN_FIELDS, HD_PIECES and HD_FIELDS_IN_PIECES list them (kernels_records.c). Sizes are
 * constants where functions are called, so that loops unroll and divisions become shifts or
 * multiplications.
 */

/* Local memory is counted in words of 4, 2 or 1 bytes. It is skewed by a word of 4 bytes after each
 * 32, so that steps of a power of two meet all banks. */
#define HD_AT4(w) ((w) + ((w) >> 5))
#define HD_AT2(h) ((h) + ((h) >> 6 << 1))
#define HD_AT1(b) ((b) + ((b) >> 7 << 2))

HD_INLINE hd_w4 hd_get(HD_LOCAL const hd_w4 *memory, hd_w4 word, hd_w4 at) {
    return word == 4   ? memory[HD_AT4(at)]
           : word == 2 ? ((HD_LOCAL const hd_w2 *)memory)[HD_AT2(at)]
                       : ((HD_LOCAL const hd_w1 *)memory)[HD_AT1(at)];
}
HD_INLINE void hd_put(HD_LOCAL hd_w4 *memory, hd_w4 word, hd_w4 at, hd_w4 value) {
    if (word == 4)
        memory[HD_AT4(at)] = value;
    else if (word == 2)
        ((HD_LOCAL hd_w2 *)memory)[HD_AT2(at)] = (hd_w2)value;
    else
        ((HD_LOCAL hd_w1 *)memory)[HD_AT1(at)] = (hd_w1)value;
}
HD_INLINE void hd_clear(HD_LOCAL hd_w4 *memory, hd_w4 bytes) {
    for (hd_w4 w = HD_ITEM; w < HD_AT4((bytes + 3) / 4); w += HD_ITEMS)
        memory[w] = 0;
}

/* One piece into local memory, from byte `at` on, and out of it, `width` bytes at a time: 16, 4 or
 * 1. */
HD_INLINE void hd_take(HD_LOCAL hd_w4 *memory, hd_w4 at, HD_GLOBAL const hd_w1 *from, hd_w4 bytes,
                       hd_w4 width) {
    for (hd_w4 i = HD_ITEM; width == 16 && i < bytes / 16; i += HD_ITEMS) {
        const hd_w16 value = ((HD_GLOBAL const hd_w16 *)from)[i];
        const hd_w4 w = at / 4 + 4 * i;
        memory[HD_AT4(w)] = value.x;
        memory[HD_AT4(w + 1)] = value.y;
        memory[HD_AT4(w + 2)] = value.z;
        memory[HD_AT4(w + 3)] = value.w;
    }
    for (hd_w4 i = HD_ITEM; width == 4 && i < bytes / 4; i += HD_ITEMS)
        memory[HD_AT4(at / 4 + i)] = ((HD_GLOBAL const hd_w4 *)from)[i];
    for (hd_w4 b = (width > 1 ? bytes / width * width : 0) + HD_ITEM; b < bytes; b += HD_ITEMS)
        hd_put(memory, 1, at + b, from[b]);
}
HD_INLINE void hd_give(HD_GLOBAL hd_w1 *to, HD_LOCAL const hd_w4 *memory, hd_w4 at, hd_w4 bytes,
                       hd_w4 width) {
    for (hd_w4 i = HD_ITEM; width == 16 && i < bytes / 16; i += HD_ITEMS) {
        const hd_w4 w = at / 4 + 4 * i;
        ((HD_GLOBAL hd_w16 *)to)[i] = HD_WORDS(memory[HD_AT4(w)], memory[HD_AT4(w + 1)],
                                               memory[HD_AT4(w + 2)], memory[HD_AT4(w + 3)]);
    }
    for (hd_w4 i = HD_ITEM; width == 4 && i < bytes / 4; i += HD_ITEMS)
        ((HD_GLOBAL hd_w4 *)to)[i] = memory[HD_AT4(at / 4 + i)];
    for (hd_w4 b = (width > 1 ? bytes / width * width : 0) + HD_ITEM; b < bytes; b += HD_ITEMS)
        to[b] = (hd_w1)hd_get(memory, 1, at + b);
}

/* The place in the image of word number `i` of a field's values: each is `words` words, `from` words
 * after the beginning of its record of `step` words. */
HD_INLINE hd_w4 hd_in_image(hd_w4 i, hd_w4 words, hd_w4 step, hd_w4 from) {
    return i / words * step + from + i % words;
}
/* Byte `b` of a plain field, from the group's first element on: in runs of `run` bytes; 0: one. */
HD_INLINE hd_w8 hd_in_runs(hd_w4 b, hd_w4 run, hd_w8 tile_bytes) {
    return run ? b / run * tile_bytes + b % run : b;
}
/* Four bytes of the image, from word number `i` of the field on. */
HD_INLINE hd_w4 hd_four(HD_LOCAL const hd_w4 *image, hd_w4 i, hd_w4 word, hd_w4 words, hd_w4 step,
                        hd_w4 from) {
    hd_w4 value = hd_get(image, word, hd_in_image(i, words, step, from));
    for (hd_w4 k = 1; k < 4 / word; k++)
        value |= hd_get(image, word, hd_in_image(i + k, words, step, from)) << 8 * k * word;
    return value;
}
HD_INLINE void hd_put_four(HD_LOCAL hd_w4 *image, hd_w4 i, hd_w4 value, hd_w4 word, hd_w4 words,
                           hd_w4 step, hd_w4 from) {
    for (hd_w4 k = 0; k < 4 / word; k++)
        hd_put(image, word, hd_in_image(i + k, words, step, from), value >> 8 * k * word);
}

/* A plain field: 16 bytes of it at a time, put together from the image, and taken apart. */
HD_INLINE void hd_plain_to(HD_GLOBAL hd_w1 *to, HD_LOCAL const hd_w4 *image, hd_w4 bytes,
                           hd_w4 word, hd_w4 words, hd_w4 step, hd_w4 from, hd_w4 run,
                           hd_w8 tile_bytes) {
    const hd_w4 each = 4 / word;
    for (hd_w4 i = HD_ITEM; i < bytes / 16; i += HD_ITEMS)
        *(HD_GLOBAL hd_w16 *)(to + hd_in_runs(16 * i, run, tile_bytes)) =
            HD_WORDS(hd_four(image, 4 * each * i, word, words, step, from),
                     hd_four(image, 4 * each * i + each, word, words, step, from),
                     hd_four(image, 4 * each * i + 2 * each, word, words, step, from),
                     hd_four(image, 4 * each * i + 3 * each, word, words, step, from));
    for (hd_w4 b = bytes / 16 * 16 + HD_ITEM; b < bytes; b += HD_ITEMS)
        to[hd_in_runs(b, run, tile_bytes)] = (hd_w1)hd_get(
            image, 1, hd_in_image(b, words * word, step * word, from * word));
}
HD_INLINE void hd_plain_from(HD_GLOBAL const hd_w1 *at, HD_LOCAL hd_w4 *image, hd_w4 bytes,
                             hd_w4 word, hd_w4 words, hd_w4 step, hd_w4 from, hd_w4 run,
                             hd_w8 tile_bytes) {
    const hd_w4 each = 4 / word;
    for (hd_w4 i = HD_ITEM; i < bytes / 16; i += HD_ITEMS) {
        const hd_w16 value = *(HD_GLOBAL const hd_w16 *)(at + hd_in_runs(16 * i, run, tile_bytes));
        hd_put_four(image, 4 * each * i, value.x, word, words, step, from);
        hd_put_four(image, 4 * each * i + each, value.y, word, words, step, from);
        hd_put_four(image, 4 * each * i + 2 * each, value.z, word, words, step, from);
        hd_put_four(image, 4 * each * i + 3 * each, value.w, word, words, step, from);
    }
    for (hd_w4 b = bytes / 16 * 16 + HD_ITEM; b < bytes; b += HD_ITEMS)
        hd_put(image, 1, hd_in_image(b, words * word, step * word, from * word),
               at[hd_in_runs(b, run, tile_bytes)]);
}

/* A field within a piece: from image to `device`, or back. There record r's value is at word
 * `at` + r * pitch, or with tiles of so many records `at` + r / tile * tile_words + r % tile *
 * pitch. */
HD_INLINE void hd_in_piece(HD_LOCAL hd_w4 *image, HD_LOCAL hd_w4 *device, hd_w4 n, bool back,
                           hd_w4 word, hd_w4 words, hd_w4 step, hd_w4 from, hd_w4 at, hd_w4 pitch,
                           hd_w4 tile, hd_w4 tile_words) {
    for (hd_w4 i = HD_ITEM; i < n * words; i += HD_ITEMS) {
        const hd_w4 r = i / words, k = i % words;
        const hd_w4 there =
            at + k + (tile ? r / tile * tile_words + r % tile * pitch : r * pitch);
        if (back)
            hd_put(image, word, r * step + from + k, hd_get(device, word, there));
        else
            hd_put(device, word, there, hd_get(image, word, r * step + from + k));
    }
}

#define HD_TO_PLAIN(part, base, tile, tile_bytes, step, word, words, of_record, offset, run)      \
    hd_plain_to(part + hd_place(element, base, tile, tile_bytes, step), image,                    \
                n * (words) * (word), word, words, of_record, offset, run, tile_bytes);
#define HD_FROM_PLAIN(part, base, tile, tile_bytes, step, word, words, of_record, offset, run)    \
    hd_plain_from(part + hd_place(element, base, tile, tile_bytes, step), image,                  \
                  n * (words) * (word), word, words, of_record, offset, run, tile_bytes);
/* Pieces of a run have a step, those of tiles none. */
HD_INLINE hd_w4 hd_piece_bytes(hd_w4 n, hd_w4 tile, hd_w4 tile_bytes, hd_w4 step) {
    return step ? n * step : (n + tile - 1) / tile * tile_bytes;
}
#define HD_TAKE(part, base, tile, tile_bytes, step, at, width)                  \
    hd_take(device, at, part + hd_place(element, base, tile, tile_bytes, step), \
            hd_piece_bytes(n, (hd_w4)(tile), (hd_w4)(tile_bytes), step), width);
#define HD_GIVE(part, base, tile, tile_bytes, step, at, width)                  \
    hd_give(part + hd_place(element, base, tile, tile_bytes, step), device, at, \
            hd_piece_bytes(n, (hd_w4)(tile), (hd_w4)(tile_bytes), step), width);
#define HD_BETWEEN(word, words, of_record, offset, at, pitch, tile, tile_words)          \
    hd_in_piece(image, device, n, HD_BACK, word, words, of_record, offset, at, pitch, tile, \
                tile_words);

/* A group's work on `n` records, with barriers between its steps. */
HD_INLINE void hd_move(HD_PARTS, HD_HOST hd_w1 *host, HD_LOCAL hd_w4 *image,
                       HD_LOCAL hd_w4 *device, hd_w8 element, hd_w4 n) {
#if HD_BACK
    HD_PIECES(HD_TAKE)
    HD_PLAIN_FIELDS(HD_FROM_PLAIN)
#else
    hd_take(image, 0, host, n * HD_RECORD, 16);
#endif
    HD_BARRIER();
#if HD_DEVICE_BYTES
    HD_FIELDS_IN_PIECES(HD_BETWEEN)
    HD_BARRIER();
#endif
#if HD_BACK
    hd_give(host, image, 0, n * HD_RECORD, 16);
#else
    HD_PLAIN_FIELDS(HD_TO_PLAIN)
    HD_PIECES(HD_GIVE)
#endif
}

/* Words of skewed local memory. */
#define HD_SKEWED(bytes) ((bytes) / 4 + 1 + ((bytes) / 4 + 1) / 32)

/* For a whole group the number of records is a constant. What no value is written to becomes 0 in
 * local memory. */
HD_KERNEL hd_remap_kernel(HD_PARAMETERS) {
    HD_SHARED hd_w4 image[HD_SKEWED(HD_RECORDS * HD_RECORD)];
    HD_SHARED hd_w4 device[HD_SKEWED(HD_DEVICE_BYTES)];
    const hd_w8 begin = HD_GROUP * HD_RECORDS, element = first + begin;
    const hd_w4 n = count - begin < HD_RECORDS ? (hd_w4)(count - begin) : HD_RECORDS;
    HD_HOST hd_w1 *host = staging + begin * HD_RECORD;
#if HD_BACK && HD_HAS_GAPS
    hd_clear(image, HD_RECORDS * HD_RECORD);
    HD_BARRIER();
#elif !HD_BACK
    hd_clear(device, HD_DEVICE_BYTES);
#endif
    if (n == HD_RECORDS)
        hd_move(HD_PART_NAMES, host, image, device, element, HD_RECORDS);
    else
        hd_move(HD_PART_NAMES, host, image, device, element, n);
}
