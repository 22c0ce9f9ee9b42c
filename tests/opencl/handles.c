/*
 * Handles that come and go: buffers that are released right after a launch, kernels made for each launch,
 * copies of kernels, programs built again with other options, binaries and images that get the
 * handle of what was there before, queues that are released while their commands wait.
 */
#include "host.h"

enum { COUNT = 512, ROUNDS = 5 };

typedef struct {
    int x;
    char kind;
    short y;
} cell;

static const char text[] = "typedef struct { int x; char kind; short y; } cell;\n"
                           "#ifndef BY\n"
                           "#define BY 1\n"
                           "#endif\n"
                           "__kernel void move(__global cell *cells, int more) {\n"
                           "    int i = get_global_id(0);\n"
                           "    cells[i].x += BY + more;\n"
                           "    cells[i].y ^= cells[i].x;\n"
                           "}\n"
                           "__kernel void take(__global cell *to, __global const cell *from) {\n"
                           "    int i = get_global_id(0);\n"
                           "    to[i].x += from[i].y;\n"
                           "    to[i].kind = from[i].kind + BY;\n"
                           "}\n";
static const char same_names[] = "typedef struct { int x; char kind; short y; } cell;\n"
                                 "__kernel void move(__global cell *cells, int more) {\n"
                                 "    cells[get_global_id(0)].x = more * 17;\n"
                                 "}\n";

static cell cells[COUNT];

static cl_mem new_cells(void) {
    return memory(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof cells, cells);
}

static void move(cl_program program, cl_mem of, int more) {
    cl_kernel kernel = kernel_of(program, "move");
    set_memory(kernel, 0, of);
    set_int(kernel, 1, more);
    run(kernel, COUNT, 64);
    clReleaseKernel(kernel);
}

/* A buffer that goes while its launch may wait, and one that gets its handle. */
static void released(cl_program program) {
    cl_mem kept = new_cells();
    for (int r = 0; r < ROUNDS; r++) {
        cl_mem other = new_cells();
        cl_kernel take = kernel_of(program, "take");
        move(program, other, r);
        set_memory(take, 0, kept);
        set_memory(take, 1, other);
        clRetainMemObject(other);
        run(take, COUNT, 0);
        clReleaseMemObject(other);
        move(program, other, 2 * r);
        if (r % 2)
            run(take, COUNT, 0);
        clReleaseMemObject(other);
        clRetainKernel(take);
        clReleaseKernel(take);
        clReleaseKernel(take);
    }
    tell_memory("released", kept, sizeof cells);
    clReleaseMemObject(kept);
}

/* The same program with other options, and another one where it was. */
static void built_again(void) {
    const char *const options[] = {"-DBY=5", "-DBY=-7", NULL, "-DBY=5"};
    cl_mem of = new_cells();
    cl_program program = built(text, "-DBY=2");
    move(program, of, 0);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        check(clFinish(queue), "finish"); /* what has run may hold its kernel */
        check(clBuildProgram(program, 1, &device, options[i], NULL, NULL), "build");
        move(program, of, (int)i);
        move(program, of, 3);
    }
    tell_memory("built again", of, sizeof cells);
    clReleaseProgram(program);
    for (int i = 0; i < ROUNDS; i++) {
        program = built(i % 2 ? text : same_names, "-DBY=4");
        move(program, of, i);
        clReleaseProgram(program);
    }
    tell_memory("other programs", of, sizeof cells);
    clReleaseMemObject(of);
}

/* A program without source where one with source was. */
static void binary(void) {
    cl_mem of = new_cells();
    cl_program from = built(same_names, NULL);
    size_t bytes = 0;
    check(clGetProgramInfo(from, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL), "size");
    unsigned char *code = malloc(bytes);
    check(clGetProgramInfo(from, CL_PROGRAM_BINARIES, sizeof code, &code, NULL), "binary");
    clReleaseProgram(from);
    for (int i = 0; i < ROUNDS; i++) {
        cl_program program = built(text, NULL);
        move(program, of, i);
        clReleaseProgram(program);
        cl_int e;
        const unsigned char *given = code;
        program = clCreateProgramWithBinary(context, 1, &device, &bytes, &given, NULL, &e);
        check(e, "program");
        check(clBuildProgram(program, 1, &device, NULL, NULL, NULL), "build");
        move(program, of, i);
        clReleaseProgram(program);
    }
    tell_memory("binary", of, sizeof cells);
    free(code);
    clReleaseMemObject(of);
}

