/*
 * The model of a part.
 *
 * A kernel's inner loop executes the same accesses again and again, each a step further.
 * So of every event the model predicts
 *
 *     its access      the one that followed the last event's access before
 *     its position    one more
 *     its mask        that of the access's last event, or of the event before
 *     its base        the access's last one, and the step between its last two
 *     its lanes       base + lane * stride; or each lane's last address under this access,
 *                     or under another one (`level[n]` is read, then written; a struct's
 *                     fields), a step on;
 *                     or the differences between lanes met before
 *
 * and an event is one byte that says which predictions hold, plus what they miss, in a
 * column of its kind. In an n-body loop
 *
 *     for (j ...) d = p[j].x - x        4 lanes, all at 0x1000, at 0x1010, at 0x1020 ...
 *
 * the second event has its stride right (0) and its base's step wrong: 10 20 are bytes of
 * the columns OP and BASE. From the third one on it is the byte 00 in OP and nothing else,
 * and zstd makes a thousand of them a few bytes.
 *
 * Divisions of lanes and steps are modulo 2^64 everywhere, so that no address overflows.
 */
#include "part.h"

void part_model_launch(part_model *m, const hd_event_launch *launch) {
    m->launch = launch;
    m->threads = launch->block_threads;
    m->words = (m->threads + 63) / 64;
    m->accesses = memory_grow(m->accesses, launch->access_count * sizeof *m->accesses);
    m->lanes = memory_grow(m->lanes, m->threads * sizeof *m->lanes);
    uint64_t **scratch[] = {&m->now, &m->before, &m->values};
    for (int i = 0; i < 3; i++)
        *scratch[i] = memory_grow(*scratch[i], m->threads * sizeof **scratch[i]);
    m->mask_capacity = m->memory_capacity = 0; /* in words and lanes of another launch */
}

void part_model_begin(part_model *m, uint64_t position) {
    const hd_event_launch *launch = m->launch;
    for (uint32_t i = 0; i < launch->access_count; i++) {
        const hd_event_access *access = &launch->accesses[i];
        const hd_event_buffer *buffer =
            access->buffer < 0 ? NULL : &launch->buffers[access->buffer];
        m->accesses[i] = (access_state){
            .successor = i + 1 < launch->access_count ? i + 1 : 0,
            .reference = i,
            .base = buffer ? buffer->base : 0,
            .origin = buffer ? buffer->base : 0,
            .unit = buffer && buffer->element_bytes ? buffer->element_bytes : access->width,
        };
    }
    m->last_access = UINT32_MAX;
    m->last_mask = 0;
    m->next_position = position;
    m->mask_count = 0;
    uint64_t *full = part_mask_new(m);
    memset(full, 0xff, m->words * sizeof *full);
    if (m->threads % 64)
        full[m->words - 1] = ((uint64_t)1 << m->threads % 64) - 1;
    part_mask_count(m);
    m->lanes_of = UINT32_MAX;
    m->pattern_count = 0;
    if (!m->pattern_start)
        m->pattern_start = memory_grow(NULL, sizeof *m->pattern_start);
    m->pattern_start[0] = 0;
    m->memory_count = 0;
}

void part_model_free(part_model *m) {
    free(m->accesses);
    free(m->masks);
    free(m->mask_active);
    free(m->patterns);
    free(m->pattern_start);
    free(m->memory);
    free(m->lanes);
    free(m->now);
    free(m->before);
    free(m->values);
    *m = (part_model){0};
}

void part_note_event(part_model *m, uint32_t access, uint32_t mask, uint64_t position) {
    if (m->last_access != UINT32_MAX)
        m->accesses[m->last_access].successor = access;
    m->last_access = access;
    m->accesses[access].mask = m->last_mask = mask;
    m->next_position = position + 1;
}

/* The origin is known from the first event on: then differences to it are whole elements,
 * whichever field of theirs the access takes. */
void part_note_base(part_model *m, uint32_t access, uint64_t base) {
    access_state *a = &m->accesses[access];
    a->base = base;
    if (a->met)
        return;
    a->met = true;
    if (m->launch->accesses[access].buffer < 0)
        a->origin = base;
    else
        a->origin += (uint64_t)hd_mod((int64_t)(base - a->origin), (int64_t)a->unit);
}

