/*
 * The operations of a node, or of an edge, as one function of LLVM IR.
 *
 * They fall into groups: arithmetic and loads in any order, then stores; what the interpreter alone
 * knows stands between two groups and is called. A group is one loop over the chunks of 16 lanes in
 * which everything but the stores happens in registers, then a loop for each store. So all lanes have
 * read before any writes, as where each instruction is done for all lanes before the next one. Cells
 * that are read later are written at the end of each turn.
 *
 *     d = a[i] + b[i]; e[i] = d;      loop: i, a[i], b[i], d -> cell    loop: e[i] = d
 *
 * A memory instruction tests its chunk against the region that it met last (vm_reach): inside, it goes
 * on with one vector load or a gather; else run_native.c looks, lane by lane if need be, and notes the
 * fault of the first instruction that has one.
 */
#include <stddef.h>

#include "machine/native/native.h"
#include "machine/native/run_native.h"

enum { MOST_IN_GROUP = 24, CELL = 64 };

/* What a cell holds in the group at work. */
typedef struct held {
    vm_ir_value value;
    uint32_t stamp; /* of the group; another one: nothing is known */
    uint32_t read;  /* bytes of an element that was read from memory; 0: none was */
    uint32_t at;
    bool dirty;
} held;

typedef struct store {
    uint32_t op, address, value; /* rows of r->saved; value: of its first component */
} store;

typedef struct writer {
    vm_ir ir;
    hd_str entry, out; /* variables of the function; its text so far */
    const vm_program *p;
    vm_cell_lives *lives;
    held *cells; /* [frame_bytes / CELL] */
    bool *is_constant;
    uint64_t *constant;
    uint32_t stamp, labels;
    hd_vec(uint32_t) touched; /* cells that are held */
    hd_vec(store) stores;
    hd_vec(uint32_t) memory, saved;
    uint32_t rows, most_rows;
    bool traced, has_lanes; /* something is done for each chunk */
    hd_vec(vm_group) groups;
} writer;

/* ---- cells -------------------------------------------------------------------------------------- */

static held *held_at(writer *w, uint32_t at) {
    held *h = &w->cells[at / CELL];
    if (h->stamp != w->stamp) {
        *h = (held){.stamp = w->stamp, .at = at};
        hd_push(w->ir.arena, &w->touched, at);
    }
    return h;
}

/* The address of a cell's elements from lane %at on, or of a uniform one. */
static const char *cell_address(writer *w, hd_str *text, uint32_t at, bool varying,
                                uint32_t bytes) {
    uint32_t name = ++w->ir.names;
    if (varying) {
        hd_str_printf(text, "  %%p%u.at = mul i64 %%at, %u\n", name, bytes);
        hd_str_printf(text, "  %%p%u.from = add i64 %%p%u.at, %u\n", name, name, at);
        hd_str_printf(text, "  %%p%u = getelementptr i8, ptr %%frame, i64 %%p%u.from\n", name,
                      name);
    } else {
        hd_str_printf(text, "  %%p%u = getelementptr i8, ptr %%frame, i64 %u\n", name, at);
    }
    return hd_format(w->ir.arena, "%%p%u", name);
}

static uint8_t stored_type(uint8_t type) { return type == VM_BIT ? VM_I8 : type; }
static uint32_t stored_bytes(uint8_t type) { return vm_elem_bytes((vm_elem)stored_type(type)); }

static vm_ir_value load_cell(writer *w, uint32_t at, bool varying, uint8_t type) {
    hd_str *text = varying ? &w->ir.body : &w->ir.before;
    uint32_t bytes = stored_bytes(type);
    const char *p = cell_address(w, text, at, varying, bytes);
    w->has_lanes |= varying;
    return vm_ir_emit(&w->ir, stored_type(type), varying, "load %s, ptr %s, align %u",
                      vm_ir_type(stored_type(type), varying), p,
                      varying ? bytes * VM_CHUNK : bytes);
}

/* A cell as an operand; `varying`: the cell is, `spread`: it is wanted for each lane. */
static vm_ir_value read_cell(writer *w, uint32_t at, bool varying, uint8_t type, bool spread) {
    if (w->is_constant[at / CELL])
        return vm_ir_constant(type, w->constant[at / CELL]);
    held *h = held_at(w, at);
    bool known = h->value.name || h->dirty;
    if (!known) {
        h->value = load_cell(w, at, varying, type);
        h->read = stored_bytes(type);
    }
    vm_ir_value v = vm_ir_as(&w->ir, h->value, type);
    return spread ? vm_ir_splat(&w->ir, v) : v;
}

static void write_cell(writer *w, uint32_t at, vm_ir_value v) {
    held *h = held_at(w, at);
    h->value = v;
    h->dirty = true;
}

/* The chunks of a group run one after the other, so a cell has elements of one width in it, unless it is
 * written before it is read. */
static bool fits(const writer *w, uint32_t at, uint8_t type, bool writes) {
    const held *h = &w->cells[at / CELL];
    if (h->stamp != w->stamp || w->is_constant[at / CELL])
        return true;
    uint32_t bytes = stored_bytes(type);
    if (writes)
        return !h->read || h->read == bytes;
    return stored_bytes(h->value.type) == bytes;
}

