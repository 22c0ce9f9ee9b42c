/*
 * From columns to events: encode.c's choices undone. Nothing in the columns is believed:
 * every id and length is compared with what is there before it is used.
 */
#include "decode.h"

static const char too_short[] = "a column ends too early";
static const char sum_differs[] = "its lane accesses are not what it says";
static const char beyond_block[] = "a mask has a lane beyond the block";

/* ---- masks ---------------------------------------------------------------------- */

static const char *decode_new_mask(decoder *d, uint32_t own) {
    part_model *m = &d->model;
    cursor *in = &d->columns[COLUMN_NEW_MASK];
    if (part_masks_full(m))
        return "it has too many masks";
    uint64_t *mask = part_mask_new(m);
    mask_code code = get_byte(in);
    if (code > MASK_FLIP)
        return "a mask is written in an unknown way";
    if (code == MASK_WORDS) {
        const uint8_t *words = get_data(in, m->words * (uint64_t)8);
        if (!words)
            return too_short;
        for (uint32_t w = 0; w < m->words; w++)
            mask[w] = load64(words + (size_t)8 * w);
        if (mask[m->words - 1] & ~part_mask(m, 0)[m->words - 1])
            return beyond_block;
    } else {
        memcpy(mask, part_mask_reference(m, code, own), m->words * sizeof *mask);
        uint64_t count = get_limited(in, m->threads), lane = 0;
        for (uint64_t i = 0; i < count && !in->failed; i++, lane++) {
            lane += get_limited(in, m->threads);
            if (lane >= m->threads)
                return beyond_block;
            mask[lane / 64] ^= (uint64_t)1 << lane % 64;
        }
    }
    part_mask_count(m);
    return m->mask_active[m->mask_count - 1] ? NULL : "a mask has no active lane";
}

static const char *decode_mask(decoder *d, uint8_t op, uint32_t access, uint32_t *mask) {
    part_model *m = &d->model;
    cursor *known = &d->columns[COLUMN_MASK];
    *mask = m->accesses[access].mask;
    switch ((op_mask)(op >> OP_MASK_SHIFT & 3)) {
    case MASK_OF_ACCESS: return NULL;
    case MASK_OF_EVENT: *mask = m->last_mask; return NULL;
    case MASK_KNOWN:
        *mask = (uint32_t)get_limited(known, m->mask_count - 1);
        return known->failed ? "an event has a mask that is not there" : NULL;
    default: {
        uint32_t own = *mask;
        *mask = m->mask_count;
        return decode_new_mask(d, own);
    }
    }
}

/* ---- addresses ------------------------------------------------------------------ */

static uint64_t decode_base(decoder *d, uint32_t access, uint8_t op, step_kind kind,
                            uint64_t expected) {
    access_state *a = &d->model.accesses[access];
    if (op & OP_BASE)
        a->step[kind] = get_signed(&d->columns[COLUMN_BASE]);
    uint64_t base = expected + a->step[kind];
    part_note_base(&d->model, access, base);
    return base;
}