uint64_t *part_mask_new(part_model *m) {
    if (m->mask_count >= m->mask_capacity) {
        m->mask_capacity = m->mask_capacity ? m->mask_capacity * 2 : 16;
        m->masks = memory_grow(m->masks, (size_t)m->mask_capacity * m->words * sizeof *m->masks);
        m->mask_active = memory_grow(m->mask_active, m->mask_capacity * sizeof *m->mask_active);
    }
    return m->masks + (size_t)m->mask_count * m->words;
}

const uint64_t *part_mask_reference(const part_model *m, mask_code code, uint32_t own) {
    static const uint64_t none[LANES_MAX / 64];
    return code == MASK_SET ? none : part_mask(m, code == MASK_CLEAR ? 0 : own);
}

void part_mask_count(part_model *m) {
    const uint64_t *mask = part_mask(m, m->mask_count);
    uint32_t active = 0;
    for (uint32_t w = 0; w < m->words; w++)
        active += (uint32_t)__builtin_popcountll(mask[w]);
    m->mask_active[m->mask_count++] = active;
}

const uint32_t *part_lanes(part_model *m, uint32_t mask) {
    if (m->lanes_of == mask)
        return m->lanes;
    const uint64_t *words = part_mask(m, mask);
    uint32_t count = 0;
    for (uint32_t w = 0; w < m->words; w++)
        for (uint64_t left = words[w]; left; left &= left - 1)
            m->lanes[count++] = w * 64 + (uint32_t)__builtin_ctzll(left);
    m->lanes_of = mask;
    return m->lanes;
}

const uint64_t *part_pick(part_model *m, uint32_t mask, const uint64_t *values, uint64_t *scratch) {
    if (part_mask_is_full(m, mask))
        return values;
    const uint32_t *lanes = part_lanes(m, mask);
    for (uint32_t i = 0; i < m->mask_active[mask]; i++)
        scratch[i] = values[lanes[i]];
    return scratch;
}

void part_pattern_add(part_model *m, const uint64_t *addresses, uint32_t count) {
    uint32_t start = m->pattern_start[m->pattern_count];
    if (start + count > m->pattern_room) {
        m->pattern_room = m->pattern_room * 2 > start + count ? m->pattern_room * 2 : start + count;
        m->patterns = memory_grow(m->patterns, m->pattern_room * sizeof *m->patterns);
    }
    if (m->pattern_count + 2 > m->pattern_capacity) {
        m->pattern_capacity = m->pattern_capacity ? m->pattern_capacity * 2 : 16;
        m->pattern_start =
            memory_grow(m->pattern_start, m->pattern_capacity * sizeof *m->pattern_start);
    }
    for (uint32_t i = 0; i < count; i++)
        m->patterns[start + i] = addresses[i] - addresses[0];
    m->pattern_start[++m->pattern_count] = start + count;
}

void part_remember(part_model *m, uint32_t access, uint32_t mask, const uint64_t *addresses) {
    uint32_t active = m->mask_active[mask];
    uint64_t *memory = part_memory(m, access);
    /* An access gets a memory when it first needs one, as long as there is room; its lanes start
     * at 0. */
    if (!memory) {
        if ((m->memory_count + 1) * (size_t)m->threads > LANE_MEMORY_MAX)
            return;
        if (m->memory_count >= m->memory_capacity) {
            m->memory_capacity = m->memory_capacity ? m->memory_capacity * 2 : 4;
            size_t lanes = (size_t)m->memory_capacity * m->threads;
            m->memory = memory_grow(m->memory, lanes * sizeof *m->memory);
        }
        m->accesses[access].memory = ++m->memory_count;
        memory = part_memory(m, access);
        if (active < m->threads)
            memset(memory, 0, m->threads * sizeof *memory);
    }
    if (active == m->threads) {
        memcpy(memory, addresses, active * sizeof *memory);
        return;
    }
    const uint32_t *lanes = part_lanes(m, mask);
    for (uint32_t i = 0; i < active; i++)
        memory[lanes[i]] = addresses[i];
}