/* ---- loops over the lanes ------------------------------------------------------------------------- */

/* %at goes over the chunks of r->spans, and %mask are the active lanes of each. */
static void add_loop(writer *w, const char *body) {
    uint32_t n = ++w->labels;
    hd_str_printf(&w->out,
                  "  store i64 0, ptr %%span\n"
                  "  br label %%spans%u\n"
                  "spans%u:\n"
                  "  %%i%u = load i64, ptr %%span\n"
                  "  %%more%u = icmp ult i64 %%i%u, %%span.count\n"
                  "  br i1 %%more%u, label %%span%u, label %%end%u\n"
                  "span%u:\n"
                  "  %%s%u = getelementptr [2 x i32], ptr %%span.first, i64 %%i%u\n"
                  "  %%from%u = load i32, ptr %%s%u\n"
                  "  %%first%u = zext i32 %%from%u to i64\n"
                  "  %%t%u = getelementptr i8, ptr %%s%u, i64 4\n"
                  "  %%to%u = load i32, ptr %%t%u\n"
                  "  %%last%u = zext i32 %%to%u to i64\n"
                  "  %%next%u = add i64 %%i%u, 1\n"
                  "  store i64 %%next%u, ptr %%span\n"
                  "  br label %%lanes%u\n",
                  n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n);
    hd_str_printf(&w->out,
                  "lanes%u:\n"
                  "  %%at%u = phi i64 [ %%first%u, %%span%u ], [ %%at.next%u, %%done%u ]\n"
                  "  %%mask.at%u = lshr i64 %%at%u, 3\n"
                  "  %%mask.p%u = getelementptr i8, ptr %%bits, i64 %%mask.at%u\n"
                  "  %%set%u = load i16, ptr %%mask.p%u\n"
                  "  %%mask%u = bitcast i16 %%set%u to <16 x i1>\n",
                  n, n, n, n, n, n, n, n, n, n, n, n, n, n);
    /* In the body the names are those of this loop. */
    for (const char *c = body; *c;) {
        const char *next = strchr(c, '%');
        if (!next) {
            hd_str_add(&w->out, c);
            break;
        }
        hd_str_addn(&w->out, c, (size_t)(next - c));
        size_t length = strspn(next + 1, "abcdefghijklmnopqrstuvwxyz");
        bool own = (length == 2 && !strncmp(next, "%at", 3)) ||
                   (length == 4 && !strncmp(next, "%mask", 5)) ||
                   (length == 3 && !strncmp(next, "%set", 4));
        char after = next[1 + length];
        own = own && after != '.' && (after < '0' || after > '9');
        hd_str_addn(&w->out, next, 1 + length);
        if (own)
            hd_str_printf(&w->out, "%u", n);
        c = next + 1 + length;
    }
    hd_str_printf(&w->out,
                  "  br label %%done%u\n"
                  "done%u:\n"
                  "  %%at.next%u = add i64 %%at%u, 16\n"
                  "  %%again%u = icmp ult i64 %%at.next%u, %%last%u\n"
                  "  br i1 %%again%u, label %%lanes%u, label %%spans%u\n"
                  "end%u:\n",
                  n, n, n, n, n, n, n, n, n, n, n);
}

/* ---- memory ------------------------------------------------------------------------------------------ */

#define REACH(field) (uint32_t)offsetof(struct vm_reach, field)

/* Loads a word of the instruction's vm_reach. */
static void add_reach(hd_str *text, uint32_t n, uint32_t slot, const char *name, uint32_t offset) {
    hd_str_printf(text,
                  "  %%%s%u.p = getelementptr i8, ptr %%reach, i64 %zu\n"
                  "  %%%s%u = load i64, ptr %%%s%u.p\n",
                  name, n, slot * sizeof(struct vm_reach) + offset, name, n, name, n);
}

static void add_splat(hd_str *text, uint32_t n, const char *name) {
    hd_str_printf(text,
                  "  %%%s%u.one = insertelement <16 x i64> poison, i64 %%%s%u, i32 0\n"
                  "  %%%s%u.all = shufflevector <16 x i64> %%%s%u.one, <16 x i64> poison, "
                  "<16 x i32> zeroinitializer\n",
                  name, n, name, n, name, n, name, n);
}

static void add_call(hd_str *text, uint32_t n, const char *result, uint32_t which,
                     const char *arguments) {
    hd_str_printf(text,
                  "  %%call%u.p = getelementptr ptr, ptr %%calls, i64 %u\n"
                  "  %%call%u = load ptr, ptr %%call%u.p\n"
                  "  %s%s(%s)\n",
                  n, which, n, n, result, hd_format(text->arena, " %%call%u", n), arguments);
}

