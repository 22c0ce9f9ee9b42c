/*
 * Where addresses lead to, as run and in a layout.
 *
 * The machine ran the kernel with the record that its source declares. In a layout, the address
 * base + e * size + i of a buffer of these records is that of byte i of element e there: field and
 * place inside it follow from i, and the field's place from the map that the rewriter and the cost
 * model use, too (layout/map.c). What a job says of a record that is taken apart, or made of
 * arrays, changes which byte is whose and nothing else: a buffer of such a record's arrays is one
 * field of all its elements.
 *
 * Buffers in a layout stand behind all addresses of the trace, each allocation on a boundary of
 * its own, so that no two things share a line that did not before.
 */
#include <stdlib.h>

#include "base/table.h"
#include "analysis/cache_parts.h"

enum { ALLOCATION_ALIGN = 512 };

/* ---- places --------------------------------------------------------------------------------- */

static uint32_t place_of_buffer(cache_memory *m, const char *name) {
    for (uint32_t i = 0; i < m->places.count; i++) {
        const memory_place *p = &m->places.data[i];
        if (!p->is.record && p->buffer && !strcmp(p->buffer, name))
            return i;
    }
    hd_push(m->arena, &m->places, (memory_place){name, {.name = name, .field = -1}});
    return (uint32_t)m->places.count - 1;
}

static bool are_places_of(const cache_memory *m, size_t first, const char *buffer,
                          const hd_record *record) {
    const memory_place *p = &m->places.data[first];
    bool are = record->field_count <= m->places.count - first;
    for (uint32_t f = 0; f < record->field_count && are; f++)
        are = p[f].is.record && !strcmp(p[f].buffer, buffer) &&
              !strcmp(p[f].is.record, record->name) &&
              !strcmp(p[f].is.name, record->fields[f].name);
    return are;
}

/* The first of as many rows as the record has fields. */
static uint32_t places_of_record(cache_memory *m, const char *buffer, const hd_record *record) {
    uint32_t first = 0;
    while (first < m->places.count && !are_places_of(m, first, buffer, record))
        first++;
    if (first < m->places.count)
        return first;
    bool is_jobs = m->job && m->job->record == record;
    for (uint32_t f = 0; f < record->field_count; f++)
        hd_push(m->arena, &m->places,
                (memory_place){buffer,
                               {.record = record->name,
                                .name = record->fields[f].name,
                                .field = is_jobs ? (int32_t)f : -1}});
    return first;
}

/* ---- fields of bytes ------------------------------------------------------------------------- */

static int16_t *fields_of_bytes(hd_arena *arena, const hd_record *record) {
    int16_t *field_at = hd_new_array(arena, int16_t, record->size);
    memset(field_at, 0xff, record->size * sizeof *field_at);
    for (uint32_t f = 0; f < record->field_count; f++)
        for (uint32_t i = 0; i < record->fields[f].size; i++)
            field_at[record->fields[f].offset + i] = (int16_t)f;
    return field_at;
}

/* ---- a layout's addresses --------------------------------------------------------------------- */

static uint64_t end_of_all(const hd_trace_contents *contents) {
    uint64_t end = 0;
    for (uint32_t l = 0; l < contents->launch_count; l++) {
        const hd_event_launch *launch = &contents->launches[l].launch;
        for (uint32_t b = 0; b < launch->buffer_count; b++)
            if (launch->buffers[b].space == KIR_GLOBAL &&
                launch->buffers[b].base + launch->buffers[b].bytes > end)
                end = launch->buffers[b].base + launch->buffers[b].bytes;
    }
    return hd_align_up(end, ALLOCATION_ALIGN);
}

static field_address address_of(const hd_map *map, const uint64_t *allocations, uint32_t f) {
    const hd_field_place *field = &map->fields[f];
    const hd_cluster_place *cluster = &map->clusters[field->cluster];
    bool is_soa = map->layout->clusters[field->cluster].tile == HD_TILE_SOA;
    return (field_address){
        .base = allocations[cluster->allocation] + cluster->base + field->run,
        .tile_bytes = cluster->tile_bytes,
        .step = field->size,
        .mask = is_soa ? UINT64_MAX >> 1 : cluster->tile - 1,
        .shift = is_soa ? 63 : (uint32_t)__builtin_ctzll(cluster->tile),
    };
}

/* Which layout a buffer gets: of the job's record, or of one that is laid out already; without a record
 * it stays. */
