/*
 * The kernels of matrices. A group moves one tile: reads it along the matrix's rows, keeps it in
 * local memory, and writes it along the device's lines, which are
 *
 *     transpose  the tile's columns
 *     diagonal   its diagonals: the tile is a parallelogram, each row one column further left
 *     morton     the whole tile, which is one piece of the device's memory
 *
 * A line of the tile in local memory has one word more than it needs, so that items that read
 * down a column meet all banks. Elements whose size is not that of a word are several words;
 * where the matrix allows it, several elements of 1 or 2 bytes are one. Elements that are long
 * need no local memory: their bytes alone fill a transaction.
 */
#include <inttypes.h>

#include "remap/kernels_text.h"

/* Without local memory; with a group of its own. */
enum { LONG_ELEMENT = 64, LONGEST_ELEMENT = 65536 };

/* ---- tiles --------------------------------------------------------------------------- */

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* A tile of 2^bits places in Morton order, or as many as there are: as square as it can be. */
static remap_matrix_tile morton_tile(const hd_remap *map, unsigned bits) {
    unsigned of_rows = remap_morton_bits(map->rows), of_columns = remap_morton_bits(map->columns);
    unsigned rows = least(of_rows, bits / 2), columns = least(of_columns, bits - rows);
    rows = least(of_rows, bits - columns);
    return (remap_matrix_tile){.rows = 1u << rows, .columns = 1u << columns};
}

/* On a processor: as many rows as make a piece of a column, and enough columns for an item. */
static remap_matrix_tile direct_tile(const hd_remap *map) {
    return (remap_matrix_tile){.rows = (uint32_t)(REMAP_KERNEL_PIECE / map->element_bytes),
                               .columns = 256};
}

remap_matrix_tile remap_matrix_tile_of(const hd_remap *map, const hd_remap_tuning *tuning) {
    uint64_t bytes = map->element_bytes;
    unsigned log = bytes <= 16 || (tuning->direct && bytes < LONG_ELEMENT) ? 5 : 4;
    if (bytes > LONGEST_ELEMENT)
        log = 0;
    remap_matrix_tile tile = {.rows = 1u << log, .columns = 1u << log};
    uint64_t across = map->columns;
    if (map->kind == HD_REMAP_MORTON)
        tile = morton_tile(map, 2 * log);
    else if (tuning->direct && remap_matrix_has_direct(map))
        tile = direct_tile(map);
    if (map->kind == HD_REMAP_DIAGONAL)
        across += tile.rows - 1;
    tile.word = remap_common_word(bytes, 0, 16);
    if (map->kind == HD_REMAP_TRANSPOSE && bytes < 4 && !tuning->direct &&
        map->rows % (4 / bytes) == 0 && map->columns % (4 / bytes) == 0 && bytes != 3) {
        uint32_t side = (uint32_t)(128 / bytes);
        tile = (remap_matrix_tile){side, side, 0, 4, true};
    }
    tile.across = across / tile.columns + (across % tile.columns != 0);
    return tile;
}

/* ---- text ---------------------------------------------------------------------------- */

typedef struct matrix_writer {
    remap_kernel_writer *w;
    const hd_remap *map;
    remap_matrix_tile tile;
    uint32_t words;     /* of an element; 1 when several elements are a word */
    uint32_t elements;  /* of a word, else 1 */
    const char *number; /* the type of a word's number */
} matrix_writer;

/* The tile's place in the matrix, and how many of the chunk's rows it has. */
static void put_tile(const matrix_writer *m) {
    const remap_matrix_tile *tile = &m->tile;
    hd_str_printf(&m->w->out,
                  "    const hd_w8 down = HD_GROUP / %" PRIu64 " * %u;\n"
                  "    const %s across = (%s)(HD_GROUP %% %" PRIu64 ") * %u;\n"
                  "    const hd_w4 rows = count - down < %u ? (hd_w4)(count - down) : %u;\n"
                  "    HD_GLOBAL %shd_w%u *host =\n"
                  "        (HD_GLOBAL %shd_w%u *)staging + down * %" PRIu64 ";\n",
                  tile->across, tile->rows, m->number, m->number, tile->across, tile->columns,
                  tile->rows, tile->rows, m->w->back ? "" : "const ", tile->word,
                  m->w->back ? "" : "const ", tile->word, m->map->columns * m->words / m->elements);
}

