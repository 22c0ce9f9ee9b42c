/*
 * Loads and stores as LLVM IR.
 *
 * Instructions of a group whose addresses differ by constants are one access to memory, a *cluster*:
 * the fields of a record, the components of a vector. It is tested once against the region that was met
 * last (vm_reach) and loaded at the place of its first instruction:
 *
 *     lanes that follow each other   a vector load of each element
 *     one address for all lanes      a load of each element, for all of them
 *     a field, or some far apart     a gather of each
 *     several                        16 bytes at a time for each lane, which are then transposed
 *
 * Stores keep their addresses and values in rows of r->saved and test in the same way; the bytes are
 * written when the loop over the lanes has ended.
 */
#include <stddef.h>

#include "machine/native/group_ir.h"
#include "machine/native/run_native.h"

enum { QUAD = 16, MOST_BYTES = 64, MOST_WIDE_BYTES = 4096 };

/* As printf; each '$' becomes n. */
__attribute__((format(printf, 3, 4))) static void put(hd_str *text, uint32_t n, const char *format,
                                                      ...) {
    va_list args;
    va_start(args, format);
    for (const char *c = hd_vformat(text->arena, format, args); *c;) {
        size_t plain = strcspn(c, "$");
        hd_str_addn(text, c, plain);
        c += plain;
        if (*c && c++)
            hd_str_printf(text, "%u", n);
    }
    va_end(args);
}

/* "<i64 0, i64 STEP, ...>", from `first` on. */
static const char *steps(hd_arena *arena, const char *type, uint32_t count, uint64_t first,
                         uint64_t step) {
    hd_str s = {.arena = arena};
    for (uint32_t j = 0; j < count; j++)
        hd_str_printf(&s, "%s%s %llu", j ? ", " : "<", type,
                      (unsigned long long)(first + j * step));
    hd_str_add(&s, ">");
    return hd_str_text(&s);
}

static const vm_memory *memory_of(const group_writer *w, uint32_t op) { return w->p->ops[op].more; }

static uint32_t element_align(const vm_memory *m) {
    uint32_t bytes = vm_elem_bytes(m->elem);
    return m->align < bytes ? m->align : bytes;
}

static void put_call(hd_str *text, uint32_t n, const char *result, const char *type, uint32_t which,
                     const char *arguments) {
    uint32_t id = (uint32_t)text->length; /* a name that nothing else has */
    put(text, n,
        "  %%call$.%u.p = getelementptr ptr, ptr %%calls, i64 %u\n"
        "  %%call$.%u = load ptr, ptr %%call$.%u.p\n"
        "  %scall %s %%call$.%u(%s)\n",
        id, which, id, id, result, type, id, arguments);
}

void group_call(hd_str *text, uint32_t n, uint32_t which, const char *arguments) {
    put_call(text, n, "", "void", which, arguments);
}

/* ---- where it is ------------------------------------------------------------------------------------ */

/* %NAME N.all: a word for each lane. */
static void put_splat(hd_str *text, uint32_t n, const char *name, const char *word) {
    put(text, n,
        "  %%%s$.one = insertelement <16 x i64> poison, i64 %s, i32 0\n"
        "  %%%s$.all = shufflevector <16 x i64> %%%s$.one, <16 x i64> poison, <16 x i32> "
        "zeroinitializer\n",
        name, word, name, name);
}

/* Loads a word of the cluster's vm_reach, for each lane as NAME.all. */
static void put_reach(hd_str *text, uint32_t n, uint32_t slot, const char *name, uint32_t offset,
                      bool spread) {
    put(text, n,
        "  %%%s$.p = getelementptr i8, ptr %%reach, i64 %zu\n"
        "  %%%s$ = load i64, ptr %%%s$.p\n",
        name, slot * sizeof(struct vm_reach) + offset, name, name);
    if (spread)
        put_splat(text, n, name, hd_format(text->arena, "%%%s$", name));
}
#define REACH(field) (uint32_t)offsetof(struct vm_reach, field)

/* One access of one element. */
static bool is_single(const group_writer *w, const group_cluster *c) {
    return c->members.count == 1 && memory_of(w, c->members.data[0].op)->components == 1;
}

/* More bytes than are loaded as quads. */
static bool is_wide(const group_cluster *c) { return c->end - c->begin > MOST_BYTES; }

/* The bytes of a cluster that a lane touches: whole quads where several fields are loaded so. */
static uint64_t window_of(const group_writer *w, const group_cluster *c) {
    uint64_t bytes = (uint64_t)(c->end - c->begin);
    return c->is_store || is_single(w, c) || is_wide(c) ? bytes : hd_align_up(bytes, QUAD);
}

/* Whether all active lanes of the chunk are inside: goes to near N or far N. */
static void put_test(group_writer *w, hd_str *text, const group_cluster *c, uint32_t n) {
    uint32_t slot = memory_of(w, c->members.data[0].op)->slot;
    put_reach(text, n, slot, "base", REACH(base), true);
    put_reach(text, n, slot, "size", REACH(size), false);
    put(text, n, "  %%limit$ = call i64 @llvm.usub.sat.i64(i64 %%size$, i64 %llu)\n",
        (unsigned long long)window_of(w, c) - 1);
    put_splat(text, n, "limit", "%limit$");
    put(text, n,
        "  %%start$ = add <16 x i64> %s, %s\n"
        "  %%off$ = sub <16 x i64> %%start$, %%base$.all\n"
        "  %%out$ = icmp uge <16 x i64> %%off$, %%limit$.all\n",
        c->base, steps(text->arena, "i64", 16, (uint64_t)c->begin, 0));
    put(text, n,
        "  %%low$ = and <16 x i64> %%start$, %s\n"
        "  %%odd$ = icmp ne <16 x i64> %%low$, zeroinitializer\n"
        "  %%bad$ = or <16 x i1> %%out$, %%odd$\n"
        "  %%hit$ = and <16 x i1> %%bad$, %%mask\n"
        "  %%hits$ = bitcast <16 x i1> %%hit$ to i16\n"
        "  %%any$ = icmp ne i16 %%hits$, 0\n"
        "  br i1 %%any$, label %%far$, label %%near$, !prof !0\n",
        steps(text->arena, "i64", 16, c->align - 1, 0));
}

