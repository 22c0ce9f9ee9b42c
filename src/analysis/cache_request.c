/*
 * The sectors of a request: which a warp's lanes touch, each once, and of which they touch every
 * byte.
 *
 *     lanes      0    1    2    3        4 bytes each, sectors of 32
 *     address   120  128  124  384
 *     sorted    120  124  128  384       sectors 3, 4, 12
 *
 * Lanes become spans of bytes, put in order where they are not, and one walk over them gives the
 * sectors. Lanes a constant distance apart are in order, and lanes side by side are one span.
 *
 * In a layout an access of a field moves as a whole. One that covers several fields (a vector of
 * neighbours) stays one as far as they lie side by side as in the struct, and becomes several where
 * they do not (event_part_width); bytes between fields are nowhere.
 */
#include <stdlib.h>

#include "analysis/cache_parts.h"
#include "analysis/warp_lanes.h"

/* ---- spans to sectors -------------------------------------------------------------------------- */

static void push_group(sector_list *list, uint64_t number) {
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? list->capacity * 2 : 64;
        list->groups = hd_checked(realloc(list->groups, list->capacity * sizeof *list->groups));
    }
    sector_group *group = &list->groups[list->count++];
    group->number = number;
    group->touched = group->full = 0;
}

/* No more bytes come to the last sector. */
static inline void end_sector(sector_list *list) {
    if (!list->bytes)
        return;
    uint64_t number = list->sector / GROUP_SECTORS;
    uint32_t bit = 1u << list->sector % GROUP_SECTORS;
    if (!list->count || list->groups[list->count - 1].number != number)
        push_group(list, number);
    sector_group *group = &list->groups[list->count - 1];
    group->touched |= bit;
    group->bytes[list->sector % GROUP_SECTORS] = list->bytes < 255 ? (uint8_t)list->bytes : 255;
    if (list->bytes >> list->shift)
        group->full |= bit;
    list->bytes = 0;
}

static inline void add_sector(sector_list *list, uint64_t sector, uint64_t bytes) {
    if (list->bytes && list->sector != sector)
        end_sector(list);
    list->sector = sector;
    list->bytes += bytes;
}

/* Spans begin in ascending order. */
static inline void add_span(sector_list *list, uint64_t at, uint64_t end) {
    if (at < list->covered)
        at = list->covered;
    if (end <= at)
        return;
    list->covered = end;
    uint64_t sector = at >> list->shift, last = (end - 1) >> list->shift;
    for (; sector < last; sector++) {
        uint64_t next = (sector + 1) << list->shift;
        add_sector(list, sector, next - at);
        at = next;
    }
    add_sector(list, sector, end - at);
}

static inline uint64_t end_of(uint64_t at, uint64_t width) {
    return at + width < at ? UINT64_MAX : at + width;
}

/* ---- lanes to spans ------------------------------------------------------------------------------ */

static void push_span(sector_list *list, uint64_t at, uint64_t end) {
    if (list->span_count == list->span_capacity) {
        list->span_capacity = list->span_capacity ? list->span_capacity * 2 : 64;
        list->spans = hd_checked(realloc(list->spans, list->span_capacity * sizeof *list->spans));
    }
    size_t i = list->span_count++;
    list->unordered |= i > 0 && list->spans[i - 1].at > at;
    list->spans[i] = (byte_span){at, end};
}

/* ---- spans in order ------------------------------------------------------------------------------ */

enum { RANKED = 4 };
typedef int32_t some_ranks __attribute__((vector_size(RANKED * sizeof(int32_t))));

/* Beginnings as numbers of 32 bits; false: they are too far apart. */
static bool key_spans(const byte_span *spans, size_t count, int32_t *keys) {
    uint64_t low = spans[0].at, high = low;
    for (size_t i = 1; i < count; i++) {
        low = spans[i].at < low ? spans[i].at : low;
        high = spans[i].at > high ? spans[i].at : high;
    }
    for (size_t i = 0; i < count; i++)
        keys[i] = (int32_t)((uint32_t)(spans[i].at - low) ^ 0x80000000u);
    return high - low <= UINT32_MAX;
}

/* A span's place in the order is the number of those that begin before it (Knuth, The Art of
 * Computer Programming 3, 5.2, comparison counting), which takes no branch. Of those that begin at
 * the same place the longest stays; the others leave places behind that are empty. */
static bool rank_spans(const byte_span *spans, size_t count, byte_span *ordered) {
    int32_t keys[RANKED_MOST] __attribute__((aligned(sizeof(some_ranks)))) = {0};
    int32_t ranks[RANKED_MOST] __attribute__((aligned(sizeof(some_ranks))));
    if (count > RANKED_MOST || !key_spans(spans, count, keys))
        return false;
    for (size_t first = 0; first < count; first += 4 * (size_t)RANKED) {
        const some_ranks *own = (const some_ranks *)(keys + first);
        some_ranks before[4] = {{0}, {0}, {0}, {0}};
        for (size_t i = 0; i < count; i++) {
            const some_ranks key = {keys[i], keys[i], keys[i], keys[i]};
            before[0] -= key < own[0];
            before[1] -= key < own[1];
            before[2] -= key < own[2];
            before[3] -= key < own[3];
        }
        memcpy(ranks + first, before, sizeof before);
    }
    for (size_t i = 0; i < count; i++)
        ordered[i].end = 0;
    for (size_t i = 0; i < count; i++) {
        byte_span *to = &ordered[ranks[i]];
        to->at = spans[i].at;
        to->end = spans[i].end > to->end ? spans[i].end : to->end;
    }
    return true;
}

