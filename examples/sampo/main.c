/*
 * The mosquito model on an OpenCL device, compared with reference.c.
 *
 *     sampo [AGENTS]
 *
 * The agents are an array of structs. Compiled with -DLAID_OUT they lie on the device in the
 * layout for which `heddle apply` wrote the kernels and the header; the #ifdef blocks are all
 * that this takes.
 */
#include "../host.h"
#include "reference.h"

#ifdef LAID_OUT
#include "sampo.h"
#endif

enum { DAYS = 4, KERNELS = 9 };

/* What a kernel takes behind the agents, in this order, and before their number. */
enum { TEMPERATURE = 1, PREVALENCE = 2, LAID = 4, SUMMARY = 8, DAY = 16 };
static const struct {
    const char *name;
    unsigned takes;
} kernel_list[KERNELS] = {{"develop", TEMPERATURE},
                          {"grow_older", 0},
                          {"mate", 0},
                          {"feed", 0},
                          {"ripen", 0},
                          {"lay", LAID | DAY},
                          {"infect", TEMPERATURE | PREVALENCE},
                          {"respawn", LAID | DAY},
                          {"summarise", SUMMARY | DAY}};

/* ---- the world, on the host ------------------------------------------------ */

static void fill_agents(sampo_agent *agents, size_t count) {
    for (size_t i = 0; i < count; i++)
        agents[i] = (sampo_agent){.state = host_whole(1, i, 0, 4),
                                  .random = host_whole(2, i, 0, UINT32_MAX),
                                  .age = host_whole(3, i, 0, 30),
                                  .habitat = host_whole(4, i, 0, SAMPO_HABITATS - 1),
                                  .progress = host_uniform(5, i, 0, 1),
                                  .energy = host_uniform(6, i, 0.25, 1),
                                  .mated = host_whole(7, i, 0, 1),
                                  .digesting = host_whole(8, i, 0, 3),
                                  .infection = host_whole(9, i, 0, 2),
                                  .incubation = host_uniform(10, i, 0, 1)};
}

static void fill_world(float *temperature, float *prevalence) {
    for (size_t i = 0; i < SAMPO_HABITATS; i++) {
        temperature[i] = host_uniform(11, i, 18, 32);
        prevalence[i] = host_uniform(12, i, 0.1, 0.4);
    }
}

/* ---- on the device ----------------------------------------------------------- */

typedef struct device_world {
    cl_mem temperature, prevalence, laid, summary;
} device_world;

typedef struct device_agents {
    size_t count;
#ifdef LAID_OUT
    cl_mem buffers[agent_allocations];
#else
    cl_mem buffer;
#endif
} device_agents;

static device_agents upload(host *h, sampo_agent *agents, size_t count) {
    device_agents on_device = {.count = count};
#ifdef LAID_OUT
    void *parts[agent_allocations];
    for (int a = 0; a < agent_allocations; a++)
        parts[a] = host_new(agent_bytes(a, count));
    agent_to_layout(agents, parts, count);
    for (int a = 0; a < agent_allocations; a++) {
        on_device.buffers[a] = host_buffer(h, parts[a], agent_bytes(a, count));
        free(parts[a]);
    }
#else
    on_device.buffer = host_buffer(h, agents, count * sizeof *agents);
#endif
    return on_device;
}

static void download(host *h, device_agents *on_device, sampo_agent *agents, size_t count) {
#ifdef LAID_OUT
    void *parts[agent_allocations];
    for (int a = 0; a < agent_allocations; a++) {
        parts[a] = host_new(agent_bytes(a, count));
        host_take(h, on_device->buffers[a], parts[a], agent_bytes(a, count));
    }
    agent_from_layout(parts, agents, count);
    for (int a = 0; a < agent_allocations; a++)
        free(parts[a]);
#else
    host_take(h, on_device->buffer, agents, count * sizeof *agents);
#endif
}

/* Makes the agents the kernel's first argument; returns the next one's number. */
static cl_uint set_agents(cl_kernel kernel, device_agents *agents) {
    cl_uint argument = 0;
#ifdef LAID_OUT
    cl_ulong elements = agents->count;
    for (int a = 0; a < agent_allocations; a++)
        host_set(kernel, argument++, agents->buffers[a]);
    host_set(kernel, argument++, elements);
#else
    host_set(kernel, argument++, agents->buffer);
#endif
    return argument;
}