/* Where the first byte of each lane is, as %place N. */
static void put_places(group_writer *w, hd_str *text, const group_cluster *c, uint32_t n) {
    const vm_memory *m = memory_of(w, c->members.data[0].op);
    bool may_be_own = m->space == KIR_PRIVATE || m->space == KIR_GENERIC;
    put_reach(text, n, m->slot, "delta", REACH(delta), true);
    put(text, n, "  %%place$%s = add <16 x i64> %%start$, %%delta$.all\n",
        may_be_own ? ".same" : "");
    if (!may_be_own)
        return;
    put_reach(text, n, m->slot, "own", REACH(own),
              true); /* each lane has private memory of its own */
    put_splat(text, n, "lane", "%at");
    put(text, n,
        "  %%lane$ = add <16 x i64> %%lane$.all, %s\n"
        "  %%mine$ = mul <16 x i64> %%lane$, %%own$.all\n"
        "  %%place$ = add <16 x i64> %%place$.same, %%mine$\n",
        steps(text->arena, "i64", 16, 0, 1));
}

/* %yes N: all active lanes are `apart` bytes from each other, and, unless `partial`, all are active; %here
 * N: the first one's place. */
static void put_is_row(hd_str *text, uint32_t n, uint32_t apart, bool partial) {
    put(text, n, "  %%here$ = extractelement <16 x i64> %%place$, i32 0\n");
    put_splat(text, n, "here", "%here$");
    put(text, n,
        "  %%row$.next = add <16 x i64> %%here$.all, %s\n"
        "  %%row$.is = icmp eq <16 x i64> %%row$.next, %%place$\n"
        "  %%row$.bits = bitcast <16 x i1> %%row$.is to i16\n"
        "  %%row$.all = and i16 %%row$.bits, %%set\n"
        "  %%yes$ = icmp eq i16 %%row$.all, %s\n",
        steps(text->arena, "i64", 16, 0, apart), partial ? "%set" : "-1");
}

/* ---- rows of r->saved --------------------------------------------------------------------------------- */

/* %NAME N.K: where the chunk's elements of a row are. */
static void put_row(const group_writer *w, hd_str *text, uint32_t n, const char *name, uint32_t row,
                    uint32_t bytes) {
    put(text, n,
        "  %%%s$.%u.at = mul i64 %%at, %u\n"
        "  %%%s$.%u.from = add i64 %%%s$.%u.at, %llu\n"
        "  %%%s$.%u = getelementptr i8, ptr %%saved, i64 %%%s$.%u.from\n",
        name, row, bytes, name, row, name, row, (unsigned long long)row * w->p->padded * 8, name,
        row, name, row);
}

static uint32_t take_rows(group_writer *w, uint32_t count) {
    uint32_t first = w->rows;
    w->rows += count;
    w->most_rows = w->rows > w->most_rows ? w->rows : w->most_rows;
    return first;
}

static void save_addresses(group_writer *w, hd_str *text, uint32_t row, const char *address) {
    uint32_t n = ++w->ir.names;
    put_row(w, text, n, "save", row, 8);
    put(text, n, "  store <16 x i64> %s, ptr %%save$.%u, align 128\n", address, row);
}

static void note_memory(group_writer *w, uint32_t op, uint32_t leader, uint32_t row) {
    hd_push(w->ir.arena, &w->memory, ((vm_group_member){op, leader, row}));
}

/* ---- clusters -------------------------------------------------------------------------------------------- */

/* An element, of which lanes that follow each other have a row. */
static bool is_element(const vm_memory *m) {
    return m->components == 1 && vm_elem_bytes(m->elem) >= 4;
}

/* The cluster that the instruction joins: one with the same base, the same alignment, and not too far, which
 * elements of one width alone may be farther. A store joins the last stores alone: what comes between may
 * write the same bytes. */
static group_cluster *join(group_writer *w, const vm_op *op, vm_ir_value address,
                           uint32_t *number) {
    const vm_memory *m = op->more;
    bool is_store = op->code == VM_CODE_STORE;
    vm_ir_place p = vm_ir_place_of(&w->ir, address);
    int64_t end = p.offset + (int64_t)m->components * vm_elem_bytes(m->elem);
    for (size_t i = w->clusters.count; i-- > 0 && p.base;) {
        group_cluster *c = &w->clusters.data[i];
        int64_t begin = p.offset < c->begin ? p.offset : c->begin,
                last = end > c->end ? end : c->end;
        bool is_even = c->element && is_element(m) && c->element == m->width;
        int64_t most = is_even && !is_store ? MOST_WIDE_BYTES : MOST_BYTES;
        bool fits = c->is_store == is_store && c->name == p.base && c->align == m->align &&
                    c->space == m->space && last - begin <= most && (is_even || !is_wide(c)) &&
                    (p.offset - c->begin) % (int64_t)m->align == 0 && m->align >= 4 &&
                    m->width == m->components * vm_elem_bytes(m->elem);
        if (!fits && is_store && c->is_store)
            break;
        if (!fits)
            continue;
        c->begin = begin;
        c->end = last;
        c->element = is_even ? c->element : 0;
        *number = (uint32_t)i;
        return c;
    }
    group_cluster c = {.is_store = is_store,
                       .name = p.base ? p.base : address.name,
                       .space = m->space,
                       .align = m->align,
                       .element = is_element(m) ? m->width : 0,
                       .begin = p.base ? p.offset : 0,
                       .end = (p.base ? p.offset : 0) + (int64_t)m->width};
    c.base =
        address.name ? hd_format(w->ir.arena, "%%v%u", c.name) : vm_ir_ref(&w->ir, address, true);
    *number = (uint32_t)w->clusters.count;
    hd_push(w->ir.arena, &w->clusters, c);
    return &w->clusters.data[*number];
}

