// Managed memory that helpers of the host fill, change and sum up.
// in: Agent=soa; Agent=aosoa:32; Agent={x,y}{age,state}
#include <cuda_runtime.h>

#include <cstdio>

struct Agent {
    float x, y;
    int age;
    char state;
    __host__ __device__ void birthday() { age++; }
};

void fill(Agent *agents, int n) {
    for (int i = 0; i < n; i++) {
        agents[i].x = 0.5f * i;
        agents[i].y = 100 - i;
        agents[i].age = i % 80;
        agents[i].state = i % 3;
    }
}

static void reset(Agent &a) { a = Agent{1, 2, 3, 4}; }

template <class T> void older(T *first, T *end) {
    for (; first != end; ++first)
        first->age += 2;
}

double total(const Agent *agents, int n) {
    double sum = 0;
    for (const Agent *a = agents; a < agents + n; a++)
        sum += a->x + a->y * a->age + a->state;
    return sum;
}

__global__ void walk(Agent *agents, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && agents[i].state)
        agents[i].x += agents[i].age;
}

int main() {
    const int n = 100;
    Agent *agents;
    cudaMallocManaged(&agents, n * sizeof(Agent));
    fill(agents, n);
    reset(agents[7]);
    agents[8].birthday();
    older(agents + 20, agents + 30);
    walk<<<2, 64>>>(agents, n);
    cudaDeviceSynchronize();
    printf("%.4f\n", total(agents, n));
    cudaFree(agents);
    return 0;
}
