/* What evidence.c and judge.c share of a job that was heard. */
#ifndef HD_ADVISE_EVIDENCE_OWN_H
#define HD_ADVISE_EVIDENCE_OWN_H

#include "advise/evidence.h"

struct hd_evidence_own {
    hd_shapes **shapes; /* of each device */
    uint32_t device_count;
    char *folder; /* of the trace, or NULL */
    const char *trace;
};

#endif
