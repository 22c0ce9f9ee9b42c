// Sand that settles: exceptions instead of checks, two buffers that take turns, mapped memory.
#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#include <CL/cl2.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sand {

struct Grain {
    cl_float4 where;
    cl_short kind, age;
    cl_float heat;
    struct {
        cl_int x, y;
    } cell;
};

using Grains = std::vector<Grain>;

/* Copies a part of any buffer to the host. */
template <typename T>
std::vector<T> part_of(const cl::CommandQueue &queue, const cl::Buffer &buffer, size_t first,
                       size_t count) {
    std::vector<T> part(count);
    queue.enqueueReadBuffer(buffer, CL_TRUE, first * sizeof(T), count * sizeof(T), part.data());
    return part;
}

class Box {
public:
    Box(cl::Context context, cl::Device device, const cl::Program &program, size_t count)
        : count_{static_cast<cl_uint>(count)}, queue_{std::make_shared<cl::CommandQueue>(context, device)},
          settle_{program, "settle"}
    {
        before_ = cl::Buffer{context, CL_MEM_READ_WRITE, count * sizeof(Grain)};
        after_ = cl::Buffer{context, CL_MEM_READ_WRITE, count * sizeof(Grain)};
        reheat_ = cl::Kernel(program, "reheat");
    }

    template <class Filler> void fill(Filler &&filler) {
        auto *grains = static_cast<Grain *>(queue_->enqueueMapBuffer(
            before_, CL_TRUE, CL_MAP_WRITE, 0, bytes()));
        for (cl_uint i = 0; i < count_; i++)
            filler(grains[i], i);
        queue_->enqueueUnmapMemObject(before_, grains);
        queue_->finish();
    }

    void run(int steps, float dt) {
        settle_.setArg(2, count_);
        settle_.setArg(3, sizeof dt, &dt);
        cl::Event last;
        for (int s = 0; s < steps; ++s) {
            settle_.setArg(0, before_);
            settle_.setArg(1, after_);
            queue_->enqueueNDRangeKernel(settle_, cl::NullRange, cl::NDRange(count_),
                                         cl::NullRange, nullptr, &last);
            last.wait();
            std::swap(before_, after_);
        }
    }

    void reheat(const cl::Buffer &sources) {
        const cl::Buffer *const arguments[] = {&before_, &sources};
        reheat_.setArg(0, *arguments[0]);
        reheat_.setArg(1, *arguments[1]);
        reheat_.setArg<cl_uint>(2, count_);
        queue_->enqueueNDRangeKernel(reheat_, cl::NDRange(0), cl::NDRange(count_));
    }

    void stop(size_t first, size_t count) {
        const Grain none = {};
        std::vector<cl::Event> filled(1);
        queue_->enqueueFillBuffer<Grain>(before_, none, first * sizeof(Grain), count * sizeof(Grain),
                                         nullptr, &filled[0]);
        queue_->enqueueBarrierWithWaitList(&filled);
    }

    double heat() const {
        cl_int error;
        const void *mapped = queue_->enqueueMapBuffer(before_, CL_TRUE, CL_MAP_READ, 0, bytes(),
                                                      nullptr, nullptr, &error);
        double sum = 0;
        for (cl_uint i = 0; i < count_; i++)
            sum += static_cast<const Grain *>(mapped)[i].heat;
        queue_->enqueueUnmapMemObject(before_, const_cast<void *>(mapped));
        return sum;
    }

    void set(const Grains &grains, size_t first) {
        queue_->enqueueWriteBuffer(before_, CL_TRUE, first * sizeof(Grain),
                                   grains.size() * sizeof(Grain), grains.data());
    }

    Grains grains(size_t first, size_t count) const { return part_of<Grain>(*queue_, buffer(), first, count); }
    const cl::Buffer &buffer() const { return before_; }
    const cl::CommandQueue &queue() const { return *queue_; }

private:
    size_t bytes() const { return count_ * sizeof(Grain); }

    cl_uint count_;
    std::shared_ptr<cl::CommandQueue> queue_;
    cl::Kernel settle_, reheat_;
    cl::Buffer before_, after_;
};

} // namespace sand

static cl::Device pick() {
    std::vector<cl::Platform> platforms;
    cl::Platform::get(&platforms);
    std::vector<cl::Device> devices;
    platforms.front().getDevices(CL_DEVICE_TYPE_ALL, &devices);
    return devices.front();
}

int main() try {
    using sand::Grain;
    constexpr size_t N = 210;
    const cl::Device device = pick();
    const cl::Context context(device);
    std::ifstream file("sand.cl");
    const cl::Program program(context, std::string(std::istreambuf_iterator<char>(file), {}), true);

    sand::Box box(context, device, program, N);
    box.fill([](Grain &g, size_t i) {
        g = {};
        g.where = {{0.5f * i, 10.0f + i % 3, 0.25f, 1.0f}};
        g.kind = static_cast<cl_short>(i % 2);
        g.heat = 0.1f * (i % 9);
    });
    box.run(3, 0.01f);
    std::printf("heat %.4f\n", box.heat());

    std::array<float, 8> heats = {1, 2, 3, 4, 5, 6, 7, 8};
    const cl::Buffer sources(context, heats.begin(), heats.end(), true);
    box.reheat(sources);
    box.run(4, 0.02f);
    box.stop(30, 11);
    box.run(1, 0.01f);
    std::printf("heat %.4f\n", box.heat());

    for (size_t first : {size_t(0), size_t(28), N - 5})
        for (const Grain &g : box.grains(first, 5))
            std::printf("%7.3f %7.3f kind %d age %d heat %.3f cell %d %d\n", g.where.s[0],
                        g.where.s[1], g.kind, g.age, g.heat, g.cell.x, g.cell.y);
    const std::vector<float> back = sand::part_of<float>(box.queue(), sources, 2, 3);
    std::printf("sources %.0f %.0f %.0f\n", back[0], back[1], back[2]);

    try {
        box.set(sand::Grains(10), 1000000);
    } catch (const cl::Error &error) {
        std::printf("%s: %d\n", error.what(), error.err());
    }
    try {
        cl::Kernel wrong(program, "settle");
        wrong.setArg(9, 1);
    } catch (const cl::Error &error) {
        std::printf("%s: %d\n", error.what(), error.err());
    }
    return 0;
} catch (const cl::BuildError &error) {
    for (const auto &log : error.getBuildLog())
        std::fprintf(stderr, "%s\n", log.second.c_str());
    return 1;
} catch (const cl::Error &error) {
    std::fprintf(stderr, "%s: %d\n", error.what(), error.err());
    return 1;
}
