/*
 * What hosts do with images, one function for each part of it, each of which checks what the standard says:
 * reads and writes with pitches, boxes, copies between images and buffers, fills, maps, memory of the
 * host's, images over buffers, what programs ask of images and samplers, errors. It prints the name of
 * each part that is as it should be, so that every platform prints the same.
 */
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 7, HEIGHT = 5, DEPTH = 3, MOST = WIDTH * HEIGHT * DEPTH * 4 };

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static unsigned char bytes[4 * MOST];

static const cl_image_format bytes_of_four = {CL_RGBA, CL_UNSIGNED_INT8};

#define IS(what, wanted)                                                                          \
    do {                                                                                          \
        const long long got = (long long)(what);                                                  \
        if (got != (long long)(wanted)) {                                                         \
            printf("line %d: %s is %lld, not %lld\n", __LINE__, #what, got, (long long)(wanted)); \
            exit(1);                                                                              \
        }                                                                                         \
    } while (0)

static cl_image_desc desc_of(cl_mem_object_type type) {
    return (cl_image_desc){.image_type = type,
                           .image_width = WIDTH,
                           .image_height = HEIGHT,
                           .image_depth = DEPTH,
                           .image_array_size = DEPTH};
}

static cl_mem image_with(cl_mem_flags flags, const cl_image_format *format,
                         const cl_image_desc *desc, void *host) {
    cl_int e;
    cl_mem image = clCreateImage(context, flags, format, desc, host, &e);
    IS(e, CL_SUCCESS);
    return image;
}

static cl_mem image_of(cl_mem_object_type type, void *from) {
    const cl_image_desc desc = desc_of(type);
    return image_with(CL_MEM_READ_WRITE | (from ? CL_MEM_COPY_HOST_PTR : 0), &bytes_of_four, &desc,
                      from);
}

static void box_of(cl_mem_object_type type, size_t box[3]) {
    box[0] = WIDTH;
    box[1] = type == CL_MEM_OBJECT_IMAGE1D         ? 1
             : type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? DEPTH
                                                   : HEIGHT;
    box[2] = type == CL_MEM_OBJECT_IMAGE3D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? DEPTH : 1;
}

static size_t bytes_in(const size_t box[3]) { return 4 * box[0] * box[1] * box[2]; }

/* All texels, row behind row. */
static const unsigned char *texels_of(cl_mem image, const size_t box[3]) {
    static unsigned char found[sizeof bytes];
    static const size_t origin[3];
    memset(found, 0, sizeof found);
    IS(clEnqueueReadImage(queue, image, CL_TRUE, origin, box, 0, 0, found, 0, NULL, NULL),
       CL_SUCCESS);
    return found;
}

static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_ARRAY,
                                           CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY,
                                           CL_MEM_OBJECT_IMAGE3D};
enum { TYPES = sizeof types / sizeof *types };

/* A box inside of each kind goes to the host and back with pitches. */
static void boxes(void) {
    for (int t = 0; t < TYPES; t++) {
        const cl_mem_object_type type = types[t];
        size_t box[3], origin[3] = {2, 0, 0}, region[3] = {4, 1, 1};
        box_of(type, box);
        for (int d = 1; d < 3; d++)
            if (box[d] > 1) {
                origin[d] = 1;
                region[d] = 2;
            }
        const int is_line = type == CL_MEM_OBJECT_IMAGE1D,
                  is_rows = type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
        /* PoCL takes the first pitch of an array of rows for the second one. */
        const size_t row = is_line   ? 0
                           : is_rows ? 20
                                     : 24,
                     slice = is_rows      ? 20
                             : box[2] > 1 ? 72
                                          : 0;
        cl_mem image = image_of(type, bytes);
        unsigned char host[256] = {0}, all[sizeof bytes];
        IS(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, row, slice, host, 0, NULL,
                              NULL),
           CL_SUCCESS);
        memcpy(all, bytes, sizeof all);
        const size_t step = is_rows ? 20 : 24;
        for (size_t z = 0; z < region[2]; z++)
            for (size_t y = 0; y < region[1]; y++)
                for (size_t x = 0; x < 4 * region[0]; x++) {
                    const size_t at = (((z + origin[2]) * box[1] + y + origin[1]) * WIDTH) * 4 +
                                      4 * origin[0] + x;
                    unsigned char *h = &host[z * 72 + y * step + x];
                    IS(*h, bytes[at]);
                    *h = all[at] = (unsigned char)(*h + 100);
                }
        IS(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, row, slice, host, 0, NULL,
                               NULL),
           CL_SUCCESS);
        IS(memcmp(texels_of(image, box), all, bytes_in(box)), 0);
        clReleaseMemObject(image);
    }
    puts("boxes");
}

