/* A trace file that was opened: its launches, and where their blocks are. */
#ifndef HD_TRACE_OPEN_FILE_H
#define HD_TRACE_OPEN_FILE_H

#include "chunk.h"
#include "trace/trace.h"

/* A launch and its blocks. */
typedef struct open_launch {
    hd_event_launch launch;
    hd_vec(hd_trace_block) blocks;
    size_t paged;  /* blocks that pages have listed */
    uint64_t next; /* block number expected next, at least */
    uint64_t mis, lane_accesses, bytes;
    bool ended, complete;
} open_launch;

typedef struct open_file {
    const char *path;
    int fd; /* whoever opens the file closes it */
    uint64_t size;
    const char *source; /* as in hd_trace_contents */
    uint32_t spaces;
    hd_vec(open_launch) launches;
    const char *missing; /* of the file; NULL: it is complete */
} open_file;

hd_status open_file_open(hd_arena *arena, const hd_diag *diag, const char *path, open_file *file);
hd_status trace_damaged(const char *path, const hd_diag *diag, uint64_t offset, const char *what);
/* NULL, or what is wrong with a part's head. */
const char *open_part_fault(const open_launch *l, const chunk *c, const part_head *head);

#endif
