/* The job that goes with rewritten kernels (placed.h). */
#include "rewrite/thread_map.h"

static const char map_name[] = "heddle_map", first_name[] = "heddle_map_first";

typedef struct placer {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_job *original;
    const hd_record_layout *layouts;
    uint32_t layout_count;
    const kir_module *module;
    const hd_order_file *orders; /* NULL: none */
    hd_placed_job *placed;
    hd_until **untils; /* [original->until_count]; NULL where none of its launches came yet */
} placer;

/* ---- buffers -------------------------------------------------------------------- */

/* A tile is allocated whole: one of many more elements than there are is for another size of the job. */
static hd_status check_bytes(const placer *p, const hd_buffer *buffer, const hd_map *map) {
    enum { MOST_TIMES = 64 };
    const uint64_t least = (uint64_t)1 << 28;
    const uint64_t bytes = buffer->count * map->record->size;
    uint64_t placed = 0;
    for (uint32_t m = 0; m < map->allocation_count; m++)
        placed += map->allocation_bytes[m];
    if (placed <= least || placed / MOST_TIMES <= bytes)
        return HD_OK;
    return hd_fail(p->diag, HD_EINPUT, &buffer->place,
                   "in this layout the %llu elements of buffer '%s' take %llu bytes, in place of "
                   "%llu: a tile has many more elements than that; take a smaller one",
                   (unsigned long long)buffer->count, buffer->name, (unsigned long long)placed,
                   (unsigned long long)bytes);
}

static hd_status find_buffer(const placer *p, uint32_t b, uint32_t *total) {
    const hd_buffer *buffer = &p->original->buffers[b];
    hd_placed_buffer *at = &p->placed->buffers[b];
    const hd_job_arrays *arrays = hd_job_arrays_of(p->original, b, &at->field);
    const hd_record *record = arrays ? arrays->record : buffer->record;
    const hd_record_layout *chosen = NULL;
    for (uint32_t l = 0; record && l < p->layout_count && !chosen; l++)
        if (hd_record_declared(p->layouts[l].record) == record)
            chosen = &p->layouts[l];
    at->arrays = chosen ? arrays : NULL;
    for (uint32_t other = 0; at->arrays && other < b; other++)
        if (p->placed->buffers[other].arrays == arrays) { /* another field of the same record */
            uint32_t field = at->field;
            *at = p->placed->buffers[other];
            at->field = field;
            return HD_OK;
        }
    hd_map *map = NULL;
    if (chosen) {
        hd_status status =
            hd_map_make(p->arena, p->diag, chosen->record, chosen->layout, buffer->count, &map);
        if (status == HD_OK)
            status = check_bytes(p, buffer, map);
        if (status != HD_OK)
            return status;
    }
    at->map = map;
    at->first = *total;
    at->count = map ? map->allocation_count : 1;
    *total += at->count;
    return HD_OK;
}

/* A buffer of the original as buffers of bytes, one for each allocation; or as it was, with the
 * record of the same name in the new module, if there is one. */
static void place_buffer(const placer *p, uint32_t b) {
    const hd_buffer *from = &p->original->buffers[b];
    const hd_placed_buffer *at = &p->placed->buffers[b];
    hd_buffer *to = p->placed->job->buffers + at->first;
    const char *name = at->arrays ? at->arrays->name : from->name;
    for (uint32_t m = 0; at->map && m < at->count; m++)
        to[m] = (hd_buffer){.name = at->count == 1 ? name : hd_format(p->arena, "%s_%u", name, m),
                            .type = "uchar",
                            .count = at->map->allocation_bytes[m],
                            .place = from->place,
                            .placement = from->placement,
                            .scalar = {KIR_INT, 8, 1, 0},
                            .element_bytes = 1};
    if (at->map)
        return;
    const hd_record *same =
        from->record && p->module ? kir_find_record(p->module, from->record->name) : NULL;
    *to = *from;
    to->record = same ? same : from->record;
}

