/*
 * Kernels on images as practitioners write them: a separable blur with its weights in constant memory, a
 * bilinear resize with normalized coordinates, rays through a volume, a histogram of bytes in local memory.
 * Filters are as exact as a device has them, so what they make is floats, which are compared within a
 * tolerance.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 96,
    HEIGHT = 64,
    BIG_WIDTH = 150,
    BIG_HEIGHT = 110,
    SIDE = 20,
    RAYS = 32,
    RADIUS = 3
};

static const char source[] =
    "__constant sampler_t pixels = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE |\n"
    "                              CLK_FILTER_NEAREST;\n"
    "__kernel void blur(__read_only image2d_t in, __write_only image2d_t out,\n"
    "                   __constant float *weights, int radius, int2 step) {\n"
    "    const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    if (any(at >= get_image_dim(out)))\n"
    "        return;\n"
    "    float4 sum = 0.0f;\n"
    "    for (int k = -radius; k <= radius; k++)\n"
    "        sum += weights[k + radius] * read_imagef(in, pixels, at + k * step);\n"
    "    write_imagef(out, at, sum);\n"
    "}\n"
    "__kernel void resize(__read_only image2d_t in, sampler_t smooth, __write_only image2d_t out) "
    "{\n"
    "    const int x = get_global_id(0), y = get_global_id(1);\n"
    "    const int width = get_image_width(out), height = get_image_height(out);\n"
    "    if (x >= width || y >= height)\n"
    "        return;\n"
    "    const float2 at = (float2)((x + 0.5f) / width, (y + 0.5f) / height);\n"
    "    write_imagef(out, (int2)(x, y), read_imagef(in, smooth, at));\n"
    "}\n"
    "__kernel void rays(__read_only image3d_t volume, sampler_t smooth, __global float2 *picture,\n"
    "                   float4 eye, float step, int steps) {\n"
    "    const int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);\n"
    "    const float4 pixel = (float4)(x + 0.25f, y + 0.75f, get_image_depth(volume), 0) /\n"
    "                         (float4)(width, get_global_size(1), 1, 1);\n"
    "    const float4 way = normalize((float4)(pixel.xy, 1.5f, 0) - eye);\n"
    "    float4 at = eye;\n"
    "    float sum = 0, most = 0;\n"
    "    for (int s = 0; s < steps; s++, at += way * step) {\n"
    "        const float v = read_imagef(volume, smooth, at).x;\n"
    "        sum += v * step;\n"
    "        most = fmax(most, v);\n"
    "    }\n"
    "    picture[y * width + x] = (float2)(sum, most);\n"
    "}\n"
    "__kernel void histogram(__read_only image2d_t in, __global uint *bins, __local uint *part) {\n"
    "    const int l = get_local_id(0) + get_local_id(1) * get_local_size(0);\n"
    "    const int threads = get_local_size(0) * get_local_size(1);\n"
    "    for (int b = l; b < 256; b += threads)\n"
    "        part[b] = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    if (at.x < get_image_width(in) && at.y < get_image_height(in))\n"
    "        atomic_inc(&part[read_imageui(in, pixels, at).x]);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int b = l; b < 256; b += threads)\n"
    "        atomic_add(&bins[b], part[b]);\n"
    "}\n";

static void check(cl_int error, const char *what) {
    if (!error)
        return;
    fprintf(stderr, "%s: %d\n", what, error);
    exit(2);
}

static cl_context context;
static cl_command_queue queue;

static cl_mem plane(cl_channel_order order, cl_channel_type type, size_t width, size_t height,
                    void *bytes) {
    const cl_image_format format = {order, type};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
    cl_int e;
    cl_mem image =
        clCreateImage(context, bytes ? CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE,
                      &format, &desc, bytes, &e);
    check(e, "image");
    return image;
}

static void launch(cl_kernel kernel, size_t width, size_t height) {
    const size_t local[2] = {16, 4}, global[2] = {(width + 15) / 16 * 16, (height + 3) / 4 * 4};
    check(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL), "launch");
}

int main(void) {
    cl_platform_id platform;
    cl_device_id device;
    cl_int e;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    queue = clCreateCommandQueue(context, device, 0, &e);
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &e);
    check(clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL), "build");
    cl_kernel blur = clCreateKernel(program, "blur", &e),
              resize = clCreateKernel(program, "resize", &e),
              rays = clCreateKernel(program, "rays", &e),
              histogram = clCreateKernel(program, "histogram", &e);
    check(e, "kernels");

    static unsigned char photo[WIDTH * HEIGHT * 4], grey[WIDTH * HEIGHT];
    static float volume[SIDE * SIDE * SIDE], weights[2 * RADIUS + 1];
    float sum = 0;
    for (int i = 0; i < WIDTH * HEIGHT * 4; i++)
        photo[i] = (unsigned char)(i * 37 + i / 91 * 5);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        grey[i] = (unsigned char)(i * i / 77);
    for (int i = 0; i < SIDE * SIDE * SIDE; i++)
        volume[i] = (float)((i * 29) % 101) / 101;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += weights[k + RADIUS] = expf(-(float)(k * k) / 4);
    for (int k = 0; k <= 2 * RADIUS; k++)
        weights[k] /= sum;

    cl_mem in = plane(CL_RGBA, CL_UNORM_INT8, WIDTH, HEIGHT, photo),
           middle = plane(CL_RGBA, CL_FLOAT, WIDTH, HEIGHT, NULL),
           blurred = plane(CL_RGBA, CL_FLOAT, WIDTH, HEIGHT, NULL),
           big = plane(CL_RGBA, CL_FLOAT, BIG_WIDTH, BIG_HEIGHT, NULL),
           bytes = plane(CL_R, CL_UNSIGNED_INT8, WIDTH, HEIGHT, grey);
    cl_mem w = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof weights,
                              weights, &e);
    const int radius = RADIUS;
    const cl_int2 steps[] = {{{1, 0}}, {{0, 1}}};
    for (int pass = 0; pass < 2; pass++) {
        clSetKernelArg(blur, 0, sizeof in, pass ? &middle : &in);
        clSetKernelArg(blur, 1, sizeof in, pass ? &blurred : &middle);
        clSetKernelArg(blur, 2, sizeof w, &w);
        clSetKernelArg(blur, 3, sizeof radius, &radius);
        clSetKernelArg(blur, 4, sizeof *steps, &steps[pass]);
        launch(blur, WIDTH, HEIGHT);
    }
    cl_sampler smooth =
        clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, &e);
    check(e, "sampler");
    clSetKernelArg(resize, 0, sizeof in, &in);
    clSetKernelArg(resize, 1, sizeof smooth, &smooth);
    clSetKernelArg(resize, 2, sizeof big, &big);
    launch(resize, BIG_WIDTH, BIG_HEIGHT);

    const cl_image_format reals = {CL_R, CL_FLOAT};
    const cl_image_desc cube = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                .image_width = SIDE,
                                .image_height = SIDE,
                                .image_depth = SIDE};
    cl_mem box =
        clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &reals, &cube, volume, &e);
    check(e, "volume");
    cl_mem picture = clCreateBuffer(context, CL_MEM_READ_WRITE, 8 * RAYS * RAYS, NULL, &e);
    smooth = clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &e);
    const cl_float4 eye = {{0.5f, 0.4f, -0.3f, 0}};
    const float step = 0.031f;
    const int count = 60;
    clSetKernelArg(rays, 0, sizeof box, &box);
    clSetKernelArg(rays, 1, sizeof smooth, &smooth);
    clSetKernelArg(rays, 2, sizeof picture, &picture);
    clSetKernelArg(rays, 3, sizeof eye, &eye);
    clSetKernelArg(rays, 4, sizeof step, &step);
    clSetKernelArg(rays, 5, sizeof count, &count);
    launch(rays, RAYS, RAYS);

    static unsigned zeros[256];
    cl_mem bins =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros, &e);
    clSetKernelArg(histogram, 0, sizeof bytes, &bytes);
    clSetKernelArg(histogram, 1, sizeof bins, &bins);
    clSetKernelArg(histogram, 2, sizeof zeros, NULL);
    launch(histogram, WIDTH, HEIGHT);
    check(clEnqueueReadBuffer(queue, bins, CL_TRUE, 0, sizeof zeros, zeros, 0, NULL, NULL), "read");
    unsigned hash = 0;
    for (int i = 0; i < 256; i++)
        hash = hash * 31 + zeros[i];
    printf("%u\n", hash);
    return 0;
}
