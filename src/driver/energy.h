/*
 * Energy: meters of several kinds behind one interface, and a model where there is none.
 *
 *     hd_meter_open(arena, diag, &(hd_meter_request){.name = "rapl:package-0"}, &meter);
 *     hd_meter_start(meter);
 *     ...                                      what is to be metered
 *     hd_meter_stop(meter, &reading);          joules, or why there are none
 *     hd_meter_close(meter);
 *
 * A source is a counter of joules, which may wrap around, or a sensor of watts, which is sampled
 * and integrated by trapezoids. Each is opened at run time, and is absent without harm. One that
 * vanishes or stalls while it meters costs the energy, not the run: the reading says so.
 */
#ifndef HD_ENERGY_H
#define HD_ENERGY_H

#include "base/base.h"

/* ---- quantity.c: what is known of a run ------------------------------------------------------ */

/* The first three are what may be wanted least. */
typedef enum hd_quantity {
    HD_QUANTITY_TIME,   /* seconds */
    HD_QUANTITY_ENERGY, /* joules */
    HD_QUANTITY_EDP,    /* energy-delay product, joule seconds */
    HD_OBJECTIVES,
    HD_QUANTITY_POWER = HD_OBJECTIVES, /* watts, the mean over the run */
    HD_QUANTITIES
} hd_quantity;
typedef hd_quantity hd_objective;

typedef struct hd_quantity_info {
    const char *name, *title, *unit; /* "edp", "Energy-delay product", "J s" */
} hd_quantity_info;
extern const hd_quantity_info hd_quantities[HD_QUANTITIES];

/* False: no objective is called so. */
bool hd_objective_parse(const char *name, hd_objective *objective);

/* ---- meter.c: metering ---------------------------------------------------------------------- */

/* Where time comes from. Whoever brings a clock calls hd_meter_sample() as that time goes on, at
 * least every hd_meter_interval(); with the system's, a thread of the meter's does. */
typedef struct hd_meter_time {
    double (*now)(void *self); /* seconds */
    void (*sleep)(void *self, double seconds);
    void *self;
} hd_meter_time;

struct perf_event_attr;

/* Which meter, and where things are. All but the name is for tests and may be left out. */
typedef struct hd_meter_request {
    const char *name;       /* "nvml:0"; NULL: the first that can be read for `what` */
    const char *what;       /* "device" or "package": what is to be metered; NULL: any */
    const char *title;      /* of the device, where there may be several; NULL: the first */
    const char *command;    /* of the source "command": a line for the shell */
    double command_seconds; /* that it may take; 0: 5 */
    const char *sysfs;      /* NULL: "/sys" */
    const char *nvml;       /* NULL: "libnvidia-ml.so.1" */
    /* A counter of the event on a CPU, or -1 and errno; NULL: the system's perf_event_open(). */
    int (*open_event)(struct perf_event_attr *event, int cpu);
    const hd_meter_time *time; /* NULL: the system's */
} hd_meter_request;

/* A meter of this machine. */
typedef struct hd_meter_source {
    const char *name;  /* "nvml:0", "rapl:package-0", "perf:energy-pkg", "hwmon:amdgpu-0",
                          "power_supply:BAT0", "command" */
    const char *what;  /* what it meters: "device", "package", "cores", "dram", "machine" */
    const char *title; /* of the thing, where the source tells: "NVIDIA H100 80GB HBM3" */
    const char *why;   /* why it cannot be read, and how to mend it, in one line; NULL: it can */
} hd_meter_source;

/* All that there are, those that cannot be read with the reason, and "model" at the end. A counter
 * that does not move for a second cannot. */
hd_meter_source *hd_meter_sources(hd_arena *arena, const hd_meter_request *request, size_t *count);

typedef struct hd_meter_reading {
    double joules, seconds;
    double resolution_joules; /* what the joules may be off by, by the meter's steps */
    bool complete;            /* otherwise the joules mean nothing, and `why` says why not */
    const char *source, *why;
    bool modelled;
} hd_meter_reading;

typedef struct hd_meter hd_meter;

/* A meter that is asked for by name and cannot be read is an error that says how to mend it; for
 * "model", and where none is asked for and none can be read, *meter is NULL. */
hd_status hd_meter_open(hd_arena *arena, const hd_diag *diag, const hd_meter_request *request,
                        hd_meter **meter);
void hd_meter_start(hd_meter *meter);
void hd_meter_stop(hd_meter *meter, hd_meter_reading *reading);
void hd_meter_close(hd_meter *meter);
const hd_meter_source *hd_meter_source_of(const hd_meter *meter);

/* A reading of so many seconds in which the caller does nothing; 0: half a second, of a slow meter
 * ten of its values. */
void hd_meter_wait(hd_meter *meter, double seconds, hd_meter_reading *reading);

/* Reads it now, between start and stop. */
void hd_meter_sample(hd_meter *meter);
/* Seconds between samples. */
double hd_meter_interval(const hd_meter *meter);
/* Seconds without anything new after which it has stalled. */
double hd_meter_patience(const hd_meter *meter);

/* ---- repeat.c: until the meter can tell ------------------------------------------------------- */

/* What is metered. */
typedef struct hd_energy_work {
    /* Runs it so many times, one after the other. */
    hd_status (*run)(void *self, uint64_t times);
    /* Makes it ready for that, not metered; may be NULL. */
    hd_status (*prepare)(void *self);
    void *self;
    bool once; /* it is another thing when it runs again: one run is all */
} hd_energy_work;

typedef struct hd_energy_options {
    double resolution;   /* the share of the reading that the meter's steps may be; 0: 0.01 */
    double most_seconds; /* no longer than this; 0: 30 */
    double idle_seconds; /* of metering before the work; 0: as hd_meter_wait() */
    bool subtract_idle;
} hd_energy_options;

/* The energy of one run. */
typedef struct hd_energy {
    double joules;     /* idle power subtracted where that was asked for */
    double seconds;    /* by the meter's clock; modelled: as it was given */
    double watts;      /* while it ran, idle power included */
    double idle_watts; /* before it ran; modelled: the profile's */
    bool idle_subtracted;
    uint64_t repeats;  /* runs that were metered together; modelled: 0 */
    double resolution; /* share of the reading that the meter's steps are */
    const char *source;
    bool modelled;
    const char *missing; /* why there are no joules, watts and resolution; NULL: there are */
} hd_energy;

/* Repeats the work until the meter's resolution is a small share of the reading; a failure of the
 * work is returned, one of the meter makes the energy missing. */
hd_status hd_energy_repeat(hd_meter *meter, const hd_energy_work *work,
                           const hd_energy_options *options, hd_energy *energy);

#endif
