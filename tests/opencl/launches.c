/*
 * launches KERNEL [TIMES]: launches one kernel, which is right ("scale") or has a mistake: "beyond" writes
 * behind its buffer, "race" lacks a barrier, "unwritten" reads what nobody has written, "endless" does not
 * end; "source" prints the source and ends. It prints the status of the last launch, of what its event says, and a sum of what was computed.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4096 };

static const char source[] = "__kernel void scale(__global int *v, __global const int *w) {\n"
                             "    int i = get_global_id(0);\n"
                             "    v[i] += 3 * w[i];\n"
                             "}\n"
                             "__kernel void beyond(__global int *v, __global const int *w) {\n"
                             "    v[get_global_id(0) + 1] = w[0];\n"
                             "}\n"
                             "__kernel void race(__global int *v, __global const int *w) {\n"
                             "    __local int part[64];\n"
                             "    int l = get_local_id(0);\n"
                             "    part[l] = w[l];\n"
                             "    v[get_global_id(0)] = part[63 - l];\n"
                             "}\n"
                             "__kernel void unwritten(__global int *v, __global const int *w) {\n"
                             "    v[get_global_id(0)] = w[get_global_id(0)];\n"
                             "}\n"
                             "__kernel void endless(__global int *v, __global const int *w) {\n"
                             "    while (w[0] == 0)\n"
                             "        v[0]++;\n"
                             "}\n";

static void check(cl_int error, const char *what) {
    if (!error)
        return;
    fprintf(stderr, "%s: %d\n", what, error);
    exit(2);
}

int main(int count, char **words) {
    const char *name = count > 1 ? words[1] : "scale";
    const int times = count > 2 ? atoi(words[2]) : 1;
    static int v[N], w[N];
    if (!strcmp(name, "source"))
        return fputs(source, stdout) < 0;
    const size_t global = N, local = 64;
    cl_platform_id platform;
    cl_device_id device;
    cl_int e;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    check(e, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &e);
    check(e, "queue");
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &e);
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    cl_kernel kernel = clCreateKernel(program, name, &e);
    check(e, "kernel");
    for (int i = 0; i < N; i++) {
        v[i] = i;
        w[i] = strcmp(name, "endless") ? i : 0;
    }
    cl_mem vs =
        clCreateBuffer(context, CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_READ_ONLY, sizeof v, v, &e);
    check(e, "buffer");
    cl_mem ws = clCreateBuffer(context, CL_MEM_READ_ONLY, sizeof w, NULL, &e);
    check(e, "buffer");
    const size_t written = strcmp(name, "unwritten") ? sizeof w : sizeof w / 2;
    check(clEnqueueWriteBuffer(queue, ws, CL_TRUE, 0, written, w, 0, NULL, NULL), "write");
    check(clSetKernelArg(kernel, 0, sizeof vs, &vs), "argument");
    check(clSetKernelArg(kernel, 1, sizeof ws, &ws), "argument");
    if (!strcmp(name, "endless") && printf("launching\n"))
        fflush(stdout);
    cl_int status = 0;
    cl_ulong begun = 0, ended = 0;
    for (int i = 0; i < times && !status; i++) {
        cl_event event;
        cl_command_type type = 0;
        status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, &event);
        if (status)
            break;
        check(clWaitForEvents(1, &event), "wait");
        check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, 8, &begun, NULL), "begun");
        check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 8, &ended, NULL), "ended");
        check(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL), "type");
        if (type != CL_COMMAND_NDRANGE_KERNEL || ended <= begun)
            check(1, "event");
        check(clReleaseEvent(event), "event");
    }
    check(clEnqueueReadBuffer(queue, vs, CL_TRUE, 0, sizeof v, v, 0, NULL, NULL), "read");
    unsigned sum = 0;
    for (int i = 0; i < N; i++)
        sum = sum * 31 + (unsigned)v[i];
    printf("%d %u\n", status, sum);
    check(clReleaseMemObject(vs), "release");
    return 0;
}
