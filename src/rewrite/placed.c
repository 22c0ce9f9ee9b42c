/* The job that goes with rewritten kernels (placed.h). */
#include "rewrite/placed.h"

typedef struct placer {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_job *original;
    const hd_record_layout *layouts;
    uint32_t layout_count;
    const kir_module *module;
    hd_placed_job *placed;
} placer;

/* ---- buffers -------------------------------------------------------------------- */

static const hd_layout *layout_of(const placer *p, const hd_record *record) {
    for (uint32_t l = 0; record && l < p->layout_count; l++)
        if (p->layouts[l].record == record)
            return p->layouts[l].layout;
    return NULL;
}

static hd_status make_maps(const placer *p) {
    uint32_t total = 0;
    for (uint32_t b = 0; b < p->original->buffer_count; b++) {
        const hd_buffer *buffer = &p->original->buffers[b];
        hd_map *map = NULL;
        hd_status status = HD_OK;
        const hd_layout *layout = layout_of(p, buffer->record);
        if (layout)
            status = hd_map_make(p->arena, p->diag, buffer->record, layout, buffer->count, &map);
        if (status != HD_OK)
            return status;
        p->placed->buffers[b] = (hd_placed_buffer){map, total, map ? map->allocation_count : 1};
        total += p->placed->buffers[b].count;
    }
    p->placed->job->buffer_count = total;
    p->placed->job->buffers = hd_new_array(p->arena, hd_buffer, total);
    return HD_OK;
}

/* A buffer of bytes for one allocation. */
static hd_buffer allocation_of(const placer *p, const hd_buffer *from, const hd_map *map,
                               uint32_t allocation) {
    bool one = map->allocation_count == 1;
    return (hd_buffer){.name =
                           one ? from->name : hd_format(p->arena, "%s_%u", from->name, allocation),
                       .type = "uchar",
                       .count = map->allocation_bytes[allocation],
                       .place = from->place,
                       .scalar = {KIR_INT, 8, 1, 0},
                       .element_bytes = 1};
}

/* A record by its name in the new module; borrowed from the old one without one. */
static const hd_record *record_of(const placer *p, const hd_record *record) {
    const hd_record *same = record && p->module ? kir_find_record(p->module, record->name) : NULL;
    return same ? same : record;
}

static void place_buffer(const placer *p, uint32_t b) {
    const hd_buffer *from = &p->original->buffers[b];
    const hd_placed_buffer *at = &p->placed->buffers[b];
    hd_buffer *to = p->placed->job->buffers + at->first;
    for (uint32_t m = 0; at->map && m < at->count; m++)
        to[m] = allocation_of(p, from, at->map, m);
    if (!at->map) {
        *to = *from;
        to->record = record_of(p, from->record);
    }
}

void hd_placed_scatter(hd_arena *arena, const hd_placed_job *placed, void *const *from, void **to) {
    for (uint32_t b = 0; b < placed->original->buffer_count; b++) {
        const hd_placed_buffer *at = &placed->buffers[b];
        for (uint32_t m = 0; m < at->count; m++)
            to[at->first + m] = at->map ? hd_alloc(arena, at->map->allocation_bytes[m]) : from[b];
        if (at->map)
            hd_map_scatter(at->map, from[b], to + at->first);
    }
}

void hd_placed_gather(hd_arena *arena, const hd_placed_job *placed, void *const *from, void **to) {
    for (uint32_t b = 0; b < placed->original->buffer_count; b++) {
        const hd_buffer *buffer = &placed->original->buffers[b];
        const hd_placed_buffer *at = &placed->buffers[b];
        to[b] = from[at->first];
        if (at->map) {
            to[b] = hd_alloc(arena, buffer->count * buffer->element_bytes);
            hd_map_gather(at->map, from + at->first, to[b]);
        }
    }
}

/* ---- launches ------------------------------------------------------------------- */

typedef hd_vec(hd_arg) arg_list;

