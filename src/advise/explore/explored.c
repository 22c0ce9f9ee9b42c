/*
 * Kernels and whole runs: what of the variants is compared.
 */
#include "advise/explore/explored.h"

#include <string.h>

bool hd_explored_is(const hd_explored *variant, const char *layout, const char *placement) {
    return !strcmp(variant->layout, layout) && !strcmp(variant->placement, placement);
}

hd_explored *hd_explored_kernels(hd_arena *arena, const hd_explored *variants, size_t count,
                                 size_t *kept) {
    hd_explored *kernels = hd_new_array(arena, hd_explored, count + 1);
    const char *placement = count ? variants[0].placement : "";
    for (size_t i = 0; i < count; i++)
        if (!strcmp(variants[i].placement, "device"))
            placement = variants[i].placement;
    *kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(variants[i].placement, placement))
            kernels[(*kept)++] = variants[i];
    return kernels;
}

hd_explored *hd_explored_runs(hd_arena *arena, const hd_explored *variants, size_t count) {
    hd_explored *runs = hd_new_array(arena, hd_explored, count + 1);
    for (size_t i = 0; i < count; i++) {
        runs[i] = variants[i];
        runs[i].kernels = variants[i].whole;
        runs[i].energy = variants[i].whole_energy;
    }
    return runs;
}
