/* Steps of tiles: selecting, and their texts. */
#include <stdlib.h>

#include "search/tile_steps.h"

uint64_t hd_tile_select(const hd_tile_steps *steps, uint64_t bytes) {
    uint32_t i = 0;
    while (bytes > steps->data[i].up_to)
        i++;
    return steps->data[i].tile;
}

void hd_tile_steps_add(hd_arena *arena, hd_tile_steps *steps, uint64_t up_to, uint64_t tile) {
    if (steps->count && steps->data[steps->count - 1].tile == tile)
        steps->data[steps->count - 1].up_to = up_to;
    else
        hd_push(arena, steps, (hd_tile_step){up_to, tile});
}

static const char *name_of(hd_arena *arena, uint64_t tile) {
    return tile == HD_TILE_AOS   ? "AoS"
           : tile == HD_TILE_SOA ? "SoA"
                                 : hd_format(arena, "%llu", (unsigned long long)tile);
}

const char *hd_tile_steps_print(hd_arena *arena, const hd_tile_steps *steps) {
    hd_str out = {.arena = arena};
    for (size_t i = 0; i + 1 < steps->count; i++)
        hd_str_printf(&out, "%s to %llu, ", name_of(arena, steps->data[i].tile),
                      (unsigned long long)steps->data[i].up_to);
    hd_str_add(&out, name_of(arena, steps->data[steps->count - 1].tile));
    return hd_str_text(&out);
}

void hd_tile_steps_show(hd_str *out, const hd_tile_steps *steps) {
    for (size_t i = 0; i + 1 < steps->count; i++)
        hd_str_printf(out, "  up to %llu: %s\n", (unsigned long long)steps->data[i].up_to,
                      name_of(out->arena, steps->data[i].tile));
    hd_str_printf(out, "  %s%s\n", steps->count > 1 ? "above: " : "",
                  name_of(out->arena, steps->data[steps->count - 1].tile));
}

/* ---- parsing -------------------------------------------------------------------- */

typedef struct parser {
    const hd_diag *diag;
    const char *text, *at;
} parser;

static hd_status fail(const parser *p, const char *wanted) {
    hd_place place = {"<tiles>", 1, (unsigned)(p->at - p->text) + 1, p->text};
    return hd_fail(p->diag, HD_EINPUT, &place, "expected %s", wanted);
}

static bool take(parser *p, const char *word) {
    size_t length = strlen(word);
    p->at += strspn(p->at, " ");
    if (strncmp(p->at, word, length))
        return false;
    p->at += length;
    return true;
}

static bool take_number(parser *p, uint64_t *value) {
    take(p, "");
    size_t digits = strspn(p->at, "0123456789");
    if (!digits || digits > 18)
        return false;
    *value = strtoull(p->at, NULL, 10);
    p->at += digits;
    return true;
}

static hd_status parse_tile(parser *p, uint64_t *tile) {
    const char *start = p->at;
    if (take(p, "AoS"))
        *tile = HD_TILE_AOS;
    else if (take(p, "SoA"))
        *tile = HD_TILE_SOA;
    else if (!take_number(p, tile) || *tile < 2 || hd_tile_class(*tile) == HD_TILE_CLASSES) {
        p->at = start;
        return fail(p, "a tile: AoS, SoA, or a power of two up to 32768");
    }
    return HD_OK;
}

static int by_size(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The tree as databases of earlier versions keep it: a leaf is its tile, a node "<= 20 (LOW)
 * (HIGH)". Its leaves from left to right are the steps, and its thresholds in order where they
 * end. */
static hd_status parse_tree(hd_arena *arena, parser *p, hd_tile_steps *steps) {
    hd_vec(uint64_t) limits = {0}, tiles = {0};
    while (take(p, ""), *p->at) {
        uint64_t number = 0;
        if (take(p, "(") || take(p, ")"))
            continue;
        if (take(p, "<=")) {
            if (!take_number(p, &number))
                return fail(p, "a number of bytes");
            hd_push(arena, &limits, number);
            continue;
        }
        hd_status status = parse_tile(p, &number);
        if (status != HD_OK)
            return status;
        hd_push(arena, &tiles, number);
    }
    if (tiles.count != limits.count + 1)
        return fail(p, "a tile for each side of each threshold");
    if (limits.count)
        qsort(limits.data, limits.count, sizeof *limits.data, by_size);
    hd_push(arena, &limits, UINT64_MAX);
    for (size_t i = 0; i < tiles.count; i++)
        hd_tile_steps_add(arena, steps, limits.data[i], tiles.data[i]);
    return HD_OK;
}

static hd_status parse_steps(hd_arena *arena, parser *p, hd_tile_steps *steps) {
    hd_status status;
    uint64_t tile = HD_TILE_AOS, up_to, before = 0;
    while ((status = parse_tile(p, &tile)) == HD_OK && take(p, "to")) {
        const char *start = p->at;
        if (!take_number(p, &up_to) || up_to <= before) {
            p->at = start;
            return fail(p, "a number of bytes, more than the one before");
        }
        if (!take(p, ","))
            return fail(p, "','");
        hd_tile_steps_add(arena, steps, before = up_to, tile);
    }
    if (status == HD_OK && (take(p, ""), *p->at))
        status = fail(p, "'to' or the end");
    if (status == HD_OK)
        hd_tile_steps_add(arena, steps, UINT64_MAX, tile);
    return status;
}

hd_status hd_tile_steps_parse(hd_arena *arena, const hd_diag *diag, const char *text,
                              hd_tile_steps **result) {
    parser p = {.diag = diag, .text = text, .at = text};
    hd_tile_steps *steps = hd_new(arena, hd_tile_steps);
    hd_status status =
        strstr(text, "<=") ? parse_tree(arena, &p, steps) : parse_steps(arena, &p, steps);
    *result = status == HD_OK ? steps : NULL;
    return status;
}
