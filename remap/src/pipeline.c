/*
 * Moving data between the host and a device while its layout changes.
 *
 * Chunked, the way of the paper (Dymaxion, section 3.1 and figure 4): the source is cut into
 * chunks, and chunk i goes through slot i modulo their number. In the slot's queue its transfer
 * and its kernel follow each other; the next chunk's transfer runs in another queue meanwhile:
 *
 *     slot 0   transfer 0 | remap 0 |             transfer 3 | remap 3
 *     slot 1              | transfer 1 | remap 1 |
 *     slot 2                           | transfer 2 | remap 2
 *
 * Nobody waits on the host, except that memory that is not pinned passes through a pinned copy in
 * the slot, and the copy must be free. In bulk is the same with one chunk. Of a gather the whole
 * source goes first, then the index in chunks (section 5.3).
 */
#include <inttypes.h>
#include <stdlib.h>

#include "remap/remap_device.h"

/* One call. */
typedef struct move {
    hd_remap_device *device;
    hd_compute *gpu;
    const hd_remap *map;
    hd_remap_direction direction;
    const hd_remap_memory *parts;
    char *host;
    hd_remap_tuning tuning;
    hd_remap_units units;
    const hd_remap_numbers *numbers; /* NULL: the kernel takes none */
    void *kernel;
    uint64_t unit_bytes; /* of the host's that are transferred with a unit */
    bool whole_source;   /* a gather to the device: a unit has none of its own */
    bool keeps;          /* elements of the host that no place names keep their value */
    bool pinned;         /* the host's memory is */
    bool transfers, remaps;
} move;

/* A chunk in its slot. */
typedef struct chunk {
    hd_remap_slot *slot;
    uint64_t first, count;
    bool waiting; /* its bytes are to go from the slot's pinned memory to the host's */
} chunk;

enum {
    SHARED_ALIGNMENT = 16, /* of the widest values that kernels read */
    HOST_ALIGNMENT = 4096  /* a page */
};
static bool can_be_shared(const void *host) { return (uintptr_t)host % SHARED_ALIGNMENT == 0; }

/* ---- checks -------------------------------------------------------------------------- */

static hd_status check_parts(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                             const hd_remap_memory parts[]) {
    for (uint32_t p = 0; p < map->parts; p++) {
        uint64_t bytes = device->gpu->api->size_of(device->gpu, parts[p].cuda);
        if (bytes < map->bytes[p])
            return hd_fail(
                diag, HD_EINPUT, NULL,
                "part %u of the device's memory has %" PRIu64 " bytes; the map needs %" PRIu64 "%s",
                p, bytes, map->bytes[p], bytes ? "" : " in memory of the device's own context");
        for (uint32_t q = 0; q < p; q++)
            if (parts[q].cuda == parts[p].cuda)
                return hd_fail(diag, HD_EINPUT, NULL,
                               "parts %u and %u are the same memory; each needs its own", q, p);
    }
    return HD_OK;
}

static hd_status check_call(const hd_diag *diag, const hd_remap_device *device, const hd_remap *map,
                            const hd_remap_memory parts[]) {
    return hd_remap_needs(diag, {device, "device"}, {map, "map to remap by"},
                          {parts, "array of the device's memory"});
}

/* ---- beginning ------------------------------------------------------------------------ */

