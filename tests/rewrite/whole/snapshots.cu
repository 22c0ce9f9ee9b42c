// Annealing with restarts: the best state so far is kept on the device by device-to-device copies,
// arrays start as zeros by cudaMemset.
#include <cuda_runtime.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static void HandleError(cudaError_t err, const char *file, int line) {
    if (err != cudaSuccess) {
        printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line);
        exit(EXIT_FAILURE);
    }
}
#define HANDLE_ERROR(err) (HandleError(err, __FILE__, __LINE__))

typedef struct Spin {
    int up;
    int flips;
    float field;
    float energy;
    unsigned long long random;
} Spin;

__global__ void initSpins(Spin *spins, int n, unsigned long long seed) {
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    while (tid < n) {
        spins[tid].random = seed + tid * 6364136223846793005ULL;
        spins[tid].up = tid & 1;
        spins[tid].field = ((tid * 29) % 17 - 8) * 0.1f;
        tid += blockDim.x * gridDim.x;
    }
}

__global__ void sweep(Spin *spins, int n, int colour, float temperature) {
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    for (int i = 2 * tid + colour; i < n; i += 2 * blockDim.x * gridDim.x) {
        Spin *self = spins + i;
        int left = spins[(i + n - 1) % n].up, right = spins[(i + 1) % n].up;
        float sum = (left ? 1.0f : -1.0f) + (right ? 1.0f : -1.0f) + self->field;
        float delta = 2.0f * (self->up ? sum : -sum);
        self->random = self->random * 6364136223846793005ULL + 1442695040888963407ULL;
        float r = (float)(self->random >> 40) / 16777216.0f;
        if (delta < 0.0f || r < 0.5f * temperature / (temperature + delta)) {
            self->up = !self->up;
            self->flips += 1;
        }
        self->energy = self->up ? -sum : sum;
    }
}

__global__ void totalEnergy(const Spin *spins, int n, float *total) {
    __shared__ float partial[64];
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float s = spins[i].up ? 1.0f : -1.0f, t = spins[(i + 1) % n].up ? 1.0f : -1.0f;
        sum -= s * t + s * spins[i].field;
    }
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (threadIdx.x < k)
            partial[threadIdx.x] += partial[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *total = partial[0];
}

int main(int argc, char *argv[]) {
    int N = 700;
    if (argc > 1)
        N = atoi(argv[1]);
    assert(N % 2 == 0);
    Spin *dev_spins, *dev_best;
    float *dev_total;
    HANDLE_ERROR(cudaMalloc((void **)&dev_spins, N * sizeof(Spin)));
    HANDLE_ERROR(cudaMalloc((void **)&dev_best, N * sizeof(Spin)));
    HANDLE_ERROR(cudaMalloc((void **)&dev_total, sizeof(float)));
    HANDLE_ERROR(cudaMemset(dev_spins, 0, N * sizeof(Spin)));
    HANDLE_ERROR(cudaMemset(dev_best, 0, N * sizeof(Spin)));

    initSpins<<<2, 64>>>(dev_spins, N, 42);
    HANDLE_ERROR(cudaGetLastError());

    float best = 1e30f, temperature = 2.0f;
    int since = 0, restarts = 0;
    for (int step = 0; step < 12; step++) {
        sweep<<<4, 64>>>(dev_spins, N, 0, temperature);
        sweep<<<4, 64>>>(dev_spins, N, 1, temperature);
        totalEnergy<<<1, 64>>>(dev_spins, N, dev_total);
        float energy;
        HANDLE_ERROR(cudaMemcpy(&energy, dev_total, sizeof(float), cudaMemcpyDeviceToHost));
        printf("step %2d: temperature %.3f, energy %.4f\n", step, temperature, energy);
        if (energy < best) {
            best = energy;
            since = 0;
            HANDLE_ERROR(
                cudaMemcpy(dev_best, dev_spins, N * sizeof(Spin), cudaMemcpyDeviceToDevice));
        } else if (++since == 2) {
            HANDLE_ERROR(
                cudaMemcpy(dev_spins, dev_best, N * sizeof(Spin), cudaMemcpyDeviceToDevice));
            since = 0;
            restarts++;
        }
        temperature *= 0.8f;
    }

    Spin *spins = (Spin *)malloc(N * sizeof(Spin));
    HANDLE_ERROR(cudaMemcpy(spins, dev_best, N * sizeof(Spin), cudaMemcpyDeviceToHost));
    int up = 0, flips = 0;
    unsigned long long random = 0;
    double energy = 0;
    for (int i = 0; i < N; i++) {
        up += spins[i].up;
        flips += spins[i].flips;
        random ^= spins[i].random;
        energy += spins[i].energy;
    }
    printf("best %.4f with %d up of %d, %d flips, %d restarts\n", best, up, N, flips, restarts);
    printf("local energies %.4f, random state %llx\n", energy, random);

    free(spins);
    HANDLE_ERROR(cudaFree(dev_spins));
    HANDLE_ERROR(cudaFree(dev_best));
    HANDLE_ERROR(cudaFree(dev_total));
    return 0;
}