/* The last buffer: all orders, one behind the other. */
static hd_status place_map(const placer *p, hd_buffer *to) {
    uint64_t count = hd_map_numbers(p->orders, NULL);
    if (count >= HD_MAP_NONE)
        return hd_fail(p->diag, HD_EUNSUPPORTED, &(hd_place){.file = p->original->path},
                       "the orders are %llu numbers together, and one buffer takes %u at most; map "
                       "fewer launches",
                       (unsigned long long)count, HD_MAP_NONE - 1);
    uint32_t *numbers = hd_new_array(p->arena, uint32_t, count);
    hd_map_numbers(p->orders, numbers);
    *to = (hd_buffer){.name = map_name,
                      .type = "uint",
                      .count = count,
                      .bytes = numbers,
                      .scalar = {KIR_INT, 32, 1, 0},
                      .element_bytes = sizeof *numbers};
    return HD_OK;
}

/* ---- contents ------------------------------------------------------------------- */

/* Copies a field of every element between an array of its own and one of structs. */
static void copy_column(const hd_record *record, uint32_t field, uint64_t count,
                        unsigned char *structs, unsigned char *column, bool back) {
    const hd_field *f = &record->fields[field];
    for (uint64_t e = 0; e < count; e++) {
        unsigned char *inside = structs + e * record->size + f->offset;
        memcpy(back ? column + e * f->size : inside, back ? inside : column + e * f->size, f->size);
    }
}

/* The elements of a record in columns as structs, and back. */
static void copy_columns(const hd_record *record, uint64_t count, unsigned char *structs,
                         unsigned char *columns, bool back) {
    for (uint64_t e = 0; e < count; e++)
        for (uint32_t at = 0; at < record->size; at += record->align) {
            unsigned char *inside = structs + e * record->size + at;
            unsigned char *column = columns + hd_record_byte(record, count, e, at);
            memcpy(back ? column : inside, back ? inside : column, record->align);
        }
}

void hd_placed_scatter(hd_arena *arena, const hd_placed_job *placed, void *const *from, void **to) {
    for (uint32_t b = 0; b < placed->original->buffer_count; b++) {
        const hd_placed_buffer *at = &placed->buffers[b];
        bool is_shared = false; /* its allocations were made for another one already */
        for (uint32_t other = 0; other < b; other++)
            is_shared |= placed->buffers[other].first == at->first;
        if (at->arrays && is_shared)
            continue;
        for (uint32_t m = 0; m < at->count; m++)
            to[at->first + m] = at->map ? hd_alloc(arena, at->map->allocation_bytes[m]) : from[b];
        if (!at->map)
            continue;
        const hd_job_arrays *arrays = at->arrays;
        uint64_t count = placed->original->buffers[b].count;
        const hd_record *record = at->map->record;
        bool apart = arrays || record->in_columns;
        void *structs = apart ? hd_alloc(arena, count * record->size) : from[b];
        if (record->in_columns)
            copy_columns(record, count, structs, from[b], false);
        for (uint32_t f = 0; arrays && f < arrays->field_count; f++)
            copy_column(arrays->record, f, count, structs, from[arrays->buffers[f]], false);
        hd_map_scatter(at->map, structs, to + at->first);
    }
}

void hd_placed_gather(hd_arena *arena, const hd_placed_job *placed, void *const *from, void **to) {
    for (uint32_t b = 0; b < placed->original->buffer_count; b++) {
        const hd_buffer *buffer = &placed->original->buffers[b];
        const hd_placed_buffer *at = &placed->buffers[b];
        to[b] = from[at->first];
        if (!at->map)
            continue;
        to[b] = hd_alloc(arena, buffer->count * buffer->element_bytes);
        const hd_record *record = at->map->record;
        bool apart = at->arrays || record->in_columns;
        void *structs = apart ? hd_alloc(arena, buffer->count * record->size) : to[b];
        hd_map_gather(at->map, from + at->first, structs);
        if (at->arrays)
            copy_column(at->map->record, at->field, buffer->count, structs, to[b], true);
        if (record->in_columns)
            copy_columns(record, buffer->count, structs, to[b], true);
    }
}

