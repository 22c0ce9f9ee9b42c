/*
 * What hd_partition() and heddle-mpi's hidden word `partition IN OUT` tell each other. IN is this
 * head, then first[nets + 1], weight[nets], thread[pins] as hd_nets has them, and sizes[parts]; OUT
 * is part[vertices]. Both are the machine's own words: nobody keeps these files.
 */
#ifndef HD_MAPPING_HYPERGRAPH_FILE_H
#define HD_MAPPING_HYPERGRAPH_FILE_H

#include <stdint.h>

typedef struct hypergraph_head {
    uint64_t magic, nets, pins;
    uint32_t vertices, parts, partitioner, unused;
} hypergraph_head;

#define HYPERGRAPH_MAGIC UINT64_C(0x3168706172676468)

/* The exit status of a heddle-mpi that was built without the partitioner; it says so in a line. */
enum { HYPERGRAPH_NO_PARTITIONER = 3 };

#endif