/* Whether all active lanes of the chunk are in the region met last: jumps to near N or far N. */
static void add_test(writer *w, hd_str *text, uint32_t n, const vm_memory *m, const char *address) {
    add_reach(text, n, m->slot, "base", REACH(base));
    add_reach(text, n, m->slot, "size", REACH(size));
    add_splat(text, n, "base");
    add_splat(text, n, "size");
    hd_str_printf(text,
                  "  %%off%u = sub <16 x i64> %s, %%base%u.all\n"
                  "  %%out%u = icmp uge <16 x i64> %%off%u, %%size%u.all\n",
                  n, address, n, n, n, n);
    const char *bad = "out";
    if (m->align > 1) {
        hd_str_printf(text,
                      "  %%low%u = and <16 x i64> %s, %s\n"
                      "  %%odd%u = icmp ne <16 x i64> %%low%u, zeroinitializer\n"
                      "  %%bad%u = or <16 x i1> %%out%u, %%odd%u\n",
                      n, address, vm_ir_ref(&w->ir, vm_ir_constant(VM_I64, m->align - 1), true), n,
                      n, n, n, n);
        bad = "bad";
    }
    hd_str_printf(text,
                  "  %%hit%u = and <16 x i1> %%%s%u, %%mask\n"
                  "  %%hits%u = bitcast <16 x i1> %%hit%u to i16\n"
                  "  %%any%u = icmp ne i16 %%hits%u, 0\n"
                  "  br i1 %%any%u, label %%far%u, label %%near%u, !prof !0\n",
                  n, bad, n, n, n, n, n, n, n, n);
}

/* Where the bytes are: %place N of all lanes, and of lane 0 as %here N. Jumps to row N where they follow
 * each other and all lanes are active, else to some N. */
static void add_places(hd_str *text, uint32_t n, const vm_memory *m, const char *address) {
    bool may_be_own = m->space == KIR_PRIVATE || m->space == KIR_GENERIC;
    add_reach(text, n, m->slot, "delta", REACH(delta));
    add_splat(text, n, "delta");
    hd_str_printf(text, "  %%place%u%s = add <16 x i64> %s, %%delta%u.all\n", n,
                  may_be_own ? ".same" : "", address, n);
    if (may_be_own) { /* each lane has private memory of its own */
        add_reach(text, n, m->slot, "own", REACH(own));
        add_splat(text, n, "own");
        hd_str_printf(
            text,
            "  %%lane%u.one = insertelement <16 x i64> poison, i64 %%at, i32 0\n"
            "  %%lane%u.all = shufflevector <16 x i64> %%lane%u.one, <16 x i64> poison, <16 x i32> "
            "zeroinitializer\n"
            "  %%lane%u = add <16 x i64> %%lane%u.all, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, "
            "i64 "
            "6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>\n"
            "  %%mine%u = mul <16 x i64> %%lane%u, %%own%u.all\n"
            "  %%place%u = add <16 x i64> %%place%u.same, %%mine%u\n",
            n, n, n, n, n, n, n, n, n, n, n);
    }
    hd_str_printf(
        text,
        "  %%here%u = extractelement <16 x i64> %%place%u, i32 0\n"
        "  %%here%u.one = insertelement <16 x i64> poison, i64 %%here%u, i32 0\n"
        "  %%here%u.all = shufflevector <16 x i64> %%here%u.one, <16 x i64> poison, <16 x "
        "i32> zeroinitializer\n"
        "  %%row%u.off = add <16 x i64> %%here%u.all, <",
        n, n, n, n, n, n, n, n);
    for (uint32_t j = 0; j < VM_CHUNK; j++)
        hd_str_printf(text, "%si64 %u", j ? ", " : "", j * m->width);
    hd_str_printf(text,
                  ">\n"
                  "  %%row%u.is = icmp eq <16 x i64> %%row%u.off, %%place%u\n"
                  "  %%row%u.bits = bitcast <16 x i1> %%row%u.is to i16\n"
                  "  %%row%u.all = and i16 %%row%u.bits, %%set\n"
                  "  %%row%u.yes = icmp eq i16 %%row%u.all, -1\n"
                  "  br i1 %%row%u.yes, label %%row%u, label %%some%u\n",
                  n, n, n, n, n, n, n, n, n, n, n, n);
}

static uint32_t element_align(const vm_memory *m) {
    uint32_t bytes = vm_elem_bytes(m->elem);
    return m->align < bytes ? m->align : bytes;
}

/* Element k of 16 vectors that follow each other. */
static void add_stride_mask(hd_str *text, uint32_t components, uint32_t k) {
    hd_str_add(text, "<16 x i32> <");
    for (uint32_t j = 0; j < VM_CHUNK; j++)
        hd_str_printf(text, "%si32 %u", j ? ", " : "", j * components + k);
    hd_str_add(text, ">");
}

/* The pointers of component k. */
static void add_pointers(hd_str *text, uint32_t n, uint32_t k, uint32_t bytes) {
    hd_str_printf(text, "  %%q%u.%u.i = add <16 x i64> %%place%u, <", n, k, n);
    for (uint32_t j = 0; j < VM_CHUNK; j++)
        hd_str_printf(text, "%si64 %u", j ? ", " : "", k * bytes);
    hd_str_printf(text, ">\n  %%q%u.%u = inttoptr <16 x i64> %%q%u.%u.i to <16 x ptr>\n", n, k, n,
                  k);
}

static const char *suffix_of(vm_elem elem) {
    static const char *const suffix[] = {"i8", "i16", "i32", "i64", "f16", "f32", "f64"};
    return suffix[elem];
}

