/*
 * Records whose fields hold several values: arrays, nested structs and vectors. Taken apart
 * (hd_record_split()) they can be laid out in more ways, which often pays: an array of nine
 * floats in a record is, lane by lane, as bad as a struct of nine. So it is tried whenever the
 * job does not say itself what to take apart. The answer then names only what its layout needs.
 *
 * And records of several buffers that are indexed alike, joined into one as a try: pos[i] and vel[i]
 * with the same i could lie side by side.
 */
#ifndef HD_ADVISE_APART_H
#define HD_ADVISE_APART_H

#include "advise/attempt.h"

typedef struct hd_apart {
    const char *const *fields; /* that were taken apart for the try, as for hd_record_split(); of an
                                * advice for the record taken apart those that it needs */
    uint32_t count;            /* 0: there is nothing to take apart */
    const hd_job *parts; /* the job with the record taken apart; NULL: its layouts cannot be told */
    bool pays;           /* by static cost, and the sources can be rewritten */
    double whole;        /* cost of the best layout of the record as it is, to AoS */
    const hd_layout *layout; /* the best of it taken apart, and its cost to AoS */
    const hd_record *record; /* taken apart */
    double ratio;
    hd_search_result search; /* of `parts` */
    const char *refused;     /* it would pay, but the sources cannot be rewritten: why; else NULL */
} hd_apart;

/* `job` is resolved. A search of so many fields would be long, so that this one is bounded, and
 * *search as well where there are `parts`. Messages are not told: making a model of
 * either job gives them. */
void advise_take_apart(hd_arena *arena, const hd_job *job, const hd_device *device,
                       const hd_cost_options *cost, hd_search_options *search, hd_apart *apart);

/* The layout of `fewer`, the same record with fewer fields taken apart or none, that places every
 * byte as `layout` does, which is of `parts`. NULL: none does. */
hd_layout *advise_put_together(hd_arena *arena, const hd_record *parts, const hd_layout *layout,
                               const hd_record *fewer);
/* The job with no more of its fields taken apart than it takes for what *layout, of `parts`, saves:
 * by static cost less than 1% is lost. *layout becomes one of that job's record. `parts` itself:
 * all is needed. */
const hd_job *advise_fewest_parts(hd_arena *arena, const hd_job *parts, const hd_device *device,
                                  const hd_cost_options *cost, const hd_layout **layout);

typedef struct hd_joined {
    const hd_record *record; /* its fields are the buffers; NULL: none are indexed alike */
    const hd_layout *layout; /* the best one */
    double ratio;            /* of its static cost, to that of the best without joining */
    bool pays;
} hd_joined;

/* `alone`: what the search found for the job's own record. */
void advise_join(hd_arena *arena, const hd_job *job, const hd_device *device,
                 const hd_cost_options *cost, const hd_search_options *search,
                 const hd_search_result *alone, hd_joined *joined);

#endif
