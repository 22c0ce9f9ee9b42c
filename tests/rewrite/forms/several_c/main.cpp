// The program's host code in C++ that knows nothing of CUDA, the kernels behind an interface of C.
// in: particle=soa
#include <cstdio>
#include <cstdlib>

#include "particle.h"

extern "C" double charge_of(const particle *p, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += p[i].charge + p[i].x[2];
    return sum;
}

int main() {
    size_t n = 150;
    particle *p = (particle *)calloc(n, sizeof *p);
    for (size_t i = 0; i < n; i++) {
        p[i].x[0] = i;
        p[i].charge = 0.5f * (i % 5);
        p[i].type = i % 3;
    }
    if (push_particles(p, n, 0.5, 4))
        return 1;
    double sum = charge_of(p, n);
    for (size_t i = 0; i < n; i++)
        sum += p[i].x[0] * (i + 1);
    printf("%.3f\n", sum);
    free(p);
    return 0;
}
