/*
 * What the writer and the reader of a part know alike: the state that predicts the next
 * event from those before. docs/trace-format.md describes it for readers in any language;
 * part.c opens with the idea. Both sides start each part anew and must do the same things
 * in the same order: whatever changes the model stands here once.
 */
#ifndef HD_TRACE_PART_H
#define HD_TRACE_PART_H

#include "bytes.h"
#include "machine/event.h"

enum {
    LANES_MAX = 1 << 16,         /* of a block */
    PART_BYTES = 1 << 20,        /* of columns: a part with that many ends */
    PART_BYTES_MAX = 4 << 20,    /* no part has more */
    MASK_WORDS_MAX = 1 << 17,    /* of a part's masks */
    PATTERN_LANES_MAX = 1 << 18, /* of a part's patterns */
    LANE_MEMORY_MAX = 1 << 19    /* lanes whose last address is remembered */
};

/* Streams of bytes of one kind, one after the other in a part. */
typedef enum column {
    COLUMN_OP, /* a byte for each event */
    COLUMN_ACCESS,
    COLUMN_GAP,  /* of positions */
    COLUMN_MASK, /* ids of masks met before */
    COLUMN_NEW_MASK,
    COLUMN_BASE,
    COLUMN_STRIDE,
    COLUMN_REFERENCE, /* accesses whose lanes this one follows */
    COLUMN_PATTERN,
    COLUMN_LIST,   /* two bytes for each list: how its values were made */
    COLUMN_VALUES, /* lowest bytes of lists' values; the next one the second bytes, ... */
    COLUMN_COUNT = COLUMN_VALUES + 8
} column;

/* The first byte of an event. */
typedef enum op_kind { OP_STRIDED, OP_MOVED, OP_PATTERN, OP_LIST } op_kind;
typedef enum op_mask { MASK_OF_ACCESS, MASK_OF_EVENT, MASK_KNOWN, MASK_NEW } op_mask;
enum {
    OP_KIND = 3,        /* op_kind */
    OP_MASK_SHIFT = 2,  /* op_mask, two bits */
    OP_ACCESS = 1 << 4, /* column ACCESS has it */
    OP_BASE = 1 << 5,   /* column BASE has its step */
    OP_DETAIL = 1 << 6, /* STRIDE, REFERENCE or PATTERN has it */
    OP_GAP = 1 << 7     /* column GAP has the positions left out */
};

/* How a new mask is written: its words, or the lanes in which it differs from none, from all, or
 * from the mask of the access's last event. */
typedef enum mask_code { MASK_WORDS, MASK_SET, MASK_CLEAR, MASK_FLIP } mask_code;

/* What the values of a list are differences to. */
typedef enum list_code { LIST_ORIGIN, LIST_NEIGHBOUR, LIST_LANE } list_code;
enum {
    LIST_CODE = 3,
    LIST_ELEMENTS = 1 << 2, /* values count elements; else they are shifted */
    LIST_WIDTH_SHIFT = 3    /* bytes of each value, four bits */
};

/* What is remembered of an access. Steps are kept apart for events that follow the
 * access's own lanes, those of another access, and all others. */
typedef enum step_kind { STEP_BASE, STEP_OWN, STEP_OTHER } step_kind;
typedef struct access_state {
    uint32_t successor; /* the access after it, last time */
    uint32_t mask, reference, pattern;
    uint32_t memory; /* 1 + number of its lane memory, or 0 */
    bool met;
    uint64_t base;   /* of its last event */
    uint64_t origin; /* an element of its buffer, at the place inside it that is accessed */
    uint64_t stride;
    uint64_t step[3]; /* [step_kind] */
    uint64_t unit;    /* bytes of an element, or of the access */
} access_state;

typedef struct part_model {
    const hd_event_launch *launch;
    uint32_t threads, words; /* of a block, and of its masks */
    access_state *accesses;
    uint32_t last_access; /* of the last event, or UINT32_MAX */
    uint32_t last_mask;
    uint64_t next_position;

    uint64_t *masks; /* [mask_count * words]; 0 is the full one */
    uint32_t *mask_active;
    uint32_t mask_count, mask_capacity;

    uint64_t *patterns;      /* addresses less the first one's, of active lanes */
    uint32_t *pattern_start; /* [pattern_count + 1] */
    uint32_t pattern_count, pattern_capacity;
    size_t pattern_room;

    uint64_t *memory; /* [memory_count * threads]: the last address of each lane */
    uint32_t memory_count, memory_capacity;

    uint32_t *lanes; /* active ones of mask lanes_of */
    uint32_t lanes_of;

    uint64_t *now, *before, *values; /* [threads] scratch of those who use the model */
} part_model;

