/*
 * The profile of the machine that Heddle runs on, for kernels that run on its
 * CPU through OpenCL. The words of a GPU mean this on a CPU, where a core runs
 * one work-group at a time and the compiler puts neighbouring work-items into
 * the lanes of SIMD instructions:
 *
 *     warp      32-bit lanes of the widest SIMD registers: 16 with AVX-512, 8
 *               with AVX2 or AVX, else 4
 *     sms       cores
 *     l1        first-level data cache of a core
 *     l2        the last cache before memory, which cores share
 *     segment   a line of that cache: what a request is split into
 *     w         1 : 10 : 50, round figures for latencies of about 5, 50 and 250
 *               cycles
 *     energy    the round figures of Horowitz, "Computing's Energy Problem", ISSCC 2014, for 45 nm:
 *               70 pJ for an instruction, which lanes share, and for an operation 3.7 (a
 *               multiplication of 32 bits; of 64 bits four times that, assumed) or 0.1 (an
 *               addition of integers); 8 bytes from a cache of 32 KB 20 pJ, from 1 MB 100 pJ,
 *               from memory 1.3 to 2.6 nJ, the middle. Nothing goes over a link. Idle: assumed,
 *               1 W for each core
 *     blocks    1, and as many threads as a work-group may have in PoCL; work-
 *               items take turns in the registers, so that these never limit
 */
#include <hwloc.h>

#include "device/device.h"

enum { LARGEST_WORK_GROUP = 4096, REGISTERS_PER_WORK_ITEM = 255 };

static uint32_t simd_lanes(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f"))
        return 16;
    if (__builtin_cpu_supports("avx2") || __builtin_cpu_supports("avx"))
        return 8;
#endif
    return 4;
}

/* By the figures above, in picojoules. */
static hd_device_energy energy_of(uint32_t lanes, uint32_t cores) {
    const double instruction = 70.0 / lanes;
    return (hd_device_energy){.fp32 = instruction + 3.7,
                              .fp64 = 2 * instruction + 4 * 3.7,
                              .integer = instruction + 0.1,
                              .l1 = 20.0 / 8,
                              .l2 = 100.0 / 8,
                              .dram = 1950.0 / 8,
                              .idle = cores};
}

/* The first cache of a kind; without size where the system does not tell. */
static hd_cache cache_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
    hwloc_obj_t object = hwloc_get_nbobjs_by_type(topology, type) > 0
                             ? hwloc_get_obj_by_type(topology, type, 0)
                             : NULL;
    hd_cache cache = {0};
    if (object && object->attr && hd_is_power_of_two(object->attr->cache.linesize) &&
        object->attr->cache.size % object->attr->cache.linesize == 0)
        cache = (hd_cache){.size = object->attr->cache.size, .line = object->attr->cache.linesize};
    int ways = cache.size ? object->attr->cache.associativity : 0; /* -1: all, 0: not known */
    if (ways < 0)
        ways = (int)(cache.size / cache.line);
    if (ways && cache.size / cache.line % (uint32_t)ways == 0) {
        cache.tag = cache.line;
        cache.ways = (uint32_t)ways;
    }
    return cache;
}

hd_status hd_device_host(hd_arena *arena, const hd_diag *diag, const hd_device **device) {
    static const hwloc_obj_type_t outermost_first[] = {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE,
                                                       HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE};
    hwloc_topology_t topology;
    hd_place place = {.file = "<host>"};
    if (hwloc_topology_init(&topology) != 0)
        return hd_fail(diag, HD_ESYSTEM, &place, "hwloc cannot start; name another device");
    if (hwloc_topology_load(topology) != 0) {
        hwloc_topology_destroy(topology);
        return hd_fail(diag, HD_ESYSTEM, &place,
                       "hwloc cannot read this machine; name another device");
    }
    int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    int units = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    hwloc_obj_t package = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE) > 0
                              ? hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0)
                              : NULL;
    const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    hd_device *host = hd_new(arena, hd_device);
    *host = (hd_device){
        .name = "host",
        .title = model && *model ? hd_format(arena, "this machine: %s", model) : "this machine",
        .warp = simd_lanes(),
        .l1 = cache_of(topology, HWLOC_OBJ_L1CACHE),
        .w_l1 = 1,
        .w_l2 = 10,
        .w_dram = 50,
        .sms = (uint32_t)(cores > 0 ? cores : units),
        .banks = 32, /* a CPU has none; as the devices that kernels are written for */
        .bank = 4,
        .max_blocks = 1,
        .max_threads = LARGEST_WORK_GROUP,
        .registers = LARGEST_WORK_GROUP * REGISTERS_PER_WORK_ITEM,
        .max_registers = REGISTERS_PER_WORK_ITEM,
        .compiler = HD_COMPILER_CPU,
        .board = hd_usual_board,
    };
    for (int i = 0; i < 4 && !host->l2.size; i++)
        host->l2 = cache_of(topology, outermost_first[i]);
    host->energy = energy_of(host->warp, host->sms);
    host->segment = host->l2.line ? host->l2.line : host->l1.line ? host->l1.line : 64;
    hwloc_topology_destroy(topology);
    *device = host;
    return hd_device_check(diag, host);
}
