// A class owns the particles on the device.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void cudaCheck(cudaError_t e, const char *what) {
    if (e != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

} // namespace

#define CU(x) cudaCheck((x), #x)

struct Particle {
    float3 position;
    float age;
    float3 velocity;
    float life;
    unsigned char colour[4];
};

__global__ void kernelStep(Particle *particles, int count, float dt, float3 gravity) {
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= count)
        return;
    Particle &p = particles[i];
    p.velocity.x += gravity.x * dt;
    p.velocity.y += gravity.y * dt;
    p.velocity.z += gravity.z * dt;
    p.position.x += p.velocity.x * dt;
    p.position.y += p.velocity.y * dt;
    p.position.z += p.velocity.z * dt;
    if (p.position.y < 0.0f) {
        p.position.y = -p.position.y;
        p.velocity.y = -0.5f * p.velocity.y;
    }
    p.age += dt;
}

__global__ void kernelRespawn(Particle *particles, int count, unsigned seed) {
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= count || particles[i].age < particles[i].life)
        return;
    unsigned h = seed ^ (i * 747796405u);
    Particle fresh = particles[i];
    fresh.position = make_float3((h & 63) / 64.0f, 1.0f, ((h >> 6) & 63) / 64.0f);
    fresh.velocity = make_float3(0.0f, 1.0f, 0.0f);
    fresh.age = 0.0f;
    fresh.colour[0] = h & 255;
    particles[i] = fresh;
}

class ParticleSystem {
  public:
    explicit ParticleSystem(int count) : count_(count), d_particles_(nullptr) {
        CU(cudaMalloc(&d_particles_, sizeof(Particle) * count_));
        CU(cudaEventCreate(&begin_));
        CU(cudaEventCreate(&end_));
    }
    ~ParticleSystem() {
        cudaFree(d_particles_);
        cudaEventDestroy(begin_);
        cudaEventDestroy(end_);
    }
    ParticleSystem(const ParticleSystem &) = delete;
    ParticleSystem &operator=(const ParticleSystem &) = delete;

    void upload(const std::vector<Particle> &host) {
        if ((int)host.size() != count_)
            throw std::runtime_error("upload: wrong size");
        CU(cudaMemcpy(d_particles_, host.data(), sizeof(Particle) * count_,
                      cudaMemcpyHostToDevice));
    }

    void download(std::vector<Particle> &host) const {
        host.resize(count_);
        CU(cudaMemcpy(host.data(), d_particles_, sizeof(Particle) * count_,
                      cudaMemcpyDeviceToHost));
    }

    void step(float dt) {
        const float3 gravity = make_float3(0.0f, -9.81f, 0.0f);
        CU(cudaEventRecord(begin_));
        kernelStep<<<blocks(), threads>>>(d_particles_, count_, dt, gravity);
        CU(cudaGetLastError());
        kernelRespawn<<<blocks(), threads>>>(d_particles_, count_, steps_ * 2891336453u);
        CU(cudaGetLastError());
        CU(cudaEventRecord(end_));
        CU(cudaEventSynchronize(end_));
        float ms;
        CU(cudaEventElapsedTime(&ms, begin_, end_));
        time_ += ms;
        steps_++;
    }

    int size() const { return count_; }
    float time() const { return time_; }

  private:
    static const int threads = 64;
    int blocks() const { return (count_ + threads - 1) / threads; }

    int count_;
    int steps_ = 0;
    float time_ = 0;
    Particle *d_particles_;
    cudaEvent_t begin_, end_;
};

int main(int argc, char **argv) {
    try {
        ParticleSystem system(argc > 1 ? std::stoi(argv[1]) : 500);
        std::vector<Particle> particles(system.size());
        for (int i = 0; i < system.size(); i++) {
            Particle &p = particles[i];
            p.position = make_float3((i % 10) * 0.1f, (i % 7) * 0.3f, (i % 13) * 0.05f);
            p.velocity = make_float3((i % 3) - 1.0f, 0.0f, (i % 5) * 0.1f);
            p.age = (i % 11) * 0.05f;
            p.life = 0.4f + (i % 4) * 0.1f;
            for (int c = 0; c < 4; c++)
                p.colour[c] = (unsigned char)(i * (c + 1));
        }
        system.upload(particles);
        for (int s = 0; s < 12; s++)
            system.step(0.02f);
        std::vector<Particle> after;
        system.download(after);

        double height = 0, age = 0;
        unsigned long colours = 0;
        int young = 0;
        for (const auto &p : after) {
            height += p.position.y;
            age += p.age;
            young += p.age < 0.1f;
            colours = colours * 31 % 1000003 + p.colour[0] + p.colour[3];
        }
        printf("%d particles, %d young\n", system.size(), young);
        printf("height %.5f, age %.5f\n", height, age);
        printf("colours %lu\n", colours);
        fprintf(stderr, "%.3f ms\n", system.time());
    } catch (const std::exception &e) {
        fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}
