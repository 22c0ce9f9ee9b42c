/*
 * Four threads, each with kernels and a buffer of its own, that share an out-of-order queue. All commands
 * of a thread wait for the one before it by its event; one buffer is read by all.
 */
#include "host.h"

#include <pthread.h>

enum { THREADS = 4, COUNT = 768, ROUNDS = 12 };

typedef struct {
    int x, y;
    unsigned char kind;
} cell;

static const char text[] = "typedef struct { int x, y; uchar kind; } cell;\n"
                           "__kernel void move(__global cell *cells, int by) {\n"
                           "    int i = get_global_id(0);\n"
                           "    cells[i].x += by;\n"
                           "    cells[i].y ^= cells[i].x * cells[i].kind;\n"
                           "}\n"
                           "__kernel void take(__global cell *to, __global const cell *from) {\n"
                           "    int i = get_global_id(0);\n"
                           "    to[i].kind += from[i].kind;\n"
                           "    to[i].x -= from[i].y;\n"
                           "}\n";

static cl_program program;
static cl_mem common;
static cell results[THREADS][COUNT];

static cl_event after(cl_kernel kernel, cl_event *before) {
    const size_t threads = COUNT, block = 64;
    cl_event event;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &threads, &block, before ? 1 : 0, before,
                                 &event),
          "launch");
    if (before)
        clReleaseEvent(*before);
    return event;
}

static void *work(void *at) {
    cell *mine = at;
    const int number = (int)((cell(*)[COUNT])at - results);
    cl_kernel move = kernel_of(program, "move"), take = kernel_of(program, "take");
    cl_mem cells = memory(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof *results, mine);
    set_memory(move, 0, cells);
    set_memory(take, 0, cells);
    set_memory(take, 1, common);
    set_int(move, 1, number);
    cl_event last = after(move, NULL), next;
    for (int r = 0; r < ROUNDS; r++) {
        set_int(move, 1, r * number);
        last = after(r % 3 ? move : take, &last);
        if (r % 4 != 3)
            continue;
        check(clEnqueueReadBuffer(queue, cells, r % 8 == 3, 0, sizeof *results, mine, 1, &last,
                                  &next),
              "read");
        clReleaseEvent(last);
        check(clWaitForEvents(1, &next), "wait");
        mine[r].x += number;
        check(clEnqueueWriteBuffer(queue, cells, CL_FALSE, (size_t)r * sizeof *mine, sizeof *mine,
                                   &mine[r], 1, &next, &last),
              "write");
        clReleaseEvent(next);
    }
    check(clEnqueueReadBuffer(queue, cells, CL_TRUE, 0, sizeof *results, mine, 1, &last, NULL),
          "read");
    clReleaseEvent(last);
    clReleaseMemObject(cells);
    clReleaseKernel(move);
    clReleaseKernel(take);
    return NULL;
}

int main(void) {
    static cell shared[COUNT];
    pthread_t threads[THREADS];
    begin(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    program = built(text, NULL);
    for (int i = 0; i < COUNT; i++) {
        shared[i] = (cell){.x = i, .y = i * i, .kind = (unsigned char)(i * 3)};
        for (int t = 0; t < THREADS; t++)
            results[t][i] = (cell){.x = i - t, .y = i * t, .kind = (unsigned char)(i + t)};
    }
    common = memory(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof shared, shared);
    for (int t = 0; t < THREADS; t++)
        if (pthread_create(&threads[t], NULL, work, results[t]))
            return 2;
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    for (int t = 0; t < THREADS; t++)
        for (int i = 0; i < COUNT; i++)
            results[t][i].y += results[t][i].kind;
    for (int t = 0; t < THREADS; t++) {
        unsigned sum = 0;
        for (int i = 0; i < COUNT; i++)
            sum = sum * 31 + (unsigned)(results[t][i].x + results[t][i].y);
        printf("thread %d: %08x\n", t, sum);
    }
    return 0;
}
