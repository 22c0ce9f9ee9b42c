/*
 * The same float operations, one by one, as the kernels': thresholds then fall
 * alike and the outcome is equal bit for bit. An agent's day has two parts, as
 * only `respawn` needs to know what others did (how many eggs were laid).
 */
#include "reference.h"

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

enum { SAMPO_DEAD, SAMPO_EGG, SAMPO_LARVA, SAMPO_PUPA, SAMPO_ADULT };
enum { SAMPO_SUSCEPTIBLE, SAMPO_EXPOSED, SAMPO_INFECTIOUS };

static float sampo_draw(sampo_agent *a) {
    a->random = a->random * 1664525u + 1013904223u;
    return (float)(a->random >> 8) * 0x1p-24f;
}

static void sampo_develop(sampo_agent *a, float temperature) {
    static const float coldest[] = {0, 12, 11, 14, 0};
    static const float speed[] = {0, 1 / 32.0f, 1 / 128.0f, 3 / 64.0f, 0};
    if (a->state == SAMPO_DEAD || a->state == SAMPO_ADULT)
        return;
    float warmth = temperature - coldest[a->state];
    float gained = warmth * speed[a->state];
    if (warmth > 0)
        a->progress += gained;
    if (a->progress >= 1) {
        a->progress = 0;
        a->state++;
    }
}

static void sampo_grow_older(sampo_agent *a) {
    static const float danger[] = {0, 0.05f, 0.1f, 0.05f, 0.08f};
    if (a->state == SAMPO_DEAD)
        return;
    a->age++;
    float ageing = (float)a->age * (1 / 512.0f);
    float risk = danger[a->state];
    if (a->state == SAMPO_ADULT)
        risk += ageing;
    if (sampo_draw(a) < risk)
        a->state = SAMPO_DEAD;
}

static void sampo_feed(sampo_agent *a) {
    if (a->state != SAMPO_ADULT)
        return;
    a->energy -= 0.125f;
    if (a->digesting == 0 && sampo_draw(a) < 0.6f) {
        a->digesting = 1;
        a->energy = 1;
    }
    if (a->energy <= 0)
        a->state = SAMPO_DEAD;
}

static void sampo_ripen(sampo_agent *a) {
    if (a->state != SAMPO_ADULT || a->digesting == 0)
        return;
    if (++a->digesting <= 3)
        return;
    a->digesting = 0;
    if (a->mated)
        a->eggs += 60 + (uint32_t)(sampo_draw(a) * 64);
}

static void sampo_infect(sampo_agent *a, float temperature, float prevalence) {
    if (a->state != SAMPO_ADULT)
        return;
    if (a->infection == SAMPO_EXPOSED) {
        float warmth = temperature - 16;
        float gained = warmth * (9 / 1024.0f);
        if (warmth > 0)
            a->incubation += gained;
        if (a->incubation >= 1)
            a->infection = SAMPO_INFECTIOUS;
    } else if (a->infection == SAMPO_SUSCEPTIBLE && a->digesting == 2) {
        if (sampo_draw(a) < prevalence)
            a->infection = SAMPO_EXPOSED;
    }
}

/* All of an agent's day before `respawn`. */
static void sampo_live(sampo_agent *a, const sampo_world *world, uint32_t *laid) {
    sampo_develop(a, world->temperature[a->habitat]);
    sampo_grow_older(a);
    if (a->state == SAMPO_ADULT && !a->mated && sampo_draw(a) < 0.5f)
        a->mated = 1;
    sampo_feed(a);
    sampo_ripen(a);
    if (a->state == SAMPO_ADULT) {
        laid[a->habitat] += a->eggs;
        a->offspring += a->eggs;
        a->eggs = 0;
    }
    sampo_infect(a, world->temperature[a->habitat], world->prevalence[a->habitat]);
}

static void sampo_respawn(sampo_agent *a, const uint32_t *laid, float capacity) {
    if (a->state != SAMPO_DEAD)
        return;
    float chance = (float)laid[a->habitat] * (1 / capacity);
    if (sampo_draw(a) < chance)
        *a = (sampo_agent){
            .state = SAMPO_EGG, .random = a->random, .habitat = a->habitat, .energy = 1};
}

void sampo_day(sampo_agent *agents, int count, const sampo_world *world, int day) {
    uint32_t *laid = world->laid + day * SAMPO_HABITATS;
    uint32_t *summary = world->summary + day * (SAMPO_STATES + 1);
    for (int i = 0; i < count; i++)
        sampo_live(&agents[i], world, laid);
    for (int i = 0; i < count; i++) {
        const sampo_agent *a = &agents[i];
        sampo_respawn(&agents[i], laid, world->capacity);
        summary[a->state]++;
        if (a->state == SAMPO_ADULT && a->infection == SAMPO_INFECTIOUS)
            summary[SAMPO_STATES]++;
    }
}