static hd_status begin(hd_remap_device *device, const hd_remap *map, hd_remap_direction direction,
                       const hd_remap_memory *parts, const void *host, move *m) {
    *m = (move){.device = device,
                .gpu = device->gpu,
                .map = map,
                .direction = direction,
                .parts = parts,
                .host = (char *)host};
    m->tuning = hd_remap_tuning_of(device, map, direction);
    m->units = hd_remap_units_of(map, direction);
    m->whole_source = map->kind == HD_REMAP_GATHER && direction == HD_REMAP_TO_DEVICE;
    m->unit_bytes = m->whole_source ? 0 : m->units.bytes;
    m->pinned = host && device->gpu->api->is_pinned(device->gpu, host);
    hd_status status = HD_OK;
    if (m->units.number_bytes)
        m->numbers = &map->element;
    if (m->numbers && !m->whole_source)
        status = hd_remap_places_of(device->diag, map, &m->numbers);
    bool may_keep = map->kind == HD_REMAP_GATHER && direction == HD_REMAP_FROM_DEVICE;
    for (uint64_t i = 0; status == HD_OK && may_keep && i < m->numbers->count && !m->keeps; i++)
        m->keeps = hd_remap_number(m->numbers, i) == HD_REMAP_NONE;
    if (status == HD_OK && map->source)
        status = hd_remap_compare(device, map);
    if (status == HD_OK)
        status = hd_remap_kernel_of(device, map, direction, &m->tuning, &m->kernel);
    return status;
}

/* ---- kernels ---------------------------------------------------------------------------- */

static hd_status finish(const move *m, hd_remap_slot *slot) {
    return hd_remap_check(m->device, m->gpu->api->finish(m->gpu, &slot->queue));
}

static hd_status write_memory(const move *m, hd_remap_slot *slot, hd_compute_memory to,
                              const void *from, uint64_t bytes) {
    return bytes ? hd_remap_check(m->device,
                                  m->gpu->api->write(m->gpu, &slot->queue, to, 0, from, bytes))
                 : HD_OK;
}

static const char *numbers_at(const move *m, uint64_t first) {
    return m->numbers ? (const char *)m->numbers->data + first * m->numbers->bytes : NULL;
}

static hd_status launch(const move *m, hd_remap_slot *slot, hd_compute_memory staging,
                        uint64_t first, uint64_t count) {
    hd_compute_launch shape = hd_remap_launch_of(m->map, &m->tuning, count);
    return hd_remap_launch_kernel(m->device, &slot->queue, m->kernel, &shape, m->parts,
                                  m->map->parts, staging, m->numbers ? slot->numbers : 0, first,
                                  count);
}

/* All units at once, in the first slot; `staging` has them all. Where it is the host's memory, that
 * may change from the launch on. */
static hd_status launch_all(const move *m, hd_compute_memory staging) {
    hd_remap_slot *slot = m->device->slots;
    uint64_t bytes = m->units.count * m->units.number_bytes;
    hd_status status = hd_remap_make_slots(m->device, 1, 0, bytes, 0);
    if (status == HD_OK)
        status = write_memory(m, slot, slot->numbers, numbers_at(m, 0), bytes);
    if (status == HD_OK)
        status = launch(m, slot, staging, 0, m->units.count);
    if (status == HD_OK && m->host && m->direction == HD_REMAP_FROM_DEVICE)
        m->device->changed = m->map->source_bytes;
    return status == HD_OK ? finish(m, slot) : status;
}

/* ---- a chunk ------------------------------------------------------------------------------ */

static char *host_at(const move *m, const chunk *c) { return m->host + c->first * m->unit_bytes; }

/* Brings what came back for a chunk from its slot's pinned memory; waits for it. */
static hd_status take_in(const move *m, chunk *c) {
    if (!c->waiting)
        return HD_OK;
    c->waiting = false;
    uint64_t end = (c->first + c->count) * m->unit_bytes;
    hd_status status = finish(m, c->slot);
    if (status == HD_OK) {
        m->device->changed = end;
        memcpy(host_at(m, c), c->slot->pinned.data, (size_t)(c->count * m->unit_bytes));
    }
    return status;
}

/* The host's bytes and numbers of a chunk, in memory that transfers may read while the call goes
 * on: where they are, or in the slot's pinned memory, once its last chunk is done with it. */
