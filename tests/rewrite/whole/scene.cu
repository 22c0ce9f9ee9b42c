// A small ray caster: the kernels get the device pointers in one struct, by value.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK_CUDA(call)                                                                           \
    do {                                                                                           \
        cudaError_t e = call;                                                                      \
        if (e != cudaSuccess) {                                                                    \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e));        \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (false)

struct Sphere {
    float cx, cy, cz, radius;
    float red, green, blue;
    int hits;
};

struct Ray {
    float ox, oy, oz;
    float dx, dy, dz;
    float t;
    int sphere;
};

struct Scene {
    Sphere *spheres;
    Ray *rays;
    float *image;
    int sphereCount;
    int width, height;
};

__device__ float intersect(const Sphere &s, float ox, float oy, float oz, float dx, float dy,
                           float dz) {
    float lx = s.cx - ox, ly = s.cy - oy, lz = s.cz - oz;
    float along = lx * dx + ly * dy + lz * dz;
    float away = lx * lx + ly * ly + lz * lz - along * along;
    float in = s.radius * s.radius - away;
    return in < 0.0f ? -1.0f : along - sqrtf(in);
}

__global__ void generate(Scene scene) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= scene.width || y >= scene.height)
        return;
    Ray &ray = scene.rays[y * scene.width + x];
    ray.ox = x - 0.5f * scene.width;
    ray.oy = y - 0.5f * scene.height;
    ray.oz = -100.0f;
    ray.dx = 0.0f;
    ray.dy = 0.0f;
    ray.dz = 1.0f;
    ray.t = 1e30f;
    ray.sphere = -1;
}

__global__ void trace(Scene scene) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= scene.width || y >= scene.height)
        return;
    int i = y * scene.width + x;
    Ray ray = scene.rays[i];
    for (int s = 0; s < scene.sphereCount; s++) {
        float t = intersect(scene.spheres[s], ray.ox, ray.oy, ray.oz, ray.dx, ray.dy, ray.dz);
        if (t > 0.0f && t < ray.t) {
            ray.t = t;
            ray.sphere = s;
        }
    }
    scene.rays[i] = ray;
    if (ray.sphere >= 0)
        atomicAdd(&scene.spheres[ray.sphere].hits, 1);
}

__global__ void shade(Scene scene) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= scene.width || y >= scene.height)
        return;
    int i = y * scene.width + x;
    const Ray *ray = &scene.rays[i];
    float grey = 0.0f;
    if (ray->sphere >= 0) {
        const Sphere *s = scene.spheres + ray->sphere;
        float facing = (s->cz - (ray->oz + ray->t)) / s->radius;
        grey = facing * (0.3f * s->red + 0.6f * s->green + 0.1f * s->blue);
    }
    scene.image[i] = grey;
}

int main(int argc, char **argv) {
    Scene scene;
    scene.width = argc > 1 ? std::atoi(argv[1]) : 48;
    scene.height = argc > 2 ? std::atoi(argv[2]) : 36;
    scene.sphereCount = argc > 3 ? std::atoi(argv[3]) : 40;
    const int pixels = scene.width * scene.height;

    std::vector<Sphere> spheres(scene.sphereCount);
    for (int i = 0; i < scene.sphereCount; i++) {
        Sphere &s = spheres[i];
        s.cx = (i * 17) % scene.width - 0.5f * scene.width;
        s.cy = (i * 11) % scene.height - 0.5f * scene.height;
        s.cz = 10.0f + (i * 7) % 23;
        s.radius = 2.0f + (i % 4);
        s.red = (i % 3) / 2.0f;
        s.green = (i % 5) / 4.0f;
        s.blue = (i % 7) / 6.0f;
        s.hits = 0;
    }

    CHECK_CUDA(cudaMalloc(&scene.spheres, spheres.size() * sizeof(Sphere)));
    CHECK_CUDA(cudaMalloc(&scene.rays, pixels * sizeof(Ray)));
    CHECK_CUDA(cudaMalloc(&scene.image, pixels * sizeof(float)));
    CHECK_CUDA(cudaMemcpy(scene.spheres, spheres.data(), spheres.size() * sizeof(Sphere),
                          cudaMemcpyHostToDevice));

    dim3 block(16, 4);
    dim3 grid((scene.width + block.x - 1) / block.x, (scene.height + block.y - 1) / block.y);
    generate<<<grid, block>>>(scene);
    trace<<<grid, block>>>(scene);
    shade<<<grid, block>>>(scene);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());

    std::vector<float> image(pixels);
    std::vector<Ray> rays(pixels);
    CHECK_CUDA(cudaMemcpy(image.data(), scene.image, pixels * sizeof(float),
                          cudaMemcpyDeviceToHost));
    CHECK_CUDA(
        cudaMemcpy(rays.data(), scene.rays, pixels * sizeof(Ray), cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(spheres.data(), scene.spheres, spheres.size() * sizeof(Sphere),
                          cudaMemcpyDeviceToHost));

    int lit = 0, hits = 0;
    double light = 0, depth = 0;
    for (int i = 0; i < pixels; i++) {
        light += image[i];
        if (rays[i].sphere >= 0) {
            lit++;
            depth += rays[i].t;
        }
    }
    for (const Sphere &s : spheres)
        hits += s.hits;
    std::printf("%d of %d pixels hit something, spheres count %d\n", lit, pixels, hits);
    std::printf("light %.5f, depth %.4f\n", light, depth);
    for (int y = 0; y < scene.height; y += 6) {
        for (int x = 0; x < scene.width; x += 2)
            std::putchar(" .:-=+*#%@"[(int)std::fmin(9.0f, 10 * image[y * scene.width + x])]);
        std::putchar('\n');
    }

    CHECK_CUDA(cudaFree(scene.image));
    CHECK_CUDA(cudaFree(scene.rays));
    CHECK_CUDA(cudaFree(scene.spheres));
    return 0;
}
