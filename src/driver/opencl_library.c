/* OpenCL, opened at run time (opencl_library.h). */
#include "driver/opencl_library.h"

#include <CL/cl_icd.h>

#include "driver/library.h"

bool driver_opencl_open(hd_arena *arena, driver_opencl_library *library, const char **missing) {
    static const driver_symbol symbols[] = {
#define X(member, symbol) {offsetof(driver_opencl_library, member), #symbol, false},
        DRIVER_OPENCL_FUNCTIONS(X)
#undef X
#define X(member, symbol, result, parameters)                 \
    {offsetof(driver_opencl_library, member), #symbol, true},
            DRIVER_OPENCL_SVM_FUNCTIONS(X)
#undef X
    };
    const driver_library opencl = {.file = "libOpenCL.so.1",
                                   .places = (const char *const[]){"libOpenCL.so.1", NULL},
                                   .may_be_linked = true,
                                   .install = "; install an OpenCL loader",
                                   .update = "; install a loader of OpenCL 1.2",
                                   .symbols = symbols,
                                   .symbol_count = sizeof symbols / sizeof *symbols};
    *missing = driver_library_open(arena, &opencl, library);
    return !*missing;
}

void driver_opencl_take(const cl_icd_dispatch *calls, driver_opencl_library *library) {
#define X(member, symbol, ...) memcpy(&library->member, &calls->symbol, sizeof library->member);
    DRIVER_OPENCL_FUNCTIONS(X)
    DRIVER_OPENCL_SVM_FUNCTIONS(X)
#undef X
}

const char *driver_opencl_error(cl_int error) {
#define NAME(code)           \
    case code: return #code;
    switch (error) {
        NAME(CL_SUCCESS)
        NAME(CL_DEVICE_NOT_FOUND)
        NAME(CL_DEVICE_NOT_AVAILABLE)
        NAME(CL_COMPILER_NOT_AVAILABLE)
        NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE)
        NAME(CL_OUT_OF_RESOURCES)
        NAME(CL_OUT_OF_HOST_MEMORY)
        NAME(CL_PROFILING_INFO_NOT_AVAILABLE)
        NAME(CL_MEM_COPY_OVERLAP)
        NAME(CL_BUILD_PROGRAM_FAILURE)
        NAME(CL_MAP_FAILURE)
        NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET)
        NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        NAME(CL_COMPILE_PROGRAM_FAILURE)
        NAME(CL_LINKER_NOT_AVAILABLE)
        NAME(CL_LINK_PROGRAM_FAILURE)
        NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE)
        NAME(CL_INVALID_VALUE)
        NAME(CL_INVALID_DEVICE_TYPE)
        NAME(CL_INVALID_PLATFORM)
        NAME(CL_INVALID_DEVICE)
        NAME(CL_INVALID_CONTEXT)
        NAME(CL_INVALID_QUEUE_PROPERTIES)
        NAME(CL_INVALID_COMMAND_QUEUE)
        NAME(CL_INVALID_HOST_PTR)
        NAME(CL_INVALID_MEM_OBJECT)
        NAME(CL_INVALID_BINARY)
        NAME(CL_INVALID_BUILD_OPTIONS)
        NAME(CL_INVALID_PROGRAM)
        NAME(CL_INVALID_PROGRAM_EXECUTABLE)
        NAME(CL_INVALID_KERNEL_NAME)
        NAME(CL_INVALID_KERNEL_DEFINITION)
        NAME(CL_INVALID_KERNEL)
        NAME(CL_INVALID_ARG_INDEX)
        NAME(CL_INVALID_ARG_VALUE)
        NAME(CL_INVALID_ARG_SIZE)
        NAME(CL_INVALID_KERNEL_ARGS)
        NAME(CL_INVALID_WORK_DIMENSION)
        NAME(CL_INVALID_WORK_GROUP_SIZE)
        NAME(CL_INVALID_WORK_ITEM_SIZE)
        NAME(CL_INVALID_GLOBAL_OFFSET)
        NAME(CL_INVALID_EVENT_WAIT_LIST)
        NAME(CL_INVALID_EVENT)
        NAME(CL_INVALID_OPERATION)
        NAME(CL_INVALID_BUFFER_SIZE)
        NAME(CL_INVALID_GLOBAL_WORK_SIZE)
        NAME(CL_INVALID_PROPERTY)
        NAME(CL_INVALID_COMPILER_OPTIONS)
        NAME(CL_INVALID_LINKER_OPTIONS)
    case -1001: return "CL_PLATFORM_NOT_FOUND_KHR";
    default: return "an unknown OpenCL error";
    }
#undef NAME
}
