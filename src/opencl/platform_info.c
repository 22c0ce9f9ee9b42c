/* What programs are told of the platform and the device: figures of the device profile, and what the
 * machine can do. A table is made of them when it is first asked for. */
#include <stdlib.h>
#include <string.h>

#include "opencl/platform.h"

#define VERSION "OpenCL 3.0 Heddle"

typedef struct info {
    cl_uint what;
    const void *value;
    size_t bytes;
} info;

typedef struct infos {
    hd_arena *arena;
    hd_vec(info) rows;
} infos;

static infos of_platform, of_device; /* under the machine's lock */

static void add(infos *list, cl_uint what, const void *value, size_t bytes) {
    void *copy = memcpy(hd_alloc(list->arena, bytes + 1), value, bytes);
    hd_push(list->arena, &list->rows, (info){what, copy, bytes});
}

static void add_text(infos *list, cl_uint what, const char *text) {
    add(list, what, text, strlen(text) + 1);
}

/* ---- texts ----------------------------------------------------------------------------------------- */

static const char *const extensions[] = {
    "cl_khr_byte_addressable_store",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_fp16",
    "cl_khr_fp64",
    "cl_khr_3d_image_writes",
    "cl_khr_depth_images",
    "cl_khr_icd",
};
enum { EXTENSIONS = sizeof extensions / sizeof *extensions };

static void add_extensions(infos *list, cl_uint what, cl_uint with_versions) {
    hd_str text = {.arena = list->arena};
    cl_name_version all[EXTENSIONS] = {0};
    for (size_t i = 0; i < EXTENSIONS; i++) {
        hd_str_printf(&text, "%s%s", i ? " " : "", extensions[i]);
        all[i].version = CL_MAKE_VERSION(1, 0, 0);
        memcpy(all[i].name, extensions[i], strlen(extensions[i]));
    }
    add_text(list, what, hd_str_text(&text));
    add(list, with_versions, all, sizeof all);
}

/* ---- the platform ------------------------------------------------------------------------------------ */

static void describe_platform(infos *list) {
    const cl_version version = CL_MAKE_VERSION(3, 0, 0);
    const cl_ulong resolution = 0;
    add_text(list, CL_PLATFORM_PROFILE, "FULL_PROFILE");
    add_text(list, CL_PLATFORM_VERSION, VERSION);
    add_text(list, CL_PLATFORM_NAME, "Heddle machine");
    add_text(list, CL_PLATFORM_VENDOR, "Heddle");
    add_text(list, CL_PLATFORM_ICD_SUFFIX_KHR, "HEDDLE");
    add_extensions(list, CL_PLATFORM_EXTENSIONS, CL_PLATFORM_EXTENSIONS_WITH_VERSION);
    add(list, CL_PLATFORM_NUMERIC_VERSION, &version, sizeof version);
    add(list, CL_PLATFORM_HOST_TIMER_RESOLUTION, &resolution, sizeof resolution);
}

/* ---- the device -------------------------------------------------------------------------------------- */

uint64_t platform_memory_size(const machine *m) {
    const uint64_t board = m->device->board.memory * UINT64_C(1000000), here = hd_memory_free();
    return here && here < board ? here : board;
}

/* Numbers of one width; OpenCL's types of 4 bytes and of 8. */
typedef struct number {
    cl_uint what;
    uint64_t value;
} number;

static void add_numbers(infos *list, const number *numbers, size_t count, size_t bytes) {
    for (size_t i = 0; i < count; i++)
        add(list, numbers[i].what, &numbers[i].value, bytes); /* of little-endian hosts */
}

#define ADD_NUMBERS(list, bytes, ...)                                          \
    add_numbers(list, (const number[]){__VA_ARGS__},                           \
                sizeof((const number[]){__VA_ARGS__}) / sizeof(number), bytes)

