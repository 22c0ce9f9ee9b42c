/* The fewest transactions that any partition of the record's fields has, with any tiles. */
#ifndef HD_BENCH_EVIDENCE_PARTITIONS_H
#define HD_BENCH_EVIDENCE_PARTITIONS_H

#include "evidence/evidence_program.h"

enum { PARTITIONS_MOST_FIELDS = 14 };

/* The layout that has them, of all partitions and tiles that can differ; NULL where the record has
 * more than PARTITIONS_MOST_FIELDS fields. */
hd_layout *partitions_fewest(program *p);

#endif
