/* What a run's energy would be, where there is no meter. */
#ifndef HD_ENERGY_MODEL_H
#define HD_ENERGY_MODEL_H

#include "device/device.h"
#include "driver/energy.h"

/* What a run does. */
typedef struct hd_energy_counts {
    double fp32, fp64, integer; /* operations of single lanes, a fused multiply-add two */
    double l1_bytes;            /* between lanes and L1 */
    double l2_bytes;            /* between L1 and L2 */
    double dram_bytes;          /* between L2 and the device's memory */
    double link_bytes;          /* between the host's memory and the device */
    double seconds;
} hd_energy_counts;

/* The joules of that by the figures of the device's profile; false: it has none, and
 * hd_energy_unknown() says so. */
bool hd_energy_modelled(const hd_device *device, const hd_energy_counts *counts, double *joules);
const char *hd_energy_unknown(hd_arena *arena, const hd_device *device);
/* The same as the result of a run. */
hd_energy hd_energy_of_model(hd_arena *arena, const hd_device *device,
                             const hd_energy_counts *counts, bool subtract_idle);

#endif
