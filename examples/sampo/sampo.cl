/*
 * An agent-based model of a mosquito population, to see how malaria spreads:
 * the idea of Kofler, Davis and Gesing's SAMPO (2014), with rules of our own.
 * Every agent is one (female) mosquito that lives in a habitat with its own
 * temperature:
 *
 *     egg --> larva --> pupa --> adult      the warmer, the faster
 *                                  |
 *         mate, feed on blood, ripen eggs, lay them, feed again
 *                                  |
 *         a meal may infect it; when the parasite is grown, it infects others
 *
 * A day is nine kernels, one after the other, with one work-item per agent:
 * develop, grow_older, mate, feed, ripen, lay, infect, respawn, summarise.
 * The place of a dead agent is taken by an egg laid that day in its habitat.
 *
 * Every agent has its own random numbers and agents meet only in counters of
 * whole numbers, so the outcome does not depend on the order of work-items.
 * Thresholds must not depend on the device either, hence no fused operations.
 */
#pragma OPENCL FP_CONTRACT OFF

#define HABITATS 64
#ifndef CAPACITY
#define CAPACITY 262144 /* a habitat has room for so many eggs a day; a power of two */
#endif

enum { DEAD, EGG, LARVA, PUPA, ADULT, STATES };
enum { SUSCEPTIBLE, EXPOSED, INFECTIOUS };

typedef struct agent {
    uint state;       /* DEAD .. ADULT */
    uint random;      /* state of its random numbers */
    uint age;         /* days */
    uint habitat;
    float progress;   /* through its stage; 1: done */
    float energy;     /* 1: well fed, 0: starved */
    uint mated;       /* 0 or 1 */
    uint digesting;   /* days since the last blood meal, from 1; 0: hungry */
    uint eggs;        /* ripe, to be laid */
    uint offspring;   /* eggs laid in its life */
    uint infection;   /* SUSCEPTIBLE .. INFECTIOUS */
    float incubation; /* of the parasite; 1: done */
} agent;

/* Growth needs more than `coldest` degrees; each degree above adds `speed` a day. */
__constant float coldest[STATES] = {0.0f, 12.0f, 11.0f, 14.0f, 0.0f};
__constant float speed[STATES] = {0.0f, 0.03125f, 0.0078125f, 0.046875f, 0.0f};
/* Probability to die within a day. */
__constant float danger[STATES] = {0.0f, 0.05f, 0.1f, 0.05f, 0.08f};

/* The agent's next random number, 0 <= r < 1: a linear congruential generator. */
float draw(__global agent *a) {
    uint random = a->random * 1664525u + 1013904223u;
    a->random = random;
    return (random >> 8) * 0x1p-24f;
}

__kernel void develop(__global agent *agents, __global const float *temperature, int count) {
    int i = get_global_id(0);
    if (i >= count)
        return;
    uint state = agents[i].state;
    if (state == DEAD || state == ADULT)
        return;

    float warmth = temperature[agents[i].habitat] - coldest[state];
    float progress = agents[i].progress;
    if (warmth > 0.0f)
        progress += warmth * speed[state];
    if (progress >= 1.0f) {
        agents[i].state = state + 1;
        progress = 0.0f;
    }
    agents[i].progress = progress;
}

__kernel void grow_older(__global agent *agents, int count) {
    int i = get_global_id(0);
    if (i >= count)
        return;
    uint state = agents[i].state;
    if (state == DEAD)
        return;

    uint age = agents[i].age + 1;
    agents[i].age = age;
    float risk = danger[state];
    if (state == ADULT)
        risk += age * 0.001953125f;
    if (draw(&agents[i]) < risk)
        agents[i].state = DEAD;
}

__kernel void mate(__global agent *agents, int count) {
    int i = get_global_id(0);
    if (i >= count)
        return;
    if (agents[i].state == ADULT && agents[i].mated == 0 && draw(&agents[i]) < 0.5f)
        agents[i].mated = 1;
}

