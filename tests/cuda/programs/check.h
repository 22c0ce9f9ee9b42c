// What the programs of this folder check with: the first thing that is not as it must be ends one.
#pragma once
#include <cstdio>
#include <cstdlib>

#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition)) {                                                     \
            std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                       \
        }                                                                       \
    } while (0)

#define CUDA(call)                                                                               \
    do {                                                                                         \
        cudaError_t error_ = (call);                                                             \
        if (error_ != cudaSuccess) {                                                             \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(error_)); \
            std::exit(1);                                                                        \
        }                                                                                        \
    } while (0)

// An error of the runtime, which is the last one until it is taken.
#define FAILS(error, call)                    \
    do {                                      \
        CHECK((call) == (error));             \
        CHECK(cudaGetLastError() == (error)); \
    } while (0)

#define DRIVER(call)                                                                 \
    do {                                                                             \
        CUresult error_ = (call);                                                    \
        if (error_ != CUDA_SUCCESS) {                                                \
            std::printf("%s:%d: %s: error %d\n", __FILE__, __LINE__, #call, error_); \
            std::exit(1);                                                            \
        }                                                                            \
    } while (0)

// Ends well, in a way that a program which stopped in the middle cannot.
#define DONE (std::printf("as expected\n"), 0)