/* For the blocks of a launch, which the model borrows. */
void part_model_launch(part_model *m, const hd_event_launch *launch);
/* Forgets the part before; the next event is expected at `position`. */
void part_model_begin(part_model *m, uint64_t position);
void part_model_free(part_model *m);

static inline uint32_t part_expected_access(const part_model *m) {
    return m->last_access == UINT32_MAX ? 0 : m->accesses[m->last_access].successor;
}
/* The event's access, mask and position are known: predictions follow. */
void part_note_event(part_model *m, uint32_t access, uint32_t mask, uint64_t position);
/* The event's base is known. */
void part_note_base(part_model *m, uint32_t access, uint64_t base);

static inline const uint64_t *part_mask(const part_model *m, uint32_t id) {
    return m->masks + (size_t)id * m->words;
}
/* Adds a mask: the returned words are to be filled, and then counted. */
uint64_t *part_mask_new(part_model *m);
void part_mask_count(part_model *m);
/* What a mask is written as different from; `own` is the mask of the access's last event. */
const uint64_t *part_mask_reference(const part_model *m, mask_code code, uint32_t own);
static inline bool part_masks_full(const part_model *m) {
    return (m->mask_count + 1) * (size_t)m->words > MASK_WORDS_MAX;
}
static inline uint32_t part_first_lane(const part_model *m, uint32_t mask) {
    const uint64_t *words = part_mask(m, mask);
    uint32_t w = 0;
    while (!words[w])
        w++;
    return w * 64 + (uint32_t)__builtin_ctzll(words[w]);
}
/* The active lanes of a mask, ascending; valid until another mask is asked for. */
const uint32_t *part_lanes(part_model *m, uint32_t mask);
static inline bool part_mask_is_full(const part_model *m, uint32_t mask) {
    return m->mask_active[mask] == m->threads;
}

/* The `values` of the active lanes: themselves when all lanes are active, else picked out. */
const uint64_t *part_pick(part_model *m, uint32_t mask, const uint64_t *values, uint64_t *scratch);

/* Adds a pattern of `count` lanes. */
void part_pattern_add(part_model *m, const uint64_t *addresses, uint32_t count);
static inline uint32_t part_pattern_lanes(const part_model *m, uint32_t pattern) {
    return m->pattern_start[pattern + 1] - m->pattern_start[pattern];
}
static inline bool part_patterns_full(const part_model *m) {
    return m->pattern_start[m->pattern_count] + m->threads > PATTERN_LANES_MAX;
}

/* What is remembered of the lanes of an access, NULL when nothing is. */
static inline uint64_t *part_memory(const part_model *m, uint32_t access) {
    uint32_t number = m->accesses[access].memory;
    return number ? m->memory + (size_t)(number - 1) * m->threads : NULL;
}
/* Remembers the addresses of the active lanes of `mask`, in their order. Not called for an
 * event whose lanes follow another access: that one remembers them already. */
void part_remember(part_model *m, uint32_t access, uint32_t mask, const uint64_t *addresses);
/* How far an access moves when the lanes of `reference` move by `distance` bytes. */
static inline uint64_t part_scale(const part_model *m, uint32_t access, uint32_t reference,
                                  uint64_t distance) {
    uint64_t unit = m->accesses[access].unit, other = m->accesses[reference].unit;
    if (unit == other)
        return distance;
    return (uint64_t)((int64_t)(distance * unit) / (int64_t)other);
}
/* Where the access is expected to be when the reference's lane was at `address`. */
static inline uint64_t part_follow(const part_model *m, uint32_t access, uint32_t reference,
                                   uint64_t address) {
    const access_state *a = &m->accesses[access];
    if (access == reference)
        return address;
    return a->origin + part_scale(m, access, reference, address - m->accesses[reference].origin);
}

#endif
