/* Products of small matrices by the threads of a warp. */
#include "frontend/ptx/internal.h"

const ptx_rule ptx_matrix_rules[] = {
    {NULL},
};
