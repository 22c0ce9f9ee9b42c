/* The judge that measures: layouts of a job, timed on a device (model/race.h). */
#ifndef HD_MEASURE_STOPWATCH_H
#define HD_MEASURE_STOPWATCH_H

#include "advise/measure/session.h"
#include "model/race.h"

typedef struct hd_device_clock hd_device_clock;

/* The device of hd_measure_options.device, for layouts of job->record; `whole`: times are those
 * of whole runs (hd_version_run_whole()), as are to be compared of placements. Release with
 * hd_device_clock_close(), also after a failure. */
hd_status hd_device_clock_open(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                               const char *device, bool whole, hd_device_clock **clock);
void hd_device_clock_close(hd_device_clock *clock);

/* From now on a lap's cost is by this objective, with the joules of the question's meter, where one
 * can be read, or else modelled from the version's counts and its time. A lap meters for about
 * `seconds`, more where one run takes longer. Where no energy can be known that is an error, and
 * *source says what the joules are from: "model", or the meter's name. */
hd_status hd_device_clock_meter(hd_device_clock *clock, hd_objective objective,
                                const hd_energy_question *question, double seconds,
                                const char **source);

/* hd_compute_api.lacks of the device. */
const char *hd_device_clock_lacks(hd_device_clock *clock, hd_placement placement);

/* Valid as long as the clock is open. Racer 0 must be the original. */
hd_stopwatch hd_device_clock_stopwatch(hd_device_clock *clock);

#endif
