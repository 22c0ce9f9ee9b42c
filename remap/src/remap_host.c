/*
 * Remapping within the host's memory.
 */
#include <inttypes.h>

#include "remap/remap_host.h"

/* ---- checks -------------------------------------------------------------------------------- */

/* All memory is there and none of it overlaps. */
static hd_status check_memory(const hd_diag *diag, const hd_remap *map, const void *const parts[],
                              const void *source) {
    hd_status status = hd_remap_needs(diag, {map, "map to remap by"},
                                      {parts, "array of the remapped data's parts"});
    if (status != HD_OK)
        return status;
    for (uint32_t p = 0; p < map->parts; p++) {
        if (!parts[p] || !source)
            return hd_fail(diag, HD_EINPUT, NULL, "there is no memory (NULL) for %s",
                           source ? "the remapped data" : "the source");
        if (hd_remap_meet(parts[p], map->bytes[p], source, map->source_bytes))
            return hd_fail(diag, HD_EINPUT, NULL,
                           "the source (%" PRIu64 " bytes) and the remapped data (%" PRIu64
                           " bytes) overlap; use memory of their own, or "
                           "hd_remap_apply_in_place()",
                           map->source_bytes, map->bytes[p]);
        for (uint32_t q = 0; q < p; q++)
            if (hd_remap_meet(parts[p], map->bytes[p], parts[q], map->bytes[q]))
                return hd_fail(diag, HD_EINPUT, NULL,
                               "parts %u and %u of the remapped data overlap; each needs memory of "
                               "its own",
                               q, p);
    }
    return HD_OK;
}

/* ---- there and back ------------------------------------------------------------------------ */

static uint64_t moved_bytes(const hd_remap *map) {
    uint64_t bytes = map->source_bytes;
    for (uint32_t p = 0; p < map->parts; p++)
        bytes += map->bytes[p];
    return bytes;
}

hd_status hd_remap_apply_by(const hd_remap_engine *engine, const hd_remap *map, void *const to[],
                            const void *from) {
    if (map->kind == HD_REMAP_RECORDS)
        return hd_remap_apply_records(engine, map, to, from);
    if (map->element.data)
        return hd_remap_move_numbers(engine, &map->element, (size_t)map->element_bytes, to[0],
                                     from);
    return hd_remap_move_matrix(engine, map, to[0], from, false);
}

hd_status hd_remap_revert_by(const hd_remap_engine *engine, const hd_remap *map, void *to,
                             const void *const from[]) {
    const hd_remap_numbers *places;
    if (map->kind == HD_REMAP_RECORDS)
        return hd_remap_revert_records(engine, map, to, from);
    if (!map->element.data)
        return hd_remap_move_matrix(engine, map, to, from[0], true);
    hd_status status = hd_remap_places_of(engine->diag, map, &places);
    if (status != HD_OK)
        return status;
    return hd_remap_move_numbers(engine, places, (size_t)map->element_bytes, to, from[0]);
}

hd_status hd_remap_apply(const hd_diag *diag, const hd_remap *map, void *const to[],
                         const void *from, const hd_remap_host_options *options) {
    hd_remap_engine engine;
    hd_status status = check_memory(diag, map, (const void *const *)to, from);
    if (status == HD_OK)
        status = hd_remap_engine_of(diag, options, moved_bytes(map), &engine);
    return status == HD_OK ? hd_remap_apply_by(&engine, map, to, from) : status;
}

hd_status hd_remap_revert(const hd_diag *diag, const hd_remap *map, void *to,
                          const void *const from[], const hd_remap_host_options *options) {
    hd_remap_engine engine;
    hd_status status = check_memory(diag, map, from, to);
    if (status == HD_OK)
        status = hd_remap_engine_of(diag, options, moved_bytes(map), &engine);
    return status == HD_OK ? hd_remap_revert_by(&engine, map, to, from) : status;
}
