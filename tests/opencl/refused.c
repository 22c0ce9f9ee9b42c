/* A kernel whose pointer is to its records or to bytes, which no other layout can have. */
#include "host.h"

enum { COUNT = 256 };

static const char text[] = "typedef struct { int x, y; uchar kind; } cell;\n"
                           "__kernel void look(__global cell *cells, __global uchar *bytes) {\n"
                           "    __global cell *one = cells;\n"
                           "    if (get_global_id(0) % 2)\n"
                           "        one = (__global cell *)bytes;\n"
                           "    one[get_global_id(0)].y++;\n"
                           "}\n";

int main(void) {
    static char cells[COUNT * 12];
    begin(0);
    cl_mem of = memory(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof cells, cells),
           bytes = memory(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof cells, cells);
    cl_kernel look = kernel_of(built(text, NULL), "look");
    set_memory(look, 0, of);
    set_memory(look, 1, bytes);
    run(look, COUNT, 64);
    tell_memory("cells", of, sizeof cells);
    return 0;
}
