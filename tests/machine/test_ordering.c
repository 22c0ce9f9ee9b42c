/*
 * The race check against its obvious twin: random straight kernels of loads, stores, atomics, fences
 * and barriers. The twin keeps for each thing that a thread does the set of all that happened before
 * it, by the definitions of PTX's memory consistency model, and looks at every pair of accesses. Both
 * must name the same first access that races, or none.
 */
#include "machine.h"
#include "sanitized.h"

enum { WORDS = 3, MOST_OPS = 9, MOST_LANES = 40, MOST_BLOCKS = 3 };
enum { MOST = MOST_OPS * MOST_LANES * MOST_BLOCKS * 2, SET = (MOST + 63) / 64 };

typedef enum kind { LOAD, STORE, ADD, ATOMIC_LOAD, ATOMIC_STORE, FENCE, WARP, BARRIER } kind;
typedef enum order { RELAXED, ACQUIRE, RELEASE, BOTH } order;

typedef struct op {
    kind kind;
    order order;
    bool is_block_scope;
} op;

typedef struct program {
    op ops[MOST_OPS];
    uint32_t count, lanes, blocks;
    /* [op][thread] the word, WORDS and more: one of its own; of WARP the mask */
    uint32_t at[MOST_OPS][MOST_LANES * MOST_BLOCKS];
} program;

static uint64_t seed;
static uint32_t any(uint32_t below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % below;
}

/* ---- the twin ---------------------------------------------------------------------- */

typedef struct event {
    const op *op;
    uint32_t number; /* of the op */
    uint32_t thread, block, word;
    uint64_t before[SET];
    uint64_t
        seen[SET]; /* of one that reads: the atomic writes that come before it in observation */
} event;

typedef struct twin {
    event *events;
    uint32_t count;
    uint32_t last[MOST_LANES * MOST_BLOCKS];            /* event of each thread, or MOST */
    uint32_t written[WORDS + MOST_LANES * MOST_BLOCKS]; /* last write, or MOST */
    uint32_t last_seer[WORDS + MOST_LANES * MOST_BLOCKS];
} twin;

static bool in(const uint64_t *set, uint32_t n) { return set[n / 64] >> n % 64 & 1; }
static void add(uint64_t *set, uint32_t n) { set[n / 64] |= UINT64_C(1) << n % 64; }
static void add_all(uint64_t *set, const uint64_t *more) {
    for (uint32_t w = 0; w < SET; w++)
        set[w] |= more[w];
}
static void happened(event *e, const twin *t, uint32_t n) {
    add(e->before, n);
    add_all(e->before, t->events[n].before);
}

static bool writes(const event *e) {
    return e->op->kind == STORE || e->op->kind == ADD || e->op->kind == ATOMIC_STORE;
}
static bool is_atomic(const event *e) { return e->op->kind >= ADD && e->op->kind <= ATOMIC_STORE; }
static bool is_access(const event *e) { return e->op->kind <= ATOMIC_STORE; }
static bool reach(const event *a, const event *b) {
    return a->block == b->block || !(a->op->is_block_scope || b->op->is_block_scope);
}
static bool releases(const event *e) { return e->op->order == RELEASE || e->op->order == BOTH; }
static bool acquires(const event *e) { return e->op->order == ACQUIRE || e->op->order == BOTH; }

/* What is released with write `w` and acquired by `tail`, an acquire operation or fence. */
static void synchronise(twin *t, event *tail, uint32_t w) {
    for (uint32_t h = 0; h <= w; h++) {
        const event *head = &t->events[h];
        bool is_head = head->thread == t->events[w].thread && releases(head) &&
                       (h == w || head->op->kind == FENCE);
        if (is_head && reach(head, tail))
            happened(tail, t, h);
    }
}

static void see(twin *t, event *e) {
    uint32_t w = t->written[e->word];
    if (w == MOST || !is_atomic(&t->events[w]) || !reach(&t->events[w], e))
        return;
    add(e->seen, w);
    if (t->events[w].op->kind == ADD)
        add_all(e->seen, t->events[w].seen);
}

