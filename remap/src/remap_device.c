/*
 * Devices: opening and closing, messages, compiled kernels, and the memory that chunks pass
 * through.
 */
#include <stdio.h>
#include <stdlib.h>

#include "remap/remap_device.h"

/* ---- opening and closing ------------------------------------------------------------ */

/* `status` is that of joining the context. */
static hd_status open_device(hd_arena *arena, const hd_diag *diag, hd_status status,
                             hd_compute *gpu, hd_remap_device **result) {
    if (status != HD_OK) {
        hd_arena_free(arena);
        return status;
    }
    hd_remap_device *device = hd_new(arena, hd_remap_device);
    device->arena = arena;
    device->gpu = gpu;
    device->diag = diag;
    device->kept_bytes = HD_REMAP_KEPT;
    device->sample_elements = HD_REMAP_SAMPLE;
    device->clock = hd_clock;
    for (int s = 0; s < HD_REMAP_SLOTS && status == HD_OK; s++)
        status = hd_remap_check(device, gpu->api->make_queue(gpu, false, &device->slots[s].queue));
    if (status == HD_OK)
        *result = device;
    else
        hd_remap_close(device);
    return status;
}

hd_status hd_remap_open_opencl(const hd_diag *diag, struct _cl_context *context,
                               struct _cl_device_id *id, hd_remap_device **result) {
    return hd_remap_open_in_layer(diag, NULL, context, id, result);
}

hd_status hd_remap_open_in_layer(const hd_diag *diag, const struct _cl_icd_dispatch *calls,
                                 struct _cl_context *context, struct _cl_device_id *id,
                                 hd_remap_device **result) {
    if (hd_remap_needs(diag, {result, "place for the device"}) != HD_OK)
        return HD_EINPUT;
    hd_arena *arena = hd_arena_new();
    hd_compute *gpu;
    const char *why;
    *result = NULL;
    hd_status status = hd_compute_join_opencl(arena, calls, context, id, &gpu, &why);
    if (status == HD_ESYSTEM)
        hd_fail(diag, status, NULL, "cannot open an OpenCL device: %s", why);
    else if (status != HD_OK)
        hd_fail(diag, status, NULL,
                "the OpenCL context does not have the device; give one that was made "
                "for it");
    return open_device(arena, diag, status, gpu, result);
}

hd_status hd_remap_open_cuda(const hd_diag *diag, hd_remap_device **result) {
    if (hd_remap_needs(diag, {result, "place for the device"}) != HD_OK)
        return HD_EINPUT;
    hd_arena *arena = hd_arena_new();
    hd_compute *gpu;
    const char *why;
    *result = NULL;
    hd_status status = hd_compute_join_cuda(arena, &gpu, &why);
    if (status == HD_ESYSTEM)
        hd_fail(diag, status, NULL, "cannot open a CUDA device: %s", why);
    else if (status != HD_OK)
        hd_fail(diag, status, NULL,
                "no CUDA context is current in this thread; make one before "
                "hd_remap_open_cuda(), with cudaFree(0) for example");
    return open_device(arena, diag, status, gpu, result);
}

static void release_slot(hd_remap_device *device, hd_remap_slot *slot) {
    hd_compute *gpu = device->gpu;
    if (slot->staging_bytes)
        gpu->api->release(gpu, slot->staging);
    if (slot->numbers_bytes)
        gpu->api->release(gpu, slot->numbers);
    if (slot->pinned.bytes)
        gpu->api->unpin(gpu, &slot->queue, &slot->pinned);
    slot->staging_bytes = slot->numbers_bytes = slot->pinned.bytes = 0;
}

void hd_remap_close(hd_remap_device *device) {
    if (!device)
        return;
    hd_compute *gpu = device->gpu;
    for (int b = 0; b < HD_REMAP_BUILT; b++)
        if (device->built[b].text) {
            gpu->api->release_program(gpu, device->built[b].program);
            free(device->built[b].text);
        }
    for (int s = 0; s < HD_REMAP_SLOTS; s++) {
        release_slot(device, &device->slots[s]);
        gpu->api->release_queue(gpu, &device->slots[s].queue);
    }
    gpu->api->close(gpu);
    free(device->host_parts);
    hd_arena_free(device->arena);
}