static int64_t offset_of(group_writer *w, const group_cluster *c, vm_ir_value address) {
    vm_ir_place p = vm_ir_place_of(&w->ir, address);
    return p.base && p.base == c->name ? p.offset : c->begin;
}

void group_load(group_writer *w, const vm_op *op, vm_ir_value address, vm_ir_value *results) {
    const vm_memory *m = op->more;
    uint32_t index = (uint32_t)(op - w->p->ops), number, row = UINT32_MAX;
    size_t known = w->clusters.count;
    group_cluster *c = join(w, op, address, &number);
    if (w->clusters.count > known) /* it will stand here */
        hd_str_printf(&w->ir.body, "\1%u\n", number);
    group_access a = {.op = index, .offset = offset_of(w, c, address), .first = w->ir.names + 1};
    for (uint32_t k = 0; k < m->components; k++)
        results[k] = (vm_ir_value){++w->ir.names, (uint8_t)m->elem, true, 0};
    hd_push(w->ir.arena, &c->members, a);
    if (w->traced) {
        row = take_rows(w, 1);
        save_addresses(w, &w->ir.body, row, vm_ir_ref(&w->ir, address, true));
    }
    note_memory(w, index, c->members.data[0].op, row);
}

void group_store(group_writer *w, const vm_op *op, vm_ir_value address, const vm_ir_value *values) {
    const vm_memory *m = op->more;
    uint32_t index = (uint32_t)(op - w->p->ops), number, bytes = vm_elem_bytes(m->elem);
    size_t known = w->clusters.count;
    group_cluster *c = join(w, op, address, &number);
    if (w->clusters.count > known) {
        c->row = take_rows(w, 1);
        c->flag = ++w->ir.names;
        hd_str_printf(&w->entry, "  %%flag%u = alloca i8\n", c->flag);
        hd_str_printf(&w->ir.before, "  store i8 3, ptr %%flag%u\n", c->flag);
    }
    group_access a = {
        .op = index, .offset = offset_of(w, c, address), .first = take_rows(w, m->components)};
    hd_push(w->ir.arena, &c->members, a);
    uint32_t n = ++w->ir.names, row = UINT32_MAX;
    for (uint32_t k = 0; k < m->components; k++) {
        put_row(w, &w->ir.body, n, "keep", a.first + k, bytes);
        put(&w->ir.body, n, "  store %s %s, ptr %%keep$.%u, align %u\n",
            vm_ir_type((uint8_t)m->elem, true), vm_ir_ref(&w->ir, values[k], true), a.first + k,
            bytes * VM_CHUNK);
    }
    if (w->traced) {
        row = take_rows(w, 1);
        save_addresses(w, &w->ir.body, row, vm_ir_ref(&w->ir, address, true));
    }
    note_memory(w, index, c->members.data[0].op, row);
}

/* ---- loads ------------------------------------------------------------------------------------------------- */

/* Every access of the cluster is looked at by itself. %found N: all lanes are where the cluster looks from
 * now on. What loads get is %far N.ACCESS.COMPONENT. */
static void put_far(hd_str *text, const group_writer *w, const group_cluster *c, uint32_t n) {
    put(text, n, "far$:\n");
    for (size_t i = 0; i < c->members.count; i++) {
        const group_access *a = &c->members.data[i];
        const char *got = c->is_store ? "null" : hd_format(text->arena, "%%got%u.%zu", n, i);
        put(text, n,
            "  %%each$.%zu = add <16 x i64> %s, %s\n"
            "  store <16 x i64> %%each$.%zu, ptr %%buffer, align 128\n",
            i, c->base, steps(text->arena, "i64", 16, (uint64_t)a->offset, 0), i);
        put_call(
            text, n, i + 1 < c->members.count ? "" : "%found$ = ", "i1", VM_CALL_LOOK,
            hd_format(text->arena,
                      "ptr %%r, i32 %u, i32 %u, i64 %%at, ptr %%buffer, i16 zeroext %%set, ptr %s",
                      a->op, c->members.data[0].op, got));
        const vm_memory *m = memory_of(w, a->op);
        uint32_t bytes = vm_elem_bytes(m->elem);
        for (uint32_t k = 0; k < m->components && !c->is_store; k++)
            put(text, n,
                "  %%far$.%zu.%u.p = getelementptr i8, ptr %%got$.%zu, i64 %u\n"
                "  %%far$.%zu.%u = load %s, ptr %%far$.%zu.%u.p, align %u\n",
                i, k, i, k * bytes * VM_CHUNK, i, k, vm_ir_type((uint8_t)m->elem, true), i, k,
                bytes * VM_CHUNK);
    }
}

/* The rows of a cluster of elements where all lanes are active, as %whole N.ACCESS, or some are. */
static void put_row_elements(const group_writer *w, hd_str *text, const group_cluster *c,
                             uint32_t n, bool whole) {
    const char *name = whole ? "whole" : "part";
    put(text, n, "%s$:\n", name);
    for (size_t i = 0; i < c->members.count; i++) {
        const group_access *a = &c->members.data[i];
        const vm_memory *m = memory_of(w, a->op);
        const char *type = vm_ir_type((uint8_t)m->elem, true);
        put(text, n,
            "  %%%s$.%zu.i = add i64 %%here$, %lld\n"
            "  %%%s$.%zu.p = inttoptr i64 %%%s$.%zu.i to ptr\n",
            name, i, (long long)(a->offset - c->begin), name, i, name, i);
        if (whole)
            put(text, n, "  %%%s$.%zu = load %s, ptr %%%s$.%zu.p, align %u\n", name, i, type, name,
                i, element_align(m));
        else
            put(text, n,
                "  %%%s$.%zu = call %s @llvm.masked.load.v16%s.p0(ptr %%%s$.%zu.p, i32 %u, <16 x "
                "i1> %%mask, %s zeroinitializer)\n",
                name, i, type, vm_ir_suffix((uint8_t)m->elem), name, i, element_align(m), type);
    }
    put(text, n, "  br label %%row.loaded$\n");
}