/* One argument of the original as those of the rewritten kernel, from its parameter
 * *next on. */
static void place_arg(const placer *p, const hd_arg *from, arg_list *args, uint32_t *next) {
    hd_arg arg = *from;
    const hd_placed_buffer *at =
        from->kind == HD_ARG_BUFFER ? &p->placed->buffers[from->buffer] : NULL;
    for (uint32_t m = 0; at && m < at->count; m++) {
        const hd_buffer *buffer = &p->placed->job->buffers[at->first + m];
        arg.param = (*next)++;
        arg.buffer = at->first + m;
        arg.buffer_name = buffer->name;
        if (at->map && at->count > 1)
            arg.name = hd_format(p->arena, "%s_%u", from->name, m);
        hd_push(p->arena, args, arg);
    }
    if (!at) {
        arg.param = (*next)++;
        hd_push(p->arena, args, arg);
    } else if (at->map) {
        hd_arg count = {.name = hd_format(p->arena, "%s_count", from->name),
                        .kind = HD_ARG_VALUE,
                        .value_text =
                            hd_format(p->arena, "%llu", (unsigned long long)at->map->count),
                        .place = from->place,
                        .param = (*next)++,
                        .value_bytes = sizeof at->map->count};
        memcpy(count.value, &at->map->count, sizeof at->map->count);
        hd_push(p->arena, args, count);
    }
}

/* Variables of the module are no parameters and keep their numbers. */
static void place_variable(const placer *p, const hd_arg *from, arg_list *args) {
    hd_arg arg = *from;
    arg.buffer = p->placed->buffers[from->buffer].first;
    arg.buffer_name = p->placed->job->buffers[arg.buffer].name;
    hd_push(p->arena, args, arg);
}

static hd_status place_launch(const placer *p, const hd_launch *from, hd_launch *to) {
    arg_list args = {0};
    uint32_t next = 0;
    for (uint32_t param = 0; param < from->kernel->param_count; param++)
        for (uint32_t a = 0; a < from->arg_count; a++)
            if (from->args[a].param == param)
                place_arg(p, &from->args[a], &args, &next);
    for (uint32_t a = 0; a < from->arg_count; a++)
        if (from->args[a].param == KIR_NONE)
            place_variable(p, &from->args[a], &args);
    *to = *from;
    to->args = args.data;
    to->arg_count = (uint32_t)args.count;
    to->kernel = p->module ? kir_find_kernel(p->module, from->kernel_name) : NULL;
    if (p->module && (!to->kernel || to->kernel->param_count != next))
        return hd_fail(p->diag, HD_EINPUT, &from->place,
                       "the rewritten kernels have no '%s' of %u parameters; rewrite them in this "
                       "layout",
                       from->kernel_name, next);
    return HD_OK;
}

hd_status hd_job_in_layout(hd_arena *arena, const hd_diag *diag, const hd_job *original,
                           const hd_record_layout *layouts, uint32_t layout_count,
                           const kir_module *module, hd_placed_job **result) {
    placer p = {arena, diag, original, layouts, layout_count, module, hd_new(arena, hd_placed_job)};
    hd_job *job = hd_new(arena, hd_job);
    *job = *original;
    job->record = NULL;
    job->record_name = NULL;
    job->module = module;
    job->launches = hd_new_array(arena, hd_launch, job->launch_count);
    p.placed->original = original;
    p.placed->job = job;
    p.placed->buffers = hd_new_array(arena, hd_placed_buffer, original->buffer_count);
    hd_status status = make_maps(&p);
    if (status != HD_OK)
        return status;
    for (uint32_t b = 0; b < original->buffer_count; b++)
        place_buffer(&p, b);
    for (uint32_t l = 0; l < job->launch_count && status == HD_OK; l++)
        status = place_launch(&p, &original->launches[l], &job->launches[l]);
    if (status == HD_OK)
        *result = p.placed;
    return status;
}