bool hd_placed_find(const hd_placed_job *placed, uint32_t buffer, uint64_t byte, uint32_t *original,
                    int32_t *field) {
    uint32_t b = 0;
    while (b < placed->original->buffer_count &&
           buffer - placed->buffers[b].first >= placed->buffers[b].count)
        b++;
    if (b == placed->original->buffer_count)
        return false;
    const hd_placed_buffer *at = &placed->buffers[b];
    *original = b;
    *field = -1;
    if (!at->map)
        return true;
    int found = hd_map_field_at(at->map, buffer - at->first, byte);
    if (found >= 0 && at->arrays)
        *original = at->arrays->buffers[found];
    else if (found >= 0)
        *field = hd_record_field_at(hd_record_declared(at->map->record),
                                    at->map->record->fields[found].offset);
    return found >= 0;
}

/* ---- launches ------------------------------------------------------------------- */

typedef hd_vec(hd_arg) arg_list;

/* True when an argument before `from` in the list of parameters brought the allocations. */
static bool was_placed_before(const placer *p, const hd_launch *launch, const hd_arg *from) {
    const hd_placed_buffer *at = &p->placed->buffers[from->buffer];
    for (uint32_t a = 0; a < launch->arg_count && at->arrays; a++) {
        const hd_arg *other = &launch->args[a];
        if (other->kind == HD_ARG_BUFFER && other->param < from->param &&
            p->placed->buffers[other->buffer].arrays == at->arrays)
            return true;
    }
    return false;
}

static hd_arg value_arg(const placer *p, hd_place place, const char *name, uint64_t value,
                        uint32_t bytes, uint32_t param) {
    hd_arg arg = {.name = name,
                  .kind = HD_ARG_VALUE,
                  .value_text = hd_format(p->arena, "%llu", (unsigned long long)value),
                  .place = place,
                  .param = param,
                  .value = hd_alloc(p->arena, bytes),
                  .value_bytes = bytes};
    memcpy(arg.value, &value, bytes); /* of a little-endian machine */
    return arg;
}

/* A buffer as those of the rewritten kernel, from its parameter *next on. */
static void place_buffer_arg(const placer *p, const hd_arg *from, arg_list *args, uint32_t *next) {
    const hd_placed_buffer *at = &p->placed->buffers[from->buffer];
    const char *name = at->arrays ? at->arrays->name : from->name;
    for (uint32_t m = 0; m < at->count; m++) {
        hd_arg arg = *from;
        arg.param = (*next)++;
        arg.buffer = at->first + m;
        arg.buffer_name = p->placed->job->buffers[arg.buffer].name;
        arg.name = at->count > 1 ? hd_format(p->arena, "%s_%u", name, m) : name;
        hd_push(p->arena, args, arg);
    }
    if (at->map) {
        hd_arg count = value_arg(p, from->place, hd_format(p->arena, "%s_count", name),
                                 at->map->count, sizeof(uint64_t), (*next)++);
        hd_push(p->arena, args, count);
    }
}

/* Where a byte of an element of the original's buffer is now: in which of the new job's buffers, which
 * are of bytes, and where there. */
static uint64_t place_byte(const hd_placed_buffer *at, uint64_t element, uint32_t offset,
                           uint32_t *buffer) {
    const hd_map *map = at->map;
    uint32_t field = at->arrays ? at->field : (uint32_t)hd_record_field_at(map->record, offset);
    uint32_t inside = at->arrays ? offset : offset - map->record->fields[field].offset;
    *buffer = at->first + map->clusters[map->fields[field].cluster].allocation;
    return hd_map_address(map, field, element) + inside;
}

typedef hd_vec(hd_held) held_list;

static void push_held(const placer *p, hd_held held, uint32_t buffer, uint32_t from,
                      held_list *all) {
    held.buffer = buffer;
    held.from = from;
    held.buffer_name = p->placed->job->buffers[buffer].name;
    held.from_name = p->placed->job->buffers[from].name;
    hd_push(p->arena, all, held);
}

