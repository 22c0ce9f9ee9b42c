/*
 * What programs ask of OpenCL, one function for each part of it, each of which checks what the standard
 * says: errors, waits for events that are set later, calls back, parts, boxes and maps of buffers, programs
 * compiled apart, arguments. It prints the name of each part that is as it should be, so that every
 * platform prints the same.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 256 };

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;

#define IS(what, wanted)                                                                          \
    do {                                                                                          \
        const long long got = (long long)(what);                                                  \
        if (got != (long long)(wanted)) {                                                         \
            printf("line %d: %s is %lld, not %lld\n", __LINE__, #what, got, (long long)(wanted)); \
            exit(1);                                                                              \
        }                                                                                         \
    } while (0)

static const char source[] =
    "typedef struct { int by; short times; } jump;\n"
    "__constant int table[4] = {1, 10, 100, 1000};\n"
    "__kernel void add(__global int *v, int n) { v[get_global_id(0)] += n; }\n"
    "__kernel void places(__global int *restrict v, const __global int *w, __constant int *c,\n"
    "                     __local int *part, jump s, float4 f, uchar b) {\n"
    "    size_t x = get_global_id(0), y = get_global_id(1), i = y * get_global_size(0) + x;\n"
    "    size_t l = get_local_id(1) * get_local_size(0) + get_local_id(0);\n"
    "    part[l] = get_global_offset(0) * 1000 + get_work_dim() * 100 + get_num_groups(1);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    i -= get_global_offset(1) * get_global_size(0) + get_global_offset(0);\n"
    "    v[i] = part[0] + w[i] + c[1] + s.by * s.times + (int)(f.x + f.w) + b + table[i % 4];\n"
    "}\n"
    "__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eight(__global int *v) {\n"
    "    v[get_global_id(0)] = get_local_size(0);\n"
    "}\n";

static cl_program built(const char *text, const char *options) {
    cl_int e;
    cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &e);
    IS(e, CL_SUCCESS);
    IS(clBuildProgram(p, 1, &device, options, NULL, NULL), CL_SUCCESS);
    return p;
}

static cl_kernel kernel_of(cl_program p, const char *name) {
    cl_int e;
    cl_kernel k = clCreateKernel(p, name, &e);
    IS(e, CL_SUCCESS);
    return k;
}

static cl_mem buffer_of(const int *from) {
    cl_int e;
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, N * sizeof(int),
                              (void *)from, &e);
    IS(e, CL_SUCCESS);
    return b;
}

static int at(cl_mem b, size_t i) {
    int value = -1;
    IS(clEnqueueReadBuffer(queue, b, CL_TRUE, i * sizeof value, sizeof value, &value, 0, NULL,
                           NULL),
       CL_SUCCESS);
    return value;
}

static void set(cl_kernel k, cl_uint i, size_t bytes, const void *value) {
    IS(clSetKernelArg(k, i, bytes, value), CL_SUCCESS);
}

/* ---- the parts ----------------------------------------------------------------------------------------- */

