/* The codes' names and texts, as both interfaces document them. */
#include "cuda/error.h"

#include <stddef.h>

typedef struct row {
    int number;
    const char *runtime, *driver; /* NULL: the driver has no such code */
    const char *text;
} row;

#define IN_BOTH(number, name, runtime, text)                   \
    {number, "cudaError" #runtime, "CUDA_ERROR_" #name, text},
#define IN_RUNTIME(number, name, runtime, text) {number, "cudaError" #runtime, NULL, text},
static const row rows[] = {{0, "cudaSuccess", "CUDA_SUCCESS", "no error"},
                           CUDA_ERRORS(IN_BOTH, IN_RUNTIME)};

static const row none = {0};
static const row *find(int error) {
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        if (rows[r].number == error)
            return &rows[r];
    return &none;
}

const char *cuda_error_runtime_name(int error) { return find(error)->runtime; }
const char *cuda_error_driver_name(int error) { return find(error)->driver; }
const char *cuda_error_text(int error) { return find(error)->text; }

bool cuda_error_is_sticky(int error) {
    return error == CUDA_ILLEGAL_ADDRESS || error == CUDA_ASSERT ||
           (error >= CUDA_ILLEGAL_INSTRUCTION && error <= CUDA_LAUNCH_FAILED);
}