/* The spans, in order. */
static const byte_span *order_spans(sector_list *list) {
    byte_span *spans = list->spans;
    if (!list->unordered)
        return spans;
    if (rank_spans(spans, list->span_count, list->ordered))
        return list->ordered;
    for (size_t i = 1; i < list->span_count; i++) {
        const byte_span span = spans[i];
        size_t to = i;
        for (; to > 0 && spans[to - 1].at > span.at; to--)
            spans[to] = spans[to - 1];
        spans[to] = span;
    }
    return spans;
}

/* ---- lanes to bytes ------------------------------------------------------------------------------ */

static inline uint64_t address_in(const field_address *f, uint64_t element) {
    return f->base + (element >> f->shift) * f->tile_bytes + (element & f->mask) * f->step;
}

/* The part of an access at byte `at` of a buffer that lies in one field, or between two; returns
 * its bytes. */
static uint64_t push_part(sector_list *list, const memory_buffer *b, uint64_t at, uint64_t width) {
    uint64_t lies_at = cache_struct_byte(b, b->base + at);
    uint64_t element = lies_at / b->size, byte = lies_at % b->size, bytes = b->size - byte;
    uint64_t inside = byte;
    const field_address *to = b->fields;
    if (b->field_at) {
        int16_t f = b->field_at[byte];
        if (f < 0)
            return 1;
        inside = byte - b->record->fields[f].offset;
        bytes = b->record->fields[f].size - inside;
        to += f;
    }
    if (bytes > width)
        bytes = width;
    uint64_t address = address_in(to, element) + inside;
    push_span(list, address, address + bytes);
    return bytes;
}

static void push_lane(const event_view *v, uint64_t address, sector_list *list) {
    const memory_buffer *b = v->buffer;
    if (!b || address - b->base >= b->bytes)
        b = cache_memory_find(v->memory, address);
    if (!b || !b->fields) {
        push_span(list, address, end_of(address, v->width));
        return;
    }
    uint64_t at = address - b->base, left = b->bytes - at < v->width ? b->bytes - at : v->width;
    while (left) {
        uint64_t part = push_part(list, b, at, left);
        at += part;
        left -= part;
    }
}

/* ---- events --------------------------------------------------------------------------------------- */

static uint32_t first_lane(const hd_event *e, uint32_t lane) {
    while (!(e->mask[lane / 64] >> lane % 64))
        lane = (lane / 64 + 1) * 64;
    return lane + (uint32_t)__builtin_ctzll(e->mask[lane / 64] >> lane % 64);
}

static uint32_t last_lane(const hd_event *e) {
    uint32_t w = (e->threads - 1) / 64;
    while (!e->mask[w])
        w--;
    return w * 64 + 63 - (uint32_t)__builtin_clzll(e->mask[w]);
}

/* Lanes a whole number of elements apart are a constant distance apart in AoS clusters and in runs
 * of all elements, too. */
static bool move_stride(event_view *v, uint64_t first, uint64_t last) {
    const memory_buffer *b = v->buffer;
    const hd_event *e = v->event;
    if (b->columns || last - b->base >= b->bytes || b->bytes - (last - b->base) < v->width ||
        b->bytes - (first - b->base) < v->width || e->stride % (int64_t)b->size)
        return false;
    uint64_t byte = (first - b->base) % b->size, element = (first - b->base) / b->size;
    uint64_t inside = byte, room = b->size - byte;
    const field_address *to = b->fields;
    if (b->field_at) {
        int16_t f = b->field_at[byte];
        if (f < 0)
            return false;
        inside = byte - b->record->fields[f].offset;
        room = b->record->fields[f].size - inside;
        to += f;
    }
    if (v->width > room || (to->mask && to->shift < 63))
        return false;
    v->stride = e->stride / (int64_t)b->size * (int64_t)(to->mask ? to->step : to->tile_bytes);
    v->base = address_in(to, element) + inside - first_lane(e, 0) * (uint64_t)v->stride;
    return true;
}

