/* What both libraries share: failing and hanging on request. */
#ifndef FAKE_CUDA_FAKE_H
#define FAKE_CUDA_FAKE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Call N of the function that FAKE_CUDA_HANG names does not return. */
static inline void fake_hang(const char *function) {
    static unsigned calls;
    const char *wanted = getenv("FAKE_CUDA_HANG");
    char name[64];
    unsigned number;
    if (wanted && sscanf(wanted, "%63[^:]:%u", name, &number) == 2 && !strcmp(name, function) &&
        ++calls == number)
        for (;;)
            pause();
}

/* The error that FAKE_CUDA_FAIL asks this call for, or 0. A changed text counts anew. */
static inline int fake_failure(const char *function) {
    static char seen[128];
    static unsigned calls;
    const char *wanted = getenv("FAKE_CUDA_FAIL");
    char name[64];
    unsigned number;
    int error;
    fake_hang(function);
    if (!wanted || strcmp(wanted, seen)) {
        calls = 0;
        snprintf(seen, sizeof seen, "%s", wanted ? wanted : "");
    }
    if (!wanted || sscanf(wanted, "%63[^:]:%u:%d", name, &number, &error) != 3 ||
        strcmp(name, function))
        return 0;
    return ++calls == number ? error : 0;
}

#define FAIL_ON_REQUEST()                    \
    do {                                     \
        int error_ = fake_failure(__func__); \
        if (error_)                          \
            return error_;                   \
    } while (0)

/* A mistake of the caller, which no test should survive. */
#define REQUIRE(condition)                                                        \
    do {                                                                          \
        if (!(condition)) {                                                       \
            fprintf(stderr, "fake CUDA: %s: not so: %s\n", __func__, #condition); \
            abort();                                                              \
        }                                                                         \
    } while (0)

#endif
