/*
 * The check of a rewriting: both versions of a job on the machine, which needs no device.
 */
#ifndef HD_ADVISE_VERIFY_H
#define HD_ADVISE_VERIFY_H

#include "advise/measure/measure.h"
#include "rewrite/placed.h"
#include "machine/vm.h"

typedef struct hd_verified {
    bool random; /* buffers that the job says nothing of held random numbers, not zeros */
    bool ran;    /* the original did, so that what is wrong then is wrong with the rewritten one */
    uint64_t lane_accesses; /* of the original */
    uint64_t bytes;         /* of buffers that kernels may write, which were compared */
    const hd_job *job;      /* the rewritten one, where it was compiled */
} hd_verified;

/* Runs the resolved job as it is and `rewritten`, its kernels in these layouts and with the orders
 * of threads that it was made for, on the machine, and compares every buffer bit for bit; where
 * threads in another order meet in atomics, within the job's tolerance. Buffers without contents of
 * their own get random numbers, unless the kernels cannot run on those. HD_EDIFFER names the first
 * value that differs. HD_EINPUT: the original does not run on the machine, so that there is nothing
 * to compare with, or the rewritten one has a fault that the original has not (`ran`). Of `options`
 * workers, progress and user count. */
hd_status hd_verify(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                    const hd_record_layout *layouts, uint32_t layout_count,
                    const hd_rewritten *rewritten, const hd_vm_options *options,
                    hd_verified *result);

/* The resolved job with the kernels of `view`, which are in these layouts, compiled; its last
 * buffer is the map, where they have one. Messages, from here on, go through the view, which knows the
 * folder then. From its arena. */
hd_status hd_place_rewritten(hd_rewritten_view *view, const hd_job *job,
                             const hd_record_layout *layouts, uint32_t layout_count,
                             hd_placed_job **placed);

/* The first of these records that the kernel takes behind a pointer; NULL: none. */
const hd_record *hd_verify_record(const kir_kernel *kernel, const hd_record_layout *layouts,
                                  uint32_t layout_count);
/* An error for each kernel that takes one of the records but that the job never launches:
 * it is rewritten with the others, and nothing would check it. */
hd_status hd_verify_covers(const hd_diag *diag, const hd_job *job, const hd_record_layout *layouts,
                           uint32_t layout_count);

#endif
