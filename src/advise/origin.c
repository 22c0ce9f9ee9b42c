/* Accesses of rewritten kernels in terms of the original (origin.h). */
#include "advise/origin.h"
#include "base/table.h"

#include <stdatomic.h>
#include <stdlib.h>

struct hd_origin {
    hd_rewritten_view view;
    const hd_placed_job *placed;
    hd_arena *arena; /* of the launch; NULL: none was heard */
    const hd_event_launch *from;
    _Atomic uint64_t *reached; /* [access_count] the first address and 1; 0: not executed */
    hd_event_launch launch;
    hd_hash_table known; /* numbers of places, by file, line and column as text */
    hd_vec(hd_place) places;
};

/* ---- hearing ------------------------------------------------------------------------------ */

static hd_status begin_launch(void *self, const hd_event_launch *launch) {
    hd_origin *o = self;
    hd_origin_free(o);
    o->arena = hd_arena_new();
    o->from = launch;
    o->reached = hd_alloc_items(o->arena, launch->access_count + 1, sizeof *o->reached);
    return HD_OK;
}

static void *open_block(void *self, uint64_t block) {
    (void)block;
    return self;
}

/* Whichever block comes first: all of them say the same. */
static void hear_event(void *stream, const hd_event *event) {
    hd_origin *o = stream;
    _Atomic uint64_t *reached = &o->reached[event->access];
    if (atomic_load_explicit(reached, memory_order_relaxed))
        return;
    uint32_t lane = 0;
    while (!hd_event_active(event, lane))
        lane++;
    atomic_store_explicit(reached, hd_event_address(event, lane) + 1, memory_order_relaxed);
}

/* ---- what it was -------------------------------------------------------------------------- */

/* Sets `to` to the original's buffer and field at an address; rows of the original's buffers stand
 * behind those of the launch. */
static void find_target(const hd_origin *o, uint64_t address, hd_event_access *to) {
    const hd_job *job = o->placed->job, *original = o->placed->original;
    const hd_event_launch *launch = o->from;
    uint32_t row = 0, b = 0, buffer;
    int32_t field;
    while (row < launch->buffer_count &&
           (launch->buffers[row].space != KIR_GLOBAL || address < launch->buffers[row].base ||
            address - launch->buffers[row].base >= launch->buffers[row].bytes))
        row++;
    while (row < launch->buffer_count && b < job->buffer_count &&
           strcmp(job->buffers[b].name, launch->buffers[row].name))
        b++;
    if (row == launch->buffer_count || b == job->buffer_count ||
        !hd_placed_find(o->placed, b, address - launch->buffers[row].base, &buffer, &field))
        return;
    const hd_record *record = original->buffers[buffer].record;
    to->buffer = (int32_t)(launch->buffer_count + buffer);
    if (field >= 0 && record) {
        to->record = record->name;
        to->field = record->fields[field].name;
    }
}

/* Kernels are launched again and again. */
static hd_place origin_of(hd_origin *o, const hd_place *place) {
    hd_arena *arena = o->view.arena;
    const char *key = hd_format(o->arena, "%s:%u:%u", place->file, place->line, place->column);
    uint64_t number = hd_hash_get_key(&o->known, key);
    if (number == HD_NO_VALUE) {
        number = o->places.count;
        hd_hash_add_key(&o->known, hd_strdup(arena, key), number);
        hd_push(arena, &o->places, hd_rewritten_origin(&o->view, place));
    }
    return o->places.data[number];
}

/* The number of a file in the list, where it is added if it is new. */
static uint32_t file_number(hd_arena *arena, const char **files, uint32_t *count,
                            const char *file) {
    uint32_t f = 0;
    while (f < *count && strcmp(files[f], file))
        f++;
    if (f == *count)
        files[(*count)++] = hd_strdup(arena, file);
    return f;
}

static hd_event_buffer *all_buffers(const hd_origin *o) {
    const hd_event_launch *launch = o->from;
    const hd_job *original = o->placed->original;
    hd_event_buffer *rows =
        hd_new_array(o->arena, hd_event_buffer, launch->buffer_count + original->buffer_count + 1);
    if (launch->buffer_count)
        memcpy(rows, launch->buffers, launch->buffer_count * sizeof *rows);
    for (uint32_t b = 0; b < original->buffer_count; b++)
        rows[launch->buffer_count + b] =
            (hd_event_buffer){.name = original->buffers[b].name, .space = KIR_GLOBAL};
    return rows;
}

static hd_status end_launch(void *self, bool complete) {
    hd_origin *o = self;
    const hd_event_launch *from = o->from;
    hd_event_access *accesses = hd_new_array(o->arena, hd_event_access, from->access_count + 1);
    const char **files = hd_new_array(o->arena, const char *, from->access_count + 1);
    (void)complete;
    o->launch = *from;
    o->launch.buffers = all_buffers(o);
    o->launch.buffer_count += o->placed->original->buffer_count;
    o->launch.accesses = accesses;
    o->launch.files = files;
    o->launch.file_count = 0;
    for (uint32_t a = 0; a < from->access_count; a++) {
        accesses[a] = from->accesses[a];
        const char *file = accesses[a].file < from->file_count ? from->files[accesses[a].file] : "";
        const hd_place place = {
            .file = file, .line = accesses[a].line, .column = accesses[a].column};
        const hd_place origin = origin_of(o, &place);
        accesses[a].file = file_number(o->arena, files, &o->launch.file_count, origin.file);
        accesses[a].line = origin.line;
        accesses[a].column = origin.column;
        if (o->reached[a])
            find_target(o, o->reached[a] - 1, &accesses[a]);
    }
    return HD_OK;
}

hd_origin *hd_origin_new(const hd_rewritten_view *view, const hd_placed_job *placed) {
    hd_origin *o = hd_new(view->arena, hd_origin);
    o->view = *view;
    o->placed = placed;
    o->known = (hd_hash_table){.arena = view->arena, .key_bytes = HD_TEXT_KEYS};
    return o;
}

hd_sink hd_origin_sink(hd_origin *origin) {
    return (hd_sink){origin, begin_launch, open_block, hear_event, NULL, end_launch};
}

const hd_event_launch *hd_origin_launch(const hd_origin *origin) { return &origin->launch; }

void hd_origin_free(hd_origin *origin) {
    if (origin->arena)
        hd_arena_free(origin->arena);
    origin->arena = NULL;
}
