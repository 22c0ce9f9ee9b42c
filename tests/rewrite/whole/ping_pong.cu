// Gray-Scott reaction and diffusion with two buffers that change places after each step.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#define CUDA_CALL(x)                                                                               \
    do {                                                                                           \
        if ((x) != cudaSuccess) {                                                                  \
            printf("Error at %s:%d\n", __FILE__, __LINE__);                                        \
            return EXIT_FAILURE;                                                                   \
        }                                                                                          \
    } while (0)

struct Point {
    float u, v;
    float feed, kill;
    short obstacle;
    short age;
};

__constant__ float c_diffusion[2];

__device__ inline int wrap(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }

__device__ float laplaceU(const Point *grid, int x, int y, int nx, int ny) {
    return grid[y * nx + wrap(x - 1, nx)].u + grid[y * nx + wrap(x + 1, nx)].u +
           grid[wrap(y - 1, ny) * nx + x].u + grid[wrap(y + 1, ny) * nx + x].u -
           4.0f * grid[y * nx + x].u;
}

__device__ float laplaceV(const Point *grid, int x, int y, int nx, int ny) {
    return grid[y * nx + wrap(x - 1, nx)].v + grid[y * nx + wrap(x + 1, nx)].v +
           grid[wrap(y - 1, ny) * nx + x].v + grid[wrap(y + 1, ny) * nx + x].v -
           4.0f * grid[y * nx + x].v;
}

__global__ void react(const Point *__restrict__ in, Point *__restrict__ out, int nx, int ny,
                      float dt) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
        return;
    const int i = y * nx + x;
    Point p = in[i];
    if (!p.obstacle) {
        const float uvv = p.u * p.v * p.v;
        const float du = c_diffusion[0] * laplaceU(in, x, y, nx, ny) - uvv + p.feed * (1 - p.u);
        const float dv =
            c_diffusion[1] * laplaceV(in, x, y, nx, ny) + uvv - (p.feed + p.kill) * p.v;
        p.u += dt * du;
        p.v += dt * dv;
        p.age++;
    }
    out[i] = p;
}

__global__ void stir(Point *grid, int nx, int ny, int row) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < nx && !grid[row * nx + x].obstacle) {
        grid[row * nx + x].u *= 0.99f;
        grid[row * nx + x].v = fminf(1.0f, grid[row * nx + x].v + 0.01f);
    }
}

int main(int argc, char **argv) {
    const int nx = argc > 1 ? atoi(argv[1]) : 40;
    const int ny = argc > 2 ? atoi(argv[2]) : 25;
    const int steps = argc > 3 ? atoi(argv[3]) : 9;
    const size_t n = (size_t)nx * ny;

    std::unique_ptr<Point[]> grid(new Point[n]);
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            Point &p = grid[y * nx + x];
            bool seed = abs(x - nx / 2) < 4 && abs(y - ny / 2) < 4;
            p.u = seed ? 0.5f : 1.0f;
            p.v = seed ? 0.25f : 0.0f;
            p.feed = 0.035f + 0.0005f * x;
            p.kill = 0.06f;
            p.obstacle = (x * 3 + y * 5) % 47 == 0;
            p.age = 0;
        }

    Point *d_in, *d_out;
    CUDA_CALL(cudaMalloc(&d_in, n * sizeof(Point)));
    CUDA_CALL(cudaMalloc(&d_out, n * sizeof(Point)));
    CUDA_CALL(cudaMemcpy(d_in, grid.get(), n * sizeof(Point), cudaMemcpyHostToDevice));
    const float diffusion[2] = {0.16f, 0.08f};
    CUDA_CALL(cudaMemcpyToSymbol(c_diffusion, diffusion, sizeof(diffusion)));

    cudaEvent_t t0, t1;
    CUDA_CALL(cudaEventCreate(&t0));
    CUDA_CALL(cudaEventCreate(&t1));
    CUDA_CALL(cudaEventRecord(t0));
    const dim3 threads(32, 4);
    const dim3 blocks((nx + threads.x - 1) / threads.x, (ny + threads.y - 1) / threads.y);
    for (int s = 0; s < steps; s++) {
        react<<<blocks, threads>>>(d_in, d_out, nx, ny, 1.0f);
        std::swap(d_in, d_out);
        if (s % 3 == 2)
            stir<<<(nx + 63) / 64, 64>>>(d_in, nx, ny, s % ny);
    }
    CUDA_CALL(cudaEventRecord(t1));
    CUDA_CALL(cudaEventSynchronize(t1));
    float ms;
    CUDA_CALL(cudaEventElapsedTime(&ms, t0, t1));
    fprintf(stderr, "%.3f ms, %.1f Mpoints/s\n", ms, n * steps / (ms * 1e3 + 1e-9));

    CUDA_CALL(cudaMemcpy(grid.get(), d_in, n * sizeof(Point), cudaMemcpyDeviceToHost));
    double u = 0, v = 0;
    int age = 0, obstacles = 0;
    float most = 0;
    for (size_t i = 0; i < n; i++) {
        u += grid[i].u;
        v += grid[i].v;
        age += grid[i].age;
        obstacles += grid[i].obstacle;
        most = std::max(most, grid[i].v);
    }
    printf("%d x %d points, %d obstacles, %d steps\n", nx, ny, obstacles, steps);
    printf("u %.6f, v %.6f, largest v %.6f\n", u, v, most);
    printf("age %d\n", age);

    CUDA_CALL(cudaEventDestroy(t0));
    CUDA_CALL(cudaEventDestroy(t1));
    CUDA_CALL(cudaFree(d_in));
    CUDA_CALL(cudaFree(d_out));
    return EXIT_SUCCESS;
}
