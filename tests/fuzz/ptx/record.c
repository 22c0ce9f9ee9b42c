/* Random records: their members, and what kernels do with elements of them. */
#include "fuzz/ptx/ptx.h"

enum { MOST_BYTES = 160, MOST_ELEMENT = 256 }; /* the latter: of a buffer that run.c makes */

static const char *member_name(gen *g) { return hd_format(g->arena, "m%u", g->names++); }

static void add_leaf(gen *g, record *r, const char *path, type t, bool is_half) {
    hd_push(g->arena, &r->leaves, (leaf){.path = path, .type = t, .is_half = is_half});
}

static void take_room(record *r, uint32_t bytes, uint32_t align) {
    r->bytes += bytes + (align > 1 ? align - 1 : 0);
    r->align = align > r->align ? align : r->align;
}

/* ---- members ------------------------------------------------------------------------------- */

static void members(gen *g, record *r, hd_str *text, const char *path, uint32_t count,
                    uint32_t depth);

static void scalar(gen *g, record *r, hd_str *text, const char *path) {
    type t = (type)draw(g, TYPES);
    const char *name = member_name(g);
    hd_str_printf(text, "%s %s;\n", type_name(t), name);
    take_room(r, bytes_of(t), bytes_of(t));
    add_leaf(g, r, hd_format(g->arena, "%s.%s", path, name), t, false);
}

/* Two that fill a word: a run of others may take 24 or 48 bits at once, which is not taken. Not in packed
 * structs: of bit-fields, halves and unions there nvcc itself loads words at odd places. And only first in a
 * record: of a copy with others nvcc 13 takes the old bits from byte 0 when one is assigned to. */
static void bits(gen *g, record *r, hd_str *text, const char *path) {
    static const type types[] = {U32, S32, U16, U8};
    const type t = types[draw(g, 4)];
    const uint32_t first = 1 + draw(g, bits_of(t) - 1);
    hd_str_printf(text, "%s : 0;\n", type_name(t)); /* else they begin behind a smaller member */
    for (uint32_t k = 0; k < 2; k++) {
        const char *name = member_name(g);
        hd_str_printf(text, "%s %s : %u;\n", type_name(t), name, k ? bits_of(t) - first : first);
        add_leaf(g, r, hd_format(g->arena, "%s.%s", path, name), t, false);
        r->leaves.data[r->leaves.count - 1].is_bits = true;
    }
    hd_str_printf(text, "%s : 0;\n", type_name(t));
    take_room(r, bytes_of(t), bytes_of(t));
}

static void boolean(gen *g, record *r, hd_str *text, const char *path) {
    const char *name = member_name(g);
    hd_str_printf(text, "bool %s;\n", name);
    take_room(r, 1, 1);
    add_leaf(g, r, hd_format(g->arena, "%s.%s", path, name), U8, false);
    r->leaves.data[r->leaves.count - 1].is_bits = true; /* no address of that type */
}

static void half(gen *g, record *r, hd_str *text, const char *path) {
    const char *name = member_name(g);
    hd_str_printf(text, "__half %s;\n", name);
    take_room(r, 2, 2);
    add_leaf(g, r, hd_format(g->arena, "%s.%s", path, name), F32, true);
}

static void vector(gen *g, record *r, hd_str *text, const char *path) {
    static const struct {
        const char *name;
        type of;
        uint32_t lanes, align;
    } vectors[] = {{"float4", F32, 4, 16}, {"float2", F32, 2, 8},     {"float3", F32, 3, 4},
                   {"int2", S32, 2, 8},    {"uint4", U32, 4, 16},     {"double2", F64, 2, 16},
                   {"short2", S16, 2, 4},  {"uchar4", U8, 4, 4},      {"short3", S16, 3, 2},
                   {"ushort4", U16, 4, 8}, {"ulonglong2", U64, 2, 16}};
    const uint32_t v = draw(g, 11);
    const char *name = member_name(g);
    hd_str_printf(text, "%s %s;\n", vectors[v].name, name);
    take_room(r, vectors[v].lanes * bytes_of(vectors[v].of), vectors[v].align);
    for (uint32_t l = 0; l < vectors[v].lanes; l++)
        add_leaf(g, r, hd_format(g->arena, "%s.%s.%c", path, name, "xyzw"[l]), vectors[v].of,
                 false);
}

