#include "vec.h"

int check(const Node<float> *nodes, int n) {
    int longest = 0;
    for (int i = 0, run = 0; i < n; i++) {
        run = nodes[i].next < 0 ? 0 : run + 1;
        longest = run > longest ? run : longest;
    }
    return longest;
}