/* A row of r->saved for the addresses of the chunk. */
static void add_saving(writer *w, hd_str *text, uint32_t n, uint32_t row, const char *address) {
    hd_str_printf(text,
                  "  %%save%u.at = mul i64 %%at, 8\n"
                  "  %%save%u.from = add i64 %%save%u.at, %llu\n"
                  "  %%save%u = getelementptr i8, ptr %%saved, i64 %%save%u.from\n"
                  "  store <16 x i64> %s, ptr %%save%u, align 64\n",
                  n, n, n, (unsigned long long)row * w->p->padded * 8, n, n, address, n);
}

static uint32_t take_rows(writer *w, uint32_t count) {
    uint32_t first = w->rows;
    w->rows += count;
    w->most_rows = w->rows > w->most_rows ? w->rows : w->most_rows;
    return first;
}

static void note_memory(writer *w, uint32_t op, uint32_t row) {
    hd_push(w->ir.arena, &w->memory, op);
    hd_push(w->ir.arena, &w->saved, row);
}

/* The loop leaves each component in %load N.K. */
static void add_load(writer *w, const vm_op *op) {
    const vm_memory *m = op->more;
    hd_str *text = &w->ir.body;
    uint32_t index = (uint32_t)(op - w->p->ops), bytes = vm_elem_bytes(m->elem);
    vm_ir_value a = read_cell(w, m->address.at, m->address.varying, VM_I64, true);
    const char *address = vm_ir_ref(&w->ir, a, true);
    const char *type = vm_ir_type((uint8_t)m->elem, true);
    uint32_t n = ++w->ir.names, row = UINT32_MAX;
    w->has_lanes = true;
    if (w->traced) {
        row = take_rows(w, 1);
        add_saving(w, text, n, row, address);
    }
    note_memory(w, index, row);
    hd_str_printf(&w->entry, "  %%got%u = alloca [%u x %s], align 128\n", n, m->components, type);
    add_test(w, text, n, m, address);
    hd_str_printf(text, "far%u:\n  store <16 x i64> %s, ptr %%buffer, align 128\n", n, address);
    add_call(text, n, hd_format(w->ir.arena, "%%found%u = call i1", n), VM_CALL_LOOK,
             hd_format(w->ir.arena,
                       "ptr %%r, i32 %u, i64 %%at, ptr %%buffer, i16 zeroext %%set, ptr %%got%u",
                       index, n));
    hd_str_printf(text, "  br i1 %%found%u, label %%near%u, label %%loaded%u\nnear%u:\n", n, n, n,
                  n);
    add_places(text, n, m, address);
    hd_str_printf(text, "row%u:\n  %%row%u.p = inttoptr i64 %%here%u to ptr\n", n, n, n);
    if (m->components == 1) {
        hd_str_printf(text, "  %%row%u.v = load %s, ptr %%row%u.p, align %u\n", n, type, n,
                      element_align(m));
        hd_str_printf(text, "  store %s %%row%u.v, ptr %%got%u, align 128\n", type, n, n);
    } else {
        const char *element = vm_ir_type((uint8_t)m->elem, false);
        hd_str_printf(text, "  %%row%u.v = load <%u x %s>, ptr %%row%u.p, align %u\n", n,
                      m->components * VM_CHUNK, element, n, element_align(m));
        for (uint32_t k = 0; k < m->components; k++) {
            hd_str_printf(
                text, "  %%row%u.%u = shufflevector <%u x %s> %%row%u.v, <%u x %s> poison, ", n, k,
                m->components * VM_CHUNK, element, n, m->components * VM_CHUNK, element);
            add_stride_mask(text, m->components, k);
            hd_str_printf(text,
                          "\n  %%row%u.%u.p = getelementptr %s, ptr %%got%u, i64 %u\n"
                          "  store %s %%row%u.%u, ptr %%row%u.%u.p, align %u\n",
                          n, k, type, n, k, type, n, k, n, k, bytes * VM_CHUNK);
        }
    }
    hd_str_printf(text, "  br label %%loaded%u\nsome%u:\n", n, n);
    for (uint32_t k = 0; k < m->components; k++) {
        add_pointers(text, n, k, bytes);
        hd_str_printf(
            text,
            "  %%some%u.%u = call %s @llvm.masked.gather.v16%s.v16p0(<16 x ptr> %%q%u.%u, "
            "i32 %u, <16 x i1> %%mask, %s zeroinitializer)\n"
            "  %%some%u.%u.p = getelementptr %s, ptr %%got%u, i64 %u\n"
            "  store %s %%some%u.%u, ptr %%some%u.%u.p, align %u\n",
            n, k, type, suffix_of(m->elem), n, k, element_align(m), type, n, k, type, n, k, type, n,
            k, n, k, bytes * VM_CHUNK);
    }
    hd_str_printf(text, "  br label %%loaded%u\nloaded%u:\n", n, n);
    for (uint32_t k = 0; k < m->components; k++) {
        hd_str_printf(text, "  %%got%u.%u.p = getelementptr %s, ptr %%got%u, i64 %u\n", n, k, type,
                      n, k);
        write_cell(w, m->value[k].at,
                   vm_ir_emit(&w->ir, (uint8_t)m->elem, true, "load %s, ptr %%got%u.%u.p, align %u",
                              type, n, k, bytes * VM_CHUNK));
    }
}

