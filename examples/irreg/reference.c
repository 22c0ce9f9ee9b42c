#include "reference.h"

void irreg_sweep(irreg_node *nodes, size_t count, const uint32_t *neighbours) {
    for (size_t i = 0; i < count; i++) {
        double change = 0;
        for (uint32_t n = nodes[i].first; n < nodes[i].end; n++)
            change += (double)nodes[neighbours[n]].value - nodes[i].value;
        nodes[i].change = (float)change;
    }
    for (size_t i = 0; i < count; i++)
        nodes[i].value = (float)(nodes[i].value + (double)nodes[i].change / 32);
}