/* What a GPU hides by its other warps: the row that this instruction loads next time, if it is as far
 * away as this one is from the last, is on its way from now on. */
static void put_prefetch(const group_writer *w, hd_str *text, const group_cluster *c, uint32_t n) {
    const vm_memory *m = memory_of(w, c->members.data[0].op);
    if (m->space != KIR_GLOBAL && m->space != KIR_GENERIC)
        return;
    put_reach(text, n, m->slot, "step", REACH(step), false);
    put(text, n,
        "  %%now$.p = getelementptr i8, ptr %%reach, i64 %zu\n"
        "  store i64 %%here$, ptr %%now$.p\n"
        "  %%soon$ = add i64 %%here$, %%step$\n"
        "  %%soon$.p = inttoptr i64 %%soon$ to ptr\n"
        "  call void @llvm.prefetch.p0(ptr %%soon$.p, i32 0, i32 3, i32 1)\n",
        m->slot * sizeof(struct vm_reach) + REACH(now));
}

/* A row of each element, of which only the active lanes are loaded: %row N.ACCESS.0; or one of the bytes of
 * all lanes, which are then taken apart: %row N.0.COMPONENT. */
static void put_row_load(const group_writer *w, hd_str *text, const group_cluster *c, uint32_t n) {
    const vm_memory *m = memory_of(w, c->members.data[0].op);
    const char *element = vm_ir_type((uint8_t)m->elem, false);
    uint32_t bytes = vm_elem_bytes(m->elem), each = m->width / bytes, all = each * VM_CHUNK;
    put(text, n, "row$:\n");
    put_prefetch(w, text, c, n);
    if (c->element) {
        put(text, n,
            "  %%is.whole$ = icmp eq i16 %%set, -1\n"
            "  br i1 %%is.whole$, label %%whole$, label %%part$\n");
        put_row_elements(w, text, c, n, true);
        put_row_elements(w, text, c, n, false);
        put(text, n, "row.loaded$:\n");
        for (size_t i = 0; i < c->members.count; i++)
            put(text, n,
                "  %%row$.%zu.0 = phi %s [ %%whole$.%zu, %%whole$ ], [ %%part$.%zu, %%part$ ]\n", i,
                vm_ir_type((uint8_t)memory_of(w, c->members.data[i].op)->elem, true), i, i);
        put(text, n, "  br label %%loaded$\n");
        return;
    }
    put(text, n,
        "  %%row$.p = inttoptr i64 %%here$ to ptr\n"
        "  %%row$.v = load <%u x %s>, ptr %%row$.p, align %u\n",
        all, element, element_align(m));
    for (uint32_t k = 0; k < m->components; k++)
        put(text, n,
            "  %%row$.0.%u = shufflevector <%u x %s> %%row$.v, <%u x %s> poison, <16 x i32> %s\n",
            k, all, element, all, element, steps(text->arena, "i32", 16, k, each));
    put(text, n, "  br label %%loaded$\n");
}

/* Each element once, for all lanes: %one N.ACCESS.COMPONENT. */
static void put_one_load(const group_writer *w, hd_str *text, const group_cluster *c, uint32_t n) {
    put(text, n, "one$:\n");
    for (size_t i = 0; i < c->members.count; i++) {
        const group_access *a = &c->members.data[i];
        const vm_memory *m = memory_of(w, a->op);
        const char *one = vm_ir_type((uint8_t)m->elem, false),
                   *all = vm_ir_type((uint8_t)m->elem, true);
        for (uint32_t k = 0; k < m->components; k++)
            put(text, n,
                "  %%one$.%zu.%u.i = add i64 %%lead$.at, %lld\n"
                "  %%one$.%zu.%u.p = inttoptr i64 %%one$.%zu.%u.i to ptr\n"
                "  %%one$.%zu.%u.v = load %s, ptr %%one$.%zu.%u.p, align %u\n"
                "  %%one$.%zu.%u.f = insertelement %s poison, %s %%one$.%zu.%u.v, i32 0\n"
                "  %%one$.%zu.%u = shufflevector %s %%one$.%zu.%u.f, %s poison, <16 x i32> "
                "zeroinitializer\n",
                i, k, (long long)(a->offset - c->begin) + (long long)k * vm_elem_bytes(m->elem), i,
                k, i, k, i, k, one, i, k, element_align(m), i, k, all, one, i, k, i, k, all, i, k,
                all);
    }
    put(text, n, "  br label %%loaded$\n");
}

/* Each element gathered: %some N.ACCESS.COMPONENT. */
static void put_gathers(const group_writer *w, hd_str *text, const group_cluster *c, uint32_t n) {
    for (size_t i = 0; i < c->members.count; i++) {
        const group_access *a = &c->members.data[i];
        const vm_memory *m = memory_of(w, a->op);
        const char *type = vm_ir_type((uint8_t)m->elem, true);
        for (uint32_t k = 0; k < m->components; k++) {
            const char *id = hd_format(text->arena, "%zu.%u", i, k);
            uint64_t offset = (uint64_t)(a->offset - c->begin) + k * vm_elem_bytes(m->elem);
            put(text, n,
                "  %%some$.%s.i = add <16 x i64> %%place$, %s\n"
                "  %%some$.%s.p = inttoptr <16 x i64> %%some$.%s.i to <16 x ptr>\n"
                "  %%some$.%s = call %s @llvm.masked.gather.v16%s.v16p0(<16 x ptr> %%some$.%s.p, "
                "i32 %u, <16 x i1> %%mask, %s zeroinitializer)\n",
                id, steps(text->arena, "i64", 16, offset, 0), id, id, id, type,
                vm_ir_suffix((uint8_t)m->elem), id, element_align(m), type);
        }
    }
}

