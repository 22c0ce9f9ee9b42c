// A lattice gas, in C++ with OpenCL's interface for C: classes own what they make, steps swap.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct Site {
    float rho;
    float ux, uy;
    float f[5];
    int solid;
};

static void check(cl_int error, const char *what) {
    if (error != CL_SUCCESS)
        throw std::runtime_error(std::string(what) + ": " + std::to_string(error));
}
#define CL(call) check(call, #call)

template <typename T> void setArg(cl_kernel kernel, cl_uint index, const T &value) {
    CL(clSetKernelArg(kernel, index, sizeof(T), &value));
}

class Device {
  public:
    explicit Device(const std::string &path) {
        cl_platform_id platform;
        CL(clGetPlatformIDs(1, &platform, nullptr));
        CL(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr));
        cl_int error;
        context = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &error);
        check(error, "context");
        queue = clCreateCommandQueue(context, device_, 0, &error);
        check(error, "queue");
        std::ifstream file(path);
        const std::string source((std::istreambuf_iterator<char>(file)),
                                 std::istreambuf_iterator<char>());
        const char *text = source.c_str();
        program_ = clCreateProgramWithSource(context, 1, &text, nullptr, &error);
        check(error, "program");
        CL(clBuildProgram(program_, 1, &device_, "", nullptr, nullptr));
    }
    ~Device() {
        clReleaseProgram(program_);
        clReleaseCommandQueue(queue);
        clReleaseContext(context);
    }
    cl_kernel kernel(const char *name) const {
        cl_int error;
        cl_kernel made = clCreateKernel(program_, name, &error);
        check(error, name);
        return made;
    }
    cl_context context;
    cl_command_queue queue;

  private:
    cl_device_id device_;
    cl_program program_;
};

class Lattice {
  public:
    Lattice(const Device &device, int nx, int ny)
        : device_(device), nx_(nx), ny_(ny), collide_(device.kernel("collide")),
          speed_(device.kernel("speed")) {
        cl_int error;
        in_ = clCreateBuffer(device.context, CL_MEM_READ_WRITE, count() * sizeof(Site), nullptr,
                             &error);
        check(error, "in");
        out_ = clCreateBuffer(device.context, CL_MEM_READ_WRITE, count() * sizeof(Site), nullptr,
                              &error);
        check(error, "out");
        speeds_ = clCreateBuffer(device.context, CL_MEM_WRITE_ONLY, count() * sizeof(float),
                                 nullptr, &error);
        check(error, "speeds");
    }
    ~Lattice() {
        for (cl_mem buffer : {in_, out_, speeds_})
            clReleaseMemObject(buffer);
        clReleaseKernel(collide_);
        clReleaseKernel(speed_);
    }

    void upload(const std::vector<Site> &sites) {
        CL(clEnqueueWriteBuffer(device_.queue, in_, CL_FALSE, 0, sites.size() * sizeof(Site),
                                sites.data(), 0, nullptr, nullptr));
        CL(clFinish(device_.queue));
    }

    void step(float omega) {
        setArg(collide_, 0, in_);
        setArg(collide_, 1, out_);
        setArg(collide_, 2, omega);
        setArg(collide_, 3, nx_);
        setArg(collide_, 4, ny_);
        const size_t global[2] = {size_t(nx_), size_t(ny_)};
        CL(clEnqueueNDRangeKernel(device_.queue, collide_, 2, nullptr, global, nullptr, 0, nullptr,
                                  nullptr));
        std::swap(in_, out_);
    }

    std::vector<float> speeds() const {
        const int n = count();
        const size_t global = count();
        setArg(speed_, 0, in_);
        setArg(speed_, 1, speeds_);
        setArg(speed_, 2, n);
        CL(clEnqueueNDRangeKernel(device_.queue, speed_, 1, nullptr, &global, nullptr, 0, nullptr,
                                  nullptr));
        std::vector<float> result(n);
        CL(clEnqueueReadBuffer(device_.queue, speeds_, CL_TRUE, 0, n * sizeof(float), result.data(),
                               0, nullptr, nullptr));
        return result;
    }

    std::vector<Site> row(int y) const {
        std::vector<Site> sites(nx_);
        CL(clEnqueueReadBuffer(device_.queue, in_, CL_TRUE, size_t(y) * nx_ * sizeof(Site),
                               nx_ * sizeof(Site), sites.data(), 0, nullptr, nullptr));
        return sites;
    }

    int count() const { return nx_ * ny_; }

  private:
    const Device &device_;
    int nx_, ny_;
    cl_kernel collide_, speed_;
    cl_mem in_, out_, speeds_;
};

int main(int argc, char **argv) try {
    const int nx = argc > 2 ? std::atoi(argv[1]) : 30, ny = argc > 2 ? std::atoi(argv[2]) : 21;
    std::vector<Site> sites(nx * ny);
    for (int i = 0; i < nx * ny; i++) {
        Site &s = sites[i];
        s = {};
        s.solid = (i % nx) % 9 == 4 && (i / nx) % 5 == 2;
        for (int k = 0; k < 5; k++)
            s.f[k] = 0.2f + 0.01f * ((i * (k + 3)) % 7);
    }
    Device device("lattice.cl");
    Lattice lattice(device, nx, ny);
    lattice.upload(sites);
    for (int s = 0; s < 6; s++)
        lattice.step(0.8f);

    const std::vector<float> speeds = lattice.speeds();
    double sum = 0;
    for (float v : speeds)
        sum += v;
    std::printf("%d x %d sites, mean speed %.6f, largest %.6f\n", nx, ny, sum / speeds.size(),
                *std::max_element(speeds.begin(), speeds.end()));
    for (int y : {0, ny / 2, ny - 1}) {
        double rho = 0, f = 0;
        int solid = 0;
        for (const Site &s : lattice.row(y)) {
            rho += s.rho;
            f += s.f[2];
            solid += s.solid;
        }
        std::printf("row %d: rho %.5f, f2 %.5f, solid %d\n", y, rho, f, solid);
    }
    return 0;
} catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
