/* The nets of each thread: a hypergraph turned round. Private to this folder. */
#ifndef MAPPING_INCIDENCE_H
#define MAPPING_INCIDENCE_H

#include "mapping/sharing.h"

typedef struct incidence {
    uint64_t *first; /* [threads + 1] */
    uint32_t *net;   /* [first[threads]], ascending for each thread */
} incidence;

/* malloc's memory; incidence_free(). */
incidence incidence_of(const hd_nets *nets, uint32_t threads);
void incidence_free(incidence *of);

#endif
