/*
 * Traces that other tools wrote. Each kind is a row of the table in foreign.c and a file with a
 * reader, which takes one line at a time and says what a warp's instruction touched; everything
 * else is the same for all of them and stands in foreign.c. docs/foreign-input.md has what the
 * tools write, and what that lacks.
 */
#ifndef HD_TRACE_FOREIGN_H
#define HD_TRACE_FOREIGN_H

#include "base/scan.h"
#include "base/table.h"
#include "decode.h"
#include "trace/trace.h"
#include "trace_table.h"

enum { WARP_MOST = 64 }; /* lanes of a warp, or of AMD's wave */

/* One memory instruction of one warp. */
typedef struct warp_access {
    uint64_t launch;   /* as the tool numbers them */
    uint64_t block[3]; /* coordinates */
    uint64_t warp;
    uint64_t key; /* what tells the instruction from others of its kernel: its address */
    hd_access_kind kind;
    kir_space space;
    uint32_t width;
    uint64_t mask;
    uint64_t address[WARP_MOST];
} warp_access;

/* What a tool says of a launch; sizes are 0 where it doesn't. */
typedef struct foreign_launch {
    uint64_t id;
    const char *kernel; /* or NULL */
    const char *at;     /* where it is met first */
    uint64_t groups[3], local[3];
    uint64_t extent[3]; /* of the blocks that were met */
    uint64_t warps;     /* of a block */
    hd_vec(struct foreign_row) rows;
    hd_hash_table row_of;
    hd_event_launch launch;
} foreign_launch;

typedef struct foreign foreign;

typedef struct foreign_format {
    const char *tool;
    /* By the first bytes of a file. */
    bool (*is_one)(hd_span start);
    /* Why files of this kind can't be read; NULL: they can. */
    const char *refused;
    const char *lacks; /* beside fields */
    uint32_t lanes;    /* of a warp */
    bool has_masks;
    bool has_names; /* of instructions, in place of their addresses */
    bool has_slots; /* warps have numbers that say nothing of the block */
    /* The line at the cursor, the first time through: launches, and foreign_add(). */
    void (*read_line)(foreign *f);
    /* The instruction at the cursor into f->access; false: it touches no memory. */
    bool (*read_access)(foreign *f);
    /* The text has ended. May be NULL. */
    void (*end)(foreign *f);
} foreign_format;

/* One reading. */
struct foreign {
    hd_arena *arena;
    hd_diag diag;
    const foreign_format *format;
    hd_scan in;       /* its status: HD_OK until the first fault */
    const char *line; /* the current one */
    warp_access access;
    void *own; /* the format's */
    hd_vec(foreign_launch) launches;
    hd_hash_table launch_of; /* by their ids */
    hd_vec(struct foreign_entry) entries;
    struct touched *touched;
    hd_vec(hd_event_buffer) buffers;
    const hd_trace_record *record; /* or NULL */
    reading reading;               /* of the text three times */
};

/* The launch with this id, a new one if there is none yet. */
foreign_launch *foreign_launch_of(foreign *f, uint64_t id);
/* f->access was read from the line at `at`. */
void foreign_add(foreign *f, const char *at);

/* The next word; none is a fault. */
hd_span foreign_word(foreign *f, const char *what);
uint64_t foreign_number(foreign *f, hd_span word, unsigned base, uint64_t most, const char *what);
/* A hexadecimal number behind "0x". */
uint64_t foreign_address(foreign *f, hd_span word, const char *what);
/* Three decimal numbers with commas between them. */
void foreign_triple(foreign *f, hd_span word, uint64_t most, uint64_t numbers[3], const char *what);
/* Exactly this, behind blanks. */
bool foreign_take(foreign *f, const char *text);
/* Behind the first `text` in the rest of the line; a fault where it is not there. */
bool foreign_behind(foreign *f, const char *text);
/* The text starts so, or a line of it does. */
bool foreign_starts(hd_span start, const char *text);
bool foreign_has(hd_span start, const char *text);

/* foreign_sass.c: kind, space and width of an instruction of NVIDIA's GPUs, into f->access; false:
 * it has no addresses of lanes. */
bool foreign_sass(warp_access *access, hd_span opcode);
/* The opcode of "@!P0 LDG.E R2, [R2] ;". */
hd_span foreign_opcode(hd_span sass);
/* One with two addresses is traced twice: in memory and, below these bytes, in shared memory. */
void foreign_sass_copies(warp_access *access, hd_span opcode);

/* foreign_json.c: an object on a line of its own. The cursor is behind its '{' or a member; the
 * next member's name, whose value the cursor is then at. Length 0: the object has ended. */
hd_span foreign_json_begin(foreign *f);
hd_span foreign_json_next(foreign *f);
/* What they say of the value's kind is a fault where it is another. */
uint64_t foreign_json_number(foreign *f, uint64_t most, const char *what);
hd_span foreign_json_text(foreign *f, const char *what);
/* Numbers of a list, at most `most`; how many there are. */
uint32_t foreign_json_numbers(foreign *f, uint64_t *numbers, uint32_t most, const char *what);
void foreign_json_skip(foreign *f);
/* The object's end, and that of the line. */
void foreign_json_end(foreign *f);

extern const foreign_format foreign_mem_trace, foreign_accel_sim, foreign_accel_sim_raw,
    foreign_cutracer, foreign_cutracer_text, foreign_omniprobe, foreign_omniprobe_csv,
    foreign_rocprof;

#endif
