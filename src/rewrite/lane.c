/*
 * Vectors of records that are taken apart (split.c): pos.x, pos.y, ... are fields.
 *
 *     p[i].pos.y              (*R_pos_y(p_ref, i))
 *     p[i].pos.xy             R_pos_xy_load(p_ref, i)
 *     p[i].pos += v           R_pos_add(p_ref, i, v)
 *     p[i].pos.wx = v         R_pos_wx_store(p_ref, i, v)
 *
 * Where the layout keeps the lanes of a vector together it is one: (*(__global float4 *)R_pos_x(p_ref,
 * i)), with .xy behind it or whatever stands there.
 *
 * A vector of CUDA C is a struct, whose members are its lanes; its operators are functions of the
 * user's, which the generated ones find when they are used.
 */
#include <ctype.h>

#include "internal.h"

bool rw_is_vector(CXType type) {
    enum CXTypeKind kind = clang_getCanonicalType(type).kind;
    return kind == CXType_ExtVector || kind == CXType_Vector;
}

/* ---- lanes by their names ------------------------------------------------------------ */

static int lane_number(char letter) {
    static const char names[] = "xyzw", colours[] = "rgba";
    const char *at = strchr(names, letter);
    if (!at)
        return strchr(colours, letter) ? (int)(strchr(colours, letter) - colours) : -1;
    return (int)(at - names);
}

static int digit_number(char digit) {
    return isdigit((unsigned char)digit)    ? digit - '0'
           : isxdigit((unsigned char)digit) ? tolower((unsigned char)digit) - 'a' + 10
                                            : -1;
}

/* Halves of a vector: of one of 3 they are as of one of 4, whose last lane is nobody's. */
static uint32_t half_lanes(const char *name, uint32_t lanes, uint8_t of[16]) {
    uint32_t half = (lanes + 1) / 2, count = 0;
    bool is_half = !strcmp(name, "lo") || !strcmp(name, "hi");
    bool is_upper = !strcmp(name, "hi") || !strcmp(name, "odd");
    if (!is_half && strcmp(name, "even") != 0 && strcmp(name, "odd") != 0)
        return 0;
    for (uint32_t i = 0; i < half; i++) {
        uint32_t lane = is_half ? i + is_upper * half : 2 * i + is_upper;
        if (lane < lanes)
            of[count++] = (uint8_t)lane;
    }
    return count;
}

uint32_t rw_swizzle_lanes(const char *swizzle, uint32_t lanes, uint8_t of[16]) {
    uint32_t count = half_lanes(swizzle, lanes, of);
    bool by_digits = (*swizzle == 's' || *swizzle == 'S') && swizzle[1];
    if (count)
        return count;
    for (const char *at = swizzle + by_digits; *at; at++) {
        int lane = by_digits ? digit_number(*at) : lane_number(*at);
        if (lane < 0 || (uint32_t)lane >= lanes || count == 16)
            return 0;
        of[count++] = (uint8_t)lane;
    }
    return count;
}

const char *rw_swizzle_of(rewriter *rw, CXCursor vector, CXCursor up) {
    const source *src = &rw->src;
    range inner, whole;
    if (!rw_is_vector(clang_getCursorType(vector)) || !rw_range_of(src, vector, &inner) ||
        !rw_range_of(src, up, &whole) || whole.begin > inner.begin || whole.end <= inner.end)
        return NULL;
    size_t last = rw_token_ending(src, whole.end);
    bool is_lanes = last < src->token_count && last && rw_token_is(src, last - 1, ".") &&
                    src->tokens[last - 1].at.begin >= inner.end &&
                    clang_getCursorKind(up) == CXCursor_UnexposedExpr;
    return is_lanes ? rw_token_text(src, last) : NULL;
}

/* ---- lanes in the layout ------------------------------------------------------------------ */

uint32_t rw_lanes_together(const laid_record *l, uint32_t first) {
    const hd_map *map = l->text->map;
    if (!l->vectors || !l->vectors[first])
        return 0;
    const hd_field_place *start = &map->fields[first];
    size_t stem = (size_t)(strrchr(l->paths[first], '.') - l->paths[first]);
    uint32_t lanes = 1;
    while (first + lanes < l->record->field_count &&
           !strncmp(l->paths[first + lanes], l->paths[first], stem + 1) &&
           !strchr(l->paths[first + lanes] + stem + 1, '.'))
        lanes++;
    uint64_t bytes = (uint64_t)lanes * start->size;
    if (lanes == 3 || map->layout->clusters[start->cluster].tile != HD_TILE_AOS ||
        start->run % bytes || map->clusters[start->cluster].tile_bytes % bytes)
        return 0;
    for (uint32_t k = 1; k < lanes; k++)
        if (map->fields[first + k].cluster != start->cluster ||
            map->fields[first + k].run != start->run + (uint64_t)k * start->size)
            return 0;
    return lanes;
}

/* ---- changes in place --------------------------------------------------------------------- */

/* Copies the lanes that a change touches between `value` and their places. */
static void copy_lanes(hd_str *out, const rewriter *rw, const laid_record *l,
                       const part_function *g, bool store) {
    size_t stem = strlen(g->path);
    uint8_t of[16];
    uint32_t lanes = 0, set = UINT32_MAX;
    for (uint32_t f = 0; f < l->record->field_count; f++)
        lanes += !strncmp(l->record->fields[f].name, g->path, stem) &&
                 l->record->fields[f].name[stem] == '.';
    if (*g->swizzle) {
        set = 0;
        for (uint32_t n = rw_swizzle_lanes(g->swizzle + 1, lanes, of); n; n--)
            set |= 1u << of[n - 1];
    }
    for (uint32_t f = 0, lane = 0; f < l->record->field_count; f++) {
        const char *name = l->record->fields[f].name;
        if (strncmp(name, g->path, stem) != 0 || name[stem] != '.')
            continue;
        if (set >> lane++ & 1)
            rw_add_copy(out, rw, l, g->in, f, name + stem, store);
    }
}

void rw_add_lanes(hd_str *out, const rewriter *rw, const laid_record *l, const part_function *g) {
    const rw_dialect *dialect = rw_dialect_of(rw, g->in);
    hd_str_printf(out, "%s%s %s(%s ref, %s i) {\n    %s value;\n", dialect->function, g->result,
                  g->name, l->accessors[g->in].ref, dialect->index, g->type);
    copy_lanes(out, rw, l, g, false);
    hd_str_printf(out, "    return value%s;\n}\n", g->swizzle);
}

void rw_add_change(hd_str *out, const rewriter *rw, const laid_record *l, const part_function *g) {
    const rw_dialect *dialect = rw_dialect_of(rw, g->in);
    const accessors *f = &l->accessors[g->in];
    bool is_template = rw->is_cuda;
    hd_str_printf(out, "%s%s%s %s(%s ref, %s i, %s operand) {\n    %s value;\n",
                  is_template ? "template <class V> " : "", dialect->function,
                  is_template ? g->type : g->result, g->name, f->ref, dialect->index,
                  is_template ? "V" : g->operand, g->type);
    if (strcmp(g->op, "=") != 0)
        copy_lanes(out, rw, l, g, false);
    hd_str_printf(out, "    value%s %s operand;\n", g->swizzle, g->op);
    copy_lanes(out, rw, l, g, true);
    hd_str_printf(out, "    return value%s;\n}\n", g->swizzle);
}
