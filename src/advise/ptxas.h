/*
 * ptxas.c: what ptxas, NVIDIA's assembler, says of kernels in PTX, where it is installed: the code that
 * it makes is what a GPU of NVIDIA runs.
 */
#ifndef HD_ADVISE_PTXAS_H
#define HD_ADVISE_PTXAS_H

#include "base/base.h"

typedef struct hd_ptxas_kernel {
    const char *symbol;                 /* its name in the PTX */
    const char *name;                   /* as the front end names the kernel of this symbol */
    uint32_t registers;                 /* of a thread, 32 bits each */
    uint32_t shared;                    /* bytes of a block, less what a launch adds */
    uint32_t spill_stores, spill_loads; /* bytes of a thread, in the code once */
} hd_ptxas_kernel;

typedef struct hd_ptxas {
    const char *architecture; /* that was taken, "sm_90" */
    hd_ptxas_kernel *kernels; /* in no particular order */
    uint32_t count;
} hd_ptxas;

/* Of all kernels of the file `ptx`, by one call of ptxas, for a device of this compute capability (90
 * for 9.0). ptxas of CUDA 13 knows 7.5 and newer, and PTX goes with its own .target and newer: of
 * the architectures that both allow it is the nearest. HD_EUNSUPPORTED: there is no ptxas;
 * HD_EINPUT: it does not take the file. */
hd_status hd_ptxas_registers(hd_arena *arena, const hd_diag *diag, const char *ptx,
                             uint32_t capability, hd_ptxas *made);

/* The kernel that a module has of the same file under this name; NULL: there is none. */
const hd_ptxas_kernel *hd_ptxas_find(const hd_ptxas *made, const char *kernel);

#endif
