/*
 * Records of several buffers that are indexed alike, joined into one as a try: pos[i] and vel[i] with
 * the same i could lie side by side.
 */
#ifndef HD_ADVISE_JOINED_H
#define HD_ADVISE_JOINED_H

#include "job/job.h"
#include "search/search.h"

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
