/* Types by name, random numbers, and what can be read and written where. */
#include "fuzz.h"

const char *fuzz_type_name(hd_arena *arena, type t) {
    static const char *const names[] = {"char", "uchar", "short", "ushort", "int",
                                        "uint", "long",  "ulong", "float",  "double"};
    return t.lanes == 1 ? names[t.base] : hd_format(arena, "%s%u", names[t.base], t.lanes);
}

/* SplitMix64. */
uint32_t fuzz_draw(gen *g, uint32_t below) {
    uint64_t z = g->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ z >> 31) >> 32) % below;
}

const char *fuzz_name(gen *g, const char *stem) {
    return hd_format(g->arena, "%s%u", stem, g->next_name++);
}

void fuzz_declare(gen *g, place p) {
    if (!p.after)
        p.after = "";
    if (!p.space)
        p.space = "__private";
    hd_push(g->arena, &g->places, p);
}

void fuzz_declare_fields(gen *g, const record *r, const char *before, uint32_t length,
                         bool writable, const char *space) {
    hd_push(g->arena, &g->wholes, (whole){r, before, length, writable});
    for (uint32_t i = 0; i < r->field_count; i++) {
        const field *f = &r->fields[i];
        place p = {.type = f->type, .writable = writable, .space = space, .length = f->length};
        if (length && f->length)
            continue; /* one index is enough */
        if (length) {
            p.before = before;
            p.length = length;
            p.after = hd_format(g->arena, ".%s", f->name);
        } else {
            p.before = hd_format(g->arena, "%s.%s", before, f->name);
        }
        fuzz_declare(g, p);
    }
}

bool fuzz_find(gen *g, type t, bool to_write, place *found) {
    uint32_t seen = 0;
    for (size_t i = 0; i < g->places.count; i++) {
        const place *p = &g->places.data[i];
        bool fits = t.lanes == 0 || same_type(p->type, t);
        if (!fits || (to_write && !p->writable))
            continue;
        seen++; /* every one has the same chance, later ones some more */
        if (fuzz_draw(g, seen) < 1 + seen / 8)
            *found = *p;
    }
    return seen > 0;
}

node *fuzz_place(gen *g, place p) {
    if (!p.length)
        return fuzz_node(g->arena, NULL, "$$", p.before, p.after);
    return fuzz_node(g->arena, NULL, "$[@]$", p.before, fuzz_index(g, p.length, 1), p.after);
}