static hd_record_layout layout_of(const cache_memory *m, const hd_buffer *buffer) {
    const hd_job *job = m->job;
    const hd_record *held = buffer->arrays ? buffer->arrays->record : buffer->record;
    if (held && held == (buffer->arrays ? job->record : hd_record_declared(job->record)))
        return (hd_record_layout){job->record, m->layout};
    for (uint32_t l = 0; l < job->laid_count; l++)
        if (held && held == job->laid[l].record)
            return job->laid[l];
    return (hd_record_layout){0};
}

/* `count` elements of a record, laid out from *next on. */
static hd_status lay_out(cache_memory *m, const hd_record_layout *of, uint64_t count,
                         uint64_t *next, const field_address **result) {
    const hd_record *record = of->record;
    hd_map *map;
    hd_status status = hd_map_make(m->arena, m->diag, record, of->layout, count, &map);
    if (status)
        return status;
    uint64_t *allocations = hd_new_array(m->arena, uint64_t, map->allocation_count);
    for (uint32_t a = 0; a < map->allocation_count; a++) {
        allocations[a] = *next;
        *next = hd_align_up(*next + map->allocation_bytes[a], ALLOCATION_ALIGN);
        if (*next < allocations[a] || *next > INT64_MAX)
            return hd_fail(m->diag, HD_EINPUT, NULL,
                           "the record's buffers do not fit 63 bits of address in layout %s; use "
                           "fewer elements",
                           hd_layout_print(m->arena, record, of->layout));
    }
    field_address *fields = hd_new_array(m->arena, field_address, record->field_count);
    for (uint32_t f = 0; f < record->field_count; f++)
        fields[f] = address_of(map, allocations, f);
    *result = fields;
    return HD_OK;
}

static hd_status lay_out_job(cache_memory *m, uint64_t next) {
    const hd_job *job = m->job;
    hd_status status = HD_OK;
    m->buffer_fields = hd_new_array(m->arena, const field_address *, job->buffer_count);
    for (uint32_t a = 0; a < job->arrays_count && !status; a++) {
        const hd_job_arrays *arrays = &job->arrays[a];
        const field_address *fields = NULL;
        const hd_record_layout of = layout_of(m, &job->buffers[arrays->buffers[0]]);
        if (!of.record)
            continue;
        status = lay_out(m, &of, job->buffers[arrays->buffers[0]].count, &next, &fields);
        for (uint32_t f = 0; f < arrays->field_count; f++)
            m->buffer_fields[arrays->buffers[f]] = fields;
    }
    for (uint32_t b = 0; b < job->buffer_count && !status; b++) {
        const hd_record_layout of = layout_of(m, &job->buffers[b]);
        if (!job->buffers[b].arrays && of.record)
            status = lay_out(m, &of, job->buffers[b].count, &next, &m->buffer_fields[b]);
    }
    return status;
}

hd_status cache_memory_make(cache_memory *m, const hd_trace_contents *contents) {
    m->unknown = 0;
    hd_push(m->arena, &m->places, (memory_place){NULL, {.field = -1}});
    if (!m->layout)
        return HD_OK;
    hd_status status = hd_job_require_record(m->diag, m->job);
    return status ? status : lay_out_job(m, end_of_all(contents));
}

/* ---- the buffers of a launch -------------------------------------------------------------------- */

static int by_base(const void *a, const void *b) {
    uint64_t x = ((const memory_buffer *)a)->base, y = ((const memory_buffer *)b)->base;
    return (x > y) - (x < y);
}

static const hd_buffer *job_buffer(const cache_memory *m, const hd_event_buffer *row) {
    for (uint32_t b = 0; m->job && row->name && b < m->job->buffer_count; b++)
        if (!strcmp(m->job->buffers[b].name, row->name))
            return &m->job->buffers[b];
    return NULL;
}

/* What a buffer holds: fields of a record, as the job or else the trace knows it. */
static void describe_fields(cache_memory *m, const hd_event_buffer *row, const hd_buffer *of,
                            memory_buffer *buffer) {
    const hd_record *record = row->record;
    const char *name = row->name ? row->name : "";
    if (of && m->job->record && of->record && of->record == hd_record_declared(m->job->record))
        record = m->job->record;
    if (of && m->job->arrays_count && of->arrays) {
        record = of->arrays->record;
        buffer->place = places_of_record(m, name, record) + of->array_field;
        return;
    }
    if (!record || record->size != buffer->size || !record->field_count) {
        buffer->place = place_of_buffer(m, name);
        return;
    }
    buffer->columns = record->in_columns ? hd_record_declared(record) : NULL;
    buffer->place = places_of_record(m, name, record);
    buffer->field_at = fields_of_bytes(m->arena, record);
}

