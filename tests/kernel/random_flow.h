/*
 * Random kernels of 64-bit integers for the divergence tests, as kir text: first
 * a graph of blocks, from random statements or from random edges, then phis,
 * arithmetic and conditions in it, so that every value is made before it is used.
 */
#ifndef TEST_RANDOM_FLOW_H
#define TEST_RANDOM_FLOW_H

#include "kernel/kernel.h"

enum { MOST_BLOCKS = 60, MOST_TARGETS = 4 };

typedef struct random_flow {
    hd_arena *arena;
    uint32_t random;
    uint32_t count, out[MOST_BLOCKS], to[MOST_BLOCKS][MOST_TARGETS];
    /* The second step: */
    const hd_flow *flow;
    uint32_t phis[MOST_BLOCKS], values[MOST_BLOCKS];
    hd_str text;
} random_flow;

static inline uint32_t draw(random_flow *r, uint32_t below) {
    r->random = r->random * 1664525u + 1013904223u;
    return (r->random >> 8) % below;
}

/* ---- graphs -------------------------------------------------------------------- */

static inline uint32_t new_block(random_flow *r) { return r->count++; }
static inline void connect(random_flow *r, uint32_t from, uint32_t to) {
    r->to[from][r->out[from]++] = to;
}
/* Two edges in random order. */
static inline void add_fork(random_flow *r, uint32_t from, uint32_t a, uint32_t b) {
    bool swap = draw(r, 2);
    connect(r, from, swap ? b : a);
    connect(r, from, swap ? a : b);
}

/* Any edges, mostly forwards; never back to the entry. */
static inline void random_edges(random_flow *r) {
    r->count = 4 + draw(r, 11);
    for (uint32_t b = 0; b + 1 < r->count; b++) {
        uint32_t out = 1 + (draw(r, 3) > 0) + (draw(r, 8) == 0);
        while (r->out[b] < out) {
            bool forward = draw(r, 10) < 7;
            connect(r, b, forward ? b + 1 + draw(r, r->count - b - 1) : 1 + draw(r, r->count - 1));
        }
    }
}

/* Where break and continue lead. */
typedef struct jumps {
    uint32_t leave, again;
} jumps;

/* Statements from block `at` on; the block they end in, KIR_NONE when none goes on. */
static inline uint32_t random_statements(random_flow *r, uint32_t at, jumps j, uint32_t depth);

static inline uint32_t random_branch(random_flow *r, uint32_t at, jumps j, uint32_t depth) {
    uint32_t then = new_block(r), other = new_block(r), join = new_block(r);
    add_fork(r, at, then, other);
    uint32_t a = random_statements(r, then, j, depth), b = other;
    if (draw(r, 2))
        b = random_statements(r, other, j, depth);
    if (a != KIR_NONE)
        connect(r, a, join);
    if (b != KIR_NONE)
        connect(r, b, join);
    return a == KIR_NONE && b == KIR_NONE ? KIR_NONE : join;
}

static inline uint32_t random_loop(random_flow *r, uint32_t at, jumps outer, uint32_t depth) {
    uint32_t head = new_block(r), after = new_block(r);
    bool tested_first = draw(r, 2), has_step = draw(r, 2);
    uint32_t step = has_step ? new_block(r) : head, body = head;
    jumps j = {after, step};
    if (draw(r, 6) == 0)
        j.leave = outer.leave; /* break of a loop further out */
    connect(r, at, head);
    if (tested_first) {
        body = new_block(r);
        add_fork(r, head, body, after);
    }
    uint32_t end = random_statements(r, body, j, depth);
    if (end != KIR_NONE && tested_first)
        connect(r, end, step);
    else if (end != KIR_NONE)
        add_fork(r, end, step, after);
    if (has_step)
        connect(r, step, head);
    return after;
}

/* A case falls through to the next one, or leaves. */
static inline uint32_t random_switch(random_flow *r, uint32_t at, jumps j, uint32_t depth) {
    uint32_t join = new_block(r), cases[3], end = KIR_NONE;
    for (uint32_t i = 0; i < 3; i++)
        connect(r, at, cases[i] = new_block(r));
    for (uint32_t i = 0; i < 3; i++) {
        if (end != KIR_NONE)
            connect(r, end, draw(r, 2) ? join : cases[i]);
        end = random_statements(r, cases[i], j, depth);
    }
    if (end != KIR_NONE)
        connect(r, end, join);
    return join; /* perhaps unreachable */
}

