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
 */
#include <stddef.h>

#include "machine/native/group_ir.h"
#include "machine/native/run_native.h"

enum { MOST_IN_GROUP = 24 };

/* ---- cells -------------------------------------------------------------------------------------- */

static group_held *held_at(group_writer *w, uint32_t at) {
    group_held *h = &w->cells[at / VM_CELL_ALIGN];
    if (h->stamp != w->stamp) {
        *h = (group_held){.stamp = w->stamp, .at = at};
        hd_push(w->ir.arena, &w->touched, at);
    }
    return h;
}

/* The address of a cell's elements from lane %at on, or of a uniform one. */
static const char *cell_address(group_writer *w, hd_str *text, uint32_t at, bool varying,
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

static vm_ir_value load_cell(group_writer *w, uint32_t at, bool varying, uint8_t type) {
    hd_str *text = varying ? &w->ir.body : &w->ir.before;
    uint32_t bytes = stored_bytes(type);
    const char *p = cell_address(w, text, at, varying, bytes);
    w->has_lanes |= varying;
    return vm_ir_emit(&w->ir, stored_type(type), varying, "load %s, ptr %s, align %u",
                      vm_ir_type(stored_type(type), varying), p,
                      varying ? bytes * VM_CHUNK : bytes);
}

/* A cell as an operand; `varying`: the cell is, `spread`: it is wanted for each lane. */
static vm_ir_value read_cell(group_writer *w, uint32_t at, bool varying, uint8_t type,
                             bool spread) {
    if (w->is_constant[at / VM_CELL_ALIGN])
        return vm_ir_constant(type, w->constant[at / VM_CELL_ALIGN]);
    group_held *h = held_at(w, at);
    bool known = h->value.name || h->dirty;
    if (!known) {
        h->value = load_cell(w, at, varying, type);
        h->read = stored_bytes(type);
    }
    vm_ir_value v = vm_ir_as(&w->ir, h->value, type);
    return spread ? vm_ir_splat(&w->ir, v) : v;
}

static void write_cell(group_writer *w, uint32_t at, bool varying, vm_ir_value v) {
    group_held *h = held_at(w, at);
    h->varying = varying;
    h->value = v;
    h->dirty = true;
}

/* The chunks of a group run one after the other, so a cell has elements of one width in it, unless it is
 * written before it is read. */
static bool fits(const group_writer *w, uint32_t at, uint8_t type, bool writes) {
    const group_held *h = &w->cells[at / VM_CELL_ALIGN];
    if (h->stamp != w->stamp || w->is_constant[at / VM_CELL_ALIGN])
        return true;
    uint32_t bytes = stored_bytes(type);
    if (writes)
        return !h->read || h->read == bytes;
    return stored_bytes(h->value.type) == bytes;
}

/* ---- loops over the lanes ------------------------------------------------------------------------- */

/* %at goes over the chunks of r->spans, and %mask are the active lanes of each. */
void group_loop(group_writer *w, const char *body) {
    uint32_t n = ++w->ir.names;
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

/* ---- groups ---------------------------------------------------------------------------------------- */

static void begin_group(group_writer *w) {
    w->stamp++;
    w->touched.count = w->clusters.count = w->memory.count = 0;
    vm_ir_begin(&w->ir);
    w->rows = 0;
    w->has_lanes = false;
}

static bool is_known(const vm_op *op, vm_signature *s) {
    return op->code == VM_CODE_LOAD || op->code == VM_CODE_STORE || vm_native_knows(op->code, s);
}

static bool lanes_agree(const vm_memory *m) { return !m->address.varying && !m->value[0].varying; }

/* Whether an operation may be the next one of the group. */
static bool may_follow(const group_writer *w, const vm_op *op, const vm_signature *s) {
    if (op->code != VM_CODE_LOAD && op->code != VM_CODE_STORE) {
        const uint32_t x[] = {op->a, op->b, op->c};
        for (uint32_t i = 0; i < s->operands; i++)
            if (!fits(w, x[i], s->type[i], false))
                return false;
        return fits(w, op->d, s->result, true);
    }
    const vm_memory *m = op->more;
    bool is_load = op->code == VM_CODE_LOAD;
    for (size_t i = 0; i < w->clusters.count && is_load; i++) {
        const group_cluster *c = &w->clusters.data[i];
        if (c->is_store &&
            (c->space == m->space || c->space == KIR_GENERIC || m->space == KIR_GENERIC))
            return false; /* it may read what is only written at the end */
    }
    for (uint32_t k = 0; k < m->components; k++)
        if (!fits(w, m->value[k].at, (uint8_t)m->elem, is_load))
            return false;
    return fits(w, m->address.at, VM_I64, false) && w->memory.count < MOST_IN_GROUP;
}

static void add_access(group_writer *w, const vm_op *op) {
    const vm_memory *m = op->more;
    bool once = lanes_agree(m), is_store = op->code == VM_CODE_STORE;
    vm_ir_value values[VM_MAX_COMPONENTS];
    vm_ir_value address =
        read_cell(w, m->address.at, m->address.varying, VM_I64, is_store || !once);
    for (uint32_t k = 0; k < m->components && is_store; k++)
        values[k] = read_cell(w, m->value[k].at, m->value[k].varying, (uint8_t)m->elem, true);
    w->has_lanes |= is_store || !once;
    if (is_store) {
        group_store(w, op, address, values);
        return;
    }
    (once ? group_load_once : group_load)(w, op, address, values);
    for (uint32_t k = 0; k < m->components; k++)
        write_cell(w, m->value[k].at, m->value[k].varying, values[k]);
}

static void add_operation(group_writer *w, const vm_op *op, const vm_signature *s) {
    if (op->code == VM_CODE_LOAD || op->code == VM_CODE_STORE) {
        add_access(w, op);
        return;
    }
    const uint32_t x[] = {op->a, op->b, op->c}, varying[] = {op->sa, op->sb, op->sc};
    vm_ir_value v[3];
    for (uint32_t i = 0; i < s->operands; i++)
        v[i] = read_cell(w, x[i], varying[i] != 0, s->type[i], !op->uniform);
    w->has_lanes |= !op->uniform;
    write_cell(w, op->d, !op->uniform, vm_ir_operation(&w->ir, op, v));
}

/* Cells that are read later get what the group has computed. */
static void store_cells(group_writer *w, const uint64_t *live) {
    for (size_t i = 0; i < w->touched.count; i++) {
        const group_held *h = &w->cells[w->touched.data[i] / VM_CELL_ALIGN];
        if (!h->dirty || !vm_is_live(w->lives, live, h->at))
            continue;
        bool varying = h->varying;
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

static void end_group(group_writer *w, const uint64_t *live) {
    store_cells(w, live);
    const char *body = group_body(w);
    hd_str_add(&w->out, hd_str_text(&w->ir.before));
    if (w->has_lanes)
        group_loop(w, body);
    if (w->memory.count) {
        vm_group g = {hd_new_array(w->ir.arena, vm_group_member, w->memory.count),
                      (uint32_t)w->memory.count};
        memcpy(g.members, w->memory.data, g.count * sizeof *g.members);
        for (uint32_t i = 0; i < g.count; i++) {
            const vm_memory *m = w->p->ops[g.members[i].op].more;
            g.is_generic |= m->space == KIR_GENERIC;
            if (m->space != KIR_GENERIC)
                g.mis[m->space] += m->announced_count;
        }
        group_call(&w->out, ++w->ir.names, VM_CALL_ANNOUNCE,
                   hd_format(w->ir.arena, "ptr %%r, i32 %zu", w->groups.count));
        hd_push(w->ir.arena, &w->groups, g);
    }
    group_stores(w);
}

static void add_interpreted(group_writer *w, uint32_t op) {
    group_call(&w->out, ++w->ir.names, VM_CALL_OPERATION,
               hd_format(w->ir.arena, "ptr %%r, i32 %u", op));
}

/* ---- functions -------------------------------------------------------------------------------------- */

static void load_field(hd_str *text, const char *name, const char *type, size_t offset) {
    hd_str_printf(text,
                  "  %%%s.p = getelementptr i8, ptr %%r, i64 %zu\n"
                  "  %%%s = load %s, ptr %%%s.p\n",
                  name, offset, name, type, name);
}

/* Of a node, or of one of its edges. */
static void write_function(group_writer *w, hd_arena *arena, uint32_t node, const vm_edge *edge,
                           hd_str *module) {
    uint32_t first = edge ? edge->first : w->p->nodes[node].first;
    uint32_t count = edge ? edge->count : w->p->nodes[node].count;
    w->entry = (hd_str){.arena = arena};
    w->out = (hd_str){.arena = arena};
    uint32_t words = vm_live_words(w->lives);
    /* live[i]: before operation first + i */
    uint64_t *live = hd_new_array(arena, uint64_t, (size_t)(count + 1) * words);
    memcpy(live + (size_t)count * words, vm_live_at_end(arena, w->lives, node, edge),
           words * sizeof *live);
    for (uint32_t i = count; i-- > 0;) {
        memcpy(live + (size_t)i * words, live + (size_t)(i + 1) * words, words * sizeof *live);
        vm_live_step(w->lives, &w->p->ops[first + i], live + (size_t)i * words);
    }
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
        }
        end_group(w, live + (size_t)i * words);
    }
    hd_str_printf(module, "define void @f%u(ptr %%r) #0 {\n", edge ? edge->range : node);
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
    group_writer w = {.p = p, .traced = traced, .ir = {.arena = own}};
    uint32_t places = p->frame_bytes / VM_CELL_ALIGN + 1, ranges = p->range_count;
    w.cells = hd_new_array(own, group_held, places);
    w.is_constant = hd_new_array(own, bool, places);
    w.constant = hd_new_array(own, uint64_t, places);
    for (size_t i = 0; i < p->constants.count; i++) {
        w.is_constant[p->constants.data[i].cell.at / VM_CELL_ALIGN] = true;
        w.constant[p->constants.data[i].cell.at / VM_CELL_ALIGN] = p->constants.data[i].bits;
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
            const vm_edge *edge = e < node->edge_count ? &node->edges[e] : NULL;
            bool *has = &t.has[edge ? edge->range : n];
            *has = edge ? has_own_code(p, edge->first, edge->count)
                        : has_own_code(p, node->first, node->count);
            if (!*has)
                continue;
            hd_arena *scratch = hd_arena_new();
            write_function(&w, scratch, n, edge, &module);
            hd_arena_free(scratch);
        }
    }
    t.group_count = (uint32_t)w.groups.count;
    t.groups = hd_new_array(arena, vm_group, t.group_count);
    for (uint32_t g = 0; g < t.group_count; g++) {
        const vm_group *from = &w.groups.data[g];
        t.groups[g] = *from;
        t.groups[g].members = hd_new_array(arena, vm_group_member, from->count);
        memcpy(t.groups[g].members, from->members, from->count * sizeof *from->members);
    }
    t.rows = w.most_rows;
    t.ir = hd_str_text(&module);
    t.length = module.length;
    hd_arena_free(own);
    return t;
}