static void errors(void) {
    cl_int e;
    const size_t some = N, seven = 7, eight = 8;
    cl_kernel add = kernel_of(program, "add"), eights = kernel_of(program, "eight");
    int numbers[N] = {0};
    cl_mem b = buffer_of(numbers);
    IS(clCreateKernel(program, "nothing", &e) == NULL, 1);
    IS(e, CL_INVALID_KERNEL_NAME);
    IS(clSetKernelArg(add, 2, sizeof b, &b), CL_INVALID_ARG_INDEX);
    IS(clSetKernelArg(add, 1, 1, numbers), CL_INVALID_ARG_SIZE);
    IS(clEnqueueNDRangeKernel(queue, add, 1, NULL, &some, NULL, 0, NULL, NULL),
       CL_INVALID_KERNEL_ARGS);
    set(add, 0, sizeof b, &b);
    set(add, 1, sizeof(int), numbers);
    IS(clEnqueueNDRangeKernel(queue, add, 4, NULL, &some, NULL, 0, NULL, NULL),
       CL_INVALID_WORK_DIMENSION);
    set(eights, 0, sizeof b, &b);
    IS(clEnqueueNDRangeKernel(queue, eights, 1, NULL, &some, &seven, 0, NULL, NULL),
       CL_INVALID_WORK_GROUP_SIZE);
    IS(clEnqueueNDRangeKernel(queue, eights, 1, NULL, &some, &eight, 0, NULL, NULL), CL_SUCCESS);
    IS(at(b, N - 1), 8);
    IS(clCreateBuffer(context, 0, 0, NULL, &e) == NULL, 1);
    IS(e, CL_INVALID_BUFFER_SIZE);
    IS(clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4, NULL, &e) == NULL, 1);
    IS(e, CL_INVALID_HOST_PTR);
    IS(clEnqueueReadBuffer(queue, b, CL_TRUE, N * sizeof(int), 4, numbers, 0, NULL, NULL),
       CL_INVALID_VALUE);
    IS(clEnqueueCopyBuffer(queue, b, b, 0, 4, 8, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    IS(clEnqueueFillBuffer(queue, b, numbers, 3, 0, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    const char *bad = "__kernel void bad(__global int *v) { v[0] = nobody; }\n";
    cl_program p = clCreateProgramWithSource(context, 1, &bad, NULL, &e);
    char log[4096];
    cl_build_status status;
    IS(clBuildProgram(p, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    IS(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL), 0);
    IS(status, CL_BUILD_ERROR);
    IS(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL), CL_SUCCESS);
    IS(strstr(log, "nobody") != NULL, 1);
    IS(clReleaseProgram(p), CL_SUCCESS);
    IS(clReleaseKernel(add), CL_SUCCESS);
    IS(clReleaseKernel(eights), CL_SUCCESS);
    IS(clReleaseMemObject(b), CL_SUCCESS);
}

static void arguments(void) {
    static const struct {
        int by;
        short times;
        char rest[2];
    } s = {3, 7, {0}};
    const cl_float4 f = {{1, 0, 0, 2}};
    const unsigned char b = 200;
    int numbers[N];
    for (int i = 0; i < N; i++)
        numbers[i] = i;
    cl_mem v = buffer_of(numbers), w = buffer_of(numbers);
    cl_kernel k = kernel_of(program, "places");
    static const int table[] = {1, 10, 100, 1000};
    const size_t offset[2] = {5, 6}, global[2] = {16, 16}, local[2] = {8, 2};
    set(k, 0, sizeof v, &v);
    set(k, 1, sizeof w, &w);
    set(k, 2, sizeof w, &w);
    set(k, 3, 16 * sizeof(int), NULL);
    set(k, 4, 8, &s);
    set(k, 5, sizeof f, &f);
    set(k, 6, 1, &b);
    IS(clEnqueueNDRangeKernel(queue, k, 2, offset, global, local, 0, NULL, NULL), CL_SUCCESS);
    for (int i = 0; i < N; i += 85)
        IS(at(v, (size_t)i), 5000 + 200 + 8 + i + 1 + 21 + 3 + 200 + table[i % 4]);
    cl_kernel_arg_address_qualifier where;
    char name[64];
    IS(clGetKernelArgInfo(k, 3, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof where, &where, NULL), 0);
    IS(where, CL_KERNEL_ARG_ADDRESS_LOCAL);
    IS(clGetKernelArgInfo(k, 1, CL_KERNEL_ARG_NAME, sizeof name, name, NULL), CL_SUCCESS);
    IS(strcmp(name, "w"), 0);
    IS(clGetKernelArgInfo(k, 1, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, NULL), CL_SUCCESS);
    IS(strcmp(name, "int*"), 0);
    IS(clReleaseKernel(k), CL_SUCCESS);
    IS(clReleaseMemObject(v), CL_SUCCESS);
    IS(clReleaseMemObject(w), CL_SUCCESS);
}

static int called;
static void CL_CALLBACK note(cl_event event, cl_int status, void *user) {
    cl_command_type type;
    IS(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL), CL_SUCCESS);
    __atomic_add_fetch(&called, status == CL_COMPLETE ? *(int *)user : 100000, __ATOMIC_SEQ_CST);
}

static void await_call(int wanted) {
    for (int i = 0; i < 1000 && __atomic_load_n(&called, __ATOMIC_SEQ_CST) != wanted; i++)
        usleep(10000);
    IS(called, wanted);
}

static cl_int status_of(cl_event event) {
    cl_int status;
    IS(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), 0);
    return status;
}

/* Commands wait for an event of the program's; the ones behind them do, too, in order. */
static void events(void) {
    cl_int e;
    int numbers[N] = {0}, n = 3, one = 1;
    const size_t some = N;
    cl_mem b = buffer_of(numbers);
    cl_kernel add = kernel_of(program, "add");
    cl_event open = clCreateUserEvent(context, &e), first, second;
    set(add, 0, sizeof b, &b);
    set(add, 1, sizeof n, &n);
    IS(clEnqueueNDRangeKernel(queue, add, 1, NULL, &some, NULL, 1, &open, &first), CL_SUCCESS);
    n = 4;
    set(add, 1, sizeof n, &n);
    IS(clEnqueueNDRangeKernel(queue, add, 1, NULL, &some, NULL, 0, NULL, &second), CL_SUCCESS);
    IS(clSetEventCallback(second, CL_COMPLETE, note, &one), CL_SUCCESS);
    IS(clEnqueueReadBuffer(queue, b, CL_FALSE, 0, sizeof numbers, numbers, 0, NULL, NULL), 0);
    IS(clFlush(queue), CL_SUCCESS);
    IS(status_of(first) > CL_COMPLETE, 1);
    IS(status_of(second) > CL_COMPLETE, 1);
    IS(called, 0);
    IS(clSetUserEventStatus(open, CL_COMPLETE), CL_SUCCESS);
    IS(clWaitForEvents(1, &second), CL_SUCCESS);
    IS(clFinish(queue), CL_SUCCESS);
    IS(numbers[N - 1], 7);
    await_call(1);
    IS(status_of(first), CL_COMPLETE);
    cl_ulong begun = 0, ended = 0;
    IS(clGetEventProfilingInfo(second, CL_PROFILING_COMMAND_START, 8, &begun, NULL), CL_SUCCESS);
    IS(clGetEventProfilingInfo(second, CL_PROFILING_COMMAND_END, 8, &ended, NULL), CL_SUCCESS);
    IS(begun > 0 && ended >= begun, 1);
    IS(clSetUserEventStatus(open, CL_COMPLETE), CL_INVALID_OPERATION);
    IS(clReleaseEvent(open), CL_SUCCESS);
    IS(clReleaseEvent(first), CL_SUCCESS);
    IS(clReleaseEvent(second), CL_SUCCESS);
    IS(clReleaseKernel(add), CL_SUCCESS);
    IS(clReleaseMemObject(b), CL_SUCCESS);
}

static void CL_CALLBACK gone(cl_mem memory, void *user) {
    (void)memory;
    __atomic_add_fetch(&called, *(int *)user, __ATOMIC_SEQ_CST);
}

static void buffers(void) {
    cl_int e;
    int numbers[N], some[N], ten = 10, hundred = 100;
    for (int i = 0; i < N; i++)
        numbers[i] = i;
    cl_mem b = buffer_of(numbers), c = buffer_of(numbers);
    const cl_buffer_region region = {512, 256};
    cl_mem part = clCreateSubBuffer(b, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &e);
    IS(e, CL_SUCCESS);
    IS(at(part, 1), 129);
    /* a box of 4 by 3 numbers in rows of 16, from (2, 1) to (5, 4) */
    const size_t from[3] = {8, 1, 0}, to[3] = {20, 4, 0}, box[3] = {16, 3, 1}, none[3] = {0, 0, 0};
    IS(clEnqueueCopyBufferRect(queue, b, c, from, to, box, 64, 0, 64, 0, 0, NULL, NULL), 0);
    IS(at(c, 4 * 16 + 5), 18);
    IS(at(c, 6 * 16 + 8), 53);
    IS(at(c, 7 * 16 + 8), 7 * 16 + 8);
    /* from columns to others of the same rows, and to a place that is under it in part */
    const size_t right[3] = {32, 0, 0}, near[3] = {8, 1, 0};
    IS(clEnqueueCopyBufferRect(queue, c, c, none, right, box, 64, 0, 64, 0, 0, NULL, NULL), 0);
    IS(at(c, 2 * 16 + 11), 2 * 16 + 3);
    IS(clEnqueueCopyBufferRect(queue, c, c, none, near, box, 64, 0, 64, 0, 0, NULL, NULL),
       CL_MEM_COPY_OVERLAP);
    memset(some, 0, sizeof some);
    IS(clEnqueueReadBufferRect(queue, b, CL_TRUE, from, none, box, 64, 0, 0, 0, some, 0, NULL,
                               NULL),
       CL_SUCCESS);
    IS(some[4], 34);
    IS(clEnqueueWriteBufferRect(queue, c, CL_TRUE, to, none, box, 64, 0, 0, 0, numbers, 0, NULL,
                                NULL),
       CL_SUCCESS);
    IS(at(c, 5 * 16 + 6), 5);
    const short pattern = 0x0102;
    IS(clEnqueueFillBuffer(queue, c, &pattern, sizeof pattern, 8, 8, 0, NULL, NULL), CL_SUCCESS);
    IS(at(c, 1), 1);
    IS(at(c, 3), 0x01020102);
    int *mapped = clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 400, 40, 0,
                                     NULL, NULL, &e);
    IS(e, CL_SUCCESS);
    IS(mapped[1], 101);
    mapped[1] = -1;
    IS(clEnqueueUnmapMemObject(queue, b, mapped, 0, NULL, NULL), CL_SUCCESS);
    IS(at(b, 101), -1);
    IS(clEnqueueMigrateMemObjects(queue, 1, &b, 0, 0, NULL, NULL), CL_SUCCESS);
    IS(clFinish(queue), CL_SUCCESS);
    called = 0;
    IS(clSetMemObjectDestructorCallback(b, gone, &ten), CL_SUCCESS);
    IS(clSetMemObjectDestructorCallback(c, gone, &hundred), CL_SUCCESS);
    IS(clReleaseMemObject(b), CL_SUCCESS);
    IS(clReleaseMemObject(c), CL_SUCCESS);
    await_call(100);
    IS(clReleaseMemObject(part), CL_SUCCESS);
    await_call(110);
}