static void array(gen *g, record *r, hd_str *text, const char *path) {
    type t = (type)draw(g, TYPES);
    const char *name = member_name(g);
    const uint32_t length = 2 + draw(g, 4);
    hd_str_printf(text, "%s %s[%u];\n", type_name(t), name, length);
    take_room(r, length * bytes_of(t), bytes_of(t));
    const char *all = hd_format(g->arena, "%s.%s", path, name);
    for (uint32_t k = 0; k < length; k++)
        add_leaf(g, r, hd_format(g->arena, "%s[%u]", all, k), t, false);
    hd_push(g->arena, &r->arrays, (leaf){.path = all, .type = t, .length = length});
}

/* Some of its words by two names. */
static void both(gen *g, record *r, hd_str *text, const char *path) {
    const char *one = member_name(g), *other = member_name(g);
    hd_str_printf(text, "union { unsigned %s; unsigned short %s[2]; };\n", one, other);
    take_room(r, 4, 4);
    add_leaf(g, r, hd_format(g->arena, "%s.%s", path, one), U32, false);
    add_leaf(g, r, hd_format(g->arena, "%s.%s[%u]", path, other, draw(g, 2)), U16, false);
}

static void nested(gen *g, record *r, hd_str *text, const char *path, uint32_t depth) {
    const char *name = member_name(g);
    hd_str_add(text, "struct {\n");
    members(g, r, text, hd_format(g->arena, "%s.%s", path, name), 1 + draw(g, 3), depth - 1);
    hd_str_printf(text, "} %s;\n", name);
}

static void members(gen *g, record *r, hd_str *text, const char *path, uint32_t count,
                    uint32_t depth) {
    for (uint32_t k = 0; k == 0 || (k < count && r->bytes < MOST_BYTES); k++) {
        const uint32_t kind = draw(g, 20);
        if (kind < 9)
            scalar(g, r, text, path);
        else if (kind < 11 && !r->is_packed && !r->bytes)
            bits(g, r, text, path);
        else if (kind == 11)
            boolean(g, r, text, path);
        else if (kind == 12 && !r->is_packed)
            half(g, r, text, path);
        else if (kind < 15 && !r->is_packed) /* nvcc 13 takes all but scalars for aligned there */
            vector(g, r, text, path);
        else if (kind < 17 && !r->is_packed)
            array(g, r, text, path);
        else if (kind == 17 && !r->is_packed)
            both(g, r, text, path);
        else if (depth && !r->is_packed)
            nested(g, r, text, path, depth);
        else
            scalar(g, r, text, path);
    }
}

record *make_record(gen *g) {
    record *r = hd_new(g->arena, record);
    hd_str text = {.arena = g->arena};
    r->name = hd_format(g->arena, "R%u", g->number);
    r->is_packed = chance(g, 10);
    members(g, r, &text, "", 1 + draw(g, 8), 2);
    const char *how = "";
    if (r->is_packed)
        how = "__attribute__((packed)) ";
    else if (chance(g, 50))
        how = r->align > 8 || chance(g, 70) ? "alignas(16) " : "alignas(8) ";
    r->declaration =
        fuzz_node(g->arena, NULL, "struct $$ {\n$};\nstatic_assert(sizeof($) <= #, \"\");\n", how,
                  r->name, hd_str_text(&text), r->name, (uint32_t)MOST_ELEMENT);
    return r;
}

/* ---- elements ------------------------------------------------------------------------------- */

void declare_element(gen *g, const char *base, uint32_t length, bool writable) {
    const record *r = g->record;
    for (size_t i = 0; i < r->leaves.count; i++) {
        const leaf *l = &r->leaves.data[i];
        place p = {.type = l->type, .length = length, .writable = writable && !l->is_half};
        p.name = hd_format(g->arena, "%s%s%s", l->is_half ? "__half2float(" : "", base,
                           length ? "" : l->path);
        p.suffix = hd_format(g->arena, "%s%s", length ? l->path : "", l->is_half ? ")" : "");
        hd_push(g->arena, &g->places, p);
    }
    for (size_t i = 0; i < r->arrays.count && !length; i++) {
        const leaf *l = &r->arrays.data[i];
        hd_push(g->arena, &g->places,
                (place){.name = hd_format(g->arena, "%s%s", base, l->path),
                        .suffix = "",
                        .type = l->type,
                        .length = l->length,
                        .writable = writable});
    }
}

static node *index_of(gen *g) {
    return fuzz_node(g->arena, "0", "(unsigned)(@) % #u", expression(g, U32, 1), (uint32_t)RECORDS);
}

static node *set_leaf(gen *g, const char *base, const leaf *l, node *v) {
    return fuzz_node(g->arena, "", l->is_half ? "$$ = __float2half(@);\n" : "$$ = @;\n", base,
                     l->path, v);
}

