/* Memory in place (placement.h), as a device that is open remembers it: there are few. */
#ifndef HD_DRIVER_IN_PLACE_H
#define HD_DRIVER_IN_PLACE_H

#include "driver/compute.h"

typedef struct driver_in_place driver_in_place;
struct driver_in_place {
    driver_in_place *next;
    hd_compute_memory memory;
    uint64_t bytes;
    hd_placement placement;
    void *host;          /* its address on the host; of memory that is to be mapped while it is */
    bool is_hosts;       /* the host may use it, and the device may not */
    bool is_read_mostly; /* CUDA was told so */
};

driver_in_place *driver_in_place_add(hd_compute *gpu, hd_placement placement,
                                     hd_compute_memory memory, uint64_t bytes, void *host);
/* NULL: it is the device's own, or none. */
driver_in_place *driver_in_place_find(const hd_compute *gpu, hd_compute_memory memory);
void driver_in_place_remove(hd_compute *gpu, driver_in_place *place);

#endif