/* One element is set byte by byte. */
static void place_set(const placer *p, const hd_held *from, held_list *all) {
    const hd_buffer *buffer = &p->original->buffers[from->buffer];
    uint32_t count;
    const hd_leaf *leaves = hd_leaves_of_buffer(p->arena, buffer, from->field, &count);
    for (uint32_t l = 0; l < count; l++) {
        uint8_t value[8] = {0};
        kir_type type = leaves[l].type;
        type.lanes = 1;
        if (leaves[l].opaque ||
            !hd_type_parse_value(type, leaves[l].is_signed, from->value_text, value))
            continue;
        uint32_t size = type.bits / 8u, to;
        for (uint32_t byte = 0; byte < leaves[l].type.lanes * size; byte++) {
            hd_held one = *from;
            one.field = NULL;
            one.value_text = hd_format(p->arena, "%u", value[byte % size]);
            one.element = place_byte(&p->placed->buffers[from->buffer], from->element,
                                     leaves[l].offset + byte, &to);
            push_held(p, one, to, to, all);
        }
    }
}

/* What is written between launches: one element, or into all allocations of a buffer that it is whole
 * of. */
static hd_status place_held(const placer *p, const hd_held *from, uint32_t from_count,
                            hd_held **held, uint32_t *count) {
    held_list all = {0};
    for (uint32_t i = 0; i < from_count; i++) {
        const hd_placed_buffer *to = &p->placed->buffers[from[i].buffer];
        const hd_placed_buffer *source = &p->placed->buffers[from[i].from];
        bool is_copy = from[i].kind == HD_HELD_COPY;
        bool is_zero = from[i].kind == HD_HELD_FILL && !strcmp(from[i].value_text, "0");
        if (to->map && from[i].kind == HD_HELD_SET) {
            place_set(p, &from[i], &all);
            continue;
        }
        bool can = !to->map || (!to->arrays && (is_zero || is_copy));
        if (!can || (is_copy && to->count != source->count))
            return hd_fail(p->diag, HD_EUNSUPPORTED, &from[i].place,
                           "buffer '%s' is in a layout now, and between launches only a copy of "
                           "all of it, a fill with 0 or the setting of an element can follow that; "
                           "do this in a kernel",
                           p->original->buffers[from[i].buffer].name);
        for (uint32_t m = 0; m < to->count; m++)
            push_held(p, from[i], to->first + m, (is_copy ? source : to)->first + m, &all);
    }
    *held = all.data;
    *count = (uint32_t)all.count;
    return HD_OK;
}

/* A scalar that is read, where it lies now. */
static hd_spot place_spot(const placer *p, const hd_spot *from) {
    const hd_placed_buffer *at = &p->placed->buffers[from->buffer];
    hd_spot spot = *from;
    spot.buffer = at->first;
    if (at->map) {
        spot.element = place_byte(at, from->element, from->offset, &spot.buffer);
        spot.offset = 0;
        spot.field = NULL;
    }
    spot.buffer_name = p->placed->job->buffers[spot.buffer].name;
    return spot;
}

static const hd_spot *place_read(const placer *p, const hd_spot *from) {
    hd_spot *spot = from ? hd_new(p->arena, hd_spot) : NULL;
    if (spot)
        *spot = place_spot(p, from);
    return spot;
}

/* The same group of launches ends by a value where that lies now. */
static const hd_until *place_until(const placer *p, const hd_until *from) {
    hd_until **placed = from ? &p->untils[from->number] : NULL;
    if (!placed || *placed)
        return placed ? *placed : NULL;
    *placed = hd_new(p->arena, hd_until);
    **placed = *from;
    (*placed)->spot = place_spot(p, &from->spot);
    return *placed;
}

/* The map, and where the launch's order begins in it, behind its own arguments. All launches of a
 * mapped kernel have them. */
static void add_map_args(const placer *p, const hd_launch *from, arg_list *args, uint32_t *next) {
    uint64_t first;
    bool is_mapped = false;
    for (uint32_t o = 0; p->orders && o < p->orders->order_count; o++)
        is_mapped |= !strcmp(p->original->launches[p->orders->orders[o].launch].kernel_name,
                             from->kernel_name);
    if (!is_mapped)
        return;
    hd_map_order_of(p->original, p->orders, (uint32_t)(from - p->original->launches), &first);
    hd_arg map = {.name = map_name,
                  .kind = HD_ARG_BUFFER,
                  .buffer_name = map_name,
                  .place = from->place,
                  .param = (*next)++,
                  .buffer = p->placed->job->buffer_count - 1};
    hd_push(p->arena, args, map);
    hd_arg begin = value_arg(p, from->place, first_name, first, sizeof(uint32_t), (*next)++);
    hd_push(p->arena, args, begin);
}

