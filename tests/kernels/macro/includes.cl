// flags: -g 64 --local 64 -n 64 --options -DSCALE=3
// accesses: 3
// layouts: soa aosoa:4 da
#include "macros.h"
#include "macros.h"
#ifndef SCALE
#error no scale
#endif
__kernel void k(__global shared *p) {
    p[GID].c[1] = p[GID].a * SCALE;
    p[GID].b = GID;
}
