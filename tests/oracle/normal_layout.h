/* Any layout in normal form. */
#ifndef HD_ORACLE_NORMAL_LAYOUT_H
#define HD_ORACLE_NORMAL_LAYOUT_H

#include "layout/layout.h"

static inline hd_layout *normal_layout(hd_arena *arena, const hd_layout *layout) {
    uint64_t masks[HD_MAX_FIELDS], tiles[HD_MAX_FIELDS];
    for (uint32_t c = 0; c < layout->count; c++) {
        masks[c] = layout->clusters[c].mask;
        tiles[c] = layout->clusters[c].tile;
    }
    return hd_layout_of_masks(arena, masks, tiles, layout->count, layout->discrete);
}

#endif
