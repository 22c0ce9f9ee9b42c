/*
 * The kernel of transposed and of diagonal matrices on a processor. An item moves as many rows as
 * are 256 bytes of a line on the device, and some of their columns (of a diagonal map: diagonals;
 * "line" is either). It reads 256 bytes of each row, turns them in vectors into a square block in
 * the nearest caches, and writes the block's lines from there, so that each row of the source and
 * each line of the device is gone through in pieces of a few whole cache lines. The way back does
 * the same with lines and rows exchanged. Pieces at the matrix's edges are moved element by
 * element.
 */
#include <inttypes.h>

#include "remap/kernels_text.h"

enum { VECTOR = 16, CACHE_LINE = 64, PIECE = REMAP_KERNEL_PIECE };

typedef struct direct {
    remap_kernel_writer *w;
    const hd_remap *map;
    uint32_t bytes, lanes, rows; /* of an element; elements of a vector; rows of an item */
} direct;

bool remap_matrix_has_direct(const hd_remap *map) {
    return map->kind != HD_REMAP_MORTON && map->element_bytes <= VECTOR &&
           hd_is_power_of_two(map->element_bytes);
}

static bool is_diagonal(const direct *d) { return d->map->kind == HD_REMAP_DIAGONAL; }

/* Row `r` of the item's and a line, as functions of expressions. */
static const char *host_text(const direct *d, const char *r, const char *line) {
    return hd_format(d->w->out.arena, "host + ((hd_w8)(%s) * %" PRIu64 " + (%s)%s) * %u", r,
                     d->map->columns, line,
                     is_diagonal(d) ? hd_format(d->w->out.arena, " - (%s)", r) : "", d->bytes);
}

static const char *device_text(const direct *d, const char *r, const char *line) {
    return hd_format(d->w->out.arena, "device + ((hd_w8)(%s) * %" PRIu64 " + (%s)) * %u", line,
                     d->map->rows, r, d->bytes);
}

/* Turns `lanes` vectors from `from` into as many at `to` of the block. */
static void put_turned(const direct *d, const char *from, const char *to) {
    hd_str_printf(&d->w->out,
                  "                    uint4 v[%u];\n"
                  "                    for (hd_w4 l = 0; l < %u; l++)\n"
                  "                        v[l] = HD_LOAD(%s);\n"
                  "                    hd_turn_%u(v);\n"
                  "                    for (hd_w4 l = 0; l < %u; l++)\n"
                  "                        block[%s] = v[l];\n",
                  d->lanes, d->lanes, from, d->bytes, d->lanes, to);
}

/* Reads a block, whose side is `rows`, along one side and writes it along the other: of row and
 * line the block's own are `from` and `to`. */
static void put_block(const direct *d) {
    hd_arena *arena = d->w->out.arena;
    const char *from =
        d->w->back ? device_text(d, "b", "line + a + l") : host_text(d, "a + l", "line + b");
    const char *to = d->w->back ? host_text(d, "a", "line") : device_text(d, "0", "line + a");
    const uint64_t bytes = (d->w->back ? d->map->columns : d->map->rows) * d->bytes;
    bool on_line = bytes % CACHE_LINE == 0 && !(d->w->back && is_diagonal(d));
    hd_str_printf(&d->w->out,
                  "            for (hd_w4 a = 0; a < %u; a += %u)\n"
                  "                for (hd_w4 b = 0; b < %u; b += %u) {\n",
                  d->rows, d->lanes, d->rows, d->lanes);
    put_turned(d, from, hd_format(arena, "((b + l) * %u + a) / %u", d->rows, d->lanes));
    hd_str_printf(&d->w->out,
                  "                }\n"
                  "            for (hd_w4 a = 0; a < %u; a++)\n"
                  "                for (hd_w4 i = 0; i < %d; i++)\n"
                  "                    HD_STORE(%s + 64 * i, ((uint16 *)block)[a * %d + i], %s);\n",
                  d->rows, PIECE / CACHE_LINE, to, PIECE / CACHE_LINE,
                  on_line ? "streams" : "false");
}

