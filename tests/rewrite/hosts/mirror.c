/* Random copies and fills of parts of two buffers, each done to arrays of the host as well, which must
 * hold the same in the end. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct record {
    cl_double d;
    cl_char c;
    cl_short s[3];
    cl_float4 v;
    cl_int i;
} record;

enum { MOST = 150 };

static void check(cl_int error, const char *what) {
    if (error) {
        fprintf(stderr, "%s: error %d\n", what, error);
        exit(1);
    }
}

static unsigned state = 1;
static unsigned below(unsigned n) {
    state = state * 1103515245 + 12345;
    return (state >> 16) % n;
}

static void make(record *records, int n) {
    for (int r = 0; r < n; r++) {
        memset(&records[r], 0, sizeof records[r]);
        records[r].d = below(1000);
        records[r].c = (cl_char)below(100);
        for (int k = 0; k < 3; k++)
            records[r].s[k] = (cl_short)below(300);
        for (int k = 0; k < 4; k++)
            records[r].v.s[k] = (float)below(500);
        records[r].i = (cl_int)below(70000);
    }
}

/* Field by field: padding need not be the same. */
static int same(const record *a, const record *b, int n) {
    for (int r = 0; r < n; r++)
        if (a[r].d != b[r].d || a[r].c != b[r].c || memcmp(a[r].s, b[r].s, sizeof a[r].s) ||
            memcmp(&a[r].v, &b[r].v, sizeof a[r].v) || a[r].i != b[r].i)
            return 0;
    return 1;
}

static cl_context context;
static cl_command_queue queue;

static void try(cl_kernel stir, int n) {
    static record mirror[2][MOST], part[MOST];
    cl_mem buffers[2], sum;
    cl_int error;
    make(mirror[0], n);
    memset(mirror[1], 0, sizeof mirror[1]);
    buffers[0] =
        clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, n * sizeof(record), mirror[0], &error);
    check(error, "clCreateBuffer");
    buffers[1] = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(record), NULL, &error);
    check(error, "clCreateBuffer");
    sum = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(cl_int), NULL, &error);
    check(error, "clCreateBuffer");
    cl_int zero = 0;
    check(clEnqueueFillBuffer(queue, buffers[1], &zero, sizeof zero, 0, n * sizeof(record), 0, NULL,
                              NULL),
          "clEnqueueFillBuffer");
    check(clEnqueueWriteBuffer(queue, sum, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL), "sum");
    for (int step = 0; step < 40; step++) {
        int which = below(2), first = below(n), count = 1 + below(n - first),
            to = below(n - count + 1);
        cl_event event;
        switch (below(6)) {
        case 0:
            make(part, count);
            memcpy(mirror[which] + first, part, count * sizeof(record));
            check(clEnqueueWriteBuffer(queue, buffers[which], CL_FALSE, first * sizeof(record),
                                       count * sizeof(record), part, 0, NULL, &event),
                  "clEnqueueWriteBuffer");
            check(clWaitForEvents(1, &event), "clWaitForEvents");
            check(clReleaseEvent(event), "clReleaseEvent");
            break;
        case 1:
            check(clEnqueueReadBuffer(queue, buffers[which], CL_TRUE, first * sizeof(record),
                                      count * sizeof(record), part, 0, NULL, NULL),
                  "clEnqueueReadBuffer");
            if (!same(part, mirror[which] + first, count)) {
                printf("%d: step %d reads something else\n", n, step);
                exit(1);
            }
            break;
        case 2:
            memcpy(mirror[1 - which] + to, mirror[which] + first, count * sizeof(record));
            check(clEnqueueCopyBuffer(queue, buffers[which], buffers[1 - which],
                                      first * sizeof(record), to * sizeof(record),
                                      count * sizeof(record), 0, NULL, NULL),
                  "clEnqueueCopyBuffer");
            break;
        case 3: {
            const unsigned char pattern[4] = {1, 2, 0, below(256)};
            for (size_t b = 0; b < count * sizeof(record); b++)
                ((unsigned char *)(mirror[which] + first))[b] = pattern[b % 4];
            check(clEnqueueFillBuffer(queue, buffers[which], pattern, sizeof pattern,
                                      first * sizeof(record), count * sizeof(record), 0, NULL,
                                      NULL),
                  "clEnqueueFillBuffer");
            break;
        }
        case 5: {
            cl_map_flags flags =
                below(2) ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_WRITE_INVALIDATE_REGION;
            record *mapped =
                clEnqueueMapBuffer(queue, buffers[which], CL_TRUE, flags, first * sizeof(record),
                                   count * sizeof(record), 0, NULL, NULL, &error);
            check(error, "clEnqueueMapBuffer");
            if (flags & CL_MAP_READ)
                mapped[count / 2].i += 7;
            else
                make(mapped, count);
            memcpy(mirror[which] + first, mapped, count * sizeof(record));
            check(clEnqueueUnmapMemObject(queue, buffers[which], mapped, 0, NULL, &event),
                  "clEnqueueUnmapMemObject");
            check(clWaitForEvents(1, &event), "clWaitForEvents");
            check(clReleaseEvent(event), "clReleaseEvent");
            break;
        }
        case 4: {
            size_t global = n, local = 1; /* any other would be another compilation for each n */
            check(clSetKernelArg(stir, 0, sizeof(cl_mem), &buffers[which]), "clSetKernelArg");
            check(clSetKernelArg(stir, 1, sizeof n, &n), "clSetKernelArg");
            check(clSetKernelArg(stir, 2, sizeof(cl_mem), &sum), "clSetKernelArg");
            check(clEnqueueNDRangeKernel(queue, stir, 1, NULL, &global, &local, 0, NULL, NULL),
                  "stir");
            for (int r = 0; r < n; r++) {
                record *m = &mirror[which][r];
                m->i += r;
                m->c ^= 5;
                m->s[1] = m->s[0] + m->s[2];
                m->v.s[1] *= 2;
                m->v.s[2] *= 2;
            }
            break;
        }
        }
    }
    cl_int total;
    check(clEnqueueReadBuffer(queue, sum, CL_TRUE, 0, sizeof total, &total, 0, NULL, NULL), "sum");
    for (int b = 0; b < 2; b++) {
        check(clEnqueueReadBuffer(queue, buffers[b], CL_TRUE, 0, n * sizeof(record), part, 0, NULL,
                                  NULL),
              "clEnqueueReadBuffer");
        if (!same(part, mirror[b], n)) {
            printf("%d: buffer %d holds something else\n", n, b);
            exit(1);
        }
        clReleaseMemObject(buffers[b]);
    }
    clReleaseMemObject(sum);
    printf("%d records: sum %d\n", n, total);
}

int main(void) {
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    static char text[10000];
    const char *source = text;
    FILE *file = fopen("mirror.cl", "r");
    if (!file)
        return 1;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, NULL, NULL, NULL), "clBuildProgram");
    cl_kernel stir = clCreateKernel(program, "stir", &error);
    check(error, "clCreateKernel");
    for (int n = 1; n <= MOST; n += 1 + n / 4)
        try(stir, n);
    clReleaseKernel(stir);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
