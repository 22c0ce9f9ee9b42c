/*
 * Devices: opening and closing, messages, compiled kernels, and the memory that chunks pass
 * through.
 */
#include <stdio.h>
#include <stdlib.h>

#include "remap/device.h"

/* ---- opening and closing ------------------------------------------------------------ */

hd_remap_device *hd_remap_device_new(const hd_diag *diag, const hd_remap_backend *backend) {
    hd_arena *arena = hd_arena_new();
    hd_remap_device *device = hd_new(arena, hd_remap_device);
    device->arena = arena;
    device->backend = backend;
    device->diag = diag;
    device->kept_bytes = HD_REMAP_KEPT;
    device->sample_elements = HD_REMAP_SAMPLE;
    return device;
}

hd_status hd_remap_device_finish(hd_remap_device *device, hd_status status,
                                 hd_remap_device **result) {
    for (int s = 0; s < HD_REMAP_SLOTS && status == HD_OK; s++)
        status = device->backend->make_queue(device, &device->slots[s].queue);
    if (status != HD_OK)
        hd_remap_close(device);
    *result = status == HD_OK ? device : NULL;
    return status;
}

static void release_slot(hd_remap_device *device, hd_remap_slot *slot) {
    if (slot->staging_bytes)
        device->backend->release(device, slot->staging);
    if (slot->numbers_bytes)
        device->backend->release(device, slot->numbers);
    if (slot->pinned.bytes)
        device->backend->unpin(device, &slot->pinned);
    slot->staging_bytes = slot->numbers_bytes = slot->pinned.bytes = 0;
}

void hd_remap_close(hd_remap_device *device) {
    if (!device)
        return;
    for (int b = 0; b < HD_REMAP_BUILT; b++)
        if (device->built[b].text) {
            device->backend->release_kernel(device, device->built[b].kernel);
            free(device->built[b].text);
        }
    for (int s = 0; s < HD_REMAP_SLOTS; s++)
        release_slot(device, &device->slots[s]);
    for (int s = 0; s < HD_REMAP_SLOTS; s++)
        device->backend->release_queue(device, &device->slots[s].queue);
    free(device->host_parts);
    hd_arena_free(device->arena);
}

/* ---- messages ------------------------------------------------------------------------- */

hd_status hd_remap_device_fail(const hd_remap_device *device, const char *error, const char *doing,
                               ...) {
    hd_arena *arena = hd_arena_new();
    va_list args;
    va_start(args, doing);
    const char *what = hd_vformat(arena, doing, args);
    va_end(args);
    const char *changed =
        device->changed
            ? hd_format(arena, "; bytes 0 to %llu of the host's memory may have changed, no others",
                        (unsigned long long)device->changed - 1)
            : "";
    hd_status status = hd_fail(device->diag, HD_ESYSTEM, NULL, "%s: %s: cannot %s%s",
                               device->name ? device->name : "the device", error, what, changed);
    hd_arena_free(arena);
    return status;
}

void hd_remap_device_settle(hd_remap_device *device) {
    for (int s = 0; s < HD_REMAP_SLOTS; s++)
        device->backend->settle(device, &device->slots[s].queue);
}

/* ---- kernels --------------------------------------------------------------------------- */

/* The kernel of that text, or the place for it: an empty one, or that of the kernel that was not
 * asked for the longest. */
static hd_remap_built *find_built(hd_remap_device *device, const char *text) {
    hd_remap_built *oldest = device->built;
    for (int b = 0; b < HD_REMAP_BUILT; b++) {
        hd_remap_built *built = &device->built[b];
        if (built->text && !strcmp(built->text, text))
            return built;
        if (built->used < oldest->used)
            oldest = built;
    }
    if (oldest->text) {
        device->backend->release_kernel(device, oldest->kernel);
        free(oldest->text);
        *oldest = (hd_remap_built){0};
    }
    return oldest;
}

hd_status hd_remap_build(hd_remap_device *device, const char *text, bool is_own, void **kernel) {
    hd_remap_built *built = find_built(device, text);
    hd_status status = HD_OK;
    if (!built->text) {
        status = device->backend->build(device, text, &built->kernel);
        if (status == HD_OK)
            built->text = hd_checked(strdup(text));
    }
    built->used = ++device->kernels_asked;
    *kernel = built->kernel;
    return status != HD_OK && is_own ? HD_EINPUT : status;
}

hd_status hd_remap_kernel_of(hd_remap_device *device, const hd_remap *map,
                             hd_remap_direction direction, const hd_remap_tuning *tuning,
                             void **kernel) {
    hd_arena *arena = hd_arena_new();
    const char *text;
    hd_status status = hd_remap_kernel_text(arena, device->diag, map, direction,
                                            device->backend->dialect, tuning, &text);
    if (status == HD_OK)
        status = hd_remap_build(device, text, map->source, kernel);
    hd_arena_free(arena);
    return status;
}

/* ---- memory of slots --------------------------------------------------------------------- */

/* Makes memory of the device at least so large. */
static hd_status grow(hd_remap_device *device, uint64_t bytes, hd_remap_memory *memory,
                      uint64_t *has) {
    if (*has >= bytes)
        return HD_OK;
    if (*has)
        device->backend->release(device, *memory);
    *has = 0;
    hd_status status = device->backend->allocate(device, bytes, memory);
    if (status == HD_OK)
        *has = bytes;
    return status;
}

hd_status hd_remap_slot_staging(hd_remap_device *device, hd_remap_slot *slot, uint64_t bytes) {
    return grow(device, bytes, &slot->staging, &slot->staging_bytes);
}

hd_status hd_remap_slot_numbers(hd_remap_device *device, hd_remap_slot *slot, uint64_t bytes) {
    return grow(device, bytes, &slot->numbers, &slot->numbers_bytes);
}

hd_status hd_remap_slot_pinned(hd_remap_device *device, hd_remap_slot *slot, uint64_t bytes) {
    if (slot->pinned.bytes >= bytes)
        return HD_OK;
    if (slot->pinned.bytes)
        device->backend->unpin(device, &slot->pinned);
    slot->pinned.bytes = 0;
    return device->backend->pin(device, bytes, &slot->pinned);
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