/* Where not all of a block is in the matrix. */
static void put_edge(const direct *d) {
    const char *in_line =
        is_diagonal(d) ? hd_format(d->w->out.arena, "c >= r && c - r < %" PRIu64, d->map->columns)
                       : hd_format(d->w->out.arena, "c < %" PRIu64, d->map->columns);
    const char *host = hd_format(d->w->out.arena, "*(HD_GLOBAL %shd_w%u *)(%s)",
                                 d->w->back ? "" : "const ", d->bytes, host_text(d, "r", "c"));
    const char *device = hd_format(d->w->out.arena, "*(HD_GLOBAL %shd_w%u *)(%s)",
                                   d->w->back ? "const " : "", d->bytes, device_text(d, "r", "c"));
    hd_str_printf(&d->w->out,
                  "            for (hd_w8 c = line; c < line + %u; c++)\n"
                  "                for (hd_w4 r = 0; r < rows; r++)\n"
                  "                    if (%s)\n"
                  "                        %s =\n                            %s;\n",
                  d->rows, in_line, d->w->back ? host : device, d->w->back ? device : host);
}

static void put_move(const direct *d) {
    hd_str *out = &d->w->out;
    hd_str_printf(out,
                  "\nHD_INLINE void hd_move(HD_GLOBAL %shd_w1 *device, HD_GLOBAL %shd_w1 *host,\n"
                  "    hd_w8 begin, hd_w8 end, hd_w4 rows, const bool streams) {\n"
                  "    uint4 block[%u] __attribute__((aligned(64)));\n"
                  "    for (hd_w8 line = begin; line < end; line += %u) {\n"
                  "        if (rows == %u && line + %u <= %" PRIu64 "%s) {\n",
                  d->w->back ? "const " : "", d->w->back ? "" : "const ",
                  d->rows * (PIECE / VECTOR), d->rows, d->rows, d->rows, d->map->columns,
                  is_diagonal(d) ? hd_format(out->arena, " && line >= %u", d->rows - 1) : "");
    put_block(d);
    hd_str_add(out, "        } else {\n");
    put_edge(d);
    hd_str_add(out, "        }\n    }\n}\n");
}

void remap_kernel_of_matrix_direct(remap_kernel_writer *writer) {
    const hd_remap *map = writer->map;
    remap_matrix_tile tile = remap_matrix_tile_of(map, &writer->tuning);
    direct d = {writer, map, (uint32_t)map->element_bytes, (uint32_t)(VECTOR / map->element_bytes),
                tile.rows};
    uint64_t lines = map->columns + (is_diagonal(&d) ? tile.rows - 1 : 0);
    remap_kernel_vectors(writer);
    put_move(&d);
    remap_kernel_head(writer);
    hd_str_printf(&writer->out,
                  "    const hd_w8 down = HD_GROUP / %" PRIu64 " * %u;\n"
                  "    const hd_w8 begin = HD_GROUP %% %" PRIu64 " * %u;\n"
                  "    const hd_w8 end = begin + %u < %" PRIu64 " ? begin + %u : %" PRIu64 ";\n"
                  "    const hd_w4 rows = count - down < %u ? (hd_w4)(count - down) : %u;\n",
                  tile.across, tile.rows, tile.across, tile.columns, tile.columns, lines,
                  tile.columns, lines, tile.rows, tile.rows);
    hd_str_printf(&writer->out,
                  "    HD_GLOBAL %shd_w1 *host = staging + down * %" PRIu64 ";\n"
                  "    HD_GLOBAL %shd_w1 *device = part0 + (%sfirst + down) * %u;\n"
                  "    if (((size_t)%s & 63) == 0)\n"
                  "        hd_move(device, host, begin, end, rows, true);\n"
                  "    else\n"
                  "        hd_move(device, host, begin, end, rows, false);\n"
                  "}\n",
                  writer->back ? "" : "const ", map->columns * map->element_bytes,
                  writer->back ? "const " : "",
                  is_diagonal(&d)
                      ? hd_format(writer->out.arena, "(first + down) * %" PRIu64 " + ", map->rows)
                      : "",
                  d.bytes, writer->back ? "staging" : "part0");
}