void event_view_make(event_view *v, const cache_memory *memory, const hd_event *event,
                     const hd_event_access *access) {
    uint32_t lane = first_lane(event, 0);
    uint64_t first = hd_event_address(event, lane);
    const memory_buffer *b = access->buffer >= 0 ? memory->of_row[access->buffer] : NULL;
    if (!b || first - b->base >= b->bytes)
        b = cache_memory_find(memory, first);
    *v = (event_view){.memory = memory,
                      .event = event,
                      .width = access->width,
                      .buffer = b,
                      .strided = !event->address,
                      .base = event->base,
                      .stride = event->stride};
    if (event->address)
        return;
    uint64_t last = hd_event_address(event, last_lane(event));
    if (b && b->fields)
        v->strided = move_stride(v, first, last);
    bool inside = b ? last - b->base < b->bytes : !memory->buffer_count;
    bool is_column = b && b->columns && inside &&
                     cache_place_of(memory, b, first) == cache_place_of(memory, b, last);
    v->one_place = inside && (!b || !b->field_at || is_column ||
                              (!b->columns && event->stride % (int64_t)b->size == 0));
    if (v->one_place)
        v->place = cache_place_of(memory, b, first);
}

static inline uint64_t view_address(const event_view *v, uint32_t lane) {
    return v->base + lane * (uint64_t)v->stride;
}

/* Field g of the element `ahead` of f's lies as far behind f as in the struct. */
static bool lies_behind(const memory_buffer *b, int16_t f, int16_t g, uint64_t ahead) {
    const field_address *x = &b->fields[f], *y = &b->fields[g];
    uint64_t distance =
        (uint64_t)b->record->fields[g].offset - b->record->fields[f].offset + ahead * b->size;
    return (f == g && !ahead) || (!x->mask && !y->mask && x->tile_bytes == y->tile_bytes &&
                                  y->base - x->base + ahead * x->tile_bytes == distance);
}

uint32_t event_part_width(const cache_memory *memory, const hd_event *event,
                          const hd_event_access *access, uint32_t done) {
    uint64_t address = hd_event_address(event, first_lane(event, 0)) + done;
    uint32_t left = access->width - done, part = 0;
    const memory_buffer *b = access->buffer >= 0 ? memory->of_row[access->buffer] : NULL;
    if (!b || address - b->base >= b->bytes)
        b = cache_memory_find(memory, address);
    if (!b || !b->fields || !b->field_at || b->columns)
        return left;
    uint64_t byte = (address - b->base) % b->size;
    int16_t first = b->field_at[byte];
    for (; part < left; part++) {
        int16_t f = b->field_at[(byte + part) % b->size];
        if (f >= 0 && (first < 0 || !lies_behind(b, first, f, (byte + part) / b->size)))
            break;
    }
    return part;
}

/* Ascending, whichever way the lanes go. */
static void strided_sectors(const event_view *v, uint32_t first, uint32_t end, sector_list *list) {
    const hd_event *e = v->event;
    uint64_t step = v->stride < 0 ? 0 - (uint64_t)v->stride : (uint64_t)v->stride;
    if (step <= v->width && e->active == e->threads) {
        uint64_t a = view_address(v, first), b = view_address(v, end - 1);
        add_span(list, a < b ? a : b, end_of(a < b ? b : a, v->width));
        return;
    }
    for (uint32_t w = first / 64; v->stride >= 0 && w * 64 < end; w++)
        for (uint64_t bits = warp_lanes_in_word(e, w, first, end); bits; bits &= bits - 1) {
            uint64_t at = view_address(v, w * 64 + (uint32_t)__builtin_ctzll(bits));
            add_span(list, at, end_of(at, v->width));
        }
    for (uint32_t w = (end - 1) / 64 + 1; v->stride < 0 && w-- > first / 64;)
        for (uint64_t bits = warp_lanes_in_word(e, w, first, end); bits;) {
            uint32_t bit = 63 - (uint32_t)__builtin_clzll(bits);
            uint64_t at = view_address(v, w * 64 + bit);
            add_span(list, at, end_of(at, v->width));
            bits &= ~((uint64_t)1 << bit);
        }
}

static void listed_sectors(const event_view *v, uint32_t first, uint32_t end, sector_list *list) {
    list->span_count = 0;
    list->unordered = false;
    for (uint32_t w = first / 64; w * 64 < end; w++)
        for (uint64_t bits = warp_lanes_in_word(v->event, w, first, end); bits; bits &= bits - 1)
            push_lane(v, hd_event_address(v->event, w * 64 + (uint32_t)__builtin_ctzll(bits)),
                      list);
    const byte_span *spans = order_spans(list);
    for (size_t i = 0; i < list->span_count; i++)
        add_span(list, spans[i].at, spans[i].end);
}

uint32_t event_sectors(const event_view *v, uint32_t first, uint32_t end, sector_list *list) {
    list->count = 0;
    list->covered = list->bytes = 0;
    if (v->strided)
        strided_sectors(v, first, end, list);
    else
        listed_sectors(v, first, end, list);
    end_sector(list);
    if (v->one_place)
        return v->place;
    uint64_t address = hd_event_address(v->event, first_lane(v->event, first));
    const memory_buffer *b = v->buffer;
    if (!b || address - b->base >= b->bytes)
        b = cache_memory_find(v->memory, address);
    return cache_place_of(v->memory, b, address);
}

void sector_list_free(sector_list *list) {
    free(list->groups);
    free(list->spans);
}
