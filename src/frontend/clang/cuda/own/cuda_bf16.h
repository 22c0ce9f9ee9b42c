/* bfloat16 without a toolkit. */
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__

#define __HEDDLE_T __nv_bfloat16
#define __HEDDLE_T2 __nv_bfloat162
#define __HEDDLE_RAW __nv_bfloat16_raw
#define __HEDDLE_RAW2 __nv_bfloat162_raw
#define __HEDDLE_N bfloat16
#define __HEDDLE_P "bf16"
#define __HEDDLE_INFINITY 0x7f80
#include "heddle_small_float.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#endif