static inline uint32_t random_jump(random_flow *r, uint32_t at, jumps j) {
    uint32_t jump = new_block(r), stay = new_block(r);
    uint32_t to = draw(r, 2) ? j.leave : j.again;
    add_fork(r, at, jump, stay);
    if (to != KIR_NONE && draw(r, 5))
        connect(r, jump, to);
    return stay; /* else the jump is a return */
}

static inline uint32_t random_statements(random_flow *r, uint32_t at, jumps j, uint32_t depth) {
    for (uint32_t n = draw(r, 3) + (depth == 0); n > 0 && at != KIR_NONE; n--) {
        uint32_t kind = draw(r, 6);
        if (depth == 3 || r->count + 8 > MOST_BLOCKS / 2)
            return at;
        if (kind < 2)
            at = random_loop(r, at, j, depth + 1);
        else if (kind == 2)
            at = random_switch(r, at, j, depth + 1);
        else if (kind == 3)
            at = random_jump(r, at, j);
        else
            at = random_branch(r, at, j, depth + 1);
    }
    return at;
}

/* ---- text ------------------------------------------------------------------------ */

static inline void write_end(random_flow *r, uint32_t b, const char *condition,
                             const char *number) {
    const uint32_t *to = r->to[b];
    if (r->out[b] == 0)
        hd_str_add(&r->text, "  ret\n");
    else if (r->out[b] == 1)
        hd_str_printf(&r->text, "  br b%u\n", to[0]);
    else if (r->out[b] == 2)
        hd_str_printf(&r->text, "  condbr %s, b%u, b%u\n", condition, to[0], to[1]);
    else
        hd_str_printf(&r->text, "  switch %s, b%u [1: b%u, 2: b%u]\n", number, to[0], to[1], to[2]);
}

#define KERNEL_HEAD                                                                           \
    "kernel \"r\" {\n  param \"p\" ptr.global bytes 8 element 4\n  param \"n\" i64 bytes 8\n" \
    "b0:\n  %p = param ptr.global 0\n  %n = param i64 1\n  %c0 = const i64 0\n"               \
    "  %c1 = const i64 1\n  %c3 = const i64 3\n  %true = const i1 1\n"

static inline kir_kernel *parse_text(random_flow *r) {
    kir_module *module = NULL;
    hd_str_add(&r->text, "}\n");
    if (kir_parse(r->arena, NULL, "random", hd_str_text(&r->text), &module))
        return NULL;
    return module->kernels[0];
}

static inline kir_kernel *bare_kernel(random_flow *r) {
    r->text = (hd_str){.arena = r->arena};
    hd_str_add(&r->text, KERNEL_HEAD);
    for (uint32_t b = 0; b < r->count; b++) {
        if (b)
            hd_str_printf(&r->text, "b%u:\n", b);
        write_end(r, b, "%true", "%n");
    }
    return parse_text(r);
}

/* A value that is there after the first `upto` values of block b. */
static inline const char *pick(random_flow *r, uint32_t b, uint32_t upto) {
    static const char *const leaves[] = {"%c0", "%c1", "%c3", "%n", "%lane", "%group"};
    while (draw(r, 4)) {
        if (upto && draw(r, 3))
            return hd_format(r->arena, "%%v%u_%u", b, draw(r, upto));
        b = r->flow->idom[b];
        if (b == KIR_NONE)
            break;
        upto = r->phis[b] + r->values[b];
    }
    return leaves[draw(r, 6)];
}

static inline bool is_header(const random_flow *r, uint32_t b) {
    int32_t l = r->flow->loop_of[b];
    return l >= 0 && r->flow->loops[l].header == b;
}

/* The first phi of a header counts: its value 0 is that phi, its first other value the sum. */
static inline void write_phi(random_flow *r, const kir_block *block, uint32_t b, uint32_t k) {
    hd_str_printf(&r->text, "  %%v%u_%u = phi i64 ", b, k);
    for (uint32_t i = 0; i < block->pred_count; i++) {
        uint32_t from = block->preds[i];
        bool reachable = from == 0 || r->flow->idom[from] != KIR_NONE;
        const char *value = !reachable ? "%c1" : pick(r, from, r->phis[from] + r->values[from]);
        if (k == 0 && is_header(r, b) && reachable)
            value = hd_flow_dominates(r->flow, b, from)
                        ? hd_format(r->arena, "%%v%u_%u", b, r->phis[b])
                        : "%c0";
        hd_str_printf(&r->text, "%s[%s, b%u]", i ? ", " : "", value, from);
    }
    hd_str_add(&r->text, "\n");
}

