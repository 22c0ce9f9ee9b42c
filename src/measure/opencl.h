/* What those need who use OpenCL through a session and beside it. */
#ifndef HD_MEASURE_OPENCL_H
#define HD_MEASURE_OPENCL_H

#include <CL/cl.h>

#include "measure/session.h"

/* Of a session of the back end hd_opencl; a version's memories are cl_mem, its kernels
 * cl_kernel. */
cl_command_queue hd_opencl_queue(const hd_session *session);
/* Reports that `doing` failed with `error`, at the job unless `place` says more. */
hd_status hd_opencl_fail(const hd_session *session, cl_int error, const hd_place *place,
                         const char *doing);

#endif
