#include "reference.h"

static int larger(int a, int b) { return a > b ? a : b; }

void nw_fill(int *scores, const int *similarity, size_t size, int penalty) {
    for (size_t row = 1; row <= size; row++)
        for (size_t column = 1; column <= size; column++) {
            size_t cell = row * (size + 1) + column;
            int match = scores[cell - size - 2] + similarity[cell];
            int gap = larger(scores[cell - size - 1], scores[cell - 1]) - penalty;
            scores[cell] = larger(match, gap);
        }
}
