/* Particles that attract each other: OpenCL's functions are called directly. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                       \
    do {                                                                                  \
        cl_int status_ = (call);                                                          \
        if (status_ != CL_SUCCESS) {                                                      \
            fprintf(stderr, "%s:%d: %s: error %d\n", __FILE__, __LINE__, #call, status_); \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

typedef struct {
    cl_float x, y, z;
    cl_float vx, vy, vz;
    cl_float mass;
    cl_int cell;
} particle;

static char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*length + 1);
    *length = fread(text, 1, *length, file);
    text[*length] = '\0';
    fclose(file);
    return text;
}

int main(int argc, char **argv) {
    const cl_int n = argc > 1 ? atoi(argv[1]) : 300;
    const int steps = 3;
    const cl_float dt = 0.01f;
    particle *particles = malloc(n * sizeof *particles);
    for (int i = 0; i < n; i++)
        particles[i] = (particle){.x = (i % 7) * 0.25f,
                                  .y = (i % 11) * 0.2f,
                                  .z = (i % 5) * 0.5f,
                                  .mass = 1.0f + i % 3,
                                  .cell = -1};

    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    CHECK(error);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    CHECK(error);

    size_t length;
    char *source = read_file("particles.cl", &length);
    cl_program program =
        clCreateProgramWithSource(context, 1, (const char **)&source, &length, &error);
    CHECK(error);
    CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_kernel forces = clCreateKernel(program, "forces", &error);
    CHECK(error);
    cl_kernel move = clCreateKernel(program, "move", &error);
    CHECK(error);
    cl_kernel count = clCreateKernel(program, "count_cells", &error);
    CHECK(error);

    cl_mem d_particles = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                        n * sizeof(particle), particles, &error);
    CHECK(error);
    cl_mem d_next = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(particle), NULL, &error);
    CHECK(error);
    cl_mem d_cells = clCreateBuffer(context, CL_MEM_READ_WRITE, 16 * sizeof(cl_int), NULL, &error);
    CHECK(error);
    const cl_int zero = 0;
    CHECK(clEnqueueFillBuffer(queue, d_cells, &zero, sizeof zero, 0, 16 * sizeof(cl_int), 0, NULL,
                              NULL));
    const unsigned char nothing = 0;
    CHECK(clEnqueueFillBuffer(queue, d_next, &nothing, 1, 0, n * sizeof(particle), 0, NULL, NULL));

    const size_t local = 64, global = (n + local - 1) / local * local;
    for (int s = 0; s < steps; s++) {
        CHECK(clSetKernelArg(forces, 0, sizeof(cl_mem), &d_particles));
        CHECK(clSetKernelArg(forces, 1, sizeof(cl_int), &n));
        CHECK(clSetKernelArg(forces, 2, sizeof(cl_float), &dt));
        CHECK(clEnqueueNDRangeKernel(queue, forces, 1, NULL, &global, &local, 0, NULL, NULL));
        CHECK(clSetKernelArg(move, 0, sizeof(cl_mem), &d_particles));
        CHECK(clSetKernelArg(move, 1, sizeof(cl_mem), &d_next));
        CHECK(clSetKernelArg(move, 2, sizeof(cl_int), &n));
        CHECK(clSetKernelArg(move, 3, sizeof(cl_float), &dt));
        CHECK(clEnqueueNDRangeKernel(queue, move, 1, NULL, &global, &local, 0, NULL, NULL));
        cl_mem swapped = d_particles;
        d_particles = d_next;
        d_next = swapped;
    }
    CHECK(clSetKernelArg(count, 0, sizeof n, &n));
    CHECK(clSetKernelArg(count, 1, sizeof d_particles, &d_particles));
    CHECK(clSetKernelArg(count, 2, sizeof d_cells, &d_cells));
    CHECK(clEnqueueNDRangeKernel(queue, count, 1, NULL, &global, &local, 0, NULL, NULL));

    cl_int cells[16];
    CHECK(clEnqueueReadBuffer(queue, d_cells, CL_TRUE, 0, sizeof cells, cells, 0, NULL, NULL));
    cl_event done;
    CHECK(clEnqueueReadBuffer(queue, d_particles, CL_FALSE, 0, n * sizeof(particle), particles, 0,
                              NULL, &done));
    CHECK(clWaitForEvents(1, &done));
    CHECK(clReleaseEvent(done));

    /* One that stood still begins again: a part of the array goes there and back. */
    particle last = particles[n - 1];
    last.vx = last.vy = last.vz = 0;
    CHECK(clEnqueueWriteBuffer(queue, d_particles, CL_TRUE, (n - 1) * sizeof(particle), sizeof last,
                               &last, 0, NULL, NULL));
    CHECK(
        clEnqueueCopyBuffer(queue, d_particles, d_next, 0, 0, n * sizeof(particle), 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, d_next, CL_TRUE, (n / 2) * sizeof(particle),
                              (n - n / 2) * sizeof(particle), particles, 0, NULL, NULL));

    double x = 0, v = 0;
    int sum = 0;
    for (int i = 0; i < n - n / 2; i++) {
        x += particles[i].x + particles[i].y + particles[i].z;
        v += particles[i].vx * particles[i].vx + particles[i].vy + particles[i].vz;
        sum += particles[i].cell;
    }
    printf("second half: x %.4f, v %.4f, cells %d\n", x, v, sum);
    printf("last: %.5f %.5f, mass %.1f\n", particles[n - n / 2 - 1].x, particles[n - n / 2 - 1].vx,
           particles[n - n / 2 - 1].mass);
    for (int c = 0; c < 16; c++)
        printf("%d%c", cells[c], c == 15 ? '\n' : ' ');

    clReleaseMemObject(d_particles);
    clReleaseMemObject(d_next);
    clReleaseMemObject(d_cells);
    clReleaseKernel(forces);
    clReleaseKernel(move);
    clReleaseKernel(count);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(source);
    free(particles);
    return 0;
}