static hd_status stage(const move *m, const chunk *c, bool staged, const void **bytes,
                       const void **numbers) {
    hd_status status = HD_OK;
    size_t size = (size_t)(c->count * m->unit_bytes);
    size_t number_size = (size_t)(c->count * m->units.number_bytes);
    *bytes = host_at(m, c);
    *numbers = numbers_at(m, c->first);
    if (!staged)
        return HD_OK;
    status = finish(m, c->slot);
    if (status != HD_OK)
        return status;
    char *pinned = c->slot->pinned.data;
    if (m->direction == HD_REMAP_TO_DEVICE || m->keeps)
        memcpy(pinned, *bytes, size);
    if (number_size)
        memcpy(pinned + size, *numbers, number_size);
    *bytes = pinned;
    *numbers = pinned + size;
    return HD_OK;
}

static hd_status move_chunk(const move *m, chunk *c, bool staged, hd_compute_memory source) {
    const void *bytes, *numbers;
    hd_remap_slot *slot = c->slot;
    bool writes = m->transfers && (m->direction == HD_REMAP_TO_DEVICE || m->keeps);
    hd_status status = stage(m, c, staged, &bytes, &numbers);
    if (status == HD_OK && writes)
        status = write_memory(m, slot, slot->staging, bytes, c->count * m->unit_bytes);
    if (status == HD_OK)
        status = write_memory(m, slot, slot->numbers, numbers, c->count * m->units.number_bytes);
    if (status == HD_OK && m->remaps)
        status = launch(m, slot, m->whole_source ? source : slot->staging, c->first, c->count);
    if (status == HD_OK && m->direction == HD_REMAP_FROM_DEVICE && m->transfers) {
        void *to = staged ? slot->pinned.data : host_at(m, c);
        c->waiting = staged;
        if (!staged)
            m->device->changed = (c->first + c->count) * m->unit_bytes;
        status =
            hd_remap_check(m->device, m->gpu->api->read(m->gpu, &slot->queue, to, slot->staging, 0,
                                                        c->count * m->unit_bytes));
    }
    return status == HD_OK ? hd_remap_check(m->device, m->gpu->api->flush(m->gpu, &slot->queue))
                           : status;
}

/* ---- chunked and in bulk -------------------------------------------------------------------- */

/* Of a gather the whole source, in the first slot's queue; the others wait for it. */
static hd_status send_source(const move *m, hd_compute_memory *source) {
    hd_compute *gpu = m->gpu;
    hd_remap_slot *slots = m->device->slots;
    const char *error = gpu->api->allocate(gpu, HD_PLACEMENT_DEVICE, m->map->source_bytes, source);
    if (error)
        return hd_remap_check(m->device, error);
    error = gpu->api->write(gpu, &slots[0].queue, *source, 0, m->host, m->map->source_bytes);
    if (!error)
        error = gpu->api->flush(gpu, &slots[0].queue);
    for (int s = 1; s < HD_REMAP_SLOTS && !error; s++)
        error = gpu->api->follow(gpu, &slots[s].queue, &slots[0].queue);
    hd_status status = hd_remap_check(m->device, error);
    if (status != HD_OK) {
        hd_remap_device_settle(m->device);
        gpu->api->release(gpu, *source);
    }
    return status;
}

static hd_status move_chunks(const move *m, uint64_t units, bool staged) {
    chunk chunks[HD_REMAP_SLOTS] = {{0}};
    hd_compute_memory source = 0;
    uint64_t next = 0, bytes = units * m->unit_bytes, numbers = units * m->units.number_bytes;
    hd_status status = hd_remap_make_slots(m->device, (m->units.count + units - 1) / units, bytes,
                                           numbers, staged ? bytes + numbers : 0);
    if (status == HD_OK && m->whole_source)
        status = send_source(m, &source);
    if (status != HD_OK)
        return status;
    for (uint64_t first = 0; first < m->units.count && status == HD_OK; first += units, next++) {
        chunk *c = &chunks[next % HD_REMAP_SLOTS];
        uint64_t left = m->units.count - first;
        status = take_in(m, c);
        *c = (chunk){&m->device->slots[next % HD_REMAP_SLOTS], first, left < units ? left : units,
                     false};
        if (status == HD_OK)
            status = move_chunk(m, c, staged, source);
    }
    for (uint64_t c = 0; c < HD_REMAP_SLOTS && status == HD_OK; c++)
        status = take_in(m, &chunks[(next + c) % HD_REMAP_SLOTS]);
    for (int s = 0; s < HD_REMAP_SLOTS && status == HD_OK; s++)
        status = finish(m, &m->device->slots[s]);
    if (status != HD_OK)
        hd_remap_device_settle(m->device);
    if (m->whole_source)
        m->gpu->api->release(m->gpu, source);
    return status;
}

