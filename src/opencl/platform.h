#ifndef OPENCL_PLATFORM_H
#define OPENCL_PLATFORM_H

#include <stdbool.h>

/* The object is the platform's own, and no driver's. */
bool platform_has(const void *object);

#endif