/* An element of its own, perhaps changed and written back. */
static node *local_copy(gen *g) {
    const char *name = hd_format(g->arena, "e%u_%u", g->number, g->names++);
    node *n = chance(g, 70)
                  ? fuzz_node(g->arena, NULL, "$ $ = q[@];\n", g->record->name, name, index_of(g))
                  : fuzz_node(g->arena, NULL, "$ $ = r[gi];\n", g->record->name, name);
    for (uint32_t k = draw(g, 3); k > 0; k--) {
        const leaf *l = &g->record->leaves.data[draw(g, (uint32_t)g->record->leaves.count)];
        fuzz_add(g->arena, n, "@", set_leaf(g, name, l, expression(g, l->type, 2)));
    }
    if (chance(g, 50))
        fuzz_add(g->arena, n, "@", fuzz_node(g->arena, "", "r[gi] = $;\n", name));
    declare_element(g, name, 0, true);
    return n;
}

/* NULL: it has no such member. */
static node *atomic(gen *g) {
    const leaf *l = &g->record->leaves.data[draw(g, (uint32_t)g->record->leaves.count)];
    if (g->record->is_packed || l->is_bits || (l->type != S32 && l->type != U32))
        return NULL;
    return fuzz_node(g->arena, "", "atomicAdd(&r[gi]$, @);\n", l->path, expression(g, l->type, 2));
}

node *record_statement(gen *g) {
    const leaf *l = &g->record->leaves.data[draw(g, (uint32_t)g->record->leaves.count)];
    node *n = NULL;
    switch (draw(g, 6)) {
    case 0: n = fuzz_node(g->arena, "", "r[gi] = q[@];\n", index_of(g)); break;
    case 1:
    case 2: n = local_copy(g); break;
    case 3: n = atomic(g); break;
    default: break;
    }
    return n ? n : set_leaf(g, "r[gi]", l, expression(g, l->type, 3));
}

node *record_tile(gen *g) {
    const char *name = hd_format(g->arena, "t%u_%u", g->number, g->names++);
    node *n = fuzz_node(g->arena, NULL,
                        "__shared__ $ $[#];\n__syncthreads();\n$[threadIdx.x] = r[gi];\n"
                        "__syncthreads();\n",
                        g->record->name, name, g->threads, name);
    declare_element(g, name, g->threads, false);
    return n;
}

/* ---- before and after the kernel -------------------------------------------------------------- */

node *record_getter(gen *g) {
    const type t = (type)draw(g, TYPES);
    const char *name = hd_format(g->arena, "get%u", g->number);
    g->places.count = 0;
    declare_element(g, "v", 0, false);
    node *n = fuzz_node(g->arena, NULL,
                        "__device__ $$ $(const $ *p) {\nconst $ &v = *p;\nreturn ($)(@);\n}\n",
                        chance(g, 30) ? "__noinline__ " : "", type_name(t), name, g->record->name,
                        g->record->name, type_name(t), expression(g, t, 4));
    g->places.count = 0;
    g->getter = (place){
        .name = hd_format(g->arena, "%s(&q", name), .suffix = ")", .type = t, .length = RECORDS};
    return n;
}

node *record_kernels(gen *g) {
    const record *r = g->record;
    node *n = fuzz_node(g->arena, NULL,
                        "extern \"C\" __global__ void fill_#($ *q) {\n"
                        "unsigned gi = threadIdx.x;\n",
                        g->number, r->name);
    for (size_t i = 0; i < r->leaves.count; i++) {
        const leaf *l = &r->leaves.data[i];
        node *v = is_real(l->type)
                      ? fuzz_node(g->arena, NULL, "($)((int)(gi * #u % 129u) - 64) / 8",
                                  type_name(l->type), 1 + draw(g, 50))
                      : fuzz_node(g->arena, NULL, "($)(gi * #u + #u)", type_name(l->type),
                                  1 + draw(g, 5000), draw(g, 100));
        fuzz_add(g->arena, n, "@", set_leaf(g, "q[gi]", l, v));
    }
    fuzz_add(g->arena, n,
             "}\nextern \"C\" __global__ void sum_#(const $ *r, unsigned long long *out) {\n"
             "unsigned gi = blockIdx.x * blockDim.x + threadIdx.x;\nunsigned long long h = 1;\n",
             g->number, r->name);
    g->places.count = 0;
    declare_element(g, "r[gi]", 0, false);
    for (size_t i = 0; i < r->leaves.count; i++) {
        const place *p = &g->places.data[i];
        fuzz_add(g->arena, n, "@",
                 fuzz_node(g->arena, "", "h = (h ^ @) * 0x100000001b3ull;\n",
                           bits_node(g, p->type, place_node(g, p))));
    }
    fuzz_add(g->arena, n, "out[gi] ^= h;\n}\n");
    return n;
}