/* One address and one value for all lanes. */
static void add_uniform_load(writer *w, const vm_op *op) {
    const vm_memory *m = op->more;
    hd_str *text = &w->ir.before;
    uint32_t index = (uint32_t)(op - w->p->ops), bytes = vm_elem_bytes(m->elem);
    vm_ir_value a = read_cell(w, m->address.at, false, VM_I64, false);
    const char *address = vm_ir_ref(&w->ir, a, false);
    const char *type = vm_ir_type((uint8_t)m->elem, false);
    uint32_t n = ++w->ir.names, row = UINT32_MAX;
    if (w->traced) {
        row = take_rows(w, 1);
        hd_str_printf(text,
                      "  %%save%u = getelementptr i8, ptr %%saved, i64 %llu\n"
                      "  store i64 %s, ptr %%save%u\n",
                      n, (unsigned long long)row * w->p->padded * 8, address, n);
    }
    note_memory(w, index, row);
    hd_str_printf(&w->entry, "  %%got%u = alloca [%u x %s], align 16\n", n, m->components, type);
    add_reach(text, n, m->slot, "base", REACH(base));
    add_reach(text, n, m->slot, "size", REACH(size));
    hd_str_printf(text,
                  "  %%off%u = sub i64 %s, %%base%u\n"
                  "  %%out%u = icmp uge i64 %%off%u, %%size%u\n"
                  "  %%low%u = and i64 %s, %u\n"
                  "  %%odd%u = icmp ne i64 %%low%u, 0\n"
                  "  %%bad%u = or i1 %%out%u, %%odd%u\n"
                  "  br i1 %%bad%u, label %%far%u, label %%near%u, !prof !0\n"
                  "far%u:\n",
                  n, address, n, n, n, n, n, address, m->align - 1, n, n, n, n, n, n, n, n, n);
    add_call(text, n, hd_format(w->ir.arena, "%%found%u = call i1", n), VM_CALL_LOOK_ONE,
             hd_format(w->ir.arena, "ptr %%r, i32 %u, i64 %s, ptr %%got%u", index, address, n));
    hd_str_printf(text, "  br i1 %%found%u, label %%near%u, label %%loaded%u\nnear%u:\n", n, n, n,
                  n);
    add_reach(text, n, m->slot, "delta", REACH(delta));
    hd_str_printf(text,
                  "  %%here%u = add i64 %s, %%delta%u\n"
                  "  %%row%u.p = inttoptr i64 %%here%u to ptr\n",
                  n, address, n, n, n);
    for (uint32_t k = 0; k < m->components; k++)
        hd_str_printf(text,
                      "  %%row%u.%u.p = getelementptr %s, ptr %%row%u.p, i64 %u\n"
                      "  %%row%u.%u = load %s, ptr %%row%u.%u.p, align %u\n"
                      "  %%to%u.%u = getelementptr %s, ptr %%got%u, i64 %u\n"
                      "  store %s %%row%u.%u, ptr %%to%u.%u\n",
                      n, k, type, n, k, n, k, type, n, k, element_align(m), n, k, type, n, k, type,
                      n, k, n, k);
    hd_str_printf(text, "  br label %%loaded%u\nloaded%u:\n", n, n);
    for (uint32_t k = 0; k < m->components; k++) {
        hd_str_printf(text, "  %%got%u.%u.p = getelementptr %s, ptr %%got%u, i64 %u\n", n, k, type,
                      n, k);
        write_cell(w, m->value[k].at,
                   vm_ir_emit(&w->ir, (uint8_t)m->elem, false,
                              "load %s, ptr %%got%u.%u.p, align %u", type, n, k, bytes));
    }
}

/* The first half of a store: addresses are tested, and kept with the values. */
static void add_store(writer *w, const vm_op *op) {
    const vm_memory *m = op->more;
    hd_str *text = &w->ir.body;
    uint32_t index = (uint32_t)(op - w->p->ops), bytes = vm_elem_bytes(m->elem);
    vm_ir_value a = read_cell(w, m->address.at, m->address.varying, VM_I64, true);
    const char *address = vm_ir_ref(&w->ir, a, true);
    store s = {index, take_rows(w, 1), take_rows(w, m->components)};
    vm_ir_value values[VM_MAX_COMPONENTS];
    for (uint32_t k = 0; k < m->components; k++)
        values[k] = read_cell(w, m->value[k].at, m->value[k].varying, (uint8_t)m->elem, true);
    uint32_t n = ++w->ir.names;
    w->has_lanes = true;
    add_saving(w, text, n, s.address, address);
    for (uint32_t k = 0; k < m->components; k++)
        hd_str_printf(text,
                      "  %%keep%u.%u.at = mul i64 %%at, %u\n"
                      "  %%keep%u.%u.from = add i64 %%keep%u.%u.at, %llu\n"
                      "  %%keep%u.%u = getelementptr i8, ptr %%saved, i64 %%keep%u.%u.from\n"
                      "  store %s %s, ptr %%keep%u.%u, align %u\n",
                      n, k, bytes, n, k, n, k, (unsigned long long)(s.value + k) * w->p->padded * 8,
                      n, k, n, k, vm_ir_type((uint8_t)m->elem, true),
                      vm_ir_ref(&w->ir, values[k], true), n, k, bytes * VM_CHUNK);
    add_test(w, text, n, m, address);
    hd_str_printf(text, "far%u:\n  store <16 x i64> %s, ptr %%buffer, align 128\n", n, address);
    add_call(text, n, hd_format(w->ir.arena, "%%found%u = call i1", n), VM_CALL_LOOK,
             hd_format(w->ir.arena,
                       "ptr %%r, i32 %u, i64 %%at, ptr %%buffer, i16 zeroext %%set, ptr null",
                       index));
    hd_str_printf(text, "  br label %%near%u\nnear%u:\n", n, n);
    note_memory(w, index, s.address);
    hd_push(w->ir.arena, &w->stores, s);
}

