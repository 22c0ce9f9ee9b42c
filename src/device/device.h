/*
 * Device profiles: the numbers of a GPU that a model needs.
 */
#ifndef HD_DEVICE_H
#define HD_DEVICE_H

#include "layout/tile_steps.h"

typedef struct hd_cache {
    uint64_t size; /* bytes; 0: not there, or not used for global memory */
    uint32_t line; /* bytes that a miss brings: of a sector where the cache has sectors */
    /* What the simulation needs (analysis/cache.h); 0: the profile does not say. */
    uint32_t tag;  /* bytes that one tag stands for: a line with all its sectors */
    uint32_t ways; /* lines of a set */
} hd_cache;

enum { HD_CACHE_SECTORS_MAX = 32 }; /* of a line */

/* What becomes of a line of L1 that a store of its SM writes to; L2 gets the store anyway. */
typedef enum hd_l1_write {
    HD_L1_WRITE_THROUGH, /* it is written, too */
    HD_L1_WRITE_EVICT    /* it is dropped */
} hd_l1_write;

/* What a warp's request is split into. */
typedef enum hd_coalescing {
    HD_COALESCE_WARP, /* a transaction of `segment` bytes for each segment that lanes touch */
    /* The same for each half of a warp; words of one byte have segments of a quarter of
     * `segment`, words of two bytes of half of it, and a transaction shrinks to the half
     * and then the quarter of `segment` that alone is used (NVIDIA CUDA C Programming
     * Guide 4.2, global memory of compute capability 1.2 and 1.3). */
    HD_COALESCE_HALF_WARP
} hd_coalescing;

/* Whose code runs on it: as what kernels are compiled before they are counted. */
typedef enum hd_compiler {
    HD_COMPILER_UNKNOWN, /* kernels are counted as they are written */
    HD_COMPILER_NVPTX64, /* nvcc, and NVIDIA's OpenCL */
    HD_COMPILER_AMDGCN,  /* clang for AMD's GPUs */
    HD_COMPILER_CPU      /* PoCL */
} hd_compiler;

/* What the energy model needs (driver/energy.h): picojoules, and watts. All zero: not known. */
typedef struct hd_device_energy {
    double fp32, fp64, integer; /* of one operation of one lane */
    double l1, l2, dram;        /* of a byte between a lane and L1, L1 and L2, L2 and memory */
    double link;                /* of a byte between the host's memory and the device */
    double idle;                /* W: what it draws however little it does */
} hd_device_energy;

/* What the model of time needs (model/time.h). All zero: not known. */
typedef struct hd_device_speed {
    double clock;          /* MHz of the SMs while kernels run */
    double dram, l2, link; /* GB/s, of 10^9 bytes: memory; L2 to all SMs; one direction
                                                 * to the host's memory, 0 where they share it */
    double fp32, fp64, integer, special; /* lanes that an SM serves for each clock: add or
                                                 * multiply-add; sqrt, exp2, reciprocal, sine */
    double l1;    /* bytes for each clock between the lanes of an SM and L1 */
    double issue; /* instructions of warps that an SM issues for each clock */
    double l1_latency, l2_latency, dram_latency; /* clocks from a load to its use */
} hd_device_speed;

/* What CUDA programs are told of the device beyond what a model needs. */
typedef struct hd_device_board {
    uint32_t capability;       /* compute capability, 90 for 9.0 */
    uint32_t memory;           /* MB, of 10^6 bytes */
    uint32_t clock, mem_clock; /* MHz */
    uint32_t bus;              /* bits */
} hd_device_board;
/* What programs of today expect, of a device that says nothing. */
extern const hd_device_board hd_usual_board;

typedef struct hd_device {
    const char *name;          /* "tesla-k20c" */
    const char *title;         /* "NVIDIA Tesla K20c" */
    uint32_t warp;             /* lanes */
    hd_cache l1, l2;           /* l1 of one SM, l2 of the device; l1 serves loads only */
    uint32_t l1_write;         /* hd_l1_write */
    uint32_t segment;          /* bytes of one transaction: what a warp's request is split into */
    uint32_t coalescing;       /* hd_coalescing: by which rule */
    double w_l1, w_l2, w_dram; /* cost of one transaction served there, relative to L1 = 1 */
    uint32_t sms;              /* SMs (compute units); 0 when unknown */
    uint32_t max_blocks;       /* per SM */
    uint32_t max_threads;      /* per SM */
    uint32_t registers;        /* 32-bit registers per SM */
    uint32_t max_registers;    /* per thread */
    uint32_t banks, bank;      /* of shared (local) memory: how many, and bytes of a word of one */
    uint32_t shared;           /* bytes of shared (local) memory of an SM; 0 when unknown */
    uint32_t compiler;         /* hd_compiler */
    uint32_t epsilon;          /* hd_device_epsilon(); 0: the profile does not say */
    /* Learned on such a device; NULL: the profile does not say. */
    const hd_tile_steps *tiles;
    hd_device_energy energy;
    hd_device_speed speed;
    hd_device_board board;
    const char *source_file; /* where the profile came from, NULL for synthetic ones */
} hd_device;

