/*
 * From events to columns. Which prediction an event is written with is the writer's choice;
 * this one takes the first that holds, the cheap ones first:
 *
 *     a stride that the producer gave
 *     the lanes of the event before, when the producer says so
 *     the lanes of the access's last event, a step on
 *     a stride after all
 *     the lanes of the last accesses with addresses, a step on
 *     a pattern of the part
 *     a new list
 *
 * A list's values are differences to the access's origin, between neighbours, or to the
 * lanes' last addresses, counted in elements or in the largest power of two that divides
 * them: whichever needs the fewest bits.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "encode.h"

static bool same_words(const uint64_t *a, const uint64_t *b, uint32_t words) {
    uint64_t different = 0;
    for (uint32_t w = 0; w < words; w++)
        different |= a[w] ^ b[w];
    return !different;
}

/* ---- masks ---------------------------------------------------------------------- */

/* Writes the newest mask in the shortest way; `last` is that of the access's last event. */
static void put_mask(encoder *c, uint32_t id, uint32_t last) {
    const part_model *m = &c->model;
    bytes *out = &c->columns[COLUMN_NEW_MASK];
    const uint64_t *mask = part_mask(m, id), *own = part_mask(m, last);
    uint32_t counts[] = {[MASK_WORDS] = m->words * 8,
                         [MASK_SET] = m->mask_active[id],
                         [MASK_CLEAR] = m->threads - m->mask_active[id],
                         [MASK_FLIP] = 0};
    for (uint32_t w = 0; w < m->words; w++)
        counts[MASK_FLIP] += (uint32_t)__builtin_popcountll(mask[w] ^ own[w]);
    mask_code code = MASK_WORDS;
    for (mask_code other = MASK_SET; other <= MASK_FLIP; other++)
        if (counts[other] < counts[code])
            code = other;
    put_byte(out, (uint8_t)code);
    if (code == MASK_WORDS) {
        uint8_t *at = bytes_room(out, m->words * (size_t)8);
        for (uint32_t w = 0; w < m->words; w++)
            store64(at + (size_t)8 * w, mask[w]);
        out->count += m->words * (size_t)8;
        return;
    }
    const uint64_t *reference = part_mask_reference(m, code, last);
    uint32_t next = 0;
    put_varint(out, counts[code]);
    for (uint32_t w = 0; w < m->words; w++)
        for (uint64_t word = mask[w] ^ reference[w]; word; word &= word - 1) {
            uint32_t lane = w * 64 + (uint32_t)__builtin_ctzll(word);
            put_varint(out, lane - next);
            next = lane + 1;
        }
}

/* The id of the event's mask; *op says how it is written. */
static uint32_t encode_mask(encoder *c, const hd_event *event, uint8_t *op) {
    part_model *m = &c->model;
    uint32_t own = m->accesses[event->access].mask;
    if (same_words(event->mask, part_mask(m, own), m->words)) {
        *op |= MASK_OF_ACCESS << OP_MASK_SHIFT;
        return own;
    }
    if (same_words(event->mask, part_mask(m, m->last_mask), m->words)) {
        *op |= MASK_OF_EVENT << OP_MASK_SHIFT;
        return m->last_mask;
    }
    if (same_words(event->mask, part_mask(m, 0), m->words)) {
        *op |= MASK_KNOWN << OP_MASK_SHIFT;
        put_varint(&c->columns[COLUMN_MASK], 0);
        return 0;
    }
    uint64_t hash = XXH3_64bits(event->mask, m->words * sizeof *event->mask);
    uint32_t id = (uint32_t)hd_hash_add(&c->masks, hash, m->mask_count);
    if (id != m->mask_count && same_words(event->mask, part_mask(m, id), m->words)) {
        *op |= MASK_KNOWN << OP_MASK_SHIFT;
        put_varint(&c->columns[COLUMN_MASK], id);
        return id;
    }
    *op |= MASK_NEW << OP_MASK_SHIFT;
    memcpy(part_mask_new(m), event->mask, m->words * sizeof *event->mask);
    part_mask_count(m);
    put_mask(c, m->mask_count - 1, own);
    c->full |= part_masks_full(m);
    return m->mask_count - 1;
}