/* Its fields' addresses in the layout. */
static hd_status describe_layout(cache_memory *m, const hd_event_launch *launch,
                                 const hd_event_buffer *row, const hd_buffer *of,
                                 memory_buffer *buffer) {
    const field_address *fields = of ? m->buffer_fields[of - m->job->buffers] : NULL;
    if (!fields)
        return HD_OK;
    if (row->bytes != of->count * of->element_bytes || row->element_bytes != of->element_bytes)
        return hd_fail(m->diag, HD_EINPUT, NULL,
                       "the trace is of another job than %s: in its launch %u ('%s') buffer '%s' "
                       "has %llu bytes, and in the job %llu; trace the job anew",
                       m->job->path ? m->job->path : m->job->kernel_path, launch->number,
                       launch->kernel, of->name, (unsigned long long)row->bytes,
                       (unsigned long long)(of->count * of->element_bytes));
    buffer->record = layout_of(m, of).record;
    buffer->fields = of->arrays ? fields + of->array_field : fields;
    return HD_OK;
}

/* The launch of the job that has this number, every repeat being one; NULL when none has. */
static const hd_launch *job_launch(const hd_job *job, uint64_t number) {
    for (uint32_t l = 0; l < job->launch_count; l++) {
        if (number < job->launches[l].repeat)
            return &job->launches[l];
        number -= job->launches[l].repeat;
    }
    return NULL;
}

static hd_status check_launch(const cache_memory *m, const hd_event_launch *launch) {
    const char *file = m->job->path ? m->job->path : m->job->kernel_path;
    const hd_launch *of = job_launch(m->job, launch->number);
    if (!of)
        return hd_fail(m->diag, HD_EINPUT, NULL,
                       "the trace is of another job than %s: it has a launch %u, and the job has "
                       "fewer; trace the job anew",
                       file, launch->number);
    hd_grid grid = hd_grid_of(of->dims, of->global, of->local);
    bool is_same = !strcmp(of->kernel_name, launch->kernel) && of->dims == launch->dims;
    for (uint32_t d = 0; d < of->dims && is_same; d++)
        is_same = grid.groups[d] == launch->groups[d] && grid.local[d] == launch->local[d];
    return is_same ? HD_OK
                   : hd_fail(m->diag, HD_EINPUT, NULL,
                             "the trace is of another job than %s: its launch %u is of '%s', and "
                             "the job's of '%s' or of another size; trace the job anew",
                             file, launch->number, launch->kernel, of->kernel_name);
}

hd_status cache_memory_launch(cache_memory *m, const hd_event_launch *launch) {
    hd_status status = m->layout ? check_launch(m, launch) : HD_OK;
    m->buffers = hd_new_array(m->arena, memory_buffer, launch->buffer_count);
    m->of_row = hd_new_array(m->arena, memory_buffer *, launch->buffer_count);
    m->buffer_count = 0;
    for (uint32_t b = 0; b < launch->buffer_count && !status; b++) {
        const hd_event_buffer *row = &launch->buffers[b];
        const hd_buffer *of = job_buffer(m, row);
        memory_buffer *buffer = &m->buffers[m->buffer_count];
        if (row->space != KIR_GLOBAL || !row->bytes)
            continue;
        *buffer =
            (memory_buffer){row->base, row->bytes, row->element_bytes ? row->element_bytes : 1};
        describe_fields(m, row, of, buffer);
        if (m->layout)
            status = describe_layout(m, launch, row, of, buffer);
        m->buffer_count++;
    }
    if (m->buffer_count)
        qsort(m->buffers, m->buffer_count, sizeof *m->buffers, by_base);
    for (uint32_t b = 0; b < launch->buffer_count; b++)
        if (launch->buffers[b].space == KIR_GLOBAL && launch->buffers[b].bytes)
            m->of_row[b] = (memory_buffer *)cache_memory_find(m, launch->buffers[b].base);
    return status;
}

const memory_buffer *cache_memory_find(const cache_memory *m, uint64_t address) {
    uint32_t low = 0, high = m->buffer_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (m->buffers[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const memory_buffer *b = low ? &m->buffers[low - 1] : NULL;
    return b && address - b->base < b->bytes ? b : NULL;
}
