/* Record types, and paths to what is in them. */
#include "fuzz/rewrites/rewrites.h"

const char *base_name(base b) {
    static const char *const names[] = {"char", "uchar", "short", "ushort", "int",
                                        "uint", "long",  "ulong", "float",  "double"};
    return names[b];
}

uint32_t base_bits(base b) { return b == FLOAT ? 32 : b == DOUBLE ? 64 : 8u << b / 2; }

const char *awkward_name(gen *g, const char *stem) {
    if (!g->awkward.count || !chance(g, 8))
        return new_name(g, stem);
    uint32_t which = draw(g, (uint32_t)g->awkward.count);
    const char *name = g->awkward.data[which];
    g->awkward.data[which] = g->awkward.data[--g->awkward.count];
    return name;
}

static void add_awkward(gen *g, const char *stem) {
    static const char *const endings[] = {"ref", "make", "at", "load", "store", "elem", "count"};
    for (int i = 0; i < 7; i++)
        hd_push(g->arena, &g->awkward, hd_format(g->arena, "%s_%s", stem, endings[i]));
}

static const char *field_name(gen *g) {
    static const char *const awkward[] = {"at",   "load",  "store", "make",  "index",
                                          "base", "count", "ref",   "value", "e"};
    return chance(g, 5) ? awkward[draw(g, 10)] : new_name(g, "f");
}

static base any_base(gen *g) { return chance(g, 30) ? UINT : (base)draw(g, DOUBLE + 1); }

static field any_field(gen *g, bool may_nest) {
    static const uint32_t lanes[] = {2, 2, 3, 4, 4, 8, 16};
    field f = {.name = field_name(g), .base = any_base(g), .lanes = 1};
    const record *inner[4];
    uint32_t inner_count = 0, kind = draw(g, 20);
    for (size_t i = 0; i < g->records.count && inner_count < 4; i++)
        if (!g->records.data[i]->laid_out)
            inner[inner_count++] = g->records.data[i];
    if (kind < 3)
        f.lanes = lanes[draw(g, g->cuda ? 5 : 7)];
    else if (kind < 6 && may_nest && inner_count)
        f.nested = inner[draw(g, inner_count)];
    if (kind < 9 && kind > 1)
        f.sizes[0] = 1 + draw(g, 4);
    if (f.sizes[0] && chance(g, 25))
        f.sizes[1] = 1 + draw(g, 3);
    return f;
}

/* Arrays, and structs without gaps. */
static bool may_be_split(const field *f) {
    if (f->sizes[0])
        return (f->sizes[1] ? f->sizes[0] * f->sizes[1] : f->sizes[0]) > 1;
    for (uint32_t i = 0; f->nested && i < f->nested->field_count; i++) {
        const field *inner = &f->nested->fields[i];
        if (inner->base != f->nested->fields[0].base || inner->lanes > 1 || inner->sizes[0])
            return false;
    }
    return f->nested;
}

static void print_field(gen *g, node *out, const field *f) {
    const char *type = f->nested       ? f->nested->spelling
                       : f->lanes == 1 ? base_name(f->base)
                                       : hd_format(g->arena, "%s%u", base_name(f->base), f->lanes);
    node *line = fuzz_node(g->arena, "", "    $ $", type, f->name);
    for (int d = 0; d < 2 && f->sizes[d]; d++)
        fuzz_add(g->arena, line, "[#]", f->sizes[d]);
    fuzz_add(g->arena, line, ";\n");
    fuzz_add(g->arena, out, "@", line);
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
        for (uint32_t k = 0; k < i; k++)
            if (!strcmp(r->fields[k].name, r->fields[i].name))
                r->fields[i].name = new_name(g, "f");
        r->fields[i].is_split = laid_out && may_be_split(&r->fields[i]) && chance(g, 30);
        print_field(g, out, &r->fields[i]);
    }
    if (tagged)
        fuzz_add(g->arena, out, "};\n");
    else
        fuzz_add(g->arena, out, "} $;\n", r->name);
    hd_push(g->arena, &g->records, r);
    if (laid_out)
        add_awkward(g, r->name);
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
    if (f->lanes > 1 && (g->cuda || (f->lanes <= 4 && chance(g, 50))))
        fuzz_add(g->arena, text, ".$", hd_format(g->arena, "%c", "xyzw"[draw(g, f->lanes)]));
    else if (f->lanes > 1)
        fuzz_add(g->arena, text, ".s$", hd_format(g->arena, "%c", lanes[draw(g, f->lanes)]));
    return p;
}