/* ---- addresses ------------------------------------------------------------------ */

/* The addresses of an event: of its active lanes only, in their order. */
typedef struct list {
    uint32_t access, mask, count;
    const uint64_t *now;
} list;

/* True when a[i] - b[i] is the same for all; most that differ do so early. */
static bool same_distance(const uint64_t *a, const uint64_t *b, uint32_t count) {
    uint64_t distance = a[0] - b[0], different = 0;
    uint32_t early = count < 4 ? count : 4;
    for (uint32_t i = 1; i < early; i++)
        different |= (a[i] - b[i]) ^ distance;
    if (different)
        return false;
    for (uint32_t i = early; i < count; i++)
        different |= (a[i] - b[i]) ^ distance;
    return !different;
}

/* The same with distances inside each, scaled from elements of `reference` to those of the
 * access. Numbers are small enough for products without overflow, so that the reader's
 * division is exact. */
static bool same_elements(const part_model *m, const list *l, uint32_t reference,
                          const uint64_t *before) {
    const uint64_t far = (uint64_t)1 << 40, unit_far = 1 << 20;
    uint64_t unit = m->accesses[l->access].unit, other = m->accesses[reference].unit;
    if (unit >= unit_far || other >= unit_far)
        return false;
    for (uint32_t i = 1; i < l->count; i++) {
        uint64_t a = l->now[i] - l->now[0], b = before[i] - before[0];
        if (a * other != b * unit || fold(a) >= far || fold(b) >= far)
            return false;
    }
    return true;
}

static void encode_base(encoder *c, uint32_t access, uint64_t base, uint64_t expected,
                        step_kind kind, uint8_t *op) {
    access_state *a = &c->model.accesses[access];
    uint64_t step = base - expected;
    if (step != a->step[kind]) {
        *op |= OP_BASE;
        put_signed(&c->columns[COLUMN_BASE], step);
        a->step[kind] = step;
    }
    part_note_base(&c->model, access, base);
}

static void encode_strided(encoder *c, uint32_t access, uint64_t base, uint64_t stride,
                           uint8_t *op) {
    access_state *a = &c->model.accesses[access];
    *op |= OP_STRIDED;
    if (stride != a->stride) {
        *op |= OP_DETAIL;
        put_signed(&c->columns[COLUMN_STRIDE], stride);
        a->stride = stride;
    }
    encode_base(c, access, base, a->base, STEP_BASE, op);
}

/* True when the addresses are a stride after all. A single lane takes the last stride. */
static bool try_strided(encoder *c, const list *l, uint8_t *op) {
    part_model *m = &c->model;
    const uint64_t *now = l->now;
    const uint32_t *lanes = part_mask_is_full(m, l->mask) ? NULL : part_lanes(m, l->mask);
    uint64_t first = lanes ? lanes[0] : 0, stride = m->accesses[l->access].stride;
    if (l->count > 1) {
        int64_t apart = lanes ? lanes[1] - (int64_t)first : 1;
        int64_t distance = (int64_t)(now[1] - now[0]);
        stride = (uint64_t)(apart == 1 ? distance : distance / apart);
    }
    for (uint32_t i = 1; i < l->count; i++)
        if (now[i] - now[0] != stride * ((lanes ? lanes[i] : i) - first))
            return false;
    encode_strided(c, l->access, now[0] - stride * first, stride, op);
    return true;
}

static void encode_moved(encoder *c, uint32_t access, uint32_t reference, uint64_t base,
                         uint64_t expected, uint8_t *op) {
    access_state *a = &c->model.accesses[access];
    *op |= OP_MOVED;
    if (reference != a->reference) {
        *op |= OP_DETAIL;
        put_varint(&c->columns[COLUMN_REFERENCE], reference);
        a->reference = reference;
    }
    encode_base(c, access, base, expected, reference == access ? STEP_OWN : STEP_OTHER, op);
}