/* From image to image, to a buffer and back. */
static void copies(void) {
    const size_t none[3] = {0}, at[3] = {3, 1, 0}, region[3] = {3, 2, 1},
                 box[3] = {WIDTH, HEIGHT, 1};
    cl_int e;
    cl_mem plane = image_of(CL_MEM_OBJECT_IMAGE2D, bytes),
           volume = image_of(CL_MEM_OBJECT_IMAGE3D, bytes + 31);
    const size_t deep[3] = {1, 2, 2};
    IS(clEnqueueCopyImage(queue, volume, plane, deep, at, region, 0, NULL, NULL), CL_SUCCESS);
    const unsigned char *found = texels_of(plane, box);
    for (size_t y = 0; y < 2; y++)
        IS(memcmp(found + ((1 + y) * WIDTH + 3) * 4,
                  bytes + 31 + ((2 * HEIGHT + 2 + y) * WIDTH + 1) * 4, 12),
           0);
    IS(memcmp(found, bytes, (WIDTH + 3) * 4), 0);
    IS(clEnqueueCopyImage(queue, plane, plane, none, at, region, 0, NULL, NULL), CL_SUCCESS);
    found = texels_of(plane, box);
    IS(memcmp(found + (WIDTH + 3) * 4, bytes, 12), 0);

    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, MOST, NULL, &e);
    IS(e, CL_SUCCESS);
    IS(clEnqueueCopyImageToBuffer(queue, volume, buffer, deep, region, 8, 0, NULL, NULL),
       CL_SUCCESS);
    unsigned char line[24];
    IS(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 8, sizeof line, line, 0, NULL, NULL),
       CL_SUCCESS);
    IS(memcmp(line + 12, bytes + 31 + ((2 * HEIGHT + 3) * WIDTH + 1) * 4, 12), 0);
    IS(clEnqueueCopyBufferToImage(queue, buffer, plane, 20, none, region, 0, NULL, NULL),
       CL_SUCCESS);
    found = texels_of(plane, box);
    IS(memcmp(found, line + 12, 12), 0);
    clReleaseMemObject(plane);
    clReleaseMemObject(volume);
    clReleaseMemObject(buffer);
    puts("copies");
}

/* A colour becomes a texel. */
static void fill(cl_channel_order order, cl_channel_type type, const void *color, size_t size,
                 const void *texel) {
    const cl_image_format format = {order, type};
    const cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D);
    const size_t at[3] = {1, 2, 0}, region[3] = {2, 2, 1}, first[3] = {0},
                 all[3] = {WIDTH, HEIGHT, 1};
    static unsigned char zeros[16 * WIDTH * HEIGHT], found[sizeof zeros];
    cl_mem image = image_with(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &desc, zeros);
    IS(clEnqueueFillImage(queue, image, color, at, region, 0, NULL, NULL), CL_SUCCESS);
    IS(clEnqueueReadImage(queue, image, CL_TRUE, first, all, 0, 0, found, 0, NULL, NULL),
       CL_SUCCESS);
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < WIDTH; x++) {
            const int inside = y >= 2 && y < 4 && x >= 1 && x < 3;
            IS(memcmp(found + (y * WIDTH + x) * size, inside ? texel : zeros, size), 0);
        }
    clReleaseMemObject(image);
}

