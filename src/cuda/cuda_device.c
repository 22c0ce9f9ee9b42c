#include "cuda/cuda_device.h"

#include <limits.h>

enum { KIB = 1024 };

/* ---- by compute capability -------------------------------------------------------------------- */

/* CUDA C++ Programming Guide 12 and 13, table of technical specifications for each compute
 * capability; the SM's shared memory is what the largest configuration gives. */
typedef struct capability {
    uint32_t number; /* 90 */
    uint32_t shared_per_sm, shared_opt_in, reserved;
} capability;

static const capability capabilities[] = {
    {13, 16 * KIB, 16 * KIB, 0},          {20, 48 * KIB, 48 * KIB, 0},
    {30, 48 * KIB, 48 * KIB, 0},          {35, 48 * KIB, 48 * KIB, 0},
    {70, 96 * KIB, 96 * KIB, 0},          {75, 64 * KIB, 64 * KIB, 0},
    {80, 164 * KIB, 163 * KIB, 1 * KIB},  {86, 100 * KIB, 99 * KIB, 1 * KIB},
    {89, 100 * KIB, 99 * KIB, 1 * KIB},   {90, 228 * KIB, 227 * KIB, 1 * KIB},
    {100, 228 * KIB, 227 * KIB, 1 * KIB}, {120, 100 * KIB, 99 * KIB, 1 * KIB},
};

void cuda_device_of(const hd_device *profile, cuda_device *device) {
    const hd_device_board *b = &profile->board;
    const capability *c = capabilities; /* its own, or the last before it */
    while (c + 1 < capabilities + sizeof capabilities / sizeof *c && c[1].number <= b->capability)
        c++;
    *device = (cuda_device){.profile = profile,
                            .major = b->capability / 10,
                            .minor = b->capability % 10,
                            .memory = b->memory * UINT64_C(1000000),
                            .clock = b->clock * 1000,
                            .mem_clock = b->mem_clock * 1000,
                            .bus_bits = b->bus,
                            .shared = c->shared_opt_in < 48 * KIB ? c->shared_opt_in : 48 * KIB,
                            .shared_opt_in = c->shared_opt_in,
                            .shared_per_sm = c->shared_per_sm,
                            .shared_reserved = c->reserved};
}

const char *cuda_device_name(const cuda_device *device) {
    return device->profile->title ? device->profile->title : "Heddle's machine";
}

void cuda_device_uuid(const cuda_device *device, char uuid[16]) {
    const char *name = cuda_device_name(device);
    uint64_t hash = hd_hash_bytes(HD_HASH_START, name, strlen(name));
    memcpy(uuid, &hash, sizeof hash);
    memcpy(uuid + 8, "heddle\0", 8);
}

bool cuda_device_has_clusters(const cuda_device *device) { return device->major >= 9; }

/* ---- attributes ------------------------------------------------------------------------------- */

static int at_most_int(uint64_t value) { return value > INT_MAX ? INT_MAX : (int)value; }

/* The largest textures and surfaces of devices of today, by attribute (CUDA C++ Programming Guide 13,
 * table of technical specifications for each compute capability). */
static const struct {
    int attribute, value;
} most_texels[] = {
    {21, 131072},  {22, 131072}, {23, 65536},                            /* 1D; 2D */
    {24, 16384},   {25, 16384},  {26, 16384},                            /* 3D */
    {27, 32768},   {28, 32768},  {29, 2048},                             /* 2D of layers */
    {42, 32768},   {43, 2048},   {45, 32768}, {46, 32768},               /* 1D of layers; gather */
    {47, 16384},   {48, 16384},  {49, 16384},                            /* 3D in another shape */
    {52, 32768},   {53, 32768},  {54, 2046},                             /* cubemaps */
    {55, 32768},   {56, 131072}, {57, 65536},                            /* surfaces: 1D; 2D */
    {58, 16384},   {59, 16384},  {60, 16384},                            /* 3D */
    {61, 32768},   {62, 2048},   {63, 32768}, {64, 32768},   {65, 2048}, /* layers */
    {66, 32768},   {67, 32768},  {68, 2046},                             /* cubemaps */
    {69, 1 << 28}, {70, 131072}, {71, 65000}, {72, 2097120},             /* linear; of rows */
    {73, 32768},   {74, 32768},  {77, 32768},                            /* of levels */
};

