/*
 * Remapping within the host's memory.
 */
#include <inttypes.h>

#include "remap/map.h"

/* ---- checks --------------------------------------------------------------------------- */

static bool meet(const void *a, uint64_t a_bytes, const void *b, uint64_t b_bytes) {
    return (uintptr_t)a < (uintptr_t)b + b_bytes && (uintptr_t)b < (uintptr_t)a + a_bytes;
}

/* All memory is there and none of it overlaps. */
static hd_status check_memory(const hd_diag *diag, const hd_remap *map, const void *const parts[],
                              const void *source) {
    for (uint32_t p = 0; p < map->parts; p++) {
        if (!parts[p] || !source)
            return hd_fail(diag, HD_EINPUT, NULL, "there is no memory (NULL) for %s",
                           source ? "the remapped data" : "the source");
        if (meet(parts[p], map->bytes[p], source, map->source_bytes))
            return hd_fail(diag, HD_EINPUT, NULL,
                           "the source (%" PRIu64 " bytes) and the remapped data (%" PRIu64
                           " bytes) overlap; use memory of their own, or "
                           "hd_remap_apply_in_place()",
                           map->source_bytes, map->bytes[p]);
        for (uint32_t q = 0; q < p; q++)
            if (meet(parts[p], map->bytes[p], parts[q], map->bytes[q]))
                return hd_fail(diag, HD_EINPUT, NULL,
                               "parts %u and %u of the remapped data overlap; each needs memory of "
                               "its own",
                               q, p);
    }
    return HD_OK;
}

/* ---- element by element -------------------------------------------------------------------- */

static void apply_numbers(const hd_remap_numbers *numbers, size_t bytes, char *to,
                          const char *from) {
    for (uint64_t i = 0; i < numbers->count; i++) {
        uint64_t source = hd_remap_number(numbers, i);
        if (source != HD_REMAP_NONE)
            memcpy(to + i * bytes, from + source * bytes, bytes);
    }
}

static void apply_matrix(const hd_remap *map, char *to, const char *from, bool back) {
    size_t bytes = (size_t)map->element_bytes;
    for (uint64_t r = 0, i = 0; r < map->rows; r++)
        for (uint64_t c = 0; c < map->columns; c++, i++) {
            uint64_t place = hd_remap_place_in_matrix(map, r, c);
            memcpy(to + (back ? i : place) * bytes, from + (back ? place : i) * bytes, bytes);
        }
}

hd_status hd_remap_apply(const hd_diag *diag, const hd_remap *map, void *const to[],
                         const void *from, const hd_remap_host_options *options) {
    (void)options;
    hd_status status = check_memory(diag, map, (const void *const *)to, from);
    if (status != HD_OK)
        return status;
    if (map->kind == HD_REMAP_RECORDS)
        hd_map_scatter(map->layout, from, to);
    else if (map->element.data)
        apply_numbers(&map->element, (size_t)map->element_bytes, to[0], from);
    else
        apply_matrix(map, to[0], from, false);
    return HD_OK;
}

hd_status hd_remap_revert(const hd_diag *diag, const hd_remap *map, void *to,
                          const void *const from[], const hd_remap_host_options *options) {
    (void)options;
    const hd_remap_numbers *places;
    hd_status status = check_memory(diag, map, from, to);
    if (status != HD_OK)
        return status;
    if (map->kind == HD_REMAP_RECORDS) {
        memset(to, 0, (size_t)map->source_bytes);
        hd_map_gather(map->layout, (void *const *)from, to);
    } else if (map->element.data) {
        status = hd_remap_places_of(diag, map, &places);
        if (status == HD_OK)
            apply_numbers(places, (size_t)map->element_bytes, to, from[0]);
    } else {
        apply_matrix(map, to, from[0], true);
    }
    return status;
}