/* True when the lanes followed those of `reference`. Nothing can be said against a single
 * lane, so it counts only when its step is the one before. */
static bool try_moved(encoder *c, const list *l, uint32_t reference, uint8_t *op) {
    part_model *m = &c->model;
    access_state *a = &m->accesses[l->access];
    const uint64_t *memory = part_memory(m, reference);
    if (!memory)
        return false;
    const uint64_t *before = part_pick(&c->model, l->mask, memory, c->model.before);
    step_kind kind = reference == l->access ? STEP_OWN : STEP_OTHER;
    uint64_t expected = part_follow(m, l->access, reference, before[0]);
    if (l->count == 1 && l->now[0] - expected != a->step[kind])
        return false;
    bool follows = a->unit == m->accesses[reference].unit ? same_distance(l->now, before, l->count)
                                                          : same_elements(m, l, reference, before);
    if (follows)
        encode_moved(c, l->access, reference, l->now[0], expected, op);
    return follows;
}

static bool same_unit(const part_model *m, uint32_t a, uint32_t b) {
    return m->accesses[a].unit == m->accesses[b].unit;
}

static bool try_recent(encoder *c, const list *l, uint8_t *op) {
    for (int i = 0; i < RECENT_LISTS; i++) {
        uint32_t reference = c->recent[i];
        if (reference == l->access || reference == UINT32_MAX || !try_moved(c, l, reference, op))
            continue;
        c->lanes_of = same_unit(&c->model, l->access, reference) ? reference : UINT32_MAX;
        return true;
    }
    return false;
}

/* True when the event is known to have the lanes of the one before: nothing is compared. */
static bool try_same_lanes(encoder *c, const hd_event *event, uint32_t mask, uint8_t *op) {
    part_model *m = &c->model;
    uint32_t reference = c->lanes_of;
    if (!event->same_lanes || reference == UINT32_MAX || reference == event->access ||
        !same_unit(m, event->access, reference))
        return false;
    uint32_t first = part_first_lane(m, mask);
    uint64_t before = part_memory(m, reference)[first];
    encode_moved(c, event->access, reference, hd_event_address(event, first),
                 part_follow(m, event->access, reference, before), op);
    return true;
}

/* True when the distances between lanes were met; else they are a new pattern. */
static bool try_pattern(encoder *c, const list *l, uint8_t *op) {
    part_model *m = &c->model;
    access_state *a = &m->accesses[l->access];
    uint64_t *distances = c->model.values;
    for (uint32_t i = 0; i < l->count; i++)
        distances[i] = l->now[i] - l->now[0];
    uint64_t hash = XXH3_64bits(distances, l->count * sizeof *distances);
    uint32_t id = (uint32_t)hd_hash_add(&c->patterns, hash, m->pattern_count);
    if (id == m->pattern_count || part_pattern_lanes(m, id) != l->count ||
        memcmp(m->patterns + m->pattern_start[id], distances, l->count * sizeof *distances) != 0)
        return false;
    *op |= OP_PATTERN;
    if (id != a->pattern) {
        *op |= OP_DETAIL;
        put_varint(&c->columns[COLUMN_PATTERN], id);
        a->pattern = id;
    }
    encode_base(c, l->access, l->now[0], a->base, STEP_BASE, op);
    return true;
}

/* ---- new lists ------------------------------------------------------------------ */

/* A way to write a list: what values are differences to, and what they are divided by. */
typedef struct list_plan {
    list_code code;
    bool elements;
    unsigned shift;
    unsigned bits; /* that the largest value takes, about */
} list_plan;