/* The second half: a loop of its own. */
static void add_store_loop(writer *w, const store *s) {
    const vm_memory *m = w->p->ops[s->op].more;
    uint32_t n = ++w->ir.names, bytes = vm_elem_bytes(m->elem);
    const char *type = vm_ir_type((uint8_t)m->elem, true), *address;
    hd_str text = {.arena = w->ir.arena};
    hd_str_printf(&text,
                  "  %%save%u.at = mul i64 %%at, 8\n"
                  "  %%save%u.from = add i64 %%save%u.at, %llu\n"
                  "  %%save%u = getelementptr i8, ptr %%saved, i64 %%save%u.from\n"
                  "  %%address%u = load <16 x i64>, ptr %%save%u, align 64\n",
                  n, n, n, (unsigned long long)s->address * w->p->padded * 8, n, n, n, n);
    address = hd_format(w->ir.arena, "%%address%u", n);
    for (uint32_t k = 0; k < m->components; k++)
        hd_str_printf(&text,
                      "  %%keep%u.%u.at = mul i64 %%at, %u\n"
                      "  %%keep%u.%u.from = add i64 %%keep%u.%u.at, %llu\n"
                      "  %%keep%u.%u = getelementptr i8, ptr %%saved, i64 %%keep%u.%u.from\n"
                      "  %%value%u.%u = load %s, ptr %%keep%u.%u, align %u\n",
                      n, k, bytes, n, k, n, k,
                      (unsigned long long)(s->value + k) * w->p->padded * 8, n, k, n, k, n, k, type,
                      n, k, bytes * VM_CHUNK);
    add_test(w, &text, n, m, address);
    hd_str_printf(&text, "far%u:\n", n);
    add_call(&text, n, "call void", VM_CALL_STORE,
             hd_format(w->ir.arena,
                       "ptr %%r, i32 %u, i64 %%at, ptr %%save%u, i16 zeroext %%set, i32 %u", s->op,
                       n, s->value));
    hd_str_printf(&text, "  br label %%stored%u\nnear%u:\n", n, n);
    add_places(&text, n, m, address);
    hd_str_printf(&text, "row%u:\n", n);
    if (m->components == 1) {
        hd_str_printf(&text,
                      "  %%row%u.p = inttoptr i64 %%here%u to ptr\n"
                      "  store %s %%value%u.0, ptr %%row%u.p, align %u\n"
                      "  br label %%stored%u\n",
                      n, n, type, n, n, element_align(m), n);
    } else {
        hd_str_printf(&text, "  br label %%some%u\n", n);
    }
    hd_str_printf(&text, "some%u:\n", n);
    for (uint32_t k = 0; k < m->components; k++) {
        add_pointers(&text, n, k, bytes);
        hd_str_printf(&text,
                      "  call void @llvm.masked.scatter.v16%s.v16p0(%s %%value%u.%u, <16 x ptr> "
                      "%%q%u.%u, i32 %u, <16 x i1> %%mask)\n",
                      suffix_of(m->elem), type, n, k, n, k, element_align(m));
    }
    hd_str_printf(&text, "  br label %%stored%u\nstored%u:\n", n, n);
    add_loop(w, hd_str_text(&text));
}

/* ---- groups ---------------------------------------------------------------------------------------- */

static void begin_group(writer *w) {
    w->stamp++;
    w->touched.count = w->stores.count = w->memory.count = w->saved.count = 0;
    w->ir.before = (hd_str){.arena = w->ir.arena};
    w->ir.body = (hd_str){.arena = w->ir.arena};
    w->rows = 0;
    w->has_lanes = false;
}

static bool is_known(const vm_op *op, vm_signature *s) {
    return op->code == VM_CODE_LOAD || op->code == VM_CODE_STORE || vm_native_knows(op->code, s);
}

static bool lanes_agree(const vm_memory *m) { return !m->address.varying && !m->value[0].varying; }

