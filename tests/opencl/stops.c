/*
 * stops HOW: twelve launches over 4 MiB that no packer makes smaller, each of which ends before the next
 * begins, and after the eighth the end that HOW names; "fork" does the last ones in a process of its own.
 */
#include "host.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 1 << 18, LAUNCHES = 12, LAST = 8 };

typedef struct {
    int x, y;
    double z;
} cell;

static const char text[] = "typedef struct { int x, y; double z; } cell;\n"
                           "__kernel void move(__global cell *cells) {\n"
                           "    int i = get_global_id(0);\n"
                           "    cells[i].x = cells[i].x * 1664525 + 1013904223;\n"
                           "    cells[i].y ^= cells[i].x;\n"
                           "}\n";

static void end(const char *how) {
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "kill"))
        raise(SIGKILL);
    if (!strcmp(how, "exit"))
        exit(3);
    if (!strcmp(how, "_exit"))
        _exit(0);
    if (!strcmp(how, "fork") && !fork())
        exit(0);
}

int main(int argc, char **argv) {
    cell *values = malloc(COUNT * sizeof *values);
    unsigned number = 1;
    for (size_t i = 0; i < COUNT * sizeof *values / sizeof number; i++) {
        number = number * 1103515245 + 12345;
        number ^= number >> 15;
        memcpy((char *)values + i * sizeof number, &number, sizeof number);
    }
    for (int i = 0; i < COUNT; i++)
        values[i].z = i;
    begin(0);
    cl_mem cells = memory(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, COUNT * sizeof *values, values);
    cl_kernel move = kernel_of(built(text, NULL), "move");
    set_memory(move, 0, cells);
    for (int i = 0; i < LAUNCHES; i++) {
        run(move, COUNT, 64);
        check(clFinish(queue), "finish");
        if (i + 1 == LAST && argc > 1)
            end(argv[1]);
    }
    tell_memory("cells", cells, COUNT * sizeof *values);
    return 0;
}
