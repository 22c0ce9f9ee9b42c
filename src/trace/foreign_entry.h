/* What the two ways through a foreign trace share: where the instructions stand, and the memory that
 * they touch. */
#ifndef HD_TRACE_FOREIGN_ENTRY_H
#define HD_TRACE_FOREIGN_ENTRY_H

#include "foreign.h"

typedef unsigned long long ull;

enum {
    PAGE_BYTES = 4096,
    ROW_NOT_SEEN = -2, /* no lane of it, yet */
    FIELD_NOT_SEEN = -2
};

/* One instruction of one warp, in the text. */
typedef struct foreign_entry {
    uint64_t block; /* z << 48 | y << 32 | x, which ascends as blocks do */
    uint64_t offset;
    uint32_t launch, warp, row;
} foreign_entry;

/* An instruction of a launch. */
typedef struct foreign_row {
    uint64_t key;
    hd_access_kind kind;
    kir_space space;
    uint32_t width;
    uint32_t at;    /* its row in the trace */
    int32_t buffer; /* that all of its lanes are in, -1: there is none, or ROW_NOT_SEEN */
    int32_t field;  /* the same of the record's fields */
} foreign_row;

/* Bytes from `begin` to before `end`. */
typedef struct touched_range {
    uint64_t begin, end;
} touched_range;

/* What was touched in each page that anything was touched in. */
typedef struct touched {
    hd_hash_table of;
    hd_vec(touched_range) pages;
    touched_range *data;
    uint64_t last;
} touched;

/* The row of f->access in its launch's table, a new one if there is none yet. */
uint32_t foreign_row_of(foreign *f, foreign_launch *launch);
/* The first time through is done: launches, buffers and tables are made. */
void foreign_settle(foreign *f);
/* foreign_buffers.c: memory that was touched, as buffers; the record's array among them. */
void foreign_buffers_make(foreign *f);
/* The buffer that an address is in, or -1. */
int32_t foreign_buffer_at(const foreign *f, uint64_t address);

#endif