/* A loop over the words of the tile; `body` uses row, column (an element's in the tile) and k (a
 * word of it). Where several elements are a word, `row` or `column` is the first one's. */
static void put_loop(const matrix_writer *m, bool along_rows, const char *body) {
    const remap_matrix_tile *tile = &m->tile;
    uint32_t inner = (along_rows ? tile->columns : tile->rows) * m->words / m->elements;
    uint32_t all = tile->rows * tile->columns * m->words / m->elements;
    hd_str *out = &m->w->out;
    hd_str_printf(out, "    for (%s i = HD_ITEM; i < %uu; i += HD_ITEMS) {\n",
                  remap_kernel_number((uint64_t)all + m->w->tuning.group), all);
    if (!along_rows && m->map->kind == HD_REMAP_MORTON) {
        uint32_t square = least(tile->rows, tile->columns);
        hd_str_printf(out,
                      "        const hd_w4 place = (hd_w4)(i / %uu), low = place %% %uu;\n"
                      "        const hd_w4 k = (hd_w4)(i %% %uu);\n"
                      "        const hd_w4 row = (hd_w4)hd_gather(low >> 1)%s;\n"
                      "        const hd_w4 column = (hd_w4)hd_gather(low)%s;\n",
                      m->words, square * square, m->words,
                      tile->rows > square
                          ? hd_format(out->arena, " + place / %uu * %uu", square * square, square)
                          : "",
                      tile->columns > square
                          ? hd_format(out->arena, " + place / %uu * %uu", square * square, square)
                          : "");
    } else {
        hd_str_printf(out,
                      "        const hd_w4 %s = (hd_w4)(i / %uu), w = (hd_w4)(i %% %uu);\n"
                      "        const hd_w4 %s = w / %uu * %uu, k = w %% %uu;\n",
                      along_rows ? "row" : "column", inner, inner, along_rows ? "column" : "row",
                      m->words, m->elements, m->words);
    }
    hd_str_add(out, body);
    hd_str_add(out, "    }\n");
}

/* The condition that a place of the tile is in the matrix. */
static const char *inside(const matrix_writer *m) {
    hd_arena *arena = m->w->out.arena;
    if (m->map->kind == HD_REMAP_DIAGONAL)
        return hd_format(arena,
                         "row < rows && across + column >= row && across + column - row < %" PRIu64,
                         m->map->columns);
    return hd_format(arena, "row < rows && across + column < %" PRIu64, m->map->columns);
}

/* The word on the host. */
static const char *host_word(const matrix_writer *m) {
    const char *column =
        m->map->kind == HD_REMAP_DIAGONAL ? "across + column - row" : "across + column";
    return hd_format(m->w->out.arena, "host[(%s)row * %" PRIu64 " + (%s) * %u / %u + k]", m->number,
                     m->map->columns * m->words / m->elements, column, m->words, m->elements);
}

/* The word on the device; `device` points to the tile's first place. */
static const char *device_word(const matrix_writer *m) {
    hd_arena *arena = m->w->out.arena;
    if (m->map->kind == HD_REMAP_MORTON)
        return hd_format(arena, "device[i]");
    return hd_format(arena, "device[(%s)column * %" PRIu64 " + row * %u / %u + k]", m->number,
                     m->map->rows * m->words / m->elements, m->words, m->elements);
}

static void put_device(const matrix_writer *m) {
    const char *device = m->w->back ? "const " : "";
    const char *place =
        hd_format(m->w->out.arena, "(hd_w8)across * %" PRIu64 " + first + down", m->map->rows);
    if (m->map->kind == HD_REMAP_DIAGONAL) /* `across` counts diagonals from that of its row 0 */
        place = hd_format(m->w->out.arena, "(first + down + across) * %" PRIu64 " + first + down",
                          m->map->rows);
    if (m->map->kind == HD_REMAP_MORTON)
        place = hd_format(m->w->out.arena,
                          "hd_morton_at(first + down, across, %" PRIu64 ", %" PRIu64 ")",
                          m->map->rows, m->map->columns);
    hd_str_printf(&m->w->out,
                  "    HD_GLOBAL %shd_w%u *device =\n"
                  "        (HD_GLOBAL %shd_w%u *)part0 + (%s) * %u / %u;\n",
                  device, m->tile.word, device, m->tile.word, place, m->words, m->elements);
}

