/*
 * Sensors of sysfs: hwmon's (Linux, Documentation/hwmon/sysfs-interface.rst), which AMD's GPUs
 * have, too, with energy in microjoules or power in microwatts; and power supplies
 * (Documentation/ABI/testing/sysfs-class-power), a battery's power or voltage and current.
 */
#include <math.h>
#include <stdlib.h>

#include "driver/meter.h"

#define MEND "sudo chmod a+r lets everybody read it until the next start"

static const double MICRO = 1e-6;

/* What is read; a second file's number is multiplied. */
typedef struct sensor_files {
    const char *first, *second, *status;
} sensor_files;

static const char *read_value(energy_sensor *sensor, double *value) {
    const sensor_files *f = sensor->state;
    double volts = 1 / MICRO;
    const char *why = energy_read_number(sensor->arena, f->first, MEND, value);
    if (!why && f->second)
        why = energy_read_number(sensor->arena, f->second, MEND, &volts);
    *value *= MICRO * volts * MICRO;
    const char *status = why || !f->status ? NULL : energy_read_text(sensor->arena, f->status);
    if (status && strcmp(status, "Discharging"))
        return hd_format(sensor->arena,
                         "%s says %s: a battery tells what the machine takes only while it "
                         "discharges; unplug the mains",
                         f->status, status);
    return why;
}

/* ---- hwmon ------------------------------------------------------------------------------- */

static const struct {
    const char *file;
    bool is_power;
    double update; /* seconds; drivers average over at most about as much */
} channels[] = {
    {"energy1_input", false, 0.1}, {"power1_average", true, 0.1}, {"power1_input", true, 0.1}};
enum { CHANNELS = sizeof channels / sizeof *channels };

/* A folder with power or energy, and what it is called here. */
typedef struct monitor {
    const char *folder, *name;
    int channel; /* of channels */
} monitor;
typedef hd_vec(monitor) monitors;

static monitors find_monitors(hd_arena *arena, const hd_meter_request *request) {
    monitors found = {0};
    const char **folders, *all = hd_format(arena, "%s/class/hwmon", energy_sysfs(request));
    uint32_t count = energy_list_folder(arena, all, "hwmon", &folders);
    for (uint32_t i = 0; i < count; i++) {
        monitor m = {.folder = hd_format(arena, "%s/%s", all, folders[i])};
        const char *name = energy_read_text(arena, hd_format(arena, "%s/name", m.folder));
        uint32_t same = 0;
        while (m.channel < CHANNELS &&
               !energy_is_there(hd_format(arena, "%s/%s", m.folder, channels[m.channel].file)))
            m.channel++;
        if (m.channel == CHANNELS || !name)
            continue;
        m.name = hd_format(arena, "hwmon:%s", name);
        for (size_t k = 0; k < found.count; k++)
            same += !strncmp(found.data[k].name, m.name, strlen(m.name));
        if (same)
            m.name = hd_format(arena, "%s-%u", m.name, same + 1);
        hd_push(arena, &found, m);
    }
    return found;
}

static void list_monitors(hd_arena *arena, const hd_meter_request *request,
                          energy_sources *sources) {
    const monitors found = find_monitors(arena, request);
    for (size_t i = 0; i < found.count; i++)
        energy_add(arena, sources, found.data[i].name, NULL);
    if (!found.count)
        energy_add_none(arena, sources, "hwmon",
                        hd_format(arena,
                                  "nothing in %s/class/hwmon has power or energy: load the "
                                  "driver of the GPU or of the board's sensor",
                                  energy_sysfs(request)));
}

static const char *open_monitor(energy_sensor *sensor, const char *name) {
    const monitors found = find_monitors(sensor->arena, sensor->request);
    for (size_t i = 0; i < found.count; i++) {
        const monitor *m = &found.data[i];
        if (strcmp(m->name, name))
            continue;
        sensor_files *files = hd_new(sensor->arena, sensor_files);
        files->first = hd_format(sensor->arena, "%s/%s", m->folder, channels[m->channel].file);
        sensor->is_power = channels[m->channel].is_power;
        sensor->step = MICRO;
        sensor->update = channels[m->channel].update;
        sensor->state = files;
        return NULL;
    }
    return "there is no such sensor";
}

/* ---- power supplies ---------------------------------------------------------------------- */

static bool find_supply(hd_arena *arena, const hd_meter_request *request, const char *name,
                        sensor_files *files) {
    const char *folder = hd_format(arena, "%s/class/power_supply/%s", energy_sysfs(request), name);
    const char *power = hd_format(arena, "%s/power_now", folder);
    const char *volts = hd_format(arena, "%s/voltage_now", folder);
    const char *amperes = hd_format(arena, "%s/current_now", folder);
    const char *status = hd_format(arena, "%s/status", folder);
    *files = (sensor_files){.status = energy_is_there(status) ? status : NULL};
    if (energy_is_there(power)) {
        files->first = power;
        return true;
    }
    files->first = volts;
    files->second = amperes;
    return energy_is_there(volts) && energy_is_there(amperes);
}

static void list_supplies(hd_arena *arena, const hd_meter_request *request,
                          energy_sources *sources) {
    const char **names;
    const char *folder = hd_format(arena, "%s/class/power_supply", energy_sysfs(request));
    uint32_t count = energy_list_folder(arena, folder, "", &names), found = 0;
    sensor_files files;
    for (uint32_t i = 0; i < count; i++) {
        if (!find_supply(arena, request, names[i], &files))
            continue;
        found++;
        energy_add(arena, sources, hd_format(arena, "power_supply:%s", names[i]), NULL);
    }
    if (!found)
        energy_add_none(arena, sources, "power_supply",
                        hd_format(arena,
                                  "nothing in %s tells a power or a current: this machine has no "
                                  "battery; --meter-command asks another meter",
                                  folder));
}

static const char *open_supply(energy_sensor *sensor, const char *name) {
    sensor_files *files = hd_new(sensor->arena, sensor_files);
    if (!find_supply(sensor->arena, sensor->request, strchr(name, ':') + 1, files))
        return "there is no such power supply";
    sensor->is_power = true;
    sensor->step = MICRO;
    sensor->update = 1; /* gauges of batteries take about that long */
    sensor->state = files;
    return NULL;
}

const energy_api energy_hwmon = {
    .kind = "hwmon", .list = list_monitors, .open = open_monitor, .read = read_value};
const energy_api energy_power_supply = {
    .kind = "power_supply", .list = list_supplies, .open = open_supply, .read = read_value};