/* ---- messages ------------------------------------------------------------------------- */

hd_status hd_remap_check(const hd_remap_device *device, const char *error) {
    hd_compute *gpu = device->gpu;
    char changed[128] = "";
    if (!error)
        return HD_OK;
    if (device->changed)
        snprintf(changed, sizeof changed,
                 "; bytes 0 to %llu of the host's memory may have changed, no others",
                 (unsigned long long)device->changed - 1);
    hd_status status =
        hd_fail(device->diag, HD_ESYSTEM, NULL, "%s: %s: cannot %s%s%s%s", gpu->device.name, error,
                gpu->doing, gpu->log ? ":\n" : "", gpu->log ? gpu->log : "", changed);
    free(gpu->log); /* told once */
    gpu->log = NULL;
    return status;
}

void hd_remap_device_settle(hd_remap_device *device) {
    for (int s = 0; s < HD_REMAP_SLOTS; s++)
        device->gpu->api->settle(device->gpu, &device->slots[s].queue);
}

/* ---- kernels --------------------------------------------------------------------------- */

static hd_status build(hd_remap_device *device, const char *text, hd_remap_built *built) {
    static const char *const names[] = {HD_REMAP_KERNEL};
    const hd_compute_source source = {
        .file = "remap.cu", .text = text, .names = names, .name_count = 1};
    hd_compute *gpu = device->gpu;
    const char *error = gpu->api->build(gpu, &source, &built->program);
    if (error)
        return hd_remap_check(device, error);
    error = gpu->api->load(gpu, built->program);
    if (!error)
        error = gpu->api->get_kernel(gpu, built->program, HD_REMAP_KERNEL, 0, &built->kernel);
    if (error)
        gpu->api->release_program(gpu, built->program);
    else
        built->text = hd_checked(strdup(text));
    return hd_remap_check(device, error);
}

hd_status hd_remap_build(hd_remap_device *device, const char *text, bool is_own, void **kernel) {
    hd_remap_built *built = device->built; /* that of the text, or what was asked for longest ago */
    for (int b = 0; b < HD_REMAP_BUILT; b++) {
        hd_remap_built *other = &device->built[b];
        bool found = other->text && !strcmp(other->text, text);
        if (found || other->used < built->used)
            built = other;
        if (found)
            break;
    }
    hd_status status = HD_OK;
    if (!built->text || strcmp(built->text, text) != 0) {
        if (built->text) {
            device->gpu->api->release_program(device->gpu, built->program);
            free(built->text);
            *built = (hd_remap_built){0};
        }
        status = build(device, text, built);
        device->kernels_built++;
    }
    built->used = ++device->kernels_asked;
    *kernel = built->kernel;
    return status != HD_OK && is_own ? HD_EINPUT : status;
}

hd_status hd_remap_kernel_of(hd_remap_device *device, const hd_remap *map,
                             hd_remap_direction direction, const hd_remap_tuning *tuning,
                             void **kernel) {
    hd_arena *arena = hd_arena_new();
    const char *text =
        hd_remap_kernel_text(arena, map, direction, hd_remap_dialect_of(device), tuning);
    hd_status status = hd_remap_build(device, text, map->source, kernel);
    hd_arena_free(arena);
    return status;
}

hd_status hd_remap_launch_kernel(hd_remap_device *device, hd_compute_queue *queue, void *kernel,
                                 const hd_compute_launch *shape, const hd_remap_memory *parts,
                                 uint32_t part_count, hd_compute_memory staging,
                                 hd_compute_memory numbers, uint64_t first, uint64_t count) {
    hd_compute_argument *arguments = hd_checked(malloc((part_count + 4) * sizeof *arguments));
    uint32_t a = 0;
    for (uint32_t p = 0; p < part_count; p++)
        arguments[a++] = (hd_compute_argument){&parts[p], sizeof parts[p], true};
    arguments[a++] = (hd_compute_argument){&staging, sizeof staging, true};
    if (numbers)
        arguments[a++] = (hd_compute_argument){&numbers, sizeof numbers, true};
    arguments[a++] = (hd_compute_argument){&first, sizeof first, false};
    arguments[a++] = (hd_compute_argument){&count, sizeof count, false};
    const char *error =
        device->gpu->api->launch(device->gpu, queue, kernel, shape, arguments, a, NULL);
    free(arguments);
    return hd_remap_check(device, error);
}