/* Whether an operation may be the next one of the group. */
static bool may_follow(const writer *w, const vm_op *op, const vm_signature *s) {
    if (op->code != VM_CODE_LOAD && op->code != VM_CODE_STORE) {
        const uint32_t x[] = {op->a, op->b, op->c};
        for (uint32_t i = 0; i < s->operands; i++)
            if (!fits(w, x[i], s->type[i], false))
                return false;
        return fits(w, op->d, s->result, true);
    }
    const vm_memory *m = op->more;
    bool is_load = op->code == VM_CODE_LOAD;
    for (size_t i = 0; i < w->stores.count && is_load; i++) {
        const vm_memory *before = w->p->ops[w->stores.data[i].op].more;
        if (before->space == m->space || before->space == KIR_GENERIC || m->space == KIR_GENERIC)
            return false; /* it may read what is only written at the end */
    }
    for (uint32_t k = 0; k < m->components; k++)
        if (!fits(w, m->value[k].at, (uint8_t)m->elem, is_load))
            return false;
    return fits(w, m->address.at, VM_I64, false) && w->memory.count < MOST_IN_GROUP;
}

static void add_operation(writer *w, const vm_op *op, const vm_signature *s) {
    if (op->code == VM_CODE_STORE) {
        add_store(w, op);
    } else if (op->code == VM_CODE_LOAD) {
        (lanes_agree(op->more) ? add_uniform_load : add_load)(w, op);
    } else {
        const uint32_t x[] = {op->a, op->b, op->c}, varying[] = {op->sa, op->sb, op->sc};
        vm_ir_value v[3];
        for (uint32_t i = 0; i < s->operands; i++)
            v[i] = read_cell(w, x[i], varying[i] != 0, s->type[i], !op->uniform);
        w->has_lanes |= !op->uniform;
        write_cell(w, op->d, vm_ir_operation(&w->ir, op, v));
    }
}

/* Which of the cells that the group has written vary: those that some operation wrote for each lane. */
static void store_cells(writer *w, const uint64_t *live, const bool *varies) {
    for (size_t i = 0; i < w->touched.count; i++) {
        const held *h = &w->cells[w->touched.data[i] / CELL];
        if (!h->dirty || !vm_is_live(w->lives, live, h->at))
            continue;
        bool varying = varies[h->at / CELL];
        vm_ir_value v = vm_ir_as(&w->ir, h->value, stored_type(h->value.type));
        uint32_t bytes = stored_bytes(v.type);
        hd_str *text = varying ? &w->ir.body : &w->ir.before;
        v = vm_ir_splat(&w->ir, v); /* a uniform cell has as many elements as a chunk */
        const char *type = vm_ir_type(v.type, true), *value = vm_ir_ref(&w->ir, v, true);
        const char *p = cell_address(w, text, h->at, varying, bytes);
        uint32_t n = ++w->ir.names;
        if (varying) {
            w->has_lanes = true;
            hd_str_printf(text,
                          "  %%old%u = load %s, ptr %s, align %u\n"
                          "  %%new%u = select <16 x i1> %%mask, %s %s, %s %%old%u\n"
                          "  store %s %%new%u, ptr %s, align %u\n",
                          n, type, p, bytes * VM_CHUNK, n, type, value, type, n, type, n, p,
                          bytes * VM_CHUNK);
        } else {
            hd_str_printf(text, "  store %s %s, ptr %s, align %u\n", type, value, p,
                          bytes * VM_CHUNK < 64 ? bytes * VM_CHUNK : 64);
        }
    }
}

static void end_group(writer *w, const uint64_t *live, const bool *varies) {
    store_cells(w, live, varies);
    hd_str_add(&w->out, hd_str_text(&w->ir.before));
    if (w->has_lanes)
        add_loop(w, hd_str_text(&w->ir.body));
    if (w->memory.count) {
        vm_group g = {.count = (uint32_t)w->memory.count};
        g.ops = hd_new_array(w->ir.arena, uint32_t, g.count);
        g.saved = hd_new_array(w->ir.arena, uint32_t, g.count);
        memcpy(g.ops, w->memory.data, g.count * sizeof *g.ops);
        memcpy(g.saved, w->saved.data, g.count * sizeof *g.saved);
        add_call(&w->out, ++w->ir.names, "call void", VM_CALL_ANNOUNCE,
                 hd_format(w->ir.arena, "ptr %%r, i32 %zu", w->groups.count));
        hd_push(w->ir.arena, &w->groups, g);
    }
    for (size_t i = 0; i < w->stores.count; i++)
        add_store_loop(w, &w->stores.data[i]);
}

static void add_interpreted(writer *w, uint32_t op) {
    add_call(&w->out, ++w->ir.names, "call void", VM_CALL_OPERATION,
             hd_format(w->ir.arena, "ptr %%r, i32 %u", op));
}

/* ---- functions -------------------------------------------------------------------------------------- */

static void load_field(hd_str *text, const char *name, const char *type, size_t offset) {
    hd_str_printf(text,
                  "  %%%s.p = getelementptr i8, ptr %%r, i64 %zu\n"
                  "  %%%s = load %s, ptr %%%s.p\n",
                  name, offset, name, type, name);
}