/* An adult burns energy; a hungry one looks for blood; a starved one dies. */
__kernel void feed(__global agent *agents, int count) {
    int i = get_global_id(0);
    if (i >= count || agents[i].state != ADULT)
        return;

    float energy = agents[i].energy - 0.125f;
    if (agents[i].digesting == 0 && draw(&agents[i]) < 0.6f) {
        agents[i].digesting = 1;
        energy = 1.0f;
    }
    if (energy <= 0.0f)
        agents[i].state = DEAD;
    agents[i].energy = energy;
}

/* Three days after a meal, a mated adult has eggs, and all are hungry again. */
__kernel void ripen(__global agent *agents, int count) {
    int i = get_global_id(0);
    if (i >= count)
        return;
    uint digesting = agents[i].digesting;
    if (agents[i].state != ADULT || digesting == 0)
        return;

    digesting++;
    if (digesting > 3) {
        digesting = 0;
        if (agents[i].mated)
            agents[i].eggs += 60u + (uint)(draw(&agents[i]) * 64.0f);
    }
    agents[i].digesting = digesting;
}

/* laid[day * HABITATS + habitat]: eggs laid there on that day. */
__kernel void lay(__global agent *agents, __global uint *laid, int day, int count) {
    int i = get_global_id(0);
    if (i >= count)
        return;
    uint eggs = agents[i].eggs;
    if (agents[i].state != ADULT || eggs == 0)
        return;

    atomic_add(&laid[day * HABITATS + agents[i].habitat], eggs);
    agents[i].offspring += eggs;
    agents[i].eggs = 0;
}

/* prevalence[habitat]: share of the people there that carry the parasite. */
__kernel void infect(__global agent *agents, __global const float *temperature,
                     __global const float *prevalence, int count) {
    int i = get_global_id(0);
    if (i >= count || agents[i].state != ADULT)
        return;

    uint habitat = agents[i].habitat;
    uint infection = agents[i].infection;
    if (infection == SUSCEPTIBLE) {
        bool fed_today = agents[i].digesting == 2; /* `ripen` has counted today */
        if (fed_today && draw(&agents[i]) < prevalence[habitat])
            agents[i].infection = EXPOSED;
    } else if (infection == EXPOSED) {
        float warmth = temperature[habitat] - 16.0f;
        float incubation = agents[i].incubation;
        if (warmth > 0.0f)
            incubation += warmth * 0.0087890625f;
        if (incubation >= 1.0f)
            agents[i].infection = INFECTIOUS;
        agents[i].incubation = incubation;
    }
}

__kernel void respawn(__global agent *agents, __global const uint *laid, int day, int count) {
    int i = get_global_id(0);
    if (i >= count || agents[i].state != DEAD)
        return;

    float chance = laid[day * HABITATS + agents[i].habitat] * (1.0f / CAPACITY);
    if (draw(&agents[i]) >= chance)
        return;
    agents[i].state = EGG;
    agents[i].age = 0;
    agents[i].progress = 0.0f;
    agents[i].energy = 1.0f;
    agents[i].mated = 0;
    agents[i].digesting = 0;
    agents[i].eggs = 0;
    agents[i].offspring = 0;
    agents[i].infection = SUSCEPTIBLE;
    agents[i].incubation = 0.0f;
}

/* summary[day * (STATES + 1) + s]: agents in state s; in the last place, the
 * infectious adults. Counted by each work-group first. */
__kernel void summarise(__global agent *agents, __global uint *summary, int day, int count) {
    __local uint counted[STATES + 1];
    int i = get_global_id(0);
    int lane = get_local_id(0);

    if (lane <= STATES)
        counted[lane] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < count) {
        uint state = agents[i].state;
        atomic_inc(&counted[state]);
        if (state == ADULT && agents[i].infection == INFECTIOUS)
            atomic_inc(&counted[STATES]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane <= STATES)
        atomic_add(&summary[day * (STATES + 1) + lane], counted[lane]);
}