static void fills(void) {
    const cl_float4 color = {{1, -1, 3, 0}}; /* devices round what is between texels as they like */
    const cl_int4 whole = {{-300, 5, 70000, 1}};
    const cl_uint4 positive = {{300, 5, 70000, 1}};
    fill(CL_RGBA, CL_UNORM_INT8, &color, 4, (unsigned char[]){255, 0, 255, 0});
    fill(CL_BGRA, CL_UNORM_INT8, &color, 4, (unsigned char[]){255, 0, 255, 0});
    fill(CL_RGBA, CL_SNORM_INT8, &color, 4, (signed char[]){127, -127, 127, 0});
    fill(CL_RGBA, CL_HALF_FLOAT, &color, 8, (unsigned short[]){0x3c00, 0xbc00, 0x4200, 0});
    fill(CL_RGBA, CL_FLOAT, &color, 16, &color);
    fill(CL_R, CL_UNORM_INT16, &color, 2, (unsigned short[]){65535});
    fill(CL_RGBA, CL_SIGNED_INT8, &whole, 4, (signed char[]){-128, 5, 127, 1});
    fill(CL_RGBA, CL_SIGNED_INT16, &whole, 8, (short[]){-300, 5, 32767, 1});
    fill(CL_RGBA, CL_UNSIGNED_INT8, &positive, 4, (unsigned char[]){255, 5, 255, 1});
    fill(CL_RGBA, CL_UNSIGNED_INT32, &positive, 16, &positive);
    puts("fills");
}

/* What is written into a map is in the image afterwards. */
static void maps(void) {
    const size_t at[3] = {2, 1, 1}, region[3] = {3, 2, 2}, box[3] = {WIDTH, HEIGHT, DEPTH};
    cl_int e;
    size_t row, slice;
    cl_mem volume = image_of(CL_MEM_OBJECT_IMAGE3D, bytes);
    unsigned char *mapped = clEnqueueMapImage(queue, volume, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                              at, region, &row, &slice, 0, NULL, NULL, &e);
    IS(e, CL_SUCCESS);
    for (size_t z = 0; z < 2; z++)
        for (size_t y = 0; y < 2; y++) {
            const size_t i = (((z + 1) * HEIGHT + y + 1) * WIDTH + 2) * 4;
            IS(memcmp(mapped + z * slice + y * row, bytes + i, 12), 0);
            memset(mapped + z * slice + y * row, (int)(z * 2 + y + 1), 12);
        }
    cl_uint count;
    IS(clGetMemObjectInfo(volume, CL_MEM_MAP_COUNT, sizeof count, &count, NULL), CL_SUCCESS);
    IS(count, 1);
    IS(clEnqueueUnmapMemObject(queue, volume, mapped, 0, NULL, NULL), CL_SUCCESS);
    IS(clFinish(queue), CL_SUCCESS);
    const unsigned char *found = texels_of(volume, box);
    IS(found[((2 * HEIGHT + 2) * WIDTH + 4) * 4 + 3], 4);
    IS(found[((2 * HEIGHT + 2) * WIDTH + 5) * 4], bytes[((2 * HEIGHT + 2) * WIDTH + 5) * 4]);
    clReleaseMemObject(volume);
    puts("maps");
}

/* Memory of the host's whose rows stand apart is seen, and sees what is mapped. */
static void host_memory(void) {
    enum { ROW = 40 };
    static unsigned char host[ROW * HEIGHT];
    const size_t first[3] = {0}, box[3] = {WIDTH, HEIGHT, 1}, one[3] = {1, 1, 1}, at[3] = {3, 2, 0};
    cl_int e;
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D);
    desc.image_row_pitch = ROW;
    for (size_t i = 0; i < sizeof host; i++)
        host[i] = (unsigned char)(3 * i);
    cl_mem image = image_with(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, &bytes_of_four, &desc, host);
    const unsigned char *found = texels_of(image, box);
    for (size_t y = 0; y < HEIGHT; y++)
        IS(memcmp(found + y * WIDTH * 4, host + y * ROW, WIDTH * 4), 0);
    const unsigned char color[4] = {1, 2, 3, 4}, other[4] = {9, 8, 7, 6};
    IS(clEnqueueWriteImage(queue, image, CL_TRUE, at, one, 0, 0, color, 0, NULL, NULL), CL_SUCCESS);
    size_t row;
    unsigned char *mapped = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                              first, box, &row, NULL, 0, NULL, NULL, &e);
    IS(e, CL_SUCCESS);
    IS(mapped == host, 1);
    IS(row, ROW);
    IS(memcmp(host + 2 * ROW + 12, color, 4), 0);
    memcpy(host + 4 * ROW, other, 4);
    IS(clEnqueueUnmapMemObject(queue, image, mapped, 0, NULL, NULL), CL_SUCCESS);
    IS(clFinish(queue), CL_SUCCESS);
    IS(memcmp(texels_of(image, box) + 4 * WIDTH * 4, other, 4), 0);
    clReleaseMemObject(image);

    /* A copy of such memory has nothing to do with it afterwards. */
    image = image_with(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &bytes_of_four, &desc, host);
    memset(host, 0, sizeof host);
    IS(memcmp(texels_of(image, box) + 4 * WIDTH * 4, other, 4), 0);
    clReleaseMemObject(image);
    puts("host memory");
}