static void describe_words(infos *list, const hd_device *d) {
    ADD_NUMBERS(
        list, 4, {CL_DEVICE_VENDOR_ID, 0}, {CL_DEVICE_MAX_COMPUTE_UNITS, d->sms ? d->sms : 1},
        {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 3}, {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, 1},
        {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, 1}, {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 1},
        {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, 1}, {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 1},
        {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, 1}, {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, 1},
        {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, 1}, {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, 1},
        {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, 1}, {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, 1},
        {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 1}, {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, 1},
        {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, 1}, {CL_DEVICE_MAX_CLOCK_FREQUENCY, d->board.clock},
        {CL_DEVICE_ADDRESS_BITS, 64}, {CL_DEVICE_IMAGE_SUPPORT, CL_TRUE},
        {CL_DEVICE_MAX_READ_IMAGE_ARGS, 128}, {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64},
        {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 0}, {CL_DEVICE_MAX_SAMPLERS, 16},
        {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 0}, {CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, 0},
        {CL_DEVICE_MEM_BASE_ADDR_ALIGN, 8 * PLATFORM_ALIGN},
        {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, PLATFORM_ALIGN},
        {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, CL_READ_WRITE_CACHE},
        {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, d->l2.line}, {CL_DEVICE_MAX_CONSTANT_ARGS, 8},
        {CL_DEVICE_LOCAL_MEM_TYPE, CL_LOCAL}, {CL_DEVICE_ERROR_CORRECTION_SUPPORT, CL_FALSE},
        {CL_DEVICE_HOST_UNIFIED_MEMORY, CL_FALSE}, {CL_DEVICE_ENDIAN_LITTLE, CL_TRUE},
        {CL_DEVICE_AVAILABLE, CL_TRUE}, {CL_DEVICE_COMPILER_AVAILABLE, CL_TRUE},
        {CL_DEVICE_LINKER_AVAILABLE, CL_TRUE}, {CL_DEVICE_PARTITION_MAX_SUB_DEVICES, 0},
        {CL_DEVICE_REFERENCE_COUNT, 1}, {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, CL_TRUE},
        {CL_DEVICE_NUMERIC_VERSION, CL_MAKE_VERSION(3, 0, 0)},
        {CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, CL_FALSE},
        {CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, CL_FALSE},
        {CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, CL_FALSE}, {CL_DEVICE_PIPE_SUPPORT, CL_FALSE},
        {CL_DEVICE_MAX_PIPE_ARGS, 0}, {CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, 0},
        {CL_DEVICE_PIPE_MAX_PACKET_SIZE, 0}, {CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, 0},
        {CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, 0}, {CL_DEVICE_MAX_ON_DEVICE_QUEUES, 0},
        {CL_DEVICE_MAX_ON_DEVICE_EVENTS, 0}, {CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, 0},
        {CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, 0},
        {CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, 0}, {CL_DEVICE_MAX_NUM_SUB_GROUPS, 0},
        {CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, CL_FALSE});
}

static void describe_long_words(infos *list, const machine *m) {
    enum { LOCAL = 48 << 10 }; /* as drivers of GPUs have it */
    const hd_device *d = m->device;
    const uint64_t memory = platform_memory_size(m);
    const cl_device_fp_config single =
        CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA;
    ADD_NUMBERS(list, 8, {CL_DEVICE_TYPE, CL_DEVICE_TYPE_GPU},
                {CL_DEVICE_MAX_WORK_GROUP_SIZE, PLATFORM_MOST_THREADS},
                {CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, d->warp},
                {CL_DEVICE_MAX_MEM_ALLOC_SIZE, memory / 4}, {CL_DEVICE_GLOBAL_MEM_SIZE, memory},
                {CL_DEVICE_IMAGE2D_MAX_WIDTH, PLATFORM_WIDEST},
                {CL_DEVICE_IMAGE2D_MAX_HEIGHT, PLATFORM_WIDEST},
                {CL_DEVICE_IMAGE3D_MAX_WIDTH, PLATFORM_DEEPEST},
                {CL_DEVICE_IMAGE3D_MAX_HEIGHT, PLATFORM_DEEPEST},
                {CL_DEVICE_IMAGE3D_MAX_DEPTH, PLATFORM_DEEPEST},
                {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, PLATFORM_LONGEST_ROW},
                {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, PLATFORM_DEEPEST},
                {CL_DEVICE_MAX_PARAMETER_SIZE, 4352}, {CL_DEVICE_SINGLE_FP_CONFIG, single},
                {CL_DEVICE_HALF_FP_CONFIG, CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST},
                {CL_DEVICE_DOUBLE_FP_CONFIG, single | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF},
                {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, d->l2.size},
                {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 64 << 10},
                {CL_DEVICE_LOCAL_MEM_SIZE, d->shared && d->shared < LOCAL ? d->shared : LOCAL},
                {CL_DEVICE_PROFILING_TIMER_RESOLUTION, 1},
                {CL_DEVICE_EXECUTION_CAPABILITIES, CL_EXEC_KERNEL},
                {CL_DEVICE_QUEUE_ON_HOST_PROPERTIES,
                 CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE},
                {CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, 0},
                {CL_DEVICE_PLATFORM, (uint64_t)(uintptr_t)&platform_itself},
                {CL_DEVICE_PARENT_DEVICE, 0}, {CL_DEVICE_PARTITION_PROPERTIES, 0},
                {CL_DEVICE_PARTITION_AFFINITY_DOMAIN, 0}, {CL_DEVICE_PRINTF_BUFFER_SIZE, 1 << 20},
                {CL_DEVICE_SVM_CAPABILITIES, 0},
                {CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
                 CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP},
                {CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, CL_DEVICE_ATOMIC_ORDER_RELAXED |
                                                          CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
                                                          CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP},
                {CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, 0}, {CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, 0},
                {CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, 0});
}

