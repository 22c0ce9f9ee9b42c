#include "reference.h"

/* Each gate once, after all its operands. */
void sta_arrive(sta_gate *gates, size_t count, const uint32_t *operands, const uint32_t *order,
                size_t sources) {
    for (size_t i = 0; i < count; i++) {
        sta_gate *gate = &gates[order[i]];
        float latest = 0;
        for (uint32_t a = gate->first; a < gate->end && i >= sources; a++)
            if (gates[operands[a]].arrival > latest)
                latest = gates[operands[a]].arrival;
        gate->arrival = latest + gate->delay;
    }
}