/* An image over a buffer is its bytes. */
static void over_buffers(void) {
    const size_t first[3] = {0}, one[3] = {1, 1, 1}, at[3] = {3, 0, 0};
    cl_int e;
    cl_mem buffer =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, MOST, bytes, &e);
    cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = WIDTH, .buffer = buffer};
    cl_mem line = image_with(CL_MEM_READ_WRITE, &bytes_of_four, &desc, NULL), is;
    IS(memcmp(texels_of(line, (const size_t[]){WIDTH, 1, 1}), bytes, 4 * WIDTH), 0);
    unsigned char found[4];
    IS(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 12, 4, "abcd", 0, NULL, NULL), CL_SUCCESS);
    IS(clEnqueueReadImage(queue, line, CL_TRUE, at, one, 0, 0, found, 0, NULL, NULL), CL_SUCCESS);
    IS(memcmp(found, "abcd", 4), 0);
    IS(clEnqueueWriteImage(queue, line, CL_TRUE, first, one, 0, 0, "efgh", 0, NULL, NULL),
       CL_SUCCESS);
    IS(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, found, 0, NULL, NULL), CL_SUCCESS);
    IS(memcmp(found, "efgh", 4), 0);
    IS(clGetImageInfo(line, CL_IMAGE_BUFFER, sizeof is, &is, NULL), CL_SUCCESS);
    IS(is == buffer, 1);
    clReleaseMemObject(buffer);
    IS(memcmp(texels_of(line, one), "efgh", 4), 0);
    clReleaseMemObject(line);
    puts("over buffers");
}

#define ASKED(get, of, what, type, wanted)                   \
    do {                                                     \
        type is;                                             \
        IS(get(of, what, sizeof is, &is, NULL), CL_SUCCESS); \
        IS(is, wanted);                                      \
    } while (0)

static void infos(void) {
    cl_mem sheets = image_of(CL_MEM_OBJECT_IMAGE2D_ARRAY, NULL);
    ASKED(clGetImageInfo, sheets, CL_IMAGE_ELEMENT_SIZE, size_t, 4);
    ASKED(clGetImageInfo, sheets, CL_IMAGE_WIDTH, size_t, WIDTH);
    ASKED(clGetImageInfo, sheets, CL_IMAGE_HEIGHT, size_t, HEIGHT);
    ASKED(clGetImageInfo, sheets, CL_IMAGE_ARRAY_SIZE, size_t, DEPTH);
    ASKED(clGetImageInfo, sheets, CL_IMAGE_NUM_SAMPLES, cl_uint, 0);
    ASKED(clGetMemObjectInfo, sheets, CL_MEM_TYPE, cl_mem_object_type, CL_MEM_OBJECT_IMAGE2D_ARRAY);
    cl_image_format format;
    IS(clGetImageInfo(sheets, CL_IMAGE_FORMAT, sizeof format, &format, NULL), CL_SUCCESS);
    IS(format.image_channel_order, CL_RGBA);
    IS(format.image_channel_data_type, CL_UNSIGNED_INT8);
    clReleaseMemObject(sheets);

    cl_int e;
    cl_sampler s =
        clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, &e);
    IS(e, CL_SUCCESS);
    ASKED(clGetSamplerInfo, s, CL_SAMPLER_NORMALIZED_COORDS, cl_bool, CL_FALSE);
    ASKED(clGetSamplerInfo, s, CL_SAMPLER_ADDRESSING_MODE, cl_addressing_mode,
          CL_ADDRESS_CLAMP_TO_EDGE);
    ASKED(clGetSamplerInfo, s, CL_SAMPLER_FILTER_MODE, cl_filter_mode, CL_FILTER_LINEAR);
    IS(clRetainSampler(s), CL_SUCCESS);
    ASKED(clGetSamplerInfo, s, CL_SAMPLER_REFERENCE_COUNT, cl_uint, 2);
    IS(clReleaseSampler(s), CL_SUCCESS);
    IS(clReleaseSampler(s), CL_SUCCESS);

    cl_uint count = 0;
    int found = 0;
    IS(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, NULL,
                                  &count),
       CL_SUCCESS);
    cl_image_format *formats = calloc(count, sizeof *formats);
    IS(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, count, formats,
                                  NULL),
       CL_SUCCESS);
    for (cl_uint i = 0; i < count; i++)
        found += formats[i].image_channel_order == CL_RGBA &&
                 formats[i].image_channel_data_type == CL_FLOAT;
    IS(found, 1);
    free(formats);
    puts("infos");
}