/* %same N: all active lanes are at one place, that of the first one, %lead N.at. */
static void put_is_one(hd_str *text, uint32_t n) {
    put(text, n,
        "  %%lead$.set = zext i16 %%set to i32\n"
        "  %%lead$ = call i32 @llvm.cttz.i32(i32 %%lead$.set, i1 true)\n"
        "  %%lead$.at = extractelement <16 x i64> %%place$, i32 %%lead$\n");
    put_splat(text, n, "lead", "%lead$.at");
    put(text, n,
        "  %%other$ = icmp ne <16 x i64> %%place$, %%lead$.all\n"
        "  %%others$.set = and <16 x i1> %%other$, %%mask\n"
        "  %%others$ = bitcast <16 x i1> %%others$.set to i16\n"
        "  %%same$ = icmp eq i16 %%others$, 0\n");
}

/* Element `word` (of 4 bytes) of all lanes, as %w N.WORD: the quads of all lanes are one vector. */
static void put_quads(hd_str *text, uint32_t n, uint32_t quads, uint32_t align) {
    /* Lanes that are not active load what another one does. */
    put(text, n,
        "  %%safe$ = select <16 x i1> %%mask, <16 x i64> %%place$, <16 x i64> %%lead$.all\n");
    for (uint32_t j = 0; j < VM_CHUNK; j++)
        put(text, n,
            "  %%lane$.%u.i = extractelement <16 x i64> %%safe$, i32 %u\n"
            "  %%lane$.%u = inttoptr i64 %%lane$.%u.i to ptr\n",
            j, j, j, j);
    for (uint32_t q = 0; q < quads; q++) {
        for (uint32_t j = 0; j < VM_CHUNK; j++)
            put(text, n,
                "  %%quad$.%u.%u.p = getelementptr i8, ptr %%lane$.%u, i64 %u\n"
                "  %%quad$.%u.4.%u = load <4 x i32>, ptr %%quad$.%u.%u.p, align %u\n",
                q, j, j, q * QUAD, q, j, q, j, align);
        for (uint32_t size = 4, count = VM_CHUNK; count > 1; size *= 2, count /= 2)
            for (uint32_t j = 0; j < count / 2; j++)
                put(text, n,
                    "  %%quad$.%u.%u.%u = shufflevector <%u x i32> %%quad$.%u.%u.%u, <%u x i32> "
                    "%%quad$.%u.%u.%u, <%u x i32> %s\n",
                    q, size * 2, j, size, q, size, 2 * j, size, q, size, 2 * j + 1, size * 2,
                    steps(text->arena, "i32", size * 2, 0, 1));
        for (uint32_t k = 0; k < 4; k++)
            put(text, n,
                "  %%w$.%u = shufflevector <64 x i32> %%quad$.%u.64.0, <64 x i32> poison, <16 x "
                "i32> "
                "%s\n",
                q * 4 + k, q, steps(text->arena, "i32", 16, k, 4));
    }
}

/* A component from the words of its lanes: %some N.ACCESS.COMPONENT. */
static void put_from_words(hd_str *text, uint32_t n, size_t access, const vm_memory *m, uint32_t k,
                           uint32_t byte) {
    uint32_t bytes = vm_elem_bytes(m->elem), word = byte / 4;
    const char *id = hd_format(text->arena, "%zu.%u", access, k);
    const char *type = vm_ir_type((uint8_t)m->elem, true);
    const char *integer = bytes == 1 ? "<16 x i8>" : bytes == 2 ? "<16 x i16>" : "<16 x i64>";
    if (bytes == 8) {
        put(text, n,
            "  %%x$.%s.l = zext <16 x i32> %%w$.%u to <16 x i64>\n"
            "  %%x$.%s.h = zext <16 x i32> %%w$.%u to <16 x i64>\n"
            "  %%x$.%s.s = shl <16 x i64> %%x$.%s.h, %s\n"
            "  %%x$.%s.i = or <16 x i64> %%x$.%s.l, %%x$.%s.s\n",
            id, word, id, word + 1, id, id, steps(text->arena, "i64", 16, 32, 0), id, id, id);
    } else if (bytes == 4) {
        put(text, n, "  %%some$.%s = bitcast <16 x i32> %%w$.%u to %s\n", id, word, type);
    } else {
        put(text, n,
            "  %%x$.%s.s = lshr <16 x i32> %%w$.%u, %s\n"
            "  %%x$.%s.i = trunc <16 x i32> %%x$.%s.s to %s\n",
            id, word, steps(text->arena, "i32", 16, byte % 4 * 8, 0), id, id, integer);
    }
    if (bytes != 4)
        put(text, n, "  %%some$.%s = bitcast %s %%x$.%s.i to %s\n", id, integer, id, type);
}

static bool has_row(const group_cluster *c) { return c->element || c->members.count == 1; }