/* ---- the host's memory from the device ---- */

static hd_status zero_copy(const move *m) {
    hd_compute_shared shared;
    bool written = m->direction == HD_REMAP_FROM_DEVICE;
    if (!can_be_shared(m->host))
        return hd_fail(m->device->diag, HD_EINPUT, NULL,
                       "a device works on the host's memory only where it begins at a multiple of "
                       "%d bytes; use another strategy",
                       SHARED_ALIGNMENT);
    hd_status status = hd_remap_check(
        m->device, m->gpu->api->share(m->gpu, m->host, m->map->source_bytes, written, &shared));
    if (status != HD_OK)
        return status;
    status = launch_all(m, shared.memory);
    if (status != HD_OK)
        hd_remap_device_settle(m->device);
    const char *error =
        m->gpu->api->unshare(m->gpu, &m->device->slots[0].queue, status != HD_OK, &shared);
    return status == HD_OK ? hd_remap_check(m->device, error) : status;
}

/* ---- remapped by the host ---- */

/* Memory of the host for all parts, which the device keeps. What holds no element is zero, so that
 * nothing else of the host's reaches the device. */
static hd_status take_parts(hd_remap_device *device, const hd_remap *map, void **parts) {
    uint64_t bytes = 0, aligned = 0, held = 0; /* held by elements; 0: it is not known */
    for (uint32_t p = 0; p < map->parts; p++) {
        bytes += map->bytes[p];
        aligned += hd_align_up(map->bytes[p], HOST_ALIGNMENT);
    }
    if (map->kind == HD_REMAP_TRANSPOSE || map->kind == HD_REMAP_GATHER)
        held = bytes;
    for (uint32_t f = 0; map->layout && f < map->layout->record->field_count; f++)
        held += map->layout->record->fields[f].size * map->elements;
    if (device->host_bytes < aligned) {
        free(device->host_parts);
        device->host_parts = NULL;
        device->host_bytes = 0;
        if (posix_memalign(&device->host_parts, HOST_ALIGNMENT, (size_t)aligned) != 0)
            return hd_fail(device->diag, HD_ESYSTEM, NULL,
                           "no memory for %" PRIu64 " remapped bytes", aligned);
        device->host_bytes = aligned;
    }
    if (held != bytes)
        memset(device->host_parts, 0, (size_t)aligned);
    for (uint32_t p = 0; p < map->parts; p++)
        parts[p] = p ? (char *)parts[p - 1] + hd_align_up(map->bytes[p - 1], HOST_ALIGNMENT)
                     : device->host_parts;
    return HD_OK;
}

/* What is done with all parts: transfers, or, of memory in place, that it changes hands; the host
 * then has it at `parts`. */
typedef enum part_step { WRITE, READ, TO_HOST, TO_DEVICE } part_step;