static bool race(const twin *t, const event *a, uint32_t n) {
    const event *b = &t->events[n];
    bool conflict = b->thread != a->thread && is_access(b) && b->word == a->word &&
                    (writes(a) || writes(b)) && !(is_atomic(a) && is_atomic(b) && reach(a, b));
    if (!conflict || in(a->before, n))
        return false;
    /* An atomic write was seen by the last one that saw the word, and that happened before. */
    uint32_t seer = t->last_seer[a->word];
    if (!is_atomic(b) || !writes(b) || seer == MOST || !in(t->events[seer].seen, n))
        return true;
    if (t->events[seer].thread != a->thread)
        return !in(a->before, seer);
    bool is_fenced = acquires(&t->events[seer]); /* the thread's own: a fence stands behind */
    for (uint32_t i = seer; i < t->count; i++) {
        const event *f = &t->events[i];
        bool is_own = f->thread == a->thread || f->thread == UINT32_MAX;
        is_fenced |= is_own && f != a && (i == seer || in(f->before, seer)) && in(a->before, i) &&
                     (!is_access(f) || releases(f));
    }
    return !is_fenced;
}

/* One access or fence of a thread; true: it races. */
static bool do_one(twin *t, const program *p, uint32_t number, uint32_t thread) {
    event *e = &t->events[t->count];
    uint32_t own = t->count;
    *e = (event){.op = &p->ops[number], .number = number, .thread = thread};
    e->block = thread / p->lanes;
    e->word = p->at[number][thread];
    if (t->last[thread] != MOST)
        happened(e, t, t->last[thread]);
    bool reads = e->op->kind == ADD || e->op->kind == ATOMIC_LOAD, races = false;
    if (reads)
        see(t, e);
    for (uint32_t r = 0; r <= own && acquires(e); r++) { /* an own read, up to here */
        const event *read = &t->events[r];
        bool is_own = r == own ? reads : e->op->kind == FENCE && read->thread == thread;
        for (uint32_t w = 0; is_own && w < own; w++)
            if (in(read->seen, w))
                synchronise(t, e, w);
    }
    t->count++;
    t->last[thread] = own;
    if (!is_access(e))
        return false;
    bool sees_any = false;
    for (uint32_t w = 0; w < SET; w++)
        sees_any |= e->seen[w] != 0;
    if (sees_any)
        t->last_seer[e->word] = own;
    else if (writes(e) && is_atomic(e)) /* seen no more */
        t->last_seer[e->word] = MOST;
    for (uint32_t n = 0; n < own; n++)
        races |= race(t, e, n);
    if (writes(e))
        t->written[e->word] = own;
    if (e->op->kind == STORE)
        t->last_seer[e->word] = MOST;
    return races;
}

static void meet(twin *t, const program *p, uint32_t number, uint32_t first, uint64_t lanes) {
    event *e = &t->events[t->count];
    *e = (event){.op = &p->ops[number], .number = number, .thread = UINT32_MAX};
    for (uint32_t l = 0; l < p->lanes; l++)
        if (lanes >> l & 1 && t->last[first + l] != MOST)
            happened(e, t, t->last[first + l]);
    e->block = first / p->lanes;
    for (uint32_t r = 0; r < t->count; r++) { /* a fence behind what its threads have read */
        const event *read = &t->events[r];
        bool is_own = read->block == e->block && read->thread != UINT32_MAX &&
                      lanes >> (read->thread - first) & 1;
        for (uint32_t w = 0; is_own && w < r; w++)
            if (in(read->seen, w))
                synchronise(t, e, w);
    }
    for (uint32_t l = 0; l < p->lanes; l++)
        if (lanes >> l & 1)
            t->last[first + l] = t->count;
    t->count++;
}

