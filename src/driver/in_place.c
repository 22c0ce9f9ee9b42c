/* A list: a device has as many as a job has buffers. */
#include <stdlib.h>

#include "driver/in_place.h"

driver_in_place *driver_in_place_add(hd_compute *gpu, hd_placement placement,
                                     hd_compute_memory memory, uint64_t bytes, void *host) {
    driver_in_place *place = hd_zeroed(1, sizeof *place);
    *place = (driver_in_place){gpu->in_place, memory, bytes, placement, host, false, false};
    gpu->in_place = place;
    return place;
}

driver_in_place *driver_in_place_find(const hd_compute *gpu, hd_compute_memory memory) {
    driver_in_place *place = gpu->in_place;
    while (place && place->memory != memory)
        place = place->next;
    return place;
}

void driver_in_place_remove(hd_compute *gpu, driver_in_place *place) {
    driver_in_place **at = &gpu->in_place;
    while (*at != place)
        at = &(*at)->next;
    *at = place->next;
    free(place);
}

hd_placement hd_compute_placement(const hd_compute *gpu, hd_compute_memory memory) {
    const driver_in_place *place = driver_in_place_find(gpu, memory);
    return place ? place->placement : HD_PLACEMENT_DEVICE;
}