static void errors(void) {
    const size_t first[3] = {0}, box[3] = {WIDTH, HEIGHT, 1}, wide[3] = {WIDTH + 1, 1, 1};
    cl_int e;
    const cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D);
    const cl_image_format none = {CL_RGB, CL_FLOAT};
    clCreateImage(context, CL_MEM_READ_ONLY, &bytes_of_four, NULL, NULL, &e);
    IS(e, CL_INVALID_IMAGE_DESCRIPTOR);
    clCreateImage(context, CL_MEM_READ_ONLY, NULL, &desc, NULL, &e);
    IS(e, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    IS(clCreateImage(context, CL_MEM_READ_ONLY, &none, &desc, NULL, &e) == NULL, 1);
    clCreateImage(context, CL_MEM_READ_ONLY, &bytes_of_four, &desc, bytes, &e);
    IS(e, CL_INVALID_HOST_PTR);
    cl_mem image = image_of(CL_MEM_OBJECT_IMAGE2D, bytes), kept;
    kept = image_with(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, &bytes_of_four, &desc, NULL);
    unsigned char to[MOST];
    IS(clEnqueueReadImage(queue, image, CL_TRUE, first, wide, 0, 0, to, 0, NULL, NULL),
       CL_INVALID_VALUE);
    IS(clEnqueueReadImage(queue, kept, CL_TRUE, first, box, 0, 0, to, 0, NULL, NULL),
       CL_INVALID_OPERATION);
    IS(clEnqueueCopyImage(queue, image, image, first, first, box, 0, NULL, NULL),
       CL_MEM_COPY_OVERLAP);
    clReleaseMemObject(image);
    clReleaseMemObject(kept);

    const char *text = "__kernel void one(__read_only image2d_t in, sampler_t s,\n"
                       "                  __global float4 *out) {\n"
                       "    *out = read_imagef(in, s, (float2)(0.5f));\n"
                       "}\n";
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &e);
    IS(clBuildProgram(program, 1, &device, "-cl-kernel-arg-info", NULL, NULL), CL_SUCCESS);
    cl_kernel one = clCreateKernel(program, "one", &e);
    IS(e, CL_SUCCESS);
    ASKED(clGetKernelInfo, one, CL_KERNEL_NUM_ARGS, cl_uint, 3);
    IS(clSetKernelArg(one, 3, 8, to), CL_INVALID_ARG_INDEX);
    cl_kernel_arg_access_qualifier access;
    char name[32];
    IS(clGetKernelArgInfo(one, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL),
       CL_SUCCESS);
    IS(access, CL_KERNEL_ARG_ACCESS_READ_ONLY);
    IS(clGetKernelArgInfo(one, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, NULL), CL_SUCCESS);
    IS(strcmp(name, "image2d_t"), 0);
    clReleaseKernel(one);
    clReleaseProgram(program);
    puts("errors");
}

int main(void) {
    cl_platform_id platform;
    cl_int e;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 31);
    IS(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    IS(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), CL_SUCCESS);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    queue = clCreateCommandQueue(context, device, 0, &e);
    IS(e, CL_SUCCESS);
    boxes();
    copies();
    fills();
    maps();
    host_memory();
    over_buffers();
    infos();
    errors();
    return 0;
}
