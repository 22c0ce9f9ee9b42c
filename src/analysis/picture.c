/* Addresses over time. */
#include "analysis/picture.h"

enum { MOST_PICTURES = 64 }; /* a trace may name buffers by the ten thousand */

struct hd_picture_set {
    hd_arena *arena;
    uint64_t mis, heard;
    uint32_t most_columns, most_rows;
    hd_vec(hd_picture) pictures;
    const hd_event_launch *launch;
    size_t rows[MOST_PICTURES]; /* pictures of the launch's buffers, in their order */
    size_t row_count;
};

hd_picture_set *hd_picture_new(hd_arena *arena, uint64_t mis, uint32_t columns, uint32_t rows) {
    hd_picture_set *set = hd_new(arena, hd_picture_set);
    *set = (hd_picture_set){
        .arena = arena, .mis = mis ? mis : 1, .most_columns = columns, .most_rows = rows};
    return set;
}

static uint64_t divide_up(uint64_t value, uint64_t by) { return value / by + (value % by != 0); }

static size_t picture_of(hd_picture_set *set, const hd_event_buffer *buffer) {
    const char *name = buffer->name ? buffer->name : "";
    if ((buffer->space != KIR_GLOBAL && buffer->space != KIR_CONSTANT) || !buffer->bytes)
        return SIZE_MAX;
    for (size_t i = 0; i < set->pictures.count; i++) {
        const hd_picture *p = &set->pictures.data[i];
        if (p->base == buffer->base && p->bytes == buffer->bytes && p->space == buffer->space &&
            !strcmp(p->name ? p->name : "", name))
            return i;
    }
    if (set->pictures.count == MOST_PICTURES)
        return SIZE_MAX;
    hd_picture p = {.name = buffer->name ? hd_strdup(set->arena, name) : NULL,
                    .space = buffer->space,
                    .base = buffer->base,
                    .bytes = buffer->bytes,
                    .mis_per_column = divide_up(set->mis, set->most_columns),
                    .bytes_per_row = 1};
    while (divide_up(p.bytes, p.bytes_per_row) > set->most_rows)
        p.bytes_per_row *= 2; /* so that elements seldom lie across two rows */
    p.columns = (uint32_t)divide_up(set->mis, p.mis_per_column);
    p.rows = (uint32_t)divide_up(p.bytes, p.bytes_per_row);
    hd_push(set->arena, &set->pictures, p);
    return set->pictures.count - 1;
}

static hd_status begin_launch(void *self, const hd_event_launch *launch) {
    hd_picture_set *set = self;
    set->launch = launch;
    set->row_count = 0;
    for (uint32_t b = 0; b < launch->buffer_count && set->row_count < MOST_PICTURES; b++) {
        size_t row = picture_of(set, &launch->buffers[b]);
        if (row != SIZE_MAX)
            set->rows[set->row_count++] = row;
    }
    return HD_OK;
}

static void *open_block(void *self, uint64_t block) {
    (void)block;
    return self;
}

static bool is_inside(const hd_picture *p, uint64_t address) {
    return address - p->base < p->bytes;
}

static void hear(void *stream, const hd_event *e) {
    hd_picture_set *set = stream;
    uint64_t time = set->heard < set->mis ? set->heard++ : set->mis - 1;
    kir_space space = hd_event_space(set->launch, e);
    if (space == KIR_LOCAL || space == KIR_PRIVATE)
        return;
    hd_picture *p = NULL;
    for (uint32_t w = 0; w < (e->threads + 63) / 64; w++)
        for (uint64_t bits = e->mask[w]; bits; bits &= bits - 1) {
            uint64_t address = hd_event_address(e, w * 64 + (uint32_t)__builtin_ctzll(bits));
            if (!p || !is_inside(p, address)) /* the picture before is likely */
                p = NULL;
            for (size_t b = 0; b < set->row_count && !p; b++)
                if (is_inside(&set->pictures.data[set->rows[b]], address))
                    p = &set->pictures.data[set->rows[b]];
            if (!p)
                continue;
            uint64_t row = (address - p->base) / p->bytes_per_row;
            if (!p->counts)
                p->counts = hd_new_array(set->arena, uint64_t, (uint64_t)p->rows * p->columns);
            p->counts[row * p->columns + time / p->mis_per_column]++;
            p->lane_accesses++;
        }
}

hd_sink hd_picture_sink(hd_picture_set *set) {
    return (hd_sink){.self = set, .launch = begin_launch, .open_block = open_block, .event = hear};
}

const hd_picture *hd_pictures_of(const hd_picture_set *set, size_t *count) {
    *count = set->pictures.count;
    return set->pictures.data;
}
