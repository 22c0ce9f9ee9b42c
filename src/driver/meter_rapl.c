/*
 * RAPL through powercap (Linux, Documentation/power/powercap/powercap.rst): a folder
 * intel-rapl:N for each package, also on AMD's processors, and intel-rapl:N:M for its parts, each
 * with a counter of microjoules that begins anew at 0 after max_energy_range_uj. Since Linux 5.10
 * root alone may read it.
 */
#include <math.h>

#include "driver/meter.h"

#define POWERCAP "%s/class/powercap"
#define MEND                                                                                \
    "let everybody read it with sudo chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj " \
    "/sys/class/powercap/intel-rapl:*:*/energy_uj (docs/energy.md has a rule for udev)"

/* The counter moves once in a millisecond (Intel SDM, volume 3, RAPL interfaces). */
static const double MILLISECOND = 1e-3, MICRO = 1e-6;
/* No package takes more, so that a counter does not wrap twice between samples. */
static const double MOST_WATTS = 2000;

/* The counter of one domain. */
typedef struct counter {
    const char *file;
    double range;      /* joules at which it begins anew */
    double last, base; /* joules that it showed last, and those before it began anew */
} counter;

/* What is summed: one, or those of all packages. */
typedef struct domains {
    counter *counters;
    uint32_t count;
} domains;

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

/* Whether the domain of this name belongs to the source: "rapl:packages" are all of them. */
static bool belongs(hd_arena *arena, const char *domain, const char *source) {
    return !strcmp(hd_format(arena, "rapl:%s", domain), source) ||
           (!strcmp(source, "rapl:packages") && !strncmp(domain, "package-", 8) &&
            !strchr(domain, ':'));
}

static void list(hd_arena *arena, const hd_meter_request *request, energy_sources *sources) {
    const char **folders, *powercap = hd_format(arena, POWERCAP, energy_sysfs(request));
    uint32_t count = energy_list_folder(arena, powercap, "intel-rapl:", &folders), packages = 0;
    hd_vec(const char *) found = {0};
    for (uint32_t i = 0; i < count; i++) {
        const char *name = name_of(arena, powercap, folders[i]);
        if (!name)
            continue;
        packages += belongs(arena, name, "rapl:packages");
        hd_push(arena, &found, hd_format(arena, "rapl:%s", name));
    }
    if (packages > 1) /* what runs on a processor runs on all */
        energy_add(arena, sources, "rapl:packages", NULL);
    for (size_t i = 0; i < found.count; i++)
        energy_add(arena, sources, found.data[i], NULL);
    if (!found.count)
        energy_add_none(arena, sources, "rapl",
                        hd_format(arena,
                                  "there is no %s/intel-rapl:0: load intel_rapl_msr with sudo "
                                  "modprobe; virtual machines and most containers have none",
                                  powercap));
}

static const char *read_joules(energy_sensor *sensor, double *joules) {
    const domains *d = sensor->state;
    *joules = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        counter *c = &d->counters[i];
        double shown;
        const char *why = energy_read_number(sensor->arena, c->file, MEND, &shown);
        shown *= MICRO;
        if (!why && shown > c->range)
            why = hd_format(sensor->arena, "%s holds more than its max_energy_range_uj", c->file);
        if (why)
            return why;
        c->base += shown < c->last ? c->range : 0;
        c->last = shown;
        *joules += c->base + shown;
    }
    return NULL;
}

static const char *open_domains(energy_sensor *sensor, const char *name) {
    hd_arena *arena = sensor->arena;
    const char **folders, *powercap = hd_format(arena, POWERCAP, energy_sysfs(sensor->request));
    uint32_t count = energy_list_folder(arena, powercap, "intel-rapl:", &folders);
    domains *d = hd_new(arena, domains);
    d->counters = hd_new_array(arena, counter, count);
    sensor->seconds = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        const char *domain = name_of(arena, powercap, folders[i]);
        counter *c = &d->counters[d->count];
        if (!domain || !belongs(arena, domain, name))
            continue;
        c->file = hd_format(arena, "%s/%s/energy_uj", powercap, folders[i]);
        const char *why = energy_read_number(
            arena, hd_format(arena, "%s/%s/max_energy_range_uj", powercap, folders[i]), MEND,
            &c->range);
        if (!why && c->range <= 0)
            why = hd_format(arena, "max_energy_range_uj of %s is 0", folders[i]);
        if (why)
            return why;
        c->range *= MICRO;
        sensor->seconds = fmin(sensor->seconds, c->range / MOST_WATTS / 2);
        d->count++;
    }
    sensor->step = MICRO;
    sensor->update = MILLISECOND;
    sensor->state = d;
    return d->count ? NULL : hd_format(arena, "%s has no such domain", powercap);
}

const energy_api energy_rapl = {
    .kind = "rapl", .list = list, .open = open_domains, .read = read_joules};
