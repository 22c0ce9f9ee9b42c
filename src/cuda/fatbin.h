/*
 * Fat binaries: what nvcc puts into a program for each of its device codes.
 *
 * A program hands the runtime a wrapper, which points to the binary: a header and entries one after
 * the other, each a header of its own and then its data.
 *
 *     header   0  u32 0xba55ed50    4  u16 version, 1    6  u16 bytes of the header
 *              8  u64 bytes of all entries
 *     entry    0  u16 kind: 1 PTX, 2 machine code        4  u32 bytes of this header
 *              8  u64 bytes of the data, with what it is filled up by
 *             16  u32 bytes of the data where it is compressed
 *             28  u32 architecture: 90                  40  u64 flags
 *             56  u64 bytes of the data when it is not compressed
 *
 * As nvcc 13 writes them, and as public tools describe those of nvcc 11 and 12. PTX is compressed by
 * zstd since CUDA 12.8, by LZ4's block format before, or not at all.
 */
#ifndef CUDA_FATBIN_H
#define CUDA_FATBIN_H

#include "base/base.h"

/* The PTX of one architecture. */
typedef struct cuda_ptx_text {
    const char *text; /* ends in '\0', which `length` does not count */
    size_t length;
    uint32_t architecture; /* 90 for compute_90 */
} cuda_ptx_text;

typedef struct cuda_fatbin {
    cuda_ptx_text *texts;
    uint32_t count;
    uint32_t machine_codes; /* entries that are no PTX, and have kernels as far as is seen */
} cuda_fatbin;

/* What a wrapper points to, or NULL where it is no wrapper. A binary in memory says its own length,
 * which cuda_fatbin_size() reads: 0 for what is none. */
const void *cuda_fatbin_unwrap(const void *wrapper);
size_t cuda_fatbin_size(const void *binary);

/* Of a program that was compiled in parts and linked (nvcc -rdc=true) the binaries of its parts, up to
 * a NULL: what they are linked to is machine code alone. NULL: the wrapper is of another program. */
const void *const *cuda_fatbin_parts(const void *wrapper);

/* The PTX in `size` bytes. `name` is what messages call the binary. Damage is an HD_EINPUT; a binary
 * without PTX is none, and has no texts. */
hd_status cuda_fatbin_read(hd_arena *arena, const hd_diag *diag, const char *name,
                           const void *binary, size_t size, cuda_fatbin *result);

/* Of several texts the one that a device of this architecture takes: the latest that is not later
 * than the device; where all are, the earliest. NULL: there is none. */
const cuda_ptx_text *cuda_fatbin_choose(const cuda_fatbin *fatbin, uint32_t architecture);

#endif
