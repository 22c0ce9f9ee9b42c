// Helpers of the host that are given both managed memory and arrays of their own.
// in: Agent=soa
#include <cuda_runtime.h>

#include <algorithm>
#include <vector>

struct Agent {
    float x;
    int age;
};

void fill(Agent *agents, int n) {
    for (int i = 0; i < n; i++)
        agents[i].age = i;
}

__global__ void walk(Agent *agents, int n) { agents[threadIdx.x].x += n; }

int main() {
    Agent *agents;
    std::vector<Agent> own(64);
    cudaMallocManaged(&agents, 64 * sizeof(Agent));
    fill(agents, 64);
    fill(own.data(), 64); //! what 'data' returns, and mixed with laid-out records 'Agent'
    walk<<<1, 64>>>(agents, 1);
    std::sort(agents, agents + 64, [](const Agent &a, const Agent &b) { return a.x < b.x; }); //! goes to 'sort'
    return cudaFree(agents);
}
