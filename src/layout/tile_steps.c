/* Steps of tiles: selecting, and their texts. */
#include "base/scan.h"
#include "layout/tile_steps.h"

/* ---- classes ---------------------------------------------------------------- */

uint64_t hd_tile_of_class(uint32_t class) {
    return class == HD_TILE_CLASSES - 1 ? HD_TILE_SOA : (uint64_t)1 << class;
}

uint32_t hd_tile_class(uint64_t tile) {
    uint32_t class = 0;
    while (class < HD_TILE_CLASSES && hd_tile_of_class(class) != tile)
        class ++;
    return class;
}

/* ---- steps ------------------------------------------------------------------ */

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

static const char *print_steps(hd_arena *arena, const hd_tile_steps *steps, const char *to,
                               const char *comma) {
    hd_str out = {.arena = arena};
    for (size_t i = 0; i + 1 < steps->count; i++)
        hd_str_printf(&out, "%s%s%llu%s", name_of(arena, steps->data[i].tile), to,
                      (unsigned long long)steps->data[i].up_to, comma);
    hd_str_add(&out, name_of(arena, steps->data[steps->count - 1].tile));
    return hd_str_text(&out);
}

const char *hd_tile_steps_print(hd_arena *arena, const hd_tile_steps *steps) {
    return print_steps(arena, steps, " to ", ", ");
}

const char *hd_tile_steps_word(hd_arena *arena, const hd_tile_steps *steps) {
    return print_steps(arena, steps, "-", ",");
}

void hd_tile_steps_show(hd_str *out, const hd_tile_steps *steps) {
    for (size_t i = 0; i + 1 < steps->count; i++)
        hd_str_printf(out, "  up to %llu: %s\n", (unsigned long long)steps->data[i].up_to,
                      name_of(out->arena, steps->data[i].tile));
    hd_str_printf(out, "  %s%s\n", steps->count > 1 ? "above: " : "",
                  name_of(out->arena, steps->data[steps->count - 1].tile));
}

/* ---- parsing -------------------------------------------------------------------- */

static uint64_t take_tile(hd_scan *s) {
    const char *start = s->at;
    uint64_t tile = HD_TILE_AOS;
    if (hd_scan_take(s, "AoS"))
        return HD_TILE_AOS;
    if (hd_scan_take(s, "SoA"))
        return HD_TILE_SOA;
    if (!hd_scan_number(s, 10, &tile) || tile < 2 || hd_tile_class(tile) == HD_TILE_CLASSES)
        hd_scan_fail(s, start, "expected a tile: AoS, SoA, or a power of two up to 32768");
    return tile;
}

hd_status hd_tile_steps_parse(hd_arena *arena, const hd_diag *diag, const char *text,
                              hd_tile_steps **result) {
    hd_scan s = hd_scan_text(arena, diag, "<tiles>", text);
    hd_tile_steps *steps = hd_new(arena, hd_tile_steps);
    uint64_t up_to = 0;
    while (up_to < UINT64_MAX && s.status == HD_OK) {
        uint64_t tile = take_tile(&s), before = up_to;
        up_to = UINT64_MAX;
        if (hd_scan_take(&s, "to") || hd_scan_take(&s, "-")) {
            const char *start = s.at;
            if (!hd_scan_number(&s, 10, &up_to) || up_to <= before)
                hd_scan_fail(&s, start, "expected a number of bytes, more than the one before");
            else if (!hd_scan_take(&s, ","))
                hd_scan_fail(&s, s.at, "expected ','");
        } else if (!hd_scan_ends(&s)) {
            hd_scan_fail(&s, s.at, "expected 'to' or the end");
        }
        hd_tile_steps_add(arena, steps, up_to, tile);
    }
    *result = s.status == HD_OK ? steps : NULL;
    return s.status;
}