static void put_near_load(group_writer *w, hd_str *text, const group_cluster *c, uint32_t n) {
    const vm_memory *m = memory_of(w, c->members.data[0].op);
    put(text, n, "near$:\n");
    put_places(w, text, c, n);
    if (has_row(c)) { /* a vector of three takes the place of four */
        put_is_row(text, n, m->width, c->element != 0);
        put(text, n, "  br i1 %%yes$, label %%row$, label %%apart$\n");
        put_row_load(w, text, c, n);
        put(text, n, "apart$:\n");
    }
    put_is_one(text, n);
    put(text, n, "  br i1 %%same$, label %%one$, label %%some$\n");
    put_one_load(w, text, c, n);
    put(text, n, "some$:\n");
    if (is_single(w, c) || is_wide(c)) {
        put_gathers(w, text, c, n);
    } else {
        put_quads(text, n, (uint32_t)(window_of(w, c) / QUAD), c->align < QUAD ? c->align : QUAD);
        for (size_t i = 0; i < c->members.count; i++) {
            const group_access *a = &c->members.data[i];
            const vm_memory *own = memory_of(w, a->op);
            for (uint32_t k = 0; k < own->components; k++)
                put_from_words(text, n, i, own, k,
                               (uint32_t)(a->offset - c->begin) + k * vm_elem_bytes(own->elem));
        }
    }
    put(text, n, "  br label %%loaded$\n");
}

static void put_load(group_writer *w, hd_str *text, const group_cluster *c) {
    uint32_t n = ++w->ir.names;
    for (size_t i = 0; i < c->members.count; i++) {
        const vm_memory *m = memory_of(w, c->members.data[i].op);
        hd_str_printf(&w->entry, "  %%got%u.%zu = alloca [%u x %s], align 128\n", n, i,
                      m->components, vm_ir_type((uint8_t)m->elem, true));
    }
    put_test(w, text, c, n);
    put_far(text, w, c, n);
    put(text, n, "  br label %%loaded$\n");
    put_near_load(w, text, c, n);
    put(text, n, "loaded$:\n");
    for (size_t i = 0; i < c->members.count; i++) {
        const vm_memory *m = memory_of(w, c->members.data[i].op);
        for (uint32_t k = 0; k < m->components; k++) {
            put(text, n,
                "  %%v%u = phi %s [ %%far$.%zu.%u, %%far$ ], [ %%one$.%zu.%u, %%one$ ], [ "
                "%%some$.%zu.%u, %%some$ ]",
                c->members.data[i].first + k, vm_ir_type((uint8_t)m->elem, true), i, k, i, k, i, k);
            if (has_row(c))
                put(text, n, ", [ %%row$.%zu.%u, %%%s$ ]", i, k, c->element ? "row.loaded" : "row");
            hd_str_add(text, "\n");
        }
    }
}

/* One address and one value for all lanes. */
void group_load_once(group_writer *w, const vm_op *op, vm_ir_value address, vm_ir_value *results) {
    const vm_memory *m = op->more;
    hd_str *text = &w->ir.before;
    uint32_t index = (uint32_t)(op - w->p->ops), bytes = vm_elem_bytes(m->elem);
    const char *at = vm_ir_ref(&w->ir, address, false);
    const char *type = vm_ir_type((uint8_t)m->elem, false);
    uint32_t n = ++w->ir.names, row = UINT32_MAX;
    if (w->traced) {
        row = take_rows(w, 1);
        put(text, n,
            "  %%save$ = getelementptr i8, ptr %%saved, i64 %llu\n"
            "  store i64 %s, ptr %%save$\n",
            (unsigned long long)row * w->p->padded * 8, at);
    }
    note_memory(w, index, index, row);
    hd_str_printf(&w->entry, "  %%got%u = alloca [%u x %s], align 16\n", n, m->components, type);
    put_reach(text, n, m->slot, "base", REACH(base), false);
    put_reach(text, n, m->slot, "size", REACH(size), false);
    put(text, n,
        "  %%limit$ = call i64 @llvm.usub.sat.i64(i64 %%size$, i64 %u)\n"
        "  %%off$ = sub i64 %s, %%base$\n"
        "  %%out$ = icmp uge i64 %%off$, %%limit$\n"
        "  %%low$ = and i64 %s, %u\n"
        "  %%odd$ = icmp ne i64 %%low$, 0\n"
        "  %%bad$ = or i1 %%out$, %%odd$\n"
        "  br i1 %%bad$, label %%far$, label %%near$, !prof !0\n"
        "far$:\n",
        m->width - 1, at, at, m->align - 1);
    group_call(text, ++w->ir.names, VM_CALL_LOOK_ONE,
               hd_format(text->arena, "ptr %%r, i32 %u, i64 %s, ptr %%got%u", index, at, n));
    for (uint32_t k = 0; k < m->components; k++)
        put(text, n,
            "  %%got$.%u.p = getelementptr %s, ptr %%got$, i64 %u\n"
            "  %%far$.%u = load %s, ptr %%got$.%u.p, align %u\n",
            k, type, k, k, type, k, bytes);
    put(text, n, "  br label %%loaded$\nnear$:\n");
    put_reach(text, n, m->slot, "delta", REACH(delta), false);
    put(text, n,
        "  %%here$ = add i64 %s, %%delta$\n"
        "  %%row$.p = inttoptr i64 %%here$ to ptr\n",
        at);
    for (uint32_t k = 0; k < m->components; k++)
        put(text, n,
            "  %%row$.%u.p = getelementptr %s, ptr %%row$.p, i64 %u\n"
            "  %%row$.%u = load %s, ptr %%row$.%u.p, align %u\n",
            k, type, k, k, type, k, element_align(m));
    put(text, n, "  br label %%loaded$\nloaded$:\n");
    for (uint32_t k = 0; k < m->components; k++)
        results[k] = vm_ir_emit(&w->ir, (uint8_t)m->elem, false,
                                "phi %s [ %%far%u.%u, %%far%u ], [ %%row%u.%u, %%near%u ]", type, n,
                                k, n, n, k, n);
}

/* ---- stores ------------------------------------------------------------------------------------------------ */

