/* Static timing analysis in plain C; see sta.cl. */
#ifndef STA_REFERENCE_H
#define STA_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

typedef struct sta_gate {
    uint32_t first, end;
    float delay, arrival;
} sta_gate;

/* `order` has all gates by level; the first `sources` of them wait for nobody. */
void sta_arrive(sta_gate *gates, size_t count, const uint32_t *operands, const uint32_t *order,
                size_t sources);

#endif
