#include "reference.h"

#include <stdbool.h>

/* Round by round, with no regard to levels: what has an operand of the last round's distance
 * and no distance yet is one farther. */
void bfs_search(bfs_node *nodes, size_t count, const uint32_t *operands, const uint32_t *sources,
                size_t source_count) {
    for (size_t v = 0; v < count; v++)
        nodes[v].distance = UINT32_MAX;
    for (size_t s = 0; s < source_count; s++)
        nodes[sources[s]].distance = 0;
    bool found = true;
    for (uint32_t round = 0; found; round++) {
        found = false;
        for (size_t v = 0; v < count; v++)
            for (uint32_t a = nodes[v].first; a < nodes[v].end; a++)
                if (nodes[v].distance == UINT32_MAX && nodes[operands[a]].distance == round) {
                    nodes[v].distance = round + 1;
                    found = true;
                }
    }
}
