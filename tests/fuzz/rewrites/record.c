/* Record types, and paths to what is in them. */
#include "fuzz/rewrites/rewrites.h"

const char *base_name(base b) {
    static const char *const names[] = {"char", "uchar", "short", "ushort", "int",
                                        "uint", "long",  "ulong", "float",  "double"};
    return names[b];
}

uint32_t base_bits(base b) { return b == FLOAT ? 32 : b == DOUBLE ? 64 : 8u << b / 2; }

static base any_base(gen *g) { return chance(g, 30) ? UINT : (base)draw(g, DOUBLE + 1); }

static field any_field(gen *g, bool may_nest) {
    static const uint32_t lanes[] = {2, 2, 3, 4, 4, 8, 16};
    field f = {.name = new_name(g, "f"), .base = any_base(g), .lanes = 1};
    const record *inner[4];
    uint32_t inner_count = 0, kind = draw(g, 20);
    for (size_t i = 0; i < g->records.count && inner_count < 4; i++)
        if (!g->records.data[i]->laid_out)
            inner[inner_count++] = g->records.data[i];
    if (kind < 3)
        f.lanes = lanes[draw(g, 7)];
    else if (kind < 6 && may_nest && inner_count)
        f.nested = inner[draw(g, inner_count)];
    if (kind < 9 && kind > 1)
        f.sizes[0] = 1 + draw(g, 4);
    if (f.sizes[0] && chance(g, 25))
        f.sizes[1] = 1 + draw(g, 3);
    return f;
}

static void print_field(gen *g, node *out, const field *f) {
    const char *type = f->nested       ? f->nested->spelling
                       : f->lanes == 1 ? base_name(f->base)
                                       : hd_format(g->arena, "%s%u", base_name(f->base), f->lanes);
    fuzz_add(g->arena, out, "    $ $", type, f->name);
    for (int d = 0; d < 2 && f->sizes[d]; d++)
        fuzz_add(g->arena, out, "[#]", f->sizes[d]);
    fuzz_add(g->arena, out, ";\n");
}

record *make_record(gen *g, bool laid_out, node *out) {
    record *r = hd_new(g->arena, record);
    r->name = new_name(g, laid_out ? "rec" : "in");
    r->laid_out = laid_out;
    bool tagged = chance(g, 50);
    r->spelling = tagged ? hd_format(g->arena, "struct %s", r->name) : r->name;
    r->field_count = laid_out ? 1 + draw(g, 9) : 1 + draw(g, 3);
    fuzz_add(g->arena, out, tagged ? "struct $ {\n" : "typedef struct $ {\n", r->name);
    for (uint32_t i = 0; i < r->field_count; i++) {
        r->fields[i] = any_field(g, laid_out);
        print_field(g, out, &r->fields[i]);
    }
    if (tagged)
        fuzz_add(g->arena, out, "};\n");
    else
        fuzz_add(g->arena, out, "} $;\n", r->name);
    hd_push(g->arena, &g->records, r);
    return r;
}

place scalar_in(gen *g, const record *r, node *whole, bool is_arrow, bool is_global) {
    static const char lanes[] = "0123456789abcdef";
    const field *f = &r->fields[draw(g, r->field_count)];
    node *text = fuzz_node(g->arena, NULL, is_arrow ? "@->$" : "@.$", whole, f->name);
    for (int d = 0; d < 2 && f->sizes[d]; d++)
        fuzz_add(g->arena, text, "[@]", index_below(g, f->sizes[d]));
    if (f->nested)
        return scalar_in(g, f->nested, text, false, is_global);
    place p = {text, f->base, f->lanes == 1, is_global};
    if (f->lanes > 1 && f->lanes <= 4 && chance(g, 50))
        fuzz_add(g->arena, text, ".$", hd_format(g->arena, "%c", "xyzw"[draw(g, f->lanes)]));
    else if (f->lanes > 1)
        fuzz_add(g->arena, text, ".s$", hd_format(g->arena, "%c", lanes[draw(g, f->lanes)]));
    return p;
}
