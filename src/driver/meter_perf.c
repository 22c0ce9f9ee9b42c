/*
 * RAPL through perf events (Linux, arch/x86/events/rapl.c): the PMU "power", whose events
 * energy-pkg, energy-cores and energy-ram count in steps of energy-*.scale joules, 64 bits wide.
 * One CPU of each package counts (cpumask); a meter is the sum of them.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "driver/meter.h"

enum { MOST_PACKAGES = 64 };
static const double MILLISECOND = 1e-3;

typedef struct counters {
    int files[MOST_PACKAGES];
    uint32_t count;
    double scale; /* joules of a step */
} counters;

static int open_event(struct perf_event_attr *event, int cpu) {
    return (int)syscall(SYS_perf_event_open, event, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static const char *folder_of(hd_arena *arena, const hd_meter_request *request) {
    return hd_format(arena, "%s/bus/event_source/devices/power", energy_sysfs(request));
}

static void list(hd_arena *arena, const hd_meter_request *request, energy_sources *sources) {
    const char **events, *folder = folder_of(arena, request);
    uint32_t found = 0;
    uint32_t count =
        energy_list_folder(arena, hd_format(arena, "%s/events", folder), "energy-", &events);
    for (uint32_t i = 0; i < count; i++) {
        if (strchr(events[i], '.')) /* its scale and unit */
            continue;
        found++;
        energy_add(arena, sources, hd_format(arena, "perf:%s", events[i]), NULL);
    }
    if (!found)
        energy_add_none(arena, sources, "perf",
                        hd_format(arena,
                                  "there is no %s: load the kernel module rapl with sudo "
                                  "modprobe; virtual machines have none",
                                  folder));
}

static const char *read_joules(energy_sensor *sensor, double *joules) {
    const counters *c = sensor->state;
    *joules = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        uint64_t steps;
        if (read(c->files[i], &steps, sizeof steps) != sizeof steps)
            return "the perf event ended";
        *joules += c->scale * (double)steps;
    }
    return NULL;
}

static void close_counters(energy_sensor *sensor) {
    const counters *c = sensor->state;
    for (uint32_t i = 0; c && i < c->count; i++)
        close(c->files[i]);
}

static const char *why_not(hd_arena *arena, int error) {
    if (error == EACCES || error == EPERM) {
        const char *level = energy_read_text(arena, "/proc/sys/kernel/perf_event_paranoid");
        return hd_format(arena,
                         "perf events of a whole processor are not allowed "
                         "(kernel.perf_event_paranoid is %s): sudo sysctl "
                         "kernel.perf_event_paranoid=0, or give the program CAP_PERFMON",
                         level ? level : "not known");
    }
    return hd_format(arena, "perf_event_open fails: %s", strerror(error));
}

/* What sysfs says of the event; NULL, or what is wrong. */
static const char *describe(energy_sensor *sensor, const char *name, struct perf_event_attr *event,
                            counters *c) {
    hd_arena *arena = sensor->arena;
    const char *folder = folder_of(arena, sensor->request);
    const char *path = hd_format(arena, "%s/events/%s", folder, name);
    const char *config = energy_read_text(arena, path);
    const char *unit = energy_read_text(arena, hd_format(arena, "%s.unit", path));
    double type;
    const char *why = energy_read_number(arena, hd_format(arena, "%s/type", folder), "", &type);
    if (!why)
        why = energy_read_number(arena, hd_format(arena, "%s.scale", path), "", &c->scale);
    if (why)
        return why;
    if (!config || sscanf(config, "event=%lli", (long long *)&event->config) != 1)
        return hd_format(arena, "%s does not say which event it is", path);
    if (!unit || strcmp(unit, "Joules") || c->scale <= 0)
        return hd_format(arena, "%s is not counted in joules", path);
    event->type = (uint32_t)type;
    event->size = sizeof *event;
    return NULL;
}

/* One counter on each of these CPUs. */
static const char *open_on(energy_sensor *sensor, struct perf_event_attr *event, long first,
                           long last) {
    counters *c = sensor->state;
    for (long cpu = first; cpu <= last && c->count < MOST_PACKAGES; cpu++) {
        int file = sensor->request->open_event ? sensor->request->open_event(event, (int)cpu)
                                               : open_event(event, (int)cpu);
        if (file < 0)
            return why_not(sensor->arena, errno);
        c->files[c->count++] = file;
    }
    return NULL;
}

static const char *open_counters(energy_sensor *sensor, const char *name) {
    counters *c = hd_new(sensor->arena, counters);
    struct perf_event_attr event = {0};
    const char *mask =
        energy_read_text(sensor->arena, hd_format(sensor->arena, "%s/cpumask",
                                                  folder_of(sensor->arena, sensor->request)));
    const char *why = describe(sensor, strchr(name, ':') + 1, &event, c);
    sensor->state = c;
    sensor->step = c->scale;
    sensor->update = MILLISECOND;
    for (const char *at = mask ? mask : "0"; !why && *at;) { /* "0,28", or "0-1" */
        char *end;
        long first = strtol(at, &end, 10), last = first;
        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        if (end == at || first < 0)
            return hd_format(sensor->arena, "its cpumask is '%s'", mask);
        why = open_on(sensor, &event, first, last);
        at = end + (*end == ',');
    }
    return why;
}

const energy_api energy_perf = {.kind = "perf",
                                .list = list,
                                .open = open_counters,
                                .read = read_joules,
                                .close = close_counters};