static hd_status each_part(hd_remap_device *device, const hd_remap *map,
                           const hd_remap_memory memory[], void *parts[], part_step step) {
    hd_compute *gpu = device->gpu;
    hd_compute_queue *queue = &device->slots[0].queue;
    const char *error = NULL;
    for (uint32_t p = 0; p < map->parts && !error; p++)
        switch (step) {
        case WRITE:
            error = gpu->api->write(gpu, queue, memory[p].cuda, 0, parts[p], map->bytes[p]);
            break;
        case READ:
            error = gpu->api->read(gpu, queue, parts[p], memory[p].cuda, 0, map->bytes[p]);
            break;
        case TO_HOST: error = gpu->api->to_host(gpu, queue, memory[p].cuda, &parts[p]); break;
        case TO_DEVICE: error = gpu->api->to_device(gpu, queue, memory[p].cuda, true); break;
        }
    if (!error)
        error = gpu->api->finish(gpu, queue);
    hd_status status = hd_remap_check(device, error);
    if (status != HD_OK)
        hd_remap_device_settle(device);
    return status;
}

hd_remap_placement hd_remap_placement_of(const hd_remap_device *device, const hd_remap *map,
                                         const hd_remap_memory memory[]) {
    hd_placement first = hd_compute_placement(device->gpu, memory[0].cuda);
    for (uint32_t p = 1; p < map->parts; p++)
        if (hd_compute_placement(device->gpu, memory[p].cuda) != first)
            return HD_REMAP_IN_DEVICE;
    return (hd_remap_placement)first;
}

/* Right into memory in place, or out of it; else by way of memory of the host's. */
static hd_status host_remaps(hd_remap_device *device, const hd_remap *map,
                             hd_remap_direction direction, const hd_remap_memory memory[],
                             void *host, const hd_remap_host_options *options) {
    bool in_place = hd_remap_placement_of(device, map, memory) != HD_REMAP_IN_DEVICE;
    bool to = direction == HD_REMAP_TO_DEVICE, reads = !to;
    void **parts = hd_zeroed(map->parts, sizeof *parts);
    hd_status status =
        in_place ? each_part(device, map, memory, parts, TO_HOST) : take_parts(device, map, parts);
    /* Places that no element goes to are left, so they come from the device first. */
    for (uint64_t i = 0; map->kind == HD_REMAP_SCATTER && i < map->element.count && !reads; i++)
        reads = hd_remap_number(&map->element, i) == HD_REMAP_NONE;
    if (status == HD_OK && reads && !in_place)
        status = each_part(device, map, memory, parts, READ);
    if (status == HD_OK)
        status = to ? hd_remap_apply(device->diag, map, parts, host, options)
                    : hd_remap_revert(device->diag, map, host, (const void *const *)parts, options);
    if (in_place) {
        const hd_diag quiet = {0}, *diag = device->diag;
        device->diag = status == HD_OK ? diag : &quiet; /* one message */
        hd_status back = each_part(device, map, memory, parts, TO_DEVICE);
        device->diag = diag;
        status = status == HD_OK ? back : status;
    } else if (status == HD_OK && to) {
        status = each_part(device, map, memory, parts, WRITE);
    }
    free(parts);
    return status;
}

/* ---- the calls ---- */

/* `given` with a strategy and a chunk size. Of a plan that is followed in all, *choice is it; else it
 * has no strategy. */
static hd_status complete_options(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                                  hd_remap_direction direction, const hd_remap_memory memory[],
                                  const void *host, const hd_remap_options *given,
                                  hd_remap_options *options, hd_remap_choice *choice) {
    *choice = (hd_remap_choice){0};
    *options = given ? *given : (hd_remap_options){0};
    bool is_chunked = options->strategy == HD_REMAP_CHUNKED;
    bool has_own = options->strategy || options->chunk_bytes || options->host.threads ||
                   options->host.simd || device->is_shared;
    if (options->strategy != HD_REMAP_PLANNED && !(is_chunked && !options->chunk_bytes))
        return HD_OK;
    /* Chunks are those of a transfer, wherever the memory is. */
    hd_remap_placement placement =
        is_chunked ? HD_REMAP_IN_DEVICE : hd_remap_placement_of(device, map, memory);
    hd_status status = hd_remap_plan(diag, device, map, direction, placement, choice);
    if (choice->seconds[HD_REMAP_ZERO_COPY] > 0 && !can_be_shared(host)) {
        choice->strategy = hd_remap_least(choice, HD_REMAP_ZERO_COPY);
        has_own = true;
    }
    if (!is_chunked)
        options->strategy = choice->strategy;
    if (!options->chunk_bytes)
        options->chunk_bytes = choice->chunk_bytes;
    if (has_own || placement != HD_REMAP_IN_DEVICE)
        choice->strategy = HD_REMAP_PLANNED;
    return status;
}

