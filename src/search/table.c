/*
 * Prices of clusters. A cluster of n fields stands in many partitions (one in
 * Bell(12 - n) of twelve fields), so its price is computed once. For each tile
 * there is one price for every combination of answers to the questions that the
 * cluster's hits depend on, and the bytes it adds to every question's interval.
 * A tile that is nowhere cheaper and brings nowhere fewer bytes than another is
 * dropped; usually one remains. A cluster with more questions than a table can hold
 * is priced anew for every layout.
 */
#include "search/internal.h"

enum { MAX_ANSWER_BITS = 10 };

struct price_table {
    hd_arena *arena;
    hd_cost_model *model;
    const hd_questions *questions;
    uint64_t tiles[HD_MAX_TILES];
    uint32_t tile_count;
    /* masks by hash; a slot is empty when `of` is NULL */
    struct {
        uint64_t mask;
        const priced *of;
    } *slots;
    size_t capacity, count;
};

price_table *price_table_new(hd_arena *arena, hd_cost_model *model) {
    price_table *table = hd_new(arena, price_table);
    table->arena = arena;
    table->model = model;
    table->questions = hd_cost_questions(model);
    table->tile_count = hd_cost_tiles(model, table->tiles);
    table->capacity = 1 << 13;
    table->slots = hd_alloc(arena, table->capacity * sizeof *table->slots);
    return table;
}

/* Which entry of option.price holds under `answers`. */
static uint32_t answer_index(uint64_t questions, uint64_t answers) {
    uint32_t index = 0, bit = 0;
    for (; questions; questions &= questions - 1, bit++)
        index |= (uint32_t)(answers >> __builtin_ctzll(questions) & 1) << bit;
    return index;
}

/* The other way round: the answers that entry `index` stands for. */
static uint64_t answers_of(uint64_t questions, uint32_t index) {
    uint64_t answers = 0;
    for (uint32_t bit = 0; questions; questions &= questions - 1, bit++)
        answers |= (uint64_t)(index >> bit & 1) << __builtin_ctzll(questions);
    return answers;
}

hd_cost_vector option_price(hd_cost_model *model, uint64_t mask, const priced *of,
                            const option *o, uint64_t answers) {
    if (o->price)
        return o->price[answer_index(of->questions, answers)];
    return hd_cluster_price(model, mask, o->tile, answers);
}

static bool has_table(uint64_t questions) {
    return __builtin_popcountll(questions) <= MAX_ANSWER_BITS;
}

static option price_option(price_table *table, uint64_t mask, uint64_t tile, uint64_t questions) {
    option o = {.tile = tile};
    o.bytes = hd_new_array(table->arena, double, table->questions->count);
    hd_cluster_bytes(table->model, mask, tile, o.bytes);
    if (!has_table(questions))
        return o;
    uint32_t combinations = 1u << __builtin_popcountll(questions);
    o.price = hd_new_array(table->arena, hd_cost_vector, combinations);
    for (uint32_t i = 0; i < combinations; i++)
        o.price[i] = hd_cluster_price(table->model, mask, tile, answers_of(questions, i));
    return o;
}

static bool is_dominated(const price_table *table, const option *o, const option *by,
                         uint32_t combinations) {
    if (!o->price)
        return false;
    for (uint32_t q = 0; q < table->questions->count; q++)
        if (o->bytes[q] < by->bytes[q])
            return false;
    for (uint32_t i = 0; i < combinations; i++)
        if (hd_cost_compare(&o->price[i], &by->price[i]) < 0)
            return false;
    return true;
}

static void add_option(const price_table *table, priced *p, option o, uint32_t combinations) {
    for (uint32_t i = 0; i < p->count; i++)
        if (is_dominated(table, &o, &p->options[i], combinations))
            return;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->count; i++)
        if (!is_dominated(table, &p->options[i], &o, combinations))
            p->options[kept++] = p->options[i];
    p->options[kept++] = o;
    p->count = kept;
}

static const priced *price(price_table *table, uint64_t mask) {
    priced *p = hd_new(table->arena, priced);
    p->questions = hd_cluster_questions(table->model, mask);
    p->options = hd_new_array(table->arena, option, table->tile_count);
    uint32_t combinations = has_table(p->questions) ? 1u << __builtin_popcountll(p->questions) : 0;
    bool alone = !(mask & (mask - 1));
    for (uint32_t t = 0; t < (alone ? 1 : table->tile_count); t++)
        add_option(table, p, price_option(table, mask, table->tiles[t], p->questions),
                   combinations);
    return p;
}

static size_t slot_of(const price_table *table, uint64_t mask) {
    size_t at = (mask * 0x9e3779b97f4a7c15u >> 20) & (table->capacity - 1);
    while (table->slots[at].of && table->slots[at].mask != mask)
        at = (at + 1) & (table->capacity - 1);
    return at;
}

static void grow(price_table *table) {
    size_t capacity = table->capacity;
    void *old = table->slots;
    table->capacity *= 2;
    table->slots = hd_alloc(table->arena, table->capacity * sizeof *table->slots);
    const __typeof__(*table->slots) *slots = old;
    for (size_t i = 0; i < capacity; i++)
        if (slots[i].of)
            table->slots[slot_of(table, slots[i].mask)] = slots[i];
}

const priced *price_table_get(price_table *table, uint64_t mask) {
    size_t at = slot_of(table, mask);
    if (table->slots[at].of)
        return table->slots[at].of;
    if (table->count * 2 >= table->capacity) {
        grow(table);
        at = slot_of(table, mask);
    }
    table->count++;
    table->slots[at].mask = mask;
    return table->slots[at].of = price(table, mask);
}
