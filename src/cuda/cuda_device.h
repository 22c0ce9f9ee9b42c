/*
 * What a program is told of the device: figures of a device profile (docs/devices.md), and those
 * that follow from its compute capability.
 */
#ifndef CUDA_DEVICE_H
#define CUDA_DEVICE_H

#include "device/device.h"

typedef struct cuda_device {
    const hd_device *profile;
    uint32_t major, minor;     /* compute capability */
    uint64_t memory;           /* bytes of global memory */
    uint32_t clock, mem_clock; /* kHz */
    uint32_t bus_bits;
    uint32_t shared;        /* bytes of shared memory that a block has without asking */
    uint32_t shared_opt_in; /* that it has where it asks */
    uint32_t shared_per_sm;
    uint32_t shared_reserved; /* of each block, for the system */
} cuda_device;

void cuda_device_of(const hd_device *profile, cuda_device *device);

/* "NVIDIA H100 SXM5", and 16 bytes that are the same for all processes. */
const char *cuda_device_name(const cuda_device *device);
void cuda_device_uuid(const cuda_device *device, char uuid[16]);

/* The value of an attribute (cudaDeviceAttr, CUdevice_attribute: the same numbers). False: there is
 * no such attribute. */
bool cuda_device_attribute(const cuda_device *device, int attribute, int *value);
/* Blocks that reach each other's shared memory; tensor maps. */
bool cuda_device_has_clusters(const cuda_device *device);

/* Blocks of a kernel that an SM holds at once: by threads, registers, shared memory and their own
 * limit. */
uint32_t cuda_device_blocks(const cuda_device *device, uint32_t threads, uint32_t registers,
                            uint64_t shared);

#endif
