/*
 * Events of the program's own, and functions that are called when an event comes, which launch more: in a
 * chain, and several at once, which wait for each other through the queue that all of them use.
 */
#include "host.h"

#include <semaphore.h>

enum { COUNT = 1024, CHAIN = 6, AT_ONCE = 8 };

typedef struct {
    int x, y;
    short kind;
} cell;

static const char text[] = "typedef struct { int x, y; short kind; } cell;\n"
                           "__kernel void move(__global cell *cells, int by) {\n"
                           "    int i = get_global_id(0);\n"
                           "    cells[i].x += by;\n"
                           "    cells[i].y ^= cells[i].x;\n"
                           "    cells[i].kind = cells[i].y >> 3;\n"
                           "}\n"
                           "__kernel void spin(__global cell *cells, int times) {\n"
                           "    int i = get_global_id(0), x = cells[i].x;\n"
                           "    for (int t = 0; t < times; t++)\n"
                           "        x = x * 1664525 + 1013904223;\n"
                           "    cells[i].x = x;\n"
                           "}\n";

static cl_program program;
static cl_kernel move, spin;
static cl_mem cells;
static sem_t ended;
static int left;

static void CL_CALLBACK next(cl_event event, cl_int status, void *user) {
    const size_t threads = COUNT;
    cl_event launched;
    (void)user;
    check(status, "status");
    clReleaseEvent(event);
    if (!left--) {
        sem_post(&ended);
        return;
    }
    set_memory(move, 0, cells);
    set_int(move, 1, left);
    check(clEnqueueNDRangeKernel(queue, move, 1, NULL, &threads, NULL, 0, NULL, &launched),
          "launch");
    check(clSetEventCallback(launched, CL_COMPLETE, next, NULL), "callback");
    check(clFlush(queue), "flush");
}

static void CL_CALLBACK one_more(cl_event event, cl_int status, void *of) {
    cl_mem mine = of;
    cl_kernel kernel = kernel_of(program, "move");
    (void)event;
    check(status, "status");
    set_memory(kernel, 0, mine);
    set_int(kernel, 1, 3);
    run(kernel, COUNT, 64);
    clFlush(queue);
    clReleaseKernel(kernel);
    sem_post(&ended);
}

static void chain(void) {
    const size_t threads = COUNT;
    cl_event first;
    left = CHAIN;
    set_memory(move, 0, cells);
    set_int(move, 1, 100);
    check(clEnqueueNDRangeKernel(queue, move, 1, NULL, &threads, NULL, 0, NULL, &first), "launch");
    check(clSetEventCallback(first, CL_COMPLETE, next, NULL), "callback");
    clFlush(queue);
    sem_wait(&ended);
    tell_memory("chain", cells, COUNT * sizeof(cell));
}

/* While functions are called the host launches on, too. */
static void at_once(void) {
    static cell zeros[COUNT];
    const size_t threads = COUNT;
    cl_mem each[AT_ONCE];
    cl_event events[AT_ONCE];
    for (int i = 0; i < AT_ONCE; i++)
        each[i] = memory(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros);
    set_int(spin, 1, 20000);
    for (int i = 0; i < AT_ONCE; i++) {
        set_memory(spin, 0, each[i]);
        check(clEnqueueNDRangeKernel(queue, spin, 1, NULL, &threads, NULL, 0, NULL, &events[i]),
              "launch");
        check(clSetEventCallback(events[i], CL_COMPLETE, one_more, each[i]), "callback");
    }
    for (int i = 0; i < AT_ONCE; i++) {
        set_memory(move, 0, cells);
        set_int(move, 1, i);
        run(move, COUNT, 64);
    }
    tell_memory("meanwhile", cells, COUNT * sizeof(cell));
    for (int i = 0; i < AT_ONCE; i++)
        sem_wait(&ended);
    check(clFinish(queue), "finish");
    for (int i = 0; i < AT_ONCE; i++) {
        tell_memory("of a call", each[i], COUNT * sizeof(cell));
        clReleaseEvent(events[i]);
        clReleaseMemObject(each[i]);
    }
}

/* Launches, a read and a write that wait for an event which the host sets later. */
static void own_events(void) {
    static cell found[COUNT], given[COUNT];
    const size_t threads = COUNT;
    cl_int e;
    cl_event gate = clCreateUserEvent(context, &e), read;
    check(e, "event");
    set_memory(move, 0, cells);
    set_int(move, 1, 1);
    check(clEnqueueNDRangeKernel(queue, move, 1, NULL, &threads, NULL, 1, &gate, NULL), "launch");
    check(clEnqueueReadBuffer(queue, cells, CL_FALSE, 0, sizeof found, found, 0, NULL, &read),
          "read");
    for (int i = 0; i < COUNT; i++)
        given[i] = (cell){.x = i, .y = -i, .kind = (short)i};
    check(clEnqueueWriteBuffer(queue, cells, CL_FALSE, 0, sizeof given, given, 0, NULL, NULL),
          "write");
    run(move, COUNT, 64);
    clFlush(queue);
    check(clSetUserEventStatus(gate, CL_COMPLETE), "event");
    clReleaseEvent(gate);
    check(clWaitForEvents(1, &read), "wait");
    clReleaseEvent(read);
    tell("waited", found, sizeof found);
    run(move, COUNT, 64);
    tell_memory("after", cells, COUNT * sizeof(cell));
}

int main(void) {
    static cell zeros[COUNT];
    for (int i = 0; i < COUNT; i++)
        zeros[i] = (cell){.x = i, .y = 5};
    sem_init(&ended, 0, 0);
    begin(0);
    program = built(text, NULL);
    move = kernel_of(program, "move");
    spin = kernel_of(program, "spin");
    cells = memory(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros);
    chain();
    at_once();
    own_events();
    chain();
    return 0;
}
