/* What the host's side of these programs checks its calls with. */
#pragma once
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>

#define HIP_CHECK(call)                                                                        \
    do {                                                                                       \
        hipError_t error = (call);                                                             \
        if (error != hipSuccess) {                                                             \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, hipGetErrorString(error)); \
            std::exit(1);                                                                      \
        }                                                                                      \
    } while (0)