/* %yes N: the bytes that each active lane writes lie above those of the lanes before it, or are the same
 * as the highest. %above N keeps the end of these, over all chunks. */
static void put_is_apart(group_writer *w, hd_str *text, const group_cluster *c, uint32_t n) {
    hd_str_printf(&w->entry, "  %%above%u = alloca i64\n", n);
    hd_str_printf(&w->ir.before, "  store i64 0, ptr %%above%u\n", n);
    put(text, n,
        "  %%before$ = load i64, ptr %%above$\n"
        "  %%end$ = add <16 x i64> %%start$, %s\n"
        "  %%high$.0 = select <16 x i1> %%mask, <16 x i64> %%end$, <16 x i64> zeroinitializer\n",
        steps(text->arena, "i64", 16, (uint64_t)(c->end - c->begin), 0));
    /* high N.K: the highest end of a lane and the 2^K - 1 before it */
    uint32_t k = 0;
    for (uint32_t by = 1; by < VM_CHUNK; by *= 2, k++)
        put(text, n,
            "  %%moved$.%u = shufflevector <16 x i64> zeroinitializer, <16 x i64> %%high$.%u, <16 "
            "x "
            "i32> %s\n"
            "  %%high$.%u = call <16 x i64> @llvm.umax.v16i64(<16 x i64> %%moved$.%u, <16 x i64> "
            "%%high$.%u)\n",
            k, k, steps(text->arena, "i32", 16, VM_CHUNK - by, 1), k + 1, k, k);
    put_splat(text, n, "before", "%before$");
    put(text, n,
        "  %%upto$ = call <16 x i64> @llvm.umax.v16i64(<16 x i64> %%high$.%u, <16 x i64> "
        "%%before$.all)\n"
        "  %%below$ = shufflevector <16 x i64> %%before$.all, <16 x i64> %%upto$, <16 x i32> %s\n"
        "  %%last$ = extractelement <16 x i64> %%upto$, i32 15\n"
        "  store i64 %%last$, ptr %%above$\n"
        "  %%reaches$ = icmp ult <16 x i64> %%start$, %%below$\n"
        "  %%differs$ = icmp ne <16 x i64> %%end$, %%below$\n"
        "  %%meets$ = and <16 x i1> %%reaches$, %%differs$\n"
        "  %%meets$.set = and <16 x i1> %%meets$, %%mask\n"
        "  %%meets$.bits = bitcast <16 x i1> %%meets$.set to i16\n"
        "  %%yes$ = icmp eq i16 %%meets$.bits, 0\n",
        k, steps(text->arena, "i32", 16, VM_CHUNK - 1, 1));
}

/* The flag of a cluster loses 1 when lanes are not where it expects them, and 2 when they do not
 * follow each other, or, of several stores, are not apart. */
static void put_store_test(group_writer *w, hd_str *text, const group_cluster *c) {
    const vm_memory *m = memory_of(w, c->members.data[0].op);
    uint32_t n = ++w->ir.names;
    put_row(w, text, n, "save", c->row, 8);
    put(text, n, "  store <16 x i64> %s, ptr %%save$.%u, align 128\n", c->base, c->row);
    put_test(w, text, c, n);
    put_far(text, w, c, n);
    put(text, n,
        "  br i1 %%found$, label %%near$, label %%wide$\n"
        "wide$:\n"
        "  store i8 0, ptr %%flag%u\n  br label %%tested$\nnear$:\n",
        c->flag);
    if (c->members.count > 1)
        put_is_apart(w, text, c, n);
    if (is_single(w, c)) {
        put_places(w, text, c, n);
        put_is_row(text, n, m->width, false);
    }
    if (c->members.count > 1 || is_single(w, c))
        put(text, n,
            "  %%was$ = load i8, ptr %%flag%u\n"
            "  %%now$.s = select i1 %%yes$, i8 3, i8 1\n"
            "  %%now$ = and i8 %%was$, %%now$.s\n"
            "  store i8 %%now$, ptr %%flag%u\n",
            c->flag, c->flag);
    put(text, n, "  br label %%tested$\ntested$:\n");
}

/* A loop over the lanes: the bytes that accesses `begin` to `end` write, of one lane after the other. */
static void put_lane_stores(group_writer *w, const group_cluster *c, size_t begin, size_t end) {
    hd_str lanes = {.arena = w->ir.arena}, *text = &lanes;
    uint32_t n = ++w->ir.names;
    const vm_memory *first = memory_of(w, c->members.data[0].op);
    put_row(w, text, n, "save", c->row, 8);
    for (size_t i = begin; i < end; i++) {
        const vm_memory *own = memory_of(w, c->members.data[i].op);
        for (uint32_t k = 0; k < own->components; k++)
            put_row(w, text, n, "keep", c->members.data[i].first + k, vm_elem_bytes(own->elem));
    }
    put(text, n, "  br label %%near$\nnear$:\n");
    put_reach(text, n, first->slot, "delta", REACH(delta), false);
    put_reach(text, n, first->slot, "own", REACH(own), false);
    put(text, n,
        "  %%begin$ = mul i64 %%own$, %%at\n"
        "  %%shift$ = add i64 %%begin$, %%delta$\n"
        "  %%set$ = zext i16 %%set to i32\n"
        "  br label %%lane$\n"
        "lane$:\n"
        "  %%left$ = phi i32 [ %%set$, %%near$ ], [ %%rest$, %%lane$ ]\n"
        "  %%j$.n = call i32 @llvm.cttz.i32(i32 %%left$, i1 true)\n"
        "  %%j$ = zext i32 %%j$.n to i64\n"
        "  %%less$ = sub i32 %%left$, 1\n"
        "  %%rest$ = and i32 %%left$, %%less$\n"
        "  %%a$.p = getelementptr i64, ptr %%save$.%u, i64 %%j$\n"
        "  %%a$ = load i64, ptr %%a$.p\n"
        "  %%o$ = mul i64 %%own$, %%j$\n"
        "  %%b$ = add i64 %%a$, %%o$\n"
        "  %%c$ = add i64 %%b$, %%shift$\n"
        "  %%to$ = inttoptr i64 %%c$ to ptr\n",
        c->row);
    for (size_t i = begin; i < end; i++) {
        const group_access *a = &c->members.data[i];
        const vm_memory *m = memory_of(w, a->op);
        const char *type = vm_ir_type((uint8_t)m->elem, false);
        uint32_t bytes = vm_elem_bytes(m->elem);
        for (uint32_t k = 0; k < m->components; k++)
            put(text, n,
                "  %%x$.%zu.%u.p = getelementptr %s, ptr %%keep$.%u, i64 %%j$\n"
                "  %%x$.%zu.%u = load %s, ptr %%x$.%zu.%u.p\n"
                "  %%y$.%zu.%u = getelementptr i8, ptr %%to$, i64 %lld\n"
                "  store %s %%x$.%zu.%u, ptr %%y$.%zu.%u, align %u\n",
                i, k, type, a->first + k, i, k, type, i, k, i, k,
                (long long)a->offset + (long long)k * bytes, type, i, k, i, k, element_align(m));
    }
    put(text, n,
        "  %%more$ = icmp ne i32 %%rest$, 0\n"
        "  br i1 %%more$, label %%lane$, label %%stored$\n"
        "stored$:\n");
    group_loop(w, hd_str_text(text));
}