static unsigned bits_of(uint64_t value) {
    return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

/* d is a multiple of unit = odd << shift: d / unit, by the inverse of odd modulo 2^64. */
static uint64_t inverse_of(uint64_t odd) {
    uint64_t inverse = odd; /* right in 3 bits, and twice as many with each step */
    for (int i = 0; i < 5; i++)
        inverse *= 2 - odd * inverse;
    return inverse;
}
static uint64_t shift_down(uint64_t value, unsigned shift) {
    return (uint64_t)((int64_t)value >> shift);
}

static void differences(const encoder *c, const list *l, const uint64_t *before, list_code code,
                        uint64_t *out) {
    uint64_t origin = c->model.accesses[l->access].origin;
    const uint64_t *now = l->now;
    if (code == LIST_ORIGIN)
        for (uint32_t i = 1; i < l->count; i++)
            out[i] = now[i] - origin;
    else if (code == LIST_NEIGHBOUR)
        for (uint32_t i = 1; i < l->count; i++)
            out[i] = now[i] - now[i - 1];
    else
        for (uint32_t i = 1; i < l->count; i++)
            out[i] = now[i] - before[i];
}

/* Takes `code` into *best when it is shorter. */
static void consider(const encoder *c, const list *l, list_code code, const uint64_t *d,
                     list_plan *best) {
    uint64_t any = 0, folded = 0;
    for (uint32_t i = 1; i < l->count; i++) {
        any |= d[i];
        folded |= fold(d[i]);
    }
    unsigned shift = any ? (unsigned)__builtin_ctzll(any) : 0;
    list_plan plan = {code, false, shift, bits_of(folded) - (any ? shift : 0)};
    if (plan.bits < best->bits)
        *best = plan;
    uint64_t unit = c->model.accesses[l->access].unit;
    unsigned unit_shift = (unsigned)__builtin_ctzll(unit);
    uint64_t odd = unit >> unit_shift;
    if (odd == 1 || unit_shift > shift)
        return;
    uint64_t inverse = inverse_of(odd);
    folded = 0;
    for (uint32_t i = 1; i < l->count; i++)
        folded |= fold(shift_down(d[i], unit_shift) * inverse);
    plan = (list_plan){code, true, 0, bits_of(folded)};
    if (plan.bits < best->bits)
        *best = plan;
}

/* Divides the differences as planned and folds them; returns the bytes that each needs. */
static unsigned divide(const encoder *c, const list *l, const list_plan *plan, uint64_t *d) {
    uint64_t unit = c->model.accesses[l->access].unit, inverse = 1, folded = 0;
    unsigned shift = plan->shift;
    if (plan->elements) {
        shift = (unsigned)__builtin_ctzll(unit);
        inverse = inverse_of(unit >> shift);
    }
    for (uint32_t i = 1; i < l->count; i++) {
        d[i] = fold(shift_down(d[i], shift) * inverse);
        folded |= d[i];
    }
    return (bits_of(folded) + 7) / 8;
}

static void encode_values(encoder *c, const list *l) {
    const uint64_t *memory = part_memory(&c->model, l->access);
    const uint64_t *before = memory ? part_pick(&c->model, l->mask, memory, c->model.before) : NULL;
    list_plan plan = {.bits = UINT32_MAX};
    for (list_code code = LIST_ORIGIN; code <= (before ? LIST_LANE : LIST_NEIGHBOUR); code++) {
        differences(c, l, before, code, c->model.values);
        consider(c, l, code, c->model.values, &plan);
    }
    differences(c, l, before, plan.code, c->model.values);
    unsigned width = divide(c, l, &plan, c->model.values);
    put_byte(&c->columns[COLUMN_LIST], (uint8_t)(plan.code | (plan.elements ? LIST_ELEMENTS : 0) |
                                                 width << LIST_WIDTH_SHIFT));
    put_byte(&c->columns[COLUMN_LIST], (uint8_t)plan.shift);
    for (unsigned byte = 0; byte < width; byte++) {
        bytes *plane = &c->columns[COLUMN_VALUES + byte];
        uint8_t *at = bytes_room(plane, l->count);
        for (uint32_t i = 1; i < l->count; i++)
            at[i - 1] = (uint8_t)(c->model.values[i] >> 8 * byte);
        plane->count += l->count - 1;
    }
}

static void encode_addresses(encoder *c, const hd_event *event, uint32_t mask, uint8_t *op) {
    part_model *m = &c->model;
    if (try_same_lanes(c, event, mask, op))
        return;
    c->lanes_of = UINT32_MAX;
    const uint64_t *now = part_pick(m, mask, event->address, m->now);
    for (uint32_t i = 0; event->base && i < m->mask_active[mask]; i++)
        m->now[i] = now[i] + event->base;
    now = event->base ? m->now : now;
    list l = {event->access, mask, m->mask_active[mask], now};
    if (!try_moved(c, &l, l.access, op)) {
        if (try_strided(c, &l, op) || try_recent(c, &l, op))
            return;
        if (!try_pattern(c, &l, op)) {
            *op |= OP_LIST;
            encode_base(c, l.access, now[0], m->accesses[l.access].base, STEP_BASE, op);
            encode_values(c, &l);
            m->accesses[l.access].pattern = m->pattern_count;
            part_pattern_add(m, now, l.count);
            c->full |= part_patterns_full(m);
        }
    }
    part_remember(m, l.access, mask, l.now);
    if (part_memory(m, l.access))
        c->lanes_of = l.access;
    if (c->recent[0] != l.access) {
        c->recent[1] = c->recent[0];
        c->recent[0] = l.access;
    }
}

/* ---- events --------------------------------------------------------------------- */

void encoder_event(encoder *c, const hd_event *event) {
    part_model *m = &c->model;
    uint8_t op = 0;
    if (event->access != part_expected_access(m)) {
        op |= OP_ACCESS;
        put_varint(&c->columns[COLUMN_ACCESS], event->access);
    }
    if (event->position != m->next_position) {
        op |= OP_GAP;
        put_varint(&c->columns[COLUMN_GAP], event->position - m->next_position - 1);
    }
    uint32_t mask = encode_mask(c, event, &op);
    part_note_event(m, event->access, mask, event->position);
    if (event->address) {
        encode_addresses(c, event, mask, &op);
    } else {
        encode_strided(c, event->access, event->base, (uint64_t)event->stride, &op);
        c->lanes_of = UINT32_MAX;
    }
    put_byte(&c->columns[COLUMN_OP], op);
    c->lane_accesses += m->mask_active[mask];
    if (++c->events % 64 && (op & OP_KIND) != OP_LIST)
        return;
    size_t count = 0;
    for (int i = 0; i < COLUMN_COUNT; i++)
        count += c->columns[i].count;
    c->full |= count >= PART_BYTES;
}

void encoder_begin(encoder *c, uint64_t position) {
    part_model_begin(&c->model, position);
    for (int i = 0; i < COLUMN_COUNT; i++)
        c->columns[i].count = 0;
    hd_hash_clear(&c->masks);
    hd_hash_clear(&c->patterns);
    for (int i = 0; i < RECENT_LISTS; i++)
        c->recent[i] = UINT32_MAX;
    c->lanes_of = UINT32_MAX;
    c->first_position = position;
    c->events = 0;
    c->lane_accesses = 0;
    c->full = false;
}

void encoder_finish(const encoder *c, bytes *out) {
    out->count = 0;
    for (int i = 0; i < COLUMN_COUNT; i++)
        put_varint(out, c->columns[i].count);
    for (int i = 0; i < COLUMN_COUNT; i++)
        put_data(out, c->columns[i].data, c->columns[i].count);
}

void encoder_free(encoder *c) {
    part_model_free(&c->model);
    for (int i = 0; i < COLUMN_COUNT; i++)
        bytes_free(&c->columns[i]);
    hd_hash_free(&c->masks);
    hd_hash_free(&c->patterns);
    *c = (encoder){0};
}
