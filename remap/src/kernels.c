/*
 * Remapping kernels: what all maps have in common. The kernel of a map is written when it is
 * needed, with all sizes as constants, so that divisions become shifts or multiplications and
 * there is no case left that the map does not have.
 *
 * A kernel reads and writes coalesced on both sides: a group reads a tile in the order in which
 * it lies, keeps it in local memory, and writes it in the order of the other side; each item
 * moves several values, so that some reads are under way while others are waited for (Che,
 * Sheaffer, Skadron, section 5.6). A processor as a device has no use for the local memory: there
 * an item moves a long piece by itself (`direct`).
 */
#include "remap/kernels_text.h"

/* Of a struct that a processor moves in blocks; of a longer one the fields are long themselves. */
enum { MOST_DIRECT_BYTES = 512 };

/* `tuning`, or what stands for its zeros, for a device of this kind. */
static hd_remap_tuning tuned(const hd_remap_tuning *given) {
    hd_remap_tuning tuning = given ? *given : (hd_remap_tuning){0};
    if (tuning.direct)
        tuning.group = 1;
    if (!tuning.group)
        tuning.group = 256;
    if (!tuning.per_item)
        tuning.per_item = tuning.direct ? 4096 : 8;
    return tuning;
}

static bool is_matrix(const hd_remap *map) {
    return map->kind == HD_REMAP_TRANSPOSE || map->kind == HD_REMAP_DIAGONAL ||
           map->kind == HD_REMAP_MORTON;
}

const char *hd_remap_kernel_text(hd_arena *arena, const hd_remap *map, hd_remap_direction direction,
                                 hd_remap_dialect dialect, const hd_remap_tuning *tuning) {
    remap_kernel_writer writer = {.map = map,
                                  .back = direction == HD_REMAP_FROM_DEVICE,
                                  .dialect = dialect,
                                  .tuning = tuned(tuning),
                                  .out = {.arena = arena}};
    remap_kernel_words(&writer);
    if (is_matrix(map) && writer.tuning.direct && remap_matrix_has_direct(map) &&
        dialect == HD_REMAP_OPENCL_C)
        remap_kernel_of_matrix_direct(&writer);
    else if (is_matrix(map))
        remap_kernel_of_matrix(&writer);
    else if (map->kind != HD_REMAP_RECORDS)
        remap_kernel_of_indexed(&writer);
    else if (writer.tuning.direct && map->element_bytes <= MOST_DIRECT_BYTES)
        remap_kernel_of_records_direct(&writer);
    else
        remap_kernel_of_records(&writer);
    return hd_str_text(&writer.out);
}

static uint64_t ratio_up(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

hd_compute_launch hd_remap_launch_of(const hd_remap *map, const hd_remap_tuning *given,
                                     uint64_t count) {
    hd_remap_tuning tuning = tuned(given);
    uint64_t groups;
    if (map->kind == HD_REMAP_RECORDS) {
        groups = ratio_up(count, remap_records_of_group(map, &tuning));
    } else if (is_matrix(map)) {
        remap_matrix_tile tile = remap_matrix_tile_of(map, &tuning);
        groups = ratio_up(count, tile.rows) * tile.across;
    } else {
        groups = ratio_up(count, remap_indexed_of_group(map, &tuning));
    }
    return (hd_compute_launch){
        .dims = 1, .global = {groups * tuning.group}, .local = {tuning.group}};
}

/* Of records, no group begins within a multiple of this; of matrices the same of rows. */
enum { RECORDS_STEP = 4096, ROWS_STEP = 1024 };

hd_remap_units hd_remap_units_of(const hd_remap *map, hd_remap_direction direction) {
    if (map->kind == HD_REMAP_RECORDS)
        return (hd_remap_units){map->elements, map->element_bytes, RECORDS_STEP, 0};
    if (is_matrix(map))
        return (hd_remap_units){map->rows, map->columns * map->element_bytes, ROWS_STEP, 0};
    bool by_place = map->kind == HD_REMAP_GATHER && direction == HD_REMAP_TO_DEVICE;
    const hd_remap_numbers *numbers = by_place ? &map->element : &map->place->numbers;
    uint32_t bytes = numbers->bytes;
    if (map->kind == HD_REMAP_GATHER && !by_place)
        bytes = map->places < UINT32_MAX ? 4 : 8;
    return (hd_remap_units){by_place ? map->places : map->elements, map->element_bytes, 1,
                            map->source ? 0 : bytes};
}