static hd_status run(hd_remap_device *device, const hd_remap *map, hd_remap_direction direction,
                     const hd_remap_memory memory[], void *host, const hd_remap_options *options,
                     unsigned extent) {
    move m;
    if (options->strategy == HD_REMAP_HOST)
        return host_remaps(device, map, direction, memory, host, &options->host);
    hd_status status = begin(device, map, direction, memory, host, &m);
    m.transfers = !(extent & HD_REMAP_ONLY_REMAPS);
    m.remaps = !(extent & HD_REMAP_ONLY_TRANSFERS);
    m.pinned |= (extent & HD_REMAP_FROM_PINNED) != 0;
    if (status != HD_OK)
        return status;
    if (options->strategy == HD_REMAP_ZERO_COPY)
        return zero_copy(&m);
    if (options->strategy != HD_REMAP_CHUNKED)
        return move_chunks(&m, m.units.count, false);
    uint64_t units = options->chunk_bytes / (m.unit_bytes + m.units.number_bytes);
    units = units < m.units.step ? m.units.step : units / m.units.step * m.units.step;
    return move_chunks(&m, units < m.units.count ? units : m.units.count, !m.pinned);
}

hd_status hd_remap_move(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                        hd_remap_direction direction, const hd_remap_memory memory[], void *host,
                        const hd_remap_options *options, unsigned extent) {
    device->diag = diag;
    device->changed = 0;
    hd_status status = run(device, map, direction, memory, host, options, extent);
    hd_remap_slots_trim(device);
    return status;
}

/* A planned move, by this strategy. The first one of a kernel, which is compiled, tells nothing. */
static hd_status move_by(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                         hd_remap_direction direction, const hd_remap_memory memory[], void *host,
                         const hd_remap_choice *choice, hd_remap_strategy strategy) {
    const hd_remap_options options = {.strategy = strategy, .chunk_bytes = choice->chunk_bytes};
    uint64_t built = device->kernels_built;
    double start = device->clock();
    hd_status status =
        hd_remap_move(diag, device, map, direction, memory, host, &options, HD_REMAP_WHOLE);
    double seconds = device->clock() - start;
    if (status == HD_OK && built == device->kernels_built)
        hd_remap_learn(device, map, direction, choice, strategy, seconds);
    return status;
}

/* Now and then by another strategy. Where there is no memory for that, say, it is none; but what has
 * changed the host's memory is told. */
static hd_status move_as_planned(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                                 hd_remap_direction direction, const hd_remap_memory memory[],
                                 void *host, const hd_remap_choice *choice) {
    hd_remap_lesson *lesson = hd_remap_lesson_of(device, map, direction, false);
    hd_remap_strategy tried = choice->strategy;
    if (lesson && map->source_bytes <= device->kept_bytes)
        tried = hd_remap_to_try(lesson, choice);
    if (tried != choice->strategy) {
        hd_kept_messages kept = {.arena = hd_arena_new()};
        const hd_diag keeps = {hd_keep_message, &kept};
        hd_status status = move_by(&keeps, device, map, direction, memory, host, choice, tried);
        bool is_done = status == HD_OK || device->changed;
        if (is_done)
            hd_tell_kept(diag, &kept);
        hd_arena_free(kept.arena);
        if (is_done)
            return status;
        lesson->trials++;
    }
    return move_by(diag, device, map, direction, memory, host, choice, choice->strategy);
}