static void describe_device(infos *list, const machine *m) {
    static const cl_name_version languages[] = {{CL_MAKE_VERSION(3, 0, 0), "OpenCL C"},
                                                {CL_MAKE_VERSION(1, 2, 0), "OpenCL C"},
                                                {CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
                                                {CL_MAKE_VERSION(1, 0, 0), "OpenCL C"}};
    static const cl_name_version features[] = {
        {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_fp64"},
        {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_int64"},
        {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_images"},
        {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_3d_image_writes"}};
    const size_t sizes[] = {PLATFORM_MOST_THREADS, PLATFORM_MOST_THREADS, PLATFORM_MOST_THREADS};
    describe_words(list, m->device);
    describe_long_words(list, m);
    add(list, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizes, sizeof sizes);
    add(list, CL_DEVICE_PARTITION_TYPE, "", 0);
    add_text(list, CL_DEVICE_NAME, hd_format(list->arena, "Heddle machine %s", m->device->name));
    add_text(list, CL_DEVICE_VENDOR, "Heddle");
    add_text(list, CL_DRIVER_VERSION, "1.0");
    add_text(list, CL_DEVICE_PROFILE, "FULL_PROFILE");
    add_text(list, CL_DEVICE_VERSION, VERSION);
    add_text(list, CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2 Heddle");
    add_text(list, CL_DEVICE_BUILT_IN_KERNELS, "");
    add_text(list, CL_DEVICE_IL_VERSION, "");
    add_text(list, CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, "");
    add_extensions(list, CL_DEVICE_EXTENSIONS, CL_DEVICE_EXTENSIONS_WITH_VERSION);
    add(list, CL_DEVICE_OPENCL_C_FEATURES, features, sizeof features);
    add(list, CL_DEVICE_ILS_WITH_VERSION, "", 0);
    add(list, CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, "", 0);
    add(list, CL_DEVICE_OPENCL_C_ALL_VERSIONS, languages, sizeof languages);
}

/* ---- asking ------------------------------------------------------------------------------------------ */

static cl_int find(const infos *list, cl_uint what, size_t room, void *to, size_t *needs) {
    for (size_t i = 0; i < list->rows.count; i++)
        if (list->rows.data[i].what == what)
            return platform_give(list->rows.data[i].value, list->rows.data[i].bytes, room, to,
                                 needs);
    return CL_INVALID_VALUE;
}

static CL_API_ENTRY cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info what,
                                                     size_t room, void *to, size_t *needs) {
    if (!platform_is(platform, PLATFORM_ITSELF))
        return CL_INVALID_PLATFORM;
    machine *m = machine_enter();
    if (!of_platform.arena) {
        of_platform.arena = m->arena;
        describe_platform(&of_platform);
    }
    return platform_left(m, find(&of_platform, what, room, to, needs));
}

static CL_API_ENTRY cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what,
                                                   size_t room, void *to, size_t *needs) {
    if (!platform_is(device, PLATFORM_DEVICE))
        return CL_INVALID_DEVICE;
    machine *m = machine_enter();
    if (!of_device.arena) {
        of_device.arena = m->arena;
        describe_device(&of_device, m);
    }
    return platform_left(m, find(&of_device, what, room, to, needs));
}

void platform_infos(cl_icd_dispatch *table) {
    table->clGetPlatformInfo = platform_info;
    table->clGetDeviceInfo = device_info;
}
