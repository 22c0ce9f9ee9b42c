/* Kernels that include headers from a folder that the options name; the program goes elsewhere when it has
 * built them. */
#include <unistd.h>

#include "host.h"

static const char text[] = "#include \"cell.h\"\n"
                           "kernel void bump(global cell *p, int n) {\n"
                           "    int i = get_global_id(0);\n"
                           "    if (i < n) { p[i].x += STEP; p[i].y += i; }\n"
                           "}\n";

int main(void) {
    enum { COUNT = 1000, LAUNCHES = 6, CELL = 12 };
    static int cells[COUNT * CELL / sizeof(int)];
    begin(0);
    cl_program program = built(text, "-I include -DSTEP=2.0f");
    check(chdir("/"), "chdir");
    cl_kernel bump = kernel_of(program, "bump");
    cl_mem buffer = memory(CL_MEM_COPY_HOST_PTR, sizeof cells, cells);
    set_memory(bump, 0, buffer);
    set_int(bump, 1, COUNT);
    for (int i = 0; i < LAUNCHES; i++)
        run(bump, COUNT, 0);
    tell_memory("cells", buffer, sizeof cells);
    return 0;
}
