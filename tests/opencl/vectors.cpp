// A C++ program with CL/opencl.hpp: records of mixed sizes in a std::vector, several kernels as functors,
// cl::copy, maps, a file's text in two strings. Whole numbers where sums would be rounded.
#define CL_HPP_TARGET_OPENCL_VERSION 200
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>

#include <cstdio>
#include <iostream>
#include <vector>

// The host's record is the device's: 40 bytes, with gaps behind `kind` and `steps`.
struct atom {
    cl_double charge;
    cl_char kind;
    cl_short steps;
    cl_float3 place;
};
struct pair {
    cl_ushort first;
    cl_long sum;
};

static const char records[] = R"(
typedef struct { double charge; char kind; short steps; float3 place; } atom;
typedef struct { ushort first; long sum; } pair;
)";
static const char kernels[] = R"(
__kernel void move(__global atom *atoms, float by) {
    const size_t i = get_global_id(0);
    __global atom *a = &atoms[i];
    a->place += (float3)(by, 2 * by, -by);
    a->steps++;
    a->kind = a->kind > 3 ? -a->kind : a->kind + 1;
    if (a->steps % 2)
        a->charge *= 0.5;
}
__kernel void count(__global const atom *atoms, __global pair *pairs, __local long *part) {
    const size_t l = get_local_id(0), i = get_global_id(0);
    part[l] = atoms[i].steps * 3 + atoms[i].kind;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t h = get_local_size(0) / 2; h; h /= 2) {
        if (l < h)
            part[l] += part[l + h];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (!l) {
        pairs[get_group_id(0)].first = (ushort)i;
        pairs[get_group_id(0)].sum += part[0];
    }
}
__kernel void charges(__global const atom *atoms, __global double *out) {
    const size_t x = get_global_id(0), y = get_global_id(1), i = y * get_global_size(0) + x;
    out[i] = atoms[i].charge * 4 + atoms[i].place.y;
}
)";

template <class T> static void tell(const char *what, const std::vector<T> &all) {
    const unsigned char *at = reinterpret_cast<const unsigned char *>(all.data());
    unsigned sum = 0;
    for (size_t i = 0; i < all.size() * sizeof(T); i++)
        sum = sum * 31 + at[i];
    std::cout << what << " " << sum << "\n";
}

static void run() {
    enum { COUNT = 1024, BLOCK = 64 };
    const cl::Device device = cl::Device::getDefault();
    const cl::Context context(device);
    cl::CommandQueue queue(context, device, CL_QUEUE_PROFILING_ENABLE);
    cl::Program program(context, cl::Program::Sources{records, kernels});
    program.build("-cl-std=CL1.2");

    std::vector<atom> atoms(COUNT);
    std::memset(static_cast<void *>(atoms.data()), 0, COUNT * sizeof(atom));
    for (int i = 0; i < COUNT; i++) {
        atoms[i].charge = i * 0.25;
        atoms[i].kind = static_cast<cl_char>(i % 5);
        atoms[i].steps = static_cast<cl_short>(i);
        for (int d = 0; d < 3; d++)
            atoms[i].place.s[d] = static_cast<float>(i + d);
    }
    cl::Buffer of_atoms(context, CL_MEM_READ_WRITE, COUNT * sizeof(atom));
    cl::copy(queue, atoms.begin(), atoms.end(), of_atoms);
    std::vector<pair> pairs(COUNT / BLOCK);
    std::memset(static_cast<void *>(pairs.data()), 0, pairs.size() * sizeof(pair));
    cl::Buffer of_pairs(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                        pairs.size() * sizeof(pair), pairs.data());
    cl::Buffer of_charges(context, CL_MEM_WRITE_ONLY, COUNT * sizeof(double));

    cl::KernelFunctor<cl::Buffer, float> step(program, "move");
    cl::KernelFunctor<cl::Buffer, cl::Buffer, cl::LocalSpaceArg> count(program, "count");
    cl::Kernel charges(program, "charges");
    for (int round = 0; round < 3; round++) {
        cl::Event stepped = step(cl::EnqueueArgs(queue, cl::NDRange(COUNT)), of_atoms, 0.5f);
        count(cl::EnqueueArgs(queue, stepped, cl::NDRange(COUNT), cl::NDRange(BLOCK)), of_atoms,
              of_pairs, cl::Local(BLOCK * sizeof(cl_long)));
    }
    charges.setArg(0, of_atoms);
    charges.setArg(1, of_charges);
    queue.enqueueNDRangeKernel(charges, cl::NullRange, cl::NDRange(COUNT / 8, 8),
                               cl::NDRange(16, 4));

    // A record that the host changes through a map, and all of them through another one.
    atom *mapped = static_cast<atom *>(queue.enqueueMapBuffer(
        of_atoms, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 7 * sizeof(atom), sizeof(atom)));
    std::printf("%g %d %d %g\n", mapped->charge, mapped->kind, mapped->steps,
                static_cast<double>(mapped->place.s[1]));
    std::fflush(stdout);
    mapped->kind = 100;
    mapped->steps = -7;
    queue.enqueueUnmapMemObject(of_atoms, mapped);
    step(cl::EnqueueArgs(queue, cl::NDRange(COUNT)), of_atoms, 1.0f);

    cl::copy(queue, of_atoms, atoms.begin(), atoms.end());
    std::vector<double> charge(COUNT);
    queue.enqueueReadBuffer(of_charges, CL_TRUE, 0, COUNT * sizeof(double), charge.data());
    cl::copy(queue, of_pairs, pairs.begin(), pairs.end());
    tell("atoms", atoms);
    tell("pairs", pairs);
    tell("charges", charge);
}

int main() {
    try {
        run();
    } catch (const cl::Error &error) {
        std::cerr << error.what() << ": " << error.err() << "\n";
        return 2;
    }
    return 0;
}
