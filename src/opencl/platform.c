#include "opencl/platform.h"
bool platform_has(const void *object) { return !object; }