/* Words of a row of the tile in local memory. */
static uint32_t pitch(const matrix_writer *m) {
    return m->tile.columns * m->words / m->elements + 1;
}

static void put_copy(const matrix_writer *m, bool along_rows, const char *to, const char *from) {
    put_loop(m, along_rows,
             hd_format(m->w->out.arena, "        if (%s)\n            %s =\n                %s;\n",
                       inside(m), to, from));
}

/* Through local memory, a word at a time. */
static void put_through(const matrix_writer *m) {
    const char *local =
        hd_format(m->w->out.arena, "tile[row * %uu + column * %uu + k]", pitch(m), m->words);
    if (m->w->back)
        put_copy(m, false, local, device_word(m));
    else
        put_copy(m, true, local, host_word(m));
    hd_str_add(&m->w->out, "    HD_BARRIER();\n");
    if (m->w->back)
        put_copy(m, true, host_word(m), local);
    else
        put_copy(m, false, device_word(m), local);
}

/* Through local memory, several elements at a time: on the device's side a word is taken
 * together from as many rows. */
static void put_packed(const matrix_writer *m) {
    hd_arena *arena = m->w->out.arena;
    const uint32_t bytes = (uint32_t)m->map->element_bytes;
    const char *row = hd_format(arena, "tile[row * %uu + column / %uu]", pitch(m), m->elements);
    hd_str apart = {.arena = arena}, together = {.arena = arena};
    hd_str_printf(&apart, "        if (%s) {\n            const hd_w4 value = %s;\n", inside(m),
                  device_word(m));
    for (uint32_t e = 0; e < m->elements; e++) {
        const char *one = hd_format(arena, "((HD_LOCAL hd_w%u *)tile)[(row + %u) * %uu + column]",
                                    bytes, e, pitch(m) * m->elements);
        hd_str_printf(&together, "%s(hd_w4)%s << %u", e ? " |\n                " : "", one,
                      8 * bytes * e);
        hd_str_printf(&apart, "            %s = (hd_w%u)(value >> %u);\n", one, bytes,
                      8 * bytes * e);
    }
    hd_str_add(&apart, "        }\n");
    if (m->w->back)
        put_loop(m, false, hd_str_text(&apart));
    else
        put_copy(m, true, row, host_word(m));
    hd_str_add(&m->w->out, "    HD_BARRIER();\n");
    if (m->w->back)
        put_copy(m, true, host_word(m), row);
    else
        put_copy(m, false, device_word(m), hd_str_text(&together));
}

/* Without local memory, in the order of what is written; in Morton order that of the device. */
static void put_straight(const matrix_writer *m) {
    if (m->w->back)
        put_copy(m, m->map->kind != HD_REMAP_MORTON, host_word(m), device_word(m));
    else
        put_copy(m, false, device_word(m), host_word(m));
}

void remap_kernel_of_matrix(remap_kernel_writer *writer) {
    const hd_remap *map = writer->map;
    matrix_writer m = {writer, map, remap_matrix_tile_of(map, &writer->tuning), 1, 1, ""};
    if (m.tile.packed)
        m.elements = (uint32_t)(4 / map->element_bytes);
    else
        m.words = (uint32_t)(map->element_bytes / m.tile.word);
    m.number = remap_kernel_number(map->places * m.words + map->columns * m.words * m.tile.rows);
    if (map->kind == HD_REMAP_MORTON)
        hd_str_printf(&writer->out, "#define HD_INDEX %s\n%s\n", remap_kernel_number(map->places),
                      hd_remap_index_text());
    remap_kernel_head(writer);
    put_tile(&m);
    put_device(&m);
    bool straight = writer->tuning.direct || map->element_bytes >= LONG_ELEMENT;
    if (!straight)
        hd_str_printf(&writer->out, "    HD_SHARED hd_w%u tile[%u];\n", m.tile.word,
                      m.tile.rows * pitch(&m));
    (straight ? put_straight : m.tile.packed ? put_packed : put_through)(&m);
    hd_str_add(&writer->out, "}\n");
}
