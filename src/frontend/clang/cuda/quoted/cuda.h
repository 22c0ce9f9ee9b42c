/*
 * Clang's wrapper of the toolkit begins with cuda.h, and some programs have a header of that name. So
 * the first one is the toolkit's, and what follows is what the user's folders have.
 */
#ifndef CUDA_VERSION
#include HEDDLE_CUDA_H
#else
#include_next <cuda.h>
#endif
