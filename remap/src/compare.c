/*
 * A program's own map: the places that its device code gives against those that its function
 * gave when the map was made. Wrong ones would make a kernel write anywhere.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "remap/remap_device.h"
#include "remap/kernels_text.h"

enum { COMPARED_AT_ONCE = 1 << 20, ITEMS = 64 };

/* A kernel that writes the places of some elements, 8 bytes each. */
static const char *places_text(hd_arena *arena, const hd_remap *map, hd_remap_dialect dialect) {
    remap_kernel_writer writer = {
        .map = map, .dialect = dialect, .tuning = {.group = ITEMS}, .out = {.arena = arena}};
    remap_kernel_words(&writer);
    remap_kernel_own_function(&writer);
    hd_str_add(&writer.out, "HD_KERNEL " HD_REMAP_KERNEL "(HD_PARAMETERS) {\n"
                            "    const hd_w8 unit = HD_GROUP * HD_ITEMS + HD_ITEM;\n"
                            "    if (unit < count)\n"
                            "        ((HD_GLOBAL hd_w8 *)part0)[unit] ="
                            " place((HD_INDEX)(first + unit));\n"
                            "}\n");
    return hd_str_text(&writer.out);
}

static hd_status compare_all(hd_remap_device *device, const hd_remap *map, void *kernel,
                             hd_compute_memory memory, uint64_t *places) {
    hd_compute *gpu = device->gpu;
    hd_compute_queue *queue = &device->slots[0].queue;
    const hd_remap_memory part = {.cuda = memory};
    hd_status status = HD_OK;
    for (uint64_t first = 0; first < map->elements && status == HD_OK; first += COMPARED_AT_ONCE) {
        uint64_t left = map->elements - first;
        uint64_t count = left < COMPARED_AT_ONCE ? left : COMPARED_AT_ONCE;
        const hd_compute_launch shape = {
            .dims = 1, .global = {hd_align_up(count, ITEMS)}, .local = {ITEMS}};
        status = hd_remap_launch_kernel(device, queue, kernel, &shape, &part, 1, memory, 0, first,
                                        count);
        if (status == HD_OK)
            status = hd_remap_check(
                device, gpu->api->read(gpu, queue, places, memory, 0, count * sizeof *places));
        if (status == HD_OK)
            status = hd_remap_check(device, gpu->api->finish(gpu, queue));
        else
            gpu->api->settle(gpu, queue);
        for (uint64_t i = 0; i < count && status == HD_OK; i++) {
            uint64_t place = hd_remap_number(&map->place->numbers, first + i);
            if (places[i] != place)
                status =
                    hd_fail(device->diag, HD_EINPUT, NULL,
                            "the map's device code gives element %" PRIu64 " the place %" PRIu64
                            ", its function the place %" PRIu64 "; both must give the same",
                            first + i, places[i], place);
        }
    }
    return status;
}

static hd_status compare(hd_remap_device *device, const hd_remap *map) {
    hd_arena *arena = hd_arena_new();
    uint64_t bytes =
        sizeof(uint64_t) * (map->elements < COMPARED_AT_ONCE ? map->elements : COMPARED_AT_ONCE);
    uint64_t *places = malloc((size_t)bytes);
    hd_compute_memory memory;
    void *kernel;
    hd_status status = places ? HD_OK
                              : hd_fail(device->diag, HD_ESYSTEM, NULL,
                                        "no memory for %" PRIu64 " bytes of places", bytes);
    if (status == HD_OK)
        status = hd_remap_build(device, places_text(arena, map, hd_remap_dialect_of(device)), true,
                                &kernel);
    if (status == HD_OK)
        status = hd_remap_check(
            device, device->gpu->api->allocate(device->gpu, HD_PLACEMENT_DEVICE, bytes, &memory));
    if (status == HD_OK) {
        status = compare_all(device, map, kernel, memory, places);
        device->gpu->api->release(device->gpu, memory);
    }
    free(places);
    hd_arena_free(arena);
    return status;
}

hd_status hd_remap_compare(hd_remap_device *device, const hd_remap *map) {
    hd_remap_places *known = map->place;
    pthread_mutex_lock(&known->making);
    bool is_known = known->compared_by == device;
    pthread_mutex_unlock(&known->making);
    hd_status status = is_known ? HD_OK : compare(device, map);
    pthread_mutex_lock(&known->making);
    if (status == HD_OK)
        known->compared_by = device;
    pthread_mutex_unlock(&known->making);
    return status;
}
