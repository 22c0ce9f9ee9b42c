/*
 * Remapping kernels: what all maps have in common, and those of maps with an index array. The
 * kernel of a map is written when it is needed, with all sizes as constants, so that divisions
 * become shifts or multiplications and there is no case left that the map does not have.
 *
 * A kernel reads and writes coalesced on both sides: a group reads a tile in the order in which
 * it lies, keeps it in local memory, and writes it in the order of the other side; each item
 * moves several values, so that some reads are under way while others are waited for (Che,
 * Sheaffer, Skadron, section 5.6). A processor as a device has no use for the local memory: there
 * an item moves a long piece by itself (`direct`).
 */
#include <inttypes.h>

#include "remap/kernels_text.h"

/* ---- what kernels share ------------------------------------------------------------------ */

/* Made from the files of text/. */
static const char opencl_words[] =
#include <opencl.inc>
    ;
static const char cuda_words[] =
#include <cuda.inc>
    ;
static const char indexed_text[] =
#include <indexed.inc>
    ;
const char remap_kernel_vectors[] =
#include <vectors.inc>
    ;

uint32_t remap_common_word(uint64_t a, uint64_t b, uint32_t most) {
    uint64_t both = a | b | most;
    return (uint32_t)(both & -both);
}

const char *remap_kernel_number(uint64_t limit) { return limit <= UINT32_MAX ? "hd_w4" : "hd_w8"; }

static hd_remap_units units_of(const remap_kernel_writer *w) {
    return hd_remap_units_of(w->map, w->back ? HD_REMAP_FROM_DEVICE : HD_REMAP_TO_DEVICE);
}

void remap_kernel_words(remap_kernel_writer *w) {
    hd_str *out = &w->out;
    const uint32_t number_bytes = units_of(w).number_bytes;
    hd_str_printf(out,
                  "#define HD_ITEMS %uu\n#define HD_BACK %d\n"
                  "#define HD_DEVICE HD_GLOBAL%s\n#define HD_HOST HD_GLOBAL%s\n#define HD_PARTS",
                  w->tuning.group, w->back, w->back ? " const" : "", w->back ? "" : " const");
    for (uint32_t p = 0; p < w->map->parts; p++)
        hd_str_printf(out, "%s HD_DEVICE hd_w1 *part%u", p ? "," : "", p);
    hd_str_add(out, "\n#define HD_PART_NAMES");
    for (uint32_t p = 0; p < w->map->parts; p++)
        hd_str_printf(out, "%s part%u", p ? "," : "", p);
    hd_str_add(out, "\n#define HD_PARAMETERS HD_PARTS, HD_HOST hd_w1 *staging,");
    if (number_bytes)
        hd_str_printf(out, " HD_GLOBAL const hd_w%u *numbers,", number_bytes);
    hd_str_printf(out, " hd_w8 first, hd_w8 count\n%s",
                  w->dialect == HD_REMAP_CUDA_C ? cuda_words : opencl_words);
}

/* ---- maps with an index array, and a program's own ------------------------------------------ */

static uint64_t indexed_of_group(const hd_remap *map, const hd_remap_tuning *tuning) {
    uint64_t words = map->element_bytes / remap_common_word(map->element_bytes, 0, 16);
    uint64_t units = (uint64_t)tuning->group * tuning->per_item / words;
    return units ? units : 1;
}

void remap_kernel_own_function(remap_kernel_writer *w) {
    uint64_t most = w->map->places > w->map->elements ? w->map->places : w->map->elements;
    hd_str_printf(&w->out, "#define HD_INDEX %s\n%s\n%s\n", remap_kernel_number(most),
                  hd_remap_index_text(), w->map->source);
}

static void kernel_of_indexed(remap_kernel_writer *w) {
    const hd_remap *map = w->map;
    uint32_t word = remap_common_word(map->element_bytes, 0, 16);
    uint64_t words = map->element_bytes / word, group = indexed_of_group(map, &w->tuning);
    bool gathers = map->kind == HD_REMAP_GATHER;
    if (map->source)
        remap_kernel_own_function(w);
    hd_str_printf(&w->out,
                  "#define HD_WORD hd_w%u\n#define HD_EACH %" PRIu64 "u\n#define HD_UNITS %" PRIu64
                  "u\n#define HD_COUNTER %s\n"
                  "#define HD_BY_PLACE %d\n#define HD_SOME_HAVE_NONE %d\n#define HD_NONE %s\n"
                  "#define HD_NUMBER_OF(unit) %s\n%s",
                  word, words, group, remap_kernel_number(group * words + w->tuning.group),
                  gathers && !w->back, gathers && w->back,
                  units_of(w).number_bytes == 4 ? "0xffffffffu" : "~(hd_w8)0",
                  map->source ? "place((HD_INDEX)(first + (unit)))" : "numbers[unit]",
                  indexed_text);
}

/* ---- all maps -------------------------------------------------------------------------------- */

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
    if (is_matrix(map))
        remap_kernel_of_matrix(&writer);
    else if (map->kind == HD_REMAP_RECORDS)
        remap_kernel_of_records(&writer);
    else
        kernel_of_indexed(&writer);
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
        groups = ratio_up(count, indexed_of_group(map, &tuning));
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
