/* The mosquito model in plain C; see sampo.cl. */
#ifndef SAMPO_REFERENCE_H
#define SAMPO_REFERENCE_H

#include <stdint.h>

enum { SAMPO_HABITATS = 64, SAMPO_STATES = 5 };

typedef struct sampo_agent {
    uint32_t state, random, age, habitat;
    float progress, energy;
    uint32_t mated, digesting, eggs, offspring, infection;
    float incubation;
} sampo_agent;

/* What the days read and write, besides the agents. */
typedef struct sampo_world {
    const float *temperature, *prevalence; /* [SAMPO_HABITATS] */
    float capacity;                        /* eggs a habitat has room for in a day */
    uint32_t *laid;                        /* [days * SAMPO_HABITATS] */
    uint32_t *summary;                     /* [days * (SAMPO_STATES + 1)] */
} sampo_world;

void sampo_day(sampo_agent *agents, int count, const sampo_world *world, int day);

#endif
