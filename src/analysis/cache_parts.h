/*
 * What the files of the cache simulation share.
 *
 *     cache_memory.c    where accesses lead to: buffers, fields, addresses in a layout
 *     cache_request.c   the sectors of a warp's request
 *     cache_sets.c      one cache
 *     cache_turns.c     which block issues next, on which SM
 *     cache.c           the levels, and what is counted
 */
#ifndef HD_CACHE_PARTS_H
#define HD_CACHE_PARTS_H

#include "analysis/cache.h"
#include "analysis/cache_sets.h"

/* ---- cache_memory.c ------------------------------------------------------------------------ */

/* A field of a layout: byte i of element e is at
 * base + (e >> shift) * tile_bytes + (e & mask) * step + i. */
typedef struct field_address {
    uint64_t base, tile_bytes, step, mask;
    uint32_t shift;
} field_address;

typedef struct memory_buffer {
    uint64_t base, bytes; /* as run */
    uint32_t size;        /* of an element */
    uint32_t place;       /* row of cache_memory.places: its own, or that of its first field */
    int16_t *field_at;    /* [size]: of each byte, -1 in padding; NULL: the buffer has no fields */
    const hd_record *columns; /* the record, if it was run in columns */
    /* In a layout; NULL: where it was. */
    const hd_record *record;
    const field_address *fields; /* [record->field_count] */
} memory_buffer;

/* A field of a buffer's record, or a buffer that has none. */
typedef struct memory_place {
    const char *buffer; /* NULL: memory that no buffer is known of */
    hd_cache_place is;
} memory_place;

/* Addresses of a launch. */
typedef struct cache_memory {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_job *job;                   /* or NULL */
    const hd_layout *layout;             /* or NULL */
    const field_address **buffer_fields; /* [job->buffer_count] where they were laid out, or NULL */
    hd_vec(memory_place) places;         /* of all launches */
    uint32_t unknown;                    /* the place of memory that no buffer is known of */
    memory_buffer *buffers;              /* of the launch, by base */
    uint32_t buffer_count;
    memory_buffer **of_row; /* of the launch's table, NULL for those that are not global */
} cache_memory;

/* The layout's addresses lie beyond all that the trace's launches have. */
hd_status cache_memory_make(cache_memory *memory, const hd_trace_contents *contents);
/* The buffers of a launch, which must be the job's where there is a layout. */
hd_status cache_memory_launch(cache_memory *memory, const hd_event_launch *launch);
/* The buffer that an address lies in, or NULL. */
const memory_buffer *cache_memory_find(const cache_memory *memory, uint64_t address);
/* Where an address of the buffer would lie in an array of structs. */
static inline uint64_t cache_struct_byte(const memory_buffer *b, uint64_t address) {
    uint64_t byte = address - b->base;
    return b->columns ? hd_record_struct_byte(b->columns, b->bytes / b->size, byte) : byte;
}
/* Row of the places. */
static inline uint32_t cache_place_of(const cache_memory *memory, const memory_buffer *buffer,
                                      uint64_t address) {
    if (!buffer || !buffer->field_at)
        return buffer ? buffer->place : memory->unknown;
    int16_t field = buffer->field_at[cache_struct_byte(buffer, address) % buffer->size];
    return buffer->place + (field < 0 ? 0 : (uint32_t)field);
}

/* ---- cache_request.c ------------------------------------------------------------------------ */

enum { GROUP_SECTORS = 32, RANKED_MOST = 64 };

/* Sectors 32 * number .. 32 * number + 31, a bit each. */
typedef struct sector_group {
    uint64_t number;
    uint32_t touched, full;       /* full: all their bytes are */
    uint8_t bytes[GROUP_SECTORS]; /* of each that is touched, at most 255 */
} sector_group;

typedef struct byte_span {
    uint64_t at, end;
} byte_span;

/* The sectors of a request, ascending. */
typedef struct sector_list {
    uint32_t shift; /* 2 to this are the bytes of a sector */
    size_t count, capacity;
    sector_group *groups; /* malloc's */
    uint64_t covered;     /* bytes up to here have been added */
    uint64_t sector;      /* the last one, */
    uint64_t bytes;       /* and how many of its bytes; 0: there is none */
    size_t span_count, span_capacity;
    byte_span *spans; /* scratch */
    bool unordered;   /* they do not begin in ascending order yet */
    byte_span ordered[RANKED_MOST];
} sector_list;

/* How the lanes of an event are looked at, warp by warp. */
typedef struct event_view {
    const cache_memory *memory;
    const hd_event *event;
    uint32_t width;
    const memory_buffer *buffer; /* of the first active lane, or NULL */
    bool strided;                /* in the layout, too: */
    uint64_t base;
    int64_t stride;
    bool one_place; /* all lanes are at this one */
    uint32_t place;
} event_view;

void event_view_make(event_view *view, const cache_memory *memory, const hd_event *event,
                     const hd_event_access *access);
/* Bytes from byte `done` of the access on that are one request in the layout. */
uint32_t event_part_width(const cache_memory *memory, const hd_event *event,
                          const hd_event_access *access, uint32_t done);
/* The sectors that active lanes first .. end - 1 touch, of which there is one at least, and the
 * place that counts for them: of the first of these lanes. */
uint32_t event_sectors(const event_view *view, uint32_t first, uint32_t end, sector_list *list);
void sector_list_free(sector_list *list);

/* ---- cache_turns.c -------------------------------------------------------------------------- */

/* What hears MIs. Those of an SM come in the order in which it is taken to issue them, by rounds of
 * a turn for each of its blocks; SMs come one after the other, for some rounds at a time. */
typedef struct cache_turns {
    hd_trace *trace;
    const hd_diag *diag;
    const hd_trace_launch *launch;
    hd_block_choice rows; /* of launch->blocks */
    uint32_t sms, blocks_per_sm;
    /* `slot`: of the block, which no other one has meanwhile; from 0 on. `begins`: a turn. */
    void (*issue)(void *user, uint32_t sm, uint32_t slot, bool begins, const hd_event *event);
    void *user;
    void (*end_round)(void *user); /* of an SM */
    /* All SMs had the same number of them; returns what had to be kept of these, in requests. */
    size_t (*end_rounds)(void *user);
    bool (*goes_on)(void *user, uint64_t lane_accesses); /* asked after each MI */
} cache_turns;

/* Reads the blocks. HD_OK also where goes_on() ended it: then *complete is false. */
hd_status cache_take_turns(const cache_turns *turns, bool *complete);

#endif