/* Finds a profile: a name of devices/ (searched in $HEDDLE_DEVICES, then in
 * Heddle's own folder), a path ending in .yaml, the name
 * `host` (this machine, read with hwloc), or the synthetic form
 *     warp:32 l1:48k/128 l2:768k/32 w:1,30,100 blocks:8 threads:1536 regs:32768
 *     [segment:128] [maxregs:63] [sms:14] [coalescing:warp]
 *     [l1tags:128/4] [l2tags:128/16] [l1write:through] [banks:32] [bank:4] [shared:48k]
 *     [clock:706] [bandwidth:208,512,6] [rates:192,64,160,32,128,4] [latency:35,200,440]
 *     [epsilon:128] [tiles:AoS-8,SoA-12,512-96,SoA]
 *     [energy:50,160,70,46.8,123.84,244.4,80,35] [board:90,80000,1980,2619,5120]
 * An unknown name is an error that lists the known ones. */
hd_status hd_device_find(hd_arena *arena, const hd_diag *diag, const char *name,
                         const hd_device **device);
hd_status hd_device_parse_synthetic(hd_arena *arena, const hd_diag *diag, const char *text,
                                    const hd_device **device);
hd_status hd_device_read(hd_arena *arena, const hd_diag *diag, const char *path,
                         const hd_device **device);
/* Where a figure comes from: for "l1" perhaps "query: CL_DEVICE_...". */
typedef struct hd_figure_source {
    const char *key, *text;
} hd_figure_source;
/* A profile in YAML, which hd_device_read() reads: `about`, lines of text, as comments, the title,
 * and the figures that have a source. */
const char *hd_device_profile(hd_arena *arena, const hd_device *device, const char *about,
                              const hd_figure_source *sources, size_t count);
hd_status hd_device_host(hd_arena *arena, const hd_diag *diag, const hd_device **device);
/* The synthetic form of a device; parses back to the same numbers. */
const char *hd_device_print(hd_arena *arena, const hd_device *device);
/* All profiles of devices/, sorted by name, and `host` last. */
hd_status hd_device_list(hd_arena *arena, const hd_diag *diag, const hd_device ***devices,
                         size_t *count);
/* Checks that the numbers make sense (powers of two, order of costs, …). */
hd_status hd_device_check(const hd_diag *diag, const hd_device *device);

/* Lanes of a warp whose accesses are joined: all, or half of them. */
uint32_t hd_device_request_lanes(const hd_device *device);
/* Bytes of the segments that accesses of `width` bytes are joined in. */
uint32_t hd_device_segment_for(const hd_device *device, uint32_t width);
/* Fields whose uses are less than so many bytes apart come into one cluster (model/layout_graph.h).
 * Kofler et al. take the line of L1, "the smallest entity that can be loaded from the L1 cache and
 * therefore should be loaded at once" (section 3.1). A profile may have an epsilon of its own, as
 * those of their GPUs have that of their table 1. Of another device it is what one miss brings: a
 * line of L1, or a sector where its lines have sectors; the same of L2 where L1 does not hold global
 * memory; a transaction where there is no cache. *why, if not NULL: which of these, in words. */
uint32_t hd_device_epsilon(const hd_device *device, const char **why);
/* Whether the profile has figures of energy. */
bool hd_device_has_energy(const hd_device *device);
/* Whether it has those of time. */
bool hd_device_has_speed(const hd_device *device);
/* "warp", "half-warp" */
const char *hd_coalescing_name(uint32_t coalescing);

/* How many blocks of so many threads an SM holds at once, with 32-bit registers for each thread, 0
 * where they are not known (Peng et al., section IV-E). */
static inline uint32_t hd_blocks_per_sm(const hd_device *device, uint64_t block_size,
                                        uint32_t registers) {
    uint64_t blocks = device->max_blocks;
    uint64_t by_threads = device->max_threads / block_size;
    uint32_t used = registers > device->max_registers ? device->max_registers : registers;
    uint64_t by_registers = used ? device->registers / used / block_size : blocks;
    if (blocks > by_threads)
        blocks = by_threads;
    if (blocks > by_registers)
        blocks = by_registers;
    return blocks ? (uint32_t)blocks : 1;
}

#endif
