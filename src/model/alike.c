/*
 * Uses that cost alike.
 *
 * A job launches a kernel again and again, and each launch has uses of its own. Those of one access
 * mostly differ in nothing that a price depends on but their executions, to which it is
 * proportional. A search, which prices thousands of clusters, prices the first of them for all.
 *
 *     launch   0     1     2          field x: priced once,
 *     p[i].x   64    64    32 warps   2.5 times as for launch 0
 */
#include "model/cost_internal.h"

typedef hd_vec(uint64_t) words;

typedef struct joining {
    hd_cost_model *model;
    hd_arena *arena;
    hd_hash_table rows; /* by the hash of words: in the list */
    hd_vec(words) of;   /* of each row of the list */
} joining;

static void add(joining *j, words *to, uint64_t word) { hd_push(j->arena, to, word); }

static void add_real(joining *j, words *to, double value) {
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    add(j, to, word);
}

/* Where it lies, and whether its parts lie there as in the struct. */
static void describe_place(joining *j, words *to, const use *u) {
    add(j, to, (uint64_t)(int64_t)u->field);
    add(j, to, u->width);
    add(j, to, u->fixed.number);
    add(j, to, u->parts);
    add(j, to, (uint64_t)u->access->inner.constant);
    add(j, to, u->access->inner.term_count > 0);
}

/* All that the price of an execution depends on. */
static void describe(joining *j, words *to, const use *u) {
    describe_place(j, to, u);
    add(j, to, u->units);
    add(j, to, u->degree);
    add(j, to, u->scattered);
    add(j, to, u->access->shares);
    add(j, to, u->leads);
    add_real(j, to, u->segments);
    add_real(j, to, u->requests);
    add_real(j, to, u->counted);
    add_real(j, to, u->done);
    add(j, to, u->before_count);
    for (uint32_t b = 0; b < u->before_count; b++) {
        const earlier *e = &u->before[b];
        describe_place(j, to, &j->model->uses.data[e->use]);
        add_real(j, to, e->available);
        add(j, to, e->first_only);
        add(j, to, (uint64_t)(int64_t)e->l1);
        add(j, to, (uint64_t)(int64_t)e->l2);
        add(j, to, e->covered[0]);
        add(j, to, e->covered[1]);
    }
}

/* Of a part also the access as a whole, which may be priced for it. */
static words words_of(joining *j, const use *u) {
    words made = {0};
    describe(j, &made, u);
    add(j, &made, u->executions > 0);
    if (u->whole >= 0) {
        const use *whole = &j->model->uses.data[u->whole];
        describe(j, &made, whole);
        add_real(j, &made, u->executions > 0 ? whole->executions / u->executions : 0);
    }
    return made;
}

static uint64_t hash_of(const words *of) {
    uint64_t hash = of->count;
    for (size_t i = 0; i < of->count; i++)
        hash = hd_hash_mix(hash, of->data[i]);
    return hash;
}

static bool are_equal(const words *a, const words *b) {
    return a->count == b->count && !memcmp(a->data, b->data, a->count * sizeof *a->data);
}

static void join(hd_cost_model *model, const use_list *uses, alike_list *alike) {
    joining j = {.model = model, .arena = hd_arena_new()};
    j.rows.arena = j.arena;
    for (uint32_t n = 0; n < uses->count; n++) {
        const use *u = &model->uses.data[uses->data[n]];
        words own = words_of(&j, u);
        uint64_t row = hd_hash_add(&j.rows, hash_of(&own), alike->count);
        if (row == alike->count || !are_equal(&own, &j.of.data[row])) {
            hd_push(model->arena, alike, ((alike_uses){uses->data[n], 1}));
            hd_push(j.arena, &j.of, own);
        } else if (u->executions > 0) {
            alike_uses *first = &alike->data[row];
            first->times += u->executions / model->uses.data[first->use].executions;
        }
    }
    hd_arena_free(j.arena);
}

void cost_join_alike(hd_cost_model *model) {
    for (uint32_t f = 0; f < HD_MAX_FIELDS; f++)
        join(model, &model->of_field[f], &model->alike_of_field[f]);
    join(model, &model->others, &model->alike_others);
}