static hd_status transfer(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                          hd_remap_direction direction, const hd_remap_memory memory[], void *host,
                          const hd_remap_options *given) {
    hd_remap_options options;
    hd_remap_choice choice;
    hd_status status = check_call(diag, device, map, memory);
    if (status == HD_OK && given && (unsigned)given->strategy >= (unsigned)HD_REMAP_STRATEGIES)
        status =
            hd_fail(diag, HD_EINPUT, NULL, "%d is none of hd_remap_strategy", (int)given->strategy);
    if (status == HD_OK && given)
        status = hd_remap_check_host(diag, &given->host);
    if (status == HD_OK && !host)
        status = hd_fail(diag, HD_EINPUT, NULL, "there is no memory (NULL) for the host's data");
    if (status != HD_OK)
        return status;
    device->diag = diag;
    device->changed = 0;
    status = check_parts(diag, device, map, memory);
    if (status == HD_OK)
        status =
            complete_options(diag, device, map, direction, memory, host, given, &options, &choice);
    if (status == HD_OK && choice.strategy)
        return move_as_planned(diag, device, map, direction, memory, host, &choice);
    return status == HD_OK
               ? hd_remap_move(diag, device, map, direction, memory, host, &options, HD_REMAP_WHOLE)
               : status;
}

hd_status hd_remap_to_device(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                             const hd_remap_memory to[], const void *from,
                             const hd_remap_options *options) {
    return transfer(diag, device, map, HD_REMAP_TO_DEVICE, to, (void *)from, options);
}

hd_status hd_remap_from_device(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                               void *to, const hd_remap_memory from[],
                               const hd_remap_options *options) {
    return transfer(diag, device, map, HD_REMAP_FROM_DEVICE, from, to, options);
}

/* `count` of the map's units, the first ones, and the bytes that they have in the source. */
static hd_status within_device(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                               hd_remap_direction direction, uint64_t count, uint64_t source_bytes,
                               const hd_remap_memory parts[], hd_remap_memory source) {
    move m;
    hd_status status = check_call(diag, device, map, parts);
    if (status != HD_OK)
        return status;
    device->diag = diag;
    device->changed = 0;
    uint64_t bytes = device->gpu->api->size_of(device->gpu, source.cuda);
    status = check_parts(diag, device, map, parts);
    if (status == HD_OK && bytes < source_bytes)
        status = hd_fail(diag, HD_EINPUT, NULL,
                         "the device's memory for the source has %" PRIu64
                         " bytes; the map needs %" PRIu64,
                         bytes, source_bytes);
    for (uint32_t p = 0; status == HD_OK && p < map->parts; p++)
        if (parts[p].cuda == source.cuda)
            status = hd_fail(diag, HD_EINPUT, NULL,
                             "part %u and the source are the same memory; each needs its own", p);
    if (status == HD_OK)
        status = begin(device, map, direction, parts, NULL, &m);
    m.transfers = m.remaps = true;
    if (status == HD_OK && m.units.count > count)
        m.units.count = count;
    if (status == HD_OK)
        status = launch_all(&m, source.cuda);
    if (status != HD_OK)
        hd_remap_device_settle(device);
    hd_remap_slots_trim(device);
    return status;
}

hd_status hd_remap_on_device(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                             const hd_remap_memory to[], hd_remap_memory from) {
    return within_device(diag, device, map, HD_REMAP_TO_DEVICE, UINT64_MAX,
                         hd_remap_source_bytes(map), to, from);
}

hd_status hd_remap_back_on_device(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                                  hd_remap_memory to, const hd_remap_memory from[]) {
    return within_device(diag, device, map, HD_REMAP_FROM_DEVICE, UINT64_MAX,
                         hd_remap_source_bytes(map), from, to);
}

hd_status hd_remap_some_on_device(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                                  hd_remap_direction direction, uint64_t count,
                                  const hd_remap_memory parts[], hd_remap_memory source) {
    return within_device(diag, device, map, direction, count, count * map->layout->record->size,
                         parts, source);
}