static int most_of_texture(int attribute) {
    for (size_t i = 0; i < sizeof most_texels / sizeof *most_texels; i++)
        if (most_texels[i].attribute == attribute)
            return most_texels[i].value;
    return 0;
}

bool cuda_device_attribute(const cuda_device *d, int attribute, int *value) {
    const hd_device *profile = d->profile;
    bool old = d->major < 2;
    switch (attribute) {
    case 1: /* most threads of a block, and of its sides */
    case 2:
    case 3: *value = old ? 512 : 1024; return true;
    case 4: *value = 64; return true;
    case 5: *value = d->major < 3 ? 65535 : INT_MAX; return true; /* a grid's sides */
    case 6:
    case 7: *value = 65535; return true;
    case 8: *value = at_most_int(d->shared); return true;
    case 9: *value = 64 * KIB; return true; /* constant memory */
    case 10: *value = at_most_int(profile->warp); return true;
    case 11: *value = INT_MAX; return true; /* pitch of a copy */
    case 12:                                /* registers of a block, of an SM */
    case 82: *value = at_most_int(profile->registers); return true;
    case 13: *value = at_most_int(d->clock); return true;
    case 14: *value = 512; return true; /* alignment of textures */
    case 15: *value = 1; return true;   /* copies beside kernels */
    case 16: *value = profile->sms ? at_most_int(profile->sms) : 1; return true;
    case 19:                           /* host memory can be mapped */
    case 31:                           /* kernels side by side */
    case 41:                           /* one address space */
    case 78:                           /* streams have priorities */
    case 79:                           /* L1 caches global memory, */
    case 80:                           /* and local */
    case 83:                           /* managed memory, */
    case 89:                           /* also beside the host */
    case 91:                           /* registered memory has one address */
    case 95:                           /* cooperative launches */
    case 99:                           /* host memory can be registered */
    case 102:                          /* memory is mapped into reserved addresses */
    case 115: *value = 1; return true; /* memory pools */
    case 36: *value = at_most_int(d->mem_clock); return true;
    case 37: *value = at_most_int(d->bus_bits); return true;
    case 38: *value = at_most_int(profile->l2.size); return true;
    case 39: *value = at_most_int(profile->max_threads); return true;
    case 40: *value = 3; return true; /* engines that copy */
    case 51: *value = 32; return true;
    case 33: *value = 1; return true; /* PCI bus */
    case 75: *value = (int)d->major; return true;
    case 76: *value = (int)d->minor; return true;
    case 81: *value = at_most_int(d->shared_per_sm); return true;
    case 87: *value = 2; return true; /* speed of float to double */
    case 97: *value = at_most_int(d->shared_opt_in); return true;
    case 106: *value = at_most_int(profile->max_blocks); return true;
    case 120: /* clusters, tensor maps */
    case 127: *value = cuda_device_has_clusters(d); return true;
    case 111: *value = at_most_int(d->shared_reserved); return true;
    case 134: *value = -1; return true; /* NUMA node of the host: none */
    case 131: *value = -1; return true;
    case 30: *value = 512; return true; /* alignment of surfaces */
    case 44: *value = 1; return true;   /* gather */
    default:                            /* what the device does not have */
        *value = most_of_texture(attribute);
        return attribute > 0 && attribute < 148;
    }
}

/* ---- occupancy -------------------------------------------------------------------------------- */

uint32_t cuda_device_blocks(const cuda_device *d, uint32_t threads, uint32_t registers,
                            uint64_t shared) {
    const hd_device *profile = d->profile;
    uint32_t warps = (threads + profile->warp - 1) / profile->warp;
    uint64_t blocks = profile->max_blocks;
    uint64_t by_warps = profile->max_threads / profile->warp / (warps ? warps : 1);
    /* A warp gets its registers in pieces of 256. */
    uint64_t of_warp = hd_align_up((uint64_t)registers * profile->warp, 256);
    uint64_t by_registers = of_warp ? profile->registers / of_warp / (warps ? warps : 1) : blocks;
    uint64_t of_block = shared + d->shared_reserved;
    uint64_t by_shared = shared && of_block ? d->shared_per_sm / of_block : blocks;
    uint64_t limits[] = {by_warps, by_registers, by_shared};
    for (int i = 0; i < 3; i++)
        if (limits[i] < blocks)
            blocks = limits[i];
    return (uint32_t)blocks;
}
