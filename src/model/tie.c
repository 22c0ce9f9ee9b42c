/*
 * Which of two layouts of equal cost, or of times that cannot be told apart, is chosen: the
 * plainer one, which is nearer to what a source would have, since a layout has a price that no
 * model knows. That is the one of fewer clusters; then that of fewer clusters in tiles between AoS
 * and SoA; then the one that leaves more of them as AoS; then that of smaller tiles. (Of tiles of
 * one cluster that cost the same, table.c keeps the first in this order.)
 */
#include "model/race.h"
#include "model/search_internal.h"

static bool is_between(uint64_t tile) { return tile != HD_TILE_AOS && tile != HD_TILE_SOA; }

int tiles_nearer(const uint64_t *a, uint32_t a_count, const uint64_t *b, uint32_t b_count) {
    int64_t between = 0, tiled = 0; /* how many more clusters of a are neither AoS nor SoA, are no
                                     * AoS */
    uint64_t a_longest = HD_TILE_AOS, b_longest = HD_TILE_AOS;
    if (a_count != b_count)
        return a_count < b_count ? -1 : 1;
    for (uint32_t c = 0; c < a_count; c++) {
        between += is_between(a[c]) - is_between(b[c]);
        tiled += (a[c] != HD_TILE_AOS) - (b[c] != HD_TILE_AOS);
        a_longest = a[c] > a_longest ? a[c] : a_longest;
        b_longest = b[c] > b_longest ? b[c] : b_longest;
    }
    if (between)
        return between < 0 ? -1 : 1;
    if (tiled)
        return tiled < 0 ? -1 : 1;
    return a_longest < b_longest ? -1 : a_longest > b_longest;
}

static void tiles_of(const hd_layout *layout, uint64_t *tiles) {
    for (uint32_t c = 0; c < layout->count; c++)
        tiles[c] = layout->clusters[c].tile;
}

int hd_layout_nearer(const hd_record *record, const hd_layout *a, const hd_layout *b) {
    uint64_t a_tiles[HD_MAX_FIELDS], b_tiles[HD_MAX_FIELDS];
    if (hd_record_is_soa(record) &&
        a->count != b->count) /* its source has an array for each field */
        return a->count > b->count ? -1 : 1;
    tiles_of(a, a_tiles);
    tiles_of(b, b_tiles);
    return tiles_nearer(a_tiles, a->count, b_tiles, b->count);
}