static void put_store(group_writer *w, const group_cluster *c) {
    const group_access *first = &c->members.data[0];
    const vm_memory *m = memory_of(w, first->op);
    size_t count = c->members.count;
    uint32_t n = ++w->ir.names, bytes = vm_elem_bytes(m->elem);
    bool may_be_row = is_single(w, c);
    hd_str_printf(&w->out,
                  "  %%kind%u = load i8, ptr %%flag%u\n"
                  "  switch i8 %%kind%u, label %%far.all%u [ i8 1, label %%lanes.all%u i8 3, label "
                  "%%%s.all%u ]\n",
                  n, c->flag, n, n, n, may_be_row || count > 1 ? "best" : "lanes", n);
    /* All in their places; where lanes may write each other's bytes, one instruction after the other. */
    hd_str_printf(&w->out, "lanes.all%u:\n", n);
    for (size_t i = 0; i < count; i++)
        put_lane_stores(w, c, i, i + 1);
    hd_str_printf(&w->out, "  br label %%all.stored%u\n", n);
    if (may_be_row || count > 1)
        hd_str_printf(&w->out, "best.all%u:\n", n);
    if (count > 1)
        put_lane_stores(w, c, 0, count);
    if (may_be_row) {
        hd_str row = {.arena = w->ir.arena};
        uint32_t r = ++w->ir.names;
        const char *type = vm_ir_type((uint8_t)m->elem, true);
        put_row(w, &row, r, "save", c->row, 8);
        put_row(w, &row, r, "keep", first->first, bytes);
        put_reach(&row, r, m->slot, "delta", REACH(delta), false);
        put_reach(&row, r, m->slot, "own", REACH(own), false);
        put(&row, r,
            "  %%a$ = load i64, ptr %%save$.%u\n"
            "  %%b$ = mul i64 %%own$, %%at\n"
            "  %%c$ = add i64 %%a$, %%b$\n"
            "  %%d$ = add i64 %%c$, %%delta$\n"
            "  %%e$ = add i64 %%d$, %lld\n"
            "  %%to$ = inttoptr i64 %%e$ to ptr\n"
            "  %%x$ = load %s, ptr %%keep$.%u, align %u\n"
            "  store %s %%x$, ptr %%to$, align %u\n",
            c->row, (long long)first->offset, type, first->first, bytes * VM_CHUNK, type,
            element_align(m));
        group_loop(w, hd_str_text(&row));
    }
    if (may_be_row || count > 1)
        hd_str_printf(&w->out, "  br label %%all.stored%u\n", n);
    hd_str_printf(&w->out, "far.all%u:\n", n);
    for (size_t i = 0; i < count; i++) {
        const group_access *a = &c->members.data[i];
        hd_str far = {.arena = w->ir.arena};
        uint32_t f = ++w->ir.names;
        put_row(w, &far, f, "save", c->row, 8);
        group_call(
            &far, ++w->ir.names, VM_CALL_STORE,
            hd_format(far.arena,
                      "ptr %%r, i32 %u, i64 %%at, ptr %%save%u.%u, i64 %lld, i16 zeroext %%set, "
                      "i32 %u",
                      a->op, f, c->row, (long long)a->offset, a->first));
        group_loop(w, hd_str_text(&far));
    }
    hd_str_printf(&w->out, "  br label %%all.stored%u\nall.stored%u:\n", n, n);
}

/* ---- the group's ---------------------------------------------------------------------------------------------- */

const char *group_body(group_writer *w) {
    hd_str text = {.arena = w->ir.arena};
    for (const char *c = hd_str_text(&w->ir.body); *c;) {
        size_t plain = strcspn(c, "\1");
        hd_str_addn(&text, c, plain);
        c += plain;
        if (!*c)
            break;
        char *end;
        unsigned long number = strtoul(c + 1, &end, 10);
        put_load(w, &text, &w->clusters.data[number]);
        c = end + 1;
    }
    for (size_t i = 0; i < w->clusters.count; i++)
        if (w->clusters.data[i].is_store)
            put_store_test(w, &text, &w->clusters.data[i]);
    return hd_str_text(&text);
}

void group_stores(group_writer *w) {
    for (size_t i = 0; i < w->clusters.count; i++)
        if (w->clusters.data[i].is_store)
            put_store(w, &w->clusters.data[i]);
}
