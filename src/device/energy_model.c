/*
 * Energy by a model: so many picojoules for each operation and for each byte between two levels
 * of memory, and so many watts however little the device does, from the device's profile.
 */
#include "device/energy_model.h"

static const double PICO = 1e-12;

/* Joules of what is done, without the idle power. */
static double dynamic_joules(const hd_device_energy *e, const hd_energy_counts *c) {
    return PICO *
           (c->fp32 * e->fp32 + c->fp64 * e->fp64 + c->integer * e->integer + c->l1_bytes * e->l1 +
            c->l2_bytes * e->l2 + c->dram_bytes * e->dram + c->link_bytes * e->link);
}

bool hd_energy_modelled(const hd_device *device, const hd_energy_counts *counts, double *joules) {
    *joules = dynamic_joules(&device->energy, counts) + counts->seconds * device->energy.idle;
    return hd_device_has_energy(device);
}

const char *hd_energy_unknown(hd_arena *arena, const hd_device *device) {
    return hd_format(arena, "modelled energy is not known for %s: add energy: to its profile",
                     device->name);
}

hd_energy hd_energy_of_model(hd_arena *arena, const hd_device *device,
                             const hd_energy_counts *counts, bool subtract_idle) {
    hd_energy energy = {.seconds = counts->seconds,
                        .idle_watts = device->energy.idle,
                        .idle_subtracted = subtract_idle,
                        .source = "model",
                        .modelled = true};
    double joules;
    if (!hd_energy_modelled(device, counts, &joules)) {
        energy.missing = hd_energy_unknown(arena, device);
        return energy;
    }
    energy.watts = counts->seconds > 0 ? joules / counts->seconds : 0;
    energy.joules = joules - (subtract_idle ? counts->seconds * device->energy.idle : 0);
    return energy;
}
