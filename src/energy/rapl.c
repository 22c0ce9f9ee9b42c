/*
 * RAPL through powercap (Linux, Documentation/power/powercap/powercap.rst): a folder
 * intel-rapl:N for each package, also on AMD's processors, and intel-rapl:N:M for its parts, each
 * with a counter of microjoules that begins anew at 0 after max_energy_range_uj. Since Linux 5.10
 * root alone may read it.
 */
#include <stdlib.h>

#include "energy/internal.h"

#define POWERCAP "%s/class/powercap"
#define MEND                                                                                \
    "let everybody read it with sudo chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj " \
    "/sys/class/powercap/intel-rapl:*:*/energy_uj (docs/energy.md has a rule for udev)"

/* The counter moves once in a millisecond (Intel SDM, volume 3, RAPL interfaces). */
static const double MILLISECOND = 1e-3, MICRO = 1e-6;
/* No package takes more, so that a counter does not wrap twice between samples. */
static const double MOST_WATTS = 2000;

typedef struct domain {
    const char *energy; /* the counter's file */
} domain;

/* "package-0", or "package-0:dram" for a part of it; NULL: no folder of ours. */
static const char *name_of(hd_arena *arena, const char *powercap, const char *folder) {
    const char *part = strrchr(folder, ':'), *top = strchr(folder, ':');
    const char *own = energy_read_text(arena, hd_format(arena, "%s/%s/name", powercap, folder));
    if (!top || !own || top == part)
        return top ? own : NULL;
    const char *whole = energy_read_text(
        arena, hd_format(arena, "%s/%.*s/name", powercap, (int)(part - folder), folder));
    return whole ? hd_format(arena, "%s:%s", whole, own) : NULL;
}

static const char *what_of(const char *name) {
    const char *part = strchr(name, ':');
    if (part && !strcmp(part, ":core"))
        return "cores";
    if (part && !strcmp(part, ":dram"))
        return "dram";
    if (part)
        return "part";
    return !strncmp(name, "psys", 4) ? "machine" : "package";
}

static void list(hd_arena *arena, const hd_meter_request *request, energy_sources *sources) {
    const char **folders, *powercap = hd_format(arena, POWERCAP, energy_sysfs(request));
    uint32_t count = energy_list_folder(arena, powercap, "intel-rapl:", &folders), found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = name_of(arena, powercap, folders[i]);
        if (!name)
            continue;
        found++;
        hd_push(
            arena, sources,
            (hd_meter_source){.name = hd_format(arena, "rapl:%s", name), .what = what_of(name)});
    }
    if (!found)
        hd_push(arena, sources,
                (hd_meter_source){
                    .name = "rapl",
                    .what = "package",
                    .why = hd_format(arena,
                                     "there is no %s/intel-rapl:0: load intel_rapl_msr with sudo "
                                     "modprobe; virtual machines and most containers have none",
                                     powercap)});
}

static const char *read_joules(energy_sensor *sensor, double *joules) {
    const domain *d = sensor->state;
    const char *why = energy_read_number(sensor->arena, d->energy, MEND, joules);
    *joules *= MICRO;
    if (!why && sensor->wrap && *joules > sensor->wrap)
        return hd_format(sensor->arena, "%s holds more than its max_energy_range_uj", d->energy);
    return why;
}

static const char *open_domain(energy_sensor *sensor, const char *name) {
    hd_arena *arena = sensor->arena;
    const char **folders, *powercap = hd_format(arena, POWERCAP, energy_sysfs(sensor->request));
    uint32_t count = energy_list_folder(arena, powercap, "intel-rapl:", &folders), i = 0;
    const char *found = NULL;
    while (i < count && !((found = name_of(arena, powercap, folders[i])) &&
                          !strcmp(hd_format(arena, "rapl:%s", found), name)))
        i++;
    if (i == count)
        return hd_format(arena, "%s has no such domain", powercap);
    domain *d = hd_new(arena, domain);
    d->energy = hd_format(arena, "%s/%s/energy_uj", powercap, folders[i]);
    const char *why = energy_read_number(
        arena, hd_format(arena, "%s/%s/max_energy_range_uj", powercap, folders[i]), MEND,
        &sensor->wrap);
    if (!why && sensor->wrap <= 0)
        return hd_format(arena, "max_energy_range_uj of %s is 0", folders[i]);
    sensor->wrap *= MICRO;
    sensor->step = MICRO;
    sensor->update = MILLISECOND;
    sensor->seconds = sensor->wrap / MOST_WATTS / 2;
    sensor->state = d;
    return why;
}

const energy_api energy_rapl = {
    .kind = "rapl", .list = list, .open = open_domain, .read = read_joules};
