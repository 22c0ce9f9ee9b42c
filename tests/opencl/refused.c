/* A kernel that looks at its records as bytes, which no other layout can have. */
#include "host.h"

enum { COUNT = 256 };

static const char text[] = "typedef struct { int x, y; uchar kind; } cell;\n"
                           "__kernel void look(__global cell *cells) {\n"
                           "    __global uchar *bytes = (__global uchar *)cells;\n"
                           "    bytes[get_global_id(0) * 12 + 5]++;\n"
                           "}\n";

int main(void) {
    static char cells[COUNT * 12];
    begin(0);
    cl_mem of = memory(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof cells, cells);
    cl_kernel look = kernel_of(built(text, NULL), "look");
    set_memory(look, 0, of);
    run(look, COUNT, 64);
    tell_memory("cells", of, sizeof cells);
    return 0;
}
