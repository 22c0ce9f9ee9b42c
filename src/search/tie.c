/*
 * Which of two layouts of equal cost, or of times that cannot be told apart, is chosen: the one that
 * is nearer to what the source has, since a layout has a price that no model knows. That is the one
 * of fewer clusters; then the one that leaves more of them as AoS; then that of smaller tiles.
 */
#include "search/race.h"
#include "search/internal.h"

static uint32_t count_tiled(const uint64_t *tiles, uint32_t count) {
    uint32_t tiled = 0;
    for (uint32_t c = 0; c < count; c++)
        tiled += tiles[c] != HD_TILE_AOS;
    return tiled;
}

static uint64_t longest(const uint64_t *tiles, uint32_t count) {
    uint64_t most = HD_TILE_AOS;
    for (uint32_t c = 0; c < count; c++)
        most = tiles[c] > most ? tiles[c] : most;
    return most;
}

int tiles_nearer(const uint64_t *a, uint32_t a_count, const uint64_t *b, uint32_t b_count) {
    uint32_t a_tiled = count_tiled(a, a_count), b_tiled = count_tiled(b, b_count);
    if (a_count != b_count)
        return a_count < b_count ? -1 : 1;
    if (a_tiled != b_tiled)
        return a_tiled < b_tiled ? -1 : 1;
    uint64_t a_longest = longest(a, a_count), b_longest = longest(b, b_count);
    return a_longest < b_longest ? -1 : a_longest > b_longest;
}

static void tiles_of(const hd_layout *layout, uint64_t *tiles) {
    for (uint32_t c = 0; c < layout->count; c++)
        tiles[c] = layout->clusters[c].tile;
}

int hd_layout_nearer(const hd_record *record, const hd_layout *a, const hd_layout *b) {
    uint64_t a_tiles[HD_MAX_FIELDS], b_tiles[HD_MAX_FIELDS];
    if (record->of_arrays && a->count != b->count) /* its source has an array for each field */
        return a->count > b->count ? -1 : 1;
    tiles_of(a, a_tiles);
    tiles_of(b, b_tiles);
    return tiles_nearer(a_tiles, a->count, b_tiles, b->count);
}
