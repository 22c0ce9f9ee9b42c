/*
 * A program with images and samplers: one that is written from the host and read with a sampler of the
 * program and with one that is an argument, a 3-D one, an array of rows, one over a buffer, and one that
 * a kernel writes and the next one reads. Texels are compared as bytes that every device leaves.
 */
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 24, HEIGHT = 10, DEPTH = 3 };

static const char source[] =
    "__constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE |\n"
    "                            CLK_FILTER_NEAREST;\n"
    "__kernel void flip(__read_only image2d_t in, __write_only image2d_t out, __global int *sizes) "
    "{\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    write_imagef(out, at, read_imagef(in, edge, (int2)(at.x - 3, at.y)).zyxw);\n"
    "    if (at.x == 0 && at.y == 0) {\n"
    "        sizes[0] = get_image_width(in);\n"
    "        sizes[1] = get_image_channel_data_type(out);\n"
    "    }\n"
    "}\n"
    "__kernel void gather(__read_only image2d_t in, sampler_t s, __read_only image3d_t box,\n"
    "                     __read_only image1d_array_t rows, __read_only image1d_buffer_t line,\n"
    "                     __global uint4 *out) {\n"
    "    int i = get_global_id(0);\n"
    "    float2 at = (float2)(i * 0.37f - 1, i * 0.61f - 2);\n"
    "    out[4 * i] = convert_uint4_sat(read_imagef(in, s, at) * 255.0f + 0.5f);\n"
    "    out[4 * i + 1] = read_imageui(box, edge, (int4)(i, i - 2, i / 2, 0));\n"
    "    out[4 * i + 2] = as_uint4(read_imagei(rows, edge, (int2)(i, i % 3)));\n"
    "    out[4 * i + 3] = read_imageui(line, i);\n"
    "}\n";

static void check(cl_int error, const char *what) {
    if (!error)
        return;
    fprintf(stderr, "%s: %d\n", what, error);
    exit(2);
}

int main(void) {
    cl_platform_id platform;
    cl_device_id device;
    cl_int e;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
    check(e, "queue");
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &e);
    check(clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL), "build");
    cl_kernel flip = clCreateKernel(program, "flip", &e),
              gather = clCreateKernel(program, "gather", &e);
    check(e, "kernel");

    static unsigned char bytes[WIDTH * HEIGHT * DEPTH * 16];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 31);
    const cl_image_format rgba8 = {CL_RGBA, CL_UNORM_INT8}, bgra8 = {CL_BGRA, CL_UNORM_INT8},
                          whole = {CL_RGBA, CL_UNSIGNED_INT16}, signs = {CL_RGBA, CL_SIGNED_INT8};
    const cl_image_desc plane = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    cl_mem in =
        clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &rgba8, &plane, bytes, &e);
    check(e, "image");
    cl_mem out = clCreateImage2D(context, CL_MEM_READ_WRITE, &bgra8, WIDTH, HEIGHT, 0, NULL, &e);
    check(e, "image 2D");
    cl_mem box = clCreateImage3D(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &whole, WIDTH,
                                 HEIGHT, DEPTH, 0, 0, bytes, &e);
    check(e, "image 3D");
    const cl_image_desc rows = {
        .image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = WIDTH, .image_array_size = DEPTH};
    cl_mem lines =
        clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &signs, &rows, bytes, &e);
    check(e, "array");
    cl_mem memory =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 8 * WIDTH, bytes, &e);
    const cl_image_desc over = {
        .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = WIDTH, .buffer = memory};
    cl_mem line = clCreateImage(context, CL_MEM_READ_ONLY, &whole, &over, NULL, &e);
    check(e, "image of a buffer");
    cl_mem result = clCreateBuffer(context, CL_MEM_READ_WRITE, 64 * WIDTH, NULL, &e);
    cl_sampler s = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &e);
    check(e, "sampler");
    const cl_sampler_properties how[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                         CL_TRUE,
                                         CL_SAMPLER_ADDRESSING_MODE,
                                         CL_ADDRESS_REPEAT,
                                         CL_SAMPLER_FILTER_MODE,
                                         CL_FILTER_NEAREST,
                                         0};
    cl_sampler wraps = clCreateSamplerWithProperties(context, how, &e);
    check(e, "sampler with properties");

    const size_t all[] = {WIDTH, HEIGHT}, local[] = {8, 2}, one = WIDTH;
    clSetKernelArg(flip, 0, sizeof in, &in);
    clSetKernelArg(flip, 1, sizeof out, &out);
    clSetKernelArg(flip, 2, sizeof result, &result);
    check(clEnqueueNDRangeKernel(queue, flip, 2, NULL, all, local, 0, NULL, NULL), "flip");
    for (int round = 0; round < 2; round++) {
        clSetKernelArg(gather, 0, sizeof in, round ? &in : &out);
        clSetKernelArg(gather, 1, sizeof s, round ? &wraps : &s);
        clSetKernelArg(gather, 2, sizeof box, &box);
        clSetKernelArg(gather, 3, sizeof lines, &lines);
        clSetKernelArg(gather, 4, sizeof line, &line);
        clSetKernelArg(gather, 5, sizeof result, &result);
        check(clEnqueueNDRangeKernel(queue, gather, 1, NULL, &one, NULL, 0, NULL, NULL), "gather");
        const size_t origin[3] = {2, 1, 0}, region[3] = {4, 2, 1}; /* the host writes into one */
        check(
            clEnqueueWriteImage(queue, in, CL_TRUE, origin, region, 0, 0, bytes + 5, 0, NULL, NULL),
            "write");
    }
    static unsigned numbers[16 * WIDTH];
    check(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL),
          "read");
    unsigned hash = 0;
    for (size_t i = 0; i < 16 * WIDTH; i++)
        hash = hash * 31 + numbers[i];
    printf("%u\n", hash);
    return 0;
}