static inline void write_value(random_flow *r, uint32_t b, uint32_t k) {
    static const char *const ops[] = {"add", "sub", "xor", "and", "add"};
    const char *x = pick(r, b, k), *y = pick(r, b, k);
    const char *v = hd_format(r->arena, "%%v%u_%u", b, k);
    uint32_t kind = draw(r, 12);
    if (is_header(r, b) && r->phis[b] && k == r->phis[b])
        hd_str_printf(&r->text, "  %s = add i64 %%v%u_0, %%c1\n", v, b);
    else if (kind < 7)
        hd_str_printf(&r->text, "  %s = %s i64 %s, %s\n", v, ops[draw(r, 5)], x, y);
    else if (kind < 9)
        hd_str_printf(&r->text, "  %sa = addr ptr.global %%p + %s*4\n  %s = load i64 %sa\n", v, x,
                      v, v);
    else if (kind == 9)
        hd_str_printf(&r->text, "  %sa = addr ptr.private %%own + %s*4\n  %s = load i64 %sa\n", v,
                      x, v, v);
    else if (kind == 10)
        hd_str_printf(&r->text, "  %sc = icmp slt i1 %s, %s\n  %s = select i64 %sc, %s, %s\n", v, x,
                      y, v, v, y, pick(r, b, k));
    else
        hd_str_printf(&r->text,
                      "  %sa = addr ptr.global %%p + %s*4\n"
                      "  %s = atomic add i64 %sa, %s\n",
                      v, x, v, v, y);
}

static inline void write_block(random_flow *r, const kir_block *block, uint32_t b) {
    uint32_t count = r->phis[b] + r->values[b];
    if (b)
        hd_str_printf(&r->text, "b%u:\n", b);
    for (uint32_t k = 0; k < r->phis[b]; k++)
        write_phi(r, block, b, k);
    if (b == 0)
        hd_str_add(&r->text, "  %lane = query local_id i64 %c0\n  %group = query group_id i64 %c0\n"
                             "  %own = alloca ptr.private 64 align 8\n");
    for (uint32_t k = r->phis[b]; k < count; k++)
        write_value(r, b, k);
    int32_t l = r->flow->loop_of[b];
    uint32_t header = l < 0 ? 0 : r->flow->loops[l].header;
    static const char *const bounds[] = {"%c3", "%n", "%lane", "%lane"};
    if (l >= 0 && r->phis[header] && draw(r, 2))
        hd_str_printf(&r->text, "  %%if%u = icmp slt i1 %%v%u_0, %s\n", b, header,
                      bounds[draw(r, 4)]);
    else
        hd_str_printf(&r->text, "  %%if%u = icmp %s i1 %s, %s\n", b, draw(r, 2) ? "slt" : "eq",
                      pick(r, b, count), pick(r, b, count));
    write_end(r, b, hd_format(r->arena, "%%if%u", b), pick(r, b, count));
}

/* A new kernel; `random` goes on. */
static inline kir_kernel *random_kernel(hd_arena *arena, uint32_t *random, bool structured) {
    random_flow *r = hd_new(arena, random_flow);
    r->arena = arena;
    r->random = *random;
    if (structured)
        random_statements(r, new_block(r), (jumps){KIR_NONE, KIR_NONE}, 0);
    else
        random_edges(r);
    kir_kernel *bare = bare_kernel(r);
    r->flow = hd_flow_analyse(arena, bare);
    for (uint32_t b = 0; b < r->count; b++) {
        r->phis[b] = bare->blocks[b].pred_count > 1 ? draw(r, 4) : 0;
        r->values[b] = 1 + draw(r, 4);
    }
    r->text = (hd_str){.arena = arena};
    hd_str_add(&r->text, KERNEL_HEAD);
    for (uint32_t b = 0; b < r->count; b++)
        if (b == 0 || r->flow->idom[b] != KIR_NONE)
            write_block(r, &bare->blocks[b], b);
        else {
            hd_str_printf(&r->text, "b%u:\n", b);
            write_end(r, b, "%true", "%n");
        }
    *random = r->random;
    return parse_text(r);
}

#endif
