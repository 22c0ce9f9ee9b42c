// Macros that hide accesses; headers; several kernels.
#include "macros.h"
#define HERE pairs
#define SET(to, value) to = value
#define LOOP(i, n) for (int i = 0; i < (n); i++)

kernel void one(GIVE, int n) {
    int i = get_global_id(0);
    A(i) = BOTH(i + 1 - 1) + others[i].a;
    B(pairs, i, 0) = B(others, n - 1 - i, 1) + B(HERE + i, 0, 1);
    SET(pairs[i].b[1], others[i].b[0]);
    LOOP(k, 2) HERE[i].b[k] += k;
}

kernel void two(GIVE, global float *out) {
    int i = get_global_id(0);
    out[i] = BOTH(i);
    SET(A(i), 3);
}