/* An image where a buffer was. */
static void images(void) {
    static const char look[] =
        "__kernel void look(__read_only image2d_t image, __global int *v) {\n"
        "    v[0] += get_image_width(image);\n"
        "}\n";
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 4};
    cl_program program = built(text, NULL);
    cl_kernel kernel = kernel_of(built(look, NULL), "look");
    int zero = 0;
    cl_mem v = memory(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zero, &zero);
    for (int i = 0; i < ROUNDS; i++) {
        cl_int e;
        cl_mem of = new_cells();
        move(program, of, i);
        check(clFinish(queue), "finish");
        clReleaseMemObject(of);
        cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &e);
        if (e)
            return;
        set_memory(kernel, 0, image);
        set_memory(kernel, 1, v);
        run(kernel, 1, 1);
        check(clFinish(queue), "finish");
        clReleaseMemObject(image);
    }
    tell_memory("images", v, sizeof zero);
}

static void copied_kernels(cl_program program) {
    cl_int e;
    cl_mem of = new_cells(), other = new_cells();
    cl_kernel kernel = kernel_of(program, "move");
    set_memory(kernel, 0, of);
    set_int(kernel, 1, 8);
    cl_kernel copy = clCloneKernel(kernel, &e);
    check(e, "clone");
    run(copy, COUNT, 64);
    set_memory(copy, 0, other);
    run(kernel, COUNT, 64);
    run(copy, COUNT, 64);
    clReleaseKernel(kernel);
    run(copy, COUNT, 64);
    clReleaseKernel(copy);
    cl_kernel all[2];
    cl_uint count;
    check(clCreateKernelsInProgram(program, 2, all, &count), "kernels");
    for (int i = 0; i < 2; i++) {
        char name[16];
        clGetKernelInfo(all[i], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
        set_memory(all[i], 0, of);
        if (!strcmp(name, "take"))
            set_memory(all[i], 1, other);
        else
            set_int(all[i], 1, 1);
        run(all[i], COUNT, 64);
        clReleaseKernel(all[i]);
    }
    tell_memory("copies", of, sizeof cells);
    tell_memory("copies", other, sizeof cells);
    clReleaseMemObject(of);
    clReleaseMemObject(other);
}

/* Queues that go before their commands are done, or while an event holds them. */
static void queues(cl_program program) {
    const size_t threads = COUNT;
    cl_command_queue first = queue;
    cl_mem of = new_cells();
    cl_kernel kernel = kernel_of(program, "move");
    cl_event held[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        cl_int e;
        queue = clCreateCommandQueueWithProperties(context, device, NULL, &e);
        check(e, "queue");
        clRetainCommandQueue(queue);
        set_memory(kernel, 0, of);
        set_int(kernel, 1, i);
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &threads, NULL, 0, NULL, &held[i]),
              "launch");
        clReleaseCommandQueue(queue);
        run(kernel, COUNT, 64);
        check(clFinish(queue), "finish");
        clReleaseCommandQueue(queue);
        queue = first;
        tell_memory("queue", of, sizeof cells);
        if (i % 2)
            clReleaseEvent(held[i]);
    }
    for (int i = 0; i < ROUNDS; i += 2)
        clReleaseEvent(held[i]);
    run(kernel, COUNT, 64);
    tell_memory("queues", of, sizeof cells);
    clReleaseKernel(kernel);
    clReleaseMemObject(of);
}

int main(void) {
    begin(0);
    for (int i = 0; i < COUNT; i++)
        cells[i] = (cell){.x = i, .kind = (char)i, .y = (short)(i * 3)};
    cl_program program = built(text, NULL);
    released(program);
    built_again();
    binary();
    images();
    copied_kernels(program);
    queues(program);
    return 0;
}
