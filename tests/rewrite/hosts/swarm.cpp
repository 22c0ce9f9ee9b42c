// Boids in OpenCL's bindings for C++: classes own their buffers, functors launch.
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

struct Boid {
    cl_float2 position;
    cl_float2 velocity;
    cl_float energy;
    cl_int flock;
    cl_uchar colour[3];
};

struct Wind {
    cl_float x, y, strength;
};

// What all kernels of the program share.
class Engine {
  public:
    explicit Engine(const std::string &path) {
        std::vector<cl::Platform> platforms;
        cl::Platform::get(&platforms);
        std::vector<cl::Device> devices;
        platforms.at(0).getDevices(CL_DEVICE_TYPE_ALL, &devices);
        device = devices.at(0);
        context = cl::Context(device);
        queue = cl::CommandQueue(context, device);
        std::ifstream file(path);
        std::stringstream text;
        text << file.rdbuf();
        program = cl::Program(context, text.str());
        if (program.build("-cl-std=CL1.2") != CL_SUCCESS) {
            std::cerr << program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device) << "\n";
            std::exit(EXIT_FAILURE);
        }
    }

    // A buffer of `values`, of whatever type.
    template <typename T>
    cl::Buffer upload(const std::vector<T> &values, cl_mem_flags flags = CL_MEM_READ_WRITE) const {
        cl_int error;
        cl::Buffer made(context, flags | CL_MEM_COPY_HOST_PTR, values.size() * sizeof(T),
                        const_cast<T *>(values.data()), &error);
        if (error != CL_SUCCESS)
            std::cerr << "upload: " << error << "\n";
        return made;
    }

    template <typename T> void download(const cl::Buffer &from, std::vector<T> &values) const {
        queue.enqueueReadBuffer(from, CL_TRUE, 0, values.size() * sizeof(T), values.data());
    }

    cl::Device device;
    cl::Context context;
    cl::CommandQueue queue;
    cl::Program program;
};

class Swarm {
  public:
    Swarm(Engine &engine, const std::vector<Boid> &boids, const std::vector<Wind> &winds)
        : engine_(engine), count_(static_cast<cl_int>(boids.size())),
          windCount_(static_cast<cl_int>(winds.size())), now_(engine.upload(boids)),
          next_(engine.context, CL_MEM_READ_WRITE, boids.size() * sizeof(Boid)),
          winds_(engine.upload(winds, CL_MEM_READ_ONLY)), steer_(engine.program, "steer"),
          census_(engine.program, "census") {}

    void step(float dt) {
        steer_(cl::EnqueueArgs(engine_.queue, cl::NDRange(count_)), now_, next_, winds_, count_,
               windCount_, dt);
        std::swap(now_, next_);
    }

    std::vector<cl_int> census(int groupSize) {
        const int groups = (count_ + groupSize - 1) / groupSize;
        cl::Buffer cells(engine_.context, CL_MEM_WRITE_ONLY, groups * sizeof(cl_int));
        cl_int error;
        census_(cl::EnqueueArgs(engine_.queue, cl::NDRange(groups * groupSize),
                                cl::NDRange(groupSize)),
                now_, cells, cl::Local(groupSize * sizeof(cl_int)), count_, error);
        if (error != CL_SUCCESS)
            std::cerr << "census: " << error << "\n";
        std::vector<cl_int> result(groups);
        engine_.download(cells, result);
        return result;
    }

    std::vector<Boid> boids() const {
        std::vector<Boid> result(count_);
        engine_.download(now_, result);
        return result;
    }

    // Boids from `first` on start anew.
    void reset(int first, const std::vector<Boid> &boids) {
        cl::Event done;
        engine_.queue.enqueueWriteBuffer(now_, CL_FALSE, first * sizeof(Boid),
                                         boids.size() * sizeof(Boid), boids.data(), nullptr,
                                         &done);
        done.wait();
    }

  private:
    Engine &engine_;
    cl_int count_, windCount_;
    cl::Buffer now_, next_;
    cl::Buffer winds_;
    cl::KernelFunctor<cl::Buffer, cl::Buffer, cl::Buffer, cl_int, cl_int, cl_float> steer_;
    cl::KernelFunctor<cl::Buffer, cl::Buffer, cl::LocalSpaceArg, cl_int> census_;
};

static Boid boidOf(int i) {
    Boid b = {};
    b.position = {{0.1f * (i % 17), 0.2f * (i % 11)}};
    b.velocity = {{0.01f * (i % 5), -0.02f * (i % 3)}};
    b.energy = 1.0f;
    b.flock = i % 4;
    b.colour[i % 3] = static_cast<cl_uchar>(i);
    return b;
}

int main(int argc, char **argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 333;
    std::vector<Boid> boids;
    for (int i = 0; i < count; i++)
        boids.push_back(boidOf(i));
    const std::vector<Wind> winds = {{0.1f, 0.0f, 1.0f}, {0.0f, -0.2f, 0.5f}, {0.3f, 0.1f, 0.2f}};

    Engine engine("swarm.cl");
    Swarm swarm(engine, boids, winds);
    for (int s = 0; s < 5; s++)
        swarm.step(0.05f);
    swarm.reset(50, std::vector<Boid>(boids.begin(), boids.begin() + 20));
    for (int s = 0; s < 2; s++)
        swarm.step(0.05f);

    std::printf("census:");
    for (cl_int cell : swarm.census(64))
        std::printf(" %d", cell);
    std::printf("\n");
    double x = 0, y = 0, energy = 0;
    int flocks = 0, colours = 0;
    for (const Boid &b : swarm.boids()) {
        x += b.position.s[0];
        y += b.position.s[1];
        energy += b.energy;
        flocks += b.flock;
        colours += b.colour[0] + 3 * b.colour[1] + 5 * b.colour[2];
    }
    std::printf("centre %.4f %.4f, energy %.4f, flocks %d, colours %d\n", x / count, y / count,
                energy / count, flocks, colours);
    return 0;
}