/* The host's own memory. */
static void host_memory(void) {
    cl_int e;
    int n = 5, *own = aligned_alloc(4096, 4096);
    for (int i = 0; i < N; i++)
        own[i] = i;
    cl_mem b = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, N * sizeof(int), own, &e);
    IS(e, CL_SUCCESS);
    cl_kernel add = kernel_of(program, "add");
    const size_t some = N;
    set(add, 0, sizeof b, &b);
    set(add, 1, sizeof n, &n);
    IS(clEnqueueNDRangeKernel(queue, add, 1, NULL, &some, NULL, 0, NULL, NULL), CL_SUCCESS);
    int *mapped =
        clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_READ, 0, N * sizeof(int), 0, NULL, NULL, &e);
    IS(mapped == own, 1);
    IS(own[7], 12);
    IS(clEnqueueUnmapMemObject(queue, b, mapped, 0, NULL, NULL), CL_SUCCESS);
    IS(clFinish(queue), CL_SUCCESS);
    IS(clReleaseKernel(add), CL_SUCCESS);
    IS(clReleaseMemObject(b), CL_SUCCESS);
    free(own);
}

/* Compiled apart and linked, with a header; and made of a binary. */
static void programs(void) {
    cl_int e;
    const char *header_text = "int twice(int x);\n#define MORE 3\n";
    const char *one_text = "#include \"twice.h\"\n"
                           "__kernel void go(__global int *v) { v[0] = twice(v[1]) + MORE; }\n";
    const char *two_text = "int twice(int x) { return 2 * x; }\n", *name = "twice.h";
    cl_program header = clCreateProgramWithSource(context, 1, &header_text, NULL, &e);
    cl_program parts[2] = {clCreateProgramWithSource(context, 1, &one_text, NULL, &e),
                           clCreateProgramWithSource(context, 1, &two_text, NULL, &e)};
    IS(clCompileProgram(parts[0], 1, &device, "", 1, &header, &name, NULL, NULL), CL_SUCCESS);
    IS(clCompileProgram(parts[1], 1, &device, "", 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    cl_program all = clLinkProgram(context, 1, &device, "", 2, parts, NULL, NULL, &e);
    IS(e, CL_SUCCESS);
    size_t bytes = 0;
    IS(clGetProgramInfo(all, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL), CL_SUCCESS);
    unsigned char *binary = malloc(bytes);
    IS(clGetProgramInfo(all, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL), CL_SUCCESS);
    const unsigned char *given = binary;
    cl_program again = clCreateProgramWithBinary(context, 1, &device, &bytes, &given, NULL, &e);
    IS(e, CL_SUCCESS);
    IS(clBuildProgram(again, 1, &device, "", NULL, NULL), CL_SUCCESS);
    int numbers[N] = {0, 20};
    cl_mem b = buffer_of(numbers);
    const size_t single = 1;
    cl_program both[2] = {all, again};
    for (int i = 0; i < 2; i++) {
        cl_kernel go = kernel_of(both[i], "go");
        const int zero = 0;
        IS(clEnqueueWriteBuffer(queue, b, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL), 0);
        set(go, 0, sizeof b, &b);
        IS(clEnqueueNDRangeKernel(queue, go, 1, NULL, &single, NULL, 0, NULL, NULL), CL_SUCCESS);
        IS(at(b, 0), 43);
        IS(clReleaseKernel(go), CL_SUCCESS);
    }
    free(binary);
    cl_program made[5] = {header, parts[0], parts[1], all, again};
    for (int i = 0; i < 5; i++)
        IS(clReleaseProgram(made[i]), CL_SUCCESS);
    IS(clReleaseMemObject(b), CL_SUCCESS);
}

int main(void) {
    static const struct {
        const char *name;
        void (*check)(void);
    } parts[] = {{"errors", errors},   {"arguments", arguments},     {"events", events},
                 {"buffers", buffers}, {"host memory", host_memory}, {"programs", programs}};
    cl_platform_id platform;
    cl_int e;
    IS(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    IS(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), CL_SUCCESS);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    IS(e, CL_SUCCESS);
    queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &e);
    IS(e, CL_SUCCESS);
    program = built(source, "-cl-kernel-arg-info");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        parts[i].check();
        printf("%s\n", parts[i].name);
    }
    IS(clReleaseProgram(program), CL_SUCCESS);
    IS(clReleaseCommandQueue(queue), CL_SUCCESS);
    IS(clReleaseContext(context), CL_SUCCESS);
    return 0;
}
