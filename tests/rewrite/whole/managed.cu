// Managed memory: the host fills the array, looks into it between launches, and sums it up.
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
    {                                                                                              \
        const cudaError_t error = call;                                                            \
        if (error != cudaSuccess) {                                                                \
            printf("Error: %s:%d, code: %d, reason: %s\n", __FILE__, __LINE__, error,              \
                   cudaGetErrorString(error));                                                     \
            exit(1);                                                                               \
        }                                                                                          \
    }

struct Agent {
    int state; // 0: susceptible, 1: infected, 2: recovered
    int days;
    float x, y;
    float exposure;
    unsigned contacts;
};

__global__ void move(Agent *agents, int n, int day) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned h = (i * 2654435761u) ^ (day * 40503u);
    agents[i].x += ((h & 255) / 255.0f - 0.5f) * 0.2f;
    agents[i].y += (((h >> 8) & 255) / 255.0f - 0.5f) * 0.2f;
    agents[i].x = fminf(fmaxf(agents[i].x, 0.0f), 4.0f);
    agents[i].y = fminf(fmaxf(agents[i].y, 0.0f), 4.0f);
}

__global__ void expose(Agent *agents, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || agents[i].state != 0)
        return;
    float exposure = 0;
    unsigned contacts = 0;
    for (int j = 0; j < n; j++) {
        if (agents[j].state != 1)
            continue;
        float dx = agents[j].x - agents[i].x, dy = agents[j].y - agents[i].y;
        if (dx * dx + dy * dy < 0.16f) {
            exposure += 0.3f;
            contacts++;
        }
    }
    agents[i].exposure += exposure;
    agents[i].contacts += contacts;
}

__global__ void progress(Agent *agents, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Agent a = agents[i];
    if (a.state == 0 && a.exposure > 1.0f) {
        a.state = 1;
        a.days = 0;
    } else if (a.state == 1 && ++a.days > 4) {
        a.state = 2;
    }
    agents[i] = a;
}

int main(int argc, char **argv) {
    int n = 260;
    if (argc > 1)
        n = atoi(argv[1]);
    const int days = 6;
    Agent *agents;
    CHECK(cudaMallocManaged(&agents, n * sizeof(Agent)));

    for (int i = 0; i < n; i++) {
        agents[i].state = i % 40 == 0 ? 1 : 0;
        agents[i].days = 0;
        agents[i].x = (i % 20) * 0.2f;
        agents[i].y = (i / 20) * 0.3f;
        agents[i].exposure = 0.0f;
        agents[i].contacts = 0;
    }

    dim3 block(64);
    dim3 grid((n + block.x - 1) / block.x);
    for (int day = 0; day < days; day++) {
        move<<<grid, block>>>(agents, n, day);
        expose<<<grid, block>>>(agents, n);
        progress<<<grid, block>>>(agents, n);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());

        int counts[3] = {0, 0, 0};
        for (int i = 0; i < n; i++)
            counts[agents[i].state]++;
        printf("day %d: %d susceptible, %d infected, %d recovered\n", day, counts[0], counts[1],
               counts[2]);

        // A vaccine for whom the virus met most often.
        int most = -1;
        for (int i = 0; i < n; i++)
            if (agents[i].state == 0 && (most < 0 || agents[i].contacts > agents[most].contacts))
                most = i;
        if (most >= 0) {
            agents[most].state = 2;
            agents[most].exposure = 0.0f;
        }
    }

    double x = 0, y = 0, exposure = 0;
    unsigned long contacts = 0;
    for (int i = 0; i < n; ++i) {
        x += agents[i].x;
        y += agents[i].y;
        exposure += agents[i].exposure;
        contacts += agents[i].contacts;
    }
    printf("centre: %.5f %.5f\n", x / n, y / n);
    printf("exposure: %.3f, contacts: %lu\n", exposure, contacts);
    CHECK(cudaFree(agents));
    CHECK(cudaDeviceReset());
    return 0;
}
