/*
 * Ranks: processes, perhaps on several machines, that do one piece of work together. What is divided
 * among them is written against this table; src/cli/mpi has the one of MPI, tests one of threads.
 *
 * All ranks make the same calls in the same order.
 */
#ifndef HD_BASE_RANKS_H
#define HD_BASE_RANKS_H

#include "base/base.h"

typedef struct hd_piece {
    void *bytes; /* of a received one: malloc's, the receiver's to free; NULL: count is 0 */
    size_t count;
} hd_piece;

typedef struct hd_ranks {
    uint32_t rank, count;
    void *self;
    /* Sends out[r] to rank r, its own included, and receives in[r] from it; both have `count`
     * entries. Waits for all. HD_ESYSTEM, with a message that names the rank, when one is gone: the
     * run is over then. */
    hd_status (*exchange)(void *self, const hd_diag *diag, const hd_piece *out, hd_piece *in);
    uint32_t beside; /* ranks on this machine, this one, too; 0: not known */
    bool broken;     /* a rank is gone: every exchange fails from now on */
} hd_ranks;

/* ---- ranks.c: what is called on all ranks; `ranks` may be NULL, which is one; errors are those of
 * exchange() ---- */

/* Frees what an exchange received. */
void hd_free_pieces(const hd_ranks *ranks, hd_piece *pieces);
/* Each rank's `bytes` bytes, the same number from each, one after another in all[count * bytes]. */
hd_status hd_ranks_gather(const hd_ranks *ranks, const hd_diag *diag, const void *own, size_t bytes,
                          void *all);
/* values[count] become their sums over the ranks. Takes 4 MiB besides. */
hd_status hd_ranks_sum(const hd_ranks *ranks, const hd_diag *diag, uint64_t *values,
                       uint64_t count);

#endif
