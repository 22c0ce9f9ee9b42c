/*
 * Ranks of MPI.
 *
 * Every rank sends every other one the same messages in the same order: one for each exchange, and one
 * that says how it ended. A rank that fails alone sends its end in the place of the next exchange, and
 * with it ends that exchange on all others: nobody waits for it.
 */
#ifndef HD_MPI_RANKS_H
#define HD_MPI_RANKS_H

#include <signal.h>

#include "base/ranks.h"

typedef struct mpi_ranks mpi_ranks;

/* Starts MPI. `stop` is set when the run is to end: from then on an exchange waits half a second for
 * the others, no more. */
hd_status mpi_ranks_open(hd_arena *arena, const hd_diag *diag, const volatile sig_atomic_t *stop,
                         mpi_ranks **ranks);
const hd_ranks *mpi_ranks_get(const mpi_ranks *ranks);
/* cli_ranks.ended, with the exit status of this rank and the errors that it has not printed. MPI is
 * at its end then. */
int mpi_ranks_end(mpi_ranks *ranks, const hd_diag *diag, int status, const char *text);

/* ---- mpi_partition.c: heddle-mpi partition IN OUT ------------------------------------------------ */

/* Returns the program's exit status; a line on standard error says what was wrong. Zoltan runs on
 * all ranks, starts MPI and ends it; with other numbers of ranks it finds other parts. METIS needs
 * no MPI. */
int mpi_partition(const char *in, const char *out);

#endif