static void run_kernel(host *h, int k, device_agents *agents, device_world *world, cl_int day) {
    cl_kernel kernel = host_kernel(h, kernel_list[k].name);
    cl_uint argument = set_agents(kernel, agents);
    cl_int count = (cl_int)agents->count;
    unsigned takes = kernel_list[k].takes;
    if (takes & TEMPERATURE)
        host_set(kernel, argument++, world->temperature);
    if (takes & PREVALENCE)
        host_set(kernel, argument++, world->prevalence);
    if (takes & LAID)
        host_set(kernel, argument++, world->laid);
    if (takes & SUMMARY)
        host_set(kernel, argument++, world->summary);
    if (takes & DAY)
        host_set(kernel, argument++, day);
    host_set(kernel, argument, count);
    host_run(h, kernel, agents->count, 256);
    clReleaseKernel(kernel);
}

/* Lets the agents live for DAYS days; `laid` and `summary` get what they hold then. */
static void live(host *h, sampo_agent *agents, size_t count, const sampo_world *world) {
    size_t laid_bytes = DAYS * SAMPO_HABITATS * sizeof *world->laid;
    size_t summary_bytes = DAYS * (SAMPO_STATES + 1) * sizeof *world->summary;
    size_t habitat_bytes = SAMPO_HABITATS * sizeof(float);
    device_agents on_device = upload(h, agents, count);
    device_world there = {.temperature = host_buffer(h, world->temperature, habitat_bytes),
                          .prevalence = host_buffer(h, world->prevalence, habitat_bytes),
                          .laid = host_buffer(h, world->laid, laid_bytes),
                          .summary = host_buffer(h, world->summary, summary_bytes)};
    for (cl_int day = 0; day < DAYS; day++)
        for (int k = 0; k < KERNELS; k++)
            run_kernel(h, k, &on_device, &there, day);
    download(h, &on_device, agents, count);
    host_take(h, there.laid, world->laid, laid_bytes);
    host_take(h, there.summary, world->summary, summary_bytes);
    clReleaseMemObject(there.temperature);
    clReleaseMemObject(there.prevalence);
}

/* ---- both, and the comparison --------------------------------------------------- */

static void compare(const sampo_agent *got, const sampo_agent *want, size_t count) {
    for (size_t i = 0; i < count; i++) {
        host_expect("state", i, got[i].state, want[i].state, 0, 0);
        host_expect("random", i, got[i].random, want[i].random, 0, 0);
        host_expect("age", i, got[i].age, want[i].age, 0, 0);
        host_expect("habitat", i, got[i].habitat, want[i].habitat, 0, 0);
        host_expect("progress", i, got[i].progress, want[i].progress, 0, 0);
        host_expect("energy", i, got[i].energy, want[i].energy, 0, 0);
        host_expect("mated", i, got[i].mated, want[i].mated, 0, 0);
        host_expect("digesting", i, got[i].digesting, want[i].digesting, 0, 0);
        host_expect("eggs", i, got[i].eggs, want[i].eggs, 0, 0);
        host_expect("offspring", i, got[i].offspring, want[i].offspring, 0, 0);
        host_expect("infection", i, got[i].infection, want[i].infection, 0, 0);
        host_expect("incubation", i, got[i].incubation, want[i].incubation, 0, 0);
    }
}

int main(int argc, char **argv) {
    size_t count = host_size(argc, argv, 1048576), capacity = (count + 3) / 4;
    sampo_agent *agents = host_new(count * sizeof *agents);
    sampo_agent *expected = host_new(count * sizeof *expected);
    float temperature[SAMPO_HABITATS], prevalence[SAMPO_HABITATS];
    uint32_t laid[2][DAYS * SAMPO_HABITATS] = {{0}};
    uint32_t summary[2][DAYS * (SAMPO_STATES + 1)] = {{0}};
    sampo_world worlds[2];
    char options[64];
    snprintf(options, sizeof options, "-DCAPACITY=%zu", capacity);
    host h = host_open(KERNEL_FILE, options);

    fill_agents(agents, count);
    fill_agents(expected, count);
    fill_world(temperature, prevalence);
    for (int w = 0; w < 2; w++)
        worlds[w] = (sampo_world){temperature, prevalence, (float)capacity, laid[w], summary[w]};
    live(&h, agents, count, &worlds[0]);
    for (int day = 0; day < DAYS; day++)
        sampo_day(expected, (int)count, &worlds[1], day);

    for (size_t i = 0; i < DAYS * SAMPO_HABITATS; i++)
        host_expect("laid", i, laid[0][i], laid[1][i], 0, 0);
    for (size_t i = 0; i < DAYS * (SAMPO_STATES + 1); i++)
        host_expect("summary", i, summary[0][i], summary[1][i], 0, 0);
    compare(agents, expected, count);
    host_report(&h, "agents", count);
    host_close(&h);
    free(agents);
    free(expected);
    return 0;
}
