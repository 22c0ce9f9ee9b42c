/*
 * heddle-mpi partition IN OUT: parts of a hypergraph, for hd_partition() (order/orders.h), which
 * writes IN and reads OUT (order/hypergraph_file.h).
 */
#ifndef HD_MPI_PARTITION_H
#define HD_MPI_PARTITION_H

/* Returns the program's exit status; a line on standard error says what was wrong. Zoltan runs on
 * all ranks, starts MPI and ends it; with other numbers of ranks it finds other parts. METIS needs
 * no MPI. */
int mpi_partition(const char *in, const char *out);

#endif
