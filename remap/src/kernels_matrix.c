/* The kernels of matrices: their tiles. How these are moved is in text/matrix.cl, and for
 * processors in text/matrix_direct.cl. */
#include <inttypes.h>

#include "remap/kernels_text.h"

enum {
    LONG_ELEMENT = 64,       /* without local memory: */
    LONGEST_ELEMENT = 65536, /* with a group of its own */
    TILE_BYTES = 16 << 10,   /* of local memory */
    TILE_COLUMNS = 32,       /* of elements of at most 16 bytes */
    FEWEST_ROWS = 16,
    MOST_ROWS = 256,
    PIECE = 256, /* bytes of a row or line that an item of a processor moves at a time */
    VECTOR = 16
};

static const char matrix_text[] =
#include <matrix.inc> /* made from the files of text/ */
    ;
static const char direct_text[] =
#include <matrix_direct.inc>
    ;

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Of elements of 1 to 16 bytes, transposed or to diagonals, on processors. */
static bool has_direct(const hd_remap *map) {
    return map->kind != HD_REMAP_MORTON && map->element_bytes <= VECTOR &&
           hd_is_power_of_two(map->element_bytes);
}

/* As many values as the group's items have to move; a tile of a narrow matrix is as narrow. */
static remap_matrix_tile transposed_tile(const hd_remap *map, const hd_remap_tuning *tuning) {
    uint64_t bytes = (uint64_t)tuning->group * tuning->per_item * 4;
    remap_matrix_tile tile = {.rows = FEWEST_ROWS, .columns = 1};
    while (tile.columns < TILE_COLUMNS && tile.columns < map->columns)
        tile.columns *= 2;
    uint64_t rows = (bytes < TILE_BYTES ? bytes : TILE_BYTES) / (tile.columns * map->element_bytes);
    while (tile.rows * 2 <= rows && tile.rows < MOST_ROWS)
        tile.rows *= 2;
    return tile;
}

remap_matrix_tile remap_matrix_tile_of(const hd_remap *map, const hd_remap_tuning *tuning) {
    uint64_t bytes = map->element_bytes, across = map->columns;
    unsigned log = bytes <= 16 || (tuning->direct && bytes < LONG_ELEMENT) ? 5 : 4;
    if (bytes > LONGEST_ELEMENT)
        log = 0;
    remap_matrix_tile tile = {.rows = 1u << log, .columns = 1u << log};
    if (map->kind == HD_REMAP_MORTON) {
        /* 2^bits places in Morton order, or as many as there are: as square as it can be. */
        unsigned bits = 2 * log, of_rows = remap_morton_bits(map->rows);
        unsigned rows = least(of_rows, bits / 2);
        unsigned columns = least(remap_morton_bits(map->columns), bits - rows);
        rows = least(of_rows, bits - columns);
        tile = (remap_matrix_tile){.rows = 1u << rows, .columns = 1u << columns};
    } else if (tuning->direct && has_direct(map)) /* rows make a piece of a column */
        tile = (remap_matrix_tile){.rows = (uint32_t)(PIECE / bytes), .columns = 256};
    else if (map->kind == HD_REMAP_TRANSPOSE && !tuning->direct && bytes <= VECTOR)
        tile = transposed_tile(map, tuning);
    if (map->kind == HD_REMAP_DIAGONAL)
        across += tile.rows - 1;
    tile.word = remap_common_word(bytes, 0, 16);
    tile.packed = 1;
    if (map->kind == HD_REMAP_TRANSPOSE && bytes < 4 && !tuning->direct &&
        map->rows % (4 / bytes) == 0 && map->columns % (4 / bytes) == 0 && bytes != 3) {
        uint32_t side = (uint32_t)(128 / bytes);
        tile = (remap_matrix_tile){side, side, 0, 4, (uint32_t)(4 / bytes)};
    }
    tile.across = across / tile.columns + (across % tile.columns != 0);
    return tile;
}

void remap_kernel_of_matrix(remap_kernel_writer *writer) {
    const hd_remap *map = writer->map;
    hd_str *out = &writer->out;
    remap_matrix_tile tile = remap_matrix_tile_of(map, &writer->tuning);
    bool packs = tile.packed > 1;
    uint64_t words = packs ? 1 : map->element_bytes / tile.word;
    hd_str_printf(out,
                  "#define HD_ROWS ((hd_w8)%" PRIu64 "u)\n#define HD_COLUMNS ((hd_w8)%" PRIu64
                  "u)\n"
                  "#define HD_DIAGONAL %d\n#define HD_MORTON %d\n"
                  "#define HD_TILE_ROWS %uu\n#define HD_TILE_COLUMNS %uu\n"
                  "#define HD_ACROSS %" PRIu64 "u\n#define HD_WORD hd_w%u\n",
                  map->rows, map->columns, map->kind == HD_REMAP_DIAGONAL,
                  map->kind == HD_REMAP_MORTON, tile.rows, tile.columns, tile.across, tile.word);
    if (writer->tuning.direct && has_direct(map)) {
        hd_str_printf(out, "#define HD_BYTES %" PRIu64 "\n%s%s", map->element_bytes,
                      remap_kernel_vectors, direct_text);
        return;
    }
    if (map->kind == HD_REMAP_MORTON)
        hd_str_printf(out, "#define HD_INDEX %s\n%s\n", remap_kernel_number(map->places),
                      hd_remap_index_text());
    hd_str_printf(out,
                  "#define HD_EACH %" PRIu64 "u\n#define HD_PACKED %u\n"
                  "#define HD_ELEMENT hd_w%u\n#define HD_COUNTER %s\n#define HD_STRAIGHT %d\n%s",
                  words, tile.packed, packs ? (uint32_t)map->element_bytes : tile.word,
                  remap_kernel_number(map->places * words +
                                      (map->columns + tile.columns) * words * tile.rows +
                                      writer->tuning.group),
                  writer->tuning.direct || map->element_bytes >= LONG_ELEMENT, matrix_text);
}
