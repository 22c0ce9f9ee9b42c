// Included by kernels and by the host.
#pragma once
struct particle {
    float2 at, speed;
    int cell;
    int next;
};