static void write_function(writer *w, hd_arena *arena, uint32_t range, uint32_t first,
                           uint32_t count, hd_str *module) {
    w->entry = (hd_str){.arena = arena};
    w->out = (hd_str){.arena = arena};
    uint32_t words = vm_live_words(w->lives);
    /* live[i]: before operation first + i */
    uint64_t *live = hd_new_array(arena, uint64_t, (size_t)(count + 1) * words);
    memcpy(live + (size_t)count * words, vm_live_at_end(arena, w->lives, range),
           words * sizeof *live);
    for (uint32_t i = count; i-- > 0;) {
        memcpy(live + (size_t)i * words, live + (size_t)(i + 1) * words, words * sizeof *live);
        vm_live_step(w->lives, &w->p->ops[first + i], live + (size_t)i * words);
    }
    bool *varies = hd_new_array(arena, bool, w->p->frame_bytes / CELL + 1);
    for (uint32_t i = 0; i < count;) {
        vm_signature s;
        const vm_op *op = &w->p->ops[first + i];
        if (!is_known(op, &s)) {
            add_interpreted(w, first + i++);
            continue;
        }
        begin_group(w);
        for (; i < count; i++) {
            op = &w->p->ops[first + i];
            if (!is_known(op, &s) || !may_follow(w, op, &s))
                break;
            add_operation(w, op, &s);
            if (op->code == VM_CODE_LOAD) {
                const vm_memory *m = op->more;
                for (uint32_t k = 0; k < m->components; k++)
                    varies[m->value[k].at / CELL] = m->value[k].varying;
            } else if (op->code != VM_CODE_STORE) {
                varies[op->d / CELL] = !op->uniform;
            }
        }
        end_group(w, live + (size_t)i * words, varies);
    }
    hd_str_printf(module, "define void @f%u(ptr %%r) #0 {\n", range);
    hd_str_add(module, "  %span = alloca i64\n  %buffer = alloca <16 x i64>, align 128\n");
    hd_str_add(module, hd_str_text(&w->entry));
    load_field(module, "frame", "ptr", offsetof(vm_run, frame));
    load_field(module, "bits", "ptr", offsetof(vm_run, bits));
    load_field(module, "reach", "ptr", offsetof(vm_run, reach));
    load_field(module, "saved", "ptr", offsetof(vm_run, saved));
    load_field(module, "calls", "ptr", offsetof(vm_run, calls));
    load_field(module, "span.first", "ptr", offsetof(vm_run, spans));
    load_field(module, "spans", "i32", offsetof(vm_run, span_count));
    hd_str_add(module, "  %span.count = zext i32 %spans to i64\n");
    hd_str_add(module, hd_str_text(&w->out));
    hd_str_add(module, "  ret void\n}\n");
}

/* Nothing is gained where the interpreter does all of it. */
static bool has_own_code(const vm_program *p, uint32_t first, uint32_t count) {
    vm_signature s;
    for (uint32_t i = 0; i < count; i++)
        if (is_known(&p->ops[first + i], &s))
            return true;
    return false;
}

vm_native_text vm_native_write(hd_arena *arena, const vm_program *p, bool traced) {
    hd_arena *own = hd_arena_new();
    writer w = {.p = p, .traced = traced, .ir = {.arena = own}};
    uint32_t places = p->frame_bytes / CELL + 1, ranges = p->range_count;
    w.cells = hd_new_array(own, held, places);
    w.is_constant = hd_new_array(own, bool, places);
    w.constant = hd_new_array(own, uint64_t, places);
    for (size_t i = 0; i < p->constants.count; i++) {
        w.is_constant[p->constants.data[i].cell.at / CELL] = true;
        w.constant[p->constants.data[i].cell.at / CELL] = p->constants.data[i].bits;
    }
    w.lives = vm_cell_lives_of(own, p, ranges);
    vm_native_text t = {.range_count = ranges, .has = hd_new_array(arena, bool, ranges)};
    hd_str module = {.arena = arena};
    hd_str_add(&module, "!0 = !{!\"branch_weights\", i32 1, i32 4000}\n"
                        "attributes #0 = { nounwind \"min-legal-vector-width\"=\"512\" "
                        "\"prefer-vector-width\"=\"512\" }\n");
    for (uint32_t n = 0; n < p->node_count; n++) {
        const vm_node *node = &p->nodes[n];
        for (uint32_t e = 0; e <= node->edge_count; e++) {
            const vm_edge *edge = &node->edges[e];
            bool is_edge = e < node->edge_count;
            uint32_t first = is_edge ? edge->first : node->first;
            uint32_t count = is_edge ? edge->count : node->count, range = is_edge ? edge->range : n;
            if (!(t.has[range] = has_own_code(p, first, count)))
                continue;
            hd_arena *scratch = hd_arena_new();
            write_function(&w, scratch, range, first, count, &module);
            hd_arena_free(scratch);
        }
    }
    t.group_count = (uint32_t)w.groups.count;
    t.groups = hd_new_array(arena, vm_group, t.group_count);
    for (uint32_t g = 0; g < t.group_count; g++) {
        const vm_group *from = &w.groups.data[g];
        t.groups[g] = (vm_group){.ops = hd_new_array(arena, uint32_t, from->count),
                                 .saved = hd_new_array(arena, uint32_t, from->count),
                                 .count = from->count};
        memcpy(t.groups[g].ops, from->ops, from->count * sizeof *from->ops);
        memcpy(t.groups[g].saved, from->saved, from->count * sizeof *from->saved);
    }
    t.rows = w.most_rows;
    t.ir = hd_str_text(&module);
    t.length = module.length;
    hd_arena_free(own);
    return t;
}
