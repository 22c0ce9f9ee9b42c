/* What a test sets of the machine that stands in for Heddle's. */
#ifndef STAND_IN_PTX_H
#define STAND_IN_PTX_H

#include "heddle/ptx.h"

typedef void stand_in_fn(const char *kernel, const hd_ptx_launch_size *size, void *const *args);
extern stand_in_fn *stand_in_launched;
/* The next launch fails with this message. */
extern const char *stand_in_fault;

#endif
