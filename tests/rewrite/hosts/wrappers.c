// Agents visit places: buffers, copies and arguments go through functions that serve all kinds of
// buffers.
#include "gpu.h"

#include <string.h>

struct Agent {
    cl_int state, days;
    cl_float x, y;
    cl_float exposure;
    cl_uchar group[4];
};

struct Place {
    cl_float x, y;
    cl_float radius;
    cl_int visits;
};

struct Town {
    cl_mem agents, places, weights;
    cl_int agentCount, placeCount;
};

static void setBuffer(cl_kernel kernel, cl_uint number, cl_mem buffer) {
    gpu_check(clSetKernelArg(kernel, number, sizeof(cl_mem), &buffer), "clSetKernelArg");
}

static void makeTown(gpu_t *gpu, struct Town *town, const struct Agent *agents,
                     const struct Place *places, const float *weights) {
    town->agents = gpu_buffer(gpu, town->agentCount * sizeof(struct Agent), agents);
    town->places = gpu_buffer(gpu, town->placeCount * sizeof(struct Place), NULL);
    town->weights = gpu_buffer(gpu, town->placeCount * sizeof(float), weights);
    gpu_check(clEnqueueWriteBuffer(gpu->queue, town->places, CL_TRUE, 0,
                                   town->placeCount * sizeof(struct Place), places, 0, NULL, NULL),
              "clEnqueueWriteBuffer");
}

static void day(gpu_t *gpu, const struct Town *town, cl_kernel visit, cl_kernel infect) {
    cl_uint arg = 0;
    setBuffer(visit, arg++, town->agents);
    setBuffer(visit, arg++, town->places);
    SET_ARG(visit, arg++, town->agentCount);
    SET_ARG(visit, arg++, town->placeCount);
    gpu_check(clSetKernelArg(visit, arg++, sizeof(cl_int), NULL), "clSetKernelArg scratch");
    size_t local = 32, global = local * town->placeCount;
    gpu_check(clEnqueueNDRangeKernel(gpu->queue, visit, 1, NULL, &global, &local, 0, NULL, NULL),
              "visit");
    setBuffer(infect, 0, town->agents);
    setBuffer(infect, 1, town->places);
    SET_ARG(infect, 2, town->agentCount);
    SET_ARG(infect, 3, town->placeCount);
    setBuffer(infect, 4, town->weights);
    global = (town->agentCount + 63) / 64 * 64;
    gpu_check(clEnqueueNDRangeKernel(gpu->queue, infect, 1, NULL, &global, NULL, 0, NULL, NULL),
              "infect");
}

int main(int argc, char **argv) {
    gpu_t gpu;
    struct Town town = {.agentCount = argc > 1 ? atoi(argv[1]) : 250, .placeCount = 13};
    struct Agent *agents = calloc(town.agentCount, sizeof *agents);
    struct Place *places = calloc(town.placeCount, sizeof *places);
    float *weights = malloc(town.placeCount * sizeof *weights);
    for (int a = 0; a < town.agentCount; a++) {
        agents[a].x = (a * 7 % 50) * 0.1f;
        agents[a].y = (a * 11 % 40) * 0.1f;
        agents[a].group[a % 4] = (cl_uchar)a;
    }
    for (int p = 0; p < town.placeCount; p++) {
        places[p] = (struct Place){(p % 5) * 1.0f, (p / 5) * 1.5f, 0.3f + 0.1f * (p % 3), 0};
        weights[p] = 0.01f * (1 + p % 4);
    }

    gpu_open(&gpu, "wrappers.cl");
    cl_kernel visit = gpu_kernel(&gpu, "visit");
    cl_kernel infect = gpu_kernel(&gpu, "infect");
    makeTown(&gpu, &town, agents, places, weights);
    for (int d = 0; d < 4; d++)
        day(&gpu, &town, visit, infect);
    gpu_read(&gpu, town.agents, agents, town.agentCount * sizeof *agents);
    gpu_read(&gpu, town.places, places, town.placeCount * sizeof *places);
    gpu_read(&gpu, town.weights, weights, town.placeCount * sizeof *weights);

    int infected = 0, days = 0, groups = 0, visits = 0;
    double exposure = 0, weight = 0;
    for (int a = 0; a < town.agentCount; a++) {
        infected += agents[a].state;
        days += agents[a].days;
        exposure += agents[a].exposure;
        groups += agents[a].group[0] + 2 * agents[a].group[3];
    }
    for (int p = 0; p < town.placeCount; p++) {
        visits += places[p].visits;
        weight += weights[p];
    }
    printf("%d of %d infected, %d days, exposure %.4f\n", infected, town.agentCount, days,
           exposure);
    printf("groups %d, visits %d, weights %.2f\n", groups, visits, weight);

    gpu_free(town.agents);
    gpu_free(town.places);
    gpu_free(town.weights);
    clReleaseKernel(visit);
    clReleaseKernel(infect);
    gpu_close(&gpu);
    free(agents);
    free(places);
    free(weights);
    return 0;
}

// ---- the layer -------------------------------------------------------------------------------

void gpu_open(gpu_t *gpu, const char *source_path) {
    cl_platform_id platform;
    cl_int error;
    static char text[1 << 16];
    const char *source = text;
    FILE *file = fopen(source_path, "r");
    if (!file) {
        perror(source_path);
        exit(EXIT_FAILURE);
    }
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    gpu_check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    gpu_check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &gpu->device, NULL),
              "clGetDeviceIDs");
    gpu->context = clCreateContext(NULL, 1, &gpu->device, NULL, NULL, &error);
    gpu_check(error, "clCreateContext");
    gpu->queue = clCreateCommandQueue(gpu->context, gpu->device, 0, &error);
    gpu_check(error, "clCreateCommandQueue");
    gpu->program = clCreateProgramWithSource(gpu->context, 1, &source, NULL, &error);
    gpu_check(error, "clCreateProgramWithSource");
    gpu_check(clBuildProgram(gpu->program, 1, &gpu->device, NULL, NULL, NULL), "clBuildProgram");
}

void gpu_close(gpu_t *gpu) {
    clReleaseProgram(gpu->program);
    clReleaseCommandQueue(gpu->queue);
    clReleaseContext(gpu->context);
}

cl_kernel gpu_kernel(gpu_t *gpu, const char *name) {
    cl_int error;
    cl_kernel kernel = clCreateKernel(gpu->program, name, &error);
    gpu_check(error, name);
    return kernel;
}

cl_mem gpu_buffer(gpu_t *gpu, size_t bytes, const void *data) {
    cl_int error;
    cl_mem_flags flags = CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem buffer = clCreateBuffer(gpu->context, flags, bytes, (void *)data, &error);
    gpu_check(error, "clCreateBuffer");
    return buffer;
}

void gpu_read(gpu_t *gpu, cl_mem buffer, void *data, size_t bytes) {
    gpu_check(clEnqueueReadBuffer(gpu->queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL),
              "clEnqueueReadBuffer");
}

void gpu_free(cl_mem buffer) { clReleaseMemObject(buffer); }
