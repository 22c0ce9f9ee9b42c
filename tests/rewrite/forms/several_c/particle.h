#ifndef PARTICLE_H
#define PARTICLE_H
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct particle {
    double x[3];
    float charge;
    int type;
} particle;

int push_particles(particle *host, size_t n, double dt, int steps);
double charge_of(const particle *p, size_t n);

#ifdef __cplusplus
}
#endif
#endif
