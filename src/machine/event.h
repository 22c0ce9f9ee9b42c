/*
 * Events: what the machine announces and what every dynamic analysis hears.
 *
 * One event is one MI (memory instruction): one execution of an access by the
 * threads of a block that are active there, with its position in the block's
 * reference stream and an address for each active lane (Memory-trace analysis
 * of the data sharing degree in SIMT architectures, chapter IV). The machine,
 * the reader of trace files and tests that write events by hand all speak to a
 * hd_sink, and none knows what the sink does.
 *
 * The order of calls, which the producer keeps:
 *
 *     launch                                  once for each launch, one at a time
 *       open_block(b)                         in ascending order of b
 *         event, event, ...                   positions 0, 1, 2 ... of that block
 *       close_block(b)                        blocks may end in any order
 *     end_launch
 *
 * Several blocks may be open at once, each from a thread of its own; the calls
 * for one block come from one thread. All other calls come from one thread.
 */
#ifndef HD_EVENT_H
#define HD_EVENT_H

#include "kernel/kernel.h"

/* ---- what a launch is ------------------------------------------------------- */

/* A row of the table of accesses; its index is the event's `access`. When the
 * launch comes from the machine, row k is access k of hd_kernel_analyse(). */
typedef struct hd_event_access {
    hd_access_kind kind;
    kir_space space;
    uint32_t width;              /* bytes of each lane's access */
    int32_t buffer;              /* row of the table of buffers, or -1 when it is not known */
    const char *record;          /* name of the record stepped into, or NULL */
    const char *field;           /* of that record, or NULL */
    uint32_t file, line, column; /* file: row of hd_event_launch.files; line 0: unknown */
    uint64_t pc;                 /* what the tool that made the events calls it; 0: its row */
} hd_event_access;

/* A piece of memory that addresses fall into. Global and constant buffers stand at
 * addresses of their own; private memory is the same address range in every thread;
 * local memory of block b begins b mod 4096 times 16 MiB behind `base`. */
typedef struct hd_event_buffer {
    const char *name; /* of the job's buffer, or of the variable */
    const char *type; /* of one element, as written, or NULL */
    kir_space space;
    uint64_t base, bytes;
    uint32_t element_bytes;  /* 0: not known */
    const hd_record *record; /* of the elements, or NULL */
} hd_event_buffer;

typedef struct hd_event_launch {
    uint32_t number; /* from 0, in the order of running; each repeat is one */
    const char *kernel;
    uint32_t dims;
    uint64_t groups[3], local[3], offset[3]; /* 1, 1, 0 beyond dims */
    uint64_t block_count;   /* product of groups; block b has group id b mod groups[0], ... */
    uint32_t cluster[3];    /* blocks of a cluster; 0: there are no clusters */
    bool takes_turns;       /* several blocks are open in one thread, and no block may wait */
    uint32_t block_threads; /* product of local; lane = local id 0 + local[0] * (id 1 + ...) */
    const char *const *files;
    uint32_t file_count;
    const hd_event_access *accesses;
    uint32_t access_count;
    const hd_event_buffer *buffers;
    uint32_t buffer_count;
} hd_event_launch;

/* ---- one MI ------------------------------------------------------------------ */

typedef struct hd_event {
    uint32_t access;      /* row of the table */
    uint32_t threads;     /* lanes of the block */
    uint32_t active;      /* active lanes, at least 1 */
    uint64_t position;    /* in the block's stream */
    const uint64_t *mask; /* bit l % 64 of word l / 64: lane l is active; no bits beyond */
    /* The address of lane l is base + l * stride when `address` is NULL (also where
     * lanes below the first active one are not active), else base + address[l]; entries
     * of lanes that are not active mean nothing. */
    uint64_t base;
    int64_t stride;
    const uint64_t *address;
    /* Mask and `address` are those of the block's event before: a struct's next field. A
     * sink may use it or not; one that hands on events but leaves some out clears it. */
    bool same_lanes;
} hd_event;

static inline bool hd_event_active(const hd_event *e, uint32_t lane) {
    return e->mask[lane / 64] >> lane % 64 & 1;
}
static inline uint64_t hd_event_address(const hd_event *e, uint32_t lane) {
    return e->base + (e->address ? e->address[lane] : lane * (uint64_t)e->stride);
}

/* space.c: the space that an event goes to. Of an access that may be to any (KIR_GENERIC), that of
 * the buffer which the first active lane is in; global where it is in none. */
kir_space hd_event_space_met(const hd_event_launch *launch, const hd_event *event);
static inline kir_space hd_event_space(const hd_event_launch *launch, const hd_event *event) {
    kir_space space = launch->accesses[event->access].space;
    return space == KIR_GENERIC ? hd_event_space_met(launch, event) : space;
}

/* Whether both run the same kernel with the same sizes. */
static inline bool hd_event_same_launch(const hd_event_launch *a, const hd_event_launch *b) {
    return a->dims == b->dims && !strcmp(a->kernel, b->kernel) &&
           !memcmp(a->groups, b->groups, sizeof a->groups) &&
           !memcmp(a->local, b->local, sizeof a->local);
}

/* ---- some blocks of a launch ------------------------------------------------------ */

/* From `first` to `last`; of every `of` of them the first `each` (0: all). */
typedef struct hd_block_choice {
    uint64_t first, last, each, of;
} hd_block_choice;

static const hd_block_choice hd_all_blocks = {0, UINT64_MAX, 0, 1};

static inline bool hd_block_chosen(const hd_block_choice *choice, uint64_t block) {
    return block >= choice->first && block <= choice->last &&
           (!choice->each || (block - choice->first) % choice->of < choice->each);
}

/* tee.c: how many blocks of `count` are chosen. */
uint64_t hd_blocks_chosen(const hd_block_choice *choice, uint64_t count);
/* tee.c: about `wanted` blocks of `count`, in groups of neighbours where these are many, since
 * neighbours share lines; at least one. */
hd_block_choice hd_blocks_spread(uint64_t count, double wanted);

/* ---- sinks --------------------------------------------------------------------- */

typedef struct hd_sink {
    void *self;
    /* Any of these may be NULL. `launch` and what it points to live until end_launch. */
    hd_status (*launch)(void *self, const hd_event_launch *launch);
    /* The state that the block's events are given to. */
    void *(*open_block)(void *self, uint64_t block);
    /* Must not fail; what went wrong is returned by close_block. May wait until blocks
     * before this one are closed, never for later ones. */
    void (*event)(void *stream, const hd_event *event);
    /* `complete` is false when the block was stopped before its end. */
    hd_status (*close_block)(void *self, void *stream, uint64_t block, bool complete);
    hd_status (*end_launch)(void *self, bool complete);
    /* Of a sink that hears only some blocks, both or none; not within others (tee.c), nor asked where
     * blocks take turns. Whether it wants to hear the block, before it is opened; of one that it does
     * not want there are no other calls. And what each took of its thread's time in the end. */
    bool (*wants_block)(void *self, uint64_t block);
    void (*block_took)(void *self, bool heard, double seconds);
} hd_sink;

/* tee.c: one sink that hands everything to several; sinks[] is copied. */
hd_sink hd_sink_tee(hd_arena *arena, const hd_sink *sinks, uint32_t count);
/* A sink that hands on only these blocks of every launch. */
hd_sink hd_sink_blocks(hd_arena *arena, hd_sink inner, hd_block_choice blocks);

#endif
