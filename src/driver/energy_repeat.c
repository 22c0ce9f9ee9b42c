/*
 * Work that is repeated until a meter can tell its energy.
 *
 * A meter's steps are the same however long it meters, so that their share of the reading falls as
 * the work is repeated: from one run on, as many as the last reading says are needed.
 */
#include <math.h>

#include "driver/energy.h"

static const double RESOLUTION = 0.01, MOST_SECONDS = 30;
/* How much more is run at once than before. */
static const double LEAST_GROWTH = 2, MOST_GROWTH = 100, MARGIN = 1.2;

static double or_else(double value, double otherwise) { return value > 0 ? value : otherwise; }

/* Share of the reading that the steps are. */
static double share_of(const hd_meter_reading *reading) {
    return reading->joules > 0 ? reading->resolution_joules / reading->joules : INFINITY;
}

/* How often it is to run next; 0: no more often than now. While nothing was counted, no longer than
 * it takes to know that the meter has stalled. */
static uint64_t next_times(uint64_t times, const hd_meter_reading *reading, double wanted,
                           double patience, double seconds_left) {
    double growth = fmin(fmax(share_of(reading) / wanted * MARGIN, LEAST_GROWTH), MOST_GROWTH);
    if (reading->joules <= 0 && reading->seconds > 0)
        growth = fmin(growth, fmax(patience / reading->seconds, LEAST_GROWTH));
    if (reading->seconds > 0)
        growth = fmin(growth, seconds_left / reading->seconds);
    double next = floor((double)times * growth);
    return next > (double)times && next < 0x1p53 ? (uint64_t)next : 0;
}

/* What the readings say of one run. */
static void conclude(const hd_meter_reading *reading, uint64_t times, bool subtract_idle,
                     hd_energy *energy) {
    double idle = subtract_idle ? energy->idle_watts * reading->seconds : 0;
    energy->seconds = reading->seconds / (double)times;
    energy->repeats = times;
    if (!energy->missing)
        energy->missing = reading->why;
    if (energy->missing)
        return;
    energy->joules = (reading->joules - idle) / (double)times;
    energy->watts = reading->seconds > 0 ? reading->joules / reading->seconds : 0;
    energy->resolution = share_of(reading);
    if (reading->joules <= 0)
        energy->missing = "it counted nothing in the time that it had; give it more runs or time";
}

hd_status hd_energy_repeat(hd_meter *meter, const hd_energy_work *work,
                           const hd_energy_options *options, hd_energy *energy) {
    const double wanted = or_else(options->resolution, RESOLUTION);
    double left = or_else(options->most_seconds, MOST_SECONDS);
    hd_meter_reading reading;
    hd_meter_wait(meter, options->idle_seconds, &reading);
    *energy = (hd_energy){.source = reading.source,
                          .idle_subtracted = options->subtract_idle,
                          .missing = reading.why};
    energy->idle_watts = reading.seconds > 0 ? reading.joules / reading.seconds : 0;
    for (uint64_t times = 1, next; times; times = next) {
        hd_status status = work->prepare ? work->prepare(work->self) : HD_OK;
        if (status != HD_OK)
            return status;
        hd_meter_start(meter);
        status = work->run(work->self, times);
        hd_meter_stop(meter, &reading);
        if (status != HD_OK)
            return status;
        left -= reading.seconds;
        bool is_enough =
            work->once || energy->missing || reading.why || share_of(&reading) <= wanted;
        next = is_enough ? 0 : next_times(times, &reading, wanted, hd_meter_patience(meter), left);
        if (!next)
            conclude(&reading, times, options->subtract_idle, energy);
    }
    return HD_OK;
}