/* The first access that races: op * threads + thread, or UINT32_MAX. */
static uint32_t first_race(const program *p) {
    twin t = {.events = calloc(MOST, sizeof *t.events)};
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < MOST_LANES * MOST_BLOCKS; i++)
        t.last[i] = MOST;
    for (uint32_t i = 0; i < WORDS + MOST_LANES * MOST_BLOCKS; i++)
        t.written[i] = t.last_seer[i] = MOST;
    for (uint32_t b = 0; b < p->blocks; b++)
        for (uint32_t o = 0; o < p->count; o++) {
            uint64_t all = (UINT64_C(1) << p->lanes) - 1, left = all;
            if (p->ops[o].kind == BARRIER)
                meet(&t, p, o, b * p->lanes, all);
            for (uint32_t l = 0; l < p->lanes && p->ops[o].kind != BARRIER; l++) {
                uint32_t thread = b * p->lanes + l;
                uint64_t mates = (uint64_t)p->at[o][thread] << l / 32 * 32 & all;
                if (p->ops[o].kind == WARP && left >> l & 1) {
                    meet(&t, p, o, b * p->lanes, mates);
                    left &= ~mates;
                } else if (p->ops[o].kind != WARP && do_one(&t, p, o, thread) &&
                           found == UINT32_MAX) {
                    found = o * MOST_LANES * MOST_BLOCKS + thread;
                }
            }
        }
    free(t.events);
    return found;
}

/* ---- programs ------------------------------------------------------------------------ */

static void make(program *p) {
    static const uint32_t sizes[] = {2, 4, 33, MOST_LANES};
    *p = (program){.count = 3 + any(MOST_OPS - 2), .lanes = sizes[any(4)], .blocks = 1 + any(3)};
    uint32_t busy = 1 + any(3); /* lanes in so many that do something, the others rest */
    for (uint32_t o = 0; o < p->count; o++) {
        op *x = &p->ops[o];
        x->kind = (kind)any(BARRIER + 1);
        x->is_block_scope = any(4) == 0 && x->kind > STORE && x->kind < WARP;
        if (x->kind == FENCE || x->kind == ADD)
            x->order = x->kind == FENCE ? BOTH : (order)any(4);
        else if (x->kind == ATOMIC_LOAD || x->kind == ATOMIC_STORE)
            x->order = any(2) ? RELAXED : x->kind == ATOMIC_LOAD ? ACQUIRE : RELEASE;
        uint32_t split = any(3);
        for (uint32_t t = 0; t < p->lanes * p->blocks; t++) {
            uint32_t lane = t % p->lanes % 32, half = lane & 16 ? 0xffff0000 : 0xffff;
            uint32_t odd = lane & 1 ? 0xaaaaaaaa : 0x55555555;
            bool rests = p->lanes > 4 ? any(p->lanes / busy) != 0 : any(4) < busy - 1;
            p->at[o][t] = x->kind == WARP ? (split == 0   ? 0xffffffff
                                             : split == 1 ? half
                                                          : odd)
                          : rests         ? WORDS + t
                                          : any(WORDS);
        }
    }
}

static const char *text_of(hd_arena *arena, const program *p) {
    static const char *const orders[] = {"", " acquire", " release", " acq_rel"};
    hd_str s = {.arena = arena};
    hd_str_add(&s, "; kir\nrule blocks\nfile \"k.cu\"\nkernel \"k\" {\n"
                   "  param \"d\" ptr.global element 4 of \"int\"\n"
                   "  param \"t\" ptr.global element 4 of \"int\"\nb0:\n"
                   "  %d = param ptr.global 0\n  %t = param ptr.global 1\n"
                   "  %c0 = const i32 0\n  %c3 = const i32 3\n  %i = query global_id i64 %c0\n"
                   "  %v = trunc i32 %i\n");
    for (uint32_t o = 0; o < p->count; o++) {
        const op *x = &p->ops[o];
        const char *how = hd_format(arena, "%s%s !%u:1", orders[x->order],
                                    x->is_block_scope ? " block_scope" : "", o + 1);
        const char *fence = x->is_block_scope ? " block_scope" : "";
        hd_str_printf(&s,
                      "  %%q%u = addr ptr.global %%t + %%i*4 + %u\n"
                      "  %%w%u = load i32 %%q%u align 4\n  %%x%u = sext i64 %%w%u\n"
                      "  %%p%u = addr ptr.global %%d + %%x%u*4\n",
                      o, o * MOST_LANES * MOST_BLOCKS * 4, o, o, o, o, o, o);
        switch (x->kind) {
        case LOAD:
            hd_str_printf(&s, "  %%r%u = load i32 %%p%u align 4 !%u:1\n", o, o, o + 1);
            break;
        case STORE: hd_str_printf(&s, "  store %%v, %%p%u align 4 !%u:1\n", o, o + 1); break;
        case ADD: hd_str_printf(&s, "  %%r%u = atomic add i32 %%p%u, %%v%s\n", o, o, how); break;
        case ATOMIC_LOAD:
            hd_str_printf(&s, "  %%r%u = atomic load i32 %%p%u%s\n", o, o, how);
            break;
        case ATOMIC_STORE: hd_str_printf(&s, "  atomic store %%p%u, %%v%s\n", o, how); break;
        case FENCE: hd_str_printf(&s, "  fence %%c3%s\n", fence); break;
        case WARP: hd_str_printf(&s, "  call \"warp_sync\" %%w%u\n", o); break;
        default: hd_str_add(&s, "  barrier %c3\n");
        }
    }
    hd_str_add(&s, "  ret\n}\n");
    return hd_str_text(&s);
}

