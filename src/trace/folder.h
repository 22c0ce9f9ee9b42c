/* A folder with the trace files of several ranks (folder.c). */
#ifndef HD_TRACE_FOLDER_H
#define HD_TRACE_FOLDER_H

#include "trace/trace.h"

/* How many ranks have written into it. */
hd_status trace_folder_ranks(hd_arena *arena, const hd_diag *diag, const char *path,
                             uint32_t *ranks);
/* The finished file of a rank, or else what a run that did not end left; NULL: neither is there. */
const char *trace_rank_file(hd_arena *arena, const char *path, uint32_t rank);

#endif
