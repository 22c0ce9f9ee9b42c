/* Half precision without a toolkit. */
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__

#define __HEDDLE_T __half
#define __HEDDLE_T2 __half2
#define __HEDDLE_RAW __half_raw
#define __HEDDLE_RAW2 __half2_raw
#define __HEDDLE_N half
#define __HEDDLE_P "f16"
#define __HEDDLE_INFINITY 0x7c00
#include "heddle_small_float.h"

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

#endif