static const char *decode_moved(decoder *d, uint32_t access, uint32_t mask, uint8_t op) {
    part_model *m = &d->model;
    access_state *a = &m->accesses[access];
    if (op & OP_DETAIL)
        a->reference =
            (uint32_t)get_limited(&d->columns[COLUMN_REFERENCE], m->launch->access_count - 1);
    uint32_t reference = a->reference, count = m->mask_active[mask];
    const uint64_t *before = part_memory(m, reference);
    if (d->columns[COLUMN_REFERENCE].failed || !before)
        return "an event follows an access that has no addresses yet";
    before = part_pick(m, mask, before, m->before);
    step_kind kind = reference == access ? STEP_OWN : STEP_OTHER;
    uint64_t base = decode_base(d, access, op, kind, part_follow(m, access, reference, before[0]));
    if (a->unit == m->accesses[reference].unit) {
        uint64_t step = base - before[0];
        for (uint32_t i = 0; i < count; i++)
            m->now[i] = before[i] + step;
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        m->now[i] = base + part_scale(m, access, reference, before[i] - before[0]);
    return NULL;
}

static const char *decode_pattern(decoder *d, uint32_t access, uint32_t mask, uint8_t op) {
    part_model *m = &d->model;
    access_state *a = &m->accesses[access];
    if (op & OP_DETAIL)
        a->pattern = (uint32_t)get_limited(&d->columns[COLUMN_PATTERN], UINT32_MAX);
    uint32_t count = m->mask_active[mask];
    if (a->pattern >= m->pattern_count || part_pattern_lanes(m, a->pattern) != count)
        return "an event has a pattern that is not there, or of other lanes";
    uint64_t base = decode_base(d, access, op, STEP_BASE, a->base);
    const uint64_t *pattern = m->patterns + m->pattern_start[a->pattern];
    for (uint32_t i = 0; i < count; i++)
        m->now[i] = base + pattern[i];
    return NULL;
}

/* The differences of a list, as they were before they were divided and folded. */
static const char *decode_values(decoder *d, uint32_t access, uint32_t count, list_code *code) {
    part_model *m = &d->model;
    cursor *how = &d->columns[COLUMN_LIST];
    uint8_t head = get_byte(how), shift = get_byte(how);
    unsigned width = head >> LIST_WIDTH_SHIFT;
    uint64_t unit = head & LIST_ELEMENTS ? m->accesses[access].unit : 1;
    *code = head & LIST_CODE;
    if (how->failed || *code > LIST_LANE || width > 8 || shift > 63)
        return "a list is written in an unknown way";
    memset(m->now, 0, count * sizeof *m->now);
    for (unsigned byte = 0; byte < width; byte++) {
        const uint8_t *plane = get_data(&d->columns[COLUMN_VALUES + byte], count - 1);
        if (!plane)
            return too_short;
        for (uint32_t i = 1; i < count; i++)
            m->now[i] |= (uint64_t)plane[i - 1] << 8 * byte;
    }
    for (uint32_t i = 1; i < count; i++)
        m->now[i] = (unfold(m->now[i]) << shift) * unit;
    return NULL;
}

static const char *decode_list(decoder *d, uint32_t access, uint32_t mask, uint8_t op) {
    part_model *m = &d->model;
    access_state *a = &m->accesses[access];
    uint32_t count = m->mask_active[mask];
    if (part_patterns_full(m))
        return "it has too many lists";
    if (op & OP_DETAIL)
        return "an event has an unknown detail";
    uint64_t base = decode_base(d, access, op, STEP_BASE, a->base);
    list_code code;
    const char *fault = decode_values(d, access, count, &code);
    if (fault)
        return fault;
    const uint64_t *memory = code == LIST_LANE ? part_memory(m, access) : NULL;
    const uint32_t *lanes = memory ? part_lanes(m, mask) : NULL;
    if (code == LIST_LANE && !memory)
        return "a list follows addresses that are not there";
    m->now[0] = base;
    for (uint32_t i = 1; i < count && memory; i++)
        m->now[i] += memory[lanes[i]];
    for (uint32_t i = 1; i < count && !memory; i++)
        m->now[i] += code == LIST_ORIGIN ? a->origin : m->now[i - 1];
    a->pattern = m->pattern_count;
    part_pattern_add(m, m->now, count);
    return NULL;
}

/* Fills event->address from the column of its kind. */
static const char *decode_addresses(decoder *d, uint32_t mask, uint8_t op, hd_event *event) {
    part_model *m = &d->model;
    const char *fault;
    switch ((op_kind)(op & OP_KIND)) {
    case OP_MOVED: fault = decode_moved(d, event->access, mask, op); break;
    case OP_PATTERN: fault = decode_pattern(d, event->access, mask, op); break;
    default: fault = decode_list(d, event->access, mask, op);
    }
    if (fault)
        return fault;
    if ((op & OP_KIND) != OP_MOVED || m->accesses[event->access].reference == event->access)
        part_remember(m, event->access, mask, m->now);
    event->address = m->now;
    if (part_mask_is_full(m, mask))
        return NULL;
    const uint32_t *lanes = part_lanes(m, mask);
    for (uint32_t i = 0; i < m->mask_active[mask]; i++)
        m->values[lanes[i]] = m->now[i];
    event->address = m->values;
    return NULL;
}

/* ---- events --------------------------------------------------------------------- */

static const char *decode_event(decoder *d, hd_event *event) {
    part_model *m = &d->model;
    uint8_t op = get_byte(&d->columns[COLUMN_OP]);
    uint64_t access = part_expected_access(m);
    if (op & OP_ACCESS)
        access = get_varint(&d->columns[COLUMN_ACCESS]);
    if (access >= m->launch->access_count || d->columns[COLUMN_ACCESS].failed)
        return "an event has an access that is not in the table";
    uint64_t gap = op & OP_GAP ? get_varint(&d->columns[COLUMN_GAP]) + 1 : 0;
    if (d->columns[COLUMN_GAP].failed || (op & OP_GAP && !gap) ||
        gap >= UINT64_MAX - m->next_position)
        return "a position goes back";
    *event = (hd_event){
        .access = (uint32_t)access, .threads = m->threads, .position = m->next_position + gap};
    uint32_t mask;
    const char *fault = decode_mask(d, op, event->access, &mask);
    if (fault)
        return fault;
    part_note_event(m, event->access, mask, event->position);
    if ((op & OP_KIND) == OP_STRIDED) {
        access_state *a = &m->accesses[access];
        if (op & OP_DETAIL)
            a->stride = get_signed(&d->columns[COLUMN_STRIDE]);
        event->stride = (int64_t)a->stride;
        event->base = decode_base(d, event->access, op, STEP_BASE, a->base);
    } else {
        fault = decode_addresses(d, mask, op, event);
    }
    event->active = m->mask_active[mask];
    event->mask = part_mask(m, mask);
    bool short_columns = d->columns[COLUMN_BASE].failed | d->columns[COLUMN_STRIDE].failed |
                         d->columns[COLUMN_NEW_MASK].failed;
    return fault ? fault : short_columns ? too_short : NULL;
}

bool reading_goes_on(reading *r, uint64_t more) {
    enum { BETWEEN = 1 << 18 };
    const hd_trace_watch *watch = r->watch;
    r->done += more;
    if (!watch || r->done - r->told < BETWEEN)
        return true;
    r->told = r->done;
    if (watch->progress)
        watch->progress(watch->user, "reading", (double)r->done / (double)r->all);
    r->stopped = watch->stop && *watch->stop;
    return !r->stopped;
}

/* After the last event of a part. */
static const char *end_fault(const decoder *d) {
    for (int i = 0; i < COLUMN_COUNT; i++)
        if (!cursor_done(&d->columns[i]))
            return "a column has bytes that no event uses";
    return d->lane_accesses ? sum_differs : NULL;
}

const char *decoder_begin(decoder *d, const part_head *head, const uint8_t *columns, size_t count) {
    cursor all = {columns, columns + count, false}; /* their lengths stand before them */
    uint64_t lengths[COLUMN_COUNT];
    for (int i = 0; i < COLUMN_COUNT; i++)
        lengths[i] = get_limited(&all, PART_BYTES_MAX);
    for (int i = 0; i < COLUMN_COUNT; i++) {
        const uint8_t *at = get_data(&all, lengths[i]);
        d->columns[i] = (cursor){at, at ? at + lengths[i] : NULL, !at};
    }
    if (!cursor_done(&all))
        return "its columns do not fill it";
    if (head->events != (uint64_t)(d->columns[COLUMN_OP].end - d->columns[COLUMN_OP].at))
        return "it has not the events that its head says";
    part_model_begin(&d->model, head->first_position);
    d->left = head->events;
    d->lane_accesses = head->lane_accesses;
    return d->left ? NULL : end_fault(d);
}

const char *decoder_next(decoder *d, hd_event *event) {
    const char *fault = decode_event(d, event);
    if (fault)
        return fault;
    if (event->active > d->lane_accesses)
        return sum_differs;
    d->lane_accesses -= event->active;
    return --d->left ? NULL : end_fault(d);
}
