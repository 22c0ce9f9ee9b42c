/*
 * sampo.cl in CUDA C: the same agents, and the same rules. Thresholds must not depend on the device
 * here either, so no sum is fused with a product: __fmul_rn() stays apart.
 */

#define HABITATS 64
#ifndef CAPACITY
#define CAPACITY 262144 /* a habitat has room for so many eggs a day; a power of two */
#endif

enum { DEAD, EGG, LARVA, PUPA, ADULT, STATES };
enum { SUSCEPTIBLE, EXPOSED, INFECTIOUS };

struct agent {
    unsigned state;       /* DEAD .. ADULT */
    unsigned random;      /* state of its random numbers */
    unsigned age;         /* days */
    unsigned habitat;
    float progress;       /* through its stage; 1: done */
    float energy;         /* 1: well fed, 0: starved */
    unsigned mated;       /* 0 or 1 */
    unsigned digesting;   /* days since the last blood meal, from 1; 0: hungry */
    unsigned eggs;        /* ripe, to be laid */
    unsigned offspring;   /* eggs laid in its life */
    unsigned infection;   /* SUSCEPTIBLE .. INFECTIOUS */
    float incubation;     /* of the parasite; 1: done */
};

/* Growth needs more than `coldest` degrees; each degree above adds `speed` a day. */
__constant__ float coldest[STATES] = {0.0f, 12.0f, 11.0f, 14.0f, 0.0f};
__constant__ float speed[STATES] = {0.0f, 0.03125f, 0.0078125f, 0.046875f, 0.0f};
/* Probability to die within a day. */
__constant__ float danger[STATES] = {0.0f, 0.05f, 0.1f, 0.05f, 0.08f};

/* The agent's next random number, 0 <= r < 1: a linear congruential generator. */
__device__ float draw(agent *a) {
    unsigned random = a->random * 1664525u + 1013904223u;
    a->random = random;
    return (random >> 8) * 5.9604644775390625e-8f;
}

extern "C" __global__ void develop(agent *agents, const float *temperature, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned state = agents[i].state;
    if (state == DEAD || state == ADULT)
        return;

    float warmth = temperature[agents[i].habitat] - coldest[state];
    float progress = agents[i].progress;
    if (warmth > 0.0f)
        progress += __fmul_rn(warmth, speed[state]);
    if (progress >= 1.0f) {
        agents[i].state = state + 1;
        progress = 0.0f;
    }
    agents[i].progress = progress;
}

extern "C" __global__ void grow_older(agent *agents, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned state = agents[i].state;
    if (state == DEAD)
        return;

    unsigned age = agents[i].age + 1;
    agents[i].age = age;
    float risk = danger[state];
    if (state == ADULT)
        risk += __fmul_rn(age, 0.001953125f);
    if (draw(&agents[i]) < risk)
        agents[i].state = DEAD;
}

extern "C" __global__ void mate(agent *agents, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    if (agents[i].state == ADULT && agents[i].mated == 0 && draw(&agents[i]) < 0.5f)
        agents[i].mated = 1;
}

/* An adult burns energy; a hungry one looks for blood; a starved one dies. */
extern "C" __global__ void feed(agent *agents, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
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
extern "C" __global__ void ripen(agent *agents, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned digesting = agents[i].digesting;
    if (agents[i].state != ADULT || digesting == 0)
        return;

    digesting++;
    if (digesting > 3) {
        digesting = 0;
        if (agents[i].mated)
            agents[i].eggs += 60u + (unsigned)(draw(&agents[i]) * 64.0f);
    }
    agents[i].digesting = digesting;
}

/* laid[day * HABITATS + habitat]: eggs laid there on that day. */
extern "C" __global__ void lay(agent *agents, unsigned *laid, int day, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned eggs = agents[i].eggs;
    if (agents[i].state != ADULT || eggs == 0)
        return;

    atomicAdd(&laid[day * HABITATS + agents[i].habitat], eggs);
    agents[i].offspring += eggs;
    agents[i].eggs = 0;
}

/* prevalence[habitat]: share of the people there that carry the parasite. */
extern "C" __global__ void infect(agent *agents, const float *temperature,
                                  const float *prevalence, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count || agents[i].state != ADULT)
        return;

    unsigned habitat = agents[i].habitat;
    unsigned infection = agents[i].infection;
    if (infection == SUSCEPTIBLE) {
        bool fed_today = agents[i].digesting == 2; /* `ripen` has counted today */
        if (fed_today && draw(&agents[i]) < prevalence[habitat])
            agents[i].infection = EXPOSED;
    } else if (infection == EXPOSED) {
        float warmth = temperature[habitat] - 16.0f;
        float incubation = agents[i].incubation;
        if (warmth > 0.0f)
            incubation += __fmul_rn(warmth, 0.0087890625f);
        if (incubation >= 1.0f)
            agents[i].infection = INFECTIOUS;
        agents[i].incubation = incubation;
    }
}

extern "C" __global__ void respawn(agent *agents, const unsigned *laid, int day, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
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
 * infectious adults. Counted by each block first. */
extern "C" __global__ void summarise(agent *agents, unsigned *summary, int day, int count) {
    __shared__ unsigned counted[STATES + 1];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x;

    if (lane <= STATES)
        counted[lane] = 0;
    __syncthreads();
    if (i < count) {
        unsigned state = agents[i].state;
        atomicAdd(&counted[state], 1u);
        if (state == ADULT && agents[i].infection == INFECTIOUS)
            atomicAdd(&counted[STATES], 1u);
    }
    __syncthreads();
    if (lane <= STATES)
        atomicAdd(&summary[day * (STATES + 1) + lane], counted[lane]);
}
