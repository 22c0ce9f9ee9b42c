/* What the files that start launches share. */
#ifndef HD_VM_LAUNCH_H
#define HD_VM_LAUNCH_H

#include "vm/flow.h"

/* An argument, ready for the frame. */
typedef struct hd_bound_arg {
    uint64_t address;      /* of a pointer; of one to local memory: from the block's */
    bool is_local;
    const uint8_t *bytes;  /* of a scalar, vector or struct */
} hd_bound_arg;

/* fill.c */
void hd_fill_uniform(hd_run *r, hd_operand cell, uint64_t bits);
void hd_fill_launch(hd_run *r, const hd_launch *launch, const hd_bound_arg *args);
void hd_fill_block(hd_run *r, const hd_launch *launch, const hd_bound_arg *args);

/* independent.c: no block of this launch can see what another one writes, so that they may
 * run in any order and at once. */
bool hd_blocks_are_independent(const hd_program *program, const hd_job *job,
                               const hd_launch *launch);

/* check.c */
struct hd_shadow *hd_shadow_new(const hd_run *r, bool races, bool uninitialised);
void hd_shadow_free(struct hd_shadow *shadow);
/* A block begins: its local and private memory are new. */
void hd_check_block(hd_run *r);

#endif