static hd_status place_launch(const placer *p, const hd_launch *from, hd_launch *to) {
    arg_list args = {0};
    uint32_t next = 0;
    const kir_kernel *kernel = p->module ? kir_find_kernel(p->module, from->kernel_name) : NULL;
    for (uint32_t param = 0; param < from->kernel->param_count; param++)
        for (uint32_t a = 0; a < from->arg_count; a++) {
            hd_arg arg = from->args[a];
            if (arg.param != param)
                continue;
            if (arg.kind == HD_ARG_BUFFER) {
                if (!was_placed_before(p, from, &arg))
                    place_buffer_arg(p, &arg, &args, &next);
                continue;
            }
            arg.param = next++;
            arg.from = place_read(p, arg.from);
            hd_push(p->arena, &args, arg);
        }
    for (uint32_t a = 0; a < from->arg_count; a++) {
        hd_arg arg = from->args[a];
        if (arg.param != KIR_NONE) /* variables of the module are no parameters */
            continue;
        arg.buffer = p->placed->buffers[arg.buffer].first;
        arg.buffer_name = p->placed->job->buffers[arg.buffer].name;
        for (uint32_t v = 0; kernel && v < kernel->static_count;
             v++) /* its number may be another */
            if (!strcmp(kernel->statics[v].name, arg.name))
                arg.variable = v;
        hd_push(p->arena, &args, arg);
    }
    add_map_args(p, from, &args, &next);
    *to = *from;
    to->until = place_until(p, from->until);
    to->items_from = place_read(p, from->items_from);
    hd_status status =
        place_held(p, from->before, from->before_count, &to->before, &to->before_count);
    if (status != HD_OK)
        return status;
    to->args = args.data;
    to->arg_count = (uint32_t)args.count;
    to->kernel = kernel;
    if (p->module && (!kernel || kernel->param_count != next))
        return hd_fail(p->diag, HD_EINPUT, &from->place,
                       "the rewritten kernels have no '%s' of %u parameters; rewrite them %s",
                       from->kernel_name, next, p->orders ? "for these orders" : "in this layout");
    return HD_OK;
}

hd_status hd_job_in_layout(hd_arena *arena, const hd_diag *diag, const hd_job *original,
                           const hd_record_layout *layouts, uint32_t layout_count,
                           const hd_order_file *orders, const kir_module *module,
                           hd_placed_job **result) {
    placer p = {.arena = arena,
                .diag = diag,
                .original = original,
                .layouts = layouts,
                .layout_count = layout_count,
                .module = module,
                .orders = orders,
                .placed = hd_new(arena, hd_placed_job),
                .untils = hd_new_array(arena, hd_until *, original->until_count)};
    hd_job *job = hd_new(arena, hd_job);
    *job = *original;
    job->record = NULL;
    job->record_name = NULL;
    job->numberings = NULL;
    job->module = module;
    job->buffer_count = 0;
    job->launches = hd_new_array(arena, hd_launch, job->launch_count);
    p.placed->original = original;
    p.placed->job = job;
    p.placed->buffers = hd_new_array(arena, hd_placed_buffer, original->buffer_count);
    hd_status status = HD_OK;
    for (uint32_t b = 0; b < original->buffer_count && status == HD_OK; b++)
        status = find_buffer(&p, b, &job->buffer_count);
    if (status != HD_OK)
        return status;
    job->buffers = hd_new_array(arena, hd_buffer, job->buffer_count + 1);
    for (uint32_t b = 0; b < original->buffer_count; b++)
        place_buffer(&p, b);
    if (orders)
        status = place_map(&p, &job->buffers[job->buffer_count++]);
    for (uint32_t l = 0; l < job->launch_count && status == HD_OK; l++)
        status = place_launch(&p, &original->launches[l], &job->launches[l]);
    if (status == HD_OK)
        status = place_held(&p, original->last, original->last_count, &job->last, &job->last_count);
    if (status == HD_OK)
        *result = p.placed;
    return status;
}