/* ---- memory of the device's side ------------------------------------------------------------ */

_Static_assert((int)HD_REMAP_IN_HINTED == (int)HD_PLACEMENT_HINTED &&
                   (int)HD_REMAP_PLACEMENTS == (int)HD_PLACEMENTS,
               "a placement is the driver's");

hd_status hd_remap_check_placement(const hd_diag *diag, hd_remap_device *device,
                                   hd_remap_placement placement) {
    if ((unsigned)placement >= (unsigned)HD_REMAP_PLACEMENTS)
        return hd_fail(diag, HD_EINPUT, NULL, "%d is none of hd_remap_placement", (int)placement);
    const char *lacking = device->gpu->api->lacks(device->gpu, (hd_placement)placement);
    return lacking ? hd_fail(diag, HD_EUNSUPPORTED, NULL,
                             "%s has no memory of the placement '%s': %s", device->gpu->device.name,
                             hd_placement_name((hd_placement)placement), lacking)
                   : HD_OK;
}

hd_status hd_remap_allocate(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                            hd_remap_placement placement, hd_remap_memory parts[]) {
    hd_status status = hd_remap_needs(diag, {device, "device"}, {map, "map to allocate for"},
                                      {parts, "array for the device's memory"});
    if (status == HD_OK)
        status = hd_remap_check_placement(diag, device, placement);
    if (status != HD_OK)
        return status;
    device->diag = diag;
    device->changed = 0;
    memset(parts, 0, map->parts * sizeof *parts);
    for (uint32_t p = 0; p < map->parts && status == HD_OK; p++)
        status =
            hd_remap_check(device, device->gpu->api->allocate(device->gpu, (hd_placement)placement,
                                                              map->bytes[p], &parts[p].cuda));
    if (status != HD_OK)
        hd_remap_release(device, map, parts);
    return status;
}

void hd_remap_release(hd_remap_device *device, const hd_remap *map, const hd_remap_memory parts[]) {
    for (uint32_t p = 0; device && map && parts && p < map->parts; p++)
        if (parts[p].cuda)
            device->gpu->api->release(device->gpu, parts[p].cuda);
}

/* ---- memory of slots --------------------------------------------------------------------- */

/* Makes memory of the device at least so large. */
static const char *grow(hd_compute *gpu, uint64_t bytes, hd_compute_memory *memory, uint64_t *has) {
    if (*has >= bytes)
        return NULL;
    if (*has)
        gpu->api->release(gpu, *memory);
    const char *error = gpu->api->allocate(gpu, HD_PLACEMENT_DEVICE, bytes, memory);
    *has = error ? 0 : bytes;
    return error;
}

hd_status hd_remap_make_slots(hd_remap_device *device, uint64_t count, uint64_t staging,
                              uint64_t numbers, uint64_t pinned) {
    hd_compute *gpu = device->gpu;
    const char *error = NULL;
    for (uint64_t s = 0; s < HD_REMAP_SLOTS && s < count && !error; s++) {
        hd_remap_slot *slot = &device->slots[s];
        error = grow(gpu, staging, &slot->staging, &slot->staging_bytes);
        if (!error)
            error = grow(gpu, numbers, &slot->numbers, &slot->numbers_bytes);
        if (error || slot->pinned.bytes >= pinned)
            continue;
        if (slot->pinned.bytes)
            gpu->api->unpin(gpu, &slot->queue, &slot->pinned);
        slot->pinned.bytes = 0;
        error = gpu->api->pin(gpu, &slot->queue, pinned, &slot->pinned);
    }
    return hd_remap_check(device, error);
}

void hd_remap_slots_trim(hd_remap_device *device) {
    for (int s = 0; s < HD_REMAP_SLOTS; s++) {
        const hd_remap_slot *slot = &device->slots[s];
        if (slot->staging_bytes > device->kept_bytes || slot->numbers_bytes > device->kept_bytes ||
            slot->pinned.bytes > device->kept_bytes)
            release_slot(device, &device->slots[s]);
    }
    if (device->host_bytes > device->kept_bytes) {
        free(device->host_parts);
        device->host_parts = NULL;
        device->host_bytes = 0;
    }
}
