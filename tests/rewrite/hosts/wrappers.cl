struct Agent {
    int state, days;
    float x, y;
    float exposure;
    uchar group[4];
};

struct Place {
    float x, y;
    float radius;
    int visits;
};

__kernel void visit(__global struct Agent *agents, __global struct Place *places, int agentCount,
                    int placeCount, __local int *scratch) {
    int p = get_group_id(0);
    if (get_local_id(0) == 0)
        scratch[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int a = get_local_id(0); a < agentCount; a += get_local_size(0)) {
        float dx = agents[a].x - places[p].x, dy = agents[a].y - places[p].y;
        if (dx * dx + dy * dy < places[p].radius * places[p].radius)
            atomic_inc(scratch);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && p < placeCount)
        places[p].visits += scratch[0];
}

__kernel void infect(__global struct Agent *agents, __global const struct Place *places, int agentCount,
                     int placeCount, __global const float *weights) {
    int a = get_global_id(0);
    if (a >= agentCount)
        return;
    float exposure = 0;
    for (int p = 0; p < placeCount; p++) {
        float dx = agents[a].x - places[p].x, dy = agents[a].y - places[p].y;
        if (dx * dx + dy * dy < places[p].radius * places[p].radius)
            exposure += weights[p] * places[p].visits;
    }
    agents[a].exposure += exposure;
    if (agents[a].state == 0 && agents[a].exposure > 4.0f) {
        agents[a].state = 1;
        agents[a].days = 0;
    } else {
        agents[a].days++;
    }
}