/* What lanes do that do not rest. */
static const char *shown(hd_arena *arena, const program *p) {
    static const char *const kinds[] = {"load",         "store", "add",  "atomic load",
                                        "atomic store", "fence", "warp", "barrier"};
    static const char *const orders[] = {"", "acquire", "release", "acq_rel"};
    hd_str s = {.arena = arena};
    for (uint32_t o = 0; o < p->count; o++) {
        hd_str_printf(&s, "%u: %s %s%s:", o + 1, kinds[p->ops[o].kind], orders[p->ops[o].order],
                      p->ops[o].is_block_scope ? " block" : "");
        for (uint32_t t = 0; t < p->lanes * p->blocks && p->ops[o].kind <= ATOMIC_STORE; t++)
            if (p->at[o][t] < WORDS)
                hd_str_printf(&s, " %u/%u[%u]", t / p->lanes, t % p->lanes, p->at[o][t]);
        hd_str_add(&s, "\n");
    }
    return hd_str_text(&s);
}

static void compare(const program *p, uint32_t *raced) {
    static int32_t words[WORDS + MOST_LANES * MOST_BLOCKS * MOST_OPS], table[sizeof words / 4];
    for (uint32_t o = 0; o < p->count; o++)
        for (uint32_t t = 0; t < p->lanes * p->blocks; t++)
            table[o * MOST_LANES * MOST_BLOCKS + t] = (int32_t)p->at[o][t];
    hd_arena *arena = hd_arena_new();
    const char *text = text_of(arena, p);
    machine k;
    machine_run_kir_with(&k, text, (void *[]){words, table}, sizeof words / 4, p->lanes * p->blocks,
                         p->lanes, (hd_vm_options){.check_races = true, .races_go_on = true});
    if (k.status)
        fail_msg("%s\n%s", hd_str_text(&k.messages), text);
    uint32_t count, wanted = first_race(p);
    const hd_vm_race *races = hd_vm_races(k.vm, &count);
    const char *is =
        count ? hd_format(arena, "line %u: %s", races[0].place.line, races[0].text) : "no race";
    uint32_t op_number = wanted / (MOST_LANES * MOST_BLOCKS);
    uint32_t thread = wanted % (MOST_LANES * MOST_BLOCKS);
    const char *end =
        hd_format(arena, "; thread %u of block %u", thread % p->lanes, thread / p->lanes);
    bool same = wanted == UINT32_MAX
                    ? !count
                    : count && races[0].place.line == op_number + 1 &&
                          !strcmp(races[0].text + strlen(races[0].text) - strlen(end), end);
    if (!same)
        fail_msg("%u lanes, %u blocks\nmachine: %s\ntwin: %s%u%s\n%s", p->lanes, p->blocks, is,
                 wanted == UINT32_MAX ? "no race " : "line ", op_number + 1, end, shown(arena, p));
    *raced += count != 0;
    machine_close(&k);
    hd_arena_free(arena);
}

static void random_programs(void **state) {
    (void)state;
    enum { PROGRAMS = SANITIZED ? 500 : 4000 };
    static program p;
    uint32_t raced = 0;
    for (uint32_t i = 0; i < PROGRAMS; i++) {
        seed = i;
        any(2);
        make(&p);
        compare(&p, &raced);
    }
    assert_in_range(raced, PROGRAMS / 5, PROGRAMS * 4 / 5); /* both ends are often met */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
