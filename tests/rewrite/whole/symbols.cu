// Cells of a neural network in a __device__ array, synapses in allocated memory; kernels are
// launched by cudaLaunchKernel.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CK(x)                                                                                      \
    do {                                                                                           \
        cudaError_t r = (x);                                                                       \
        if (r != cudaSuccess) {                                                                    \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(r));                     \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

#define NEURONS 192

struct Neuron {
    float v, u;
    float a, b, c, d;
    float current;
    int spikes;
};

struct Synapse {
    int from, to;
    float weight;
    float trace;
};

__device__ Neuron g_neurons[NEURONS];
__device__ int g_fired[NEURONS];

__global__ void integrateNeurons(float dt, float drive) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= NEURONS)
        return;
    float v = g_neurons[i].v, u = g_neurons[i].u;
    float in = g_neurons[i].current + drive;
    v += dt * (0.04f * v * v + 5.0f * v + 140.0f - u + in);
    u += dt * g_neurons[i].a * (g_neurons[i].b * v - u);
    g_fired[i] = v >= 30.0f;
    if (v >= 30.0f) {
        v = g_neurons[i].c;
        u += g_neurons[i].d;
        g_neurons[i].spikes++;
    }
    g_neurons[i].v = v;
    g_neurons[i].u = u;
    g_neurons[i].current = 0.0f;
}

__global__ void deliver(Synapse *synapses, int perNeuron) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= NEURONS)
        return;
    float sum = 0.0f;
    for (int k = 0; k < perNeuron; k++) {
        Synapse *s = &synapses[i * perNeuron + k];
        s->trace *= 0.9f;
        if (g_fired[s->from]) {
            sum += s->weight;
            s->trace += 1.0f;
        }
    }
    g_neurons[i].current += sum;
}

__global__ void learn(Synapse *synapses, int count, float rate) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count && g_fired[synapses[k].to])
        synapses[k].weight += rate * synapses[k].trace;
}

int main(int argc, char **argv) {
    int perNeuron = argc > 1 ? atoi(argv[1]) : 12;
    int steps = argc > 2 ? atoi(argv[2]) : 40;
    int count = NEURONS * perNeuron;
    Neuron neurons[NEURONS];
    std::vector<Synapse> synapses(count);
    for (int i = 0; i < NEURONS; i++) {
        Neuron n = {-65.0f, -13.0f, 0.02f, 0.2f, -65.0f + i % 15, 8.0f - i % 6, 0.0f, 0};
        neurons[i] = n;
    }
    for (int k = 0; k < count; k++) {
        synapses[k].from = (k * 31 + 7) % NEURONS;
        synapses[k].to = k / perNeuron;
        synapses[k].weight = (k % 5) ? 0.5f * (k % 9) : -2.0f;
        synapses[k].trace = 0.0f;
    }

    Synapse *d_synapses;
    CK(cudaMalloc((void **)&d_synapses, count * sizeof(Synapse)));
    CK(cudaMemcpy(d_synapses, synapses.data(), count * sizeof(Synapse), cudaMemcpyHostToDevice));
    CK(cudaMemcpyToSymbol(g_neurons, neurons, sizeof(neurons)));

    dim3 block(64), grid((NEURONS + 63) / 64), learnGrid((count + 63) / 64);
    float dt = 0.5f, rate = 0.01f;
    for (int s = 0; s < steps; s++) {
        float drive = 5.0f + s % 9;
        void *integrateArgs[] = {&dt, &drive};
        void *deliverArgs[] = {&d_synapses, &perNeuron};
        void *learnArgs[] = {&d_synapses, &count, &rate};
        CK(cudaLaunchKernel((const void *)integrateNeurons, grid, block, integrateArgs, 0, NULL));
        CK(cudaLaunchKernel((const void *)deliver, grid, block, deliverArgs, 0, NULL));
        CK(cudaLaunchKernel((const void *)learn, learnGrid, block, learnArgs, 0, NULL));
    }
    CK(cudaDeviceSynchronize());

    CK(cudaMemcpyFromSymbol(neurons, g_neurons, sizeof(neurons)));
    CK(cudaMemcpy(synapses.data(), d_synapses, count * sizeof(Synapse), cudaMemcpyDeviceToHost));
    CK(cudaFree(d_synapses));

    int spikes = 0, most = 0;
    double potential = 0, recovery = 0, weight = 0, trace = 0;
    for (int i = 0; i < NEURONS; i++) {
        spikes += neurons[i].spikes;
        if (neurons[i].spikes > neurons[most].spikes)
            most = i;
        potential += neurons[i].v;
        recovery += neurons[i].u;
    }
    for (int k = 0; k < count; k++) {
        weight += synapses[k].weight;
        trace += synapses[k].trace;
    }
    printf("%d neurons, %d synapses, %d steps\n", NEURONS, count, steps);
    printf("%d spikes, most (%d) by neuron %d\n", spikes, neurons[most].spikes, most);
    printf("potential %.4f, recovery %.4f\n", potential, recovery);
    printf("weight %.4f, trace %.4f\n", weight, trace);
    return 0;
}
