/*
 * What a kind of meter is, to meter.c. Private to this folder.
 */
#ifndef HD_ENERGY_INTERNAL_H
#define HD_ENERGY_INTERNAL_H

#include "driver/energy.h"

typedef hd_vec(hd_meter_source) energy_sources;

typedef struct energy_api energy_api;

/* A source that is open. */
typedef struct energy_sensor {
    const energy_api *api;
    hd_arena *arena; /* its own */
    const hd_meter_request *request;
    bool is_power;  /* watts; otherwise joules since whenever */
    double step;    /* the smallest difference that it tells, in joules or watts */
    double update;  /* seconds between its values */
    double seconds; /* between samples */
    void *state;
} energy_sensor;

/* Functions that can fail return NULL, or why and how to mend it, from sensor->arena. */
struct energy_api {
    const char *kind; /* its names begin with that and a colon, or are that */
    /* Adds what there is, not yet opened; where there is nothing, a row that says why. */
    void (*list)(hd_arena *arena, const hd_meter_request *request, energy_sources *sources);
    const char *(*open)(energy_sensor *sensor, const char *name);
    const char *(*read)(energy_sensor *sensor, double *value);
    void (*close)(energy_sensor *sensor); /* may be NULL */
};

/* Adds a source to a list; what it meters is known by its name. */
void energy_add(hd_arena *arena, energy_sources *sources, const char *name, const char *title);
/* Adds the row of a kind that has no source. */
void energy_add_none(hd_arena *arena, energy_sources *sources, const char *kind, const char *why);

extern const energy_api energy_nvml, energy_rapl, energy_perf, energy_hwmon, energy_power_supply,
    energy_command;

/* ---- sysfs.c: files of one value -------------------------------------------------------------- */

/* The text of a file, without the newline; NULL and errno where it cannot be read. */
char *energy_read_text(hd_arena *arena, const char *path);
/* Its number, which is not negative. NULL, or what is wrong; `mend` is what helps against a lack
 * of permission. */
const char *energy_read_number(hd_arena *arena, const char *path, const char *mend, double *number);
bool energy_is_there(const char *path);
/* The names in a folder that begin with `start`, in the order of the numbers in them. */
uint32_t energy_list_folder(hd_arena *arena, const char *folder, const char *start,
                            const char ***names);
const char *energy_sysfs(const hd_meter_request *request);

#endif
