#include "body.h"

void fill(Body *bodies, int n) {
    for (int i = 0; i < n; i++) {
        bodies[i].x = i;
        bodies[i].v = i % 7;
        bodies[i].hits = 0;
    }
}
